/* SPDX-License-Identifier: Apache-2.0 */
#include "ablation.h"

#ifdef QD_ABLATION

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t without; /* a bit per mechanism */

static void add(const char *name, size_t size)
{
    static const char *const names[] = {
#define X(name, text) text,
        QD_MECHANISMS(X)
#undef X
    };

    for (uint32_t i = 0; i < QD_MECHANISM_COUNT; i++) {
        if (strlen(names[i]) == size && memcmp(names[i], name, size) == 0) {
            without |= UINT64_C(1) << i;
            return;
        }
    }
    fprintf(stderr, "QD_WITHOUT names '%.*s'; must be a mechanism of server/base/ablation.h\n", (int)size, name);
    abort();
}

/* Before main, so that reading needs no lock. */
__attribute__((constructor)) static void read_environment(void)
{
    const char *text = getenv("QD_WITHOUT");

    while (text != NULL && *text != '\0') {
        size_t size = strcspn(text, ",");

        add(text, size);
        text += size + (text[size] == ',');
    }
}

bool qd_is_without(qd_mechanism mechanism)
{
    return without >> mechanism & 1;
}

#else
typedef int qd_no_ablation; /* a file must declare something */
#endif

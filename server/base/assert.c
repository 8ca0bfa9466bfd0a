/* SPDX-License-Identifier: Apache-2.0 */
#include "assert.h"

#include <stdio.h>
#include <stdlib.h>

#include "log.h"

_Noreturn void qd_assert_fail(const char *condition, const char *file, int line, const char *function)
{
    char text[1024];

    snprintf(text, sizeof text, "%s:%d: %s: this should never be false: %s\n", file, line, function, condition);
    qd_log_last_words(text);
    abort();
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * What the fuzz targets share: the entry point, and a check that stays on in every build.
 */
#ifndef QD_TESTS_FUZZ_FUZZ_H
#define QD_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#define FUZZ_CHECK(condition)                                                                                          \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                            \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

/* The size of the length prefix at `bytes`. */
static inline size_t prefix_size_of(const uint8_t *bytes)
{
    size_t size = 1;

    while (bytes[size - 1] & 0x80) {
        size++;
    }
    return size;
}

#endif

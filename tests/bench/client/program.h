/* SPDX-License-Identifier: Apache-2.0
 *
 * What every part of the program needs. Whatever goes wrong ends it: it measures, and has nobody else to serve.
 */
#ifndef QD_BENCH_PROGRAM_H
#define QD_BENCH_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

/* Says it on the standard error, and ends with status 1. */
_Noreturn void program_die(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* As realloc. */
void *program_memory(void *old, size_t size);
uint64_t program_now_ns(void);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * What every part of the program needs. Each error ends the program.
 */
#ifndef QD_BENCH_PROGRAM_H
#define QD_BENCH_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

/* Prints to the standard error and exits with status 1. */
_Noreturn void program_die(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* As realloc. */
void *program_memory(void *old, size_t size);
uint64_t program_now_ns(void);

#endif

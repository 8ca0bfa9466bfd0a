/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE

#include "program.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void program_die(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fprintf(stderr, "%s: ", program_invocation_short_name);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    exit(1);
}

void *program_memory(void *old, size_t size)
{
    void *memory = realloc(old, size);

    if (memory == NULL) {
        program_die("no memory for %zu bytes", size);
    }
    return memory;
}

uint64_t program_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

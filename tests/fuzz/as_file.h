/* SPDX-License-Identifier: Apache-2.0
 *
 * The bytes as a file, for targets that read a path.
 */
#ifndef QD_TESTS_FUZZ_AS_FILE_H
#define QD_TESTS_FUZZ_AS_FILE_H

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz/fuzz.h"

#define FUZZ_PATH_SIZE 64

/* A file in memory that only the user may read, and its path. Close the descriptor. */
static inline int fuzz_as_file(const uint8_t *bytes, size_t size, char path[FUZZ_PATH_SIZE])
{
    int file = memfd_create("fuzz", MFD_CLOEXEC);

    FUZZ_CHECK(file >= 0 && fchmod(file, 0600) == 0);
    FUZZ_CHECK(write(file, bytes, size) == (ssize_t)size);
    snprintf(path, FUZZ_PATH_SIZE, "/proc/self/fd/%d", file);
    return file;
}

#endif

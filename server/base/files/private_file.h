/* SPDX-License-Identifier: Apache-2.0
 *
 * Files with secrets: tokens, private keys. Other users of the machine must not read them.
 */
#ifndef QD_BASE_FILES_PRIVATE_FILE_H
#define QD_BASE_FILES_PRIVATE_FILE_H

#include <stddef.h>
#include <stdio.h>

#include "../status.h"

/* Opens the file for reading. NULL: it cannot be read, or others can read it; then `error` names the path, the problem
 * and the fix. [any] */
FILE *qd_private_file_open(const char *path, char *error, size_t error_size) QD_MUST_USE;

#endif

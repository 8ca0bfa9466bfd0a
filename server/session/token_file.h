/* SPDX-License-Identifier: Apache-2.0
 *
 * The tokens of a file: one a line; empty lines and lines that begin with # are skipped, space around a token is not
 * part of it. Read once at start, read-only from then on. [any]
 */
#ifndef QD_SESSION_TOKEN_FILE_H
#define QD_SESSION_TOKEN_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "../base/status.h"

typedef struct qd_tokens {
    char **tokens;
    size_t count;
} qd_tokens;

/* On failure *error (of error_size) says what the matter is, with the path and the line. */
qd_status qd_tokens_read(const char *path, qd_tokens *tokens, char *error, size_t error_size) QD_MUST_USE;
void qd_tokens_deinit(qd_tokens *tokens);

/* Takes as long for a token that is nearly right as for any other of its length. */
bool qd_tokens_contain(const qd_tokens *tokens, const char *token);

#endif

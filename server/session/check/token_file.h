/* SPDX-License-Identifier: Apache-2.0
 *
 * The tokens of a file, one per line. Empty lines and lines that begin with # are skipped; space around a token is
 * ignored. Read once at start, and constant from then on. [any]
 */
#ifndef QD_SESSION_CHECK_TOKEN_FILE_H
#define QD_SESSION_CHECK_TOKEN_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "../../base/status.h"

typedef struct qd_tokens {
    char **tokens;
    size_t count;
} qd_tokens;

/* On failure, `error` gets a text with the path, the line and the reason. */
qd_status qd_tokens_read(const char *path, qd_tokens *tokens, char *error, size_t error_size) QD_MUST_USE;
void qd_tokens_deinit(qd_tokens *tokens);

/* Takes the same time for all tokens of one length, so that it does not reveal how much of a token is right. */
bool qd_tokens_contain(const qd_tokens *tokens, const char *token);

#endif

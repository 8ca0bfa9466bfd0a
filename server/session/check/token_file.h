/* SPDX-License-Identifier: Apache-2.0
 *
 * The tokens of a file, and what each of them allows. One per line:
 *
 *     TOKEN [ROLE [PATTERN...]]
 *     key:ID SECRET [ROLE [PATTERN...]]
 *
 * The role is admin, writer (the default) or reader. A pattern is a room's name, in which * stands for any characters;
 * without patterns the token is for all rooms. A key signs join tokens (join_grant.h), and its role and patterns bound
 * what they allow. Empty lines and lines that begin with # are skipped.
 *
 * A table is constant and reference-counted: a reload makes another one, and each session keeps that of its Hello. [any]
 */
#ifndef QD_SESSION_CHECK_TOKEN_FILE_H
#define QD_SESSION_CHECK_TOKEN_FILE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "../../../proto/token/join_token.h"
#include "../../base/status.h"

#define QD_KEY_PREFIX "key:"

/* What one token allows. */
typedef struct qd_grant {
    const char *token; /* of a key: "key:ID"; of a join token: "key:ID NAME", its holder */
    qd_role role;
    const char *patterns;       /* with one space between them; "": all rooms */
    const char *secret;         /* of a key; NULL: this is no key */
    const struct qd_grant *key; /* of a join token: the key that signed it, whose patterns must match, too. Else NULL */
} qd_grant;

typedef struct qd_tokens {
    _Atomic unsigned references;
    qd_grant *grants;
    size_t count;
} qd_tokens;

/* Reads the file into a table with one reference, which other users of the machine may not read. NULL: `error` gets a
 * text with the path, the line and the reason, without the token. */
qd_tokens *qd_tokens_read(const char *path, char *error, size_t error_size) QD_MUST_USE;
/* Returns the table. NULL is fine for both. */
qd_tokens *qd_tokens_acquire(qd_tokens *tokens);
void qd_tokens_release(qd_tokens *tokens);

/* What the token allows; NULL: it is not in the table, or names a key. Takes the same time for all tokens of one length,
 * so that it does not reveal how much of a token is right. */
const qd_grant *qd_tokens_find(const qd_tokens *tokens, const char *token);
/* The key with that id, or NULL. Ids are not secret. */
const qd_grant *qd_tokens_find_key(const qd_tokens *tokens, const char *id);

/* The line of the file that the grant comes from: that of its key, or its own. */
const qd_grant *qd_grant_line(const qd_grant *grant);
/* Whether both have the same role, patterns, secret and key. NULL allows nothing. */
bool qd_grant_same(const qd_grant *a, const qd_grant *b);
/* Whether the table has the line of the grant, which comes from another table, and it is the same. */
bool qd_tokens_have_line(const qd_tokens *tokens, const qd_grant *grant);
/* Whether one of the patterns matches the room's name; for a join token, also one of its key's. */
bool qd_grant_has_room(const qd_grant *grant, const char *name);

#endif

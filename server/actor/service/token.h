/* SPDX-License-Identifier: Apache-2.0
 *
 * The token that a session presented; of a join token its holder, "key:ID NAME". Others keep it when the session is
 * gone: a room remembers its creator, and the owners of its entities. Reference-counted, and constant from its creation
 * on. [any]
 */
#ifndef QD_ACTOR_SERVICE_TOKEN_H
#define QD_ACTOR_SERVICE_TOKEN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "../../base/status.h"

typedef struct qd_token {
    _Atomic unsigned references;
    size_t size; /* of the struct with its text */
    char text[];
} qd_token;

/* Returns one reference; NULL: no memory. [any] */
qd_token *qd_token_create(const char *text) QD_MUST_USE;
/* Returns the token. Here and below NULL is fine: there is nothing to count. [any] */
qd_token *qd_token_acquire(qd_token *token);
void qd_token_release(qd_token *token);

/* Whether both are there, with the same text. A session without a token shares nothing with another. [any] */
bool qd_token_same(const qd_token *a, const qd_token *b);

#endif

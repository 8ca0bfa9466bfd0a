/* SPDX-License-Identifier: Apache-2.0
 *
 * What a session has proved itself with, which others keep when it is gone: a room remembers who created it, and whose
 * its entities are. Counted references, unchanged from its creation. [any]
 */
#ifndef QD_ACTOR_TOKEN_H
#define QD_ACTOR_TOKEN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "../base/status.h"

typedef struct qd_token {
    _Atomic unsigned references;
    size_t size; /* of all of it */
    char text[];
} qd_token;

/* One reference; NULL: no memory. */
qd_token *qd_token_create(const char *text) QD_MUST_USE;
/* Of NULL, here and below, there is nothing to count. Returns it. */
qd_token *qd_token_acquire(qd_token *token);
void qd_token_release(qd_token *token);

/* Whether both are there, with the same text. Sessions without a token are nobody's twins. */
bool qd_token_same(const qd_token *a, const qd_token *b);

#endif

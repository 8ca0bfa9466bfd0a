/* SPDX-License-Identifier: Apache-2.0 */
#include "token.h"

#include <string.h>

#include "../../base/memory/alloc.h"

qd_token *qd_token_create(const char *text)
{
    size_t text_size = strlen(text) + 1, size = sizeof(qd_token) + text_size;
    qd_token *token = qd_shared_alloc(size);

    if (token == NULL) {
        return NULL;
    }
    atomic_init(&token->references, 1);
    token->size = size;
    memcpy(token->text, text, text_size);
    return token;
}

qd_token *qd_token_acquire(qd_token *token)
{
    if (token != NULL) {
        atomic_fetch_add_explicit(&token->references, 1, memory_order_relaxed);
    }
    return token;
}

void qd_token_release(qd_token *token)
{
    if (token != NULL && atomic_fetch_sub_explicit(&token->references, 1, memory_order_acq_rel) == 1) {
        qd_shared_free(token, token->size);
    }
}

bool qd_token_same(const qd_token *a, const qd_token *b)
{
    return a != NULL && b != NULL && strcmp(a->text, b->text) == 0;
}

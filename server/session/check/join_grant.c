/* SPDX-License-Identifier: Apache-2.0 */
#include "join_grant.h"

#include <inttypes.h>
#include <stdio.h>

#include "../../base/memory/alloc.h"

static bool refuse_memory(qd_fault *fault)
{
    return qd_fault_set(fault, QD_ERROR_LIMIT,
                        "the server has no memory left to check a token (--memory-max). Connect again later");
}

/* Says the same of a token that is no join token, has an unknown key, or another signature. */
static bool refuse_unknown(qd_fault *fault)
{
    return qd_fault_set(fault, QD_ERROR_UNAUTHENTICATED,
                        "the token is unknown to the server; must be one of its --token-file, or signed with a key of "
                        "that. Send such a token in Hello");
}

/* Fills in the grant, whose token is still empty. */
static bool fill(qd_join_grant *joined, const qd_tokens *tokens, const char *text, uint64_t now_s, qd_fault *fault)
{
    const qd_join_claims *claims = &joined->token.claims;

    if (!qd_join_token_parse(text, &joined->token)) {
        return refuse_unknown(fault);
    }
    const qd_grant *key = qd_tokens_find_key(tokens, claims->key);
    const qd_join_check check = key != NULL ? qd_join_token_check(text, key->secret) : QD_JOIN_INVALID;
    if (check != QD_JOIN_VALID) {
        return check == QD_JOIN_NO_MEMORY ? refuse_memory(fault) : refuse_unknown(fault);
    }
    if (claims->expires_s <= now_s) {
        return qd_fault_set(fault, QD_ERROR_UNAUTHENTICATED,
                            "the token expired at %" PRIu64 ", and it is %" PRIu64
                            " (Unix time); must expire later. Mint a new token",
                            claims->expires_s, now_s);
    }
    if (claims->role > key->role) {
        return qd_fault_set(fault, QD_ERROR_UNAUTHENTICATED,
                            "the token's role is %s; must be at most %s, the role of its key. Mint one with that role",
                            qd_role_name(claims->role), qd_role_name(key->role));
    }
    snprintf(joined->holder, sizeof joined->holder, "%s %s", key->token, claims->name);
    joined->grant = (qd_grant){.token = joined->holder, .role = claims->role, .patterns = claims->patterns, .key = key};
    joined->expires_s = claims->expires_s;
    return true;
}

qd_join_grant *qd_join_grant_create(const qd_tokens *tokens, const char *text, uint64_t now_s, qd_fault *fault)
{
    qd_join_grant *joined = qd_shared_alloc(sizeof *joined);

    if (joined == NULL) {
        (void)refuse_memory(fault);
        return NULL;
    }
    if (!fill(joined, tokens, text, now_s, fault)) {
        qd_join_grant_destroy(joined);
        return NULL;
    }
    return joined;
}

void qd_join_grant_destroy(qd_join_grant *joined)
{
    if (joined != NULL) {
        qd_shared_free(joined, sizeof *joined);
    }
}

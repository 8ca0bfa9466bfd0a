/* SPDX-License-Identifier: Apache-2.0
 *
 * Join tokens: a backend signs claims, and the server checks them with the same key, without a list of tokens.
 *
 *     qj1.CLAIMS.SIGNATURE                          with claims such as
 *     k1 gateway-7 1764180000 writer match-* lobby
 *
 * proto/SPEC.md (T7) has the format. All functions are pure, and any thread may call them.
 */
#ifndef QD_PROTO_TOKEN_JOIN_TOKEN_H
#define QD_PROTO_TOKEN_JOIN_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../messages_base.h"

#define QD_JOIN_PREFIX           "qj1."
#define QD_JOIN_KEY_BYTES_MAX    32u
#define QD_JOIN_NAME_BYTES_MAX   64u
#define QD_JOIN_SECRET_BYTES_MIN 32u
#define QD_JOIN_SECRET_BYTES_MAX 128u
/* 999999999999 is in the year 33658. */
#define QD_JOIN_EXPIRES_DIGITS_MAX 12u
/* What a token of QD_TOKEN_BYTES_MAX has room for. */
#define QD_JOIN_CLAIMS_BYTES_MAX 156u

/* In ascending order: each role may do what those before it may. */
typedef enum qd_role { QD_ROLE_READER, QD_ROLE_WRITER, QD_ROLE_ADMIN } qd_role;

/* "reader", "writer", "admin" */
const char *qd_role_name(qd_role role);
/* false: no role has that name. */
bool qd_role_parse(const char *name, qd_role *role);

typedef struct qd_join_claims {
    const char *key, *name;
    uint64_t expires_s; /* Unix time; from this second on, the token is not valid */
    qd_role role;
    const char *patterns; /* with one space between them; "": all rooms */
} qd_join_claims;

/* A parsed token. The claims point into `text`, so it must not be copied. */
typedef struct qd_join_token {
    qd_join_claims claims;
    char text[QD_JOIN_CLAIMS_BYTES_MAX + 1];
} qd_join_token;

/* Reads the claims without a look at the signature. False: the text is no join token. */
bool qd_join_token_parse(const char *text, qd_join_token *token);

typedef enum qd_join_check { QD_JOIN_VALID, QD_JOIN_INVALID, QD_JOIN_NO_MEMORY } qd_join_check;

/* Whether the owner of this secret has signed the token. Takes the same time however much of the signature is right. */
qd_join_check qd_join_token_check(const char *text, const char *secret);

/* Signs the claims. false: `error` gets a text with the value, the rule and the fix. */
bool qd_join_token_mint(const qd_join_claims *claims, const char *secret, char text[QD_TOKEN_BYTES_MAX + 1],
                        char *error, size_t error_size);

/* Whether a key may have that id and secret. false: `error` gets a text without the secret. */
bool qd_join_key_check(const char *id, const char *secret, char *error, size_t error_size);

#endif

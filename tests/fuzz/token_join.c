/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads any bytes as a join token, and as its claims. What is read can be minted, and the minted token is valid and has
 * the same claims. Bytes that no secret has signed are never valid.
 */
#include <string.h>

#include "fuzz/fuzz.h"
#include "proto/token/base64url.h"
#include "proto/token/join_token.h"

#define SECRET "0123456789abcdef0123456789abcdef"

static void mint_again(const char *text, const qd_join_claims *claims)
{
    char minted[QD_TOKEN_BYTES_MAX + 1], error[300];
    qd_join_token again;

    FUZZ_CHECK(qd_join_token_mint(claims, SECRET, minted, error, sizeof error));
    FUZZ_CHECK(qd_join_token_check(minted, SECRET) == QD_JOIN_VALID);
    FUZZ_CHECK(qd_join_token_parse(minted, &again));
    FUZZ_CHECK(strcmp(again.claims.key, claims->key) == 0 && strcmp(again.claims.name, claims->name) == 0 &&
               strcmp(again.claims.patterns, claims->patterns) == 0);
    FUZZ_CHECK(again.claims.expires_s == claims->expires_s && again.claims.role == claims->role);
    /* All but the signature is the same. */
    FUZZ_CHECK(strlen(minted) == strlen(text) && memcmp(minted, text, (size_t)(strrchr(minted, '.') - minted)) == 0);
}

static void read_text(const char *text)
{
    qd_join_token token;

    if (qd_join_token_parse(text, &token)) {
        mint_again(text, &token.claims);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *text = malloc(sizeof QD_JOIN_PREFIX + QD_BASE64URL_LETTERS(size) + 64);

    FUZZ_CHECK(text);
    memcpy(text, bytes, size);
    text[size] = '\0';
    FUZZ_CHECK(qd_join_token_check(text, "another secret of thirty-two bytes") == QD_JOIN_INVALID);
    read_text(text);
    strcpy(text, QD_JOIN_PREFIX);
    qd_base64url_write(bytes, size, text + strlen(text));
    strcat(text, ".AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
    read_text(text);
    free(text);
    return 0;
}

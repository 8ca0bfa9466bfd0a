/* SPDX-License-Identifier: Apache-2.0 */
#include "join_token.h"

#include <inttypes.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdio.h>
#include <string.h>

#include "base64url.h"

#define PREFIX_BYTES      (sizeof QD_JOIN_PREFIX - 1)
#define SIGNATURE_BYTES   32u
#define SIGNATURE_LETTERS QD_BASE64URL_LETTERS(SIGNATURE_BYTES)

_Static_assert(PREFIX_BYTES + QD_BASE64URL_LETTERS(QD_JOIN_CLAIMS_BYTES_MAX) + 1 + SIGNATURE_LETTERS <=
                   QD_TOKEN_BYTES_MAX,
               "Hello carries every join token");

/* ---- roles ---- */

static const char *const role_names[] = {
    [QD_ROLE_READER] = "reader", [QD_ROLE_WRITER] = "writer", [QD_ROLE_ADMIN] = "admin"};

const char *qd_role_name(qd_role role)
{
    return role_names[role];
}

bool qd_role_parse(const char *name, qd_role *role)
{
    for (unsigned i = 0; i < sizeof role_names / sizeof role_names[0]; i++) {
        if (strcmp(name, role_names[i]) == 0) {
            *role = (qd_role)i;
            return true;
        }
    }
    return false;
}

/* ---- words ---- */

static bool is_word_byte(char byte)
{
    return (unsigned char)byte > ' ' && byte != 0x7f;
}

static bool is_word(const char *text, size_t bytes_max)
{
    size_t size = 0;

    while (is_word_byte(text[size])) {
        size++;
    }
    return size > 0 && size <= bytes_max && text[size] == '\0';
}

/* Whether the text is words with one space between them. */
static bool are_words(const char *text)
{
    bool in_word = false;

    for (; *text != '\0'; text++) {
        if (!is_word_byte(*text) && !(*text == ' ' && in_word)) {
            return false;
        }
        in_word = *text != ' ';
    }
    return in_word;
}

/* Ends the word at the next space. Returns it, and moves *rest behind it. */
static char *cut_word(char **rest)
{
    char *word = *rest, *end = word + strcspn(word, " ");

    *rest = end + (*end != '\0');
    *end = '\0';
    return word;
}

static bool parse_expires(const char *word, uint64_t *expires_s)
{
    const size_t digits = strspn(word, "0123456789");

    *expires_s = 0;
    for (size_t i = 0; i < digits && i < QD_JOIN_EXPIRES_DIGITS_MAX; i++) {
        *expires_s = *expires_s * 10 + (uint64_t)(word[i] - '0');
    }
    return digits > 0 && digits <= QD_JOIN_EXPIRES_DIGITS_MAX && word[digits] == '\0' && word[0] != '0';
}

/* ---- reading ---- */

/* Where the point before the signature is; NULL: the text is no join token. */
static const char *find_signature(const char *text)
{
    const size_t size = strlen(text);

    if (size > QD_TOKEN_BYTES_MAX || size < PREFIX_BYTES + 1 + SIGNATURE_LETTERS ||
        memcmp(text, QD_JOIN_PREFIX, PREFIX_BYTES) != 0) {
        return NULL;
    }
    const char *point = text + size - SIGNATURE_LETTERS - 1;
    return *point == '.' ? point : NULL;
}

bool qd_join_token_parse(const char *text, qd_join_token *token)
{
    uint8_t signature[SIGNATURE_BYTES];
    const char *point = find_signature(text);
    size_t size;

    if (point == NULL || !qd_base64url_read(point + 1, SIGNATURE_LETTERS, signature, sizeof signature, &size) ||
        !qd_base64url_read(text + PREFIX_BYTES, (size_t)(point - text) - PREFIX_BYTES, (uint8_t *)token->text,
                           QD_JOIN_CLAIMS_BYTES_MAX, &size)) {
        return false;
    }
    token->text[size] = '\0';
    if (strlen(token->text) != size || !are_words(token->text)) {
        return false;
    }
    char *rest = token->text;
    qd_join_claims *claims = &token->claims;
    claims->key = cut_word(&rest);
    claims->name = cut_word(&rest);
    const char *expires = cut_word(&rest), *role = cut_word(&rest);
    claims->patterns = rest;
    return is_word(claims->key, QD_JOIN_KEY_BYTES_MAX) && is_word(claims->name, QD_JOIN_NAME_BYTES_MAX) &&
           parse_expires(expires, &claims->expires_s) && qd_role_parse(role, &claims->role);
}

/* ---- signing ---- */

/* Signs the first `size` bytes. false: no memory. */
static bool sign(const char *text, size_t size, const char *secret, uint8_t signature[SIGNATURE_BYTES])
{
    unsigned written = 0;

    return HMAC(EVP_sha256(), secret, (int)strlen(secret), (const unsigned char *)text, size, signature, &written) !=
               NULL &&
           written == SIGNATURE_BYTES;
}

qd_join_check qd_join_token_check(const char *text, const char *secret)
{
    uint8_t given[SIGNATURE_BYTES], right[SIGNATURE_BYTES];
    const char *point = find_signature(text);
    size_t size;

    if (point == NULL || !qd_base64url_read(point + 1, SIGNATURE_LETTERS, given, sizeof given, &size)) {
        return QD_JOIN_INVALID;
    }
    if (!sign(text, (size_t)(point - text), secret, right)) {
        return QD_JOIN_NO_MEMORY;
    }
    return CRYPTO_memcmp(given, right, sizeof right) == 0 ? QD_JOIN_VALID : QD_JOIN_INVALID;
}

static bool check_claims(const qd_join_claims *claims, char *error, size_t error_size)
{
    if (!is_word(claims->key, QD_JOIN_KEY_BYTES_MAX)) {
        snprintf(error, error_size, "the key's id is '%.64s'; must be 1 to %u bytes without spaces", claims->key,
                 QD_JOIN_KEY_BYTES_MAX);
        return false;
    }
    if (!is_word(claims->name, QD_JOIN_NAME_BYTES_MAX)) {
        snprintf(error, error_size, "the name is '%.80s'; must be 1 to %u bytes without spaces", claims->name,
                 QD_JOIN_NAME_BYTES_MAX);
        return false;
    }
    if (claims->patterns[0] != '\0' && !are_words(claims->patterns)) {
        snprintf(error, error_size,
                 "the room patterns are '%.80s'; must have one space between them. Write * for a space of a name",
                 claims->patterns);
        return false;
    }
    return true;
}

bool qd_join_token_mint(const qd_join_claims *claims, const char *secret, char text[QD_TOKEN_BYTES_MAX + 1],
                        char *error, size_t error_size)
{
    char words[QD_JOIN_CLAIMS_BYTES_MAX + 1];
    uint8_t signature[SIGNATURE_BYTES];

    if (!check_claims(claims, error, error_size)) {
        return false;
    }
    const int size =
        snprintf(words, sizeof words, "%s %s %" PRIu64 " %s%s%s", claims->key, claims->name, claims->expires_s,
                 qd_role_name(claims->role), claims->patterns[0] != '\0' ? " " : "", claims->patterns);
    if (size < 0 || (size_t)size >= sizeof words) {
        snprintf(
            error, error_size,
            "the claims have %d bytes; must have at most %u, so that Hello carries the token. Shorten the name, or "
            "name fewer rooms",
            size, QD_JOIN_CLAIMS_BYTES_MAX);
        return false;
    }
    memcpy(text, QD_JOIN_PREFIX, PREFIX_BYTES);
    qd_base64url_write((const uint8_t *)words, (size_t)size, text + PREFIX_BYTES);
    char *point = text + strlen(text);
    if (!sign(text, (size_t)(point - text), secret, signature)) {
        snprintf(error, error_size, "OpenSSL has no memory for the signature");
        return false;
    }
    *point = '.';
    qd_base64url_write(signature, sizeof signature, point + 1);
    return true;
}

bool qd_join_key_check(const char *id, const char *secret, char *error, size_t error_size)
{
    const size_t size = strlen(secret);

    if (!is_word(id, QD_JOIN_KEY_BYTES_MAX)) {
        snprintf(error, error_size,
                 "the id of a key has %zu bytes; must have 1 to %u, none of them a control character", strlen(id),
                 QD_JOIN_KEY_BYTES_MAX);
        return false;
    }
    if (size < QD_JOIN_SECRET_BYTES_MIN || size > QD_JOIN_SECRET_BYTES_MAX) {
        snprintf(
            error, error_size,
            "the secret of the key %s has %zu bytes; must have %u to %u. Make one: head -c 32 /dev/urandom | base64",
            id, size, QD_JOIN_SECRET_BYTES_MIN, QD_JOIN_SECRET_BYTES_MAX);
        return false;
    }
    return true;
}

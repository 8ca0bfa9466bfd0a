/* SPDX-License-Identifier: Apache-2.0
 *
 * Join tokens: what is minted is read again, what is changed is refused, and each mistake is named.
 */
#include "proto/token/join_token.h"

#include <inttypes.h>
#include <string.h>

#include "proto/token/base64url.h"
#include "tests/support/test.h"

#define SECRET "0123456789abcdef0123456789abcdef"

static char error[300];

static const qd_join_claims claims_of_gateway = {
    .key = "k1", .name = "gateway-7", .expires_s = 1764180000, .role = QD_ROLE_WRITER, .patterns = "match-* lobby"};

/* From Python's hmac and base64. */
static const char token_of_gateway[] =
    "qj1.azEgZ2F0ZXdheS03IDE3NjQxODAwMDAgd3JpdGVyIG1hdGNoLSogbG9iYnk.VULOOvmW9LpE19zG7O4TKL2vRPYUTX7_UH32ikW0aY4";

static void mint(const qd_join_claims *claims, char text[QD_TOKEN_BYTES_MAX + 1])
{
    if (!qd_join_token_mint(claims, SECRET, text, error, sizeof error)) {
        fail_msg("%s", error);
    }
}

/* A token with these claims and a signature of zeros. */
static const char *with_claims(const char *words)
{
    static char text[600];

    memcpy(text, QD_JOIN_PREFIX, sizeof QD_JOIN_PREFIX);
    qd_base64url_write((const uint8_t *)words, strlen(words), text + strlen(text));
    strcat(text, ".AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
    return text;
}

/* ---- tokens ---- */

TEST(minted_token_is_that_of_other_programs)
{
    char text[QD_TOKEN_BYTES_MAX + 1];

    mint(&claims_of_gateway, text);
    assert_string_equal(text, token_of_gateway);
}

TEST(minted_token_is_read_again)
{
    static const qd_join_claims rows[] = {
        {"k1", "a", 1, QD_ROLE_READER, ""},
        {"0123456789abcdef0123456789abcdef", "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
         999999999999, QD_ROLE_ADMIN, "*"},
        {"\xc3\xa4", "b.c@d/e", 1764180000, QD_ROLE_WRITER, "a b* *c d*e \xe2\x82\xac"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[QD_TOKEN_BYTES_MAX + 1];
        qd_join_token token;

        mint(&rows[i], text);
        assert_true(qd_join_token_parse(text, &token));
        assert_int_equal(qd_join_token_check(text, SECRET), QD_JOIN_VALID);
        assert_string_equal(token.claims.key, rows[i].key);
        assert_string_equal(token.claims.name, rows[i].name);
        assert_int_equal(token.claims.expires_s, rows[i].expires_s);
        assert_int_equal(token.claims.role, rows[i].role);
        assert_string_equal(token.claims.patterns, rows[i].patterns);
    }
}

static bool is_accepted(const char *text)
{
    qd_join_token token;

    return qd_join_token_parse(text, &token) && qd_join_token_check(text, SECRET) == QD_JOIN_VALID;
}

TEST(token_with_any_byte_changed_is_refused)
{
    char text[sizeof token_of_gateway];

    assert_true(is_accepted(token_of_gateway));
    for (size_t at = 0; at < sizeof text - 1; at++) {
        memcpy(text, token_of_gateway, sizeof text);
        for (unsigned difference = 1; difference < 256; difference++) {
            text[at] = (char)((unsigned char)token_of_gateway[at] ^ difference);
            if (is_accepted(text)) {
                fail_msg("byte %zu may be changed by %02x: %s", at, difference, text);
            }
        }
    }
}

TEST(token_cut_or_extended_anywhere_is_refused)
{
    char text[sizeof token_of_gateway + 1];

    for (size_t size = 0; size < sizeof token_of_gateway - 1; size++) {
        memcpy(text, token_of_gateway, size);
        text[size] = '\0';
        assert_false(is_accepted(text));
        /* One byte twice. */
        memcpy(text + size, token_of_gateway + size - (size > 0), sizeof token_of_gateway - size + (size > 0));
        assert_true(size == 0 || !is_accepted(text));
    }
    snprintf(text, sizeof text, "%sA", token_of_gateway);
    assert_false(is_accepted(text));
}

TEST(token_of_another_secret_is_refused)
{
    assert_int_equal(qd_join_token_check(token_of_gateway, SECRET), QD_JOIN_VALID);
    assert_int_equal(qd_join_token_check(token_of_gateway, SECRET "0"), QD_JOIN_INVALID);
    assert_int_equal(qd_join_token_check(token_of_gateway, "1123456789abcdef0123456789abcdef"), QD_JOIN_INVALID);
    assert_int_equal(qd_join_token_check("plain", SECRET), QD_JOIN_INVALID);
}

TEST(text_that_is_no_join_token_is_refused)
{
    static const char *const words[] = {
        "",
        "k",
        "k n",
        "k n 5",
        " k n 5 reader",
        "k  n 5 reader",
        "k n 5 reader ",
        "k n 5 reader  a",
        "k n 5 owner",
        "k n 5 Reader",
        "k n 05 reader",
        "k n -5 reader",
        "k n 5s reader",
        "k n 1000000000000 reader",
        "k n x reader",
        "k\tn 5 reader a",
        "k n 5 reader a\n",
        "k n 5 reader a\x7f",
        "0123456789abcdef0123456789abcdef0 n 5 reader",
        "k 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0 5 reader",
    };
    qd_join_token token;

    assert_true(qd_join_token_parse(with_claims("k n 5 reader"), &token));
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (qd_join_token_parse(with_claims(words[i]), &token)) {
            fail_msg("accepted: '%s'", words[i]);
        }
    }
    /* A zero within the claims, and letters that no encoder writes. */
    assert_false(qd_join_token_parse("qj1.ayBuIDUgcmVhZGVyAA.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", &token));
    assert_false(qd_join_token_parse("qj1.ayBuIDUgcmVhZGVy.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB", &token));
}

/* ---- minting ---- */

static void assert_unmintable(const qd_join_claims *claims, const char *expected)
{
    char text[QD_TOKEN_BYTES_MAX + 1];

    assert_false(qd_join_token_mint(claims, SECRET, text, error, sizeof error));
    assert_string_equal(error, expected);
}

TEST(claims_that_no_token_can_carry_are_refused)
{
    qd_join_claims claims = claims_of_gateway;
    char patterns[QD_JOIN_CLAIMS_BYTES_MAX];

    claims.name = "gate way";
    assert_unmintable(&claims, "the name is 'gate way'; must be 1 to 64 bytes without spaces");
    claims.name = "";
    assert_unmintable(&claims, "the name is ''; must be 1 to 64 bytes without spaces");
    claims = claims_of_gateway;
    claims.key = "0123456789abcdef0123456789abcdef0";
    assert_unmintable(&claims, "the key's id is '0123456789abcdef0123456789abcdef0'; must be 1 to 32 bytes without "
                               "spaces");
    claims = claims_of_gateway;
    claims.patterns = "a  b";
    assert_unmintable(&claims, "the room patterns are 'a  b'; must have one space between them. Write * for a space of "
                               "a name");
    memset(patterns, 'x', sizeof patterns);
    patterns[sizeof patterns - 1] = '\0';
    claims.patterns = patterns;
    assert_unmintable(&claims, "the claims have 186 bytes; must have at most 156, so that Hello carries the token. "
                               "Shorten the name, or name fewer rooms");
    /* The longest is read again. */
    char text[QD_TOKEN_BYTES_MAX + 1];
    patterns[sizeof patterns - 1 - (186 - 156)] = '\0';
    mint(&claims, text);
    assert_int_equal(strlen(text), QD_TOKEN_BYTES_MAX);
    assert_true(is_accepted(text));
}

TEST(weak_keys_are_refused_without_their_secret)
{
    assert_true(qd_join_key_check("k1", SECRET, error, sizeof error));
    assert_false(qd_join_key_check("k1", "short", error, sizeof error));
    assert_string_equal(error, "the secret of the key k1 has 5 bytes; must have 32 to 128. Make one: head -c 32 "
                               "/dev/urandom | base64");
    assert_false(qd_join_key_check("", SECRET, error, sizeof error));
    assert_string_equal(error, "the id of a key has 0 bytes; must have 1 to 32, none of them a control character");
}

TEST(roles_have_names)
{
    for (unsigned i = QD_ROLE_READER; i <= QD_ROLE_ADMIN; i++) {
        qd_role role;

        assert_true(qd_role_parse(qd_role_name((qd_role)i), &role));
        assert_int_equal(role, i);
        assert_false(qd_role_parse("owner", &role));
    }
}

/* ---- letters ---- */

TEST(bytes_have_one_text)
{
    static const struct {
        const char *bytes, *text;
    } rows[] = {{"", ""},           {"f", "Zg"},          {"fo", "Zm8"},          {"foo", "Zm9v"},
                {"foob", "Zm9vYg"}, {"fooba", "Zm9vYmE"}, {"foobar", "Zm9vYmFy"}, {"\xfb\xff", "-_8"}};
    static const char *const faulty[] = {"Z", "Zg=", "Zg==", "Zh", "Zm9", "Zm9vY", "Zm+v", "Zm/v", "Zm v", "\xff\xff"};
    uint8_t bytes[8];
    char text[16];
    size_t size;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        qd_base64url_write((const uint8_t *)rows[i].bytes, strlen(rows[i].bytes), text);
        assert_string_equal(text, rows[i].text);
        assert_int_equal(strlen(text), QD_BASE64URL_LETTERS(strlen(rows[i].bytes)));
        assert_true(qd_base64url_read(text, strlen(text), bytes, sizeof bytes, &size));
        assert_int_equal(size, strlen(rows[i].bytes));
        assert_memory_equal(bytes, rows[i].bytes, size);
    }
    for (size_t i = 0; i < sizeof faulty / sizeof faulty[0]; i++) {
        if (qd_base64url_read(faulty[i], strlen(faulty[i]), bytes, sizeof bytes, &size)) {
            fail_msg("accepted: %s", faulty[i]);
        }
    }
    assert_false(qd_base64url_read("Zm9v", 4, bytes, 2, &size));
    assert_false(qd_base64url_read("Zm\0v", 4, bytes, sizeof bytes, &size));
}

TEST_MAIN()

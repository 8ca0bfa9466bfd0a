/* SPDX-License-Identifier: Apache-2.0
 *
 * What a join token allows: never more than its key, never after its time, and nothing without its signature.
 */
#include "server/session/check/join_grant.h"

#include <string.h>

#include "tests/support/test.h"

#define SECRET       "0123456789abcdef0123456789abcdef"
#define OTHER_SECRET "another-secret-of-thirty-two-byte"
#define NOW_S        UINT64_C(1764180000)

static qd_grant grants[] = {
    {.token = "plain", .role = QD_ROLE_ADMIN, .patterns = ""},
    {.token = "key:k1", .role = QD_ROLE_WRITER, .patterns = "match-* lobby", .secret = SECRET},
    {.token = "key:k2", .role = QD_ROLE_ADMIN, .patterns = "", .secret = OTHER_SECRET},
};
static const qd_tokens tokens = {.references = 1, .grants = grants, .count = 3};

static qd_fault fault;

/* The grant of a token of "a" that is signed with that secret. */
static qd_join_grant *join(const char *secret, const char *key, uint64_t expires_s, qd_role role, const char *patterns)
{
    const qd_join_claims claims = {.key = key, .name = "a", .expires_s = expires_s, .role = role, .patterns = patterns};
    char text[QD_TOKEN_BYTES_MAX + 1], error[300];

    if (!qd_join_token_mint(&claims, secret, text, error, sizeof error)) {
        fail_msg("%s", error);
    }
    fault = (qd_fault){.code = QD_ERROR_NONE};
    return qd_join_grant_create(&tokens, text, NOW_S, &fault);
}

static void assert_refused(qd_join_grant *joined, const char *text)
{
    assert_null(joined);
    assert_int_equal(fault.code, QD_ERROR_UNAUTHENTICATED);
    assert_string_equal(fault.text, text);
}

#define UNKNOWN                                                                                                        \
    "the token is unknown to the server; must be one of its --token-file, or signed with a key of that. Send such a "  \
    "token in Hello"

TEST(token_allows_what_it_and_its_key_allow)
{
    qd_join_grant *joined = join(SECRET, "k1", NOW_S + 1, QD_ROLE_READER, "*-7 hall lobby");

    assert_non_null(joined);
    assert_string_equal(joined->grant.token, "key:k1 a");
    assert_int_equal(joined->grant.role, QD_ROLE_READER);
    assert_ptr_equal(qd_grant_line(&joined->grant), &grants[1]);
    assert_int_equal(joined->expires_s, NOW_S + 1);
    assert_true(qd_grant_has_room(&joined->grant, "match-7"));
    assert_true(qd_grant_has_room(&joined->grant, "lobby"));
    assert_false(qd_grant_has_room(&joined->grant, "match-8"));
    assert_false(qd_grant_has_room(&joined->grant, "hall"));
    qd_join_grant_destroy(joined);
    /* Without patterns of its own, it is for all rooms of its key. */
    joined = join(SECRET, "k1", NOW_S + 1, QD_ROLE_WRITER, "");
    assert_true(qd_grant_has_room(&joined->grant, "match-8"));
    assert_false(qd_grant_has_room(&joined->grant, "hall"));
    qd_join_grant_destroy(joined);
}

TEST(longest_names_have_a_holder)
{
    static qd_grant key = {
        .token = "key:0123456789abcdef0123456789abcdef", .role = QD_ROLE_WRITER, .patterns = "", .secret = SECRET};
    const qd_tokens one = {.references = 1, .grants = &key, .count = 1};
    const char *name = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    char text[QD_TOKEN_BYTES_MAX + 1], error[300], holder[200];

    assert_true(qd_join_token_mint(&(qd_join_claims){.key = key.token + strlen(QD_KEY_PREFIX),
                                                     .name = name,
                                                     .expires_s = NOW_S + 1,
                                                     .role = QD_ROLE_WRITER,
                                                     .patterns = ""},
                                   SECRET, text, error, sizeof error));
    qd_join_grant *joined = qd_join_grant_create(&one, text, NOW_S, &fault);
    assert_non_null(joined);
    snprintf(holder, sizeof holder, "%s %s", key.token, name);
    assert_string_equal(joined->grant.token, holder);
    qd_join_grant_destroy(joined);
}

TEST(token_without_a_valid_signature_is_unknown)
{
    assert_refused(join(OTHER_SECRET, "k1", NOW_S + 1, QD_ROLE_WRITER, ""), UNKNOWN);
    assert_refused(join(SECRET, "k2", NOW_S + 1, QD_ROLE_WRITER, ""), UNKNOWN);
    assert_refused(join(SECRET, "k3", NOW_S + 1, QD_ROLE_WRITER, ""), UNKNOWN);
    assert_refused(join(SECRET, "plain", NOW_S + 1, QD_ROLE_WRITER, ""), UNKNOWN);
    /* Without a signature, nobody learns that a token has expired. */
    assert_refused(join(OTHER_SECRET, "k1", 1, QD_ROLE_WRITER, ""), UNKNOWN);
    fault = (qd_fault){.code = QD_ERROR_NONE};
    assert_refused(qd_join_grant_create(&tokens, "key:k1", NOW_S, &fault), UNKNOWN);
    assert_refused(qd_join_grant_create(&tokens, "", NOW_S, &fault), UNKNOWN);
}

TEST(token_ends_with_its_second)
{
    qd_join_grant_destroy(join(SECRET, "k1", NOW_S + 1, QD_ROLE_WRITER, ""));
    assert_int_equal(fault.code, QD_ERROR_NONE);
    assert_refused(join(SECRET, "k1", NOW_S, QD_ROLE_WRITER, ""),
                   "the token expired at 1764180000, and it is 1764180000 (Unix time); must expire later. Mint a new "
                   "token");
}

TEST(token_has_at_most_the_role_of_its_key)
{
    assert_refused(join(SECRET, "k1", NOW_S + 1, QD_ROLE_ADMIN, ""),
                   "the token's role is admin; must be at most writer, the role of its key. Mint one with that role");
    qd_join_grant *joined = join(OTHER_SECRET, "k2", NOW_S + 1, QD_ROLE_ADMIN, "");
    assert_non_null(joined);
    assert_int_equal(joined->grant.role, QD_ROLE_ADMIN);
    qd_join_grant_destroy(joined);
}

TEST_MAIN()

/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/session/check/token_file.h"
#include "tests/support/test.h"

static char path[64], error[300];

static void write_file(const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    fclose(file);
    assert_int_equal(chmod(path, 0600), 0);
}

static int setup(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "tokens-%ld.txt", (long)getpid());
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    return unlink(path);
}

static qd_tokens *read_tokens(const char *text)
{
    write_file(text);
    qd_tokens *tokens = qd_tokens_read(path, error, sizeof error);
    if (tokens == NULL) {
        fail_msg("%s", error);
    }
    return tokens;
}

TEST(lines_without_a_role_are_writers_of_all_rooms)
{
    qd_tokens *tokens = read_tokens("# who may come in\n\nalpha\n  beta \t\r\n#delta\nlast");
    const char *known[] = {"alpha", "beta", "last"};

    assert_int_equal(tokens->count, 3);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const qd_grant *grant = qd_tokens_find(tokens, known[i]);

        assert_non_null(grant);
        assert_int_equal(grant->role, QD_ROLE_WRITER);
        assert_true(qd_grant_has_room(grant, "any room"));
    }
    const char *others[] = {"", "alph", "alphaa", "alphaalpha", "Alpha", "#delta", "delta", " alpha", "bet"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_null(qd_tokens_find(tokens, others[i]));
    }
    qd_tokens_release(tokens);
}

TEST(line_names_role_and_rooms)
{
    qd_tokens *tokens = read_tokens("ops admin\nviewer\treader  lobby   match-*\ngame writer match-*\n");
    const qd_grant *viewer = qd_tokens_find(tokens, "viewer"), *game = qd_tokens_find(tokens, "game");

    assert_int_equal(qd_tokens_find(tokens, "ops")->role, QD_ROLE_ADMIN);
    assert_int_equal(viewer->role, QD_ROLE_READER);
    assert_string_equal(viewer->patterns, "lobby match-*");
    assert_true(qd_grant_has_room(viewer, "lobby"));
    assert_true(qd_grant_has_room(viewer, "match-7"));
    assert_false(qd_grant_has_room(viewer, "lobby2"));
    assert_false(qd_grant_has_room(game, "lobby"));
    assert_false(qd_grant_same(viewer, game));
    assert_false(qd_grant_same(viewer, NULL));
    qd_tokens *again = read_tokens("viewer reader lobby match-*\ngame reader match-*\n");
    assert_true(qd_grant_same(viewer, qd_tokens_find(again, "viewer")));
    assert_false(qd_grant_same(game, qd_tokens_find(again, "game")));
    qd_tokens_release(again);
    qd_tokens_release(tokens);
}

#define SECRET "0123456789abcdef0123456789abcdef"

TEST(key_is_found_by_its_id_and_is_no_token)
{
    qd_tokens *tokens = read_tokens("key:k1 " SECRET "\nkey:k2\t" SECRET " admin match-* lobby\nplain\n");
    const qd_grant *first = qd_tokens_find_key(tokens, "k1"), *second = qd_tokens_find_key(tokens, "k2");

    assert_int_equal(tokens->count, 3);
    assert_string_equal(first->token, "key:k1");
    assert_string_equal(first->secret, SECRET);
    assert_int_equal(first->role, QD_ROLE_WRITER);
    assert_string_equal(first->patterns, "");
    assert_int_equal(second->role, QD_ROLE_ADMIN);
    assert_string_equal(second->patterns, "match-* lobby");
    const char *others[] = {"key:k1", "k1", SECRET, "key:k1 " SECRET};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_null(qd_tokens_find(tokens, others[i]));
    }
    const char *ids[] = {"", "k", "k11", "key:k1", "plain", "K1"};
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        assert_null(qd_tokens_find_key(tokens, ids[i]));
    }
    qd_tokens_release(tokens);
}

TEST(line_is_kept_if_nothing_of_it_changes)
{
    qd_tokens *before = read_tokens("key:k1 " SECRET " writer a*\nplain reader b\n");
    const qd_grant *key = qd_tokens_find_key(before, "k1");
    const qd_grant joined = {.token = "key:k1 name", .role = QD_ROLE_READER, .patterns = "a1", .key = key};

    static const struct {
        const char *file;
        bool key, plain;
    } rows[] = {
        {"plain reader b\nkey:k2 " SECRET "\nkey:k1 " SECRET " writer a*\n", true, true},
        {"key:k1 " SECRET " writer a*\nplain reader c\n", true, false},
        {"key:k1 " SECRET " reader a*\nplain reader b\n", false, true},
        {"key:k1 " SECRET " writer a* b\nplain reader b\n", false, true},
        {"key:k1 " SECRET "0 writer a*\nplain reader b\n", false, true},
        {"key:k2 " SECRET " writer a*\nplain reader b\n", false, true},
        {"k1 writer a*\nplain writer b\n", false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        qd_tokens *after = read_tokens(rows[i].file);

        assert_int_equal(qd_tokens_have_line(after, key), rows[i].key);
        assert_int_equal(qd_tokens_have_line(after, &joined), rows[i].key);
        assert_int_equal(qd_tokens_have_line(after, qd_tokens_find(before, "plain")), rows[i].plain);
        qd_tokens_release(after);
    }
    qd_tokens_release(before);
}

TEST(star_stands_for_any_characters)
{
    static const struct {
        const char *patterns, *name;
        bool matches;
    } rows[] = {
        {"*", "", true},
        {"*", "a b", true},
        {"a*", "a", true},
        {"a*", "ba", false},
        {"*a", "aba", true},
        {"*a", "ab", false},
        {"a*b*c", "aXbYbZc", true},
        {"a*b*c", "acb", false},
        {"a**b", "ab", true},
        {"a b", "a b", false}, /* two patterns */
        {"a b", "b", true},
        {"ab c", "a", false},
        {"a ab*", "abc", true},
        {"match-*-eu", "match-1-us", false},
        {"match-*-eu", "match-1-eu-eu", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const qd_grant grant = {.token = "t", .role = QD_ROLE_WRITER, .patterns = rows[i].patterns};

        if (qd_grant_has_room(&grant, rows[i].name) != rows[i].matches) {
            fail_msg("'%s' and '%s'", rows[i].patterns, rows[i].name);
        }
    }
}

static void assert_refused(const char *text, const char *format)
{
    char expected[400];

    write_file(text);
    assert_null(qd_tokens_read(path, error, sizeof error));
    snprintf(expected, sizeof expected, format, path);
    assert_string_equal(error, expected);
}

TEST(faulty_token_file_is_refused)
{
    char line[300];

    assert_refused("# nobody\n", "%s has no token; must have at least one. Write one per line");
    memset(line, 'x', 257);
    line[257] = '\0';
    assert_refused(line, "line 1 of %s: the token has 257 bytes; must have at most 256");
    assert_refused("a\nb secret\n", "line 2 of %s: the word behind the token is no role; must be admin, writer or "
                                    "reader. A token has no spaces");
    assert_refused("a\n\na reader\n",
                   "line 3 of %s: an earlier line has the same token; must be in one line. Leave one out");
    assert_refused("key:k1\n", "line 1 of %s: the secret of the key k1 has 0 bytes; must have 32 to 128. Make one: "
                               "head -c 32 /dev/urandom | base64");
    assert_refused("key:k1 writer\n", "line 1 of %s: the secret of the key k1 has 6 bytes; must have 32 to 128. Make "
                                      "one: head -c 32 /dev/urandom | base64");
    assert_refused("key: " SECRET "\n",
                   "line 1 of %s: the id of a key has 0 bytes; must have 1 to 32, none of them a control character");
    assert_refused("key:k1 " SECRET "\nkey:k1 " SECRET "1\n",
                   "line 2 of %s: an earlier line has the key k1, too; must be in one line. Give one another id");
    assert_refused("key:k1 " SECRET " owner\n", "line 1 of %s: the word behind the token is no role; must be admin, "
                                                "writer or reader. A token has no spaces");
    assert_null(qd_tokens_read("no-such-file", error, sizeof error));
    assert_string_equal(error, "no-such-file cannot be read: No such file or directory");
}

TEST(file_that_others_may_read_is_refused)
{
    static const mode_t modes[] = {0644, 0604, 0640, 0620, 0602, 0601};
    char expected[400];

    write_file("alpha\n");
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        assert_int_equal(chmod(path, modes[i]), 0);
        assert_null(qd_tokens_read(path, error, sizeof error));
        snprintf(expected, sizeof expected,
                 "%s has the mode %03o; must not be readable by other users. Run chmod 600 %s", path,
                 (unsigned)modes[i], path);
        assert_string_equal(error, expected);
    }
    if (geteuid() != 0) {
        return;
    }
    /* Of another owner, the process reads it through its group. */
    assert_int_equal(chown(path, 1, (gid_t)-1), 0);
    assert_int_equal(chmod(path, 0640), 0);
    qd_tokens *tokens = qd_tokens_read(path, error, sizeof error);
    assert_non_null(tokens);
    qd_tokens_release(tokens);
    assert_int_equal(chmod(path, 0660), 0);
    assert_null(qd_tokens_read(path, error, sizeof error));
}

TEST_MAIN_WITH(setup, teardown)

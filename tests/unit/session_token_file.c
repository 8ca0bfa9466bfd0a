/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
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

TEST(token_file_is_read_by_lines)
{
    qd_tokens tokens;

    write_file("# who may come in\n\nalpha\n  beta gamma \t\r\n#delta\nlast");
    assert_int_equal(qd_tokens_read(path, &tokens, error, sizeof error), QD_OK);
    assert_int_equal(tokens.count, 3);
    assert_true(qd_tokens_contain(&tokens, "alpha"));
    assert_true(qd_tokens_contain(&tokens, "beta gamma"));
    assert_true(qd_tokens_contain(&tokens, "last"));
    const char *others[] = {"", "alph", "alphaa", "alphaalpha", "Alpha", "#delta", "delta", " alpha", "beta"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_false(qd_tokens_contain(&tokens, others[i]));
    }
    qd_tokens_deinit(&tokens);
}

TEST(faulty_token_file_is_refused)
{
    qd_tokens tokens;
    char expected[400], line[300];

    write_file("# nobody\n");
    assert_int_equal(qd_tokens_read(path, &tokens, error, sizeof error), QD_ERR_INVALID);
    snprintf(expected, sizeof expected, "%s: no token in it: write one a line", path);
    assert_string_equal(error, expected);

    memset(line, 'x', 257);
    line[257] = '\0';
    write_file(line);
    assert_int_equal(qd_tokens_read(path, &tokens, error, sizeof error), QD_ERR_INVALID);
    snprintf(expected, sizeof expected, "%s: the token in line 1 has 257 bytes: at most 256", path);
    assert_string_equal(error, expected);

    assert_int_equal(qd_tokens_read("no-such-file", &tokens, error, sizeof error), QD_ERR_SYSTEM);
    assert_string_equal(error, "no-such-file: No such file or directory");
}

TEST_MAIN_WITH(setup, teardown)

/* SPDX-License-Identifier: Apache-2.0
 *
 * Text of a server on a terminal and in JSON: nothing in it moves the cursor, turns text around or hides.
 */
#include <stdlib.h>
#include <string.h>

#include "client/tools/plain.h"
#include "tests/support/test.h"

static const struct {
    const char *text, *plain, *json;
} rows[] = {
    {"", "", "\"\""},
    {"arena 7", "arena 7", "\"arena 7\""},
    {"say \"hi\"\\", "say \"hi\"\\", "\"say \\\"hi\\\"\\\\\""},
    {"\xc3\xa4\xe2\x82\xac\xf0\x9f\x8e\xb2", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x8e\xb2",
     "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x8e\xb2\""},
    /* C0, DEL, C1 */
    {"\x1b[2J\r\n", "\\u001b[2J\\u000d\\u000a", "\"\\u001b[2J\\u000d\\u000a\""},
    {"a\x7f\xc2\x9b", "a\\u007f\\u009b", "\"a\\u007f\\u009b\""},
    /* bidirectional controls, a separator, zero-width characters, a tag */
    {"\xe2\x80\xae\xe2\x81\xa6\xd8\x9c", "\\u202e\\u2066\\u061c", "\"\\u202e\\u2066\\u061c\""},
    {"\xe2\x80\xa8", "\\u2028", "\"\\u2028\""},
    {"a\xe2\x80\x8b\xef\xbb\xbf", "a\\u200b\\ufeff", "\"a\\u200b\\ufeff\""},
    {"\xf3\xa0\x81\x81", "\\U000e0041", "\"\\udb40\\udc41\""},
    /* no UTF-8: C1 as a byte, cut, overlong, a surrogate */
    {"\x9b", "\\x9b", "\"\\ufffd\""},
    {"\xe2\x80", "\\xe2\\x80", "\"\\ufffd\\ufffd\""},
    {"\xc0\x9b", "\\xc0\\x9b", "\"\\ufffd\\ufffd\""},
    {"\xed\xa0\x80", "\\xed\\xa0\\x80", "\"\\ufffd\\ufffd\\ufffd\""},
};

static void expect_printed(void (*print)(FILE *file, const char *text), const char *text, const char *expected)
{
    char *printed = NULL;
    size_t size;
    FILE *file = open_memstream(&printed, &size);

    assert_non_null(file);
    print(file, text);
    fclose(file);
    assert_string_equal(printed, expected);
    free(printed);
}

TEST(peculiar_characters_are_escaped)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char name[QD_PLAIN_NAME_SIZE];

        expect_printed(qd_plain_print, rows[i].text, rows[i].plain);
        expect_printed(qd_plain_print_json, rows[i].text, rows[i].json);
        assert_string_equal(qd_plain(name, sizeof name, rows[i].text), rows[i].plain);
    }
}

TEST(long_text_is_cut_between_characters)
{
    char short_text[8];

    assert_string_equal(qd_plain(short_text, sizeof short_text, "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"),
                        "\xc3\xa4\xc3\xa4\xc3\xa4");
    assert_string_equal(qd_plain(short_text, sizeof short_text, "ab\x1b"), "ab");
}

TEST_MAIN()

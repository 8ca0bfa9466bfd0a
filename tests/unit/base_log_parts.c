/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of the log: lines that no value can forge, the ring, and the limits on floods.
 */
#include <string.h>

#include "server/base/log/flood.h"
#include "server/base/log/line.h"
#include "server/base/log/ring.h"
#include "tests/support/test.h"

/* ---- lines ---- */

#define TIME_TEXT "2026-01-31T12:00:00.250Z"

static const struct timespec noon = {.tv_sec = 1769860800, .tv_nsec = 250999999};

static const char *line_of(qd_log_format format, const char *value)
{
    static char line[QD_LOG_LINE_BYTES_MAX + 1];
    const qd_log_field fields[] = {
        {.name = "client", .text = value}, {.name = "count", .number = UINT64_MAX}, {.name = NULL}};
    size_t size = qd_log_line(line, format, &noon, QD_LOG_WARN, "hello", fields);

    line[size] = '\0';
    return line;
}

TEST(text_value_cannot_forge_a_field)
{
    static const struct {
        const char *value, *written;
    } rows[] = {
        {"web-3/1.0", "web-3/1.0"},
        {"", "\"\""},
        {"a b", "\"a b\""},
        {"a\" admin=1", "\"a\\\" admin=1\""},
        {"a\\", "\"a\\\\\""},
        {"a=1", "\"a=1\""},
        {"a\n" TIME_TEXT " error b\r\x1b[2J\x7f\xc3\xa9\t",
         "\"a\\x0a" TIME_TEXT " error b\\x0d\\x1b[2J\\x7f\\xc3\\xa9\\x09\""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char expected[256];

        snprintf(expected, sizeof expected, TIME_TEXT " warn  hello client=%s count=18446744073709551615\n",
                 rows[i].written);
        assert_string_equal(line_of(QD_LOG_FORMAT_TEXT, rows[i].value), expected);
    }
}

TEST(json_line_is_valid_whatever_the_bytes)
{
    static const struct {
        const char *value, *written;
    } rows[] = {
        {"web-3/1.0", "web-3/1.0"},
        {"", ""},
        {"a\",\"admin\":1", "a\\\",\\\"admin\\\":1"},
        {"a\\", "a\\\\"},
        {"\n\x1b\x7f", "\\u000a\\u001b\\u007f"},
        {"\xc3\xa9\xe2\x80\xae", "\\u00e9\\u202e"},
        {"\xf0\x9f\x98\x80", "\\ud83d\\ude00"},
        /* cut, overlong, a surrogate, beyond U+10FFFF, no lead */
        {"\xc3", "\\ufffd"},
        {"\xc0\xaf", "\\ufffd\\ufffd"},
        {"\xed\xa0\x80", "\\ufffd\\ufffd\\ufffd"},
        {"\xf4\x90\x80\x80", "\\ufffd\\ufffd\\ufffd\\ufffd"},
        {"\x80z", "\\ufffdz"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char expected[256];

        snprintf(expected, sizeof expected,
                 "{\"time\":\"" TIME_TEXT "\",\"level\":\"warn\",\"message\":\"hello\",\"client\":\"%s\","
                 "\"count\":18446744073709551615}\n",
                 rows[i].written);
        assert_string_equal(line_of(QD_LOG_FORMAT_JSON, rows[i].value), expected);
    }
}

/* The worst value: each byte takes six. */
TEST(long_value_is_cut_and_marked)
{
    static char value[100001];
    const char *ends[] = {"...\" count=18446744073709551615\n", "...\",\"count\":18446744073709551615}\n"};

    memset(value, '\n', sizeof value - 1);
    for (int format = QD_LOG_FORMAT_TEXT; format <= QD_LOG_FORMAT_JSON; format++) {
        const char *line = line_of((qd_log_format)format, value), *end = ends[format];

        assert_in_range(strlen(line), 4 * QD_LOG_VALUE_BYTES_MAX, QD_LOG_LINE_BYTES_MAX);
        assert_string_equal(line + strlen(line) - strlen(end), end);
    }
    memset(value, 'a', sizeof value - 1);
    value[QD_LOG_VALUE_BYTES_MAX] = '\0';
    assert_null(strstr(line_of(QD_LOG_FORMAT_TEXT, value), "..."));
}

TEST(line_without_room_leaves_out_fields_and_stays_whole)
{
    static char line[QD_LOG_LINE_BYTES_MAX + 1], value[QD_LOG_VALUE_BYTES_MAX + 1];
    qd_log_field fields[17] = {{.name = NULL}};

    memset(value, '\n', sizeof value - 1);
    for (size_t i = 0; i < 16; i++) {
        fields[i] = (qd_log_field){.name = "value", .text = value};
    }
    for (int format = QD_LOG_FORMAT_TEXT; format <= QD_LOG_FORMAT_JSON; format++) {
        size_t size = qd_log_line(line, (qd_log_format)format, &noon, QD_LOG_ERROR, "hello", fields);

        assert_true(size <= QD_LOG_LINE_BYTES_MAX);
        line[size] = '\0';
        const char *end = format == QD_LOG_FORMAT_JSON ? "\"}\n" : "\"\n";
        assert_string_equal(line + size - strlen(end), end);
    }
}

TEST(levels_have_names)
{
    qd_log_level level;

    assert_true(qd_log_level_of("debug", &level));
    assert_int_equal(level, QD_LOG_DEBUG);
    assert_true(qd_log_level_of("error", &level));
    assert_int_equal(level, QD_LOG_ERROR);
    assert_false(qd_log_level_of("Error", &level));
    assert_false(qd_log_level_of("", &level));
}

/* ---- the ring ---- */

static qd_log_ring ring;

/* Reads all that is in the ring, in pieces of at most `piece_max` bytes. */
static size_t drain(char *out, size_t piece_max)
{
    const char *bytes;
    size_t size, total = 0;

    while ((size = qd_log_ring_peek(&ring, &bytes)) > 0) {
        size = size < piece_max ? size : piece_max;
        memcpy(out + total, bytes, size);
        qd_log_ring_pop(&ring, size);
        total += size;
    }
    return total;
}

TEST(ring_keeps_lines_whole_and_in_order)
{
    static char out[QD_LOG_RING_BYTES];
    char line[64], expected[64];
    uint32_t written = 0, read = 0;

    memset(&ring, 0, sizeof ring);
    for (int round = 0; round < 20; round++) { /* several times around */
        for (int i = 0; i < 1000; i++, written++) {
            int size = snprintf(line, sizeof line, "the line with the number %08u\n", written);

            assert_true(qd_log_ring_push(&ring, line, (size_t)size));
        }
        size_t size = drain(out, 777);
        for (size_t at = 0; at < size; read++) {
            snprintf(expected, sizeof expected, "the line with the number %08u\n", read);
            assert_memory_equal(out + at, expected, strlen(expected));
            at += strlen(expected);
        }
    }
    assert_int_equal(read, written);
    assert_int_equal(ring.dropped, 0);
}

TEST(full_ring_counts_what_it_drops)
{
    static const char line[] = "123456789\n";
    uint32_t pushed = 0;

    memset(&ring, 0, sizeof ring);
    while (qd_log_ring_push(&ring, line, 10)) {
        pushed++;
    }
    assert_int_equal(pushed, QD_LOG_RING_BYTES / 10);
    assert_false(qd_log_ring_push(&ring, line, 10));
    assert_int_equal(ring.dropped, 2);
    qd_log_ring_pop(&ring, 10);
    assert_true(qd_log_ring_push(&ring, line, 10));
    qd_log_ring_discard(&ring);
    assert_int_equal(ring.size, 0);
    assert_int_equal(ring.dropped, 2 + pushed);
}

/* ---- floods ---- */

static qd_flood flood;
static const char *const first = "first", *const second = "second";

#define AT(seconds) (UINT64_C(1000000000) * (100 + (seconds)))

static uint32_t admitted(const char *message, const char *peer, uint32_t lines, uint64_t now_ns)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < lines; i++) {
        count += qd_flood_admit(&flood, message, peer, now_ns);
    }
    return count;
}

TEST(each_message_and_address_has_its_own_limit)
{
    memset(&flood, 0, sizeof flood);
    assert_int_equal(admitted(first, "10.0.0.1:1", 7, AT(0)), 7);
    assert_int_equal(admitted(first, "10.0.0.1:2", 7, AT(9)), 3); /* another port */
    assert_int_equal(admitted(first, "10.0.0.2:1", 20, AT(9)), 10);
    assert_int_equal(admitted(second, "10.0.0.1:1", 20, AT(9)), 10);
    assert_int_equal(admitted(first, NULL, 100, AT(9)), QD_FLOOD_MESSAGE_LINES - 20);
    assert_int_equal(admitted(second, NULL, 5, AT(9)), 5);
}

TEST(ipv6_counts_per_network)
{
    memset(&flood, 0, sizeof flood);
    assert_int_equal(admitted(first, "[2001:db8:0:1::1]:1", 6, AT(0)), 6);
    assert_int_equal(admitted(first, "[2001:db8:0:1:ffff::2]:1", 6, AT(0)), 4);
    assert_int_equal(admitted(first, "[2001:db8:0:2::1]:1", 6, AT(0)), 6);
    assert_int_equal(admitted(first, "[::ffff:10.0.0.1]:1", 6, AT(0)), 6);
    assert_int_equal(admitted(first, "[::ffff:10.0.0.2]:1", 6, AT(0)), 6);
}

TEST(report_comes_once_when_the_window_is_over)
{
    qd_flood_report report;

    memset(&flood, 0, sizeof flood);
    admitted(first, "10.0.0.1:1", 25, AT(0));
    assert_false(qd_flood_take(&flood, AT(9), false, &report));
    assert_true(qd_flood_take(&flood, AT(10), false, &report));
    assert_ptr_equal(report.message, first);
    assert_string_equal(report.peer, "10.0.0.1");
    assert_int_equal(report.suppressed, 15);
    assert_false(qd_flood_take(&flood, AT(10), true, &report));
    assert_int_equal(flood.suppressed, 15);
    assert_int_equal(admitted(first, "10.0.0.1:1", 25, AT(11)), 10);
    assert_true(qd_flood_take(&flood, AT(11), true, &report));
    assert_int_equal(report.suppressed, 15);
}

/* However many addresses there are, the log grows no faster than by the limit of each message, and nothing is lost from
 * the counts. */
TEST(many_addresses_share_the_limit_of_the_message)
{
    qd_flood_report report;
    uint32_t lines = 0;
    uint64_t suppressed = 0;

    memset(&flood, 0, sizeof flood);
    for (uint32_t i = 0; i < 20000; i++) {
        char peer[64];

        snprintf(peer, sizeof peer, "10.%u.%u.1:7", i >> 8, i & 255);
        lines += admitted(first, peer, 11, AT(0));
    }
    assert_int_equal(lines, QD_FLOOD_MESSAGE_LINES);
    while (qd_flood_take(&flood, AT(10), false, &report)) {
        suppressed += report.suppressed;
    }
    assert_int_equal(suppressed + lines, 20000 * 11);
    assert_int_equal(flood.pending, 0);
}

TEST_MAIN()

/* SPDX-License-Identifier: Apache-2.0
 *
 * The log: its format, its levels, and that text in an event cannot forge a line.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/base/log.h"
#include "tests/support/test.h"

static char captured[16384];
static FILE *capture_file;
static int stderr_saved;

static void capture_start(void)
{
    capture_file = tmpfile();
    assert_non_null(capture_file);
    stderr_saved = dup(STDERR_FILENO);
    assert_true(stderr_saved >= 0);
    assert_true(dup2(fileno(capture_file), STDERR_FILENO) >= 0);
}

static void capture_stop(void)
{
    dup2(stderr_saved, STDERR_FILENO);
    close(stderr_saved);
    rewind(capture_file);
    size_t size = fread(captured, 1, sizeof captured - 1, capture_file);
    captured[size] = '\0';
    fclose(capture_file);
}

/* Checks a prefix like `2026-01-31T12:00:00.000Z info  `; a 0 in `shape` matches any digit. */
static void assert_prefix(const char *line, const char *level)
{
    const char *shape = "0000-00-00T00:00:00.000Z ";

    for (size_t index = 0; shape[index]; index++) {
        if (shape[index] == '0') {
            assert_in_range(line[index], '0', '9');
        } else {
            assert_int_equal(line[index], shape[index]);
        }
    }
    assert_memory_equal(line + strlen(shape), level, strlen(level));
}

TEST(each_event_is_one_line)
{
    capture_start();
    qd_log(QD_LOG_INFO, "listening address=%s port=%d", "127.0.0.1", 7400);
    qd_log(QD_LOG_ERROR, "second");
    capture_stop();
    assert_prefix(captured, "info  listening address=127.0.0.1 port=7400\n");
    assert_prefix(strchr(captured, '\n') + 1, "error second\n");
}

TEST(events_below_the_level_are_dropped)
{
    capture_start();
    qd_log(QD_LOG_DEBUG, "not by default");
    qd_log_level_set(QD_LOG_ERROR);
    qd_log(QD_LOG_WARN, "not now");
    qd_log_level_set(QD_LOG_DEBUG);
    qd_log(QD_LOG_DEBUG, "now");
    qd_log_level_set(QD_LOG_INFO);
    capture_stop();
    assert_prefix(captured, "debug now\n");
}

TEST(control_bytes_in_text_are_escaped)
{
    capture_start();
    qd_log(QD_LOG_WARN, "name=%s", "a\n2026-01-31T12:00:00.000Z error b\r\x1b[2J\x7f\xc3\xa9\t");
    capture_stop();
    assert_prefix(captured, "warn  name=a\\x0a2026-01-31T12:00:00.000Z error b\\x0d\\x1b[2J\\x7f\\xc3\\xa9\\x09\n");
}

TEST(long_text_is_cut_and_marked)
{
    char *text = malloc(100001);

    assert_non_null(text);
    memset(text, '\n', 100000);
    text[100000] = '\0';
    capture_start();
    errno = ENOENT;
    qd_log(QD_LOG_INFO, "%s", text);
    assert_int_equal(errno, ENOENT);
    capture_stop();
    free(text);
    size_t size = strlen(captured);
    assert_true(size > 1000 && size < 8192);
    assert_string_equal(captured + size - 8, "\\x0a...\n");
    assert_ptr_equal(strchr(captured, '\n'), captured + size - 1);
}

TEST_MAIN()

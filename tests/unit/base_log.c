/* SPDX-License-Identifier: Apache-2.0
 *
 * The log as callers see it: levels, formats, and that neither a slow reader nor a flood holds anyone up.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/base/clock.h"
#include "server/base/log.h"
#include "tests/support/test.h"

#define STOP_MS 60000u

static char captured[1u << 20];
static FILE *capture_file;
static int stderr_saved;

static void redirect(int file)
{
    stderr_saved = dup(STDERR_FILENO);
    assert_true(stderr_saved >= 0);
    assert_true(dup2(file, STDERR_FILENO) >= 0);
}

static void restore(void)
{
    dup2(stderr_saved, STDERR_FILENO);
    close(stderr_saved);
}

static void capture_start(void)
{
    capture_file = tmpfile();
    assert_non_null(capture_file);
    redirect(fileno(capture_file));
}

static void capture_stop(void)
{
    restore();
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

static uint32_t count_of(const char *word)
{
    uint32_t count = 0;

    for (const char *at = captured; (at = strstr(at, word)) != NULL; at += strlen(word)) {
        count++;
    }
    return count;
}

TEST(each_event_is_one_line)
{
    capture_start();
    qd_log(QD_LOG_INFO, "listening", QD_LOG_STRING("address", "127.0.0.1"), QD_LOG_NUMBER("port", 7400));
    qd_log(QD_LOG_ERROR, "second");
    capture_stop();
    assert_prefix(captured, "info  listening address=127.0.0.1 port=7400\n");
    assert_prefix(strchr(captured, '\n') + 1, "error second\n");
}

TEST(events_below_the_level_are_left_out_and_not_computed)
{
    uint32_t computed = 0;

    capture_start();
    qd_log(QD_LOG_DEBUG, "not by default", QD_LOG_NUMBER("number", ++computed));
    qd_log_level_set(QD_LOG_ERROR);
    qd_log(QD_LOG_WARN, "not now", QD_LOG_NUMBER("number", ++computed));
    qd_log_level_set(QD_LOG_DEBUG);
    qd_log(QD_LOG_DEBUG, "now", QD_LOG_NUMBER("number", ++computed));
    qd_log_level_set(QD_LOG_INFO);
    capture_stop();
    assert_prefix(captured, "debug now number=1\n");
}

TEST(errno_survives_a_line)
{
    capture_start();
    errno = ENOENT;
    qd_log(QD_LOG_INFO, "errno", QD_LOG_STRING("text", "a\nb"));
    assert_int_equal(errno, ENOENT);
    capture_stop();
}

TEST(a_message_of_one_address_is_limited_and_its_rest_counted)
{
    const uint64_t suppressed = qd_log_suppressed();

    assert_true(qd_log_start());
    capture_start();
    for (uint32_t i = 0; i < 1000; i++) {
        char peer[32];

        snprintf(peer, sizeof peer, "10.0.0.1:%u", 1024 + i);
        qd_log(QD_LOG_WARN, "hostile", QD_LOG_PEER(peer));
    }
    qd_log(QD_LOG_WARN, "hostile", QD_LOG_PEER("10.0.0.2:1024"));
    qd_log_stop(STOP_MS);
    capture_stop();
    assert_int_equal(count_of(" hostile peer=10.0.0.1:"), 10);
    assert_int_equal(count_of(" hostile peer=10.0.0.2:"), 1);
    assert_int_equal(count_of("lines were suppressed of=hostile count=990 address=10.0.0.1\n"), 1);
    assert_int_equal(qd_log_suppressed() - suppressed, 990);
}

#define PRODUCERS      4
#define PRODUCER_LINES 5000u

static void *produce(void *context)
{
    (void)context;
    for (uint32_t i = 0; i < PRODUCER_LINES; i++) {
        qd_log(QD_LOG_DEBUG, "produced", QD_LOG_NUMBER("number", i), QD_LOG_STRING("text", "some words"));
    }
    return NULL;
}

static void produce_all(void)
{
    pthread_t threads[PRODUCERS];

    for (int i = 0; i < PRODUCERS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, produce, NULL), 0);
    }
    for (int i = 0; i < PRODUCERS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
}

TEST(lines_of_several_threads_stay_whole)
{
    const uint64_t dropped = qd_log_dropped();
    uint32_t lines = 0;

    qd_log_level_set(QD_LOG_DEBUG);
    assert_true(qd_log_start());
    FILE *file = tmpfile();
    assert_non_null(file);
    redirect(fileno(file));
    produce_all();
    qd_log_stop(60000);
    qd_log_level_set(QD_LOG_INFO);
    restore();
    rewind(file);
    while (fgets(captured, sizeof captured, file) != NULL) {
        if (strstr(captured, "lines were dropped") == NULL) {
            assert_prefix(captured, "debug produced number=");
            assert_string_equal(captured + strlen(captured) - 18, " text=\"some words\"\n" + 1);
            lines++;
        }
    }
    fclose(file);
    assert_int_equal(lines + qd_log_dropped() - dropped, PRODUCERS * PRODUCER_LINES);
}

/* The sum of the whole lines that report drops. */
static uint64_t reported_drops(void)
{
    static const char words[] = " warn  lines were dropped count=";
    uint64_t sum = 0;

    for (const char *at = captured; (at = strstr(at, words)) != NULL && strchr(at, '\n') != NULL; at++) {
        sum += strtoull(at + strlen(words), NULL, 10);
    }
    return sum;
}

/* A pipe that nobody reads, until the test does. */
TEST(full_pipe_holds_up_no_producer_and_drops_are_reported)
{
    const uint64_t dropped = qd_log_dropped();
    int pipe_files[2];

    assert_int_equal(pipe(pipe_files), 0);
    qd_log_level_set(QD_LOG_DEBUG);
    redirect(pipe_files[1]);
    assert_true(qd_log_start());
    produce_all(); /* 1.5 MB: more than the pipe and the ring hold */
    const uint64_t count = qd_log_dropped() - dropped;
    assert_in_range(count, 1, PRODUCERS * PRODUCER_LINES - 1);
    size_t size = 0;
    captured[0] = '\0';
    while (reported_drops() < count) {
        assert_true(size < sizeof captured - 1);
        ssize_t got = read(pipe_files[0], captured + size, sizeof captured - 1 - size);

        assert_true(got > 0);
        size += (size_t)got;
        captured[size] = '\0';
    }
    assert_int_equal(reported_drops(), count);
    qd_log_stop(STOP_MS);
    restore();
    qd_log_level_set(QD_LOG_INFO);
    close(pipe_files[0]);
    close(pipe_files[1]);
}

/* Last in this file: the writing thread stays at the pipe. */
TEST(stop_and_last_words_at_a_full_pipe_take_bounded_time)
{
    int pipe_files[2];

    assert_int_equal(pipe(pipe_files), 0);
    assert_int_equal(fcntl(pipe_files[1], F_SETFL, O_NONBLOCK), 0);
    while (write(pipe_files[1], captured, 4096) > 0) {
        continue;
    }
    assert_int_equal(fcntl(pipe_files[1], F_SETFL, 0), 0);
    redirect(pipe_files[1]);
    assert_true(qd_log_start());
    qd_log(QD_LOG_INFO, "nobody reads this");
    uint64_t start_ns = qd_clock_now_ns();
    qd_log_last_words("nor this\n");
    qd_log_stop(200);
    restore();
    assert_true(qd_clock_now_ns() - start_ns < UINT64_C(10000000000));
}

TEST_MAIN()

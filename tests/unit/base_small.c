/* SPDX-License-Identifier: Apache-2.0
 *
 * Modules too small for a file of their own: assertions, status texts, the clock, the serial executor.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/base/assert.h"
#include "server/base/clock.h"
#include "server/base/executor.h"
#include "server/base/status.h"
#include "tests/support/test.h"

TEST(false_assertion_aborts_and_names_its_place)
{
    char text[512] = "";
    int pipe_ends[2];
    int status;

    assert_int_equal(pipe(pipe_ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        dup2(pipe_ends[1], STDERR_FILENO);
        QD_ASSERT(1 + 1 == 2);
        QD_ASSERT(1 + 1 == 3);
        _exit(0);
    }
    close(pipe_ends[1]);
    for (size_t size = 0; size < sizeof text - 1;) {
        ssize_t got = read(pipe_ends[0], text + size, sizeof text - 1 - size);

        if (got <= 0) {
            break;
        }
        size += (size_t)got;
    }
    close(pipe_ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    assert_non_null(strstr(text, "1 + 1 == 3"));
    assert_non_null(strstr(text, "base_small.c:"));
}

TEST(each_status_has_a_text)
{
    assert_string_equal(qd_status_text(QD_OK), "done");
    assert_string_equal(qd_status_text(QD_ERR_NO_MEMORY), "the memory limit is reached");
    assert_string_equal(qd_status_text((qd_status)-99), "an unknown status");
}

TEST(clock_never_goes_back)
{
    uint64_t before = qd_clock_now_ns();

    assert_true(before > 0);
    for (uint32_t round = 0; round < 10000; round++) {
        uint64_t now = qd_clock_now_ns();

        assert_true(now >= before);
        before = now;
    }
}

typedef struct order {
    size_t count;
    bool in_order;
} order;

static void note(size_t index, void *argument)
{
    order *seen = argument;

    seen->in_order &= index == seen->count;
    seen->count++;
}

TEST(serial_executor_runs_tasks_in_order)
{
    order seen = {0, true};

    assert_int_equal(qd_executor_serial.width, 1);
    qd_executor_serial.run(qd_executor_serial.context, 0, note, &seen);
    assert_int_equal(seen.count, 0);
    qd_executor_serial.run(qd_executor_serial.context, 1000, note, &seen);
    assert_int_equal(seen.count, 1000);
    assert_true(seen.in_order);
}

TEST_MAIN()

/* SPDX-License-Identifier: Apache-2.0
 *
 * The support for child processes itself: a test that cannot see a crash or a hang shows nothing.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/process.h"
#include "tests/support/test.h"

static qd_process *shell(const char *script)
{
    return qd_process_start("/bin/sh", QD_ARGS("-c", script));
}

TEST(status_and_texts_come_back)
{
    qd_process *child = shell("echo out; echo error >&2; echo more; exit 3");

    assert_int_equal(qd_process_wait(child, 10000), 3);
    assert_false(qd_process_runs(child));
    assert_string_equal(qd_process_output(child), "out\nmore\n");
    assert_string_equal(qd_process_errors(child), "error\n");
    qd_process_destroy(child);
}

TEST(output_never_blocks_the_child)
{
    qd_process *child = shell("head -c 1000000 /dev/zero | tr '\\0' x; cat");

    assert_int_equal(qd_process_wait(child, 30000), 0);
    assert_int_equal(strlen(qd_process_output(child)), 1000000);
    qd_process_destroy(child);
}

TEST(signals_are_sent_and_seen)
{
    qd_process *child = shell("echo ready; while :; do sleep 0.01; done");
    qd_process *polite = shell("trap 'exit 7' TERM; echo ready; while :; do sleep 0.01; done");

    assert_int_equal(qd_process_wait(child, 20), -1);
    assert_true(qd_process_runs(child));
    qd_process_signal(child, SIGTERM);
    assert_int_equal(qd_process_wait(child, 10000), 128 + SIGTERM);
    while (!strstr(qd_process_output(polite), "ready")) {
        usleep(1000);
    }
    qd_process_signal(polite, SIGTERM);
    assert_int_equal(qd_process_wait(polite, 10000), 7);
    qd_process_destroy(child);
    qd_process_destroy(polite);
}

TEST(the_server_gets_ready_and_stops)
{
    qd_process *server = qd_server_start(NULL);

    assert_int_equal(strncmp(qd_server_address(server), "127.0.0.1:", 10), 0);
    assert_in_range(atoi(qd_server_address(server) + 10), 1, 65535);
    qd_process_signal(server, SIGTERM);
    assert_int_equal(qd_process_wait(server, 20000), 0);
    qd_process_destroy(server);
}

TEST_MAIN()

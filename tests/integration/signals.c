/* SPDX-License-Identifier: Apache-2.0
 *
 * Signals other than the first SIGTERM: what reloads, what is ignored, and what ends the server at once.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "support/raw.h"
#include "support/session.h"
#include "tests/support/test.h"

static void rest(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

static uint32_t count_of(const char *text, const char *word)
{
    uint32_t count = 0;

    for (; (text = strstr(text, word)) != NULL; text += strlen(word)) {
        count++;
    }
    return count;
}

static void await_lines(qd_process *server, const char *word, uint32_t count)
{
    for (uint32_t waited = 0; count_of(qd_process_errors(server), word) < count; waited++) {
        if (waited > 2000) {
            fail_msg("the log has fewer than %u lines with '%s': %s", count, word, qd_process_errors(server));
        }
        rest();
    }
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* The session that is open before the signals is open after them. */
SESSION_TEST(user_signals_are_ignored)
{
    qd_process *server = session_start(NULL);

    session_bystander_open(qd_server_address(server));
    for (int i = 0; i < 20; i++) {
        qd_process_signal(server, i % 2 == 0 ? SIGUSR1 : SIGUSR2);
        session_check_bystanders();
    }
    assert_true(qd_process_runs(server));
}

SESSION_TEST(hangup_reads_the_log_level_again_and_ends_nothing)
{
    char path[] = "/tmp/quadrille-level-XXXXXX";
    int file = mkstemp(path);

    assert_true(file >= 0);
    close(file);
    write_file(path, "info\n");
    qd_process *server = session_start(QD_ARGS("--log-level-file", path));
    session_bystander_open(qd_server_address(server));
    write_file(path, "debug\n");
    qd_process_signal(server, SIGHUP);
    await_lines(server, " info  reloaded\n", 1);
    session_close(session_open(qd_server_address(server)));
    await_lines(server, " debug connected session=", 1);
    /* What is wrong is reported, and the level stays. */
    write_file(path, "loud\n");
    qd_process_signal(server, SIGHUP);
    await_lines(server, " error the configuration stays as it is error=\"--log-level-file: ", 1);
    session_close(session_open(qd_server_address(server)));
    await_lines(server, " debug connected session=", 2);
    session_check_bystanders();
    unlink(path);
}

SESSION_TEST(hangup_without_files_has_no_effect)
{
    qd_process *server = session_start(NULL);

    session_bystander_open(qd_server_address(server));
    for (uint32_t i = 1; i <= 5; i++) {
        qd_process_signal(server, SIGHUP);
        await_lines(server, " info  reloaded\n", i);
    }
    session_check_bystanders();
}

SESSION_TEST(bad_log_level_file_is_refused_at_the_start)
{
    const char *const paths[] = {"/nonexistent/level", "/dev/null"};

    for (size_t i = 0; i < 2; i++) {
        qd_process *server = qd_process_start(getenv("QD_SERVER"), QD_ARGS("--log-level-file", paths[i]));

        assert_int_equal(qd_process_wait(server, DEADLINE_MS), 1);
        assert_non_null(strstr(qd_process_errors(server), "--log-level-file: /"));
        qd_process_destroy(server);
    }
}

/* A session that does not read keeps the server from stopping, for as long as it may. `number` is the server's: it may
 * be the child of `process`. */
static void expect_end_at_second_signal(qd_process *process, pid_t number, const char *address)
{
    const qd_client_message ping = {.seq = 2, .kind = QD_CLIENT_PING};
    raw_link *raw = raw_open_session(address);

    /* The answer shows that the session has left the lobby, which waits for nobody when the server stops. */
    raw_send_message(raw, &ping);
    raw_expect(raw, 2, QD_SERVER_PONG);
    assert_int_equal(kill(number, SIGTERM), 0);
    /* The log confirms that the first one has arrived: two that wait at the same time are one. */
    await_lines(process, " info  stopping signal=15\n", 1);
    assert_int_equal(kill(number, SIGHUP), 0);
    assert_int_equal(kill(number, SIGTERM), 0);
    assert_int_equal(qd_process_wait(process, DEADLINE_MS), 128 + SIGTERM);
    assert_int_equal(count_of(qd_process_errors(process), " info  stopped"), 0);
    raw_close(raw);
    qd_process_destroy(process);
}

SESSION_TEST(second_signal_ends_the_server_at_once)
{
    qd_process *server = qd_server_start(NULL);

    expect_end_at_second_signal(server, qd_process_id(server), qd_server_address(server));
}

/* The only child of the process. */
static pid_t child_of(const qd_process *process)
{
    char path[64];
    int child = 0;

    snprintf(path, sizeof path, "/proc/%d/task/%d/children", qd_process_id(process), qd_process_id(process));
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%d", &child), 1);
    fclose(file);
    return child;
}

/* As in a container, where the system ignores the default action of a signal. */
SESSION_TEST(second_signal_ends_a_server_that_is_process_1)
{
    char address[64];

    qd_process *parent = qd_process_start(
        "/usr/bin/unshare", QD_ARGS("--pid", "--fork", "--kill-child", getenv("QD_SERVER"), "--listen", "127.0.0.1:0"));
    for (uint32_t waited = 0; sscanf(qd_process_output(parent), "%*s %*s listening on %63s", address) != 1; waited++) {
        if (strstr(qd_process_errors(parent), "unshare failed") != NULL) {
            print_message("skipped: this user may not make a namespace of processes\n");
            skip();
        }
        if (waited > 2000 || !qd_process_runs(parent)) {
            fail_msg("the server does not get ready: %s", qd_process_errors(parent));
        }
        rest();
    }
    expect_end_at_second_signal(parent, child_of(parent), address);
}

/* The file of its log level becomes a pipe into which nobody writes, and the server reads it. */
static qd_process *start_hanging_reload(char path[64], const char *drain_seconds)
{
    char pipe_path[80];

    snprintf(path, 64, "/tmp/quadrille-level-XXXXXX");
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    write_file(path, "info\n");
    qd_process *server =
        qd_server_start(QD_ARGS("--listen", "127.0.0.1:0", "--log-level-file", path, "--drain-seconds", drain_seconds));
    snprintf(pipe_path, sizeof pipe_path, "%s.pipe", path);
    assert_int_equal(mkfifo(pipe_path, 0600), 0);
    assert_int_equal(rename(pipe_path, path), 0);
    qd_process_signal(server, SIGHUP);
    rest();
    qd_process_signal(server, SIGTERM);
    return server;
}

SESSION_TEST(signal_ends_a_server_whose_reload_waits_for_a_file)
{
    char path[64];
    qd_process *server = start_hanging_reload(path, "1");

    assert_int_equal(qd_process_wait(server, DEADLINE_MS), 0);
    await_lines(server, " warn  stopped while the configuration was read drain_seconds=1\n", 1);
    unlink(path);
    qd_process_destroy(server);
}

/* It comes as often as it takes until the first has been seen. */
SESSION_TEST(second_signal_ends_a_server_whose_reload_waits_for_a_file)
{
    char path[64];
    qd_process *server = start_hanging_reload(path, "3600");

    for (uint32_t waited = 0; qd_process_runs(server); waited++) {
        assert_true(waited < 2000);
        rest();
        qd_process_signal(server, SIGTERM);
    }
    assert_int_equal(qd_process_wait(server, DEADLINE_MS), 128 + SIGTERM);
    unlink(path);
    qd_process_destroy(server);
}

/* A signal that came while a file was read counts when it is read. */
SESSION_TEST(signal_during_a_reload_that_ends_stops_the_server)
{
    char path[64];
    qd_process *server = start_hanging_reload(path, "3600");

    assert_true(qd_process_runs(server));
    write_file(path, "warn\n");
    assert_int_equal(qd_process_wait(server, DEADLINE_MS), 0);
    unlink(path);
    qd_process_destroy(server);
}

TEST_MAIN()

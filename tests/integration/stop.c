/* SPDX-License-Identifier: Apache-2.0
 *
 * How the server starts and ends: signals, ports, flags, exit statuses.
 */

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/raw.h"
#include "support/session.h"
#include "tests/support/test.h"

/* Every session gets the ends of all pairs, the end of the room, and the end of the session. Then the server ends. */
static void stop_by(int signal_number)
{
    qd_process *server = session_start(NULL);
    const char *address = qd_server_address(server);
    qd_client *client = session_open(address);
    uint64_t room = session_open_room(client, "a room", NULL);

    session_subscribe(client, room, QD_SCOPE_ALL, NULL);
    session_spawn(client, room, 1, 10, 10);
    session_spawn(client, room, 2, 10, 10);
    session_step(client, room);
    session_expect_tick(client, "begin 1-2");
    raw_link *idle = raw_open_session(address), *silent = raw_open(address);

    qd_process_signal(server, signal_number);
    session_expect_tick(client, "end 1-2 room closed");
    const qd_server_message *message = session_wait_kind(client, QD_SERVER_ROOM_CLOSED);
    assert_int_equal(message->as.room_closed.room, room);
    assert_int_equal(message->as.room_closed.reason, QD_ROOM_CLOSED_SHUTDOWN);
    message = session_wait_kind(client, QD_SERVER_GO_AWAY);
    assert_int_equal(message->as.go_away.reason, QD_GO_AWAY_SHUTDOWN);
    assert_null(qd_client_wait(client, DEADLINE_MS));
    assert_int_equal(qd_client_state(client), QD_CLIENT_ERR_CLOSED);
    assert_non_null(strstr(qd_client_error(client), "stopping"));

    assert_int_equal(raw_expect(idle, 0, QD_SERVER_GO_AWAY)->as.go_away.reason, QD_GO_AWAY_SHUTDOWN);
    assert_null(raw_next(idle));
    while (raw_next(silent) != NULL) {
        continue;
    }
    assert_int_equal(qd_process_wait(server, DEADLINE_MS), 0);
}

SESSION_TEST(signal_stops_the_server)
{
    stop_by(SIGTERM);
    session_close_all(state);
    stop_by(SIGINT);
}

/* No more sessions, no more rooms while it stops. What a session has not read fits into its socket, so that it does not
 * matter how fast the session reads. */
SESSION_TEST(stop_under_load_notifies_all_sessions)
{
    /* Sessions do not read while the others are created; the server must not disconnect them. */
    qd_process *server = session_start(QD_ARGS("--slow-ms-max", "600000"));
    const char *address = qd_server_address(server);
    const qd_msg_room_config fast = {.has_bounds = true, .bounds = {.max_x = 100, .max_y = 100}, .tick_hz = 1000};
    qd_client *clients[8];

    for (int i = 0; i < 8; i++) {
        char name[16];

        clients[i] = session_open(address);
        snprintf(name, sizeof name, "room %d", i % 4);
        uint64_t room = session_open_room(clients[i], name, &fast);
        qd_client_subscribe(clients[i], room, QD_SCOPE_ALL, true);
        for (uint32_t id = 0; id < 2; id++) {
            session_spawn(clients[i], room, (uint32_t)i * 100 + id, 10, 10);
        }
        session_settle(clients[i]);
    }
    for (int i = 0; i < 8; i++) {
        while (session_wait_tick(clients[i])->stays.count == 0) {
            continue;
        }
    }
    qd_process_signal(server, SIGTERM);
    for (int i = 0; i < 8; i++) {
        const qd_server_message *message = session_wait_kind(clients[i], QD_SERVER_GO_AWAY);

        assert_int_equal(message->as.go_away.reason, QD_GO_AWAY_SHUTDOWN);
        assert_null(qd_client_wait(clients[i], DEADLINE_MS));
        assert_int_equal(qd_client_state(clients[i]), QD_CLIENT_ERR_CLOSED);
    }
    assert_int_equal(qd_process_wait(server, DEADLINE_MS), 0);
}

/* ---- --drain-seconds ---- */

/* A tick cannot be interrupted; this one takes far longer than --drain-seconds on any machine. */
SESSION_TEST(stop_does_not_wait_for_a_tick_longer_than_drain_seconds)
{
    enum { CROWD = 1000000, BATCH = 100000 };
    static uint32_t id[BATCH];
    static float x[BATCH], y[BATCH];
    const qd_msg_room_config brute = {.has_bounds = true,
                                      .bounds = {.max_x = 1e6f, .max_y = 1e6f},
                                      .tick_mode = QD_TICK_MODE_STEP,
                                      .index = QD_INDEX_BRUTE,
                                      .entities_max = CROWD};
    qd_process *server = session_start(QD_ARGS("--drain-seconds", "1", "--workers", "1"));
    qd_client *client = session_open(qd_server_address(server));
    uint64_t room = session_open_room(client, "crowd", &brute);

    qd_client_subscribe(client, room, QD_SCOPE_ALL, false);
    for (uint32_t first = 0; first < CROWD; first += BATCH) {
        for (uint32_t i = 0; i < BATCH; i++) {
            id[i] = first + i;
            x[i] = (float)((first + i) % 1000) * 1000;
            y[i] = (float)((first + i) / 1000) * 1000;
        }
        qd_client_spawn(client, room, &(qd_msg_entities){.count = BATCH, .id = id, .x = x, .y = y}, false);
    }
    /* The crowd is in the room before its tick begins. */
    qd_client_get_stats(client, room);
    while (session_wait_kind(client, QD_SERVER_STATS)->as.stats.room.entities < CROWD) {
        qd_client_get_stats(client, room);
    }
    qd_client_step(client, room, 0);
    session_settle(client);
    qd_process_signal(server, SIGTERM);
    assert_int_equal(qd_process_wait(server, DEADLINE_MS), 0);
    assert_non_null(strstr(qd_process_errors(server), "stopped with work left"));
}

/* Runs the server with arguments that it reports on stderr before it exits. */
static void expect_refusal(const char *const *arguments, int status, const char *word)
{
    qd_process *server = qd_process_start(getenv("QD_SERVER"), arguments);

    assert_int_equal(qd_process_wait(server, DEADLINE_MS), status);
    if (strstr(qd_process_errors(server), word) == NULL) {
        fail_msg("'%s' does not say '%s'", qd_process_errors(server), word);
    }
    assert_string_equal(qd_process_output(server), "");
    qd_process_destroy(server);
}

SESSION_TEST(taken_port_is_reported)
{
    const char *address = qd_server_address(session_start(NULL));

    session_bystander_open(address);
    expect_refusal(QD_ARGS("--listen", address), 1, strrchr(address, ':') + 1);
    expect_refusal(QD_ARGS("--listen", address), 1, "taken");
}

SESSION_TEST(server_without_tokens_listens_on_loopback_only)
{
    char path[] = "/tmp/quadrille-tokens-XXXXXX";
    int file = mkstemp(path);

    assert_int_equal(write(file, "token\n", 6), 6);
    close(file);
    expect_refusal(QD_ARGS("--listen", "0.0.0.0:0"), 1, "--listen is 0.0.0.0, and there is no --token-file");
    expect_refusal(QD_ARGS("--listen", "[::]:0"), 1, "--insecure");
    expect_refusal(QD_ARGS("--listen", "0.0.0.0:0", "--insecure", "--token-file", path), 1, "Leave one out");
    assert_int_equal(chmod(path, 0644), 0);
    expect_refusal(QD_ARGS("--listen", "0.0.0.0:0", "--token-file", path), 1, "has the mode 644");
    assert_int_equal(chmod(path, 0600), 0);
    const char *const *options[] = {QD_ARGS("--listen", "0.0.0.0:0", "--token-file", path),
                                    QD_ARGS("--listen", "0.0.0.0:0", "--insecure")};
    for (size_t i = 0; i < 2; i++) {
        qd_process *server = qd_server_start(options[i]);

        qd_process_signal(server, SIGTERM);
        assert_int_equal(qd_process_wait(server, DEADLINE_MS), 0);
        assert_true((strstr(qd_process_errors(server), "anybody who reaches the server") != NULL) == (i == 1));
        qd_process_destroy(server);
    }
    unlink(path);
}

SESSION_TEST(bad_options_are_refused)
{
    expect_refusal(QD_ARGS("--listen", "nonsense"), 2, "--listen");
    expect_refusal(QD_ARGS("--no-such-option", "1"), 2, "--no-such-option");
    expect_refusal(QD_ARGS("--token-file", "/nonexistent/tokens", "--listen", "127.0.0.1:0"), 1,
                   "--token-file: /nonexistent/tokens");
    expect_refusal(QD_ARGS("--listen", "no-such-host.invalid:7400"), 1, "no-such-host.invalid");
    setenv("QUADRILLE_WORKERS", "many", 1);
    expect_refusal(NULL, 2, "QUADRILLE_WORKERS");
    unsetenv("QUADRILLE_WORKERS");
    setenv("QUADRILLE_WORKER", "2", 1);
    expect_refusal(QD_ARGS("--listen", "no-such-host.invalid:7400"), 1, "Did you mean QUADRILLE_WORKERS");
    unsetenv("QUADRILLE_WORKER");
}

static void expect_output(const char *option, const char *words)
{
    qd_process *server = qd_process_start(getenv("QD_SERVER"), QD_ARGS(option));

    assert_int_equal(qd_process_wait(server, DEADLINE_MS), 0);
    if (strstr(qd_process_output(server), words) == NULL) {
        fail_msg("%s does not print %s", option, words);
    }
    qd_process_destroy(server);
}

TEST(help_and_version_are_printed)
{
    const char *options[] = {"--listen",        "127.0.0.1:7400",        "--workers",      "--connections-max",
                             "--frame-max",     "--rooms-max",           "--entities-max", "--events-max",
                             "--observers-max", "--visible-entries-max", "--memory-max",   "--queue-max",
                             "--room-batches",  "--token-file",          "--help",         "--version"};
    char version[64];

    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        expect_output("--help", options[i]);
    }
    snprintf(version, sizeof version, "quadrille-server %s (commit ", qd_version());
    expect_output("--version", version);
}

TEST_MAIN()

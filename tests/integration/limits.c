/* SPDX-License-Identifier: Apache-2.0
 *
 * The limits of a server: Welcome reports each one, the server keeps it, and errors name its option.
 */

#include <stdlib.h>
#include <string.h>

#include "support/session.h"
#include "tests/support/test.h"

SESSION_TEST(options_limit_rooms_entities_and_frames)
{
    const char *address = qd_server_address(session_start(
        QD_ARGS("--rooms-max", "3", "--entities-max", "50", "--frame-max", "10K", "--slow-ms-max", "300")));

    session_bystander_open(address); /* has the first room */
    qd_client *client = session_open(address);
    const qd_msg_limits *limits = &qd_client_welcome(client)->limits;
    assert_int_equal(limits->rooms_max, 3);
    assert_int_equal(limits->entities_max, 50);
    assert_int_equal(limits->frame_bytes_max, 10240);
    assert_int_equal(limits->slow_ms_max, 300);

    uint64_t second = session_open_room(client, "second", NULL);
    session_open_room(client, "third", NULL);
    session_expect_error(client, qd_client_open_room(client, "fourth", &session_step_room), QD_ERROR_LIMIT,
                         "--rooms-max");
    qd_msg_room_config config = session_step_room;
    config.entities_max = 51;
    session_expect_error(client, qd_client_open_room(client, "more", &config), QD_ERROR_INVALID, "entities_max");

    uint32_t ids[4000], refused[10];
    float zeros[60] = {0};
    qd_error_code codes[10];
    for (uint32_t i = 0; i < 4000; i++) {
        ids[i] = i;
    }
    for (uint32_t i = 0; i < 10; i++) {
        refused[i] = 50 + i;
        codes[i] = QD_ERROR_ROOM_FULL;
    }
    uint64_t seq = qd_client_spawn(client, second, &(qd_msg_entities){60, ids, .x = zeros, .y = zeros}, false);
    session_expect_entries(client, seq, 10, refused, codes);
    session_expect_quiet(client);

    /* The library refuses what the server would not read. */
    assert_int_equal(qd_client_despawn(client, second, ids, 4000), 0);
    assert_non_null(strstr(qd_client_error(client), "--frame-max"));
    session_expect_quiet(client);
}

/* Memory: a room takes what there is, the rest is refused; nothing breaks, and closing the room gives it back. */
SESSION_TEST(batch_above_memory_max_is_refused)
{
    enum { BATCH = 5000 };
    const char *address = qd_server_address(session_start(QD_ARGS("--memory-max", "32M")));
    session_bystander_open(address);
    qd_client *client = session_open(address);
    uint32_t *ids = malloc(BATCH * sizeof *ids);
    float *x = malloc(BATCH * sizeof *x);
    for (int round = 0; round < 2; round++) {
        uint64_t room = session_open_room(client, "large", NULL);
        bool full = false;

        for (uint32_t first = 0; !full; first += BATCH) {
            for (uint32_t i = 0; i < BATCH; i++) {
                ids[i] = first + i;
                x[i] = (float)((first + i) % 1000);
            }
            assert_true(first < 2000000);
            qd_client_spawn(client, room, &(qd_msg_entities){BATCH, ids, .x = x, .y = x}, false);
            uint64_t stats = qd_client_get_stats(client, room);
            const qd_server_message *message;
            while ((message = qd_client_wait(client, DEADLINE_MS)) != NULL && message->seq != stats) {
                full = full || qd_client_refusal(message) != NULL;
            }
            assert_non_null(message);
            assert_int_equal(message->kind, QD_SERVER_STATS);
            assert_true(message->as.stats.server.memory_bytes <= message->as.stats.server.memory_bytes_max);
        }
        session_check_bystanders();
        session_expect(client, qd_client_close_room(client, room), QD_SERVER_ROOM_CLOSED);
    }
    free(ids);
    free(x);
}

/* Rooms, and then sessions, use all of the memory. Every later client gets an error, whichever step fails: the
 * connection, the session, the Hello or the Welcome. */
SESSION_TEST(session_above_memory_max_is_refused)
{
    enum { SESSIONS_MAX = 1000, MORE = 20 };
    static qd_client *sessions[SESSIONS_MAX];
    const char *address = qd_server_address(session_start(QD_ARGS("--memory-max", "20M")));
    qd_client *client = session_open(address);
    const qd_server_message *answer = NULL;
    for (uint32_t rooms = 0; answer == NULL || answer->kind != QD_SERVER_ERROR; rooms++) {
        char name[16];

        snprintf(name, sizeof name, "room-%u", rooms);
        uint64_t seq = qd_client_open_room(client, name, &session_step_room);
        answer = qd_client_wait(client, DEADLINE_MS);
        assert_non_null(answer);
        assert_int_equal(answer->seq, seq); /* also where the request itself found no memory */
    }
    assert_non_null(strstr(answer->as.error.text, "--memory-max"));
    uint32_t count = 0;
    for (uint32_t refused = 0; refused < MORE; refused += sessions[count - 1] == NULL) {
        assert_true(count < SESSIONS_MAX);
        sessions[count] = qd_client_create();
        if (qd_client_connect(sessions[count++], address, NULL, NULL, DEADLINE_MS) == QD_CLIENT_OK) {
            continue;
        }
        assert_int_equal(qd_client_state(sessions[count - 1]), QD_CLIENT_ERR_REFUSED);
        assert_non_null(strstr(qd_client_error(sessions[count - 1]), "--memory-max"));
        qd_client_destroy(sessions[count - 1]);
        sessions[count - 1] = NULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        qd_client_destroy(sessions[i]);
    }
    /* The first session is still there, and is answered when the others have gone. */
    do {
        qd_client_ping(client, 1);
        answer = qd_client_wait(client, DEADLINE_MS);
        assert_non_null(answer);
    } while (answer->kind != QD_SERVER_PONG);
}

TEST_MAIN()

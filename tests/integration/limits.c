/* SPDX-License-Identifier: Apache-2.0
 *
 * The limits of a server: Welcome reports each one, the server keeps it, and errors name its option.
 */

#include <stdlib.h>
#include <string.h>

#include "support/raw.h"
#include "support/session.h"
#include "tests/support/test.h"

TEST(room_above_rooms_max_is_refused)
{
    qd_process *server = qd_server_start(QD_ARGS("--rooms-max", "3"));
    session_witness witness; /* has the first room */

    session_witness_open(&witness, qd_server_address(server));
    qd_client *client = session_open(qd_server_address(server));
    assert_int_equal(qd_client_welcome(client)->limits.rooms_max, 3);
    uint64_t second = session_open_room(client, "second", NULL);
    session_open_room(client, "third", NULL);
    session_expect_error(client, qd_client_open_room(client, "fourth", &session_step_room), QD_ERROR_LIMIT,
                         "--rooms-max");
    /* Joining one that is there needs no place; closing one makes one. */
    assert_int_equal(session_join(client, "second"), second);
    session_expect(client, qd_client_close_room(client, second), QD_SERVER_ROOM_CLOSED);
    session_open_room(client, "fourth", NULL);
    session_expect_error(client, qd_client_open_room(client, "fifth", &session_step_room), QD_ERROR_LIMIT, NULL);
    session_expect_quiet(client);
    qd_client_destroy(client);
    session_witness_close(&witness);
    session_server_stop(server);
}

/* Spawns `count` points with ids from `first` on, at one place. */
static uint32_t spawn_points(qd_client *client, uint64_t room, uint32_t first, uint32_t count)
{
    uint32_t ids[100];
    float zeros[100] = {0};

    assert_true(count <= 100);
    for (uint32_t i = 0; i < count; i++) {
        ids[i] = first + i;
    }
    return qd_client_spawn(client, room, &(qd_msg_entities){count, ids, .x = zeros, .y = zeros}, false);
}

static void fill(qd_client *client, const char *name, uint32_t asked, uint32_t takes)
{
    qd_msg_room_config config = session_step_room;

    config.entities_max = asked;
    uint64_t room = session_open_room(client, name, &config);
    uint32_t refused[100];
    qd_error_code codes[100];
    for (uint32_t i = 0; i < 100 - takes; i++) {
        refused[i] = takes + i;
        codes[i] = QD_ERROR_ROOM_FULL;
    }
    session_expect_entries(client, spawn_points(client, room, 0, 100), 100 - takes, refused, codes);
    /* A despawned entity makes room for another within the same batch. */
    session_despawn(client, room, 0);
    spawn_points(client, room, 1000, 1);
    refused[0] = 0;
    session_expect_entries(client, spawn_points(client, room, 1001, 1), 1, refused, codes);
    session_step(client, room);
    session_expect_quiet(client);
}

TEST(entity_above_entities_max_is_refused)
{
    qd_process *server = qd_server_start(QD_ARGS("--entities-max", "50"));
    qd_client *client = session_open(qd_server_address(server));

    assert_int_equal(qd_client_welcome(client)->limits.entities_max, 50);
    fill(client, "default", 0, 50);
    fill(client, "fewer", 7, 7);
    qd_msg_room_config config = session_step_room;
    config.entities_max = 51;
    session_expect_error(client, qd_client_open_room(client, "more", &config), QD_ERROR_INVALID, "entities_max");
    qd_client_destroy(client);
    session_server_stop(server);
}

TEST(frame_above_frame_max_ends_the_connection)
{
    qd_process *server = qd_server_start(QD_ARGS("--frame-max", "10K"));
    const char *address = qd_server_address(server);
    session_witness witness;

    session_witness_open(&witness, address);
    static uint8_t frame[10241];
    raw_link *raw = raw_open_session(address);
    frame[0] = 0x08; /* seq 0, again and again: a legal way to fill a frame */
    for (size_t i = 0; i < sizeof frame; i += 2) {
        frame[i] = 0x08;
    }
    raw_send_frame(raw, frame, 10240);
    raw_expect_end(raw, QD_ERROR_MALFORMED, NULL);
    raw_close(raw);
    raw = raw_open_session(address);
    raw_send_frame(raw, frame, 10241);
    raw_expect_end(raw, QD_ERROR_FRAME_TOO_LONG, "--frame-max");
    raw_close(raw);

    /* The library reports it, too. */
    qd_client *client = session_open(address);
    assert_int_equal(qd_client_welcome(client)->limits.frame_bytes_max, 10240);
    uint32_t ids[4000] = {0};
    qd_client_despawn(client, 1, ids, 4000);
    assert_null(qd_client_answer(client, UINT32_MAX, DEADLINE_MS));
    assert_int_equal(qd_client_state(client), QD_CLIENT_ERR_REFUSED);
    qd_client_destroy(client);
    session_witness_close(&witness);
    session_server_stop(server);
}

/* Memory: a room takes what there is, the rest is refused; nothing breaks, and closing the room gives it back. */
TEST(batch_above_memory_max_is_refused)
{
    enum { BATCH = 5000 };
    qd_process *server = qd_server_start(QD_ARGS("--memory-max", "32M"));
    session_witness witness;
    session_witness_open(&witness, qd_server_address(server));
    qd_client *client = session_open(qd_server_address(server));
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
            uint32_t stats = qd_client_get_stats(client, room);
            const qd_server_message *message;
            while ((message = qd_client_wait(client, DEADLINE_MS)) != NULL && message->seq != stats) {
                full = full || message->kind == QD_SERVER_ERROR;
            }
            assert_non_null(message);
            assert_int_equal(message->kind, QD_SERVER_STATS);
            assert_true(message->as.stats.server.memory_bytes <= message->as.stats.server.memory_bytes_max);
        }
        session_witness_check(&witness);
        session_expect(client, qd_client_close_room(client, room), QD_SERVER_ROOM_CLOSED);
    }
    free(ids);
    free(x);
    qd_client_destroy(client);
    session_witness_close(&witness);
    session_server_stop(server);
}

/* Rooms, and then sessions, use all of the memory. Every later client gets an error, whichever step fails: the
 * connection, the session, the Hello or the Welcome. */
TEST(session_above_memory_max_is_refused)
{
    enum { SESSIONS_MAX = 1000, MORE = 20 };
    static qd_client *sessions[SESSIONS_MAX];
    qd_process *server = qd_server_start(QD_ARGS("--memory-max", "16M"));
    const char *address = qd_server_address(server);
    qd_client *client = session_open(address);
    const qd_server_message *answer = NULL;
    for (uint32_t rooms = 0; answer == NULL || answer->kind != QD_SERVER_ERROR; rooms++) {
        char name[16];

        snprintf(name, sizeof name, "room-%u", rooms);
        uint32_t seq = qd_client_open_room(client, name, &session_step_room);
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
    qd_client_destroy(client);
    session_server_stop(server);
}

TEST_MAIN()

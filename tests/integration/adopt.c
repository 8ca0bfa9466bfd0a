/* SPDX-License-Identifier: Apache-2.0
 *
 * A killed backend that restarts with nothing but its token adopts the entities it had.
 */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/session.h"
#include "tests/support/test.h"

#define ADDRESS  qd_server_address(session_server)
#define ENTITIES 300u

static uint32_t ids[ENTITIES];
static float places[ENTITIES];

static qd_client *backend(const char *token, bool resumable)
{
    qd_client *client = qd_client_create();

    if (resumable) {
        qd_client_resumable(client, NULL);
    }
    if (qd_client_connect(client, ADDRESS, token, "backend", DEADLINE_MS) != QD_CLIENT_OK) {
        fail_msg("%s", qd_client_error(client));
    }
    return client;
}

/* A process that spawns its own entities, reports that, and then idles until it is killed. */
static pid_t start_backend(bool resumable)
{
    int ready[2];
    char done = 0;

    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        qd_client *client = backend("alpha", resumable);
        uint64_t room = session_join(client, "yard");

        qd_client_spawn(client, room, &(qd_msg_entities){ENTITIES, ids, .x = places, .y = places}, false);
        session_step(client, room);
        if (write(ready[1], "+", 1) != 1) {
            _exit(1);
        }
        for (;;) {
            pause();
        }
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &done, 1), 1);
    close(ready[0]);
    return child;
}

static void kill_backend(pid_t child)
{
    int status;

    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
}

/* The server notices the end a moment later; until then it reports the session as connected. */
static void adopt_all(qd_client *client, uint64_t room)
{
    const qd_msg_handed_over *answer;

    do {
        answer = &session_expect(client, qd_client_adopt(client, room, 0), QD_SERVER_HANDED_OVER)->as.handed_over;
        assert_int_equal(answer->count + answer->connected_count > 0, 1);
    } while (answer->connected_count > 0);
    assert_true(answer->last && answer->room == room && answer->from == 0);
    assert_int_equal(answer->to, qd_client_welcome(client)->session);
    assert_int_equal(answer->count, ENTITIES);
    assert_memory_equal(answer->id, ids, sizeof ids);
}

/* Where they are, and that they may be moved. */
static void expect_mine(qd_client *client, uint64_t room)
{
    const qd_msg_snapshot_result *own =
        &session_expect(client, qd_client_snapshot_own(client, room, NULL, 0), QD_SERVER_SNAPSHOT_RESULT)
             ->as.snapshot_result;

    assert_int_equal(own->entities.count, ENTITIES);
    assert_memory_equal(own->entities.id, ids, sizeof ids);
    assert_memory_equal(own->entities.x, places, sizeof places);
    uint32_t seq = qd_client_move(client, room, &(qd_msg_entities){ENTITIES, ids, .x = places, .y = places});
    session_step(client, room);
    assert_true(seq > 0);
    session_expect_quiet(client);
}

static void restart(bool resumable)
{
    qd_client *witness = backend("beta", false);
    const qd_msg_room_config config = {.has_bounds = true,
                                       .bounds = {.max_x = 1000, .max_y = 1000},
                                       .tick_mode = QD_TICK_MODE_STEP,
                                       .grace_ms = 600000};
    uint64_t room = session_open_room(witness, "yard", &config);
    pid_t child = start_backend(resumable);

    qd_client *again = backend("alpha", false);
    assert_int_equal(session_join(again, "yard"), room);
    const qd_msg_handed_over *answer =
        &session_expect(again, qd_client_adopt(again, room, 0), QD_SERVER_HANDED_OVER)->as.handed_over;
    assert_true(answer->count == 0 && answer->connected_count == 1 && answer->last);
    kill_backend(child);
    adopt_all(again, room);
    expect_mine(again, room);

    /* The entity leaves with its new owner, a session of another connection. */
    qd_client_despawn(again, room, ids, ENTITIES);
    session_step(again, room);
    const qd_msg_room_stats *stats =
        &session_expect(witness, qd_client_get_stats(witness, room), QD_SERVER_STATS)->as.stats.room;
    assert_int_equal(stats->entities, 0);
    session_expect_quiet(witness);
    session_expect(witness, qd_client_close_room(witness, room), QD_SERVER_ROOM_CLOSED);
    qd_client_destroy(witness);
    qd_client_destroy(again);
}

TEST(killed_backend_adopts_its_entities)
{
    restart(false);
}

TEST(backend_without_its_key_adopts_its_entities)
{
    restart(true);
}

/* The receiver of a Handover may use the entities as soon as the server notifies it. */
TEST(receiver_of_a_handover_is_notified)
{
    qd_client *giver = session_open(ADDRESS), *taker = session_open(ADDRESS);
    uint64_t room = session_open_room(giver, "gate", NULL);

    session_join(taker, "gate");
    session_spawn(giver, room, 7, 10, 10);
    session_spawn(giver, room, 8, 10, 10);
    const uint32_t given[] = {8, 7};
    qd_client_handover(giver, room, given, 2, qd_client_welcome(taker)->session);
    session_settle(giver);
    const qd_msg_handed_over *notice = &session_wait_kind(taker, QD_SERVER_HANDED_OVER)->as.handed_over;
    assert_true(notice->count == 2 && notice->id[0] == 7 && notice->id[1] == 8 && notice->last);
    assert_int_equal(notice->from, qd_client_welcome(giver)->session);
    assert_int_equal(notice->to, qd_client_welcome(taker)->session);
    session_move(taker, room, 7, 50, 50);
    session_step(taker, room);
    session_expect_quiet(taker);
    qd_client_destroy(giver);
    qd_client_destroy(taker);
}

static int setup(void **state)
{
    for (uint32_t i = 0; i < ENTITIES; i++) {
        ids[i] = 5 * i;
        places[i] = (float)(3 * i);
    }
    return session_server_setup(state);
}

TEST_MAIN_WITH(setup, session_server_teardown)

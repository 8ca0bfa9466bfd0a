/* SPDX-License-Identifier: Apache-2.0
 *
 * A client that wants all memory: the server keeps --memory-max, works for the others, and has its memory back when the
 * client has left.
 */

#include "support/hostile.h"
#include "support/session.h"
#include "tests/support/test.h"

#define MEMORY_MAX (64u << 20)
#define ENTITIES   4000u
#define OBSERVERS  1000u

typedef struct attack {
    qd_process *server;
    const char *address;
    qd_client *other; /* not in the attacker's room */
    uint64_t used;    /* before it */
    qd_client *client;
    uint64_t room;
    uint32_t entities;
} attack;

/* The room outlives its session for a minute, and the session's entities for a short time. */
static attack begin(qd_tick_mode mode)
{
    qd_msg_room_config config = session_step_room;
    attack a = {.server = session_start(QD_ARGS("--memory-max", "64M"))};

    a.address = qd_server_address(a.server);
    session_bystander_open(a.address);
    a.other = session_open(a.address);
    a.used = hostile_memory_used(a.other);
    a.client = session_open(a.address);
    config.tick_mode = mode;
    config.has_grace_ms = true;
    config.grace_ms = 100;
    a.room = session_open_room(a.client, "large", &config);
    return a;
}

static attack begin_full(qd_tick_mode mode)
{
    attack a = begin(mode);

    a.entities = hostile_fill(a.client, a.room, 0, UINT32_MAX);
    assert_true(a.entities > 100000);
    return a;
}

/* The others notice nothing; then the attacker leaves, and another client can use as much memory. */
static void end(attack *a)
{
    hostile_expect_resident(a->server, MEMORY_MAX);
    session_settle(a->other);
    session_check_bystanders();
    session_close(a->client);
    hostile_expect_memory_returns(a->other, a->used + MEMORY_MAX / 4, DEADLINE_MS);
    qd_client *next = session_open(a->address);
    const uint64_t room = session_open_room(next, "next", NULL);
    if (a->entities > 0) {
        const uint32_t filled = hostile_fill(next, room, 0, a->entities);

        if (filled < a->entities / 2) {
            fail_msg("%u entities found place, and %u before", filled, a->entities);
        }
    }
    session_check_bystanders();
    hostile_expect_resident(a->server, MEMORY_MAX);
}

/* 80 kB that ask for four million visible entries. */
SESSION_TEST(views_of_everything_stay_within_memory_max)
{
    static uint32_t id[ENTITIES];
    static float x[ENTITIES], y[ENTITIES], range[ENTITIES];
    attack a = begin(QD_TICK_MODE_STEP);

    for (uint32_t i = 0; i < ENTITIES; i++) {
        id[i] = i;
        x[i] = (float)(i % 1000);
        y[i] = (float)(i / 1000);
        range[i] = 10000;
    }
    qd_client_spawn(a.client, a.room, &(qd_msg_entities){.count = ENTITIES, .id = id, .x = x, .y = y}, false);
    const qd_msg_observers observers = {.room = a.room, .count = OBSERVERS, .id = id, .x = x, .y = y, .range = range};
    qd_client_observe(a.client, &observers);
    for (uint32_t i = 0; i < 3; i++) {
        hostile_answer(a.client, qd_client_step(a.client, a.room, 0));
    }
    end(&a);
}

SESSION_TEST(full_room_with_a_clock_ends_with_its_session)
{
    attack a = begin_full(QD_TICK_MODE_CLOCK);

    end(&a);
}

SESSION_TEST(full_room_with_steps_ends_with_its_session)
{
    attack a = begin_full(QD_TICK_MODE_STEP);

    end(&a);
}

SESSION_TEST(full_room_survives_subscribe_and_step)
{
    attack a = begin_full(QD_TICK_MODE_STEP);

    hostile_answer(a.client, qd_client_subscribe(a.client, a.room, QD_SCOPE_ALL, true));
    for (uint32_t i = 0; i < 3; i++) {
        hostile_answer(a.client, qd_client_step(a.client, a.room, 0));
    }
    end(&a);
}

/* All entities move far, in batches of 50,000. */
SESSION_TEST(full_room_survives_moves_and_step)
{
    enum { BATCH = 50000 };
    static uint32_t id[BATCH];
    static float x[BATCH], y[BATCH];
    attack a = begin_full(QD_TICK_MODE_STEP);

    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t first = 0; first < a.entities; first += BATCH) {
            const uint32_t count = a.entities - first < BATCH ? a.entities - first : BATCH;

            for (uint32_t i = 0; i < count; i++) {
                id[i] = first + i;
                x[i] = (float)((first + i) / 1000 % 1000);
                y[i] = (float)((first + i + round) % 1000);
            }
            qd_client_move(a.client, a.room, &(qd_msg_entities){.count = count, .id = id, .x = x, .y = y});
        }
        hostile_answer(a.client, qd_client_step(a.client, a.room, 0));
    }
    end(&a);
}

/* All of them, and the session stays. At the limit, the room may refuse an entity and take a later one of its batch. */
SESSION_TEST(full_room_survives_despawn)
{
    enum { BATCH = 50000 };
    static uint32_t id[BATCH];
    attack a = begin_full(QD_TICK_MODE_STEP);

    for (uint32_t first = 0; first < a.entities + BATCH; first += BATCH) {
        for (uint32_t i = 0; i < BATCH; i++) {
            id[i] = first + i;
        }
        qd_client_despawn(a.client, a.room, id, BATCH);
    }
    const qd_server_message *answer = hostile_answer(a.client, qd_client_step(a.client, a.room, 0));
    assert_non_null(answer);
    const qd_server_message *stats = session_expect(a.client, qd_client_get_stats(a.client, a.room), QD_SERVER_STATS);
    assert_int_equal(stats->as.stats.room.entities, 0);
    hostile_expect_memory_returns(a.other, a.used + MEMORY_MAX / 4, DEADLINE_MS);
    end(&a);
}

TEST_MAIN()

/* SPDX-License-Identifier: Apache-2.0
 *
 * Readers that keep up and readers that do not: what each of them folds is true whenever it is known, and nobody waits
 * for another.
 */

#include <math.h>
#include <signal.h>
#include <sys/socket.h>

#include "quadrille-views.h"
#include "support/rng.h"
#include "support/session.h"
#include "tests/support/test.h"

#define BOXES     200u
#define OBSERVERS 20u

/* Boxes of 2 by 2 that belong to the room, and what the test itself knows of them. Observer i is at box i. */
struct crowd {
    uint64_t room;
    uint32_t id[BOXES];
    float x[BOXES], y[BOXES], range[OBSERVERS];
    rng_stream rng;
};

static void spawn_crowd(qd_client *client, struct crowd *crowd)
{
    float half[BOXES];

    crowd->rng.state = 1;
    crowd->room = session_open_room(client, "crowd", NULL);
    for (uint32_t i = 0; i < BOXES; i++) {
        crowd->id[i] = i;
        crowd->x[i] = 4.0f * (float)i;
        crowd->y[i] = 0;
        half[i] = 1;
    }
    for (uint32_t i = 0; i < OBSERVERS; i++) {
        crowd->range[i] = 0.5f + (float)i / 16;
    }
    const qd_msg_entities batch = {BOXES, crowd->id, .x = crowd->x, .y = crowd->y, .half_x = half, .half_y = half};
    qd_client_spawn(client, crowd->room, &batch, true);
    session_step(client, crowd->room);
}

/* All into an area so small that a good part of all pairs begin or end at each tick. */
static uint64_t shuffle(qd_client *client, struct crowd *crowd)
{
    for (uint32_t i = 0; i < BOXES; i++) {
        crowd->x[i] = 4 * rng_fraction(&crowd->rng);
        crowd->y[i] = 4 * rng_fraction(&crowd->rng);
    }
    qd_client_move(client, crowd->room, &(qd_msg_entities){BOXES, crowd->id, .x = crowd->x, .y = crowd->y});
    return session_step(client, crowd->room);
}

/* A session that subscribes and observes, and what it folds. */
struct reader {
    qd_client *client;
    qd_pairs *pairs;
    qd_view *views;
    uint32_t pair_resets, view_resets;
    uint64_t merged_max; /* the most ticks that a reset of pairs covered */
};

static void open_reader(struct reader *reader, const char *address, struct crowd *crowd)
{
    const qd_msg_observers observers = {
        .room = crowd->room, .count = OBSERVERS, .id = crowd->id, .entity = crowd->id, .range = crowd->range};

    *reader = (struct reader){session_open(address), qd_pairs_create(), qd_view_create(NULL), 0, 0, 0};
    session_join(reader->client, "crowd");
    session_subscribe(reader->client, crowd->room, QD_SCOPE_ALL, reader->pairs);
    qd_client_observe(reader->client, &observers);
    session_settle(reader->client);
}

static void fold(struct reader *reader, const qd_server_message *message)
{
    if (message->kind == QD_SERVER_TICK) {
        const qd_msg_tick *tick = &message->as.tick;

        reader->pair_resets += tick->reset;
        assert_true(tick->merged_ticks <= tick->tick && (tick->reset || tick->merged_ticks == 0));
        if (tick->merged_ticks > reader->merged_max) {
            reader->merged_max = tick->merged_ticks;
        }
        assert_int_equal(qd_pairs_apply(reader->pairs, tick), QD_CLIENT_OK);
    } else if (message->kind == QD_SERVER_VIEW) {
        const qd_msg_view *view = &message->as.view;

        reader->view_resets += view->reset;
        /* A reset covers all ticks since the last reported one. */
        assert_true(!view->reset || view->merged_ticks == view->tick - qd_view_tick(reader->views));
        assert_int_equal(qd_view_apply(reader->views, view), QD_CLIENT_OK);
    } else {
        assert_int_equal(message->kind, QD_SERVER_APPLIED);
    }
}

static bool is_at(const struct reader *reader, uint64_t tick)
{
    return qd_pairs_known(reader->pairs) && qd_pairs_tick(reader->pairs) == tick && qd_view_known(reader->views) &&
           qd_view_tick(reader->views) == tick;
}

/* Every tick has news of both kinds. */
static void read_until(struct reader *reader, uint64_t tick)
{
    while (!is_at(reader, tick)) {
        const qd_server_message *message = qd_client_wait(reader->client, DEADLINE_MS);

        assert_non_null(message);
        fold(reader, message);
    }
}

/* All that the server has sent so far. */
static void fold_line(struct reader *reader)
{
    session_settle(reader->client);
    for (const qd_server_message *message; (message = qd_client_next(reader->client)) != NULL;) {
        fold(reader, message);
    }
}

static void expect_true(const struct reader *reader, const struct crowd *crowd)
{
    size_t pairs = 0, seen = 0;

    for (uint32_t i = 0; i < BOXES; i++) {
        for (uint32_t k = i + 1; k < BOXES; k++) {
            /* The places are multiples of 1/64: their differences are exact, here and below. */
            bool touch = fabsf(crowd->x[i] - crowd->x[k]) <= 2 && fabsf(crowd->y[i] - crowd->y[k]) <= 2;

            assert_int_equal(qd_pairs_contain(reader->pairs, i, k), touch);
            pairs += touch;
        }
    }
    assert_int_equal(qd_pairs_count(reader->pairs), pairs);
    for (uint32_t i = 0; i < OBSERVERS; i++) {
        for (uint32_t k = 0; k < BOXES; k++) {
            float dx = crowd->x[k] - crowd->x[i], dy = crowd->y[k] - crowd->y[i];
            bool sees = i != k && dx * dx + dy * dy <= crowd->range[i] * crowd->range[i];

            assert_int_equal(qd_view_find(reader->views, i, k) != NULL, sees);
            seen += sees;
        }
    }
    assert_int_equal(qd_view_count(reader->views), seen);
}

SESSION_TEST(slow_reader_gets_a_reset_when_it_catches_up)
{
    /* Room for the events of a few ticks: frames that a reader has just read may still count as queued. */
    qd_process *server = session_start(QD_ARGS("--queue-max", "256K", "--slow-ms-max", "600000"));
    const char *address = qd_server_address(server);
    static struct crowd crowd;
    struct reader reader, sleeper;

    session_bystander_open(address);
    qd_client *writer = session_open(address);
    spawn_crowd(writer, &crowd);
    open_reader(&reader, address, &crowd);
    open_reader(&sleeper, address, &crowd);
    /* The socket buffer of the sleeper does not count as the server's queue: keep it short. */
    setsockopt(qd_client_socket(sleeper.client), SOL_SOCKET, SO_RCVBUF, &(int){65536}, sizeof(int));
    read_until(&reader, shuffle(writer, &crowd));
    const uint32_t pair_resets = reader.pair_resets, view_resets = reader.view_resets;

    for (uint32_t round = 1; round <= 2; round++) {
        /* Some 70 KB of events a step: far more than the system and the queue hold between them. */
        uint64_t tick = 0;

        for (int i = 0; i < 200; i++) {
            tick = shuffle(writer, &crowd);
            read_until(&reader, tick);
        }
        expect_true(&reader, &crowd);
        session_check_bystanders();

        /* The sleeper wakes: it gets the queued frames, resets of pairs and of views, and then every tick again. */
        uint32_t before[] = {sleeper.pair_resets, sleeper.view_resets};
        sleeper.merged_max = 0;
        for (int i = 0; i < 1000 && (sleeper.view_resets == before[1] || !is_at(&sleeper, tick)); i++) {
            fold_line(&sleeper);
            tick = shuffle(writer, &crowd);
            fold_line(&sleeper);
        }
        assert_true(sleeper.pair_resets > before[0] && sleeper.merged_max > 1);
        assert_int_equal(sleeper.view_resets, before[1] + 1);
        read_until(&sleeper, tick);
        expect_true(&sleeper, &crowd);
        read_until(&reader, tick);
    }
    /* A reader that keeps up gets every tick, and never needs a reset. */
    assert_int_equal(reader.pair_resets, pair_resets);
    assert_int_equal(reader.view_resets, view_resets);

    /* A reader that never wakes keeps neither the room nor the server from ending. */
    for (int i = 0; i < 200; i++) {
        read_until(&reader, shuffle(writer, &crowd));
    }
    session_check_bystanders();
    qd_process_signal(server, SIGTERM);
    assert_int_equal(qd_process_wait(server, DEADLINE_MS), 0);
    qd_pairs_destroy(reader.pairs);
    qd_pairs_destroy(sleeper.pairs);
    qd_view_destroy(reader.views);
    qd_view_destroy(sleeper.views);
}

TEST_MAIN()

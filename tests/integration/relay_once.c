/* SPDX-License-Identifier: Apache-2.0
 *
 * Sessions with the same observers, one of which gets a relay per observer: the others, which get each position once,
 * know the same, exactly or to half a step.
 */
#include <math.h>

#include "quadrille-views.h"
#include "support/rng.h"
#include "support/session.h"
#include "tests/support/test.h"

#define ENTITIES  120u
#define OBSERVERS 30u
#define SIDE      100.0f

struct reader {
    qd_client *client;
    qd_view *views;
    qd_msg_set_view_options options;
    double error;                         /* that it may have on each axis */
    uint32_t resets, blobs, exact, slots; /* of its frames so far */
    size_t relay_bytes;
};

struct crowd {
    uint64_t room;
    uint32_t id[ENTITIES];
    float x[ENTITIES], y[ENTITIES], range[OBSERVERS];
    rng_stream rng;
};

static const float tiers[] = {12, 30};

static uint64_t observe(struct reader *reader, const struct crowd *crowd)
{
    static const uint32_t every[] = {1, 3};

    return qd_client_observe(reader->client, &(qd_msg_observers){.room = crowd->room,
                                                                 .count = OBSERVERS,
                                                                 .id = crowd->id,
                                                                 .entity = crowd->id,
                                                                 .range = crowd->range,
                                                                 .tier_count = 2,
                                                                 .relay_range = tiers,
                                                                 .relay_every = every});
}

/* The room has the options; without that, another session's Step could overtake them. */
static void set_options(struct reader *reader)
{
    session_expect(reader->client, qd_client_set_all_view_options(reader->client, &reader->options),
                   QD_SERVER_ACCEPTED);
}

static void open_reader(struct reader *reader, const struct crowd *crowd, qd_msg_set_view_options options)
{
    options.room = crowd->room;
    *reader = (struct reader){.client = session_open(ADDRESS), .views = qd_view_create(NULL), .options = options};
    session_join(reader->client, "relay once");
    qd_client_confirm(reader->client, true);
    if (options.relay_once) {
        set_options(reader);
    }
    reader->error = options.has_relay_k ? ldexp(1, -options.relay_k - 1) : 0;
    session_expect(reader->client, observe(reader, crowd), QD_SERVER_ACCEPTED);
}

static void close_reader(struct reader *reader)
{
    qd_view_destroy(reader->views);
    session_close(reader->client);
}

static void fold(struct reader *reader, const qd_msg_view *view)
{
    reader->resets += view->reset;
    reader->blobs += view->relay.size > 0;
    reader->exact += view->exact_count;
    reader->slots += view->enter_slot != NULL;
    reader->relay_bytes += view->relay.size + view->exact_count * 12 + view->relay_count * 16;
    assert_true(view->relay_count == 0 || !reader->options.relay_once);
    assert_int_equal(qd_view_apply(reader->views, view), QD_CLIENT_OK);
}

/* Reads up to the end of that tick. */
static void read_tick(struct reader *reader, uint64_t tick)
{
    while (qd_view_tick(reader->views) < tick || !qd_view_known(reader->views)) {
        fold(reader, &session_wait_kind(reader->client, QD_SERVER_VIEW)->as.view);
    }
}

static void spawn(qd_client *client, struct crowd *crowd)
{
    float half[ENTITIES] = {0};

    crowd->rng.state = 1;
    crowd->room = session_open_room(client, "relay once", NULL);
    for (uint32_t i = 0; i < ENTITIES; i++) {
        crowd->id[i] = i * 7;
        crowd->x[i] = SIDE * rng_fraction(&crowd->rng);
        crowd->y[i] = SIDE * rng_fraction(&crowd->rng);
    }
    for (uint32_t i = 0; i < OBSERVERS; i++) {
        crowd->range[i] = 10 + (float)i;
    }
    qd_client_spawn(
        client, crowd->room,
        &(qd_msg_entities){ENTITIES, crowd->id, .x = crowd->x, .y = crowd->y, .half_x = half, .half_y = half}, true);
    session_step(client, crowd->room);
}

/* All walk, and some jump. Now and then an entity goes and comes back with the same id. */
static uint64_t step(qd_client *client, struct crowd *crowd)
{
    const uint32_t again = rng_below(&crowd->rng, ENTITIES);

    for (uint32_t i = 0; i < ENTITIES; i++) {
        crowd->x[i] = rng_one_in(&crowd->rng, 50) ? SIDE * rng_fraction(&crowd->rng)
                                                  : crowd->x[i] + rng_between(&crowd->rng, -1, 1);
        crowd->y[i] = rng_one_in(&crowd->rng, 300) ? crowd->y[i] + 100000 : fmodf(crowd->y[i] + 0.25f, SIDE);
    }
    if (again >= OBSERVERS && rng_one_in(&crowd->rng, 3)) {
        const float half = 0;

        qd_client_despawn(client, crowd->room, crowd->id + again, 1);
        qd_client_spawn(client, crowd->room,
                        &(qd_msg_entities){.count = 1,
                                           .id = crowd->id + again,
                                           .x = crowd->x + again,
                                           .y = crowd->y + again,
                                           .half_x = &half,
                                           .half_y = &half},
                        true);
    }
    qd_client_move(client, crowd->room, &(qd_msg_entities){ENTITIES, crowd->id, .x = crowd->x, .y = crowd->y});
    return session_step(client, crowd->room);
}

/* What `reader` folded is what `plain` folded; a position that came with a relay may be off by the reader's error. An
 * observer may get a position earlier than without, if another observer's tier was due. */
static void expect_alike(const struct reader *plain, const struct reader *reader, const struct crowd *crowd)
{
    size_t cursor = 0, found = 0;

    assert_int_equal(qd_view_count(reader->views), qd_view_count(plain->views));
    for (const qd_view_entity *at; (at = qd_view_next(plain->views, &cursor)) != NULL; found++) {
        const qd_view_entity *seen = qd_view_find(reader->views, at->observer, at->id);

        assert_non_null(seen);
        assert_int_equal(seen->entered, at->entered);
        assert_true(seen->placed >= at->placed);
        if (seen->placed == at->placed) {
            assert_true(fabs((double)seen->x - (double)at->x) <= reader->error);
            assert_true(fabs((double)seen->y - (double)at->y) <= reader->error);
        }
        if (seen->placed == qd_view_tick(reader->views)) {
            const uint32_t i = seen->id / 7;

            assert_true(fabs((double)seen->x - (double)crowd->x[i]) <= reader->error);
            assert_true(fabs((double)seen->y - (double)crowd->y[i]) <= reader->error);
        }
    }
    assert_true(found > OBSERVERS);
}

/* Each entity within the last tier of an observer is where the observer has it. Returns how many there are. */
static uint32_t expect_places(const struct reader *reader, const struct crowd *crowd)
{
    size_t cursor = 0;
    uint32_t found = 0;

    for (const qd_view_entity *at; (at = qd_view_next(reader->views, &cursor)) != NULL;) {
        const uint32_t from = at->observer / 7, to = at->id / 7;

        if (hypot((double)crowd->x[from] - (double)crowd->x[to], (double)crowd->y[from] - (double)crowd->y[to]) <
            (double)tiers[1]) {
            assert_true(fabs((double)at->x - (double)crowd->x[to]) <= reader->error);
            assert_true(fabs((double)at->y - (double)crowd->y[to]) <= reader->error);
            found++;
        }
    }
    return found;
}

SESSION_TEST(positions_sent_once_are_those_sent_per_observer)
{
    qd_client *writer = session_open(ADDRESS);
    struct crowd crowd;
    struct reader plain, others[3];

    spawn(writer, &crowd);
    open_reader(&plain, &crowd, (qd_msg_set_view_options){0});
    open_reader(&others[0], &crowd, (qd_msg_set_view_options){.relay_once = true});
    open_reader(&others[1], &crowd, (qd_msg_set_view_options){.relay_once = true, .has_relay_k = true, .relay_k = 6});
    open_reader(&others[2], &crowd, (qd_msg_set_view_options){.relay_once = true, .has_relay_k = true, .relay_k = 20});
    for (uint32_t i = 0; i < 200; i++) {
        const uint64_t tick = step(writer, &crowd);

        read_tick(&plain, tick);
        for (uint32_t j = 0; j < 3; j++) {
            read_tick(&others[j], tick);
            expect_alike(&plain, &others[j], &crowd);
            assert_int_equal(others[j].resets, 0);
        }
    }
    assert_true(others[0].blobs == 0 && others[0].exact > 0 && others[0].slots > 0);
    assert_true(others[1].blobs >= 199);
    assert_true(others[2].exact > 0);
    assert_true(others[1].relay_bytes * 10 < plain.relay_bytes);
    assert_true(others[0].relay_bytes * 2 < plain.relay_bytes);
    for (uint32_t j = 0; j < 3; j++) {
        close_reader(&others[j]);
    }
    close_reader(&plain);
}

/* A budget that binds sends less per tick, and everything in the end. */
SESSION_TEST(budget_counts_the_bytes_of_blobs_and_delays_positions)
{
    qd_client *writer = session_open(ADDRESS);
    struct crowd crowd;
    struct reader reader;

    spawn(writer, &crowd);
    open_reader(&reader, &crowd,
                (qd_msg_set_view_options){.relay_once = true, .has_relay_k = true, .relay_k = 9, .bytes_max = 120});
    for (uint32_t i = 0; i < 60; i++) {
        read_tick(&reader, step(writer, &crowd)); /* the enters take their time */
    }
    for (uint32_t i = 0; i < 100; i++) {
        const size_t bytes = reader.relay_bytes;

        read_tick(&reader, step(writer, &crowd));
        assert_true(reader.relay_bytes - bytes <= 120);
    }
    for (uint32_t i = 0; i < 60; i++) {
        session_step(writer, crowd.room); /* at rest, what was left over arrives */
    }
    session_settle(reader.client);
    for (const qd_server_message *message; (message = qd_client_next(reader.client)) != NULL;) {
        if (message->kind == QD_SERVER_VIEW) {
            fold(&reader, &message->as.view);
        }
    }
    assert_true(expect_places(&reader, &crowd) > OBSERVERS);
    close_reader(&reader);
}

SESSION_TEST(other_precision_starts_with_a_reset)
{
    qd_client *writer = session_open(ADDRESS);
    struct crowd crowd;
    struct reader plain, reader;

    spawn(writer, &crowd);
    open_reader(&plain, &crowd, (qd_msg_set_view_options){0});
    open_reader(&reader, &crowd, (qd_msg_set_view_options){0});
    for (uint32_t i = 0; i < 40; i++) {
        if (i % 10 == 5) {
            reader.options.relay_once = i != 35;
            reader.options.has_relay_k = i == 15 || i == 25;
            reader.options.relay_k = i == 15 ? 3 : i == 25 ? -2 : 0;
            reader.error = reader.options.has_relay_k ? ldexp(1, -reader.options.relay_k - 1) : 0;
            set_options(&reader);
        }
        const uint64_t tick = step(writer, &crowd);
        read_tick(&plain, tick);
        read_tick(&reader, tick);
        assert_int_equal(reader.resets, (i + 5) / 10);
        if (i < 5) {
            expect_alike(&plain, &reader, &crowd);
        }
    }
    close_reader(&reader);
    close_reader(&plain);
}

/* The enters of the next View, as observer:id/slot + 1. */
static void expect_enters(qd_client *client, uint32_t count, const uint32_t *observer, const uint32_t *id,
                          const uint32_t *slot_and_1)
{
    const qd_msg_view *view = &session_wait_kind(client, QD_SERVER_VIEW)->as.view;

    assert_int_equal(view->enter_count, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(view->enter_observer[i], observer[i]);
        assert_int_equal(view->enter.id[i], id[i]);
        assert_int_equal(view->enter_slot != NULL ? view->enter_slot[i] : 0, slot_and_1[i]);
    }
}
#define LIST(...) ((const uint32_t[]){__VA_ARGS__})

/* Two observers at 0 and 100, and entities that move between them. */
SESSION_TEST(slots_follow_the_views_of_the_session)
{
    qd_client *client = session_open(ADDRESS), *other = session_open(ADDRESS);
    const uint64_t room = session_open_room(client, "slots", NULL);
    const float x[] = {0, 100}, y[] = {0, 0}, range[] = {60, 60};

    session_join(other, "slots");
    qd_client_set_all_view_options(client, &(qd_msg_set_view_options){.room = room, .relay_once = true});
    qd_client_observe(client,
                      &(qd_msg_observers){.room = room, .count = 2, .id = LIST(1, 2), .x = x, .y = y, .range = range});
    session_spawn(client, room, 7, 50, 0);
    session_spawn(client, room, 8, 0, 0);
    session_step(client, room);
    expect_enters(client, 3, LIST(1, 1, 2), LIST(7, 8, 7), LIST(1, 2, 0)); /* the first enter of each has a slot */
    session_move(client, room, 7, 90, 0);
    session_step(client, room);
    expect_enters(client, 0, NULL, NULL, NULL); /* 7 left one of its views */
    session_spawn(client, room, 9, 0, 0);
    session_step(client, room);
    expect_enters(client, 1, LIST(1), LIST(9), LIST(3)); /* and keeps its slot, */
    qd_client_hand_over(client, room, LIST(7), 1, qd_client_welcome(other)->session);
    session_step(client, room);
    session_spawn(client, room, 10, 100, 0);
    session_step(client, room);
    expect_enters(client, 1, LIST(2), LIST(10), LIST(4)); /* also when it is handed over, */
    session_move(other, room, 7, 500, 0);
    session_settle(other);
    session_step(client, room);
    expect_enters(client, 0, NULL, NULL, NULL);
    session_spawn(client, room, 11, 100, 0);
    session_step(client, room);
    expect_enters(client, 1, LIST(2), LIST(11), LIST(1)); /* until its last view ends. */
}

TEST_MAIN_WITH(session_server_setup, session_server_teardown)

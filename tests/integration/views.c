/* SPDX-License-Identifier: Apache-2.0
 *
 * Views over the wire: folded views agree with the rule, also after a client did not read for a while; and
 * refusals.
 */

#include <string.h>
#include <sys/socket.h>

#include "quadrille-views.h"
#include "support/raw.h"
#include "support/rng.h"
#include "support/session.h"
#include "tests/support/test.h"

#define ADDRESS   qd_server_address(session_server)
#define ENTITIES  1000u
#define OBSERVERS 40u

/* Entities that wander about a room, and observers around the first of them. */
struct crowd {
    uint64_t room;
    uint32_t id[ENTITIES];
    float x[ENTITIES], y[ENTITIES];
    float range[OBSERVERS];
    rng_stream rng;
};

static void place_all(struct crowd *crowd)
{
    for (uint32_t i = 0; i < ENTITIES; i++) {
        crowd->x[i] = (float)rng_below(&crowd->rng, 4000) / 4;
        crowd->y[i] = (float)rng_below(&crowd->rng, 4000) / 4;
    }
}

static void spawn_crowd(qd_client *client, struct crowd *crowd, const char *name)
{
    crowd->rng.state = 7;
    crowd->room = session_open_room(client, name, NULL);
    place_all(crowd);
    for (uint32_t i = 0; i < ENTITIES; i++) {
        crowd->id[i] = 10 + i;
    }
    qd_client_spawn(client, crowd->room, &(qd_msg_entities){ENTITIES, crowd->id, .x = crowd->x, .y = crowd->y}, true);
    session_step(client, crowd->room);
}

/* Observer i is at entity i. The entities are the room's, so that anybody may. */
static void observe_all(qd_client *client, struct crowd *crowd)
{
    uint32_t id[OBSERVERS];

    for (uint32_t i = 0; i < OBSERVERS; i++) {
        id[i] = i;
        crowd->range[i] = 50 + (float)i;
    }
    qd_client_observe(
        client, &(qd_msg_observers){
                    .room = crowd->room, .count = OBSERVERS, .id = id, .entity = crowd->id, .range = crowd->range});
}

/* A tenth of them somewhere else, or all. */
static uint64_t wander(qd_client *client, struct crowd *crowd, bool all)
{
    if (all) {
        place_all(crowd);
    }
    for (uint32_t i = 0; i < ENTITIES / 10; i++) {
        uint32_t id = rng_below(&crowd->rng, ENTITIES);

        crowd->x[id] = (float)rng_below(&crowd->rng, 4000) / 4;
        crowd->y[id] = (float)rng_below(&crowd->rng, 4000) / 4;
    }
    qd_client_move(client, crowd->room, &(qd_msg_entities){ENTITIES, crowd->id, .x = crowd->x, .y = crowd->y});
    return session_step(client, crowd->room);
}

static void expect_true_views(const qd_view *views, const struct crowd *crowd)
{
    size_t count = 0;

    assert_true(qd_view_known(views));
    for (uint32_t i = 0; i < OBSERVERS; i++) {
        for (uint32_t k = 0; k < ENTITIES; k++) {
            double dx = (double)crowd->x[k] - (double)crowd->x[i], dy = (double)crowd->y[k] - (double)crowd->y[i];
            double range = (double)crowd->range[i];
            bool sees = i != k && dx * dx + dy * dy <= range * range;

            assert_int_equal(qd_view_find(views, i, crowd->id[k]) != NULL, sees);
            count += sees;
        }
    }
    assert_int_equal(qd_view_count(views), count);
}

/* Folds the View frames in line; returns how many resets there were. */
static uint32_t fold_line(qd_client *client, qd_view *views)
{
    uint32_t resets = 0;

    for (const qd_server_message *message; (message = qd_client_next(client)) != NULL;) {
        if (message->kind == QD_SERVER_APPLIED) {
            continue;
        }
        assert_int_equal(message->kind, QD_SERVER_VIEW);
        resets += message->as.view.reset;
        /* A reset covers all ticks since the last reported one. */
        if (message->as.view.reset) {
            assert_int_equal(message->as.view.merged_ticks, message->as.view.tick - qd_view_tick(views));
        }
        if (qd_view_apply(views, &message->as.view) != QD_CLIENT_OK) {
            fail_msg("tick %llu contradicts the views", (unsigned long long)message->as.view.tick);
        }
    }
    return resets;
}

/* Reads until the views of that tick, which has news, are known. */
static uint32_t read_until(qd_client *client, qd_view *views, uint64_t tick)
{
    uint32_t resets = 0;

    while (!qd_view_known(views) || qd_view_tick(views) < tick) {
        const qd_msg_view *frame = &session_wait_kind(client, QD_SERVER_VIEW)->as.view;

        resets += frame->reset;
        if (qd_view_apply(views, frame) != QD_CLIENT_OK) {
            fail_msg("tick %llu contradicts the views", (unsigned long long)frame->tick);
        }
    }
    return resets;
}

/* The reverse view, from what the other session's own views are. */
static void expect_true_watchers(const qd_view *watchers, const qd_view *views, const struct crowd *crowd,
                                 uint64_t session)
{
    for (uint32_t k = 0; k < ENTITIES; k++) {
        uint32_t count = 0;

        for (uint32_t i = 0; i < OBSERVERS; i++) {
            count += qd_view_find(views, i, crowd->id[k]) != NULL;
        }
        assert_int_equal(qd_view_watchers(watchers, crowd->id[k]), count);
        const qd_view_watcher *watcher = qd_view_watcher_first(watchers, crowd->id[k]);
        for (; watcher != NULL; watcher = qd_view_watcher_after(watchers, watcher)) {
            assert_int_equal(watcher->session, session);
            assert_non_null(qd_view_find(views, watcher->observer, crowd->id[k]));
        }
    }
}

TEST(views_agree_with_the_rule)
{
    static struct crowd crowd;
    qd_client *seer = session_open(ADDRESS), *watcher = session_open(ADDRESS);
    qd_view *views = qd_view_create(NULL), *watchers = qd_view_create(NULL);

    spawn_crowd(seer, &crowd, "crowd");
    session_join(watcher, "crowd");
    qd_client_view_options(watcher, crowd.room, 0, QD_WATCH_ALL);
    session_settle(watcher);
    observe_all(seer, &crowd);
    for (int i = 0; i < 30; i++) {
        uint64_t tick = wander(seer, &crowd, i % 10 == 0);

        assert_int_equal(fold_line(seer, views), 0);
        expect_true_views(views, &crowd);
        read_until(watcher, watchers, tick);
        expect_true_watchers(watchers, views, &crowd, qd_client_welcome(seer)->session);
    }
    const qd_msg_room_stats *stats =
        &session_expect(seer, qd_client_get_stats(seer, crowd.room), QD_SERVER_STATS)->as.stats.room;
    assert_int_equal(stats->observers, OBSERVERS);
    assert_int_equal(stats->seen, qd_view_count(views));
    assert_int_equal(stats->enters - stats->leaves, stats->seen);
    /* With the connection go its observers. */
    qd_client_destroy(seer);
    qd_client *third = session_open(ADDRESS);
    session_join(third, "crowd");
    while (session_expect(third, qd_client_get_stats(third, crowd.room), QD_SERVER_STATS)->as.stats.room.sessions > 2) {
    }
    read_until(watcher, watchers, session_step(third, crowd.room));
    for (uint32_t k = 0; k < ENTITIES; k++) {
        assert_int_equal(qd_view_watchers(watchers, crowd.id[k]), 0);
    }
    qd_client_destroy(third);
    qd_client_destroy(watcher);
    qd_view_destroy(views);
    qd_view_destroy(watchers);
}

/* In a room with a clock, in which nobody is subscribed. */
TEST(views_without_subscribers_follow_the_room_clock)
{
    static const uint32_t observer[] = {5};
    static const float at[] = {30}, range[] = {10};
    qd_client *client = session_open(ADDRESS);
    qd_view *views = qd_view_create(NULL);
    const qd_msg_room_config config = {
        .has_bounds = true, .bounds = {.max_x = 100, .max_y = 100}, .tick_hz = 200, .swept = true};
    uint64_t room = session_open_room(client, "clock", &config);

    session_spawn(client, room, 1, 35, 30);
    qd_client_observe(client,
                      &(qd_msg_observers){.room = room, .count = 1, .id = observer, .x = at, .y = at, .range = range});
    read_until(client, views, 1);
    assert_non_null(qd_view_find(views, 5, 1));
    session_move(client, room, 1, 90, 90);
    const qd_msg_view *view = &session_wait_kind(client, QD_SERVER_VIEW)->as.view;
    assert_int_equal(view->leave_count, 1);
    assert_int_equal(view->leave_reason[0], QD_LEAVE_RANGE);
    qd_client_destroy(client);
    qd_view_destroy(views);
}

TEST(slow_reader_of_views_gets_a_reset)
{
    qd_process *server = qd_server_start(QD_ARGS("--queue-max", "128K", "--slow-ms-max", "600000"));
    const char *address = qd_server_address(server);
    static struct crowd crowd;
    session_witness witness;

    session_witness_open(&witness, address);
    qd_client *writer = session_open(address), *sleeper = session_open(address);
    setsockopt(qd_client_socket(sleeper), SOL_SOCKET, SO_RCVBUF, &(int){65536}, sizeof(int));
    qd_view *views = qd_view_create(NULL);
    spawn_crowd(writer, &crowd, "crowd");
    session_join(sleeper, "crowd");
    observe_all(sleeper, &crowd);
    session_settle(sleeper);
    uint32_t resets = 0;
    for (int round = 0; round < 2; round++) {
        /* Some 20 KB of enters and leaves a tick: far more than the system and the queue hold between them. */
        uint64_t tick = 0;

        for (int i = 0; i < 300; i++) {
            tick = wander(writer, &crowd, true);
        }
        session_witness_check(&witness);
        /* First the queued frames, then the frames of the next ticks. */
        uint32_t before = resets;
        for (int i = 0; i < 1000 && resets == before; i++) {
            session_settle(sleeper);
            resets += fold_line(sleeper, views);
            tick = wander(writer, &crowd, false);
        }
        assert_int_equal(resets, before + 1);
        read_until(sleeper, views, tick);
        expect_true_views(views, &crowd);
    }
    session_witness_close(&witness);
    qd_client_destroy(writer);
    qd_client_destroy(sleeper);
    qd_view_destroy(views);
    session_server_stop(server);
}

TEST(view_requests_with_bad_values_are_refused)
{
    static const uint32_t ids[] = {1, 2, 3, 9};
    static const float some[] = {1, 2, 3, 4};
    static const uint8_t regions[] = {1, 2, 3, 4};
    session_witness witness;

    session_witness_open(&witness, ADDRESS);
    qd_client *client = session_open(ADDRESS), *other = session_open(ADDRESS);
    uint64_t room = session_open_room(client, "refusals", NULL);
    session_join(other, "refusals");
    session_spawn(client, room, 1, 0, 0);
    session_spawn(other, room, 2, 0, 0);
    session_settle(other);
    session_expect_error(client,
                         qd_client_observe(client, &(qd_msg_observers){.room = room + 1, .count = 4, .id = ids}),
                         QD_ERROR_UNKNOWN_ROOM, "no room with handle");
    session_expect_error(client, qd_client_observe(client, &(qd_msg_observers){.room = room, .count = 4, .id = ids}),
                         QD_ERROR_COLUMNS, "column x is missing");
    session_expect_error(
        client,
        qd_client_observe(client,
                          &(qd_msg_observers){.room = room, .count = 4, .id = ids, .x = some, .y = some, .z = some}),
        QD_ERROR_INVALID, "z has values, but the room has two dimensions");
    session_expect_error(
        client, qd_client_except(client, &(qd_msg_except){.room = room, .observer = 5, .show_count = 1, .show = ids}),
        QD_ERROR_UNKNOWN_OBSERVER, "observer is 5");
    session_expect_error(client, qd_client_why(client, room, 1, 77), QD_ERROR_UNKNOWN_ID, "b is 77");
    /* Another's entity; one that is none; a cone that looks nowhere; no region at all: each alone, and for itself. */
    static const uint32_t anchors[] = {1, 2, 77, 1};
    static const uint8_t anchored[] = {1, 1, 1, 1};
    uint32_t seq = qd_client_observe(
        client, &(qd_msg_observers){
                    .room = room, .count = 4, .id = ids, .entity = anchors, .anchored = anchored, .range = some});
    session_expect_entries(client, seq, 2, (const uint32_t[]){1, 2},
                           (const qd_error_code[]){QD_ERROR_NOT_OWNER, QD_ERROR_UNKNOWN_ID});
    static const float nowhere[] = {0, 0, 0, 0};
    seq = qd_client_observe(client, &(qd_msg_observers){.room = room,
                                                        .count = 4,
                                                        .id = ids,
                                                        .region = regions,
                                                        .x = some,
                                                        .y = some,
                                                        .direction_x = nowhere,
                                                        .direction_y = nowhere,
                                                        .angle = some});
    session_expect_entries(client, seq, 2, (const uint32_t[]){2, 3},
                           (const qd_error_code[]){QD_ERROR_BAD_REGION, QD_ERROR_BAD_REGION});
    session_step(client, room);
    session_witness_check(&witness);
    session_witness_close(&witness);
    qd_client_destroy(client);
    qd_client_destroy(other);
}

/* A column of another length, and bytes that are none of the message. */
TEST(broken_view_messages_are_refused)
{
    static const uint8_t unequal[] = {0x08, 0x05, 0xa2, 0x01, 0x0e, 0x08, 0x07, 0x12, 0x04, 1, 0, 0, 0, 0x1a, 2, 1, 1};
    static const uint8_t payload[] = {0x08, 0x06, 0x9a, 0x01, 0x0b, 0x08, 0x07, 0x12, 0x04, 1, 0, 0, 0, 0x2a, 1, 9};
    static const uint8_t broken[] = {0x08, 0x07, 0xa2, 0x01, 0x04, 0x12, 0x04, 1, 0};
    raw_link *raw = raw_open_session(ADDRESS);
    uint8_t frame[32];

    memcpy(frame, unequal, sizeof unequal);
    frame[4] = sizeof unequal - 5;
    raw_send_frame(raw, frame, sizeof unequal);
    raw_expect_error(raw, 5, QD_ERROR_COLUMNS, "column region has 2 values, column id has 1");
    memcpy(frame, payload, sizeof payload);
    frame[4] = sizeof payload - 5;
    raw_send_frame(raw, frame, sizeof payload);
    raw_expect_error(raw, 6, QD_ERROR_COLUMNS, "column payload has 0 bytes, column payload_size adds up to 9");
    raw_send_frame(raw, broken, sizeof broken);
    raw_expect_end(raw, QD_ERROR_MALFORMED, NULL);
    raw_close(raw);
}

TEST_MAIN_WITH(session_server_setup, session_server_teardown)

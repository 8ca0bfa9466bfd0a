/* SPDX-License-Identifier: Apache-2.0
 *
 * Two programs on the session layer, whose packets are lost, delayed and reordered, whose connections are reset, and
 * whose segments carry one byte. The server is in one network namespace, the programs are in another.
 *
 * The writer moves all in a step room and a clock room. After each tick, and so after each connection, its sets of pairs
 * and views equal brute force. The reader watches the step room over a connection of its own: its sets equal brute force
 * over the positions of each tick that reaches it, also of the one after a reset.
 *
 * QD_SEED sets the seed, which else comes from the clock. It decides the changes and the faults; the kernel's timers
 * decide the rest.
 */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "client/quadrille-session.h"
#include "support/bad_network.h"
#include "support/checked_room.h"
#include "support/session.h"
#include "tests/support/test.h"

#define MOMENTS          4096u
#define READER_OBSERVERS 6u
#define ROUND_MS_MAX     60000u
#define SETTLE_MS_MAX    60000u

/* The step room at one tick. */
struct moment {
    uint64_t tick;
    qd_body bodies[CHECKED_IDS];
    bool hides[CHECKED_IDS];
};

struct reader {
    qd_session *session;
    qd_room *room;
    const struct moment *moments;
    qd_observer observers[READER_OBSERVERS];
    uint64_t observed; /* the last request for an observer; 0: a tick has it */
    uint64_t viewed;   /* the tick of the last check of views */
    bool after_reset;
    uint32_t checks, reset_checks, view_checks;
};

struct play {
    uint64_t seed;
    rng_stream rng;
    qd_process *server;
    qd_session *writer;
    struct checked_room rooms[2];
    struct reader reader;
    struct moment moments[MOMENTS];
    uint64_t connects;         /* of the writer, at the last check */
    uint32_t reconnect_checks; /* checks after a new connection of the writer */
};

/* What a network does to both, and how often they must connect again meanwhile. */
struct phase {
    const char *name;
    uint32_t seconds, connects_min, rounds_min;
    struct bad_network_faults faults;
};

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* ---- the reader ---- */

static const struct moment *moment_of(const struct reader *reader, uint64_t tick)
{
    const struct moment *moment = &reader->moments[tick % MOMENTS];

    if (moment->tick != tick) {
        fail_msg("the reader has tick %u, which the writer has not made, or more than %u ticks ago", (unsigned)tick,
                 MOMENTS);
    }
    return moment;
}

static void on_reset(qd_room *room, void *context)
{
    struct reader *reader = context;

    (void)room;
    reader->after_reset = true;
}

static void on_tick(qd_room *room, uint64_t tick, void *context)
{
    struct reader *reader = context;
    const struct moment *moment = moment_of(reader, tick);
    const qd_pairs *pairs = qd_room_pairs(room);
    size_t count = 0;

    for (uint32_t a = 0; a < CHECKED_IDS; a++) {
        for (uint32_t b = a + 1; b < CHECKED_IDS; b++) {
            const bool touch = checked_touch(moment->bodies, a, b);

            if (qd_pairs_contain(pairs, a, b) != touch) {
                fail_msg("the reader, tick %u: %u and %u touch: %d; in the set: %d", (unsigned)tick, a, b, touch,
                         !touch);
            }
            count += touch;
        }
    }
    assert_int_equal(qd_pairs_count(pairs), count);
    reader->checks++;
    reader->reset_checks += reader->after_reset;
    reader->after_reset = false;
}

static void on_applied(qd_room *room, uint64_t request, uint64_t made, void *context)
{
    struct reader *reader = context;

    (void)room;
    (void)made;
    reader->observed = request >= reader->observed ? 0 : reader->observed;
}

static void check_reader_views(struct reader *reader)
{
    if (reader->room == NULL || reader->observed != 0 || !qd_room_settled(reader->room)) {
        return;
    }
    const uint64_t tick = qd_room_tick(reader->room);
    if (tick == reader->viewed) {
        return;
    }
    const struct moment *moment = moment_of(reader, tick);
    for (uint32_t i = 0; i < READER_OBSERVERS; i++) {
        const qd_observer *observer = &reader->observers[i];

        for (uint32_t id = 0; id < CHECKED_IDS; id++) {
            const bool expected =
                !moment->hides[id] && checked_within(observer->x, observer->y, observer->range, &moment->bodies[id]);

            if ((qd_view_find(qd_room_view(reader->room), i, id) != NULL) != expected) {
                fail_msg("the reader, tick %u: its observer %u sees %u: %d; in the view: %d", (unsigned)tick, i, id,
                         expected, !expected);
            }
        }
    }
    reader->view_checks++;
    reader->viewed = tick;
}

/* ---- sessions ---- */

static qd_session *create_session(struct play *play, const char *name, const qd_session_handlers *handlers)
{
    const qd_session_options options = {.size = sizeof options,
                                        .name = name,
                                        .connect_ms = 2000,
                                        .ping_ms = 400,
                                        .dead_ms = 2000,
                                        .backoff_ms = 20,
                                        .backoff_max_ms = 200,
                                        .seed = rng_draw_64(&play->rng)};
    qd_session *session = qd_session_create(qd_server_address(play->server), &options, handlers);

    assert_non_null(session);
    return session;
}

/* Serves both sessions for a moment. */
static void serve(struct play *play)
{
    qd_session *sessions[] = {play->writer, play->reader.session};
    struct pollfd ready[2];
    int wait_ms = 100;

    for (int i = 0; i < 2; i++) {
        const int next_ms = qd_session_timeout(sessions[i]);

        ready[i] = (struct pollfd){.fd = qd_session_fd(sessions[i]), .events = POLLIN};
        wait_ms = next_ms >= 0 && next_ms < wait_ms ? next_ms : wait_ms;
    }
    poll(ready, 2, wait_ms);
    qd_session_process(sessions[0]);
    qd_session_process(sessions[1]);
    check_reader_views(&play->reader);
}

static void await(struct play *play, struct checked_room *room)
{
    const uint64_t end_ms = now_ms() + ROUND_MS_MAX;

    while (qd_room_wait(room->room, room->requested, 0, NULL) == QD_OUTCOME_TIMEOUT && now_ms() < end_ms) {
        serve(play);
    }
    checked_room_await(room, false);
}

/* Ticks both rooms, and compares all that the writer has. */
static void tick(struct play *play)
{
    struct checked_room *steps = &play->rooms[0];
    struct moment *moment = &play->moments[(steps->tick + 1) % MOMENTS];

    moment->tick = steps->tick + 1;
    memcpy(moment->bodies, steps->bodies, sizeof moment->bodies);
    memcpy(moment->hides, steps->hides, sizeof moment->hides);
    for (int i = 0; i < 2; i++) {
        checked_room_request(&play->rooms[i]);
    }
    for (int i = 0; i < 2; i++) {
        await(play, &play->rooms[i]);
    }
    for (int i = 0; i < 2; i++) {
        checked_room_check(&play->rooms[i]);
    }
    play->reconnect_checks += qd_session_connects(play->writer) != play->connects;
    play->connects = qd_session_connects(play->writer);
}

static void change(struct play *play)
{
    checked_room_change(&play->rooms[0]);
    checked_room_change(&play->rooms[1]);
}

static bool are_settled(const struct play *play)
{
    return qd_room_settled(play->rooms[0].room) && qd_room_settled(play->rooms[1].room) &&
           qd_room_settled(play->reader.room) && qd_room_tick(play->reader.room) == play->rooms[0].tick;
}

/* Changes and ticks until both sessions have everything. The reader gets no frame of a tick without events. */
static void settle(struct play *play)
{
    const uint64_t end_ms = now_ms() + SETTLE_MS_MAX;

    do {
        change(play);
        tick(play);
        for (int i = 0; i < 20 && !are_settled(play); i++) {
            serve(play);
        }
    } while (!are_settled(play) && now_ms() < end_ms);
    if (!are_settled(play)) {
        fail_msg("not settled: the writer's rooms %d and %d at tick %u, the reader's %d at tick %u",
                 qd_room_settled(play->rooms[0].room), qd_room_settled(play->rooms[1].room),
                 (unsigned)play->rooms[0].tick, qd_room_settled(play->reader.room),
                 (unsigned)qd_room_tick(play->reader.room));
    }
}

static void begin(struct play *play)
{
    static qd_session_handlers reads = {
        .size = sizeof reads, .reset = on_reset, .tick = on_tick, .applied = on_applied};
    struct reader *reader = &play->reader;

    play->writer = create_session(play, "writer", &checked_room_handlers);
    checked_room_begin(&play->rooms[0], play->writer, "steps", true, 5000, &play->rng);
    checked_room_begin(&play->rooms[1], play->writer, "clock", false, 5000, &play->rng);
    reads.refused = checked_room_handlers.refused;
    reads.context = reader;
    reader->session = create_session(play, "reader", &reads);
    tick(play);
    reader->moments = play->moments;
    reader->room = qd_session_room(reader->session, "steps", NULL);
    qd_room_subscribe(reader->room, QD_SCOPE_ALL, false);
    for (uint32_t i = 0; i < READER_OBSERVERS; i++) {
        reader->observers[i] = (qd_observer){.id = i,
                                             .x = (float)rng_below(&play->rng, CHECKED_SIDE),
                                             .y = (float)rng_below(&play->rng, CHECKED_SIDE),
                                             .range = (float)(5 + rng_below(&play->rng, 20))};
        reader->observed = qd_room_observe_one(reader->room, reader->observers[i]);
    }
    settle(play);
}

static void end(struct play *play)
{
    qd_session_destroy(play->writer);
    qd_session_destroy(play->reader.session);
    qd_process_signal(play->server, SIGTERM);
    assert_int_equal(qd_process_wait(play->server, DEADLINE_MS), 0);
    qd_process_destroy(play->server);
}

static void run_phase(const struct phase *phase)
{
    static struct play play;
    const char *seed = getenv("QD_SEED");
    uint32_t rounds = 0;

    bad_network_set(NULL); /* a phase that failed has left its faults */
    const struct bad_network_counts before = bad_network_counts();
    play = (struct play){.seed = seed != NULL ? strtoull(seed, NULL, 10) : now_ms()};
    play.rng.state = play.seed;
    print_message("%s: QD_SEED=%llu\n", phase->name, (unsigned long long)play.seed);
    bad_network_enter(BAD_NETWORK_SERVER_SIDE);
    play.server = qd_server_start(QD_ARGS("--listen", BAD_NETWORK_SERVER ":0", "--insecure"));
    bad_network_enter(BAD_NETWORK_CLIENT);
    begin(&play);
    bad_network_set(&phase->faults);
    for (const uint64_t end_ms = now_ms() + phase->seconds * 1000u; now_ms() < end_ms; rounds++) {
        change(&play);
        tick(&play);
    }
    bad_network_set(NULL);
    settle(&play);
    const struct bad_network_counts now = bad_network_counts();
    const struct bad_network_counts made = {now.packets - before.packets, now.lost - before.lost,
                                            now.resets - before.resets, now.one_byte - before.one_byte,
                                            now.overruns - before.overruns};
    const uint64_t connects = qd_session_connects(play.writer) + qd_session_connects(play.reader.session);
    const uint64_t resumes = qd_session_resumes(play.writer) + qd_session_resumes(play.reader.session);
    print_message("%u rounds, %u connections of which %u resumed; %u packets, %u lost, %u resets, %u of one byte, "
                  "%u overruns; pairs checked %u, %u and %u times, views %u, %u and %u times; after a new connection "
                  "%u and %u times\n",
                  rounds, (unsigned)connects, (unsigned)resumes, (unsigned)made.packets, (unsigned)made.lost,
                  (unsigned)made.resets, (unsigned)made.one_byte, (unsigned)made.overruns, play.rooms[0].checks,
                  play.rooms[1].checks, play.reader.checks, play.rooms[0].view_checks, play.rooms[1].view_checks,
                  play.reader.view_checks, play.reconnect_checks, play.reader.reset_checks);
    assert_true(rounds >= phase->rounds_min && play.reader.checks >= phase->rounds_min / 2);
    assert_true(play.reader.view_checks > 0 && play.rooms[0].pairs > rounds && play.rooms[1].view_checks > rounds / 4);
    assert_true(connects >= phase->connects_min);
    assert_true(phase->connects_min <= 2 || (resumes > 0 && play.reconnect_checks + play.reader.reset_checks > 3));
    assert_int_equal(made.lost > 0, phase->faults.loss_permille > 0 || phase->faults.dead_ms_max > 0);
    assert_int_equal(made.resets > 0, phase->faults.reset_ms_max > 0);
    assert_int_equal(made.one_byte > 0, phase->faults.one_byte);
    end(&play);
}

TEST(loss_and_jitter_keep_the_sets_right)
{
    run_phase(
        &(struct phase){.name = "loss and jitter",
                        .seconds = 13,
                        .connects_min = 3,
                        .rounds_min = 4,
                        .faults = {.loss_permille = 50, .delay_ms = 100, .jitter_ms = 200, .reset_ms_max = 5000}});
}

TEST(resets_keep_the_sets_right)
{
    run_phase(&(struct phase){.name = "resets",
                              .seconds = 8,
                              .connects_min = 10,
                              .rounds_min = 20,
                              .faults = {.delay_ms = 2, .jitter_ms = 2, .reset_ms_max = 400}});
}

TEST(segments_of_one_byte_keep_the_sets_right)
{
    run_phase(&(struct phase){.name = "segments of one byte",
                              .seconds = 7,
                              .connects_min = 2,
                              .rounds_min = 8,
                              .faults = {.one_byte = true}});
}

TEST(all_faults_at_once_keep_the_sets_right)
{
    run_phase(&(struct phase){.name = "all at once",
                              .seconds = 14,
                              .connects_min = 3,
                              .rounds_min = 2,
                              .faults = {.loss_permille = 5,
                                         .delay_ms = 10,
                                         .jitter_ms = 20,
                                         .reset_ms_max = 3000,
                                         .dead_ms_max = 2000,
                                         .one_byte = true}});
}

static int open_network(void **state)
{
    char problem[BAD_NETWORK_PROBLEM_SIZE];

    (void)state;
    if (!bad_network_open(now_ms(), problem)) {
        print_message("skipped: %s\n", problem);
        exit(77);
    }
    return 0;
}

static int close_network(void **state)
{
    (void)state;
    bad_network_close();
    return 0;
}

TEST_MAIN_WITH(open_network, close_network)

/* SPDX-License-Identifier: Apache-2.0
 *
 * A program on the session layer, whose connections break at random moments, 1,000 times. The program has no line about
 * that. After each settled tick its sets of pairs and views equal brute force over its own positions, and so does what
 * the handlers have reported. Every Step makes exactly one tick.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "client/quadrille-session.h"
#include "support/oracle.h"
#include "support/proxy.h"
#include "support/rng.h"
#include "support/session.h"
#include "tests/support/test.h"

#define IDS              48u
#define ROSTER           24u /* these ids are on the roster */
#define OBSERVERS        8u  /* the first half is anchored */
#define SIDE             60u
#define WAIT_MS          20000
#define SETTLE_TICKS_MAX 200

struct watcher {
    bool used;
    float x, y, range;
};

/* What the program wants the room to be, and what the handlers have reported. */
struct world {
    qd_session *session;
    qd_room *room;
    bool steps, hides[IDS];
    rng_stream *rng;
    qd_body bodies[IDS]; /* shape 0: not there */
    uint64_t tags[IDS];
    uint32_t spawns;
    struct watcher watchers[OBSERVERS];
    bool reported[IDS][IDS];
    bool seen[OBSERVERS][IDS];
    uint64_t tick;
    uint32_t checks, view_checks, pairs;
};

static float place(struct world *world)
{
    return (float)rng_below(world->rng, SIDE * 4) / 4;
}

/* ---- the handlers ---- */

static void on_begin(qd_room *room, uint32_t a, uint32_t b, void *context)
{
    struct world *world = qd_room_context(room);

    (void)context;
    assert_false(world->reported[a][b]);
    world->reported[a][b] = true;
}

static void on_end(qd_room *room, uint32_t a, uint32_t b, qd_end_reason reason, void *context)
{
    struct world *world = qd_room_context(room);

    (void)context;
    (void)reason;
    assert_true(world->reported[a][b]);
    world->reported[a][b] = false;
}

static void on_enter(const qd_view_entity *entity, void *context)
{
    struct world *world = context;

    assert_false(world->seen[entity->observer][entity->id]);
    world->seen[entity->observer][entity->id] = true;
}

static void on_leave(const qd_view_entity *entity, qd_leave_reason reason, void *context)
{
    struct world *world = context;

    (void)reason;
    assert_true(world->seen[entity->observer][entity->id]);
    world->seen[entity->observer][entity->id] = false;
}

static void on_refused(qd_session *session, qd_room *room, const qd_refusal *refusal, void *context)
{
    (void)session;
    (void)context;
    fail_msg("%s: request %u of kind %d is refused: %s (%s), %u entries", room != NULL ? qd_room_name(room) : "session",
             (unsigned)refusal->request, (int)refusal->kind, refusal->text, qd_error_code_name(refusal->code),
             refusal->entry_count);
}

/* ---- changes ---- */

static void spawn(struct world *world, uint32_t id)
{
    qd_body *body = &world->bodies[id];
    bool circle = rng_one_in(world->rng, 2);
    float size = (float)(1 + rng_below(world->rng, 12)) / 4;

    *body = (qd_body){.x = place(world),
                      .y = place(world),
                      .half_x = size,
                      .half_y = circle ? 0 : size / 2,
                      .category = 1,
                      .mask = UINT32_MAX,
                      .shape = circle ? QD_SPACE_CIRCLE : QD_SPACE_BOX};
    qd_room_spawn_one(world->room, circle ? qd_circle(id, body->x, body->y, size)
                                          : qd_box(id, body->x, body->y, body->half_x, body->half_y));
    const uint8_t hidden = world->hides[id] = rng_one_in(world->rng, 8);
    world->tags[id] = ++world->spawns;
    qd_msg_set_description description = {.count = 1, .id = &id, .tag = &world->tags[id], .hidden = &hidden};
    qd_room_set_description(world->room, &description);
}

static void despawn(struct world *world, uint32_t id)
{
    qd_room_despawn(world->room, &id, 1);
    world->bodies[id].shape = 0;
}

static void watch(struct world *world, uint32_t i)
{
    struct watcher *watcher = &world->watchers[i];

    watcher->used = true;
    watcher->range = (float)(5 + rng_below(world->rng, 20));
    if (i < OBSERVERS / 2) {
        qd_room_observe_one(world->room, qd_observer_of(i, i, watcher->range, 0));
        return;
    }
    watcher->x = place(world);
    watcher->y = place(world);
    qd_observer observer = {.id = i, .x = watcher->x, .y = watcher->y, .range = watcher->range};
    qd_room_observe_one(world->room, observer);
}

static void move_roster(struct world *world)
{
    float x[ROSTER], y[ROSTER];

    for (uint32_t i = 0; i < ROSTER; i++) {
        x[i] = world->bodies[i].x = place(world);
        y[i] = world->bodies[i].y = place(world);
    }
    qd_room_move_roster(world->room, 3, x, y, NULL, ROSTER);
}

static void move_some(struct world *world)
{
    uint32_t ids[IDS], count = 0;
    float x[IDS], y[IDS];

    for (uint32_t id = ROSTER; id < IDS; id++) {
        if (world->bodies[id].shape != 0 && rng_one_in(world->rng, 2)) {
            ids[count] = id;
            x[count] = world->bodies[id].x = place(world);
            y[count++] = world->bodies[id].y = place(world);
        }
    }
    if (rng_one_in(world->rng, 4)) {
        qd_room_teleport(world->room, ids, x, y, NULL, count);
    } else {
        qd_room_move(world->room, ids, x, y, NULL, count);
    }
}

static void reshape(struct world *world, uint32_t id)
{
    if (world->bodies[id].shape == QD_SPACE_CIRCLE) {
        const float radius = world->bodies[id].half_x = (float)(1 + rng_below(world->rng, 12)) / 4;

        qd_room_reshape(world->room, &(qd_msg_entities){.count = 1, .id = &id, .radius = &radius});
    }
}

static void change(struct world *world)
{
    uint32_t other = ROSTER + rng_below(world->rng, IDS - ROSTER), observer = rng_below(world->rng, OBSERVERS);

    move_roster(world);
    move_some(world);
    if (world->bodies[other].shape == 0) {
        spawn(world, other);
    } else if (rng_one_in(world->rng, 2)) {
        despawn(world, other);
    } else {
        reshape(world, other);
    }
    if (!world->watchers[observer].used || rng_one_in(world->rng, 3)) {
        watch(world, observer);
    } else if (observer >= OBSERVERS / 2) {
        struct watcher *watcher = &world->watchers[observer];

        watcher->x = place(world);
        watcher->y = place(world);
        qd_room_move_observers(world->room,
                               &(qd_msg_observers){.count = 1, .id = &observer, .x = &watcher->x, .y = &watcher->y});
    } else if (rng_one_in(world->rng, 3)) {
        qd_room_unobserve(world->room, &observer, 1);
        world->watchers[observer].used = false;
    }
}

/* ---- checks ---- */

static void check_pairs(struct world *world)
{
    const qd_pairs *pairs = qd_room_pairs(world->room);
    size_t count = 0;

    for (uint32_t a = 0; a < IDS; a++) {
        for (uint32_t b = a + 1; b < IDS; b++) {
            const qd_body *one = &world->bodies[a], *other = &world->bodies[b];
            bool touch = one->shape != 0 && other->shape != 0 && oracle_overlap(one, other) == ORACLE_OVERLAP;

            if (qd_pairs_contain(pairs, a, b) != touch || world->reported[a][b] != touch) {
                fail_msg("%s, tick %u: %u and %u touch: %d; in the set: %d; reported: %d", qd_room_name(world->room),
                         (unsigned)world->tick, a, b, touch, qd_pairs_contain(pairs, a, b), world->reported[a][b]);
            }
            count += touch;
        }
    }
    assert_int_equal(qd_pairs_count(pairs), count);
    world->pairs += (uint32_t)count;
    world->checks++;
}

static bool sees(const struct world *world, uint32_t observer, uint32_t id)
{
    const struct watcher *watcher = &world->watchers[observer];
    const qd_body *body = &world->bodies[id];
    bool anchored = observer < OBSERVERS / 2;
    float x = anchored ? world->bodies[observer].x : watcher->x, y = anchored ? world->bodies[observer].y : watcher->y;
    double dx = (double)body->x - x, dy = (double)body->y - y;

    return watcher->used && body->shape != 0 && !world->hides[id] && !(anchored && observer == id) &&
           dx * dx + dy * dy <= (double)watcher->range * watcher->range;
}

static void check_views(struct world *world)
{
    const qd_view *view = qd_room_view(world->room);

    for (uint32_t i = 0; i < OBSERVERS; i++) {
        for (uint32_t id = 0; id < IDS; id++) {
            const qd_view_entity *found = qd_view_find(view, i, id);
            bool expected = sees(world, i, id);

            if ((found != NULL) != expected || world->seen[i][id] != expected) {
                fail_msg("%s, tick %u: %u sees %u: %d; in the view: %d; reported: %d", qd_room_name(world->room),
                         (unsigned)world->tick, i, id, expected, found != NULL, world->seen[i][id]);
            }
            /* In a clock room, an entity may enter before its description comes. */
            assert_true(found == NULL || !world->steps || found->tag == world->tags[id]);
        }
    }
    world->view_checks++;
}

static void check(struct world *world)
{
    check_pairs(world);
    /* In a step room, views may wait for a further tick. */
    if (qd_room_settled(world->room)) {
        check_views(world);
    }
}

/* ---- the program ---- */

static void begin_world(struct world *world, qd_session *session, const char *name, bool steps, uint32_t grace_ms,
                        rng_stream *rng)
{
    const qd_view_handlers handlers = {.enter = on_enter, .leave = on_leave, .context = world};
    qd_msg_room_config config = {.has_bounds = true,
                                 .bounds = {.max_x = SIDE, .max_y = SIDE},
                                 .tick_mode = steps ? QD_TICK_MODE_STEP : QD_TICK_MODE_CLOCK,
                                 .tick_hz = steps ? 0 : 100,
                                 .has_grace_ms = true,
                                 .grace_ms = grace_ms};
    uint32_t ids[ROSTER];

    *world = (struct world){.session = session, .steps = steps, .rng = rng};
    world->room = qd_session_room(session, name, &config);
    qd_room_set_context(world->room, world);
    assert_true(qd_room_handle_views(world->room, &handlers));
    qd_room_subscribe(world->room, QD_SCOPE_ALL, false);
    for (uint32_t id = 0; id < IDS; id++) {
        if (id < ROSTER || id % 2 == 0) {
            spawn(world, id);
        }
    }
    for (uint32_t i = 0; i < ROSTER; i++) {
        ids[i] = i;
    }
    qd_room_set_roster(world->room, 3, ids, ROSTER);
    for (uint32_t i = 0; i < OBSERVERS; i++) {
        watch(world, i);
    }
}

/* `restarted`: since the last tick, the server may have been replaced. */
static void tick(struct world *world, bool restarted)
{
    uint64_t made;
    qd_outcome outcome;

    uint64_t request = world->steps ? qd_room_step(world->room) : 0;
    if (!world->steps || rng_one_in(world->rng, 2)) {
        /* To where it is. Behind a Step, it belongs to the next tick. */
        uint32_t id = 0;
        const float x = world->bodies[0].x, y = world->bodies[0].y;
        uint64_t move = qd_room_move(world->room, &id, &x, &y, NULL, 1);

        request = world->steps ? request : move;
    }
    outcome = qd_room_wait(world->room, request, WAIT_MS, &made);
    if (outcome != QD_OUTCOME_OK) {
        fail_msg("%s after tick %u: %s; %s", qd_room_name(world->room), (unsigned)world->tick, qd_outcome_text(outcome),
                 qd_session_problem(world->session));
    }
    if (world->steps && made != world->tick + 1 && !(restarted && made == 1)) {
        fail_msg("%s: tick %u follows tick %u", qd_room_name(world->room), (unsigned)made, (unsigned)world->tick);
    }
    world->tick = made;
}

struct scenario {
    const char *const *arguments; /* of the server */
    const char *token;
    uint32_t grace_ms, cuts, rounds_per_restart; /* 0: no restarts */
    bool resumes;
};

static bool are_settled(const struct world worlds[2])
{
    return qd_room_settled(worlds[0].room) && qd_room_settled(worlds[1].room);
}

static void play(const struct scenario *scenario, uint64_t seed)
{
    static struct world worlds[2];
    rng_stream rng = {seed};
    qd_process *server = qd_server_start(scenario->arguments);
    struct proxy *proxy = proxy_start(qd_server_address(server), seed + 1);
    qd_session_options options = {.size = sizeof options,
                                  .token = scenario->token,
                                  .name = "session_cuts",
                                  .connect_ms = 60,
                                  .ping_ms = 20,
                                  .dead_ms = 60,
                                  .backoff_ms = 2,
                                  .backoff_max_ms = 20,
                                  .seed = seed};
    qd_session_handlers handlers = {.size = sizeof handlers, .begin = on_begin, .end = on_end, .refused = on_refused};
    qd_session *session = qd_session_create(proxy_address(proxy), &options, &handlers);
    uint32_t round;

    begin_world(&worlds[0], session, "steps", true, scenario->grace_ms, &rng);
    begin_world(&worlds[1], session, "clock", false, scenario->grace_ms, &rng);
    for (round = 1; proxy_cuts(proxy) < scenario->cuts; round++) {
        bool restarts = scenario->rounds_per_restart > 0 && round % scenario->rounds_per_restart == 0;

        change(&worlds[0]);
        change(&worlds[1]);
        if (restarts) {
            qd_process *next = qd_server_start(scenario->arguments);

            qd_session_run(session, 3);
            qd_process_signal(server, rng_one_in(&rng, 2) ? SIGKILL : SIGTERM);
            qd_process_wait(server, DEADLINE_MS);
            qd_process_destroy(server);
            server = next;
            proxy_aim(proxy, qd_server_address(server));
        }
        for (int i = 0; i < 2; i++) {
            tick(&worlds[i], restarts);
            check(&worlds[i]);
        }
    }
    /* With a connection that holds, views settle at the next tick. A busy machine may lose one more. */
    proxy_cut(proxy, false);
    for (int i = 0; i < 4 || (i < SETTLE_TICKS_MAX && !are_settled(worlds)); i++) {
        tick(&worlds[i % 2], false);
        check(&worlds[i % 2]);
    }
    print_message("%u cuts in %u rounds, %u connections, %u resumed; views checked %u and %u times\n",
                  proxy_cuts(proxy), round, (unsigned)qd_session_connects(session),
                  (unsigned)qd_session_resumes(session), worlds[0].view_checks, worlds[1].view_checks);
    for (int i = 0; i < 2; i++) {
        assert_true(worlds[i].checks >= round && worlds[i].pairs > round);
        assert_true(worlds[i].view_checks > round / 4);
    }
    assert_true(are_settled(worlds));
    assert_true(qd_session_connects(session) > scenario->cuts / 2);
    assert_int_equal(qd_session_resumes(session) > 0, scenario->resumes);
    qd_session_destroy(session);
    proxy_stop(proxy);
    qd_process_signal(server, SIGTERM);
    assert_int_equal(qd_process_wait(server, DEADLINE_MS), 0);
    qd_process_destroy(server);
}

TEST(cuts_and_restarts_keep_the_sets_right_by_resuming)
{
    play(&(struct scenario){.grace_ms = 5000, .cuts = 700, .rounds_per_restart = 60, .resumes = true}, 1);
}

TEST(cuts_keep_the_sets_right_by_adopting)
{
    play(&(struct scenario){.arguments = QD_ARGS("--resume-ms-max", "0"), .token = "t", .grace_ms = 5000, .cuts = 200},
         2);
}

TEST(cuts_keep_the_sets_right_after_the_grace_time)
{
    play(&(struct scenario){.arguments = QD_ARGS("--resume-ms-max", "0"), .grace_ms = 10, .cuts = 100}, 3);
}

TEST_MAIN()

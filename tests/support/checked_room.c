/* SPDX-License-Identifier: Apache-2.0 */
#include "checked_room.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "support/oracle.h"

#define ROSTER  24u /* these ids are on the roster, and always there */
#define WAIT_MS 20000

static float place(struct checked_room *checked)
{
    return (float)rng_below(checked->rng, CHECKED_SIDE * 4) / 4;
}

/* ---- the handlers ---- */

static void on_begin(qd_room *room, uint32_t a, uint32_t b, void *context)
{
    struct checked_room *checked = qd_room_context(room);

    (void)context;
    assert_false(checked->reported[a][b]);
    checked->reported[a][b] = true;
}

static void on_end(qd_room *room, uint32_t a, uint32_t b, qd_end_reason reason, void *context)
{
    struct checked_room *checked = qd_room_context(room);

    (void)context;
    (void)reason;
    assert_true(checked->reported[a][b]);
    checked->reported[a][b] = false;
}

static void on_enter(const qd_view_entity *entity, void *context)
{
    struct checked_room *checked = context;

    assert_false(checked->seen[entity->observer][entity->id]);
    checked->seen[entity->observer][entity->id] = true;
}

static void on_leave(const qd_view_entity *entity, qd_leave_reason reason, void *context)
{
    struct checked_room *checked = context;

    (void)reason;
    assert_true(checked->seen[entity->observer][entity->id]);
    checked->seen[entity->observer][entity->id] = false;
}

static void on_refused(qd_session *session, qd_room *room, const qd_refusal *refusal, void *context)
{
    (void)session;
    (void)context;
    fail_msg("%s: request %u of kind %d is refused: %s (%s), %u entries", room != NULL ? qd_room_name(room) : "session",
             (unsigned)refusal->request, (int)refusal->kind, refusal->text, qd_error_code_name(refusal->code),
             refusal->entry_count);
}

const qd_session_handlers checked_room_handlers = {
    .size = sizeof checked_room_handlers, .begin = on_begin, .end = on_end, .refused = on_refused};

/* ---- changes ---- */

static void spawn(struct checked_room *checked, uint32_t id)
{
    qd_body *body = &checked->bodies[id];
    bool circle = rng_one_in(checked->rng, 2);
    float size = (float)(1 + rng_below(checked->rng, 12)) / 4;

    *body = (qd_body){.x = place(checked),
                      .y = place(checked),
                      .half_x = size,
                      .half_y = circle ? 0 : size / 2,
                      .category = 1,
                      .mask = UINT32_MAX,
                      .shape = circle ? QD_SPACE_CIRCLE : QD_SPACE_BOX};
    qd_room_spawn_one(checked->room, circle ? qd_circle(id, body->x, body->y, size)
                                            : qd_box(id, body->x, body->y, body->half_x, body->half_y));
    const uint8_t hidden = checked->hides[id] = rng_one_in(checked->rng, 8);
    checked->tags[id] = ++checked->spawns;
    qd_msg_set_description description = {.count = 1, .id = &id, .tag = &checked->tags[id], .hidden = &hidden};
    qd_room_set_description(checked->room, &description);
}

static void despawn(struct checked_room *checked, uint32_t id)
{
    qd_room_despawn(checked->room, &id, 1);
    checked->bodies[id].shape = 0;
}

static void watch(struct checked_room *checked, uint32_t i)
{
    struct checked_observer *watcher = &checked->observers[i];

    watcher->used = true;
    watcher->range = (float)(5 + rng_below(checked->rng, 20));
    if (i < CHECKED_OBSERVERS / 2) {
        qd_room_observe_one(checked->room, qd_observer_of(i, i, watcher->range, 0));
        return;
    }
    watcher->x = place(checked);
    watcher->y = place(checked);
    qd_observer observer = {.id = i, .x = watcher->x, .y = watcher->y, .range = watcher->range};
    qd_room_observe_one(checked->room, observer);
}

static void move_roster(struct checked_room *checked)
{
    float x[ROSTER], y[ROSTER];

    for (uint32_t i = 0; i < ROSTER; i++) {
        x[i] = checked->bodies[i].x = place(checked);
        y[i] = checked->bodies[i].y = place(checked);
    }
    qd_room_move_roster(checked->room, 3, x, y, NULL, ROSTER);
}

static void move_some(struct checked_room *checked)
{
    uint32_t ids[CHECKED_IDS], count = 0;
    float x[CHECKED_IDS], y[CHECKED_IDS];

    for (uint32_t id = ROSTER; id < CHECKED_IDS; id++) {
        if (checked->bodies[id].shape != 0 && rng_one_in(checked->rng, 2)) {
            ids[count] = id;
            x[count] = checked->bodies[id].x = place(checked);
            y[count++] = checked->bodies[id].y = place(checked);
        }
    }
    if (rng_one_in(checked->rng, 4)) {
        qd_room_teleport(checked->room, ids, x, y, NULL, count);
    } else {
        qd_room_move(checked->room, ids, x, y, NULL, count);
    }
}

static void reshape(struct checked_room *checked, uint32_t id)
{
    if (checked->bodies[id].shape == QD_SPACE_CIRCLE) {
        const float radius = checked->bodies[id].half_x = (float)(1 + rng_below(checked->rng, 12)) / 4;

        qd_room_reshape(checked->room, &(qd_msg_entities){.count = 1, .id = &id, .radius = &radius});
    }
}

void checked_room_change(struct checked_room *checked)
{
    uint32_t other = ROSTER + rng_below(checked->rng, CHECKED_IDS - ROSTER),
             observer = rng_below(checked->rng, CHECKED_OBSERVERS);

    move_roster(checked);
    move_some(checked);
    if (checked->bodies[other].shape == 0) {
        spawn(checked, other);
    } else if (rng_one_in(checked->rng, 2)) {
        despawn(checked, other);
    } else {
        reshape(checked, other);
    }
    if (!checked->observers[observer].used || rng_one_in(checked->rng, 3)) {
        watch(checked, observer);
    } else if (observer >= CHECKED_OBSERVERS / 2) {
        struct checked_observer *watcher = &checked->observers[observer];

        watcher->x = place(checked);
        watcher->y = place(checked);
        qd_room_move_observers(checked->room,
                               &(qd_msg_observers){.count = 1, .id = &observer, .x = &watcher->x, .y = &watcher->y});
    } else if (rng_one_in(checked->rng, 3)) {
        qd_room_unobserve(checked->room, &observer, 1);
        checked->observers[observer].used = false;
    }
}

/* ---- checks ---- */

bool checked_touch(const qd_body *bodies, uint32_t a, uint32_t b)
{
    const qd_body *one = &bodies[a], *other = &bodies[b];

    return one->shape != 0 && other->shape != 0 && oracle_overlap(one, other) == ORACLE_OVERLAP;
}

bool checked_within(float x, float y, float range, const qd_body *body)
{
    const double dx = (double)body->x - x, dy = (double)body->y - y;

    return body->shape != 0 && dx * dx + dy * dy <= (double)range * range;
}

static void check_pairs(struct checked_room *checked)
{
    const qd_pairs *pairs = qd_room_pairs(checked->room);
    size_t count = 0;

    for (uint32_t a = 0; a < CHECKED_IDS; a++) {
        for (uint32_t b = a + 1; b < CHECKED_IDS; b++) {
            const bool touch = checked_touch(checked->bodies, a, b);

            if (qd_pairs_contain(pairs, a, b) != touch || checked->reported[a][b] != touch) {
                fail_msg("%s, tick %u: %u and %u touch: %d; in the set: %d; reported: %d", qd_room_name(checked->room),
                         (unsigned)checked->tick, a, b, touch, qd_pairs_contain(pairs, a, b), checked->reported[a][b]);
            }
            count += touch;
        }
    }
    assert_int_equal(qd_pairs_count(pairs), count);
    checked->pairs += (uint32_t)count;
    checked->checks++;
}

static bool sees(const struct checked_room *checked, uint32_t observer, uint32_t id)
{
    const struct checked_observer *watcher = &checked->observers[observer];
    const qd_body *body = &checked->bodies[id];
    bool anchored = observer < CHECKED_OBSERVERS / 2;
    float x = anchored ? checked->bodies[observer].x : watcher->x,
          y = anchored ? checked->bodies[observer].y : watcher->y;

    return watcher->used && !checked->hides[id] && !(anchored && observer == id) &&
           checked_within(x, y, watcher->range, body);
}

static void check_views(struct checked_room *checked)
{
    const qd_view *view = qd_room_view(checked->room);

    for (uint32_t i = 0; i < CHECKED_OBSERVERS; i++) {
        for (uint32_t id = 0; id < CHECKED_IDS; id++) {
            const qd_view_entity *found = qd_view_find(view, i, id);
            bool expected = sees(checked, i, id);

            if ((found != NULL) != expected || checked->seen[i][id] != expected) {
                fail_msg("%s, tick %u: %u sees %u: %d; in the view: %d; reported: %d", qd_room_name(checked->room),
                         (unsigned)checked->tick, i, id, expected, found != NULL, checked->seen[i][id]);
            }
            /* In a clock room, an entity may enter before its description comes. */
            assert_true(found == NULL || !checked->steps || found->tag == checked->tags[id]);
        }
    }
    checked->view_checks++;
}

void checked_room_check(struct checked_room *checked)
{
    check_pairs(checked);
    /* In a step room, views may wait for a further tick. */
    if (qd_room_settled(checked->room)) {
        check_views(checked);
    }
}

/* ---- the room ---- */

void checked_room_begin(struct checked_room *checked, qd_session *session, const char *name, bool steps,
                        uint32_t grace_ms, rng_stream *rng)
{
    const qd_view_handlers handlers = {.enter = on_enter, .leave = on_leave, .context = checked};
    qd_msg_room_config config = {.has_bounds = true,
                                 .bounds = {.max_x = CHECKED_SIDE, .max_y = CHECKED_SIDE},
                                 .tick_mode = steps ? QD_TICK_MODE_STEP : QD_TICK_MODE_CLOCK,
                                 .tick_hz = steps ? 0 : 100,
                                 .has_grace_ms = true,
                                 .grace_ms = grace_ms};
    uint32_t ids[ROSTER];

    *checked = (struct checked_room){.session = session, .steps = steps, .rng = rng};
    checked->room = qd_session_room(session, name, &config);
    qd_room_set_context(checked->room, checked);
    assert_true(qd_room_handle_views(checked->room, &handlers));
    qd_room_subscribe(checked->room, QD_SCOPE_ALL, false);
    for (uint32_t id = 0; id < CHECKED_IDS; id++) {
        if (id < ROSTER || id % 2 == 0) {
            spawn(checked, id);
        }
    }
    for (uint32_t i = 0; i < ROSTER; i++) {
        ids[i] = i;
    }
    qd_room_set_roster(checked->room, 3, ids, ROSTER);
    for (uint32_t i = 0; i < CHECKED_OBSERVERS; i++) {
        watch(checked, i);
    }
}

void checked_room_request(struct checked_room *checked)
{
    uint64_t request = checked->steps ? qd_room_step(checked->room) : 0;

    if (!checked->steps || rng_one_in(checked->rng, 2)) {
        /* To where it is. Behind a Step, it belongs to the next tick. */
        uint32_t id = 0;
        const float x = checked->bodies[0].x, y = checked->bodies[0].y;
        uint64_t move = qd_room_move(checked->room, &id, &x, &y, NULL, 1);

        request = checked->steps ? request : move;
    }
    checked->requested = request;
}

void checked_room_await(struct checked_room *checked, bool restarted)
{
    uint64_t made;
    qd_outcome outcome = qd_room_wait(checked->room, checked->requested, WAIT_MS, &made);

    if (outcome != QD_OUTCOME_OK) {
        fail_msg("%s after tick %u: %s; %s", qd_room_name(checked->room), (unsigned)checked->tick,
                 qd_outcome_text(outcome), qd_session_problem(checked->session));
    }
    if (checked->steps && made != checked->tick + 1 && !(restarted && made == 1)) {
        fail_msg("%s: tick %u follows tick %u", qd_room_name(checked->room), (unsigned)made, (unsigned)checked->tick);
    }
    checked->tick = made;
}

void checked_room_tick(struct checked_room *checked, bool restarted)
{
    checked_room_request(checked);
    checked_room_await(checked, restarted);
}

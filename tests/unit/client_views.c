/* SPDX-License-Identifier: Apache-2.0
 *
 * Views against a plain table of what is seen and by whom, over random ticks in parts, resets and suspensions; the same
 * through handlers; and frames that contradict the views.
 */

#include <stdlib.h>
#include <string.h>

#include "quadrille.h"
#include "support/rng.h"
#include "tests/support/test.h"

#define OBSERVERS 5u
#define IDS       24u
#define SESSIONS  4u
#define SEEN_MAX  (OBSERVERS * IDS)
#define WATCH_MAX (IDS * SESSIONS * OBSERVERS)

/* Numbers as clients choose them: near 0, near the top, and spread. */
static uint32_t id_of(uint32_t i)
{
    return i < 8 ? i : i >= 16 ? UINT32_MAX - (23 - i) : i * 100000007u;
}

static uint32_t observer_of(uint32_t o)
{
    return o < 3 ? o : UINT32_MAX - (OBSERVERS - 1 - o);
}

/* The last is such that (entity 3, observer 1) with it has the same key as (entity 3, observer 2) with session 0. */
static uint64_t session_of(uint32_t s)
{
    static const uint64_t sessions[SESSIONS] = {0, 1, UINT64_C(1) << 63, UINT64_C(0xf1de83e19937733d)};

    return sessions[s];
}

static uint32_t index_of(uint32_t (*number_of)(uint32_t), uint32_t number)
{
    uint32_t i = 0;

    while (number_of(i) != number) {
        i++;
    }
    return i;
}

static rng_stream rng;

/* ---- the model ---- */

struct model {
    bool in[OBSERVERS][IDS];
    qd_view_entity as[OBSERVERS][IDS];
    bool watched[IDS][SESSIONS][OBSERVERS];
    uint64_t tick;
    bool suspended;
};

static void expect_seen(const qd_view *view, const struct model *model)
{
    size_t count = 0, cursor = 0, visited = 0;

    for (uint32_t o = 0; o < OBSERVERS; o++) {
        uint32_t of_this = 0, counted = 0;

        for (uint32_t i = 0; i < IDS; i++) {
            const qd_view_entity *seen = qd_view_find(view, observer_of(o), id_of(i));

            assert_int_equal(seen != NULL, model->in[o][i]);
            if (seen != NULL) {
                assert_memory_equal(seen, &model->as[o][i], sizeof *seen);
            }
            of_this += seen != NULL;
        }
        assert_int_equal(qd_view_count_of(view, observer_of(o)), of_this);
        for (const qd_view_entity *seen = qd_view_first(view, observer_of(o)); seen != NULL;
             seen = qd_view_after(view, seen)) {
            assert_int_equal(seen->observer, observer_of(o));
            assert_ptr_equal(qd_view_find(view, seen->observer, seen->id), seen);
            counted++;
        }
        assert_int_equal(counted, of_this);
        count += of_this;
    }
    assert_int_equal(qd_view_count(view), count);
    for (const qd_view_entity *seen; (seen = qd_view_next(view, &cursor)) != NULL; visited++) {
        assert_ptr_equal(qd_view_find(view, seen->observer, seen->id), seen);
    }
    assert_int_equal(visited, count);
}

static void expect_watched(const qd_view *view, const struct model *model)
{
    for (uint32_t i = 0; i < IDS; i++) {
        bool found[SESSIONS][OBSERVERS] = {{false}};
        uint32_t count = 0;

        for (const qd_view_watcher *at = qd_view_watcher_first(view, id_of(i)); at != NULL;
             at = qd_view_watcher_after(view, at)) {
            uint32_t s = 0, o = index_of(observer_of, at->observer);

            while (session_of(s) != at->session) {
                s++;
            }
            assert_int_equal(at->entity, id_of(i));
            assert_false(found[s][o]);
            found[s][o] = true;
            count++;
        }
        assert_memory_equal(found, model->watched[i], sizeof found);
        assert_int_equal(qd_view_watchers(view, id_of(i)), count);
    }
}

/* ---- a tick as columns ---- */

struct columns {
    uint32_t leaves, enters, relays, unwatched, watched;
    uint32_t leave_observer[SEEN_MAX], leave_id[SEEN_MAX];
    uint8_t leave_reason[SEEN_MAX];
    uint32_t enter_observer[SEEN_MAX], enter_id[SEEN_MAX], category[SEEN_MAX];
    float x[SEEN_MAX], y[SEEN_MAX], z[SEEN_MAX], half_x[SEEN_MAX], half_y[SEEN_MAX], half_z[SEEN_MAX], radius[SEEN_MAX];
    float axis_x[SEEN_MAX], axis_y[SEEN_MAX], axis_z[SEEN_MAX];
    uint8_t shape[SEEN_MAX], payload_size[SEEN_MAX], payload[SEEN_MAX * QD_VIEW_PAYLOAD_BYTES_MAX];
    uint64_t tag[SEEN_MAX];
    uint32_t relay_observer[SEEN_MAX], relay_id[SEEN_MAX];
    float relay_x[SEEN_MAX], relay_y[SEEN_MAX], relay_z[SEEN_MAX];
    uint32_t unwatched_entity[WATCH_MAX], unwatched_observer[WATCH_MAX];
    uint64_t unwatched_session[WATCH_MAX];
    uint32_t watched_entity[WATCH_MAX], watched_observer[WATCH_MAX];
    uint64_t watched_session[WATCH_MAX];
};

static size_t payload_before(const struct columns *columns, uint32_t at)
{
    size_t size = 0;

    for (uint32_t i = 0; i < at; i++) {
        size += columns->payload_size[i];
    }
    return size;
}

static void add_leave(struct columns *to, uint32_t o, uint32_t i)
{
    to->leave_observer[to->leaves] = observer_of(o);
    to->leave_id[to->leaves] = id_of(i);
    to->leave_reason[to->leaves++] = (uint8_t)(1 + rng_below(&rng, 10));
}

static void add_enter(struct columns *to, struct model *model, uint32_t o, uint32_t i)
{
    uint32_t at = to->enters++;
    qd_view_entity *as = &model->as[o][i];

    memset(as, 0, sizeof *as);
    as->observer = to->enter_observer[at] = observer_of(o);
    as->id = to->enter_id[at] = id_of(i);
    as->entered = as->placed = model->tick;
    as->x = to->x[at] = (float)rng_below(&rng, 1000);
    as->y = to->y[at] = (float)rng_below(&rng, 1000);
    as->z = to->z[at] = (float)rng_below(&rng, 1000);
    as->half_x = to->half_x[at] = (float)rng_below(&rng, 10);
    as->half_y = to->half_y[at] = (float)rng_below(&rng, 10);
    as->half_z = to->half_z[at] = (float)rng_below(&rng, 10);
    as->radius = to->radius[at] = (float)rng_below(&rng, 10);
    as->axis_x = to->axis_x[at] = (float)rng_below(&rng, 10);
    as->axis_y = to->axis_y[at] = (float)rng_below(&rng, 10);
    as->axis_z = to->axis_z[at] = (float)rng_below(&rng, 10);
    as->shape = to->shape[at] = (uint8_t)(1 + rng_below(&rng, 3));
    as->category = to->category[at] = rng_below(&rng, 100);
    as->tag = to->tag[at] = (uint64_t)rng_below(&rng, 1000) << 40;
    as->payload_size = to->payload_size[at] = (uint8_t)rng_below(&rng, QD_VIEW_PAYLOAD_BYTES_MAX + 1);
    uint8_t *payload = to->payload + payload_before(to, at);
    for (uint32_t k = 0; k < as->payload_size; k++) {
        as->payload[k] = payload[k] = (uint8_t)rng_below(&rng, 256);
    }
}

static void add_relay(struct columns *to, struct model *model, uint32_t o, uint32_t i)
{
    qd_view_entity *as = &model->as[o][i];
    uint32_t at = to->relays++;

    to->relay_observer[at] = observer_of(o);
    to->relay_id[at] = id_of(i);
    as->x = to->relay_x[at] = (float)rng_below(&rng, 1000);
    as->y = to->relay_y[at] = (float)rng_below(&rng, 1000);
    as->z = to->relay_z[at] = (float)rng_below(&rng, 1000);
    as->placed = model->tick;
}

static void change_seen(struct columns *to, struct model *model, bool reset)
{
    uint32_t change = 1 + rng_below(&rng, 20);

    for (uint32_t o = 0; o < OBSERVERS; o++) {
        for (uint32_t i = 0; i < IDS; i++) {
            bool was = model->in[o][i] && !reset;
            bool is = rng_below(&rng, change) == 0 ? rng_below(&rng, 2) == 0 : model->in[o][i];
            /* Despawned and spawned again. */
            bool again = was && is && rng_below(&rng, 20) == 0;

            model->in[o][i] = is;
            if ((was && !is) || again) {
                add_leave(to, o, i);
            }
            if ((is && !was) || again) {
                add_enter(to, model, o, i);
            } else if (is && rng_below(&rng, 3) == 0) {
                add_relay(to, model, o, i);
            }
        }
    }
}

static void change_watched(struct columns *to, struct model *model, bool reset)
{
    uint32_t change = 1 + rng_below(&rng, 20);

    for (uint32_t i = 0; i < IDS; i++) {
        for (uint32_t s = 0; s < SESSIONS; s++) {
            for (uint32_t o = 0; o < OBSERVERS; o++) {
                bool was = model->watched[i][s][o] && !reset;
                bool is = rng_below(&rng, change) == 0 ? rng_below(&rng, 2) == 0 : model->watched[i][s][o];

                model->watched[i][s][o] = is;
                if (was && !is) {
                    to->unwatched_entity[to->unwatched] = id_of(i);
                    to->unwatched_session[to->unwatched] = session_of(s);
                    to->unwatched_observer[to->unwatched++] = observer_of(o);
                } else if (is && !was) {
                    to->watched_entity[to->watched] = id_of(i);
                    to->watched_session[to->watched] = session_of(s);
                    to->watched_observer[to->watched++] = observer_of(o);
                }
            }
        }
    }
}

/* How many of a group's `total`, of which `done` are sent, go into this frame; *last: this frame completes it. */
static uint32_t some(uint32_t total, uint32_t *done, bool *last)
{
    uint32_t left = total - *done;
    uint32_t count = !*last ? 0 : rng_below(&rng, 4) == 0 ? rng_below(&rng, left + 1) : left;

    *done += count;
    *last = *last && count == left;
    return count;
}

/* Cuts one tick's columns into frames at random and applies them. */
static void apply_in_parts(qd_view *view, const struct model *model, bool reset, bool reset_watchers,
                           const struct columns *from)
{
    uint32_t leaves = 0, enters = 0, relays = 0, unwatched = 0, watched = 0;
    bool last = false;

    for (bool first = true; !last; first = false) {
        qd_msg_view frame = {.room = 1, .tick = model->tick, .reset = reset && first};

        frame.reset_watchers = reset_watchers && first;
        last = true;
        frame.leave_observer = from->leave_observer + leaves;
        frame.leave_id = from->leave_id + leaves;
        frame.leave_reason = from->leave_reason + leaves;
        frame.leave_count = some(from->leaves, &leaves, &last);

        frame.enter_observer = from->enter_observer + enters;
        frame.enter = (qd_msg_entities){.id = from->enter_id + enters,
                                        .x = from->x + enters,
                                        .y = from->y + enters,
                                        .z = from->z + enters,
                                        .half_x = from->half_x + enters,
                                        .half_y = from->half_y + enters,
                                        .half_z = from->half_z + enters,
                                        .radius = from->radius + enters,
                                        .axis_x = from->axis_x + enters,
                                        .axis_y = from->axis_y + enters,
                                        .axis_z = from->axis_z + enters,
                                        .shape = from->shape + enters,
                                        .category = from->category + enters};
        frame.enter_tag = from->tag + enters;
        frame.enter_payload_size = from->payload_size + enters;
        frame.enter_payload = from->payload + payload_before(from, enters);
        frame.enter_count = frame.enter.count = some(from->enters, &enters, &last);

        frame.relay_observer = from->relay_observer + relays;
        frame.relay_id = from->relay_id + relays;
        frame.relay_x = from->relay_x + relays;
        frame.relay_y = from->relay_y + relays;
        frame.relay_z = from->relay_z + relays;
        frame.relay_count = some(from->relays, &relays, &last);

        frame.watcher_leave_entity = from->unwatched_entity + unwatched;
        frame.watcher_leave_session = from->unwatched_session + unwatched;
        frame.watcher_leave_observer = from->unwatched_observer + unwatched;
        frame.watcher_leave_count = some(from->unwatched, &unwatched, &last);

        frame.watcher_enter_entity = from->watched_entity + watched;
        frame.watcher_enter_session = from->watched_session + watched;
        frame.watcher_enter_observer = from->watched_observer + watched;
        frame.watcher_enter_count = some(from->watched, &watched, &last);

        frame.last = last;
        assert_int_equal(qd_view_apply(view, &frame), QD_CLIENT_OK);
        assert_int_equal(qd_view_known(view), last);
    }
}

/* One tick of a random life: most stays, some changes; now and then all is new, or suspended. */
static void run_tick(qd_view *view, struct model *model)
{
    static struct columns columns;

    memset(&columns, 0, sizeof columns);
    model->tick += 1 + rng_below(&rng, 3);
    if (rng_below(&rng, 20) == 0) {
        memset(model->in, 0, sizeof model->in);
        memset(model->watched, 0, sizeof model->watched);
        model->suspended = true;
        qd_msg_view frame = {.room = 1, .tick = model->tick, .last = true, .suspended = true};
        assert_int_equal(qd_view_apply(view, &frame), QD_CLIENT_OK);
        return;
    }
    bool reset = model->suspended || rng_below(&rng, 10) == 0;
    bool reset_watchers = model->suspended || rng_below(&rng, 10) == 0;
    model->suspended = false;
    change_seen(&columns, model, reset);
    change_watched(&columns, model, reset_watchers);
    apply_in_parts(view, model, reset, reset_watchers, &columns);
}

/* ---- the same through handlers ---- */

static void on_enter(const qd_view_entity *entity, void *context)
{
    struct model *handled = context;
    uint32_t o = index_of(observer_of, entity->observer), i = index_of(id_of, entity->id);

    assert_false(handled->in[o][i]);
    handled->in[o][i] = true;
    handled->as[o][i] = *entity;
}

static void on_leave(const qd_view_entity *entity, qd_leave_reason reason, void *context)
{
    struct model *handled = context;
    uint32_t o = index_of(observer_of, entity->observer), i = index_of(id_of, entity->id);

    assert_true(handled->in[o][i] && reason <= QD_LEAVE_LIMIT);
    assert_memory_equal(entity, &handled->as[o][i], sizeof *entity);
    handled->in[o][i] = false;
}

static void on_relay(const qd_view_entity *entity, void *context)
{
    struct model *handled = context;
    uint32_t o = index_of(observer_of, entity->observer), i = index_of(id_of, entity->id);

    assert_true(handled->in[o][i]);
    handled->as[o][i] = *entity;
}

static bool *watch_of(struct model *handled, uint32_t entity, uint64_t session, uint32_t observer)
{
    uint32_t s = 0;

    while (session_of(s) != session) {
        s++;
    }
    return &handled->watched[index_of(id_of, entity)][s][index_of(observer_of, observer)];
}

static void on_watched(uint32_t entity, uint64_t session, uint32_t observer, void *context)
{
    bool *is = watch_of(context, entity, session, observer);

    assert_false(*is);
    *is = true;
}

static void on_unwatched(uint32_t entity, uint64_t session, uint32_t observer, void *context)
{
    bool *is = watch_of(context, entity, session, observer);

    assert_true(*is);
    *is = false;
}

static void expect_handled(const struct model *handled, const struct model *model)
{
    assert_memory_equal(handled->in, model->in, sizeof model->in);
    assert_memory_equal(handled->watched, model->watched, sizeof model->watched);
    for (uint32_t o = 0; o < OBSERVERS; o++) {
        for (uint32_t i = 0; i < IDS; i++) {
            if (model->in[o][i]) {
                assert_memory_equal(&handled->as[o][i], &model->as[o][i], sizeof model->as[o][i]);
            }
        }
    }
}

TEST(views_agree_with_a_table)
{
    static struct model model, handled;

    for (uint64_t seed = 0; seed < 20; seed++) {
        rng.state = seed;
        memset(&model, 0, sizeof model);
        memset(&handled, 0, sizeof handled);
        const qd_view_handlers handlers = {.enter = on_enter,
                                           .leave = on_leave,
                                           .relay = on_relay,
                                           .watched = on_watched,
                                           .unwatched = on_unwatched,
                                           .context = &handled};
        qd_view *view = qd_view_create(&handlers);
        assert_true(qd_view_known(view));
        for (int i = 0; i < 60; i++) {
            expect_seen(view, &model);
            expect_watched(view, &model);
            expect_handled(&handled, &model);
            run_tick(view, &model);
            assert_int_equal(qd_view_tick(view), model.tick);
            assert_int_equal(qd_view_suspended(view), model.suspended);
            assert_int_equal(qd_view_known(view), !model.suspended);
        }
        qd_view_destroy(view);
    }
}

/* ---- single frames ---- */

static const uint32_t one = 1, two = 2;
static const float zero = 0;
static const uint64_t session = 9;
static const uint8_t reason = QD_LEAVE_RANGE;

static qd_msg_view enter_of(uint64_t tick, const uint32_t *observer, const uint32_t *id)
{
    return (qd_msg_view){.tick = tick,
                         .last = true,
                         .enter_count = 1,
                         .enter_observer = observer,
                         .enter = {.count = 1, .id = id, .x = &zero, .y = &zero}};
}

static qd_msg_view leave_of(uint64_t tick, const uint32_t *observer, const uint32_t *id)
{
    return (qd_msg_view){.tick = tick,
                         .last = true,
                         .leave_count = 1,
                         .leave_observer = observer,
                         .leave_id = id,
                         .leave_reason = &reason};
}

/* Observer 1 sees 2 at tick 5, and observer 2 of session 9 sees 1. */
static qd_view *view_of_one(void)
{
    qd_view *view = qd_view_create(NULL);
    qd_msg_view frame = enter_of(5, &one, &two);

    frame.watcher_enter_count = 1;
    frame.watcher_enter_entity = &one;
    frame.watcher_enter_session = &session;
    frame.watcher_enter_observer = &two;
    assert_int_equal(qd_view_apply(view, &frame), QD_CLIENT_OK);
    assert_true(qd_view_known(view));
    return view;
}

static void expect_contradiction(qd_view *view, qd_msg_view frame)
{
    assert_int_equal(qd_view_apply(view, &frame), QD_CLIENT_ERR_PROTOCOL);
    /* All is forgotten, nothing but a reset starts it again. */
    assert_true(qd_view_suspended(view) && !qd_view_known(view));
    assert_int_equal(qd_view_count(view), 0);
    assert_null(qd_view_first(view, 1));
    assert_int_equal(qd_view_watchers(view, 1), 0);
    frame = enter_of(7, &one, &one);
    assert_int_equal(qd_view_apply(view, &frame), QD_CLIENT_ERR_PROTOCOL);
    frame.reset = true;
    assert_int_equal(qd_view_apply(view, &frame), QD_CLIENT_OK);
    assert_true(qd_view_known(view));
    assert_int_equal(qd_view_count(view), 1);
    qd_view_destroy(view);
}

TEST(contradicting_frames_are_refused)
{
    expect_contradiction(view_of_one(), enter_of(6, &one, &two));
    expect_contradiction(view_of_one(), leave_of(6, &two, &one));
    expect_contradiction(view_of_one(), (qd_msg_view){.tick = 6,
                                                      .last = true,
                                                      .relay_count = 1,
                                                      .relay_observer = &two,
                                                      .relay_id = &one,
                                                      .relay_x = &zero,
                                                      .relay_y = &zero});
    expect_contradiction(view_of_one(), (qd_msg_view){.tick = 6,
                                                      .last = true,
                                                      .watcher_enter_count = 1,
                                                      .watcher_enter_entity = &one,
                                                      .watcher_enter_session = &session,
                                                      .watcher_enter_observer = &two});
    expect_contradiction(view_of_one(), (qd_msg_view){.tick = 6,
                                                      .last = true,
                                                      .watcher_leave_count = 1,
                                                      .watcher_leave_entity = &one,
                                                      .watcher_leave_session = &session,
                                                      .watcher_leave_observer = &one});
    const uint8_t too_long = QD_VIEW_PAYLOAD_BYTES_MAX + 1, bytes[QD_VIEW_PAYLOAD_BYTES_MAX + 1] = {0};
    qd_msg_view frame = enter_of(6, &one, &one);
    frame.enter_payload_size = &too_long;
    frame.enter_payload = bytes;
    expect_contradiction(view_of_one(), frame);

    /* A tick begins before the last frame of the one before, and resets in the middle of one. */
    const qd_msg_view open = {.tick = 6};
    const qd_msg_view bad[] = {{.tick = 7, .last = true},
                               {.tick = 6, .last = true, .reset = true},
                               {.tick = 6, .last = true, .reset_watchers = true}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        qd_view *view = view_of_one();

        assert_int_equal(qd_view_apply(view, &open), QD_CLIENT_OK);
        expect_contradiction(view, bad[i]);
    }
}

TEST(frames_with_absent_columns_are_refused)
{
    qd_view *view = view_of_one();
    const qd_view_entity *seen = qd_view_find(view, 1, 2);

    assert_int_equal(seen->shape, QD_SHAPE_BOX);
    assert_int_equal(seen->category, 1);
    assert_true(seen->z == 0 && seen->half_x == 0 && seen->radius == 0 && seen->axis_x == 0 && seen->tag == 0 &&
                seen->payload_size == 0);
    assert_null(qd_view_find(view, 2, 1));
    assert_int_equal(qd_view_watcher_first(view, 1)->session, session);
    qd_view_destroy(view);
    qd_view_destroy(NULL);
}

TEST(reset_of_one_kind_leaves_the_other_unchanged)
{
    qd_view *view = view_of_one();

    assert_int_equal(qd_view_apply(view, &(qd_msg_view){.tick = 6, .last = true, .reset_watchers = true}),
                     QD_CLIENT_OK);
    assert_int_equal(qd_view_count(view), 1);
    assert_int_equal(qd_view_watchers(view, 1), 0);
    qd_view_destroy(view);

    view = view_of_one();
    assert_int_equal(qd_view_apply(view, &(qd_msg_view){.tick = 6, .last = true, .reset = true}), QD_CLIENT_OK);
    assert_int_equal(qd_view_count(view), 0);
    assert_int_equal(qd_view_watchers(view, 1), 1);
    qd_view_destroy(view);
}

TEST_MAIN()

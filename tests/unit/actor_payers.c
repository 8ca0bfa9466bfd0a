/* SPDX-License-Identifier: Apache-2.0
 *
 * Who pays for the worker time of a room. Time passes only where a test says so: while views or pairs are computed,
 * while events are sent, and at looks at the clock.
 */
#include <string.h>

#include "server/actor/room_actor.h"
#include "server/actor/room_run.h"
#include "tests/support/test.h"

#define US_NS      UINT64_C(1000)
#define MS_NS      UINT64_C(1000000)
#define SECOND_NS  UINT64_C(1000000000)
#define TICK_HZ    20u
#define LONG_BATCH 4096u

/* ---- the world ---- */

typedef struct world {
    uint64_t now_ns, views_ns, pairs_ns, send_ns, look_ns;
    uint32_t looks, looks_inline; /* all, and of the last inline run */
    bool woken;
    uint64_t due_ns;
    qd_actor_fn retired;
} world;

static world w;
static qd_service service;
static qd_account *tenant;

static uint64_t now_ns(void *context)
{
    (void)context;
    w.looks++;
    return w.now_ns += w.look_ns;
}

static uint64_t ran_ns(void *context)
{
    (void)context;
    return w.now_ns;
}

static void wake(void *context, qd_actor *actor)
{
    (void)context, (void)actor;
    w.woken = true;
}

static void run_inline(void *context, qd_actor *actor, qd_actor_fn run, bool urgent)
{
    const uint32_t before = w.looks;

    (void)context, (void)urgent;
    if (w.woken) {
        return;
    }
    run(actor);
    w.looks_inline = w.looks - before;
}

static void wake_at(void *context, qd_actor *actor, uint64_t due_ns)
{
    (void)context, (void)actor;
    w.due_ns = due_ns;
}

static void retire(void *context, qd_actor *actor, qd_actor_fn done)
{
    (void)context, (void)actor;
    w.retired = done;
}

static bool reserve_timer(void *context)
{
    (void)context;
    return true;
}

static void release_timer(void *context)
{
    (void)context;
}

/* A tick expects forks before its views, and does not any more after its pairs. */
static void expect_forks(void *context, bool expected)
{
    (void)context;
    w.now_ns += expected ? w.views_ns : w.pairs_ns;
}

static uint64_t draw(void *context)
{
    (void)context;
    return 7;
}

static qd_link_sent send_frames(qd_link *link, qd_buffer *const *buffers, size_t count, qd_link_class class)
{
    (void)link, (void)buffers, (void)count;
    w.now_ns += class == QD_LINK_EVENTS ? w.send_ns : 0;
    return QD_LINK_SENT;
}

static size_t queued(const qd_link *link)
{
    (void)link;
    return 0;
}

static size_t replies_queued(qd_link *link)
{
    (void)link;
    return 0;
}

static void nothing(qd_link *link)
{
    (void)link;
}

static bool may_work(qd_link *link, const void *object)
{
    (void)link, (void)object;
    return true;
}

static const qd_link_ops ops = {
    .may_work = may_work,
    .send = send_frames,
    .queued = queued,
    .replies_queued = replies_queued,
    .pause = nothing,
    .resume = nothing,
    .destroy = nothing,
};

/* ---- sessions and their room ---- */

enum { A, B, SESSIONS };

typedef struct session {
    qd_link link;
    qd_endpoint *endpoint;
    qd_membership *membership;
    uint64_t unpaid_ns; /* of its bucket when it was last asked what it paid */
} session;

static session sessions[SESSIONS];
static qd_room_actor *room;
static uint64_t room_unpaid_ns;

/* Nothing is refilled for the next 0.7 s, so that a charge is exact. */
static void empty(qd_time_bucket *time, uint64_t *unpaid_ns)
{
    *unpaid_ns = w.now_ns - 300 * MS_NS;
    atomic_store(&time->empty_ns, *unpaid_ns);
}

/* Forgets what was paid so far. */
static void start_paying(void)
{
    for (uint32_t i = 0; i < SESSIONS; i++) {
        empty(&sessions[i].endpoint->time, &sessions[i].unpaid_ns);
    }
    empty(&room->time, &room_unpaid_ns);
}

static void assert_paid_by(const qd_time_bucket *time, uint64_t unpaid_ns, uint64_t paid_ns)
{
    assert_in_range(atomic_load(&time->empty_ns) - unpaid_ns, paid_ns > 10 ? paid_ns - 10 : 0, paid_ns);
}

static void assert_paid(uint64_t a_ns, uint64_t b_ns, uint64_t of_room_ns)
{
    assert_paid_by(&sessions[A].endpoint->time, sessions[A].unpaid_ns, a_ns);
    assert_paid_by(&sessions[B].endpoint->time, sessions[B].unpaid_ns, b_ns);
    assert_paid_by(&room->time, room_unpaid_ns, of_room_ns);
}

static void run_woken(void)
{
    while (w.woken) {
        w.woken = false;
        qd_room_run(&room->base);
    }
}

static void post(uint32_t from, const qd_client_message *message)
{
    qd_request *request = qd_request_create(&qd_request_memory);

    assert_non_null(request);
    request->head.membership = sessions[from].membership;
    request->decoded.message = *message;
    qd_room_actor_post(room, request);
}

/* So many ticks of the room's clock. */
static void tick(uint32_t ticks)
{
    for (uint32_t i = 0; i < ticks; i++) {
        if (w.now_ns < w.due_ns) {
            w.now_ns = w.due_ns;
        }
        room->changed = true; /* so that it does not rest */
        qd_room_run(&room->base);
        run_woken();
    }
}

static void join(uint32_t i)
{
    session *s = &sessions[i];

    qd_link_init(&s->link, &ops);
    s->endpoint = qd_endpoint_create(&s->link, 1u << 20);
    assert_non_null(s->endpoint);
    s->endpoint->session = i + 1;
    s->endpoint->account = qd_account_create(tenant);
    if (room == NULL) {
        const qd_msg_room_config config = {.dimensions = 2,
                                           .has_bounds = true,
                                           .bounds = {.max_x = 100, .max_y = 100},
                                           .tick_mode = QD_TICK_MODE_CLOCK,
                                           .tick_hz = TICK_HZ,
                                           .entities_max = 2 * LONG_BATCH,
                                           .events_max = 1000,
                                           .observers_max = 100,
                                           .visible_entries_max = 100000,
                                           .index = QD_INDEX_QUADTREE,
                                           .prune = QD_PRUNE_AUTO,
                                           .depth = 4,
                                           .grace_ms = 0,
                                           .empty_close_ms = 1000};

        qd_account_add(tenant, QD_QUOTA_CREATED, 1);
        room = qd_room_actor_create(&service, "room", &config, s->endpoint);
        assert_non_null(room);
    }
    s->membership = qd_membership_create(room, s->endpoint);
    assert_non_null(s->membership);
    qd_room_actor_use(room);
    room->arrivals++;
    post(i, &(qd_client_message){.seq = 1, .kind = QD_CLIENT_OPEN_ROOM});
}

static int setup(void **state)
{
    static qd_executor executor;
    static const qd_scheduler scheduler = {
        .now_ns = now_ns,
        .ran_ns = ran_ns,
        .wake = wake,
        .wake_behind = wake,
        .run_inline = run_inline,
        .wake_at = wake_at,
        .retire = retire,
        .reserve_timer = reserve_timer,
        .release_timer = release_timer,
        .executor = &executor,
    };

    (void)state;
    executor = qd_executor_serial;
    executor.expect_forks = expect_forks;
    w = (world){.now_ns = 100 * SECOND_NS, .due_ns = QD_NEVER};
    qd_service_init(&service, &(qd_service_config){.limits = {.rooms_max = 1,
                                                              .queue_bytes_max = 1u << 20,
                                                              .slow_ms_max = 1000,
                                                              .room_batches_max = 100,
                                                              .session_share = 100},
                                                   .scheduler = &scheduler,
                                                   .workers = 1,
                                                   .time_budget_ns = SECOND_NS,
                                                   .time_burst_ns = SECOND_NS,
                                                   .random = draw});
    tenant = qd_account_of_tenant(&service.accounts, "token", false);
    room = NULL;
    for (uint32_t i = 0; i < SESSIONS; i++) {
        join(i);
    }
    run_woken();
    start_paying();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < SESSIONS; i++) {
        qd_room_actor_leave(room, sessions[i].membership);
        qd_endpoint_release(sessions[i].endpoint);
    }
    qd_room_actor_stop(room, QD_ROOM_CLOSED_SHUTDOWN);
    run_woken();
    w.retired(&room->base);
    qd_account_release(tenant);
    qd_service_deinit(&service);
    return 0;
}

/* ---- what they do in it ---- */

static uint32_t ids[LONG_BATCH];
static float zeros[LONG_BATCH];

static void batch(uint32_t from, qd_client_kind kind, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        ids[i] = first + i;
    }
    post(from, &(qd_client_message){
                   .seq = 2, .kind = kind, .as.batch.entities = {.count = count, .id = ids, .x = zeros, .y = zeros}});
    run_woken();
}

static void observe(uint32_t from, uint32_t count)
{
    static const float half[] = {50, 50, 50, 50, 50, 50, 50, 50};

    for (uint32_t i = 0; i < count; i++) {
        ids[i] = i;
    }
    post(from,
         &(qd_client_message){.seq = 2,
                              .kind = QD_CLIENT_OBSERVE,
                              .as.observers = {.count = count, .id = ids, .x = zeros, .y = zeros, .range = half}});
    run_woken();
}

static void subscribe(uint32_t from, bool stays)
{
    post(from, &(qd_client_message){
                   .seq = 2, .kind = QD_CLIENT_SUBSCRIBE, .as.subscribe = {.scope = QD_SCOPE_ALL, .stays = stays}});
    run_woken();
}

/* ---- ticks ---- */

/* Each sees the entity with each of its observers. */
TEST_WITH(session_pays_for_its_observers_and_room_for_the_rest_of_the_tick, setup, teardown)
{
    batch(A, QD_CLIENT_SPAWN, 1, 1);
    observe(A, 6);
    observe(B, 2);
    w.views_ns = 4 * MS_NS;
    w.pairs_ns = 3 * MS_NS;
    tick(40); /* measured after the first long one, and weighed when the entries are settled */
    start_paying();
    tick(10);
    assert_paid(30 * MS_NS, 10 * MS_NS, 30 * MS_NS);
}

TEST_WITH(room_pays_for_views_without_observers, setup, teardown)
{
    batch(A, QD_CLIENT_SPAWN, 1, 1);
    w.views_ns = w.pairs_ns = 2 * MS_NS;
    tick(10);
    start_paying();
    tick(10);
    assert_paid(0, 0, 40 * MS_NS);
}

TEST_WITH(session_pays_for_its_frames, setup, teardown)
{
    batch(A, QD_CLIENT_SPAWN, 1, 2);
    subscribe(A, false);
    subscribe(B, true);
    w.pairs_ns = 1 * MS_NS;
    w.send_ns = 2 * MS_NS;
    tick(10);
    start_paying();
    tick(10);
    assert_paid(0, 20 * MS_NS, 10 * MS_NS);
}

TEST_WITH(sessions_with_equal_frames_pay_equal_parts, setup, teardown)
{
    batch(A, QD_CLIENT_SPAWN, 1, 2);
    subscribe(A, true);
    subscribe(B, true);
    w.pairs_ns = 1 * MS_NS;
    w.send_ns = 2 * MS_NS;
    tick(10);
    start_paying();
    tick(10);
    assert_paid(20 * MS_NS, 20 * MS_NS, 10 * MS_NS);
}

TEST_WITH(resets_between_ticks_are_paid_by_who_subscribes, setup, teardown)
{
    batch(A, QD_CLIENT_SPAWN, 1, 2);
    tick(1);
    start_paying();
    w.send_ns = 2 * MS_NS;
    subscribe(B, false);
    assert_paid(0, 2 * MS_NS, 0);
}

/* It pays for all of the tick, and looks at the clock when it begins, when it ends, and once for all else. */
TEST_WITH(room_with_short_ticks_is_not_measured_in_parts, setup, teardown)
{
    batch(A, QD_CLIENT_SPAWN, 1, 2);
    observe(B, 1);
    subscribe(B, true);
    tick(1);
    start_paying();
    w.views_ns = w.pairs_ns = 20 * US_NS;
    w.send_ns = 10 * US_NS;
    w.looks = 0;
    tick(12);
    assert_paid(0, 0, 600 * US_NS);
    assert_int_equal(w.looks, 36);
}

/* ---- beyond the budget ---- */

/* In a period of 50 ms, each session and each room may use 2.5 ms. */
static void set_share(void)
{
    service.share = qd_time_share_of(5, 1, 10 * MS_NS);
    for (uint32_t i = 0; i < SESSIONS; i++) {
        atomic_store(&sessions[i].endpoint->time.empty_ns, 0);
    }
    atomic_store(&room->time.empty_ns, 0);
    w.views_ns = 4 * MS_NS;
    w.pairs_ns = 500 * US_NS;
}

TEST_WITH(room_yields_if_a_session_uses_more_for_observers_than_its_budget, setup, teardown)
{
    batch(A, QD_CLIENT_SPAWN, 1, 1);
    observe(A, 1);
    set_share();
    tick(100);
    assert_true(atomic_load(&room->base.yields));
    assert_false(qd_time_bucket_covers(&sessions[A].endpoint->time, service.share, w.now_ns, 0));
    assert_true(qd_time_bucket_covers(&sessions[B].endpoint->time, service.share, w.now_ns, 0));
}

TEST_WITH(room_does_not_yield_if_its_sessions_keep_within_their_budgets, setup, teardown)
{
    batch(A, QD_CLIENT_SPAWN, 1, 1);
    observe(A, 1);
    observe(B, 1);
    set_share();
    tick(100);
    assert_false(atomic_load(&room->base.yields));
}

/* ---- requests ---- */

TEST_WITH(inline_run_of_many_entities_is_paid_by_its_session, setup, teardown)
{
    batch(A, QD_CLIENT_SPAWN, 0, LONG_BATCH);
    tick(2);
    w.look_ns = 200 * US_NS; /* from the look before the batch to the one after it */
    start_paying();
    batch(A, QD_CLIENT_MOVE, 0, LONG_BATCH);
    assert_int_equal(w.looks_inline, 2);
    assert_paid(200 * US_NS, 0, 0);
}

TEST_WITH(inline_run_of_few_entities_does_not_look_at_the_clock, setup, teardown)
{
    batch(A, QD_CLIENT_SPAWN, 0, 100);
    tick(2);
    w.look_ns = 200 * US_NS;
    start_paying();
    batch(A, QD_CLIENT_MOVE, 0, 100);
    assert_int_equal(w.looks_inline, 0);
    assert_paid(0, 0, 0);
}

static bool steps_inline(uint64_t took_ns)
{
    const uint64_t before = qd_room_last_tick(room->room);

    w.pairs_ns = took_ns;
    post(B, &(qd_client_message){.seq = 9, .kind = QD_CLIENT_STEP});
    const bool inline_run = qd_room_last_tick(room->room) > before;
    run_woken();
    return inline_run;
}

/* The system may have run other threads during a slow tick. */
TEST_WITH(steps_stay_inline_until_three_ticks_were_slow, setup, teardown)
{
    room->config.tick_mode = QD_TICK_MODE_STEP;
    batch(A, QD_CLIENT_SPAWN, 0, 200);
    run_woken();
    for (uint32_t i = 0; i < 3; i++) {
        (void)steps_inline(0);
    }
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(steps_inline(MS_NS));
    }
    assert_false(steps_inline(0));
    assert_true(steps_inline(0));
}

/* Its entities may all be at one point. */
TEST_WITH(room_that_has_grown_much_counts_as_long_until_its_tick, setup, teardown)
{
    room->config.tick_mode = QD_TICK_MODE_STEP;
    batch(A, QD_CLIENT_SPAWN, 0, 400);
    run_woken();
    assert_true(qd_actor_is_long(&room->base));
    (void)steps_inline(0);
    assert_false(qd_actor_is_long(&room->base));
    batch(A, QD_CLIENT_SPAWN, 400, 1);
    run_woken();
    assert_false(qd_actor_is_long(&room->base));
}

TEST_WITH(steps_of_a_tiny_room_are_always_inline, setup, teardown)
{
    room->config.tick_mode = QD_TICK_MODE_STEP;
    batch(A, QD_CLIENT_SPAWN, 0, 100);
    run_woken();
    for (uint32_t i = 0; i < 6; i++) {
        assert_true(steps_inline(MS_NS));
    }
}

TEST_WITH(short_inline_runs_are_paid_together, setup, teardown)
{
    batch(A, QD_CLIENT_SPAWN, 0, LONG_BATCH);
    tick(2);
    w.look_ns = 40 * US_NS;
    start_paying();
    for (uint32_t i = 0; i < 5; i++) {
        batch(A, QD_CLIENT_MOVE, 0, LONG_BATCH);
    }
    assert_paid(120 * US_NS, 0, 0);
}

/* The batch is in a worker's run, because the first message of the mailbox is a Spawn. */
TEST_WITH(batch_of_many_entities_in_a_workers_run_is_paid_by_its_session, setup, teardown)
{
    batch(A, QD_CLIENT_SPAWN, 0, LONG_BATCH);
    tick(2);
    start_paying();
    w.look_ns = 200 * US_NS;
    post(B, &(qd_client_message){.seq = 2, .kind = QD_CLIENT_UNSUBSCRIBE});
    batch(A, QD_CLIENT_MOVE, 0, LONG_BATCH);
    assert_paid(200 * US_NS, 200 * US_NS, 0);
}

TEST_WITH(tick_of_a_step_is_paid_by_the_session_that_steps, setup, teardown)
{
    room->config.tick_mode = QD_TICK_MODE_STEP;
    w.pairs_ns = 2 * MS_NS;
    for (uint32_t i = 0; i < 3; i++) {
        post(B, &(qd_client_message){.seq = 3 + i, .kind = QD_CLIENT_STEP});
        run_woken();
    }
    assert_paid(0, 6 * MS_NS, 0);
}

/* The first one takes more than the budget. */
TEST_WITH(steps_beyond_the_budget_wait_behind_requests_of_others, setup, teardown)
{
    room->config.tick_mode = QD_TICK_MODE_STEP;
    set_share();
    w.pairs_ns = 20 * MS_NS;
    post(B, &(qd_client_message){.seq = 1, .kind = QD_CLIENT_UNSUBSCRIBE}); /* the run is a worker's */
    for (uint32_t i = 0; i < 4; i++) {
        post(B, &(qd_client_message){.seq = 3 + i, .kind = QD_CLIENT_STEP});
    }
    post(A, &(qd_client_message){.seq = 2,
                                 .kind = QD_CLIENT_SPAWN,
                                 .as.batch.entities = {.count = 1, .id = ids, .x = zeros, .y = zeros}});
    w.woken = false;
    qd_room_run(&room->base);
    assert_int_equal(qd_room_last_tick(room->room), 1);
    assert_int_equal(qd_room_entity_count(room->room), 1);
    run_woken();
    assert_int_equal(qd_room_last_tick(room->room), 4);
}

TEST_MAIN()

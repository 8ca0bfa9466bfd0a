/* SPDX-License-Identifier: Apache-2.0
 *
 * A session on a libuv loop: it connects by itself, connects again after its server was replaced, and closes.
 */
#include <signal.h>

#include "quadrille-uv.h"
#include "support/proxy.h"
#include "support/session.h"
#include "tests/support/test.h"

#define TICKS 50u

struct program {
    qd_uv_session adapter;
    qd_room *room;
    uint32_t begins, ends, applied, closes;
    uint64_t step; /* the last request */
    float x;
};

static void move(struct program *program)
{
    const uint32_t id = 2;

    program->x = program->x == 10 ? 100 : 10;
    qd_room_move(program->room, &id, &program->x, &program->x, NULL, 1);
    program->step = qd_room_step(program->room);
}

static void on_closed(qd_uv_session *adapter)
{
    ((struct program *)adapter->context)->closes++;
}

static void on_applied(qd_room *room, uint64_t request, uint64_t tick, void *context)
{
    struct program *program = context;

    if (request != program->step) {
        return; /* the subscription, before the first tick */
    }
    assert_int_equal(qd_pairs_count(qd_room_pairs(room)), program->x == 10);
    assert_true(tick > 0);
    if (++program->applied == TICKS) {
        qd_uv_session_close(&program->adapter, on_closed);
    } else {
        move(program);
    }
}

static void on_begin(qd_room *room, uint32_t a, uint32_t b, void *context)
{
    (void)room;
    assert_true(a == 1 && b == 2);
    ((struct program *)context)->begins++;
}

static void on_end(qd_room *room, uint32_t a, uint32_t b, qd_end_reason reason, void *context)
{
    (void)room;
    (void)reason;
    assert_true(a == 1 && b == 2);
    ((struct program *)context)->ends++;
}

SESSION_TEST(session_on_a_loop_outlives_its_connections)
{
    struct program program = {.x = 10};
    struct proxy *proxy = proxy_start(qd_server_address(session_start(NULL)), 5);
    qd_session_options options = {
        .size = sizeof options, .backoff_ms = 1, .backoff_max_ms = 10, .ping_ms = 20, .dead_ms = 60, .connect_ms = 60};
    qd_session_handlers handlers = {
        .size = sizeof handlers, .context = &program, .begin = on_begin, .end = on_end, .applied = on_applied};
    qd_session *session = qd_session_create(proxy_address(proxy), &options, &handlers);
    uv_loop_t loop;

    uv_loop_init(&loop);
    assert_int_equal(qd_uv_session_start(&program.adapter, &loop, session), 0);
    program.adapter.context = &program;
    program.room = qd_session_room(session, "uv", &session_step_room);
    qd_room_subscribe(program.room, QD_SCOPE_ALL, false);
    qd_room_spawn_one(program.room, qd_box(1, 10, 10, 1, 1));
    qd_room_spawn_one(program.room, qd_box(2, 10, 10, 1, 1));
    program.step = qd_room_step(program.room);
    assert_int_equal(uv_run(&loop, UV_RUN_DEFAULT), 0);

    assert_int_equal(program.applied, TICKS);
    assert_int_equal(program.closes, 1);
    /* Each tick but the first changes whether they touch. */
    assert_int_equal(program.begins + program.ends, TICKS);
    assert_int_equal(uv_loop_close(&loop), 0);
    qd_session_destroy(session);
    proxy_stop(proxy);
}

TEST_MAIN()

/* SPDX-License-Identifier: Apache-2.0
 *
 * Keepers, by themselves: workers without threads do with them what pool.c does, in an order drawn from a seed. As long
 * as anybody is idle, each timer has somebody who looks at it in time; and rooms that tick in turn rouse nobody.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/work/keepers.h"
#include "tests/support/chance.h"

#define WORKERS_MAX 6u
#define ACTORS      12u

/* Each timer adds as much to how long a keeper sleeps. */
#define SLACK_NS (ACTORS * 200u)

typedef struct hand {
    uint64_t until_ns; /* of one that is idle, or called and not awake yet */
    bool is_idle, called, roused;
    qd_actor *actor; /* that it runs */
} hand;

static qd_pool pool;
static qd_worker workers[WORKERS_MAX];
static hand hands[WORKERS_MAX];
static qd_actor actors[ACTORS];
static uint32_t rouses;

static void do_nothing(qd_actor *actor)
{
    (void)actor;
}

static void begin(uint32_t count)
{
    pool = (qd_pool){.workers = workers, .worker_count = count};
    qd_heap_init(&pool.heap);
    qd_timers_init(&pool.timers, &pool.heap);
    for (uint32_t i = 0; i < count; i++) {
        workers[i] = (qd_worker){.pool = &pool, .index = i, .keeps_ns = QD_NEVER};
        hands[i] = (hand){0};
    }
    for (uint32_t i = 0; i < ACTORS; i++) {
        qd_actor_init(&actors[i], do_nothing);
    }
    rouses = 0;
}

static void end(void)
{
    qd_timers_deinit(&pool.timers);
    qd_heap_deinit(&pool.heap);
}

static void rouse(qd_worker *roused)
{
    if (roused == NULL) {
        return;
    }
    assert_true(hands[roused->index].is_idle);
    hands[roused->index].roused = true;
    rouses++;
}

static void rest(uint32_t index)
{
    hands[index].actor = NULL;
    hands[index].is_idle = true;
    qd_worker_rests(&workers[index]);
    workers[index].owes = false;
    hands[index].until_ns = qd_keeper_until(&workers[index]);
}

static void call(void)
{
    qd_worker *called = qd_workers_choose(&pool);

    if (called) {
        hands[called->index].called = true;
        hands[called->index].is_idle = false;
    }
}

static bool is_run(const qd_actor *actor)
{
    for (uint32_t i = 0; i < pool.worker_count; i++) {
        if (hands[i].actor == actor) {
            return true;
        }
    }
    return false;
}

/* It was called or roused, or has slept long enough. */
static void look(uint32_t index, uint64_t now_ns)
{
    hand *me = &hands[index];

    me->roused = false;
    if (!me->called && (me->until_ns = qd_keeper_until(&workers[index])) > now_ns) {
        return;
    }
    qd_worker_rises(&workers[index]);
    qd_keeper_leaves(&workers[index]);
    qd_actor *due = qd_timers_take(&pool.timers, now_ns);
    rouse(qd_keepers_rouse(&pool));
    *me = (hand){.actor = due && !is_run(due) ? due : NULL};
}

/* From its own run, or from outside. */
static void set(qd_worker *me, qd_actor *actor, uint64_t due_ns)
{
    qd_timers_set(&pool.timers, actor, due_ns);
    if (me) {
        me->owes = qd_keepers_want(&pool);
    } else {
        rouse(qd_keepers_rouse(&pool));
    }
}

/* What an actor that runs has set need not fire before its run is over. */
static void all_is_kept(void)
{
    uint64_t due_ns = QD_NEVER, until_ns = QD_NEVER;

    for (uint32_t i = 0; i < ACTORS; i++) {
        if (!is_run(&actors[i]) && actors[i].due_ns < due_ns) {
            due_ns = actors[i].due_ns;
        }
    }
    for (uint32_t i = 0; i < pool.worker_count; i++) {
        if (hands[i].roused) {
            return;
        }
        if ((hands[i].is_idle || hands[i].called) && hands[i].until_ns < until_ns) {
            until_ns = hands[i].until_ns;
        }
    }
    if (due_ns != QD_NEVER && qd_workers_idle(&pool) > 0) {
        assert_true(until_ns <= due_ns + SLACK_NS);
    }
}

static void work(uint32_t index, uint64_t now_ns, chance *random)
{
    qd_worker *me = &workers[index];

    switch (chance_below(random, 4)) {
    case 0:
        if (hands[index].actor) {
            set(me, hands[index].actor, now_ns + chance_below(random, 20000));
        }
        break;
    case 1:
        /* It has something else to do. */
        hands[index].actor = NULL;
        rouse(qd_keepers_paid(me));
        break;
    default:
        rest(index);
    }
}

static void each_timer_is_kept(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 300; seed++) {
        chance random = {seed};
        uint64_t now_ns = 1000000;

        begin(1 + seed % WORKERS_MAX);
        for (uint32_t step = 0; step < 1000; step++) {
            uint32_t index = chance_below(&random, pool.worker_count);
            hand *one = &hands[index];
            qd_actor *actor = &actors[chance_below(&random, ACTORS)];

            now_ns += chance_below(&random, 3000);
            switch (chance_below(&random, 8)) {
            case 0:
                call();
                break;
            case 1:
                if (!is_run(actor)) {
                    set(NULL, actor, chance_below(&random, 4) ? now_ns + chance_below(&random, 40000) : QD_NEVER);
                }
                break;
            default:
                if (!one->is_idle && !one->called) {
                    work(index, now_ns, &random);
                } else if (one->called || one->roused || one->until_ns <= now_ns) {
                    look(index, now_ns);
                }
            }
            all_is_kept();
        }
        end();
    }
}

/* Rooms that tick in turn, on fewer workers than there are rooms: who wakes for one is awake in time for the next. */
static uint32_t rouses_of(uint32_t rooms, uint32_t worker_count)
{
    enum { PERIOD = 16000000, TURNS = 100 };

    begin(worker_count);
    for (uint32_t i = 0; i < worker_count; i++) {
        rest(i);
    }
    for (uint32_t i = 0; i < rooms; i++) {
        set(NULL, &actors[i], PERIOD + i * (PERIOD / rooms));
    }
    for (uint32_t i = 0; i < worker_count; i++) {
        look(i, 0);
    }
    rouses = 0;
    for (uint32_t tick = 0; tick < TURNS * rooms; tick++) {
        uint64_t now_ns = QD_NEVER;
        uint32_t first = 0;

        for (uint32_t i = 0; i < worker_count; i++) {
            if (hands[i].is_idle && hands[i].until_ns < now_ns) {
                now_ns = hands[i].until_ns;
                first = i;
            }
        }
        look(first, now_ns);
        if (hands[first].actor) {
            set(&workers[first], hands[first].actor, now_ns + PERIOD);
        }
        if (!hands[first].is_idle) {
            rest(first);
        }
    }
    end();
    return rouses;
}

static void rooms_that_tick_in_turn_rouse_nobody(void **state)
{
    (void)state;
    for (uint32_t worker_count = 1; worker_count <= WORKERS_MAX; worker_count++) {
        for (uint32_t rooms = 1; rooms <= ACTORS; rooms++) {
            assert_int_equal(rouses_of(rooms, worker_count), 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_timer_is_kept),
        cmocka_unit_test(rooms_that_tick_in_turn_rouse_nobody),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * A gate between two real threads: however they meet, the link ends resumed as often as it was paused.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "server/actor/service/backpressure.h"
#include "tests/support/test.h"

/* A link that only counts. */
typedef struct counting_link {
    qd_link link; /* first */
    _Atomic int pauses;
    _Atomic int pauses_ever;
} counting_link;

static void count_pause(qd_link *link)
{
    atomic_fetch_add(&((counting_link *)link)->pauses, 1);
    atomic_fetch_add(&((counting_link *)link)->pauses_ever, 1);
}

static void count_resume(qd_link *link)
{
    atomic_fetch_sub(&((counting_link *)link)->pauses, 1);
}

static const qd_link_ops ops = {.pause = count_pause, .resume = count_resume};

static void init(counting_link *link, qd_backpressure *gate)
{
    qd_link_init(&link->link, &ops);
    atomic_init(&link->pauses, 0);
    atomic_init(&link->pauses_ever, 0);
    qd_backpressure_init(gate);
}

TEST(gate_shuts_at_the_maximum_and_opens_below_half)
{
    counting_link link;
    qd_backpressure gate;

    init(&link, &gate);
    for (int i = 0; i < 3; i++) {
        qd_backpressure_enter(&gate, 10, 40, &link.link);
        assert_int_equal(link.pauses, 0);
    }
    qd_backpressure_enter(&gate, 10, 40, &link.link);
    assert_int_equal(link.pauses, 1);
    /* Already shut: not paused twice. */
    qd_backpressure_enter(&gate, 10, 40, &link.link);
    assert_int_equal(link.pauses, 1);
    for (int i = 0; i < 3; i++) {
        qd_backpressure_leave(&gate, 10, 40, &link.link);
        assert_int_equal(link.pauses, 1);
    }
    qd_backpressure_leave(&gate, 10, 40, &link.link);
    assert_int_equal(link.pauses, 0);
    qd_backpressure_leave(&gate, 10, 40, &link.link);
    assert_int_equal(link.pauses, 0);
}

TEST(share_of_one_shuts_and_opens)
{
    counting_link link;
    qd_backpressure gate;

    init(&link, &gate);
    qd_backpressure_enter(&gate, 1, 1, &link.link);
    assert_int_equal(link.pauses, 1);
    qd_backpressure_leave(&gate, 1, 1, &link.link);
    assert_int_equal(link.pauses, 0);
}

TEST(shrunk_share_opens_when_empty)
{
    counting_link link;
    qd_backpressure gate;

    init(&link, &gate);
    for (int i = 0; i < 8; i++) {
        qd_backpressure_enter(&gate, 1, 8, &link.link);
    }
    assert_int_equal(link.pauses, 1);
    for (int i = 0; i < 8; i++) {
        qd_backpressure_leave(&gate, 1, 1, &link.link);
    }
    assert_int_equal(link.pauses, 0);
}

enum { ITEMS = 200000 };

typedef struct gate_race {
    counting_link link;
    qd_backpressure gate;
    _Atomic int handed_over;
} gate_race;

static void *consume(void *argument)
{
    gate_race *race = argument;

    for (int i = 0; i < ITEMS; i++) {
        while (atomic_load(&race->handed_over) <= i) {
            sched_yield();
        }
        qd_backpressure_leave(&race->gate, 1, 4, &race->link.link);
    }
    return NULL;
}

TEST(concurrent_use_leaves_no_pause)
{
    static gate_race race;

    init(&race.link, &race.gate);
    pthread_t consumer;
    assert_int_equal(pthread_create(&consumer, NULL, consume, &race), 0);
    for (int i = 0; i < ITEMS; i++) {
        /* As a link does: while it is paused, nothing is handed out. A pause that nobody takes back hangs the test. */
        while (atomic_load(&race.link.pauses) > 0) {
            sched_yield();
        }
        qd_backpressure_enter(&race.gate, 1, 4, &race.link.link);
        atomic_fetch_add(&race.handed_over, 1);
    }
    pthread_join(consumer, NULL);
    assert_int_equal(race.link.pauses, 0);
    assert_int_equal(race.gate.waiting, 0);
    assert_true(race.link.pauses_ever > 0);
}

TEST_MAIN()

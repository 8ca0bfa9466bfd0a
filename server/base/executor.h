/* SPDX-License-Identifier: Apache-2.0
 *
 * Who runs the work: two interfaces that keep the logic free of threads.
 *
 * An EXECUTOR forks and joins: run task(argument, i) for every i below count, wherever there is a free hand, and
 * return when all are done. The caller takes part, so it may be called from inside an actor, and a machine of one core
 * just runs a loop. What the tasks do must not depend on who runs them or in which order. Who is about to fork several
 * times in a row says so: then hands that came for one fork stay awake for the next, as calling them takes longer than
 * many a fork.
 *
 * An ACTOR is something that runs one at a time: a room with its mailbox. Waking it makes its run function be called
 * soon, by some worker, never by two at once; a wake during a run leads to another run. All that one run did is visible
 * to the next.
 *
 *     idle --wake--> queued --worker--> running --done--> idle
 *                                         |  ^ wake while running: queued again when done
 *
 * Whoever has something small for an idle actor may VISIT it: the run then happens at once, in the visitor's own
 * thread, which has what it brings in its cache, and nobody need be called from sleep.
 *
 * A SCHEDULER runs actors. work/ has the one with threads; the simulation has one with none, in an order drawn from a
 * seed. Time is the scheduler's too: nanoseconds, monotonic, from any origin.
 */
#ifndef QD_BASE_EXECUTOR_H
#define QD_BASE_EXECUTOR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void (*qd_task_fn)(size_t index, void *argument);

typedef struct qd_executor {
    void (*run)(void *context, size_t count, qd_task_fn task, void *argument);
    size_t width; /* how many tasks can run at once, at least 1 */
    void *context;
    void (*expect)(void *context, bool forks); /* NULL: it makes no difference */
} qd_executor;

/* The executor that runs everything in the caller, in order. */
extern const qd_executor qd_executor_serial;

/* From now on forks follow one another, with little between them; or not any more. [an actor's run] */
static inline void qd_executor_expect(const qd_executor *executor, bool forks)
{
    if (executor->expect) {
        executor->expect(executor->context, forks);
    }
}

typedef struct qd_actor qd_actor;
typedef void (*qd_actor_fn)(qd_actor *actor);

#define QD_NEVER UINT64_MAX

struct qd_actor {
    qd_actor_fn run;
    /* NULL, or: has what a run touches first on its way into the cache. The scheduler may call it a while before a run,
     * as if it were one. */
    qd_actor_fn fetch;
    /* private to the scheduler */
    _Atomic uint32_t state;
    struct qd_actor *next, *next_batch;
    uint64_t due_ns;      /* wake it then; QD_NEVER: no timer */
    uint32_t timer_index; /* of its timer with the scheduler, counted from 1; 0: it has none */
};

static inline void qd_actor_init(qd_actor *actor, qd_actor_fn run)
{
    actor->run = run;
    actor->fetch = NULL;
    atomic_init(&actor->state, 0);
    actor->next = actor->next_batch = NULL;
    actor->due_ns = QD_NEVER;
    actor->timer_index = 0;
}

typedef struct qd_scheduler {
    uint64_t (*now_ns)(void *context); /* [any] */
    /* Have the actor run soon. [any] */
    void (*wake)(void *context, qd_actor *actor);
    /* If it is idle, call `run` for it here and now; else wake it. A run like any other, but short, and it may not
     * retire the actor. Not from inside a run. [any] */
    void (*run_inline)(void *context, qd_actor *actor, qd_actor_fn run);
    /* Have the actor run at due_ns, or never; replaces what was set before. [the actor's own run, or before its first]
     */
    void (*wake_at)(void *context, qd_actor *actor, uint64_t due_ns);
    /* For the actor's own run, as its last act: after it returns from run, the scheduler does not touch the actor any
     * more and calls done(actor), which may free it. No timer may be set, nobody may wake it later, and who woke it
     * before does so in vain. */
    void (*retire)(void *context, qd_actor *actor, qd_actor_fn done);
    const qd_executor *executor; /* to be used from inside runs */
    void *context;
} qd_scheduler;

#endif

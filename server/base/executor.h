/* SPDX-License-Identifier: Apache-2.0
 *
 * The interfaces that run work. They keep the logic free of threads.
 *
 * An executor forks and joins: it runs task(argument, i) for every i below count on any free workers, and returns when
 * all tasks are done. The caller takes part, so an actor may call it, and on one core it is a loop. The tasks' result
 * must not depend on their order or on the worker that runs them. An actor that is about to fork several times in a
 * row announces it: the workers that come for one fork then stay awake for the next, because waking a worker takes
 * longer than many a fork.
 *
 * An actor is an object that runs one at a time, such as a room with its mailbox. A wake makes some worker call its run
 * function soon; two workers never run it at once. A wake during a run leads to another run. Each run sees everything
 * that earlier runs wrote.
 *
 *     idle --wake--> queued --worker--> running --done--> idle
 *                                         |  ^ wake while running: queued again when done
 *
 * An inline run calls an idle actor at once on the caller's thread. The caller has its message in cache, and no worker
 * has to be woken.
 *
 * Work is urgent, or it waits behind all urgent work. An actor that waits behind becomes urgent with the next plain
 * wake. When nothing urgent waits, all workers run the others.
 *
 * A scheduler runs actors. work/ has the one with threads; the simulation has one without threads, whose order comes
 * from a seed. The scheduler also owns time: monotonic nanoseconds from any origin.
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
    size_t width; /* the number of tasks that can run at once, at least 1 */
    void *context;
    void (*expect_forks)(void *context, bool expected); /* or NULL */
} qd_executor;

/* Runs all tasks on the caller's thread, in order. */
extern const qd_executor qd_executor_serial;

/* Announces that forks follow each other from now on; withdraws it. A run withdraws before it ends. [an actor's run] */
static inline void qd_executor_expect_forks(const qd_executor *executor, bool expected)
{
    if (executor->expect_forks) {
        executor->expect_forks(executor->context, expected);
    }
}

typedef struct qd_actor qd_actor;
typedef void (*qd_actor_fn)(qd_actor *actor);

#define QD_NEVER UINT64_MAX

/* As many actors may have timers without a reservation. */
#define QD_TIMERS_SPARE 16u

struct qd_actor {
    qd_actor_fn run;
    /* Prefetches what a run touches first, or NULL. The scheduler may call it shortly before a run, with the same
     * exclusive access. */
    qd_actor_fn fetch;
    _Atomic bool yields; /* all its wakes are like wake_behind, also that of its timer; its own run sets this */
    /* Its next run may take a millisecond or more. A hint, which its own run sets, and who posts long work to it. */
    _Atomic bool is_long;
    /* private to the scheduler */
    _Atomic uint32_t state;
    struct qd_actor *next, *next_batch;
    struct qd_actor *previous; /* while it waits behind */
    bool waits_behind;
    bool has_forked;      /* in its last run that expected forks */
    uint64_t due_ns;      /* when its timer fires; QD_NEVER: it has no timer */
    uint32_t timer_index; /* of its timer in the scheduler, from 1; 0: none */
};

/* In `state`: a plain wake has come and is not answered yet. Other schedulers than the pool may never set it. */
#define QD_ACTOR_URGENT 4u

/* Whether the next run may be long; a hint. [any] */
static inline bool qd_actor_is_long(const qd_actor *actor)
{
    return atomic_load_explicit(&actor->is_long, memory_order_relaxed);
}

static inline void qd_actor_set_long(qd_actor *actor, bool is_long)
{
    if (qd_actor_is_long(actor) != is_long) {
        atomic_store_explicit(&actor->is_long, is_long, memory_order_relaxed);
    }
}

/* Whether another plain wake would change nothing; a hint. [any] */
static inline bool qd_actor_is_urgent(const qd_actor *actor)
{
    return (atomic_load_explicit(&actor->state, memory_order_relaxed) & QD_ACTOR_URGENT) != 0;
}

static inline void qd_actor_init(qd_actor *actor, qd_actor_fn run)
{
    actor->run = run;
    actor->fetch = NULL;
    atomic_init(&actor->state, 0);
    atomic_init(&actor->yields, false);
    atomic_init(&actor->is_long, false);
    actor->next = actor->next_batch = actor->previous = NULL;
    actor->waits_behind = actor->has_forked = false;
    actor->due_ns = QD_NEVER;
    actor->timer_index = 0;
}

typedef struct qd_scheduler {
    uint64_t (*now_ns)(void *context); /* [any] */
    /* The time that this thread has run, from any origin. Slower than now_ns. [any] */
    uint64_t (*ran_ns)(void *context);
    /* Makes the actor run soon. [any] */
    void (*wake)(void *context, qd_actor *actor);
    /* The same, behind all actors that `wake` has woken. [any] */
    void (*wake_behind)(void *context, qd_actor *actor);
    /* Calls `run` for the actor on this thread if the actor is idle; otherwise wakes it, unless `urgent` behind others.
     * Such a run must be short and must not retire the actor. Not from inside a run. [any] */
    void (*run_inline)(void *context, qd_actor *actor, qd_actor_fn run, bool urgent);
    /* Makes the actor run at due_ns, which replaces the time set before; QD_NEVER cancels. [the actor's own run, or
     * before its first run] */
    void (*wake_at)(void *context, qd_actor *actor, uint64_t due_ns);
    /* The last act of an actor's run. When the run has returned, the scheduler calls done(actor), which may free the
     * actor, and never touches it again. Earlier wakes have no effect; later ones are not allowed. */
    void (*retire)(void *context, qd_actor *actor, qd_actor_fn done);
    /* Reserves memory for the timer of one more actor, or gives it back, so that wake_at cannot fail. A few actors need
     * no reservation (QD_TIMERS_SPARE). false: there is no memory. [any] */
    bool (*reserve_timer)(void *context);
    void (*release_timer)(void *context);
    const qd_executor *executor; /* for use inside runs */
    void *context;
} qd_scheduler;

#endif

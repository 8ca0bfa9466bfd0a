/* SPDX-License-Identifier: Apache-2.0
 *
 * How the pool works
 * ------------------
 * Locks. The POOL'S LOCK guards who is idle, who keeps the timers, the timers, and the open splits. A QUEUE'S LOCK
 * guards that queue. Order: the pool's, then a queue's; never two queues' at once. No lock is held while an actor or a
 * task runs.
 *
 * An actor's state is two bits, changed by read-modify-writes only:
 *
 *     HELD    it stands in a queue or runs           idle 0 --wake--> HELD|WOKEN (queued) --run--> HELD (running)
 *     WOKEN   there is a wake that no run has         HELD --done--> 0;  woken while running: HELD|WOKEN, and when the
 *             answered yet                            run is done it is queued again instead of becoming idle
 *
 * So whoever sets HELD first queues it or visits it, and only that one, or whoever took it from the queue, clears HELD:
 * it stands in one place at most. A wake is a read-modify-write even where it changes nothing: it comes either before
 * the run clears WOKEN, and then the run sees all that the waker wrote (release, acquire), or after, and then another
 * run follows. A visit goes from 0 to HELD at one blow and ends as a run does: a wake during it leads to a run, too.
 *
 * Sleeping. A worker that found nothing counts itself idle, then looks into every queue once more, under its lock, and
 * only then sleeps. A push takes the same queue's lock, and after it looks for idle workers. One of the two comes
 * first: either the worker sees the actor or the pusher sees the worker. No wake is lost, and nobody spins.
 *
 * Calling. Who calls a sleeper chooses it under the lock and signals when the lock is free again: whoever wakes takes
 * the lock first, and would fall asleep once more. A wake calls one idle worker. A worker that takes an actor and sees
 * more waiting calls one more: so a burst gets the workers it needs, though each call may have been answered by a
 * worker that took something else. Who forks calls some workers, and each that comes while there are tasks left calls
 * some more: so neither is one held up by calling all, nor are all called for what a few have done by then.
 *
 * Timers. One idle worker is the KEEPER, it alone sleeps with a timeout; when it leaves, another idle one follows it.
 * It sleeps a little longer than until the first timer, the more so the more there are, for else it would wake for
 * each. Busy workers look at the time when their own queue is empty, because behind what stands there a timer's actor
 * would have to wait anyway, and between two runs of some. Then some fire, the earliest first, and the rest the next
 * time: while there is more to do than time, who is latest comes first, and whoever has not fired can be visited.
 * Timers fire under the pool's lock, and retiring takes it: after that nobody holds a retired actor's timer in hand.
 *
 * Splits (fork and join). A split is on its caller's stack, in a list while it may have tasks left. A helper counts
 * itself in under the lock, takes tasks, and counts itself out under the lock; the caller takes tasks too, takes the
 * split off the list, and waits for the helpers to be out. Whoever waits has finished its own part, and each helper is
 * at work on a task; a task that splits is itself a caller that takes part: so waits end, however they nest. The end is
 * near then, so the caller looks out for it for a while before it sleeps. It may go as soon as it sees the last helper
 * counted out, which is therefore the last thing that a helper does to a split.
 *
 * Staying. A run that expects more forks has a PARTY from its first fork to when it expects none. While there is one,
 * a worker that has come to a split stays for a while when it finds nothing more to do: it does not count itself idle,
 * but watches for the next split, and goes by the queues and the timers all the time. So the forks of a tick cost one
 * call of each hand, not one each; without a party nobody stays.
 */
#define _GNU_SOURCE /* pthread_setname_np */

#include "pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdalign.h>
#include <stdbool.h>

#include "../base/alloc.h"
#include "../base/assert.h"
#include "../base/clock.h"
#include "../base/fetch.h"
#include "pause.h"
#include "queue.h"
#include "split.h"
#include "timers.h"

#define HELD  1u
#define WOKEN 2u

/* Each so many takes a worker looks at the timers and at the others' queues before its own, lest actors that wake each
 * other for ever keep it from what is due, and from those whose own worker is in a long run. */
#define TAKES_OF_OWN 16u

/* No more timers fire at a time: a queued actor cannot be visited, and stands behind those that were queued before it,
 * however late they are. What is left is taken later, by whoever is first, the earliest first. */
#define FIRED_AT_ONCE 16u

/* A split's helpers are called by each other: so many by its caller, so many by each. */
#define CALLS_OF_CALLER 8u
#define CALLS_OF_HELPER 4u

/* How long a worker stays for the next fork, about what it would take to wake it. */
#define STAY_NS      50000u
#define LOOKS_A_TIME 64u

#define TOGETHER_NS_A_TIMER 50u
#define TOGETHER_NS_MAX     500000u

typedef struct worker {
    alignas(QD_LINE_BYTES) qd_queue queue;
    qd_pool *pool;
    uint32_t index;
    uint32_t takes;
    pthread_t thread;
    /* of the run under way */
    qd_actor *actor;
    qd_actor_fn retired; /* what to call after it */
    bool expects_forks, has_party;
    /* while it stays */
    bool stays;
    uint32_t forks_seen;
    uint64_t stay_until_ns;
    /* under the pool's lock */
    pthread_cond_t call;
    bool called;
} worker;

struct qd_pool {
    qd_heap heap;
    worker *workers;
    uint32_t worker_count;
    qd_executor executor;
    qd_scheduler scheduler;

    _Atomic uint32_t queue_next; /* for wakes from outside */
    _Atomic bool stopping;
    _Atomic uint64_t timer_next_ns; /* qd_timers_next_ns; written under the lock, read without it as a hint */
    _Atomic uint32_t idle_count;    /* written under the lock; see "Sleeping" */
    _Atomic uint32_t parties;       /* see "Staying" */
    _Atomic uint32_t forks;         /* splits opened so far; written under the lock */

    pthread_mutex_t lock;
    uint32_t idle[QD_POOL_WORKERS_MAX]; /* a stack: who slept last is called first */
    worker *keeper;
    qd_timers timers;
    qd_split *splits; /* the newest */
    uint32_t staying;
};

/* The worker that this thread is, or NULL. */
static _Thread_local worker *self;

static uint32_t idle_count(qd_pool *pool)
{
    return atomic_load_explicit(&pool->idle_count, memory_order_relaxed);
}
static bool is_stopping(qd_pool *pool)
{
    return atomic_load_explicit(&pool->stopping, memory_order_relaxed);
}

static void set_idle_count(qd_pool *pool, uint32_t count)
{
    atomic_store_explicit(&pool->idle_count, count, memory_order_relaxed);
}

/* ---- calling idle workers ---- */

/* [lock] An idle worker, for the caller to signal; not the keeper, if there is another. NULL: none is idle. */
static worker *choose_locked(qd_pool *pool)
{
    uint32_t count = idle_count(pool);

    if (count == 0)
        return NULL;
    worker *chosen = &pool->workers[pool->idle[count - 1]];
    if (chosen == pool->keeper && count > 1) {
        pool->idle[count - 1] = pool->idle[count - 2];
        chosen = &pool->workers[pool->idle[count - 1]];
        pool->idle[count - 2] = pool->keeper->index;
    }
    set_idle_count(pool, count - 1);
    chosen->called = true;
    return chosen;
}

static void call(qd_pool *pool)
{
    if (idle_count(pool) == 0)
        return;
    pthread_mutex_lock(&pool->lock);
    worker *called = choose_locked(pool);
    pthread_mutex_unlock(&pool->lock);
    if (called)
        pthread_cond_signal(&called->call);
}

/* ---- the scheduler's interface ---- */

static uint64_t now_ns(void *context)
{
    (void)context;
    return qd_clock_now_ns();
}

/* Whether the caller has to queue it. */
static bool hold(qd_actor *actor)
{
    return (atomic_fetch_or_explicit(&actor->state, HELD | WOKEN, memory_order_acq_rel) & HELD) == 0;
}

/* Of one that is held and in no queue. */
static void queue(qd_pool *pool, qd_actor *actor)
{
    worker *target = self;

    if (!target || target->pool != pool) {
        uint32_t turn = atomic_fetch_add_explicit(&pool->queue_next, 1, memory_order_relaxed);
        target = &pool->workers[turn % pool->worker_count];
    }
    /* From here on the actor may run, and be gone. */
    qd_queue_push(&target->queue, actor);
    call(pool);
}

static void wake(void *context, qd_actor *actor)
{
    if (hold(actor))
        queue(context, actor);
}

/* Whether nobody woke it meanwhile: then it is idle. */
static bool let_go(qd_actor *actor)
{
    uint32_t running = HELD;

    return atomic_compare_exchange_strong_explicit(&actor->state, &running, 0, memory_order_release,
                                                   memory_order_relaxed);
}

static void visit(void *context, qd_actor *actor, qd_actor_fn run_here)
{
    uint32_t idle_state = 0;

    /* Acquire: a run sees what the last one did. */
    if (!atomic_compare_exchange_strong_explicit(&actor->state, &idle_state, HELD, memory_order_acquire,
                                                 memory_order_relaxed)) {
        wake(context, actor);
        return;
    }
    run_here(actor);
    if (!let_go(actor))
        queue(context, actor);
}

/* [lock] */
static void set_timer(qd_pool *pool, qd_actor *actor, uint64_t due_ns)
{
    qd_timers_set(&pool->timers, actor, due_ns);
    atomic_store_explicit(&pool->timer_next_ns, qd_timers_next_ns(&pool->timers), memory_order_relaxed);
}

/* [lock] Some idle worker has to look at the timers again: the keeper, or one that becomes it. */
static void rouse_keeper(qd_pool *pool)
{
    if (pool->keeper)
        pthread_cond_signal(&pool->keeper->call);
    else if (idle_count(pool) > 0)
        pthread_cond_signal(&pool->workers[pool->idle[0]].call);
}

static void wake_at(void *context, qd_actor *actor, uint64_t due_ns)
{
    qd_pool *pool = context;

    pthread_mutex_lock(&pool->lock);
    uint64_t before_ns = qd_timers_next_ns(&pool->timers);
    set_timer(pool, actor, due_ns);
    if (qd_timers_next_ns(&pool->timers) < before_ns)
        rouse_keeper(pool);
    pthread_mutex_unlock(&pool->lock);
}

static void retire(void *context, qd_actor *actor, qd_actor_fn done)
{
    qd_pool *pool = context;

    QD_ASSERT(self && self->pool == pool && self->actor == actor);
    pthread_mutex_lock(&pool->lock);
    set_timer(pool, actor, QD_NEVER);
    pthread_mutex_unlock(&pool->lock);
    self->retired = done;
}

/* ---- fork and join ---- */

static void expect(void *context, bool forks)
{
    qd_pool *pool = context;

    if (!self || self->pool != pool)
        return;
    self->expects_forks = forks;
    if (forks || !self->has_party)
        return;
    self->has_party = false;
    atomic_fetch_sub_explicit(&pool->parties, 1, memory_order_relaxed);
}

static void have_party(qd_pool *pool)
{
    if (!self || self->pool != pool || !self->expects_forks || self->has_party)
        return;
    self->has_party = true;
    atomic_fetch_add_explicit(&pool->parties, 1, memory_order_relaxed);
}

static uint32_t forks_of(qd_pool *pool)
{
    return atomic_load_explicit(&pool->forks, memory_order_relaxed);
}

/* [lock] Chooses some of those that a split still wants called. */
static uint32_t choose_for_locked(qd_pool *pool, qd_split *split, worker **called, uint32_t count_max)
{
    uint32_t count = 0;

    while (count < count_max && split->wanted > 0 && (called[count] = choose_locked(pool))) {
        split->wanted--;
        count++;
    }
    return count;
}

static void signal_all(worker *const *called, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        pthread_cond_signal(&called[i]->call);
}

/* Puts the split where helpers find it, and calls the first of those that are of use beside those who stay. */
static void open_split(qd_pool *pool, qd_split *split, uint32_t helpers_max)
{
    worker *called[CALLS_OF_CALLER];

    have_party(pool);
    pthread_mutex_lock(&pool->lock);
    qd_split_open(split, &pool->splits);
    atomic_store_explicit(&pool->forks, forks_of(pool) + 1, memory_order_relaxed);
    split->wanted = helpers_max > pool->staying ? helpers_max - pool->staying : 0;
    uint32_t count = choose_for_locked(pool, split, called, CALLS_OF_CALLER);
    pthread_mutex_unlock(&pool->lock);
    signal_all(called, count);
}

static void run_forked(void *context, size_t count, qd_task_fn task, void *argument)
{
    qd_pool *pool = context;
    qd_split split;

    if (count <= 1 || pool->worker_count == 1) {
        qd_executor_serial.run(NULL, count, task, argument);
        return;
    }
    qd_split_init(&split, count, task, argument, pool->worker_count);
    open_split(pool, &split, (count < pool->worker_count ? (uint32_t)count : pool->worker_count) - 1);
    qd_split_work(&split, self && self->pool == pool ? self->index : 0);
    pthread_mutex_lock(&pool->lock);
    qd_split_close(&split, &pool->splits);
    pthread_mutex_unlock(&pool->lock);
    qd_split_wait(&split, &pool->lock);
    qd_split_deinit(&split);
}

/* [lock] Helps with a split that has tasks left, and returns whether there was one. */
static bool help_locked(worker *me)
{
    qd_pool *pool = me->pool;
    qd_split *split = qd_split_join(pool->splits);
    worker *called[CALLS_OF_HELPER];

    me->forks_seen = forks_of(pool);
    if (!split)
        return false;
    uint32_t count = choose_for_locked(pool, split, called, CALLS_OF_HELPER);
    pthread_mutex_unlock(&pool->lock);
    signal_all(called, count);
    qd_split_work(split, me->index);
    pthread_mutex_lock(&pool->lock);
    qd_split_leave(split);
    return true;
}

static bool is_party(qd_pool *pool)
{
    return atomic_load_explicit(&pool->parties, memory_order_relaxed) > 0;
}

/* [lock] Of a worker that came to a split, in time or too late. */
static void may_stay(worker *me)
{
    me->stay_until_ns = is_party(me->pool) ? qd_clock_now_ns() + STAY_NS : 0;
}

/* [lock] */
static void set_stays(worker *me, bool stays)
{
    me->pool->staying = me->pool->staying + stays - me->stays;
    me->stays = stays;
}

/* Of a worker that stays: whether there is a new split, or no reason to stay any more. If there is neither after some
 * looks, it gives way to other threads. */
static bool watch(worker *me)
{
    for (uint32_t look = 0; look < LOOKS_A_TIME; look++) {
        if (forks_of(me->pool) != me->forks_seen || !is_party(me->pool))
            return true;
        qd_pause();
    }
    if (qd_clock_now_ns() >= me->stay_until_ns)
        return true;
    sched_yield();
    return false;
}

/* ---- the life of a worker ---- */

/* [lock] Queues what is due with this worker, which is about to take the first and to call others for the rest: the
 * earliest few. */
static void fire_timers_locked(worker *me)
{
    qd_pool *pool = me->pool;
    uint64_t now = qd_clock_now_ns();
    qd_actor *actor;

    for (uint32_t fired = 0; fired < FIRED_AT_ONCE && (actor = qd_timers_take(&pool->timers, now)); fired++) {
        if (hold(actor))
            qd_queue_push(&me->queue, actor);
    }
    atomic_store_explicit(&pool->timer_next_ns, qd_timers_next_ns(&pool->timers), memory_order_relaxed);
}

static void fire_timers(worker *me)
{
    uint64_t next_ns = atomic_load_explicit(&me->pool->timer_next_ns, memory_order_relaxed);

    if (next_ns == QD_NEVER || next_ns > qd_clock_now_ns())
        return;
    pthread_mutex_lock(&me->pool->lock);
    fire_timers_locked(me);
    pthread_mutex_unlock(&me->pool->lock);
}

static bool looks_queued(qd_pool *pool)
{
    for (uint32_t index = 0; index < pool->worker_count; index++) {
        if (!qd_queue_looks_empty(&pool->workers[index].queue))
            return true;
    }
    return false;
}

static bool is_queued(qd_pool *pool)
{
    for (uint32_t index = 0; index < pool->worker_count; index++) {
        if (!qd_queue_is_empty(&pool->workers[index].queue))
            return true;
    }
    return false;
}

static qd_actor *take(worker *me)
{
    qd_pool *pool = me->pool;
    bool others_first = ++me->takes % TAKES_OF_OWN == 0;
    uint32_t first = me->index + others_first;

    if (others_first || qd_queue_looks_empty(&me->queue))
        fire_timers(me);
    for (uint32_t step = 0; step < pool->worker_count; step++) {
        qd_actor *actor = qd_queue_take(&pool->workers[(first + step) % pool->worker_count].queue);

        if (actor) {
            if (idle_count(pool) > 0 && looks_queued(pool))
                call(pool);
            return actor;
        }
    }
    return NULL;
}

static void run(worker *me, qd_actor *actor)
{
    atomic_fetch_and_explicit(&actor->state, ~WOKEN, memory_order_acq_rel);
    me->actor = actor;
    me->retired = NULL;
    actor->run(actor);
    me->actor = NULL;
    QD_ASSERT(!me->has_party);
    if (me->retired)
        me->retired(actor);
    else if (!let_go(actor))
        qd_queue_push(&me->queue, actor);
}

/* [lock] How much later than the first of them timers may fire that fire together: the more there are, the more a
 * keeper would only wake for one of them and fall asleep again. */
static uint64_t together_ns(const qd_pool *pool)
{
    uint64_t together = (uint64_t)pool->timers.count * TOGETHER_NS_A_TIMER;

    return together < TOGETHER_NS_MAX ? together : TOGETHER_NS_MAX;
}

/* [lock] Until called, or a timer is due and this worker keeps them. */
static void sleep_locked(worker *me)
{
    qd_pool *pool = me->pool;

    while (!me->called && !is_stopping(pool)) {
        if (pool->keeper && pool->keeper != me) {
            pthread_cond_wait(&me->call, &pool->lock);
            continue;
        }
        uint64_t due_ns = qd_timers_next_ns(&pool->timers);
        if (due_ns != QD_NEVER)
            due_ns += together_ns(pool);
        pool->keeper = me;
        if (due_ns == QD_NEVER) {
            pthread_cond_wait(&me->call, &pool->lock);
        } else if (due_ns > qd_clock_now_ns()) {
            struct timespec until = {(time_t)(due_ns / 1000000000u), (long)(due_ns % 1000000000u)};
            pthread_cond_timedwait(&me->call, &pool->lock, &until);
        } else {
            return;
        }
    }
}

/* [lock] Off the stack, unless who called did that. */
static void leave_idle_locked(worker *me)
{
    qd_pool *pool = me->pool;
    uint32_t count = idle_count(pool);
    uint32_t place = 0;

    while (place < count && pool->idle[place] != me->index)
        place++;
    if (place == count)
        return;
    for (; place + 1 < count; place++)
        pool->idle[place] = pool->idle[place + 1];
    set_idle_count(pool, count - 1);
}

/* [lock] */
static void be_idle_locked(worker *me)
{
    qd_pool *pool = me->pool;
    uint32_t count = idle_count(pool);

    me->called = false;
    pool->idle[count] = me->index;
    set_idle_count(pool, count + 1);
    if (!is_queued(pool))
        sleep_locked(me);
    leave_idle_locked(me);
    /* No keeper: one may have been roused and then called away before it knew. */
    if (!pool->keeper || pool->keeper == me) {
        pool->keeper = NULL;
        fire_timers_locked(me);
        if (pool->timers.count > 0)
            rouse_keeper(pool);
    }
    if (me->called)
        may_stay(me);
}

/* What a worker does when there is no actor to run. */
static void idle(worker *me)
{
    qd_pool *pool = me->pool;

    if (me->stays && (!watch(me) || pthread_mutex_trylock(&pool->lock) != 0))
        return;
    if (!me->stays)
        pthread_mutex_lock(&pool->lock);
    set_stays(me, false);
    if (help_locked(me))
        may_stay(me);
    else if (is_party(pool) && qd_clock_now_ns() < me->stay_until_ns)
        set_stays(me, true);
    else
        be_idle_locked(me);
    pthread_mutex_unlock(&pool->lock);
}

static void stay_no_more(worker *me)
{
    pthread_mutex_lock(&me->pool->lock);
    set_stays(me, false);
    pthread_mutex_unlock(&me->pool->lock);
}

static void *work(void *argument)
{
    worker *me = argument;

    self = me;
    pthread_setname_np(pthread_self(), "qd-worker");
    while (!is_stopping(me->pool)) {
        qd_actor *actor = take(me);
        if (actor && me->stays)
            stay_no_more(me);
        if (actor)
            run(me, actor);
        else
            idle(me);
    }
    return NULL;
}

/* ---- creation ---- */

static void init_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;

    /* Timeouts are times of qd_clock_now_ns. */
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

/* It is held so briefly that whoever finds it taken had better look again than fall asleep. */
static void init_lock(pthread_mutex_t *lock)
{
    pthread_mutexattr_t attributes;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP);
    pthread_mutex_init(lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

static void init_worker(qd_pool *pool, uint32_t index)
{
    worker *me = &pool->workers[index];

    *me = (worker){.pool = pool, .index = index};
    qd_queue_init(&me->queue);
    init_condition(&me->call);
}

/* Returns how many threads run. Signals are for the threads that expect them. */
static uint32_t start_threads(qd_pool *pool)
{
    sigset_t all, before;
    uint32_t started = 0;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    while (started < pool->worker_count) {
        worker *me = &pool->workers[started];
        if (pthread_create(&me->thread, NULL, work, me) != 0)
            break;
        started++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static void stop_threads(qd_pool *pool, uint32_t started)
{
    pthread_mutex_lock(&pool->lock);
    atomic_store_explicit(&pool->stopping, true, memory_order_relaxed);
    for (uint32_t index = 0; index < started; index++)
        pthread_cond_signal(&pool->workers[index].call);
    pthread_mutex_unlock(&pool->lock);
    for (uint32_t index = 0; index < started; index++)
        pthread_join(pool->workers[index].thread, NULL);
}

static void free_all(qd_pool *pool)
{
    for (uint32_t index = 0; index < pool->worker_count; index++) {
        pthread_cond_destroy(&pool->workers[index].call);
        qd_queue_deinit(&pool->workers[index].queue);
    }
    pthread_mutex_destroy(&pool->lock);
    qd_timers_deinit(&pool->timers);

    qd_heap heap = pool->heap;
    qd_heap_free_aligned(&heap, pool->workers, alignof(worker), pool->worker_count * sizeof(worker));
    qd_heap_free(&heap, pool, sizeof *pool);
    qd_heap_deinit(&heap);
}

qd_status qd_pool_create(uint32_t workers, qd_pool **result)
{
    if (workers < 1 || workers > QD_POOL_WORKERS_MAX)
        return QD_ERR_INVALID;

    qd_heap heap;
    qd_heap_init(&heap);
    qd_pool *pool = qd_heap_alloc_zeroed(&heap, sizeof *pool);
    if (!pool)
        goto fail;
    pool->workers = qd_heap_alloc_aligned(&heap, alignof(worker), workers * sizeof(worker));
    if (!pool->workers)
        goto fail;
    pool->heap = heap;
    pool->worker_count = workers;
    pool->executor = (qd_executor){.run = run_forked, .width = workers, .context = pool, .expect = expect};
    pool->scheduler = (qd_scheduler){.now_ns = now_ns,
                                     .wake = wake,
                                     .visit = visit,
                                     .wake_at = wake_at,
                                     .retire = retire,
                                     .executor = &pool->executor,
                                     .context = pool};
    atomic_init(&pool->timer_next_ns, QD_NEVER);
    init_lock(&pool->lock);
    qd_timers_init(&pool->timers, &pool->heap);
    for (uint32_t index = 0; index < workers; index++)
        init_worker(pool, index);

    uint32_t started = start_threads(pool);
    if (started < workers) {
        stop_threads(pool, started);
        free_all(pool);
        return QD_ERR_SYSTEM;
    }
    *result = pool;
    return QD_OK;

fail:
    if (pool)
        qd_heap_free(&heap, pool, sizeof *pool);
    qd_heap_deinit(&heap);
    return QD_ERR_NO_MEMORY;
}

void qd_pool_destroy(qd_pool *pool)
{
    if (!pool)
        return;
    stop_threads(pool, pool->worker_count);
    free_all(pool);
}

const qd_scheduler *qd_pool_scheduler(const qd_pool *pool)
{
    return &pool->scheduler;
}
uint32_t qd_pool_workers(const qd_pool *pool)
{
    return pool->worker_count;
}

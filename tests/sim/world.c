/* SPDX-License-Identifier: Apache-2.0 */
#include "world.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/base/assert.h"

#define TASKS_SHUFFLED 64u

enum { IDLE = 0, QUEUED, RUNNING, RUNNING_WOKEN };

/* The world that a failure concerns. There is one at a time. */
static const sim_world *failing;

_Noreturn void sim_fail(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    if (failing->name != NULL) {
        fprintf(stderr, "%s, line %d, ", failing->name, failing->line);
    }
    fprintf(stderr, "seed %llu, at %llu us: ", (unsigned long long)failing->seed,
            (unsigned long long)failing->now_ns / 1000);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    abort();
}

void *sim_grow(void *array, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity) {
        return array;
    }
    *capacity = *capacity == 0 ? 16 : *capacity * 2;
    array = realloc(array, *capacity * size);
    sim_check(array != NULL, "out of memory");
    return array;
}

/* ---- the random generator ---- */

static uint64_t draw(uint64_t *rng)
{
    uint64_t x = *rng += UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

uint64_t sim_random(void *context)
{
    return draw(&((sim_world *)context)->rng);
}

uint64_t sim_wall_s(void *context)
{
    const sim_world *world = context;

    return SIM_WALL_S + world->wall_ahead_s + world->now_ns / UINT64_C(1000000000);
}

uint32_t sim_pick(sim_world *world, uint32_t count)
{
    return (uint32_t)(sim_random(world) % count);
}

bool sim_percent(sim_world *world, uint32_t percent)
{
    return sim_pick(world, 100) < percent;
}

/* ---- the scheduler ---- */

static bool run_some_actor(sim_world *world);

static uint64_t now_ns(void *context)
{
    sim_world *world = context;

    if (world->in_prompt) {
        return world->now_ns;
    }
    /* While an actor runs, time passes and the loops work. */
    if (sim_percent(world, 50)) {
        world->now_ns += sim_pick(world, 2000);
    }
    world->now_ns += world->look_ns;
    if (world->restless && world->running > 0 && !world->in_loops && sim_percent(world, 20)) {
        world->in_loops = true;
        (void)sim_step_links(world, 50);
        world->in_loops = false;
    }
    if (world->interrupt != NULL && world->running > 0 && !world->in_loops && sim_pick(world, 500) == 0) {
        world->interrupt(world->interrupt_context);
    }
    /* Not while the loops work: they look at the clock while they hold a lock. */
    if (world->running > 0 && world->running < world->workers && !world->in_loops && sim_percent(world, 20)) {
        (void)run_some_actor(world);
    }
    return world->now_ns;
}

/* The only thread never waits. */
static uint64_t ran_ns(void *context)
{
    return ((const sim_world *)context)->now_ns;
}

static void wake(void *context, qd_actor *actor)
{
    sim_world *world = context;
    uint32_t state = atomic_load(&actor->state);

    if (state == IDLE) {
        atomic_store(&actor->state, QUEUED);
        if (actor == world->prompt) {
            return;
        }
        world->queued = sim_grow(world->queued, world->queued_count, &world->queued_capacity, sizeof *world->queued);
        world->queued[world->queued_count++] = actor;
    } else if (state == RUNNING) {
        atomic_store(&actor->state, RUNNING_WOKEN);
    }
}

/* Its run is over. */
static void let_go(sim_world *world, qd_actor *actor)
{
    bool again = atomic_load(&actor->state) == RUNNING_WOKEN;

    atomic_store(&actor->state, IDLE);
    if (again) {
        wake(world, actor);
    }
}

/* Any order is allowed, so it does not matter who waits behind. */
static void wake_behind(void *context, qd_actor *actor)
{
    wake(context, actor);
}

/* Runs the actor if it is idle. Now and then the caller comes too late. */
static void run_inline(void *context, qd_actor *actor, qd_actor_fn run, bool urgent)
{
    sim_world *world = context;

    (void)urgent;

    if (atomic_load(&actor->state) != IDLE || sim_percent(world, 30)) {
        wake(context, actor);
        return;
    }
    atomic_store(&actor->state, RUNNING);
    run(actor);
    let_go(world, actor);
}

static void wake_at(void *context, qd_actor *actor, uint64_t due_ns)
{
    sim_world *world = context;

    if (actor == world->prompt) {
        return;
    }
    if (due_ns != QD_NEVER && actor->timer_index == 0) {
        world->timed = sim_grow(world->timed, world->timed_count, &world->timed_capacity, sizeof *world->timed);
        world->timed[world->timed_count++] = actor;
        actor->timer_index = (uint32_t)world->timed_count;
    } else if (due_ns == QD_NEVER && actor->timer_index != 0) {
        qd_actor *last = world->timed[--world->timed_count];

        world->timed[actor->timer_index - 1] = last;
        last->timer_index = actor->timer_index;
        actor->timer_index = 0;
    }
    actor->due_ns = due_ns;
}

static void retire(void *context, qd_actor *actor, qd_actor_fn done)
{
    sim_world *world = context;
    /* It may have been woken in this run: by a membership that a session gave up, for example. */
    uint32_t state = atomic_load(&actor->state);

    QD_ASSERT((state == RUNNING || state == RUNNING_WOKEN) && actor->timer_index == 0);
    world->retiring = actor;
    world->retired = done;
}

/* The world has memory for all timers. */
static bool reserve_timer(void *context)
{
    (void)context;
    return true;
}

static void release_timer(void *context)
{
    (void)context;
}

/* All tasks, in any order: the last ones of many are shuffled, and the others are rotated. */
static void run_tasks(void *context, size_t count, qd_task_fn task, void *argument)
{
    sim_world *world = context;
    size_t start = count > 0 ? draw(&world->task_rng) % count : 0;
    size_t order[TASKS_SHUFFLED], shuffled = count < TASKS_SHUFFLED ? count : TASKS_SHUFFLED;

    for (size_t i = shuffled; i < count; i++) {
        task((start + i) % count, argument);
    }
    for (size_t i = 0; i < shuffled; i++) {
        size_t other = draw(&world->task_rng) % (i + 1);

        order[i] = order[other];
        order[other] = (start + i) % count;
    }
    for (size_t i = 0; i < shuffled; i++) {
        task(order[i], argument);
    }
}

void sim_world_reseed(sim_world *world, uint64_t seed)
{
    world->seed = seed;
    world->rng = seed * UINT64_C(0x2545f4914f6cdd1d);
    world->task_rng = ~seed;
}

void sim_world_init(sim_world *world, uint64_t seed)
{
    *world = (sim_world){.now_ns = 1000000000, .hash = UINT64_C(0xcbf29ce484222325)};
    sim_world_reseed(world, seed);
    world->executor = (qd_executor){.run = run_tasks, .width = 1 + sim_pick(world, 4), .context = world};
    world->scheduler = (qd_scheduler){.now_ns = now_ns,
                                      .ran_ns = ran_ns,
                                      .wake = wake,
                                      .wake_behind = wake_behind,
                                      .run_inline = run_inline,
                                      .wake_at = wake_at,
                                      .retire = retire,
                                      .reserve_timer = reserve_timer,
                                      .release_timer = release_timer,
                                      .executor = &world->executor,
                                      .context = world};
    failing = world;
}

void sim_world_deinit(sim_world *world)
{
    sim_check(world->queued_count == 0 && world->timed_count == 0, "actors are left");
    for (size_t i = 0; i < world->link_count; i++) {
        sim_check(world->links[i]->closed, "a link is left open");
        qd_link_release(&world->links[i]->link);
    }
    free(world->links);
    free(world->queued);
    free(world->timed);
}

/* Runs the actor, which is out of the queue. */
static void run(sim_world *world, qd_actor *actor)
{
    /* Of the actor that this one interrupts. */
    qd_actor *retiring = world->retiring;
    qd_actor_fn retired = world->retired;

    atomic_store(&actor->state, RUNNING);
    world->retiring = NULL;
    world->running++;
    actor->run(actor);
    world->running--;
    if (world->retiring == actor) {
        world->retired(actor);
    } else {
        let_go(world, actor);
    }
    world->retiring = retiring;
    world->retired = retired;
}

static void run_prompt(sim_world *world)
{
    if (world->prompt == NULL ||
        (atomic_load(&world->prompt->state) != QUEUED && world->prompt_due_ns(world->prompt_context) > world->now_ns)) {
        return;
    }
    world->in_prompt = true;
    run(world, world->prompt);
    world->in_prompt = false;
}

static bool run_some_actor(sim_world *world)
{
    for (size_t i = 0; i < world->timed_count; i++) {
        if (world->timed[i]->due_ns <= world->now_ns) {
            wake(world, world->timed[i]);
        }
    }
    if (world->queued_count == 0) {
        return false;
    }
    size_t chosen = sim_pick(world, (uint32_t)world->queued_count);
    qd_actor *actor = world->queued[chosen];
    world->queued[chosen] = world->queued[--world->queued_count];
    if (actor->due_ns <= world->now_ns) {
        wake_at(world, actor, QD_NEVER);
    }
    run(world, actor);
    return true;
}

bool sim_run_actor(sim_world *world)
{
    run_prompt(world);
    return run_some_actor(world);
}

void sim_pass(sim_world *world, uint64_t ms, void (*settle)(void *context), void *context)
{
    uint64_t until_ns = world->now_ns + ms * UINT64_C(1000000);

    settle(context);
    for (uint64_t due_ns; (due_ns = sim_next_due_ns(world)) <= until_ns;) {
        if (due_ns > world->now_ns) {
            world->now_ns = due_ns;
        }
        settle(context);
    }
    if (until_ns > world->now_ns) {
        world->now_ns = until_ns;
    }
}

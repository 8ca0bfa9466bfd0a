/* SPDX-License-Identifier: Apache-2.0
 *
 * What more workers gain, in process: the median wall-clock time of a tick on one worker and on several, and their
 * ratio. It needs as many idle cores as there are workers.
 *
 *     bench_room_workers [OPTION]...
 *
 *     --workers N          beside one: 2 (default) to 256
 *     --scene PART         only scenes with this in their name
 *     --entities N         only scenes with so many entities
 *     --turns N            of a few ticks each, alternating between one worker and several: 10
 *
 *     forks       four forks in a row, each of 64 tasks of about a microsecond
 *     traversal   finding all begins and ends of one space whose bodies are registered already; all workers are awake
 *     space       the same with sleeping workers, and with bodies that the tick registers, as in rooms of that size
 *     room        a room with that space: all entities move by their roster, then the tick, then its events in order
 *     views       a room with an observer of range 16 at each of 10,000 entities, without pairs: the moves, the tick, and
 *                 its enters and leaves in order. Then with all positions relayed once
 *     rooms       so many rooms of 100 entities, each moved and ticked by an actor of its own
 *
 * The scene is boxes of 1 x 1 in a world of side 4 sqrt(n). All move up to 0.25 per axis and tick. The events of every
 * tick must equal those on one worker, in rooms in the same order; otherwise the exit status is 1.
 */
#include <sched.h>
#include <semaphore.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>

#include "crowd.h"
#include "median.h"
#include "server/room/room_views.h"
#include "server/space/space.h"
#include "server/space/tuning.h"
#include "server/work/pool.h"

#define TICKS_A_TURN 8u /* without the first, for which the caches are not ready */
#define TICKS_WARM   5u
#define TURNS_MAX    100u
#define ROOM_COUNT   100u /* entities in each of many rooms */
#define OBSERVERS    10000u

/* Makes a part of a scene, moves what is in it, does a tick's work: in an actor's run, and adds to the digest. */
typedef struct part part;
typedef struct scene {
    const char *name;
    uint32_t count, parts;
    void (*make)(part *p);
    void (*work)(part *p, const qd_executor *executor);
    void (*drop)(part *p);
} scene;

struct part {
    qd_actor actor;
    struct show *show;
    workload load;
    crowd crowd;
    qd_heap heap;
    uint64_t digest;
    uint32_t *slot; /* or id */
    qd_space *space;
    qd_room *room;
    uint32_t member;
};

typedef struct show {
    const scene *scene;
    part *part;
    qd_actor opening;
    const qd_scheduler *scheduler; /* who works at this tick */
    _Atomic uint32_t parts_left;
    uint64_t start_ns, tick_ns;
    sem_t done;
} show;

static uint64_t mixed(uint64_t key)
{
    key *= UINT64_C(0x9e3779b97f4a7c15);
    return key ^ key >> 29;
}

/* ---- forks alone ---- */

#define FORKS       4u
#define FORK_TASKS  64u
#define TASK_ROUNDS 400u

static void make_nothing(part *p)
{
    (void)p;
}

static void mix_long(size_t index, void *argument)
{
    uint32_t *slot = argument;
    uint64_t key = slot[index] + index;

    for (uint32_t round = 0; round < TASK_ROUNDS; round++) {
        key = mixed(key);
    }
    slot[index] = (uint32_t)key;
}

static void work_forks(part *p, const qd_executor *executor)
{
    qd_executor_expect_forks(executor, true);
    for (uint32_t fork = 0; fork < FORKS; fork++) {
        executor->run(executor->context, FORK_TASKS, mix_long, p->slot);
        p->digest = mixed(p->digest + p->slot[fork]);
    }
    qd_executor_expect_forks(executor, false);
}

/* ---- a space ---- */

static void make_tuned_space(part *p, const qd_tuning *tuning)
{
    const crowd *c = &p->crowd;
    const qd_space_config config = {.dimensions = 2,
                                    .max_x = (float)c->side,
                                    .max_y = (float)c->side,
                                    .index = QD_SPACE_AUTO,
                                    .bodies_max = c->count};

    if (qd_space_create(&config, &p->heap, &p->space) != QD_OK) {
        abort();
    }
    qd_space_tune(p->space, tuning);
    for (uint32_t i = 0; i < c->count; i++) {
        qd_body body = {.x = c->at[0][i],
                        .y = c->at[1][i],
                        .half_x = c->half[i],
                        .half_y = c->half[i],
                        .category = 1,
                        .mask = UINT32_MAX,
                        .shape = QD_SPACE_BOX};

        if (qd_space_add(p->space, &body, &p->slot[i]) != QD_OK) {
            abort();
        }
    }
}

static void make_space(part *p)
{
    make_tuned_space(p, &QD_TUNING_DEFAULT);
}

/* In which moves do not wait for the tick. */
static void make_prompt_space(part *p)
{
    qd_tuning tuning = QD_TUNING_DEFAULT;

    tuning.pending_bodies_min = UINT32_MAX;
    make_tuned_space(p, &tuning);
}

static void drop_space(part *p)
{
    qd_space_destroy(p->space);
}

static void start_clock(part *p)
{
    p->show->start_ns = p->show->scheduler->now_ns(p->show->scheduler->context);
}

/* What a room's tick does of it. Only this and what the caller did since start_clock counts. */
static void tick_space(part *p, const qd_executor *executor)
{
    qd_space_events found;
    const qd_scheduler *scheduler = p->show->scheduler;

    qd_space_tick(p->space, executor, QD_SPACE_WANT_EVENTS, SIZE_MAX / 16, &found);
    (void)qd_space_settle(p->space);
    p->show->tick_ns = scheduler->now_ns(scheduler->context) - p->show->start_ns;
    for (size_t i = 0; i < found.count; i++) {
        uint32_t a = qd_space_event_a(found.events[i]), b = qd_space_event_b(found.events[i]);
        uint64_t pair = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;

        p->digest += mixed(mixed(pair) + (uint64_t)qd_space_event_kind(found.events[i]));
    }
}

/* The moves count: one worker registers them before the tick, two do so at the tick. */
static void work_space(part *p, const qd_executor *executor)
{
    start_clock(p);
    qd_space_move(p->space, p->crowd.count, p->slot, p->crowd.at[0], p->crowd.at[1], NULL);
    qd_executor_expect_forks(executor, true);
    tick_space(p, executor);
    qd_executor_expect_forks(executor, false);
}

/* Hands have come for something else before, as in a room they have for the registering of moves. */
static void work_traversal(part *p, const qd_executor *executor)
{
    uint32_t key[FORK_TASKS] = {0};

    qd_space_move(p->space, p->crowd.count, p->slot, p->crowd.at[0], p->crowd.at[1], NULL);
    qd_executor_expect_forks(executor, true);
    for (uint32_t fork = 0; fork < FORKS; fork++) {
        executor->run(executor->context, FORK_TASKS, mix_long, key);
    }
    start_clock(p);
    tick_space(p, executor);
    qd_executor_expect_forks(executor, false);
}

/* ---- a room ---- */

static void make_empty_room(part *p)
{
    const crowd *c = &p->crowd;
    const qd_room_config config = {.space = {.max_x = (float)c->side, .max_y = (float)c->side},
                                   .entities_max = c->count,
                                   .events_max = 1u << 20,
                                   .roster_ids_max = c->count,
                                   .observers_max = OBSERVERS,
                                   .visible_entries_max = 1u << 24};
    const qd_room_batch all = {
        .count = c->count, .id = p->slot, .x = c->at[0], .y = c->at[1], .half_x = c->half, .half_y = c->half};
    const qd_room_roster roster = {.count = c->count, .id = p->slot};
    qd_room_refusals refusals;

    for (uint32_t i = 0; i < c->count; i++) {
        p->slot[i] = i;
    }
    if (qd_room_create(&config, &p->heap, 1, &p->room) != QD_OK || qd_room_join(p->room, &p->member) != QD_OK) {
        abort();
    }
    qd_room_spawn(p->room, p->member, &all, false, &refusals);
    if (qd_room_roster_name(p->room, p->member, &roster) != QD_OK) {
        abort();
    }
}

static void make_room(part *p)
{
    make_empty_room(p);
    qd_room_subscribe(p->room, p->member, (qd_room_interest){0});
    qd_room_tick(p->room, &qd_executor_serial, 0);
}

static void drop_room(part *p)
{
    qd_room_destroy(p->room);
}

static void add_pairs(part *p, qd_room_pairs pairs)
{
    for (uint32_t i = 0; i < pairs.count; i++) {
        p->digest = mixed(p->digest + ((uint64_t)pairs.a[i] << 32 | pairs.b[i]));
    }
}

static void move_room(part *p, const qd_executor *executor)
{
    const crowd *c = &p->crowd;
    const qd_room_roster_positions places = {.count = c->count, .x = c->at[0], .y = c->at[1]};
    qd_room_refusals refusals;

    if (qd_room_move_roster(p->room, p->member, &places, &refusals) != QD_OK) {
        abort();
    }
    qd_room_tick(p->room, executor, 0);
}

static void work_room(part *p, const qd_executor *executor)
{
    qd_room_report report;

    move_room(p, executor);
    while (qd_room_next_report(p->room, &report)) {
        add_pairs(p, report.ends);
        add_pairs(p, report.begins);
    }
}

/* ---- views ---- */

static void make_views(part *p, bool relays)
{
    static const float relay_range[] = {1e9f}, range = 16;
    static const uint32_t relay_every[] = {1};
    const uint8_t anchored = 1;

    make_empty_room(p);
    qd_room_view_options_set(p->room, p->member, (qd_room_view_options){.relays_once = relays});
    for (uint32_t i = 0; i < OBSERVERS && i < p->crowd.count; i++) {
        const qd_msg_observers batch = {.count = 1,
                                        .id = &i,
                                        .anchored = &anchored,
                                        .entity = &i,
                                        .range = &range,
                                        .tier_count = relays,
                                        .relay_range = relay_range,
                                        .relay_every = relay_every};
        qd_room_refusals refusals;

        qd_room_observe(p->room, p->member, &batch, &refusals);
        if (refusals.count > 0) {
            abort();
        }
    }
}

static void make_plain_views(part *p)
{
    make_views(p, false);
}

static void make_relaying_views(part *p)
{
    make_views(p, true);
}

static void add_entries(part *p, uint32_t count, const uint32_t *observer, const uint32_t *id)
{
    for (uint32_t i = 0; i < count; i++) {
        p->digest = mixed(p->digest + ((uint64_t)observer[i] << 32 | id[i]));
    }
}

static void work_views(part *p, const qd_executor *executor)
{
    qd_room_view_report report;

    move_room(p, executor);
    while (qd_room_next_view(p->room, &report)) {
        add_entries(p, report.leave_count, report.leave_observer, report.leave_id);
        add_entries(p, report.enter_count, report.enter_observer, report.enter.id);
        p->digest = mixed(p->digest + report.relay_count);
    }
}

/* ---- a tick on a pool ---- */

static void run_part(qd_actor *actor)
{
    part *p = (part *)actor;
    show *s = p->show;

    if (s->scene->parts == 1) {
        s->start_ns = s->scheduler->now_ns(s->scheduler->context);
    }
    s->scene->work(p, s->scheduler->executor);
    if (atomic_fetch_sub(&s->parts_left, 1) == 1) {
        if (s->tick_ns == 0) {
            s->tick_ns = s->scheduler->now_ns(s->scheduler->context) - s->start_ns;
        }
        sem_post(&s->done);
    }
}

/* Many parts are due at once, as by timers: one worker finds it and the others come for their share. */
static void run_opening(qd_actor *actor)
{
    show *s = (show *)((char *)actor - offsetof(show, opening));

    s->start_ns = s->scheduler->now_ns(s->scheduler->context);
    for (uint32_t i = 0; i < s->scene->parts; i++) {
        s->scheduler->wake(s->scheduler->context, &s->part[i].actor);
    }
}

/* The last thing that a worker does with an actor is to let it go, after the run that may have ended the tick: until
 * then the actor is neither to be woken on another pool nor to be freed. */
static void wait_until_idle(qd_actor *actor)
{
    while (atomic_load(&actor->state) != 0) {
        sched_yield();
    }
}

/* Nanoseconds. */
static uint64_t tick_on(show *s, const qd_scheduler *scheduler)
{
    for (uint32_t i = 0; i < s->scene->parts; i++) {
        crowd_step(&s->part[i].crowd);
    }
    s->scheduler = scheduler;
    s->tick_ns = 0;
    atomic_store(&s->parts_left, s->scene->parts);
    scheduler->wake(scheduler->context, s->scene->parts == 1 ? &s->part->actor : &s->opening);
    sem_wait(&s->done);
    wait_until_idle(&s->opening);
    for (uint32_t i = 0; i < s->scene->parts; i++) {
        wait_until_idle(&s->part[i].actor);
    }
    return s->tick_ns;
}

static uint64_t digest_of(const show *s)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < s->scene->parts; i++) {
        sum = mixed(sum + s->part[i].digest);
    }
    return sum;
}

static void show_init(show *s, const scene *of)
{
    *s = (show){.scene = of, .part = calloc(of->parts, sizeof *s->part)};
    sem_init(&s->done, 0, 0);
    qd_actor_init(&s->opening, run_opening);
    for (uint32_t i = 0; i < of->parts; i++) {
        part *p = &s->part[i];

        p->load = (workload){"W2", of->count, 0, {4, 3.1748021}, 1, 1, 0.25f, 1, 0, PLAIN};
        p->show = s;
        qd_actor_init(&p->actor, run_part);
        qd_heap_init(&p->heap);
        crowd_init(&p->crowd, &p->load, 2);
        p->slot = calloc(of->count, sizeof *p->slot);
        of->make(p);
    }
}

static void show_deinit(show *s)
{
    for (uint32_t i = 0; i < s->scene->parts; i++) {
        s->scene->drop(&s->part[i]);
        crowd_deinit(&s->part[i].crowd);
        qd_heap_deinit(&s->part[i].heap);
        free(s->part[i].slot);
    }
    free(s->part);
    sem_destroy(&s->done);
}

/* ---- the table ---- */

static uint32_t ticks_of(uint32_t turns)
{
    return TICKS_WARM + 2 * turns * TICKS_A_TURN;
}

/* All ticks on one pool: what must be found at each, for `digest`. */
static void rehearse(const scene *of, const qd_scheduler *one, uint32_t turns, uint64_t *digest)
{
    show s;

    show_init(&s, of);
    for (uint32_t tick = 0; tick < ticks_of(turns); tick++) {
        tick_on(&s, one);
        digest[tick] = digest_of(&s);
    }
    show_deinit(&s);
}

static bool measure(const scene *of, const qd_scheduler *const pool[2], uint32_t turns)
{
    static double times[2][TURNS_MAX * TICKS_A_TURN];
    static uint64_t digest[TICKS_WARM + 2 * TURNS_MAX * TICKS_A_TURN];
    uint32_t counts[2] = {0, 0};
    bool is_same = true;
    show s;

    rehearse(of, pool[0], turns, digest);
    show_init(&s, of);
    for (uint32_t tick = 0; tick < ticks_of(turns); tick++) {
        uint32_t place = tick < TICKS_WARM ? 0 : (tick - TICKS_WARM) % TICKS_A_TURN;
        uint32_t who = tick < TICKS_WARM ? 0 : (tick - TICKS_WARM) / TICKS_A_TURN % 2;
        double ns = (double)tick_on(&s, pool[who]);

        if (place > 0) {
            times[who][counts[who]++] = ns;
        }
        is_same &= digest_of(&s) == digest[tick];
    }
    show_deinit(&s);
    double alone = median(times[0], counts[0]), together = median(times[1], counts[1]);
    printf("%-10s %9u %10.3f %10.3f %8.2f%s\n", of->name, of->count * of->parts, alone * 1e-6, together * 1e-6,
           alone / together, is_same ? "" : "  WRONG: other events than on one");
    fflush(stdout);
    return is_same;
}

int main(int count, char **arguments)
{
    static const scene scenes[] = {
        {"forks", FORK_TASKS, 1, make_nothing, work_forks, make_nothing},
        {"traversal", 100000, 1, make_prompt_space, work_traversal, drop_space},
        {"traversal", 1000000, 1, make_prompt_space, work_traversal, drop_space},
        {"space", 30000, 1, make_space, work_space, drop_space},
        {"space", 100000, 1, make_space, work_space, drop_space},
        {"space", 1000000, 1, make_space, work_space, drop_space},
        {"room", 30000, 1, make_room, work_room, drop_room},
        {"room", 100000, 1, make_room, work_room, drop_room},
        {"room", 1000000, 1, make_room, work_room, drop_room},
        {"views", 10000, 1, make_plain_views, work_views, drop_room},
        {"views", 100000, 1, make_plain_views, work_views, drop_room},
        {"views once", 10000, 1, make_relaying_views, work_views, drop_room},
        {"rooms", ROOM_COUNT, 10000, make_room, work_room, drop_room},
    };
    uint32_t workers = 2, turns = 10, entities = 0;
    const char *chosen = "";
    qd_pool *pools[2];

    for (int i = 1; i + 1 < count; i += 2) {
        uint32_t number = (uint32_t)strtoul(arguments[i + 1], NULL, 10);

        if (strcmp(arguments[i], "--workers") == 0 && number >= 2 && number <= QD_POOL_WORKERS_MAX) {
            workers = number;
        } else if (strcmp(arguments[i], "--turns") == 0 && number >= 1 && number <= TURNS_MAX) {
            turns = number;
        } else if (strcmp(arguments[i], "--entities") == 0 && number >= 1) {
            entities = number;
        } else if (strcmp(arguments[i], "--scene") == 0) {
            chosen = arguments[i + 1];
        } else {
            count = 0;
        }
    }
    if (count % 2 == 0) {
        fprintf(stderr, "usage: %s [--workers N] [--scene PART] [--entities N] [--turns N]\n", arguments[0]);
        return 2;
    }
    if (qd_pool_create(1, &pools[0]) != QD_OK || qd_pool_create(workers, &pools[1]) != QD_OK) {
        abort();
    }
    const qd_scheduler *const schedulers[2] = {qd_pool_scheduler(pools[0]), qd_pool_scheduler(pools[1])};
    bool is_same = true;
    printf("ms a tick\nscene       entities          1 %10u    times\n", workers);
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        if (strstr(scenes[i].name, chosen) != NULL &&
            (entities == 0 || entities == scenes[i].count * scenes[i].parts)) {
            is_same &= measure(&scenes[i], schedulers, turns);
        }
    }
    qd_pool_destroy(pools[0]);
    qd_pool_destroy(pools[1]);
    return is_same ? 0 : 1;
}

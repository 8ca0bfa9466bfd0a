/* SPDX-License-Identifier: Apache-2.0
 *
 * One run of a random script, for room_model.c: its random numbers, the executors it may run on, how it fails, and its
 * batches, each compared with the reference entry by entry.
 */
#ifndef QD_TESTS_MODEL_ROOM_RUN_H
#define QD_TESTS_MODEL_ROOM_RUN_H

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

#include "room_reference.h"

#define COMMANDS_MAX 400u
#define BATCH_MAX    12000u
#define ACTORS       12u
#define BIG_EVERY    25u  /* one seed in so many has thousands of entities, */
#define HUGE_EVERY   200u /* and one in so many enough of them that a walk is split into tasks */

/* ---- random numbers: a command's own depend on the seed and its index alone, so that others can be left out ---- */

struct dice {
    uint64_t state;
};

static uint64_t roll(struct dice *dice)
{
    uint64_t value = dice->state += 0x9e3779b97f4a7c15u;

    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}
static uint32_t below(struct dice *dice, uint32_t limit)
{
    return (uint32_t)((roll(dice) >> 32) * limit >> 32);
}
static bool one_in(struct dice *dice, uint32_t count)
{
    return below(dice, count) == 0;
}

/* ---- executors ---- */

static void run_shuffled(void *context, size_t count, qd_task_fn task, void *argument)
{
    struct dice *order = context;
    size_t *index = malloc((count + 1) * sizeof *index);

    for (size_t i = 0; i < count; i++) {
        size_t at = below(order, (uint32_t)i + 1);
        index[i] = index[at];
        index[at] = i;
    }
    for (size_t i = 0; i < count; i++)
        task(index[i], argument);
    free(index);
}

struct fork_join {
    _Atomic size_t next;
    size_t count;
    qd_task_fn task;
    void *argument;
};

static void *take_tasks(void *context)
{
    struct fork_join *work = context;

    for (size_t index; (index = atomic_fetch_add(&work->next, 1)) < work->count;)
        work->task(index, work->argument);
    return NULL;
}

static void run_threads(void *context, size_t count, qd_task_fn task, void *argument)
{
    size_t helpers = *(size_t *)context - 1;
    struct fork_join work = {.count = count, .task = task, .argument = argument};
    pthread_t threads[8];

    for (size_t i = 0; i < helpers; i++) {
        if (pthread_create(&threads[i], NULL, take_tasks, &work) != 0)
            abort();
    }
    take_tasks(&work);
    for (size_t i = 0; i < helpers; i++)
        pthread_join(threads[i], NULL);
}

/* ---- a run of one script ---- */

/* Shared by all processes: how far a run came, and what all of them met. */
static struct shared {
    uint32_t command; /* the one being run */
    uint64_t ticks, events, resets, suspensions, losses, refusals[7], snapshots, own_reports, split_walks;
} * shared;

struct set {
    uint64_t *keys;
    uint32_t count;
};

struct run {
    uint64_t seed;
    ref_room *reference; /* NULL: only the hash is wanted */
    const qd_executor *executor;
    qd_heap heap;
    qd_room *room;
    uint32_t member[ACTORS]; /* or QD_ROOM_OWNED: this actor is not in */
    uint64_t now_ns, tick, updates, skipped;
    uint64_t hash;
    struct set folded[REF_MEMBERS_MAX];
    /* How this seed draws. */
    uint32_t actors, universe, id_style, batch_max, side;
    bool huge, dirty, circles, filters;
    /* The batch being made. */
    uint32_t id[BATCH_MAX], category[BATCH_MAX], mask[BATCH_MAX];
    float x[BATCH_MAX], y[BATCH_MAX], half_x[BATCH_MAX], half_y[BATCH_MAX];
    uint8_t shape[BATCH_MAX];
};

static bool left_out[COMMANDS_MAX];
static bool verbose;

__attribute__((format(printf, 2, 3), noreturn)) static void fail(const struct run *run, const char *format, ...)
{
    va_list arguments;

    fprintf(stderr, "seed %" PRIu64 ", command %u, %s: ", run->seed, shared->command,
            run->reference ? "against the reference" : "against the first run");
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\n");
    exit(1);
}

#define REQUIRE(run, condition)                                                                                        \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            fail(run, "line %d: %s", __LINE__, #condition);                                                            \
    } while (0)

static void mix(struct run *run, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;

    for (size_t i = 0; i < size; i++)
        run->hash = (run->hash ^ at[i]) * 0x100000001b3u;
}
static void mix_number(struct run *run, uint64_t number)
{
    mix(run, &number, sizeof number);
}

/* ---- batches ---- */

static float draw_coordinate(struct run *run, struct dice *dice)
{
    if (run->dirty && one_in(dice, 40)) {
        static const float odd[] = {NAN, INFINITY, -INFINITY, 3e38f, -3e38f, 1e30f, -1e9f, -0.0f, 1e-40f};
        return odd[below(dice, sizeof odd / sizeof odd[0])];
    }
    if (one_in(dice, 3)) /* anywhere, and not on any grid */
        return ((float)below(dice, 1u << 24) / (float)(1u << 24) * 1.2f - 0.1f) * (float)run->side;
    return (float)below(dice, run->side * 2 + 1) * 0.5f;
}

static float draw_size(struct run *run, struct dice *dice)
{
    if (run->dirty && one_in(dice, 40)) {
        static const float odd[] = {NAN, INFINITY, -1, -INFINITY, -1e-40f, -0.0f, 1e-40f, 3e38f, 1e6f};
        return odd[below(dice, sizeof odd / sizeof odd[0])];
    }
    if (one_in(dice, run->huge ? 1000 : 60))
        return (float)below(dice, run->side);
    return (float)below(dice, 5) * 0.5f;
}

static uint32_t draw_id(struct run *run, struct dice *dice)
{
    uint32_t number = below(dice, run->universe);

    switch (run->id_style) {
    case 0:
        return number;
    case 1:
        return number * 2654435761u;
    default:
        return number % 2 ? number : UINT32_MAX - number;
    }
}

static uint32_t draw_bits(struct dice *dice)
{
    return one_in(dice, 3) ? UINT32_MAX : below(dice, 4);
}

/* All columns are drawn; which of them the batch has is the caller's to say. */
static qd_room_batch draw_batch(struct run *run, struct dice *dice)
{
    uint32_t count = 1 + below(dice, one_in(dice, 4) ? run->batch_max : 1 + run->batch_max / 8);

    if (run->huge)
        count = run->batch_max;

    for (uint32_t i = 0; i < count; i++) {
        run->id[i] = draw_id(run, dice);
        run->x[i] = draw_coordinate(run, dice);
        run->y[i] = draw_coordinate(run, dice);
        run->half_x[i] = draw_size(run, dice);
        run->half_y[i] = draw_size(run, dice);
        run->shape[i] = (uint8_t)(run->dirty && one_in(dice, 50) ? below(dice, 256) : 1 + below(dice, 2));
        run->category[i] = draw_bits(dice);
        run->mask[i] = draw_bits(dice);
    }
    return (qd_room_batch){.count = count, .id = run->id, .x = run->x, .y = run->y};
}

static void add_columns(struct run *run, struct dice *dice, qd_room_batch *batch)
{
    if (!one_in(dice, 5))
        batch->half_x = run->half_x;
    if (!one_in(dice, 5))
        batch->half_y = run->half_y;
    if (run->circles && !one_in(dice, 3))
        batch->shape = run->shape;
    if (run->filters && one_in(dice, 2))
        batch->category = run->category;
    if (run->filters && one_in(dice, 2))
        batch->mask = run->mask;
}

enum action { SPAWN, MOVE, TELEPORT, RESHAPE, DESPAWN };

static int expect_entry(struct run *run, enum action action, uint32_t member, const qd_room_batch *batch,
                        bool room_owned, uint32_t i)
{
    ref_room *reference = run->reference;
    ref_entity *entity;
    int refusal;

    switch (action) {
    case SPAWN:
        return ref_spawn(reference, (ref_entity){.id = batch->id[i],
                                                 .owner = room_owned ? QD_ROOM_OWNED : member,
                                                 .x = batch->x[i],
                                                 .y = batch->y[i],
                                                 .half_x = batch->half_x ? batch->half_x[i] : 0,
                                                 .half_y = batch->half_y ? batch->half_y[i] : 0,
                                                 .shape = batch->shape ? batch->shape[i] : QD_SPACE_BOX,
                                                 .category = batch->category ? batch->category[i] : 1,
                                                 .mask = batch->mask ? batch->mask[i] : UINT32_MAX});
    case MOVE:
    case TELEPORT:
        return ref_place(reference, member, batch->id[i], batch->x[i], batch->y[i], action == TELEPORT);
    case RESHAPE:
        return ref_reshape(reference, member, batch, i);
    case DESPAWN:
        refusal = ref_reach(reference, member, batch->id[i], &entity);
        if (!refusal)
            ref_remove(reference, entity, QD_SPACE_DESPAWNED);
        return refusal;
    }
    return 0;
}

static void check_batch(struct run *run, enum action action, uint32_t member, const qd_room_batch *batch,
                        bool room_owned, const qd_room_refusals *refusals)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < batch->count; i++) {
        int expected = expect_entry(run, action, member, batch, room_owned, i);
        if (!expected)
            continue;
        if (count < QD_ROOM_REFUSALS_MAX &&
            (count >= refusals->listed || refusals->index[count] != i || refusals->code[count] != expected))
            fail(run, "entry %u (id %u) should be refused with %d", i, batch->id[i], expected);
        shared->refusals[expected - QD_ROOM_UNKNOWN_ID]++;
        count++;
    }
    REQUIRE(run, refusals->count == count);
    REQUIRE(run, refusals->listed == (count < QD_ROOM_REFUSALS_MAX ? count : QD_ROOM_REFUSALS_MAX));
}

static void do_batch(struct run *run, struct dice *dice, enum action action, uint32_t member)
{
    qd_room_batch batch = draw_batch(run, dice);
    qd_room_refusals refusals;
    bool room_owned = one_in(dice, 4);

    if (action == SPAWN || action == RESHAPE)
        add_columns(run, dice, &batch);
    memset(&refusals, 0x5a, sizeof refusals);
    switch (action) {
    case SPAWN:
        qd_room_spawn(run->room, member, &batch, room_owned, &refusals);
        break;
    case MOVE:
        qd_room_move(run->room, member, &batch, &refusals);
        break;
    case TELEPORT:
        qd_room_teleport(run->room, member, &batch, &refusals);
        break;
    case RESHAPE:
        qd_room_reshape(run->room, member, &batch, &refusals);
        break;
    case DESPAWN:
        qd_room_despawn(run->room, member, &batch, &refusals);
        break;
    }
    run->updates += batch.count - refusals.count;
    mix_number(run, refusals.count);
    mix(run, refusals.index, refusals.listed * sizeof refusals.index[0]);
    mix(run, refusals.code, refusals.listed);
    if (run->reference)
        check_batch(run, action, member, &batch, room_owned, &refusals);
}

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * One run of a random script on a room beside the reference: its state, how it fails, and the commands, each of which
 * is compared with the reference.
 *
 *     run.c        how a run fails, and its executors
 *     batches.c    batches, entry by entry
 *     rosters.c    the same by roster
 *     reports.c    ticks and what subscriptions get of them, folded and compared with the true set
 *     queries.c    snapshots and figures
 */
#ifndef QD_TESTS_MODEL_ROOM_RUN_H
#define QD_TESTS_MODEL_ROOM_RUN_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"
#include "support/rng.h"

#define BATCH_MAX 12000u
#define ACTORS    12u
#define ROSTERS   3u /* of an actor */

/* Shared by all processes: how far a run came, and what all of them met. */
struct shared {
    uint32_t command; /* the one being run */
    uint64_t ticks, events, passed, resets, suspensions, losses, refusals[7], snapshots, own_reports, split_traversals,
        named, full, placed, placed_whole, judged, close;
};

extern struct shared *shared;

struct set {
    uint64_t *keys;
    uint32_t count;
};

/* The ids of a roster, as they were named. */
struct list {
    uint32_t *id;
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
    struct list rosters[ACTORS][ROSTERS];
    /* How this seed draws. */
    uint32_t actors, universe, id_style, batch_max, side, roster_ids_max;
    bool huge, is_3d, swept, dirty, circles, capsules, filters;
    /* The batch being made. */
    uint32_t id[BATCH_MAX], category[BATCH_MAX], mask[BATCH_MAX];
    float at[3][BATCH_MAX], half[3][BATCH_MAX], radius[BATCH_MAX];
    uint8_t shape[BATCH_MAX];
    uint32_t to;   /* HAND_OVER: the new owner */
    uint32_t left; /* the member that left last; QD_ROOM_OWNED: none has */
};

__attribute__((format(printf, 2, 3), noreturn)) void fail(const struct run *run, const char *format, ...);

#define REQUIRE(run, condition)                                                                                        \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            fail(run, "%s, line %d: %s", __FILE__, __LINE__, #condition);                                              \
    } while (0)

/* Into the hash of all answers. */
void mix(struct run *run, const void *bytes, size_t size);
void mix_number(struct run *run, uint64_t number);

/* Tasks one after the other in a random order (the context is an rng_stream), and on as many threads as the
 * context, a size_t, gives. */
void run_shuffled(void *context, size_t count, qd_task_fn task, void *argument);
void run_threads(void *context, size_t count, qd_task_fn task, void *argument);

typedef enum action { SPAWN, MOVE, TELEPORT, RESHAPE, DESPAWN, HAND_OVER } action;

void do_batch(struct run *run, rng_stream *rng, action what, uint32_t actor);
uint32_t draw_id(struct run *run, rng_stream *rng);
/* Positions for `count` entries, into the batch. */
void draw_places(struct run *run, rng_stream *rng, qd_room_batch *batch, uint32_t count);
/* Compares the answer to a batch with that of the reference. */
void take_refusals(struct run *run, action what, uint32_t member, const qd_room_batch *batch, bool room_owned,
                   const qd_room_refusals *refusals);

/* Names a roster of the actor, or moves by one. */
void do_roster(struct run *run, rng_stream *rng, uint32_t actor);
/* The ids of the batch that were not refused become a roster of the actor. */
void name_good(struct run *run, rng_stream *rng, uint32_t actor, const qd_room_batch *batch,
               const qd_room_refusals *refusals);
/* The actor has left: it has no rosters any more. */
void forget_rosters(struct run *run, uint32_t actor);

/* All entities of the member that left last, or of the one that has its number now, go to this one. */
void do_adopt(struct run *run, uint32_t member);
void do_tick(struct run *run, rng_stream *rng);
void do_catch_up(struct run *run, rng_stream *rng);
void do_snapshot(struct run *run, rng_stream *rng);
void check_stats(struct run *run);

#endif

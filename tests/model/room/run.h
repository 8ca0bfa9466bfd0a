/* SPDX-License-Identifier: Apache-2.0
 *
 * One run of a random script on a room beside the reference: its state, how it fails, and the commands, each of which
 * is compared with the reference.
 *
 *     run.c        how a script runs, on which executors, and how it fails
 *     members.c    members and owners
 *     batches.c    batches, entry by entry
 *     rosters.c    the same by roster
 *     reports.c    ticks and what subscriptions get of them, folded and compared with the true set
 *     queries.c    snapshots and figures
 *
 * Of views, whose scripts have a reference of their own (views.h):
 *
 *     views_run.c      commands, each entry compared with the reference
 *     views_reports.c  ticks and reports, compared and folded
 */
#ifndef QD_TESTS_MODEL_ROOM_RUN_H
#define QD_TESTS_MODEL_ROOM_RUN_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"
#include "support/rng.h"
#include "views.h"

#define BATCH_MAX 12000u
#define ACTORS    12u
#define ROSTERS   3u /* of an actor */

/* Shared by all processes: how far a run came, and what all of them met. */
struct met {
    uint32_t command; /* the one being run */
    uint64_t ticks, split_traversals, resets, suspensions, losses, refused[QD_ROOM_WRONG_COLUMN + 1];
    /* Of pairs. */
    uint64_t events, passed, snapshots, own_reports, named, full, placed, placed_whole, judged, close;
    uint64_t short_entries, short_calls, short_suspensions; /* refused or suspended for lack of memory */
    /* Of views. */
    uint64_t joined, derived, bound, kept, paid, short_of, leaves[QD_ROOM_LEFT_LIMIT + 1], enters, relays, relays_once,
        united, watchers, visibilities[QD_ROOM_NOT_YET + 1], handed_over, adopted;
};

extern struct met *met;

struct set {
    uint64_t *keys;
    uint32_t count;
};

/* The ids of a roster, as they were named. */
struct list {
    uint32_t *id;
    uint32_t count;
};

/* A set of views that a member folded from its reports: keys in no order. */
struct fold {
    uint64_t *key;   /* observer or entity, and id or (member, observer) */
    uint32_t *third; /* of watchers: the observer; else 0 */
    uint32_t count, capacity;
};

/* Without `reference` only the hash is wanted. `views` belongs to it, in scripts of views. */
struct run {
    uint64_t seed;
    ref_room *reference;
    bool is_short;                     /* one allocation of the present command may fail, */
    bool was_short;                    /* or of one since the last tick, which then may have no events */
    uint64_t tried;                    /* allocations of the present command */
    uint32_t ticks_since;              /* a tick or catch-up that may have suspended for it */
    bool counts_taken_back;            /* of the present tick, which had no events */
    ref_state before[REF_MEMBERS_MAX]; /* the present round */
    views_room *views;
    const qd_executor *executor;
    qd_heap heap;
    qd_room *room;
    uint32_t member[ACTORS]; /* or QD_ROOM_OWNED: this actor is not in */
    uint64_t now_ns, tick, updates, skipped;
    uint64_t hash;
    uint32_t turn;
    struct set folded[REF_MEMBERS_MAX];
    struct list rosters[ACTORS][ROSTERS];
    struct fold view_folds[VIEWS_MEMBERS_MAX], watcher_folds[VIEWS_MEMBERS_MAX];
    bool relays_once[VIEWS_MEMBERS_MAX]; /* qd_room_view_options.relays_once of members */
    /* How this seed draws. */
    uint32_t actors, universe, id_style, batch_max, side, roster_ids_max;
    bool huge, is_3d, swept, dirty, circles, capsules, filters;
    bool has_tiers, has_teams, has_margins, has_bytes, has_limits, has_beacons, has_simple;
    /* The batch being made. */
    uint32_t id[BATCH_MAX], category[BATCH_MAX], mask[BATCH_MAX];
    float at[3][BATCH_MAX], half[3][BATCH_MAX], axis[3][BATCH_MAX], radius[BATCH_MAX];
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

/* What the two kinds of scripts differ in. */
typedef struct script_kind {
    /* How the seed draws, and the room; returns the number of commands. */
    uint32_t (*set_up)(struct run *run, rng_stream *rng, qd_room_config *config);
    /* The room is there. With `check`, a reference is wanted. */
    void (*begin)(struct run *run, const qd_room_config *config, bool check);
    void (*command)(struct run *run, rng_stream *rng, uint32_t index);
    void (*end)(struct run *run);
    bool knows_shortage; /* the reference does */
} script_kind;

/* Runs the commands below `limit` of a seed's script beside the reference, then on other executors: tasks in shuffled
 * order, 2 and 4 threads. These must give the same answers to the bit. At last beside the reference again, while single
 * allocations fail. run->turn counts the runs. */
void run_script(const script_kind *kind, uint64_t seed, uint32_t limit);

/* With the dimensions, side and sweeps of the run. */
qd_space_config draw_space(const struct run *run, rng_stream *rng);
float draw_coordinate(const struct run *run, rng_stream *rng);
uint32_t id_of(const struct run *run, uint32_t number);
uint32_t draw_id(const struct run *run, rng_stream *rng);

typedef enum action { SPAWN, MOVE, TELEPORT, RESHAPE, DESPAWN, HAND_OVER } action;

/* The room has done what it does at the command. The reference, which follows, has memory. */
void end_shortage(struct run *run);

void do_batch(struct run *run, rng_stream *rng, action what, uint32_t actor);
/* Positions for `count` entries, into the batch. */
void draw_places(struct run *run, rng_stream *rng, qd_room_batch *batch, uint32_t count);
/* Compares the answer to a batch with that of the reference. */
void take_refusals(struct run *run, action what, uint32_t member, const qd_room_batch *batch, bool room_owned,
                   bool by_roster, const qd_room_refusals *refusals);

/* Names a roster of the actor, or moves by one. */
void do_roster(struct run *run, rng_stream *rng, uint32_t actor);
/* The ids of the batch that were not refused become a roster of the actor. */
void name_good(struct run *run, rng_stream *rng, uint32_t actor, const qd_room_batch *batch,
               const qd_room_refusals *refusals);
/* The actor has left: it has no rosters any more. */
void forget_rosters(struct run *run, uint32_t actor);

/* If the actor is not in. */
void do_join(struct run *run, uint32_t actor);
void do_leave(struct run *run, uint32_t actor);
void do_expire(struct run *run, rng_stream *rng);
/* All entities of a member, which may have left, go to this one; not if they are the same, or QD_ROOM_OWNED. */
void do_adopt(struct run *run, uint32_t from, uint32_t member);
/* Entities have changed their owner: members that watch their own get a reset. */
void renew_views(struct run *run, uint32_t from, uint32_t to, uint32_t handed_over);
void do_tick(struct run *run, rng_stream *rng);
void do_catch_up(struct run *run, rng_stream *rng);
void do_snapshot(struct run *run, rng_stream *rng);
void check_stats(struct run *run);

/* ---- scripts of views ---- */

void views_do_describe(struct run *run, rng_stream *rng, uint32_t member);
void views_do_observe(struct run *run, rng_stream *rng, uint32_t member);
void views_do_move_observers(struct run *run, rng_stream *rng, uint32_t member);
void views_do_unobserve(struct run *run, rng_stream *rng, uint32_t member);
void views_do_except(struct run *run, rng_stream *rng, uint32_t member);
void views_do_tick(struct run *run, rng_stream *rng);
void views_do_catch_up(struct run *run);
/* Compares the answers for all observers and an entity, after a tick or after changes that no tick contains yet. */
void views_check_why(struct run *run, rng_stream *rng);

#endif

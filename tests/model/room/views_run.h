/* SPDX-License-Identifier: Apache-2.0
 *
 * One run of a random script of views on a room, beside the reference (views.h).
 *
 *     views_run.c       commands, each entry compared with the reference
 *     views_reports.c   ticks and reports, compared and folded
 */
#ifndef QD_TESTS_MODEL_ROOM_VIEWS_RUN_H
#define QD_TESTS_MODEL_ROOM_VIEWS_RUN_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/rng.h"
#include "views.h"

#define TRIAL_ACTORS    6u
#define TRIAL_BATCH_MAX 9500u

/* Shared by all processes: how far a run came, and what all of them met. */
struct met {
    uint32_t command;
    uint64_t ticks, split_traversals, joined, leaves[QD_ROOM_LEFT_LIMIT + 1], enters, relays, watchers, resets,
        suspensions, losses, sights[QD_ROOM_NOT_YET + 1], gifts, adoptions, refusals[QD_ROOM_OBSERVERS_FULL + 1],
        held_bytes;
};

extern struct met *met;

/* The set that a member folded from its reports: keys in no order. */
struct fold {
    uint64_t *key;   /* observer or entity, and id or (member, observer) */
    uint32_t *third; /* of watchers: the observer; else 0 */
    uint32_t count, capacity;
};

struct trial {
    uint64_t seed;
    views_room *reference; /* NULL: only the hash is wanted */
    const qd_executor *executor;
    qd_heap heap;
    qd_room *room;
    uint32_t member[TRIAL_ACTORS]; /* or QD_ROOM_OWNED: this actor is not in */
    uint32_t left;                 /* the member that left last, or QD_ROOM_OWNED */
    uint64_t now_ns, tick, hash;
    struct fold views[VIEWS_MEMBERS_MAX], watchers[VIEWS_MEMBERS_MAX];
    /* How this seed draws. */
    uint32_t actors, universe, id_style, batch_max, side;
    bool huge, is_3d, is_dirty, has_tiers, has_teams, has_margins, has_bytes, has_limits, has_beacons;
};

__attribute__((format(printf, 2, 3), noreturn)) void trial_fail(const struct trial *trial, const char *format, ...);

#define MUST(trial, condition)                                                                                         \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            trial_fail(trial, "%s, line %d: %s", __FILE__, __LINE__, #condition);                                      \
    } while (0)

/* Into the hash of all answers. */
void trial_mix(struct trial *trial, const void *bytes, size_t size);

uint32_t trial_id(const struct trial *trial, uint32_t number);

typedef enum trial_batch { TRIAL_SPAWN, TRIAL_MOVE, TRIAL_TELEPORT, TRIAL_RESHAPE, TRIAL_DESPAWN } trial_batch;

void trial_entities(struct trial *trial, rng_stream *rng, uint32_t member, trial_batch what);
/* To another member, to itself, or to the room; and all entities of a member, which may have left. */
void trial_give(struct trial *trial, rng_stream *rng, uint32_t member);
void trial_adopt(struct trial *trial, uint32_t from, uint32_t member);
void trial_describe(struct trial *trial, rng_stream *rng, uint32_t member);
void trial_observe(struct trial *trial, rng_stream *rng, uint32_t member);
void trial_move_observers(struct trial *trial, rng_stream *rng, uint32_t member);
void trial_unobserve(struct trial *trial, rng_stream *rng, uint32_t member);
void trial_except(struct trial *trial, rng_stream *rng, uint32_t member);
void trial_tick(struct trial *trial, rng_stream *rng);
void trial_catch_up(struct trial *trial);

#endif

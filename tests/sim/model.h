/* SPDX-License-Identifier: Apache-2.0
 *
 * What must be true of a room, told by brute force from what its clients sent and what the server says is in.
 *
 * A STAY is one session in one room, from RoomOpened on. Only the stay itself changes what it spawned, so the state of
 * a room at a tick is, for each stay, the effect of its first requests, up to the last one that an Applied of that tick
 * or an earlier one names. The tap on the links hears every Applied, also those for clients that are slow or gone.
 *
 * A stay that has left is told no more, and what it left behind goes when its grace has run out. Until then a tick may
 * contain, of it: what its last Applied said (TOLD); all that reached the server (ALL); nothing (GONE). An observer
 * keeps every combination of these that explains all it has seen, and fails when none is left. States only move on.
 */
#ifndef QD_TESTS_SIM_MODEL_H
#define QD_TESTS_SIM_MODEL_H

#include "model/room/shapes.h"
#include "proto/messages.h"
#include "world.h"

#define STAY_ENTITIES 8u
#define STAYS_MAX     12u
#define LEAVERS_MAX   4u
#define COMBINATIONS  81u /* 3^LEAVERS_MAX */
#define STAY_REGIONS  3u
#define STAY_ROSTERS  2u
#define ROSTER_IDS    16u
#define OP_ENTRIES    6u
#define PAIRS_MAX     4096u

typedef struct model_entity {
    bool present, room_owned;
    qd_body body;
    bool hidden;
    uint32_t team;
    uint64_t tag;
    float visible_range;
} model_entity;

/* What a client calls an observer: one of a stay's. (A model_observer is a subscription.) */
typedef struct model_region {
    bool present, anchored, sees_self;
    uint32_t anchor; /* among the stay's entities */
    uint8_t kind;    /* qd_region */
    float at[3], range, half[3], direction[3], angle;
    uint32_t mask, team;
    bool shows, hides; /* one id each */
    uint32_t show, hide;
} model_region;

typedef struct model_roster {
    uint32_t count;
    uint32_t id[ROSTER_IDS];
} model_roster;

/* All that one stay has. */
typedef struct model_state {
    model_entity entities[STAY_ENTITIES];
    model_region regions[STAY_REGIONS];
    model_roster rosters[STAY_ROSTERS];
} model_state;

/* A batch, or what is applied like one, as it was sent. */
typedef struct model_op {
    qd_client_kind kind;
    uint32_t seq;
    uint32_t frame; /* the how-manieth of its connection, from 1 */
    uint32_t count;
    uint32_t id[OP_ENTRIES];
    float at[3][OP_ENTRIES], half[3][OP_ENTRIES], radius[OP_ENTRIES]; /* in two dimensions the third ones are 0 */
    uint8_t shape[OP_ENTRIES];
    uint32_t category[OP_ENTRIES], mask[OP_ENTRIES];
    bool has_size, has_radius, has_shape, has_filter, room_owned;
    model_region regions[OP_ENTRIES]; /* OBSERVE, MOVE_OBSERVERS, UNOBSERVE, EXCEPT; `id` is theirs */
    uint32_t anchor_id[OP_ENTRIES];   /* OBSERVE */
    bool moves, turns;                /* MOVE_OBSERVERS */
    uint32_t team[OP_ENTRIES];        /* DESCRIBE, from here on */
    uint64_t tag[OP_ENTRIES];
    float visible_range[OP_ENTRIES];
    uint8_t hidden[OP_ENTRIES];
    uint32_t roster, first; /* ROSTER, ROSTER_MOVE */
    bool keep_rest;         /* ROSTER */
    uint32_t refused_count; /* what the server must refuse */
    uint32_t refused[OP_ENTRIES];
} model_op;

typedef struct model_pair {
    uint32_t a, b;
} model_pair;

struct model_room;

typedef struct model_stay {
    struct model_room *room;
    uint32_t number; /* among all stays of the room: its entities' ids come from it */
    uint64_t session;
    sim_link *link; /* a reference */
    model_op *ops;
    size_t op_count, op_capacity;
    model_state latest;        /* all that was sent */
    uint32_t told_seq;         /* by an Applied on its link, as the tap heard it */
    uint32_t unsubscribe_seq;  /* of an Unsubscribe that is not answered: that Applied tells of no tick */
    bool lost;                 /* a Tick frame for it was refused, and no reset followed */
    bool view_lost;            /* a View frame, likewise */
    bool view_behind;          /* the same, but that a suspension does not end it */
    uint64_t view_lost_tick;   /* with `view_behind`: the tick of the first that was lost */
    bool view_lost_reset;      /* and whether it was a reset, which misses nothing before it */
    struct model_views *views; /* while its client has them */
    bool behind;               /* the same, but that a suspension does not end it */
    uint64_t told_tick;        /* with `behind`: the last tick before the first that was lost */
    bool left;
    uint64_t left_ns;
    uint32_t leaver; /* its number among those who left */
} model_stay;

/* An Applied that the tap heard. */
typedef struct model_told {
    uint64_t tick;
    uint32_t stay, seq;
} model_told;

typedef struct model_room {
    sim_world *world;
    uint64_t handle;
    uint32_t name; /* which of the scenario's rooms */
    uint64_t creator;
    uint64_t grace_ns;
    uint32_t events_max, sightings_max, tick_hz, dimensions;
    bool swept;
    uint64_t opened_ns;
    bool closed;
    model_stay *stays[STAYS_MAX];
    uint32_t stay_count, leaver_count;
    model_told *told;
    size_t told_count, told_capacity;
    struct {
        uint64_t tick, at_ns;
    } * ticks; /* when each was first heard of */
    size_t tick_count, tick_capacity;
} model_room;

model_room *model_room_create(sim_world *world, uint64_t handle);
void model_room_destroy(model_room *room);
/* The stay holds its own reference to the link. */
model_stay *model_stay_create(model_room *room, uint64_t session, sim_link *link);
void model_stay_leave(model_stay *stay);

uint32_t model_id(const model_stay *stay, uint32_t entity);
/* The stay and the entity of an id that is one of theirs. */
model_stay *model_owner(const model_room *room, uint32_t id, uint32_t *entity);
/* Ids of observers, in no order. */
uint32_t model_region_id(uint32_t region);
/* Adds a batch that is being sent; says what of it must be refused. */
void model_stay_send(model_stay *stay, model_op *op);

/* From the tap. */
void model_room_heard_tick(model_room *room, uint64_t tick);
void model_room_heard_applied(model_room *room, model_stay *stay, uint64_t tick, uint32_t seq);

/* The room as one stay's client knows that it was at a tick. */
typedef struct model_past {
    model_stay *stay;
    size_t told_done;
    size_t ops_done[STAYS_MAX];
    model_state states[STAYS_MAX];
    bool possible[COMBINATIONS];
} model_past;

typedef struct model_body {
    uint32_t id;
    bool own; /* the stay's, and not the room's */
    const model_entity *entity;
} model_body;

/* Whether all that was seen is what brute force over these entities gives, which are ordered by id. */
typedef bool (*model_explains_fn)(const model_past *past, const model_body *bodies, uint32_t count,
                                  const void *context);

void model_past_init(model_past *past, model_stay *stay);
/* To all that a tick contains. */
void model_past_advance(model_past *past, uint64_t tick);
/* The next tick before that one at which something was applied; UINT64_MAX: there is none. */
uint64_t model_past_next(const model_past *past, uint64_t tick);
/* Whether some combination of states explains it, and which are still possible. */
bool model_past_verify(model_past *past, uint64_t tick, model_explains_fn explains, const void *context);
/* The same at the end, when all that was left behind is gone. */
bool model_past_finish(model_past *past, model_explains_fn explains, const void *context);

/* A subscription of one stay, folded from its frames and checked at every tick. */
typedef struct model_observer {
    model_stay *stay;
    bool own_only, stays;
    bool known, suspended, closing;
    uint64_t tick; /* of the set */
    model_pair *set;
    uint32_t set_count;
    /* within a tick */
    bool in_tick, reset;
    uint32_t begin_count, stay_count, phase;
    model_pair previous;
    model_past past;
} model_observer;

model_observer *model_observer_create(model_stay *stay, bool own_only, bool stays);
void model_observer_destroy(model_observer *observer);
void model_observer_tick(model_observer *observer, const qd_msg_tick *tick);
/* All is read, all that was left behind is gone: the set is the present one. */
void model_observer_finish(model_observer *observer);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * What must be true of a room, found by brute force from what its clients sent and what the server reports as applied.
 *
 * A STAY is one session in one room, from RoomOpened on, over all connections of the session. The requests of all stays
 * have one ORDER, in which the server got them and which the room keeps. So the state of a room at a tick is the effect
 * of the first requests of that order, up to the last one that an Applied of that tick or an earlier one names. The tap
 * on the links sees every Applied, also those for clients that are slow or gone.
 *
 * A stay that has left gets no more reports, and its entities go when its grace period has run out. So a tick may contain
 * more than was reported: requests of stays that left, and the end of their entities. A MOMENT is one possible state of
 * that kind. An observer keeps all moments that explain what it has seen, and fails when none is left. Moments only move
 * forward.
 *
 * A session whose connection is cut may have left as soon as its time is over, unless it is resumed.
 */
#ifndef QD_TESTS_SIM_MODEL_H
#define QD_TESTS_SIM_MODEL_H

#include "proto/messages.h"
#include "server/space/types.h"
#include "world.h"

#define STAY_ENTITIES 8u
#define STAYS_MAX     12u
#define LEAVERS_MAX   4u
#define ADOPTS_MAX    16u /* in a row, with nothing between them that is reported */
#define MOMENTS_MAX   ((1u + LEAVERS_MAX + ADOPTS_MAX) << LEAVERS_MAX)
#define STAY_REGIONS  3u
#define STAY_ROSTERS  2u
#define ROSTER_IDS    16u
#define OP_ENTRIES    6u
#define SET_MAX       4096u
#define BODIES_MAX    (STAYS_MAX * STAY_ENTITIES)

/* The room as an owner, in place of a stay's number. The place of a request that the server does not have. */
#define MODEL_ROOM_OWNED UINT32_MAX
#define MODEL_NOWHERE    SIZE_MAX

typedef struct model_entity {
    bool present;
    uint32_t owner; /* the number of a stay, or MODEL_ROOM_OWNED */
    uint32_t birth; /* distinguishes it from others that had its id */
    qd_body body;
    bool hidden;
    uint32_t team;
    uint64_t tag;
    float visible_range;
} model_entity;

/* What a client calls an observer: one of a stay's. (A model_observer is a subscription.) */
typedef struct model_region {
    bool present, anchored, sees_self;
    uint32_t anchor_id; /* the stay's at that time, or the room's */
    uint8_t kind;       /* qd_region */
    float at[3], range, half[3], direction[3], angle;
    uint32_t mask, team;
    bool shows, hides; /* one id each */
    uint32_t show, hide;
} model_region;

typedef struct model_roster {
    uint32_t count;
    uint32_t id[ROSTER_IDS];
} model_roster;

/* Everything in a room, by the stay that its id belongs to. */
typedef struct model_state {
    model_entity entities[STAYS_MAX][STAY_ENTITIES];
    model_region regions[STAYS_MAX][STAY_REGIONS];
    model_roster rosters[STAYS_MAX][STAY_ROSTERS];
} model_state;

struct model_stay;

/* A batch, or what is applied like one, as it was sent; or a GetSnapshot, which has a place in the order. The columns of the
 * message are those below. */
typedef struct model_op {
    qd_client_message message;
    struct model_stay *stay;
    size_t place;       /* in the room's order, or MODEL_NOWHERE */
    bool refused_whole; /* as the tap saw, here and below */
    bool reported_refused[OP_ENTRIES];
    uint32_t count; /* of entries */
    uint32_t id[OP_ENTRIES], anchor_id[OP_ENTRIES], category[OP_ENTRIES], mask[OP_ENTRIES], team[OP_ENTRIES];
    uint64_t tag[OP_ENTRIES];
    uint8_t shape[OP_ENTRIES], region[OP_ENTRIES], anchored[OP_ENTRIES], sees_self[OP_ENTRIES], hidden[OP_ENTRIES];
    /* In two dimensions the third ones are 0. */
    float at[3][OP_ENTRIES], half[3][OP_ENTRIES], axis[3][OP_ENTRIES], direction[3][OP_ENTRIES];
    float radius[OP_ENTRIES], range[OP_ENTRIES], angle[OP_ENTRIES];
    uint32_t show, hide;    /* EXCEPT */
    uint32_t adopted_count; /* ADOPT: what it was answered with */
    uint32_t adopted[BODIES_MAX];
    struct model_stay *to;  /* HANDOVER, when it is applied; NULL: the room */
    uint32_t refused_count; /* what the server must refuse, known when the tap has seen that it is applied */
    uint32_t refused[OP_ENTRIES];
} model_op;

struct model_room;

typedef struct model_stay {
    struct model_room *room;
    uint32_t number; /* among all stays of the room: its entities' ids come from it */
    uint64_t session;
    uint32_t token;                     /* which one its session has; 0: none */
    uint8_t grant;                      /* what it allowed when the session said Hello; 0: the session has ended */
    model_roster rosters[STAY_ROSTERS]; /* as they were sent */
    model_op **ops;                     /* that were sent */
    size_t op_count, op_capacity;
    size_t end;                /* behind its last one in the order */
    uint64_t reported_seq;     /* by an Applied on its link, as the tap saw it */
    size_t reported_place;     /* behind its last request of the order by then */
    uint64_t unsubscribe_seq;  /* of an Unsubscribe that is not answered */
    bool lost;                 /* a Tick frame for it was refused, and no reset followed */
    bool view_lost;            /* a View frame, likewise */
    bool view_behind;          /* the same, but that a suspension does not end it */
    uint64_t view_lost_tick;   /* with `view_behind`: the tick of the first that was lost */
    uint64_t view_reset_tick;  /* of the last reset of its views that was sent */
    bool view_lost_reset;      /* and whether it was a reset, which misses nothing before it */
    struct model_views *views; /* while its client has them */
    bool behind;               /* the same, but that a suspension does not end it */
    uint64_t known_tick;       /* with `behind`: the last tick before the first that was lost */
    bool left;                 /* or may have */
    uint64_t left_ns;          /* since then at the earliest */
    bool has_left, is_out;     /* the server has its LeaveRoom, and has answered it */
    bool subscribed;           /* by what the server has */
    uint64_t acked_tick;       /* by what the server has; UINT64_MAX: none */
    bool resumed;              /* and no reset has come since; with what was true then: */
    const sim_link *resumed_by;
    size_t resumed_place;  /* what is handed to the server from there on comes after it was resumed */
    bool view_resumed;     /* the same of views */
    uint64_t resumed_tick; /* the last tick that a frame showed */
    uint64_t resumed_acked_tick;
} model_stay;

/* How much of the order an Applied reported. */
typedef struct model_reported {
    uint64_t tick;
    size_t count;
} model_reported;

typedef struct model_room {
    sim_world *world;
    uint64_t handle;
    uint32_t name; /* which of the scenario's rooms */
    uint64_t creator;
    uint32_t creator_token;
    uint64_t grace_ns;
    qd_msg_room_config config;
    uint64_t opened_ns;
    bool closed;
    model_stay *stays[STAYS_MAX];
    uint32_t stay_count, leaver_count;
    uint32_t handed_over,
        handed_over_reported; /* requests that gave another session something, and that it got a report of */
    uint64_t taken_from;      /* the session that got a report of the Adopt that is not answered yet; 0: none */
    uint32_t taken_count, taken[BODIES_MAX];
    model_op **order;
    size_t order_count, order_capacity;
    model_state now; /* by the first ones of the order, which are applied */
    size_t now_count;
    model_reported *reported;
    size_t reported_count, reported_capacity;
    struct {
        uint64_t tick, at_ns;
    } *ticks; /* when a frame first showed each */
    size_t tick_count, tick_capacity;
} model_room;

model_room *model_room_create(sim_world *world, const qd_msg_room_opened *opened);
void model_room_destroy(model_room *room);
model_stay *model_stay_create(model_room *room, uint64_t session);
/* It leaves at that time, or later. */
void model_stay_leave(model_stay *stay, uint64_t at_ns);
/* It has not. */
void model_stay_return(model_stay *stay);

/* The latest one of the session in the room; NULL: there was none. */
model_stay *model_latest_stay(const model_room *room, uint64_t session);

uint32_t model_id(const model_stay *stay, uint32_t entity);
/* The stay and the entity of an id that is one of theirs. */
model_stay *model_owner(const model_room *room, uint32_t id, uint32_t *entity);
/* Ids of observers, in no order, and back. */
uint32_t model_region_id(uint32_t region);
uint32_t model_region_of(uint32_t id);
/* Adds a request that is being sent. It is the stay's from then on. */
void model_stay_send(model_stay *stay, model_op *op);
/* The server has what it was handed, and nothing else. */
void model_stay_forget_rest(model_stay *stay);
/* The one with that seq; NULL: there is none. */
model_op *model_stay_op(const model_stay *stay, uint64_t seq);

/* From the tap. */
void model_room_saw_tick(model_room *room, uint64_t tick);
/* An answer names it as the last one. */
void model_room_named_tick(const model_room *room, uint64_t tick);
/* `again`: after a resume, and of what was reported before. */
void model_room_saw_applied(model_room *room, model_stay *stay, uint64_t tick, uint64_t seq, bool again);
/* All up to the request is applied, if it has a place in the order. */
void model_room_saw_accepted(model_room *room, model_stay *stay, uint64_t seq);
/* The server is handed the request. */
void model_room_take(model_room *room, model_op *op);
/* All of the order up to there is applied. */
void model_room_applied(model_room *room, size_t count);
/* The ids of a SetRoster, which makes no entry that could be refused. */
void model_name_roster(model_roster rosters[STAY_ROSTERS], const model_op *op);
/* The receiver of a HandOver, if it is in the room by then. NULL: the room. */
model_stay *model_receiver_of(const model_room *room, const model_op *op);
/* The effect of a request; returns how many entries must be refused, and which. */
uint32_t model_apply(const model_room *room, model_state *state, const model_op *op, uint32_t refused[OP_ENTRIES]);

/* One way that a tick can have been: the effect of so many requests, and without what these stays left. */
typedef struct model_moment {
    size_t count;
    uint32_t gone; /* a bit a stay */
} model_moment;

/* The room as one stay's client knows that it was at a tick. */
typedef struct model_past {
    model_stay *stay;
    size_t reported_done;
    size_t done; /* of the order, in the state */
    model_state state;
    model_moment moments[MOMENTS_MAX];
    uint32_t moment_count;
} model_past;

typedef struct model_body {
    uint32_t id;
    bool own; /* the stay's, and not the room's */
    const model_entity *entity;
} model_body;

struct model_fold;

/* Whether all that was seen is what brute force over these entities gives, which are ordered by id. */
typedef bool (*model_explains_fn)(const model_past *past, const model_state *state, const model_body *bodies,
                                  uint32_t count, const struct model_fold *fold);

/* Row `i` of entities' columns; what is absent is 0. */
qd_body model_row(const qd_msg_entities *rows, uint32_t i);
bool model_same_body(const qd_body *a, const qd_body *b);

void model_past_init(model_past *past, model_stay *stay);
/* To all that a tick contains. */
void model_past_advance(model_past *past, uint64_t tick);
/* The next tick before that one at which something was applied; UINT64_MAX: there is none. */
uint64_t model_past_next(const model_past *past, uint64_t tick);
/* Whether some moment explains it, and which are still possible. `owners_later`: the owners may be those that were
 * reported after the tick. */
bool model_past_verify(model_past *past, uint64_t tick, bool owners_later, model_explains_fn explains,
                       const struct model_fold *fold);
/* The same at the end, when everything is reported and everything left behind is gone. */
bool model_past_finish(model_past *past, model_explains_fn explains, const struct model_fold *fold);

/* What one stay's client knows by the frames of one kind, checked at every tick. (fold.c) */
typedef struct model_fold {
    model_past past;
    const char *what;
    model_explains_fn explains;
    bool suspended, closing;
    uint64_t tick; /* of the set */
    uint64_t *set; /* model_key() of pairs, or of observers and what they see, ascending */
    uint32_t set_count;
    /* within a tick */
    bool in_tick, reset;
    uint32_t group;
    uint64_t previous; /* of the group */
} model_fold;

static inline uint64_t model_key(uint32_t a, uint32_t b)
{
    return (uint64_t)a << 32 | b;
}

/* What an event says of its key: it was not in the set and is now, was and is not, was and is, was not and is not. A
 * relay says that it was and is, and comes in any order among those with its first half. */
typedef enum model_effect { MODEL_ADDS, MODEL_REMOVES, MODEL_KEEPS, MODEL_PASSES, MODEL_RELAYS } model_effect;

void model_fold_init(model_fold *fold, model_stay *stay, const char *what, model_explains_fn explains);
bool model_fold_has(const model_fold *fold, uint32_t a, uint32_t b);
/* A frame comes. Returns whether it is the first of its tick. */
bool model_fold_begin(model_fold *fold, bool reset);
/* Groups come in their order, each in the order of its keys, through all frames of the tick. */
void model_fold_order(model_fold *fold, uint32_t group, uint64_t key);
void model_fold_group(model_fold *fold, uint32_t group, model_effect effect, uint32_t count, const uint32_t *a,
                      const uint32_t *b);
/* Nothing was reported at the ticks before that one, so that at those at which something was applied the set was as it
 * is. The last ones were skipped. */
void model_fold_until(model_fold *fold, uint64_t tick, uint32_t skipped);
/* All frames of the tick have come. Returns false if it closed the room. */
bool model_fold_end(model_fold *fold, uint64_t tick, bool owners_later);
/* All is read, all that was left behind is gone: the set is the present one. Returns the state after every request that
 * the server has, until the next call. */
const model_state *model_fold_finish(const model_fold *fold);

/* A subscription of one stay. */
typedef struct model_observer {
    model_fold fold; /* first: the set of pairs */
    bool own_only, stays;
    bool known;
    uint32_t begin_count, stay_count; /* within a tick */
} model_observer;

model_observer *model_observer_create(model_stay *stay, bool own_only, bool stays);
void model_observer_destroy(model_observer *observer);
void model_observer_tick(model_observer *observer, const qd_msg_tick *tick);
/* Frames may be missing: a reset must come. */
void model_observer_cut(model_observer *observer);
/* Fails if more pairs were too close to call, for all observers so far, than their positions explain. */
void model_check_closeness(void);

#endif

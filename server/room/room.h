/* SPDX-License-Identifier: Apache-2.0
 *
 * A room: entities by the ids that clients chose, their owners, a space over them, and subscriptions to their pairs.
 * It takes plain commands and gives plain events. It knows no sockets, threads, protobuf or clock; callers pass times.
 *
 *     commands (any number)  ->  qd_room_tick  ->  qd_room_next_report until false  ->  commands ...
 *
 * The room keeps the contract of the event stream (proto/SPEC.md, P2 and R1 to R9): which subscription is live, needs a
 * reset, or is suspended. room_views.h has the commands about observers and views. common/room_types.h defines the
 * shapes, units and ranges of all arguments and results.
 *
 * One thread at a time. A member number that is passed in must be of a member that is in the room.
 */
#ifndef QD_ROOM_ROOM_H
#define QD_ROOM_ROOM_H

#include "common/room_types.h"

typedef struct qd_room qd_room;

/* The caller owns the heap, which outlives the room and counts all of its memory. `salt` makes the room's hashes
 * unpredictable for clients, and changes no result. QD_ERR_INVALID: space.h does not allow the config of the space;
 * QD_ERR_NO_MEMORY. */
qd_status qd_room_create(const qd_room_config *config, qd_heap *heap, uint64_t salt, qd_room **room) QD_MUST_USE;
void qd_room_destroy(qd_room *room); /* NULL is allowed */

/* ---- members ---- */

/* A member is a session in the room. The room uses its number again once nothing of the member is left.
 * QD_ERR_FULL: there are QD_ROOM_MEMBERS_MAX; QD_ERR_NO_MEMORY. */
qd_status qd_room_join(qd_room *room, uint32_t *member) QD_MUST_USE;
/* Ends the member's subscription, rosters and observers. Its entities expire grace_ns later. */
void qd_room_leave(qd_room *room, uint32_t member, uint64_t now_ns);
/* When qd_room_expire has something to do next; QD_NEVER: no grace period is running. */
uint64_t qd_room_due_ns(const qd_room *room);
/* Removes the entities of members whose grace period is over. */
void qd_room_expire(qd_room *room, uint64_t now_ns);

/* ---- batches ---- */

/* From now on qd_room_spawn, qd_room_hand_over and qd_room_observe add at most `count` entities or observers to their
 * owner, all together. `code` refuses the others. Before the first call, and with UINT32_MAX, there is no such limit. */
void qd_room_allow(qd_room *room, uint32_t count, uint8_t code);

/* Each command empties *refusals, applies the valid entries in order, and lists the others in *refusals.
 *
 *     spawn           needs id, x, y; sizes default to 0, shape to box, category to 1, mask to all.
 *                     With room_owned, the room owns the entities
 *     move, teleport  need id, x, y
 *     reshape         needs id; columns that are NULL leave values unchanged. A size becomes 0 if the new shape lacks
 *                     it, and starts at 0 if only the new shape has it
 *     despawn         needs id */
void qd_room_spawn(qd_room *room, uint32_t member, const qd_room_batch *batch, bool room_owned,
                   qd_room_refusals *refusals);
void qd_room_move(qd_room *room, uint32_t member, const qd_room_batch *batch, qd_room_refusals *refusals);
/* Moves all entities, at most QD_ROOM_MOVE_ALL_MAX. Returns false, and changes nothing, if `move` would refuse one. */
bool qd_room_move_all(qd_room *room, uint32_t member, const qd_room_batch *batch);
void qd_room_teleport(qd_room *room, uint32_t member, const qd_room_batch *batch, qd_room_refusals *refusals);
void qd_room_reshape(qd_room *room, uint32_t member, const qd_room_batch *batch, qd_room_refusals *refusals);
void qd_room_despawn(qd_room *room, uint32_t member, const qd_room_batch *batch, qd_room_refusals *refusals);
/* Gives the memory of the last batch's refusals back, which may be much. */
void qd_room_forget_refusals(qd_room *room);
/* Removes every entity. The next tick ends all pairs with the reason QD_SPACE_ROOM_CLOSED. */
void qd_room_despawn_all(qd_room *room);

/* ---- rosters: ids that a member names once, so that its moves need no ids ---- */

/* QD_ERR_INVALID: `first` is behind the last entry; QD_ERR_FULL: roster_ids_max; QD_ERR_NO_MEMORY. An error changes
 * nothing. */
qd_status qd_room_roster_name(qd_room *room, uint32_t member, const qd_room_roster *roster) QD_MUST_USE;
/* The ids of a roster, valid until the roster is named again; NULL and 0 if it does not exist. */
const uint32_t *qd_room_roster_ids(const qd_room *room, uint32_t member, uint32_t number, uint32_t *count);
/* The same as qd_room_move with the ids of these entries. QD_ERR_NOT_FOUND: the roster does not exist; QD_ERR_INVALID:
 * it has no such entries. An error changes nothing, and leaves *refusals alone. */
qd_status qd_room_move_roster(qd_room *room, uint32_t member, const qd_room_roster_positions *positions,
                              qd_room_refusals *refusals) QD_MUST_USE;

/* ---- owners ---- */

/* Hands entities that the member or the room owns to member `to`, or to the room (QD_ROOM_OWNED). No pair begins or
 * ends by it. Subscriptions with own_only, of both members, get a reset at the next qd_room_catch_up or tick, and so do
 * members that watch their own entities (room_views.h). Returns how many entities have another owner now, and puts
 * their ids into handed_over[], which has room for `count`; NULL is allowed. */
uint32_t qd_room_hand_over(qd_room *room, uint32_t member, const uint32_t *id, uint32_t count, uint32_t to,
                           uint32_t *handed_over, qd_room_refusals *refusals);
/* The same for all entities of `from`, which may have left the room, in no order. */
uint32_t qd_room_adopt(qd_room *room, uint32_t from, uint32_t to, uint32_t *handed_over);
/* How many entities the room (QD_ROOM_OWNED) owns, or a member that is in the room or has left it; 0 for other numbers.
 */
uint32_t qd_room_owned_count(const qd_room *room, uint32_t owner);

/* ---- subscriptions: one per member ---- */

/* LIMIT. If a tick has more than events_max events (passed and wanted stays included), all live subscriptions are
 * suspended. If the set of pairs is larger than events_max, subscriptions whose reset is due are suspended. All pairs
 * of the room count, for own_only, too. A suspended subscription gets a reset at the first later tick whose set fits.
 */

/* Starts a subscription, or starts it again; a reset is due at the next qd_room_catch_up or tick. */
void qd_room_subscribe(qd_room *room, uint32_t member, qd_room_interest interest);
void qd_room_unsubscribe(qd_room *room, uint32_t member);
/* The caller could not deliver a report: the subscription gets nothing until qd_room_resume. */
void qd_room_lost(qd_room *room, uint32_t member);
/* The same if delivered reports may not have arrived either: everything after reported_tick may be missing. */
void qd_room_missed(qd_room *room, uint32_t member, uint64_t reported_tick);
/* The member can take reports again: a reset is due, as after qd_room_subscribe. No effect unless lost. */
void qd_room_resume(qd_room *room, uint32_t member);
/* Whether reports of the subscription were lost or missed, and no reset that replaces them was delivered. All reports of
 * the last tick or catch-up must have been read. */
bool qd_room_lags(const qd_room *room, uint32_t member);

/* ---- ticks and reports ---- */

/* Gives back memory that the room no longer needs, after much of what was in it has gone. No report may be unread. Takes
 * as long as a look at every slot, but only if most slots are free. */
void qd_room_trim(qd_room *room);
/* Whether what is removed keeps memory until the next tick. */
bool qd_room_awaits_tick(const qd_room *room);
/* Member numbers in use, or in reports, are below this. */
uint32_t qd_room_member_end(const qd_room *room);

/* Prefetches what a tick reads first. */
void qd_room_fetch(const qd_room *room);
/* The most pairs, of two entities or an observer and an entity, that the next tick may find to be new or gone. Known
 * without a search. */
uint64_t qd_room_tick_pairs_max(const qd_room *room);
/* One tick. `skipped`: how many ticks were left out before it; they count in the tick's number. Afterwards there is a
 * report for every live subscription with events, and for every subscription whose reset was due. */
void qd_room_tick(qd_room *room, const qd_executor *executor, uint32_t skipped);
/* The same in two calls, for callers that measure them. Nothing may come between. */
void qd_room_tick_views(qd_room *room, const qd_executor *executor, uint32_t skipped);
void qd_room_tick_pairs(qd_room *room, const qd_executor *executor, uint32_t skipped);
/* After a tick: whether it had nothing to report, and nothing waits for the next one. Then ticks report nothing until a
 * command changes something, except that relays have their turns within qd_room_relay_period ticks. */
bool qd_room_is_quiet(const qd_room *room);
uint32_t qd_room_relay_period(const qd_room *room);
/* Counts that many ticks at once, which would have reported and changed nothing. No report may be unread. */
void qd_room_rest(qd_room *room, uint64_t ticks);
/* Makes the resets that are due now, with the set of the last tick. Cheap if none are due. */
void qd_room_catch_up(qd_room *room, const qd_executor *executor);
/* The next report of the last tick or catch-up; false at the end. Unread reports count as delivered. */
bool qd_room_next_report(qd_room *room, qd_room_report *report);

/* ---- reading ---- */

void qd_room_stats_get(const qd_room *room, qd_room_stats *stats);
/* Single figures, for callers that need them at every tick. */
uint64_t qd_room_last_tick(const qd_room *room);
uint32_t qd_room_entity_count(const qd_room *room);
uint64_t qd_room_events_count(const qd_room *room); /* begins, ends and passed together */

/* The entities of `owner` (a member, QD_ROOM_OWNED or QD_ROOM_ANYBODY) as they are now, by ascending id, at most
 * `limit` of them. With `region`, only those whose bounding box touches it. A column of sizes is NULL if all are 0.
 * *more: there are more than `limit`. QD_ERR_NO_MEMORY. */
qd_status qd_room_snapshot(qd_room *room, uint32_t owner, const qd_room_region *region, uint32_t limit,
                           qd_room_batch *columns, bool *more) QD_MUST_USE;
/* The room sets the query's `names` itself. QD_ERR_NO_MEMORY. */
qd_status qd_room_query(qd_room *room, const qd_space_query *query, qd_room_found *found) QD_MUST_USE;

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Interest management: the observers of a room (room.h), and what each of them sees.
 *
 * An OBSERVER is a region that a member watches, anchored to an entity or free. Its VIEW is the set of entities that it
 * sees. Views change only at ticks, after the moves, by ENTER and LEAVE. Every enter has exactly one leave.
 *
 * THE RULE is in proto/SPEC.md (V1 to V15), with every formula. In short, at each tick an entity is
 *
 *     ALLOWED            by the lists, hidden, mask and teams
 *     NEAR or STAYING    by the region or the entity's visible_range, and by their margin
 *     WANTED             if it is allowed, and near; or staying, if it is in the view already
 *     CHOSEN             if it is wanted and among the nearest, as many as the limit allows
 *
 * An entity in the view that is not chosen leaves at once. A chosen entity that is not in the view enters when
 * enter_budget and the member's bytes allow it. RELAY reports positions of entities in the view, by tiers, if they have
 * changed since they were last reported, or if the observer got its first tiers since.
 *
 * BYTES. bytes_max limits what a member gets of views per tick. A leave counts QD_VIEW_LEAVE_BYTES, an enter
 * QD_VIEW_ENTER_BYTES and its payload, a relay QD_VIEW_RELAY_BYTES; resets do not count. Leaves are always reported.
 * Then come enters of all its observers, by (distance, observer, id), up to the first that does not fit. Then come
 * relays, by (observer, id), from the first on that did not fit last time, and around. With bytes_max below
 * QD_VIEW_ENTER_BYTES and the largest payload, there may be entities that never enter and block all others.
 *
 * LIMIT. A VISIBLE ENTRY is an entity in an observer's region or widened region, or an observer in an entity's
 * visible_range or widened range. Each of them counts, whether it is allowed or not; cones count as circles. Each id on
 * a list `show` counts, too. If the room has more than visible_entries_max of them at a tick, all views are suspended: they
 * are empty, without leaves, until the first tick at which the entries fit. Then all views start again with a reset.
 * Views are also suspended at a tick whose search would take far longer than its hits justify, as with crowds that
 * nearly touch. The limits of the search belong to the space and to spatial_join.c (LOOKS_WITHOUT_HITS_MAX).
 *
 * HOW. The visibility index, a space of its own with the room's index and dimensions, finds what comes into regions and
 * goes from them; entities at rest cost nothing. It exists while the room has observers. If most entities move and many
 * are in view, the spatial join compares all points with all regions near them instead. An observer with a cone, relay
 * tiers, a list `show`, entities that wait to enter, or a limit that binds is evaluated as a whole at every tick, unless
 * the join derives its view.
 *
 * One thread at a time, as with room.h. A member number that is passed in must be of a member that is in the room.
 */
#ifndef QD_ROOM_ROOM_VIEWS_H
#define QD_ROOM_ROOM_VIEWS_H

#include "common/view_types.h"
#include "room.h"

/* ---- entities ---- */

/* Describes entities that the member may change. id is needed; columns that are NULL leave values unchanged, which are
 * 0 at first. payload_size is at most QD_VIEW_PAYLOAD_MAX, and `payload` has the payloads one behind the other. Tag and
 * payload are reported with the next enter, not before. QD_ROOM_FULL: there is no memory. A description ends with its
 * entity. */
void qd_room_describe(qd_room *room, uint32_t member, const qd_msg_set_description *batch, qd_room_refusals *refusals);

/* ---- observers ---- */

/* From now on the member may anchor observers at entities of other members. */
void qd_room_observe_all(qd_room *room, uint32_t member);
/* id is needed, and at most QD_VIEW_TIERS_MAX tiers. Without their column, regions are circles, masks have all bits,
 * and other values are 0. Makes new observers, or replaces existing ones, which keep their view and their lists: what
 * they no longer see leaves at the next tick. QD_ROOM_UNKNOWN_ID: the anchor does not exist; QD_ROOM_NOT_OWNER: it
 * belongs to another member; QD_ROOM_NOT_FINITE and QD_ROOM_NEGATIVE_SIZE as in batches of entities. An observer ends
 * with its anchor, as by qd_room_unobserve, and with its member. */
void qd_room_observe(qd_room *room, uint32_t member, const qd_msg_observers *batch, qd_room_refusals *refusals);
/* Moves free observers and turns cones: id is needed, and x, y (and z) or direction_*, or both. QD_ROOM_BAD_REGION: the
 * entry moves an anchored observer, or turns one that is not a cone. */
void qd_room_observers_move(qd_room *room, uint32_t member, const qd_msg_observers *batch, qd_room_refusals *refusals);
/* The observers' views end at the next tick, with QD_ROOM_LEFT_OBSERVER. Their ids are free at once. */
void qd_room_unobserve(qd_room *room, uint32_t member, uint32_t count, const uint32_t *id, qd_room_refusals *refusals);
/* How many observers a member has, and their visible entries at the last tick, found by a loop over them; 0 for a member
 * that is not in the room. */
uint32_t qd_room_observer_count(const qd_room *room, uint32_t member);
uint64_t qd_room_visible_entries(const qd_room *room, uint32_t member);
/* Replaces both lists of an observer. Ids may be in any order, and need not be in the room. QD_ERR_NOT_FOUND: the
 * observer does not exist; QD_ERR_INVALID: a list is longer than QD_VIEW_EXCEPTIONS_MAX; QD_ERR_NO_MEMORY. */
qd_status qd_room_except(qd_room *room, uint32_t member, uint32_t observer, uint32_t show_count, const uint32_t *show,
                         uint32_t hide_count, const uint32_t *hide) QD_MUST_USE;
/* If `watching` changes, a report with reset_watchers and the whole set is due at the next qd_room_view_catch_up or
 * tick. */
void qd_room_view_options_set(qd_room *room, uint32_t member, qd_room_view_options options);

/* The next tick reports a reset of the member's views, if it takes part in views and ever got a report. */
void qd_room_view_restart(qd_room *room, uint32_t member);
/* The next tick reports to the member, even if it has no news: the caller has relays left over. */
void qd_room_view_behind(qd_room *room, uint32_t member);
/* Where an entity in a view is, as of the last tick. at[] has three values. */
void qd_room_view_place(const qd_room *room, uint32_t id, float *at);

/* ---- reports ---- */

/* Makes the resets of reverse views that are due now, with the sets of the last tick. Cheap if none are due. */
void qd_room_view_catch_up(qd_room *room);
/* The next report of the last tick or catch-up, independent of qd_room_next_report; false at the end. */
bool qd_room_next_view(qd_room *room, qd_room_view_report *report);
/* The caller could not deliver a report: the member gets none until qd_room_view_resume. Its views go on meanwhile.
 * After it, the report of the next tick is a reset, also of watchers if the member watches. */
void qd_room_view_lost(qd_room *room, uint32_t member);
/* The same if delivered reports may not have arrived either: everything after reported_tick may be missing. No effect
 * on a member that never got a report, and neither observes nor watches. */
void qd_room_view_missed(qd_room *room, uint32_t member, uint64_t reported_tick);
void qd_room_view_resume(qd_room *room, uint32_t member);
/* Whether reports of views were lost or missed, and no reset that replaces them was delivered; as qd_room_lags. */
bool qd_room_view_lags(const qd_room *room, uint32_t member);

/* ---- reading ---- */

/* Why observers see entity `b` or do not. With `member`, of that member's observer `a`. With member UINT32_MAX, of all
 * observers anchored at entity `a`. Puts the first `capacity` reasons by (member, observer) into reasons[], and returns
 * how many there are. UINT32_MAX: a or b does not exist. Everything is as of the last tick; an observer or an entity that
 * came since is QD_ROOM_NOT_YET, with both as they are now. */
uint32_t qd_room_why(const qd_room *room, uint32_t member, uint32_t a, uint32_t b, uint32_t capacity,
                     qd_room_reason *reasons);

void qd_room_view_stats_get(const qd_room *room, qd_room_view_stats *stats);

#endif

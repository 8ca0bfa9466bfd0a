/* SPDX-License-Identifier: Apache-2.0
 *
 * Relay once. A member that asked for it gets each position once for all of its observers. Where it has many derived
 * views, their masks are united, and nothing is written for each of them.
 */
#ifndef QD_ROOM_VIEWS_DERIVED_DERIVED_ONCE_H
#define QD_ROOM_VIEWS_DERIVED_DERIVED_ONCE_H

#include "derived.h"

#define QD_ONCE_MAX 0x7ffu /* members: as qd_join_body.joint has them */

/* Before the bodies of a tick are noted: chooses the members. False: no memory. */
bool qd_once_choose(qd_views *views) QD_MUST_USE;
/* Once there is a grid: nobody has seen anything. False: no memory. */
bool qd_once_begin(qd_views *views) QD_MUST_USE;

/* The block gets another group. */
void qd_once_start(qd_join_block *block);
/* Adds what is in all three masks; `third` may be NULL. In tasks. */
void qd_once_add(qd_join_block *block, const uint16_t *one, const uint16_t *other, const uint16_t *third);
/* And what of a body is on its list `show`. */
void qd_once_add_shown(const qd_views *views, qd_join_block *block, const qd_join_body *body, const uint16_t *relayed);
/* That was all of the member in this group. */
void qd_once_flush(const qd_views *views, qd_join_block *block, uint16_t joint);

/* Counts the positions of all members. Returns how many there are. */
size_t qd_once_count(const qd_views *views);
/* A member gets none of them. */
void qd_once_drop(qd_views *views, uint16_t joint);
/* How many there are. */
size_t qd_once_relayed(const qd_views *views);
/* Those of a member get rows from `first` on. Returns its range, which may be empty. */
qd_view_range qd_once_place(const qd_views *views, uint32_t member, uint32_t first);
/* There are no other relays: gives each member its range. */
void qd_once_place_all(qd_views *views);
/* Puts them into columns, in the order of the grid. They have no observer. */
void qd_once_fill(const qd_views *views, const qd_join_rows *to);

#endif

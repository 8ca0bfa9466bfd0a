/* SPDX-License-Identifier: Apache-2.0
 *
 * Whose turn it is in the tiers of kept views. An entity's turn in a period is the same for all observers, so it is
 * decided once for each period, as bits of the grid's entries. There are QD_JOIN_TURNS periods with bits; in others,
 * turns are decided position by position.
 */
#ifndef QD_ROOM_VIEWS_DERIVED_RELAY_TURNS_H
#define QD_ROOM_VIEWS_DERIVED_RELAY_TURNS_H

#include "../join/join.h"

/* Before the observers of a tick are noted: there are no periods. */
void qd_turns_clear(qd_join *join);
/* An observer has such tiers. */
void qd_turns_note(qd_join *join, const qd_observer *observer);
/* Once there is a grid. False: no memory. */
bool qd_turns_make(qd_views *views, const qd_executor *executor) QD_MUST_USE;
/* Keeps points in masks whose turn it is. In tasks; of a block with slots. */
void qd_turns_keep(const qd_views *views, qd_join_block *block, uint32_t every, uint16_t *masks);

#endif

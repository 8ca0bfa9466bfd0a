/* SPDX-License-Identifier: Apache-2.0
 *
 * The ranks of observers: news are put in order by them.
 */
#ifndef QD_ROOM_VIEWS_STATE_RANKS_H
#define QD_ROOM_VIEWS_STATE_RANKS_H

#include "view_state.h"

/* Ranks follow (member, id); they are made again after observers have come or gone. Returns whether there was memory for
 * them. */
bool qd_observers_rank(qd_views *views) QD_MUST_USE;

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * The positions that derived views relay at a tick, as columns that the caller provides. The rows of an observer lie
 * together, in the order of the points near it. And what members spend on them and on changes (view_bytes.h).
 */
#ifndef QD_ROOM_VIEWS_DERIVED_DERIVED_RELAY_H
#define QD_ROOM_VIEWS_DERIVED_DERIVED_RELAY_H

#include "../state/relay_share.h"
#include "derived.h"

/* The derived views of a member get entries instead if its bytes may not suffice for all that enters and leaves: then all
 * entities compete for them. May end in qd_views.no_memory. */
void qd_derived_spend(qd_views *views, const qd_crossings *crossings);
/* The share of a derived view; and to hold back all of it. */
void qd_derived_relay_share(qd_views *views, uint32_t row, qd_relay_share *share);
void qd_derived_relay_hold(qd_views *views, uint32_t row);

/* How many there are of this tick. */
size_t qd_derived_relayed(const qd_views *views);
/* Adds them to rows[], by rank of the observer. */
void qd_derived_relay_count(const qd_views *views, uint32_t *rows);
/* Puts them into columns. `first`, by rank of the observer: its first row; NULL: all positions are sent once. */
void qd_derived_relay_fill(const qd_views *views, const qd_executor *executor, const qd_join_rows *to,
                           const uint32_t *first);
/* They are reported. */
void qd_derived_relay_end(qd_views *views);

#endif

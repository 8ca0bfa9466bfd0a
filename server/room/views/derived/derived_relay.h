/* SPDX-License-Identifier: Apache-2.0
 *
 * The positions that derived views relay at a tick, as columns that the caller provides. The rows of an observer lie
 * together, in the order of the points near it. And what members spend on them and on changes.
 */
#ifndef QD_ROOM_VIEWS_DERIVED_DERIVED_RELAY_H
#define QD_ROOM_VIEWS_DERIVED_DERIVED_RELAY_H

#include "derived.h"

/* Spends the bytes of members on what derived views change and relay. A member's views get entries instead if its bytes
 * do not suffice, or if some of them have entries anyway: then all compete for bytes. May end in qd_views.no_memory. */
void qd_derived_spend(qd_views *views, const qd_crossings *crossings);

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

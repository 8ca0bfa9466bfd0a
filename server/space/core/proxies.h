/* SPDX-License-Identifier: Apache-2.0
 *
 * Proxies: the rows that stand for bodies in the cells of an index, whichever it is. The proxies keep records and rows
 * together, move rows to the cells that the index names, and split a body that went far (rows.h).
 *
 * In swept spaces the way of a body counts, so it is not split for going far. It is split when it was teleported, and
 * when its size or shape changed. Then the was of its new row is its new shape at its old center. A box's old center is
 * the middle of its corners.
 *
 * WITHOUT MEMORY. Only adding a body can fail. A body that should be split is not. A row that should go to another cell
 * goes to the loosest one, in which any box may be, if its own cell cannot be made or has no block for it. If that one
 * has no block either, the last block of the cell that the row leaves goes with it, and the rows in it.
 *
 * Owned by the space. One thread at a time.
 */
#ifndef QD_SPACE_CORE_PROXIES_H
#define QD_SPACE_CORE_PROXIES_H

#include "index.h"

/* Makes room for one more body. False: no memory. */
bool qd_proxies_reserve(qd_index *index) QD_MUST_USE;
/* Registers a new body by its record. */
void qd_proxies_add(qd_index *index, uint32_t slot);
/* Registers a body again, by its record, after it moved or changed its size or shape. */
void qd_proxies_update(qd_index *index, uint32_t slot);
/* The same where there was no memory for the body's change: it counts as if it had always been as it is now. */
void qd_proxies_lose(qd_index *index, uint32_t slot);
/* Moves many bodies; at[axis][i] is where slots[i] goes. */
void qd_proxies_move(qd_index *index, size_t count, const uint32_t *slots, const float *const *at);
/* Moves bodies that have to leave their cells, and which their index has moved already, to their new cells. */
void qd_proxies_apply(qd_index *index, const qd_mover *movers, uint32_t count);
/* A body's rows get the flags that its record and change tell. */
void qd_proxies_reflag(qd_index *index, uint32_t slot);
/* Takes a body out. Where it was there at the last tick, its row stays, without a now, until forgotten. Returns whether
 * it left no row. */
bool qd_proxies_remove(qd_index *index, uint32_t slot);
/* After a tick: takes the row of a removed body out; takes the old row of a split one out, and makes its new row an
 * ordinary row. */
void qd_proxies_forget(qd_index *index, uint32_t slot);
/* Before those are called for change number `number`, of all in turn: fetches what they will read a few changes on. */
void qd_proxies_fetch(const qd_index *index, uint32_t number);
void qd_proxies_rejoin(qd_index *index, uint32_t slot);
/* Whether a body's size or shape is another than at the last tick. */
bool qd_change_is_reshape(const qd_bodies *bodies, const qd_change *change);

#endif

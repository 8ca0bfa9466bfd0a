/* SPDX-License-Identifier: Apache-2.0
 *
 * The registry: what is done to one body, whatever the index. It keeps records and rows together, splits a body that
 * went far (rows.h), and notes those that are registered higher than they need to be.
 *
 * In swept spaces a body stays in one piece however far it goes, because its way counts; it is split when it was
 * teleported, and when it changed its size or shape. Then its newcomer begins, in place of a was, as its new shape at
 * its old centre; a box's old centre is the middle of its corners.
 *
 * Owned by the world. One thread at a time.
 */
#ifndef QD_SPACE_CORE_PROXIES_H
#define QD_SPACE_CORE_PROXIES_H

#include "index.h"

typedef struct qd_registry {
    qd_index *index;
    /* Bodies that were registered higher than they would be without their was, because they crossed a line. */
    uint32_t *stretched;
    uint32_t stretched_count, stretched_capacity;
} qd_registry;

/* Makes room for one more body. */
qd_status qd_registry_reserve(qd_registry *registry) QD_MUST_USE;
void qd_registry_deinit(qd_registry *registry);
/* Registers a new body by its record. */
void qd_registry_add(qd_registry *registry, uint32_t slot);
/* Registers a body again, by its record, after it moved or changed its size or shape. */
void qd_registry_update(qd_registry *registry, uint32_t slot);
/* A body's row goes to another cell, with what stands in it. `is_stretched`: it would not be there without its was. */
void qd_registry_transfer(qd_registry *registry, uint32_t slot, uint32_t cell, uint32_t place, bool is_stretched);
/* A body of a space that is not swept leaves its row behind as a ghost, and goes to another cell as a newcomer. Nothing
 * else changed about it. */
void qd_registry_split(qd_registry *registry, uint32_t slot, uint32_t cell, uint32_t place);
/* A body's rows get the flags that its record and change tell. */
void qd_registry_reflag(qd_registry *registry, uint32_t slot);
/* Takes a body out. Where it was there at the last tick, its row stays, without a now, until forgotten. Returns whether
 * it left no row. */
bool qd_registry_remove(qd_registry *registry, uint32_t slot);
/* After a tick: takes the row of a removed body out; takes the ghost of a split one out, and makes its newcomer an
 * ordinary row. */
void qd_registry_forget(qd_registry *registry, uint32_t slot);
/* Before those are called for change number `number`, of all in turn: fetches what they will read a few changes on. */
void qd_registry_fetch(const qd_registry *registry, uint32_t number);
void qd_registry_heal(qd_registry *registry, uint32_t slot);
/* Before a walk, and before a tick without one: bodies that crossed a line at an earlier tick and rest since go down to
 * where they belong. */
void qd_registry_prepare(qd_registry *registry);
/* Whether a body's size or shape is another than at the last tick. */
bool qd_change_is_reshape(const qd_bodies *bodies, const qd_change *change);
/* Registers every row of an old pool, cell by cell, with an index that has none; its own pool is made anew. */
void qd_registry_hand_over(qd_index *index, const qd_rows *old, const qd_cell *cell, uint32_t cells);
/* Registers every row with another index, and destroys the one it had. Between ticks. */
void qd_registry_change(qd_registry *registry, qd_index *index);
/* Every row is where its body says and has the flags it should; the index checks its cells. */
void qd_registry_validate(const qd_registry *registry);

#endif

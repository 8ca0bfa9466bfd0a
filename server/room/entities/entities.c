/* SPDX-License-Identifier: Apache-2.0 */
#include "entities.h"

#include "../../base/memory/fetch.h"
#include "../common/memory.h"
#include "members.h"
#include "refusals.h"
#include "rosters.h"

/* ---- life ---- */

qd_status qd_entities_init(qd_entities *entities, const qd_room_config *config, qd_heap *heap, uint64_t salt)
{
    qd_space_config space = config->space;

    space.key = salt;
    /* Removed entities hold their slots until the next tick, and there can be as many of them as entities: with twice
     * the slots, what a room can take does not depend on what was in it. */
    space.bodies_max = config->entities_max < QD_SPACE_SLOTS_MAX / 2 ? config->entities_max * 2 : QD_SPACE_SLOTS_MAX;
    *entities = (qd_entities){
        .is_3d = config->space.dimensions == 3,
        .heap = heap,
        .room_owned_first = QD_SLOT_NONE,
        .allowed = UINT32_MAX,
        .entities_max = config->entities_max,
        .roster_ids_max = config->roster_ids_max,
        .grace_ns = config->grace_ns,
        .refused.heap = heap,
    };
    qd_ids_init(&entities->ids, heap, salt);
    qd_members_init(entities);
    qd_roster_runs_init(entities);
    return qd_space_create(&space, heap, &entities->space);
}

void qd_entities_deinit(qd_entities *entities)
{
    qd_heap *heap = entities->heap;

    qd_array_drop(heap, entities->id, entities->id_capacity);
    qd_array_drop(heap, entities->holding, entities->holding_capacity);
    qd_refused_forget(&entities->refused);
    qd_members_deinit(entities);
    qd_roster_runs_deinit(entities);
    qd_ids_deinit(&entities->ids);
    qd_space_destroy(entities->space);
}

/* ---- refusals ---- */

static bool reserve_refused(qd_refused *lists, uint32_t at)
{
    return qd_array_reserve(lists->heap, lists->index, lists->index_capacity, at) &&
           qd_array_reserve(lists->heap, lists->code, lists->code_capacity, at) &&
           qd_array_reserve(lists->heap, lists->field, lists->field_capacity, at);
}

static void list_few(qd_refused *lists, uint32_t at, uint32_t index, int refusal)
{
    lists->few_index[at] = index;
    lists->few_code[at] = (uint8_t)refusal;
    lists->few_field[at] = (uint8_t)(refusal >> QD_REFUSED_FIELD_SHIFT);
}

/* The few become the first of many. */
static bool list_many(qd_refused *lists)
{
    if (!reserve_refused(lists, QD_REFUSED_FEW)) {
        return false;
    }
    memcpy(lists->index, lists->few_index, sizeof lists->few_index);
    memcpy(lists->code, lists->few_code, sizeof lists->few_code);
    memcpy(lists->field, lists->few_field, sizeof lists->few_field);
    return true;
}

/* Returns whether there was memory for it. */
static bool list_refused(qd_refused *lists, uint32_t at, uint32_t index, int refusal)
{
    if (at < QD_REFUSED_FEW) {
        list_few(lists, at, index, refusal);
        return true;
    }
    if (!(at == QD_REFUSED_FEW ? list_many(lists) : reserve_refused(lists, at))) {
        return false;
    }
    lists->index[at] = index;
    lists->code[at] = (uint8_t)refusal;
    lists->field[at] = (uint8_t)(refusal >> QD_REFUSED_FIELD_SHIFT);
    return true;
}

void qd_refuse_entry(qd_room_refusals *refusals, uint32_t index, int refusal)
{
    qd_refused *lists = refusals->lists;
    const uint32_t at = refusals->listed;

    /* The entries that are listed are the first ones, so that nothing follows an entry that found no memory. */
    refusals->listed += at == refusals->count && list_refused(lists, at, index, refusal);
    refusals->count++;
    /* An array may have moved even if another one found no memory. */
    const bool are_few = refusals->listed <= QD_REFUSED_FEW;
    refusals->index = are_few ? lists->few_index : lists->index;
    refusals->code = are_few ? lists->few_code : lists->code;
    refusals->field = are_few ? lists->few_field : lists->field;
}

void qd_refused_forget(qd_refused *lists)
{
    qd_array_drop(lists->heap, lists->index, lists->index_capacity);
    qd_array_drop(lists->heap, lists->code, lists->code_capacity);
    qd_array_drop(lists->heap, lists->field, lists->field_capacity);
    lists->index = NULL;
    lists->code = lists->field = NULL;
    lists->index_capacity = lists->code_capacity = lists->field_capacity = 0;
}

/* ---- lists of owners ---- */

static uint32_t *first_of(qd_entities *entities, uint32_t owner)
{
    return owner == QD_ROOM_OWNED ? &entities->room_owned_first : &entities->members.rows[owner].first;
}

static uint32_t *owned_of(qd_entities *entities, uint32_t owner)
{
    return owner == QD_ROOM_OWNED ? &entities->room_owned : &entities->members.rows[owner].owned;
}

uint32_t qd_entities_first_of(const qd_entities *entities, uint32_t owner)
{
    return owner == QD_ROOM_OWNED ? entities->room_owned_first : entities->members.rows[owner].first;
}

static void link_in(qd_entities *entities, uint32_t slot, uint32_t owner)
{
    qd_holding *holding = entities->holding;
    uint32_t *first = first_of(entities, owner);

    holding[slot] = (qd_holding){owner, QD_SLOT_NONE, *first};
    if (*first != QD_SLOT_NONE) {
        holding[*first].previous = slot;
    }
    *first = slot;
    (*owned_of(entities, owner))++;
}

static void link_out(qd_entities *entities, uint32_t slot)
{
    qd_holding *holding = entities->holding;
    qd_holding here = holding[slot];

    if (here.previous != QD_SLOT_NONE) {
        holding[here.previous].next = here.next;
    } else {
        *first_of(entities, here.owner) = here.next;
    }
    if (here.next != QD_SLOT_NONE) {
        holding[here.next].previous = here.previous;
    }
    holding[slot].next = slot;
    (*owned_of(entities, here.owner))--;
    qd_roster_runs_lose(entities, slot);
}

uint32_t qd_entities_owned_count(const qd_entities *entities, uint32_t owner)
{
    if (owner == QD_ROOM_OWNED) {
        return entities->room_owned;
    }
    return owner < entities->members.count ? entities->members.rows[owner].owned : 0;
}

/* ---- adding and removing ---- */

/* Slots between those in use are as if their entities were removed. */
static void reach_slot(qd_entities *entities, uint32_t slot)
{
    for (; entities->slot_end <= slot; entities->slot_end++) {
        entities->holding[entities->slot_end].next = entities->slot_end;
    }
}

qd_status qd_entities_add(qd_entities *entities, uint32_t id, uint32_t owner, const qd_body *body, uint32_t *slot)
{
    if (entities->ids.count >= entities->entities_max) {
        return QD_ERR_FULL;
    }
    qd_status status = qd_space_add(entities->space, body, slot);
    if (status != QD_OK) {
        return status;
    }
    status = QD_ERR_NO_MEMORY;
    if (qd_array_reserve(entities->heap, entities->id, entities->id_capacity, *slot) &&
        qd_array_reserve(entities->heap, entities->holding, entities->holding_capacity, *slot)) {
        status = qd_ids_put(&entities->ids, id, (qd_id_entry){*slot, owner});
    }
    if (status != QD_OK) {
        (void)qd_space_remove(entities->space, *slot, QD_SPACE_DESPAWNED); /* its slot is free at once */
        return status;
    }
    entities->id[*slot] = id;
    reach_slot(entities, *slot);
    link_in(entities, *slot, owner);
    qd_members_hold(entities, owner);
    return QD_OK;
}

static void release(qd_entities *entities, uint32_t slot)
{
    qd_members_unhold(entities, entities->holding[slot].owner);
}

void qd_entities_remove(qd_entities *entities, uint32_t slot, qd_space_reason reason)
{
    qd_ids_remove(&entities->ids, entities->id[slot]);
    link_out(entities, slot);
    if (qd_space_remove(entities->space, slot, reason)) {
        release(entities, slot);
    } else {
        entities->removed++;
    }
}

void qd_entities_settle(qd_entities *entities)
{
    for (uint32_t slot = qd_space_settle(entities->space); slot != QD_SPACE_SLOT_NONE;
         slot = qd_space_next_freed(entities->space, slot)) {
        release(entities, slot);
    }
    entities->removed = 0;
    entities->settled_updates = entities->updates;
}

uint32_t qd_entities_slot_end(qd_entities *entities)
{
    const bool may_be_lower = entities->removed == 0 && entities->ids.count < entities->slot_end / 4;

    while (may_be_lower && entities->slot_end > 0 && !qd_entities_hold(entities, entities->slot_end - 1)) {
        entities->slot_end--;
    }
    return entities->slot_end;
}

void qd_entities_trim(qd_entities *entities)
{
    const uint32_t end = qd_entities_slot_end(entities);

    qd_space_trim(entities->space);
    qd_ids_trim(&entities->ids);
    qd_roster_runs_trim(entities, end);
    qd_array_trim(entities->heap, entities->id, entities->id_capacity, end);
    qd_array_trim(entities->heap, entities->holding, entities->holding_capacity, end);
}

/* ---- other owners ---- */

/* `owner` is not the present one. */
static void reown(qd_entities *entities, uint32_t slot, uint32_t owner)
{
    uint32_t before = entities->holding[slot].owner;

    qd_ids_set(&entities->ids, entities->id[slot], (qd_id_entry){slot, owner});
    link_out(entities, slot);
    link_in(entities, slot, owner);
    qd_members_hold(entities, owner);
    qd_members_unhold(entities, before);
}

uint32_t qd_entities_hand_over(qd_entities *entities, uint32_t member, const uint32_t *id, uint32_t count, uint32_t to,
                               uint32_t *handed_over, qd_room_refusals *refusals)
{
    uint32_t changed = 0;

    (void)qd_members_at(entities, member);
    QD_ASSERT(to == QD_ROOM_OWNED || qd_members_at(entities, to));
    qd_refuse_none(&entities->refused, refusals);
    for (uint32_t i = 0; i < count; i++) {
        qd_id_entry entry = qd_ids_get(&entities->ids, id[i]);
        int refusal = qd_check_entry(entry, member);

        if (!refusal && entry.owner != to) {
            refusal = qd_entities_allow(entities);
        }
        if (refusal) {
            qd_refuse(refusals, i, refusal);
        } else if (entry.owner != to) {
            qd_entities_added(entities);
            reown(entities, entry.slot, to);
            if (handed_over) {
                handed_over[changed] = id[i];
            }
            changed++;
        }
    }
    entities->updates += count - refusals->count;
    return changed;
}

uint32_t qd_entities_adopt(qd_entities *entities, uint32_t from, uint32_t to, uint32_t *handed_over)
{
    uint32_t count = 0;

    (void)qd_members_at(entities, to);
    QD_ASSERT(from < entities->members.count && from != to);
    while (entities->members.rows[from].first != QD_SLOT_NONE) {
        uint32_t slot = entities->members.rows[from].first;

        if (handed_over) {
            handed_over[count] = entities->id[slot];
        }
        count++;
        reown(entities, slot, to);
    }
    return count;
}

/* ---- prefetching ---- */

#define FETCH_COUNT_MAX 256u /* entities; the arrays of larger rooms are prefetched by the loops over them */

bool qd_entities_fetch_mover(const qd_entities *entities, uint32_t member, uint32_t count)
{
    qd_fetch_to_write(entities, offsetof(qd_entities, id));
    if (entities->ids.count > FETCH_COUNT_MAX || count < entities->ids.count / 2) {
        return false;
    }
    qd_fetch(&entities->members.rows[member], sizeof entities->members.rows[member]);
    return true;
}

void qd_entities_fetch(const qd_entities *entities)
{
    qd_fetch_to_write(entities, offsetof(qd_entities, roster_runs));
}

bool qd_entities_fetch_small(const qd_entities *entities)
{
    if (entities->ids.count > FETCH_COUNT_MAX) {
        return false;
    }
    qd_fetch(entities->id, entities->ids.count * sizeof *entities->id);
    return true;
}

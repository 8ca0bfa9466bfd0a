/* SPDX-License-Identifier: Apache-2.0 */
#include "moves.h"

#include "../../base/memory/fetch.h"
#include "entities.h"
#include "members.h"
#include "refusals.h"
#include "rosters.h"

#define MAP_FETCHED 64u /* lines of the map that are fetched together: a part of the first cache */

/* Sound runs of a roster that follow each other are applied together, as long as their columns stay in the cache. */
#define TOGETHER_COUNT (16 * QD_ROSTER_RUN)

/* ---- checks ---- */

static uint32_t any_not_finite(const float *values, uint32_t count)
{
    uint32_t any = 0;

    for (uint32_t i = 0; i < count; i++) {
        any |= qd_is_not_finite(values[i]);
    }
    return any;
}

static bool is_finite(const qd_room_batch *batch, uint32_t first, uint32_t count)
{
    uint32_t bad = any_not_finite(batch->x + first, count) | any_not_finite(batch->y + first, count);

    if (batch->z) {
        bad |= any_not_finite(batch->z + first, count);
    }
    return bad == 0;
}

/* The bits that any of the values has. */
static uint32_t any_bits(const uint32_t *values, uint32_t count)
{
    uint32_t any = 0;

    for (uint32_t i = 0; i < count; i++) {
        any |= values[i];
    }
    return any;
}

/* look_up for ids that are all in the table. Usually the member owns all entities, which takes two reads and an XOR
 * each. */
static bool look_up_in_table(const qd_id_entry *table, uint32_t member, const uint32_t *id, uint32_t count,
                             uint32_t *slots)
{
    uint32_t others = 0, bad = 0;

    for (uint32_t i = 0; i < count; i++) {
        slots[i] = table[id[i]].slot;
        others |= table[id[i]].owner ^ member;
    }
    if (QD_LIKELY(others == 0)) {
        return true;
    }
    for (uint32_t i = 0; i < count; i++) {
        bad |= !qd_may_change(table[id[i]], member);
    }
    return bad == 0;
}

/* look_up for ids of which some are in the map. Of each few, where all searches begin is fetched before the first. */
static bool look_up_in_map(const qd_ids *ids, uint32_t member, const uint32_t *id, uint32_t count, uint32_t *slots)
{
    uint32_t home[MAP_FETCHED], bad = 0;

    for (uint32_t first = 0; first < count; first += MAP_FETCHED) {
        const uint32_t end = count - first < MAP_FETCHED ? count : first + MAP_FETCHED;

        for (uint32_t i = first; i < end; i++) {
            home[i - first] = qd_id_map_home(&ids->map, id[i]);
            __builtin_prefetch(&ids->map.bucket[home[i - first]]);
        }
        for (uint32_t i = first; i < end; i++) {
            const qd_id_entry entry =
                id[i] < ids->table_count ? ids->table[id[i]] : qd_id_map_get_at(&ids->map, home[i - first], id[i]);

            bad |= !qd_may_change(entry, member); /* QD_OWNER_NOBODY of an unknown id is neither of both */
            slots[i] = entry.slot;
        }
    }
    return bad == 0;
}

/* Finds the slots of the ids. Returns whether all entities exist and the member may move them. */
static bool look_up(const qd_ids *ids, uint32_t member, const uint32_t *id, uint32_t count, uint32_t *slots)
{
    if (qd_ids_in_table(ids, any_bits(id, count))) {
        return look_up_in_table(ids->table, member, id, count, slots);
    }
    return ids->map.count > 0 && look_up_in_map(ids, member, id, count, slots);
}

/* ---- runs ---- */

static void apply(const qd_moves *moves, qd_moved moved)
{
    if (moves->is_teleport) {
        qd_space_teleport(moves->entities->space, moved.count, moved.slots, moved.x, moved.y, moved.z);
    } else {
        qd_space_move(moves->entities->space, moved.count, moved.slots, moved.x, moved.y, moved.z);
    }
}

/* The number of the column x in the request's message: Move and Teleport, or MoveRoster. y and z follow. */
static unsigned field_x(const qd_moves *moves)
{
    return moves->roster ? 4 : 3;
}

/* The next run entry by entry: the valid ones become columns of `moves`. */
static qd_moved single_run(qd_moves *moves)
{
    const qd_room_batch *batch = &moves->batch;
    const uint32_t left = moves->single_end - moves->next,
                   end = moves->next + (left < QD_MOVES_RUN ? left : QD_MOVES_RUN);
    uint32_t count = 0;

    for (; moves->next < end; moves->next++) {
        const uint32_t i = moves->next;
        const qd_id_entry entry = qd_ids_get(&moves->entities->ids, batch->id[i]);
        int refusal = qd_check_entry(entry, moves->member);

        moves->x[count] = batch->x[i];
        moves->y[count] = batch->y[i];
        moves->z[count] = batch->z ? batch->z[i] : 0;
        const int axis = qd_axis_not_finite(moves->x[count], moves->y[count], moves->z[count]);
        if (!refusal && axis >= 0) {
            refusal = QD_REFUSED_FIELD(QD_ROOM_NOT_FINITE, field_x(moves) + (unsigned)axis);
        }
        if (refusal) {
            qd_refuse(moves->refusals, i, refusal);
        } else {
            moves->slots[count++] = entry.slot;
        }
    }
    return (qd_moved){count, moves->slots, moves->x, moves->y, batch->z ? moves->z : NULL};
}

/* Both return how many entries from moves->next on follow as one run, with their slots; 0: the entries before
 * single_end, which they have set, are done one by one. */
static uint32_t next_by_id(qd_moves *moves, const uint32_t **slots)
{
    const qd_room_batch *batch = &moves->batch;
    const uint32_t left = batch->count - moves->next, count = left < QD_MOVES_RUN ? left : QD_MOVES_RUN;

    *slots = moves->slots;
    if (QD_LIKELY(look_up(&moves->entities->ids, moves->member, batch->id + moves->next, count, moves->slots) &&
                  is_finite(batch, moves->next, count))) {
        return count;
    }
    moves->single_end = moves->next + count;
    return 0;
}

static uint32_t next_by_roster(qd_moves *moves, const uint32_t **slots)
{
    const uint32_t at = moves->first + moves->next, left = moves->batch.count - moves->next;
    const uint32_t run_left = QD_ROSTER_RUN - at % QD_ROSTER_RUN;
    const uint32_t count = qd_roster_count_sound(moves->entities, moves->member, moves->roster, at,
                                                 left < TOGETHER_COUNT ? left : TOGETHER_COUNT);

    *slots = moves->roster->slot + at;
    if (QD_LIKELY(count > 0 && is_finite(&moves->batch, moves->next, count))) {
        return count;
    }
    moves->single_end = moves->next + (count > 0 ? count : left < run_left ? left : run_left);
    return 0;
}

bool qd_moves_next(qd_moves *moves, qd_moved *moved)
{
    const qd_room_batch *batch = &moves->batch;
    const uint32_t first = moves->next;
    const uint32_t *slots;

    if (first == batch->count) {
        qd_batch_finish(moves->entities, batch->count, moves->refusals);
        return false;
    }
    if (QD_LIKELY(moves->single_end <= first)) {
        const uint32_t count = moves->roster ? next_by_roster(moves, &slots) : next_by_id(moves, &slots);

        moves->next += count;
        *moved = (qd_moved){count, slots, batch->x + first, batch->y + first, batch->z ? batch->z + first : NULL};
    }
    if (QD_UNLIKELY(moves->next < moves->single_end)) {
        *moved = single_run(moves);
    }
    apply(moves, *moved);
    return true;
}

bool qd_moves_all(qd_moves *moves, qd_moved *moved)
{
    const qd_room_batch *batch = &moves->batch;
    const uint32_t *slots;

    QD_ASSERT(batch->count <= QD_MOVES_RUN);
    if (next_by_id(moves, &slots) < batch->count) {
        return false;
    }
    *moved = (qd_moved){batch->count, slots, batch->x, batch->y, batch->z};
    apply(moves, *moved);
    qd_batch_finish(moves->entities, batch->count, moves->refusals);
    return true;
}

/* ---- beginnings ---- */

/* The columns for single entries stay uninitialized. */
static void begin(qd_moves *moves, qd_entities *entities, uint32_t member, bool is_teleport, qd_room_refusals *refusals)
{
    (void)qd_members_at(entities, member);
    moves->entities = entities;
    moves->member = member;
    moves->is_teleport = is_teleport;
    moves->roster = NULL;
    moves->first = moves->next = moves->single_end = 0;
    moves->refusals = refusals;
}

/* If clients count ids up, these lines hold the whole first run. */
static void fetch_by_id(const qd_entities *entities, const qd_room_batch *batch)
{
    const qd_ids *ids = &entities->ids;

    for (uint32_t i = 0; i < batch->count && i < QD_MOVES_RUN; i += QD_LINE_BYTES / sizeof *ids->table) {
        if (batch->id[i] < ids->table_count) {
            __builtin_prefetch(&ids->table[batch->id[i]]);
        }
    }
    qd_space_fetch_all(entities->space, QD_SPACE_USE_MOVES);
}

void qd_moves_by_id(qd_moves *moves, qd_entities *entities, uint32_t member, const qd_room_batch *batch,
                    bool is_teleport, qd_room_refusals *refusals)
{
    if (qd_entities_fetch_mover(entities, member, batch->count)) {
        fetch_by_id(entities, batch);
    }
    begin(moves, entities, member, is_teleport, refusals);
    moves->batch = *batch;
    qd_batch_begin(entities, batch, refusals);
}

qd_status qd_moves_by_roster(qd_moves *moves, qd_entities *entities, uint32_t member,
                             const qd_room_roster_positions *positions, qd_room_refusals *refusals)
{
    qd_fetch(&entities->roster_runs.sound, sizeof entities->roster_runs.sound);
    const bool is_small = qd_entities_fetch_mover(entities, member, positions->count);
    qd_roster *roster = qd_roster_find(entities, member, positions->number);

    begin(moves, entities, member, false, refusals);
    if (!roster) {
        return QD_ERR_NOT_FOUND;
    }
    if (positions->first > roster->count || positions->count > roster->count - positions->first) {
        return QD_ERR_INVALID;
    }
    if (is_small) {
        qd_roster_fetch(entities, roster, positions->first, positions->count);
        qd_space_fetch_all(entities->space, QD_SPACE_USE_MOVES);
    }
    moves->roster = roster;
    moves->first = positions->first;
    moves->batch = (qd_room_batch){.count = positions->count,
                                   .id = roster->id + positions->first,
                                   .x = positions->x,
                                   .y = positions->y,
                                   .z = positions->z};
    qd_batch_begin(entities, &moves->batch, refusals);
    return QD_OK;
}

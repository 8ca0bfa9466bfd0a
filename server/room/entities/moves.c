/* SPDX-License-Identifier: Apache-2.0 */
#include "place.h"

#include "../../base/fetch.h"
#include "../views/visibility_index.h"
#include "refuse.h"

#define RUN_COUNT       512u   /* its columns stay in the first level of cache */
#define FETCH_COUNT_MIN 16384u /* ids beyond the table: with fewer, their map is in the cache */

static uint32_t any_not_finite(const float *values, uint32_t count)
{
    uint32_t any = 0;

    for (uint32_t i = 0; i < count; i++) {
        any |= qd_is_not_finite(values[i]);
    }
    return any;
}

bool qd_run_is_finite(const qd_room_batch *batch, qd_run run)
{
    uint32_t bad = any_not_finite(batch->x + run.first, run.count) | any_not_finite(batch->y + run.first, run.count);

    if (batch->z) {
        bad |= any_not_finite(batch->z + run.first, run.count);
    }
    return bad == 0;
}

void qd_place_run(qd_room *room, const qd_room_batch *batch, qd_run run, const uint32_t *slots, qd_place_fn place)
{
    const float *x = batch->x + run.first, *y = batch->y + run.first, *z = batch->z ? batch->z + run.first : NULL;

    place(room->space, run.count, slots, x, y, z);
    qd_sight_place(room, run.count, slots, x, y, z);
}

/* The bits that any of them has. */
static uint32_t any_bits(const uint32_t *values, uint32_t count)
{
    uint32_t any = 0;

    for (uint32_t i = 0; i < count; i++) {
        any |= values[i];
    }
    return any;
}

/* look_up where the table has all of them: most often all are the member's, which takes two reads and an XOR each. */
static bool look_up_in_table(const qd_place *table, uint32_t member, const uint32_t *id, uint32_t count,
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

/* The slots of a run. Returns whether all are there and the member's to move. */
static bool look_up(const qd_room *room, uint32_t member, const qd_room_batch *batch, qd_run run, uint32_t *slots)
{
    const uint32_t *id = batch->id + run.first;
    uint32_t bad = 0;

    if (qd_ids_in_table(&room->ids, any_bits(id, run.count))) {
        return look_up_in_table(room->ids.table, member, id, run.count, slots);
    }
    for (uint32_t i = 0; room->ids.map.count >= FETCH_COUNT_MIN && i < run.count; i++) {
        qd_map_fetch(&room->ids.map, id[i]);
    }
    for (uint32_t i = 0; i < run.count; i++) {
        qd_place place = qd_ids_get(&room->ids, id[i]);

        /* The owner of an unknown id is nobody, who is neither of these. */
        bad |= !qd_may_change(place, member);
        slots[i] = place.slot;
    }
    return bad == 0;
}

static qd_run run_at(uint32_t first, uint32_t end)
{
    return (qd_run){first, end - first < RUN_COUNT ? end - first : RUN_COUNT};
}

void qd_place_some(qd_room *room, uint32_t member, const qd_room_batch *batch, qd_run run, qd_place_fn place,
                   qd_room_refusals *refusals)
{
    uint32_t slots[RUN_COUNT];
    float x[RUN_COUNT], y[RUN_COUNT], z[RUN_COUNT];
    qd_room_batch good = {.x = x, .y = y, .z = batch->z ? z : NULL};

    for (uint32_t i = run.first, end = run.first + run.count; i < end; i++) {
        uint32_t at = good.count;
        qd_place there = qd_ids_get(&room->ids, batch->id[i]);
        int refusal = qd_check_place(there, member);

        x[at] = batch->x[i];
        y[at] = batch->y[i];
        z[at] = batch->z ? batch->z[i] : 0;
        if (!refusal && (qd_is_not_finite(x[at]) | qd_is_not_finite(y[at]) | qd_is_not_finite(z[at]))) {
            refusal = QD_ROOM_NOT_FINITE;
        }
        if (refusal) {
            qd_refuse(refusals, i, refusal);
        } else {
            slots[good.count++] = there.slot;
        }
        if (good.count == RUN_COUNT || i + 1 == end) {
            qd_place_run(room, &good, (qd_run){0, good.count}, slots, place);
            good.count = 0;
        }
    }
}

static void place_all(qd_room *room, uint32_t member, const qd_room_batch *batch, qd_place_fn place,
                      qd_room_refusals *refusals)
{
    uint32_t slots[RUN_COUNT];

    (void)qd_room_member(room, member);
    qd_batch_begin(room, batch, refusals);
    for (uint32_t first = 0; first < batch->count; first += RUN_COUNT) {
        qd_run run = run_at(first, batch->count);

        if (QD_UNLIKELY(!look_up(room, member, batch, run, slots) || !qd_run_is_finite(batch, run))) {
            qd_place_some(room, member, batch, run, place, refusals);
        } else {
            qd_place_run(room, batch, run, slots, place);
        }
    }
    qd_batch_finish(room, batch, refusals);
}

/* Where ids are counted up, all of the first run are in these lines. */
static void fetch_places(const qd_ids *ids, const uint32_t *id, uint32_t count)
{
    for (uint32_t i = 0; i < count && i < RUN_COUNT; i += QD_LINE_BYTES / sizeof *ids->table) {
        if (id[i] < ids->table_count) {
            __builtin_prefetch(&ids->table[id[i]]);
        }
    }
}

void qd_room_move(qd_room *room, uint32_t member, const qd_room_batch *batch, qd_room_refusals *refusals)
{
    if (qd_room_fetch_mover(room, member, batch->count)) {
        fetch_places(&room->ids, batch->id, batch->count);
        qd_space_fetch_all(room->space, QD_SPACE_USE_MOVES);
    }
    place_all(room, member, batch, qd_space_move, refusals);
}

void qd_room_teleport(qd_room *room, uint32_t member, const qd_room_batch *batch, qd_room_refusals *refusals)
{
    place_all(room, member, batch, qd_space_teleport, refusals);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "rosters.h"

#include <string.h>

#include "../../base/memory/fetch.h"
#include "../common/memory.h"
#include "refusals.h"

#define FETCH_COUNT_MAX 256u /* entries */

/* In qd_roster_runs.of_slot. */
#define RUN_NONE    UINT32_MAX
#define RUN_SEVERAL (UINT32_MAX - 1)

/* ---- runs ---- */

void qd_roster_runs_init(qd_entities *entities)
{
    qd_id_pool_init(&entities->roster_runs.numbers, entities->heap);
    entities->roster_runs.round = 1;
}

void qd_roster_runs_deinit(qd_entities *entities)
{
    qd_roster_runs *runs = &entities->roster_runs;

    qd_id_pool_deinit(&runs->numbers);
    qd_array_drop(entities->heap, runs->sound, runs->sound_capacity);
    qd_array_drop(entities->heap, runs->of_slot, runs->slot_capacity);
}

void qd_roster_runs_trim(qd_entities *entities, uint32_t slot_end)
{
    qd_roster_runs *runs = &entities->roster_runs;

    if (runs->numbers.free_count == runs->numbers.next) {
        qd_id_pool_trim(&runs->numbers, 0);
        qd_array_trim(entities->heap, runs->sound, runs->sound_capacity, 0);
        slot_end = 0; /* no slot is in a sound run */
    }
    qd_array_trim(entities->heap, runs->of_slot, runs->slot_capacity, slot_end);
}

void qd_roster_runs_lose(qd_entities *entities, uint32_t slot)
{
    qd_roster_runs *runs = &entities->roster_runs;
    uint32_t run = slot < runs->slot_capacity ? runs->of_slot[slot] : RUN_NONE;

    if (run == RUN_NONE) {
        return;
    }
    if (run == RUN_SEVERAL) {
        runs->round++;
    } else {
        runs->sound[run] = 0;
    }
    runs->of_slot[slot] = RUN_NONE;
}

/* Makes of_slot cover all slots. Returns whether there was memory for it. */
static bool cover_slots(qd_entities *entities)
{
    qd_roster_runs *runs = &entities->roster_runs;
    uint32_t before = runs->slot_capacity, most = entities->id_capacity;

    if (before >= most) {
        return true;
    }
    if (!qd_array_reserve(entities->heap, runs->of_slot, runs->slot_capacity, most - 1)) {
        return false;
    }
    for (uint32_t slot = before; slot < runs->slot_capacity; slot++) {
        runs->of_slot[slot] = RUN_NONE;
    }
    return true;
}

static void note_slot(qd_roster_runs *runs, uint32_t slot, uint32_t run)
{
    if (slot < runs->slot_capacity && runs->of_slot[slot] != run) {
        runs->of_slot[slot] = runs->of_slot[slot] == RUN_NONE ? run : RUN_SEVERAL;
    }
}

/* Takes the number of a new run, whose `sound` the caller sets. QD_ERR_NO_MEMORY changes nothing. */
static qd_status take_run(qd_entities *entities, uint32_t *run)
{
    qd_roster_runs *runs = &entities->roster_runs;
    qd_status status = qd_id_pool_take(&runs->numbers, run);

    if (status != QD_OK) {
        return status;
    }
    if (!qd_array_reserve(entities->heap, runs->sound, runs->sound_capacity, *run)) {
        qd_id_pool_give(&runs->numbers, *run);
        return QD_ERR_NO_MEMORY;
    }
    return QD_OK;
}

static void return_runs(qd_entities *entities, const uint32_t *run, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++) {
        qd_id_pool_give(&entities->roster_runs.numbers, run[i]);
    }
}

/* ---- memory ---- */

static uint32_t runs_of(uint32_t capacity)
{
    return capacity / QD_ROSTER_RUN;
}

static size_t bytes_of(uint32_t capacity)
{
    return (runs_of(capacity) + 2 * (size_t)capacity) * sizeof(uint32_t);
}

/* Changes the capacity, and keeps the entries that fit. */
static qd_status resize(qd_entities *entities, qd_roster *roster, uint32_t capacity)
{
    qd_roster other = {.count = roster->count < capacity ? roster->count : capacity, .capacity = capacity};
    uint32_t kept = runs_of(roster->capacity < capacity ? roster->capacity : capacity);

    if (capacity > 0) {
        other.run = qd_heap_alloc(entities->heap, bytes_of(capacity));
        if (!other.run) {
            return QD_ERR_NO_MEMORY;
        }
        for (uint32_t run = kept; run < runs_of(capacity); run++) {
            qd_status status = take_run(entities, &other.run[run]);

            if (status != QD_OK) {
                return_runs(entities, other.run, kept, run);
                qd_heap_free(entities->heap, other.run, bytes_of(capacity));
                return status;
            }
        }
        other.slot = other.run + runs_of(capacity);
        other.id = other.slot + capacity;
        if (kept > 0) {
            memcpy(other.run, roster->run, kept * sizeof other.run[0]);
        }
        if (other.count > 0) {
            memcpy(other.slot, roster->slot, other.count * sizeof other.slot[0]);
            memcpy(other.id, roster->id, other.count * sizeof other.id[0]);
        }
    }
    return_runs(entities, roster->run, kept, runs_of(roster->capacity));
    qd_heap_free(entities->heap, roster->run, bytes_of(roster->capacity));
    *roster = other;
    return QD_OK;
}

/* Makes room for `count` entries. A roster that is named in pieces grows by more than a piece; one that has become much
 * smaller gives memory back. */
static qd_status fit(qd_entities *entities, qd_roster *roster, uint32_t count)
{
    uint32_t needed = (count + QD_ROSTER_RUN - 1) / QD_ROSTER_RUN * QD_ROSTER_RUN;

    if (needed <= roster->capacity) {
        if (needed <= roster->capacity / 2) {
            (void)resize(entities, roster, needed); /* without memory it stays as large */
        }
        return QD_OK;
    }
    if (roster->count > 0 && needed < roster->capacity + roster->capacity / 2) {
        needed = (runs_of(roster->capacity) * 3 / 2 + 1) * QD_ROSTER_RUN;
    }
    return resize(entities, roster, needed);
}

void qd_rosters_drop(qd_entities *entities, qd_rosters *rosters)
{
    (void)resize(entities, &rosters->first, 0);
    for (uint32_t number = 1; number < rosters->capacity; number++) {
        (void)resize(entities, &rosters->row[number], 0);
    }
    qd_array_drop(entities->heap, rosters->row, rosters->capacity);
    *rosters = (qd_rosters){0};
}

/* ---- naming ---- */

/* Makes the row of that number; NULL: no memory. */
static qd_roster *make_row(qd_rosters *rosters, qd_heap *heap, uint32_t number)
{
    if (number == 0) {
        return &rosters->first;
    }
    return qd_array_reserve_zeroed(heap, rosters->row, rosters->capacity, number) ? &rosters->row[number] : NULL;
}

qd_roster *qd_roster_find(const qd_entities *entities, uint32_t member, uint32_t number)
{
    qd_rosters *rosters = &entities->members.rows[member].rosters;
    qd_roster *roster = number == 0 ? &rosters->first : number < rosters->capacity ? &rosters->row[number] : NULL;

    return roster && roster->count > 0 ? roster : NULL;
}

/* These entries are about to change: their runs are no longer known to have their slots. Other entries of the same runs
 * may have the same slots, so the runs must be looked up again. */
static void forget_slots(qd_entities *entities, qd_roster *roster, uint32_t first, uint32_t end)
{
    qd_roster_runs *runs = &entities->roster_runs;

    for (uint32_t i = first; i < end; i++) {
        uint32_t slot = roster->slot[i], run = roster->run[i / QD_ROSTER_RUN];

        runs->sound[run] = 0;
        if (slot < runs->slot_capacity && runs->of_slot[slot] == run) {
            runs->of_slot[slot] = RUN_NONE;
        }
    }
}

qd_status qd_roster_name(qd_entities *entities, uint32_t member, const qd_room_roster *named)
{
    qd_rosters *rosters = &entities->members.rows[member].rosters;
    const qd_roster *before = qd_roster_find(entities, member, named->number);
    uint32_t old_count = before ? before->count : 0;
    uint64_t end = (uint64_t)named->first + named->count, count = named->keep_rest && old_count > end ? old_count : end;

    QD_ASSERT(named->number < QD_ROOM_ROSTERS_MAX);
    if (named->first > old_count) {
        return QD_ERR_INVALID;
    }
    if (rosters->ids - old_count + count > entities->roster_ids_max) {
        return QD_ERR_FULL;
    }
    if (!before && count == 0) {
        return QD_OK;
    }
    qd_roster *roster = make_row(rosters, entities->heap, named->number);
    if (!roster) {
        return QD_ERR_NO_MEMORY;
    }
    forget_slots(entities, roster, named->first,
                 named->keep_rest ? (uint32_t)(end < old_count ? end : old_count) : old_count);
    qd_status status = fit(entities, roster, (uint32_t)count);
    if (status != QD_OK) {
        return status;
    }

    roster->count = (uint32_t)count;
    rosters->ids += roster->count - old_count;
    for (uint32_t i = 0; i < named->count; i++) {
        uint32_t at = named->first + i;

        roster->id[at] = named->id[i];
        roster->slot[at] = QD_SLOT_NONE;
        entities->roster_runs.sound[roster->run[at / QD_ROSTER_RUN]] = 0;
    }
    return QD_OK;
}

const uint32_t *qd_roster_ids(const qd_entities *entities, uint32_t member, uint32_t number, uint32_t *count)
{
    const qd_roster *roster = qd_roster_find(entities, member, number);

    *count = roster ? roster->count : 0;
    return roster ? roster->id : NULL;
}

/* ---- moving ---- */

static bool still_means(const qd_entities *entities, uint32_t slot, uint32_t id)
{
    return slot < entities->slot_end && entities->id[slot] == id && qd_entities_hold(entities, slot);
}

/* Looks up the entries of a run. Returns whether the member may move all of them, which makes the run sound. */
static bool look_up(qd_entities *entities, uint32_t member, qd_roster *roster, uint32_t run)
{
    qd_roster_runs *runs = &entities->roster_runs;
    uint32_t first = run * QD_ROSTER_RUN, number = roster->run[run];
    uint32_t end = roster->count - first < QD_ROSTER_RUN ? roster->count : first + QD_ROSTER_RUN;
    bool is_covered = cover_slots(entities), all = true;

    for (uint32_t i = first; i < end; i++) {
        uint32_t slot = roster->slot[i];
        qd_id_entry entry = still_means(entities, slot, roster->id[i])
                                ? (qd_id_entry){slot, entities->holding[slot].owner}
                                : qd_ids_get(&entities->ids, roster->id[i]);

        roster->slot[i] = entry.slot;
        note_slot(runs, entry.slot, number);
        all &= qd_may_change(entry, member);
    }
    runs->sound[number] = all && is_covered ? runs->round : 0;
    return all;
}

uint32_t qd_roster_count_sound(qd_entities *entities, uint32_t member, qd_roster *roster, uint32_t at, uint32_t most)
{
    const qd_roster_runs *runs = &entities->roster_runs;
    uint32_t count = 0;

    while (count < most) {
        uint32_t run = (at + count) / QD_ROSTER_RUN;

        if (runs->sound[roster->run[run]] != runs->round && !look_up(entities, member, roster, run)) {
            break;
        }
        count += QD_ROSTER_RUN - (at + count) % QD_ROSTER_RUN;
    }
    return count < most ? count : most;
}

void qd_roster_fetch(const qd_entities *entities, const qd_roster *roster, uint32_t first, uint32_t count)
{
    qd_fetch(entities->roster_runs.sound, sizeof entities->roster_runs.sound[0]);
    qd_fetch(roster->run + first / QD_ROSTER_RUN, sizeof roster->run[0]);
    qd_fetch(roster->slot + first, (count < FETCH_COUNT_MAX ? count : FETCH_COUNT_MAX) * sizeof roster->slot[0]);
}

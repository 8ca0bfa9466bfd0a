/* SPDX-License-Identifier: Apache-2.0 */
#include "rosters.h"

#include <string.h>

#include "place.h"
#include "refuse.h"

/* Sound runs that follow each other go to the space together, as long as their columns stay near. */
#define TOGETHER_COUNT (4 * QD_ROSTER_RUN)

/* ---- memory ---- */

static size_t bytes_of(uint32_t capacity)
{
    return capacity / QD_ROSTER_RUN * sizeof(uint64_t) + capacity * 2 * sizeof(uint32_t);
}

/* Another capacity, with the entries that it has room for. Returns whether there was memory. */
static bool resize(qd_roster *roster, qd_heap *heap, uint32_t capacity)
{
    qd_roster other = {.count = roster->count < capacity ? roster->count : capacity, .capacity = capacity};

    if (capacity > 0) {
        uint32_t runs = capacity / QD_ROSTER_RUN, old_runs = roster->capacity / QD_ROSTER_RUN;

        other.sound = qd_heap_alloc_zeroed(heap, bytes_of(capacity));
        if (!other.sound)
            return false;
        other.slot = (uint32_t *)(other.sound + runs);
        other.id = other.slot + capacity;
        if (other.count > 0) {
            memcpy(other.sound, roster->sound, (runs < old_runs ? runs : old_runs) * sizeof other.sound[0]);
            memcpy(other.slot, roster->slot, other.count * sizeof other.slot[0]);
            memcpy(other.id, roster->id, other.count * sizeof other.id[0]);
        }
    }
    qd_heap_free(heap, roster->sound, bytes_of(roster->capacity));
    *roster = other;
    return true;
}

/* Room for `count` entries. One that is made in pieces grows by more than a piece; one that has become much smaller
 * gives memory back. */
static bool fit(qd_roster *roster, qd_heap *heap, uint32_t count)
{
    uint32_t needed = (count + QD_ROSTER_RUN - 1) / QD_ROSTER_RUN * QD_ROSTER_RUN;

    if (needed <= roster->capacity) {
        if (needed <= roster->capacity / 2)
            (void)resize(roster, heap, needed); /* or it keeps what it has */
        return true;
    }
    if (roster->count > 0 && needed < roster->capacity + roster->capacity / 2)
        needed = (roster->capacity / QD_ROSTER_RUN * 3 / 2 + 1) * QD_ROSTER_RUN;
    return resize(roster, heap, needed);
}

void qd_rosters_deinit(qd_rosters *rosters, qd_heap *heap)
{
    for (uint32_t number = 0; number < rosters->capacity; number++)
        qd_heap_free(heap, rosters->row[number].sound, bytes_of(rosters->row[number].capacity));
    qd_heap_free(heap, rosters->row, rosters->capacity * sizeof rosters->row[0]);
    *rosters = (qd_rosters){0};
}

/* ---- naming ---- */

/* The row of that number; NULL: no memory. */
static qd_roster *make_row(qd_rosters *rosters, qd_heap *heap, uint32_t number)
{
    uint32_t before = rosters->capacity;
    qd_roster *row = qd_array_reserve(heap, rosters->row, &rosters->capacity, sizeof *row, number);

    if (!row)
        return NULL;
    memset(row + before, 0, (rosters->capacity - before) * sizeof *row);
    rosters->row = row;
    return &row[number];
}

/* NULL: there is none. */
static qd_roster *find(const qd_room *room, uint32_t member, uint32_t number)
{
    const qd_rosters *rosters = &room->members.rows[member].rosters;

    return number < rosters->capacity && rosters->row[number].count > 0 ? &rosters->row[number] : NULL;
}

qd_status qd_room_roster_name(qd_room *room, uint32_t member, const qd_room_roster *said)
{
    qd_rosters *rosters = &qd_room_member(room, member)->rosters;
    const qd_roster *before = find(room, member, said->number);
    uint32_t old_count = before ? before->count : 0;
    uint64_t end = (uint64_t)said->first + said->count, count = said->keep_rest && old_count > end ? old_count : end;

    QD_ASSERT(said->number < QD_ROOM_ROSTERS_MAX);
    if (said->first > old_count)
        return QD_ERR_INVALID;
    if (rosters->ids - old_count + count > room->config.roster_ids_max)
        return QD_ERR_FULL;
    if (!before && count == 0)
        return QD_OK;
    qd_roster *roster = make_row(rosters, room->heap, said->number);
    if (!roster || !fit(roster, room->heap, (uint32_t)count))
        return QD_ERR_NO_MEMORY;

    roster->count = (uint32_t)count;
    rosters->ids += roster->count - old_count;
    for (uint32_t i = 0; i < said->count; i++) {
        uint32_t at = said->first + i;

        roster->id[at] = said->id[i];
        roster->slot[at] = QD_SLOT_NONE;
        roster->sound[at / QD_ROSTER_RUN] = 0;
    }
    return QD_OK;
}

const uint32_t *qd_room_roster_ids(const qd_room *room, uint32_t member, uint32_t number, uint32_t *count)
{
    const qd_roster *roster = find(room, member, number);

    *count = roster ? roster->count : 0;
    return roster ? roster->id : NULL;
}

/* ---- moving ---- */

static bool still_means(const qd_room *room, uint32_t slot, uint32_t id)
{
    return slot != QD_SLOT_NONE && room->entities.id[slot] == id && qd_room_holds(room, slot);
}

/* Whether all entries of a run are there and the member's to move; where it is not known, each is looked for. */
static bool is_sound(const qd_room *room, uint32_t member, qd_roster *roster, uint32_t run)
{
    uint32_t first = run * QD_ROSTER_RUN;
    uint32_t end = roster->count - first < QD_ROSTER_RUN ? roster->count : first + QD_ROSTER_RUN;
    bool all = true;

    if (QD_LIKELY(roster->sound[run] == room->entities.changes))
        return true;
    for (uint32_t i = first; i < end; i++) {
        uint32_t slot = roster->slot[i];
        qd_place place = still_means(room, slot, roster->id[i]) ? (qd_place){slot, room->entities.holding[slot].owner}
                                                                : qd_ids_get(&room->ids, roster->id[i]);

        roster->slot[i] = place.slot;
        all &= qd_may_change(place, member);
    }
    roster->sound[run] = all ? room->entities.changes : 0;
    return all;
}

/* How many entries, from entry `at` of the roster on and at most `most`, are known to be good. */
static uint32_t count_sound(const qd_room *room, uint32_t member, qd_roster *roster, uint32_t at, uint32_t most)
{
    uint32_t count = 0;

    while (count < most && is_sound(room, member, roster, (at + count) / QD_ROSTER_RUN))
        count += QD_ROSTER_RUN - (at + count) % QD_ROSTER_RUN;
    return count < most ? count : most;
}

void qd_room_roster_place(qd_room *room, uint32_t member, const qd_room_roster_places *places,
                          qd_room_refusals *refusals)
{
    qd_roster *roster = find(room, member, places->number);
    qd_place_fn place = places->teleport ? qd_space_teleport : qd_space_move;
    qd_room_batch batch = {.count = places->count, .x = places->x, .y = places->y, .z = places->z};

    (void)qd_room_member(room, member);
    QD_ASSERT(roster && places->first <= roster->count && places->count <= roster->count - places->first);
    batch.id = roster->id + places->first;
    qd_batch_begin(room, &batch, refusals);
    for (qd_run run = {0, 0}; run.first < batch.count; run.first += run.count) {
        uint32_t at = places->first + run.first, left = batch.count - run.first;

        run.count = count_sound(room, member, roster, at, left < TOGETHER_COUNT ? left : TOGETHER_COUNT);
        if (QD_LIKELY(run.count > 0 && qd_run_is_finite(&batch, run))) {
            qd_place_run(room, &batch, run, roster->slot + at, place);
            continue;
        }
        if (run.count == 0)
            run.count = left < QD_ROSTER_RUN - at % QD_ROSTER_RUN ? left : QD_ROSTER_RUN - at % QD_ROSTER_RUN;
        qd_place_some(room, member, &batch, run, place, refusals);
    }
    qd_batch_finish(room, &batch, refusals);
}

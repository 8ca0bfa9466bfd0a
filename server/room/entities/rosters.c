/* SPDX-License-Identifier: Apache-2.0 */
#include "rosters.h"

#include <string.h>

#include "../../base/fetch.h"
#include "place.h"
#include "refuse.h"

/* Sound runs that follow each other go to the space together, as long as their columns stay near. */
#define TOGETHER_COUNT (16 * QD_ROSTER_RUN)

/* Of a small room no more slots are asked for, however many places there are. */
#define FETCH_COUNT_MAX 256u

/* In qd_roster_runs.of_slot. */
#define RUN_NONE    UINT32_MAX
#define RUN_SEVERAL (UINT32_MAX - 1)

/* ---- runs ---- */

void qd_roster_runs_init(qd_room *room)
{
    qd_id_pool_init(&room->roster_runs.numbers, room->heap);
    room->roster_runs.round = 1;
}

void qd_roster_runs_deinit(qd_room *room)
{
    qd_roster_runs *runs = &room->roster_runs;

    qd_id_pool_deinit(&runs->numbers);
    qd_heap_free(room->heap, runs->sound, runs->sound_capacity * sizeof runs->sound[0]);
    qd_heap_free(room->heap, runs->of_slot, runs->slot_capacity * sizeof runs->of_slot[0]);
}

void qd_roster_runs_lose(qd_room *room, uint32_t slot)
{
    qd_roster_runs *runs = &room->roster_runs;
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

/* Has of_slot cover all slots. Returns whether there was memory for it. */
static bool cover_slots(qd_room *room)
{
    qd_roster_runs *runs = &room->roster_runs;
    uint32_t before = runs->slot_capacity, most = room->entities.id_capacity;

    if (before >= most) {
        return true;
    }
    uint32_t *of_slot = qd_array_reserve(room->heap, runs->of_slot, &runs->slot_capacity, sizeof of_slot[0], most - 1);
    if (!of_slot) {
        return false;
    }
    runs->of_slot = of_slot;
    for (uint32_t slot = before; slot < runs->slot_capacity; slot++) {
        of_slot[slot] = RUN_NONE;
    }
    return true;
}

static void note_slot(qd_roster_runs *runs, uint32_t slot, uint32_t run)
{
    if (slot < runs->slot_capacity && runs->of_slot[slot] != run) {
        runs->of_slot[slot] = runs->of_slot[slot] == RUN_NONE ? run : RUN_SEVERAL;
    }
}

/* It is not sound before its entries are named. QD_ERR_NO_MEMORY changes nothing. */
static qd_status take_run(qd_room *room, uint32_t *run)
{
    qd_roster_runs *runs = &room->roster_runs;
    qd_status status = qd_id_pool_take(&runs->numbers, run);

    if (status != QD_OK) {
        return status;
    }
    uint64_t *sound = qd_array_reserve(room->heap, runs->sound, &runs->sound_capacity, sizeof sound[0], *run);
    if (!sound) {
        qd_id_pool_give(&runs->numbers, *run);
        return QD_ERR_NO_MEMORY;
    }
    runs->sound = sound;
    return QD_OK;
}

static void give_runs(qd_room *room, const uint32_t *run, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++) {
        qd_id_pool_give(&room->roster_runs.numbers, run[i]);
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

/* Another capacity, with the entries that it has room for. */
static qd_status resize(qd_room *room, qd_roster *roster, uint32_t capacity)
{
    qd_roster other = {.count = roster->count < capacity ? roster->count : capacity, .capacity = capacity};
    uint32_t kept = runs_of(roster->capacity < capacity ? roster->capacity : capacity);

    if (capacity > 0) {
        other.run = qd_heap_alloc(room->heap, bytes_of(capacity));
        if (!other.run) {
            return QD_ERR_NO_MEMORY;
        }
        for (uint32_t run = kept; run < runs_of(capacity); run++) {
            qd_status status = take_run(room, &other.run[run]);

            if (status != QD_OK) {
                give_runs(room, other.run, kept, run);
                qd_heap_free(room->heap, other.run, bytes_of(capacity));
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
    give_runs(room, roster->run, kept, runs_of(roster->capacity));
    qd_heap_free(room->heap, roster->run, bytes_of(roster->capacity));
    *roster = other;
    return QD_OK;
}

/* Room for `count` entries. One that is made in pieces grows by more than a piece; one that has become much smaller
 * gives memory back. */
static qd_status fit(qd_room *room, qd_roster *roster, uint32_t count)
{
    uint32_t needed = (count + QD_ROSTER_RUN - 1) / QD_ROSTER_RUN * QD_ROSTER_RUN;

    if (needed <= roster->capacity) {
        if (needed <= roster->capacity / 2) {
            (void)resize(room, roster, needed); /* or it keeps what it has */
        }
        return QD_OK;
    }
    if (roster->count > 0 && needed < roster->capacity + roster->capacity / 2) {
        needed = (runs_of(roster->capacity) * 3 / 2 + 1) * QD_ROSTER_RUN;
    }
    return resize(room, roster, needed);
}

void qd_rosters_drop(qd_room *room, qd_rosters *rosters)
{
    (void)resize(room, &rosters->first, 0);
    for (uint32_t number = 1; number < rosters->capacity; number++) {
        (void)resize(room, &rosters->row[number], 0);
    }
    qd_heap_free(room->heap, rosters->row, rosters->capacity * sizeof rosters->row[0]);
    *rosters = (qd_rosters){0};
}

/* ---- naming ---- */

/* The row of that number; NULL: no memory. */
static qd_roster *make_row(qd_rosters *rosters, qd_heap *heap, uint32_t number)
{
    uint32_t before = rosters->capacity;

    if (number == 0) {
        return &rosters->first;
    }
    qd_roster *row = qd_array_reserve(heap, rosters->row, &rosters->capacity, sizeof *row, number);

    if (!row) {
        return NULL;
    }
    memset(row + before, 0, (rosters->capacity - before) * sizeof *row);
    rosters->row = row;
    return &row[number];
}

/* NULL: there is none. */
static qd_roster *find(const qd_room *room, uint32_t member, uint32_t number)
{
    qd_rosters *rosters = &room->members.rows[member].rosters;
    qd_roster *roster = number == 0 ? &rosters->first : number < rosters->capacity ? &rosters->row[number] : NULL;

    return roster && roster->count > 0 ? roster : NULL;
}

/* These entries are about to mean something else, or nothing: their slots are in their runs no more, as far as it is
 * known. Others in the same runs may have the same slots, so that all are to be noted anew. */
static void forget_slots(qd_room *room, qd_roster *roster, uint32_t first, uint32_t end)
{
    qd_roster_runs *runs = &room->roster_runs;

    for (uint32_t i = first; i < end; i++) {
        uint32_t slot = roster->slot[i], run = roster->run[i / QD_ROSTER_RUN];

        runs->sound[run] = 0;
        if (slot < runs->slot_capacity && runs->of_slot[slot] == run) {
            runs->of_slot[slot] = RUN_NONE;
        }
    }
}

qd_status qd_room_roster_name(qd_room *room, uint32_t member, const qd_room_roster *said)
{
    qd_rosters *rosters = &qd_room_member(room, member)->rosters;
    const qd_roster *before = find(room, member, said->number);
    uint32_t old_count = before ? before->count : 0;
    uint64_t end = (uint64_t)said->first + said->count, count = said->keep_rest && old_count > end ? old_count : end;

    QD_ASSERT(said->number < QD_ROOM_ROSTERS_MAX);
    if (said->first > old_count) {
        return QD_ERR_INVALID;
    }
    if (rosters->ids - old_count + count > room->config.roster_ids_max) {
        return QD_ERR_FULL;
    }
    if (!before && count == 0) {
        return QD_OK;
    }
    qd_roster *roster = make_row(rosters, room->heap, said->number);
    if (!roster) {
        return QD_ERR_NO_MEMORY;
    }
    forget_slots(room, roster, said->first,
                 said->keep_rest ? (uint32_t)(end < old_count ? end : old_count) : old_count);
    qd_status status = fit(room, roster, (uint32_t)count);
    if (status != QD_OK) {
        return status;
    }

    roster->count = (uint32_t)count;
    rosters->ids += roster->count - old_count;
    for (uint32_t i = 0; i < said->count; i++) {
        uint32_t at = said->first + i;

        roster->id[at] = said->id[i];
        roster->slot[at] = QD_SLOT_NONE;
        room->roster_runs.sound[roster->run[at / QD_ROSTER_RUN]] = 0;
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

/* Looks for each entry of a run. Returns whether all are there and the member's to move: the run is sound. */
static bool look_for(qd_room *room, uint32_t member, qd_roster *roster, uint32_t run)
{
    qd_roster_runs *runs = &room->roster_runs;
    uint32_t first = run * QD_ROSTER_RUN, number = roster->run[run];
    uint32_t end = roster->count - first < QD_ROSTER_RUN ? roster->count : first + QD_ROSTER_RUN;
    bool is_covered = cover_slots(room), all = true;

    for (uint32_t i = first; i < end; i++) {
        uint32_t slot = roster->slot[i];
        qd_place place = still_means(room, slot, roster->id[i]) ? (qd_place){slot, room->entities.holding[slot].owner}
                                                                : qd_ids_get(&room->ids, roster->id[i]);

        roster->slot[i] = place.slot;
        note_slot(runs, place.slot, number);
        all &= qd_may_change(place, member);
    }
    runs->sound[number] = all && is_covered ? runs->round : 0;
    return all;
}

/* How many entries, from entry `at` of the roster on and at most `most`, are known to be good. */
static uint32_t count_sound(qd_room *room, uint32_t member, qd_roster *roster, uint32_t at, uint32_t most)
{
    const qd_roster_runs *runs = &room->roster_runs;
    uint32_t count = 0;

    while (count < most) {
        uint32_t run = (at + count) / QD_ROSTER_RUN;

        if (runs->sound[roster->run[run]] != runs->round && !look_for(room, member, roster, run)) {
            break;
        }
        count += QD_ROSTER_RUN - (at + count) % QD_ROSTER_RUN;
    }
    return count < most ? count : most;
}

/* What places of a small room's roster need. */
static void fetch_places(const qd_room *room, const qd_roster *roster, const qd_room_roster_places *places)
{
    uint32_t count = places->count < FETCH_COUNT_MAX ? places->count : FETCH_COUNT_MAX;

    qd_fetch(room->roster_runs.sound, sizeof room->roster_runs.sound[0]);
    qd_fetch(roster->run + places->first / QD_ROSTER_RUN, sizeof roster->run[0]);
    qd_fetch(roster->slot + places->first, count * sizeof roster->slot[0]);
    qd_space_fetch_all(room->space, QD_SPACE_USE_MOVES);
}

qd_status qd_room_roster_place(qd_room *room, uint32_t member, const qd_room_roster_places *places,
                               qd_room_refusals *refusals)
{
    qd_fetch(&room->roster_runs.sound, sizeof room->roster_runs.sound);
    bool is_small = qd_room_fetch_mover(room, member, places->count);
    qd_roster *roster = find(room, member, places->number);
    qd_place_fn place = places->teleport ? qd_space_teleport : qd_space_move;
    qd_room_batch batch = {.count = places->count, .x = places->x, .y = places->y, .z = places->z};

    (void)qd_room_member(room, member);
    if (!roster) {
        return QD_ERR_NOT_FOUND;
    }
    if (places->first > roster->count || places->count > roster->count - places->first) {
        return QD_ERR_INVALID;
    }
    if (is_small) {
        fetch_places(room, roster, places);
    }
    batch.id = roster->id + places->first;
    qd_batch_begin(room, &batch, refusals);
    for (qd_run run = {0, 0}; run.first < batch.count; run.first += run.count) {
        uint32_t at = places->first + run.first, left = batch.count - run.first;

        run.count = count_sound(room, member, roster, at, left < TOGETHER_COUNT ? left : TOGETHER_COUNT);
        if (QD_LIKELY(run.count > 0 && qd_run_is_finite(&batch, run))) {
            qd_place_run(room, &batch, run, roster->slot + at, place);
            continue;
        }
        if (run.count == 0) {
            run.count = left < QD_ROSTER_RUN - at % QD_ROSTER_RUN ? left : QD_ROSTER_RUN - at % QD_ROSTER_RUN;
        }
        qd_place_some(room, member, &batch, run, place, refusals);
    }
    qd_batch_finish(room, &batch, refusals);
    return QD_OK;
}

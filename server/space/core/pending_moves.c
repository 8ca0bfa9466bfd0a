/* SPDX-License-Identifier: Apache-2.0 */
#include "pending_moves.h"

#include <string.h>

#include "../../base/assert.h"
#include "array.h"

#define WORD_SLOTS 64u
#define BITMAPS    (QD_PARTS + 2)
#define RUN_COUNT  512u /* moves whose slots are looked at, and which are then written: they stay in the cache */

void qd_stage_init(qd_stage *stage, qd_heap *heap)
{
    memset(stage, 0, sizeof *stage);
    stage->heap = heap;
}

static size_t bytes_of(uint32_t capacity)
{
    return (size_t)capacity * QD_AXES * sizeof(float) + BITMAPS * (capacity / WORD_SLOTS * sizeof(uint64_t));
}

void qd_stage_deinit(qd_stage *stage)
{
    qd_array_free(stage->heap, stage->at[0], bytes_of(stage->capacity));
}

/* Makes room for all slots that were given out, and as many more as the bodies have. */
static bool fit(qd_stage *stage, const qd_bodies *bodies)
{
    if (QD_LIKELY(bodies->used <= stage->capacity)) {
        return true;
    }
    const qd_stage from = *stage;
    const uint32_t capacity = (bodies->capacity + WORD_SLOTS - 1) & ~(WORD_SLOTS - 1);
    float *home = qd_array_grow(stage->heap, QD_ARRAY_TRY, NULL, 0, 0, bytes_of(capacity));
    if (home == NULL) {
        return false;
    }
    stage->capacity = capacity;
    stage->waiting = (uint64_t *)(void *)(home + (size_t)capacity * QD_AXES);
    memset(stage->waiting, 0, BITMAPS * (capacity / WORD_SLOTS * sizeof *stage->waiting));
    for (uint32_t part = 0; part <= QD_PARTS; part++) {
        stage->leaving[part] = stage->waiting + (size_t)(1 + part) * (capacity / WORD_SLOTS);
    }
    for (uint32_t k = 0; k < QD_AXES; k++) {
        stage->at[k] = home + (size_t)capacity * k;
        if (from.any) {
            memcpy(stage->at[k], from.at[k], from.capacity * sizeof(float));
        }
    }
    if (from.any) {
        memcpy(stage->waiting, from.waiting, from.capacity / WORD_SLOTS * sizeof *stage->waiting);
    }
    qd_array_free(stage->heap, from.at[0], bytes_of(from.capacity));
    return true;
}

static uint64_t bit_of(uint32_t slot)
{
    return UINT64_C(1) << slot % WORD_SLOTS;
}

static void set_bits(uint64_t *words, uint32_t first, uint32_t count)
{
    const uint32_t last = first + count - 1;
    const uint64_t from = UINT64_MAX << first % WORD_SLOTS, to = UINT64_MAX >> (WORD_SLOTS - 1 - last % WORD_SLOTS);
    uint32_t word = first / WORD_SLOTS, end = last / WORD_SLOTS;

    if (word == end) {
        words[word] |= from & to;
        return;
    }
    words[word] |= from;
    while (++word < end) {
        words[word] = UINT64_MAX;
    }
    words[end] |= to;
}

/* Most often slots follow each other: then so do their places. */
static void put_run(qd_stage *stage, uint32_t used, uint32_t count, const uint32_t *slots, const float *const *at)
{
    const uint32_t first = slots[0];
    uint32_t other = 0, beyond = 0;

    for (uint32_t i = 0; i < count; i++) {
        other |= slots[i] ^ (first + i);
        beyond |= slots[i] >= used;
    }
    QD_ASSERT(!beyond);
    if (other == 0) {
        for (uint32_t k = 0; k < QD_AXES; k++) {
            memcpy(stage->at[k] + first, at[k], count * sizeof(float));
        }
        set_bits(stage->waiting, first, count);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t slot = slots[i];

        for (uint32_t k = 0; k < QD_AXES; k++) {
            stage->at[k][slot] = at[k][i];
        }
        stage->waiting[slot / WORD_SLOTS] |= bit_of(slot);
    }
}

bool qd_stage_put(qd_stage *stage, const qd_bodies *bodies, size_t count, const uint32_t *slots, const float *const *at)
{
    if (!fit(stage, bodies)) {
        return false;
    }
    const float *from[QD_AXES];
    memcpy(from, at, sizeof from);
    while (count > 0) {
        const uint32_t some = count < RUN_COUNT ? (uint32_t)count : RUN_COUNT;

        put_run(stage, bodies->used, some, slots, from);
        stage->any = true;
        slots += some;
        count -= some;
        for (uint32_t k = 0; k < QD_AXES; k++) {
            from[k] += some;
        }
    }
    return true;
}

static bool is_waiting(const qd_stage *stage, uint32_t slot)
{
    return stage->any && slot < stage->capacity && (stage->waiting[slot / WORD_SLOTS] & bit_of(slot)) != 0;
}

bool qd_stage_get(const qd_stage *stage, uint32_t slot, float *at)
{
    if (!is_waiting(stage, slot)) {
        return false;
    }
    for (uint32_t k = 0; k < QD_AXES; k++) {
        at[k] = stage->at[k][slot];
    }
    return true;
}

void qd_stage_drop(qd_stage *stage, size_t count, const uint32_t *slots)
{
    for (size_t i = 0; stage->any && i < count; i++) {
        if (is_waiting(stage, slots[i])) {
            stage->waiting[slots[i] / WORD_SLOTS] &= ~bit_of(slots[i]);
        }
    }
}

void qd_stage_fetch(const qd_stage *stage, uint32_t slot)
{
    if (!stage->any || slot >= stage->capacity) {
        return;
    }
    __builtin_prefetch(&stage->waiting[slot / WORD_SLOTS]);
    for (uint32_t k = 0; k < QD_AXES; k++) {
        __builtin_prefetch(&stage->at[k][slot]);
    }
}

uint32_t qd_stage_count(const qd_stage *stage)
{
    uint32_t count = 0;

    for (uint32_t word = 0; stage->any && word < stage->capacity / WORD_SLOTS; word++) {
        const uint64_t bits = stage->waiting[word];

        count += bits == UINT64_MAX ? WORD_SLOTS : (uint32_t)__builtin_popcountll(bits);
    }
    return count;
}

/* ---- landing ---- */

/* Some that wait, in order, and where. */
typedef struct group {
    uint32_t count;
    uint32_t slot[QD_LAND_SLOTS_MAX];
    const float *at[QD_AXES];
    float column[QD_AXES][QD_LAND_SLOTS_MAX]; /* where `at` is, unless they follow each other */
} group;

/* Takes those of the words from `word` up to `end`, who then wait no more, as many as there is room for; returns the
 * word after them. */
static uint32_t take(const qd_stage *stage, uint32_t word, uint32_t end, group *some)
{
    uint32_t count = 0;

    for (; word < end && count <= QD_LAND_SLOTS_MAX - WORD_SLOTS; word++) {
        const uint32_t first = word * WORD_SLOTS;
        uint64_t bits = stage->waiting[word];

        stage->waiting[word] = 0;
        if (bits == UINT64_MAX) {
            for (uint32_t i = 0; i < WORD_SLOTS; i++) {
                some->slot[count + i] = first + i;
            }
            count += WORD_SLOTS;
            continue;
        }
        for (; bits != 0; bits &= bits - 1) {
            some->slot[count++] = first + (uint32_t)__builtin_ctzll(bits);
        }
    }
    some->count = count;
    const bool in_order = count > 0 && some->slot[count - 1] - some->slot[0] == count - 1;
    for (uint32_t k = 0; k < QD_AXES; k++) {
        some->at[k] = in_order ? stage->at[k] + some->slot[0] : some->column[k];
        for (uint32_t i = 0; !in_order && i < count; i++) {
            some->column[k][i] = stage->at[k][some->slot[i]];
        }
    }
    return word;
}

typedef struct landing {
    qd_stage *stage;
    qd_index *index;
    uint32_t words;
} landing;

static uint32_t part_words(const landing *all)
{
    const uint32_t slots = all->index->tuning.land_slots;

    return (slots > 0 ? slots : QD_LAND_SLOTS_MAX) / WORD_SLOTS;
}

/* What one that leaves is to be remembered by stands where its place did. */
static void put_leaver(qd_stage *stage, uint32_t part, const qd_leaver *leaver)
{
    memcpy(&stage->at[0][leaver->slot], &leaver->cell, sizeof leaver->cell);
    memcpy(&stage->at[1][leaver->slot], &leaver->note, sizeof leaver->note);
    stage->leaving[part][leaver->slot / WORD_SLOTS] |= bit_of(leaver->slot);
}

void qd_stage_leave(qd_stage *stage, uint32_t part, const qd_leaver *leavers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        put_leaver(stage, part, &leavers[i]);
    }
}

static qd_leaver leaver_at(const qd_stage *stage, uint32_t slot)
{
    qd_leaver leaver = {.slot = slot};

    memcpy(&leaver.cell, &stage->at[0][slot], sizeof leaver.cell);
    memcpy(&leaver.note, &stage->at[1][slot], sizeof leaver.note);
    return leaver;
}

/* A part, but for those that leave their cells. */
static void land_part(size_t task, void *argument)
{
    const landing *all = argument;
    const uint32_t words = part_words(all), first = (uint32_t)task * words;
    group some;
    qd_leaver leavers[2 * QD_LAND_SLOTS_MAX];

    (void)take(all->stage, first, all->words - first < words ? all->words : first + words, &some);
    if (some.count == 0) {
        return;
    }
    uint32_t left = all->index->ops->move_within(all->index, some.count, some.slot, some.at, leavers);
    uint8_t parts[2 * QD_LAND_SLOTS_MAX];
    if (all->stage->is_parted) {
        all->index->ops->part(all->index, left, leavers, parts);
    } else {
        memset(parts, QD_PARTS, left);
    }
    for (uint32_t i = 0; i < left; i++) {
        put_leaver(all->stage, parts[i], &leavers[i]);
    }
}

uint32_t qd_stage_leavers(qd_stage *stage, const qd_bodies *bodies, uint32_t part, uint32_t *word, qd_leaver *leavers)
{
    const uint32_t words = stage->capacity / WORD_SLOTS;
    uint64_t *leaving = stage->leaving[part];
    uint32_t count = 0;

    for (; *word < words && count <= QD_LEAVERS_AT_ONCE - WORD_SLOTS; ++*word) {
        uint64_t bits = leaving[*word];

        if (bits == 0) {
            continue;
        }
        leaving[*word] = 0;
        for (; bits != 0; bits &= bits - 1) {
            leavers[count] = leaver_at(stage, *word * WORD_SLOTS + (uint32_t)__builtin_ctzll(bits));
            __builtin_prefetch(&bodies->record[leavers[count++].slot], 1);
        }
    }
    return count;
}

static void land_in_parts(landing *all, const qd_executor *executor)
{
    const size_t parts = (all->words + part_words(all) - 1) / part_words(all);
    const bool is_large = all->index->rows->count >= all->index->tuning.task_rows_min;

    executor = is_large ? executor : &qd_executor_serial;
    all->stage->is_parted = is_large && all->index->ops->leave != NULL && all->index->rows->dirty_count == 0;
    executor->run(executor->context, parts, land_part, all);
    if (all->index->ops->leave != NULL) {
        all->index->ops->leave(all->index, all->stage, executor);
    }
}

void qd_stage_land(qd_stage *stage, qd_index *index, const qd_executor *executor)
{
    if (!stage->any) {
        return;
    }
    landing all = {stage, index, stage->capacity / WORD_SLOTS};
    stage->any = false;
    if (index->rows->all && index->ops->move_within != NULL) {
        land_in_parts(&all, executor);
        return;
    }
    group some;
    for (uint32_t word = 0; word < all.words;) {
        word = take(stage, word, all.words, &some);
        if (some.count > 0) {
            index->ops->move(index, some.count, some.slot, some.at);
        }
    }
}

void qd_stage_validate(const qd_stage *stage, const qd_bodies *bodies)
{
    for (uint32_t slot = 0; slot < stage->capacity; slot++) {
        bool waits = (stage->waiting[slot / WORD_SLOTS] & bit_of(slot)) != 0;

        QD_ASSERT(!waits || (stage->any && slot < bodies->used && bodies->record[slot].state == QD_RECORD_LIVE));
    }
}

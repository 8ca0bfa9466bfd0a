/* SPDX-License-Identifier: Apache-2.0 */
#include "pending_moves.h"

#include <string.h>

#include "../../base/ablation.h"
#include "../../base/assert.h"
#include "../../base/memory/array.h"

#define WORD_SLOTS 64u
#define RUN_COUNT  512u /* moves whose slots are looked at, and which are then written: they stay in the cache */

void qd_pending_init(qd_pending *pending, qd_heap *heap)
{
    memset(pending, 0, sizeof *pending);
    pending->heap = heap;
}

static size_t bytes_of(uint32_t capacity)
{
    return (size_t)capacity * QD_AXES * sizeof(float) + capacity / WORD_SLOTS * sizeof(uint64_t);
}

void qd_pending_deinit(qd_pending *pending)
{
    qd_array_free(pending->heap, pending->at[0], bytes_of(pending->capacity));
}

/* Makes room for all slots that were given out, and as many more as the bodies have. */
static bool fit(qd_pending *pending, const qd_bodies *bodies)
{
    if (QD_LIKELY(bodies->used <= pending->capacity)) {
        return true;
    }
    const qd_pending from = *pending;
    const uint32_t capacity = (bodies->capacity + WORD_SLOTS - 1) & ~(WORD_SLOTS - 1);
    float *home = qd_array_grow(pending->heap, NULL, 0, 0, bytes_of(capacity));
    if (home == NULL) {
        return false;
    }
    pending->capacity = capacity;
    pending->waiting = (uint64_t *)(void *)(home + (size_t)capacity * QD_AXES);
    memset(pending->waiting, 0, capacity / WORD_SLOTS * sizeof *pending->waiting);
    for (uint32_t k = 0; k < QD_AXES; k++) {
        pending->at[k] = home + (size_t)capacity * k;
        if (from.any) {
            memcpy(pending->at[k], from.at[k], from.capacity * sizeof(float));
        }
    }
    if (from.any) {
        memcpy(pending->waiting, from.waiting, from.capacity / WORD_SLOTS * sizeof *pending->waiting);
    }
    qd_array_free(pending->heap, from.at[0], bytes_of(from.capacity));
    return true;
}

void qd_pending_trim(qd_pending *pending, const qd_bodies *bodies)
{
    const bool is_long = pending->capacity / 4 > bodies->capacity + WORD_SLOTS;

    if (!pending->any && (is_long || !pending->was_used)) {
        qd_pending_deinit(pending);
        qd_pending_init(pending, pending->heap);
    }
    pending->was_used = pending->any;
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
static void put_run(qd_pending *pending, uint32_t used, uint32_t count, const uint32_t *slots, const float *const *at)
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
            memcpy(pending->at[k] + first, at[k], count * sizeof(float));
        }
        set_bits(pending->waiting, first, count);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t slot = slots[i];

        for (uint32_t k = 0; k < QD_AXES; k++) {
            pending->at[k][slot] = at[k][i];
        }
        pending->waiting[slot / WORD_SLOTS] |= bit_of(slot);
    }
}

bool qd_pending_put(qd_pending *pending, const qd_bodies *bodies, size_t count, const uint32_t *slots,
                    const float *const *at)
{
    if (!fit(pending, bodies)) {
        return false;
    }
    const float *from[QD_AXES];
    memcpy(from, at, sizeof from);
    while (count > 0) {
        const uint32_t some = count < RUN_COUNT ? (uint32_t)count : RUN_COUNT;

        put_run(pending, bodies->used, some, slots, from);
        pending->any = pending->was_used = true;
        slots += some;
        count -= some;
        for (uint32_t k = 0; k < QD_AXES; k++) {
            from[k] += some;
        }
    }
    return true;
}

static bool is_waiting(const qd_pending *pending, uint32_t slot)
{
    return pending->any && slot < pending->capacity && (pending->waiting[slot / WORD_SLOTS] & bit_of(slot)) != 0;
}

bool qd_pending_get(const qd_pending *pending, uint32_t slot, float *at)
{
    if (!is_waiting(pending, slot)) {
        return false;
    }
    for (uint32_t k = 0; k < QD_AXES; k++) {
        at[k] = pending->at[k][slot];
    }
    return true;
}

void qd_pending_drop(qd_pending *pending, size_t count, const uint32_t *slots)
{
    for (size_t i = 0; pending->any && i < count; i++) {
        if (is_waiting(pending, slots[i])) {
            pending->waiting[slots[i] / WORD_SLOTS] &= ~bit_of(slots[i]);
        }
    }
}

void qd_pending_fetch(const qd_pending *pending, uint32_t slot)
{
    if (!pending->any || slot >= pending->capacity) {
        return;
    }
    __builtin_prefetch(&pending->waiting[slot / WORD_SLOTS]);
    for (uint32_t k = 0; k < QD_AXES; k++) {
        __builtin_prefetch(&pending->at[k][slot]);
    }
}

uint32_t qd_pending_count(const qd_pending *pending)
{
    uint32_t count = 0;

    for (uint32_t word = 0; pending->any && word < pending->capacity / WORD_SLOTS; word++) {
        const uint64_t bits = pending->waiting[word];

        count += bits == UINT64_MAX ? WORD_SLOTS : (uint32_t)__builtin_popcountll(bits);
    }
    return count;
}

/* ---- applying ---- */

/* Some that wait, in order, and where. */
typedef struct group {
    uint32_t count;
    uint32_t slot[QD_APPLY_SLOTS_MAX];
    const float *at[QD_AXES];
    float column[QD_AXES][QD_APPLY_SLOTS_MAX]; /* where `at` is, unless they follow each other */
} group;

/* Takes those of the words from `word` up to `end`, which then wait no more, as many as there is room for; returns the
 * word after them. */
static uint32_t take(const qd_pending *pending, uint32_t word, uint32_t end, group *some)
{
    uint32_t count = 0;

    for (; word < end && count <= QD_APPLY_SLOTS_MAX - WORD_SLOTS; word++) {
        const uint32_t first = word * WORD_SLOTS;
        uint64_t bits = pending->waiting[word];

        pending->waiting[word] = 0;
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
        some->at[k] = in_order ? pending->at[k] + some->slot[0] : some->column[k];
        for (uint32_t i = 0; !in_order && i < count; i++) {
            some->column[k][i] = pending->at[k][some->slot[i]];
        }
    }
    return word;
}

typedef struct applying {
    const qd_pending *pending;
    qd_index *index;
    uint32_t words;
} applying;

static uint32_t part_words(const applying *all)
{
    const uint32_t slots = all->index->tuning.apply_slots;

    return (slots > 0 ? slots : QD_APPLY_SLOTS_MAX) / WORD_SLOTS;
}

/* Where a mover goes is kept where its coordinates were. */
static void put_mover(const qd_pending *pending, const qd_mover *mover)
{
    memcpy(&pending->at[0][mover->slot], &mover->to, sizeof mover->to);
    memcpy(&pending->at[1][mover->slot], &mover->cell_key, sizeof mover->cell_key);
    pending->waiting[mover->slot / WORD_SLOTS] |= bit_of(mover->slot);
}

static qd_mover mover_at(const qd_pending *pending, uint32_t slot)
{
    qd_mover mover = {.slot = slot};

    memcpy(&mover.to, &pending->at[0][slot], sizeof mover.to);
    memcpy(&mover.cell_key, &pending->at[1][slot], sizeof mover.cell_key);
    return mover;
}

/* Moves the bodies of a part; those that have to leave their cells wait again, as movers. */
static void apply_part(size_t task, void *argument)
{
    const applying *all = argument;
    const uint32_t words = part_words(all), first = (uint32_t)task * words;
    group some;
    qd_movers movers;

    (void)take(all->pending, first, all->words - first < words ? all->words : first + words, &some);
    for (uint32_t done = 0; done < some.count;) {
        const float *at[QD_AXES];

        for (uint32_t k = 0; k < QD_AXES; k++) {
            at[k] = some.at[k] + done;
        }
        movers.count = 0;
        done += (uint32_t)all->index->ops->move(all->index, some.count - done, some.slot + done, at, &movers);
        for (uint32_t i = 0; i < movers.count; i++) {
            put_mover(all->pending, &movers.each[i]);
        }
    }
}

#define MOVERS_AT_ONCE 256u /* their records are fetched together */

/* Moves the bodies that left their cells, in the order of slots; then no body is waiting. */
static void apply_movers(const qd_pending *pending, qd_index *index)
{
    const uint32_t words = pending->capacity / WORD_SLOTS;
    qd_mover movers[MOVERS_AT_ONCE];

    for (uint32_t word = 0; word < words;) {
        uint32_t count = 0;

        for (; word < words && count <= MOVERS_AT_ONCE - WORD_SLOTS; word++) {
            uint64_t bits = pending->waiting[word];

            if (bits == 0) {
                continue;
            }
            pending->waiting[word] = 0;
            for (; bits != 0; bits &= bits - 1) {
                movers[count] = mover_at(pending, word * WORD_SLOTS + (uint32_t)__builtin_ctzll(bits));
                __builtin_prefetch(&index->bodies->record[movers[count].slot], 1);
                count++;
            }
        }
        qd_proxies_apply(index, movers, count);
    }
}

void qd_pending_apply(qd_pending *pending, qd_index *index, const qd_executor *executor)
{

    if (!pending->any) {
        return;
    }
    applying all = {pending, index, pending->capacity / WORD_SLOTS};
    pending->any = false;
    if (index->rows->all && !QD_WITHOUT(PARALLEL_MOVES) && index->rows->count >= index->tuning.task_rows_min) {
        const size_t parts = (all.words + part_words(&all) - 1) / part_words(&all);

        executor->run(executor->context, parts, apply_part, &all);
        apply_movers(pending, index);
        return;
    }
    group some;
    for (uint32_t word = 0; word < all.words;) {
        word = take(pending, word, all.words, &some);
        qd_proxies_move(index, some.count, some.slot, some.at);
    }
}

void qd_pending_validate(const qd_pending *pending, const qd_bodies *bodies)
{
    for (uint32_t slot = 0; slot < pending->capacity; slot++) {
        bool waits = (pending->waiting[slot / WORD_SLOTS] & bit_of(slot)) != 0;

        QD_ASSERT(!waits || (pending->any && slot < bodies->used && bodies->record[slot].state == QD_RECORD_LIVE));
    }
}

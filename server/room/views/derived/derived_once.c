/* SPDX-License-Identifier: Apache-2.0 */
#include "derived_once.h"

#include <string.h>

#include "../join/join_shown.h"

/* Rows of its own cost an observer more than this many entities cost the member. */
#define OBSERVERS_MIN         4u
#define ENTITIES_PER_OBSERVER 1024u

#define BITS QD_JOIN_WORD_BITS

static size_t words_of(const qd_join *join)
{
    return (join->grid.count + BITS - 1) / BITS;
}

bool qd_once_choose(qd_views *views)
{
    qd_join *join = views->join;
    const uint32_t entities = views->entities->ids.count, least = views->join_tuning.always ? 1 : OBSERVERS_MIN;

    join->once_count = 0;
    for (uint32_t member = 0; member < views->member_count; member++) {
        qd_view_member *row = &views->members[member];

        row->joint = 0;
        if (!row->options.relays_once || row->observers < least ||
            (uint64_t)row->observers * ENTITIES_PER_OBSERVER < entities || join->once_count == QD_ONCE_MAX) {
            continue;
        }
        if (!qd_array_reserve(views->heap, join->once, join->once_capacity, join->once_count)) {
            return false;
        }
        join->once[join->once_count] = (qd_join_once){.member = member};
        row->joint = (uint16_t)++join->once_count;
    }
    return true;
}

bool qd_once_begin(qd_views *views)
{
    qd_join *join = views->join;
    const size_t bytes = join->once_count * words_of(join) * sizeof join->once_bits[0];

    if (join->once_count == 0) {
        return true;
    }
    join->once_bits = qd_block_fit(&join->memory_of_once, views->heap, bytes);
    if (join->once_bits) {
        memset(join->once_bits, 0, bytes);
    }
    return join->once_bits != NULL;
}

/* ---- uniting ---- */

void qd_once_start(qd_join_block *block)
{
    memset(block->once, 0, block->stride * sizeof block->once[0]);
}

void qd_once_add(qd_join_block *block, const uint16_t *one, const uint16_t *other, const uint16_t *third)
{
    for (uint32_t word = 0; word < block->stride; word += QD_JOIN_FOUR) {
        const uint64_t more = qd_join_four_masks(one, word) & qd_join_four_masks(other, word) &
                              (third ? qd_join_four_masks(third, word) : UINT64_MAX);
        const uint64_t sum = qd_join_four_masks(block->once, word) | more;

        memcpy(block->once + word, &sum, sizeof sum);
    }
}

/* Nearly always another observer has set them all. */
static void set_bits(uint64_t *word, uint64_t bits)
{
    if ((bits & ~__atomic_load_n(word, __ATOMIC_RELAXED)) != 0) {
        (void)__atomic_fetch_or(word, bits, __ATOMIC_RELAXED);
    }
}

void qd_once_add_shown(const qd_views *views, qd_join_block *block, const qd_join_body *body, const uint16_t *relayed)
{
    const qd_join *join = views->join;
    uint64_t *to = join->once_bits + (body->joint - 1u) * words_of(join);

    qd_join_shown_slots(join, block, body);
    for (uint32_t i = 0; i < body->shown; i++) {
        const uint32_t slot = block->shown[i];

        if (slot != QD_NONE && qd_join_get(relayed, block->shown_at + i)) {
            const uint32_t entry = join->grid.place[slot];

            set_bits(&to[entry / BITS], UINT64_C(1) << entry % BITS);
        }
    }
}

/* The masks from point `at` on, up to QD_JOIN_BITS of them, become those of entries from `first` on. */
static void set_run(uint64_t *to, uint32_t first, const uint16_t *masks, uint32_t at, uint32_t count)
{
    const uint64_t bits = qd_join_bits_get(masks, at, count);

    set_bits(&to[first / BITS], bits << first % BITS);
    if (first % BITS + count > BITS) {
        set_bits(&to[first / BITS + 1], bits >> (BITS - first % BITS));
    }
}

void qd_once_flush(const qd_views *views, qd_join_block *block, uint16_t joint)
{
    const qd_join_area *area = &block->group->area;
    uint64_t *to = views->join->once_bits + (joint - 1u) * words_of(views->join);
    uint32_t at = 0, first;

    for (uint32_t row = 0, rows = qd_join_rows_of(block->grid, area); row < rows; row++) {
        const uint32_t count = qd_join_run(block->grid, area, row, &first);

        for (uint32_t i = 0; i < count; i += QD_JOIN_BITS) {
            set_run(to, first + i, block->once, at + i, count - i < QD_JOIN_BITS ? count - i : QD_JOIN_BITS);
        }
        at += count;
    }
    qd_once_start(block);
}

/* ---- what is relayed ---- */

size_t qd_once_count(const qd_views *views)
{
    qd_join *join = views->join;
    uint64_t *word = join->once_bits;
    size_t sum = 0;

    for (uint32_t i = 0; i < join->once_count; i++) {
        qd_join_once *once = &join->once[i];

        once->count = 0;
        for (uint32_t first = 0; first < join->grid.count; first += BITS, word++) {
            once->count += (uint32_t)__builtin_popcountll(*word);
        }
        sum += once->count;
    }
    join->once_relayed = sum;
    return sum;
}

void qd_once_drop(qd_views *views, uint16_t joint)
{
    qd_join *join = views->join;
    qd_join_once *once = &join->once[joint - 1u];

    memset(join->once_bits + (joint - 1u) * words_of(join), 0, words_of(join) * sizeof join->once_bits[0]);
    join->once_relayed -= once->count;
    join->relayed -= once->count;
    once->count = 0;
}

size_t qd_once_relayed(const qd_views *views)
{
    return views->join->once_relayed;
}

qd_view_range qd_once_place(const qd_views *views, uint32_t member, uint32_t first)
{
    const uint16_t joint = views->members[member].joint;

    if (joint == 0) {
        return (qd_view_range){.first = first};
    }
    views->join->once[joint - 1u].first = first;
    return (qd_view_range){first, views->join->once[joint - 1u].count};
}

void qd_once_place_all(qd_views *views)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i < views->join->once_count; i++) {
        qd_view_range *range = &views->members[views->join->once[i].member].relays;

        *range = qd_once_place(views, views->join->once[i].member, sum);
        sum += range->count;
    }
}

static void fill_one(const qd_views *views, const qd_join_once *once, const uint64_t *bits, const qd_join_rows *to)
{
    const qd_join_columns *from = &views->join->grid.entries;
    uint32_t row = once->first;

    for (size_t word = 0; word < words_of(views->join); word++) {
        for (uint64_t left = bits[word]; left != 0; left &= left - 1, row++) {
            const size_t entry = word * BITS + (size_t)__builtin_ctzll(left);

            to->id[row] = views->entities->id[from->slot[entry]];
            for (unsigned k = 0; k < 3 && to->at[k]; k++) {
                to->at[k][row] = from->at.now[k][entry];
            }
        }
    }
}

void qd_once_fill(const qd_views *views, const qd_join_rows *to)
{
    const qd_join *join = views->join;

    for (uint32_t i = 0; i < join->once_count; i++) {
        fill_one(views, &join->once[i], join->once_bits + i * words_of(join), to);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "relay_turns.h"

#include <string.h>

#include "../join/join_shown.h"
#include "../state/rule.h"
#include "../state/spans.h"

#define WORDS_MIN 16u /* of a task */

static size_t words_of(const qd_join *join)
{
    return (join->grid.count + QD_JOIN_WORD_BITS - 1) / QD_JOIN_WORD_BITS;
}

void qd_turns_clear(qd_join *join)
{
    join->turns.count = 0;
}

/* Its index; the count if it has no bits. */
static uint32_t find(const qd_join_turns *turns, uint32_t every)
{
    uint32_t i = 0;

    while (i < turns->count && turns->every[i] != every) {
        i++;
    }
    return i;
}

void qd_turns_note(qd_join *join, const qd_observer *observer)
{
    qd_join_turns *turns = &join->turns;

    for (uint32_t tier = 0; tier < observer->tiers; tier++) {
        const uint32_t every = observer->relay_every[tier];

        if (every > 1 && turns->count < QD_JOIN_TURNS && find(turns, every) == turns->count) {
            turns->every[turns->count++] = every;
        }
    }
}

static uint32_t phase_of(const qd_views *views, uint32_t every)
{
    return (uint32_t)(views->entities->tick % every);
}

struct making {
    const qd_views *views;
    qd_view_spans spans; /* of words */
};

static void make_span(size_t span, void *argument)
{
    const struct making *making = argument;
    const qd_views *views = making->views;
    const qd_join *join = views->join;
    const uint32_t first = qd_view_span_first(&making->spans, span), end = qd_view_span_first(&making->spans, span + 1);

    for (uint32_t i = 0; i < join->turns.count; i++) {
        memset(join->turns.bits[i] + first, 0, (end - first) * sizeof join->turns.bits[i][0]);
    }
    for (uint32_t entry = first * QD_JOIN_WORD_BITS; entry < end * QD_JOIN_WORD_BITS && entry < join->grid.count;
         entry++) {
        const uint32_t id = views->entities->id[join->grid.entries.slot[entry]];

        for (uint32_t i = 0; i < join->turns.count; i++) {
            const uint32_t every = join->turns.every[i];
            const bool is_turn = qd_rule_is_turn(every, phase_of(views, every), id, views->steps);

            join->turns.bits[i][entry / QD_JOIN_WORD_BITS] |= (uint64_t)is_turn << entry % QD_JOIN_WORD_BITS;
        }
    }
}

bool qd_turns_make(qd_views *views, const qd_executor *executor)
{
    qd_join *join = views->join;
    const size_t bytes = qd_block_part(words_of(join) + 1, sizeof join->turns.bits[0][0]);

    if (join->turns.count == 0) {
        return true;
    }
    char *memory = qd_block_fit(&join->memory_of_turns, views->heap, join->turns.count * bytes);
    if (!memory) {
        return false;
    }
    for (uint32_t i = 0; i < join->turns.count; i++) {
        join->turns.bits[i] = (uint64_t *)(memory + i * bytes);
    }
    struct making making = {views, qd_view_spans_of(views, executor, (uint32_t)words_of(join), WORDS_MIN)};
    executor->run(executor->context, making.spans.count, make_span, &making);
    return true;
}

void qd_turns_keep(const qd_views *views, qd_join_block *block, uint32_t every, uint16_t *masks)
{
    const qd_join_turns *turns = &views->join->turns;
    const uint32_t i = find(turns, every), phase = phase_of(views, every);

    if (every == 1) {
        return;
    }
    if (i < turns->count) {
        if (!(block->has_turns & 1u << i)) {
            qd_join_block_bits(block, turns->bits[i], block->turns[i]);
            block->has_turns |= 1u << i;
        }
        qd_join_shown_bits(block, turns->bits[i], block->turns[i]);
        for (uint32_t word = 0; word < block->words; word++) {
            masks[word] &= block->turns[i][word];
        }
        return;
    }
    for (uint32_t word = 0; word < block->words; word++) {
        for (uint32_t left = masks[word]; left != 0; left &= left - 1) {
            const uint32_t point = word * QD_JOIN_LANES + (uint32_t)__builtin_ctz(left);
            const uint32_t id = views->entities->id[qd_join_slot_at(block, point)];

            qd_join_set(masks, point, qd_rule_is_turn(every, phase, id, views->steps));
        }
    }
}

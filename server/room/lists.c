/* SPDX-License-Identifier: Apache-2.0 */
#include "lists.h"

#include <string.h>

#include "order.h"
#include "state.h"

static void fit(qd_pair_list *pairs, qd_heap *heap, size_t count, bool reasons)
{
    size_t column = qd_block_part(count, sizeof(uint32_t));
    char *memory = qd_block_fit(&pairs->block, heap, 2 * column + (reasons ? qd_block_part(count, 1) : 0));

    pairs->count = count;
    pairs->a = count > 0 ? (uint32_t *)memory : NULL;
    pairs->b = count > 0 ? (uint32_t *)(memory + column) : NULL;
    pairs->reason = count > 0 && reasons ? (uint8_t *)(memory + 2 * column) : NULL;
}

void qd_pair_list_deinit(qd_pair_list *pairs, qd_heap *heap)
{
    qd_block_deinit(&pairs->block, heap);
    *pairs = (qd_pair_list){0};
}

static unsigned bit_length(uint32_t value)
{
    return value ? 32u - (unsigned)__builtin_clz(value) : 0;
}

/* Everything that is under way while the events of one walk become lists. The keys of each kind lie together, those of
 * event kind k from start[k] to start[k + 1]; the value of a key is the index of its event. */
struct sorting {
    qd_room *room;
    const qd_space_event *events;
    size_t start[QD_SPACE_PASSED + 2];
    qd_order all;
    unsigned low_bits, high_bits;
};

static void count_kinds(struct sorting *sorting, size_t count)
{
    uint32_t begins = 0, ends = 0, passed = 0;

    for (size_t i = 0; i < count; i++) {
        begins += qd_space_event_kind(sorting->events[i]) == QD_SPACE_BEGIN;
        ends += qd_space_event_kind(sorting->events[i]) == QD_SPACE_END;
        passed += qd_space_event_kind(sorting->events[i]) == QD_SPACE_PASSED;
    }
    sorting->start[QD_SPACE_BEGIN] = 0;
    sorting->start[QD_SPACE_END] = begins;
    sorting->start[QD_SPACE_STAY] = (size_t)begins + ends;
    sorting->start[QD_SPACE_PASSED] = count - passed;
    sorting->start[QD_SPACE_PASSED + 1] = count;
}

static void make_keys(struct sorting *sorting, size_t count)
{
    size_t keys_bytes = qd_block_part(count, sizeof(uint64_t));
    size_t values_bytes = qd_block_part(count, sizeof(uint32_t));
    char *memory = qd_block_fit(&sorting->room->scratch, sorting->room->heap, 2 * (keys_bytes + values_bytes));

    if (count == 0)
        return;
    qd_order all = {
        .keys = (uint64_t *)memory,
        .keys_spare = (uint64_t *)(memory + keys_bytes),
        .values = (uint32_t *)(memory + 2 * keys_bytes),
        .values_spare = (uint32_t *)(memory + 2 * keys_bytes + values_bytes),
    };
    const uint32_t *id = sorting->room->entities.id;
    size_t cursor[QD_SPACE_PASSED + 1];
    uint64_t any_key = 0;

    memcpy(cursor, sorting->start, sizeof cursor);
    for (size_t i = 0; i < count; i++) {
        qd_space_event event = sorting->events[i];
        uint32_t one = id[qd_space_event_a(event)];
        uint32_t other = id[qd_space_event_b(event)];
        uint32_t lower = one < other ? one : other; /* a move, where choosing the key would be a branch */
        uint64_t key = (uint64_t)lower << 32 | (one ^ other ^ lower);
        size_t at = cursor[qd_space_event_kind(event)]++;

        all.keys[at] = key;
        all.values[at] = (uint32_t)i;
        any_key |= key;
    }
    sorting->all = all;
    sorting->low_bits = bit_length((uint32_t)any_key);
    sorting->high_bits = bit_length((uint32_t)(any_key >> 32));
}

/* ---- the lists of members who want their own pairs only ---- */

/* The members who get the pair as one of their own, at most two: those of the owners who wait for such news. */
static unsigned takers(const qd_room *room, qd_space_event event, qd_news news, uint32_t members[2])
{
    const qd_holding *holding = room->entities.holding;
    uint32_t owners[2] = {holding[qd_space_event_a(event)].owner, holding[qd_space_event_b(event)].owner};
    unsigned count = 0;

    for (unsigned i = 0; i < (owners[0] == owners[1] ? 1 : 2); i++) {
        if (owners[i] == QD_ROOM_OWNED)
            continue;
        const qd_member *row = &room->members.rows[owners[i]];
        if (row->news == (uint8_t)news && row->interest.own_only)
            members[count++] = owners[i];
    }
    return count;
}

/* Deals the ordered list out to the takers of its pairs: counts, then places, so that each finds its own in one range
 * and still in order. */
static void deal(struct sorting *sorting, const uint32_t *values, qd_list_kind kind)
{
    qd_room *room = sorting->room;
    qd_member *rows = room->members.rows;
    const qd_pair_list *from = &room->lists[kind];
    qd_pair_list *to = &room->own[kind];
    qd_news news = kind == QD_LIST_SET ? QD_NEWS_RESET : QD_NEWS_EVENTS;
    uint32_t members[2];
    size_t sum = 0;

    for (uint32_t member = 0; member < room->members.count; member++)
        rows[member].own[kind] = (qd_range){0};
    for (size_t i = 0; i < from->count; i++) {
        unsigned count = takers(room, sorting->events[values[i]], news, members);
        for (unsigned taker = 0; taker < count; taker++)
            rows[members[taker]].own[kind].count++;
    }
    for (uint32_t member = 0; member < room->members.count; member++) {
        qd_range *range = &rows[member].own[kind];
        range->first = sum;
        sum += range->count;
        range->count = 0;
    }
    fit(to, room->heap, sum, kind == QD_LIST_ENDS);
    for (size_t i = 0; i < from->count; i++) {
        unsigned count = takers(room, sorting->events[values[i]], news, members);
        for (unsigned taker = 0; taker < count; taker++) {
            qd_range *range = &rows[members[taker]].own[kind];
            size_t at = range->first + range->count++;
            to->a[at] = from->a[i];
            to->b[at] = from->b[i];
            if (to->reason)
                to->reason[at] = from->reason[i];
        }
    }
}

/* ---- lists ---- */

static void make_list(struct sorting *sorting, qd_space_kind event_kind, qd_list_kind kind, bool own)
{
    qd_room *room = sorting->room;
    qd_pair_list *pairs = &room->lists[kind];
    size_t first = sorting->start[event_kind];
    size_t count = sorting->start[event_kind + 1] - first;

    qd_order order = {0};

    fit(pairs, room->heap, count, kind == QD_LIST_ENDS);
    if (count > 0) {
        order = (qd_order){.keys = sorting->all.keys + first, .keys_spare = sorting->all.keys_spare + first};
        if (own || kind == QD_LIST_ENDS) {
            order.values = sorting->all.values + first;
            order.values_spare = sorting->all.values_spare + first;
        }
        qd_order_sort(&order, count, sorting->low_bits, sorting->high_bits);
    }
    for (size_t i = 0; i < count; i++) {
        pairs->a[i] = (uint32_t)(order.keys[i] >> 32);
        pairs->b[i] = (uint32_t)order.keys[i];
    }
    for (size_t i = 0; pairs->reason && i < count; i++) {
        qd_space_event event = sorting->events[order.values[i]];
        qd_space_reason reason =
            room->emptied ? QD_SPACE_ROOM_CLOSED
                          : qd_space_end_reason(room->space, qd_space_event_a(event), qd_space_event_b(event));
        pairs->reason[i] = (uint8_t)reason;
    }
    if (own)
        deal(sorting, order.values, kind);
    else
        fit(&room->own[kind], room->heap, 0, false);
}

void qd_room_list_events(qd_room *room, const qd_space_events *events, bool own)
{
    struct sorting sorting = {.room = room, .events = events->events};

    count_kinds(&sorting, events->count);
    make_keys(&sorting, events->count);
    make_list(&sorting, QD_SPACE_END, QD_LIST_ENDS, own);
    make_list(&sorting, QD_SPACE_BEGIN, QD_LIST_BEGINS, own);
    make_list(&sorting, QD_SPACE_PASSED, QD_LIST_PASSED, own);
    make_list(&sorting, QD_SPACE_STAY, QD_LIST_STAYS, own);
}

void qd_room_list_set(qd_room *room, const qd_space_events *events, bool own)
{
    struct sorting sorting = {.room = room, .events = events->events};

    count_kinds(&sorting, events->count);
    make_keys(&sorting, events->count);
    make_list(&sorting, QD_SPACE_STAY, QD_LIST_SET, own);
}

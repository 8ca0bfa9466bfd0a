/* SPDX-License-Identifier: Apache-2.0 */
#include "lists.h"

#include <string.h>

#include "order.h"
#include "state.h"

/* Columns need not begin with a line of cache of their own. */
static size_t part(size_t count, size_t size)
{
    return (count * size + 15) & ~(size_t)15;
}

static size_t bytes_of(size_t count, bool reasons)
{
    return 2 * part(count, sizeof(uint32_t)) + (reasons ? part(count, 1) : 0);
}

/* Gives a list its columns, from `memory` on; returns what is left behind them. */
static char *lay(qd_pair_list *pairs, char *memory, size_t count, bool reasons)
{
    size_t column = part(count, sizeof(uint32_t));

    *pairs = (qd_pair_list){.count = count};
    if (count == 0)
        return memory;
    pairs->a = (uint32_t *)memory;
    pairs->b = (uint32_t *)(memory + column);
    pairs->reason = reasons ? (uint8_t *)(memory + 2 * column) : NULL;
    return memory + bytes_of(count, reasons);
}

void qd_lists_deinit(qd_lists *lists, qd_heap *heap)
{
    qd_block_deinit(&lists->events, heap);
    qd_block_deinit(&lists->set, heap);
    for (int kind = 0; kind < QD_LISTS; kind++)
        qd_block_deinit(&lists->own_block[kind], heap);
    *lists = (qd_lists){0};
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
    size_t count;
    size_t start[QD_SPACE_PASSED + 2];
    qd_order all;
    unsigned low_bits, high_bits;
};

static void count_kinds(struct sorting *sorting)
{
    size_t count = sorting->count;
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

static size_t count_of(const struct sorting *sorting, qd_space_kind kind)
{
    return sorting->start[kind + 1] - sorting->start[kind];
}

static size_t keys_bytes(size_t count)
{
    return 2 * (part(count, sizeof(uint64_t)) + part(count, sizeof(uint32_t)));
}

static void make_keys(struct sorting *sorting, char *memory)
{
    size_t count = sorting->count;
    size_t key_bytes = part(count, sizeof(uint64_t)), value_bytes = part(count, sizeof(uint32_t));

    qd_order all = {
        .keys = (uint64_t *)memory,
        .keys_spare = (uint64_t *)(memory + key_bytes),
        .values = (uint32_t *)(memory + 2 * key_bytes),
        .values_spare = (uint32_t *)(memory + 2 * key_bytes + value_bytes),
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
    const qd_pair_list *from = &room->lists.all[kind];
    qd_pair_list *to = &room->lists.own[kind];
    bool reasons = kind == QD_LIST_ENDS;
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
    (void)lay(to, qd_block_fit(&room->lists.own_block[kind], room->heap, bytes_of(sum, reasons)), sum, reasons);
    room->lists.has_own |= sum > 0;
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

/* The keys of a kind of event into a list, which has its columns. */
static void make_list(struct sorting *sorting, qd_space_kind event_kind, qd_list_kind kind, bool own)
{
    qd_room *room = sorting->room;
    qd_pair_list *pairs = &room->lists.all[kind];
    size_t first = sorting->start[event_kind];
    size_t count = pairs->count;
    qd_order order = {0};

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
}

/* Few events are sorted on the stack. */
#define FEW_BYTES 2048u

struct kind_pair {
    qd_space_kind event;
    qd_list_kind list;
};

static void make_lists(qd_room *room, const qd_space_events *events, qd_block *block, const struct kind_pair *kinds,
                       unsigned kind_count, bool own)
{
    struct sorting sorting = {.room = room, .events = events->events, .count = events->count};
    _Alignas(uint64_t) char few[FEW_BYTES];
    size_t bytes = 0, scratch_bytes = keys_bytes(events->count);
    bool is_few = scratch_bytes <= FEW_BYTES;

    count_kinds(&sorting);
    for (unsigned i = 0; i < kind_count; i++)
        bytes += bytes_of(count_of(&sorting, kinds[i].event), kinds[i].list == QD_LIST_ENDS);
    char *memory = qd_block_fit(block, room->heap, bytes);
    for (unsigned i = 0; i < kind_count; i++)
        memory = lay(&room->lists.all[kinds[i].list], memory, count_of(&sorting, kinds[i].event),
                     kinds[i].list == QD_LIST_ENDS);
    char *large = qd_block_fit(&room->scratch, room->heap, is_few ? 0 : scratch_bytes);
    if (sorting.count > 0)
        make_keys(&sorting, is_few ? few : large);
    for (unsigned i = 0; i < kind_count; i++)
        make_list(&sorting, kinds[i].event, kinds[i].list, own);
}

/* In a round that nobody gets own pairs in, their memory has one use less to be there for. */
static void rest_own(qd_lists *lists, qd_heap *heap)
{
    bool has_own = false;

    for (int kind = 0; kind < QD_LISTS; kind++) {
        (void)lay(&lists->own[kind], qd_block_fit(&lists->own_block[kind], heap, 0), 0, false);
        has_own |= lists->own_block[kind].size > 0;
    }
    lists->has_own = has_own;
}

void qd_room_list_events(qd_room *room, const qd_space_events *events, bool own)
{
    static const struct kind_pair kinds[] = {{QD_SPACE_END, QD_LIST_ENDS},
                                             {QD_SPACE_BEGIN, QD_LIST_BEGINS},
                                             {QD_SPACE_PASSED, QD_LIST_PASSED},
                                             {QD_SPACE_STAY, QD_LIST_STAYS}};

    if (!own && room->lists.has_own)
        rest_own(&room->lists, room->heap);
    make_lists(room, events, &room->lists.events, kinds, 4, own);
}

void qd_room_list_set(qd_room *room, const qd_space_events *events, bool own)
{
    static const struct kind_pair kinds[] = {{QD_SPACE_STAY, QD_LIST_SET}};

    make_lists(room, events, &room->lists.set, kinds, 1, own);
}

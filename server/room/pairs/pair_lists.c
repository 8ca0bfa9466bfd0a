/* SPDX-License-Identifier: Apache-2.0 */
#include "pair_lists.h"

#include <string.h>

#include "pair_keys.h"

static size_t bytes_of(size_t count, bool reasons)
{
    return 2 * qd_block_column(count, sizeof(uint32_t)) + (reasons ? qd_block_column(count, 1) : 0);
}

/* Puts the columns of a list into `memory`; returns the memory behind them. */
static char *lay_out(qd_pair_list *list, char *memory, size_t count, bool reasons)
{
    size_t column = qd_block_column(count, sizeof(uint32_t));

    *list = (qd_pair_list){.count = count};
    if (count == 0) {
        return memory;
    }
    list->a = (uint32_t *)memory;
    list->b = (uint32_t *)(memory + column);
    list->reason = reasons ? (uint8_t *)(memory + 2 * column) : NULL;
    return memory + bytes_of(count, reasons);
}

void qd_lists_release_set(qd_pairs *pairs)
{
    qd_lists *lists = &pairs->lists;

    qd_block_deinit(&pairs->scratch, pairs->heap);
    qd_block_deinit(&lists->set, pairs->heap);
    qd_block_deinit(&lists->own_block[QD_LIST_SET], pairs->heap);
    lists->all[QD_LIST_SET] = lists->own[QD_LIST_SET] = (qd_pair_list){0};
}

void qd_lists_release(qd_pairs *pairs)
{
    qd_lists *lists = &pairs->lists;

    qd_lists_release_set(pairs);
    qd_block_deinit(&lists->events, pairs->heap);
    for (int kind = 0; kind < QD_LISTS; kind++) {
        qd_block_deinit(&lists->own_block[kind], pairs->heap);
    }
    *lists = (qd_lists){0};
}

#define FETCH_AHEAD 16u /* events, whose bodies are anywhere in memory */

struct kind_pair {
    qd_space_kind event;
    qd_list_kind list;
};

/* The state while the events of one traversal become lists. */
struct listing {
    qd_pairs *pairs;
    const qd_space_event *events;
    qd_pair_keys keys;
    qd_space_reason reason; /* of all ends; 0: reasons differ */
    const struct kind_pair *kinds;
    unsigned kind_count;
    size_t ranges;
};

/* ---- the lists of members with own_only ---- */

/* The members that get the pair as one of their own: the owners with such news, at most two. */
static unsigned receivers(const qd_pairs *pairs, qd_space_event event, qd_news news, uint32_t members[2])
{
    const qd_holding *holding = pairs->entities->holding;
    uint32_t owners[2] = {holding[qd_space_event_a(event)].owner, holding[qd_space_event_b(event)].owner};
    unsigned count = 0;

    for (unsigned i = 0; i < (owners[0] == owners[1] ? 1 : 2); i++) {
        if (owners[i] == QD_ROOM_OWNED) {
            continue;
        }
        const qd_subscriber *row = &pairs->rows[owners[i]];
        if (row->news == (uint8_t)news && row->interest.own_only) {
            members[count++] = owners[i];
        }
    }
    return count;
}

/* Distributes an ordered list to the receivers of its pairs. It counts first, then copies, so that each member's pairs
 * are one range and still in order. False: no memory. */
static bool distribute(struct listing *listing, struct kind_pair pair)
{
    qd_pairs *pairs = listing->pairs;
    qd_list_kind kind = pair.list;
    const uint32_t *values = listing->keys.value[pair.event];
    qd_subscriber *rows = pairs->rows;
    const qd_pair_list *from = &pairs->lists.all[kind];
    qd_pair_list *to = &pairs->lists.own[kind];
    bool reasons = kind == QD_LIST_ENDS;
    qd_news news = kind == QD_LIST_SET ? QD_NEWS_RESET : QD_NEWS_EVENTS;
    uint32_t members[2];
    size_t sum = 0;

    for (uint32_t member = 0; member < pairs->count; member++) {
        rows[member].own[kind] = (qd_range){0};
    }
    for (size_t i = 0; i < from->count; i++) {
        unsigned count = receivers(pairs, listing->events[values[i]], news, members);

        for (unsigned r = 0; r < count; r++) {
            rows[members[r]].own[kind].count++;
        }
    }
    for (uint32_t member = 0; member < pairs->count; member++) {
        qd_range *range = &rows[member].own[kind];

        range->first = sum;
        sum += range->count;
        range->count = 0;
    }
    char *memory = qd_block_fit(&pairs->lists.own_block[kind], pairs->heap, bytes_of(sum, reasons));
    if (!memory) {
        return false;
    }
    (void)lay_out(to, memory, sum, reasons);
    pairs->lists.has_own |= sum > 0;
    for (size_t i = 0; i < from->count; i++) {
        unsigned count = receivers(pairs, listing->events[values[i]], news, members);

        for (unsigned r = 0; r < count; r++) {
            qd_range *range = &rows[members[r]].own[kind];
            size_t at = range->first + range->count++;

            to->a[at] = from->a[i];
            to->b[at] = from->b[i];
            if (to->reason) {
                to->reason[at] = from->reason[i];
            }
        }
    }
    return true;
}

/* ---- lists ---- */

/* Fills the pairs from `first` to `end` of a list. */
static void fill_columns(const struct listing *listing, struct kind_pair kind, size_t first, size_t end)
{
    const qd_pair_list *list = &listing->pairs->lists.all[kind.list];
    const uint64_t *keys = listing->keys.key[kind.event];

    for (size_t i = first; i < end; i++) {
        list->a[i] = (uint32_t)(keys[i] >> 32);
        list->b[i] = (uint32_t)keys[i];
    }
}

static void fill_reasons(const struct listing *listing, size_t first, size_t end)
{
    const qd_space *space = listing->pairs->entities->space;
    uint8_t *reason = listing->pairs->lists.all[QD_LIST_ENDS].reason;
    const uint32_t *values = listing->keys.value[QD_SPACE_END];

    if (listing->reason != 0) {
        memset(reason + first, (int)listing->reason, end - first);
        return;
    }
    for (size_t i = first; i < end; i++) {
        if (i + FETCH_AHEAD < end) {
            qd_space_event ahead = listing->events[values[i + FETCH_AHEAD]];

            qd_space_fetch(space, qd_space_event_a(ahead));
            qd_space_fetch(space, qd_space_event_b(ahead));
        }
        qd_space_event event = listing->events[values[i]];
        reason[i] = (uint8_t)qd_space_end_reason(space, qd_space_event_a(event), qd_space_event_b(event));
    }
}

/* A share of every list. */
static void fill_range(size_t range, void *argument)
{
    const struct listing *listing = argument;

    for (unsigned i = 0; i < listing->kind_count; i++) {
        struct kind_pair kind = listing->kinds[i];
        size_t count = listing->pairs->lists.all[kind.list].count;
        size_t first = count * range / listing->ranges, end = count * (range + 1) / listing->ranges;

        fill_columns(listing, kind, first, end);
        if (kind.list == QD_LIST_ENDS && end > first) {
            fill_reasons(listing, first, end);
        }
    }
}

/* Few events are sorted on the stack. */
#define FEW_BYTES 2048u

static bool sort(struct listing *listing, const qd_space_events *events, const qd_executor *executor, bool with_values,
                 char *few)
{
    qd_pairs *pairs = listing->pairs;
    const qd_pair_source source = {
        .events = events, .id = pairs->entities->id, .ids = &pairs->entities->ids, .with_values = with_values};
    size_t bytes = qd_pair_keys_bytes(events->count, executor);
    void *large = qd_block_fit(&pairs->scratch, pairs->heap, bytes <= FEW_BYTES ? 0 : bytes);

    if (!large) {
        return false;
    }
    qd_pair_keys_sort(&listing->keys, &source, executor, bytes <= FEW_BYTES ? few : large);
    return true;
}

static qd_space_reason reason_of_all(const qd_pairs *pairs)
{
    if (pairs->entities->emptied) {
        return QD_SPACE_ROOM_CLOSED;
    }
    return qd_space_end_reasons_differ(pairs->entities->space) ? 0 : QD_SPACE_MOVED_APART;
}

/* With `ends`, the events are those of a tick; otherwise they are the set of pairs. False: no memory. */
static bool make_lists(qd_pairs *pairs, const qd_executor *executor, const qd_space_events *events, qd_block *block,
                       const struct kind_pair *kinds, unsigned kind_count, bool ends, bool own)
{
    struct listing listing = {.pairs = pairs,
                              .events = events->events,
                              .reason = ends ? reason_of_all(pairs) : 0,
                              .kinds = kinds,
                              .kind_count = kind_count,
                              .ranges = qd_pair_ranges(events->count, executor)};
    _Alignas(uint64_t) char few[FEW_BYTES];
    size_t bytes = 0;

    if (!sort(&listing, events, executor, own || (ends && listing.reason == 0), few)) {
        return false;
    }
    for (unsigned i = 0; i < kind_count; i++) {
        bytes += bytes_of(qd_pair_keys_count(&listing.keys, kinds[i].event), kinds[i].list == QD_LIST_ENDS);
    }
    char *memory = qd_block_fit(block, pairs->heap, bytes);
    if (!memory) {
        return false;
    }
    for (unsigned i = 0; i < kind_count; i++) {
        memory = lay_out(&pairs->lists.all[kinds[i].list], memory, qd_pair_keys_count(&listing.keys, kinds[i].event),
                         kinds[i].list == QD_LIST_ENDS);
    }
    executor->run(executor->context, listing.ranges, fill_range, &listing);
    for (unsigned i = 0; own && i < kind_count; i++) {
        if (!distribute(&listing, kinds[i])) {
            return false;
        }
    }
    return true;
}

/* A round in which no member gets own pairs still counts as a use of their memory, so that it shrinks in time. */
static void clear_own(qd_lists *lists, qd_heap *heap)
{
    bool has_own = false;

    for (int kind = 0; kind < QD_LISTS; kind++) {
        (void)lay_out(&lists->own[kind], qd_block_fit(&lists->own_block[kind], heap, 0), 0, false);
        has_own |= lists->own_block[kind].size > 0;
    }
    lists->has_own = has_own;
}

bool qd_lists_of_events(qd_pairs *pairs, const qd_executor *executor, const qd_space_events *events, bool own)
{
    static const struct kind_pair kinds[] = {{QD_SPACE_END, QD_LIST_ENDS},
                                             {QD_SPACE_BEGIN, QD_LIST_BEGINS},
                                             {QD_SPACE_PASSED, QD_LIST_PASSED},
                                             {QD_SPACE_STAY, QD_LIST_STAYS}};

    if (!own && pairs->lists.has_own) {
        clear_own(&pairs->lists, pairs->heap);
    }
    return make_lists(pairs, executor, events, &pairs->lists.events, kinds, 4, true, own);
}

bool qd_lists_of_set(qd_pairs *pairs, const qd_executor *executor, const qd_space_events *events, bool own)
{
    static const struct kind_pair kinds[] = {{QD_SPACE_STAY, QD_LIST_SET}};

    return make_lists(pairs, executor, events, &pairs->lists.set, kinds, 1, false, own);
}

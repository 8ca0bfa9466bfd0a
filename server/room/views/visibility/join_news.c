/* SPDX-License-Identifier: Apache-2.0 */
#include "join_news.h"

#include <string.h>

#include "../../common/order.h"
#include "../derived/derived.h"
#include "../state/rule.h"
#include "../state/spans.h"

#define AHEAD     16u  /* changes; observers and entities are anywhere in memory */
#define TAKEN_MIN 512u /* changes of a task: it takes several microseconds */

/* Changes of one observer follow each other, so a task has whole observers. By rank of the observer, `next` first holds
 * how many leaves and enters it has, and then where the next of them goes. Nobody can predict which changes are enters,
 * so the tasks have no branches for that. */
struct taking {
    qd_views *views;
    const qd_crossing *changes;
    qd_view_spans spans;
    qd_view_list *list[2]; /* leaves and enters */
    uint32_t *next[2];
    qd_order spare[2]; /* as many keys and values as there are changes of each */
    struct {
        uint32_t count[2];
    } of[QD_VIEW_SPANS_MAX];
    uint32_t first[2][QD_VIEW_SPANS_MAX + 1]; /* of the news that each task sorts */
};

/* The first change of a task. Its observer has no earlier change. */
static uint32_t first_taken(const struct taking *taking, size_t span)
{
    uint32_t first = qd_view_span_first(&taking->spans, span);

    while (first > 0 && first < taking->spans.items && taking->changes[first].use == taking->changes[first - 1].use) {
        first++;
    }
    return first;
}

/* The bytes that a task spends for a member. Most changes have the same member as the one before. */
struct spending {
    qd_view_member *member;
    uint64_t bytes;
};

static void pay(const struct spending *spending)
{
    if (spending->bytes > 0) {
        (void)__atomic_fetch_add(&spending->member->bytes, spending->bytes, __ATOMIC_RELAXED);
    }
}

static void spend(struct spending *spending, const qd_views *views, uint32_t member, qd_crossing change)
{
    if (spending->member != &views->members[member]) {
        pay(spending);
        *spending = (struct spending){&views->members[member], 0};
    }
    if (spending->member->options.bytes_max > 0) {
        spending->bytes += change.begins ? qd_view_enter_bytes(views, change.slot) : QD_VIEW_LEAVE_BYTES;
    }
}

/* The observer of a change. NULL: its view has entries now, and is evaluated with them. */
static qd_observer *observer_of(const struct taking *taking, uint32_t i)
{
    qd_observer *observer = &taking->views->observers[qd_use_index(taking->changes[i].use)];

    return QD_LIKELY(observer->is_derived) ? observer : NULL;
}

static void count_span(size_t span, void *argument)
{
    struct taking *taking = argument;
    const qd_views *views = taking->views;
    const uint32_t end = first_taken(taking, span + 1);
    uint32_t count[2] = {0, 0};
    struct spending spending = {NULL, 0};

    for (uint32_t i = first_taken(taking, span); i < end; i++) {
        const qd_crossing change = taking->changes[i];
        qd_observer *observer = observer_of(taking, i);

        if (i + AHEAD < end) {
            __builtin_prefetch(&views->observers[qd_use_index(taking->changes[i + AHEAD].use)], 1);
        }
        if (observer == NULL) {
            continue;
        }
        taking->next[change.begins][observer->rank]++;
        observer->seen += 2 * change.begins - 1u;
        count[change.begins]++;
        spend(&spending, views, observer->member, change);
    }
    pay(&spending);
    memcpy(taking->of[span].count, count, sizeof count);
}

/* Turns counts into places behind the news that a list has. */
static void find_places(uint32_t *next, uint32_t ranks, uint32_t sum)
{
    for (uint32_t rank = 0; rank < ranks; rank++) {
        const uint32_t count = next[rank];

        next[rank] = sum;
        sum += count;
    }
}

/* The reason of a change, above its slot; of an enter there is none. */
static uint32_t reason_of(const qd_views *views, qd_crossing change)
{
    const uint32_t row = qd_use_index(change.use);
    const qd_target *target = &views->targets[change.slot];
    uint32_t reason = QD_ROOM_LEFT_RANGE;

    if (QD_UNLIKELY(views->entities->emptied)) {
        reason = QD_ROOM_LEFT_ROOM_CLOSED;
    } else if (QD_UNLIKELY(!(change.by_range | change.begins))) {
        reason = qd_rule_reason(views, &views->observers[row], change.slot, qd_derived_flags_now(views, row, target));
    }
    return change.begins ? 0 : reason << QD_VIEW_REASON_SHIFT;
}

static void place_span(size_t span, void *argument)
{
    const struct taking *taking = argument;
    const qd_views *views = taking->views;
    const uint32_t end = first_taken(taking, span + 1);

    for (uint32_t i = first_taken(taking, span); i < end; i++) {
        const qd_crossing change = taking->changes[i];
        const qd_observer *observer = observer_of(taking, i);
        qd_view_list *list = taking->list[change.begins];

        if (i + AHEAD < end) {
            __builtin_prefetch(&views->entities->id[taking->changes[i + AHEAD].slot]);
            __builtin_prefetch(&views->observers[qd_use_index(taking->changes[i + AHEAD].use)]);
        }
        if (observer != NULL) {
            const uint32_t at = taking->next[change.begins][observer->rank]++;

            list->key[at] = qd_view_news_key(observer, views->entities->id[change.slot]);
            list->value[at] = change.slot | reason_of(views, change);
        }
    }
}

/* Where the news of each task begin. The observer of the first one has none before it. */
static void part_list(struct taking *taking, uint32_t kind)
{
    const qd_view_list *list = taking->list[kind];

    for (uint32_t span = 0; span <= taking->spans.count; span++) {
        uint32_t first = (uint32_t)((uint64_t)list->count * span / taking->spans.count);

        while (first > 0 && first < list->count && list->key[first] >> 32 == list->key[first - 1] >> 32) {
            first++;
        }
        taking->first[kind][span] = first;
    }
}

/* The news of each observer by id. */
static void sort_span(size_t span, void *argument)
{
    const struct taking *taking = argument;

    for (uint32_t kind = 0; kind < 2; kind++) {
        const qd_view_list *list = taking->list[kind];
        const qd_order all = {list->key, taking->spare[kind].keys, list->value, taking->spare[kind].values};
        qd_order part = qd_order_part(&all, taking->first[kind][span]);

        qd_order_settle(&part, taking->first[kind][span + 1] - taking->first[kind][span]);
    }
}

static bool fit_news(qd_views *views, qd_view_list *list, uint32_t count)
{
    const uint32_t last = list->count + count - 1;

    return count == 0 || (qd_array_reserve(views->heap, list->key, list->key_capacity, last) &&
                          qd_array_reserve(views->heap, list->value, list->capacity, last));
}

/* In one block: what is by rank, and then the spare memory, of the keys first. */
static bool fit_counts(qd_views *views, struct taking *taking)
{
    const size_t ranks = qd_block_part(views->order_count, sizeof taking->next[0][0]);
    const size_t keys = qd_block_part(taking->spans.items, sizeof(uint64_t));
    char *memory =
        qd_block_fit(&views->scratch, views->heap, 2 * ranks + keys + taking->spans.items * sizeof(uint32_t));

    if (!memory) {
        return false;
    }
    memset(memory, 0, 2 * ranks);
    taking->next[0] = (uint32_t *)memory;
    taking->next[1] = (uint32_t *)(memory + ranks);
    taking->spare[0].keys = (uint64_t *)(memory + 2 * ranks);
    taking->spare[0].values = (uint32_t *)(memory + 2 * ranks + keys);
    return true;
}

/* Counts what was taken, and makes room for it. */
static bool count_news(qd_views *views, struct taking *taking, uint32_t count[2])
{
    for (uint32_t i = 0; i < taking->spans.count; i++) {
        count[0] += taking->of[i].count[0];
        count[1] += taking->of[i].count[1];
    }
    views->seen_count += count[1] - (uint64_t)count[0];
    views->leaves_count += count[0];
    views->enters_count += count[1];
    taking->spare[1] = qd_order_part(&taking->spare[0], count[0]);
    return fit_news(views, taking->list[0], count[0]) && fit_news(views, taking->list[1], count[1]);
}

/* Sorts the news of each observer, as there is no other. */
static void sort_news(qd_views *views, struct taking *taking)
{
    for (uint32_t kind = 0; kind < 2; kind++) {
        part_list(taking, kind);
    }
    views->executor->run(views->executor->context, taking->spans.count, sort_span, taking);
    for (uint32_t kind = 0; kind < 2; kind++) {
        taking->list[kind]->ordered = taking->list[kind]->count;
    }
}

void qd_join_news_add(qd_views *views, const qd_crossings *crossings)
{
    const qd_executor *executor = views->executor;
    const bool is_first = views->leaves.count + views->enters.count == 0;
    struct taking taking = {
        .views = views,
        .changes = crossings->changes,
        .spans = qd_view_spans_of(views, executor, (uint32_t)crossings->change_count, TAKEN_MIN),
        .list = {&views->leaves, &views->enters},
    };
    uint32_t count[2] = {0, 0};

    if (crossings->change_count == 0) {
        return;
    }
    if (!fit_counts(views, &taking)) {
        views->no_memory = true;
        return;
    }
    executor->run(executor->context, taking.spans.count, count_span, &taking);
    if (!count_news(views, &taking, count)) {
        views->no_memory = true;
        return;
    }
    for (uint32_t kind = 0; kind < 2; kind++) {
        find_places(taking.next[kind], views->order_count, taking.list[kind]->count);
    }
    executor->run(executor->context, taking.spans.count, place_span, &taking);
    for (uint32_t kind = 0; kind < 2; kind++) {
        taking.list[kind]->count += count[kind];
    }
    if (is_first) {
        sort_news(views, &taking);
    }
}

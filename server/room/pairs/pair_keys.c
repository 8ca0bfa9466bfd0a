/* SPDX-License-Identifier: Apache-2.0 */
#include "pair_keys.h"

#include <string.h>

#include "../../base/assert.h"
#include "../../base/memory/fetch.h"
#include "../common/order.h"

#define PARTS_EVENTS    4096u /* from so many on they are distributed to parts */
#define RANGE_EVENTS    2048u /* a range is not shorter */
#define DIGIT_BITS      6u
#define DIGIT_BITS_FAR  8u /* with more than FAR_EVENTS, so that parts fit a near cache */
#define FAR_EVENTS      (1u << 17)
#define FETCH_AHEAD     16u /* events; their ids are anywhere in memory */
#define TASKS_PER_RANGE 4u  /* because parts differ in length */

/* The state of a sort. */
struct sorting {
    const qd_space_event *events;
    const uint32_t *id;
    size_t count;
    qd_order order, sorted; /* where keys are made, and where they end up: `sorted` swaps the halves of `order` */
    bool with_values;

    /* Of many events. A key's digit combines its kind and its upper half; rare ids share the last digit. */
    size_t ranges, tasks;
    unsigned shift;
    uint32_t digits;   /* per kind */
    uint32_t *counts;  /* [range][kind][digit]; then the next position of each, and at last its end */
    uint64_t *any_key; /* [range]: all bits that any key has */
    unsigned low_bits, high_bits;
};

static inline uint64_t key_of(const uint32_t *id, qd_space_event event)
{
    uint32_t one = id[qd_space_event_a(event)];
    uint32_t other = id[qd_space_event_b(event)];
    uint32_t lower = one < other ? one : other; /* compiles to a move; choosing the key would be a branch */

    return (uint64_t)lower << 32 | (one ^ other ^ lower);
}

static void set_bits(struct sorting *sorting, uint64_t any_key)
{
    sorting->low_bits = qd_order_bits((uint32_t)any_key);
    sorting->high_bits = qd_order_bits((uint32_t)(any_key >> 32));
}

/* ---- few ---- */

static void count_kinds(const struct sorting *sorting, size_t *start)
{
    size_t count = sorting->count;
    uint32_t begins = 0, ends = 0, passed = 0;

    for (size_t i = 0; i < count; i++) {
        begins += qd_space_event_kind(sorting->events[i]) == QD_SPACE_BEGIN;
        ends += qd_space_event_kind(sorting->events[i]) == QD_SPACE_END;
        passed += qd_space_event_kind(sorting->events[i]) == QD_SPACE_PASSED;
    }
    start[QD_SPACE_BEGIN] = 0;
    start[QD_SPACE_END] = begins;
    start[QD_SPACE_STAY] = (size_t)begins + ends;
    start[QD_SPACE_PASSED] = count - passed;
    start[QD_SPACE_PASSED + 1] = count;
}

static void make_by_kind(struct sorting *sorting, const size_t *start)
{
    size_t cursor[QD_PAIR_KINDS];
    uint64_t any_key = 0;

    memcpy(cursor, start, sizeof cursor);
    for (size_t i = 0; i < sorting->count; i++) {
        qd_space_event event = sorting->events[i];
        uint64_t key = key_of(sorting->id, event);
        size_t at = cursor[qd_space_event_kind(event)]++;

        sorting->order.keys[at] = key;
        if (sorting->with_values) {
            sorting->order.values[at] = (uint32_t)i;
        }
        any_key |= key;
    }
    set_bits(sorting, any_key);
}

static void sort_few(struct sorting *sorting, qd_pair_keys *keys)
{
    count_kinds(sorting, keys->start);
    make_by_kind(sorting, keys->start);
    for (int kind = QD_SPACE_BEGIN; kind <= QD_SPACE_PASSED; kind++) {
        qd_order order = qd_order_part(&sorting->order, keys->start[kind]);
        size_t count = qd_pair_keys_count(keys, (qd_space_kind)kind);

        if (count > 0) {
            qd_order_sort(&order, count, sorting->low_bits, sorting->high_bits);
        }
        keys->key[kind] = order.keys;
        keys->value[kind] = order.values;
    }
}

/* ---- many ---- */

static size_t range_first(const struct sorting *sorting, size_t range)
{
    return sorting->count * range / sorting->ranges;
}

static inline uint32_t digit_of(const struct sorting *sorting, qd_space_event event, uint64_t key)
{
    uint32_t digit = (uint32_t)(key >> 32) >> sorting->shift, last = sorting->digits - 1;

    return ((uint32_t)qd_space_event_kind(event) - 1) * sorting->digits + (digit < last ? digit : last);
}

static size_t digits_of_all(const struct sorting *sorting)
{
    return (size_t)(QD_PAIR_KINDS - 1) * sorting->digits;
}

static void make_range(size_t range, void *argument)
{
    const struct sorting *sorting = argument;
    const qd_space_event *events = sorting->events;
    const uint32_t *id = sorting->id;
    size_t first = range_first(sorting, range), end = range_first(sorting, range + 1);
    uint32_t *counts = sorting->counts + range * digits_of_all(sorting);
    uint64_t any_key = 0;

    memset(counts, 0, digits_of_all(sorting) * sizeof counts[0]);
    for (size_t i = first; i < end; i++) {
        if (i + FETCH_AHEAD < end) {
            __builtin_prefetch(&id[qd_space_event_a(events[i + FETCH_AHEAD])]);
            __builtin_prefetch(&id[qd_space_event_b(events[i + FETCH_AHEAD])]);
        }
        uint64_t key = key_of(id, events[i]);
        sorting->order.keys[i] = key;
        counts[digit_of(sorting, events[i], key)]++;
        any_key |= key;
    }
    sorting->any_key[range] = any_key;
}

/* Turns counts into positions, by digit, then by range. */
static void find_positions(struct sorting *sorting, qd_pair_keys *keys)
{
    size_t all = digits_of_all(sorting);
    uint32_t sum = 0;
    uint64_t any_key = 0;

    for (size_t digit = 0; digit < all; digit++) {
        if (digit % sorting->digits == 0) {
            keys->start[digit / sorting->digits + 1] = sum;
        }
        for (size_t range = 0; range < sorting->ranges; range++) {
            uint32_t *count = &sorting->counts[range * all + digit], here = *count;

            *count = sum;
            sum += here;
        }
    }
    keys->start[QD_PAIR_KINDS] = sum;
    for (size_t range = 0; range < sorting->ranges; range++) {
        any_key |= sorting->any_key[range];
    }
    set_bits(sorting, any_key);
}

/* Prefetches the next cache line of each part while the present one fills. */
static void distribute_range(size_t range, void *argument)
{
    const struct sorting *sorting = argument;
    const uint64_t *keys = sorting->order.keys;
    uint64_t *keys_to = sorting->order.keys_spare;
    size_t first = range_first(sorting, range), end = range_first(sorting, range + 1);
    uint32_t *position = sorting->counts + range * digits_of_all(sorting);

    for (size_t i = first; i < end; i++) {
        uint32_t at = position[digit_of(sorting, sorting->events[i], keys[i])]++;

        keys_to[at] = keys[i];
        __builtin_prefetch(&keys_to[at + QD_LINE_BYTES / sizeof keys[0]], 1);
        if (sorting->with_values) {
            sorting->order.values_spare[at] = (uint32_t)i;
        }
    }
}

/* Sorts the parts that begin in a task's share of all keys. They end up where keys were made. */
static void sort_parts(size_t task, void *argument)
{
    const struct sorting *sorting = argument;
    size_t all = digits_of_all(sorting), from = sorting->count * task / sorting->tasks,
           to = sorting->count * (task + 1) / sorting->tasks;
    const uint32_t *ends = sorting->counts + (sorting->ranges - 1) * all; /* of the last range */
    uint32_t first = 0;

    for (size_t digit = 0; digit < all && first < to; first = ends[digit++]) {
        size_t count = ends[digit] - first;

        if (count == 0 || first < from) {
            continue;
        }
        bool is_last = digit % sorting->digits == sorting->digits - 1;
        qd_order part = qd_order_part(&sorting->sorted, first);
        qd_order_sort(&part, count, sorting->low_bits, is_last ? sorting->high_bits : sorting->shift);
        if (part.keys == sorting->sorted.keys + first) {
            qd_order_put_back(&part, count);
        }
    }
}

static void sort_many(struct sorting *sorting, qd_pair_keys *keys, const qd_executor *executor)
{
    qd_order *order = &sorting->order;

    executor->run(executor->context, sorting->ranges, make_range, sorting);
    find_positions(sorting, keys);
    executor->run(executor->context, sorting->ranges, distribute_range, sorting);
    sorting->sorted = (qd_order){order->keys_spare, order->keys, order->values_spare, order->values};
    sorting->tasks = sorting->ranges == 1 ? 1 : sorting->ranges * TASKS_PER_RANGE;
    executor->run(executor->context, sorting->tasks, sort_parts, sorting);
    for (int kind = QD_SPACE_BEGIN; kind <= QD_SPACE_PASSED; kind++) {
        keys->key[kind] = order->keys + keys->start[kind];
        keys->value[kind] = order->values ? order->values + keys->start[kind] : NULL;
    }
}

/* ---- */

size_t qd_pair_ranges(size_t count, const qd_executor *executor)
{
    size_t ranges = count / RANGE_EVENTS;

    if (count < PARTS_EVENTS || ranges < 1) {
        return 1;
    }
    return ranges < executor->width ? ranges : executor->width;
}

static uint32_t digits_for(size_t count)
{
    return (1u << (count > FAR_EVENTS ? DIGIT_BITS_FAR : DIGIT_BITS)) + 1;
}

static size_t counts_bytes(size_t count, const qd_executor *executor)
{
    size_t ranges = qd_pair_ranges(count, executor), digits = (QD_PAIR_KINDS - 1) * (size_t)digits_for(count);

    return count < PARTS_EVENTS ? 0 : qd_block_column(ranges * digits, sizeof(uint32_t)) + ranges * sizeof(uint64_t);
}

size_t qd_pair_keys_bytes(size_t count, const qd_executor *executor)
{
    return 2 * (qd_block_column(count, sizeof(uint64_t)) + qd_block_column(count, sizeof(uint32_t))) +
           counts_bytes(count, executor);
}

/* Divides the lower ids into digits. If few ids are beyond the table, they share one digit. */
static void plan_digits(struct sorting *sorting, const qd_ids *ids)
{
    bool is_table = ids->map.count <= ids->count / 4;
    unsigned bits = is_table && ids->table_count > 0 ? qd_order_bits(ids->table_count - 1) : 32;
    unsigned digit_bits = qd_order_bits(digits_for(sorting->count)) - 1;

    sorting->digits = digits_for(sorting->count);
    sorting->shift = bits > digit_bits ? bits - digit_bits : 0;
}

void qd_pair_keys_sort(qd_pair_keys *keys, const qd_pair_source *source, const qd_executor *executor, void *memory)
{
    size_t count = source->events->count, key_bytes = qd_block_column(count, sizeof(uint64_t)),
           value_bytes = qd_block_column(count, sizeof(uint32_t));
    char *at = memory;
    struct sorting sorting = {
        .events = source->events->events,
        .id = source->id,
        .count = count,
        .with_values = source->with_values,
        .order = {.keys = (uint64_t *)at, .keys_spare = (uint64_t *)(at + key_bytes)},
        .ranges = qd_pair_ranges(count, executor),
    };

    QD_ASSERT(count <= UINT32_MAX);
    *keys = (qd_pair_keys){0};
    if (count == 0) {
        return;
    }
    at += 2 * key_bytes;
    if (source->with_values) {
        sorting.order.values = (uint32_t *)at;
        sorting.order.values_spare = (uint32_t *)(at + value_bytes);
    }
    if (count < PARTS_EVENTS) {
        sort_few(&sorting, keys);
        return;
    }
    at += 2 * value_bytes;
    plan_digits(&sorting, source->ids);
    sorting.any_key = (uint64_t *)at;
    sorting.counts = (uint32_t *)(at + sorting.ranges * sizeof(uint64_t));
    sort_many(&sorting, keys, executor);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "order.h"

#include <stdbool.h>
#include <string.h>

#include "../base/assert.h"
#include "../base/fetch.h"

/* Wide digits save passes over many keys; narrow ones save counters, which weigh more when keys are few. */
#define DIGIT_BITS_MAX 11u
#define DIGIT_BITS_FEW 8u
#define DIGIT_BITS_ONE 12u /* in one pass, where that spares the second */
#define FEW_KEYS       512u
#define INSERTION_KEYS 32u
#define DIGITS_MAX     4u /* 32 bits in digits of DIGIT_BITS_FEW */
#define DIGIT_COUNTS   (DIGITS_MAX << DIGIT_BITS_MAX)
#define FAR_KEYS       32768u /* more do not fit a near cache: where they go is fetched ahead */

/* One pass of the radix sort: the keys' digit, and how many keys have each value of it. */
struct digit {
    unsigned shift;
    uint32_t mask;
    uint32_t *counts;
};

/* Splits `bits` from `shift` on into digits of like width, the lowest first. */
static unsigned split(struct digit *digits, uint32_t *counts, unsigned shift, unsigned bits, unsigned bits_max)
{
    unsigned count = (bits + bits_max - 1) / bits_max;

    for (unsigned i = 0; i < count; i++) {
        unsigned width = (bits + (count - i) - 1) / (count - i);

        digits[i] = (struct digit){shift, (1u << width) - 1, counts};
        memset(counts, 0, sizeof counts[0] << width);
        counts += (size_t)1 << width;
        shift += width;
        bits -= width;
    }
    return count;
}

/* Turns counts into where each value's keys go. Returns false where all keys have the same digit: nothing to do. */
static bool place(struct digit *digit, uint64_t any_key, size_t count)
{
    if (digit->counts[(any_key >> digit->shift) & digit->mask] == count)
        return false;
    uint32_t sum = 0;
    for (uint32_t value = 0; value <= digit->mask; value++) {
        uint32_t here = digit->counts[value];
        digit->counts[value] = sum;
        sum += here;
    }
    return true;
}

/* With `far`, each value's next line is fetched while the last one fills: it is there when the line is full. */
static inline __attribute__((always_inline)) void move_keys(qd_order *order, size_t count, struct digit *digit,
                                                            bool with_values, bool far)
{
    const uint64_t *restrict keys = order->keys;
    uint64_t *restrict keys_to = order->keys_spare;
    const uint32_t *restrict values = order->values;
    uint32_t *restrict values_to = order->values_spare;
    unsigned shift = digit->shift;
    uint32_t mask = digit->mask;

    for (size_t i = 0; i < count; i++) {
        uint32_t at = digit->counts[(keys[i] >> shift) & mask]++;

        keys_to[at] = keys[i];
        if (far)
            __builtin_prefetch(&keys_to[at + QD_LINE_BYTES / sizeof keys[0]], 1);
        if (with_values)
            values_to[at] = values[i];
        if (with_values && far)
            __builtin_prefetch(&values_to[at + QD_LINE_BYTES / sizeof values[0]], 1);
    }
    *order = (qd_order){order->keys_spare, order->keys, order->values_spare, order->values};
}

static void scatter(qd_order *order, size_t count, struct digit *digit)
{
    if (count > FAR_KEYS && order->values)
        move_keys(order, count, digit, true, true);
    else if (count > FAR_KEYS)
        move_keys(order, count, digit, false, true);
    else if (order->values)
        move_keys(order, count, digit, true, false);
    else
        move_keys(order, count, digit, false, false);
}

static void count_one(const uint64_t *keys, size_t count, struct digit digit)
{
    for (size_t i = 0; i < count; i++)
        digit.counts[(keys[i] >> digit.shift) & digit.mask]++;
}

static void count_two(const uint64_t *keys, size_t count, struct digit one, struct digit other)
{
    for (size_t i = 0; i < count; i++) {
        one.counts[(keys[i] >> one.shift) & one.mask]++;
        other.counts[(keys[i] >> other.shift) & other.mask]++;
    }
}

/* Sorts by `bits` bits from `shift` on. */
static void sort_by(qd_order *order, size_t count, unsigned shift, unsigned bits)
{
    struct digit digits[DIGITS_MAX];
    uint32_t counts[DIGIT_COUNTS];
    unsigned bits_max = count < FEW_KEYS ? DIGIT_BITS_FEW : DIGIT_BITS_MAX;
    if (bits == DIGIT_BITS_ONE && count >> (DIGIT_BITS_ONE - 2) > 0)
        bits_max = DIGIT_BITS_ONE;
    unsigned used = split(digits, counts, shift, bits, bits_max);

    for (unsigned pass = 0; pass + 1 < used; pass += 2)
        count_two(order->keys, count, digits[pass], digits[pass + 1]);
    if (used % 2 != 0)
        count_one(order->keys, count, digits[used - 1]);
    for (unsigned pass = 0; pass < used; pass++) {
        if (place(&digits[pass], order->keys[0], count))
            scatter(order, count, &digits[pass]);
    }
}

static qd_order part_of(const qd_order *order, size_t first)
{
    qd_order part = {order->keys + first, order->keys_spare + first, NULL, NULL};

    if (order->values) {
        part.values = order->values + first;
        part.values_spare = order->values_spare + first;
    }
    return part;
}

/* What was sorted from its spare memory to where it was before. */
static void put_back(qd_order *part, size_t count)
{
    memcpy(part->keys_spare, part->keys, count * sizeof part->keys[0]);
    if (part->values)
        memcpy(part->values_spare, part->values, count * sizeof part->values[0]);
}

/* Sorts the run around `at` of keys that are the same from bit `shift` on; returns where it ends. */
static size_t sort_run(qd_order *order, size_t count, size_t at, unsigned shift, unsigned low_bits)
{
    uint64_t upper = order->keys[at] >> shift;
    size_t first = at, end = at + 1;

    while (first > 0 && order->keys[first - 1] >> shift == upper)
        first--;
    while (end < count && order->keys[end] >> shift == upper)
        end++;

    qd_order run = part_of(order, first);
    sort_by(&run, end - first, 0, shift < low_bits ? shift : low_bits);
    if (shift > 32)
        sort_by(&run, end - first, 32, shift - 32);
    if (run.keys != order->keys + first)
        put_back(&run, end - first);
    return end;
}

/* Puts a key among the first `count`, which are in order. Gives up (false) where that is farther than INSERTION_KEYS
 * away. */
static bool insert(qd_order *order, size_t count, uint64_t key, uint32_t value)
{
    size_t lowest = count > INSERTION_KEYS ? count - INSERTION_KEYS : 0, at = count;

    if (lowest > 0 && order->keys[lowest - 1] > key)
        return false;
    for (; at > lowest && order->keys[at - 1] > key; at--)
        order->keys[at] = order->keys[at - 1];
    order->keys[at] = key;
    if (order->values) {
        for (size_t to = count; to > at; to--)
            order->values[to] = order->values[to - 1];
        order->values[at] = value;
    }
    return true;
}

/* Puts keys in order of which those that are the same from bit `shift` on lie together, and those are few. The largest
 * so far is held back, so that a key goes past one without a branch. */
static inline __attribute__((always_inline)) void settle(qd_order *order, size_t count, unsigned shift,
                                                         unsigned low_bits, bool with_values)
{
    uint64_t *keys = order->keys, last = 0, held = keys[0];
    uint32_t *values = order->values, held_value = with_values ? values[0] : 0;

    for (size_t i = 1; i < count; i++) {
        uint64_t key = keys[i], lower = key < held ? key : held;
        uint32_t value = with_values ? values[i] : 0, past = key < held ? UINT32_MAX : 0;
        uint32_t lower_value = held_value ^ ((held_value ^ value) & past);

        held = key < held ? held : key;
        held_value ^= value ^ lower_value;
        keys[i - 1] = lower;
        if (with_values)
            values[i - 1] = lower_value;
        if (lower < last && !insert(order, i - 1, lower, lower_value)) {
            keys[i] = held;
            if (with_values)
                values[i] = held_value;
            i = sort_run(order, count, i - 1, shift, low_bits) - 1;
            held = keys[i];
            held_value = with_values ? values[i] : 0;
        }
        last = keys[i - 1];
    }
    keys[count - 1] = held;
    if (with_values)
        values[count - 1] = held_value;
}

/* By as many of the upper bits as it takes to count the keys; then few are still in the wrong order. */
void qd_order_sort(qd_order *order, size_t count, unsigned low_bits, unsigned high_bits)
{
    unsigned shift = 32, top = 32 + high_bits;

    QD_ASSERT(low_bits <= 32 && high_bits <= 32 && count <= UINT32_MAX);
    if (count > INSERTION_KEYS) {
        unsigned wanted = 64u - (unsigned)__builtin_clzll(count);
        if (wanted < high_bits) {
            shift = top - wanted;
        } else if (count >> high_bits > 1) {
            shift = wanted - high_bits < low_bits ? low_bits - (wanted - high_bits) : 0;
            sort_by(order, count, shift, low_bits - shift);
        }
        sort_by(order, count, shift > 32 ? shift : 32, top - (shift > 32 ? shift : 32));
    }
    if (count == 0)
        return;
    if (order->values)
        settle(order, count, shift, low_bits, true);
    else
        settle(order, count, shift, low_bits, false);
}

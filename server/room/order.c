/* SPDX-License-Identifier: Apache-2.0 */
#include "order.h"

#include <stdbool.h>
#include <string.h>

#include "../base/assert.h"

/* Wide digits save passes over many keys; narrow ones save counters, which weigh more when keys are few. */
#define DIGIT_BITS_MAX  11u
#define DIGIT_BITS_FEW  8u
#define FEW_KEYS        512u
#define INSERTION_KEYS  32u
#define DIGITS_MAX      4u /* 32 bits in digits of DIGIT_BITS_FEW */
#define DIGIT_COUNT_MAX (1u << DIGIT_BITS_MAX)

/* One pass of the radix sort: the keys' digit, and how many keys have each value of it. */
struct digit {
    unsigned shift;
    uint32_t mask;
    uint32_t counts[DIGIT_COUNT_MAX];
};

/* Splits `bits` from `shift` on into digits of like width, the lowest first. */
static unsigned split(struct digit *digits, unsigned shift, unsigned bits, unsigned bits_max)
{
    unsigned count = (bits + bits_max - 1) / bits_max;

    for (unsigned i = 0; i < count; i++) {
        unsigned width = (bits + (count - i) - 1) / (count - i);

        digits[i].shift = shift;
        digits[i].mask = (1u << width) - 1;
        memset(digits[i].counts, 0, sizeof digits[i].counts[0] << width);
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

static void scatter(qd_order *order, size_t count, struct digit *digit)
{
    const uint64_t *restrict keys = order->keys;
    uint64_t *restrict keys_to = order->keys_spare;
    const uint32_t *restrict values = order->values;
    uint32_t *restrict values_to = order->values_spare;
    unsigned shift = digit->shift;
    uint32_t mask = digit->mask;

    if (values) {
        for (size_t i = 0; i < count; i++) {
            uint32_t at = digit->counts[(keys[i] >> shift) & mask]++;
            keys_to[at] = keys[i];
            values_to[at] = values[i];
        }
    } else {
        for (size_t i = 0; i < count; i++)
            keys_to[digit->counts[(keys[i] >> shift) & mask]++] = keys[i];
    }
    *order = (qd_order){order->keys_spare, order->keys, order->values_spare, order->values};
}

/* Sorts by `bits` bits from `shift` on. */
static void sort_by(qd_order *order, size_t count, unsigned shift, unsigned bits)
{
    struct digit digits[DIGITS_MAX];
    unsigned used = split(digits, shift, bits, count < FEW_KEYS ? DIGIT_BITS_FEW : DIGIT_BITS_MAX);

    for (unsigned pass = 0; pass < used; pass++) {
        struct digit *digit = &digits[pass];
        for (size_t i = 0; i < count; i++)
            digit->counts[(order->keys[i] >> digit->shift) & digit->mask]++;
    }
    for (unsigned pass = 0; pass < used; pass++) {
        if (place(&digits[pass], order->keys[0], count))
            scatter(order, count, &digits[pass]);
    }
}

/* Sorts the run of equal upper halves around `at` by the lower halves; returns where it ends. */
static size_t sort_run(qd_order *order, size_t count, size_t at, unsigned low_bits)
{
    uint64_t upper = order->keys[at] >> 32;
    size_t first = at, end = at + 1;

    while (first > 0 && order->keys[first - 1] >> 32 == upper)
        first--;
    while (end < count && order->keys[end] >> 32 == upper)
        end++;

    qd_order run = {order->keys + first, order->keys_spare + first, NULL, NULL};
    if (order->values) {
        run.values = order->values + first;
        run.values_spare = order->values_spare + first;
    }
    sort_by(&run, end - first, 0, low_bits);
    if (run.keys != order->keys + first) {
        memcpy(order->keys + first, run.keys, (end - first) * sizeof run.keys[0]);
        if (run.values)
            memcpy(order->values + first, run.values, (end - first) * sizeof run.values[0]);
    }
    return end;
}

/* Puts the key at its place among those before it, which are in order. Gives up (false, nothing done) where that is
 * farther than INSERTION_KEYS away. */
static bool insert(qd_order *order, size_t from)
{
    uint64_t key = order->keys[from];
    size_t lowest = from > INSERTION_KEYS ? from - INSERTION_KEYS : 0;
    size_t at = from;

    while (at > lowest && order->keys[at - 1] > key)
        at--;
    if (at == lowest && at > 0 && order->keys[at - 1] > key)
        return false;
    memmove(order->keys + at + 1, order->keys + at, (from - at) * sizeof key);
    order->keys[at] = key;
    if (order->values) {
        uint32_t value = order->values[from];
        memmove(order->values + at + 1, order->values + at, (from - at) * sizeof value);
        order->values[at] = value;
    }
    return true;
}

void qd_order_sort(qd_order *order, size_t count, unsigned low_bits, unsigned high_bits)
{
    QD_ASSERT(low_bits <= 32 && high_bits <= 32 && count <= UINT32_MAX);

    if (count > INSERTION_KEYS) {
        /* Where few keys share an upper half, they are all but sorted without the passes over the lower ones. */
        if (count >> high_bits > 0)
            sort_by(order, count, 0, low_bits);
        sort_by(order, count, 32, high_bits);
    }
    for (size_t i = 1; i < count; i++) {
        if (order->keys[i] < order->keys[i - 1] && !insert(order, i))
            i = sort_run(order, count, i, low_bits) - 1;
    }
}

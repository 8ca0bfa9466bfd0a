/* SPDX-License-Identifier: Apache-2.0 */
#include "order.h"

#include <stdbool.h>
#include <string.h>

#include "../../base/assert.h"
#include "../../base/memory/fetch.h"

/* Wide digits save passes over many keys. Narrow digits save counters, which cost more than the passes if keys are few.
 */
#define DIGIT_BITS_MAX 11u
#define DIGIT_BITS_FEW 8u
#define DIGIT_BITS_ONE 12u /* in one pass, if that saves the second */
#define FEW_KEYS       512u
#define INSERTION_KEYS 32u
#define DIGITS_MAX     4u /* 32 bits in digits of DIGIT_BITS_FEW */
#define DIGIT_COUNTS   (DIGITS_MAX << DIGIT_BITS_MAX)
#define FAR_KEYS       32768u  /* more do not fit a near cache: their targets are prefetched */
#define PARTS_KEYS     131072u /* more are distributed to parts first, by PART_BITS */
#define PART_BITS      8u

/* The bits of keys to sort by: `low` bits of the lower halves, and above them, from `high_shift` on, `high` bits of the
 * upper halves. */
struct range {
    unsigned low_shift, low, high_shift, high;
};

/* One pass of the radix sort: the digit of the keys, and how many keys have each value of it. A digit that spans both
 * halves has its upper bits in upper_shift and upper_mask. */
struct digit {
    unsigned shift, upper_shift;
    uint32_t mask, upper_mask;
    uint32_t *counts;
};

static inline __attribute__((always_inline)) size_t digit_of(const struct digit *digit, uint64_t key, bool of_both)
{
    size_t value = (key >> digit->shift) & digit->mask;

    return of_both ? value | ((key >> digit->upper_shift) & digit->upper_mask) : value;
}

/* The digit of `width` bits, `from` bits behind the range's first. */
static struct digit digit_at(struct range range, unsigned from, unsigned width)
{
    unsigned low = range.low > from ? range.low - from : 0; /* bits, and all behind them */
    uint32_t mask = (1u << width) - 1, low_mask = low < width ? (1u << low) - 1 : mask;

    if (low == 0) {
        return (struct digit){.shift = range.high_shift + from - range.low, .mask = mask};
    }
    return (struct digit){range.low_shift + from, range.high_shift - low, low_mask, mask & ~low_mask, NULL};
}

/* Splits a range into digits of similar width, the lowest first. */
static unsigned split(struct digit *digits, uint32_t *counts, struct range range, unsigned bits_max)
{
    unsigned bits = range.low + range.high, count = (bits + bits_max - 1) / bits_max, from = 0;

    for (unsigned i = 0; i < count; i++) {
        unsigned width = (bits - from + (count - i) - 1) / (count - i);

        digits[i] = digit_at(range, from, width);
        digits[i].counts = counts;
        memset(counts, 0, sizeof counts[0] << width);
        counts += (size_t)1 << width;
        from += width;
    }
    return count;
}

/* Turns each count into the sum of the counts before it. Four at a time, as this is much of the work for few keys. */
static void sum_up(uint32_t *counts, uint32_t values)
{
    typedef uint32_t fours __attribute__((vector_size(16)));
    const fours none = {0};
    fours before = none;
    uint32_t value = 0;

    for (; value + 4 <= values; value += 4) {
        fours here, sum, at;

        memcpy(&here, counts + value, sizeof here);
        sum = here + __builtin_shufflevector(here, none, 4, 0, 1, 2);
        sum += __builtin_shufflevector(sum, none, 4, 5, 0, 1);
        at = before + sum - here;
        memcpy(counts + value, &at, sizeof at);
        before += __builtin_shufflevector(sum, sum, 3, 3, 3, 3);
    }
    for (uint32_t sum = before[0]; value < values; value++) {
        uint32_t here = counts[value];

        counts[value] = sum;
        sum += here;
    }
}

/* Turns counts into the position of each value's first key. Returns false if all keys have the same digit, which needs
 * no pass. */
static bool find_positions(struct digit *digit, uint64_t any_key, size_t count)
{
    if (digit->counts[digit_of(digit, any_key, true)] == count) {
        return false;
    }
    sum_up(digit->counts, (digit->mask | digit->upper_mask) + 1);
    return true;
}

/* With `far`, the next cache line of each value is prefetched while the present one fills. */
static inline __attribute__((always_inline)) void move_keys(qd_order *order, size_t count, struct digit *digit,
                                                            bool of_both, bool with_values, bool far)
{
    const uint64_t *restrict keys = order->keys;
    uint64_t *restrict keys_to = order->keys_spare;
    const uint32_t *restrict values = order->values;
    uint32_t *restrict values_to = order->values_spare;
    const struct digit by = *digit;

    for (size_t i = 0; i < count; i++) {
        uint32_t at = by.counts[digit_of(&by, keys[i], of_both)]++;

        keys_to[at] = keys[i];
        if (far) {
            __builtin_prefetch(&keys_to[at + QD_LINE_BYTES / sizeof keys[0]], 1);
        }
        if (with_values) {
            values_to[at] = values[i];
        }
        if (with_values && far) {
            __builtin_prefetch(&values_to[at + QD_LINE_BYTES / sizeof values[0]], 1);
        }
    }
    *order = (qd_order){order->keys_spare, order->keys, order->values_spare, order->values};
}

static inline __attribute__((always_inline)) void scatter_by(qd_order *order, size_t count, struct digit *digit,
                                                             bool of_both)
{
    if (count > FAR_KEYS && order->values) {
        move_keys(order, count, digit, of_both, true, true);
    } else if (count > FAR_KEYS) {
        move_keys(order, count, digit, of_both, false, true);
    } else if (order->values) {
        move_keys(order, count, digit, of_both, true, false);
    } else {
        move_keys(order, count, digit, of_both, false, false);
    }
}

static void scatter(qd_order *order, size_t count, struct digit *digit)
{
    if (digit->upper_mask) {
        scatter_by(order, count, digit, true);
    } else {
        scatter_by(order, count, digit, false);
    }
}

static inline __attribute__((always_inline)) void count_by(const uint64_t *keys, size_t count,
                                                           const struct digit *digit, bool of_both)
{
    const struct digit by = *digit;

    for (size_t i = 0; i < count; i++) {
        by.counts[digit_of(&by, keys[i], of_both)]++;
    }
}

static void count_one(const uint64_t *keys, size_t count, const struct digit *digit)
{
    if (digit->upper_mask) {
        count_by(keys, count, digit, true);
    } else {
        count_by(keys, count, digit, false);
    }
}

/* The second digit lies in one half. */
static inline __attribute__((always_inline)) void
count_two_by(const uint64_t *keys, size_t count, const struct digit *first, const struct digit *second, bool of_both)
{
    const struct digit one = *first, other = *second;

    for (size_t i = 0; i < count; i++) {
        one.counts[digit_of(&one, keys[i], of_both)]++;
        other.counts[digit_of(&other, keys[i], false)]++;
    }
}

static void count_two(const uint64_t *keys, size_t count, const struct digit *first, const struct digit *second)
{
    if (second->upper_mask) {
        count_one(keys, count, first);
        count_one(keys, count, second);
    } else if (first->upper_mask) {
        count_two_by(keys, count, first, second, true);
    } else {
        count_two_by(keys, count, first, second, false);
    }
}

/* Sorts by a range of bits. */
static void sort_by(qd_order *order, size_t count, struct range range)
{
    struct digit digits[DIGITS_MAX];
    uint32_t counts[DIGIT_COUNTS];
    unsigned bits = range.low + range.high;
    unsigned bits_max = count < FEW_KEYS ? DIGIT_BITS_FEW : DIGIT_BITS_MAX;

    if (bits == DIGIT_BITS_ONE && count >> (DIGIT_BITS_ONE - 2) > 0) {
        bits_max = DIGIT_BITS_ONE;
    }
    unsigned used = split(digits, counts, range, bits_max);

    for (unsigned pass = 0; pass + 1 < used; pass += 2) {
        count_two(order->keys, count, &digits[pass], &digits[pass + 1]);
    }
    if (used % 2 != 0) {
        count_one(order->keys, count, &digits[used - 1]);
    }
    for (unsigned pass = 0; pass < used; pass++) {
        if (find_positions(&digits[pass], order->keys[0], count)) {
            scatter(order, count, &digits[pass]);
        }
    }
}

bool qd_order_in_block(qd_order *order, qd_block *block, qd_heap *heap, size_t count)
{
    const size_t keys = qd_block_part(count, sizeof(uint64_t)), values = qd_block_part(count, sizeof(uint32_t));
    char *memory = qd_block_fit(block, heap, 2 * (keys + values));

    if (!memory) {
        return false;
    }
    *order = (qd_order){(uint64_t *)memory, (uint64_t *)(memory + keys), (uint32_t *)(memory + 2 * keys),
                        (uint32_t *)(memory + 2 * keys + values)};
    return true;
}

void qd_order_put_back(const qd_order *part, size_t count)
{
    memcpy(part->keys_spare, part->keys, count * sizeof part->keys[0]);
    if (part->values) {
        memcpy(part->values_spare, part->values, count * sizeof part->values[0]);
    }
}

/* Sorts the run around `at` of keys that are the same from bit `shift` on; returns where it ends. */
static size_t sort_run(qd_order *order, size_t count, size_t at, unsigned shift, unsigned low_bits)
{
    uint64_t upper = order->keys[at] >> shift;
    size_t first = at, end = at + 1;

    while (first > 0 && order->keys[first - 1] >> shift == upper) {
        first--;
    }
    while (end < count && order->keys[end] >> shift == upper) {
        end++;
    }

    qd_order run = qd_order_part(order, first);
    sort_by(&run, end - first, (struct range){.low = shift < low_bits ? shift : low_bits, .high_shift = 32});
    if (shift > 32) {
        sort_by(&run, end - first, (struct range){.high_shift = 32, .high = shift - 32});
    }
    if (run.keys != order->keys + first) {
        qd_order_put_back(&run, end - first);
    }
    return end;
}

/* Inserts a key among the first `count`, which are in order. Returns false if its position is more than INSERTION_KEYS
 * away. */
static bool insert(qd_order *order, size_t count, uint64_t key, uint32_t value)
{
    size_t lowest = count > INSERTION_KEYS ? count - INSERTION_KEYS : 0, at = count;

    if (lowest > 0 && order->keys[lowest - 1] > key) {
        return false;
    }
    for (; at > lowest && order->keys[at - 1] > key; at--) {
        order->keys[at] = order->keys[at - 1];
    }
    order->keys[at] = key;
    if (order->values) {
        for (size_t to = count; to > at; to--) {
            order->values[to] = order->values[to - 1];
        }
        order->values[at] = value;
    }
    return true;
}

/* Sorts keys in which keys that are equal from bit `shift` on already lie together, in short runs. The largest key so
 * far is held back, so that passing one key needs no branch. */
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
        if (with_values) {
            values[i - 1] = lower_value;
        }
        if (lower < last && !insert(order, i - 1, lower, lower_value)) {
            keys[i] = held;
            if (with_values) {
                values[i] = held_value;
            }
            i = sort_run(order, count, i - 1, shift, low_bits) - 1;
            held = keys[i];
            held_value = with_values ? values[i] : 0;
        }
        last = keys[i - 1];
    }
    keys[count - 1] = held;
    if (with_values) {
        values[count - 1] = held_value;
    }
}

void qd_order_settle(qd_order *order, size_t count)
{
    if (count > 1) {
        settle(order, count, 32, 32, true);
    }
}

/* Sorts by as many of the first bits as the number of keys has. Then few keys are still in the wrong order. */
static void sort_near(qd_order *order, size_t count, unsigned low_bits, unsigned high_bits)
{
    unsigned shift = 32;

    if (count > INSERTION_KEYS) {
        unsigned wanted = 64u - (unsigned)__builtin_clzll(count);
        struct range range = {.high_shift = 32, .high = high_bits};

        if (wanted <= high_bits) {
            shift = range.high_shift = 32 + high_bits - wanted;
            range.high = wanted;
        } else if (count >> high_bits > 1) {
            range.low = wanted - high_bits < low_bits ? wanted - high_bits : low_bits;
            shift = range.low_shift = low_bits - range.low;
        }
        sort_by(order, count, range);
    }
    if (count == 0) {
        return;
    }
    if (order->values) {
        settle(order, count, shift, low_bits, true);
    } else {
        settle(order, count, shift, low_bits, false);
    }
}

/* Distributes keys by their first bits to parts that fit a near cache. All parts are sorted with the same spare memory,
 * which stays in the cache. Returns false, with nothing done, if all keys have the same first bits. */
static bool sort_parts(qd_order *order, size_t count, unsigned low_bits, unsigned high_bits)
{
    uint32_t counts[1u << PART_BITS] = {0};
    struct digit digit = {.shift = 32 + high_bits - PART_BITS, .mask = (1u << PART_BITS) - 1, .counts = counts};
    size_t first = 0;

    count_one(order->keys, count, &digit);
    if (!find_positions(&digit, order->keys[0], count)) {
        return false;
    }
    scatter(order, count, &digit);
    for (uint32_t value = 0; value <= digit.mask; first = counts[value++]) {
        qd_order part = qd_order_part(order, first);

        part.keys_spare = order->keys_spare;
        part.values_spare = order->values_spare;
        sort_near(&part, counts[value] - first, low_bits, high_bits - PART_BITS);
        if (part.keys != order->keys + first) {
            qd_order_put_back(&part, counts[value] - first);
        }
    }
    return true;
}

void qd_order_sort(qd_order *order, size_t count, unsigned low_bits, unsigned high_bits)
{
    QD_ASSERT(low_bits <= 32 && high_bits <= 32 && count <= UINT32_MAX);
    if (count <= PARTS_KEYS || high_bits < PART_BITS || !sort_parts(order, count, low_bits, high_bits)) {
        sort_near(order, count, low_bits, high_bits);
    }
}

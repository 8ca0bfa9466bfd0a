/* SPDX-License-Identifier: Apache-2.0 */
#include "sort_list.h"

#include <string.h>

#include "../../base/ablation.h"
#include "../../base/memory/array.h"
#include "../geometry/morton.h"

#define GROUP_ROWS  64u
#define KEY_BITS    16u
#define DIGITS      256u /* values of a digit; a key has two digits */
#define LONG_SHARE  0.25 /* of the extent of all rows: where rows this long begin says little about which ones meet */
#define LONG_SAMPLE 256u /* rows */
#define ROOM_BYTES  (sizeof(uint16_t) + 3 * sizeof(uint32_t)) /* per row */

/* A list of either width. */
typedef struct columns {
    void *column[QD_LIST_COLUMNS];
    size_t width;
    uint32_t *row;
    uint64_t *changed;
    uint32_t count;
} columns;

typedef struct range {
    uint32_t least, most;
} range;

void qd_list_sorter_free(qd_list_sorter *sorter, qd_heap *heap)
{
    qd_array_free(heap, sorter->order[0], sorter->capacity * ROOM_BYTES);
    *sorter = (qd_list_sorter){0};
}

static bool reserve(qd_list_sorter *sorter, qd_heap *heap, uint32_t count)
{
    if (count <= sorter->capacity) {
        return true;
    }
    size_t capacity = qd_array_capacity(sorter->capacity, count, 0);
    uint32_t *home = qd_array_grow(heap, sorter->order[0], sorter->capacity * ROOM_BYTES, 0, capacity * ROOM_BYTES);
    if (home == NULL) {
        return false;
    }
    *sorter = (qd_list_sorter){
        .order = {home, home + capacity},
        .spare = home + 2 * capacity,
        .key = (uint16_t *)(void *)(home + 3 * capacity),
        .capacity = (uint32_t)capacity,
    };
    return true;
}

static range range_of(const columns *list, uint32_t k, uint32_t from, uint32_t to)
{
    if (list->width == sizeof(uint8_t)) {
        const uint8_t *column = list->column[k];
        uint8_t least = column[from], most = least;

        for (uint32_t i = from; i < to; i++) {
            least = column[i] < least ? column[i] : least;
            most = column[i] > most ? column[i] : most;
        }
        return (range){least, most};
    }
    const uint16_t *column = list->column[k];
    uint16_t least = column[from], most = least;
    for (uint32_t i = from; i < to; i++) {
        least = column[i] < least ? column[i] : least;
        most = column[i] > most ? column[i] : most;
    }
    return (range){least, most};
}

/* Whether all rows overlap each other, so that no order separates them. */
static bool is_one_heap(const columns *list)
{
    for (uint32_t k = QD_INNER_LO; k < QD_INNER_HI; k++) {
        if (range_of(list, k, 0, list->count).most > range_of(list, k + QD_AXES, 0, list->count).least) {
            return false;
        }
    }
    return true;
}

static double volume(double side)
{
    return QD_AXES == 2 ? side * side : side * side * side;
}

/* Whether sorting pays. Groups of sorted rows are about as long, all axes together, as the whole divided by the root of
 * their number (in three dimensions by the cube root); it pays when groups are twice as long. */
static bool is_apart(const columns *list)
{
    double whole = 0, sum = 0;
    uint32_t groups = (list->count + GROUP_ROWS - 1) / GROUP_ROWS;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        range low = range_of(list, QD_OUTER_LO + k, 0, list->count);
        range high = range_of(list, QD_OUTER_HI + k, 0, list->count);

        whole += (double)high.most - low.least;
        for (uint32_t from = 0; from < list->count; from += GROUP_ROWS) {
            uint32_t to = list->count - from < GROUP_ROWS ? list->count : from + GROUP_ROWS;

            high = range_of(list, QD_OUTER_HI + k, from, to);
            low = range_of(list, QD_OUTER_LO + k, from, to);
            sum += (double)high.most - low.least;
        }
    }
    return volume(sum / groups) * groups > volume(2 * whole);
}

static uint32_t number_at(const columns *list, uint32_t k, uint32_t i)
{
    return list->width == sizeof(uint8_t) ? ((const uint8_t *)list->column[k])[i]
                                          : ((const uint16_t *)list->column[k])[i];
}

/* Rows that are long along an axis, as parts of all rows, lie side by side along the others. If they do along one axis
 * only, it is the one along which they are sorted in strips: 1 + the axis, else 0. Looks at some rows. */
static uint8_t strips_of(const columns *list)
{
    const uint32_t every = list->count / LONG_SAMPLE + 1;
    uint8_t strips = 0, count = 0;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        uint32_t least = UINT32_MAX, most = 0, rows = 0;
        double sum = 0;

        for (uint32_t i = 0; i < list->count; i += every, rows++) {
            const uint32_t low = number_at(list, QD_OUTER_LO + k, i), high = number_at(list, QD_OUTER_HI + k, i);

            sum += high - low;
            least = low < least ? low : least;
            most = high > most ? high : most;
        }
        if (sum < LONG_SHARE * rows * (most - least)) {
            strips = (uint8_t)(k + 1);
            count++;
        }
    }
    return count == 1 ? strips : 0;
}

/* The lower edges along an axis. */
static void make_strip_keys(const columns *list, uint32_t axis, uint16_t *key)
{
    for (uint32_t i = 0; i < list->count; i++) {
        key[i] = (uint16_t)number_at(list, QD_OUTER_LO + axis, i);
    }
}

/* The Morton numbers of the lower corners, as fine as a key can hold. */
static void make_keys(const columns *list, uint16_t *key)
{
    range axis[QD_AXES];
    uint32_t span = 0, shift = 0;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        axis[k] = range_of(list, QD_OUTER_LO + k, 0, list->count);
        span = axis[k].most - axis[k].least > span ? axis[k].most - axis[k].least : span;
    }
    while (span >> shift >= 1u << KEY_BITS / QD_AXES) {
        shift++;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        uint32_t at[QD_AXES];

        for (uint32_t k = 0; k < QD_AXES; k++) {
            at[k] = (number_at(list, QD_OUTER_LO + k, i) - axis[k].least) >> shift;
        }
        key[i] = (uint16_t)qd_morton(at);
    }
}

/* Sorts by one digit. `from` NULL: from the order of the rows. */
static void sort_digit(const uint16_t *key, uint32_t shift, const uint32_t *from, uint32_t *to, uint32_t count)
{
    uint32_t next[DIGITS + 1] = {0};

    for (uint32_t i = 0; i < count; i++) {
        next[(key[i] >> shift) % DIGITS + 1]++;
    }
    for (uint32_t digit = 0; digit < DIGITS; digit++) {
        next[digit + 1] += next[digit];
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t row = from != NULL ? from[i] : i;

        to[next[(key[row] >> shift) % DIGITS]++] = row;
    }
}

static void permute(void *column, size_t width, const uint32_t *order, uint32_t count, void *spare)
{
    memcpy(spare, column, count * width);
    for (uint32_t i = 0; i < count; i++) {
        if (width == sizeof(uint8_t)) {
            ((uint8_t *)column)[i] = ((const uint8_t *)spare)[order[i]];
        } else if (width == sizeof(uint16_t)) {
            ((uint16_t *)column)[i] = ((const uint16_t *)spare)[order[i]];
        } else {
            ((uint32_t *)column)[i] = ((const uint32_t *)spare)[order[i]];
        }
    }
}

static void permute_bits(uint64_t *bits, const uint32_t *order, uint32_t count, uint64_t *spare)
{
    size_t words = (count + 63) / 64;

    memcpy(spare, bits, words * sizeof *bits);
    memset(bits, 0, words * sizeof *bits);
    for (uint32_t i = 0; i < count; i++) {
        bits[i / 64] |= (spare[order[i] / 64] >> order[i] % 64 & 1) << i % 64;
    }
}

/* Returns the strips, as in a list. */
static uint8_t sort_list(qd_list_sorter *sorter, qd_heap *heap, const columns *list)
{
    if (QD_WITHOUT(LIST_SORT) || is_one_heap(list) || !is_apart(list) || !reserve(sorter, heap, list->count)) {
        return 0;
    }
    const uint8_t strips = QD_WITHOUT(LIST_STRIPS) ? 0 : strips_of(list);
    if (strips != 0) {
        make_strip_keys(list, strips - 1u, sorter->key);
    } else {
        make_keys(list, sorter->key);
    }
    sort_digit(sorter->key, 0, NULL, sorter->order[0], list->count);
    sort_digit(sorter->key, 8, sorter->order[0], sorter->order[1], list->count);
    const uint32_t *order = sorter->order[1];
    for (uint32_t k = 0; k < QD_LIST_COLUMNS; k++) {
        permute(list->column[k], list->width, order, list->count, sorter->spare);
    }
    permute(list->row, sizeof *list->row, order, list->count, sorter->spare);
    permute_bits(list->changed, order, list->count, sorter->spare);
    return strips;
}

void qd_list16_sort(qd_list_sorter *sorter, qd_heap *heap, qd_list16 *list)
{
    list->strips = 0;
    if (list->count <= QD_LIST_LONG) {
        return;
    }
    columns all = {.width = sizeof(uint16_t), .row = list->row, .changed = list->changed, .count = list->count};
    for (uint32_t k = 0; k < QD_LIST_COLUMNS; k++) {
        all.column[k] = list->column[k];
    }
    list->strips = sort_list(sorter, heap, &all);
}

void qd_list8_sort(qd_list_sorter *sorter, qd_heap *heap, qd_list8 *list)
{
    list->strips = 0;
    if (list->count <= QD_LIST_LONG) {
        return;
    }
    columns all = {.width = sizeof(uint8_t), .row = list->row, .changed = list->changed, .count = list->count};
    for (uint32_t k = 0; k < QD_LIST_COLUMNS; k++) {
        all.column[k] = list->column[k];
    }
    list->strips = sort_list(sorter, heap, &all);
}

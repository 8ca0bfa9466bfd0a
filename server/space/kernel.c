/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel.h"

#include <string.h>

#include "../base/assert.h"
#include "array.h"

#define EVENTS_TOLD_STEP 4096u

static _Atomic(const qd_kernel *) chosen;

static bool runs_here(const qd_kernel *kernel)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (kernel == &qd_kernel_avx512) {
        return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vbmi") &&
               __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("bmi2");
    }
    if (kernel == &qd_kernel_avx2) {
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
    }
#elif defined(__AARCH64EL__)
    if (kernel == &qd_kernel_neon) {
        return true;
    }
#endif
    return kernel == &qd_kernel_portable;
}

const qd_kernel *qd_kernel_at(uint32_t index)
{
    static const qd_kernel *const kernels[] = {
        &qd_kernel_portable,
#if defined(__x86_64__)
        &qd_kernel_avx2,
        &qd_kernel_avx512,
#elif defined(__AARCH64EL__)
        &qd_kernel_neon,
#endif
    };
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        if (runs_here(kernels[i]) && index-- == 0) {
            return kernels[i];
        }
    }
    return NULL;
}

void qd_kernel_select(const qd_kernel *kernel)
{
    QD_ASSERT(kernel == NULL || runs_here(kernel));
    atomic_store(&chosen, kernel);
}

const qd_kernel *qd_kernel_chosen(void)
{
    const qd_kernel *kernel = atomic_load_explicit(&chosen, memory_order_acquire);
    if (kernel == NULL) {
        for (uint32_t i = 0; qd_kernel_at(i) != NULL; i++) {
            kernel = qd_kernel_at(i);
        }
        atomic_store_explicit(&chosen, kernel, memory_order_release);
    }
    return kernel;
}

/* Rows are written in whole blocks and vectors, beyond the count. */
static uint32_t list_capacity(uint32_t capacity, uint32_t count)
{
    uint32_t needed = (count + 3 * QD_LIST_LANES - 1) / QD_LIST_LANES * QD_LIST_LANES;
    uint32_t more = capacity + capacity / 2;
    return needed > more ? needed : (more + QD_LIST_LANES - 1) / QD_LIST_LANES * QD_LIST_LANES;
}

/* One allocation a list: the columns, the references, the bits, the groups (of 32 rows or more). */
static size_t list_bytes(uint32_t capacity, size_t width)
{
    return capacity * (QD_LIST_COLUMNS * width + sizeof(uint32_t)) + (capacity / 64 + 1) * sizeof(uint64_t) +
           capacity / 32 * QD_LIST_COLUMNS * width;
}

static unsigned char *regrow(qd_heap *heap, void *old, uint32_t capacity_old, uint32_t capacity, size_t width)
{
    unsigned char *home = qd_heap_need(heap, QD_ARRAY_ALIGNMENT, list_bytes(capacity, width));
    unsigned char *from = old;
    memset(home, 0, list_bytes(capacity, width));
    if (from != NULL) {
        for (size_t k = 0; k < QD_LIST_COLUMNS; k++) {
            memcpy(home + k * capacity * width, from + k * capacity_old * width, capacity_old * width);
        }
        size_t rows = QD_LIST_COLUMNS * width, size = sizeof(uint32_t);
        memcpy(home + rows * capacity, from + rows * capacity_old, capacity_old * size);
        memcpy(home + (rows + size) * capacity, from + (rows + size) * capacity_old,
               (capacity_old / 64 + 1) * sizeof(uint64_t));
        qd_array_free(heap, old, list_bytes(capacity_old, width));
    }
    return home;
}

void qd_list16_reserve(qd_heap *heap, qd_list16 *list, uint32_t count)
{
    if (QD_LIKELY(count + 2 * QD_LIST_LANES <= list->capacity)) {
        return;
    }
    uint32_t capacity = list_capacity(list->capacity, count);
    unsigned char *home = regrow(heap, list->column[0], list->capacity, capacity, sizeof(uint16_t));
    for (size_t k = 0; k < QD_LIST_COLUMNS; k++) {
        list->column[k] = (uint16_t *)(void *)(home + k * capacity * sizeof(uint16_t));
    }
    list->row = (uint32_t *)(void *)(home + QD_LIST_COLUMNS * capacity * sizeof(uint16_t));
    list->moved = (uint64_t *)(void *)(list->row + capacity);
    list->group = (uint16_t *)(void *)(list->moved + capacity / 64 + 1);
    list->capacity = capacity;
}

void qd_list8_reserve(qd_heap *heap, qd_list8 *list, uint32_t count)
{
    if (QD_LIKELY(count + 2 * QD_LIST_LANES <= list->capacity)) {
        return;
    }
    uint32_t capacity = list_capacity(list->capacity, count);
    unsigned char *home = regrow(heap, list->column[0], list->capacity, capacity, sizeof(uint8_t));
    for (size_t k = 0; k < QD_LIST_COLUMNS; k++) {
        list->column[k] = home + k * capacity;
    }
    list->row = (uint32_t *)(void *)(home + QD_LIST_COLUMNS * capacity);
    list->moved = (uint64_t *)(void *)(list->row + capacity);
    list->group = (uint8_t *)(list->moved + capacity / 64 + 1);
    list->capacity = capacity;
}

void qd_list16_free(qd_heap *heap, qd_list16 *list)
{
    qd_array_free(heap, list->column[0], list_bytes(list->capacity, sizeof(uint16_t)));
    memset(list, 0, sizeof *list);
}

void qd_list8_free(qd_heap *heap, qd_list8 *list)
{
    qd_array_free(heap, list->column[0], list_bytes(list->capacity, sizeof(uint8_t)));
    memset(list, 0, sizeof *list);
}

void qd_sink_tell(qd_sink *sink)
{
    uint64_t news = sink->count - sink->told;
    uint64_t found = atomic_fetch_add_explicit(&sink->quota->found, news, memory_order_relaxed) + news;
    sink->told = sink->count;
    sink->stopped = found > sink->quota->limit;
}

bool qd_sink_open(qd_sink *sink, size_t more)
{
    if (sink->count - sink->told >= EVENTS_TOLD_STEP || sink->count > sink->quota->limit) {
        qd_sink_tell(sink);
    }
    if (sink->stopped) {
        return false;
    }
    if (sink->count + more > sink->capacity) {
        size_t capacity = sink->capacity + sink->capacity / 2;
        capacity = capacity < sink->count + more ? sink->count + more : capacity;
        sink->event = qd_array_grow(sink->heap, QD_ARRAY_NEED, sink->event, sink->capacity * sizeof *sink->event,
                                    sink->count * sizeof *sink->event, capacity * sizeof *sink->event);
        sink->capacity = capacity;
    }
    return true;
}

/* One side of a pair: its rows, which of a split body are only half of it. */
typedef struct side {
    uint32_t id, slot;
    const qd_row *now, *was;
    bool circle;
} side;

static side side_of(const qd_sink *sink, uint32_t reference)
{
    uint32_t id = qd_row_id(sink->rows, reference);
    return (side){
        .id = id,
        .slot = id & QD_ID_SLOT,
        .now = qd_row_now(sink->rows, reference),
        .was = qd_row_was(sink->rows, reference),
        .circle = (id & QD_ID_CIRCLE) != 0,
    };
}

static qd_filter filter_was(const qd_sink *sink, const side *at)
{
    uint32_t change = sink->bodies->record[at->slot].change;
    return change == QD_NONE ? sink->bodies->filter[at->slot] : sink->bodies->change[change].was_filter;
}

/* The body's own past, also where this row is only its newcomer. */
static void whole_was(const qd_sink *sink, const side *at, const qd_row **row, bool *circle)
{
    *row = at->was;
    *circle = at->circle;
    if (at->id & QD_ID_NEWCOMER) {
        const qd_change *change = &sink->bodies->change[sink->bodies->record[at->slot].change];
        *row = &change->was;
        *circle = change->was_circle;
    }
}

/* The body's own present, also where this row is only its ghost. */
static void whole_now(const qd_sink *sink, const side *at, const qd_row **row, bool *circle)
{
    *row = at->now;
    *circle = at->circle;
    if (at->id & QD_ID_GHOST) {
        const qd_record *record = &sink->bodies->record[at->slot];
        *row = qd_row_now(sink->rows, record->row);
        *circle = record->circle;
    }
}

/* A pair of split bodies meets as often as it has rows. Of these meetings exactly one is of the two rows that are there
 * now, and one of the two that were: the first tells of begins and stays, the second of ends, each with a look at the
 * other half. */
uint32_t qd_pair_resolve(const qd_sink *sink, uint32_t reference_a, uint32_t reference_b)
{
    side a = side_of(sink, reference_a), b = side_of(sink, reference_b);
    bool agreed = qd_filters_agree(filter_was(sink, &a), filter_was(sink, &b));
    bool was = agreed && qd_rows_overlap(a.was, a.circle, b.was, b.circle);
    if (sink->mode == QD_WALK_PAIRS) {
        return was ? QD_SPACE_STAY : 0;
    }
    bool agree = qd_filters_agree(sink->bodies->filter[a.slot], sink->bodies->filter[b.slot]);
    bool now = agree && qd_rows_overlap(a.now, a.circle, b.now, b.circle);
    const qd_row *row_a, *row_b;
    bool circle_a, circle_b;
    if (now) {
        if (!was && agreed && ((a.id | b.id) & QD_ID_NEWCOMER)) {
            whole_was(sink, &a, &row_a, &circle_a);
            whole_was(sink, &b, &row_b, &circle_b);
            was = qd_rows_overlap(row_a, circle_a, row_b, circle_b);
        }
        return !was ? QD_SPACE_BEGIN : sink->mode == QD_WALK_STAYS ? QD_SPACE_STAY : 0;
    }
    if (!was) {
        return 0;
    }
    if (agree && ((a.id | b.id) & QD_ID_GHOST)) {
        whole_now(sink, &a, &row_a, &circle_a);
        whole_now(sink, &b, &row_b, &circle_b);
        now = qd_rows_overlap(row_a, circle_a, row_b, circle_b);
    }
    return now ? 0 : QD_SPACE_END;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Two spaces that are told the same: one with the index that is tested, one with BRUTE. At every tick they must find
 * the same events, and between ticks have the same pairs. Both give out the same slots.
 */
#ifndef QD_TEST_SPACE_TWINS_H
#define QD_TEST_SPACE_TWINS_H

#include <stdlib.h>
#include <string.h>

#include "server/space/space.h"
#include "server/space/tuning.h"
#include "tests/support/test.h"

typedef struct twins {
    qd_heap heap[2];
    qd_space *space[2];
    const qd_executor *executor; /* of the first one */
} twins;

static inline void twins_begin(twins *t, const qd_space_config *config, const qd_tuning *tuning)
{
    qd_space_config brute = *config;

    brute.index = QD_SPACE_BRUTE;
    brute.depth = 0;
    brute.cell_size = 0;
    t->executor = &qd_executor_serial;
    for (int i = 0; i < 2; i++) {
        qd_heap_init(&t->heap[i]);
        assert_int_equal(qd_space_create(i == 0 ? config : &brute, &t->heap[i], &t->space[i]), QD_OK);
        qd_space_tune(t->space[i], tuning);
    }
}

static inline void twins_end(twins *t)
{
    for (int i = 0; i < 2; i++) {
        qd_space_destroy(t->space[i]);
        assert_int_equal(t->heap[i].bytes, 0);
        qd_heap_deinit(&t->heap[i]);
    }
}

static inline uint32_t twins_add(twins *t, const qd_body *body)
{
    uint32_t slot[2];

    for (int i = 0; i < 2; i++) {
        assert_int_equal(qd_space_add(t->space[i], body, &slot[i]), QD_OK);
    }
    assert_int_equal(slot[0], slot[1]);
    return slot[0];
}

static inline void twins_move(twins *t, size_t count, const uint32_t *slots, const float *x, const float *y,
                              const float *z)
{
    for (int i = 0; i < 2; i++) {
        qd_space_move(t->space[i], count, slots, x, y, z);
    }
}

static inline void twins_teleport(twins *t, size_t count, const uint32_t *slots, const float *x, const float *y,
                                  const float *z)
{
    for (int i = 0; i < 2; i++) {
        qd_space_teleport(t->space[i], count, slots, x, y, z);
    }
}

static inline void twins_reshape(twins *t, uint32_t slot, const qd_body *form)
{
    for (int i = 0; i < 2; i++) {
        qd_space_reshape(t->space[i], slot, form);
    }
}

static inline void twins_refilter(twins *t, uint32_t slot, uint32_t category, uint32_t mask)
{
    for (int i = 0; i < 2; i++) {
        qd_space_refilter(t->space[i], slot, category, mask);
    }
}

static inline void twins_remove(twins *t, uint32_t slot)
{
    for (int i = 0; i < 2; i++) {
        (void)qd_space_remove(t->space[i], slot, QD_SPACE_DESPAWNED);
    }
}

static inline int twins_order(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* Kind, the smaller slot, the larger one; in order. To be freed. */
static inline uint64_t *twins_sorted(const qd_space_events *found)
{
    assert_true(found->complete);
    uint64_t *sorted = malloc((found->count + 1) * sizeof *sorted);
    for (size_t i = 0; i < found->count; i++) {
        qd_space_event event = found->events[i];
        uint32_t a = qd_space_event_a(event), b = qd_space_event_b(event);

        sorted[i] = (uint64_t)qd_space_event_kind(event) << 60 | (uint64_t)(a < b ? a : b) << 30 | (a < b ? b : a);
    }
    qsort(sorted, found->count, sizeof *sorted, twins_order);
    return sorted;
}

static inline void twins_compare(const qd_space_events found[2])
{
    uint64_t *sorted[2] = {twins_sorted(&found[0]), twins_sorted(&found[1])};

    assert_int_equal(found[0].count, found[1].count);
    assert_memory_equal(sorted[0], sorted[1], found[0].count * sizeof(uint64_t));
    free(sorted[0]);
    free(sorted[1]);
}

/* Returns how many events there were. */
static inline size_t twins_tick(twins *t, qd_space_wanted wanted)
{
    qd_space_events found[2];

    for (int i = 0; i < 2; i++) {
        qd_space_tick(t->space[i], i == 0 ? t->executor : &qd_executor_serial, wanted, 1u << 24, &found[i]);
    }
    twins_compare(found);
    size_t count = found[0].count;
    for (int i = 0; i < 2; i++) {
        const uint32_t *freed;
        size_t freed_count;

        qd_space_settle(t->space[i], &freed, &freed_count);
        qd_space_validate(t->space[i]);
    }
    return count;
}

static inline void twins_pairs(twins *t)
{
    qd_space_events found[2];

    for (int i = 0; i < 2; i++) {
        qd_space_pairs(t->space[i], i == 0 ? t->executor : &qd_executor_serial, 1u << 24, &found[i]);
    }
    twins_compare(found);
}

#endif

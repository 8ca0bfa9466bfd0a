/* SPDX-License-Identifier: Apache-2.0
 *
 * A crowd of bodies in a space with QD_AXES axes. A test may add a second space with the same bodies. Both spaces
 * get the same calls. At each tick they must report the same events, and at any time the same pairs and hits. What one
 * space reports can be compared with the oracle instead.
 */
#ifndef QD_TESTS_UNIT_SPACE_FIXTURE_H
#define QD_TESTS_UNIT_SPACE_FIXTURE_H

#include <math.h>

#include "support/backwards.h"
#include "support/oracle.h"
#include "support/rng.h"
#include "support/spaces.h"
#include "tests/support/test.h"

#define CROWD_MAX  100000u
#define CROWD_TREE (QD_AXES == 2 ? QD_SPACE_QUADTREE : QD_SPACE_OCTREE)

/* All moves wait for the tick, and small tasks do the work. */
#define CROWD_SMALL_TASKS ((qd_tuning){.leaf_rows = 96, .task_rows_min = 100, .apply_slots = 64})
/* The cost of traversals without hits is counted to the end. */
#define CROWD_PATIENT ((qd_tuning){.leaf_rows = 96, .task_rows_min = 8192, .pending_bodies_min = 65536})

typedef struct crowd_of_bodies {
    rng_stream rng;
    const qd_executor *executor; /* of the space under test */
    uint32_t spaces;
    qd_heap heap[2];
    qd_space *space[2];
    uint32_t count, added;
    uint32_t slot[2][CROWD_MAX];   /* by space: removed bodies give up their slots in any order */
    uint32_t id[2][2 * CROWD_MAX]; /* of the body that has the slot, in the order in which bodies were added */
    float at[3][CROWD_MAX];        /* crowd_move moves the bodies here; z is 0 if there are two axes */
    qd_body form[CROWD_MAX];       /* all but the place */
    uint8_t *touching;             /* a byte for each pair, if a test asks the oracle */
} crowd_of_bodies;

static crowd_of_bodies crowd;

/* Every index that there is for QD_AXES. */
static const qd_space_index crowd_indexes[] = {QD_SPACE_AUTO, CROWD_TREE,    QD_SPACE_SPARSE,
                                               QD_SPACE_HASH, QD_SPACE_GRID, QD_SPACE_BRUTE};
#define CROWD_INDEXES (sizeof crowd_indexes / sizeof *crowd_indexes)

static inline qd_space_config crowd_config(qd_space_index index, float lo, float hi)
{
    qd_space_config config = space_config_of(QD_AXES, index, lo, hi, CROWD_MAX);

    config.test_budget = UINT32_MAX;
    return config;
}

/* ---- begin and end ---- */

/* `tuning` may be NULL. */
static inline void crowd_add_space(const qd_space_config *config, const qd_tuning *tuning)
{
    const uint32_t i = crowd.spaces++;

    qd_heap_init(&crowd.heap[i]);
    assert_int_equal(qd_space_create(config, &crowd.heap[i], &crowd.space[i]), QD_OK);
    if (tuning != NULL) {
        qd_space_tune(crowd.space[i], tuning);
    }
}

static inline void crowd_begin(const qd_space_config *config, const qd_tuning *tuning)
{
    crowd.spaces = crowd.count = crowd.added = 0;
    crowd.rng.state = 7;
    crowd.executor = &qd_executor_serial;
    crowd.touching = NULL;
    crowd_add_space(config, tuning);
}

static inline void crowd_begin_beside_brute(const qd_space_config *config, const qd_tuning *tuning)
{
    qd_space_config brute = *config;

    brute.index = QD_SPACE_BRUTE;
    brute.depth = 0;
    brute.cell_size = 0;
    crowd_begin(config, tuning);
    crowd_add_space(&brute, tuning);
}

static inline void crowd_end(void)
{
    for (uint32_t i = 0; i < crowd.spaces; i++) {
        qd_space_validate(crowd.space[i]);
        qd_space_destroy(crowd.space[i]);
        assert_int_equal(crowd.heap[i].bytes, 0);
        qd_heap_deinit(&crowd.heap[i]);
    }
    free(crowd.touching);
}

static inline qd_space_counters crowd_counters(void)
{
    qd_space_counters counters;

    qd_space_counters_get(crowd.space[0], &counters);
    return counters;
}

/* ---- changes ---- */

static inline float crowd_between(double lo, double hi)
{
    return rng_between(&crowd.rng, lo, hi);
}

static inline qd_body crowd_body(uint32_t i)
{
    qd_body body = crowd.form[i];

    body.x = crowd.at[0][i];
    body.y = crowd.at[1][i];
    body.z = crowd.at[2][i];
    return body;
}

static inline qd_body crowd_box(float x, float y, float z, float half)
{
    return (qd_body){.x = x,
                     .y = y,
                     .z = QD_AXES == 3 ? z : 0,
                     .half_x = half,
                     .half_y = half,
                     .half_z = QD_AXES == 3 ? half : 0,
                     .category = 1,
                     .mask = UINT32_MAX,
                     .shape = QD_SPACE_BOX};
}

static inline void crowd_add(qd_body body)
{
    const uint32_t i = crowd.count++;

    assert_true(i < CROWD_MAX);
    for (uint32_t k = 0; k < crowd.spaces; k++) {
        assert_int_equal(qd_space_add(crowd.space[k], &body, &crowd.slot[k][i]), QD_OK);
        crowd.id[k][crowd.slot[k][i]] = crowd.added;
    }
    crowd.added++;
    crowd.at[0][i] = body.x;
    crowd.at[1][i] = body.y;
    crowd.at[2][i] = body.z;
    crowd.form[i] = body;
}

/* Boxes anywhere between `lo` and `hi` on each axis. */
static inline void crowd_scatter(uint32_t count, double lo, double hi, float half)
{
    for (uint32_t i = 0; i < count; i++) {
        crowd_add(crowd_box(crowd_between(lo, hi), crowd_between(lo, hi), crowd_between(lo, hi), half));
    }
}

/* As many units per body as make each meet a few others, if all are boxes of half extent 0.5. */
static inline double crowd_side(uint32_t count)
{
    return QD_AXES == 2 ? 4 * sqrt(count) : 3.17 * cbrt(count);
}

static inline void crowd_move(uint32_t first, uint32_t count)
{
    for (uint32_t k = 0; k < crowd.spaces; k++) {
        qd_space_move(crowd.space[k], count, crowd.slot[k] + first, crowd.at[0] + first, crowd.at[1] + first,
                      QD_AXES == 3 ? crowd.at[2] + first : NULL);
    }
}

static inline void crowd_teleport(uint32_t first, uint32_t count)
{
    for (uint32_t k = 0; k < crowd.spaces; k++) {
        qd_space_teleport(crowd.space[k], count, crowd.slot[k] + first, crowd.at[0] + first, crowd.at[1] + first,
                          QD_AXES == 3 ? crowd.at[2] + first : NULL);
    }
}

/* Changes only where crowd_move will move the body. */
static inline void crowd_place(uint32_t i, float x, float y, float z)
{
    crowd.at[0][i] = x;
    crowd.at[1][i] = y;
    crowd.at[2][i] = QD_AXES == 3 ? z : 0;
}

static inline void crowd_place_anywhere(uint32_t i, double lo, double hi)
{
    crowd_place(i, crowd_between(lo, hi), crowd_between(lo, hi), crowd_between(lo, hi));
}

static inline void crowd_shift(uint32_t i, float by)
{
    crowd_place(i, crowd.at[0][i] + by, crowd.at[1][i] + by, crowd.at[2][i] + by);
}

/* Moves each of the first `count` by up to `step` on each axis. */
static inline void crowd_wander(uint32_t count, double step)
{
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < QD_AXES; k++) {
            crowd.at[k][i] += crowd_between(-step, step);
        }
    }
    crowd_move(0, count);
}

static inline void crowd_reshape(uint32_t i, const qd_body *form)
{
    const qd_body was = crowd.form[i];

    crowd.form[i] = *form;
    crowd.form[i].category = was.category;
    crowd.form[i].mask = was.mask;
    for (uint32_t k = 0; k < crowd.spaces; k++) {
        assert_int_equal(qd_space_reshape(crowd.space[k], crowd.slot[k][i], form), QD_OK);
    }
}

static inline void crowd_refilter(uint32_t i, uint32_t category, uint32_t mask)
{
    crowd.form[i].category = category;
    crowd.form[i].mask = mask;
    for (uint32_t k = 0; k < crowd.spaces; k++) {
        qd_space_refilter(crowd.space[k], crowd.slot[k][i], category, mask);
    }
}

/* The last body gets the number of the removed one. Returns whether the slot is free at once. */
static inline bool crowd_remove(uint32_t i)
{
    const uint32_t last = --crowd.count;
    bool is_free = false;

    for (uint32_t k = 0; k < crowd.spaces; k++) {
        bool is_free_here = qd_space_remove(crowd.space[k], crowd.slot[k][i], QD_SPACE_DESPAWNED);

        assert_true(k == 0 || is_free_here == is_free);
        is_free = is_free_here;
        crowd.slot[k][i] = crowd.slot[k][last];
    }
    crowd.form[i] = crowd.form[last];
    crowd_place(i, crowd.at[0][last], crowd.at[1][last], crowd.at[2][last]);
    return is_free;
}

/* ---- ticks, pairs and hits ---- */

#define CROWD_NO_LIMIT ((size_t)1 << 24)

/* As space_event_key, by the ids of bodies. */
static inline uint64_t crowd_event_key(uint32_t space, qd_space_event event)
{
    event.a = (uint32_t)qd_space_event_kind(event) << QD_SPACE_EVENT_SHIFT | crowd.id[space][qd_space_event_a(event)];
    event.b = crowd.id[space][event.b];
    return space_event_key(event);
}

static inline void crowd_compare(const qd_space_events found[2])
{
    uint64_t digest[2] = {0};

    for (uint32_t k = 0; k < crowd.spaces; k++) {
        assert_true(crowd.spaces == 1 || found[k].complete);
        assert_int_equal(found[k].count, found[0].count);
        for (size_t i = 0; i < found[k].count; i++) {
            digest[k] += space_event_key_hash(crowd_event_key(k, found[k].events[i]));
        }
    }
    assert_true(crowd.spaces == 1 || digest[0] == digest[1]);
}

static inline const qd_executor *crowd_executor(uint32_t space)
{
    return space == 0 ? crowd.executor : &qd_executor_serial;
}

/* The events are valid until the next change. */
static inline qd_space_events crowd_tick_for(qd_space_wanted wanted, size_t limit)
{
    qd_space_events found[2];
    size_t freed_count[2];

    for (uint32_t k = 0; k < crowd.spaces; k++) {
        qd_space_validate(crowd.space[k]);
        qd_space_tick(crowd.space[k], crowd_executor(k), wanted, limit, &found[k]);
    }
    crowd_compare(found);
    for (uint32_t k = 0; k < crowd.spaces; k++) {
        freed_count[k] = 0;
        for (uint32_t slot = qd_space_settle(crowd.space[k]); slot != QD_SPACE_SLOT_NONE;
             slot = qd_space_next_freed(crowd.space[k], slot)) {
            freed_count[k]++;
        }
        assert_int_equal(freed_count[k], freed_count[0]);
        qd_space_validate(crowd.space[k]);
    }
    return found[0];
}

/* Returns the number of events. */
static inline size_t crowd_tick(void)
{
    const qd_space_events found = crowd_tick_for(QD_SPACE_WANT_EVENTS, CROWD_NO_LIMIT);

    assert_true(found.complete);
    return found.count;
}

static inline size_t crowd_pairs(void)
{
    qd_space_events found[2];

    for (uint32_t k = 0; k < crowd.spaces; k++) {
        qd_space_pairs(crowd.space[k], crowd_executor(k), CROWD_NO_LIMIT, &found[k]);
    }
    assert_true(found[0].complete);
    crowd_compare(found);
    return found[0].count;
}

/* What the first space finds, but for the hits themselves; the second one must find the same. */
static inline qd_space_hits crowd_find(qd_space_query query)
{
    qd_space_hits hits[2];

    for (uint32_t k = 0; k < crowd.spaces; k++) {
        query.names = crowd.id[k];
        assert_int_equal(qd_space_find(crowd.space[k], &query, &hits[k]), QD_OK);
        assert_int_equal(hits[k].count, hits[0].count);
        assert_int_equal(hits[k].more, hits[0].more);
        for (uint32_t i = 0; i < hits[0].count; i++) {
            assert_true(hits[k].hit[i].at == hits[0].hit[i].at && hits[k].hit[i].name == hits[0].hit[i].name);
        }
    }
    const qd_space_hits found = {.count = hits[0].count, .more = hits[0].more, .tests = hits[0].tests};
    for (uint32_t k = 0; k < crowd.spaces; k++) {
        qd_space_hits_free(crowd.space[k], &hits[k]);
    }
    return found;
}

/* As crowd_tick, for bodies that are all there from the first tick on. An event must be reported exactly for the pairs
 * that begin or end to overlap, as the oracle finds them. */
static inline size_t crowd_tick_with_oracle(void)
{
    const size_t count = crowd.count;

    assert_int_equal(crowd.added, count);
    if (crowd.touching == NULL) {
        crowd.touching = calloc(count * count, 1);
    }
    const qd_space_events found = crowd_tick_for(QD_SPACE_WANT_EVENTS, CROWD_NO_LIMIT);
    assert_true(found.complete);
    for (size_t i = 0; i < found.count; i++) {
        const uint64_t key = crowd_event_key(0, found.events[i]);
        uint8_t *pair = &crowd.touching[(key >> 32) * count + (key >> 8 & 0xffffff)];

        assert_int_equal(key & 0xff, *pair ? QD_SPACE_END : QD_SPACE_BEGIN);
        *pair = !*pair;
    }
    for (uint32_t a = 0; a < count; a++) {
        const qd_body one = crowd_body(a);

        for (uint32_t b = a + 1; b < count; b++) {
            const qd_body other = crowd_body(b);
            oracle_verdict verdict = (one.category & other.mask) != 0 && (other.category & one.mask) != 0
                                         ? oracle_overlap(&one, &other)
                                         : ORACLE_APART;

            assert_int_equal(verdict, crowd.touching[a * count + b] ? ORACLE_OVERLAP : ORACLE_APART);
        }
    }
    return found.count;
}

#endif

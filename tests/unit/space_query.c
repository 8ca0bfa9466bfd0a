/* SPDX-License-Identifier: Apache-2.0
 *
 * The cost of queries: they test near bodies only. model/space_query.c tests their
 * results.
 */
#include <math.h>

#include "server/space/space.h"
#include "tests/support/test.h"

#define SIDE 200 /* bodies in a row, and rows */

/* Boxes of 0.8 x 0.8, one in each unit square. */
static qd_space *make_field(qd_heap *heap)
{
    const qd_space_config config = {.max_x = SIDE, .max_y = SIDE, .bodies_max = SIDE * SIDE};
    const uint32_t *freed;
    size_t count;
    qd_space_events events;
    qd_space *space;

    qd_heap_init(heap);
    assert_int_equal(qd_space_create(&config, heap, &space), QD_OK);
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        const qd_body body = {.x = (float)(i % SIDE) + 0.5f,
                              .y = (float)(i / SIDE) + 0.5f,
                              .half_x = 0.4f,
                              .half_y = 0.4f,
                              .category = 1,
                              .mask = UINT32_MAX,
                              .shape = QD_SPACE_BOX};
        uint32_t slot;

        assert_int_equal(qd_space_add(space, &body, &slot), QD_OK);
    }
    qd_space_tick(space, &qd_executor_serial, QD_SPACE_WANT_NOTHING, 1, &events);
    qd_space_settle(space, &freed, &count);
    return space;
}

static void expect(const qd_space *space, const qd_space_query *query, uint32_t count, uint32_t tests_max)
{
    qd_space_hits hits;

    assert_int_equal(qd_space_find(space, query, &hits), QD_OK);
    assert_int_equal(hits.count, count);
    assert_in_range(hits.tests, count, tests_max);
    qd_space_hits_free(space, &hits);
}

TEST(queries_test_only_near_bodies)
{
    qd_heap heap;
    qd_space *space = make_field(&heap);
    const uint32_t few = SIDE * SIDE / 20;
    qd_space_query query = {
        .kind = QD_SPACE_IN_BOX, .min_x = 30, .max_x = 35, .min_y = 60, .max_y = 63, .limit = SIDE * SIDE};

    expect(space, &query, 15, few);
    query = (qd_space_query){.kind = QD_SPACE_IN_CIRCLE, .x = 120.5f, .y = 90.5f, .radius = 1, .limit = SIDE * SIDE};
    expect(space, &query, 9, few);
    query = (qd_space_query){.kind = QD_SPACE_NEAREST, .x = 77, .y = 77, .reach = (double)INFINITY, .limit = 4};
    expect(space, &query, 4, few);
    query.limit = SIDE * SIDE;
    query.reach = 0.2;
    expect(space, &query, 4, few);
    /* The first hit of a ray that crosses all, and all its hits. */
    query = (qd_space_query){
        .kind = QD_SPACE_RAY, .x = -5, .y = 20.5f, .direction_x = 1, .reach = (double)INFINITY, .limit = 1};
    expect(space, &query, 1, few);
    query.limit = SIDE;
    expect(space, &query, SIDE, 5 * few);
    /* A query far from all bodies costs no more than the root's own list. */
    query = (qd_space_query){.kind = QD_SPACE_NEAREST, .x = -500, .y = -500, .reach = 10, .limit = 4};
    expect(space, &query, 0, few);
    qd_space_destroy(space);
    qd_heap_deinit(&heap);
}

TEST_MAIN()

/* SPDX-License-Identifier: Apache-2.0
 *
 * The cost of registering in operations on lists, in every index that has levels: a move inside a cell none, any other
 * a constant number, however deep the tree is. */

#include "server/space/space.h"
#include "support/rng.h"
#include "tests/support/test.h"

#define WORLD 1024.0f

typedef struct tree {
    qd_space_index index;
    uint32_t dimensions, depth_max;
} tree;

static const tree trees[] = {
    {QD_SPACE_QUADTREE, 2, QD_SPACE_QUADTREE_DEPTH_MAX},
    {QD_SPACE_OCTREE, 3, QD_SPACE_OCTREE_DEPTH_MAX},
    {QD_SPACE_SPARSE, 2, QD_SPACE_SPARSE_DEPTH_MAX_2D},
    {QD_SPACE_SPARSE, 3, QD_SPACE_SPARSE_DEPTH_MAX_3D},
};

static qd_space *make_space(const tree *as, uint32_t depth, qd_heap *heap)
{
    const bool is_solid = as->dimensions == 3;
    const qd_space_config config = {.dimensions = as->dimensions,
                                    .max_x = WORLD,
                                    .max_y = WORLD,
                                    .max_z = is_solid ? WORLD : 0,
                                    .index = as->index,
                                    .depth = depth,
                                    .bodies_max = 1000};
    qd_space *space;

    qd_heap_init(heap);
    assert_int_equal(qd_space_create(&config, heap, &space), QD_OK);
    return space;
}

static qd_body box_at(const tree *as, float x, float y, float z, float half)
{
    const bool is_solid = as->dimensions == 3;

    return (qd_body){.x = x,
                     .y = y,
                     .z = is_solid ? z : 0,
                     .half_x = half,
                     .half_y = half,
                     .half_z = is_solid ? half : 0,
                     .category = 1,
                     .mask = UINT32_MAX,
                     .shape = QD_SPACE_BOX};
}

static void tick(qd_space *space)
{
    qd_space_events found;
    const uint32_t *freed;
    size_t count;

    qd_space_tick(space, &qd_executor_serial, QD_SPACE_WANT_EVENTS, 1u << 24, &found);
    qd_space_settle(space, &freed, &count);
}

static uint64_t operations(const qd_space *space)
{
    qd_space_counters counters;

    qd_space_counters_get(space, &counters);
    return counters.list_operations;
}

static void check_one_body(const tree *as, uint32_t depth)
{
    const float cell = WORLD / (float)(1u << depth);
    const float centre[] = {cell / 2, cell / 2 + cell / 8, cell * 1.5f, WORLD - cell / 2};
    qd_heap heap;
    qd_space *space = make_space(as, depth, &heap);
    qd_body body = box_at(as, centre[0], centre[0], centre[0], cell / 4);
    uint32_t slot;

    assert_int_equal(qd_space_add(space, &body, &slot), QD_OK);
    tick(space);
    assert_int_equal(operations(space), 1);
    /* Inside its cell: none, however often. */
    for (int i = 0; i < 100; i++) {
        float x = centre[i % 2];

        qd_space_move(space, 1, &slot, &x, &x, &x);
        if (i % 10 == 0) {
            tick(space);
        }
    }
    assert_int_equal(operations(space), 1);
    /* To the next cell: out of one list and into another; and once more when its was has followed. */
    qd_space_move(space, 1, &slot, &centre[2], &centre[0], &centre[0]);
    assert_true(operations(space) <= 3);
    tick(space);
    qd_space_move(space, 1, &slot, &centre[2], &centre[1], &centre[0]);
    tick(space);
    assert_true(operations(space) <= 5);
    /* Across the space: an old row is left behind and taken out. */
    uint64_t before = operations(space);
    qd_space_teleport(space, 1, &slot, &centre[3], &centre[3], &centre[3]);
    tick(space);
    assert_in_range(operations(space) - before, 1, 4);
    before = operations(space);
    assert_false(qd_space_remove(space, slot, QD_SPACE_DESPAWNED));
    tick(space);
    assert_int_equal(operations(space) - before, 1);
    qd_space_destroy(space);
    qd_heap_deinit(&heap);
}

TEST(one_body_counts_its_operations)
{
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
        for (uint32_t depth = 1; depth <= trees[i].depth_max; depth++) {
            check_one_body(&trees[i], depth);
        }
    }
}

/* Bodies that cross lines of every level, all at each tick: out and in, and again when they are looked at a second
 * time. */
static void check_many(const tree *as, uint32_t depth)
{
    enum { COUNT = 500, TICKS = 12 };
    uint32_t slot[COUNT];
    rng_stream rng = {depth};
    qd_heap heap;
    qd_space *space = make_space(as, depth, &heap);
    for (uint32_t i = 0; i < COUNT; i++) {
        qd_body body = box_at(as, rng_between(&rng, 0, WORLD), rng_between(&rng, 0, WORLD), rng_between(&rng, 0, WORLD),
                              rng_between(&rng, 0, 2));

        assert_int_equal(qd_space_add(space, &body, &slot[i]), QD_OK);
    }
    tick(space);
    uint64_t before = operations(space);
    for (uint32_t t = 0; t < TICKS; t++) {
        for (uint32_t i = 0; i < COUNT; i++) {
            qd_body body;

            qd_space_body(space, slot[i], &body);
            float x = body.x + rng_between(&rng, -3, 3), y = body.y + rng_between(&rng, -3, 3);
            float z = body.z + rng_between(&rng, -3, 3);
            qd_space_move(space, 1, &slot[i], &x, &y, &z);
        }
        tick(space);
    }
    uint64_t made = operations(space) - before;
    assert_true(made > 0 && made <= UINT64_C(4) * COUNT * TICKS);
    qd_space_destroy(space);
    qd_heap_deinit(&heap);
}

TEST(many_bodies_count_their_operations)
{
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
        for (uint32_t depth = 1; depth <= trees[i].depth_max; depth++) {
            check_many(&trees[i], depth);
        }
    }
}

TEST_MAIN()

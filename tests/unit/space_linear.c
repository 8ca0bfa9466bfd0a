/* SPDX-License-Identifier: Apache-2.0
 *
 * The quadtree, and with QD_AXES 3 the octree: the cells of bodies, the memory for them, and that all
 * kernels and executors agree on a crowd too large for brute force. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/space/kernel/choose.h"
#include "server/space/space.h"
#include "server/space/tree/linear/linear.h"
#include "support/backwards.h"
#include "support/rng.h"
#include "tests/support/test.h"

static rng_stream rng = {11};

/* A space whose bounds are a square, or a cube. */
static qd_space *make_space(qd_heap *heap, float lo, float hi, uint32_t depth, uint32_t bodies_max)
{
    const qd_space_config config = {.dimensions = QD_AXES,
                                    .min_x = lo,
                                    .min_y = lo,
                                    .min_z = lo,
                                    .max_x = hi,
                                    .max_y = hi,
                                    .max_z = hi,
                                    .depth = depth,
                                    .bodies_max = bodies_max};
    qd_space *space;

    qd_heap_init(heap);
    assert_int_equal(qd_space_create(&config, heap, &space), QD_OK);
    return space;
}

static void end_space(qd_space *space, qd_heap *heap)
{
    qd_space_validate(space);
    qd_space_destroy(space);
    assert_int_equal(heap->bytes, 0);
    qd_heap_deinit(heap);
}

static qd_body box_at(float x, float y, float z, float half)
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

static void tick(qd_space *space, qd_space_events *found)
{
    const uint32_t *freed;
    size_t count;

    qd_space_tick(space, &qd_executor_serial, QD_SPACE_WANT_EVENTS, 1u << 24, found);
    qd_space_settle(space, &freed, &count);
}

/* ---- the cell of a box ---- */

/* From the root down, into the child that holds both corners, as long as there is one. */
static uint32_t naive_cell(const qd_quantizer *quantizer, const qd_row *box, uint32_t depth)
{
    uint32_t cell = 0, at[QD_AXES] = {0}, size = 65536;

    for (uint32_t level = 0; level < depth; level++) {
        uint32_t child = 0;

        size /= 2;
        for (uint32_t k = 0; k < QD_AXES; k++) {
            uint32_t middle = at[k] + size;
            bool low = qd_quantizer_number(box->v[k], quantizer->origin[k], quantizer->scale) >= middle;
            bool high = qd_quantizer_number(box->v[QD_ROW_HIGH + k], quantizer->origin[k], quantizer->scale) >= middle;

            if (low != high) {
                return cell;
            }
            child |= (uint32_t)low << k;
        }
        cell = QD_CHILDREN * cell + 1 + child;
        for (uint32_t k = 0; k < QD_AXES; k++) {
            at[k] += (child >> k & 1) * size;
        }
    }
    return cell;
}

static uint32_t cell_of_place(uint32_t place, uint32_t depth)
{
    uint32_t at[QD_AXES];

    for (uint32_t k = 0; k < QD_AXES; k++) {
        at[k] = qd_cell_key_number(place, k);
    }
    return qd_level_first(depth - qd_cell_key_height(place)) + qd_morton(at);
}

TEST(box_has_its_cell_at_every_depth)
{
    const qd_space_config config = {
        .min_x = -100, .min_y = 50, .min_z = 1000, .max_x = 400, .max_y = 350, .max_z = 1100};
    qd_heap heap;

    qd_heap_init(&heap);
    qd_index *index = qd_index_create(&qd_linear_ops, &(qd_index){.heap = &heap, .config = &config});
    assert_non_null(index);
    qd_linear *tree = (qd_linear *)index;
    for (uint32_t depth = 0; depth <= QD_TREE_DEPTH_MAX; depth++) {
        tree->depth = depth;
        for (int i = 0; i < 20000; i++) {
            double size = ldexp(300, -(int)(rng_below(&rng, 12)));
            const float half[3] = {rng_between(&rng, 0, size), rng_between(&rng, 0, size), rng_between(&rng, 0, size)};
            float at[3] = {rng_between(&rng, -200, 500), rng_between(&rng, -50, 450), rng_between(&rng, 900, 1600)};

            if (i % 4 == 0) {
                at[0] = -100.0f + 500.0f * (float)(rng_below(&rng, 1025)) / 1024;
            }
            qd_row box = qd_row_of_box(at, half);
            uint32_t place, cell = qd_linear_cell_of(tree, &box, &place);
            assert_int_equal(cell, naive_cell(&tree->quantizer, &box, depth));
            assert_int_equal(cell_of_place(place, depth), cell);
        }
    }
    qd_index_destroy(index);
    assert_int_equal(heap.bytes, 0);
    qd_heap_deinit(&heap);
}

/* ---- memory ---- */

static void fill(qd_space *space, uint32_t count, double side, double half, uint32_t *slots)
{
    for (uint32_t i = 0; i < count; i++) {
        qd_body body =
            box_at(rng_between(&rng, 0, side), rng_between(&rng, 0, side), rng_between(&rng, 0, side), (float)half);

        assert_int_equal(qd_space_add(space, &body, &slots[i]), QD_OK);
    }
}

static void wander(qd_space *space, uint32_t count, const uint32_t *slots, double step)
{
    for (uint32_t i = 0; i < count; i++) {
        qd_body body;

        qd_space_body(space, slots[i], &body);
        float x = body.x + rng_between(&rng, -step, step), y = body.y + rng_between(&rng, -step, step),
              z = body.z + rng_between(&rng, -step, step);
        qd_space_move(space, 1, &slots[i], &x, &y, &z);
    }
}

TEST(memory_follows_the_bodies)
{
    enum { COUNT = 100000 };
    static uint32_t slots[COUNT];
    const float side = QD_AXES == 2 ? 1265 : 186;
    qd_heap heap;
    qd_space *space = make_space(&heap, 0, side, 0, 1u << 20);
    qd_space_events found;
    assert_true(heap.bytes < 2048);
    tick(space, &found);
    assert_int_equal(found.count, 0);
    fill(space, COUNT, (double)side, 0.5, slots);
    for (int t = 0; t < 4; t++) {
        wander(space, COUNT, slots, 0.25);
        tick(space, &found);
    }
    assert_true(heap.bytes < COUNT * (QD_AXES == 2 ? 128u : 224u));
    end_space(space, &heap);
}

TEST(add_without_memory_changes_nothing)
{
    qd_heap heap;
    qd_space *space = make_space(&heap, 0, 100, 0, 1u << 20);
    qd_space_events found;

    qd_memory_limit_set(qd_memory_used() + (512u << 10));
    uint32_t count = 0, slot, refused;
    qd_body body = box_at(0, 50, 50, 1);
    qd_status status;
    for (; (status = qd_space_add(space, &body, &slot)) == QD_OK; count++) {
        body.x = (float)((count + 1) % 100);
    }
    assert_int_equal(status, QD_ERR_NO_MEMORY);
    assert_true(count > 100);
    assert_int_equal(qd_space_add(space, &body, &refused), QD_ERR_NO_MEMORY);
    qd_memory_limit_set(0);
    qd_space_validate(space);
    tick(space, &found);
    assert_true(found.complete && found.count > count);
    assert_false(qd_space_remove(space, slot, QD_SPACE_DESPAWNED));
    tick(space, &found);
    end_space(space, &heap);
}

TEST(bad_configurations_are_refused)
{
    const qd_space_config good = {.dimensions = QD_AXES, .max_x = 1, .max_y = 1, .max_z = 1, .bodies_max = 10};
    qd_space_config bad[16];
    size_t count = sizeof bad / sizeof *bad;

    for (size_t i = 0; i < count; i++) {
        bad[i] = good;
    }
    bad[0].max_x = 0;
    bad[1].min_y = 1;
    bad[2].max_x = INFINITY;
    bad[3].max_y = NAN;
    bad[4].min_x = 2;
    bad[5].depth = QD_TREE_DEPTH_MAX + 1;
    bad[6].bodies_max = QD_SPACE_SLOTS_MAX + 1;
    bad[7].dimensions = 1;
    bad[8].dimensions = 4;
    bad[9].index = QD_AXES == 2 ? QD_SPACE_OCTREE : QD_SPACE_QUADTREE;
    bad[10].index = (qd_space_index)(QD_SPACE_BRUTE + 1);
    bad[11].prune = (qd_space_prune)(QD_SPACE_PRUNE_LAZY + 1);
    bad[12].cell_size = -1;
    bad[13].cell_size = NAN;
    bad[14].index = QD_SPACE_BRUTE;
    bad[14].depth = 1;
    bad[15].dimensions = 3;
    bad[15].min_z = 1;
    qd_heap heap;
    qd_space *space;
    qd_heap_init(&heap);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(qd_space_create(&bad[i], &heap, &space), QD_ERR_INVALID);
    }
    assert_int_equal(heap.bytes, 0);
    assert_int_equal(qd_space_create(&good, &heap, &space), QD_OK);
    end_space(space, &heap);
}

TEST(dimensions_default_to_two)
{
    qd_heap heap;
    qd_space *space;
    qd_space_counters counters;

    qd_heap_init(&heap);
    const qd_space_config config = {.max_x = 1, .max_y = 1, .index = QD_SPACE_QUADTREE};
    assert_int_equal(qd_space_create(&config, &heap, &space), QD_OK);
    qd_space_counters_get(space, &counters);
    assert_int_equal(counters.index, QD_SPACE_QUADTREE);
    end_space(space, &heap);
}

TEST(body_above_the_maximum_is_refused)
{
    qd_heap heap;
    qd_space *space = make_space(&heap, 0, 1, 0, 2);
    qd_space_events found;
    uint32_t slots[3];

    fill(space, 2, 1, 0.1, slots);
    qd_body body = {.category = 1, .mask = UINT32_MAX, .shape = QD_SPACE_CIRCLE};
    assert_int_equal(qd_space_add(space, &body, &slots[2]), QD_ERR_FULL);
    /* Added since the last tick, so gone at once. */
    assert_true(qd_space_remove(space, slots[0], QD_SPACE_EXPIRED));
    assert_int_equal(qd_space_add(space, &body, &slots[2]), QD_OK);
    tick(space, &found);
    /* Removed, but there until the tick is settled. */
    assert_false(qd_space_remove(space, slots[1], QD_SPACE_EXPIRED));
    assert_int_equal(qd_space_add(space, &body, &slots[0]), QD_ERR_FULL);
    tick(space, &found);
    assert_int_equal(qd_space_add(space, &body, &slots[0]), QD_OK);
    end_space(space, &heap);
}

/* ---- large crowds: every kernel and executor the same ---- */

static uint64_t hash_of(const qd_space_events *found)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < found->count; i++) {
        uint32_t a = qd_space_event_a(found->events[i]), b = qd_space_event_b(found->events[i]);
        uint64_t key = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;

        key = (key ^ (uint64_t)qd_space_event_kind(found->events[i]) << 62) * UINT64_C(0x9e3779b97f4a7c15);
        key = (key ^ key >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
        sum += key ^ key >> 32;
    }
    return sum;
}

/* Half of the bodies in a crowd of some thousand on one spot, the others spread; a part of them round. */
static uint64_t crowd_story(const qd_kernel *kernel, const qd_executor *executor, uint32_t depth, uint32_t moving)
{
    enum { COUNT = 1600, TICKS = 4 };
    static uint32_t slots[COUNT];
    uint64_t story = 0;
    rng.state = 99;
    qd_kernel_select(kernel);
    qd_heap heap;
    qd_space *space = make_space(&heap, 0, 256, depth, COUNT);
    qd_space_tune(space, &(qd_tuning){.leaf_rows = 96, .task_rows_min = 0, .pending_bodies_min = 0, .apply_slots = 64});
    for (uint32_t i = 0; i < COUNT; i++) {
        double spread = i % 2 ? 256 : 3;
        float x = rng_between(&rng, 100, 100 + spread), y = rng_between(&rng, 128 - spread / 2, 128 + spread / 2);
        qd_body body = box_at(x, y, rng_between(&rng, 128 - spread / 2, 128 + spread / 2), rng_between(&rng, 0.1, 2));

        body.half_y = rng_between(&rng, 0.1, 2);
        body.shape = i % 5 == 0 ? QD_SPACE_CIRCLE : i % 17 == 0 ? QD_SPACE_CAPSULE : QD_SPACE_BOX;
        body.radius = rng_between(&rng, 0.1, 1);
        assert_int_equal(qd_space_add(space, &body, &slots[i]), QD_OK);
    }
    for (int t = 0; t < TICKS; t++) {
        qd_space_events found;
        const uint32_t *freed;
        size_t count;

        qd_space_tick(space, executor, QD_SPACE_WANT_EVENTS, 1u << 24, &found);
        assert_true(found.complete);
        assert_true(t > 0 || found.count > COUNT * (QD_AXES == 2 ? 50 : 20));
        story = story * 31 + hash_of(&found);
        qd_space_settle(space, &freed, &count);
        for (uint32_t i = 0; i < COUNT; i++) {
            if (rng_below(&rng, 100) < moving) {
                wander(space, 1, &slots[i], 0.2);
            }
        }
        qd_space_pairs(space, executor, 1u << 24, &found);
        story = story * 31 + hash_of(&found);
    }
    end_space(space, &heap);
    qd_kernel_select(NULL);
    return story;
}

TEST(all_kernels_and_executors_agree)
{
    const uint32_t step = QD_AXES == 2 ? 4 : 3;

    for (uint32_t moving = 5; moving <= 100; moving += 95) {
        uint64_t expected = crowd_story(qd_kernel_at(0), &qd_executor_serial, 1, moving);

        for (uint32_t depth = 0; depth <= 2 * step; depth += step) {
            for (uint32_t k = 0; qd_kernel_at(k) != NULL; k++) {
                assert_true(crowd_story(qd_kernel_at(k), &qd_executor_serial, depth, moving) == expected);
                assert_true(crowd_story(qd_kernel_at(k), &backwards, depth, moving) == expected);
            }
        }
    }
}

/* Two columns of boxes, each of them over itself, that touch each other or do not by less than a step of the kernel's
 * numbers: `step` is one of them, in a leaf (8 bits of 256) or above (16 bits). All move at each tick. */
static void check_touching_columns(uint32_t depth, float step, float phase)
{
    enum { COUNT = 1200, TICKS = 4 };
    static uint32_t slots[COUNT];
    static float x[COUNT], y[COUNT], was[COUNT];
    const float half = 16, middle = 128 + phase * step;
    qd_heap heap;
    qd_space *space = make_space(&heap, 0, 256, depth, COUNT);
    qd_space_tune(
        space,
        &(qd_tuning){.leaf_rows = COUNT, .task_rows_min = UINT32_MAX, .pending_bodies_min = 0, .apply_slots = 64});
    for (int t = 0; t < TICKS; t++) {
        uint64_t expected = 0;

        for (uint32_t i = 0; i < COUNT; i++) {
            was[i] = x[i];
            x[i] = (i < COUNT / 2 ? middle - half : middle + half) + step * rng_between(&rng, -0.4, 0.4);
            y[i] = 128 + step * rng_between(&rng, -0.4, 0.4);
            qd_body body = box_at(x[i], y[i], y[i], half);
            if (t == 0) {
                assert_int_equal(qd_space_add(space, &body, &slots[i]), QD_OK);
            }
        }
        if (t > 0) {
            qd_space_move(space, COUNT, slots, x, y, y);
            for (uint32_t a = 0; a < COUNT / 2; a++) {
                for (uint32_t b = COUNT / 2; b < COUNT; b++) {
                    expected += (was[a] + half >= was[b] - half) != (x[a] + half >= x[b] - half);
                }
            }
        }
        qd_space_events found;
        tick(space, &found);
        assert_true(t == 0 || (found.count == expected && expected > 0));
    }
    end_space(space, &heap);
}

TEST(long_lists_that_just_touch_agree)
{
    for (uint32_t k = 0; qd_kernel_at(k) != NULL; k++) {
        qd_kernel_select(qd_kernel_at(k));
        for (float phase = -1; phase < 1.5f; phase += 0.35f) {
            check_touching_columns(0, 1, phase);
            check_touching_columns(1, 256.0f / 65536, phase);
        }
    }
    qd_kernel_select(NULL);
}

/* Resting bodies cost no test at all. */
TEST(resting_bodies_cost_nothing)
{
    enum { COUNT = 5000 };
    static uint32_t slots[COUNT];
    qd_heap heap;
    qd_space *space = make_space(&heap, 0, 100, 0, COUNT);
    qd_space_events found;
    qd_space_counters before, after;
    fill(space, COUNT, 100, QD_AXES == 2 ? 1 : 3, slots);
    tick(space, &found);
    assert_true(found.count > COUNT);
    qd_space_counters_get(space, &before);
    tick(space, &found);
    qd_space_counters_get(space, &after);
    assert_int_equal(found.count, 0);
    assert_int_equal(after.tests, before.tests);
    end_space(space, &heap);
}

static void run_counted(void *context, size_t count, qd_task_fn task, void *argument)
{
    ++*(uint32_t *)context;
    run_backwards(NULL, count, task, argument);
}

/* A split is for many rows that changed; how many there are is no matter. */
TEST(resting_bodies_call_no_helper)
{
    enum { COUNT = 5000 };
    static const uint32_t moving[] = {COUNT, 0, 3, COUNT, 0};
    static uint32_t slots[COUNT];
    uint32_t splits = 0;
    const qd_executor executor = {.run = run_counted, .width = 4, .context = &splits};
    qd_heap heap;
    qd_space *space = make_space(&heap, 0, 100, 0, COUNT);
    qd_space_tune(
        space,
        &(qd_tuning){.leaf_rows = 16, .task_rows_min = 1000, .pending_bodies_min = UINT32_MAX, .apply_slots = 64});
    fill(space, COUNT, 100, 1, slots);
    for (size_t t = 0; t < sizeof moving / sizeof *moving; t++) {
        qd_space_events found;
        const uint32_t *freed;
        size_t count;
        uint32_t before = splits;

        wander(space, moving[t], slots, 0.1);
        /* That as many as at this tick move at the next is assumed once, and costs a look at all. */
        uint32_t wanted = moving[t] == COUNT || (t > 0 && moving[t - 1] == COUNT);
        qd_space_tick(space, &executor, QD_SPACE_WANT_EVENTS, 1u << 24, &found);
        qd_space_settle(space, &freed, &count);
        assert_int_equal(splits - before, wanted);
    }
    end_space(space, &heap);
}

/* All have moved, and the traversal gives up before it reaches all of them: their moves still count as handled. */
TEST(traversal_that_stops_leaves_nothing_for_the_next)
{
    enum { COUNT = 20000 };
    static uint32_t slots[COUNT];
    qd_heap heap;
    qd_space *space = make_space(&heap, 0, 100, 0, COUNT);
    qd_space_events found;
    const uint32_t *freed;
    size_t count;
    fill(space, COUNT, 100, 1, slots);
    for (int t = 0; t < 4; t++) {
        wander(space, COUNT, slots, 0.5);
        tick(space, &found);
    }
    for (int t = 0; t < 4; t++) {
        wander(space, COUNT, slots, 0.5);
        qd_space_tick(space, t % 2 ? &backwards : &qd_executor_serial, QD_SPACE_WANT_EVENTS, 1, &found);
        assert_false(found.complete);
        qd_space_settle(space, &freed, &count);
        tick(space, &found);
        assert_int_equal(found.count, 0);
    }
    end_space(space, &heap);
}

TEST_MAIN()

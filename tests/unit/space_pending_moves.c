/* SPDX-License-Identifier: Apache-2.0
 *
 * Pending moves: a superseded move is never registered, a query in between is answered by the newest place, and events
 * are those of a space in which nothing waits; with every index and kernel, whichever thread does the tasks, with and
 * without memory. */
#include <stdlib.h>
#include <string.h>

#include "server/space/space.h"
#include "server/space/tuning.h"
#include "support/backwards.h"
#include "support/rng.h"
#include "tests/support/test.h"

#define SIDE  256.0f
#define COUNT 700u

/* One space waits, the other never does. */
enum { WAITS, AT_ONCE, SPACES };

typedef struct pair {
    uint32_t dimensions;
    rng_stream rng;
    qd_heap heap[SPACES];
    qd_space *space[SPACES];
    qd_executor executor;
    uint32_t count;
    uint32_t slot[2 * COUNT];
} pair;

static const struct {
    qd_space_index index;
    uint32_t dimensions;
} indexes[] = {
    {QD_SPACE_QUADTREE, 2}, {QD_SPACE_SPARSE, 2}, {QD_SPACE_HASH, 2}, {QD_SPACE_GRID, 2}, {QD_SPACE_BRUTE, 2},
    {QD_SPACE_OCTREE, 3},   {QD_SPACE_SPARSE, 3}, {QD_SPACE_HASH, 3}, {QD_SPACE_GRID, 3}, {QD_SPACE_BRUTE, 3},
};
#define INDEXES (sizeof indexes / sizeof indexes[0])

static qd_space *make_space(qd_space_index index, uint32_t dimensions, bool swept, bool waits, qd_heap *heap)
{
    const qd_space_config config = {.dimensions = dimensions,
                                    .max_x = SIDE,
                                    .max_y = SIDE,
                                    .max_z = dimensions == 3 ? SIDE : 0,
                                    .index = index,
                                    .swept = swept,
                                    .bodies_max = 1u << 20};
    qd_space *space;

    qd_heap_init(heap);
    assert_int_equal(qd_space_create(&config, heap, &space), QD_OK);
    qd_space_tune(space,
                  &(qd_tuning){.leaf_rows = 16, .pending_bodies_min = waits ? 0 : UINT32_MAX, .apply_slots = 64});
    return space;
}

static void begin(pair *p, size_t index, bool swept, qd_executor executor)
{
    p->dimensions = indexes[index].dimensions;
    p->rng = (rng_stream){index + 1};
    p->executor = executor;
    p->count = 0;
    for (int i = 0; i < SPACES; i++) {
        p->space[i] = make_space(indexes[index].index, p->dimensions, swept, i == WAITS, &p->heap[i]);
    }
}

static void end(pair *p)
{
    for (int i = 0; i < SPACES; i++) {
        qd_space_destroy(p->space[i]);
        assert_int_equal(p->heap[i].bytes, 0);
        qd_heap_deinit(&p->heap[i]);
    }
}

static qd_body any_body(pair *p)
{
    const bool is_solid = p->dimensions == 3;

    return (qd_body){.x = rng_between(&p->rng, 0, SIDE),
                     .y = rng_between(&p->rng, 0, SIDE),
                     .z = is_solid ? rng_between(&p->rng, 0, SIDE / 8) : 0,
                     .half_x = rng_between(&p->rng, 1, 4),
                     .half_y = rng_between(&p->rng, 1, 4),
                     .half_z = is_solid ? rng_between(&p->rng, 1, 4) : 0,
                     .radius = 2,
                     .category = 1,
                     .mask = UINT32_MAX,
                     .shape = (uint8_t)(QD_SPACE_BOX + rng_below(&p->rng, 3))};
}

static void add(pair *p, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const qd_body body = any_body(p);
        uint32_t slot[SPACES];

        for (int k = 0; k < SPACES; k++) {
            assert_int_equal(qd_space_add(p->space[k], &body, &slot[k]), QD_OK);
        }
        assert_int_equal(slot[WAITS], slot[AT_ONCE]);
        p->slot[p->count++] = slot[WAITS];
    }
}

static void add_step(pair *p, float *value)
{
    *value += rng_between(&p->rng, -6, 6);
}

/* Bodies of `slot[first]` and on, by some way, in one call. */
static void shift(pair *p, uint32_t first, uint32_t count)
{
    static float x[2 * COUNT], y[2 * COUNT], z[2 * COUNT];

    for (uint32_t i = 0; i < count; i++) {
        qd_body body[SPACES];

        for (int k = 0; k < SPACES; k++) {
            qd_space_body(p->space[k], p->slot[first + i], &body[k]);
        }
        assert_true(body[WAITS].x == body[AT_ONCE].x && body[WAITS].y == body[AT_ONCE].y);
        add_step(p, &body[0].x);
        add_step(p, &body[0].y);
        x[i] = body[0].x, y[i] = body[0].y, z[i] = body[0].z;
    }
    for (int k = 0; k < SPACES; k++) {
        qd_space_move(p->space[k], count, p->slot + first, x, y, p->dimensions == 3 ? z : NULL);
    }
}

static int compare(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

static uint64_t *sorted(const qd_space_events *found)
{
    uint64_t *keys = malloc((found->count + 1) * sizeof *keys);

    for (size_t i = 0; i < found->count; i++) {
        const uint32_t a = qd_space_event_a(found->events[i]), b = qd_space_event_b(found->events[i]);

        keys[i] =
            (uint64_t)qd_space_event_kind(found->events[i]) << 56 | (uint64_t)(a < b ? a : b) << 28 | (a < b ? b : a);
    }
    qsort(keys, found->count, sizeof *keys, compare);
    return keys;
}

static void assert_same(const qd_space_events found[SPACES])
{
    uint64_t *keys[SPACES];

    assert_int_equal(found[WAITS].count, found[AT_ONCE].count);
    for (int k = 0; k < SPACES; k++) {
        assert_true(found[k].complete);
        keys[k] = sorted(&found[k]);
    }
    assert_memory_equal(keys[WAITS], keys[AT_ONCE], found[WAITS].count * sizeof(uint64_t));
    free(keys[WAITS]);
    free(keys[AT_ONCE]);
}

static size_t tick(pair *p)
{
    qd_space_events found[SPACES];
    const uint32_t *freed;
    size_t freed_count[SPACES];

    for (int k = 0; k < SPACES; k++) {
        qd_space_validate(p->space[k]);
        qd_space_tick(p->space[k], &p->executor, QD_SPACE_WANT_EVENTS, 1u << 24, &found[k]);
    }
    assert_same(found);
    for (int k = 0; k < SPACES; k++) {
        qd_space_settle(p->space[k], &freed, &freed_count[k]);
        qd_space_validate(p->space[k]);
    }
    assert_int_equal(freed_count[WAITS], freed_count[AT_ONCE]);
    return found[WAITS].count;
}

static void remove_last(pair *p)
{
    const uint32_t slot = p->slot[--p->count];

    assert_int_equal(qd_space_remove(p->space[WAITS], slot, QD_SPACE_DESPAWNED),
                     qd_space_remove(p->space[AT_ONCE], slot, QD_SPACE_DESPAWNED));
}

static void check_queries(pair *p)
{
    const qd_space_query query = {
        .kind = QD_SPACE_IN_BOX, .max_x = SIDE, .max_y = SIDE / 2, .max_z = SIDE, .categories = 0, .limit = COUNT};
    qd_space_hits hits[SPACES];

    for (int k = 0; k < SPACES; k++) {
        assert_int_equal(qd_space_find(p->space[k], &query, &hits[k]), QD_OK);
    }
    assert_int_equal(hits[WAITS].count, hits[AT_ONCE].count);
    for (int k = 0; k < SPACES; k++) {
        qd_space_hits_free(p->space[k], &hits[k]);
    }
}

static void check_pairs(pair *p)
{
    qd_space_events found[SPACES];

    for (int k = 0; k < SPACES; k++) {
        qd_space_pairs(p->space[k], &p->executor, 1u << 24, &found[k]);
    }
    assert_same(found);
}

/* Other operations on bodies with pending moves, before and after. */
static void meddle(pair *p, uint32_t turn)
{
    const uint32_t first = rng_below(&p->rng, p->count - 80);
    qd_body other = any_body(p);

    for (uint32_t i = first; i < first + 60; i++) {
        for (int k = 0; k < SPACES; k++) {
            const float *z = p->dimensions == 3 ? &other.z : NULL;

            if (turn % 4 == 0) {
                qd_space_teleport(p->space[k], 1, &p->slot[i], &other.x, &other.y, z);
            } else if (turn % 4 == 1) {
                qd_space_reshape(p->space[k], p->slot[i], &other);
            } else if (turn % 4 == 2) {
                qd_space_refilter(p->space[k], p->slot[i], i, i + 1);
            }
        }
        other.x += 1;
        other.half_x += 0.125f;
    }
    for (uint32_t i = 0; turn % 4 == 3 && i < 20; i++) {
        remove_last(p);
    }
    check_queries(p);
    check_pairs(p);
}

TEST(events_are_as_without_pending_moves)
{
    size_t events = 0;

    for (uint32_t kernel = 0; qd_space_kernel_at(kernel) != NULL; kernel++) {
        qd_space_kernel_select(qd_space_kernel_at(kernel));
        for (size_t index = 0; index < 2 * INDEXES; index++) {
            pair p;

            begin(&p, index / 2, index % 2 == 1, kernel % 2 ? qd_executor_serial : backwards);
            add(&p, COUNT);
            tick(&p);
            for (uint32_t turn = 0; turn < 9; turn++) {
                shift(&p, 0, p.count);
                meddle(&p, turn);
                shift(&p, p.count / 2, turn % 2 ? p.count / 2 : 5);
                /* Some of a slot above all that wait, and those of them that move. */
                add(&p, 20);
                shift(&p, p.count - 10, 10);
                remove_last(&p);
                events += tick(&p);
            }
            end(&p);
        }
    }
    qd_space_kernel_select(NULL);
    assert_true(events > 100000);
}

static uint64_t operations(const qd_space *space)
{
    qd_space_counters counters;

    qd_space_counters_get(space, &counters);
    return counters.list_operations;
}

/* From as many moves as bodies on they wait, however few those are: then a thousand ways across the world cost no
 * operation, and the tick costs those of one. */
TEST(superseded_move_is_never_applied)
{
    const qd_space_config config = {
        .max_x = SIDE, .max_y = SIDE, .index = QD_SPACE_QUADTREE, .depth = 5, .bodies_max = 8};
    qd_heap heap;
    qd_space *space;

    qd_heap_init(&heap);
    assert_int_equal(qd_space_create(&config, &heap, &space), QD_OK);
    uint32_t slot[4];
    for (uint32_t i = 0; i < 4; i++) {
        const qd_body body = {
            .x = 5, .y = 5, .half_x = 1, .half_y = 1, .category = 1, .mask = 1, .shape = QD_SPACE_BOX};

        assert_int_equal(qd_space_add(space, &body, &slot[i]), QD_OK);
    }
    for (uint32_t t = 0; t < 3; t++) {
        qd_space_events found;
        const uint32_t *freed;
        size_t count;
        qd_body body;

        qd_space_tick(space, &qd_executor_serial, QD_SPACE_WANT_EVENTS, 100, &found);
        qd_space_settle(space, &freed, &count);
        assert_int_equal(found.count, t == 0 ? 6 : t == 1 ? 3 : 0);
        const float near[4] = {5, 5, 5, 5};
        qd_space_move(space, 4, slot, near, near, NULL);
        const uint64_t before = operations(space);
        for (uint32_t i = 1; i <= 1000; i++) {
            const float x = 10 + 200 * (float)(i % 2);

            qd_space_move(space, 1, &slot[1], &x, &near[0], NULL);
            qd_space_body(space, slot[1], &body);
            assert_true(body.x == x && body.y == 5);
        }
        assert_int_equal(operations(space), before);
    }
    qd_space_counters counters;
    qd_space_counters_get(space, &counters);
    assert_int_equal(counters.moves, 3 * 1004);
    qd_space_destroy(space);
    qd_heap_deinit(&heap);
}

static void run_counted(void *context, size_t count, qd_task_fn task, void *argument)
{
    *(size_t *)context += count;
    run_backwards(NULL, count, task, argument);
}

/* Without a traversal all tasks apply moves. */
TEST(pending_moves_are_applied_in_parts)
{
    for (size_t index = 0; index < INDEXES; index++) {
        size_t tasks = 0;
        qd_space_events none;
        const uint32_t *freed;
        size_t freed_count;
        pair p;

        begin(&p, index, false, (qd_executor){.run = run_counted, .width = 4, .context = &tasks});
        add(&p, COUNT);
        tick(&p);
        shift(&p, 0, COUNT);
        tasks = 0;
        for (int k = 0; k < SPACES; k++) {
            qd_space_tick(p.space[k], &p.executor, QD_SPACE_WANT_NOTHING, 0, &none);
            qd_space_settle(p.space[k], &freed, &freed_count);
        }
        assert_true(tasks >= COUNT / 64);
        shift(&p, 0, COUNT / 2);
        tick(&p);
        end(&p);
    }
}

#define PIECE_BYTES 512u

/* As shift, while the space that waits gets no memory, not even what its heap has drawn already. */
static void shift_without_memory(pair *p, uint32_t first, uint32_t count)
{
    void *pieces[256];
    uint32_t taken = 0;

    qd_memory_limit_set(1);
    while ((pieces[taken] = qd_heap_alloc(&p->heap[WAITS], PIECE_BYTES)) != NULL) {
        taken++;
        assert_true(taken < 256);
    }
    shift(p, first, count);
    while (taken > 0) {
        qd_heap_free(&p->heap[WAITS], pieces[--taken], PIECE_BYTES);
    }
    qd_memory_limit_set(0);
}

/* Then moves are applied at once, and no earlier move stays pending. */
TEST(moves_without_memory_are_applied_at_once)
{
    pair p;

    begin(&p, 0, false, qd_executor_serial);
    add(&p, COUNT);
    tick(&p);
    uint64_t before = operations(p.space[WAITS]);
    shift_without_memory(&p, 0, COUNT);
    assert_true(operations(p.space[WAITS]) > before);
    assert_true(tick(&p) > 0);
    /* These wait, */
    before = operations(p.space[WAITS]);
    shift(&p, 0, COUNT);
    assert_int_equal(operations(p.space[WAITS]), before);
    add(&p, COUNT);
    /* and so would these, but they are more. */
    before = operations(p.space[WAITS]);
    shift_without_memory(&p, COUNT / 2, COUNT);
    assert_true(operations(p.space[WAITS]) > before);
    shift(&p, 0, 10);
    assert_true(tick(&p) > 0);
    tick(&p);
    end(&p);
}

TEST_MAIN()

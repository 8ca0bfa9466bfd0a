/* SPDX-License-Identifier: Apache-2.0
 *
 * Pending moves: a superseded move is never registered, a query in between is answered by the newest place, and events
 * are those of a space in which nothing waits; with every index and kernel, whichever thread does the tasks, with and
 * without memory. With QD_AXES axes.
 */
#include "space_fixture.h"

#define SIDE  256.0f
#define COUNT 700u

/* The first space waits, the second never does. */
static void begin(qd_space_index index, bool swept, const qd_executor *executor)
{
    qd_space_config config = crowd_config(index, 0, SIDE);

    config.swept = swept;
    crowd_begin(&config, &(qd_tuning){.leaf_rows = 16, .apply_slots = 64});
    crowd_add_space(&config, &(qd_tuning){.leaf_rows = 16, .pending_bodies_min = UINT32_MAX, .apply_slots = 64});
    crowd.executor = executor;
}

static qd_body any_body(void)
{
    qd_body body = crowd_box(crowd_between(0, (double)SIDE), crowd_between(0, (double)SIDE),
                             crowd_between(0, (double)SIDE / 8), crowd_between(1, 4));

    body.half_y = crowd_between(1, 4);
    body.radius = 2;
    body.shape = (uint8_t)(QD_SPACE_BOX + rng_below(&crowd.rng, 3));
    return body;
}

static void add(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        crowd_add(any_body());
    }
}

/* Moves the bodies from `first` on, in one call. */
static void shift(uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++) {
        for (uint32_t k = 0; k < crowd.spaces; k++) {
            qd_body body;

            qd_space_body(crowd.space[k], crowd.slot[k][i], &body);
            assert_true(body.x == crowd.at[0][i] && body.y == crowd.at[1][i]);
        }
        crowd_place(i, crowd.at[0][i] + crowd_between(-6, 6), crowd.at[1][i] + crowd_between(-6, 6), crowd.at[2][i]);
    }
    crowd_move(first, count);
}

/* Other operations on bodies with pending moves, before and after. */
static void meddle(uint32_t turn)
{
    const uint32_t first = rng_below(&crowd.rng, crowd.count - 80);
    qd_body other = any_body();

    for (uint32_t i = first; i < first + 60; i++) {
        if (turn % 4 == 0) {
            crowd_place(i, other.x, other.y, other.z);
            crowd_teleport(i, 1);
        } else if (turn % 4 == 1) {
            crowd_reshape(i, &other);
        } else if (turn % 4 == 2) {
            crowd_refilter(i, i, i + 1);
        } else if (i % 3 == 0) {
            (void)crowd_remove(crowd.count - 1);
        }
        other.x += 1;
        other.half_x += 0.125f;
    }
    crowd_find((qd_space_query){
        .kind = QD_SPACE_IN_BOX, .max_x = SIDE, .max_y = SIDE / 2, .max_z = QD_AXES == 3 ? SIDE : 0, .limit = COUNT});
    crowd_pairs();
}

TEST(events_are_as_without_pending_moves)
{
    size_t events = 0;

    for (uint32_t kernel = 0; qd_space_kernel_at(kernel) != NULL; kernel++) {
        qd_space_kernel_select(qd_space_kernel_at(kernel));
        for (size_t i = 0; i < 2 * CROWD_INDEXES; i++) {
            begin(crowd_indexes[i / 2], i % 2 == 1, kernel % 2 ? &qd_executor_serial : &backwards);
            add(COUNT);
            crowd_tick();
            for (uint32_t turn = 0; turn < 9; turn++) {
                shift(0, crowd.count);
                meddle(turn);
                shift(crowd.count / 2, turn % 2 ? crowd.count / 2 : 5);
                /* Some of a slot above all that wait, and those of them that move. */
                add(20);
                shift(crowd.count - 10, 10);
                (void)crowd_remove(crowd.count - 1);
                events += crowd_tick();
            }
            crowd_end();
        }
    }
    qd_space_kernel_select(NULL);
    assert_true(events > 50000);
}

static uint64_t operations(void)
{
    return crowd_counters().list_operations;
}

/* From as many moves as bodies on they wait, however few those are: then a thousand ways across the world cost no
 * operation, and the tick costs those of one. */
TEST(superseded_move_is_never_applied)
{
    qd_space_config config = crowd_config(CROWD_TREE, 0, SIDE);

    config.depth = 5;
    crowd_begin(&config, NULL);
    for (uint32_t i = 0; i < 4; i++) {
        crowd_add(crowd_box(5, 5, 5, 1));
    }
    for (uint32_t t = 0; t < 3; t++) {
        assert_int_equal(crowd_tick(), t == 0 ? 6 : t == 1 ? 3 : 0);
        crowd_place(1, 5, 5, 5);
        crowd_move(0, 4);
        const uint64_t before = operations();
        for (uint32_t i = 1; i <= 1000; i++) {
            qd_body body;

            crowd_place(1, 10 + 200 * (float)(i % 2), 5, 5);
            crowd_move(1, 1);
            qd_space_body(crowd.space[0], crowd.slot[0][1], &body);
            assert_true(body.x == crowd.at[0][1] && body.y == 5);
        }
        assert_int_equal(operations(), before);
    }
    assert_int_equal(crowd_counters().moves, 3 * 1004);
    crowd_end();
}

static void run_counted(void *context, size_t count, qd_task_fn task, void *argument)
{
    *(size_t *)context += count;
    run_backwards(NULL, count, task, argument);
}

/* Without a traversal all tasks apply moves. */
TEST(pending_moves_are_applied_in_parts)
{
    for (size_t i = 0; i < CROWD_INDEXES; i++) {
        size_t tasks = 0;
        const qd_executor executor = {.run = run_counted, .width = 4, .context = &tasks};

        begin(crowd_indexes[i], false, &executor);
        add(COUNT);
        crowd_tick();
        shift(0, COUNT);
        tasks = 0;
        crowd_tick_for(QD_SPACE_WANT_NOTHING, 0);
        assert_true(tasks >= COUNT / 64);
        shift(0, COUNT / 2);
        crowd_tick();
        crowd_end();
    }
}

/* Whether a batch of so many bodies, which all go to other cells, waits for the tick. The last tick had an executor of
 * that width, and so many moves. */
static bool does_wait(size_t width, uint32_t before, uint32_t count)
{
    size_t tasks = 0;
    const qd_executor executor = {.run = run_counted, .width = width, .context = &tasks};
    const qd_tuning tuning = {.leaf_rows = 16, .pending_bodies_min = COUNT, .apply_slots = 64};
    qd_space_config config = crowd_config(CROWD_TREE, 5, SIDE);

    crowd_begin(&config, &tuning);
    crowd.executor = &executor;
    for (uint32_t i = 0; i < COUNT; i++) {
        crowd_add(crowd_box(crowd_between(10, 20), crowd_between(10, 20), 5, 1));
    }
    crowd_tick();
    shift(0, before);
    crowd_tick();
    for (uint32_t i = 0; i < count; i++) {
        crowd_place(i, 200, 200, 5);
    }
    const uint64_t applied = operations();
    crowd_move(0, count);
    const bool waits = operations() == applied;
    crowd_tick();
    crowd_end();
    return waits;
}

/* Waiting costs a move nearly as much as being applied, so it pays only if several workers apply them all at once. */
TEST(moves_wait_only_for_several_workers_that_divide_them)
{
    assert_true(does_wait(2, COUNT, COUNT));
    assert_true(does_wait(2, COUNT, COUNT / 4)); /* others may follow, as at the last tick */
    assert_true(does_wait(2, COUNT / 4, COUNT));
    assert_false(does_wait(2, COUNT / 4, COUNT / 4));
    assert_false(does_wait(1, COUNT, COUNT));
}

#define PIECE_BYTES 512u

/* As shift, while the space that waits gets no memory, not even what its heap has drawn already. */
static void shift_without_memory(uint32_t first, uint32_t count)
{
    void *pieces[256];
    uint32_t taken = 0;

    qd_memory_limit_set(1);
    while ((pieces[taken] = qd_heap_alloc(&crowd.heap[0], PIECE_BYTES)) != NULL) {
        taken++;
        assert_true(taken < 256);
    }
    shift(first, count);
    while (taken > 0) {
        qd_heap_free(&crowd.heap[0], pieces[--taken], PIECE_BYTES);
    }
    qd_memory_limit_set(0);
}

/* Then moves are applied at once, and no earlier move stays pending. */
TEST(moves_without_memory_are_applied_at_once)
{
    begin(CROWD_TREE, false, &qd_executor_serial);
    add(COUNT);
    crowd_tick();
    uint64_t before = operations();
    shift_without_memory(0, COUNT);
    assert_true(operations() > before);
    assert_true(crowd_tick() > 0);
    /* These wait, */
    before = operations();
    shift(0, COUNT);
    assert_int_equal(operations(), before);
    add(COUNT);
    /* and so would these, but they are more. */
    before = operations();
    shift_without_memory(COUNT / 2, COUNT);
    assert_true(operations() > before);
    shift(0, 10);
    assert_true(crowd_tick() > 0);
    crowd_tick();
    crowd_end();
}

TEST_MAIN()

/* SPDX-License-Identifier: Apache-2.0
 *
 * Who may have come into a ball, or gone from it: that all ways to find them find the same, and nobody is missed. And
 * that the join leads where a crowd moves, and there only. (That nobody can tell who leads, is for the model test.)
 */
#include "server/room/state.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/chance.h"

/* ---- finding ---- */

#define POINTS 5008u /* three levels of boxes, the last of each not full */
#define BALLS  300u

static void *column(uint32_t count)
{
    return aligned_alloc(64, (count * sizeof(float) + 63) / 64 * 64);
}

static qd_join_tree make_tree(chance *dice, unsigned axes)
{
    qd_join_tree tree = {.count = POINTS};

    for (unsigned k = 0; k < axes; k++) {
        tree.now[k] = column(POINTS);
        tree.was[k] = column(POINTS);
    }
    for (uint32_t i = 0; i < POINTS; i++) {
        const bool is = !chance_one_in(dice, 20), did = !chance_one_in(dice, 20), goes_far = chance_one_in(dice, 30);

        for (unsigned k = 0; k < axes; k++) {
            /* Near each other, as if they were sorted; often on a grid. */
            const float at = (float)((k == 0 ? i / 70 : i % 70) + chance_below(dice, 4)) * 0.5f;
            tree.was[k][i] = did ? at : INFINITY;
            tree.now[k][i] = is ? at + (goes_far ? 20 : 0.5f * (float)chance_below(dice, 2)) : INFINITY;
        }
    }
    for (uint32_t count = POINTS; count > QD_JOIN_FAN; tree.levels++) {
        qd_join_level *level = &tree.level[tree.levels];
        count = level->count = (count + QD_JOIN_FAN - 1) / QD_JOIN_FAN;
        for (unsigned k = 0; k < axes; k++) {
            level->lo[k] = column(count + QD_JOIN_FAN);
            level->hi[k] = column(count + QD_JOIN_FAN);
        }
    }
    qd_join_boxes(&tree, axes);
    return tree;
}

static void free_tree(qd_join_tree *tree, unsigned axes)
{
    for (unsigned k = 0; k < axes; k++) {
        free(tree->now[k]);
        free(tree->was[k]);
        for (uint32_t i = 0; i < tree->levels; i++) {
            free(tree->level[i].lo[k]);
            free(tree->level[i].hi[k]);
        }
    }
}

static bool is_in(float *const *columns, uint32_t i, const float *at, float radius, unsigned axes)
{
    double sum = 0;

    for (unsigned k = 0; k < axes; k++) {
        const double apart = (double)columns[k][i] - (double)at[k];
        sum += apart * apart;
    }
    return sum <= (double)radius * (double)radius;
}

/* Whoever changes sides is found, each once, and hardly anybody else. */
static void check(const qd_join_tree *tree, const float *now, const float *was, float radius, const uint32_t *found,
                  uint32_t count, unsigned axes)
{
    static uint8_t times[POINTS];
    uint32_t others = 0;

    for (uint32_t i = 0; i < POINTS; i++)
        times[i] = 0;
    for (uint32_t f = 0; f < count; f++)
        times[found[f]]++;
    for (uint32_t i = 0; i < POINTS; i++) {
        const bool crosses = is_in(tree->now, i, now, radius, axes) != is_in(tree->was, i, was, radius, axes);
        assert_true(times[i] <= 1);
        assert_true(times[i] == 1 || !crosses);
        others += times[i] == 1 && !crosses;
    }
    assert_true(others <= POINTS / 20);
}

static uint32_t find(const qd_join_finder *finder, const qd_join_tree *tree, const qd_join_ball *now,
                     const qd_join_ball *was, uint32_t *memory, uint32_t *found, uint32_t *looks)
{
    const uint32_t *list;

    *looks = finder->near(tree, now, was, memory, &list);
    return finder->open(tree, now, was, list, *looks, found);
}

static void all_find_the_same(unsigned axes)
{
    chance dice = {axes};
    qd_join_tree tree = make_tree(&dice, axes);
    const uint32_t room = qd_join_list_room(&tree);
    uint32_t *memory = malloc(room * sizeof *memory), *first = column(POINTS + QD_JOIN_FAN),
             *found = column(POINTS + QD_JOIN_FAN);

    for (uint32_t b = 0; b < BALLS; b++) {
        float now[3], was[3], radius = b % 10 == 0 ? 0 : b % 10 == 1 ? 1e30f : 0.5f * (float)chance_below(&dice, 20);
        for (unsigned k = 0; k < 3; k++) {
            was[k] = 0.5f * (float)chance_below(&dice, 72);
            now[k] = was[k] + (chance_one_in(&dice, 5) ? 15 : 0.5f);
        }
        const qd_join_ball ball_now = b % 7 == 0 ? QD_JOIN_NO_BALL : qd_join_ball_of(now, radius);
        const qd_join_ball ball_was = b % 11 == 0 ? QD_JOIN_NO_BALL : qd_join_ball_of(was, radius);
        uint32_t looks;
        const uint32_t count = find(qd_join_finder_at(0, axes), &tree, &ball_now, &ball_was, memory, first, &looks);

        if (b % 7 != 0 && b % 11 != 0)
            check(&tree, now, was, radius, first, count, axes);
        for (uint32_t i = 1; qd_join_finder_at(i, axes); i++) {
            const qd_join_finder *other = qd_join_finder_at(i, axes);
            uint32_t other_looks;
            assert_int_equal(find(other, &tree, &ball_now, &ball_was, memory, found, &other_looks), count);
            assert_int_equal(other_looks, looks);
            assert_memory_equal(found, first, count * sizeof *found);
        }
    }
    free(memory);
    free(first);
    free(found);
    free_tree(&tree, axes);
}

static void all_find_the_same_in_a_plane(void **state)
{
    (void)state;
    all_find_the_same(2);
}

static void all_find_the_same_in_space(void **state)
{
    (void)state;
    all_find_the_same(3);
}

/* ---- who leads ---- */

enum { CROWD = 4000, OBSERVERS = 400, SIDE = 100 };

static void move_crowd(qd_room *room, uint32_t member, uint32_t count, float by)
{
    static uint32_t id[CROWD];
    static float x[CROWD], y[CROWD];
    const qd_room_batch batch = {.count = count, .id = id, .x = x, .y = y};
    qd_room_refusals refusals;

    for (uint32_t i = 0; i < CROWD; i++) {
        id[i] = i;
        x[i] = (float)(i % SIDE) + by;
        y[i] = (float)(i / SIDE);
    }
    if (room->ids.count == 0)
        qd_room_spawn(room, member, &batch, false, &refusals);
    else
        qd_room_move(room, member, &batch, &refusals);
    assert_int_equal(refusals.count, 0);
}

static void the_join_leads_where_a_crowd_moves(void **state)
{
    const qd_room_config config = {
        .space = {.max_x = SIDE, .max_y = SIDE, .index = QD_SPACE_AUTO},
        .entities_max = CROWD,
        .events_max = 1u << 20,
        .observers_max = OBSERVERS,
        .sightings_max = 1u << 20,
    };
    qd_room_refusals refusals;
    qd_heap heap;
    qd_room *room;
    uint32_t member;

    (void)state;
    qd_heap_init(&heap);
    assert_int_equal(qd_room_create(&config, &heap, 1, &room), QD_OK);
    assert_int_equal(qd_room_join(room, &member), QD_OK);
    move_crowd(room, member, CROWD, 0);
    for (uint32_t i = 0; i < OBSERVERS; i++) {
        const uint8_t flags = QD_ROOM_OBSERVER_ANCHORED;
        const float range = 10;
        const qd_room_observers batch = {.count = 1, .id = &i, .flags = &flags, .entity = &i, .range = &range};
        qd_room_observe(room, member, &batch, &refusals);
        assert_int_equal(refusals.count, 0);
    }
    /* As many move as leads to it; then fewer, and as many as are not enough to go on. */
    static const struct {
        uint32_t moving;
        bool leads;
    } ticks[] = {{0, false}, {CROWD / 3, false}, {CROWD, true}, {CROWD, true}, {CROWD / 3, true}, {CROWD / 5, false}};
    for (size_t t = 0; t < sizeof ticks / sizeof ticks[0]; t++) {
        qd_room_view_stats stats;

        move_crowd(room, member, ticks[t].moving, t % 2 == 0 ? 0 : 0.25f);
        qd_room_tick(room, &qd_executor_serial, 0);
        qd_room_view_stats_get(room, &stats);
        assert_int_equal(room->views.join->leads, ticks[t].leads);
        assert_int_equal(stats.seen, stats.enters - stats.leaves);
        assert_true(stats.seen > 65536 - OBSERVERS);
    }
    qd_room_destroy(room);
    assert_int_equal(heap.bytes, 0);
    qd_heap_deinit(&heap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_find_the_same_in_a_plane),
        cmocka_unit_test(all_find_the_same_in_space),
        cmocka_unit_test(the_join_leads_where_a_crowd_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

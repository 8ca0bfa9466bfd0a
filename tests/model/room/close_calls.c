/* SPDX-License-Identifier: Apache-2.0 */
#include "close_calls.h"

#include <stdio.h>
#include <stdlib.h>

static void require(bool condition)
{
    if (!condition) {
        fprintf(stderr, "a space of two bodies fails\n");
        exit(1);
    }
}

/* The kind of the one event of a tick; 0: there is none. */
static uint32_t tick(qd_space *space)
{
    qd_space_events found;

    qd_space_tick(space, &qd_executor_serial, QD_SPACE_WANT_EVENTS, 1, &found);
    uint32_t kind = found.count > 0 ? qd_space_event_kind(found.events[0]) : 0;
    (void)qd_space_settle(space);
    return kind;
}

/* Two reshapes: the space sees a change even if the shape is what it was. */
static void change(qd_space *space, uint32_t slot, const close_way *way)
{
    const qd_body point = {.shape = way->was->shape == QD_SPACE_BOX ? QD_SPACE_CIRCLE : QD_SPACE_BOX};

    if (way->resized) {
        require(qd_space_reshape(space, slot, &point) == QD_OK);
        require(qd_space_reshape(space, slot, way->now) == QD_OK);
    }
    qd_space_move(space, 1, &slot, &way->now->x, &way->now->y, &way->now->z);
}

/* The report of the first tick, then that of a second one after both moved. */
static void play(const close_way ways[2], uint32_t kinds[2])
{
    const qd_space_config config = {
        .dimensions = 3, .max_x = 1, .max_y = 1, .max_z = 1, .index = QD_SPACE_BRUTE, .swept = true, .bodies_max = 2};
    qd_heap heap;
    qd_space *space;
    uint32_t slots[2];

    qd_heap_init(&heap);
    require(qd_space_create(&config, &heap, &space) == QD_OK);
    for (int i = 0; i < 2; i++) {
        qd_body body = *ways[i].was;

        body.category = body.mask = 1;
        require(qd_space_add(space, &body, &slots[i]) == QD_OK);
    }
    kinds[0] = tick(space);
    for (int i = 0; i < 2; i++) {
        change(space, slots[i], &ways[i]);
    }
    kinds[1] = tick(space);
    qd_space_destroy(space);
    qd_heap_deinit(&heap);
}

bool close_overlap(const qd_body *a, const qd_body *b)
{
    uint32_t kinds[2];

    play((const close_way[]){{a, a, false}, {b, b, false}}, kinds);
    return kinds[0] == QD_SPACE_BEGIN;
}

bool close_passed(const close_way *a, const close_way *b)
{
    uint32_t kinds[2];

    play((const close_way[]){*a, *b}, kinds);
    return kinds[1] == QD_SPACE_PASSED;
}

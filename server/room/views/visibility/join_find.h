/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the points that may have come into a ball or gone from it, in a tree of boxes.
 *
 *     level 1   |      box      |      box      | ...       of 16 boxes below it
 *     level 0   | box | box | ...                           of a group of 16 points, now and at the last tick
 *     columns   now[axis] and was[axis]: x x x x ...        INFINITY: the point does not exist
 *
 * Boxes and points are compared 16 at a time, in float32. Points that float32 cannot decide are found, too. The fastest
 * instructions of the machine are chosen at run time, and all choices find the same.
 *
 * Pure; any thread. The caller owns the memory. Columns, and the boxes of a level, have a multiple of 16 elements.
 */
#ifndef QD_ROOM_VIEWS_VISIBILITY_JOIN_FIND_H
#define QD_ROOM_VIEWS_VISIBILITY_JOIN_FIND_H

#include <stdbool.h>
#include <stdint.h>

#define QD_JOIN_FAN        16u
#define QD_JOIN_LEVELS_MAX 7u /* enough for more points than there are slots */

typedef struct qd_join_level {
    float *lo[3], *hi[3];
    uint32_t count; /* of boxes in use */
} qd_join_level;

typedef struct qd_join_tree {
    float *now[3], *was[3];
    uint32_t count; /* of points, a multiple of QD_JOIN_FAN */
    qd_join_level level[QD_JOIN_LEVELS_MAX];
    uint32_t levels; /* the last one has at most QD_JOIN_FAN boxes */
} qd_join_tree;

/* A point is surely in the ball if its squared distance is below `inside`, and surely not if it is above `outside`. */
typedef struct qd_join_ball {
    float at[3];
    float inside, outside;
} qd_join_ball;

qd_join_ball qd_join_ball_of(const float at[3], float radius);
/* A ball without points. */
#define QD_JOIN_NO_BALL ((qd_join_ball){.inside = -1, .outside = -1})

/* Makes the boxes of all levels. */
void qd_join_boxes(qd_join_tree *tree, unsigned axes);

/* Two steps: which groups of points the ball may meet, now or at the last tick; and which of their points may not be
 * on the same side both times. */
typedef struct qd_join_finder {
    /* Returns the number of groups. Their list is in `memory`, which has room for qd_join_list_room numbers. */
    uint32_t (*near)(const qd_join_tree *tree, const qd_join_ball *now, const qd_join_ball *was, uint32_t *memory,
                     const uint32_t **list);
    /* Puts the points of `count` groups into `found`, which has room for all of them and for QD_JOIN_FAN more. Returns
     * the number of points. */
    uint32_t (*open)(const qd_join_tree *tree, const qd_join_ball *now, const qd_join_ball *was, const uint32_t *list,
                     uint32_t count, uint32_t *found);
} qd_join_finder;

/* For two lists of groups. */
static inline uint32_t qd_join_list_room(const qd_join_tree *tree)
{
    return 2 * (tree->count / QD_JOIN_FAN + QD_JOIN_FAN);
}

/* The fastest one that this machine can run, for two axes or three. */
const qd_join_finder *qd_join_finder_chosen(unsigned axes);
/* All that this machine can run, the portable one first; NULL after the last. */
const qd_join_finder *qd_join_finder_at(uint32_t index, unsigned axes);

#endif

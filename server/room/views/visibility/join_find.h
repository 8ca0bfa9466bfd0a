/* SPDX-License-Identifier: Apache-2.0
 *
 * Points in a tree of boxes, and who of them may have come into a ball, or gone from it.
 *
 *     level 1   |      box      |      box      | ...       of 16 below it
 *     level 0   | box | box | ...                           of 16 points, where they are and where they were
 *     columns   now[axis] and was[axis]: x x x x ...        whoever is not there is at INFINITY
 *
 * Boxes and points are compared 16 at a time, in float32 as far as that tells; who is in doubt is found, too. The
 * fastest of what the machine has is chosen at run time, and all find the same.
 *
 * Pure; the memory is the caller's. Columns have a multiple of 16 places, and so have the boxes of a level. [any]
 */
#ifndef QD_ROOM_VIEWS_JOIN_FIND_H
#define QD_ROOM_VIEWS_JOIN_FIND_H

#include <stdbool.h>
#include <stdint.h>

#define QD_JOIN_FAN        16u
#define QD_JOIN_LEVELS_MAX 7u /* of 16 each: more points than there are slots */

typedef struct qd_join_level {
    float *lo[3], *hi[3];
    uint32_t count; /* of boxes that are made of any */
} qd_join_level;

typedef struct qd_join_tree {
    float *now[3], *was[3];
    uint32_t count; /* of points, a multiple of 16 */
    qd_join_level level[QD_JOIN_LEVELS_MAX];
    uint32_t levels; /* the last one has no more than 16 boxes */
} qd_join_tree;

/* Squares of distances that are less than `inside` are surely in it, those above `outside` surely not. */
typedef struct qd_join_ball {
    float at[3];
    float inside, outside;
} qd_join_ball;

qd_join_ball qd_join_ball_of(const float at[3], float radius);
/* In which nobody is. */
#define QD_JOIN_NO_BALL ((qd_join_ball){.inside = -1, .outside = -1})

/* Makes the boxes of all levels anew. */
void qd_join_boxes(qd_join_tree *tree, unsigned axes);

/* Two steps: which sixteens of points have anything to do with the ball, now or then; and which of their points may not
 * be on the same side. */
typedef struct qd_join_finder {
    /* Returns how many they are; the list of them is in `memory`, which has room for qd_join_list_room numbers. */
    uint32_t (*near)(const qd_join_tree *tree, const qd_join_ball *now, const qd_join_ball *was, uint32_t *memory,
                     const uint32_t **list);
    /* Puts the points of so many sixteens into `found`, which has room for all of them, and 16 more; returns how many
     * they are. */
    uint32_t (*open)(const qd_join_tree *tree, const qd_join_ball *now, const qd_join_ball *was, const uint32_t *list,
                     uint32_t count, uint32_t *found);
} qd_join_finder;

/* Two lists of sixteens. */
static inline uint32_t qd_join_list_room(const qd_join_tree *tree)
{
    return 2 * (tree->count / QD_JOIN_FAN + QD_JOIN_FAN);
}

/* The fastest that this machine can run, on two axes or three. */
const qd_join_finder *qd_join_finder_chosen(unsigned axes);
/* Those that this machine can run, the plainest first; NULL after the last. */
const qd_join_finder *qd_join_finder_at(uint32_t index, unsigned axes);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Which points of a block are in a ball, as bits: point i is bit i % 16 of mask i / 16. Points are compared 16 at a
 * time in float32, so points that float32 cannot decide are found, too. The fastest instructions of the machine are
 * chosen at run time. All choices find the same once the caller has decided those points exactly.
 *
 * Pure; any thread. The caller owns the memory. Columns have a multiple of 16 elements; INFINITY: there is no point.
 */
#ifndef QD_ROOM_VIEWS_JOIN_JOIN_KERNEL_H
#define QD_ROOM_VIEWS_JOIN_JOIN_KERNEL_H

#include <float.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define QD_JOIN_LANES 16u

/* Where the points are and where they were at the last tick. */
typedef struct qd_join_points {
    float *now[3], *was[3];
} qd_join_points;

/* Positions of points, as columns; of rows to be packed, `observer` is unused. */
typedef struct qd_join_rows {
    uint32_t *observer, *id;
    float *at[3];
} qd_join_rows;

/* A point is surely in the ball if its squared distance is below `inside`, and surely not if it is above `outside`. */
typedef struct qd_join_ball {
    float at[3];
    float inside, outside;
} qd_join_ball;

/* The relative error of a sum of squares in float32 is smaller than this. */
#define QD_JOIN_ERROR_SHARE 0x1p-19f
/* Smaller squares decide nothing, because squares of very small floats underflow. */
#define QD_JOIN_SQUARE_MIN 0x1p-80f

static inline qd_join_ball qd_join_ball_of(const float at[3], float radius)
{
    const float all = radius * radius, square = all > FLT_MAX ? FLT_MAX : all;
    qd_join_ball ball = {.at = {at[0], at[1], at[2]}};

    ball.inside = square >= QD_JOIN_SQUARE_MIN ? square * (1 - QD_JOIN_ERROR_SHARE) : -1;
    ball.outside = (square >= QD_JOIN_SQUARE_MIN ? square : QD_JOIN_SQUARE_MIN) * (1 + QD_JOIN_ERROR_SHARE);
    return ball;
}
/* A ball without points. */
#define QD_JOIN_NO_BALL ((qd_join_ball){.inside = -1, .outside = -1})

/* From `lo` to `hi` along each axis, both included; finite. */
typedef struct qd_join_walls {
    float lo[3], hi[3];
} qd_join_walls;

/* The directions from a center that are within an angle of the axis, which is a unit vector. */
typedef struct qd_join_cone {
    float at[3], axis[3], cosine;
} qd_join_cone;

/* The float32 error of a length along the axis, or of a distance, is smaller than this share of the distance. */
#define QD_JOIN_CONE_SHARE 0x1p-18f

/* How many points are in the first masks, in both masks, and in only one of them. */
typedef struct qd_join_counts {
    uint32_t is, both, differ;
} qd_join_counts;

/* Masks lie in fours; behind the last one there are empty masks. */
#define QD_JOIN_FOUR 4u
static inline uint64_t qd_join_four_masks(const uint16_t *masks, uint32_t word)
{
    uint64_t four;

    memcpy(&four, masks + word, sizeof four);
    return four;
}
static inline void qd_join_put_four(uint16_t *masks, uint32_t word, uint64_t four)
{
    memcpy(masks + word, &four, sizeof four);
}

/* How many masks `words` of them take. */
static inline uint32_t qd_join_stride(uint32_t words)
{
    return (words + QD_JOIN_FOUR - 1) / QD_JOIN_FOUR * QD_JOIN_FOUR;
}

typedef struct qd_join_kernel {
    /* Fills `words` masks for a ball among the points where they are (now), and as many for another one among the
     * points where they were, and counts them. Returns whether some point of a mask is not surely in its ball. */
    bool (*both)(const qd_join_points *points, uint32_t words, const qd_join_ball *now, const qd_join_ball *was,
                 uint16_t *is, uint16_t *did, qd_join_counts *counts);
    /* The same, where the masks of where the points were are known. */
    bool (*now)(const qd_join_points *points, uint32_t words, const qd_join_ball *now, uint16_t *is, uint16_t *did,
                qd_join_counts *counts);
    /* Puts the points of `among` that may be in a ball into masks, which may be the same masks; with one column for
     * each axis. Returns whether some of them are not surely in it. */
    bool (*within)(float *const at[3], uint32_t words, const qd_join_ball *ball, const uint16_t *among,
                   uint16_t *masks);
    /* The same for a cone, among the points of `masks`. */
    bool (*cone)(float *const at[3], uint32_t words, const qd_join_cone *cone, uint16_t *masks);
    /* Fills masks with the points between walls, which is exact. */
    void (*between)(float *const at[3], uint32_t words, const qd_join_walls *walls, uint16_t *masks);
    /* The squared distance of each point from `center`, with an error below QD_JOIN_ERROR_SHARE. */
    void (*squares)(float *const at[3], uint32_t words, const float center[3], float *to);
    /* The largest square of the points in masks; 0: there are none. */
    float (*largest)(const float *squares, uint32_t words, const uint16_t *masks);
    /* Removes points with a larger square from masks. Returns how many are left. */
    uint32_t (*up_to)(const float *squares, uint32_t words, float most, uint16_t *masks);
    /* Removes points from two rows of masks, which may be the same: those without a bit of `mask` in their category,
     * and those of another team than `team`, if both have one. */
    void (*admit)(const uint32_t *category, const uint32_t *teams, uint32_t words, uint32_t mask, uint32_t team,
                  uint16_t *is, uint16_t *did);
    qd_join_counts (*count)(const uint16_t *is, const uint16_t *did, uint32_t words);
    /* Puts the `count` rows whose bits are set behind each other, each with the observer. Writes nothing behind them. */
    void (*pack)(const qd_join_rows *from, const uint16_t *masks, uint32_t words, uint32_t observer,
                 const qd_join_rows *to, uint32_t count);
    /* Copies `count` elements of each column, and up to 15 more. */
    void (*copy)(const qd_join_points *from, uint32_t first, uint32_t count, const qd_join_points *to, uint32_t at);
} qd_join_kernel;

/* The fastest one that this machine can run, for two axes or three. */
const qd_join_kernel *qd_join_kernel_chosen(unsigned axes);
/* All that this machine can run, the portable one first; NULL after the last. */
const qd_join_kernel *qd_join_kernel_at(uint32_t index, unsigned axes);

#endif

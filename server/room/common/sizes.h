/* SPDX-License-Identifier: Apache-2.0
 *
 * The sizes of an entity as the protocol names them. Each shape has some of them, and the others are 0. A body of the
 * space keeps them in its own fields (space/types.h); these functions translate, and nothing else does. Pure. [any]
 */
#ifndef QD_ROOM_COMMON_SIZES_H
#define QD_ROOM_COMMON_SIZES_H

#include "room_types.h"

/* In the order in which the server checks them. */
typedef enum qd_size {
    QD_SIZE_HALF_X,
    QD_SIZE_HALF_Y,
    QD_SIZE_HALF_Z,
    QD_SIZE_RADIUS,
    QD_SIZE_AXIS_X,
    QD_SIZE_AXIS_Y,
    QD_SIZE_AXIS_Z,
    QD_SIZES
} qd_size;

typedef struct qd_sizes {
    float value[QD_SIZES];
} qd_sizes;

/* Whether the shape, which is valid, has that size. */
bool qd_shape_has(uint8_t shape, qd_size size);
/* Whether rooms of that many dimensions have that size. */
static inline bool qd_size_is_of(qd_size size, uint32_t dimensions)
{
    return dimensions == 3 || (size != QD_SIZE_HALF_Z && size != QD_SIZE_AXIS_Z);
}

qd_sizes qd_sizes_of(const qd_body *body);
/* Gives the body the sizes that its shape has. */
void qd_sizes_set(qd_body *body, const qd_sizes *sizes);

/* The columns of sizes in a batch. */
static inline void qd_sizes_columns(const qd_room_batch *batch, const float *columns[QD_SIZES])
{
    columns[QD_SIZE_HALF_X] = batch->half_x;
    columns[QD_SIZE_HALF_Y] = batch->half_y;
    columns[QD_SIZE_HALF_Z] = batch->half_z;
    columns[QD_SIZE_RADIUS] = batch->radius;
    columns[QD_SIZE_AXIS_X] = batch->axis_x;
    columns[QD_SIZE_AXIS_Y] = batch->axis_y;
    columns[QD_SIZE_AXIS_Z] = batch->axis_z;
}

static inline void qd_sizes_columns_set(qd_room_batch *batch, const float *const columns[QD_SIZES])
{
    batch->half_x = columns[QD_SIZE_HALF_X];
    batch->half_y = columns[QD_SIZE_HALF_Y];
    batch->half_z = columns[QD_SIZE_HALF_Z];
    batch->radius = columns[QD_SIZE_RADIUS];
    batch->axis_x = columns[QD_SIZE_AXIS_X];
    batch->axis_y = columns[QD_SIZE_AXIS_Y];
    batch->axis_z = columns[QD_SIZE_AXIS_Z];
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "sizes.h"

bool qd_shape_has(uint8_t shape, qd_size size)
{
    switch (size) {
    case QD_SIZE_HALF_X:
    case QD_SIZE_HALF_Y:
    case QD_SIZE_HALF_Z:
        return shape == QD_SPACE_BOX;
    case QD_SIZE_RADIUS:
        return shape != QD_SPACE_BOX;
    default:
        return shape == QD_SPACE_CAPSULE;
    }
}

qd_sizes qd_sizes_of(const qd_body *body)
{
    switch (body->shape) {
    case QD_SPACE_BOX:
        return (qd_sizes){
            {[QD_SIZE_HALF_X] = body->half_x, [QD_SIZE_HALF_Y] = body->half_y, [QD_SIZE_HALF_Z] = body->half_z}};
    case QD_SPACE_CIRCLE:
        return (qd_sizes){{[QD_SIZE_RADIUS] = body->half_x}};
    default:
        return (qd_sizes){{[QD_SIZE_RADIUS] = body->radius,
                           [QD_SIZE_AXIS_X] = body->half_x,
                           [QD_SIZE_AXIS_Y] = body->half_y,
                           [QD_SIZE_AXIS_Z] = body->half_z}};
    }
}

void qd_sizes_set(qd_body *body, const qd_sizes *sizes)
{
    const float *value = sizes->value;

    body->half_x = body->half_y = body->half_z = body->radius = 0;
    switch (body->shape) {
    case QD_SPACE_BOX:
        body->half_x = value[QD_SIZE_HALF_X];
        body->half_y = value[QD_SIZE_HALF_Y];
        body->half_z = value[QD_SIZE_HALF_Z];
        break;
    case QD_SPACE_CIRCLE:
        body->half_x = value[QD_SIZE_RADIUS];
        break;
    default:
        body->half_x = value[QD_SIZE_AXIS_X];
        body->half_y = value[QD_SIZE_AXIS_Y];
        body->half_z = value[QD_SIZE_AXIS_Z];
        body->radius = value[QD_SIZE_RADIUS];
        break;
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "batch.h"

#include "../common/sizes.h"
#include "entities.h"
#include "refusals.h"

/* The numbers of the fields in a message. */
typedef struct fields {
    uint8_t shape;
    uint8_t size[QD_SIZES];
} fields;

#define FIELD_X 3u /* in Spawn; y and z follow */

static const fields fields_of_spawn = {.shape = 9,
                                       .size = {[QD_SIZE_HALF_X] = 6,
                                                [QD_SIZE_HALF_Y] = 7,
                                                [QD_SIZE_HALF_Z] = 8,
                                                [QD_SIZE_RADIUS] = 13,
                                                [QD_SIZE_AXIS_X] = 14,
                                                [QD_SIZE_AXIS_Y] = 15,
                                                [QD_SIZE_AXIS_Z] = 16}};
static const fields fields_of_reshape = {.shape = 6,
                                         .size = {[QD_SIZE_HALF_X] = 3,
                                                  [QD_SIZE_HALF_Y] = 4,
                                                  [QD_SIZE_HALF_Z] = 5,
                                                  [QD_SIZE_RADIUS] = 9,
                                                  [QD_SIZE_AXIS_X] = 10,
                                                  [QD_SIZE_AXIS_Y] = 11,
                                                  [QD_SIZE_AXIS_Z] = 12}};

static int check_size(uint8_t shape, qd_size size, float value)
{
    if (qd_is_not_finite(value)) {
        return QD_ROOM_NOT_FINITE;
    }
    if (value != 0 && !qd_shape_has(shape, size)) {
        return QD_ROOM_WRONG_COLUMN;
    }
    return value < 0 && size <= QD_SIZE_RADIUS ? QD_ROOM_NEGATIVE_SIZE : 0;
}

/* Shape and sizes of the columns that are there. A size without a column keeps its value, or becomes 0 if the new shape
 * lacks it; a size that only the new shape has is 0 in `sizes` already. */
static int take_form(const qd_room_batch *batch, uint32_t i, const fields *numbers, qd_body *body)
{
    const float *columns[QD_SIZES];
    qd_sizes sizes = qd_sizes_of(body);

    if (batch->shape) {
        body->shape = batch->shape[i];
    }
    if (body->shape != QD_SPACE_BOX && body->shape != QD_SPACE_CIRCLE && body->shape != QD_SPACE_CAPSULE) {
        return QD_REFUSED_FIELD(QD_ROOM_UNKNOWN_SHAPE, numbers->shape);
    }
    qd_sizes_columns(batch, columns);
    for (qd_size k = 0; k < QD_SIZES; k++) {
        if (columns[k]) {
            int code = check_size(body->shape, k, columns[k][i]);

            if (code) {
                return QD_REFUSED_FIELD(code, numbers->size[k]);
            }
            sizes.value[k] = columns[k][i];
        }
    }
    qd_sizes_set(body, &sizes);
    return 0;
}

static void take_filter(const qd_room_batch *batch, uint32_t i, qd_body *body)
{
    if (batch->category) {
        body->category = batch->category[i];
    }
    if (batch->mask) {
        body->mask = batch->mask[i];
    }
}

int qd_batch_spawn(qd_entities *entities, const qd_room_batch *batch, uint32_t i, uint32_t owner, uint32_t *slot,
                   qd_body *body)
{
    *body = (qd_body){
        .x = batch->x[i],
        .y = batch->y[i],
        .z = batch->z ? batch->z[i] : 0,
        .shape = QD_SPACE_BOX,
        .category = 1,
        .mask = UINT32_MAX,
    };
    const int axis = qd_axis_not_finite(body->x, body->y, body->z);
    if (axis >= 0) {
        return QD_REFUSED_FIELD(QD_ROOM_NOT_FINITE, FIELD_X + (unsigned)axis);
    }
    int refusal = take_form(batch, i, &fields_of_spawn, body);
    if (refusal) {
        return refusal;
    }
    take_filter(batch, i, body);
    if (qd_ids_get(&entities->ids, batch->id[i]).slot != QD_SLOT_NONE) {
        return QD_ROOM_ID_TAKEN;
    }
    return qd_entities_add(entities, batch->id[i], owner, body, slot) == QD_OK ? 0 : QD_ROOM_FULL;
}

int qd_batch_find(const qd_entities *entities, uint32_t member, const qd_room_batch *batch, uint32_t i, uint32_t *slot)
{
    qd_id_entry entry = qd_ids_get(&entities->ids, batch->id[i]);

    *slot = entry.slot;
    return qd_check_entry(entry, member);
}

static bool has_form(const qd_room_batch *batch)
{
    return batch->half_x || batch->half_y || batch->half_z || batch->radius || batch->axis_x || batch->axis_y ||
           batch->axis_z || batch->shape;
}

int qd_batch_reshape(qd_entities *entities, const qd_room_batch *batch, uint32_t i, uint32_t slot)
{
    qd_body body;

    qd_space_body(entities->space, slot, &body);
    if (has_form(batch)) {
        int refusal = take_form(batch, i, &fields_of_reshape, &body);

        if (refusal) {
            return refusal;
        }
        if (qd_space_reshape(entities->space, slot, &body) != QD_OK) {
            return QD_ROOM_FULL;
        }
    }
    if (batch->category || batch->mask) {
        take_filter(batch, i, &body);
        qd_space_refilter(entities->space, slot, body.category, body.mask);
    }
    return 0;
}

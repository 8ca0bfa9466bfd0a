/* SPDX-License-Identifier: Apache-2.0 */
#include "columns.h"

#include <stdlib.h>
#include <string.h>

#define REALS 10

/* Collects the columns of floats. */
static void reals_of(qd_columns *columns, float **reals[REALS])
{
    float **const all[REALS] = {&columns->x,      &columns->y,      &columns->z,      &columns->half_x,
                                &columns->half_y, &columns->half_z, &columns->radius, &columns->axis_x,
                                &columns->axis_y, &columns->axis_z};

    memcpy(reals, all, sizeof all);
}

/* Grows one column to that size in bytes; the pointer to it is of any type. */
static bool grow_column(void *column, size_t size)
{
    void *old;

    memcpy(&old, column, sizeof old);
    void *grown = realloc(old, size);
    if (grown == NULL) {
        return false;
    }
    memcpy(column, &grown, sizeof grown);
    return true;
}

static bool grow(qd_columns *columns)
{
    const uint32_t capacity = columns->capacity > 0 ? columns->capacity * 2 : 256;
    float **reals[REALS];

    reals_of(columns, reals);
    for (size_t i = 0; i < REALS; i++) {
        if (!grow_column(reals[i], capacity * sizeof **reals[i])) {
            return false;
        }
    }
    if (!grow_column(&columns->id, capacity * sizeof *columns->id) || !grow_column(&columns->shape, capacity) ||
        !grow_column(&columns->category, capacity * sizeof *columns->category) ||
        !grow_column(&columns->mask, capacity * sizeof *columns->mask)) {
        return false;
    }
    columns->capacity = capacity;
    return true;
}

bool qd_columns_add(qd_columns *columns, qd_entity entity)
{
    if (columns->count == columns->capacity && !grow(columns)) {
        return false;
    }
    uint32_t at = columns->count++;
    columns->id[at] = entity.id;
    columns->x[at] = entity.x;
    columns->y[at] = entity.y;
    columns->half_x[at] = entity.half_x;
    columns->half_y[at] = entity.half_y;
    columns->z[at] = entity.z;
    columns->half_z[at] = entity.half_z;
    columns->radius[at] = entity.radius;
    columns->axis_x[at] = entity.axis_x;
    columns->axis_y[at] = entity.axis_y;
    columns->axis_z[at] = entity.axis_z;
    columns->shape[at] = (uint8_t)entity.shape;
    columns->category[at] = entity.category;
    columns->mask[at] = entity.mask;
    columns->shapes |= 1u << entity.shape;
    return true;
}

void qd_columns_deinit(qd_columns *columns)
{
    float **reals[REALS];

    reals_of(columns, reals);
    for (size_t i = 0; i < REALS; i++) {
        free(*reals[i]);
    }
    free(columns->id);
    free(columns->shape);
    free(columns->category);
    free(columns->mask);
    *columns = (qd_columns){0};
}

/* Adds the columns of Spawn and Reshape. A size that no shape of the columns has is left out. */
static void set_shapes(const qd_columns *columns, uint32_t at, const qd_columns_kind *kind, qd_msg_entities *piece)
{
    const bool is_3d = kind->dimensions == 3;

    piece->shape = columns->shape + at;
    if (columns->shapes & 1u << QD_SHAPE_BOX) {
        piece->half_x = columns->half_x + at;
        piece->half_y = columns->half_y + at;
        piece->half_z = is_3d ? columns->half_z + at : NULL;
    }
    if (columns->shapes & (1u << QD_SHAPE_CIRCLE | 1u << QD_SHAPE_CAPSULE)) {
        piece->radius = columns->radius + at;
    }
    if (columns->shapes & 1u << QD_SHAPE_CAPSULE) {
        piece->axis_x = columns->axis_x + at;
        piece->axis_y = columns->axis_y + at;
        piece->axis_z = is_3d ? columns->axis_z + at : NULL;
    }
    if (kind->message == QD_CLIENT_SPAWN || kind->filters) {
        piece->category = columns->category + at;
        piece->mask = columns->mask + at;
    }
}

/* A batch of this kind with the entities from `at` on. */
static qd_msg_entities piece_of(const qd_columns *columns, uint32_t at, const qd_columns_kind *kind)
{
    const bool spawns = kind->message == QD_CLIENT_SPAWN;
    uint32_t left = columns->count - at;
    qd_msg_entities piece = {.count = left < QD_COLUMNS_PIECE ? left : QD_COLUMNS_PIECE, .id = columns->id + at};

    if (spawns || kind->message == QD_CLIENT_MOVE || kind->message == QD_CLIENT_TELEPORT) {
        piece.x = columns->x + at;
        piece.y = columns->y + at;
        piece.z = kind->dimensions == 3 ? columns->z + at : NULL;
    }
    if (spawns || kind->message == QD_CLIENT_RESHAPE) {
        set_shapes(columns, at, kind, &piece);
    }
    return piece;
}

static uint64_t send_piece(qd_client *client, uint64_t room, const qd_columns_kind *kind, const qd_msg_entities *piece)
{
    switch (kind->message) {
    case QD_CLIENT_SPAWN:
        return qd_client_spawn(client, room, piece, kind->room_owned);
    case QD_CLIENT_MOVE:
        return qd_client_move(client, room, piece);
    case QD_CLIENT_TELEPORT:
        return qd_client_teleport(client, room, piece);
    case QD_CLIENT_RESHAPE:
        return qd_client_reshape(client, room, piece);
    default:
        return qd_client_despawn(client, room, piece->id, piece->count);
    }
}

bool qd_columns_send(const qd_columns *columns, qd_client *client, uint64_t room, const qd_columns_kind *kind,
                     uint64_t *first_seq)
{
    *first_seq = qd_client_next_seq(client);
    bool sent = true;
    for (uint32_t at = 0; at < columns->count && sent; at += QD_COLUMNS_PIECE) {
        qd_msg_entities piece = piece_of(columns, at, kind);

        sent = send_piece(client, room, kind, &piece) != 0;
    }
    return sent;
}

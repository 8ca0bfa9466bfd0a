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

static bool grow(qd_columns *columns)
{
    uint32_t capacity = columns->capacity > 0 ? columns->capacity * 2 : 256;
    uint32_t *id = realloc(columns->id, capacity * sizeof *id);

    if (id == NULL) {
        return false;
    }
    columns->id = id;
    float **reals[REALS];
    reals_of(columns, reals);
    for (size_t i = 0; i < REALS; i++) {
        float *column = realloc(*reals[i], capacity * sizeof *column);

        if (column == NULL) {
            return false;
        }
        *reals[i] = column;
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
    *columns = (qd_columns){0};
}

/* The shared values of a batch, as columns. */
typedef struct shared {
    uint8_t shape[QD_COLUMNS_PIECE];
    uint32_t category[QD_COLUMNS_PIECE], mask[QD_COLUMNS_PIECE];
} shared;

static shared *share(const qd_columns_kind *kind, uint32_t count)
{
    shared *columns = malloc(sizeof *columns);

    if (columns == NULL) {
        return NULL;
    }
    memset(columns->shape, (int)kind->shape, count);
    for (uint32_t i = 0; i < count; i++) {
        columns->category[i] = kind->category;
        columns->mask[i] = kind->mask;
    }
    return columns;
}

/* A batch of this kind with the entities from `at` on; `common` is NULL without shared values. */
static qd_msg_entities piece_of(const qd_columns *columns, uint32_t at, const qd_columns_kind *kind,
                                const shared *common)
{
    bool spawns = kind->message == QD_CLIENT_SPAWN, reshapes = kind->message == QD_CLIENT_RESHAPE;
    bool is_3d = kind->dimensions == 3;
    uint32_t left = columns->count - at;
    qd_msg_entities piece = {.count = left < QD_COLUMNS_PIECE ? left : QD_COLUMNS_PIECE, .id = columns->id + at};

    if (spawns || kind->message == QD_CLIENT_MOVE || kind->message == QD_CLIENT_TELEPORT) {
        piece.x = columns->x + at;
        piece.y = columns->y + at;
        piece.z = is_3d ? columns->z + at : NULL;
    }
    if ((spawns || reshapes) && kind->shape == QD_SHAPE_BOX) {
        piece.half_x = columns->half_x + at;
        piece.half_y = columns->half_y + at;
        piece.half_z = is_3d ? columns->half_z + at : NULL;
    } else if (spawns || reshapes) {
        piece.radius = columns->radius + at;
    }
    if (kind->shape == QD_SHAPE_CAPSULE) {
        piece.axis_x = columns->axis_x + at;
        piece.axis_y = columns->axis_y + at;
        piece.axis_z = is_3d ? columns->axis_z + at : NULL;
    }
    if (common != NULL) {
        piece.shape = common->shape;
    }
    if (common != NULL && spawns) {
        piece.category = common->category;
        piece.mask = common->mask;
    }
    return piece;
}

static uint32_t send_piece(qd_client *client, uint64_t room, const qd_columns_kind *kind, const qd_msg_entities *piece)
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
    shared *common = NULL;

    *first_seq = qd_client_next_seq(client);
    if (kind->shape != 0 && columns->count > 0) {
        common = share(kind, columns->count < QD_COLUMNS_PIECE ? columns->count : QD_COLUMNS_PIECE);
        if (common == NULL) {
            return false;
        }
    }
    bool sent = true;
    for (uint32_t at = 0; at < columns->count && sent; at += QD_COLUMNS_PIECE) {
        qd_msg_entities piece = piece_of(columns, at, kind, common);

        sent = send_piece(client, room, kind, &piece) != 0;
    }
    free(common);
    return sent;
}

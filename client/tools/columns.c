/* SPDX-License-Identifier: Apache-2.0 */
#include "columns.h"

#include <stdlib.h>
#include <string.h>

static bool grow(qd_columns *columns)
{
    uint32_t capacity = columns->capacity > 0 ? columns->capacity * 2 : 256;
    uint32_t *id = realloc(columns->id, capacity * sizeof *id);
    if (id == NULL)
        return false;
    columns->id = id;
    float **reals[] = {&columns->x, &columns->y, &columns->half_x, &columns->half_y};
    for (size_t i = 0; i < sizeof reals / sizeof reals[0]; i++) {
        float *column = realloc(*reals[i], capacity * sizeof *column);
        if (column == NULL)
            return false;
        *reals[i] = column;
    }
    columns->capacity = capacity;
    return true;
}

bool qd_columns_add(qd_columns *columns, qd_entity entity)
{
    if (columns->count == columns->capacity && !grow(columns))
        return false;
    uint32_t at = columns->count++;
    columns->id[at] = entity.id;
    columns->x[at] = entity.x;
    columns->y[at] = entity.y;
    columns->half_x[at] = entity.half_x;
    columns->half_y[at] = entity.half_y;
    return true;
}

void qd_columns_deinit(qd_columns *columns)
{
    free(columns->id);
    free(columns->x);
    free(columns->y);
    free(columns->half_x);
    free(columns->half_y);
    *columns = (qd_columns){0};
}

/* What all entities of a spawn share, as columns. */
typedef struct shared {
    uint8_t shape[QD_COLUMNS_PIECE];
    uint32_t category[QD_COLUMNS_PIECE], mask[QD_COLUMNS_PIECE];
} shared;

static shared *share(const qd_columns_kind *kind, uint32_t count)
{
    shared *columns = malloc(sizeof *columns);
    if (columns == NULL)
        return NULL;
    memset(columns->shape, (int)kind->shape, count);
    for (uint32_t i = 0; i < count; i++) {
        columns->category[i] = kind->category;
        columns->mask[i] = kind->mask;
    }
    return columns;
}

bool qd_columns_send(const qd_columns *columns, qd_client *client, uint64_t room, const qd_columns_kind *kind,
                     uint32_t *first_seq)
{
    bool spawns = kind->message == QD_CLIENT_SPAWN;
    bool has_sizes = spawns || kind->message == QD_CLIENT_RESHAPE;
    bool has_places = spawns || kind->message == QD_CLIENT_MOVE;
    shared *common = NULL;
    *first_seq = qd_client_next_seq(client);
    if (spawns && columns->count > 0) {
        common = share(kind, columns->count < QD_COLUMNS_PIECE ? columns->count : QD_COLUMNS_PIECE);
        if (common == NULL)
            return false;
    }
    bool sent = true;
    for (uint32_t at = 0; at < columns->count && sent; at += QD_COLUMNS_PIECE) {
        uint32_t left = columns->count - at;
        qd_msg_entities piece = {.count = left < QD_COLUMNS_PIECE ? left : QD_COLUMNS_PIECE, .id = columns->id + at};
        if (has_places) {
            piece.x = columns->x + at;
            piece.y = columns->y + at;
        }
        if (has_sizes) {
            piece.half_x = columns->half_x + at;
            piece.half_y = columns->half_y + at;
        }
        if (common != NULL) {
            piece.shape = common->shape;
            piece.category = common->category;
            piece.mask = common->mask;
        }
        uint32_t seq = 0;
        if (spawns)
            seq = qd_client_spawn(client, room, &piece, kind->room_owned);
        else if (kind->message == QD_CLIENT_MOVE)
            seq = qd_client_move(client, room, &piece);
        else if (kind->message == QD_CLIENT_RESHAPE)
            seq = qd_client_reshape(client, room, &piece);
        else
            seq = qd_client_despawn(client, room, piece.id, piece.count);
        sent = seq != 0;
    }
    free(common);
    return sent;
}

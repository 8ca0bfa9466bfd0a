/* SPDX-License-Identifier: Apache-2.0
 *
 * Growing columns of entities, from which the commands make their batches.
 */
#ifndef QD_TOOLS_COLUMNS_H
#define QD_TOOLS_COLUMNS_H

#include "quadrille.h"

typedef struct qd_entity {
    uint32_t id;
    float x, y, half_x, half_y;
    float z, half_z; /* 0 in two dimensions */
    float radius;    /* of a capsule */
} qd_entity;

/* Empty where all is zero. */
typedef struct qd_columns {
    uint32_t count, capacity;
    uint32_t *id;
    float *x, *y, *half_x, *half_y, *z, *half_z, *radius;
} qd_columns;

/* false: out of memory. */
bool qd_columns_add(qd_columns *columns, qd_entity entity);
void qd_columns_deinit(qd_columns *columns);

/* Which columns a batch has, and what all its entities have in common. */
typedef struct qd_columns_kind {
    qd_client_kind message;  /* QD_CLIENT_SPAWN, _MOVE, _TELEPORT, _RESHAPE or _DESPAWN */
    uint32_t dimensions;     /* 2 or 3 */
    qd_shape shape;          /* of Spawn and Reshape; 0: Reshape leaves it as it is */
    uint32_t category, mask; /* of Spawn */
    bool room_owned;
} qd_columns_kind;

/* Batches are cut into pieces of so many entities, so that each fits a frame by far. */
#define QD_COLUMNS_PIECE 32768u

/* Queues the columns as one or more batches, with consecutive seqs from *first_seq on; none when they are empty.
 * false: the session has ended, or there is no memory. */
bool qd_columns_send(const qd_columns *columns, qd_client *client, uint64_t room, const qd_columns_kind *kind,
                     uint32_t *first_seq);

#endif

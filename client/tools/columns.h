/* SPDX-License-Identifier: Apache-2.0
 *
 * Growing columns of entities, for batches.
 */
#ifndef QD_TOOLS_COLUMNS_H
#define QD_TOOLS_COLUMNS_H

#include "quadrille.h"

typedef struct qd_entity {
    uint32_t id;
    float x, y, z;
    float half_x, half_y, half_z; /* of a box */
    float radius;                 /* of a circle or capsule */
    float axis_x, axis_y, axis_z; /* of a capsule */
    qd_shape shape;               /* of Spawn and Reshape, as are these two */
    uint32_t category, mask;
} qd_entity;

/* Zeroed columns are empty. */
typedef struct qd_columns {
    uint32_t count, capacity;
    uint32_t *id;
    float *x, *y, *z;
    float *half_x, *half_y, *half_z, *radius, *axis_x, *axis_y, *axis_z;
    uint8_t *shape;
    uint32_t *category, *mask;
    uint32_t shapes; /* bit 1 << shape for each that was added */
} qd_columns;

/* false: out of memory. */
bool qd_columns_add(qd_columns *columns, qd_entity entity);
void qd_columns_deinit(qd_columns *columns);

/* What a batch of columns does. */
typedef struct qd_columns_kind {
    qd_client_kind message; /* QD_CLIENT_SPAWN, _MOVE, _TELEPORT, _RESHAPE or _DESPAWN */
    uint32_t dimensions;    /* 2 or 3 */
    bool filters;           /* Reshape sets category and mask as well */
    bool room_owned;        /* of Spawn */
} qd_columns_kind;

/* The most entities per batch: far fewer than fit in a frame. */
#define QD_COLUMNS_PIECE 32768u

/* Queues the columns as batches with consecutive seqs from *first_seq on; empty columns give no batch. false: the
 * session has ended, or there is no memory. */
bool qd_columns_send(const qd_columns *columns, qd_client *client, uint64_t room, const qd_columns_kind *kind,
                     uint64_t *first_seq);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * What a room is to be, as the requests that the server has carried out say. From it a room is restored. Not installed.
 */
#ifndef QD_CLIENT_SESSION_KEPT_H
#define QD_CLIENT_SESSION_KEPT_H

#include "../quadrille.h"
#include "../table.h"

#define QD_ROSTER_NUMBERS 256u
#define QD_TIERS_MAX      8u

/* X(type, name): the columns of qd_msg_entities behind `id`, each with the value that its absence means in Spawn. */
#define QD_KEPT_COLUMNS(X)                                                                                             \
    X(float, x, 0)                                                                                                     \
    X(float, y, 0)                                                                                                     \
    X(float, z, 0)                                                                                                     \
    X(float, half_x, 0)                                                                                                \
    X(float, half_y, 0)                                                                                                \
    X(float, half_z, 0)                                                                                                \
    X(float, axis_x, 0)                                                                                                \
    X(float, axis_y, 0)                                                                                                \
    X(float, axis_z, 0)                                                                                                \
    X(float, radius, 0)                                                                                                \
    X(uint8_t, shape, QD_SHAPE_BOX)                                                                                    \
    X(uint32_t, category, 1)                                                                                           \
    X(uint32_t, mask, UINT32_MAX)

typedef struct qd_kept_entity {
    uint32_t id;
#define X(type, name, absent) type name;
    QD_KEPT_COLUMNS(X)
#undef X
    bool room_owned;
    bool foreign;   /* another session spawned it: its values are not known */
    bool moved;     /* but its position is */
    bool missing;   /* it could not be restored yet: its id is taken */
    bool described; /* with these: */
    bool hidden;
    uint8_t payload_size;
    uint8_t payload[QD_VIEW_PAYLOAD_BYTES_MAX];
    uint64_t tag;
    float visible_range;
    uint32_t team;
} qd_kept_entity;

typedef struct qd_kept_observer {
    uint32_t id;
#define NUMBERS(type, name) type name;
#define BYTES(name)         uint8_t name;
    QD_OBSERVER_COLUMNS(NUMBERS, BYTES)
#undef NUMBERS
#undef BYTES
    uint32_t tier_count;
    float relay_range[QD_TIERS_MAX];
    uint32_t relay_every[QD_TIERS_MAX];
    uint32_t show_count, hide_count;
    uint32_t *exceptions; /* show, then hide */
} qd_kept_observer;

typedef struct qd_kept_roster {
    uint32_t count, capacity;
    uint32_t *ids;
} qd_kept_roster;

/* Zeroed: empty. */
typedef struct qd_kept {
    qd_kept_entity *entities;
    uint32_t entity_count, entity_capacity;
    qd_table entity_slots; /* by id: slot + 1 */
    qd_kept_observer *observers;
    uint32_t observer_count, observer_capacity;
    qd_table observer_slots;
    qd_kept_roster rosters[QD_ROSTER_NUMBERS];
    bool subscribed, stays;
    qd_scope scope;
    bool has_view_options;
    qd_msg_set_view_options view_options;
} qd_kept;

void qd_kept_free(qd_kept *kept);
/* Whether requests of this kind change what is kept. */
bool qd_kept_takes(qd_client_kind kind);
/* The server has carried out the request; `refused` (NULL: none) has one byte per entry, 1: it was refused. Doing it
 * twice changes nothing. `session` is this session's number. false: no memory; a part may be done. */
bool qd_kept_apply(qd_kept *kept, const qd_client_message *message, const uint8_t *refused, uint64_t session);
/* The part of qd_kept_apply for observers and their options; kept_views.c. */
bool qd_kept_apply_views(qd_kept *kept, const qd_client_message *message, const uint8_t *refused);
void qd_kept_views_free(qd_kept *kept);
/* Its observers end with an entity. */
void qd_kept_anchor_gone(qd_kept *kept, uint32_t entity);
qd_kept_entity *qd_kept_find(const qd_kept *kept, uint32_t id);
qd_kept_observer *qd_kept_observer_find(const qd_kept *kept, uint32_t id);
/* Adds an entity of which only the id is known, or finds it. NULL: no memory. */
qd_kept_entity *qd_kept_add(qd_kept *kept, uint32_t id);
void qd_kept_remove(qd_kept *kept, uint32_t id);
/* Keeps entry i of a Spawn as missing. */
bool qd_kept_miss(qd_kept *kept, const qd_msg_batch *spawn, uint32_t i);
/* The entity that entry i of a request is about, directly or as the anchor of an observer; NULL: none is kept. */
const qd_kept_entity *qd_kept_entity_of(const qd_kept *kept, const qd_client_message *message, uint32_t i);

#endif

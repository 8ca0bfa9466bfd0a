/* SPDX-License-Identifier: Apache-2.0 */
#include "kept.h"

#include <string.h>

#include "../memory.h"

#define CAPACITY_MIN 16u

static bool is_refused(const uint8_t *refused, uint32_t i)
{
    return refused != NULL && refused[i] != 0;
}

/* ---- entities ---- */

qd_kept_entity *qd_kept_find(const qd_kept *kept, uint32_t id)
{
    const qd_table_place *found = qd_table_get(&kept->entity_slots, id);

    return found != NULL ? &kept->entities[found->value - 1] : NULL;
}

qd_kept_entity *qd_kept_add(qd_kept *kept, uint32_t id)
{
    qd_kept_entity *found = qd_kept_find(kept, id);

    if (found != NULL) {
        return found;
    }
    if (kept->entity_count == kept->entity_capacity) {
        uint32_t capacity = kept->entity_capacity > 0 ? 2 * kept->entity_capacity : CAPACITY_MIN;
        qd_kept_entity *entities = qd_memory_resize(kept->entities, capacity * sizeof *entities);

        if (entities == NULL) {
            return NULL;
        }
        kept->entities = entities;
        kept->entity_capacity = capacity;
    }
    qd_table_place *place = qd_table_put(&kept->entity_slots, id);
    if (place == NULL) {
        return NULL;
    }
    kept->entities[kept->entity_count] = (qd_kept_entity){.id = id, .foreign = true};
    place->value = ++kept->entity_count;
    return &kept->entities[place->value - 1];
}

void qd_kept_remove(qd_kept *kept, uint32_t id)
{
    qd_table_place *found = qd_table_get(&kept->entity_slots, id);

    if (found == NULL) {
        return;
    }
    uint32_t slot = (uint32_t)found->value - 1;
    qd_table_take(&kept->entity_slots, found);
    if (slot != --kept->entity_count) {
        kept->entities[slot] = kept->entities[kept->entity_count];
        qd_table_get(&kept->entity_slots, kept->entities[slot].id)->value = slot + 1;
    }
    qd_kept_anchor_gone(kept, id);
}

/* Sets the columns that are present. */
static void set_columns(qd_kept_entity *entity, const qd_msg_entities *from, uint32_t i)
{
#define X(type, name, absent)                                                                                          \
    if (from->name != NULL) {                                                                                          \
        entity->name = from->name[i];                                                                                  \
    }
    QD_KEPT_COLUMNS(X)
#undef X
}

/* A size that a shape lacks is 0. */
static void clear_sizes(qd_kept_entity *entity)
{
    if (entity->shape != QD_SHAPE_BOX) {
        entity->half_x = entity->half_y = entity->half_z = 0;
    }
    if (entity->shape != QD_SHAPE_CAPSULE) {
        entity->axis_x = entity->axis_y = entity->axis_z = 0;
    }
    if (entity->shape == QD_SHAPE_BOX) {
        entity->radius = 0;
    }
}

static bool spawn(qd_kept *kept, const qd_msg_batch *batch, uint32_t i)
{
    qd_kept_entity *entity = qd_kept_add(kept, batch->entities.id[i]);

    if (entity == NULL) {
        return false;
    }
    *entity = (qd_kept_entity){.id = entity->id, .room_owned = batch->room_owned};
#define X(type, name, absent) entity->name = (absent);
    QD_KEPT_COLUMNS(X)
#undef X
    set_columns(entity, &batch->entities, i);
    return true;
}

bool qd_kept_miss(qd_kept *kept, const qd_msg_batch *batch, uint32_t i)
{
    if (qd_kept_find(kept, batch->entities.id[i]) == NULL && !spawn(kept, batch, i)) {
        return false;
    }
    qd_kept_find(kept, batch->entities.id[i])->missing = true;
    return true;
}

static bool apply_batch(qd_kept *kept, qd_client_kind kind, const qd_msg_batch *batch, const uint8_t *refused)
{
    for (uint32_t i = 0; i < batch->entities.count; i++) {
        uint32_t id = batch->entities.id[i];
        qd_kept_entity *entity = qd_kept_find(kept, id);

        if (is_refused(refused, i) && (entity == NULL || !entity->missing)) {
            continue;
        }
        if (kind == QD_CLIENT_DESPAWN) {
            qd_kept_remove(kept, id);
        } else if (kind == QD_CLIENT_SPAWN) {
            if (entity == NULL && !spawn(kept, batch, i)) {
                return false;
            }
        } else if (entity != NULL) {
            set_columns(entity, &batch->entities, i);
            clear_sizes(entity);
            entity->moved = entity->moved || batch->entities.x != NULL;
        }
    }
    return true;
}

static void describe(qd_kept *kept, const qd_msg_set_description *description, const uint8_t *refused)
{
    const uint8_t *payload = description->payload;

    for (uint32_t i = 0; i < description->count; i++) {
        qd_kept_entity *entity = qd_kept_find(kept, description->id[i]);
        uint8_t size = description->payload_size != NULL ? description->payload_size[i] : 0;
        const uint8_t *bytes = payload;

        payload = payload != NULL ? payload + size : NULL;
        if (entity == NULL || (is_refused(refused, i) && !entity->missing)) {
            continue;
        }
        entity->described = true;
        if (description->tag != NULL) {
            entity->tag = description->tag[i];
        }
        if (description->payload_size != NULL && size <= QD_VIEW_PAYLOAD_BYTES_MAX) {
            entity->payload_size = size;
            if (size > 0 && bytes != NULL) {
                memcpy(entity->payload, bytes, size);
            }
        }
        if (description->visible_range != NULL) {
            entity->visible_range = description->visible_range[i];
        }
        if (description->team != NULL) {
            entity->team = description->team[i];
        }
        if (description->hidden != NULL) {
            entity->hidden = description->hidden[i] != 0;
        }
    }
}

static void hand_over(qd_kept *kept, const qd_msg_hand_over *handover, const uint8_t *refused, uint64_t session)
{
    for (uint32_t i = 0; i < handover->count; i++) {
        qd_kept_entity *entity = qd_kept_find(kept, handover->id[i]);

        if (entity == NULL || is_refused(refused, i)) {
            continue;
        }
        if (handover->room_owned || handover->session == session) {
            entity->room_owned = handover->room_owned;
        } else {
            qd_kept_remove(kept, entity->id);
        }
    }
}

/* ---- rosters ---- */

static bool set_roster(qd_kept *kept, const qd_msg_set_roster *set)
{
    if (set->roster >= QD_ROSTER_NUMBERS || set->first > kept->rosters[set->roster].count ||
        set->count > UINT32_MAX / 2 - set->first) {
        return true; /* refused */
    }
    qd_kept_roster *roster = &kept->rosters[set->roster];
    uint32_t end = set->first + set->count;
    if (end > roster->capacity) {
        uint32_t capacity = end < 2 * roster->capacity ? 2 * roster->capacity : end;
        uint32_t *ids = qd_memory_resize(roster->ids, capacity * sizeof *ids);

        if (ids == NULL) {
            return false;
        }
        roster->ids = ids;
        roster->capacity = capacity;
    }
    if (set->count > 0) {
        memcpy(roster->ids + set->first, set->id, set->count * sizeof *set->id);
    }
    if (!set->keep_rest || end > roster->count) {
        roster->count = end;
    }
    return true;
}

static void move_roster(qd_kept *kept, const qd_msg_move_roster *move, const uint8_t *refused)
{
    if (move->roster >= QD_ROSTER_NUMBERS) {
        return;
    }
    const qd_kept_roster *roster = &kept->rosters[move->roster];
    for (uint32_t i = 0; i < move->count && move->first + i < roster->count; i++) {
        qd_kept_entity *entity = qd_kept_find(kept, roster->ids[move->first + i]);

        if (entity == NULL || (is_refused(refused, i) && !entity->missing)) {
            continue;
        }
        entity->moved = true;
        entity->x = move->x[i];
        entity->y = move->y[i];
        entity->z = move->z != NULL ? move->z[i] : 0;
    }
}

/* ---- requests ---- */

bool qd_kept_takes(qd_client_kind kind)
{
    switch (kind) {
    case QD_CLIENT_SPAWN:
    case QD_CLIENT_MOVE:
    case QD_CLIENT_TELEPORT:
    case QD_CLIENT_RESHAPE:
    case QD_CLIENT_DESPAWN:
    case QD_CLIENT_SUBSCRIBE:
    case QD_CLIENT_UNSUBSCRIBE:
    case QD_CLIENT_SET_DESCRIPTION:
    case QD_CLIENT_OBSERVE:
    case QD_CLIENT_MOVE_OBSERVERS:
    case QD_CLIENT_UNOBSERVE:
    case QD_CLIENT_SET_EXCEPTIONS:
    case QD_CLIENT_SET_VIEW_OPTIONS:
    case QD_CLIENT_HAND_OVER:
    case QD_CLIENT_SET_ROSTER:
    case QD_CLIENT_MOVE_ROSTER:
        return true;
    default:
        return false;
    }
}

bool qd_kept_apply(qd_kept *kept, const qd_client_message *message, const uint8_t *refused, uint64_t session)
{
    switch (message->kind) {
    case QD_CLIENT_SPAWN:
    case QD_CLIENT_MOVE:
    case QD_CLIENT_TELEPORT:
    case QD_CLIENT_RESHAPE:
    case QD_CLIENT_DESPAWN:
        return apply_batch(kept, message->kind, &message->as.batch, refused);
    case QD_CLIENT_SET_DESCRIPTION:
        describe(kept, &message->as.set_description, refused);
        return true;
    case QD_CLIENT_HAND_OVER:
        hand_over(kept, &message->as.hand_over, refused, session);
        return true;
    case QD_CLIENT_SET_ROSTER:
        return set_roster(kept, &message->as.set_roster);
    case QD_CLIENT_MOVE_ROSTER:
        move_roster(kept, &message->as.move_roster, refused);
        return true;
    case QD_CLIENT_SUBSCRIBE:
        kept->subscribed = true;
        kept->scope = message->as.subscribe.scope;
        kept->stays = message->as.subscribe.stays;
        return true;
    case QD_CLIENT_UNSUBSCRIBE:
        kept->subscribed = false;
        return true;
    default:
        return qd_kept_apply_views(kept, message, refused);
    }
}

const qd_kept_entity *qd_kept_entity_of(const qd_kept *kept, const qd_client_message *message, uint32_t i)
{
    const qd_kept_observer *observer = NULL;

    switch (message->kind) {
    case QD_CLIENT_SPAWN:
    case QD_CLIENT_MOVE:
    case QD_CLIENT_TELEPORT:
    case QD_CLIENT_RESHAPE:
    case QD_CLIENT_DESPAWN:
        return qd_kept_find(kept, message->as.batch.entities.id[i]);
    case QD_CLIENT_SET_DESCRIPTION:
        return qd_kept_find(kept, message->as.set_description.id[i]);
    case QD_CLIENT_HAND_OVER:
        return qd_kept_find(kept, message->as.hand_over.id[i]);
    case QD_CLIENT_MOVE_ROSTER: {
        const qd_msg_move_roster *move = &message->as.move_roster;

        return move->roster < QD_ROSTER_NUMBERS && move->first + i < kept->rosters[move->roster].count
                   ? qd_kept_find(kept, kept->rosters[move->roster].ids[move->first + i])
                   : NULL;
    }
    case QD_CLIENT_OBSERVE:
        return message->as.observers.entity != NULL ? qd_kept_find(kept, message->as.observers.entity[i]) : NULL;
    case QD_CLIENT_MOVE_OBSERVERS:
    case QD_CLIENT_UNOBSERVE:
        observer = qd_kept_observer_find(kept, message->as.observers.id[i]);
        break;
    case QD_CLIENT_SET_EXCEPTIONS:
        observer = qd_kept_observer_find(kept, message->as.set_exceptions.observer);
        break;
    default:
        break;
    }
    return observer != NULL && observer->anchored ? qd_kept_find(kept, observer->entity) : NULL;
}

void qd_kept_free(qd_kept *kept)
{
    qd_kept_views_free(kept);
    for (uint32_t i = 0; i < QD_ROSTER_NUMBERS; i++) {
        qd_memory_free(kept->rosters[i].ids);
    }
    qd_memory_free(kept->entities);
    qd_table_empty(&kept->entity_slots);
    *kept = (qd_kept){0};
}

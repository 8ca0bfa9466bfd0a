/* SPDX-License-Identifier: Apache-2.0 */
#include "session.h"

/* The column from `first` on, or NULL if it is absent. */
#define SKIP(column)                                                                                                   \
    if ((column) != NULL) {                                                                                            \
        (column) += first;                                                                                             \
    }

uint32_t qd_split_entries(const qd_client_message *message, const uint32_t **id)
{
    *id = NULL;
    switch (message->kind) {
    case QD_CLIENT_SPAWN:
    case QD_CLIENT_MOVE:
    case QD_CLIENT_TELEPORT:
    case QD_CLIENT_RESHAPE:
    case QD_CLIENT_DESPAWN:
        *id = message->as.batch.entities.id;
        return message->as.batch.entities.count;
    case QD_CLIENT_SET_DESCRIPTION:
        *id = message->as.set_description.id;
        return message->as.set_description.count;
    case QD_CLIENT_OBSERVE:
    case QD_CLIENT_MOVE_OBSERVERS:
    case QD_CLIENT_UNOBSERVE:
        *id = message->as.observers.id;
        return message->as.observers.count;
    case QD_CLIENT_HAND_OVER:
        *id = message->as.hand_over.id;
        return message->as.hand_over.count;
    case QD_CLIENT_SET_ROSTER:
        return message->as.set_roster.count;
    case QD_CLIENT_MOVE_ROSTER:
        return message->as.move_roster.count;
    default:
        return 0;
    }
}

uint32_t qd_split_count(const qd_client_message *message)
{
    const uint32_t *id;

    return qd_split_entries(message, &id);
}

static void part_of_entities(qd_msg_entities *entities, uint32_t first, uint32_t count)
{
    entities->count = count;
    SKIP(entities->id)
#define X(type, name, absent) SKIP(entities->name)
    QD_KEPT_COLUMNS(X)
#undef X
}

static void part_of_observers(qd_msg_observers *observers, uint32_t first, uint32_t count)
{
    observers->count = count;
    SKIP(observers->id)
#define NUMBERS(type, name) SKIP(observers->name)
#define BYTES(name)         SKIP(observers->name)
    QD_OBSERVER_COLUMNS(NUMBERS, BYTES)
#undef NUMBERS
#undef BYTES
}

static void part_of_description(qd_msg_set_description *description, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < first && description->payload_size != NULL && description->payload != NULL; i++) {
        description->payload += description->payload_size[i];
    }
    description->count = count;
    SKIP(description->id)
    SKIP(description->tag)
    SKIP(description->payload_size)
    SKIP(description->visible_range)
    SKIP(description->team)
    SKIP(description->hidden)
}

qd_client_message qd_split_part(const qd_client_message *message, uint32_t first, uint32_t count)
{
    qd_client_message part = *message;

    switch (message->kind) {
    case QD_CLIENT_SET_DESCRIPTION:
        part_of_description(&part.as.set_description, first, count);
        break;
    case QD_CLIENT_OBSERVE:
    case QD_CLIENT_MOVE_OBSERVERS:
    case QD_CLIENT_UNOBSERVE:
        part_of_observers(&part.as.observers, first, count);
        break;
    case QD_CLIENT_HAND_OVER:
        part.as.hand_over.count = count;
        SKIP(part.as.hand_over.id)
        break;
    case QD_CLIENT_SET_ROSTER:
        part.as.set_roster.first += first;
        part.as.set_roster.count = count;
        SKIP(part.as.set_roster.id)
        break;
    case QD_CLIENT_MOVE_ROSTER:
        part.as.move_roster.first += first;
        part.as.move_roster.count = count;
        SKIP(part.as.move_roster.x)
        SKIP(part.as.move_roster.y)
        SKIP(part.as.move_roster.z)
        break;
    default:
        part_of_entities(&part.as.batch.entities, first, count);
        break;
    }
    return part;
}

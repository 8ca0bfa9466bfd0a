/* SPDX-License-Identifier: Apache-2.0
 *
 * Sends the kept state of a room: entities, descriptions, rosters, observers, subscription.
 */
#include <string.h>

#include "session.h"

static void push(qd_room *room, const qd_client_message *message)
{
    /* After a failure the connection is lost: the next one begins from the start. */
    if (room->session->state == QD_SESSION_STATE_READY &&
        qd_log_push(room, message, room->merged, QD_LOG_RESTORE) == NULL) {
        room->session->merged = true;
        qd_connection_lost(room->session, room->session->problem);
    }
}

/* ---- entities ---- */

/* Which entities a batch is for. */
typedef enum entity_choice { ABSENT, PRESENT, MOVED, OF_ROOM, MISSING, DESCRIBED } entity_choice;

static bool is_chosen(const qd_room *room, const qd_kept_entity *entity, entity_choice choice, bool fresh)
{
    bool present = qd_table_get(&room->present, entity->id) != NULL;
    bool own = !entity->foreign && !entity->room_owned;

    switch (choice) {
    case ABSENT:
        return own && !present;
    case PRESENT:
        return own && present;
    case MOVED:
        return present && (own || entity->moved);
    case OF_ROOM:
        return entity->room_owned && fresh;
    case MISSING:
        return own && entity->missing;
    case DESCRIBED:
        return entity->described && (own || fresh);
    }
    return false;
}

/* The chosen entities; NULL: none, or no memory, which ends the connection. Free it. */
static const qd_kept_entity **choose(qd_room *room, entity_choice choice, bool fresh, uint32_t *count)
{
    const qd_kept *kept = &room->kept;
    const qd_kept_entity **chosen;

    *count = 0;
    if (kept->entity_count == 0) {
        return NULL;
    }
    chosen = qd_memory_alloc(kept->entity_count * sizeof(const qd_kept_entity *));
    if (chosen == NULL) {
        room->session->merged = true;
        qd_connection_lost(room->session, "out of memory");
        return NULL;
    }
    for (uint32_t i = 0; i < kept->entity_count; i++) {
        if (is_chosen(room, &kept->entities[i], choice, fresh)) {
            chosen[(*count)++] = &kept->entities[i];
        }
    }
    return chosen;
}

/* Columns of `count` values each, in one block. */
typedef struct column_block {
    uint8_t *bytes;
    size_t used;
} column_block;

static void *column(column_block *block, size_t size)
{
    void *at = block->bytes + block->used;

    block->used += (size + 15) / 16 * 16;
    return at;
}

static bool get_block(qd_room *room, column_block *block, uint32_t count, size_t row_bytes, uint32_t columns)
{
    *block = (column_block){.bytes = qd_memory_alloc(count * row_bytes + (size_t)columns * 16)};
    if (block->bytes == NULL) {
        room->session->merged = true;
        qd_connection_lost(room->session, "out of memory");
    }
    return block->bytes != NULL;
}

#define ENTITY_COLUMNS 32u

/* Sends a batch of that kind for the chosen entities, with the columns that the kind has. */
static void send_batch(qd_room *room, qd_client_kind kind, bool room_owned, const qd_kept_entity *const *chosen,
                       uint32_t count)
{
    column_block block;
    qd_client_message message = {.kind = kind, .as.batch = {.room_owned = room_owned, .entities.count = count}};
    qd_msg_entities *entities = &message.as.batch.entities;

    if (count == 0 || !get_block(room, &block, count, sizeof(qd_kept_entity), ENTITY_COLUMNS)) {
        return;
    }
    uint32_t *ids = column(&block, count * sizeof *ids);
    for (uint32_t i = 0; i < count; i++) {
        ids[i] = chosen[i]->id;
    }
    entities->id = ids;
#define X(type, name, absent)                                                                                          \
    type *name = column(&block, count * sizeof *name);                                                                 \
    for (uint32_t i = 0; i < count; i++) {                                                                             \
        name[i] = chosen[i]->name;                                                                                     \
    }                                                                                                                  \
    entities->name = name;
    QD_KEPT_COLUMNS(X)
#undef X
    if (!room->has_z) {
        entities->z = entities->half_z = entities->axis_z = NULL;
    }
    if (kind == QD_CLIENT_TELEPORT) {
        *entities = (qd_msg_entities){count, entities->id, .x = entities->x, .y = entities->y, .z = entities->z};
    } else if (kind == QD_CLIENT_RESHAPE) {
        entities->x = entities->y = entities->z = NULL;
    }
    push(room, &message);
    qd_memory_free(block.bytes);
}

static void send_chosen(qd_room *room, qd_client_kind kind, entity_choice choice, bool fresh)
{
    uint32_t count;
    const qd_kept_entity **chosen = choose(room, choice, fresh, &count);

    if (chosen != NULL) {
        send_batch(room, kind, choice == OF_ROOM, chosen, count);
    }
    qd_memory_free(chosen);
}

static void send_descriptions(qd_room *room, entity_choice choice, bool fresh)
{
    uint32_t count;
    const qd_kept_entity **chosen = choose(room, choice, fresh, &count);
    column_block block;

    if (chosen == NULL || count == 0 || !get_block(room, &block, count, sizeof(qd_kept_entity), ENTITY_COLUMNS)) {
        qd_memory_free(chosen);
        return;
    }
    uint32_t *id = column(&block, count * sizeof *id), *team = column(&block, count * sizeof *team);
    uint64_t *tag = column(&block, count * sizeof *tag);
    float *visible_range = column(&block, count * sizeof *visible_range);
    uint8_t *hidden = column(&block, count), *payload_size = column(&block, count);
    uint8_t *payload = column(&block, (size_t)count * QD_VIEW_PAYLOAD_BYTES_MAX);
    size_t size = 0;
    for (uint32_t i = 0; i < count; i++) {
        const qd_kept_entity *entity = chosen[i];

        id[i] = entity->id;
        team[i] = entity->team;
        tag[i] = entity->tag;
        visible_range[i] = entity->visible_range;
        hidden[i] = entity->hidden;
        payload_size[i] = entity->payload_size;
        memcpy(payload + size, entity->payload, entity->payload_size);
        size += entity->payload_size;
    }
    push(room, &(qd_client_message){.kind = QD_CLIENT_SET_DESCRIPTION,
                                    .as.set_description = {.count = count,
                                                           .id = id,
                                                           .tag = tag,
                                                           .payload_size = payload_size,
                                                           .payload = payload,
                                                           .visible_range = visible_range,
                                                           .team = team,
                                                           .hidden = hidden}});
    qd_memory_free(block.bytes);
    qd_memory_free(chosen);
}

/* The entities that were despawned by a request which was lost. */
static void despawn_others(qd_room *room)
{
    const qd_table *present = &room->present;
    uint32_t *ids = qd_memory_alloc(present->count * sizeof *ids);
    uint32_t count = 0;

    if (ids == NULL) {
        room->session->merged = true;
        qd_connection_lost(room->session, "out of memory");
        return;
    }
    for (size_t i = 0; i < present->capacity; i++) {
        if (present->places[i].value != 0 && qd_kept_find(&room->kept, (uint32_t)present->places[i].key) == NULL) {
            ids[count++] = (uint32_t)present->places[i].key;
        }
    }
    if (count > 0) {
        push(room, &(qd_client_message){.kind = QD_CLIENT_DESPAWN, .as.batch.entities = {.count = count, .id = ids}});
    }
    qd_memory_free(ids);
}

/* ---- observers ---- */

static bool anchor_is_missing(const qd_room *room, const qd_kept_observer *observer)
{
    const qd_kept_entity *anchor = observer->anchored ? qd_kept_find(&room->kept, observer->entity) : NULL;

    return anchor != NULL && anchor->missing;
}

/* One message per observer: each has its own tiers. */
static void send_observer(qd_room *room, const qd_kept_observer *observer)
{
    qd_client_message message = {.kind = QD_CLIENT_OBSERVE};
    qd_msg_observers *observers = &message.as.observers;

    observers->count = 1;
    observers->id = &observer->id;
#define NUMBERS(type, name) observers->name = &observer->name;
#define BYTES(name)         observers->name = &observer->name;
    QD_OBSERVER_COLUMNS(NUMBERS, BYTES)
#undef NUMBERS
#undef BYTES
    if (!room->has_z) {
        observers->z = observers->half_z = observers->direction_z = NULL;
    }
    if (observer->region != QD_REGION_CONE) {
        observers->direction_x = observers->direction_y = observers->direction_z = observers->angle = NULL;
    }
    observers->tier_count = observer->tier_count;
    observers->relay_range = observer->tier_count > 0 ? observer->relay_range : NULL;
    observers->relay_every = observer->tier_count > 0 ? observer->relay_every : NULL;
    push(room, &message);
    if (observer->show_count + observer->hide_count > 0) {
        push(room, &(qd_client_message){.kind = QD_CLIENT_SET_EXCEPTIONS,
                                        .as.set_exceptions = {.observer = observer->id,
                                                              .show_count = observer->show_count,
                                                              .hide_count = observer->hide_count,
                                                              .show = observer->exceptions,
                                                              .hide = observer->exceptions + observer->show_count}});
    }
}

static void send_observers(qd_room *room, bool missing)
{
    for (uint32_t i = 0; i < room->kept.observer_count; i++) {
        const qd_kept_observer *observer = &room->kept.observers[i];

        if (!missing || anchor_is_missing(room, observer)) {
            send_observer(room, observer);
        }
    }
}

/* ---- the whole ---- */

static void send_settings(qd_room *room)
{
    const qd_kept *kept = &room->kept;

    for (uint32_t i = 0; i < QD_ROSTER_NUMBERS; i++) {
        const qd_kept_roster *roster = &kept->rosters[i];

        if (roster->count > 0) {
            push(room, &(qd_client_message){.kind = QD_CLIENT_SET_ROSTER,
                                            .as.set_roster = {.roster = i, .count = roster->count, .id = roster->ids}});
        }
    }
    if (kept->has_view_options) {
        push(room, &(qd_client_message){.kind = QD_CLIENT_SET_VIEW_OPTIONS, .as.set_view_options = kept->view_options});
    }
    if (kept->subscribed) {
        push(room, &(qd_client_message){.kind = QD_CLIENT_SUBSCRIBE,
                                        .as.subscribe = {.scope = kept->scope, .stays = kept->stays}});
    }
}

void qd_restore_state(qd_room *room, bool fresh, bool missing)
{
    if (missing) {
        send_chosen(room, QD_CLIENT_SPAWN, MISSING, false);
        send_descriptions(room, MISSING, false);
        send_observers(room, true);
        for (uint32_t i = 0; i < room->kept.entity_count; i++) {
            room->kept.entities[i].missing = false; /* unless it is refused again */
        }
        return;
    }
    send_chosen(room, QD_CLIENT_SPAWN, ABSENT, fresh);
    send_chosen(room, QD_CLIENT_SPAWN, OF_ROOM, fresh);
    if (room->present.count > 0) {
        send_chosen(room, QD_CLIENT_TELEPORT, MOVED, fresh);
        send_chosen(room, QD_CLIENT_RESHAPE, PRESENT, fresh);
        despawn_others(room);
    }
    send_descriptions(room, DESCRIBED, fresh);
    send_observers(room, false);
    send_settings(room);
}

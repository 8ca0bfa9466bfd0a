/* SPDX-License-Identifier: Apache-2.0
 *
 * Opens a room, and brings it to its kept state in a new session of the server. With a token it first takes over the
 * entities that earlier sessions have left there.
 */
#include <string.h>

#include "session.h"

/* How long entities are spawned again whose ids are taken, beyond the time after which the server removes those of an
 * earlier session. */
#define RESPAWN_GRACE_MS 2000u
#define LIST_MAX         1048576u /* the most entities that GetSnapshot lists */

static bool push(qd_room *room, const qd_client_message *message, bool reports)
{
    qd_log_entry *entry = qd_log_push(room, message, 0, QD_LOG_RESTORE);

    if (entry == NULL) {
        room->session->merged = true; /* the next connection begins from the start */
        qd_connection_lost(room->session, room->session->problem);
        return false;
    }
    entry->reports = reports;
    return true;
}

static bool open_room(qd_room *room)
{
    qd_client_message open = {.kind = QD_CLIENT_OPEN_ROOM,
                              .as.open_room = {.name = room->name, .has_config = room->has_config}};

    open.as.open_room.config = room->config;
    return push(room, &open, false);
}

void qd_restore_open(qd_room *room)
{
    room->state = QD_ROOM_OPENING;
    open_room(room);
}

void qd_restore_connected(qd_room *room, bool resumed)
{
    if (resumed && room->state == QD_ROOM_LISTING) {
        qd_table_empty(&room->present); /* the list comes again */
    } else if (resumed && room->state == QD_ROOM_READY && qd_log_has_step(room)) {
        open_room(room); /* its answer has the tick */
    } else if (!resumed && room->state == QD_ROOM_LEAVING) {
        room->state = QD_ROOM_LEFT;
    } else if (!resumed && room->state < QD_ROOM_LEAVING) {
        room->handle = 0;
        qd_table_empty(&room->present);
        qd_folding_restart(room);
        qd_restore_open(room);
    }
}

/* The answer to OpenRoom comes after all refusals. */
static void restore(qd_room *room, bool fresh)
{
    room->state = QD_ROOM_RESTORING;
    room->give_up_ms = qd_session_now(room->session) + room->session->resume_ms + room->grace_ms + RESPAWN_GRACE_MS;
    room->missing = false;
    for (uint32_t i = 0; i < room->kept.entity_count; i++) {
        room->kept.entities[i].missing = false;
    }
    qd_restore_state(room, fresh, false);
    qd_table_empty(&room->present);
    open_room(room);
}

static void be_ready(qd_room *room)
{
    room->state = QD_ROOM_READY;
    room->holders[0] = room->session->number;
    room->holder_count = 1;
    qd_log_replay(room);
}

/* Earlier sessions may have entities in the room. Returns whether it asks for them. */
static bool take_over(qd_room *room, bool first)
{
    const qd_session *session = room->session;
    qd_client_message list = {.kind = QD_CLIENT_GET_SNAPSHOT, .as.get_snapshot = {.limit = LIST_MAX, .own = true}};
    bool adopts = false;

    if (session->token == NULL || session->token[0] == '\0') {
        return false;
    }
    if (first && session->options.adopt) {
        qd_client_message adopt = {.kind = QD_CLIENT_ADOPT};

        adopts = true;
        push(room, &adopt, true);
    }
    for (uint32_t i = 0; i < room->holder_count; i++) {
        if (room->holders[i] == session->number) {
            continue;
        }
        qd_client_message adopt = {.kind = QD_CLIENT_ADOPT, .as.adopt.session = room->holders[i]};

        adopts = true;
        push(room, &adopt, false);
    }
    if (adopts) {
        push(room, &list, false);
    }
    return adopts;
}

void qd_restore_opened(qd_log_entry *entry, const qd_msg_room_opened *opened)
{
    qd_room *room = entry->room;
    bool first = !room->opened, same = room->opened && room->epoch == opened->epoch;

    if (room->state == QD_ROOM_RESTORING) {
        qd_log_drop(room->session, entry);
        if (!room->missing) {
            be_ready(room);
        }
        return;
    }
    if (room->state != QD_ROOM_OPENING) {
        if (room->state == QD_ROOM_READY && qd_log_steps_over(room, opened->tick, entry)) {
            qd_log_drop(room->session, entry);
        }
        return;
    }
    qd_log_drop(room->session, entry);
    room->handle = opened->room;
    room->opened = true;
    room->epoch = opened->epoch;
    room->steps = opened->config.tick_mode == QD_TICK_MODE_STEP;
    room->lockstep = opened->config.writers > 0;
    room->has_z = opened->config.dimensions == 3;
    room->grace_ms = opened->config.grace_ms;
    if (same && !qd_log_steps_over(room, opened->tick, NULL)) {
        return;
    }
    room->tick = room->step_tick = opened->tick;
    if (!same) {
        room->holder_count = 0;
    }
    bool lists = take_over(room, first);
    if (room->holder_count == QD_HOLDERS_MAX) {
        memmove(room->holders, room->holders + 1, --room->holder_count * sizeof *room->holders);
    }
    room->holders[room->holder_count++] = room->session->number;
    if (lists) {
        room->state = QD_ROOM_LISTING;
    } else {
        restore(room, !same);
    }
}

void qd_restore_listed(qd_log_entry *entry, const qd_msg_snapshot_result *listed)
{
    qd_room *room = entry->room;

    for (uint32_t i = 0; i < listed->entities.count; i++) {
        qd_table_place *place = qd_table_put(&room->present, listed->entities.id[i]);

        if (place == NULL) {
            qd_connection_lost(room->session, "out of memory");
            return;
        }
        place->value = 1;
    }
    if (listed->last) {
        qd_log_drop(room->session, entry);
        restore(room, false);
    }
}

void qd_restore_missing(qd_room *room)
{
    uint64_t now = qd_session_now(room->session);

    room->missing = false;
    room->respawn_ms = now + QD_RESPAWN_MS;
    /* A request that was late may have spawned them in an earlier session. */
    if (room->state == QD_ROOM_RESTORING && take_over(room, false)) {
        room->state = QD_ROOM_LISTING;
        return;
    }
    qd_restore_state(room, false, true);
    if (room->state == QD_ROOM_RESTORING) {
        open_room(room);
    }
}

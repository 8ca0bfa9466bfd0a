/* SPDX-License-Identifier: Apache-2.0
 *
 * The tap hears all that the server sends, on every link, and tells the models: which ticks there were, and which
 * requests are in.
 */
#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "proto/codec.h"

model_room *sim_scene_room(const sim_scene *scene, uint64_t handle)
{
    for (size_t i = 0; i < scene->room_total; i++) {
        if (scene->rooms[i]->handle == handle)
            return scene->rooms[i];
    }
    return NULL;
}

static model_stay *latest_stay(const model_room *room, const sim_link *link)
{
    for (uint32_t i = room->stay_count; i-- > 0;) {
        if (room->stays[i]->link == link)
            return room->stays[i];
    }
    return NULL;
}

static void tap_opened(sim_scene *scene, const qd_msg_room_opened *opened)
{
    sim_check(opened->room != 0 && opened->room < (UINT64_C(1) << 53), "a handle that a double does not hold");
    model_room *room = sim_scene_room(scene, opened->room);
    sim_check(room != NULL || opened->created, "a room that nobody created");
    sim_check(room == NULL || !room->closed, "a handle was given out again");
    if (room != NULL)
        return;
    if (scene->room_total == scene->room_capacity) {
        scene->room_capacity = scene->room_capacity == 0 ? 8 : scene->room_capacity * 2;
        scene->rooms = realloc(scene->rooms, scene->room_capacity * sizeof *scene->rooms);
        sim_check(scene->rooms != NULL, "out of memory");
    }
    room = model_room_create(&scene->world, opened->room);
    room->name = (uint32_t)atoi(opened->name + strlen("room "));
    room->grace_ns = opened->config.grace_ms * UINT64_C(1000000);
    room->events_max = opened->config.events_max;
    room->sightings_max = opened->config.sightings_max;
    room->tick_hz = opened->config.tick_hz;
    room->dimensions = opened->config.dimensions;
    room->swept = opened->config.swept;
    scene->rooms[scene->room_total++] = room;
}

/* A reset says how many ticks it stands for. */
static void tap_tick(const model_room *room, model_stay *stay, const qd_msg_tick *tick, bool queued)
{
    sim_check(!tick->passed_lost || (tick->merged_ticks > 0 && room->swept), "passed pairs are lost out of place");
    uint64_t merged = stay->behind && tick->reset ? tick->tick - stay->told_tick : 0;
    sim_check(tick->merged_ticks == merged, "%llu merged ticks, not %llu", (unsigned long long)tick->merged_ticks,
              (unsigned long long)merged);
    if (queued && tick->reset) {
        stay->behind = false;
    } else if (!queued && !stay->behind) {
        stay->behind = true;
        stay->told_tick = tick->reset ? tick->tick : tick->tick - 1 - tick->skipped;
    }
    if (!queued || tick->reset || tick->suspended)
        stay->lost = !queued;
}

/* The same of views. How many ticks were skipped before the one that was lost, they do not tell; and a reverse view
 * that begins may be of a tick that was told. */
static void tap_view(const model_room *room, model_stay *stay, const qd_msg_view *view, bool queued)
{
    bool is_due = stay->view_behind && view->reset;
    uint64_t since = is_due ? view->tick - stay->view_lost_tick : 0;
    sim_check(is_due ? view->merged_ticks >= since : view->merged_ticks == 0, "%llu merged ticks, not %llu",
              (unsigned long long)view->merged_ticks, (unsigned long long)since);
    sim_check(!is_due || room->tick_hz > 0 || view->merged_ticks <= since + !stay->view_lost_reset,
              "%llu merged ticks of %llu", (unsigned long long)view->merged_ticks, (unsigned long long)since);
    if (queued && view->reset) {
        stay->view_behind = false;
    } else if (!queued && !stay->view_behind) {
        stay->view_behind = true;
        stay->view_lost_tick = view->tick;
        stay->view_lost_reset = view->reset;
    }
    if (!queued || view->reset || view->suspended)
        stay->view_lost = !queued;
}

static void tap_message(sim_scene *scene, sim_link *link, const qd_server_message *message, bool queued)
{
    model_room *room;
    model_stay *stay;
    switch (message->kind) {
    case QD_SERVER_ROOM_OPENED:
        tap_opened(scene, &message->as.room_opened);
        break;
    case QD_SERVER_ROOM_CLOSED:
        sim_scene_room(scene, message->as.room_closed.room)->closed = true;
        break;
    case QD_SERVER_TICK:
        room = sim_scene_room(scene, message->as.tick.room);
        stay = latest_stay(room, link);
        model_room_heard_tick(room, message->as.tick.tick);
        tap_tick(room, stay, &message->as.tick, queued);
        break;
    case QD_SERVER_VIEW:
        room = sim_scene_room(scene, message->as.view.room);
        stay = latest_stay(room, link);
        model_room_heard_tick(room, message->as.view.tick);
        tap_view(room, stay, &message->as.view, queued);
        break;
    case QD_SERVER_APPLIED:
        room = sim_scene_room(scene, message->as.applied.room);
        stay = latest_stay(room, link);
        model_room_heard_applied(room, stay, message->as.applied.tick, message->as.applied.seq);
        break;
    default:
        break;
    }
}

void sim_scene_tap(sim_link *link, const qd_buffer *buffer, bool queued, void *context)
{
    qd_frame_reader reader;
    qd_frame_reader_init(&reader, QD_SERVER_FRAME_BYTES_MAX, NULL);
    const uint8_t *bytes = buffer->bytes, *frame;
    size_t left = buffer->size, frame_size;
    qd_decoded_server decoded;
    sim_check(qd_frame_reader_next(&reader, &bytes, &left, &frame, &frame_size) == QD_FRAME_OK && left == 0,
              "a buffer is not one frame");
    sim_check(qd_decode_server(frame, frame_size, NULL, &decoded) == QD_DECODE_OK, "a frame that is none");
    tap_message(context, link, &decoded.message, queued);
    qd_decoded_server_release(&decoded, NULL);
    qd_frame_reader_deinit(&reader);
}

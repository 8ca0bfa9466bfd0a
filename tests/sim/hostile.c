/* SPDX-License-Identifier: Apache-2.0 */
#include "hostile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINKS_MAX  8u
#define ROOMS_EVER 20u /* that one of them opens; all of them together fill no limit */
#define FLOOD_MAX  60u

static sim_world *world_of(const sim_hostile *hostile)
{
    return &hostile->scene->house.world;
}

void sim_hostile_init(sim_hostile *hostile, sim_scene *scene)
{
    *hostile = (sim_hostile){.scene = scene};
}

static void let_go(sim_hostile *hostile)
{
    qd_link_release(&hostile->link->link);
    hostile->link = NULL;
}

void sim_hostile_deinit(sim_hostile *hostile)
{
    if (hostile->link != NULL) {
        let_go(hostile);
    }
}

static void send(sim_hostile *hostile, qd_client_message message)
{
    message.seq = ++hostile->seq;
    sim_link_send(hostile->link, &message);
}

static void connect(sim_hostile *hostile)
{
    sim_scene *scene = hostile->scene;
    const qd_link_handler handler = qd_server_link_handler(&scene->house.server);

    hostile->link =
        sim_link_create(&scene->house.world, &handler, scene->house.server.service.config.limits.queue_bytes_max);
    hostile->links++;
    hostile->malice = (sim_malice)sim_pick(&scene->house.world, SIM_MALICES);
    if (hostile->malice > SIM_MALICE_GARBAGE) {
        send(hostile, MESSAGE(HELLO, .hello = {.version = QD_PROTOCOL_VERSION,
                                               .client = "hostile",
                                               .token = sim_tokens[SIM_TOKEN_HOSTILE],
                                               .resumable = sim_percent(world_of(hostile), 50)}));
    }
}

/* ---- rooms ---- */

static void open_room(sim_hostile *hostile)
{
    char name[32];

    if (hostile->rooms == ROOMS_EVER) {
        return;
    }
    snprintf(name, sizeof name, "hostile %u", hostile->rooms++);
    const qd_msg_room_config config = {.tick_mode = QD_TICK_MODE_CLOCK,
                                       .tick_hz = 1 + sim_pick(world_of(hostile), 200),
                                       .has_bounds = true,
                                       .bounds = {.max_x = 10, .max_y = 10},
                                       .empty_close_ms = 1 + sim_pick(world_of(hostile), 500)};
    send(hostile, MESSAGE(OPEN_ROOM, .open_room = {.name = name, .has_config = true, .config = config}));
}

/* One that is there. */
static void join_room(sim_hostile *hostile)
{
    char name[32];

    snprintf(name, sizeof name, "room %u", sim_pick(world_of(hostile), hostile->scene->room_count));
    send(hostile, MESSAGE(OPEN_ROOM, .open_room = {.name = name}));
}

/* A handle that it may know, or not. */
static uint64_t some_room(const sim_hostile *hostile)
{
    const sim_scene *scene = hostile->scene;
    sim_world *world = world_of(hostile);

    if (scene->room_total == 0 || sim_percent(world, 20)) {
        return sim_random(world);
    }
    return scene->rooms[sim_pick(world, (uint32_t)scene->room_total)]->handle;
}

/* ---- floods ---- */

static void ask(sim_hostile *hostile)
{
    sim_world *world = world_of(hostile);
    uint64_t room = some_room(hostile);

    switch (sim_pick(world, 8)) {
    case 0:
        send(hostile, MESSAGE(LIST_ROOMS, .list_rooms = {.after = "", .limit = 1000}));
        break;
    case 1:
        send(hostile, MESSAGE(LIST_SESSIONS, .list_sessions = {.limit = 1000}));
        break;
    case 2:
        send(hostile, MESSAGE(GET_SNAPSHOT, .get_snapshot = {.room = room}));
        break;
    case 3:
        send(hostile, MESSAGE(SUBSCRIBE, .subscribe = {.room = room, .scope = QD_SCOPE_ALL, .stays = true}));
        break;
    case 4:
        send(hostile, MESSAGE(GET_STATS, .room = {room}));
        break;
    case 5:
        join_room(hostile);
        break;
    default:
        send(hostile,
             MESSAGE(QUERY, .query = {.room = room, .kind = QD_QUERY_NEAREST, .limit = 1 + sim_pick(world, 1000)}));
    }
}

static void flood(sim_hostile *hostile)
{
    for (uint32_t left = 1 + sim_pick(world_of(hostile), FLOOD_MAX); left > 0; left--) {
        ask(hostile);
    }
}

/* ---- bytes that are wrong ---- */

static void send_garbage(sim_hostile *hostile)
{
    uint8_t bytes[64];
    uint32_t size = 1 + sim_pick(world_of(hostile), sizeof bytes);

    for (uint32_t i = 0; i < size; i++) {
        bytes[i] = (uint8_t)sim_pick(world_of(hostile), 256);
    }
    sim_link_write(hostile->link, bytes, size);
}

/* Flips bits in what is under way, but not in Hello: most of it is still a frame. */
static void flip(sim_hostile *hostile, size_t from)
{
    sim_world *world = world_of(hostile);

    for (uint32_t i = sim_pick(world, 3); i > 0 && hostile->link->in_size > from; i--) {
        size_t at = from + sim_pick(world, (uint32_t)(hostile->link->in_size - from));

        hostile->link->in[at] ^= (uint8_t)(1u << sim_pick(world, 8));
    }
}

static void send_flipped(sim_hostile *hostile)
{
    static const uint32_t id[] = {1, 2};
    static const float at[] = {1, 2};
    size_t from = hostile->link->in_size;

    switch (sim_pick(world_of(hostile), 3)) {
    case 0:
        open_room(hostile);
        break;
    case 1:
        send(hostile, MESSAGE(SPAWN, .batch = {.room = sim_random(world_of(hostile)),
                                               .entities = {.count = 2, .id = id, .x = at, .y = at}}));
        break;
    default:
        ask(hostile);
    }
    flip(hostile, from);
}

/* ---- acting ---- */

/* Loses some of what is under way, from any byte on. */
static void drop(sim_hostile *hostile)
{
    hostile->link->in_size = sim_pick(world_of(hostile), (uint32_t)hostile->link->in_size + 1);
    sim_link_drop(hostile->link);
    let_go(hostile);
}

static void read_some(const sim_hostile *hostile)
{
    uint8_t bytes[256];

    (void)sim_link_read(hostile->link, bytes, 1 + sim_pick(world_of(hostile), sizeof bytes));
}

void sim_hostile_act(sim_hostile *hostile)
{
    if (hostile->link != NULL && hostile->link->closed) {
        let_go(hostile);
    }
    if (hostile->link == NULL) {
        if (hostile->links < LINKS_MAX) {
            connect(hostile);
        }
        return;
    }
    if (sim_percent(world_of(hostile), 2)) {
        drop(hostile);
        return;
    }
    if (hostile->malice != SIM_MALICE_FLOOD && sim_percent(world_of(hostile), 50)) {
        read_some(hostile);
    }
    switch (hostile->malice) {
    case SIM_MALICE_GARBAGE:
        send_garbage(hostile);
        break;
    case SIM_MALICE_FLIPPED:
        send_flipped(hostile);
        break;
    case SIM_MALICE_FLOOD:
        flood(hostile);
        break;
    case SIM_MALICE_ROOMS:
        open_room(hostile);
        break;
    default:
        break;
    }
}

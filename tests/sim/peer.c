/* SPDX-License-Identifier: Apache-2.0 */
#include "peer.h"

#include <stdlib.h>

#include "proto/move_parts.h"
#include "server/base/memory/alloc.h"
#include "server/base/memory/scratch.h"

void sim_house_init(sim_house *house, uint64_t seed)
{
    *house = (sim_house){.memory_before = qd_memory_used()};
    sim_world_init(&house->world, seed);
    sim_recorded_init(&house->recorded);
}

void sim_house_start(sim_house *house, const qd_limits *limits, uint64_t time_budget_ns)
{
    sim_recorded_describe(&house->recorded, limits, (uint32_t)house->world.executor.width);
    qd_server_init(&house->server,
                   &(qd_server_config){.service = {.limits = *limits,
                                                   .scheduler = &house->world.scheduler,
                                                   .workers = 1,
                                                   .time_budget_ns = time_budget_ns,
                                                   .time_burst_ns = 1000 * SIM_MS_NS, /* the model knows one order */
                                                   .random = sim_random,
                                                   .wall_s = sim_wall_s,
                                                   .context = &house->world,
                                                   .record = &house->recorded.sink}});
}

static uint32_t or_else(uint32_t given, uint32_t other)
{
    return given != 0 ? given : other;
}

void sim_house_open(sim_house *house, const qd_limits *limits)
{
    const qd_limits full = {.connections_max = or_else(limits->connections_max, 100),
                            .frame_bytes_max = or_else(limits->frame_bytes_max, 4u << 20),
                            .rooms_max = or_else(limits->rooms_max, 100),
                            .entities_max = or_else(limits->entities_max, 1u << 20),
                            .events_max = or_else(limits->events_max, 1u << 20),
                            .observers_max = or_else(limits->observers_max, 1u << 14),
                            .visible_entries_max = or_else(limits->visible_entries_max, 1u << 20),
                            .roster_ids_max = or_else(limits->roster_ids_max, 1u << 20),
                            .queue_bytes_max = or_else(limits->queue_bytes_max, 8u << 20),
                            .silence_ms_max = 15000,
                            .slow_ms_max = or_else(limits->slow_ms_max, 5000),
                            .resume_ms_max = or_else(limits->resume_ms_max, 10000),
                            .room_batches_max = or_else(limits->room_batches_max, 1024),
                            .empty_close_ms_max = or_else(limits->empty_close_ms_max, 86400000),
                            .session_rooms_max = limits->session_rooms_max,
                            .session_entities_max = limits->session_entities_max,
                            .session_observers_max = limits->session_observers_max,
                            .session_visible_entries_max = limits->session_visible_entries_max,
                            .session_subscriptions_max = limits->session_subscriptions_max,
                            .token_connections_max = or_else(limits->token_connections_max, UINT32_MAX),
                            .token_detached_max = or_else(limits->token_detached_max, UINT32_MAX),
                            .token_rooms_max = or_else(limits->token_rooms_max, UINT32_MAX),
                            .token_entities_max = or_else(limits->token_entities_max, UINT32_MAX),
                            .token_observers_max = or_else(limits->token_observers_max, UINT32_MAX),
                            .token_visible_entries_max = or_else(limits->token_visible_entries_max, UINT32_MAX),
                            .token_subscriptions_max = or_else(limits->token_subscriptions_max, UINT32_MAX),
                            .session_memory_max = limits->session_memory_max,
                            .token_memory_max = limits->token_memory_max,
                            .token_creations_max = limits->token_creations_max,
                            .session_share = or_else(limits->session_share, 100)};

    sim_house_init(house, 1);
    sim_house_start(house, &full, 5 * SIM_MS_NS);
}

void sim_house_tokens(sim_house *house, qd_grant *grants, size_t count)
{
    house->tokens = (qd_tokens){.references = 1, .grants = grants, .count = count};
    qd_sessions_set_tokens(&house->server.sessions, count > 0 ? &house->tokens : NULL);
}

static void settle(void *context)
{
    sim_house *house = context;
    bool moved = true;

    while (moved) {
        moved = sim_run_actor(&house->world);
        moved |= sim_step_links(&house->world, 100);
    }
}

void sim_house_settle(sim_house *house)
{
    settle(house);
}

void sim_house_pass(sim_house *house, uint64_t ms)
{
    sim_pass(&house->world, ms, settle, house);
}

void sim_house_close(sim_house *house)
{
    qd_server_close_rooms(&house->server);
    sim_house_settle(house);
    qd_server_go_away(&house->server, 0);
    sim_house_pass(house, 1);
    sim_house_deinit(house);
}

void sim_house_deinit(sim_house *house)
{
    sim_check(qd_server_is_idle(&house->server), "%u rooms are not freed", atomic_load(&house->server.service.actors));
    qd_server_deinit(&house->server);
    sim_recorded_replay(&house->recorded);
    sim_world_deinit(&house->world);
    qd_scratch_release();
    sim_check(qd_memory_used() == house->memory_before, "%zu bytes are not given back",
              qd_memory_used() - house->memory_before);
}

void sim_peer_connect(sim_peer *peer, sim_house *house)
{
    const qd_link_handler handler = qd_server_link_handler(&house->server);

    *peer = (sim_peer){.house = house};
    peer->link = sim_link_create(&house->world, &handler, house->server.service.config.limits.queue_bytes_max);
}

void sim_peer_open(sim_peer *peer, sim_house *house, const char *token)
{
    sim_peer_connect(peer, house);
    sim_peer_send(peer, MESSAGE(HELLO, .hello = {.version = QD_PROTOCOL_VERSION, .token = token}));
    (void)sim_peer_expect(peer, QD_SERVER_WELCOME);
}

static void release_decoded(sim_peer *peer)
{
    if (peer->has_decoded) {
        qd_decoded_server_release(&peer->decoded, NULL);
    }
    peer->has_decoded = false;
}

void sim_peer_close(sim_peer *peer)
{
    release_decoded(peer);
    if (!peer->link->closed) {
        sim_link_drop(peer->link);
    }
    sim_house_settle(peer->house);
    while (peer->taken < peer->count) {
        qd_buffer_release(peer->frames[peer->taken++]);
    }
    free(peer->frames);
    qd_link_release(&peer->link->link);
}

uint32_t sim_peer_send(sim_peer *peer, qd_client_message message)
{
    message.seq = ++peer->seq;
    peer->seq += qd_move_parts_more(&message);
    sim_link_send(peer->link, &message);
    return (uint32_t)message.seq;
}

const qd_server_message *sim_peer_next(sim_peer *peer)
{
    release_decoded(peer);
    for (qd_buffer *frame; (frame = sim_link_take(peer->link)) != NULL;) {
        peer->frames = sim_grow(peer->frames, peer->count, &peer->capacity, sizeof(qd_buffer *));
        peer->frames[peer->count++] = frame;
    }
    if (peer->taken == peer->count) {
        return NULL;
    }
    sim_decode(peer->frames[peer->taken], &peer->decoded);
    qd_buffer_release(peer->frames[peer->taken++]);
    peer->has_decoded = true;
    return &peer->decoded.message;
}

const qd_server_message *sim_peer_expect(sim_peer *peer, qd_server_kind kind)
{
    sim_house_settle(peer->house);
    const qd_server_message *message = sim_peer_next(peer);
    sim_check(message != NULL, "a message of kind %d should have come, and none has", kind);
    sim_check(message->kind == kind, "a message of kind %d should have come, and %d has: %s", kind, message->kind,
              message->kind == QD_SERVER_ERROR ? message->as.error.text : "");
    return message;
}

uint64_t sim_peer_open_room(sim_peer *peer, const char *name, const qd_msg_room_config *config)
{
    qd_msg_room_config full = config != NULL ? *config : (qd_msg_room_config){.tick_mode = QD_TICK_MODE_STEP};

    full.has_bounds = true;
    full.bounds.max_x = full.bounds.max_y = 100;
    sim_peer_send(peer, MESSAGE(OPEN_ROOM, .open_room = {.name = name, .has_config = true, .config = full}));
    return sim_peer_expect(peer, QD_SERVER_ROOM_OPENED)->as.room_opened.room;
}

uint32_t sim_peer_send_crowd(sim_peer *peer, uint64_t room, const sim_crowd *crowd)
{
    uint32_t count = crowd->count, *id = malloc(3 * count * sizeof *id), *category = id + count,
             *mask = category + count;
    float *x = malloc(3 * count * sizeof *x), *y = x + count, *half = y + count;

    sim_check(id != NULL && x != NULL, "out of memory");
    for (uint32_t i = 0; i < count; i++) {
        id[i] = crowd->first + i;
        category[i] = crowd->category;
        mask[i] = crowd->mask;
        x[i] = crowd->x + crowd->apart * (float)i;
        y[i] = crowd->y + crowd->apart * (float)i;
        half[i] = 1;
    }
    qd_client_message message = {.kind = crowd->moves ? QD_CLIENT_MOVE : QD_CLIENT_SPAWN};
    message.as.batch = (qd_msg_batch){.room = room, .entities = {.count = count, .id = id, .x = x, .y = y}};
    if (!crowd->moves) {
        message.as.batch.entities.half_x = message.as.batch.entities.half_y = half;
        message.as.batch.entities.category = crowd->category != 0 ? category : NULL;
        message.as.batch.entities.mask = crowd->mask != 0 ? mask : NULL;
    }
    uint64_t seq = sim_peer_send(peer, message);
    free(id);
    free(x);
    return seq;
}

bool sim_names_room(qd_client_kind kind)
{
    return kind != QD_CLIENT_NOTHING && kind != QD_CLIENT_HELLO && kind != QD_CLIENT_OPEN_ROOM &&
           kind != QD_CLIENT_LIST_ROOMS && kind != QD_CLIENT_LIST_SESSIONS && kind != QD_CLIENT_PING &&
           kind != QD_CLIENT_MOVE_ROOMS;
}

uint64_t sim_room_of(const qd_server_message *message)
{
    switch (message->kind) {
    case QD_SERVER_ROOM_OPENED:
    case QD_SERVER_ROOM_LEFT:
    case QD_SERVER_ROOM_CLOSED:
    case QD_SERVER_TICK:
    case QD_SERVER_APPLIED:
    case QD_SERVER_ACCEPTED:
    case QD_SERVER_SNAPSHOT_RESULT:
    case QD_SERVER_QUERY_RESULT:
    case QD_SERVER_VIEW:
    case QD_SERVER_WHY_RESULT:
    case QD_SERVER_HANDED_OVER:
        return message->as.room_left.room; /* the first field of all these messages */
    default:
        return 0;
    }
}

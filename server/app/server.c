/* SPDX-License-Identifier: Apache-2.0 */
#include "server.h"

#include <stdio.h>

#include "../actor/room_actor.h"
#include "../actor/service/reply.h"
#include "../base/log.h"
#include "../session/tenants.h"

static qd_buffer *refuse(qd_go_away_reason reason, const char *text)
{
    return qd_reply_encode(&(qd_server_message){
        .kind = QD_SERVER_GO_AWAY, .as.go_away = {.reason = reason, .text = text, .deadline_ms = QD_FLUSH_MS_MAX}});
}

void qd_server_init(qd_server *server, const qd_server_config *config)
{
    qd_service_init(&server->service, &config->service);
    server->service.no_memory =
        refuse(QD_GO_AWAY_FULL, "the server has no memory left (--memory-max). Try again later");
    qd_sessions_init(&server->sessions, &server->service, config->tokens);
}

void qd_server_deinit(qd_server *server)
{
    qd_sessions_deinit(&server->sessions);
    qd_service_deinit(&server->service);
}

qd_link_handler qd_server_link_handler(qd_server *server)
{
    return qd_sessions_link_handler(&server->sessions);
}

qd_buffer *qd_server_refusal(void *context, qd_net_refusal reason)
{
    const qd_service *service = &((const qd_server *)context)->service;
    const qd_limits *limits = &service->config.limits;
    char text[200];

    switch (reason) {
    case QD_NET_FULL:
        snprintf(text, sizeof text,
                 "the server has %u connections; must have at most that many (--connections-max). Try again later",
                 limits->connections_max);
        return refuse(QD_GO_AWAY_FULL, text);
    case QD_NET_ADDRESS_CONNECTIONS:
        snprintf(text, sizeof text,
                 "this address has %u connections; must have at most that many (--address-connections-max). Close some",
                 limits->address_connections_max);
        return refuse(QD_GO_AWAY_QUOTA, text);
    case QD_NET_ADDRESS_ACCEPTS:
        snprintf(text, sizeof text,
                 "this address connects too often; must connect at most %u times per second (--address-accepts-max). "
                 "Try again later",
                 limits->address_accepts_max);
        return refuse(QD_GO_AWAY_QUOTA, text);
    case QD_NET_SILENT:
        snprintf(text, sizeof text,
                 "no Hello came, and a newer connection needs the place; must come first (--connections-max). Send it "
                 "after connecting");
        return refuse(QD_GO_AWAY_FULL, text);
    default:
        if (service->no_memory != NULL) {
            qd_buffer_acquire(service->no_memory);
        }
        return service->no_memory;
    }
}

void qd_server_refused(void *context, qd_net_refusal reason)
{
    static const qd_counter counters[QD_NET_REFUSALS] = {
        [QD_NET_FULL] = QD_COUNT_REFUSED_FULL,
        [QD_NET_NO_MEMORY] = QD_COUNT_REFUSED_MEMORY,
        [QD_NET_ADDRESS_CONNECTIONS] = QD_COUNT_REFUSED_ADDRESS_CONNECTIONS,
        [QD_NET_ADDRESS_ACCEPTS] = QD_COUNT_REFUSED_ADDRESS_ACCEPTS,
        [QD_NET_SILENT] = QD_COUNT_DROPPED_SILENT,
    };

    qd_count(&((qd_server *)context)->service.counters, counters[reason], 1);
}

void qd_server_close_rooms(qd_server *server)
{
    qd_room_directory *directory = &server->service.directory;

    atomic_store(&server->sessions.stopping, true);
    /* A room that is listed cannot be freed: its name is taken out first, under this lock. */
    qd_room_directory_lock(directory);
    for (uint32_t i = 0; i < directory->count; i++) {
        qd_room_actor_stop(qd_room_actor_of(directory->by_name[i]), QD_ROOM_CLOSED_SHUTDOWN);
    }
    qd_room_directory_unlock(directory);
}

void qd_server_hurry(qd_server *server)
{
    atomic_store(&server->service.hurried, true);
}

bool qd_server_rooms_closed(const qd_server *server)
{
    return atomic_load(&server->service.rooms) == 0;
}

void qd_server_go_away(qd_server *server, uint32_t deadline_ms)
{
    atomic_store(&server->sessions.stopping, true);
    qd_sessions_go_away(&server->sessions, deadline_ms);
}

bool qd_server_is_idle(const qd_server *server)
{
    return atomic_load(&server->service.actors) == 0 && atomic_load(&server->sessions.timer_retired);
}

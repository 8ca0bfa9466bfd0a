/* SPDX-License-Identifier: Apache-2.0 */
#include "server.h"

#include <stdio.h>

#include "../actor/reply.h"
#include "../actor/room_actor.h"
#include "../base/assert.h"
#include "../base/log.h"
#include "resume.h"
#include "session.h"

const char qd_server_name[] = "quadrille-server " QD_VERSION;

static qd_buffer *refuse(const char *text)
{
    return qd_reply_encode(
        &(qd_server_message){.kind = QD_SERVER_GO_AWAY,
                             .as.go_away = {.reason = QD_GO_AWAY_FULL, .text = text, .deadline_ms = QD_FLUSH_MS_MAX}});
}

void qd_server_init(qd_server *server, const qd_server_config *config)
{
    *server = (qd_server){.config = *config};
    server->start_ns = qd_server_now_ns(server);
    qd_registry_init(&server->registry, config->limits.rooms_max);
    pthread_mutex_init(&server->sessions_mutex, NULL);
    atomic_init(&server->parked_due_ns, QD_NEVER);
    server->no_memory = refuse("the server has no memory left (--memory-max): try again later");
}

void qd_server_deinit(qd_server *server)
{
    QD_ASSERT(server->sessions == NULL && server->parked == NULL && qd_server_hosts(server) == 0);
    if (server->no_memory != NULL) {
        qd_buffer_release(server->no_memory);
    }
    pthread_mutex_destroy(&server->sessions_mutex);
    qd_registry_deinit(&server->registry);
}

qd_link_handler qd_server_link_handler(qd_server *server)
{
    return (qd_link_handler){
        .opened = qd_session_opened,
        .frame = qd_session_frame,
        .fault = qd_session_fault,
        .expired = qd_session_expired,
        .drained = qd_session_drained,
        .closed = qd_session_closed,
        .context = server,
    };
}

qd_buffer *qd_server_refusal(void *context, qd_net_refusal reason)
{
    const qd_server *server = context;
    char text[160];

    if (reason == QD_NET_NO_MEMORY) {
        if (server->no_memory != NULL) {
            qd_buffer_acquire(server->no_memory);
        }
        return server->no_memory;
    }
    snprintf(text, sizeof text,
             "the server has %u connections, which is all it takes (--connections-max): try again later",
             server->config.limits.connections_max);
    return refuse(text);
}

void qd_server_close_rooms(qd_server *server)
{
    atomic_store(&server->stopping, true);
    /* A room that is listed cannot be freed: its name is taken out first, under this lock. */
    qd_registry_lock(&server->registry);
    for (uint32_t i = 0; i < server->registry.count; i++) {
        qd_host_stop(qd_host_of(server->registry.by_name[i]));
    }
    qd_registry_unlock(&server->registry);
}

bool qd_server_rooms_closed(const qd_server *server)
{
    return atomic_load(&server->rooms) == 0;
}

void qd_server_go_away(qd_server *server, uint32_t deadline_ms)
{
    atomic_store(&server->stopping, true);
    qd_buffer *buffer = qd_reply_encode(&(qd_server_message){
        .kind = QD_SERVER_GO_AWAY,
        .as.go_away = {.reason = QD_GO_AWAY_SHUTDOWN, .text = "the server is stopping", .deadline_ms = deadline_ms}});
    pthread_mutex_lock(&server->sessions_mutex);
    for (qd_session *session = server->sessions; session != NULL; session = session->next) {
        /* Who has no room left in its queue is closed all the same. */
        if (buffer != NULL) {
            (void)qd_reply_queue(server, session->link, &buffer, 1, QD_LINK_REPLY);
        }
        qd_link_close(session->link, deadline_ms);
    }
    pthread_mutex_unlock(&server->sessions_mutex);
    if (buffer != NULL) {
        qd_buffer_release(buffer);
    }
    qd_resume_expire(server, QD_NEVER);
}

uint32_t qd_server_hosts(const qd_server *server)
{
    return atomic_load(&server->hosts);
}

uint64_t qd_server_now_ns(const qd_server *server)
{
    const qd_scheduler *scheduler = server->config.scheduler;

    return scheduler->now_ns(scheduler->context);
}

uint64_t qd_server_random(const qd_server *server)
{
    return server->config.random(server->config.random_context);
}

/* The part that this thread counts in. The first is for all who found no other free. */
static uint32_t counter_part(void)
{
    static _Atomic uint32_t threads;
    static _Thread_local uint32_t turn; /* from 1; 0: not yet chosen */

    if (turn == 0) {
        uint32_t before = atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed);

        turn = before < QD_COUNTER_PARTS - 1 ? before + 2 : 1;
    }
    return turn - 1;
}

/* Who has a part alone need not lock the line, which would wait until all that was written before is in the cache. */
void qd_count(qd_server *server, qd_counter counter, uint64_t amount)
{
    uint32_t part = counter_part();
    _Atomic uint64_t *count = &server->counters[part].of[counter];

    if (part == 0) {
        atomic_fetch_add_explicit(count, amount, memory_order_relaxed);
    } else {
        atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + amount, memory_order_relaxed);
    }
}

uint64_t qd_counted(const qd_server *server, qd_counter counter)
{
    uint64_t sum = 0;

    for (uint32_t part = 0; part < QD_COUNTER_PARTS; part++) {
        sum += atomic_load_explicit(&server->counters[part].of[counter], memory_order_relaxed);
    }
    return sum;
}

void qd_server_stats(qd_server *server, qd_msg_server_stats *stats)
{
    qd_registry_lock(&server->registry);
    uint32_t rooms = server->registry.count;
    qd_registry_unlock(&server->registry);
    pthread_mutex_lock(&server->sessions_mutex);
    uint32_t sessions = server->session_count, parked = server->parked_count;
    pthread_mutex_unlock(&server->sessions_mutex);
    *stats = (qd_msg_server_stats){
        .uptime_ms = (qd_server_now_ns(server) - server->start_ns) / 1000000,
        .sessions = sessions,
        .rooms = rooms,
        .workers = server->config.workers,
        .memory_bytes = qd_memory_used(),
        .memory_bytes_max = qd_memory_limit(),
        .ticks = qd_counted(server, QD_COUNT_TICKS),
        .updates = qd_counted(server, QD_COUNT_UPDATES),
        .events = qd_counted(server, QD_COUNT_EVENTS),
        .bytes_in = qd_counted(server, QD_COUNT_BYTES_IN),
        .bytes_out = qd_counted(server, QD_COUNT_BYTES_OUT),
        .errors = qd_counted(server, QD_COUNT_ERRORS),
        .parked = parked,
        .resumed = qd_counted(server, QD_COUNT_RESUMED),
        .too_slow = qd_counted(server, QD_COUNT_TOO_SLOW),
    };
}

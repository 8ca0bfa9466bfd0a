/* SPDX-License-Identifier: Apache-2.0 */
#include "connection.h"

#include <stdio.h>
#include <unistd.h>

#include "../../base/log.h"
#include "connection_close.h"
#include "connection_io.h"
#include "connection_move.h"
#include "connection_sweep.h"

/* ---- deadlines [loop] ---- */

static void expire(qd_loop_deadline *deadline)
{
    qd_connection *connection = (qd_connection *)((char *)deadline - offsetof(qd_connection, deadline));

    if (connection->state != QD_CONNECTION_OPEN) {
        qd_connection_close_now(connection);
    } else if (!qd_connection_is_close_asked(connection)) {
        connection->config->handler->expired(connection->config->handler->context, &connection->link);
    }
}

static void end_rest(qd_loop_deadline *rest)
{
    qd_connection *connection = (qd_connection *)((char *)rest - offsetof(qd_connection, rest));

    qd_link_resume(&connection->link);
}

/* ---- opening [loop] ---- */

/* False: the connection is closed. */
static bool attach(qd_connection *connection)
{
    qd_loop *loop = connection->loop;

    qd_loop_hold(loop);
    LIST_INSERT_HEAD(&loop->connections, connection, links);
    uv_tcp_init(&loop->uv, &connection->tcp);
    connection->tcp.data = connection;
    connection->state = QD_CONNECTION_OPEN;
    int error = uv_tcp_open(&connection->tcp, connection->fd);
    if (error != 0) {
        qd_log(QD_LOG_WARN, "dropping a new connection", QD_LOG_STRING("error", uv_strerror(error)),
               QD_LOG_PEER(connection->link.peer));
        close(connection->fd);
        qd_connection_close_now(connection);
        return false;
    }
    return true;
}

static void open_socket(qd_connection *connection)
{
    if (!attach(connection)) {
        return;
    }
    if (connection->config->tls != NULL) {
        connection->tls = qd_tls_channel_open(connection->config->tls);
        if (connection->tls == NULL) {
            qd_log(QD_LOG_WARN, "dropping a new connection: the memory limit is reached",
                   QD_LOG_PEER(connection->link.peer));
            qd_connection_close_now(connection);
            return;
        }
    }
    qd_connection_sweep(connection);
    connection->announced = true;
    connection->config->handler->opened(connection->config->handler->context, &connection->link);
}

/* The connection comes from the lobby. */
static void arrive(qd_connection *connection)
{
    connection->moves_to = NULL;
    qd_intake_change_heap(&connection->intake, &connection->loop->heap);
    if (!attach(connection)) {
        return;
    }
    qd_connection_sweep(connection);
    if (connection->expires) {
        qd_loop_deadline_set(connection->loop, &connection->deadline, connection->deadline.due_ns);
    }
}

/* A connection's only request: does whatever there is to do. */
static void serve(qd_loop_request *request)
{
    qd_connection *connection = (qd_connection *)((char *)request - offsetof(qd_connection, request));

    if (qd_connection_pass_on(connection)) {
        return;
    }
    if (connection->turn.parked) {
        connection->serve_waits = true; /* until it is resumed */
        return;
    }
    uv_mutex_lock(&connection->lock);
    connection->posted = false;
    bool close_asked = qd_connection_is_close_asked(connection);
    uint64_t due_ns = connection->close_due_ns;
    uv_mutex_unlock(&connection->lock);

    if (connection->state == QD_CONNECTION_LEAVING) {
        qd_link_release(&connection->link);
        return;
    }
    qd_connection_begin_turn(connection);
    if (connection->state == QD_CONNECTION_FRESH) {
        open_socket(connection);
    } else if (connection->state == QD_CONNECTION_LEFT) {
        arrive(connection);
    }
    if (close_asked) {
        qd_connection_begin_closing(connection, due_ns);
    }
    qd_connection_write(connection);
    qd_connection_read(connection);
    if (close_asked && qd_clock_now_ns() >= due_ns) {
        qd_connection_close_now(connection);
    }
    qd_connection_end_turn(connection);
    qd_connection_move(connection);
    qd_link_release(&connection->link);
}

/* Goes on after it was parked. */
static void resume(qd_turn *turn)
{
    qd_connection *connection = (qd_connection *)((char *)turn - offsetof(qd_connection, turn));

    if (connection->serve_waits) {
        connection->serve_waits = false;
        serve(&connection->request);
        return;
    }
    qd_connection_begin_turn(connection);
    qd_connection_read(connection);
    qd_connection_end_turn(connection);
    qd_connection_move(connection);
}

/* ---- creation ---- */

/* Creates a connection in that memory, which may be NULL. Frees the memory on failure. */
static qd_connection *create(qd_connection *connection, qd_loop *loop, const qd_connection_config *config, int fd,
                             const char *peer)
{
    if (!connection) {
        return NULL;
    }
    *connection = (qd_connection){
        .loop = loop,
        .config = config,
        .fd = fd,
        .deadline.expire = expire,
        .rest = {.expire = end_rest, .is_prompt = true},
        .request.run = serve,
        .turn.resume = resume,
    };
    if (uv_mutex_init(&connection->lock) != 0) {
        qd_shared_free(connection, sizeof *connection);
        return NULL;
    }
    qd_link_init(&connection->link, &qd_connection_ops);
    snprintf(connection->link.peer, sizeof connection->link.peer, "%s", peer);
    qd_intake_init(&connection->intake, &connection->link, config->handler, qd_connection_may_deliver, &loop->heap,
                   config->frame_bytes_max);
    qd_outbox_init(&connection->outbox, config->outbox_bytes_max);
    return connection;
}

qd_status qd_connection_start(qd_loop *loop, const qd_connection_config *config, int fd, const char *peer,
                              qd_address_key key, qd_link **dropped)
{
    if (!qd_memory_charge(config->system_bytes)) {
        return QD_ERR_NO_MEMORY;
    }
    qd_connection *connection = create(qd_shared_alloc(sizeof *connection), loop, config, fd, peer);
    if (!connection) {
        qd_memory_discharge(config->system_bytes);
        return QD_ERR_NO_MEMORY;
    }
    *dropped = qd_admission_enter(config->admission, &connection->admitted, &connection->link, key);
    qd_connection_post(connection);
    return QD_OK;
}

void qd_connections_close(qd_loop *loop, uint32_t flush_ms)
{
    qd_connection *each;

    LIST_FOREACH (each, &loop->connections, links) {
        qd_link_close(&each->link, flush_ms);
    }
}

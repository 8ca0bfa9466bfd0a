/* SPDX-License-Identifier: Apache-2.0 */
#include "connection_close.h"

static void on_closed(uv_handle_t *handle)
{
    qd_connection *connection = handle->data;
    qd_loop *loop = connection->loop;

    qd_intake_deinit(&connection->intake);
    qd_tls_channel_close(connection->tls);
    uv_mutex_lock(&connection->lock);
    qd_outbox_deinit(&connection->outbox);
    uv_mutex_unlock(&connection->lock);

    LIST_REMOVE(connection, links);
    qd_admission_leave(connection->config->admission, &connection->admitted);
    qd_memory_discharge(connection->config->system_bytes);
    /* Now only the link itself is left, in memory and in the counts. */
    if (connection->announced) {
        connection->config->handler->closed(connection->config->handler->context, &connection->link);
    }
    qd_loop_unhold(loop);
    qd_link_release(&connection->link);
}

/* What waited for the next turn is served at once. */
static void leave_turns(qd_connection *connection)
{
    qd_turn_leave(&connection->loop->turns, &connection->turn);
    if (connection->serve_waits) {
        connection->serve_waits = false;
        qd_loop_post(connection->loop, &connection->request);
    }
}

void qd_connection_close_now(qd_connection *connection)
{
    if (connection->state == QD_CONNECTION_CLOSED) {
        return;
    }
    connection->state = QD_CONNECTION_CLOSED;
    connection->reading = false;
    leave_turns(connection);
    qd_loop_deadline_clear(&connection->deadline);
    qd_loop_deadline_clear(&connection->rest);
    uv_mutex_lock(&connection->lock);
    atomic_store_explicit(&connection->close_asked, true, memory_order_release);
    connection->gone = true;
    uv_mutex_unlock(&connection->lock);
    if (qd_outbox_bytes(&connection->outbox) == 0 || uv_tcp_close_reset(&connection->tcp, on_closed) != 0) {
        uv_close((uv_handle_t *)&connection->tcp, on_closed);
    }
}

void qd_connection_begin_closing(qd_connection *connection, uint64_t due_ns)
{
    if (connection->state == QD_CONNECTION_OPEN) {
        connection->state = QD_CONNECTION_CLOSING;
        qd_intake_drop(&connection->intake);
        qd_loop_deadline_set(connection->loop, &connection->deadline, due_ns);
    } else if (connection->state != QD_CONNECTION_CLOSED && due_ns < connection->deadline.due_ns) {
        qd_loop_deadline_set(connection->loop, &connection->deadline, due_ns);
    }
}

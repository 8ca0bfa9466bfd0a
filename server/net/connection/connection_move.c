/* SPDX-License-Identifier: Apache-2.0 */
#include "connection_move.h"

#include <fcntl.h>

#include "../../base/log.h"

static void on_left(uv_handle_t *handle)
{
    qd_connection *connection = handle->data;

    connection->state = QD_CONNECTION_LEFT;
    qd_connection_post(connection);
}

void qd_connection_move(qd_connection *connection)
{
    uv_os_fd_t fd;

    if (connection->moves_to == NULL || connection->state != QD_CONNECTION_OPEN || connection->writing ||
        connection->turn.parked || qd_connection_is_close_asked(connection)) {
        return;
    }
    connection->fd = uv_fileno((uv_handle_t *)&connection->tcp, &fd) == 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
    if (connection->fd < 0) {
        qd_log(QD_LOG_WARN,
               "no file descriptor is left, so a connection stays in the lobby. Raise the limit of open files",
               QD_LOG_PEER(connection->link.peer));
        connection->moves_to = NULL;
        qd_connection_post(connection); /* it reads on */
        return;
    }
    connection->state = QD_CONNECTION_LEAVING;
    connection->reading = false;
    connection->expires = connection->deadline.next != NULL;
    qd_loop_deadline_clear(&connection->deadline);
    LIST_REMOVE(connection, links);
    qd_turn_leave(&connection->loop->turns, &connection->turn);
    uv_close((uv_handle_t *)&connection->tcp, on_left);
}

bool qd_connection_pass_on(qd_connection *connection)
{
    qd_loop *lobby = connection->loop, *next = connection->moves_to;

    if (connection->state != QD_CONNECTION_LEFT || next == lobby) {
        return false;
    }
    /* The request still counts as posted, so nobody else posts it meanwhile. */
    uv_mutex_lock(&connection->lock);
    connection->loop = next;
    uv_mutex_unlock(&connection->lock);
    qd_loop_post(next, &connection->request);
    qd_loop_unhold(lobby);
    return true;
}

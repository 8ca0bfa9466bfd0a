/* SPDX-License-Identifier: Apache-2.0 */
#include "connection_io.h"

#include <sys/socket.h>

#include "../../base/log.h"
#include "connection_close.h"
#include "connection_move.h"

/* How long a connection waits for the peer's end after it has written everything. */
#define LINGER_MS 1000u

/* The most that a connection writes in its turn; then the others get theirs. A write counts as WRITE_BYTES_MIN at
 * least. */
#define TURN_WRITE_BYTES 65536u
#define WRITE_BYTES_MIN  16384u

/* libuv reports that a socket is writable again only by completing a write. That write is at most this long, so that
 * few bytes count as queued although the system has taken them. */
#define WRITE_BYTES_MAX 65536u

/* With TLS, a loop's read buffer has three parts, each for one callback: bytes that arrived; plain bytes; sealed ones. */
#define PLAIN_AT  QD_TLS_RECEIVE_BYTES
#define SEALED_AT (PLAIN_AT + (QD_TLS_PLAIN_BYTES > QD_TLS_SEAL_BYTES ? QD_TLS_PLAIN_BYTES : QD_TLS_SEAL_BYTES))
_Static_assert(SEALED_AT + QD_TLS_SEALED_BYTES <= QD_LOOP_READ_BYTES, "the parts fit");

static void linger(qd_connection *connection);
static void on_written(uv_write_t *write, int status);

/* ---- encrypting ---- */

static bool shakes_hands(const qd_connection *connection)
{
    return connection->tls != NULL && !qd_tls_channel_is_open(connection->tls);
}

static void lend(qd_connection *connection)
{
    qd_tls_channel_lend(connection->tls, connection->loop->read_buffer + SEALED_AT);
}

static qd_tls_socket socket_of(qd_connection *connection)
{
    return (qd_tls_socket){.stream = (uv_stream_t *)&connection->tcp,
                           .write = &connection->write,
                           .written = on_written,
                           .writing = &connection->writing};
}

/* As uv_try_write. UV_EAGAIN: a write is going on, of connection->write_bytes. */
static int write_encrypted(qd_connection *connection, const uv_buf_t *vectors, uint32_t count)
{
    const qd_tls_socket socket = socket_of(connection);
    size_t size;

    lend(connection);
    const int error =
        qd_tls_send_vectors(connection->tls, &socket, vectors, count, connection->loop->read_buffer + PLAIN_AT, &size);
    connection->write_bytes = error == UV_EAGAIN ? size : 0;
    return error == 0 ? (int)size : error;
}

/* TLS has failed: the peer gets an alert, and the connection ends. */
static void give_up(qd_connection *connection)
{
    qd_log(QD_LOG_WARN, "TLS failed", QD_LOG_STRING("problem", qd_tls_channel_problem(connection->tls)),
           QD_LOG_PEER(connection->link.peer));
    const qd_tls_socket socket = socket_of(connection);
    if (qd_tls_send(connection->tls, &socket) != 0) {
        qd_connection_close_now(connection);
        return;
    }
    qd_link_close(&connection->link, LINGER_MS);
    qd_connection_begin_closing(connection, qd_connection_in_ms(LINGER_MS));
    linger(connection);
}

/* Decrypts what has arrived into the loop's buffer. */
static qd_tls_received decrypt(qd_connection *connection, const uint8_t *bytes, size_t size, size_t *plain_size)
{
    lend(connection);
    return qd_tls_channel_receive(connection->tls, bytes, size, connection->loop->read_buffer + PLAIN_AT, plain_size);
}

/* ---- reading ---- */

static bool takes_frames(const qd_connection *connection)
{
    /* Acquire: see connection_ops.c. */
    return connection->state == QD_CONNECTION_OPEN && connection->moves_to == NULL &&
           atomic_load_explicit(&connection->pauses, memory_order_acquire) == 0 &&
           !qd_connection_is_close_asked(connection) && !qd_outbox_stalled(&connection->outbox);
}

/* A few small frames take less time than it takes to read the clocks for each. */
static bool is_turn_over(qd_connection *connection)
{
    if (connection->intake.unchecked >= QD_INTAKE_CHECK_BYTES) {
        connection->intake.unchecked = 0;
        connection->turn_over = qd_turn_is_over(&connection->loop->turns, &connection->turn);
    }
    return connection->turn_over;
}

/* The intake asks this before each frame. */
bool qd_connection_may_deliver(const qd_link *link)
{
    qd_connection *connection = (qd_connection *)link;

    return takes_frames(connection) && !is_turn_over(connection);
}

void qd_connection_begin_turn(qd_connection *connection)
{
    const qd_turns *turns = &connection->loop->turns;

    qd_turn_begin(&connection->loop->turns, &connection->turn);
    connection->turn_over = connection->turn.took_ns > 0 && qd_turn_is_over(turns, &connection->turn);
}

void qd_connection_end_turn(qd_connection *connection)
{
    qd_turn_end(&connection->loop->turns, &connection->turn);
    if (connection->turn.parked && connection->reading) {
        connection->reading = false;
        uv_read_stop((uv_stream_t *)&connection->tcp);
    }
}

/* Without a buffer, libuv reads nothing and goes on to the others: cheaper than to stop reading and start again. */
static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
    qd_connection *connection = handle->data;

    (void)suggested;
    qd_connection_begin_turn(connection);
    const bool waits = connection->intake.held != NULL || is_turn_over(connection);
    const unsigned size = connection->tls != NULL ? QD_TLS_RECEIVE_BYTES : QD_LOOP_READ_BYTES;
    *buffer = uv_buf_init((char *)connection->loop->read_buffer, waits ? 0 : size);
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer);

/* Delivers held bytes, then starts or stops reading, as the state demands. */
void qd_connection_read(qd_connection *connection)
{
    qd_intake_continue(&connection->intake);
    /* is_turn_over may read the clocks. It comes first, so that the intake's answer below is of the same moment. */
    const bool holds = connection->intake.held != NULL, waits = takes_frames(connection) && is_turn_over(connection);
    if (holds && waits) {
        qd_connection_post(connection);
    }
    bool discard = connection->state == QD_CONNECTION_CLOSING || connection->state == QD_CONNECTION_LINGERING;
    bool wanted = !connection->peer_ended && (discard || waits || qd_intake_is_open(&connection->intake));
    if (wanted == connection->reading) {
        return;
    }
    connection->reading = wanted;
    if (!wanted) {
        uv_read_stop((uv_stream_t *)&connection->tcp);
        return;
    }
    /* What it may have sent before was not read. */
    connection->signs.heard_ms = uv_now(&connection->loop->uv);
    if (uv_read_start((uv_stream_t *)&connection->tcp, on_alloc, on_read) != 0) {
        qd_connection_close_now(connection);
    }
}

/* The peer has ended its side. */
static void end_reading(qd_connection *connection)
{
    connection->reading = false;
    connection->peer_ended = true;
    if (connection->state == QD_CONNECTION_LINGERING) {
        qd_connection_close_now(connection);
    } else {
        qd_link_close(&connection->link, QD_LINK_ENDED_FLUSH_MS);
    }
}

/* Counts bytes of frames; those that TLS adds do not count. */
static void count_in(qd_connection *connection, size_t bytes)
{
    atomic_fetch_add_explicit(&connection->loop->bytes_in, bytes, memory_order_relaxed);
}

/* Delivers bytes that lie in the loop's read buffer. */
static void deliver(qd_connection *connection, const uint8_t *bytes, size_t size)
{
    size_t left = qd_intake_feed(&connection->intake, bytes, size);

    if (left > 0 && !qd_connection_is_close_asked(connection)) {
        qd_intake_hold(&connection->intake, bytes + size - left, left);
    }
    qd_connection_read(connection);
}

/* The same for encrypted bytes. The frames in them come before the end and before the failure that they contain. */
static void deliver_encrypted(qd_connection *connection, const uint8_t *bytes, size_t size)
{
    const bool shook = shakes_hands(connection);
    size_t plain_size;
    const qd_tls_received received = decrypt(connection, bytes, size, &plain_size);
    const qd_tls_socket socket = socket_of(connection);
    const int error = received == QD_TLS_FAILED ? 0 : qd_tls_send(connection->tls, &socket);

    if (error != 0 && error != UV_EAGAIN) {
        qd_connection_close_now(connection);
        return;
    }
    count_in(connection, plain_size);
    deliver(connection, connection->loop->read_buffer + PLAIN_AT, plain_size);
    if (connection->state == QD_CONNECTION_CLOSED) {
        return;
    }
    if (received == QD_TLS_FAILED) {
        give_up(connection);
    } else if (received == QD_TLS_ENDED) {
        uv_read_stop((uv_stream_t *)&connection->tcp);
        end_reading(connection);
    } else if (shook && !shakes_hands(connection)) {
        qd_connection_post(connection);
    }
}

static void take_read(qd_connection *connection, ssize_t count, const uv_buf_t *buffer)
{
    if (count == 0 || count == UV_ENOBUFS) {
        return;
    }
    if (count < 0 && connection->state == QD_CONNECTION_OPEN && qd_intake_is_partial(&connection->intake)) {
        qd_log(QD_LOG_DEBUG, "the end of the connection cuts off a frame", QD_LOG_PEER(connection->link.peer));
    }
    if (count == UV_EOF) {
        end_reading(connection);
        return;
    }
    if (count < 0) {
        qd_connection_close_now(connection);
        return;
    }
    connection->signs.heard_ms = uv_now(&connection->loop->uv);
    if (connection->tls == NULL) {
        count_in(connection, (size_t)count);
    }
    if (connection->state != QD_CONNECTION_OPEN) {
        return;
    }

    if (connection->tls != NULL) {
        deliver_encrypted(connection, (const uint8_t *)buffer->base, (size_t)count);
    } else {
        deliver(connection, (const uint8_t *)buffer->base, (size_t)count);
    }
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer)
{
    qd_connection *connection = stream->data;

    take_read(connection, count, buffer);
    qd_connection_end_turn(connection);
}

/* ---- writing ---- */

/* Removes written bytes from the outbox, and reports new space. */
static void consume(qd_connection *connection, size_t bytes)
{
    qd_outbox_freed freed;

    uv_mutex_lock(&connection->lock);
    bool has_space = qd_outbox_consume(&connection->outbox, bytes, &freed);
    uv_mutex_unlock(&connection->lock);
    for (uint32_t i = 0; i < freed.count; i++) {
        qd_buffer_release(freed.buffers[i]);
    }
    atomic_fetch_add_explicit(&connection->loop->bytes_out, bytes, memory_order_relaxed);
    if (has_space && !qd_connection_is_close_asked(connection)) {
        connection->config->handler->drained(connection->config->handler->context, &connection->link);
    }
}

static void on_written(uv_write_t *write, int status)
{
    qd_connection *connection = write->handle->data;

    connection->writing = false;
    if (connection->state == QD_CONNECTION_CLOSED) {
        return;
    }
    if (status < 0) {
        qd_connection_close_now(connection);
        return;
    }
    if (connection->write_bytes > 0) {
        consume(connection, connection->write_bytes);
        connection->write_bytes = 0;
    }
    if (connection->tls != NULL) {
        const qd_tls_socket socket = socket_of(connection);

        qd_tls_channel_written(connection->tls);
        const int error = qd_tls_send_kept(connection->tls, &socket);
        if (error != 0 && error != UV_EAGAIN) {
            qd_connection_close_now(connection);
            return;
        }
    }
    if (connection->turn.parked) {
        qd_connection_post(connection);
        return;
    }
    qd_connection_begin_turn(connection);
    qd_connection_write(connection);
    qd_connection_read(connection);
    qd_connection_end_turn(connection);
    qd_connection_move(connection);
}

/* The system takes no more bytes now. Passes the first ones to libuv, which reports when they are written. */
static void write_later(qd_connection *connection, uv_buf_t first)
{
    if (first.len > WRITE_BYTES_MAX) {
        first.len = WRITE_BYTES_MAX;
    }
    connection->write_bytes = first.len;
    connection->writing = true;
    if (uv_write(&connection->write, (uv_stream_t *)&connection->tcp, &first, 1, on_written) != 0) {
        connection->writing = false;
        qd_connection_close_now(connection);
    }
}

/* Everything is written: ends our side and waits for the peer's end. */
static void linger(qd_connection *connection)
{
    uint64_t due_ns = qd_connection_in_ms(LINGER_MS);
    uv_os_fd_t fd;

    if (connection->tls != NULL) {
        const qd_tls_socket socket = socket_of(connection);

        lend(connection);
        qd_tls_channel_end(connection->tls);
        if (qd_tls_send(connection->tls, &socket) == UV_EAGAIN) {
            return;
        }
    }
    if (connection->peer_ended || uv_fileno((uv_handle_t *)&connection->tcp, &fd) != 0 || shutdown(fd, SHUT_WR) != 0) {
        qd_connection_close_now(connection);
        return;
    }
    connection->state = QD_CONNECTION_LINGERING;
    if (due_ns < connection->deadline.due_ns) {
        qd_loop_deadline_set(connection->loop, &connection->deadline, due_ns);
    }
}

void qd_connection_write(qd_connection *connection)
{
    if (connection->state != QD_CONNECTION_OPEN && connection->state != QD_CONNECTION_CLOSING) {
        return;
    }
    if (shakes_hands(connection)) {
        if (connection->state == QD_CONNECTION_CLOSING) {
            qd_connection_close_now(connection);
        }
        return;
    }
    for (size_t left = TURN_WRITE_BYTES; !connection->writing;) {
        uv_buf_t vectors[QD_OUTBOX_VECTORS_MAX];
        const size_t bytes_max = connection->tls != NULL && left > QD_TLS_SEAL_BYTES ? QD_TLS_SEAL_BYTES : left;

        uv_mutex_lock(&connection->lock);
        uint32_t count = qd_outbox_gather(&connection->outbox, bytes_max, vectors);
        uv_mutex_unlock(&connection->lock);
        if (count == 0) {
            break;
        }

        connection->loop->writes++;
        int written = connection->tls != NULL ? write_encrypted(connection, vectors, count)
                                              : uv_try_write((uv_stream_t *)&connection->tcp, vectors, count);
        if (written == UV_EAGAIN && connection->tls == NULL) {
            write_later(connection, vectors[0]);
        } else if (written == UV_EAGAIN) {
            break;
        } else if (written < 0) {
            qd_connection_close_now(connection);
            return;
        } else {
            consume(connection, (size_t)written);
            const size_t counted = (size_t)written > WRITE_BYTES_MIN ? (size_t)written : WRITE_BYTES_MIN;
            left -= counted < left ? counted : left;
        }
    }
    if (!connection->writing && qd_outbox_bytes(&connection->outbox) > 0) {
        qd_connection_post(connection);
    }
    if (connection->state == QD_CONNECTION_CLOSING && !connection->writing &&
        qd_outbox_bytes(&connection->outbox) == 0) {
        linger(connection);
    }
}

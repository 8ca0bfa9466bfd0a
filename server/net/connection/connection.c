/* SPDX-License-Identifier: Apache-2.0 */
#include "connection.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../base/log.h"
#include "connection_move.h"
#include "connection_sweep.h"

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

static void close_now(qd_connection *connection);
static void write_out(qd_connection *connection);
static void linger(qd_connection *connection);
static void begin_closing(qd_connection *connection, uint64_t due_ns);

/* ---- encrypting [loop] ---- */

static bool shakes_hands(const qd_connection *connection)
{
    return connection->tls != NULL && !qd_tls_channel_is_open(connection->tls);
}

static void lend(qd_connection *connection)
{
    qd_tls_channel_lend(connection->tls, connection->loop->read_buffer + SEALED_AT);
}

static void on_written(uv_write_t *write, int status);

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
        close_now(connection);
        return;
    }
    qd_link_close(&connection->link, LINGER_MS);
    begin_closing(connection, qd_connection_in_ms(LINGER_MS));
    linger(connection);
}

/* Decrypts what has arrived into the loop's buffer. */
static qd_tls_received decrypt(qd_connection *connection, const uint8_t *bytes, size_t size, size_t *plain_size)
{
    lend(connection);
    return qd_tls_channel_receive(connection->tls, bytes, size, connection->loop->read_buffer + PLAIN_AT, plain_size);
}

/* ---- reading [loop] ---- */

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
static bool may_deliver(const qd_link *link)
{
    qd_connection *connection = (qd_connection *)link;

    return takes_frames(connection) && !is_turn_over(connection);
}

static void begin_turn(qd_connection *connection)
{
    const qd_turns *turns = &connection->loop->turns;

    qd_turn_begin(&connection->loop->turns, &connection->turn);
    connection->turn_over = connection->turn.took_ns > 0 && qd_turn_is_over(turns, &connection->turn);
}

static void end_turn(qd_connection *connection)
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
    begin_turn(connection);
    const bool waits = connection->intake.held != NULL || is_turn_over(connection);
    const unsigned size = connection->tls != NULL ? QD_TLS_RECEIVE_BYTES : QD_LOOP_READ_BYTES;
    *buffer = uv_buf_init((char *)connection->loop->read_buffer, waits ? 0 : size);
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer);

/* Delivers held bytes, then starts or stops reading, as the state demands. */
static void continue_reading(qd_connection *connection)
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
        close_now(connection);
    }
}

/* The peer has ended its side. */
static void end_reading(qd_connection *connection)
{
    connection->reading = false;
    connection->peer_ended = true;
    if (connection->state == QD_CONNECTION_LINGERING) {
        close_now(connection);
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
    continue_reading(connection);
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
        close_now(connection);
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
        close_now(connection);
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
    end_turn(connection);
}

/* ---- writing [loop] ---- */

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
        close_now(connection);
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
            close_now(connection);
            return;
        }
    }
    if (connection->turn.parked) {
        qd_connection_post(connection);
        return;
    }
    begin_turn(connection);
    write_out(connection);
    continue_reading(connection);
    end_turn(connection);
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
        close_now(connection);
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
        close_now(connection);
        return;
    }
    connection->state = QD_CONNECTION_LINGERING;
    if (due_ns < connection->deadline.due_ns) {
        qd_loop_deadline_set(connection->loop, &connection->deadline, due_ns);
    }
}

static void write_out(qd_connection *connection)
{
    if (connection->state != QD_CONNECTION_OPEN && connection->state != QD_CONNECTION_CLOSING) {
        return;
    }
    if (shakes_hands(connection)) {
        if (connection->state == QD_CONNECTION_CLOSING) {
            close_now(connection);
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
            close_now(connection);
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

/* ---- opening and closing [loop] ---- */

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

/* Closes at once. If bytes are unsent, they are lost, and a reset shows the peer that its stream is cut. */
static void close_now(qd_connection *connection)
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

static void expire(qd_loop_deadline *deadline)
{
    qd_connection *connection = (qd_connection *)((char *)deadline - offsetof(qd_connection, deadline));

    if (connection->state != QD_CONNECTION_OPEN) {
        close_now(connection);
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
        close_now(connection);
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
            close_now(connection);
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

static void begin_closing(qd_connection *connection, uint64_t due_ns)
{
    if (connection->state == QD_CONNECTION_OPEN) {
        connection->state = QD_CONNECTION_CLOSING;
        qd_intake_drop(&connection->intake);
        qd_loop_deadline_set(connection->loop, &connection->deadline, due_ns);
    } else if (connection->state != QD_CONNECTION_CLOSED && due_ns < connection->deadline.due_ns) {
        qd_loop_deadline_set(connection->loop, &connection->deadline, due_ns);
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
    begin_turn(connection);
    if (connection->state == QD_CONNECTION_FRESH) {
        open_socket(connection);
    } else if (connection->state == QD_CONNECTION_LEFT) {
        arrive(connection);
    }
    if (close_asked) {
        begin_closing(connection, due_ns);
    }
    write_out(connection);
    continue_reading(connection);
    if (close_asked && qd_clock_now_ns() >= due_ns) {
        close_now(connection);
    }
    end_turn(connection);
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
    begin_turn(connection);
    continue_reading(connection);
    end_turn(connection);
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
    qd_intake_init(&connection->intake, &connection->link, config->handler, may_deliver, &loop->heap,
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

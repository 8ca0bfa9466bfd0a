/* SPDX-License-Identifier: Apache-2.0 */
#include "connection.h"

#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../base/assert.h"
#include "../base/clock.h"
#include "../base/log.h"
#include "intake.h"
#include "outbox.h"

#define NS_PER_MS 1000000u

/* How long a connection waits for the peer's end after it has written everything. */
#define LINGER_MS        1000u
#define REFUSAL_FLUSH_MS 1000u

/* TCP probes a silent peer this often. Without probes, a connection to a peer that vanished would never end. */
#define KEEPALIVE_S 60u

/* The most writes in a row for one connection; then the others get their turn. */
#define WRITES_IN_A_ROW_MAX 16u

/* libuv reports that a socket is writable again only by completing a write. That write is at most this long, so that
 * few bytes count as queued although the system has taken them. */
#define WRITE_BYTES_MAX 65536u

/* A connection's turn takes about a millisecond; then the others get their turn, and the rest of its bytes waits. The
 * turn is measured in estimated nanoseconds, because reading the clock for each frame would be slow. The estimate per
 * byte is that of an answer with many small parts, the most expensive kind. */
#define TURN_COST        1000000u
#define FRAME_COST       500u
#define READ_BYTE_COST   1u
#define ANSWER_BYTE_COST 4u

typedef enum connection_state { FRESH = 0, OPEN, CLOSING, LINGERING, CLOSED } connection_state;

typedef struct qd_connection {
    qd_link link; /* first, so that a link casts to its connection */
    qd_loop *loop;
    const qd_link_handler *handler; /* NULL: a refused connection, never a link */
    int fd;                         /* until the handle owns it */

    /* [loop] */
    connection_state state;
    bool announced; /* handler.opened was called, so handler.closed must follow */
    bool reading, writing;
    bool peer_ended; /* no more bytes arrive */
    uv_tcp_t tcp;
    uv_write_t write;
    size_t write_bytes; /* of the current write */
    qd_intake intake;
    uint64_t turn_cost;        /* since `serve` began, without FRAME_COST */
    qd_loop_deadline deadline; /* the handler's while open; then the end of closing */
    struct qd_connection *next, *previous;

    /* [any] */
    _Atomic uint32_t pauses;

    /* LOCK. `lock` guards the outbox and everything below. No other lock is taken and no handler is called under it.
     * Posts are made under it too. So once `gone` is set, no post is in progress and none follows, and the loop may end
     * while others still reference its links. */
    uv_mutex_t lock;
    qd_outbox outbox;
    qd_loop_request request; /* holds a reference while posted */
    bool posted;
    bool gone;
    uint64_t close_due_ns;
    _Atomic bool close_asked; /* written under the lock; also read before each frame */
} qd_connection;

static void close_now(qd_connection *connection);
static void write_out(qd_connection *connection);

static qd_connection *connection_of(const qd_link *link)
{
    return (qd_connection *)link;
}

static bool is_close_asked(const qd_connection *connection)
{
    return atomic_load_explicit(&connection->close_asked, memory_order_acquire);
}

/* [lock] Makes the loop serve the connection soon. */
static void post(qd_connection *connection)
{
    if (connection->posted || connection->gone) {
        return;
    }
    connection->posted = true;
    qd_link_acquire(&connection->link);
    qd_loop_post(connection->loop, &connection->request);
}

/* [lock] */
static void ask_to_close(qd_connection *connection, uint32_t flush_ms)
{
    uint64_t due_ns = qd_clock_now_ns() + (uint64_t)flush_ms * NS_PER_MS;

    if (is_close_asked(connection) && connection->close_due_ns <= due_ns) {
        return;
    }
    connection->close_due_ns = due_ns;
    atomic_store_explicit(&connection->close_asked, true, memory_order_release);
    post(connection);
}

/* ---- the link's ops ---- */

static qd_link_sent op_send(qd_link *link, qd_buffer *const *buffers, size_t count, qd_link_class class)
{
    qd_connection *connection = connection_of(link);
    qd_outbox_pushed pushed = QD_OUTBOX_PUSHED;
    qd_link_sent sent = QD_LINK_CLOSED;

    if (qd_loop_is_current(connection->loop)) {
        for (size_t i = 0; i < count; i++) {
            connection->turn_cost += (uint64_t)buffers[i]->size * ANSWER_BYTE_COST;
        }
    }
    uv_mutex_lock(&connection->lock);
    if (!is_close_asked(connection)) {
        pushed = qd_outbox_push(&connection->outbox, buffers, count, class);
        if (pushed == QD_OUTBOX_PUSHED) {
            sent = QD_LINK_SENT;
            post(connection);
        } else if (pushed == QD_OUTBOX_FULL) {
            sent = QD_LINK_FULL;
        } else {
            ask_to_close(connection, 0);
        }
    }
    uv_mutex_unlock(&connection->lock);

    if (pushed == QD_OUTBOX_OVERRUN) {
        qd_log(QD_LOG_WARN, "closing a connection that does not read its replies peer=%s queued=%zu", link->peer,
               qd_link_queued(link));
    } else if (pushed == QD_OUTBOX_NO_MEMORY) {
        qd_log(QD_LOG_WARN, "closing a connection: the memory limit is reached peer=%s queued=%zu", link->peer,
               qd_link_queued(link));
    }
    return sent;
}

static size_t op_queued(const qd_link *link)
{
    return qd_outbox_bytes(&connection_of(link)->outbox);
}

static void op_pause(qd_link *link)
{
    qd_connection *connection = connection_of(link);

    QD_VALIDATE(qd_loop_is_current(connection->loop));
    /* Relaxed: the thread that reads it is this one. */
    atomic_fetch_add_explicit(&connection->pauses, 1, memory_order_relaxed);
}

static void op_resume(qd_link *link)
{
    qd_connection *connection = connection_of(link);
    /* Release: the handler of later frames sees what was written before the resume. */
    uint32_t before = atomic_fetch_sub_explicit(&connection->pauses, 1, memory_order_release);

    QD_ASSERT(before > 0);
    if (before == 1) {
        uv_mutex_lock(&connection->lock);
        post(connection);
        uv_mutex_unlock(&connection->lock);
    }
}

static void op_frame_bytes_max(qd_link *link, size_t bytes_max)
{
    qd_connection *connection = connection_of(link);

    QD_VALIDATE(qd_loop_is_current(connection->loop));
    qd_intake_frame_bytes_max(&connection->intake, bytes_max);
}

static void op_deadline(qd_link *link, uint32_t after_ms)
{
    qd_connection *connection = connection_of(link);

    QD_VALIDATE(qd_loop_is_current(connection->loop));
    if (connection->state != OPEN || is_close_asked(connection)) {
        return;
    }
    if (after_ms > 0) {
        qd_loop_deadline_set(connection->loop, &connection->deadline,
                             qd_clock_now_ns() + (uint64_t)after_ms * NS_PER_MS);
    } else {
        qd_loop_deadline_clear(&connection->deadline);
    }
}

static void op_close(qd_link *link, uint32_t flush_ms)
{
    qd_connection *connection = connection_of(link);

    uv_mutex_lock(&connection->lock);
    ask_to_close(connection, flush_ms);
    uv_mutex_unlock(&connection->lock);
}

static void op_destroy(qd_link *link)
{
    qd_connection *connection = connection_of(link);

    QD_ASSERT(connection->state == CLOSED);
    uv_mutex_destroy(&connection->lock);
    qd_shared_free(connection, sizeof *connection);
}

static const qd_link_ops tcp_ops = {
    .send = op_send,
    .queued = op_queued,
    .pause = op_pause,
    .resume = op_resume,
    .frame_bytes_max = op_frame_bytes_max,
    .deadline = op_deadline,
    .close = op_close,
    .destroy = op_destroy,
};

/* ---- reading [loop] ---- */

/* The next turn begins with `serve`, at most once per turn of the loop. */
static bool is_turn_over(const qd_connection *connection)
{
    return connection->turn_cost + (uint64_t)connection->intake.frames * FRAME_COST >= TURN_COST;
}

/* The intake asks this before each frame. */
static bool may_deliver(const qd_link *link)
{
    const qd_connection *connection = (const qd_connection *)link;

    /* Acquire: see op_resume. */
    return connection->state == OPEN && atomic_load_explicit(&connection->pauses, memory_order_acquire) == 0 &&
           !is_close_asked(connection) && !qd_outbox_stalled(&connection->outbox) && !is_turn_over(connection);
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
    qd_connection *connection = handle->data;

    (void)suggested;
    *buffer = uv_buf_init((char *)connection->loop->read_buffer, QD_LOOP_READ_BYTES);
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer);

/* Delivers held bytes, then starts or stops reading, as the state demands. */
static void continue_reading(qd_connection *connection)
{
    qd_intake_continue(&connection->intake);
    if (connection->state == OPEN && is_turn_over(connection)) {
        uv_mutex_lock(&connection->lock);
        post(connection);
        uv_mutex_unlock(&connection->lock);
    }
    bool discard = connection->state == CLOSING || connection->state == LINGERING;
    bool wanted = !connection->peer_ended && (discard || qd_intake_is_open(&connection->intake));
    if (wanted == connection->reading) {
        return;
    }
    connection->reading = wanted;
    if (!wanted) {
        uv_read_stop((uv_stream_t *)&connection->tcp);
    } else if (uv_read_start((uv_stream_t *)&connection->tcp, on_alloc, on_read) != 0) {
        close_now(connection);
    }
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer)
{
    qd_connection *connection = stream->data;

    if (count == 0) {
        return;
    }
    if (count < 0 && connection->state == OPEN && qd_intake_is_partial(&connection->intake)) {
        qd_log(QD_LOG_DEBUG, "the end of the connection cuts off a frame peer=%s", connection->link.peer);
    }
    if (count == UV_EOF) {
        connection->reading = false;
        connection->peer_ended = true;
        if (connection->state == LINGERING) {
            close_now(connection);
        } else {
            op_close(&connection->link, QD_LINK_ENDED_FLUSH_MS);
        }
        return;
    }
    if (count < 0) {
        close_now(connection);
        return;
    }
    atomic_fetch_add_explicit(&connection->loop->bytes_in, (uint64_t)count, memory_order_relaxed);
    if (connection->state != OPEN) {
        return;
    }

    const uint8_t *end = (const uint8_t *)buffer->base + count;
    size_t left = qd_intake_feed(&connection->intake, (const uint8_t *)buffer->base, (size_t)count);
    if (left > 0 && !is_close_asked(connection)) {
        qd_intake_hold(&connection->intake, end - left, left);
    }
    connection->turn_cost += (uint64_t)count * READ_BYTE_COST;
    continue_reading(connection);
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
    if (has_space && !is_close_asked(connection)) {
        connection->handler->drained(connection->handler->context, &connection->link);
    }
}

static void on_written(uv_write_t *write, int status)
{
    qd_connection *connection = write->handle->data;

    connection->writing = false;
    if (connection->state == CLOSED) {
        return;
    }
    if (status < 0) {
        close_now(connection);
        return;
    }
    consume(connection, connection->write_bytes);
    write_out(connection);
    continue_reading(connection);
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
    uint64_t due_ns = qd_clock_now_ns() + (uint64_t)LINGER_MS * NS_PER_MS;
    uv_os_fd_t fd;

    if (connection->peer_ended || uv_fileno((uv_handle_t *)&connection->tcp, &fd) != 0 || shutdown(fd, SHUT_WR) != 0) {
        close_now(connection);
        return;
    }
    connection->state = LINGERING;
    if (due_ns < connection->deadline.due_ns) {
        qd_loop_deadline_set(connection->loop, &connection->deadline, due_ns);
    }
}

static void write_out(qd_connection *connection)
{
    if (connection->state != OPEN && connection->state != CLOSING) {
        return;
    }
    for (uint32_t i = 0; !connection->writing; i++) {
        uv_buf_t vectors[QD_OUTBOX_VECTORS_MAX];

        uv_mutex_lock(&connection->lock);
        uint32_t count = qd_outbox_gather(&connection->outbox, vectors);
        if (count > 0 && i == WRITES_IN_A_ROW_MAX) {
            post(connection);
            count = 0;
        }
        uv_mutex_unlock(&connection->lock);
        if (count == 0) {
            break;
        }

        connection->loop->writes++;
        int written = uv_try_write((uv_stream_t *)&connection->tcp, vectors, count);
        if (written == UV_EAGAIN) {
            write_later(connection, vectors[0]);
        } else if (written < 0) {
            close_now(connection);
            return;
        } else {
            consume(connection, (size_t)written);
        }
    }
    if (connection->state == CLOSING && qd_outbox_bytes(&connection->outbox) == 0) {
        linger(connection);
    }
}

/* ---- opening and closing [loop] ---- */

static void on_closed(uv_handle_t *handle)
{
    qd_connection *connection = handle->data;
    qd_loop *loop = connection->loop;

    qd_intake_deinit(&connection->intake);
    uv_mutex_lock(&connection->lock);
    qd_outbox_deinit(&connection->outbox);
    uv_mutex_unlock(&connection->lock);

    if (connection->previous) {
        connection->previous->next = connection->next;
    } else {
        loop->connections = connection->next;
    }
    if (connection->next) {
        connection->next->previous = connection->previous;
    }
    if (connection->handler) {
        atomic_fetch_sub_explicit(&loop->connection_count, 1, memory_order_relaxed);
    } else {
        loop->refusals--;
    }
    /* Now only the link itself is left, in memory and in the counts. */
    if (connection->announced) {
        connection->handler->closed(connection->handler->context, &connection->link);
    }
    qd_loop_unhold(loop);
    qd_link_release(&connection->link);
}

/* Closes at once. If bytes are unsent, they are lost, and a reset shows the peer that its stream is cut. */
static void close_now(qd_connection *connection)
{
    if (connection->state == CLOSED) {
        return;
    }
    connection->state = CLOSED;
    connection->reading = false;
    qd_loop_deadline_clear(&connection->deadline);
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

    if (connection->state != OPEN) {
        close_now(connection);
    } else if (!is_close_asked(connection)) {
        connection->handler->expired(connection->handler->context, &connection->link);
    }
}

static void open_socket(qd_connection *connection)
{
    qd_loop *loop = connection->loop;

    qd_loop_hold(loop);
    connection->next = loop->connections;
    if (connection->next) {
        connection->next->previous = connection;
    }
    loop->connections = connection;
    uv_tcp_init(&loop->uv, &connection->tcp);
    connection->tcp.data = connection;
    connection->state = OPEN;
    int error = uv_tcp_open(&connection->tcp, connection->fd);
    if (error != 0) {
        qd_log(QD_LOG_WARN, "dropping a new connection: %s peer=%s", uv_strerror(error), connection->link.peer);
        close(connection->fd);
        close_now(connection);
        return;
    }
    /* The connection also works without these options. */
    uv_tcp_nodelay(&connection->tcp, 1);
    uv_tcp_keepalive(&connection->tcp, 1, KEEPALIVE_S);
    if (connection->handler) {
        connection->announced = true;
        connection->handler->opened(connection->handler->context, &connection->link);
    }
}

static void begin_closing(qd_connection *connection, uint64_t due_ns)
{
    if (connection->state == OPEN) {
        connection->state = CLOSING;
        qd_intake_drop(&connection->intake);
        qd_loop_deadline_set(connection->loop, &connection->deadline, due_ns);
    } else if (connection->state != CLOSED && due_ns < connection->deadline.due_ns) {
        qd_loop_deadline_set(connection->loop, &connection->deadline, due_ns);
    }
}

/* A connection's only request: does whatever there is to do. */
static void serve(qd_loop_request *request)
{
    qd_connection *connection = (qd_connection *)((char *)request - offsetof(qd_connection, request));

    uv_mutex_lock(&connection->lock);
    connection->posted = false;
    bool close_asked = is_close_asked(connection);
    uint64_t due_ns = connection->close_due_ns;
    uv_mutex_unlock(&connection->lock);

    connection->turn_cost = 0;
    connection->intake.frames = 0;
    if (connection->state == FRESH) {
        open_socket(connection);
    }
    if (close_asked) {
        begin_closing(connection, due_ns);
    }
    write_out(connection);
    continue_reading(connection);
    if (close_asked && qd_clock_now_ns() >= due_ns) {
        close_now(connection);
    }
    qd_link_release(&connection->link);
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
        .handler = config->handler,
        .fd = fd,
        .deadline.expire = expire,
        .request.run = serve,
    };
    if (uv_mutex_init(&connection->lock) != 0) {
        qd_shared_free(connection, sizeof *connection);
        return NULL;
    }
    qd_link_init(&connection->link, &tcp_ops);
    snprintf(connection->link.peer, sizeof connection->link.peer, "%s", peer);
    qd_intake_init(&connection->intake, &connection->link, config->handler, may_deliver, &loop->heap,
                   config->frame_bytes_max);
    qd_outbox_init(&connection->outbox, config->outbox_bytes_max);
    return connection;
}

qd_status qd_connection_start(qd_loop *loop, const qd_connection_config *config, int fd, const char *peer)
{
    qd_connection *connection = create(qd_shared_alloc(sizeof *connection), loop, config, fd, peer);

    if (!connection) {
        return QD_ERR_NO_MEMORY;
    }
    atomic_fetch_add_explicit(&loop->connection_count, 1, memory_order_relaxed);
    uv_mutex_lock(&connection->lock);
    post(connection);
    uv_mutex_unlock(&connection->lock);
    return QD_OK;
}

qd_status qd_connection_refuse(qd_loop *loop, int fd, qd_buffer *refusal)
{
    static const qd_connection_config no_link = {.handler = NULL};
    qd_connection *connection = create(qd_shared_alloc_beyond(sizeof *connection), loop, &no_link, fd, "");

    if (!connection) {
        return QD_ERR_NO_MEMORY;
    }
    loop->refusals++;
    if (refusal) {
        qd_link_send(&connection->link, &refusal, 1, QD_LINK_REPLY);
    }
    qd_link_close(&connection->link, REFUSAL_FLUSH_MS);
    return QD_OK;
}

uint32_t qd_connections_count(const qd_loop *loops, uint32_t loop_count)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < loop_count; i++) {
        count += atomic_load_explicit(&loops[i].connection_count, memory_order_relaxed);
    }
    return count;
}

void qd_connections_close(qd_loop *loop, uint32_t flush_ms)
{
    for (qd_connection *each = loop->connections; each; each = each->next) {
        qd_link_close(&each->link, flush_ms);
    }
}

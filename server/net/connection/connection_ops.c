/* SPDX-License-Identifier: Apache-2.0
 *
 * A connection as a link: what rooms and sessions do with it. Sending, resuming and closing are for any thread: they
 * change what the lock guards, and post one request to the loop.
 */
#include "../../base/ablation.h"
#include "../../base/assert.h"
#include "../../base/log.h"
#include "connection_state.h"

static qd_connection *connection_of(const qd_link *link)
{
    return (qd_connection *)link;
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

void qd_connection_post(qd_connection *connection)
{
    uv_mutex_lock(&connection->lock);
    post(connection);
    uv_mutex_unlock(&connection->lock);
}

/* [lock] */
static void ask_to_close(qd_connection *connection, uint32_t flush_ms)
{
    uint64_t due_ns = qd_connection_in_ms(flush_ms);

    if (qd_connection_is_close_asked(connection) && connection->close_due_ns <= due_ns) {
        return;
    }
    connection->close_due_ns = due_ns;
    atomic_store_explicit(&connection->close_asked, true, memory_order_release);
    post(connection);
}

static qd_link_sent op_send(qd_link *link, qd_buffer *const *buffers, size_t count, qd_link_class class)
{
    qd_connection *connection = connection_of(link);
    qd_outbox_pushed pushed = QD_OUTBOX_PUSHED;
    qd_link_sent sent = QD_LINK_CLOSED;

    uv_mutex_lock(&connection->lock);
    if (!qd_connection_is_close_asked(connection)) {
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

    if (pushed == QD_OUTBOX_OVERRUN || pushed == QD_OUTBOX_NO_MEMORY) {
        qd_log(QD_LOG_WARN, "closing a connection",
               QD_LOG_STRING("reason", pushed == QD_OUTBOX_OVERRUN ? "it does not read its replies"
                                                                   : "the memory limit is reached"),
               QD_LOG_PEER(link->peer), QD_LOG_NUMBER("queued", qd_link_queued(link)));
    }
    return sent;
}

static size_t op_queued(const qd_link *link)
{
    return qd_outbox_bytes(&connection_of(link)->outbox);
}

static size_t op_replies_queued(qd_link *link)
{
    qd_connection *connection = connection_of(link);

    uv_mutex_lock(&connection->lock);
    size_t counted = connection->outbox.replies_counted;
    uv_mutex_unlock(&connection->lock);
    return counted;
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
        qd_connection_post(connection);
    }
}

static void op_rest(qd_link *link, uint32_t ms)
{
    qd_connection *connection = connection_of(link);

    QD_ASSERT(connection->rest.next == NULL);
    if (connection->state != QD_CONNECTION_OPEN) {
        return;
    }
    op_pause(link);
    qd_loop_deadline_set(connection->loop, &connection->rest, qd_connection_in_ms(ms));
}

static void op_frame_bytes_max(qd_link *link, size_t bytes_max)
{
    qd_connection *connection = connection_of(link);

    QD_VALIDATE(qd_loop_is_current(connection->loop));
    qd_intake_frame_bytes_max(&connection->intake, bytes_max);
}

static void op_worked(qd_link *link)
{
    qd_connection *connection = connection_of(link);

    QD_VALIDATE(qd_loop_is_current(connection->loop));
    connection->intake.unchecked = QD_INTAKE_CHECK_BYTES;
}

static bool op_may_work(qd_link *link, const void *object)
{
    qd_loop *loop = connection_of(link)->loop;

    QD_VALIDATE(qd_loop_is_current(loop));
    return !qd_turn_is_beyond(&loop->turns, &connection_of(link)->turn) && qd_loop_may_work(loop, object);
}

static void op_deadline(qd_link *link, uint32_t after_ms)
{
    qd_connection *connection = connection_of(link);

    QD_VALIDATE(qd_loop_is_current(connection->loop));
    if (connection->state != QD_CONNECTION_OPEN || qd_connection_is_close_asked(connection)) {
        return;
    }
    if (after_ms > 0) {
        qd_loop_deadline_set(connection->loop, &connection->deadline, qd_connection_in_ms(after_ms));
    } else {
        qd_loop_deadline_clear(&connection->deadline);
    }
}

static qd_loop *next_loop(qd_rotation *rotation)
{
    qd_loop *next = &rotation->loops[rotation->next];

    rotation->next = (rotation->next + 1) % rotation->count;
    return next;
}

/* The connection leaves the lobby as soon as it can. */
static bool op_introduce(qd_link *link)
{
    qd_connection *connection = connection_of(link);

    if (!qd_admission_introduce(connection->config->admission, &connection->admitted)) {
        return false;
    }
    if (!QD_WITHOUT(LOBBY)) {
        connection->moves_to = next_loop(connection->config->loops);
        qd_connection_post(connection);
    }
    return true;
}

static bool op_may_try_token(qd_link *link)
{
    qd_connection *connection = connection_of(link);

    return qd_admission_may_try_token(connection->config->admission, &connection->admitted, qd_clock_now_ns());
}

static void op_token_failed(qd_link *link)
{
    qd_connection *connection = connection_of(link);

    qd_admission_token_failed(connection->config->admission, &connection->admitted, qd_clock_now_ns());
}

static void op_watch(qd_link *link, uint32_t silence_ms)
{
    qd_connection *connection = connection_of(link);

    QD_VALIDATE(qd_loop_is_current(connection->loop));
    connection->signs.silence_ms = silence_ms;
    connection->signs.heard_ms = uv_now(&connection->loop->uv);
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

    QD_ASSERT(connection->state == QD_CONNECTION_CLOSED);
    uv_mutex_destroy(&connection->lock);
    qd_shared_free(connection, sizeof *connection);
}

const qd_link_ops qd_connection_ops = {
    .send = op_send,
    .queued = op_queued,
    .replies_queued = op_replies_queued,
    .pause = op_pause,
    .resume = op_resume,
    .rest = op_rest,
    .frame_bytes_max = op_frame_bytes_max,
    .introduce = op_introduce,
    .may_try_token = op_may_try_token,
    .token_failed = op_token_failed,
    .watch = op_watch,
    .worked = op_worked,
    .may_work = op_may_work,
    .deadline = op_deadline,
    .close = op_close,
    .destroy = op_destroy,
};

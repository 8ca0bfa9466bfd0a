/* SPDX-License-Identifier: Apache-2.0
 *
 * libquadrille on libuv: a qd_session on a loop (see the end), or a client over any uv_stream_t (a uv_tcp_t, a uv_pipe_t)
 * that the program has connected.
 *
 *     on connect:   qd_uv_start(&adapter, client, (uv_stream_t *)&tcp, on_message, on_end, context);
 *                   qd_client_hello(client, NULL, "my-game/1.0");
 *     from then on: requests as calls on the client, from anywhere on the loop; messages come to on_message
 *     to end:       qd_uv_close(&adapter, on_closed);
 *
 * The adapter sends all requests of one loop iteration together, just before the loop waits. Everything runs on the
 * loop's thread.
 *
 * LIFETIME. From qd_uv_start to on_closed the adapter owns the stream, uses its `data` and closes it. The caller owns
 * client and adapter, and keeps them until on_closed.
 *
 * This file is header-only: link libuv yourself.
 */
#ifndef QUADRILLE_UV_H
#define QUADRILLE_UV_H

#include <string.h>
#include <uv.h>

#include "quadrille-session.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct qd_uv qd_uv;

/* Called for each message, in the order of arrival; Welcome is the first. The message is valid during the call. The
 * callback may make requests and may close the adapter. */
typedef void (*qd_uv_message_fn)(qd_uv *adapter, const qd_server_message *message, void *context);
/* Called once when the session has ended; qd_client_error has the reason. No message follows. Close the adapter here or
 * later. Not called after qd_uv_close. */
typedef void (*qd_uv_end_fn)(qd_uv *adapter, qd_client_status status, void *context);
typedef void (*qd_uv_closed_fn)(qd_uv *adapter, void *context);

struct qd_uv {
    qd_client *client;
    /* private */
    uv_stream_t *stream;
    qd_uv_message_fn on_message;
    qd_uv_end_fn on_end;
    qd_uv_closed_fn on_closed;
    void *context;
    uv_prepare_t prepare; /* runs before the loop waits */
    uv_write_t write;
    char sending[65536]; /* bytes that the stream did not take at once */
    char receiving[65536];
    bool is_writing;
    bool is_over; /* no more messages are delivered */
    int open_handles;
};

static inline void qd_uv_deliver_(qd_uv *adapter)
{
    const qd_server_message *message;

    while (!adapter->is_over && (message = qd_client_next(adapter->client)) != NULL) {
        adapter->on_message(adapter, message, adapter->context);
    }
    qd_client_status status = qd_client_state(adapter->client);
    if (adapter->is_over || status >= 0) {
        return;
    }
    adapter->is_over = true;
    uv_read_stop(adapter->stream);
    uv_prepare_stop(&adapter->prepare);
    adapter->on_end(adapter, status, adapter->context);
}

static inline void qd_uv_alloc_(uv_handle_t *stream, size_t suggested_size, uv_buf_t *buffer)
{
    qd_uv *adapter = (qd_uv *)stream->data;

    (void)suggested_size;
    *buffer = uv_buf_init(adapter->receiving, sizeof adapter->receiving);
}

static inline void qd_uv_read_(uv_stream_t *stream, ssize_t size, const uv_buf_t *buffer)
{
    qd_uv *adapter = (qd_uv *)stream->data;

    if (size > 0) {
        qd_client_input(adapter->client, buffer->base, (size_t)size);
    } else if (size < 0) {
        qd_client_input_end(adapter->client);
    }
    qd_uv_deliver_(adapter);
}

static inline void qd_uv_written_(uv_write_t *write, int status)
{
    qd_uv *adapter = (qd_uv *)write->data;

    (void)status; /* A broken stream also ends for its reader, which reports it. */
    adapter->is_writing = false;
}

static inline void qd_uv_send_(uv_prepare_t *prepare)
{
    qd_uv *adapter = (qd_uv *)prepare->data;
    size_t size;
    const void *bytes;

    while (!adapter->is_writing && (bytes = qd_client_output(adapter->client, &size)) != NULL) {
        uv_buf_t buffer = uv_buf_init((char *)bytes, size < INT32_MAX ? (unsigned int)size : INT32_MAX);
        int sent = uv_try_write(adapter->stream, &buffer, 1);

        if (sent > 0) {
            qd_client_sent(adapter->client, (size_t)sent);
            continue;
        }
        /* The stream is full. It gets a copy of the next bytes, because the client may move its own meanwhile. */
        buffer.base = adapter->sending;
        buffer.len = size < sizeof adapter->sending ? size : sizeof adapter->sending;
        memcpy(buffer.base, bytes, buffer.len);
        adapter->write.data = adapter;
        if (uv_write(&adapter->write, adapter->stream, &buffer, 1, qd_uv_written_) != 0) {
            break; /* The stream is broken; its reader will report it. */
        }
        adapter->is_writing = true;
        qd_client_sent(adapter->client, buffer.len);
    }
    qd_uv_deliver_(adapter);
}

/* Starts on a connected stream. Returns 0, or libuv's error; close the adapter after an error, too. */
static inline int qd_uv_start(qd_uv *adapter, qd_client *client, uv_stream_t *stream, qd_uv_message_fn on_message,
                              qd_uv_end_fn on_end, void *context)
{
    memset(adapter, 0, sizeof *adapter);
    adapter->client = client;
    adapter->stream = stream;
    adapter->on_message = on_message;
    adapter->on_end = on_end;
    adapter->context = context;
    adapter->open_handles = 2;
    adapter->prepare.data = stream->data = adapter;
    /* Neither call can fail. The stream alone keeps the loop alive. */
    uv_prepare_init(stream->loop, &adapter->prepare);
    uv_prepare_start(&adapter->prepare, qd_uv_send_);
    uv_unref((uv_handle_t *)&adapter->prepare);
    return uv_read_start(stream, qd_uv_alloc_, qd_uv_read_);
}

static inline void qd_uv_closed_(uv_handle_t *handle)
{
    qd_uv *adapter = (qd_uv *)handle->data;

    if (--adapter->open_handles == 0 && adapter->on_closed != NULL) {
        adapter->on_closed(adapter, adapter->context);
    }
}

/* Closes the adapter and the stream; unsent bytes are dropped. Call it once. `on_closed` may be NULL. */
static inline void qd_uv_close(qd_uv *adapter, qd_uv_closed_fn on_closed)
{
    adapter->is_over = true;
    adapter->on_closed = on_closed;
    uv_close((uv_handle_t *)&adapter->prepare, qd_uv_closed_);
    uv_close((uv_handle_t *)adapter->stream, qd_uv_closed_);
}

/* ---- sessions ----
 *
 * A qd_session (quadrille-session.h) on a loop: it connects, and connects again, by itself.
 *
 *     qd_uv_session_start(&adapter, &loop, session);
 *     from then on: requests as calls, from anywhere on the loop; the session's handlers are called
 *     to end:       qd_uv_session_close(&adapter, on_closed);
 *
 * The caller keeps session and adapter until on_closed, and destroys the session then. The adapter keeps the loop alive.
 */

typedef struct qd_uv_session qd_uv_session;
typedef void (*qd_uv_session_closed_fn)(qd_uv_session *adapter);

struct qd_uv_session {
    qd_session *session;
    void *context; /* for the program */
    /* private */
    uv_poll_t poll;
    uv_timer_t timer;
    uv_prepare_t prepare; /* runs before the loop waits */
    qd_uv_session_closed_fn on_closed;
    int open_handles;
};

static inline void qd_uv_session_timer_(uv_timer_t *timer)
{
    qd_session_process(((qd_uv_session *)timer->data)->session);
}

static inline void qd_uv_session_poll_(uv_poll_t *poll, int status, int events)
{
    (void)status;
    (void)events;
    qd_session_process(((qd_uv_session *)poll->data)->session);
}

/* Sends what the loop's iteration has requested, and sets the timer for what is due next. */
static inline void qd_uv_session_prepare_(uv_prepare_t *prepare)
{
    qd_uv_session *adapter = (qd_uv_session *)prepare->data;
    int timeout_ms;

    if (qd_session_timeout(adapter->session) == 0) {
        qd_session_process(adapter->session);
    }
    timeout_ms = qd_session_timeout(adapter->session);
    if (timeout_ms >= 0 && !uv_is_closing((uv_handle_t *)&adapter->timer)) {
        uv_timer_start(&adapter->timer, qd_uv_session_timer_, (uint64_t)timeout_ms, 0);
    }
}

/* Returns 0, or libuv's error; then nothing is to be closed. */
static inline int qd_uv_session_start(qd_uv_session *adapter, uv_loop_t *loop, qd_session *session)
{
    int fault;

    memset(adapter, 0, sizeof *adapter);
    adapter->session = session;
    fault = uv_poll_init(loop, &adapter->poll, qd_session_fd(session));
    if (fault != 0) {
        return fault;
    }
    adapter->open_handles = 3;
    adapter->poll.data = adapter->timer.data = adapter->prepare.data = adapter;
    uv_timer_init(loop, &adapter->timer);
    uv_prepare_init(loop, &adapter->prepare);
    uv_prepare_start(&adapter->prepare, qd_uv_session_prepare_);
    return uv_poll_start(&adapter->poll, UV_READABLE, qd_uv_session_poll_);
}

static inline void qd_uv_session_closed_(uv_handle_t *handle)
{
    qd_uv_session *adapter = (qd_uv_session *)handle->data;

    if (--adapter->open_handles == 0 && adapter->on_closed != NULL) {
        adapter->on_closed(adapter);
    }
}

/* Call it once. `on_closed` may be NULL. */
static inline void qd_uv_session_close(qd_uv_session *adapter, qd_uv_session_closed_fn on_closed)
{
    adapter->on_closed = on_closed;
    uv_close((uv_handle_t *)&adapter->poll, qd_uv_session_closed_);
    uv_close((uv_handle_t *)&adapter->timer, qd_uv_session_closed_);
    uv_close((uv_handle_t *)&adapter->prepare, qd_uv_session_closed_);
}

#ifdef __cplusplus
}
#endif

#endif

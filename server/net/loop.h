/* SPDX-License-Identifier: Apache-2.0
 *
 * A loop: a thread with its libuv loop, and what its connections share: requests from other threads, coarse deadlines,
 * the read buffer, memory, counters. It does not know what a connection is.
 *
 *     any thread --qd_loop_post--> [ requests ] ~~wake~~> turn: wait for sockets, then run the requests
 *
 * One wake serves all requests that come before the turn; requests posted on the loop's own thread need none. They are
 * run at the end of the turn, never from inside the call that posts them. A loop that is woken very often for what it
 * writes waits a moment before the turn, in which more may come.
 *
 * LIFETIME. init, start, stop, join, deinit, in this order and by the thread that owns the net. A loop that is stopped
 * goes on until nobody holds it any more. Between join and deinit the memory is still there, so that a post from a
 * thread which was late is harmless; there is none after deinit (see connection.c).
 */
#ifndef QD_NET_LOOP_H
#define QD_NET_LOOP_H

#include <uv.h>

#include "../base/alloc.h"
#include "../base/mailbox.h"

/* What comes in is read so much at a time at most: the more, the fewer times the sender is told that there is space
 * again, and woken for it. */
#define QD_LOOP_READ_BYTES 262144u

/* Deadlines are looked at this often: they expire late by at most so much. */
#define QD_LOOP_DEADLINE_STEP_MS 50u

/* Something to do on the loop. In its sender's own struct, posted at most once until it runs. */
typedef struct qd_loop_request qd_loop_request;
struct qd_loop_request {
    qd_message message;
    void (*run)(qd_loop_request *request);
};

/* Something due. In its owner's own struct, zero before its first use. */
typedef struct qd_loop_deadline qd_loop_deadline;
struct qd_loop_deadline {
    qd_loop_deadline *next, *previous; /* a ring through the loop's own; NULL: not set */
    uint64_t due_ns;
    void (*expire)(qd_loop_deadline *deadline);
};

typedef struct qd_loop {
    uv_loop_t uv;
    uv_async_t wake;
    uv_prepare_t turn;
    uv_timer_t clock;
    uv_thread_t thread;
    qd_mailbox requests; /* [any] */
    bool running_requests;
    bool stopping;
    bool rests; /* before the turn, where it was woken */
    uint64_t counted_since_ns;
    uint32_t wakes, writes; /* since then; `writes` is counted by its connections */
    uint32_t holders;
    qd_loop_deadline deadlines;        /* the ring's head */
    struct qd_connection *connections; /* connection.c's list */
    uint32_t refusals;                 /* connections too many that are being told so */
    qd_heap heap;
    uint8_t *read_buffer; /* QD_LOOP_READ_BYTES, full during one read callback only */
    /* Written by the loop (connections: by the listener's loop, too), read by anyone. */
    _Atomic uint32_t connection_count;
    _Atomic uint64_t bytes_in, bytes_out;
} qd_loop;

qd_status qd_loop_init(qd_loop *loop) QD_MUST_USE;
void qd_loop_deinit(qd_loop *loop);
qd_status qd_loop_start(qd_loop *loop) QD_MUST_USE;
void qd_loop_join(qd_loop *loop);

/* [any] */
void qd_loop_post(qd_loop *loop, qd_loop_request *request);

/* Whether this is the loop's thread. [any] */
bool qd_loop_is_current(const qd_loop *loop);

/* As long as somebody holds it, the loop runs on. [loop] */
void qd_loop_hold(qd_loop *loop);
void qd_loop_let_go(qd_loop *loop);
/* Leave when nobody holds it. [loop] */
void qd_loop_stop(qd_loop *loop);

/* expire is called once, at due_ns of qd_clock_now_ns or later, unless it is cleared or set anew before. [loop] */
void qd_loop_deadline_set(qd_loop *loop, qd_loop_deadline *deadline, uint64_t due_ns);
void qd_loop_deadline_clear(qd_loop_deadline *deadline);

#endif

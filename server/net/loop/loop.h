/* SPDX-License-Identifier: Apache-2.0
 *
 * A loop: a thread with its libuv loop, and what its connections share: requests from other threads, deadlines,
 * the read buffer, memory and counters. The loop does not know what a connection is.
 *
 *     any thread --qd_loop_post--> [ requests ] ~~wake~~> pass: wait for sockets, then run the requests
 *
 * One wake serves all requests that arrive before the pass. Requests posted on the loop's own thread need no wake. They
 * run at the end of the pass, never inside the call that posts them. A loop that is woken very often in order to write
 * sleeps for a moment before its pass, so that one pass serves several requests.
 *
 * LIFETIME. The thread that owns the net calls init, start, stop, join and deinit, in this order. A stopped loop
 * continues until nothing holds it. Between join and deinit the memory still exists, so a belated post from another
 * thread is harmless. No post follows deinit (connection_ops.c explains why).
 */
#ifndef QD_NET_LOOP_H
#define QD_NET_LOOP_H

#include <sys/queue.h>
#include <uv.h>

#include "../../base/mailbox.h"
#include "../../base/memory/alloc.h"
#include "turns.h"

/* The most that one read returns. The larger it is, the less often the system reports free space to the sender and
 * wakes it. */
#define QD_LOOP_READ_BYTES 262144u

/* How often the loop checks deadlines, and those that are prompt; a deadline expires at most this much late. */
#define QD_LOOP_DEADLINE_STEP_MS 50u
#define QD_LOOP_PROMPT_STEP_MS   1u

/* Work for the loop. It lies in its sender's struct and is posted at most once until it runs. */
typedef struct qd_loop_request qd_loop_request;
struct qd_loop_request {
    qd_message message;
    void (*run)(qd_loop_request *request);
};

/* A deadline. It lies in its owner's struct, zero before its first use. */
typedef struct qd_loop_deadline qd_loop_deadline;
struct qd_loop_deadline {
    qd_loop_deadline *next, *previous; /* a ring through its clock's head; NULL: not set */
    uint64_t due_ns;
    bool is_prompt;
    void (*expire)(qd_loop_deadline *deadline);
};

/* Runs while deadlines are set. */
typedef struct qd_loop_clock {
    uv_timer_t timer;
    uint32_t step_ms;
    qd_loop_deadline ring; /* its head */
} qd_loop_clock;

typedef struct qd_loop {
    uv_loop_t uv;
    int wake_fd; /* an eventfd; not uv_async_t: see qd_loop_post */
    uv_poll_t wake;
    uv_prepare_t pass;
    uv_idle_t idle; /* active while requests wait for the next pass */
    qd_loop_clock clock, prompt_clock;
    uv_thread_t thread;
    qd_mailbox requests;   /* [any] */
    qd_turns turns;        /* of its connections */
    const void *object;    /* that asked for work last, */
    uint64_t object_pass;  /* in this pass; */
    uint64_t crowded_pass; /* the last one in which several asked */
    bool prompt;
    bool stopping;
    bool coalesces; /* sleeps for a moment after each wake */
    uint64_t counted_since_ns;
    uint32_t wakes, writes; /* since then; its connections count `writes` */
    uint32_t holders;
    LIST_HEAD(, qd_connection) connections; /* connection.c's */
    uv_timer_t sweep;                       /* for signs of life; connection.c's */
    qd_heap heap;
    uint8_t *read_buffer; /* of QD_LOOP_READ_BYTES; in use during one read callback only */
    /* [any] Written by the loop. */
    _Atomic uint64_t bytes_in, bytes_out;
} qd_loop;

qd_status qd_loop_init(qd_loop *loop) QD_MUST_USE;
void qd_loop_deinit(qd_loop *loop);
/* `prompt`: the system should run the thread as soon as it has work, before threads with longer runs. */
qd_status qd_loop_start(qd_loop *loop, bool prompt) QD_MUST_USE;
void qd_loop_join(qd_loop *loop);

/* [any] */
void qd_loop_post(qd_loop *loop, qd_loop_request *request);

/* Whether the caller is the loop's thread. [any] */
bool qd_loop_is_current(const qd_loop *loop);

/* Whether the loop has time for work of that object, an address: see link.h. [loop] */
bool qd_loop_may_work(qd_loop *loop, const void *object);

/* The loop runs as long as something holds it. [loop] */
void qd_loop_hold(qd_loop *loop);
void qd_loop_unhold(qd_loop *loop);
/* Ends the loop once nothing holds it. [loop] */
void qd_loop_stop(qd_loop *loop);

/* Calls expire once, at due_ns of qd_clock_now_ns or later, unless it is cleared or set again before. [loop] */
void qd_loop_deadline_set(qd_loop *loop, qd_loop_deadline *deadline, uint64_t due_ns);
void qd_loop_deadline_clear(qd_loop_deadline *deadline);

#endif

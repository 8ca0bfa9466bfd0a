/* SPDX-License-Identifier: Apache-2.0
 *
 * Fair turns: how the connections of a loop share its time.
 *
 *     its sockets and requests: begin .. work .. end ──within its share──> goes on when there is something to do
 *              ^                                  └──beyond it, beside light ones──> [ parked ]
 *              └────────── resume: one per pass of the loop, the first one, with rests between ──┘
 *
 * A turn ends after 0.4 ms, or after 0.1 ms beside light connections. What is left waits for the next pass of the loop.
 * A connection is light within its share: a tenth of the loop's time, and 0.2 ms at once. Beyond it, beside light ones,
 * the connection is parked: it neither reads nor writes until it is resumed. So a light one waits for the turn of at most
 * one that is not, whatever the others ask for. Between their turns the loop rests in its wait for sockets, because a
 * thread that an answer has made ready may wait for this core.
 *
 * The share is of the thread's own time: a connection does not pay for threads that took the core meanwhile. That time is
 * known to 0.1 ms, because a look at it costs as much as a small turn.
 *
 * [loop] All of it.
 */
#ifndef QD_NET_TURNS_H
#define QD_NET_TURNS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <uv.h>

/* A connection's. Zero before its first use, besides resume. */
typedef struct qd_turn qd_turn;
struct qd_turn {
    void (*resume)(qd_turn *turn);
    bool begun;
    bool parked;
    uint64_t pass;     /* the loop's, in which */
    uint64_t took_ns;  /* the turn took so long, in the thread's own time, */
    uint64_t began_ns; /* besides what goes on since then */
    uint64_t debt_ns;  /* what it had taken beyond its share */
    uint64_t ended_ns; /* when it took some last */
    TAILQ_ENTRY(qd_turn) next;
};

/* A loop's. */
typedef struct qd_turns {
    uint64_t pass;        /* how often the loop has gone around */
    const qd_turn *light; /* the last light one; */
    uint64_t light_ns;    /* when it was; 0: there was none; */
    uint64_t lighter_ns;  /* and when the last other one was */
    uint64_t looked_ns;   /* the last look at the thread's own time, */
    uint64_t ran_ns;      /* which was this */
    TAILQ_HEAD(, qd_turn) parked;
    bool rests;
    int rest_fd; /* a timerfd */
    uv_poll_t rested;
} qd_turns;

/* False: the system has no descriptor for it. */
bool qd_turns_init(qd_turns *turns, uv_loop_t *uv);
/* The loop's handles are closed; also after init has failed. */
void qd_turns_deinit(qd_turns *turns);
/* A pass ends: resumes the first parked connection, unless the loop rests. Returns whether the next pass is to begin
 * without a wait. */
bool qd_turns_pass(qd_turns *turns);

/* Before anything that takes time. Does nothing if it has begun. */
void qd_turn_begin(qd_turns *turns, qd_turn *turn);
/* Whether the turn that has begun is over. Reads the clocks. */
bool qd_turn_is_over(const qd_turns *turns, const qd_turn *turn);
/* After it. May park the connection. */
void qd_turn_end(qd_turns *turns, qd_turn *turn);
/* Whether the connection is beyond its share, beside light ones. */
bool qd_turn_is_beyond(const qd_turns *turns, const qd_turn *turn);
/* The connection ends, or leaves this loop: it is not resumed. */
void qd_turn_leave(qd_turns *turns, qd_turn *turn);

#endif

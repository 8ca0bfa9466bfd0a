/* SPDX-License-Identifier: Apache-2.0
 *
 * Lockstep: when a room with RoomConfig.writers ticks. Pure: it counts the writers that have stepped; the caller passes
 * the time.
 *
 *     no Step --Step--> waiting --enough have stepped, or the deadline--> tick --> no Step
 *
 * Part of a room actor. [run]
 */
#ifndef QD_ACTOR_STATE_LOCKSTEP_H
#define QD_ACTOR_STATE_LOCKSTEP_H

#include <stdbool.h>
#include <stdint.h>

/* One session's part in it. Zero to begin with. */
typedef struct qd_lockstep_writer {
    bool known;   /* it has stepped before; from then on ticks wait for it */
    bool stepped; /* for the tick that is due */
    uint64_t seq; /* with `stepped`: of that Step */
} qd_lockstep_writer;

typedef struct qd_lockstep {
    uint32_t writers; /* a tick waits for so many Steps; 0: no lockstep */
    uint64_t deadline_ns;
    uint32_t gone;    /* writers that left and were not replaced */
    uint32_t stepped; /* for the tick that is due */
    uint64_t due_ns;  /* when the room ticks without the others; QD_NEVER: no writer has stepped */
} qd_lockstep;

typedef enum qd_lockstep_result {
    QD_LOCKSTEP_WAIT,  /* for others */
    QD_LOCKSTEP_TICK,  /* now */
    QD_LOCKSTEP_AGAIN, /* refused: the writer has stepped for this tick already */
} qd_lockstep_result;

void qd_lockstep_init(qd_lockstep *lockstep, uint32_t writers, uint64_t deadline_ns);
/* A Step for the tick that is due, with that seq. */
qd_lockstep_result qd_lockstep_step(qd_lockstep *lockstep, qd_lockstep_writer *writer, uint64_t seq, uint64_t now_ns);
/* The writer leaves. Returns whether the others were waiting for it alone. */
bool qd_lockstep_leave(qd_lockstep *lockstep, qd_lockstep_writer *writer);
/* The room has ticked. The caller clears `stepped` of every writer. */
void qd_lockstep_ticked(qd_lockstep *lockstep);

#endif

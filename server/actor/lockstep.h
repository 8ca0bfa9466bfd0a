/* SPDX-License-Identifier: Apache-2.0
 *
 * Lockstep: when a room with RoomConfig.writers ticks. Pure: it counts who has stepped, and is told the time.
 *
 *     nobody --Step--> waiting --enough have stepped, or the deadline--> tick --> nobody
 *
 * Belongs to a host; used by its run.
 */
#ifndef QD_ACTOR_LOCKSTEP_H
#define QD_ACTOR_LOCKSTEP_H

#include <stdbool.h>
#include <stdint.h>

/* One session's part in it; zero to begin with. */
typedef struct qd_lockstep_writer {
    bool known;   /* it has stepped before, and is waited for from then on */
    bool stepped; /* for the tick that is due */
    uint32_t seq; /* with `stepped`: of that Step */
} qd_lockstep_writer;

typedef struct qd_lockstep {
    uint32_t writers; /* that are waited for when all are there; 0: no lockstep */
    uint64_t deadline_ns;
    uint32_t gone;    /* writers that left, and whose places nobody has taken */
    uint32_t stepped; /* for the tick that is due */
    uint64_t due_ns;  /* when it is made without the others; QD_NEVER: nobody has stepped */
} qd_lockstep;

typedef enum qd_lockstep_result {
    QD_LOCKSTEP_WAIT,  /* for others */
    QD_LOCKSTEP_TICK,  /* now */
    QD_LOCKSTEP_AGAIN, /* refused: it has stepped for this tick */
} qd_lockstep_result;

void qd_lockstep_init(qd_lockstep *lockstep, uint32_t writers, uint64_t deadline_ns);
/* A Step for the tick that is due, with that seq. */
qd_lockstep_result qd_lockstep_step(qd_lockstep *lockstep, qd_lockstep_writer *writer, uint32_t seq, uint64_t now_ns);
/* The writer leaves. Returns whether the others, who are waiting, have waited for it alone. */
bool qd_lockstep_leave(qd_lockstep *lockstep, qd_lockstep_writer *writer);
/* The tick is made; every writer's `stepped` is the caller's to clear. */
void qd_lockstep_ticked(qd_lockstep *lockstep);

#endif

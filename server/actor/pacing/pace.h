/* SPDX-License-Identifier: Apache-2.0
 *
 * The pace of a room that ticks by its clock: which rate it holds, and how long it rests. Pure; the caller passes the
 * time.
 *
 *     holds its rate --more than a tenth skipped for a second, by long ticks--> slowed --a second without--> holds it
 *
 * Part of a room actor. [run]
 */
#ifndef QD_ACTOR_PACING_PACE_H
#define QD_ACTOR_PACING_PACE_H

#include <stdbool.h>
#include <stdint.h>

/* Zero to begin with. */
typedef struct qd_pace {
    uint64_t since_ns; /* of the three counts; 0: of the next tick */
    uint64_t ticks, skipped, took_ns;
    uint64_t rest_until_ns;        /* after a tick that took nearly a period or more */
    uint32_t slowed_hz, slowed_us; /* the rate that it holds, and the time of a tick; 0: it is not slowed */
} qd_pace;

/* The clock stood still, and starts again. */
void qd_pace_start(qd_pace *pace);
/* A tick at `hz` has ended now, after took_ns and so many skipped ones. Returns whether `slowed_hz` has changed so much
 * that members are told. */
bool qd_pace_ticked(qd_pace *pace, uint32_t hz, uint64_t now_ns, uint64_t took_ns, uint64_t skipped);

#endif

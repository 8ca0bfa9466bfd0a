/* SPDX-License-Identifier: Apache-2.0
 *
 * When to try again what found no memory: after 1, 2, 4, 8, and then every QD_PAUSE_MAX ticks. A failure long after the
 * last try is a new one. Zero to begin with.
 */
#ifndef QD_ROOM_COMMON_PAUSE_H
#define QD_ROOM_COMMON_PAUSE_H

#include <stdbool.h>
#include <stdint.h>

#define QD_PAUSE_MAX       16u /* ticks */
#define QD_PAUSE_FORGOTTEN 64u /* ticks after the last try */

typedef struct qd_pause {
    uint32_t length; /* of the last pause; 0: there was none, or it is forgotten */
    uint32_t left;   /* ticks until the next try */
    uint32_t quiet;  /* ticks since then */
} qd_pause;

/* Once at each tick. */
static inline void qd_pause_tick(qd_pause *pause)
{
    if (pause->length == 0) {
        return;
    }
    if (pause->left > 0) {
        pause->left--;
    } else if (++pause->quiet == QD_PAUSE_FORGOTTEN) {
        pause->length = 0;
    }
}

/* A try has found no memory. */
static inline void qd_pause_start(qd_pause *pause)
{
    const uint32_t twice = pause->length * 2;

    pause->length = twice == 0 ? 1 : twice < QD_PAUSE_MAX ? twice : QD_PAUSE_MAX;
    pause->left = pause->length;
    pause->quiet = 0;
}

#endif

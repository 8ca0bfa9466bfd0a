/* SPDX-License-Identifier: Apache-2.0
 *
 * The server's answer for two bodies whose verdict is ORACLE_TOO_CLOSE: a space decides that holds these two alone. The
 * room must agree, because every index and kernel finds the same pairs (server/space/geometry/PRECISION.md).
 */
#ifndef QD_TESTS_MODEL_ROOM_CLOSE_CALLS_H
#define QD_TESTS_MODEL_ROOM_CLOSE_CALLS_H

#include "server/space/space.h"

typedef struct close_way {
    const qd_body *was, *now;
    bool resized; /* had another shape or size in between than `was` */
} close_way;

bool close_overlap(const qd_body *a, const qd_body *b);
/* Filters play no part here. */
bool close_passed(const close_way *a, const close_way *b);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * What the events of a trace must be, by brute force: every tick is compared with the one before it, pair by pair. It
 * follows OVERLAP in quadrille.proto and shares no code with the server.
 */
#ifndef QD_TOOLS_CHECK_H
#define QD_TOOLS_CHECK_H

#include "columns.h"

#include <stddef.h>

typedef struct qd_event {
    uint32_t a, b;
    qd_end_reason reason; /* 0: it is a begin */
} qd_event;

/* Events in order: ends, then begins, each by (a, b). Empty where all is zero. */
typedef struct qd_events {
    qd_event *items;
    size_t count, capacity;
} qd_events;

/* false: out of memory. */
bool qd_events_add(qd_events *events, qd_event event);
void qd_events_deinit(qd_events *events);

typedef struct qd_check qd_check;

/* NULL: out of memory. */
qd_check *qd_check_create(qd_shape shape);
void qd_check_destroy(qd_check *check);

/* The events of the next tick, whose entities, by ascending id, are these; they must stay valid until the call after
 * the next. NULL: out of memory. The result is the check's, until the next call. */
const qd_events *qd_check_tick(qd_check *check, const qd_entity *entities, uint32_t count);

#endif

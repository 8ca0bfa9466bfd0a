/* SPDX-License-Identifier: Apache-2.0
 *
 * Computes the events of a trace by brute force: it compares every tick with the previous one, pair by pair. It follows
 * The rules O and S of SPEC.md, and shares no code with the server.
 */
#ifndef QD_TOOLS_CHECK_H
#define QD_TOOLS_CHECK_H

#include "columns.h"

#include <stddef.h>

/* In the order of a tick's events. */
typedef enum qd_event_kind { QD_EVENT_END, QD_EVENT_BEGIN, QD_EVENT_PASSED } qd_event_kind;

typedef struct qd_event {
    qd_event_kind kind;
    uint32_t a, b;
    qd_end_reason reason; /* of an end, else 0 */
} qd_event;

/* "end", ... */
const char *qd_event_kind_name(qd_event_kind kind);

/* Events ordered by kind, then by (a, b). Zeroed events are empty. */
typedef struct qd_events {
    qd_event *items;
    size_t count, capacity;
} qd_events;

/* false: out of memory. */
bool qd_events_add(qd_events *events, qd_event event);
void qd_events_deinit(qd_events *events);

typedef struct qd_check qd_check;

/* All entities have that shape, a box or a circle. NULL: out of memory. */
qd_check *qd_check_create(qd_shape shape, bool swept);
void qd_check_destroy(qd_check *check);

/* Returns the events of the next tick with these entities, ordered by id. The entities must stay valid until the call
 * after the next. The check owns the result, which is valid until the next call. NULL: out of memory. */
const qd_events *qd_check_tick(qd_check *check, const qd_entity *entities, uint32_t count);

#endif

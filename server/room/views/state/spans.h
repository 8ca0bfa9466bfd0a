/* SPDX-License-Identifier: Apache-2.0
 *
 * Spans: how a pass over many items of a tick, such as observers or news, is divided into tasks. Each has consecutive
 * items.
 */
#ifndef QD_ROOM_VIEWS_STATE_SPANS_H
#define QD_ROOM_VIEWS_STATE_SPANS_H

#include "../../../base/ablation.h"
#include "view_state.h"

#define QD_VIEW_SPANS_MAX        64u
#define QD_VIEW_SPANS_PER_WORKER 4u    /* because some take longer */
#define QD_VIEW_SPAN_MIN         1024u /* a task takes a few microseconds with as many entries or observers */

typedef struct qd_view_spans {
    uint32_t items, count;
} qd_view_spans;

/* Spans of at least `least` items (of one, as the tuning may want), and one for an executor that runs one task at a
 * time. */
static inline qd_view_spans qd_view_spans_of(const qd_views *views, const qd_executor *executor, uint32_t items,
                                             uint32_t least)
{
    uint64_t count = executor->width == 1 || QD_WITHOUT(VIEW_SPANS) ? 1 : executor->width * QD_VIEW_SPANS_PER_WORKER;

    count = count < QD_VIEW_SPANS_MAX ? count : QD_VIEW_SPANS_MAX;
    const uint32_t most = items / (views->join_tuning.always ? 1 : least);
    count = count < most ? count : most;
    return (qd_view_spans){items, count > 0 ? (uint32_t)count : 1};
}

/* The first item of a span; behind the last span, the number of items. */
static inline uint32_t qd_view_span_first(const qd_view_spans *spans, size_t span)
{
    return (uint32_t)((uint64_t)spans->items * span / spans->count);
}

#endif

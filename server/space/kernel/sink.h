/* SPDX-License-Identifier: Apache-2.0
 *
 * The sink of a traversal: the pairs that wait for the exact test, and the events it found. Each worker has one.
 *
 *     pair test --pairs--> near[] --exact test--> event[]
 *
 * `near` takes pairs from several lists, until there are so many that the exact test runs on full registers. Workers
 * of one traversal share a quota, and stop when they have found too many events, tested too many pairs without hits, or
 * one of them has no memory.
 *
 * Owned by a worker of the traversal; the quota is shared by its workers.
 */
#ifndef QD_SPACE_KERNEL_SINK_H
#define QD_SPACE_KERNEL_SINK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../base/memory/alloc.h"
#include "../core/rows.h"
#include "../geometry/quantizer.h"
#include "../types.h"
#include "list.h"

typedef enum qd_traversal_mode {
    QD_TRAVERSAL_EVENTS, /* begins and ends */
    QD_TRAVERSAL_STAYS,  /* begins, ends and stays */
    QD_TRAVERSAL_PAIRS,  /* what overlapped at the last tick, as stays */
} qd_traversal_mode;

/* Two references, as they stand in a list. */
typedef struct qd_pair {
    uint32_t a, b;
} qd_pair;

/* The exact test runs when there is no room for the pairs of another row and group. It reads and writes in steps, also
 * behind the last pair. */
#define QD_PAIRS_MAX  512u
#define QD_PAIRS_STEP 16u
#define QD_PAIRS_ROOM (QD_PAIRS_MAX + QD_LIST_LANES + QD_PAIRS_STEP)

/* What the workers of one traversal have reported: events, and exact tests without hits. */
typedef struct qd_quota {
    _Atomic uint64_t found, without_hits;
    _Atomic bool no_memory;
    uint64_t limit, misses_max;
} qd_quota;

typedef struct qd_sink {
    const qd_rows *rows;
    const qd_bodies *bodies;
    qd_traversal_mode mode;
    bool swept;         /* also find what passed; with QD_TRAVERSAL_EVENTS and QD_TRAVERSAL_STAYS */
    bool self_ignoring; /* look for self-ignoring rows: some body is one */
    qd_quantizer quantizer;
    qd_heap *heap;
    qd_quota *quota;
    qd_pair *near; /* has room for QD_PAIRS_ROOM */
    uint32_t near_count;
    qd_list16 moments; /* of the list that is tested, where many pairs meet (lanes/moments_body.h) */
    qd_space_event *event;
    size_t count, capacity;
    size_t reported;         /* of `count`, to the quota */
    uint64_t reported_tests; /* of `exact_tests`, likewise */
    bool stopped;
    uint64_t tests, exact_tests;
} qd_sink;

/* Makes room for `more` events. False: a limit is passed or there is no memory, the sink is stopped, and nothing may be
 * put into it. */
bool qd_sink_open(qd_sink *sink, size_t more);
/* Stops the traversal: its sinks, at their next look at the quota, and this one at once. */
void qd_sink_stop_without_memory(qd_sink *sink);

/* Make room in a list, as qd_list16_reserve; false: there is no memory, and the traversal is stopped. */
static inline bool qd_sink_reserve16(qd_sink *sink, qd_list16 *list, uint32_t count)
{
    if (QD_LIKELY(qd_list16_reserve(sink->heap, list, count))) {
        return true;
    }
    qd_sink_stop_without_memory(sink);
    return false;
}

static inline bool qd_sink_reserve8(qd_sink *sink, qd_list8 *list, uint32_t count)
{
    if (QD_LIKELY(qd_list8_reserve(sink->heap, list, count))) {
        return true;
    }
    qd_sink_stop_without_memory(sink);
    return false;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "sink.h"

#include "../../base/assert.h"
#include "../../base/memory/array.h"

#define REPORT_STEP 4096u /* exact tests; each event takes one */

_Static_assert(QD_BLOCKS_MAX *QD_BLOCK_ROWS - 1 <= QD_LIST_ROW, "a list has bits for every reference");
_Static_assert(QD_LIST_ROW < 1u << QD_SPACE_EVENT_SHIFT, "an event has room for its kind beside a reference");

static void report(qd_sink *sink)
{
    qd_quota *quota = sink->quota;
    uint64_t hits = sink->count - sink->reported, misses = sink->exact_tests - sink->reported_tests - hits;
    uint64_t found = atomic_fetch_add_explicit(&quota->found, hits, memory_order_relaxed) + hits;
    uint64_t without_hits = atomic_fetch_add_explicit(&quota->without_hits, misses, memory_order_relaxed) + misses;

    sink->reported = sink->count;
    sink->reported_tests = sink->exact_tests;
    sink->stopped = found > quota->limit || without_hits > quota->misses_max ||
                    atomic_load_explicit(&quota->no_memory, memory_order_relaxed);
}

void qd_sink_stop_without_memory(qd_sink *sink)
{
    sink->stopped = true;
    atomic_store_explicit(&sink->quota->no_memory, true, memory_order_relaxed);
}

bool qd_sink_open(qd_sink *sink, size_t more)
{
    if (sink->exact_tests - sink->reported_tests >= REPORT_STEP || sink->count > sink->quota->limit) {
        report(sink);
    }
    if (sink->stopped) {
        return false;
    }
    if (sink->count + more > sink->capacity) {
        size_t capacity = sink->capacity + sink->capacity / 2;

        capacity = capacity < sink->count + more ? sink->count + more : capacity;
        qd_space_event *grown = qd_array_grow(sink->heap, sink->event, sink->capacity * sizeof *grown,
                                              sink->count * sizeof *grown, capacity * sizeof *grown);
        if (grown == NULL) {
            qd_sink_stop_without_memory(sink);
            return false;
        }
        sink->event = grown;
        sink->capacity = capacity;
    }
    return true;
}

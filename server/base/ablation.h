/* SPDX-License-Identifier: Apache-2.0
 *
 * Switches that turn a mechanism off, so that its gain can be measured (tests/bench/ablation). They exist only in a bench
 * build (cmake -DQD_ABLATION=ON); in other builds QD_WITHOUT is false and the compiler removes the branch.
 *
 *     QD_WITHOUT=core_send,prefetch bench_room_workers --scene room
 *
 * Results stay the same with every switch. [any]
 */
#ifndef QD_BASE_ABLATION_H
#define QD_BASE_ABLATION_H

#include <stdbool.h>

/* X(NAME, "name in QD_WITHOUT") */
#define QD_MECHANISMS(X)                                                                                               \
    X(INLINE_RUNS, "inline_runs")                                                                                      \
    X(CORE_SEND, "core_send")                                                                                          \
    X(LOOP_REST, "loop_rest")                                                                                          \
    X(BATCH_STEALING, "batch_stealing")                                                                                \
    X(PREFETCH, "prefetch")                                                                                            \
    X(NARROWING, "narrowing")                                                                                          \
    X(LIST_SORT, "list_sort")                                                                                          \
    X(LIST_GROUPS, "list_groups")                                                                                      \
    X(INNER_BOXES, "inner_boxes")                                                                                      \
    X(SELF_IGNORING, "self_ignoring")                                                                                  \
    X(CARRIED_ROWS, "carried_rows")                                                                                    \
    X(PAIR_QUEUE, "pair_queue")                                                                                        \
    X(EXACT_LANES, "exact_lanes")                                                                                      \
    X(FILTER_CLASSES, "filter_classes")                                                                                \
    X(SPLIT_FETCH, "split_fetch")

typedef enum qd_mechanism {
#define X(name, text) QD_MECHANISM_##name,
    QD_MECHANISMS(X)
#undef X
        QD_MECHANISM_COUNT
} qd_mechanism;

#ifdef QD_ABLATION
/* Whether the environment variable QD_WITHOUT names the mechanism; an unknown name there aborts. */
bool qd_is_without(qd_mechanism mechanism);
#define QD_WITHOUT(mechanism) qd_is_without(QD_MECHANISM_##mechanism)
#else
#define QD_WITHOUT(mechanism) false
#endif

#endif

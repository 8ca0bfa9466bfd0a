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
    X(JOINED_MOVES, "joined_moves")                                                                                    \
    X(CORE_SEND, "core_send")                                                                                          \
    X(ROOM_REST, "room_rest")                                                                                          \
    X(LOOP_REST, "loop_rest")                                                                                          \
    X(EARLY_CALL, "early_call")                                                                                        \
    X(HELPER_SPIN, "helper_spin")                                                                                      \
    X(CALLER_SPIN, "caller_spin")                                                                                      \
    X(BATCH_STEALING, "batch_stealing")                                                                                \
    X(SLICES, "slices")                                                                                                \
    X(FAIR_TURNS, "fair_turns")                                                                                        \
    X(LOBBY, "lobby")                                                                                                  \
    X(SHORT_SLICES, "short_slices")                                                                                    \
    X(PREFETCH, "prefetch")                                                                                            \
    X(ROOT_CHOICE, "root_choice")                                                                                      \
    X(ROOT_STRETCH, "root_stretch")                                                                                    \
    X(LEAF_PLAN, "leaf_plan")                                                                                          \
    X(ROW_ORDER, "row_order")                                                                                          \
    X(REPLAN_DEBT, "replan_debt")                                                                                      \
    X(NARROWING, "narrowing")                                                                                          \
    X(SPLIT_BODIES, "split_bodies")                                                                                    \
    X(SIMD_MOVES, "simd_moves")                                                                                        \
    X(SIMD_LOCATE, "simd_locate")                                                                                      \
    X(MOVE_PREFETCH, "move_prefetch")                                                                                  \
    X(TRAVERSAL_PREFETCH, "traversal_prefetch")                                                                        \
    X(SETTLE_PREFETCH, "settle_prefetch")                                                                              \
    X(PENDING_MOVES, "pending_moves")                                                                                  \
    X(DIRECT_MOVES, "direct_moves")                                                                                    \
    X(PARALLEL_MOVES, "parallel_moves")                                                                                \
    X(PARALLEL_PLANS, "parallel_plans")                                                                                \
    X(ACTIVE_CELLS, "active_cells")                                                                                    \
    X(UNMARKED_ROWS, "unmarked_rows")                                                                                  \
    X(TRAVERSAL_TASKS, "traversal_tasks")                                                                              \
    X(TRAVERSAL_SCRATCH, "traversal_scratch")                                                                          \
    X(EARLY_COMMIT, "early_commit")                                                                                    \
    X(FILTER_CLASSES, "filter_classes")                                                                                \
    X(SELF_IGNORING, "self_ignoring")                                                                                  \
    X(SPARSE_ROOM, "sparse_room")                                                                                      \
    X(SPARSE_MERGE, "sparse_merge")                                                                                    \
    X(SPARSE_SKIP, "sparse_skip")                                                                                      \
    X(SPARSE_PRUNE, "sparse_prune")                                                                                    \
    X(HASH_GROUPS, "hash_groups")                                                                                      \
    X(HASH_SIZE, "hash_size")                                                                                          \
    X(HASH_WINDOW, "hash_window")                                                                                      \
    X(GRID_SIZE, "grid_size")                                                                                          \
    X(GRID_APART, "grid_apart")                                                                                        \
    X(BRUTE_BYTES, "brute_bytes")                                                                                      \
    X(AUTO_BRUTE, "auto_brute")                                                                                        \
    X(AUTO_TRIES, "auto_tries")                                                                                        \
    X(HELD_BUDGET, "held_budget")                                                                                      \
    X(SPATIAL_JOIN, "spatial_join")                                                                                    \
    X(DERIVED_VIEWS, "derived_views")                                                                                  \
    X(KEPT_VIEWS, "kept_views")                                                                                        \
    X(JOINED_SHOWN, "joined_shown")                                                                                    \
    X(JOINED_BEACONS, "joined_beacons")                                                                                \
    X(FEW_COMERS, "few_comers")                                                                                        \
    X(GRID_STAY, "grid_stay")                                                                                          \
    X(VIEW_SPANS, "view_spans")                                                                                        \
    X(OLDER_MASKS, "older_masks")                                                                                      \
    X(BARE_VIEWS, "bare_views")                                                                                        \
    X(RELAY_FETCH, "relay_fetch")                                                                                      \
    X(HOT_LISTS, "hot_lists")                                                                                          \
    X(BYTE_COLUMNS, "byte_columns")                                                                                    \
    X(LIST_SORT, "list_sort")                                                                                          \
    X(LIST_STRIPS, "list_strips")                                                                                      \
    X(LIST_THIN, "list_thin")                                                                                          \
    X(LIST_GROUPS, "list_groups")                                                                                      \
    X(MOMENTS, "moments")                                                                                              \
    X(INNER_BOXES, "inner_boxes")                                                                                      \
    X(CARRIED_ROWS, "carried_rows")                                                                                    \
    X(PAIR_QUEUE, "pair_queue")                                                                                        \
    X(EXACT_LANES, "exact_lanes")                                                                                      \
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

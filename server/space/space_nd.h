/* SPDX-License-Identifier: Apache-2.0
 *
 * The space of one number of axes: space_nd.c is compiled for two and for three (core/axes.h). Each function does what
 * the one of space.h or tuning.h does that has its name without _2d or _3d; coordinates come as an array for each axis.
 */
#ifndef QD_SPACE_SPACE_ND_H
#define QD_SPACE_SPACE_ND_H

#include "../base/executor.h"
#include "../base/memory/alloc.h"
#include "tuning.h"

/* clang-format off */
#define QD_SPACE_OF(n)                                                                                                 \
    /* The config is right and whole, without zeros that stand for something else. */                                  \
    qd_status qd_space_create_##n(const qd_space_config *config, qd_heap *heap, qd_space **space);                     \
    void qd_space_destroy_##n(qd_space *space);                                                                        \
    void qd_space_tune_##n(qd_space *space, const qd_tuning *tuning);                                                  \
    qd_status qd_space_add_##n(qd_space *space, const qd_body *body, uint32_t *slot);                                  \
    void qd_space_move_##n(qd_space *space, size_t count, const uint32_t *slots, const float *const *at);              \
    void qd_space_teleport_##n(qd_space *space, size_t count, const uint32_t *slots, const float *const *at);          \
    qd_status qd_space_reshape_##n(qd_space *space, uint32_t slot, const qd_body *form);                               \
    void qd_space_refilter_##n(qd_space *space, uint32_t slot, uint32_t category, uint32_t mask);                      \
    bool qd_space_remove_##n(qd_space *space, uint32_t slot, qd_space_reason reason);                                  \
    void qd_space_body_##n(const qd_space *space, uint32_t slot, qd_body *body);                                       \
    void qd_space_fetch_##n(const qd_space *space, uint32_t slot);                                                     \
    void qd_space_fetch_all_##n(const qd_space *space, qd_space_use use);                                              \
    void qd_space_tick_##n(qd_space *space, const qd_executor *executor, qd_space_wanted wanted, size_t limit,         \
                           qd_space_events *result);                                                                   \
    qd_space_reason qd_space_end_reason_##n(const qd_space *space, uint32_t slot_a, uint32_t slot_b);                  \
    bool qd_space_end_reasons_differ_##n(const qd_space *space);                                                       \
    uint32_t qd_space_settle_##n(qd_space *space);                                                                     \
    void qd_space_trim_##n(qd_space *space);                                                                           \
    uint32_t qd_space_next_freed_##n(const qd_space *space, uint32_t slot);                                            \
    void qd_space_pairs_##n(qd_space *space, const qd_executor *executor, size_t limit, qd_space_events *result);      \
    qd_status qd_space_find_##n(const qd_space *space, const qd_space_query *query, qd_space_hits *hits);              \
    void qd_space_hits_free_##n(const qd_space *space, qd_space_hits *hits);                                           \
    void qd_space_counters_get_##n(const qd_space *space, qd_space_counters *counters);                                \
    void qd_space_validate_##n(const qd_space *space);                                                                 \
    const char *qd_space_kernel_at_##n(uint32_t index);                                                                \
    void qd_space_kernel_select_##n(const char *name);
/* clang-format on */

QD_SPACE_OF(2d)
QD_SPACE_OF(3d)

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * A world: what a space is made of, for two axes or for three. The space (space.h) checks what it is asked for and
 * hands it on to the world of its number of axes, through this table.
 *
 * Each function does what the one of space.h or tuning.h does that has its name; coordinates come as an array for each
 * axis.
 */
#ifndef QD_SPACE_CORE_WORLD_H
#define QD_SPACE_CORE_WORLD_H

#include "tuning.h"

typedef struct qd_world_ops {
    /* The config is right and whole, without zeros that stand for something else. */
    qd_status (*create)(const qd_space_config *config, qd_heap *heap, qd_space **space);
    void (*destroy)(qd_space *space);
    void (*tune)(qd_space *space, const qd_tuning *tuning);
    qd_status (*add)(qd_space *space, const qd_body *body, uint32_t *slot);
    void (*move)(qd_space *space, size_t count, const uint32_t *slots, const float *const *at);
    void (*teleport)(qd_space *space, size_t count, const uint32_t *slots, const float *const *at);
    void (*reshape)(qd_space *space, uint32_t slot, const qd_body *form);
    void (*refilter)(qd_space *space, uint32_t slot, uint32_t category, uint32_t mask);
    bool (*remove)(qd_space *space, uint32_t slot, qd_space_reason reason);
    void (*body)(const qd_space *space, uint32_t slot, qd_body *body);
    void (*fetch)(const qd_space *space, uint32_t slot);
    void (*fetch_all)(const qd_space *space, qd_space_use use);
    void (*tick)(qd_space *space, const qd_executor *executor, qd_space_wanted wanted, size_t limit,
                 qd_space_events *result);
    qd_space_reason (*end_reason)(const qd_space *space, uint32_t slot_a, uint32_t slot_b);
    bool (*end_reasons_differ)(const qd_space *space);
    void (*settle)(qd_space *space, const uint32_t **freed, size_t *freed_count);
    void (*pairs)(qd_space *space, const qd_executor *executor, size_t limit, qd_space_events *result);
    qd_status (*find)(const qd_space *space, const qd_space_query *query, qd_space_hits *hits);
    void (*hits_free)(const qd_space *space, qd_space_hits *hits);
    void (*counters_get)(const qd_space *space, qd_space_counters *counters);
    void (*validate)(const qd_space *space);
    const char *(*kernel_at)(uint32_t index);
    void (*kernel_select)(const char *name);
} qd_world_ops;

/* What every world begins with. */
struct qd_space {
    const qd_world_ops *ops;
};

extern const qd_world_ops qd_world_2d;
extern const qd_world_ops qd_world_3d;

#endif

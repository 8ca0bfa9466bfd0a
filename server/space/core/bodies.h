/* SPDX-License-Identifier: Apache-2.0
 *
 * The bodies of a space by slot, and what changed about them since the last tick. Plain memory, owned by the space.
 *
 * A record says how a body is now. What it was at the last tick is in its row (rows.h). A change keeps what a
 * row does not tell, one for each body that was teleported, split, reshaped or refiltered since. Removed bodies are
 * linked through their records, so that removing one needs no memory.
 *
 * LOST. A body that changes while there is no memory for a change counts as if it had always been as it is. Then what
 * was at the last tick is not known any more: the next tick, and until then every question for what was, has no answer.
 */
#ifndef QD_SPACE_CORE_BODIES_H
#define QD_SPACE_CORE_BODIES_H

#include <stdint.h>

#include "../../base/memory/alloc.h"
#include "../geometry/geometry.h"
#include "../geometry/shape.h"
#include "../types.h"

#define QD_NONE UINT32_MAX

typedef enum qd_record_state { QD_RECORD_FREE, QD_RECORD_LIVE, QD_RECORD_REMOVED } qd_record_state;

typedef struct qd_record {
    _Alignas(16) float at[QD_AXES];
    float half[QD_AXES];
    uint32_t row;      /* where its row is; of a free slot the next free one */
    uint32_t cell_key; /* where it is registered, as its index notes it (index.h) */
    uint32_t change;   /* or QD_NONE */
    uint8_t state;     /* qd_record_state */
    uint8_t shape;     /* qd_space_shape */
    uint8_t reason;    /* of a removed one: qd_space_reason */
} qd_record;

typedef struct qd_filter {
    uint32_t category, mask;
} qd_filter;

#define QD_FILTER_DEFAULT     ((qd_filter){1, UINT32_MAX})
#define QD_FILTER_CLASSES_MAX 15u

/* Most spaces have few filters. The first ones have a number, which is in the ids of rows (rows.h), so that whether
 * two agree is known without a look at either. Number 0 is the default. */
typedef struct qd_filter_classes {
    qd_filter filter[QD_FILTER_CLASSES_MAX];
    uint32_t count;
    uint16_t agree[QD_FILTER_CLASSES_MAX + 1]; /* a bit for each class; of what has none, as if it were one: 0 */
} qd_filter_classes;

/* The `was` of what a row does not tell. */
typedef struct qd_change {
    qd_row was; /* of a split body: how it was; else absent */
    uint32_t slot;
    uint32_t old_row; /* the row left behind, or QD_NONE where the body is not split */
    qd_filter was_filter;
    float was_half[QD_AXES];
    float was_radius;
    uint8_t was_shape;
    uint8_t teleported;
    uint8_t refiltered;
} qd_change;

typedef struct qd_bodies {
    qd_heap *heap;
    qd_record *record;
    qd_filter *filter;
    qd_filter_classes classes;
    float *radius; /* by slot; NULL until one had a radius other than 0: then all have */
    qd_change *change;
    uint32_t used; /* slots ever given out: all above are free and untouched */
    uint32_t capacity;
    uint32_t count; /* live ones and removed ones */
    uint32_t free_first;
    uint32_t removed_first; /* since the last settle; or QD_NONE */
    uint32_t freed_end;     /* the slots that the last settle freed are the first of the free ones, up to this */
    uint32_t change_count, change_capacity;
    uint32_t change_peak;             /* the most since qd_bodies_trim */
    uint32_t trim_wait, trim_longest; /* calls of qd_bodies_trim until it looks for the last slot again */
    bool lost;                        /* what was at the last tick is not known */
} qd_bodies;

void qd_bodies_init(qd_bodies *bodies, qd_heap *heap);
void qd_bodies_deinit(qd_bodies *bodies);

/* A slot for a new body; its record is the caller's to fill. With `has_radius` there is room for radii, too. */
qd_status qd_bodies_take(qd_bodies *bodies, bool has_radius, uint32_t *slot) QD_MUST_USE;
void qd_bodies_give(qd_bodies *bodies, uint32_t slot);
/* Gives memory back that is far more than the bodies need. The slots that the last settle freed are not known then. */
void qd_bodies_trim(qd_bodies *bodies);

/* Notes that a body was removed. */
void qd_bodies_note_removed(qd_bodies *bodies, uint32_t slot);
/* The slot that was removed before this one, or QD_NONE. */
uint32_t qd_bodies_removed_before(const qd_bodies *bodies, uint32_t slot);

/* The change of a body that was there at the last tick, made with how it is now where there is none yet. Valid until
 * the next call. NULL: there is no memory. */
qd_change *qd_bodies_change(qd_bodies *bodies, uint32_t slot);

/* Makes room for radii; to be called before a body gets one. */
qd_status qd_bodies_radius_reserve(qd_bodies *bodies) QD_MUST_USE;
/* A capsule's radius; of others it is kept. A new body has that of the one before until it is set. */
void qd_bodies_radius_set(qd_bodies *bodies, uint32_t slot, float radius);

/* A box or a circle by its row, which is present. */
static inline qd_geometry qd_row_geometry(const qd_row *row, bool is_round)
{
    qd_geometry geometry = {.shape = is_round ? QD_SPACE_CIRCLE : QD_SPACE_BOX};

    for (uint32_t k = 0; k < QD_AXES; k++) {
        geometry.at[k] = row->v[k];
        geometry.to[k] = row->v[QD_ROW_HIGH + k];
    }
    geometry.radius = row->v[QD_ROW_HIGH];
    return geometry;
}

/* The row of a present body as exact geometry, with the shape and size that the body has or, with is_was, had. */
qd_geometry qd_bodies_geometry(const qd_bodies *bodies, uint32_t slot, const qd_row *row, bool is_was);

static inline bool qd_filters_agree(qd_filter a, qd_filter b)
{
    return (a.category & b.mask) != 0 && (b.category & a.mask) != 0;
}

static inline bool qd_filters_are_same(qd_filter a, qd_filter b)
{
    return a.category == b.category && a.mask == b.mask;
}

/* Sets a body's filter, which gets a class while there are some left. */
void qd_bodies_filter_set(qd_bodies *bodies, uint32_t slot, qd_filter filter);
/* QD_FILTER_CLASSES_MAX: it has none. */
uint32_t qd_bodies_filter_class(const qd_bodies *bodies, qd_filter filter);
/* Whether there may be bodies whose filters do not agree with their own like. */
bool qd_bodies_any_self_ignoring(const qd_bodies *bodies);

static inline float qd_bodies_radius(const qd_bodies *bodies, uint32_t slot)
{
    return bodies->radius != NULL ? bodies->radius[slot] : 0;
}

/* A body as it would be with this center, as a row; it is round unless it is a box. */
static inline qd_row qd_bodies_row_at(const qd_bodies *bodies, uint32_t slot, const float *at)
{
    const qd_record *record = &bodies->record[slot];

    if (record->shape == QD_SPACE_BOX) {
        return qd_row_of_box(at, record->half);
    }
    return record->shape == QD_SPACE_CIRCLE ? qd_row_of_circle(at, record->half[0])
                                            : qd_row_of_capsule(at, record->half, qd_bodies_radius(bodies, slot));
}

static inline qd_row qd_bodies_row(const qd_bodies *bodies, uint32_t slot)
{
    return qd_bodies_row_at(bodies, slot, bodies->record[slot].at);
}

#endif

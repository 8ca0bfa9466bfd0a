/* SPDX-License-Identifier: Apache-2.0
 *
 * Observers in a batch: reads and checks the values of one entry. A check returns 0 or a refusal (refusals.h).
 */
#ifndef QD_ROOM_VIEWS_STATE_OBSERVER_ENTRY_H
#define QD_ROOM_VIEWS_STATE_OBSERVER_ENTRY_H

#include <math.h>

#include "../../entities/refusals.h"
#include "view_state.h"

static inline float qd_observer_value_at(const float *column, uint32_t i)
{
    return column ? column[i] : 0;
}

static inline void qd_observer_take_vector(const qd_views *views, const float *x, const float *y, const float *z,
                                           uint32_t i, float to[3])
{
    to[0] = qd_observer_value_at(x, i);
    to[1] = qd_observer_value_at(y, i);
    to[2] = views->entities->is_3d ? qd_observer_value_at(z, i) : 0;
}

/* `x` is the number of the field that the first value comes from. */
static inline int qd_observer_check_finite(const float vector[3], unsigned x)
{
    for (unsigned k = 0; k < 3; k++) {
        if (!isfinite(vector[k])) {
            return QD_REFUSED_FIELD(QD_ROOM_NOT_FINITE, x + k);
        }
    }
    return 0;
}

/* Turns a cone. `x` is the number of the field direction_x. */
int qd_observer_aim(qd_observer *observer, const float direction[3], unsigned x);
/* Copies entry i into a row. */
int qd_observer_take(const qd_views *views, uint32_t member, const qd_msg_observers *batch, uint32_t i,
                     qd_observer *observer);
/* Whether the tiers of the batch are valid; all its entries share them. */
bool qd_observer_tiers_are_good(const qd_msg_observers *batch);

#endif

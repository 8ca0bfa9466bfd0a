/* SPDX-License-Identifier: Apache-2.0 */
#include "relay.h"

const uint8_t qd_relay_width[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 18, 24};

void qd_relay_start(qd_relay_state *state, uint32_t slot, const float *at)
{
    for (unsigned axis = 0; axis < state->axes; axis++) {
        const double steps = floor(ldexp((double)at[axis], state->k));

        state->at[axis][slot] = fabs(steps) < (double)QD_RELAY_STEPS_MAX ? (int32_t)steps : 0;
        state->last[axis][slot] = 0;
    }
}

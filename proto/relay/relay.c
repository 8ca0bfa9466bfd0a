/* SPDX-License-Identifier: Apache-2.0 */
#include "relay.h"

const uint8_t qd_relay_width[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 18, 24};

void qd_relay_start(qd_relay_state *state, uint32_t slot, const float *at)
{
    for (unsigned axis = 0; axis < state->axes; axis++) {
        const double steps = (double)at[axis] * (double)qd_relay_scale(state->k), most = (double)QD_RELAY_STEPS_MAX;
        const int32_t whole = steps > -most && steps < most ? (int32_t)steps : 0;

        state->at[axis][slot] =
            whole - ((double)whole > steps && steps > -most ? 1 : 0); /* down; floats near the bounds are whole */
        state->last[axis][slot] = 0;
    }
}

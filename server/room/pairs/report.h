/* SPDX-License-Identifier: Apache-2.0
 *
 * The reports of a round, which point into its lists.
 */
#ifndef QD_ROOM_PAIRS_REPORT_H
#define QD_ROOM_PAIRS_REPORT_H

#include "pair_state.h"

/* The next report; false: there is none. */
bool qd_pairs_next_report(qd_pairs *pairs, qd_room_report *report);

#endif

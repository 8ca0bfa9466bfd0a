/* SPDX-License-Identifier: Apache-2.0
 *
 * What the server does at a given moment or at a given limit, told one by one: time stands still here until a case
 * moves it, so that nothing of it depends on the machine.
 */
#ifndef QD_TESTS_SIM_CASES_H
#define QD_TESTS_SIM_CASES_H

#include "peer.h"

/* Runs all; a failure ends the program. Returns how many there are. */
unsigned sim_run_cases(void);

/* Cases of answers that are longer than a frame (cases_parts.c). */
void sim_a_large_tick_comes_in_parts(sim_house *house);
void sim_all_kinds_of_events_come_in_parts(sim_house *house);

/* Cases of sessions that do not keep up (cases_sessions.c). */
void sim_room_for_a_moment_is_no_reading(sim_house *house);

#endif

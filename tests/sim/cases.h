/* SPDX-License-Identifier: Apache-2.0
 *
 * What the server does at a given moment or at a given limit, one by one: time stands still here until a case
 * moves it, so that nothing of it depends on the machine.
 */
#ifndef QD_TESTS_SIM_CASES_H
#define QD_TESTS_SIM_CASES_H

#include "scenario.h"

/* Runs all; a failure ends the program. Returns how many there are. */
unsigned sim_run_cases(void);

/* Cases of answers that are longer than a frame (cases_parts.c). */
void sim_a_large_tick_comes_in_parts(sim_house *house);
void sim_all_kinds_of_events_come_in_parts(sim_house *house);

/* Cases of sessions that do not keep up (cases_sessions.c). */
void sim_room_for_a_moment_is_no_reading(sim_house *house);
extern const sim_step sim_entities_are_handed_over[];

/* Cases of entities that are adopted (cases_adopt.c). */
extern const sim_step sim_what_was_left_behind_is_adopted[];
extern const sim_step sim_who_may_adopt[];
extern const sim_step sim_who_is_connected_keeps_its_own[];
extern const sim_step sim_who_is_kept_goes_on_without[];
void sim_many_are_adopted(sim_house *house);
void sim_owners_change_without_memory(sim_house *house);

/* Cases of rosters (cases_rosters.c). */
extern const sim_step sim_rosters_move_what_they_name[];
extern const sim_step sim_requests_of_rosters_are_refused[];
extern const sim_step sim_rosters_go_when_their_session_leaves[];

/* Cases of views (cases_views.c). */
extern const qd_msg_room_config sim_quick_clock;
extern const sim_step sim_observers_see[];
extern const sim_step sim_regions_and_tiers[];
extern const sim_step sim_who_is_allowed[];
extern const sim_step sim_requests_of_views_are_refused[];
extern const sim_step sim_watchers[];
extern const sim_step sim_why[];
void sim_a_large_view_comes_in_parts(sim_house *house);
void sim_a_view_that_is_not_read_is_reset(sim_house *house);
extern const sim_step sim_too_many_sightings[];
extern const sim_step sim_the_end_of_views[];

/* Cases of sessions that outlive their connections (cases_resume.c). */
extern const qd_msg_room_config sim_short_grace, sim_half_second;
extern const sim_step sim_a_session_is_resumed[];
extern const sim_step sim_a_session_that_is_not_resumed_ends[];
void sim_keys_that_are_wrong_resume_nothing(sim_house *house);
extern const sim_step sim_a_connection_is_taken_over[];
extern const sim_step sim_what_was_missed_is_reported[];
extern const sim_step sim_views_go_on_at_the_next_tick[];
extern const sim_step sim_a_view_that_ended_unseen_is_reset[];
extern const sim_step sim_a_room_closes_while_nobody_looks[];
void sim_detached_sessions_are_limited(sim_house *house);
extern const sim_step sim_detached_sessions_expire_one_by_one[];

/* A case of rooms in which nothing happens (cases_still.c). */
void sim_clocks_stand_still_and_start_again(sim_house *house);

/* A case of a room of which much is asked (cases_time_budget.c). */
void sim_the_others_do_not_wait_for_who_asks(sim_house *house);

/* Cases of several writers in lockstep (cases_lockstep.c). */
extern const qd_msg_room_config sim_lockstep;
extern const sim_step sim_lockstep_waits_for_all[];
extern const sim_step sim_lockstep_waits_no_longer_than_its_deadline[];
extern const sim_step sim_lockstep_does_not_wait_for_who_has_left[];
extern const sim_step sim_lockstep_answers_a_step_behind_later_requests[];

#endif

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
void sim_reader_whose_reset_never_fits_is_disconnected(sim_house *house);
extern const sim_step sim_entities_are_handed_over[];

/* Cases of entities that are adopted (cases_adopt.c). */
extern const sim_step sim_what_was_left_behind_is_adopted[];
extern const sim_step sim_adopt_of_another_token_is_refused[];
extern const sim_step sim_connected_session_keeps_its_entities[];
extern const sim_step sim_resumed_session_misses_what_was_adopted[];
void sim_many_entities_are_adopted_in_parts(sim_house *house);
void sim_owners_change_without_memory(sim_house *house);

/* Cases of rosters (cases_rosters.c). */
extern const sim_step sim_rosters_move_what_they_name[];
extern const sim_step sim_bad_requests_of_rosters_are_refused[];
extern const sim_step sim_rosters_go_when_their_session_leaves[];

/* Cases of views (cases_views.c). */
extern const qd_msg_room_config sim_quick_clock;
extern const sim_step sim_observer_gets_enters_and_leaves[];
extern const sim_step sim_region_and_tiers_bound_what_is_seen[];
extern const sim_step sim_observer_sees_what_lists_and_teams_allow[];
extern const sim_step sim_bad_requests_of_views_are_refused[];
extern const sim_step sim_watched_session_gets_its_watchers[];
extern const sim_step sim_why_names_the_rule[];
void sim_a_large_view_comes_in_parts(sim_house *house);
void sim_a_view_that_is_not_read_is_reset(sim_house *house);
extern const sim_step sim_view_above_sightings_max_is_suspended[];
extern const sim_step sim_views_end_with_grace_and_room[];

/* Cases of sessions that outlive their connections (cases_resume.c). */
extern const qd_msg_room_config sim_short_grace, sim_half_second;
extern const sim_step sim_a_session_is_resumed[];
extern const sim_step sim_a_session_that_is_not_resumed_ends[];
void sim_wrong_key_resumes_nothing(sim_house *house);
extern const sim_step sim_a_connection_is_taken_over[];
extern const sim_step sim_what_was_missed_is_reported[];
extern const sim_step sim_views_go_on_at_the_next_tick[];
extern const sim_step sim_a_view_that_ended_unseen_is_reset[];
extern const sim_step sim_room_closed_while_detached_is_reported[];
extern const sim_step sim_detached_sessions_are_limited[];
extern const sim_step sim_detached_sessions_expire_one_by_one[];

/* A case of rooms in which nothing happens (cases_still.c). */
void sim_clocks_stand_still_and_start_again(sim_house *house);

/* A case of a room of which much is asked (cases_time_budget.c). */
void sim_queries_do_not_delay_other_sessions(sim_house *house);

/* Cases of several writers in lockstep (cases_lockstep.c). */
extern const qd_msg_room_config sim_lockstep;
extern const sim_step sim_lockstep_waits_for_all[];
extern const sim_step sim_lockstep_waits_no_longer_than_its_deadline[];
extern const sim_step sim_lockstep_goes_on_without_writers_that_left[];
extern const sim_step sim_lockstep_answers_a_step_behind_later_requests[];

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Slices: a run of a host goes on with messages for a while (qd_server_config.slice_ns), and leaves the rest to the next
 * one. So whatever a room is asked, it ticks, and other rooms have their turn.
 *
 * A message is carried out whole, however long it takes. If that is long, what its session has put in besides goes
 * behind the others' messages, which so wait for one of its queries, not for as many as it has sent. A session's own
 * order is kept.
 */
#ifndef QD_ACTOR_TIME_BUDGET_H
#define QD_ACTOR_TIME_BUDGET_H

#include "room_actor.h"

/* Applies messages, those left before first; has the host woken if there are more. In a closed room, and where `all` is
 * set, none are left. [run] */
void qd_slice_apply(qd_host *host, bool all);

/* Whether it takes so little that a visit may apply it. [any] */
bool qd_slice_is_light(const qd_request *request);

#endif

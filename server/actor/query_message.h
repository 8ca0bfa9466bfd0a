/* SPDX-License-Identifier: Apache-2.0
 *
 * Queries, and the regions of snapshots, as clients send them: what makes no sense in them, and what they ask of the
 * space. Pure. [any]
 */
#ifndef QD_ACTOR_QUERY_MESSAGE_H
#define QD_ACTOR_QUERY_MESSAGE_H

#include "../../proto/messages.h"
#include "../space/space.h"

/* Whether the query can be asked of a room of so many dimensions; if not, `fault` names the field, its value and what
 * it must be. */
bool qd_query_check(const qd_msg_query *query, uint32_t dimensions, char *fault, size_t fault_size);

/* Of one that can. */
void qd_query_translate(const qd_msg_query *query, qd_space_query *result);

/* Whether a snapshot of such a room can be taken of that region, whose sides may be infinite. */
bool qd_region_check(const qd_msg_bounds *region, uint32_t dimensions, char *fault, size_t fault_size);

#endif

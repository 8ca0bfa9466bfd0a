/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks queries, and the regions of snapshots, before the room has them. Pure. [any]
 */
#ifndef QD_SESSION_CHECK_QUERY_REQUEST_H
#define QD_SESSION_CHECK_QUERY_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "../../../proto/messages.h"

/* Whether the query suits a room with that many dimensions. If not, `fault` names the field, its value and what it must
 * be. */
bool qd_query_check(const qd_msg_query *query, uint32_t dimensions, char *fault, size_t fault_size);

/* The same for the region of a Snapshot, whose sides may be infinite. */
bool qd_region_check(const qd_msg_bounds *region, uint32_t dimensions, char *fault, size_t fault_size);

#endif

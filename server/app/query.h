/* SPDX-License-Identifier: Apache-2.0
 *
 * Queries as clients send them: what makes no sense in them, and what they ask of the space. Pure. [any]
 */
#ifndef QD_APP_QUERY_H
#define QD_APP_QUERY_H

#include "../../proto/messages.h"
#include "../space/space.h"

/* Whether the query can be asked; if not, `fault` names the field, its value and what it must be. */
bool qd_query_check(const qd_msg_query *query, char *fault, size_t fault_size);

/* Of one that can. */
void qd_query_translate(const qd_msg_query *query, qd_space_query *result);

#endif

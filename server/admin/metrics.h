/* SPDX-License-Identifier: Apache-2.0
 *
 * /metrics: what the server counts, in Prometheus' text format. Names begin with quadrille_, and values have base units.
 * Nothing has a label per entity, session or token. [admin thread]
 */
#ifndef QD_ADMIN_METRICS_H
#define QD_ADMIN_METRICS_H

#include "../actor/service/service.h"
#include "parts/exchange.h"

#define QD_ADMIN_ROOM_LABELS_MAX 20u

/* The rooms with the most entities, at most `rooms` of them, have metrics of their own. */
void qd_admin_metrics(qd_service *service, uint32_t rooms, qd_admin_answer *answer);

#endif

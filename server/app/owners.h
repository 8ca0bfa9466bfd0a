/* SPDX-License-Identifier: Apache-2.0
 *
 * Whose entities are whose: letters that change it, carried out. [run]
 */
#ifndef QD_APP_OWNERS_H
#define QD_APP_OWNERS_H

#include "host.h"

/* Handover. */
void qd_owners_apply(qd_host *host, const qd_request *request);

#endif

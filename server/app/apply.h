/* SPDX-License-Identifier: Apache-2.0
 *
 * Letters of a host, carried out: one function a kind. [run]
 */
#ifndef QD_APP_APPLY_H
#define QD_APP_APPLY_H

#include "host.h"

/* Carries the letter out and frees it; with `leave`, the seat too. */
void qd_apply(qd_host *host, qd_host_letter *letter);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * A link to nobody. It takes every frame and keeps none; what the real link answered is in the record.
 */
#ifndef QD_APP_REPLAY_REPLAY_LINK_H
#define QD_APP_REPLAY_REPLAY_LINK_H

#include "../../base/link.h"
#include "../../base/status.h"

/* Returns one reference; NULL: no memory. */
qd_link *qd_replay_link_create(void) QD_MUST_USE;

#endif

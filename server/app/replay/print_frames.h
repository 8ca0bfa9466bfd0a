/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints the events of a replay to stdout, one JSON object per line: each Tick and View frame that a room sends to a
 * session.
 */
#ifndef QD_APP_REPLAY_PRINT_FRAMES_H
#define QD_APP_REPLAY_PRINT_FRAMES_H

#include "replay_room.h"

/* For qd_replay_config.sent. */
void qd_print_frames(void *context, const qd_replay_room *room, uint64_t session, qd_buffer *const *frames,
                     size_t count);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Slow readers: sessions whose queue is full lose reports. Later they start again with a reset, or are disconnected. [run]
 *
 *     in time --queue full--> lagging --queue low enough--> in time, with a reset
 *                               \--slow_ms_max is over--> disconnected
 *
 * Without memory for a report its reader lags, too, until there is memory for a reset. That is not the reader's fault,
 * so it does not count as time.
 */
#ifndef QD_ACTOR_TICK_SLOW_READERS_H
#define QD_ACTOR_TICK_SLOW_READERS_H

#include "../state/room_actor_state.h"

/* A report was queued for that membership, or could not be; a closed link counts as neither. Returns whether it was
 * queued: if not, the room need not find anything for the reader until it resumes or leaves. */
bool qd_slow_reader_delivered(qd_room_actor *actor, qd_membership *membership, qd_link_sent sent);
/* There was no memory for a report to that membership. The same holds for the room. */
void qd_slow_reader_missed(qd_room_actor *actor, qd_membership *membership);
/* It does not wait for room in its queue any more. */
void qd_slow_reader_forget(qd_room_actor *actor, qd_membership *membership);
/* Resumes the lagging readers that have read enough of their queue: their resets are due. Disconnects those that have
 * read too little for too long. */
void qd_slow_readers_look(qd_room_actor *actor, uint64_t now_ns);

#endif

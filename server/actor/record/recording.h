/* SPDX-License-Identifier: Apache-2.0
 *
 * A recording: the record of one room (journal/entries.h). It is there if the server records
 * (qd_service_config.record).
 *
 *     begin: kind and fields --> the room does it: answers, sums --> end: the entry goes to the sink
 *
 * An entry that is lost ends the record of its room, because everything later follows from it. The record says so.
 * [run], except create.
 */
#ifndef QD_ACTOR_RECORD_RECORDING_H
#define QD_ACTOR_RECORD_RECORDING_H

#include "../journal/entries.h"
#include "../state/room_actor_state.h"

/* Sets the actor's recording and its journal, if the server records. The actor frees them. `salt` is the room's. Returns
 * whether there was memory. [loop] */
bool qd_recording_create(qd_room_actor *actor, uint64_t salt) QD_MUST_USE;
/* The three functions below do nothing if the server does not record. One entry is open between begin and end. */
void qd_recording_begin_message(qd_room_actor *actor, const qd_room_message *message, bool stopping);
/* COUNT and KEEP_UP with the time, or CLOSE with the reason. */
void qd_recording_begin(qd_room_actor *actor, qd_entry_kind kind, uint64_t value);
void qd_recording_end(qd_room_actor *actor);

#endif

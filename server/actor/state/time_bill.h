/* SPDX-License-Identifier: Apache-2.0
 *
 * The bill for the worker time that is used in a room: who pays.
 *
 *     a request ------------------------------------------------------------> the session that sent it
 *     a tick ----- computing views, by observers and visible entries -------> the sessions of its members
 *            \---- their frames, by the bytes that each member is sent -----> the same
 *             \--- the rest ------------------------------------------------> the room, or the session that sent Step
 *     resets between ticks, by the bytes that each member is sent ----------> the sessions of its members
 *
 * Most ticks are short. They are not measured in parts: the room, or the session that sent Step, pays for all of the
 * tick. A long tick has the following ones measured (QD_BILL_LONG_NS, QD_BILL_MEASURED_TICKS).
 *
 * If a session is beyond its budget, the room pays for that session's views and frames, too. A tick is never split, so
 * the whole room waits behind others then, once it is beyond its own budget.
 *
 * Small sums stay on the bill until they are worth a look at the bucket. [run], all of it.
 */
#ifndef QD_ACTOR_STATE_TIME_BILL_H
#define QD_ACTOR_STATE_TIME_BILL_H

#include "../../base/link.h"
#include "room_actor_state.h"

/* A tick of this length has so many ticks after it measured in parts. */
#define QD_BILL_LONG_NS        UINT64_C(100000)
#define QD_BILL_MEASURED_TICKS 64u

/* How long a tick took on the clock, and parts of that; 0 unless the room's bill `measures`. */
typedef struct qd_tick_parts {
    uint64_t took_ns, views_ns, frames_ns;
} qd_tick_parts;

/* The session pays for work that it asked for. */
void qd_time_bill_request(const qd_service *service, qd_membership *membership, uint64_t now_ns, uint64_t work_ns);
/* What the session still owes is charged, because the membership ends. */
void qd_time_bill_close(const qd_service *service, qd_membership *membership, uint64_t now_ns);

/* The tick has ended, and has worked for actor->tick_ns. `payer` pays for what no member pays; NULL: the room. */
void qd_time_bill_tick(qd_room_actor *actor, qd_membership *payer, uint64_t now_ns, const qd_tick_parts *parts);
/* The same for resets between ticks, which worked for so long. */
void qd_time_bill_resets(qd_room_actor *actor, uint64_t now_ns, uint64_t work_ns);

/* These frames were made for the member. */
static inline void qd_time_bill_frames(const qd_room_actor *actor, qd_membership *membership, qd_buffer *const *frames,
                                       size_t count)
{
    for (size_t i = 0; actor->bill.measures && i < count; i++) {
        membership->billed_bytes += frames[i]->size + QD_LINK_BUFFER_BYTES;
    }
}

#endif

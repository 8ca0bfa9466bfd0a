/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>

#include "../tick/tick.h"
#include "accepted.h"
#include "command.h"

#define fail qd_command_fail

void qd_subscribe_command(qd_room_actor *actor, const qd_request *request)
{
    const qd_msg_subscribe *subscribe = &request->decoded.message.as.subscribe;

    if (!qd_charges_subscribe(&actor->charges, request->head.membership->member)) {
        qd_command_fail_quota(actor, request);
        return;
    }
    qd_room_subscribe(actor->room, request->head.membership->member,
                      (qd_room_interest){.own_only = subscribe->scope == QD_SCOPE_OWN, .stays = subscribe->stays});
    qd_accepted_send(actor, request);
    actor->resets_due = true;
    actor->quiet_ticks = 0; /* it may want pairs that stay */
}

void qd_unsubscribe_command(qd_room_actor *actor, const qd_request *request)
{
    qd_membership *membership = request->head.membership;

    qd_room_unsubscribe(actor->room, membership->member);
    qd_charges_unsubscribe(&actor->charges, membership->member);
    membership->lag_lasts = false;
    qd_accepted_send(actor, request);
}

void qd_step_command(qd_room_actor *actor, const qd_request *request)
{
    if (actor->config.tick_mode != QD_TICK_MODE_STEP) {
        fail(actor, request, QD_ERROR_NOT_STEP_MODE,
             "the room ticks on its own clock, %u times a second; must have TICK_MODE_STEP. Leave Step out, or open a "
             "room of that mode",
             actor->config.tick_hz);
        return;
    }
    uint64_t asked = request->decoded.message.as.step.tick, last = qd_room_last_tick(actor->room);
    bool is_over = actor->lockstep.writers > 0 && asked != 0 && asked <= last;
    char text[160];
    if (asked != 0 && asked != last + 1) {
        snprintf(text, sizeof text,
                 "tick is %" PRIu64 ", but the last tick is %" PRIu64 "; must be %" PRIu64
                 ". Send that, or leave it out",
                 asked, last, last + 1);
    } else if (!qd_tick_step(actor, request->head.membership, request->decoded.message.seq)) {
        snprintf(text, sizeof text,
                 "this session has stepped for tick %" PRIu64 " already; must step once a tick. Wait for its Applied",
                 last + 1);
    } else {
        return;
    }
    qd_member_send_error(actor, request->head.membership,
                         &(qd_msg_error){.code = is_over ? QD_ERROR_TICK_OVER : QD_ERROR_WRONG_TICK,
                                         .text = text,
                                         .seq = request->decoded.message.seq,
                                         .room = actor->entry.handle,
                                         .tick_due = last + 1});
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "accepted.h"

#include <stdio.h>
#include <string.h>

#include "../../base/log.h"
#include "../record/delivery.h"
#include "../tick/frames.h"
#include "refusal_text.h"

#define FEW 16u /* refused entries */

static qd_server_message message_to(const qd_room_actor *actor, const qd_request *request)
{
    return (qd_server_message){
        .seq = request->decoded.message.seq,
        .kind = QD_SERVER_ACCEPTED,
        .as.accepted = {.room = actor->entry.handle, .tick = qd_room_last_tick(actor->room), .last = true}};
}

void qd_accepted_send(qd_room_actor *actor, const qd_request *request)
{
    const qd_server_message message = message_to(actor, request);

    qd_member_send(actor, request->head.membership, &message);
}

void qd_accepted_confirm(qd_room_actor *actor, const qd_request *request)
{
    if (request->decoded.message.confirm) {
        qd_accepted_send(actor, request);
    }
}

static bool any_field(const uint8_t *field, uint32_t count)
{
    return field[0] != 0 || memcmp(field, field + 1, count - 1) != 0;
}

/* Without memory, the answer lists the first refused entries, and says how many there are. */
static void send_few(qd_room_actor *actor, const qd_request *request, const qd_room_refusals *refusals,
                     const char *text)
{
    qd_server_message message = message_to(actor, request);
    qd_msg_accepted *few = &message.as.accepted;

    few->refused_count = refusals->listed < FEW ? refusals->listed : FEW;
    few->refused_index = refusals->index;
    few->refused_code = refusals->code;
    few->refused_field = any_field(refusals->field, few->refused_count) ? refusals->field : NULL;
    few->refused_total = refusals->count;
    few->text = text;
    qd_member_send(actor, request->head.membership, &message);
}

/* Sends all frames at once: a reply is never refused, but the next one may be. */
static void send_lists(qd_room_actor *actor, const qd_request *request, const qd_room_refusals *refusals,
                       const char *text)
{
    qd_frames list = {.heap = &actor->heap};
    uint32_t done = 0;

    do {
        qd_server_message message = message_to(actor, request);
        qd_msg_accepted *part = &message.as.accepted;
        uint32_t left = refusals->listed - done;

        part->refused_count = left < QD_ACCEPTED_ENTRIES_MAX ? left : QD_ACCEPTED_ENTRIES_MAX;
        if (part->refused_count > 0) {
            part->refused_index = refusals->index + done;
            part->refused_code = refusals->code + done;
            part->refused_field =
                any_field(refusals->field + done, part->refused_count) ? refusals->field + done : NULL;
        }
        part->text = done == 0 ? text : NULL;
        part->refused_total = done == 0 ? refusals->count : 0;
        done += part->refused_count;
        part->last = done == refusals->listed;
        (void)qd_frames_push(&list, qd_reply_encode(&message));
    } while (done < refusals->listed && !list.failed);
    if (!list.failed) {
        (void)qd_member_queue(actor, request->head.membership, list.frames, list.count, QD_LINK_REPLY);
    } else {
        send_few(actor, request, refusals, text);
    }
    qd_frames_deinit(&list);
}

static void count_codes(qd_room_actor *actor, const qd_room_refusals *refusals)
{
    uint32_t counts[QD_ERROR_CODES_END] = {0};

    for (uint32_t i = 0; i < refusals->listed; i++) {
        counts[refusals->code[i]]++;
    }
    for (uint32_t code = 0; code < QD_ERROR_CODES_END; code++) {
        if (counts[code] > 0) {
            qd_count(&actor->service->counters, (qd_counter)(QD_COUNT_ERROR + code), counts[code]);
        }
    }
}

void qd_accepted_send_refusals(qd_room_actor *actor, const qd_request *request, const uint32_t *id,
                               const qd_room_refusals *refusals)
{
    char text[QD_REFUSAL_TEXT_BYTES_MAX];

    if (refusals->count == 0) {
        qd_accepted_confirm(actor, request);
        return;
    }
    qd_refusal_text(actor, &request->decoded.message, id, refusals, text);
    qd_count(&actor->service->counters, QD_COUNT_ERRORS, 1);
    count_codes(actor, refusals);
    if (memchr(refusals->code, (int)actor->charges.short_of.code, refusals->listed) != NULL) {
        qd_count_refusal(&actor->service->counters, &actor->charges.short_of);
    }
    qd_log(QD_LOG_DEBUG, "entries refused", QD_LOG_PEER(request->head.membership->endpoint->link->peer),
           QD_LOG_NUMBER("seq", request->decoded.message.seq), QD_LOG_NUMBER("room", actor->entry.handle),
           QD_LOG_NUMBER("count", refusals->count), QD_LOG_STRING("text", text));
    send_lists(actor, request, refusals, text);
    qd_room_forget_refusals(actor->room);
}

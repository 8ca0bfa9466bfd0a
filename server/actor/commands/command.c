/* SPDX-License-Identifier: Apache-2.0 */
#include "command.h"

#include <inttypes.h>
#include <stdio.h>

void qd_command_answer(qd_room_actor *actor, const qd_request *request, const qd_server_message *message)
{
    qd_reply_send(actor->service, request->head.membership->endpoint->link, message);
}

qd_command_sent qd_command_send(qd_room_actor *actor, const qd_request *request, qd_frames *list)
{
    qd_command_sent sent = QD_COMMAND_NO_MEMORY;

    if (!list->failed) {
        qd_link *link = request->head.membership->endpoint->link;
        qd_link_sent queued = qd_reply_queue(actor->service, link, list->frames, list->count, QD_LINK_EVENTS);

        sent = queued == QD_LINK_FULL ? QD_COMMAND_QUEUE_FULL : QD_COMMAND_SENT;
    }
    qd_frames_deinit(list);
    return sent;
}

void qd_command_refusals(qd_room_actor *actor, const qd_request *request, uint32_t count, const uint32_t *id,
                         const qd_room_refusals *refusals)
{
    if (refusals->count == 0) {
        return;
    }
    uint32_t first = refusals->index[0];
    char text[160];
    snprintf(text, sizeof text,
             "%" PRIu32 " of %" PRIu32 " entries are refused: the first is entry %" PRIu32 " (id %" PRIu32 "), %s",
             refusals->count, count, first, id[first], qd_error_code_name((qd_error_code)refusals->code[0]));
    qd_reply_error_message(actor->service, request->head.membership->endpoint->link,
                           &(qd_msg_error){.code = QD_ERROR_ENTRIES,
                                           .text = text,
                                           .seq = request->decoded.message.seq,
                                           .room = actor->entry.handle,
                                           .entry_count = refusals->listed,
                                           .entry_index = refusals->index,
                                           .entry_code = refusals->code,
                                           .entries_refused = refusals->count});
}

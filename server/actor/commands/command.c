/* SPDX-License-Identifier: Apache-2.0 */
#include "command.h"

void qd_command_fail_quota(qd_room_actor *actor, const qd_request *request)
{
    char text[QD_SHORTAGE_TEXT_BYTES];

    qd_shortage_text(&actor->charges.short_of, text);
    qd_count_refusal(&actor->service->counters, &actor->charges.short_of);
    qd_command_fail(actor, request, actor->charges.short_of.code, "%s", text);
}

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

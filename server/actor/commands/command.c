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
    qd_member_send(actor, request->head.membership, message);
}

qd_command_sent qd_command_send(qd_room_actor *actor, const qd_request *request, qd_frames *list)
{
    qd_command_sent sent = QD_COMMAND_NO_MEMORY;

    if (!list->failed) {
        const qd_link_sent queued =
            qd_member_queue(actor, request->head.membership, list->frames, list->count, QD_LINK_EVENTS);

        sent = queued == QD_LINK_FULL ? QD_COMMAND_QUEUE_FULL : QD_COMMAND_SENT;
    }
    qd_frames_deinit(list);
    return sent;
}

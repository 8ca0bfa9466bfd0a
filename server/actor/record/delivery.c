/* SPDX-License-Identifier: Apache-2.0 */
#include "delivery.h"

#include <stdarg.h>
#include <stdio.h>

qd_link_sent qd_member_queue(qd_room_actor *actor, const qd_membership *to, qd_buffer *const *frames, size_t count,
                             qd_link_class class)
{
    qd_journal_sent(actor->journal, to->number, frames, count);
    const qd_link_sent sent = qd_reply_queue(actor->service, to->endpoint->link, frames, count, class);

    /* Nothing follows from what becomes of a reply. */
    return class == QD_LINK_REPLY ? sent : (qd_link_sent)qd_journal_ask(actor->journal, QD_ASK_SENT, sent);
}

void qd_member_send(qd_room_actor *actor, const qd_membership *to, const qd_server_message *message)
{
    qd_buffer *buffer = qd_reply_encode_answer(to->endpoint->link, message);

    /* Stats depend on the machine. */
    if (buffer != NULL && message->kind != QD_SERVER_STATS) {
        qd_journal_sent(actor->journal, to->number, &buffer, 1);
    }
    qd_reply_pass(actor->service, to->endpoint->link, buffer);
}

void qd_member_send_error(qd_room_actor *actor, const qd_membership *to, const qd_msg_error *error)
{
    qd_reply_note_error(actor->service, to->endpoint->link, error);
    qd_member_send(actor, to, &(qd_server_message){.seq = error->seq, .kind = QD_SERVER_ERROR, .as.error = *error});
}

void qd_member_fail(qd_room_actor *actor, const qd_membership *to, uint64_t seq, qd_error_code code, const char *format,
                    ...)
{
    char text[QD_REPLY_TEXT_BYTES_MAX];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    qd_member_send_error(actor, to,
                         &(qd_msg_error){.code = code, .text = text, .seq = seq, .room = actor->entry.handle});
}

uint64_t qd_room_actor_now_ns(const qd_room_actor *actor)
{
    return qd_journal_ask(actor->journal, QD_ASK_NOW, qd_service_now_ns(actor->service));
}

bool qd_room_actor_is_cut_off(const qd_room_actor *actor, const qd_membership *membership)
{
    return qd_journal_ask(actor->journal, QD_ASK_CUT_OFF,
                          atomic_load_explicit(&membership->endpoint->cut_off, memory_order_relaxed)) != 0;
}

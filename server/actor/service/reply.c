/* SPDX-License-Identifier: Apache-2.0 */
#include "reply.h"

#include <stdarg.h>
#include <stdio.h>

#include "../../../proto/codec.h"
#include "../../base/log.h"

/* Answers up to this size may use the reserve of the memory budget, if the peer has no more than that of answers left to
 * read. One that asks and does not read is the first to go when memory is short. */
#define RESERVED_BYTES_MAX 4096u
#define UNREAD_BYTES_MAX   2048u

static qd_buffer *encode(const qd_server_message *message, bool reserved)
{
    size_t size = qd_server_message_size(message);
    qd_buffer *buffer =
        reserved && size <= RESERVED_BYTES_MAX ? qd_buffer_create_reserved(size) : qd_buffer_create(size);

    if (buffer != NULL) {
        buffer->size = qd_server_message_encode(message, buffer->bytes, size);
    }
    return buffer;
}

qd_buffer *qd_reply_encode(const qd_server_message *message)
{
    return encode(message, false);
}

qd_link_sent qd_reply_queue(qd_service *service, qd_link *link, qd_buffer *const *buffers, size_t count,
                            qd_link_class class)
{
    size_t bytes = 0;

    for (size_t i = 0; i < count; i++) {
        bytes += buffers[i]->size;
    }
    qd_link_sent sent = qd_link_send(link, buffers, count, class);
    if (sent == QD_LINK_SENT) {
        qd_count(&service->counters, QD_COUNT_BYTES_OUT, bytes);
    }
    return sent;
}

void qd_reply_give_up(qd_service *service, qd_link *link)
{
    qd_log(QD_LOG_WARN, "no memory for an answer or a session, closing", QD_LOG_PEER(link->peer),
           QD_LOG_NUMBER("queued", qd_link_queued(link)));
    if (service->no_memory != NULL) {
        (void)qd_reply_queue(service, link, &service->no_memory, 1, QD_LINK_REPLY);
    }
    qd_link_close(link, QD_FLUSH_MS_MAX);
}

qd_buffer *qd_reply_encode_answer(qd_link *link, const qd_server_message *message)
{
    return encode(message, qd_link_replies_queued(link) <= UNREAD_BYTES_MAX);
}

void qd_reply_pass(qd_service *service, qd_link *link, qd_buffer *answer)
{
    if (answer == NULL) {
        qd_reply_give_up(service, link);
        return;
    }
    /* A link never refuses a reply. If the link is closed, or closes because of this, none is needed. */
    (void)qd_reply_queue(service, link, &answer, 1, QD_LINK_REPLY);
    qd_buffer_release(answer);
}

void qd_reply_send(qd_service *service, qd_link *link, const qd_server_message *message)
{
    qd_reply_pass(service, link, qd_reply_encode_answer(link, message));
}

void qd_reply_note_error(qd_service *service, const qd_link *link, const qd_msg_error *error)
{
    qd_count(&service->counters, QD_COUNT_ERRORS, 1);
    qd_count(&service->counters, (qd_counter)(QD_COUNT_ERROR + error->code), 1);
    qd_log(QD_LOG_DEBUG, "error", QD_LOG_PEER(link->peer), QD_LOG_NUMBER("seq", error->seq),
           QD_LOG_NUMBER("room", error->room), QD_LOG_STRING("code", qd_error_code_name(error->code)),
           QD_LOG_STRING("text", error->text));
}

void qd_reply_error_message(qd_service *service, qd_link *link, const qd_msg_error *error)
{
    qd_reply_note_error(service, link, error);
    qd_reply_send(service, link, &(qd_server_message){.seq = error->seq, .kind = QD_SERVER_ERROR, .as.error = *error});
}

void qd_reply_error(qd_service *service, qd_link *link, uint64_t seq, uint64_t room, qd_error_code code,
                    const char *format, ...)
{
    char text[QD_REPLY_TEXT_BYTES_MAX];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    qd_reply_error_message(service, link, &(qd_msg_error){.code = code, .text = text, .seq = seq, .room = room});
}

void qd_reply_end(qd_service *service, qd_link *link, uint64_t seq, qd_error_code code, const char *format, ...)
{
    char text[QD_REPLY_TEXT_BYTES_MAX];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    qd_log(QD_LOG_WARN, "protocol broken", QD_LOG_PEER(link->peer), QD_LOG_STRING("code", qd_error_code_name(code)),
           QD_LOG_STRING("text", text));
    qd_reply_error_message(service, link, &(qd_msg_error){.code = code, .text = text, .seq = seq});
    qd_reply_send(
        service, link,
        &(qd_server_message){.kind = QD_SERVER_GO_AWAY,
                             .as.go_away = {.reason = code >= QD_ERROR_QUOTA_SESSION && code <= QD_ERROR_QUOTA_ADDRESS
                                                          ? QD_GO_AWAY_QUOTA
                                                          : QD_GO_AWAY_PROTOCOL,
                                            .text = "the Error before this gives the reason",
                                            .deadline_ms = QD_FLUSH_MS_MAX}});
    qd_link_close(link, QD_FLUSH_MS_MAX);
}

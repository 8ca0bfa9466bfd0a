/* SPDX-License-Identifier: Apache-2.0 */
#include "client.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "memory.h"

/* Errors with a code below this one end the connection (quadrille.proto, ErrorCode). */
#define FIRST_CODE_THAT_LEAVES_THE_SESSION 16

#define OUT_CAPACITY_MIN 4096u

/* What is decrypted at once: a record of TLS. */
#define PLAIN_BYTES 16384u

/* The first byte of a TLS record with an alert. */
#define TLS_ALERT 0x15

const char *qd_version(void)
{
    return QD_VERSION_TEXT;
}

const char *qd_client_status_text(qd_client_status status)
{
    switch (status) {
#define X(name, number, text)                                                                                          \
    case QD_CLIENT_##name:                                                                                             \
        return text;
        QD_CLIENT_STATUSES(X)
#undef X
    }
    return "unknown status";
}

qd_client *qd_client_create(void)
{
    qd_client *client = qd_memory_zeroed(1, sizeof *client);

    if (client == NULL) {
        return NULL;
    }
    client->next_seq = 1;
    client->socket = -1;
    qd_frame_reader_init(&client->reader, QD_SERVER_FRAME_BYTES_MAX, &qd_memory_of_codec);
    return client;
}

static void free_entry(qd_client_entry *entry)
{
    if (entry == NULL) {
        return;
    }
    qd_decoded_server_release(&entry->decoded, &qd_memory_of_codec);
    qd_memory_free(entry);
}

void qd_client_destroy(qd_client *client)
{
    if (client == NULL) {
        return;
    }
    if (client->socket >= 0) {
        close(client->socket);
    }
    while (client->first != NULL) {
        qd_client_entry *entry = client->first;

        client->first = entry->next;
        free_entry(entry);
    }
    free_entry(client->shown);
    qd_frame_reader_deinit(&client->reader);
    qd_client_channel_close(client->channel);
    qd_client_tls_destroy(client->tls);
    qd_memory_free(client->welcome_server);
    qd_memory_free(client->out);
    qd_memory_free(client);
}

/* ---- the state ---- */

qd_client_status qd_client_end(qd_client *client, qd_client_status status, const char *format, ...)
{
    if (client->state < 0) {
        return client->state;
    }
    client->state = status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(client->error, sizeof client->error, format, arguments);
    va_end(arguments);
    return status;
}

qd_client_status qd_client_state(const qd_client *client)
{
    return client->state;
}

const char *qd_client_error(const qd_client *client)
{
    return client->state < 0 ? client->error : client->refusal;
}

qd_client_status qd_client_use_tls(qd_client *client, qd_client_tls *tls, const char *host)
{
    if (client->tls != NULL) {
        qd_client_channel_close(client->channel);
        qd_client_tls_destroy(client->tls);
        client->channel = NULL;
    }
    client->tls = qd_client_tls_acquire(tls);
    if (host != NULL) {
        (void)qd_client_open_channel(client, host);
    }
    return client->state;
}

bool qd_client_open_channel(qd_client *client, const char *host)
{
    if (client->tls == NULL || client->channel != NULL) {
        return true;
    }
    client->channel = qd_client_channel_open(client->tls, host);
    if (client->channel == NULL) {
        qd_client_end(client, QD_CLIENT_ERR_NO_MEMORY, "out of memory for TLS");
    }
    return client->channel != NULL;
}

void qd_client_resumable(qd_client *client, const uint8_t *key)
{
    client->resumable = true;
    client->resume_size = key != NULL ? sizeof client->resume : 0;
    if (key != NULL) {
        memcpy(client->resume, key, sizeof client->resume);
    }
}

void qd_client_pings(qd_client *client)
{
    client->pings = true;
}

const qd_msg_welcome *qd_client_welcome(const qd_client *client)
{
    return client->welcomed ? &client->welcome : NULL;
}

/* ---- output ---- */

size_t qd_client_frame_bytes_max(const qd_client *client)
{
    size_t limit = client->welcome.limits.frame_bytes_max;

    return client->welcomed && limit > 0 ? limit : SIZE_MAX;
}

/* Makes room for `size` more bytes behind the unsent ones. */
static bool reserve_output(qd_client *client, size_t size)
{
    if (client->out_capacity - client->out_end >= size) {
        return true;
    }
    size_t waiting = client->out_end - client->out_start;
    /* Sent bytes leave room at the front. It is used only if it is larger than the rest, so that moving the rest costs
     * less than the sending did. */
    if (client->out_start > waiting && client->out_capacity - waiting >= size) {
        memmove(client->out, client->out + client->out_start, waiting);
    } else {
        size_t capacity = client->out_capacity < OUT_CAPACITY_MIN ? OUT_CAPACITY_MIN : client->out_capacity;

        while (capacity - waiting < size) {
            capacity *= 2;
        }
        uint8_t *bytes = qd_memory_alloc(capacity);
        if (bytes == NULL) {
            return false;
        }
        if (waiting > 0) {
            memcpy(bytes, client->out + client->out_start, waiting);
        }
        qd_memory_free(client->out);
        client->out = bytes;
        client->out_capacity = capacity;
    }
    client->out_start = 0;
    client->out_end = waiting;
    return true;
}

bool qd_client_send(qd_client *client, const qd_client_message *message)
{
    if (client->state < 0) {
        return false;
    }
    size_t size = qd_client_message_size(message);
    size_t size_max = qd_client_frame_bytes_max(client);
    if (size > size_max && size - qd_frame_prefix_size((uint32_t)size_max) > size_max) {
        snprintf(client->refusal, sizeof client->refusal,
                 "the request has %zu bytes; must be at most %zu, the server's --frame-max. Split it", size, size_max);
        return false;
    }
    client->refusal[0] = '\0';
    if (!reserve_output(client, size)) {
        qd_client_end(client, QD_CLIENT_ERR_NO_MEMORY, "out of memory for a request of %zu bytes", size);
        return false;
    }
    client->out_end += qd_client_message_encode(message, client->out + client->out_end, size);
    if (message->seq >= client->next_seq) {
        const uint64_t last = message->seq + qd_move_parts_more(message);

        client->next_seq = last >= QD_SEQ_MAX ? 1 : last + 1;
    }
    return true;
}

void qd_client_confirm(qd_client *client, bool confirm)
{
    client->confirm = confirm;
}

uint64_t qd_client_next_seq(const qd_client *client)
{
    return client->next_seq;
}

bool qd_client_send_frames(qd_client *client, const void *bytes, size_t size)
{
    if (client->state < 0) {
        return false;
    }
    if (!reserve_output(client, size)) {
        qd_client_end(client, QD_CLIENT_ERR_NO_MEMORY, "out of memory for frames of %zu bytes", size);
        return false;
    }
    memcpy(client->out + client->out_end, bytes, size);
    client->out_end += size;
    return true;
}

const void *qd_client_output(const qd_client *client, size_t *size)
{
    *size = client->out_end - client->out_start;
    if (client->tls != NULL) {
        const size_t plain_size = *size;

        /* Without a channel nothing may go out: it would be readable. */
        *size = 0;
        return client->channel == NULL
                   ? NULL
                   : qd_client_channel_output(client->channel, client->out + client->out_start, plain_size, size);
    }
    return *size > 0 ? client->out + client->out_start : NULL;
}

void qd_client_sent(qd_client *client, size_t size)
{
    size_t waiting = client->out_end - client->out_start;

    if (client->channel != NULL) {
        size = qd_client_channel_sent(client->channel, size);
    }
    client->out_start += size < waiting ? size : waiting;
    if (client->out_start == client->out_end) {
        client->out_start = client->out_end = 0;
    }
}

/* ---- input ---- */

static void keep_welcome(qd_client *client, const qd_msg_welcome *welcome)
{
    if (client->welcomed) {
        return;
    }
    client->welcome_server = qd_memory_string(welcome->server);
    if (client->welcome_server == NULL) {
        qd_client_end(client, QD_CLIENT_ERR_NO_MEMORY, "out of memory");
        return;
    }
    client->welcome = *welcome;
    client->welcome.server = client->welcome_server;
    if (welcome->resume_key.size == sizeof client->welcome_key) {
        memcpy(client->welcome_key, welcome->resume_key.bytes, sizeof client->welcome_key);
    } else {
        client->welcome.resume_key.size = 0;
    }
    client->welcome.resume_key.bytes = client->welcome_key;
    client->welcomed = true;
}

/* Updates the session by a message that concerns it. */
static void notice(qd_client *client, const qd_server_message *message)
{
    if (message->kind == QD_SERVER_WELCOME) {
        keep_welcome(client, &message->as.welcome);
    } else if (message->kind == QD_SERVER_ERROR) {
        const qd_msg_error *error = &message->as.error;

        client->last_code = error->code;
        snprintf(client->last_error, sizeof client->last_error, "%s (%s)", error->text,
                 qd_error_code_name(error->code));
        if (error->code < FIRST_CODE_THAT_LEAVES_THE_SESSION) {
            qd_client_end(client, QD_CLIENT_ERR_REFUSED, "%s", client->last_error);
        }
    } else if (message->kind == QD_SERVER_GO_AWAY) {
        /* A server that is stopping may still send messages; any other GoAway ends the session. */
        const qd_msg_go_away *go_away = &message->as.go_away;

        if (go_away->reason == QD_GO_AWAY_SHUTDOWN) {
            snprintf(client->farewell, sizeof client->farewell, "%s",
                     go_away->text[0] != '\0' ? go_away->text : "the server is stopping");
        } else if ((go_away->reason == QD_GO_AWAY_PROTOCOL || go_away->reason == QD_GO_AWAY_QUOTA) &&
                   client->last_error[0] != '\0') {
            qd_client_end(client, QD_CLIENT_ERR_REFUSED, "%s", client->last_error);
        } else {
            qd_client_end(client, QD_CLIENT_ERR_REFUSED, "%s", go_away->text);
        }
    }
}

/* The caller does not see it. */
static void answer_ping(qd_client *client, const qd_server_message *ping)
{
    qd_client_message pong = {.kind = QD_CLIENT_PONG, .as.ping = ping->as.pong};

    qd_client_send(client, &pong);
}

static void take_frame(qd_client *client, const uint8_t *frame, size_t frame_size)
{
    qd_client_entry *entry = qd_memory_zeroed(1, sizeof *entry);
    qd_decode_result result =
        entry == NULL ? QD_DECODE_NO_MEMORY : qd_decode_server(frame, frame_size, &qd_memory_of_codec, &entry->decoded);

    if (result == QD_DECODE_OK && entry->decoded.message.kind == QD_SERVER_PING) {
        answer_ping(client, &entry->decoded.message);
        free_entry(entry);
        return;
    }
    if (result == QD_DECODE_OK) {
        if (client->last != NULL) {
            client->last->next = entry;
        } else {
            client->first = entry;
        }
        client->last = entry;
        notice(client, &entry->decoded.message);
        return;
    }
    free_entry(entry);
    if (result == QD_DECODE_NO_MEMORY) {
        qd_client_end(client, QD_CLIENT_ERR_NO_MEMORY, "out of memory for a message of %zu bytes", frame_size);
    } else {
        qd_client_end(client, QD_CLIENT_ERR_PROTOCOL, "the server sent a frame of %zu bytes that is not a ServerFrame",
                      frame_size);
    }
}

/* Takes plain bytes. */
static qd_client_status take_bytes(qd_client *client, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;

    while (client->state >= 0) {
        const uint8_t *frame;
        size_t frame_size;

        switch (qd_frame_reader_next(&client->reader, &at, &size, &frame, &frame_size)) {
        case QD_FRAME_OK:
            take_frame(client, frame, frame_size);
            break;
        case QD_FRAME_MORE:
            return client->state;
        case QD_FRAME_BAD_PREFIX:
            return qd_client_end(client, QD_CLIENT_ERR_PROTOCOL,
                                 "the server sent a length that is not a varint; is it a Quadrille server?");
        case QD_FRAME_TOO_LONG:
            return qd_client_end(client, QD_CLIENT_ERR_PROTOCOL,
                                 "the server announced a frame of %llu bytes; must be at most %u; is it a Quadrille "
                                 "server?",
                                 (unsigned long long)client->reader.length, QD_SERVER_FRAME_BYTES_MAX);
        case QD_FRAME_NO_MEMORY:
            return qd_client_end(client, QD_CLIENT_ERR_NO_MEMORY, "out of memory for a message of %llu bytes",
                                 (unsigned long long)client->reader.length);
        }
    }
    return client->state;
}

/* A server with TLS answers the first bytes of a client without TLS by an alert. */
static bool is_alert(const qd_client *client, const uint8_t *bytes, size_t size)
{
    return !client->welcomed && size >= 3 && bytes[0] == TLS_ALERT && bytes[1] == 3 && bytes[2] <= 4 &&
           !qd_frame_reader_is_within(&client->reader);
}

static qd_client_status take_sealed(qd_client *client, const void *bytes, size_t size)
{
    uint8_t plain[PLAIN_BYTES];
    size_t got;

    if (client->channel == NULL || !qd_client_channel_input(client->channel, bytes, size)) {
        return qd_client_end(client, QD_CLIENT_ERR_NO_MEMORY, "out of memory for %zu encrypted bytes", size);
    }
    while (client->state >= 0 && (got = qd_client_channel_read(client->channel, plain, sizeof plain)) > 0) {
        take_bytes(client, plain, got);
    }
    const char *problem = qd_client_channel_problem(client->channel);
    if (problem != NULL) {
        qd_client_end(client, QD_CLIENT_ERR_TLS, "%s%s%s", client->address, client->address[0] != '\0' ? ": " : "",
                      problem);
    }
    return client->state;
}

qd_client_status qd_client_input(qd_client *client, const void *bytes, size_t size)
{
    if (client->state < 0) {
        return client->state;
    }
    if (client->tls != NULL) {
        return take_sealed(client, bytes, size);
    }
    if (is_alert(client, bytes, size)) {
        return qd_client_end(client, QD_CLIENT_ERR_TLS, "%s%sthe server encrypts connections; connect with TLS",
                             client->address, client->address[0] != '\0' ? ": " : "");
    }
    return take_bytes(client, bytes, size);
}

qd_client_status qd_client_input_end(qd_client *client)
{
    const char *who = client->address[0] != '\0' ? client->address : "the server";

    if (client->farewell[0] != '\0') {
        return qd_client_end(client, QD_CLIENT_ERR_CLOSED, "%s closed the connection: %s", who, client->farewell);
    }
    return qd_client_end(client, QD_CLIENT_ERR_CLOSED, "%s closed the connection", who);
}

/* ---- messages ---- */

/* Removes `entry`, which follows `before` (NULL: it is the first), from the list and returns its message. */
static const qd_server_message *show(qd_client *client, qd_client_entry *before, qd_client_entry *entry)
{
    if (before != NULL) {
        before->next = entry->next;
    } else {
        client->first = entry->next;
    }
    if (client->last == entry) {
        client->last = before;
    }
    client->shown = entry;
    return &entry->decoded.message;
}

const char *qd_client_refusal(const qd_server_message *message)
{
    if (message->kind == QD_SERVER_ERROR) {
        return message->as.error.text;
    }
    bool refuses = message->kind == QD_SERVER_ACCEPTED && message->as.accepted.refused_total > 0;
    return refuses ? message->as.accepted.text : NULL;
}

static void hide(qd_client *client)
{
    free_entry(client->shown);
    client->shown = NULL;
}

const qd_server_message *qd_client_next(qd_client *client)
{
    hide(client);
    return client->first != NULL ? show(client, NULL, client->first) : NULL;
}

static bool answers(const qd_server_message *message, uint64_t seq)
{
    return message->seq == seq || (message->kind == QD_SERVER_APPLIED && message->as.applied.seq == seq);
}

const qd_server_message *qd_client_take_answer(qd_client *client, uint64_t seq)
{
    hide(client);
    /* Messages without a request have seq 0 as well; they do not answer a request that was not queued. */
    if (seq == 0) {
        return NULL;
    }
    qd_client_entry *before = NULL;
    for (qd_client_entry *entry = client->first; entry != NULL; before = entry, entry = entry->next) {
        if (answers(&entry->decoded.message, seq)) {
            return show(client, before, entry);
        }
    }
    return NULL;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Encoding, generic path: a function expanded from each table of fields.def points a generated struct at the qd_msg_*
 * struct's values, and protobuf-c packs it. Nothing is allocated.
 */
#include "generic.h"

#include <inttypes.h>
#include <stdio.h>

#include "codec_internal.h"

/* Field 1 of RoomList and of SessionList. */
#define ROWS_TAG 0x0au

/* The sub-messages of a message. No message has two of one type. */
typedef struct parts {
    Quadrille__V1__Bounds bounds;
    Quadrille__V1__RoomConfig room_config;
    Quadrille__V1__Query__Circle query__circle;
    Quadrille__V1__Query__Nearest query__nearest;
    Quadrille__V1__Query__Ray query__ray;
    Quadrille__V1__Limits limits;
    Quadrille__V1__ServerStats server_stats;
    Quadrille__V1__RoomStats room_stats;
} parts;

/* ---- the rows of fields.def: from `message` to `wire` ---- */

/* Each function takes an initialized `wire`, which then points into `message` and `p`. */
#define MESSAGE(name, Wire, type)                                                                                      \
    static void set_##name(Quadrille__V1__##Wire *wire, const type *message, parts *p)                                 \
    {                                                                                                                  \
        size_t count = 0;                                                                                              \
                                                                                                                       \
        (void)count;                                                                                                   \
        (void)p;
#define END }

#define NUMBER(field)            wire->field = message->field;
#define NUMBER_AS(field, member) wire->field = message->member;
#define NUMBER_IF(field, oneof, tag)                                                                                   \
    if (message->has_##field || message->field != 0) {                                                                 \
        wire->oneof##_case = (__typeof__(wire->oneof##_case))(tag);                                                    \
        NUMBER(field)                                                                                                  \
    }
#define ENUM(field)              wire->field = (__typeof__(wire->field))message->field;
#define ENUM_OR(field, fallback) ENUM(field)
#define TEXT(field)              wire->field = (char *)message->field;

#define TEXTS(field, counter)                                                                                          \
    wire->n_##field = message->counter;                                                                                \
    wire->field = (char **)message->field;

#define BLOB(field) wire->field = (ProtobufCBinaryData){message->field.size, (uint8_t *)message->field.bytes};

#define FIRST(field, member, counter)                                                                                  \
    count = message->counter;                                                                                          \
    COLUMN(field, member, NEEDED)
#define LIST(field, member, counter, max) FIRST(field, member, counter)
#define COLUMN(field, member, need)                                                                                    \
    wire->n_##field = message->member != NULL ? count : 0;                                                             \
    wire->field = (__typeof__(wire->field))message->member;
#define BYTES(field, member, need)                                                                                     \
    wire->field = (ProtobufCBinaryData){message->member != NULL ? count : 0, (uint8_t *)message->member};
#define COUNT(member)
#define PAYLOAD(field, member, sizes)                                                                                  \
    wire->field = (ProtobufCBinaryData){message->member != NULL ? qd_payload_bytes(message->sizes, count) : 0,         \
                                        (uint8_t *)message->member};

#define PART(field, part)                                                                                              \
    quadrille__v1__##part##__init(&p->part);                                                                           \
    set_##part(&p->part, &message->field, p);                                                                          \
    wire->field = &p->part;
#define PART_IF(field, part)                                                                                           \
    if (message->has_##field) {                                                                                        \
        PART(field, part)                                                                                              \
    }
#define WHERE(field, KIND, part)                                                                                       \
    if (message->kind == QD_QUERY_##KIND) {                                                                            \
        quadrille__v1__##part##__init(&p->part);                                                                       \
        set_##part(&p->part, &message->where.field, p);                                                                \
        wire->where_case = QUADRILLE__V1__QUERY__WHERE_##KIND;                                                         \
        wire->field = &p->part;                                                                                        \
    }
#define ROWS(field, part)

#include "fields.def"

/* ---- bodies: what an envelope contains ---- */

#define MEMBER_OF_UNION(KIND, Wire, field, member) Quadrille__V1__##Wire field;

typedef struct client_body {
    uint32_t field; /* of the envelope; 0: none */
    union {
        ProtobufCMessage message; /* what each of them begins with */
        CLIENT_MESSAGES(MEMBER_OF_UNION)
    } as;
    parts parts;
} client_body;

/* The body then points into `message` and itself. */
static void set_client_body(client_body *body, const qd_client_message *message)
{
    body->field = 0;
    switch (message->kind) {
#define CASE(KIND, Wire, name, member)                                                                                 \
    case QD_CLIENT_##KIND:                                                                                             \
        body->field = QUADRILLE__V1__CLIENT_FRAME__MESSAGE_##KIND;                                                     \
        quadrille__v1__##name##__init(&body->as.name);                                                                 \
        set_##name(&body->as.name, &message->as.member, &body->parts);                                                 \
        break;
        CLIENT_MESSAGES(CASE)
#undef CASE
    case QD_CLIENT_NOTHING:
        break;
    }
}

static size_t size_client_body(const client_body *body)
{
    return body->field != 0 ? protobuf_c_message_get_packed_size(&body->as.message) : 0;
}

/* Returns where the value of an entry is; NULL: the column is absent or shorter. */
static const void *value_of(const ProtobufCMessage *message, const ProtobufCFieldDescriptor *field, uint32_t entry)
{
    const char *at = (const char *)message + field->offset;

    if (field->type == PROTOBUF_C_TYPE_BYTES) {
        const ProtobufCBinaryData *bytes = (const ProtobufCBinaryData *)at;

        return entry < bytes->len ? bytes->data + entry : NULL;
    }
    if (field->label != PROTOBUF_C_LABEL_REPEATED) {
        return at;
    }
    size_t count = *(const size_t *)((const char *)message + field->quantifier_offset);
    return entry < count ? *(const char *const *)at + entry * sizeof(uint32_t) : NULL;
}

void qd_client_value_text(const qd_client_message *message, uint32_t field, uint32_t entry, char *text, size_t size)
{
    client_body body;

    text[0] = '\0';
    set_client_body(&body, message);
    if (body.field == 0) {
        return;
    }
    const ProtobufCFieldDescriptor *row = protobuf_c_message_descriptor_get_field(body.as.message.descriptor, field);
    const void *value = row != NULL ? value_of(&body.as.message, row, entry) : NULL;
    if (value == NULL) {
        return;
    }
    switch (row->type) {
    case PROTOBUF_C_TYPE_FLOAT:
        snprintf(text, size, "%s is %g", row->name, (double)*(const float *)value);
        break;
    case PROTOBUF_C_TYPE_BYTES:
        snprintf(text, size, "%s is %u", row->name, *(const uint8_t *)value);
        break;
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_UINT32:
        snprintf(text, size, "%s is %" PRIu32, row->name, *(const uint32_t *)value);
        break;
    default: /* no entry is refused for another kind of value */
        break;
    }
}

typedef struct server_body {
    uint32_t field; /* of the envelope; 0: none */
    union {
        ProtobufCMessage message; /* what each of them begins with */
        SERVER_MESSAGES(MEMBER_OF_UNION)
    } as;
    parts parts;
    const qd_server_message *list; /* a RoomList or SessionList; else NULL */
} server_body;

/* The body then points into `message` and itself. */
static void set_server_body(server_body *body, const qd_server_message *message)
{
    const bool is_list = message->kind == QD_SERVER_ROOM_LIST || message->kind == QD_SERVER_SESSION_LIST;

    body->field = 0;
    body->list = is_list ? message : NULL;
    switch (message->kind) {
#define CASE(KIND, Wire, name, member)                                                                                 \
    case QD_SERVER_##KIND:                                                                                             \
        body->field = QUADRILLE__V1__SERVER_FRAME__MESSAGE_##KIND;                                                     \
        quadrille__v1__##name##__init(&body->as.name);                                                                 \
        set_##name(&body->as.name, &message->as.member, &body->parts);                                                 \
        break;
        SERVER_MESSAGES(CASE)
#undef CASE
    case QD_SERVER_NOTHING:
        break;
    }
}

/* ---- rows, written one by one, so that a long list needs no memory ---- */

typedef union list_row {
    ProtobufCMessage message; /* what each of them begins with */
    Quadrille__V1__RoomInfo room;
    Quadrille__V1__SessionInfo session;
} list_row;

static size_t row_count(const server_body *body)
{
    if (body->list == NULL) {
        return 0;
    }
    return body->list->kind == QD_SERVER_ROOM_LIST ? body->list->as.room_list.count : body->list->as.session_list.count;
}

static void set_row(list_row *row, const server_body *body, size_t i)
{
    if (body->list->kind == QD_SERVER_ROOM_LIST) {
        quadrille__v1__room_info__init(&row->room);
        set_room_info(&row->room, &body->list->as.room_list.rooms[i], NULL);
    } else {
        quadrille__v1__session_info__init(&row->session);
        set_session_info(&row->session, &body->list->as.session_list.sessions[i], NULL);
    }
}

static size_t size_server_body(const server_body *body)
{
    if (body->field == 0) {
        return 0;
    }
    size_t size = protobuf_c_message_get_packed_size(&body->as.message);
    for (size_t i = 0; i < row_count(body); i++) {
        list_row row;

        set_row(&row, body, i);
        size_t row_size = protobuf_c_message_get_packed_size(&row.message);
        size += 1 + qd_frame_prefix_size((uint32_t)row_size) + row_size;
    }
    return size;
}

static void pack_server_body(const server_body *body, uint8_t *bytes)
{
    for (size_t i = 0; i < row_count(body); i++) {
        list_row row;

        set_row(&row, body, i);
        *bytes++ = ROWS_TAG;
        bytes += qd_frame_prefix_write((uint32_t)protobuf_c_message_get_packed_size(&row.message), bytes);
        bytes += protobuf_c_message_pack(&row.message, bytes);
    }
    if (body->field != 0) {
        (void)protobuf_c_message_pack(&body->as.message, bytes);
    }
}

/* ---- frames ---- */

static qd_envelope envelope_of_client(const qd_client_message *message, const client_body *body)
{
    qd_envelope envelope = qd_envelope_of_client(message);

    envelope.field = body->field;
    return envelope;
}

static qd_envelope envelope_of_server(const qd_server_message *message, const server_body *body)
{
    return (qd_envelope){.seq = message->seq, .field = body->field};
}

size_t qd_client_size_generic(const qd_client_message *message)
{
    client_body body;

    set_client_body(&body, message);
    return qd_envelope_size(envelope_of_client(message, &body), size_client_body(&body));
}

size_t qd_server_size_generic(const qd_server_message *message)
{
    server_body body;

    set_server_body(&body, message);
    return qd_envelope_size(envelope_of_server(message, &body), size_server_body(&body));
}

void qd_encode_client_generic(const qd_client_message *message, uint8_t *bytes, size_t size)
{
    client_body body;

    set_client_body(&body, message);
    bytes += qd_envelope_write(envelope_of_client(message, &body), size, bytes);
    if (body.field != 0) {
        (void)protobuf_c_message_pack(&body.as.message, bytes);
    }
}

void qd_encode_server_generic(const qd_server_message *message, uint8_t *bytes, size_t size)
{
    server_body body;

    set_server_body(&body, message);
    pack_server_body(&body, bytes + qd_envelope_write(envelope_of_server(message, &body), size, bytes));
}

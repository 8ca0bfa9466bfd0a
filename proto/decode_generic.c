/* SPDX-License-Identifier: Apache-2.0
 *
 * Decoding, generic path: protobuf-c unpacks the bytes into generated structs in a decode block, and a function
 * expanded from each table of fields.def copies them into the qd_msg_* struct. Columns are not copied: the result
 * points into the block.
 */
#include "generic.h"

#include <stdio.h>
#include <string.h>

#include "codec_internal.h"

/* What the expanded functions share. */
typedef struct reader {
    qd_decode_block *block;
    char *fault; /* describes the column that does not fit; NULL for server messages */
    size_t fault_size;
} reader;

/* The columns that must be as long as `name`. */
typedef struct column_group {
    const char *name;
    size_t count;
} column_group;

#define NEEDED   true
#define OPTIONAL false

static bool fits(reader *r, const column_group *group, const char *name, size_t count, bool is_needed)
{
    if (count == group->count || (count == 0 && !is_needed)) {
        return true;
    }
    snprintf(r->fault, r->fault_size,
             "column %s has %zu values, column %s has %zu; must have equally many. Send one value per entry", name,
             count, group->name, group->count);
    return false;
}

static bool payload_fits(reader *r, const char *name, size_t size, size_t sum)
{
    if (size == sum) {
        return true;
    }
    snprintf(r->fault, r->fault_size,
             "column %s has %zu bytes, column %s_size adds up to %zu; must be equal. Send the sum of the sizes", name,
             size, name, sum);
    return false;
}

/* ---- the rows of fields.def: from `wire` to `message` ---- */

/* Each function takes a zeroed `message` and returns whether it is complete. */
#define MESSAGE(name, Wire, type)                                                                                      \
    static bool get_##name(const Quadrille__V1__##Wire *wire, type *message, reader *r)                                \
    {                                                                                                                  \
        column_group group = {0};                                                                                      \
                                                                                                                       \
        (void)group;                                                                                                   \
        (void)r;
#define END                                                                                                            \
    return true;                                                                                                       \
    }

/* A flag is an int in the generated struct. */
#define SAME_TYPE(a, b) __builtin_types_compatible_p(__typeof__(a), __typeof__(b))
#define NUMBER_AS(field, member)                                                                                       \
    _Static_assert(SAME_TYPE(wire->field, message->member) || SAME_TYPE(message->member, bool), "another type");       \
    message->member = wire->field;
#define NUMBER(field) NUMBER_AS(field, field)
#define NUMBER_IF(field, oneof, tag)                                                                                   \
    if (wire->oneof##_case != 0) {                                                                                     \
        message->has_##field = true;                                                                                   \
        NUMBER(field)                                                                                                  \
    }
#define ENUM(field) message->field = (__typeof__(message->field))wire->field;
#define ENUM_OR(field, fallback)                                                                                       \
    message->field = wire->field != 0 ? (__typeof__(message->field))wire->field : (fallback);
#define TEXT(field) message->field = qd_decode_block_text(r->block, wire->field);
#define TEXTS(field, counter)                                                                                          \
    for (size_t i = 0; i < wire->n_##field; i++) {                                                                     \
        (void)qd_decode_block_text(r->block, wire->field[i]);                                                          \
    }                                                                                                                  \
    message->counter = wire->n_##field;                                                                                \
    message->field = (const char *const *)wire->field;
#define BLOB(field) message->field = (qd_msg_key){wire->field.len, wire->field.data};

#define FIRST(field, member, counter)                                                                                  \
    group = (column_group){#field, wire->n_##field};                                                                   \
    message->counter = (uint32_t)wire->n_##field;                                                                      \
    message->member = wire->field;
#define LIST(field, member, counter, max)                                                                              \
    if (wire->n_##field > (max)) {                                                                                     \
        return false;                                                                                                  \
    }                                                                                                                  \
    FIRST(field, member, counter)
#define COLUMN(field, member, need)                                                                                    \
    if (!fits(r, &group, #field, wire->n_##field, need)) {                                                             \
        return false;                                                                                                  \
    }                                                                                                                  \
    message->member = wire->field;
#define BYTES(field, member, need)                                                                                     \
    if (!fits(r, &group, #field, wire->field.len, need)) {                                                             \
        return false;                                                                                                  \
    }                                                                                                                  \
    message->member = wire->field.data;
#define COUNT(member) message->member = (uint32_t)group.count;
#define PAYLOAD(field, member, sizes)                                                                                  \
    if (!payload_fits(r, #field, wire->field.len, qd_payload_bytes(message->sizes, group.count))) {                    \
        return false;                                                                                                  \
    }                                                                                                                  \
    message->member = wire->field.data;

#define PART(field, part)                                                                                              \
    if (wire->field != NULL && !get_##part(wire->field, &message->field, r)) {                                         \
        return false;                                                                                                  \
    }
#define PART_IF(field, part)                                                                                           \
    message->has_##field = wire->field != NULL;                                                                        \
    PART(field, part)
#define WHERE(field, KIND, part)                                                                                       \
    if (wire->where_case == QUADRILLE__V1__QUERY__WHERE_##KIND) {                                                      \
        message->kind = QD_QUERY_##KIND;                                                                               \
        if (!get_##part(wire->field, &message->where.field, r)) {                                                      \
            return false;                                                                                              \
        }                                                                                                              \
    }
#define ROWS(field, part)                                                                                              \
    qd_msg_##part *rows = wire->n_##field > 0 ? qd_decode_block_take(r->block, wire->n_##field * sizeof *rows) : NULL; \
                                                                                                                       \
    for (size_t i = 0; rows != NULL && i < wire->n_##field; i++) {                                                     \
        rows[i] = (qd_msg_##part){0};                                                                                  \
        (void)get_##part(wire->field[i], &rows[i], r);                                                                 \
    }                                                                                                                  \
    message->count = wire->n_##field;                                                                                  \
    message->field = rows;

#include "fields.def"

/* ---- frames ---- */

#define CLIENT_CASE(KIND, Wire, field, member)                                                                         \
    case QUADRILLE__V1__CLIENT_FRAME__MESSAGE_##KIND:                                                                  \
        message->kind = QD_CLIENT_##KIND;                                                                              \
        return get_##field(frame->field, &message->as.member, r);

static bool get_client_message(const Quadrille__V1__ClientFrame *frame, qd_client_message *message, reader *r)
{
    switch (frame->message_case) {
        CLIENT_MESSAGES(CLIENT_CASE)
    default:
        break;
    }
    return true;
}

#define SERVER_CASE(KIND, Wire, field, member)                                                                         \
    case QUADRILLE__V1__SERVER_FRAME__MESSAGE_##KIND:                                                                  \
        message->kind = QD_SERVER_##KIND;                                                                              \
        return get_##field(frame->field, &message->as.member, r);

static bool get_server_message(const Quadrille__V1__ServerFrame *frame, qd_server_message *message, reader *r)
{
    switch (frame->message_case) {
        SERVER_MESSAGES(SERVER_CASE)
    default:
        break;
    }
    return true;
}

static qd_decode_result result_of(const qd_decode_block *block, bool is_complete)
{
    if (block->exhausted || block->text_broken) {
        return QD_DECODE_MALFORMED;
    }
    return is_complete ? QD_DECODE_OK : QD_DECODE_COLUMNS;
}

static qd_decode_result decode_client(qd_decode_block *block, const void *bytes, size_t size, void *context)
{
    qd_decoded_client *decoded = context;
    qd_client_message *message = &decoded->message;
    reader r = {block, decoded->fault, sizeof decoded->fault};

    *decoded = (qd_decoded_client){0};
    const Quadrille__V1__ClientFrame *frame = (const Quadrille__V1__ClientFrame *)qd_decode_block_unpack(
        block, &quadrille__v1__client_frame__descriptor, bytes, size);
    if (frame == NULL) {
        return QD_DECODE_MALFORMED;
    }
    message->seq = frame->seq;
    message->confirm = frame->confirm;
    bool is_complete = get_client_message(frame, message, &r);
    if (!is_complete) {
        uint64_t room = message->as.room.room;

        memset(&message->as, 0, sizeof message->as);
        message->as.room.room = room;
    }
    return result_of(block, is_complete);
}

static qd_decode_result decode_server(qd_decode_block *block, const void *bytes, size_t size, void *context)
{
    qd_decoded_server *decoded = context;
    qd_server_message *message = &decoded->message;
    reader r = {block, NULL, 0};

    *decoded = (qd_decoded_server){0};
    const Quadrille__V1__ServerFrame *frame = (const Quadrille__V1__ServerFrame *)qd_decode_block_unpack(
        block, &quadrille__v1__server_frame__descriptor, bytes, size);
    if (frame == NULL) {
        return QD_DECODE_MALFORMED;
    }
    message->seq = frame->seq;
    return result_of(block, get_server_message(frame, message, &r));
}

qd_decode_result qd_decode_client_generic(const void *bytes, size_t size, const qd_codec_memory *memory,
                                          qd_decoded_client *decoded)
{
    qd_decode_block block;

    *decoded = (qd_decoded_client){0};
    qd_decode_result result =
        qd_decode_in_block(decode_client, bytes, size, QD_DECODE_BYTES_MAX(size), memory, &block, decoded);
    decoded->memory = block.bytes;
    decoded->memory_size = block.size;
    return result;
}

qd_decode_result qd_decode_server_generic(const void *bytes, size_t size, const qd_codec_memory *memory,
                                          qd_decoded_server *decoded)
{
    qd_decode_block block;

    *decoded = (qd_decoded_server){0};
    qd_decode_result result =
        qd_decode_in_block(decode_server, bytes, size, QD_DECODE_SERVER_BYTES_MAX(size), memory, &block, decoded);
    decoded->memory = block.bytes;
    decoded->memory_size = block.size;
    return result;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "decode_fast.h"

#include <string.h>

#include "codec_internal.h"

#define ALIGNMENT 16u

/* The longest varints that the fast path reads. A longer one may still be valid. */
#define VARINT32_BYTES_MAX 5u
#define VARINT64_BYTES_MAX 9u

typedef struct cursor {
    const uint8_t *at, *end;
    bool is_unusual; /* the generic path has to decode the frame */
} cursor;

typedef struct column {
    const uint8_t *bytes; /* NULL: absent */
    size_t size;
} column;

static uint64_t take_varint(cursor *c, uint32_t bytes_max)
{
    uint64_t value = 0;

    for (uint32_t i = 0; i < bytes_max && c->at < c->end; i++) {
        uint8_t byte = *c->at++;

        value |= (uint64_t)(byte & 0x7f) << 7 * i;
        if (byte < 0x80) {
            return value;
        }
    }
    c->is_unusual = true;
    return 0;
}

/* Skips the tag if it is next. Fields ascend, so a tag that is not next is absent. All tags here have one byte. */
static bool take_tag(cursor *c, uint8_t tag)
{
    bool is_next = c->at < c->end && *c->at == tag;

    c->at += is_next;
    return is_next;
}

static uint32_t take_uint32(cursor *c, uint32_t field)
{
    if (!take_tag(c, (uint8_t)QD_TAG_VARINT(field))) {
        return 0;
    }
    uint64_t value = take_varint(c, VARINT32_BYTES_MAX);
    c->is_unusual |= value > UINT32_MAX;
    return (uint32_t)value;
}

static uint64_t take_uint64(cursor *c, uint32_t field)
{
    return take_tag(c, (uint8_t)QD_TAG_VARINT(field)) ? take_varint(c, VARINT64_BYTES_MAX) : 0;
}

static size_t take_length(cursor *c)
{
    uint64_t size = take_varint(c, VARINT32_BYTES_MAX);

    c->is_unusual |= size > (uint64_t)(c->end - c->at);
    return c->is_unusual ? 0 : (size_t)size;
}

static column take_column(cursor *c, uint32_t field)
{
    if (!take_tag(c, (uint8_t)QD_TAG_LENGTH(field))) {
        return (column){0};
    }
    column taken = {.size = take_length(c)};
    taken.bytes = c->at;
    c->at += taken.size;
    c->is_unusual |= taken.size == 0 || taken.size % 4 != 0;
    return taken;
}

static size_t stride_of(const column *taken)
{
    return (taken->size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Copies the columns into one block, each aligned; an absent one is NULL. Returns false when memory runs out. */
static bool keep(const column *columns, const void **kept, uint32_t count, const qd_codec_memory *memory,
                 qd_decoded_client *decoded)
{
    size_t used = 0;

    for (uint32_t i = 0; i < count; i++) {
        used += stride_of(&columns[i]);
    }
    memory = qd_codec_memory_or_malloc(memory);
    uint8_t *block = memory->alloc(memory->context, used);
    if (!block) {
        return false;
    }
    decoded->memory = block;
    decoded->memory_size = used;
    for (uint32_t i = 0; i < count; i++) {
        kept[i] = NULL;
        if (columns[i].bytes != NULL) {
            memcpy(block, columns[i].bytes, columns[i].size);
            kept[i] = block;
            block += stride_of(&columns[i]);
        }
    }
    return true;
}

uint64_t qd_client_frame_seq(const void *bytes, size_t size)
{
    cursor c = {.at = bytes, .end = (const uint8_t *)bytes + size};
    uint64_t seq = take_uint64(&c, 1);

    return c.is_unusual ? 0 : seq;
}

/* Whether all columns have one length. Only the last one may be absent. */
static bool fit(const column *columns, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        bool is_optional = i + 1 == count;

        if (columns[i].bytes == NULL ? !is_optional : columns[i].size != columns[0].size) {
            return false;
        }
    }
    return true;
}

/* Id, x, y, and z or none. */
static bool take_move(cursor *c, uint64_t *room, column columns[4])
{
    *room = take_uint64(c, 1);
    for (uint32_t i = 0; i < 4; i++) {
        columns[i] = take_column(c, 2 + i);
    }
    return !c->is_unusual && c->at == c->end && fit(columns, 4);
}

static bool decode_move(cursor *c, const qd_codec_memory *memory, qd_decoded_client *decoded, qd_decode_result *result)
{
    uint64_t room;
    column columns[4];
    const void *kept[4] = {0};

    if (!take_move(c, &room, columns)) {
        return false;
    }
    *result = keep(columns, kept, 4, memory, decoded) ? QD_DECODE_OK : QD_DECODE_NO_MEMORY;
    decoded->message.kind = QD_CLIENT_MOVE;
    decoded->message.as.batch = (qd_msg_batch){
        .room = room,
        .entities = {.count = (uint32_t)(columns[0].size / 4), .id = kept[0], .x = kept[1], .y = kept[2], .z = kept[3]},
    };
    return true;
}

static bool decode_move_roster(cursor *c, const qd_codec_memory *memory, qd_decoded_client *decoded,
                               qd_decode_result *result)
{
    qd_msg_move_roster move = {.room = take_uint64(c, 1)};

    move.roster = take_uint32(c, 2);
    move.first = take_uint32(c, 3);
    column columns[3];
    const void *kept[3] = {0};
    for (uint32_t i = 0; i < 3; i++) {
        columns[i] = take_column(c, 4 + i);
    }
    if (c->is_unusual || c->at != c->end || !fit(columns, 3)) {
        return false;
    }
    *result = keep(columns, kept, 3, memory, decoded) ? QD_DECODE_OK : QD_DECODE_NO_MEMORY;
    move.count = (uint32_t)(columns[0].size / 4);
    move.x = kept[0];
    move.y = kept[1];
    move.z = kept[2];
    decoded->message.kind = QD_CLIENT_MOVE_ROSTER;
    decoded->message.as.move_roster = move;
    return true;
}

/* Whether the column has so many values of 4 bytes; an optional one may be absent. */
static bool has(const column *taken, size_t count, bool is_optional)
{
    return taken->bytes == NULL ? is_optional : taken->size == count * 4;
}

static bool decode_move_rooms(cursor *c, const qd_codec_memory *memory, qd_decoded_client *decoded,
                              qd_decode_result *result)
{
    enum { ROOM, COUNT, ID, X, Y, Z, ROSTER, FIRST, COLUMNS };
    column columns[COLUMNS];
    const void *kept[COLUMNS];

    for (uint32_t i = 0; i < COLUMNS; i++) {
        columns[i] = take_column(c, 1 + i);
    }
    const size_t parts = columns[ROOM].size / 8, positions = columns[X].size / 4;
    if (c->is_unusual || c->at != c->end || columns[ROOM].size != parts * 8 || parts == 0 || positions == 0 ||
        !has(&columns[COUNT], parts, false) || !has(&columns[ROSTER], parts, true) ||
        !has(&columns[FIRST], parts, true) || !has(&columns[ID], positions, true) ||
        !has(&columns[Y], positions, false) || !has(&columns[Z], positions, true)) {
        return false;
    }
    *result = keep(columns, kept, COLUMNS, memory, decoded) ? QD_DECODE_OK : QD_DECODE_NO_MEMORY;
    decoded->message.kind = QD_CLIENT_MOVE_ROOMS;
    if (*result == QD_DECODE_OK) {
        decoded->message.as.move_rooms = (qd_msg_move_rooms){.part_count = (uint32_t)parts,
                                                             .part_room = kept[ROOM],
                                                             .part_size = kept[COUNT],
                                                             .part_roster = kept[ROSTER],
                                                             .part_first = kept[FIRST],
                                                             .count = (uint32_t)positions,
                                                             .id = kept[ID],
                                                             .x = kept[X],
                                                             .y = kept[Y],
                                                             .z = kept[Z]};
    }
    return true;
}

static bool decode_step(cursor *c, qd_decoded_client *decoded, qd_decode_result *result)
{
    qd_msg_step step = {.room = take_uint64(c, 1)};

    step.tick = take_uint64(c, 2);
    if (c->is_unusual || c->at != c->end) {
        return false;
    }
    *result = QD_DECODE_OK;
    decoded->message.kind = QD_CLIENT_STEP;
    decoded->message.as.step = step;
    return true;
}

/* Columns lie in memory as they are sent only on a little-endian machine. */
static bool can_read(size_t size)
{
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && size <= INT32_MAX;
}

bool qd_read_move_frame(const void *bytes, size_t size, qd_move_frame *move)
{
    cursor c = {.at = bytes, .end = (const uint8_t *)bytes + size};
    column columns[4];

    move->seq = take_uint64(&c, 1);
    if (!can_read(size) || take_varint(&c, VARINT32_BYTES_MAX) != QD_TAG_LENGTH(QD_CLIENT_MOVE + 1u) ||
        take_length(&c) != (size_t)(c.end - c.at) || !take_move(&c, &move->room, columns)) {
        return false;
    }
    move->count = (uint32_t)(columns[0].size / 4);
    move->id = columns[0].bytes;
    move->x = columns[1].bytes;
    move->y = columns[2].bytes;
    move->z = columns[3].bytes;
    return true;
}

bool qd_decode_client_fast(const void *bytes, size_t size, const qd_codec_memory *memory, qd_decoded_client *decoded,
                           qd_decode_result *result)
{
    if (!can_read(size)) {
        return false;
    }
    cursor c = {.at = bytes, .end = (const uint8_t *)bytes + size};
    *decoded = (qd_decoded_client){0};
    decoded->message.seq = take_uint64(&c, 1);
    const bool is_early =
        (size_t)(c.end - c.at) >= QD_CONFIRM_SIZE && memcmp(c.at, QD_CONFIRM_BYTES, QD_CONFIRM_SIZE) == 0;
    c.at += is_early ? QD_CONFIRM_SIZE : 0;
    decoded->message.confirm = is_early;
    uint64_t tag = take_varint(&c, VARINT32_BYTES_MAX);
    c.is_unusual |= is_early && tag <= QD_TAG_LENGTH(QD_CONFIRM_FIELD);
    size_t body_size = take_length(&c);
    if (body_size + QD_CONFIRM_SIZE == (size_t)(c.end - c.at)) {
        c.end -= QD_CONFIRM_SIZE;
        decoded->message.confirm = true;
        c.is_unusual |= memcmp(c.end, QD_CONFIRM_BYTES, QD_CONFIRM_SIZE) != 0;
    }
    if (c.is_unusual || body_size != (size_t)(c.end - c.at)) {
        return false;
    }
    switch (tag) {
    case QD_TAG_LENGTH(QD_CLIENT_MOVE + 1u):
        return decode_move(&c, memory, decoded, result);
    case QD_TAG_LENGTH(QD_CLIENT_MOVE_ROSTER + 1u):
        return decode_move_roster(&c, memory, decoded, result);
    case QD_TAG_LENGTH(QUADRILLE__V1__CLIENT_FRAME__MESSAGE_MOVE_ROOMS):
        return decode_move_rooms(&c, memory, decoded, result);
    case QD_TAG_LENGTH(QD_CLIENT_STEP + 1u):
        return decode_step(&c, decoded, result);
    default:
        return false;
    }
}

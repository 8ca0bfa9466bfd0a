/* SPDX-License-Identifier: Apache-2.0 */
#include "encode_fast.h"

#include <string.h>

#include "codec_internal.h"

/* Writes, or only counts while `at` is NULL. Fields that are 0 or empty are omitted. */
typedef struct pen {
    uint8_t *at;
    size_t size;
} pen;

static void put_varint(pen *p, uint64_t value)
{
    do {
        uint8_t byte = value & 0x7f;

        value >>= 7;
        if (p->at) {
            *p->at++ = (uint8_t)(byte | (value != 0 ? 0x80 : 0));
        }
        p->size++;
    } while (value != 0);
}

static void put_number(pen *p, uint32_t field, uint64_t value)
{
    if (value != 0) {
        put_varint(p, QD_TAG_VARINT(field));
        put_varint(p, value);
    }
}

/* A number with presence, as sint32. */
static void put_signed_if(pen *p, uint32_t field, bool is_present, int32_t value)
{
    if (is_present || value != 0) {
        put_varint(p, QD_TAG_VARINT(field));
        put_varint(p, (uint32_t)value << 1 ^ (uint32_t)(value >> 31));
    }
}

static void put_column(pen *p, uint32_t field, const void *values, size_t size)
{
    if (values == NULL || size == 0) {
        return;
    }
    put_varint(p, QD_TAG_LENGTH(field));
    put_varint(p, size);
    if (p->at) {
        memcpy(p->at, values, size);
        p->at += size;
    }
    p->size += size;
}

/* The ids of pairs, as two columns. */
static void put_pairs(pen *p, uint32_t field, const qd_msg_pairs *pairs)
{
    put_column(p, field, pairs->a, pairs->count * sizeof *pairs->a);
    put_column(p, field + 1, pairs->b, pairs->count * sizeof *pairs->b);
}

static void put_points(pen *p, uint32_t field, uint32_t count, const float *x, const float *y, const float *z)
{
    put_column(p, field, x, count * sizeof *x);
    put_column(p, field + 1, y, count * sizeof *y);
    put_column(p, field + 2, z, count * sizeof *z);
}

/* ---- messages ---- */

static void put_move(pen *p, const void *message)
{
    const qd_msg_batch *move = message;
    const qd_msg_entities *entities = &move->entities;

    put_number(p, 1, move->room);
    put_column(p, 2, entities->id, entities->count * sizeof *entities->id);
    put_points(p, 3, entities->count, entities->x, entities->y, entities->z);
}

static void put_move_roster(pen *p, const void *message)
{
    const qd_msg_move_roster *move = message;

    put_number(p, 1, move->room);
    put_number(p, 2, move->roster);
    put_number(p, 3, move->first);
    put_points(p, 4, move->count, move->x, move->y, move->z);
}

static void put_step(pen *p, const void *message)
{
    const qd_msg_step *step = message;

    put_number(p, 1, step->room);
    put_number(p, 2, step->tick);
}

static void put_tick(pen *p, const void *message)
{
    const qd_msg_tick *tick = message;

    put_number(p, 1, tick->room);
    put_number(p, 2, tick->tick);
    put_number(p, 3, tick->reset);
    put_number(p, 4, tick->last);
    put_number(p, 5, tick->skipped);
    put_number(p, 6, tick->suspended);
    put_number(p, 7, tick->suspended_count);
    put_pairs(p, 8, &tick->ends);
    put_column(p, 10, tick->end_reason, tick->ends.count);
    put_pairs(p, 11, &tick->begins);
    put_pairs(p, 13, &tick->stays);
    put_pairs(p, 15, &tick->passed);
    put_number(p, 17, tick->merged_ticks);
    put_number(p, 18, tick->passed_lost);
    put_number(p, 19, (uint64_t)(int32_t)tick->suspended_reason); /* as protobuf writes enums */
}

static void put_applied(pen *p, const void *message)
{
    const qd_msg_applied *applied = message;

    put_number(p, 1, applied->room);
    put_number(p, 2, applied->tick);
    put_number(p, 3, applied->seq);
    put_column(p, 4, applied->late, applied->late_listed * sizeof *applied->late);
    put_number(p, 5, applied->late_count);
    put_number(p, 6, applied->pairs_lagging);
    put_number(p, 7, applied->views_lagging);
}

static void put_enters(pen *p, const qd_msg_view *view)
{
    const qd_msg_entities *enter = &view->enter;
    const uint32_t count = view->enter_count;

    put_column(p, 10, view->enter_observer, count * sizeof *view->enter_observer);
    put_column(p, 11, enter->id, count * sizeof *enter->id);
    put_points(p, 12, count, enter->x, enter->y, enter->z);
    put_points(p, 15, count, enter->half_x, enter->half_y, enter->half_z);
    put_column(p, 18, enter->radius, count * sizeof *enter->radius);
    put_column(p, 19, enter->shape, count);
    put_column(p, 20, enter->category, count * sizeof *enter->category);
    put_column(p, 21, view->enter_tag, count * sizeof *view->enter_tag);
    put_column(p, 22, view->enter_payload_size, count);
    put_column(p, 23, view->enter_payload, qd_payload_bytes(view->enter_payload_size, count));
}

/* Sessions and observers that began or ceased to see an entity, as three columns. */
static void put_watchers(pen *p, uint32_t field, uint32_t count, const uint32_t *entity, const uint64_t *session,
                         const uint32_t *observer)
{
    put_column(p, field, entity, count * sizeof *entity);
    put_column(p, field + 1, session, count * sizeof *session);
    put_column(p, field + 2, observer, count * sizeof *observer);
}

static void put_view(pen *p, const void *message)
{
    const qd_msg_view *view = message;

    put_number(p, 1, view->room);
    put_number(p, 2, view->tick);
    put_number(p, 3, view->last);
    put_number(p, 4, view->reset);
    put_number(p, 5, view->reset_watchers);
    put_number(p, 6, view->suspended);
    put_column(p, 7, view->leave_observer, view->leave_count * sizeof *view->leave_observer);
    put_column(p, 8, view->leave_id, view->leave_count * sizeof *view->leave_id);
    put_column(p, 9, view->leave_reason, view->leave_count);
    put_enters(p, view);
    put_column(p, 24, view->relay_observer, view->relay_count * sizeof *view->relay_observer);
    put_column(p, 25, view->relay_id, view->relay_count * sizeof *view->relay_id);
    put_points(p, 26, view->relay_count, view->relay_x, view->relay_y, view->relay_z);
    put_watchers(p, 29, view->watcher_leave_count, view->watcher_leave_entity, view->watcher_leave_session,
                 view->watcher_leave_observer);
    put_watchers(p, 32, view->watcher_enter_count, view->watcher_enter_entity, view->watcher_enter_session,
                 view->watcher_enter_observer);
    put_number(p, 35, view->merged_ticks);
    put_points(p, 36, view->enter_count, view->enter.axis_x, view->enter.axis_y, view->enter.axis_z);
    put_number(p, 39, (uint64_t)(int32_t)view->suspended_reason);
    put_column(p, 40, view->enter_slot, view->enter_count * sizeof *view->enter_slot);
    put_signed_if(p, 41, view->has_relay_k, view->relay_k);
    put_column(p, 42, view->relay.bytes, view->relay.size);
    put_column(p, 43, view->exact_slot, view->exact_count * sizeof *view->exact_slot);
    put_points(p, 44, view->exact_count, view->exact_x, view->exact_y, view->exact_z);
}

/* ---- frames ---- */

/* How to write a message; `put` is NULL if the generic path has to. */
typedef struct fast_kind {
    uint32_t field; /* of the envelope */
    void (*put)(pen *p, const void *message);
} fast_kind;

static fast_kind kind_of_client(const qd_client_message *message)
{
    switch (message->kind) {
    case QD_CLIENT_MOVE:
        return (fast_kind){QUADRILLE__V1__CLIENT_FRAME__MESSAGE_MOVE, put_move};
    case QD_CLIENT_MOVE_ROSTER:
        return (fast_kind){QUADRILLE__V1__CLIENT_FRAME__MESSAGE_MOVE_ROSTER, put_move_roster};
    case QD_CLIENT_STEP:
        return (fast_kind){QUADRILLE__V1__CLIENT_FRAME__MESSAGE_STEP, put_step};
    default:
        return (fast_kind){0};
    }
}

static fast_kind kind_of_server(const qd_server_message *message)
{
    switch (message->kind) {
    case QD_SERVER_TICK:
        return (fast_kind){QUADRILLE__V1__SERVER_FRAME__MESSAGE_TICK, put_tick};
    case QD_SERVER_APPLIED:
        return (fast_kind){QUADRILLE__V1__SERVER_FRAME__MESSAGE_APPLIED, put_applied};
    case QD_SERVER_VIEW:
        return (fast_kind){QUADRILLE__V1__SERVER_FRAME__MESSAGE_VIEW, put_view};
    default:
        return (fast_kind){0};
    }
}

/* Columns lie in memory as they are sent only on a little-endian machine. */
static bool applies(fast_kind kind)
{
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && kind.put != NULL;
}

static size_t size_frame(fast_kind kind, qd_envelope envelope, const void *message)
{
    if (!applies(kind)) {
        return 0;
    }
    pen body = {0};
    kind.put(&body, message);
    envelope.field = kind.field;
    return qd_envelope_size(envelope, body.size);
}

static bool encode_frame(fast_kind kind, qd_envelope envelope, const void *message, uint8_t *bytes, size_t size)
{
    if (!applies(kind)) {
        return false;
    }
    envelope.field = kind.field;
    pen body = {.at = bytes + qd_envelope_write(envelope, size, bytes)};
    kind.put(&body, message);
    return true;
}

size_t qd_client_size_fast(const qd_client_message *message)
{
    return size_frame(kind_of_client(message), qd_envelope_of_client(message), &message->as);
}

size_t qd_server_size_fast(const qd_server_message *message)
{
    return size_frame(kind_of_server(message), (qd_envelope){.seq = message->seq}, &message->as);
}

bool qd_encode_client_fast(const qd_client_message *message, uint8_t *bytes, size_t size)
{
    return encode_frame(kind_of_client(message), qd_envelope_of_client(message), &message->as, bytes, size);
}

bool qd_encode_server_fast(const qd_server_message *message, uint8_t *bytes, size_t size)
{
    return encode_frame(kind_of_server(message), (qd_envelope){.seq = message->seq}, &message->as, bytes, size);
}

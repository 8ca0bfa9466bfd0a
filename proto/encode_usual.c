/* SPDX-License-Identifier: Apache-2.0 */
#include "encode_usual.h"

#include <string.h>

#include "codec_internal.h"

/* Writes, or only counts where it has no place to write to. Fields that are 0 or empty are left out. */
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
        put_varint(p, field << 3);
        put_varint(p, value);
    }
}

static void put_column(pen *p, uint32_t field, const void *values, size_t size)
{
    if (values == NULL || size == 0) {
        return;
    }
    put_varint(p, field << 3 | 2u);
    put_varint(p, size);
    if (p->at) {
        memcpy(p->at, values, size);
        p->at += size;
    }
    p->size += size;
}

/* Ids of pairs, as two columns. */
static void put_pairs(pen *p, uint32_t field, const qd_msg_pairs *pairs)
{
    put_column(p, field, pairs->a, pairs->count * sizeof *pairs->a);
    put_column(p, field + 1, pairs->b, pairs->count * sizeof *pairs->b);
}

static void put_tick(pen *p, const qd_msg_tick *tick)
{
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
}

static void put_applied(pen *p, const qd_msg_applied *applied)
{
    put_number(p, 1, applied->room);
    put_number(p, 2, applied->tick);
    put_number(p, 3, applied->seq);
    put_column(p, 4, applied->late, applied->late_listed * sizeof *applied->late);
    put_number(p, 5, applied->late_count);
}

static void put_body(pen *p, const qd_server_message *message)
{
    if (message->kind == QD_SERVER_TICK) {
        put_tick(p, &message->as.tick);
    } else {
        put_applied(p, &message->as.applied);
    }
}

size_t qd_encode_usual(const qd_server_message *message, uint8_t *bytes)
{
    bool is_tick = message->kind == QD_SERVER_TICK, is_applied = message->kind == QD_SERVER_APPLIED;
    /* Columns are as they are in memory. */
    if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ || (!is_tick && !is_applied)) {
        return 0;
    }
    const uint32_t field =
        is_tick ? QUADRILLE__V1__SERVER_FRAME__MESSAGE_TICK : QUADRILLE__V1__SERVER_FRAME__MESSAGE_APPLIED;
    pen body = {0};
    put_body(&body, message);
    if (bytes != NULL) {
        pen writing = {.at = bytes + qd_envelope_write(message->seq, field, body.size, bytes)};
        put_body(&writing, message);
    }
    return qd_envelope_size(message->seq, field, body.size);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "tally.h"

#include <string.h>

#include "../../base/assert.h"
#include "../../base/bytes/byte_list.h"
#include "../../base/bytes/crc32c.h"
#include "../../base/memory/alloc.h"

#define CAPACITY_MIN 8u

/* The rows and the numbers behind them are one block. */
static size_t size_of(uint32_t capacity)
{
    return capacity * (sizeof(qd_tally_row) + sizeof(uint32_t));
}

static bool grow(qd_tally *tally)
{
    const uint32_t capacity = tally->capacity == 0 ? CAPACITY_MIN : 2 * tally->capacity;
    qd_tally_row *rows = qd_shared_alloc(size_of(capacity));

    if (rows == NULL) {
        return false;
    }
    uint32_t *sent = (uint32_t *)(rows + capacity);
    if (tally->count > 0) {
        memcpy(rows, tally->rows, tally->count * sizeof *rows);
        memcpy(sent, tally->sent, tally->sent_count * sizeof *sent);
    }
    qd_shared_free(tally->rows, size_of(tally->capacity));
    tally->rows = rows;
    tally->sent = sent;
    tally->capacity = capacity;
    return true;
}

static void forget_last(qd_tally *tally)
{
    if (tally->last != NULL) {
        qd_buffer_release(tally->last);
        tally->last = NULL;
    }
}

void qd_tally_deinit(qd_tally *tally)
{
    forget_last(tally);
    qd_shared_free(tally->rows, size_of(tally->capacity));
    *tally = (qd_tally){0};
}

uint32_t qd_tally_take(qd_tally *tally)
{
    uint32_t number = tally->free;

    if (number != 0) {
        tally->free = tally->rows[number - 1].next_free;
    } else if (tally->count < tally->capacity || grow(tally)) {
        number = ++tally->count;
    } else {
        return 0;
    }
    tally->rows[number - 1] = (qd_tally_row){0};
    return number;
}

void qd_tally_give(qd_tally *tally, uint32_t number)
{
    QD_ASSERT(number > 0 && number <= tally->count);
    tally->rows[number - 1] = (qd_tally_row){.next_free = tally->free};
    tally->free = number;
}

/* A frame for many members comes once for each of them, one after the other. */
static uint32_t crc_of(qd_tally *tally, qd_buffer *frame)
{
    if (frame != tally->last) {
        forget_last(tally);
        qd_buffer_acquire(frame);
        tally->last = frame;
        tally->last_crc = qd_crc32c(0, frame->bytes, frame->size);
    }
    return tally->last_crc;
}

void qd_tally_add(qd_tally *tally, uint32_t number, qd_buffer *const *frames, size_t count)
{
    QD_ASSERT(number > 0 && number <= tally->count);
    qd_tally_row *row = &tally->rows[number - 1];

    if (row->frames == 0 && count > 0) {
        tally->sent[tally->sent_count++] = number;
    }
    for (size_t i = 0; i < count; i++) {
        uint8_t crc[4];

        qd_bytes_write_u32(crc, crc_of(tally, frames[i]));
        row->crc = qd_crc32c(row->crc, crc, sizeof crc);
        row->bytes += frames[i]->size;
        row->frames++;
    }
}

void qd_tally_clear(qd_tally *tally)
{
    for (uint32_t i = 0; i < tally->sent_count; i++) {
        qd_tally_row *row = &tally->rows[tally->sent[i] - 1];

        *row = (qd_tally_row){.next_free = row->next_free};
    }
    tally->sent_count = 0;
    forget_last(tally);
}

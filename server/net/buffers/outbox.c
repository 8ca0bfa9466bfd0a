/* SPDX-License-Identifier: Apache-2.0 */
#include "outbox.h"

#include "../../base/assert.h"
#include "../../base/memory/alloc.h"

/* A longer ring, which only a burst needs, is freed when the outbox is empty. */
#define ENTRIES_KEPT_MAX 256u

void qd_outbox_init(qd_outbox *outbox, size_t bytes_max)
{
    *outbox = (qd_outbox){.bytes_max = bytes_max, .ring = outbox->first, .capacity = QD_OUTBOX_ENTRIES_MIN};
}

static void free_ring(qd_outbox *outbox)
{
    if (outbox->ring != outbox->first) {
        qd_shared_free(outbox->ring, outbox->capacity * sizeof *outbox->ring);
    }
    outbox->ring = outbox->first;
    outbox->capacity = QD_OUTBOX_ENTRIES_MIN;
    outbox->head = 0;
}

/* What counts towards the limit: the bytes, plus a constant per buffer. */
static size_t counted(const qd_outbox *outbox)
{
    return qd_outbox_bytes(outbox) + (size_t)outbox->count * QD_LINK_BUFFER_BYTES;
}

/* Relaxed, here and in update_stalled: both are written under the lock only, and publish nothing. */
static void set_bytes(qd_outbox *outbox, size_t bytes)
{
    atomic_store_explicit(&outbox->bytes, bytes, memory_order_relaxed);
}

static void update_stalled(qd_outbox *outbox)
{
    bool stalled = counted(outbox) > outbox->bytes_max && outbox->replies_counted > QD_LINK_REPLY_MARGIN_BYTES;

    atomic_store_explicit(&outbox->stalled, stalled, memory_order_relaxed);
}

void qd_outbox_deinit(qd_outbox *outbox)
{
    for (uint32_t i = 0; i < outbox->count; i++) {
        qd_buffer_release(outbox->ring[(outbox->head + i) & (outbox->capacity - 1)].buffer);
    }
    free_ring(outbox);
    outbox->count = 0;
    outbox->head_consumed = 0;
    outbox->replies_counted = 0;
    set_bytes(outbox, 0);
    update_stalled(outbox);
}

/* Returns false if there is no memory for `count` more entries. */
static bool reserve(qd_outbox *outbox, size_t count)
{
    uint32_t capacity = outbox->capacity;

    if (count > UINT32_MAX / 4 - outbox->count) {
        return false;
    }
    while (capacity < outbox->count + count) {
        capacity *= 2;
    }
    if (capacity == outbox->capacity) {
        return true;
    }

    qd_outbox_entry *ring = qd_shared_alloc(capacity * sizeof *ring);
    if (!ring) {
        return false;
    }
    uint32_t entries = outbox->count;
    for (uint32_t i = 0; i < entries; i++) {
        ring[i] = outbox->ring[(outbox->head + i) & (outbox->capacity - 1)];
    }
    free_ring(outbox);
    outbox->ring = ring;
    outbox->capacity = capacity;
    return true;
}

qd_outbox_pushed qd_outbox_push(qd_outbox *outbox, qd_buffer *const *buffers, size_t count, qd_link_class class)
{
    size_t bytes = 0;

    for (size_t i = 0; i < count; i++) {
        QD_ASSERT(buffers[i]->size > 0);
        bytes += buffers[i]->size;
    }
    size_t cost = bytes + count * QD_LINK_BUFFER_BYTES;
    if (class == QD_LINK_EVENTS && outbox->count > 0 && counted(outbox) + cost > outbox->bytes_max) {
        outbox->events_refused = true;
        return QD_OUTBOX_FULL;
    }
    if (class == QD_LINK_REPLY && outbox->replies_counted > outbox->bytes_max + QD_LINK_REPLY_MARGIN_BYTES) {
        return QD_OUTBOX_OVERRUN;
    }
    if (!reserve(outbox, count)) {
        return QD_OUTBOX_NO_MEMORY;
    }

    for (size_t i = 0; i < count; i++) {
        qd_buffer_acquire(buffers[i]);
        uint32_t slot = (outbox->head + outbox->count) & (outbox->capacity - 1);
        outbox->ring[slot] = (qd_outbox_entry){.buffer = buffers[i], .class = class};
        outbox->count++;
    }
    set_bytes(outbox, qd_outbox_bytes(outbox) + bytes);
    if (class == QD_LINK_REPLY) {
        outbox->replies_counted += cost;
    }
    update_stalled(outbox);
    return QD_OUTBOX_PUSHED;
}

uint32_t qd_outbox_gather(const qd_outbox *outbox, size_t bytes_max, uv_buf_t vectors[QD_OUTBOX_VECTORS_MAX])
{
    const uint32_t end = outbox->count < QD_OUTBOX_VECTORS_MAX ? outbox->count : QD_OUTBOX_VECTORS_MAX;
    size_t skip = outbox->head_consumed;
    uint32_t count = 0;

    while (count < end && bytes_max > 0) {
        const qd_buffer *buffer = outbox->ring[(outbox->head + count) & (outbox->capacity - 1)].buffer;
        const size_t left = buffer->size - skip, part = left < bytes_max ? left : bytes_max;

        vectors[count++] = (uv_buf_t){.base = (char *)buffer->bytes + skip, .len = part};
        bytes_max -= part;
        skip = 0;
    }
    return count;
}

bool qd_outbox_consume(qd_outbox *outbox, size_t bytes, qd_outbox_freed *freed)
{
    QD_ASSERT(bytes <= qd_outbox_bytes(outbox));
    set_bytes(outbox, qd_outbox_bytes(outbox) - bytes);
    freed->count = 0;
    while (bytes > 0) {
        qd_outbox_entry *first = &outbox->ring[outbox->head];
        size_t left = first->buffer->size - outbox->head_consumed;
        bool whole = left <= bytes;
        size_t part = whole ? left : bytes;

        if (first->class == QD_LINK_REPLY) {
            outbox->replies_counted -= part + (whole ? QD_LINK_BUFFER_BYTES : 0);
        }
        bytes -= part;
        if (!whole) {
            outbox->head_consumed += part;
            break;
        }
        QD_ASSERT(freed->count < QD_OUTBOX_VECTORS_MAX);
        freed->buffers[freed->count++] = first->buffer;
        outbox->head = (outbox->head + 1) & (outbox->capacity - 1);
        outbox->head_consumed = 0;
        outbox->count--;
    }
    if (outbox->count == 0 && outbox->capacity > ENTRIES_KEPT_MAX) {
        free_ring(outbox);
    }
    update_stalled(outbox);

    bool has_space = outbox->events_refused && (outbox->count == 0 || counted(outbox) < outbox->bytes_max / 2);
    if (has_space) {
        outbox->events_refused = false;
    }
    return has_space;
}

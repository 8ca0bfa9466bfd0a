/* SPDX-License-Identifier: Apache-2.0 */
#include "relay_stream.h"

#include <string.h>

#include "../../../proto/relay/writer.h"
#include "../../base/assert.h"
#include "../../base/memory/map.h"
#include "relay_slots.h"

#define AXES           3u
#define REFS_SHIFT     32
#define CAPACITY_LEAST 64u

struct qd_relay_stream {
    qd_heap *heap;
    qd_relay_slots slots;
    qd_map entities; /* id -> the number of views that have it, above its slot */
    uint32_t phases;
    bool is_exact;
    bool is_behind; /* some are due since an earlier tick */

    /* Columns by slot, in one block. */
    uint32_t capacity;
    qd_relay_state state; /* its columns are unused if exact */
    float *at[AXES];      /* the position when it was due last; NULL beyond the axes */
    uint32_t *id;
    uint16_t *due;      /* one bit per slot */
    uint32_t due_words; /* none is due in words behind these */

    /* One part. */
    uint32_t *exact;
    float *exact_at[AXES];
    uint8_t *buffer;

    /* This tick. */
    uint32_t next;    /* goes on from this slot to the end of the slots, */
    bool has_wrapped; /* and once more from the first one */
    size_t bytes_left;
};

/* ---- memory ---- */

/* The columns for so many slots. Without memory, only counts the bytes. */
static size_t cut(qd_relay_stream *stream, uint32_t capacity, char *memory)
{
    const size_t column = (size_t)capacity * 4;
    size_t bytes = 0;

#define CUT(pointer, size)                                                                                             \
    ((pointer) = memory != NULL ? (void *)(memory + bytes) : NULL, bytes += ((size) + 15) / 16 * 16)
    for (unsigned axis = 0; axis < stream->state.axes; axis++) {
        CUT(stream->at[axis], column);
        CUT(stream->exact_at[axis], column);
        if (!stream->is_exact) {
            CUT(stream->state.at[axis], column);
            CUT(stream->state.last[axis], column);
        }
    }
    CUT(stream->id, column);
    CUT(stream->exact, column);
    CUT(stream->due, capacity / 8);
    CUT(stream->buffer, stream->is_exact ? 0 : qd_relay_buffer_size(stream->state.axes, capacity));
#undef CUT
    return bytes;
}

static void *memory_of(const qd_relay_stream *stream)
{
    return stream->at[0];
}

static void release(qd_relay_stream *stream)
{
    qd_relay_stream sizes = *stream;

    if (stream->capacity > 0) {
        qd_heap_free(stream->heap, memory_of(stream), cut(&sizes, stream->capacity, NULL));
    }
    stream->capacity = 0;
}

static void copy_columns(qd_relay_stream *to, const qd_relay_stream *from)
{
    const size_t column = (size_t)from->capacity * 4;

    for (unsigned axis = 0; axis < from->state.axes; axis++) {
        memcpy(to->at[axis], from->at[axis], column);
        if (!from->is_exact) {
            memcpy(to->state.at[axis], from->state.at[axis], column);
            memcpy(to->state.last[axis], from->state.last[axis], column);
        }
    }
    memcpy(to->id, from->id, column);
    memcpy(to->due, from->due, from->capacity / 8);
}

static bool reserve(qd_relay_stream *stream, uint32_t count)
{
    qd_relay_stream grown = *stream;

    if (count <= stream->capacity) {
        return true;
    }
    grown.capacity = stream->capacity > 0 ? stream->capacity * 2 : CAPACITY_LEAST;
    QD_ASSERT(count <= grown.capacity && count <= QD_RELAY_SLOTS_MAX);
    const size_t size = cut(&grown, grown.capacity, NULL);
    char *memory = qd_heap_alloc_zeroed(stream->heap, size);
    if (memory == NULL) {
        return false;
    }
    cut(&grown, grown.capacity, memory);
    if (stream->capacity > 0) {
        copy_columns(&grown, stream);
        release(stream);
    }
    *stream = grown;
    return true;
}

qd_relay_stream *qd_relay_stream_create(qd_heap *heap, qd_relay_precision precision, uint64_t salt)
{
    qd_relay_stream *stream = qd_heap_alloc_zeroed(heap, sizeof *stream);

    if (stream == NULL) {
        return NULL;
    }
    stream->heap = heap;
    stream->phases = 1;
    stream->is_exact = precision.is_exact;
    stream->state.axes = precision.axes;
    stream->state.k = precision.k;
    qd_map_init(&stream->entities, heap, salt);
    return stream;
}

void qd_relay_stream_destroy(qd_relay_stream *stream)
{
    if (stream == NULL) {
        return;
    }
    release(stream);
    qd_relay_slots_deinit(&stream->slots, stream->heap);
    qd_map_deinit(&stream->entities);
    qd_heap_free(stream->heap, stream, sizeof *stream);
}

void qd_relay_stream_reset(qd_relay_stream *stream)
{
    const uint64_t salt = stream->entities.salt;

    release(stream);
    qd_relay_slots_clear(&stream->slots);
    qd_map_deinit(&stream->entities);
    qd_map_init(&stream->entities, stream->heap, salt);
    stream->state.count = stream->next = 0;
    stream->due_words = 0;
    stream->is_behind = false;
}

qd_relay_precision qd_relay_stream_precision(const qd_relay_stream *stream)
{
    return (qd_relay_precision){stream->state.axes, stream->is_exact, stream->state.k};
}

void qd_relay_stream_every(qd_relay_stream *stream, uint32_t every)
{
    stream->phases = qd_relay_phases(every);
}

/* ---- entities ---- */

static bool slot_of(const qd_relay_stream *stream, uint32_t id, uint32_t *slot, uint32_t *refs)
{
    uint64_t value;

    if (!qd_map_get(&stream->entities, id, &value)) {
        return false;
    }
    *slot = (uint32_t)value;
    *refs = (uint32_t)(value >> REFS_SHIFT);
    return true;
}

static bool set_refs(qd_relay_stream *stream, uint32_t id, uint32_t slot, uint32_t refs)
{
    return qd_map_put(&stream->entities, id, (uint64_t)refs << REFS_SHIFT | slot) == QD_OK;
}

static uint16_t bit_of(uint32_t slot)
{
    return (uint16_t)(1u << slot % QD_RELAY_GROUP);
}

bool qd_relay_stream_enter(qd_relay_stream *stream, uint32_t id, const float *at, uint32_t *slot_and_1)
{
    uint32_t slot, refs;

    *slot_and_1 = 0;
    if (slot_of(stream, id, &slot, &refs)) {
        return set_refs(stream, id, slot, refs + 1);
    }
    slot = qd_relay_slots_take(&stream->slots, stream->heap, id % stream->phases);
    if (slot == QD_RELAY_SLOT_NONE || !reserve(stream, qd_relay_slots_end(&stream->slots)) ||
        !set_refs(stream, id, slot, 1)) {
        return false;
    }
    stream->state.count = qd_relay_slots_end(&stream->slots);
    stream->id[slot] = id;
    for (unsigned axis = 0; axis < stream->state.axes; axis++) {
        stream->at[axis][slot] = at[axis];
    }
    if (!stream->is_exact) {
        qd_relay_start(&stream->state, slot, at);
    }
    *slot_and_1 = slot + 1;
    return true;
}

void qd_relay_stream_leave(qd_relay_stream *stream, uint32_t id)
{
    uint32_t slot, refs;

    if (!slot_of(stream, id, &slot, &refs)) {
        return; /* the stream lost its memory, and a reset follows */
    }
    if (refs > 1) {
        (void)set_refs(stream, id, slot, refs - 1); /* replaces, and needs no memory */
        return;
    }
    qd_map_remove(&stream->entities, id);
    qd_relay_slots_give(&stream->slots, slot);
    stream->due[slot / QD_RELAY_GROUP] &= (uint16_t)~bit_of(slot);
}

void qd_relay_stream_due(qd_relay_stream *stream, uint32_t id, const float *at)
{
    uint32_t slot, refs;
    bool has_moved = false;

    if (!slot_of(stream, id, &slot, &refs)) {
        return;
    }
    for (unsigned axis = 0; axis < stream->state.axes; axis++) {
        has_moved |= stream->at[axis][slot] != at[axis];
        stream->at[axis][slot] = at[axis];
    }
    if (has_moved) {
        stream->due[slot / QD_RELAY_GROUP] |= bit_of(slot);
        stream->due_words = slot / QD_RELAY_GROUP < stream->due_words ? stream->due_words : slot / QD_RELAY_GROUP + 1;
    }
}

/* ---- writing ---- */

static bool is_due(const qd_relay_stream *stream)
{
    for (uint32_t word = 0; word < stream->due_words; word++) {
        if (stream->due[word] != 0) {
            return true;
        }
    }
    return false;
}

static void refresh(qd_relay_stream *stream, const qd_relay_places *places)
{
    for (uint32_t word = 0; word < stream->due_words; word++) {
        for (uint32_t bits = stream->due[word]; bits != 0; bits &= bits - 1) {
            const uint32_t slot = word * QD_RELAY_GROUP + (uint32_t)__builtin_ctz(bits);
            float at[AXES] = {0};

            places->at(places->context, stream->id[slot], at);
            for (unsigned axis = 0; axis < stream->state.axes; axis++) {
                stream->at[axis][slot] = at[axis];
            }
        }
    }
}

void qd_relay_stream_begin(qd_relay_stream *stream, size_t bytes_max, const qd_relay_places *places)
{
    if (stream->is_behind) {
        refresh(stream, places);
    }
    stream->next = stream->next < stream->state.count ? stream->next : 0;
    stream->has_wrapped = stream->next == 0;
    stream->bytes_left = bytes_max;
}

/* Takes exact entries from `next` on. */
static size_t take_exact(qd_relay_stream *stream, size_t bytes_max, qd_relay_part *part)
{
    const size_t each = qd_relay_exact_bytes(stream->state.axes);
    size_t bytes = 0;

    for (; stream->next < stream->state.count && bytes + each <= bytes_max; stream->next++) {
        uint16_t *word = &stream->due[stream->next / QD_RELAY_GROUP];

        if (*word == 0) {
            stream->next |= QD_RELAY_GROUP - 1;
        } else if ((*word & bit_of(stream->next)) != 0) {
            *word &= (uint16_t)~bit_of(stream->next);
            stream->exact[part->exact_count++] = stream->next;
            bytes += each;
        }
    }
    return bytes;
}

static size_t take_blob(qd_relay_stream *stream, size_t bytes_max, qd_relay_part *part)
{
    qd_relay_write write = {.at = {stream->at[0], stream->at[1], stream->at[2]},
                            .due = stream->due,
                            .first = stream->next,
                            .bytes_max = bytes_max,
                            .buffer = stream->buffer,
                            .exact = stream->exact};

    qd_relay_write_blob(&stream->state, &write);
    part->blob = write.sent > 0 ? write.blob : NULL;
    part->blob_size = write.size;
    part->exact_count = write.exact_count;
    stream->next = write.next;
    return write.size + write.exact_count * qd_relay_exact_bytes(stream->state.axes);
}

bool qd_relay_stream_next(qd_relay_stream *stream, size_t space, qd_relay_part *part)
{
    *part = (qd_relay_part){0};
    while (is_due(stream)) {
        if (stream->next >= stream->state.count) {
            if (stream->has_wrapped) {
                break;
            }
            stream->has_wrapped = true;
            stream->next = 0;
        }
        const size_t bytes_max = stream->bytes_left < space ? stream->bytes_left : space;
        const uint32_t from = stream->next;
        const size_t bytes =
            stream->is_exact ? take_exact(stream, bytes_max, part) : take_blob(stream, bytes_max, part);
        stream->bytes_left -= bytes;
        part->bytes = bytes;
        if (bytes > 0) {
            break;
        }
        if (stream->next == from) {
            return false; /* the next one does not fit */
        }
    }
    for (uint32_t i = 0; i < part->exact_count; i++) {
        for (unsigned axis = 0; axis < stream->state.axes; axis++) {
            stream->exact_at[axis][i] = stream->at[axis][stream->exact[i]];
        }
    }
    part->exact_slot = stream->exact;
    for (unsigned axis = 0; axis < stream->state.axes; axis++) {
        part->exact_at[axis] = stream->exact_at[axis];
    }
    return part->blob != NULL || part->exact_count > 0;
}

bool qd_relay_stream_has_more(const qd_relay_stream *stream)
{
    return is_due(stream);
}

bool qd_relay_stream_end(qd_relay_stream *stream)
{
    stream->is_behind = is_due(stream);
    if (!stream->is_behind) {
        stream->next = stream->due_words = 0;
    }
    return stream->is_behind;
}

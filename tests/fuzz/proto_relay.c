/* SPDX-License-Identifier: Apache-2.0
 *
 * Blobs of the relay stream: the reader must agree with a plain one, which takes the bits one by one, on what it refuses
 * and where the slots are. It must read nothing outside of the blob.
 *
 * Two bytes choose the axes and the number of slots. Then come blobs, each behind its length of two bytes.
 */
#include <string.h>

#include "fuzz/fuzz.h"
#include "support/relay_end.h"

/* ---- the plain reader ---- */

typedef struct plain {
    const uint8_t *bytes;
    size_t bit, end; /* in bits */
    int is_refused;
} plain;

static uint32_t take_bits(plain *from, unsigned count)
{
    uint32_t value = 0;

    if (from->end - from->bit < count) {
        from->is_refused = 1;
        return 0;
    }
    for (unsigned i = 0; i < count; i++, from->bit++) {
        value |= (uint32_t)(from->bytes[from->bit / 8] >> from->bit % 8 & 1) << i;
    }
    return value;
}

static uint32_t take_varint(plain *from)
{
    uint64_t value = 0;
    uint32_t byte = 0x80;

    for (unsigned i = 0; i < 5 && byte >= 0x80 && !from->is_refused; i++) {
        byte = take_bits(from, 8);
        value |= (uint64_t)(byte & 0x7f) << 7 * i;
    }
    from->is_refused |= byte >= 0x80 || value > UINT32_MAX;
    return (uint32_t)value;
}

static void add_slot(plain *from, uint64_t slot, uint32_t count, uint32_t *slots, uint32_t *found)
{
    if (slot >= count) {
        from->is_refused = 1;
    } else {
        slots[(*found)++] = (uint32_t)slot;
    }
}

static void take_bitmap(plain *from, uint64_t first, uint32_t size, uint32_t count, uint32_t *slots, uint32_t *found)
{
    for (uint32_t i = 0; i < size && !from->is_refused; i++) {
        for (uint32_t j = 0; j < 8 && !from->is_refused; j++) {
            if (take_bits(from, 1)) {
                add_slot(from, first + 8 * (uint64_t)i + j, count, slots, found);
            }
        }
    }
}

static uint32_t take_slots(plain *from, unsigned kind, uint32_t count, uint32_t *slots)
{
    const uint32_t first = take_varint(from), n = take_varint(from);
    uint32_t found = 0;
    uint64_t at = first;

    if (kind == 1) {
        take_bitmap(from, first, n, count, slots, &found);
        return found;
    }
    from->is_refused |= kind == 0 && first > count;
    for (uint32_t i = 0; i < n && !from->is_refused; i++) {
        if (kind == 3) {
            at += 8 * (uint64_t)take_varint(from);
            const uint32_t size = take_varint(from);
            from->is_refused |= at >= count;
            take_bitmap(from, at, size, count, slots, &found);
            at += 8 * (uint64_t)size;
        } else {
            at += kind == 2 ? take_varint(from) : 0;
            add_slot(from, at++, count, slots, &found);
        }
    }
    return found;
}

static void take_axis(plain *from, qd_relay_state *state, unsigned axis, unsigned width, int is_predicted,
                      const uint32_t *slots, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t value = take_bits(from, width), slot = slots[i];
        uint32_t change = value % 2 ? ~(value / 2) : value / 2;

        change += is_predicted ? (uint32_t)state->last[axis][slot] : 0;
        state->last[axis][slot] = (int32_t)change;
        state->at[axis][slot] = (int32_t)((uint32_t)state->at[axis][slot] + change);
    }
    from->bit = (from->bit + 7) / 8 * 8;
}

static uint32_t read_plainly(qd_relay_state *state, const uint8_t *blob, size_t size, uint32_t *slots)
{
    plain from = {.bytes = blob, .bit = 8, .end = 8 * (size - 4)};

    if (size < 7 || (blob[0] & 0x8f) != 1 || memcmp(blob + size - 4, "\0\0\0", 4) != 0) {
        return QD_RELAY_REFUSED;
    }
    const uint32_t n = take_slots(&from, blob[0] >> 5 & 3, state->count, slots);
    for (uint32_t first = 0; first < n && !from.is_refused; first += 16) {
        const uint32_t codes = take_bits(&from, state->axes == 3 ? 16 : 8), some = n - first < 16 ? n - first : 16;

        from.is_refused |= codes >> 4 * state->axes != 0;
        for (unsigned axis = 0; axis < state->axes && !from.is_refused; axis++) {
            take_axis(&from, state, axis, qd_relay_width[codes >> 4 * axis & 15], blob[0] & 16, slots + first, some);
        }
    }
    return from.is_refused || from.bit != from.end ? QD_RELAY_REFUSED : n;
}

/* ---- both ---- */

/* Returns whether both took the blob. */
static int read_blob(relay_end *one, relay_end *other, const uint8_t *bytes, size_t size)
{
    const size_t columns = one->state.count * sizeof(int32_t);
    uint8_t *copy = malloc(size + !size);

    FUZZ_CHECK(copy);
    memcpy(copy, bytes, size);
    const uint32_t n = qd_relay_read(&one->state, copy, size, one->slots);
    free(copy);
    FUZZ_CHECK(n == read_plainly(&other->state, bytes, size, other->slots));
    if (n == QD_RELAY_REFUSED) {
        return 0;
    }
    FUZZ_CHECK(n <= one->state.count);
    FUZZ_CHECK(memcmp(one->slots, other->slots, n * sizeof one->slots[0]) == 0);
    for (unsigned axis = 0; axis < one->state.axes; axis++) {
        FUZZ_CHECK(memcmp(one->state.at[axis], other->state.at[axis], columns) == 0);
        FUZZ_CHECK(memcmp(one->state.last[axis], other->state.last[axis], columns) == 0);
    }
    return 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size < 2) {
        return 0;
    }
    const unsigned axes = 2 + (bytes[0] & 1);
    const uint32_t count = 1 + (bytes[0] >> 1) + 16u * bytes[1];
    relay_end one = relay_end_new(axes, 0, count), other = relay_end_new(axes, 0, count);
    int is_good = 1;

    for (size_t at = 2; is_good && at + 2 <= size;) {
        const size_t wanted = bytes[at] | (size_t)bytes[at + 1] << 8, left = size - at - 2;
        const size_t some = wanted < left ? wanted : left;

        is_good = read_blob(&one, &other, bytes + at + 2, some);
        at += 2 + some;
    }
    relay_end_free(&one);
    relay_end_free(&other);
    return 0;
}

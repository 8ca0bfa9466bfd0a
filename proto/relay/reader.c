/* SPDX-License-Identifier: Apache-2.0 */
#include "reader.h"

#include <stdbool.h>

#define INLINE static inline __attribute__((always_inline))

/* The bytes between the first one and the zeros. `at` is never behind `end`. */
typedef struct cursor {
    const uint8_t *at, *end;
    bool is_refused;
} cursor;

static uint32_t refuse(cursor *from)
{
    from->is_refused = true;
    return 0;
}

static uint32_t varint(cursor *from)
{
    uint32_t value = 0;

    for (unsigned shift = 0; shift <= 28 && from->at < from->end; shift += 7) {
        const uint8_t byte = *from->at++;

        value |= (uint32_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            return shift == 28 && byte > 0x0f ? refuse(from) : value;
        }
    }
    return refuse(from);
}

/* ---- which slots ---- */

static uint32_t read_run(cursor *from, uint32_t first, uint32_t count, uint32_t *slots)
{
    const uint32_t n = varint(from);

    if (first > count || n > count - first) {
        return refuse(from);
    }
    for (uint32_t i = 0; i < n; i++) {
        slots[i] = first + i;
    }
    return n;
}

/* Reads `size` bytes of bits, of which the first is slot `first`, behind the `found` slots that are known. */
static uint32_t read_bits(cursor *from, uint32_t first, uint32_t size, uint32_t count, uint32_t *slots, uint32_t found)
{
    if (size > (size_t)(from->end - from->at)) {
        return refuse(from);
    }
    for (uint32_t i = 0; i < size; i++) {
        for (uint32_t bits = *from->at++; bits != 0; bits &= bits - 1) {
            const uint64_t slot = (uint64_t)first + 8 * (uint64_t)i + (uint32_t)__builtin_ctz(bits);

            if (slot >= count) {
                return refuse(from);
            }
            slots[found++] = (uint32_t)slot;
        }
    }
    return found;
}

static uint32_t read_gaps(cursor *from, uint32_t first, uint32_t count, uint32_t *slots)
{
    const uint32_t n = varint(from);
    uint64_t slot = first;

    for (uint32_t i = 0; i < n && !from->is_refused; i++, slot++) {
        slot += varint(from);
        if (slot >= count) {
            return refuse(from);
        }
        slots[i] = (uint32_t)slot;
    }
    return n;
}

static uint32_t read_spans(cursor *from, uint32_t first, uint32_t count, uint32_t *slots)
{
    const uint32_t n = varint(from);
    uint32_t found = 0;
    uint64_t at = first;

    for (uint32_t i = 0; i < n && !from->is_refused; i++) {
        at += 8 * (uint64_t)varint(from);
        const uint32_t size = varint(from);
        if (at >= count || from->is_refused) {
            return refuse(from);
        }
        found = read_bits(from, (uint32_t)at, size, count, slots, found);
        at += 8 * (uint64_t)size;
    }
    return found;
}

static uint32_t read_slots(cursor *from, qd_relay_kind kind, uint32_t count, uint32_t *slots)
{
    const uint32_t first = varint(from);

    switch (kind) {
    case QD_RELAY_RUN:
        return read_run(from, first, count, slots);
    case QD_RELAY_BITMAP:
        return read_bits(from, first, varint(from), count, slots, 0);
    case QD_RELAY_GAPS:
        return read_gaps(from, first, count, slots);
    case QD_RELAY_SPANS:
        return read_spans(from, first, count, slots);
    }
    return refuse(from);
}

/* ---- their positions ---- */

INLINE uint32_t load(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* The values of one axis of a group, `width` bits each from `bytes` on. */
INLINE void add_changes(qd_relay_state *state, unsigned axis, const uint8_t *bytes, unsigned width, uint32_t predicted,
                        const uint32_t *slots, uint32_t n)
{
    const uint32_t all = (UINT32_C(1) << width) - 1;
    int32_t *const at = state->at[axis], *const last = state->last[axis];

    for (uint32_t i = 0, bit = 0; i < n; i++, bit += width) {
        const uint32_t value = load(bytes + bit / 8) >> (bit & 7) & all;
        const uint32_t change = (value >> 1 ^ (0 - (value & 1))) + ((uint32_t)last[slots[i]] & predicted);

        last[slots[i]] = (int32_t)change;
        at[slots[i]] = (int32_t)((uint32_t)at[slots[i]] + change);
    }
}

INLINE void read_groups(cursor *from, qd_relay_state *state, unsigned axes, uint32_t predicted, const uint32_t *slots,
                        uint32_t n)
{
    for (uint32_t first = 0; first < n; first += QD_RELAY_GROUP) {
        const uint32_t some = n - first < QD_RELAY_GROUP ? n - first : QD_RELAY_GROUP;
        const size_t header = axes == 3 ? 2 : 1, left = (size_t)(from->end - from->at);
        size_t size[QD_RELAY_AXES], sum = header;
        unsigned width[QD_RELAY_AXES];

        if (left < header || (axes == 3 && from->at[1] > 15)) {
            refuse(from);
            return;
        }
        for (unsigned axis = 0; axis < axes; axis++) {
            width[axis] = qd_relay_width[from->at[axis / 2] >> 4 * (axis & 1) & 15];
            size[axis] = ((size_t)some * width[axis] + 7) / 8;
            sum += size[axis];
        }
        if (left < sum) {
            refuse(from);
            return;
        }
        from->at += header;
        for (unsigned axis = 0; axis < axes; axis++) {
            add_changes(state, axis, from->at, width[axis], predicted, slots + first, some);
            from->at += size[axis];
        }
    }
}

uint32_t qd_relay_read(qd_relay_state *state, const uint8_t *blob, size_t size, uint32_t *slots)
{
    if (size < 3 + QD_RELAY_TAIL || (blob[0] & 15) != QD_RELAY_VERSION || (blob[0] & QD_RELAY_RESERVED) != 0 ||
        load(blob + size - QD_RELAY_TAIL) != 0) {
        return QD_RELAY_REFUSED;
    }
    cursor from = {.at = blob + 1, .end = blob + size - QD_RELAY_TAIL};
    const uint32_t predicted = (blob[0] & QD_RELAY_PREDICTED) != 0 ? UINT32_MAX : 0;
    const uint32_t n = read_slots(&from, (qd_relay_kind)(blob[0] >> QD_RELAY_KIND_SHIFT & 3), state->count, slots);

    if (from.is_refused) {
        return QD_RELAY_REFUSED;
    }
    if (state->axes == 3) {
        read_groups(&from, state, 3, predicted, slots, n);
    } else {
        read_groups(&from, state, 2, predicted, slots, n);
    }
    return from.is_refused || from.at != from.end ? QD_RELAY_REFUSED : n;
}

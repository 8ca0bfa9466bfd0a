/* SPDX-License-Identifier: Apache-2.0 */
#include "presence.h"

#include <stdbool.h>

/* Zero bytes that a span includes, because another span takes at least as many. */
#define ZEROS_IN_SPAN 2u

typedef struct presence {
    const uint16_t *sent;
    uint32_t begin, end; /* the first byte of bits that is not 0, and the one behind the last */
    uint32_t first;      /* the slot of the first bit in sent[] */
    uint32_t count;
} presence;

typedef struct span {
    uint32_t begin, end; /* bytes of bits */
} span;

size_t qd_relay_presence_max(size_t words)
{
    return 1 + 5 + 5 + 2 * words;
}

static uint8_t byte_at(const uint16_t *sent, uint32_t i)
{
    return (uint8_t)(sent[i / 2] >> 8 * (i & 1));
}

static uint32_t varint_size(uint32_t value)
{
    return (32 - (uint32_t)__builtin_clz(value | 1) + 6) / 7;
}

static uint8_t *put_varint(uint8_t *to, uint32_t value)
{
    for (; value >= 0x80; value >>= 7) {
        *to++ = (uint8_t)(value | 0x80);
    }
    *to++ = (uint8_t)value;
    return to;
}

/* The first of the slots, and the last one. */
static uint32_t lowest(const presence *from)
{
    return from->first + 8 * from->begin + (uint32_t)__builtin_ctz(byte_at(from->sent, from->begin));
}

static uint32_t highest(const presence *from)
{
    return from->first + 8 * from->end + 23 - (uint32_t)__builtin_clz(byte_at(from->sent, from->end - 1));
}

/* ---- gaps ---- */

/* Returns the bytes of the gaps between the slots, and writes them if `to` is not NULL. */
static uint32_t gaps(const presence *from, uint8_t *to)
{
    uint32_t size = 0, last = from->first + 8 * from->begin;

    for (uint32_t i = from->begin; i < from->end; i++) {
        for (uint32_t bits = byte_at(from->sent, i); bits != 0; bits &= bits - 1) {
            const uint32_t slot = from->first + 8 * i + (uint32_t)__builtin_ctz(bits);

            size += varint_size(slot - last);
            to = to != NULL ? put_varint(to, slot - last) : NULL;
            last = slot + 1;
        }
    }
    return size;
}

/* ---- spans ---- */

static bool next_span(const presence *from, span *at)
{
    uint32_t i = at->end, zeros = 0;

    while (i < from->end && byte_at(from->sent, i) == 0) {
        i++;
    }
    at->begin = i;
    for (; i < from->end && zeros <= ZEROS_IN_SPAN; i++) {
        if (byte_at(from->sent, i) != 0) {
            at->end = i + 1;
            zeros = 0;
        } else {
            zeros++;
        }
    }
    return at->begin < from->end;
}

/* The same for the spans, whose number goes to *count. */
static uint32_t spans(const presence *from, uint8_t *to, uint32_t *count)
{
    uint32_t size = 0, last = from->begin;
    span at = {.end = from->begin};

    for (*count = 0; next_span(from, &at); last = at.end, ++*count) {
        size += varint_size(at.begin - last) + varint_size(at.end - at.begin) + at.end - at.begin;
        if (to != NULL) {
            to = put_varint(to, at.begin - last);
            to = put_varint(to, at.end - at.begin);
            for (uint32_t i = at.begin; i < at.end; i++) {
                *to++ = byte_at(from->sent, i);
            }
        }
    }
    return size;
}

/* Spans are shorter than a bitmap only if more than ZEROS_IN_SPAN zero bytes stand together, which includes a word. */
static bool has_zero_word(const presence *from)
{
    bool found = false;

    for (uint32_t i = (from->begin + 1) / 2; i < from->end / 2; i++) {
        found |= from->sent[i] == 0;
    }
    return found;
}

/* ---- the choice ---- */

typedef struct choice {
    qd_relay_kind kind;
    uint32_t first, count, size; /* `size`: the bytes behind the two numbers */
} choice;

static choice choose(const presence *from)
{
    const uint32_t low = lowest(from), high = highest(from), bytes = from->end - from->begin;
    choice best = {QD_RELAY_BITMAP, from->first + 8 * from->begin, bytes, bytes};

    if (high - low + 1 == from->count) {
        return (choice){QD_RELAY_RUN, low, from->count, 0};
    }
    if (has_zero_word(from)) {
        uint32_t count;
        const uint32_t size = spans(from, NULL, &count);

        if (size < best.size) {
            best = (choice){QD_RELAY_SPANS, best.first, count, size};
        }
    }
    if (from->count < best.size) {
        const uint32_t size = gaps(from, NULL);

        if (size < best.size) {
            best = (choice){QD_RELAY_GAPS, best.first, from->count, size};
        }
    }
    return best;
}

uint8_t *qd_relay_presence_put(uint8_t *end, const uint16_t *sent, size_t words, uint32_t first, uint32_t count)
{
    presence from = {.sent = sent, .end = 2 * (uint32_t)words, .first = first, .count = count};

    while (byte_at(sent, from.begin) == 0) {
        from.begin++;
    }
    while (byte_at(sent, from.end - 1) == 0) {
        from.end--;
    }
    const choice best = choose(&from);
    uint8_t *const start = end - best.size - varint_size(best.count) - varint_size(best.first) - 1;
    uint8_t *to = start;

    *to++ = (uint8_t)(QD_RELAY_VERSION | QD_RELAY_PREDICTED | (unsigned)best.kind << QD_RELAY_KIND_SHIFT);
    to = put_varint(put_varint(to, best.first), best.count);
    if (best.kind == QD_RELAY_BITMAP) {
        for (uint32_t i = from.begin; i < from.end; i++) {
            *to++ = byte_at(sent, i);
        }
    } else if (best.kind == QD_RELAY_GAPS) {
        gaps(&from, to);
    } else if (best.kind == QD_RELAY_SPANS) {
        uint32_t spans_count;

        spans(&from, to, &spans_count);
    }
    return start;
}

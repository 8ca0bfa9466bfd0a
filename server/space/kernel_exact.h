/* SPDX-License-Identifier: Apache-2.0
 *
 * A part of kernel_body.h: the exact test. It takes the pairs that the integer filters left, compares the shapes
 * themselves, now and as they were, and writes the events. Compiled with each kernel.
 */
#define SPLIT_AHEAD 4u /* pairs */

#ifndef LANES_SHAPES_OVERLAP
/* Whether two boxes or circles overlap now (1) and did (2); `round`: which of the two are circles (1, 2). */
static inline uint32_t lanes_shapes_overlap(const qd_row *now_a, const qd_row *was_a, const qd_row *now_b,
                                            const qd_row *was_b, uint32_t round)
{
    const bool a = (round & 1) != 0, b = round >> 1 != 0;
    return (uint32_t)qd_rows_overlap(now_a, a, now_b, b) | (uint32_t)qd_rows_overlap(was_a, a, was_b, b) << 1;
}
#endif

/* What a pair of plain rows tells, by whether it overlaps now (1) and did (2). */
static const uint8_t kind_of[3][4] = {
    [QD_WALK_EVENTS] = {0, QD_SPACE_BEGIN, QD_SPACE_END, 0},
    [QD_WALK_STAYS] = {0, QD_SPACE_BEGIN, QD_SPACE_END, QD_SPACE_STAY},
    [QD_WALK_PAIRS] = {0, 0, QD_SPACE_STAY, QD_SPACE_STAY},
};

/* Flags of rows that tell too little by themselves. */
#define INTRICATE (QD_ID_CHANGED | QD_ID_GHOST | QD_ID_NEWCOMER | QD_ID_CAPSULE)

/* Two references, as they stand in a list. */
typedef struct pair {
    uint32_t a, b;
} pair;

/* What a pair tells whose rows do not, or that may have met between ticks. */
static inline uint32_t intricate_kind(const qd_sink *sink, const uint8_t *kinds, pair at, uint32_t id_a, uint32_t id_b)
{
    const qd_rows *rows = sink->rows;
    uint32_t a = at.a & QD_LIST_ROW, b = at.b & QD_LIST_ROW;
    if (((id_a | id_b) & INTRICATE) || ((at.a | at.b) & (QD_LIST_WAS | QD_LIST_NOW))) {
        return qd_pair_resolve(sink, at.a, at.b);
    }
    if (!qd_ids_agree(sink->bodies, id_a, id_b)) {
        return 0;
    }
    const qd_row *now_a = qd_row_now(rows, a), *was_a = qd_row_was(rows, a);
    const qd_row *now_b = qd_row_now(rows, b), *was_b = qd_row_was(rows, b);
    const bool round_a = (id_a & QD_ID_ROUND) != 0, round_b = (id_b & QD_ID_ROUND) != 0;
    uint32_t met = lanes_shapes_overlap(now_a, was_a, now_b, was_b, (uint32_t)round_a | (uint32_t)round_b << 1);
    if (met == 0) {
        return qd_rows_pass(was_a, now_a, round_a, was_b, now_b, round_b) ? QD_SPACE_PASSED : 0;
    }
    return kinds[met];
}

/* Whether a pair is of boxes of which nothing is special but that some are split. In spaces that are not swept, a
 * newcomer has no was: then their own rows tell, unless they overlap, what their bodies tell. */
static inline bool is_split_only(const qd_sink *sink, pair at, uint32_t either)
{
    return (either & (QD_ID_SPECIAL & ~(QD_ID_GHOST | QD_ID_NEWCOMER))) == 0 && !sink->swept &&
           sink->mode != QD_WALK_PAIRS && ((at.a | at.b) & (QD_LIST_WAS | QD_LIST_NOW)) == 0;
}

/* In `a` and `b` of a pair, beside the reference: it is a circle. */
#define ROUND_SHIFT 6u
_Static_assert(QD_ID_ROUND << ROUND_SHIFT == QD_LIST_ROW + 1, "it stands above the reference");

/* Puts the events of boxes and circles behind the first `count`, of rows as yet; returns how many that makes. Nobody
 * can foresee whether two overlap, so no branch depends on it. */
static inline size_t exact_shapes(const qd_sink *sink, const uint8_t *kinds, const pair *shapes, uint32_t shape_count,
                                  qd_space_event *event, size_t count)
{
    const qd_row *now = sink->rows->now, *was = sink->rows->was;
    for (uint32_t p = 0; p < shape_count; p++) {
        const uint32_t a = shapes[p].a & QD_LIST_ROW, b = shapes[p].b & QD_LIST_ROW;
        const uint32_t round = (shapes[p].a > QD_LIST_ROW) | (uint32_t)(shapes[p].b > QD_LIST_ROW) << 1;
        const uint32_t kind = kinds[lanes_shapes_overlap(&now[a], &was[a], &now[b], &was[b], round)];
        event[count].a = a | kind << QD_SPACE_EVENT_SHIFT;
        event[count].b = b;
        count += kind != 0;
    }
    return count;
}

/* The same of special pairs. Most are circles, or have filters, and nothing else is special about them: these are left
 * to exact_shapes, where their filters agree. Split bodies whose rows overlap are looked at last: what that takes lies
 * anywhere, and is fetched meanwhile. */
static __attribute__((noinline)) size_t exact_special(const qd_sink *sink, const uint8_t *kinds, pair *special,
                                                      uint32_t specials, qd_space_event *event, size_t count)
{
    const qd_rows *rows = sink->rows;
    const uint32_t swept = sink->swept ? UINT32_MAX : 0;
    pair shapes[NEAR_ROOM];
    uint32_t later = 0, shape_count = 0;
    for (uint32_t p = 0; p < specials; p++) {
        const pair at = special[p];
        uint32_t a = at.a & QD_LIST_ROW, b = at.b & QD_LIST_ROW;
        uint32_t id_a = qd_row_id(rows, a), id_b = qd_row_id(rows, b);
        if (QD_LIKELY((((id_a | id_b) & INTRICATE) | ((at.a | at.b) & (QD_LIST_WAS | QD_LIST_NOW)) | swept) == 0)) {
            shapes[shape_count].a = a | (id_a & QD_ID_ROUND) << ROUND_SHIFT;
            shapes[shape_count].b = b | (id_b & QD_ID_ROUND) << ROUND_SHIFT;
            shape_count += qd_ids_agree(sink->bodies, id_a, id_b);
            continue;
        }
        if (((id_a | id_b) & (QD_ID_GHOST | QD_ID_NEWCOMER)) && is_split_only(sink, at, id_a | id_b)) {
            uint32_t met =
                lanes_overlap(qd_row_now(rows, a), qd_row_was(rows, a), qd_row_now(rows, b), qd_row_was(rows, b));
            if (met != 0) {
                __builtin_prefetch(&sink->bodies->record[id_a & QD_ID_SLOT]);
                __builtin_prefetch(&sink->bodies->record[id_b & QD_ID_SLOT]);
                special[later++] = at;
            }
            continue;
        }
        uint32_t kind = intricate_kind(sink, kinds, at, id_a, id_b);
        event[count].a = a | kind << QD_SPACE_EVENT_SHIFT;
        event[count].b = b;
        count += kind != 0;
    }
    for (uint32_t p = 0; p < later; p++) {
        if (p + SPLIT_AHEAD < later) {
            qd_pair_fetch(sink, special[p + SPLIT_AHEAD].a & QD_LIST_ROW);
            qd_pair_fetch(sink, special[p + SPLIT_AHEAD].b & QD_LIST_ROW);
        }
        uint32_t kind = qd_pair_resolve(sink, special[p].a, special[p].b);
        event[count].a = (special[p].a & QD_LIST_ROW) | kind << QD_SPACE_EVENT_SHIFT;
        event[count].b = special[p].b & QD_LIST_ROW;
        count += kind != 0;
    }
    return exact_shapes(sink, kinds, shapes, shape_count, event, count);
}

/* `row`: the references of the list that the hits are of. */
static void exact(qd_sink *sink, const uint32_t *row, const hits *found, const pairs *near, uint32_t near_count)
{
    if (near_count == 0 || !qd_sink_open(sink, near_count)) {
        return;
    }
    const qd_rows *rows = sink->rows;
    const uint8_t *kinds = kind_of[sink->mode];
    qd_space_event *event = sink->event;
    size_t count = sink->count;
    const uint32_t swept = sink->swept ? QD_LIST_SPECIAL : 0;
    pair special[NEAR_ROOM];
    uint32_t specials = 0;
    for (uint32_t p = 0; p < near_count; p++) {
        uint32_t hit = near->hit[p];
        uint32_t a = row[found->row[hit]], b = row[found->base[hit] + near->lane[p]];
        if ((a | b | swept) & QD_LIST_SPECIAL) {
            special[specials++] = (pair){a, b};
            continue;
        }
        uint32_t kind =
            kinds[lanes_overlap(qd_row_now(rows, a), qd_row_was(rows, a), qd_row_now(rows, b), qd_row_was(rows, b))];
        event[count].a = a | kind << QD_SPACE_EVENT_SHIFT;
        event[count].b = b;
        count += kind != 0;
    }
    if (specials > 0) {
        count = exact_special(sink, kinds, special, specials, event, count);
    }
    for (size_t e = sink->count; e < count; e++) {
        uint32_t kind = event[e].a & ~QD_LIST_ROW;
        event[e].a = kind | (qd_row_id(rows, event[e].a & QD_LIST_ROW) & QD_ID_SLOT);
        event[e].b = qd_row_id(rows, event[e].b) & QD_ID_SLOT;
    }
    sink->count = count;
    sink->exact_tests += near_count;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * The exact test of many pairs, a part of kernel_body.h. It takes the pairs that the integer filters left, compares the
 * shapes as they are and as they were, and writes the events.
 *
 *     sink.near --- plain boxes ---> lanes_overlap --------------------------> events
 *               \-- special -------> take_shapes --- shapes -> exact_shapes -> events
 *                                              \---- others -> qd_pair_resolve -> events
 */
#define SPLIT_AHEAD 4u /* pairs of split bodies that are fetched ahead */

/* Whether two boxes or circles overlap now (1) and overlapped (2). `round`: which of the two are circles (1, 2). */
static inline uint32_t lanes_shapes_overlap(const qd_row *now_a, const qd_row *was_a, const qd_row *now_b,
                                            const qd_row *was_b, uint32_t round)
{
    const bool a = (round & 1) != 0, b = round >> 1 != 0;

    return (uint32_t)qd_rows_overlap(now_a, a, now_b, b) | (uint32_t)qd_rows_overlap(was_a, a, was_b, b) << 1;
}

/* The kind of event of a pair of plain rows, by whether it overlaps now (1) and overlapped (2). */
static const uint8_t kind_of[3][4] = {
    [QD_TRAVERSAL_EVENTS] = {0, QD_SPACE_BEGIN, QD_SPACE_END, 0},
    [QD_TRAVERSAL_STAYS] = {0, QD_SPACE_BEGIN, QD_SPACE_END, QD_SPACE_STAY},
    [QD_TRAVERSAL_PAIRS] = {0, 0, QD_SPACE_STAY, QD_SPACE_STAY},
};

/* The kind of event of a pair whose rows do not decide, or that may have met between ticks. */
static inline uint32_t intricate_kind(const qd_sink *sink, const uint8_t *kinds, qd_pair at, uint32_t id_a,
                                      uint32_t id_b)
{
    const qd_rows *rows = sink->rows;
    uint32_t a = at.a & QD_LIST_ROW, b = at.b & QD_LIST_ROW;

    if (((id_a | id_b) & QD_ID_INTRICATE) || ((at.a | at.b) & (QD_LIST_WAS | QD_LIST_NOW))) {
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

/* Whether a pair is of boxes that are special only because some are split. If the space is not swept, a new row has no
 * was; then the two rows decide, unless they overlap. */
static inline bool is_split_only(const qd_sink *sink, qd_pair at, uint32_t either)
{
    return (either & (QD_ID_SPECIAL & ~(QD_ID_OLD_ROW | QD_ID_NEW_ROW))) == 0 && !sink->swept &&
           sink->mode != QD_TRAVERSAL_PAIRS && ((at.a | at.b) & (QD_LIST_WAS | QD_LIST_NOW)) == 0;
}

/* Appends an event to the first `count`, unless its kind is 0; returns the new count. No branch depends on the kind,
 * which is unpredictable. */
static inline size_t put_event(qd_space_event *event, size_t count, uint32_t kind, uint32_t a, uint32_t b)
{
    event[count].a = a | kind << QD_SPACE_EVENT_SHIFT;
    event[count].b = b;
    return count + (kind != 0);
}

static inline size_t put_event_of(qd_space_event *event, size_t count, uint32_t kind, uint32_t id_a, uint32_t id_b)
{
    return put_event(event, count, kind, id_a & QD_ID_SLOT, id_b & QD_ID_SLOT);
}

/* Takes out the special pairs whose shapes decide: most are circles or have filters, and nothing else is special about
 * them. Puts those whose filters agree into `to`, and returns how many; the other special pairs stay, at the front. */
static inline uint32_t take_shapes(const qd_sink *sink, qd_pair *special, uint32_t *specials, qd_shapes *to)
{
    const uint32_t swept = sink->swept ? UINT32_MAX : 0;
    uint32_t found = 0, left = 0;

    for (uint32_t p = 0; p < *specials; p++) {
        const qd_pair at = special[p];
        const uint32_t a = at.a & QD_LIST_ROW, b = at.b & QD_LIST_ROW;
        const uint32_t id_a = qd_row_id(sink->rows, a), id_b = qd_row_id(sink->rows, b);

        if (((id_a | id_b) & QD_ID_INTRICATE) | ((at.a | at.b) & (QD_LIST_WAS | QD_LIST_NOW)) | swept) {
            special[left++] = at;
            continue;
        }
        to->a[found] = a;
        to->b[found] = b;
        to->id_a[found] = id_a;
        to->id_b[found] = id_b;
        found += qd_ids_agree(sink->bodies, id_a, id_b);
    }
    *specials = left;
    return found;
}

/* Appends the events of these pairs to the first `count`; returns the new count. May write into the arrays behind the
 * last pair. */
static inline size_t exact_shapes(const qd_sink *sink, const uint8_t *kinds, qd_shapes *shapes, uint32_t shape_count,
                                  qd_space_event *event, size_t count)
{
    const qd_row *now = sink->rows->now, *was = sink->rows->was;

    for (uint32_t p = 0; p < shape_count; p++) {
        const uint32_t a = shapes->a[p], b = shapes->b[p], id_a = shapes->id_a[p], id_b = shapes->id_b[p];
        const uint32_t round = ((id_a & QD_ID_ROUND) != 0) | (uint32_t)((id_b & QD_ID_ROUND) != 0) << 1;
        const uint32_t kind = kinds[lanes_shapes_overlap(&now[a], &was[a], &now[b], &was[b], round)];

        count = put_event_of(event, count, kind, id_a, id_b);
    }
    return count;
}

#ifndef PAIRS_MANY
#define take_shapes_many  take_shapes
#define exact_shapes_many exact_shapes
#endif

/* Appends the events of pairs whose rows do not decide. Split bodies whose rows overlap come last, because what their
 * test reads lies anywhere and is fetched meanwhile. */
static __attribute__((noinline)) size_t exact_intricate(const qd_sink *sink, const uint8_t *kinds, qd_pair *special,
                                                        uint32_t specials, qd_space_event *event, size_t count)
{
    const qd_rows *rows = sink->rows;
    uint32_t later = 0;

    for (uint32_t p = 0; p < specials; p++) {
        const qd_pair at = special[p];
        uint32_t a = at.a & QD_LIST_ROW, b = at.b & QD_LIST_ROW;
        uint32_t id_a = qd_row_id(rows, a), id_b = qd_row_id(rows, b);

        if (!QD_WITHOUT(SPLIT_FETCH) && ((id_a | id_b) & (QD_ID_OLD_ROW | QD_ID_NEW_ROW)) &&
            is_split_only(sink, at, id_a | id_b)) {
            uint32_t met =
                lanes_overlap(qd_row_now(rows, a), qd_row_was(rows, a), qd_row_now(rows, b), qd_row_was(rows, b));

            if (met != 0) {
                __builtin_prefetch(&sink->bodies->record[id_a & QD_ID_SLOT]);
                __builtin_prefetch(&sink->bodies->record[id_b & QD_ID_SLOT]);
                special[later++] = at;
            }
            continue;
        }
        count = put_event_of(event, count, intricate_kind(sink, kinds, at, id_a, id_b), id_a, id_b);
    }
    for (uint32_t p = 0; p < later; p++) {
        if (p + SPLIT_AHEAD < later) {
            qd_pair_fetch(sink, special[p + SPLIT_AHEAD].a & QD_LIST_ROW);
            qd_pair_fetch(sink, special[p + SPLIT_AHEAD].b & QD_LIST_ROW);
        }
        const uint32_t kind = qd_pair_resolve(sink, special[p].a, special[p].b);
        count = put_event_of(event, count, kind, qd_row_id(rows, special[p].a & QD_LIST_ROW),
                             qd_row_id(rows, special[p].b & QD_LIST_ROW));
    }
    return count;
}

static __attribute__((noinline)) size_t exact_special(const qd_sink *sink, const uint8_t *kinds, qd_pair *special,
                                                      uint32_t specials, qd_space_event *event, size_t count)
{
    qd_shapes shapes;
    const bool many = !QD_WITHOUT(EXACT_LANES);
    const uint32_t shape_count =
        many ? take_shapes_many(sink, special, &specials, &shapes) : take_shapes(sink, special, &specials, &shapes);

    if (specials > 0) {
        count = exact_intricate(sink, kinds, special, specials, event, count);
    }
    return many ? exact_shapes_many(sink, kinds, &shapes, shape_count, event, count)
                : exact_shapes(sink, kinds, &shapes, shape_count, event, count);
}

/* Tests the pairs that wait in the sink. */
static void exact(qd_sink *sink)
{
    const uint32_t near_count = sink->near_count;

    sink->near_count = 0;
    /* Events are written in steps, also behind the last one. */
    if (near_count == 0 || !qd_sink_open(sink, near_count + QD_PAIRS_STEP)) {
        return;
    }
    const qd_rows *rows = sink->rows;
    const uint8_t *kinds = kind_of[sink->mode];
    qd_space_event *event = sink->event;
    size_t count = sink->count;
    const uint32_t swept = sink->swept ? QD_LIST_SPECIAL : 0;
    qd_pair *special = sink->near; /* writes never pass the reads */
    uint32_t specials = 0;
    for (uint32_t p = 0; p < near_count; p++) {
        const qd_pair at = sink->near[p];
        const uint32_t a = at.a, b = at.b;

        if ((a | b | swept) & QD_LIST_SPECIAL) {
            special[specials++] = at;
            continue;
        }
        uint32_t kind =
            kinds[lanes_overlap(qd_row_now(rows, a), qd_row_was(rows, a), qd_row_now(rows, b), qd_row_was(rows, b))];
        count = put_event(event, count, kind, a, b);
    }
    for (size_t e = sink->count; e < count; e++) {
        const uint32_t kind = event[e].a & ~QD_LIST_ROW;

        event[e].a = kind | (qd_row_id(rows, event[e].a & QD_LIST_ROW) & QD_ID_SLOT);
        event[e].b = qd_row_id(rows, event[e].b) & QD_ID_SLOT;
    }
    if (specials > 0) {
        count = exact_special(sink, kinds, special, specials, event, count);
    }
    sink->count = count;
    sink->exact_tests += near_count;
}

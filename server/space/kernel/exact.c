/* SPDX-License-Identifier: Apache-2.0 */
#include "exact.h"

#include "../core/bodies.h"
#include "../core/rows.h"
#include "../geometry/geometry.h"

/* A body's row at one of two times. */
typedef struct form {
    const qd_row *row; /* NULL: the body is absent */
    uint32_t slot;
    bool is_was; /* shape and size as at the last tick */
} form;

/* One side of a pair: its rows, which are half of a split body. */
typedef struct side {
    uint32_t id, slot;
    form now, was;
} side;

/* The `was` of a new row may hold the start of its way, which is not what the body was. */
static side side_of(const qd_sink *sink, uint32_t reference)
{
    uint32_t id = qd_row_id(sink->rows, reference), slot = id & QD_ID_SLOT;
    const qd_row *was = id & QD_ID_NEW_ROW ? NULL : qd_row_was(sink->rows, reference);

    return (side){id, slot, {qd_row_now(sink->rows, reference), slot, false}, {was, slot, true}};
}

static const qd_change *change_of(const qd_bodies *bodies, uint32_t slot)
{
    uint32_t change = bodies->record[slot].change;

    return change == QD_NONE ? NULL : &bodies->change[change];
}

static qd_space_shape shape_of(const qd_bodies *bodies, const form *at)
{
    const qd_change *change = at->is_was ? change_of(bodies, at->slot) : NULL;

    return change != NULL ? change->was_shape : bodies->record[at->slot].shape;
}

static bool overlap(const qd_bodies *bodies, const form *a, const form *b)
{
    if (a->row == NULL || b->row == NULL) {
        return false;
    }
    qd_space_shape shape_a = shape_of(bodies, a), shape_b = shape_of(bodies, b);
    bool round_a = shape_a != QD_SPACE_BOX, round_b = shape_b != QD_SPACE_BOX;
    if (shape_a != QD_SPACE_CAPSULE && shape_b != QD_SPACE_CAPSULE) {
        return qd_rows_overlap(a->row, round_a, b->row, round_b);
    }
    if (!qd_row_present(a->row, round_a) || !qd_row_present(b->row, round_b)) {
        return false;
    }
    qd_row bounds_a = qd_row_bounds(a->row, round_a), bounds_b = qd_row_bounds(b->row, round_b);
    if (!qd_boxes_overlap(&bounds_a, &bounds_b)) {
        return false;
    }
    qd_geometry geometry_a = qd_bodies_geometry(bodies, a->slot, a->row, a->is_was);
    qd_geometry geometry_b = qd_bodies_geometry(bodies, b->slot, b->row, b->is_was);
    return qd_geometry_overlaps(&geometry_a, &geometry_b);
}

static qd_filter filter_was(const qd_bodies *bodies, uint32_t slot)
{
    const qd_change *change = change_of(bodies, slot);

    return change == NULL ? bodies->filter[slot] : change->was_filter;
}

/* The body as it was, also if this row is its new row. */
static form whole_was(const qd_bodies *bodies, const side *at)
{
    form was = at->was;

    if (at->id & QD_ID_NEW_ROW) {
        was.row = &change_of(bodies, at->slot)->was;
    }
    return was;
}

/* The body as it is, also if this row is its old row. */
static form whole_now(const qd_sink *sink, const side *at)
{
    form now = at->now;

    if (at->id & QD_ID_OLD_ROW) {
        now.row = qd_row_now(sink->rows, sink->bodies->record[at->slot].row);
    }
    return now;
}

static bool overlapped(const qd_bodies *bodies, const side *a, const side *b)
{
    form was_a = whole_was(bodies, a), was_b = whole_was(bodies, b);

    return overlap(bodies, &was_a, &was_b);
}

/* The box around a row's way from its was, or start, to its now; false if one of them is absent. An absent box would
 * not do: it overlaps a box that is infinite at both ends, as the bounds of huge shapes may be. */
static bool way_of(const qd_row *begin, const qd_row *end, bool is_round, qd_row *way)
{
    if (!qd_row_present(begin, is_round) || !qd_row_present(end, is_round)) {
        return false;
    }
    qd_row from = qd_row_bounds(begin, is_round), to = qd_row_bounds(end, is_round);
    *way = qd_row_union(&from, &to);
    return true;
}

/* Whether the boxes around the ways of two rows overlap. Indexes look at the same boxes: where coordinates are so large
 * that rounding decides, all must decide alike. A body that was or is absent, or teleported, has no way. */
static bool ways_cross(const qd_row *from_a, const qd_row *to_a, bool round_a, const qd_row *from_b, const qd_row *to_b,
                       bool round_b)
{
    qd_row way_a, way_b;

    return way_of(from_a, to_a, round_a, &way_a) && way_of(from_b, to_b, round_b, &way_b) &&
           qd_boxes_overlap(&way_a, &way_b);
}

bool qd_rows_pass(const qd_row *was_a, const qd_row *now_a, bool round_a, const qd_row *was_b, const qd_row *now_b,
                  bool round_b)
{
    if (!ways_cross(was_a, now_a, round_a, was_b, now_b, round_b)) {
        return false;
    }
    qd_geometry from_a = qd_row_geometry(was_a, round_a), to_a = qd_row_geometry(now_a, round_a);
    qd_geometry from_b = qd_row_geometry(was_b, round_b), to_b = qd_row_geometry(now_b, round_b);
    return qd_geometry_meets(&from_a, &to_a, &from_b, &to_b);
}

/* Whether two rows whose bodies were apart, and are, met in between, each on its way from its was, or start. */
static bool met_between(const qd_sink *sink, const side *a, uint32_t reference_a, const side *b, uint32_t reference_b)
{
    const qd_bodies *bodies = sink->bodies;
    const qd_row *begin_a = qd_row_was(sink->rows, reference_a), *begin_b = qd_row_was(sink->rows, reference_b);
    const bool round_a = (a->id & QD_ID_ROUND) != 0, round_b = (b->id & QD_ID_ROUND) != 0;

    if (!ways_cross(begin_a, a->now.row, round_a, begin_b, b->now.row, round_b)) {
        return false;
    }
    qd_geometry from_a = qd_bodies_geometry(bodies, a->slot, begin_a, false);
    qd_geometry from_b = qd_bodies_geometry(bodies, b->slot, begin_b, false);
    qd_geometry to_a = qd_bodies_geometry(bodies, a->slot, a->now.row, false);
    qd_geometry to_b = qd_bodies_geometry(bodies, b->slot, b->now.row, false);
    return qd_geometry_meets(&from_a, &to_a, &from_b, &to_b);
}

bool qd_row_moments(const qd_sink *sink, uint32_t reference, qd_row *was, bool *was_round, qd_row *now, bool *now_round)
{
    const side at = side_of(sink, reference & QD_LIST_ROW);

    if (at.id & (QD_ID_REFILTERED | QD_ID_CAPSULE)) {
        return false;
    }
    const form then = whole_was(sink->bodies, &at), since = whole_now(sink, &at);
    const qd_space_shape shape_was = shape_of(sink->bodies, &then), shape_now = shape_of(sink->bodies, &since);
    if (then.row == NULL || since.row == NULL || shape_was == QD_SPACE_CAPSULE || shape_now == QD_SPACE_CAPSULE) {
        return false;
    }
    *was = *then.row;
    *now = *since.row;
    *was_round = shape_was == QD_SPACE_CIRCLE;
    *now_round = shape_now == QD_SPACE_CIRCLE;
    return true;
}

/* A pair of split bodies is tested once for each pair of their rows. Exactly one of these is of the two rows that are
 * there now, and one of the two that were. The first reports begins, stays and passing, the second ends; each looks at
 * the other half of its bodies. */
static uint32_t kind_of_rows(const qd_sink *sink, uint32_t reference_a, uint32_t reference_b)
{
    const qd_bodies *bodies = sink->bodies;
    side a = side_of(sink, reference_a), b = side_of(sink, reference_b);
    bool agreed = qd_filters_agree(filter_was(bodies, a.slot), filter_was(bodies, b.slot));
    bool was = agreed && overlap(bodies, &a.was, &b.was);

    if (sink->mode == QD_TRAVERSAL_PAIRS) {
        return was ? QD_SPACE_STAY : 0;
    }
    bool agree = qd_filters_agree(bodies->filter[a.slot], bodies->filter[b.slot]);
    bool now = agree && overlap(bodies, &a.now, &b.now);
    if (now) {
        if (!was && agreed && ((a.id | b.id) & QD_ID_NEW_ROW)) {
            was = overlapped(bodies, &a, &b);
        }
        return !was ? QD_SPACE_BEGIN : sink->mode == QD_TRAVERSAL_STAYS ? QD_SPACE_STAY : 0;
    }
    if (!was) {
        if (!sink->swept || !agree) {
            return 0;
        }
        /* Filters may have hidden that the two overlapped, and a new row does not hold what its body was. */
        bool is_hidden = !agreed || ((a.id | b.id) & QD_ID_NEW_ROW);
        if (is_hidden && overlapped(bodies, &a, &b)) {
            return 0;
        }
        return met_between(sink, &a, reference_a, &b, reference_b) ? QD_SPACE_PASSED : 0;
    }
    if (agree && ((a.id | b.id) & QD_ID_OLD_ROW)) {
        form now_a = whole_now(sink, &a), now_b = whole_now(sink, &b);

        now = overlap(bodies, &now_a, &now_b);
    }
    return now ? 0 : QD_SPACE_END;
}

void qd_pair_fetch(const qd_sink *sink, uint32_t reference)
{
    uint32_t id = qd_row_id(sink->rows, reference);
    const qd_record *record = &sink->bodies->record[id & QD_ID_SLOT];

    __builtin_prefetch(&sink->bodies->filter[id & QD_ID_SLOT]);
    if (record->change != QD_NONE) {
        __builtin_prefetch(&sink->bodies->change[record->change]);
    }
    if (id & QD_ID_OLD_ROW) {
        __builtin_prefetch(qd_row_now(sink->rows, record->row));
    }
}

uint32_t qd_pair_resolve(const qd_sink *sink, uint32_t reference_a, uint32_t reference_b)
{
    uint32_t kind = kind_of_rows(sink, reference_a & QD_LIST_ROW, reference_b & QD_LIST_ROW);
    uint32_t elsewhere = kind == QD_SPACE_END ? QD_LIST_NOW : QD_LIST_WAS;

    return (reference_a | reference_b) & elsewhere ? 0 : kind;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * A circle against the rows of a group: which of them it leaves open. Boxes tell little of circles: of the box around
 * one, half is outside of it or of the box inside. So where a circle meets many, as the region of an observer does, the
 * distances of the group's outer boxes from its centre are compared with its radius, all at once and in whole numbers
 * of the list, before anything exact is computed:
 *
 *     nearest point further than the radius      apart, then and now
 *     furthest point nearer than the radius      overlapped then, and do now
 *
 * That is the outer and the inner box again (kernel.h), only tighter. Rows whose numbers are those of the window's edge
 * may be anywhere beyond it, and stay open; those whose inner box proves nothing, which ends at number 0, are only ever
 * found apart. Part of kernel_body.h.
 */

/* Numbers are right to a hundredth of what they count, so a list's are too; this is more than that. */
#define QD_RING_SLACK (1.0f / 16)

/* What that takes is as much as a few exact tests. */
#define RING_LANES_MIN 8u

static inline bool is_worth_a_ring(uint64_t mask)
{
    return (uint32_t)__builtin_popcountll(mask) >= RING_LANES_MIN;
}

static inline bool is_any_worth_a_ring(const hits *found, uint32_t count)
{
    bool is_any = false;

    for (uint32_t h = 0; h < count; h++) {
        is_any |= is_worth_a_ring(found->mask[h]);
    }
    return is_any;
}

/* False: it is no circle, or was none, or is too large to tell. */
static inline bool ring_of(const qd_sink *sink, const qd_list8 *list, uint32_t i, qd_ring *to)
{
    const uint32_t reference = list->row[i], at = reference & QD_LIST_ROW;

    if ((reference & (QD_LIST_SPECIAL | QD_LIST_WAS | QD_LIST_NOW)) != QD_LIST_SPECIAL ||
        (qd_row_id(sink->rows, at) & (QD_ID_ROUND | QD_ID_INTRICATE)) != QD_ID_ROUND) {
        return false;
    }
    const qd_row *now = qd_row_now(sink->rows, at), *was = qd_row_was(sink->rows, at);
    /* Powers of two change nothing but the exponent. */
    const float unit = 1.0f / (float)(1u << list->window.shift), scale = sink->frame.scale * unit;
    const float radius_now = now->v[QD_ROW_HIGH] * scale, radius_was = was->v[QD_ROW_HIGH] * scale;
    const float most = (radius_now > radius_was ? radius_now : radius_was) + QD_RING_SLACK;
    const float least = (radius_now < radius_was ? radius_now : radius_was) - QD_RING_SLACK;
    if (!(most < QD_RING_FAR && least >= -QD_RING_SLACK)) {
        return false;
    }
    to->apart = (uint16_t)(most * most);
    to->inside = least > 0 ? (uint16_t)(least * least) : 0;
    for (uint32_t k = 0; k < QD_AXES; k++) {
        const float middle = 4096; /* what is cut off to whole numbers is above 0 */
        const float corner = list->window.lo[k] * unit, origin = sink->frame.origin[k];
        float a = (now->v[k] - origin) * scale - corner, b = (was->v[k] - origin) * scale - corner;
        float lo = a < b ? a : b, hi = a < b ? b : a;

        /* Who is so far away meets nobody here, or is further from the origin than a float can tell. */
        if (!(lo > -middle + 1 && hi < middle - 1)) {
            return false;
        }
        to->lo[k] = (int16_t)((int32_t)(lo + (middle - QD_RING_SLACK)) - (int32_t)middle);
        to->hi[k] = (int16_t)((int32_t)(hi + (middle + QD_RING_SLACK)) + 1 - (int32_t)middle);
        const uint32_t last = (QD_FRAME_LAST - list->window.lo[k]) >> list->window.shift;
        to->last[k] = (uint8_t)(last < 254 ? last : 254);
    }
    return true;
}

#ifndef LANES_OPEN
/* The rows of 64, from `base` on, that the ring leaves open. */
static inline uint64_t lanes_open(uint8_t *const *column, uint32_t base, const qd_ring *at)
{
    uint16_t nearest[64] = {0}, furthest[64] = {0};
    uint8_t known[64], open[64];

    for (uint32_t i = 0; i < 64; i++) {
        known[i] = column[QD_INNER_HI][base + i] != 0;
    }
    for (uint32_t k = 0; k < QD_AXES; k++) {
        const uint8_t *lo = column[QD_OUTER_LO + k] + base, *hi = column[QD_OUTER_HI + k] + base, last = at->last[k];
        const int16_t from = (int16_t)(at->lo[k] - 1), to = at->hi[k];

        for (uint32_t i = 0; i < 64; i++) {
            const int16_t above = (int16_t)(hi[i] - from), below = (int16_t)(to - lo[i]);
            int16_t near = above < below ? above : below, far = above > below ? above : below;

            near = (int16_t)(near < 0 ? -near : 0);
            near = near < QD_RING_FAR ? near : QD_RING_FAR;
            far = far < QD_RING_FAR ? far : QD_RING_FAR;
            const uint16_t near_square = (uint16_t)(near * near), far_square = (uint16_t)(far * far);
            nearest[i] = (uint16_t)(nearest[i] + near_square);
            nearest[i] = nearest[i] < near_square ? UINT16_MAX : nearest[i];
            furthest[i] = (uint16_t)(furthest[i] + far_square);
            furthest[i] = furthest[i] < far_square ? UINT16_MAX : furthest[i];
        }
        for (uint32_t i = 0; i < 64; i++) {
            open[i] = (uint8_t)((k == 0 ? 0 : open[i]) | (lo[i] == 0) | (hi[i] >= last));
        }
    }
    for (uint32_t i = 0; i < 64; i++) {
        open[i] |= (nearest[i] <= at->apart) & ((furthest[i] >= at->inside) | !known[i]);
    }
    return bits_of_bytes(open, 64);
}
#endif

/* A circle meets one group after another, each in its turn: so many are kept until then. */
#define RINGS_KEPT 64u

/* Takes the lanes that circles do not leave open from the first hits; returns how many hits are left. */
static __attribute__((noinline)) uint32_t sift_rings(const qd_sink *sink, const qd_list8 *list, hits *found,
                                                     uint32_t count)
{
    uint32_t left = 0, row[RINGS_KEPT];
    bool is_ring[RINGS_KEPT];
    qd_ring ring[RINGS_KEPT];

    memset(row, 0xff, sizeof row);
    for (uint32_t h = 0; h < count; h++) {
        const uint64_t at = found->at[h];
        uint32_t i = hit_row(at), k = i % RINGS_KEPT;
        uint64_t mask = found->mask[h];

        if (is_worth_a_ring(mask)) {
            if (row[k] != i) {
                row[k] = i;
                is_ring[k] = ring_of(sink, list, i, &ring[k]);
            }
            mask &= is_ring[k] ? lanes_open(list->column, hit_base(at), &ring[k]) : UINT64_MAX;
        }
        found->mask[left] = mask;
        found->at[left] = at;
        left += mask != 0;
    }
    return left;
}

static inline uint32_t size_of_row(const qd_list8 *list, uint32_t i)
{
    uint32_t size = 1;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        size *= (uint32_t)(list->column[QD_OUTER_HI + k][i] - list->column[QD_OUTER_LO + k][i]) + 1;
    }
    return size;
}

/* Whether among the carried rows are circles so large that many own rows may lie in them: as many as are worth a ring,
 * were they spread evenly over the window. */
static inline bool has_rings(const qd_sink *sink, const qd_list8 *list)
{
    const uint64_t least = (uint64_t)RING_LANES_MIN << 8 * QD_AXES;
    uint32_t largest = 0;

    for (uint32_t i = list->own; i < list->count; i++) {
        const uint32_t size = size_of_row(list, i);

        largest = size > largest ? size : largest;
    }
    for (uint32_t i = list->own; i < list->count && (uint64_t)largest * list->own >= least; i++) {
        if ((uint64_t)size_of_row(list, i) * list->own >= least && (list->row[i] & QD_LIST_SPECIAL) &&
            (qd_row_id(sink->rows, list->row[i] & QD_LIST_ROW) & QD_ID_ROUND)) {
            return true;
        }
    }
    return false;
}

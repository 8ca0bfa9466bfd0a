/* SPDX-License-Identifier: Apache-2.0
 *
 * Two ideas carry this file.
 *
 * SPANS. A point has no extent. A segment is its center and everything within one vector of it, in both directions.
 * Moving along a straight line adds one vector. Two round shapes overlap, or meet, if the span of their difference
 * comes as near to the origin as the sum of their radii:
 *
 *     circle, circle        a point          while one moves: a segment
 *     circle, capsule       a segment                         a parallelogram
 *     capsule, capsule      a parallelogram                   a parallelepiped
 *
 * The nearest point of a span is inside it, or on one of its sides, which are spans with one vector less.
 *
 * GAPS. A point on a straight line is beyond each face of a box by an amount that changes evenly. The squares of the
 * amounts above 0 add up to the square of the point's distance from the box, a convex function.
 *
 * AXES. Spans and gaps are off by some 2^-53 of the largest number that goes in, on whichever axis that is. That is too
 * much if a long axis or way points one way, and a short distance another way decides. So shapes are first compared
 * along each of x, y and z, where the other axes do not enter.
 *
 * NUMBERS. Inputs are float32, and nothing here is above the sixth power of their differences: between 2^-894 and 2^792
 * where it is not 0, so nothing overflows or underflows in double. A box so large that a corner is infinite in float32
 * has no face there; comparisons with the NaN of two infinities are false.
 */
#include "geometry.h"

#include <math.h>
#include <stdint.h>

/* Vectors whose angle has a smaller sine count as parallel, and three vectors as in one plane if one rises less than
 * this over the others: rounding would decide there. The spans that this leaves out are thinner than float32 can tell
 * from their lengths. */
#define PARALLEL_SINE 0x1p-32
#define FLAT_SINE     0x1p-26

/* A difference above this share of its operands is above 0 despite rounding. */
#define PARTING_SLACK 0x1p-50

#define FACES    6u
#define CORNERS  8u
#define PARTINGS 12u

typedef struct vec {
    double x, y, z;
} vec;

static vec vec_of(const double v[3])
{
    return (vec){v[0], v[1], v[2]};
}

static vec plus(vec a, vec b)
{
    return (vec){a.x + b.x, a.y + b.y, a.z + b.z};
}

static vec minus(vec a, vec b)
{
    return (vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

static vec half_of(vec a)
{
    return (vec){a.x / 2, a.y / 2, a.z / 2};
}

static double dot(vec a, vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static vec cross(vec a, vec b)
{
    return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double square(vec a)
{
    return dot(a, a);
}

static double lesser(double a, double b)
{
    return b < a ? b : a;
}

static double greater(double a, double b)
{
    return b > a ? b : a;
}

/* ---- spans: the square of the distance from the origin ---- */

static double segment_square(vec at, vec way)
{
    double along = dot(at, way), length = square(way);

    if (fabs(along) < length) {
        return square(cross(at, way)) / length;
    }
    return square(along > 0 ? minus(at, way) : plus(at, way));
}

/* The square if the nearest point is inside, not on a side; else infinite. In two dimensions it is exactly 0, so that
 * segments without a radius can cross. */
static double parallelogram_square_inside(vec at, vec way, vec other)
{
    vec normal = cross(way, other);
    double area = square(normal);

    if (area > PARALLEL_SINE * PARALLEL_SINE * (square(way) * square(other)) &&
        fabs(dot(cross(at, other), normal)) <= area && fabs(dot(cross(at, way), normal)) <= area) {
        double above = dot(at, normal);

        return above * above / area;
    }
    return (double)INFINITY;
}

static double parallelogram_square(vec at, vec way, vec other)
{
    double inside = parallelogram_square_inside(at, way, other);

    if (inside < (double)INFINITY) {
        return inside;
    }
    double ends = lesser(segment_square(plus(at, way), other), segment_square(minus(at, way), other));
    double sides = lesser(segment_square(plus(at, other), way), segment_square(minus(at, other), way));
    return lesser(ends, sides);
}

static bool parallelepiped_has_origin(vec at, const vec way[3])
{
    vec normal = cross(way[1], way[2]);
    double volume = fabs(dot(way[0], normal));
    double lengths = square(way[0]) * square(way[1]) * square(way[2]);

    return volume * volume > FLAT_SINE * FLAT_SINE * lengths && fabs(dot(at, normal)) <= volume &&
           fabs(dot(at, cross(way[2], way[0]))) <= volume && fabs(dot(at, cross(way[0], way[1]))) <= volume;
}

/* ---- gaps: a point on its way past a box ---- */

/* How far a point is beyond each face, where its way begins and where it ends; 0 or less: not beyond. */
typedef struct gaps {
    double from[FACES], to[FACES];
} gaps;

static void gaps_of_point(const double at[3], const qd_geometry *box, double gap[FACES])
{
    for (uint32_t k = 0; k < 3; k++) {
        gap[2 * k] = box->at[k] - at[k];
        gap[2 * k + 1] = at[k] - box->to[k];
    }
}

static double square_of_gaps(const double gap[FACES])
{
    double sum = 0;

    for (uint32_t k = 0; k < FACES; k += 2) {
        double beyond = greater(greater(0, gap[k]), gap[k + 1]);

        sum += beyond * beyond;
    }
    return sum;
}

static double gap_at(const gaps *way, uint32_t face, double t)
{
    return way->from[face] + t * (way->to[face] - way->from[face]);
}

/* Whether numbers that change evenly are all 0 or less at the same time. */
static bool close_together(const double *from, const double *to, uint32_t count)
{
    double enter = 0, leave = 1;

    for (uint32_t i = 0; i < count; i++) {
        if (from[i] > 0 && to[i] > 0) {
            return false;
        }
        if (from[i] > 0) {
            enter = greater(enter, from[i] / (from[i] - to[i]));
        } else if (to[i] > 0) {
            leave = lesser(leave, from[i] / (from[i] - to[i]));
        }
    }
    return enter <= leave;
}

/* Half the derivative of the sum of the squares. It never decreases. */
static double gaps_slope(const gaps *way, double t)
{
    double slope = 0;

    for (uint32_t i = 0; i < FACES; i++) {
        double gap = gap_at(way, i, t);

        if (gap > 0) {
            slope += gap * (way->to[i] - way->from[i]);
        }
    }
    return slope;
}

/* Where the sum of the squares is least in [low, high], in which no gap opens or closes. */
static double gaps_least_between(const gaps *way, double low, double high)
{
    double along = 0, length = 0;

    for (uint32_t i = 0; i < FACES; i++) {
        if (gap_at(way, i, (low + high) / 2) > 0) {
            double step = way->to[i] - way->from[i];

            along -= way->from[i] * step;
            length += step * step;
        }
    }
    return length > 0 ? lesser(greater(along / length, low), high) : low;
}

/* The least square of the distance on the way. Between two moments at which a gap opens or closes it is one quadratic
 * function; the slope tells which two moments to search between. */
static double gaps_least_square(const gaps *way)
{
    if (close_together(way->from, way->to, FACES)) {
        return 0;
    }
    double low = 0, high = 1;
    for (uint32_t i = 0; i < FACES; i++) {
        double from = way->from[i], to = way->to[i];

        if ((from > 0) != (to > 0)) {
            double t = from / (from - to);

            if (gaps_slope(way, t) < 0) {
                low = greater(low, t);
            } else {
                high = lesser(high, t);
            }
        }
    }
    double t = gaps_least_between(way, low, high), gap[FACES];
    for (uint32_t i = 0; i < FACES; i++) {
        gap[i] = gap_at(way, i, t);
    }
    return square_of_gaps(gap);
}

/* ---- along x, y and z ---- */

/* A shape's way. */
typedef struct motion {
    const qd_geometry *from, *to;
} motion;

static double radius_of(const qd_geometry *geometry)
{
    return geometry->shape == QD_SPACE_BOX ? 0 : geometry->radius;
}

/* How far an axis reaches from its center. */
static double axis_along(const qd_geometry *geometry, uint32_t k)
{
    return geometry->shape == QD_SPACE_CAPSULE ? fabs(geometry->to[k]) : 0;
}

/* The gap between the end of a and the beginning of b; 0 or less: none. Next to a box it is measured from the ends of
 * an axis, rounded as the exact test rounds them. Two round shapes compare their centers first. */
static double gap_along(const qd_geometry *a, const qd_geometry *b, uint32_t k)
{
    if (a->shape == QD_SPACE_BOX || b->shape == QD_SPACE_BOX) {
        double end = a->shape == QD_SPACE_BOX ? a->to[k] : a->at[k] + axis_along(a, k);

        return (b->at[k] - axis_along(b, k) - end) - (radius_of(a) + radius_of(b));
    }
    return (b->at[k] - a->at[k]) - (a->radius + axis_along(a, k) + (b->radius + axis_along(b, k)));
}

/* Whether one shape stays on the same side of the other all the way. */
static bool apart_along_an_axis(motion a, motion b)
{
    for (uint32_t k = 0; k < 3; k++) {
        if ((gap_along(a.from, b.from, k) > 0 && gap_along(a.to, b.to, k) > 0) ||
            (gap_along(b.from, a.from, k) > 0 && gap_along(b.to, a.to, k) > 0)) {
            return true;
        }
    }
    return false;
}

/* ---- overlap ---- */

static vec axis_of(const qd_geometry *round)
{
    return round->shape == QD_SPACE_CAPSULE ? vec_of(round->to) : (vec){0, 0, 0};
}

static void end_of_axis(const qd_geometry *round, double sign, double end[3])
{
    for (uint32_t k = 0; k < 3; k++) {
        end[k] = round->at[k] + (round->shape == QD_SPACE_CAPSULE ? sign * round->to[k] : 0);
    }
}

static bool boxes_overlap(const qd_geometry *a, const qd_geometry *b)
{
    bool overlap = true;

    for (uint32_t k = 0; k < 3; k++) {
        overlap = overlap && a->at[k] <= b->to[k] && b->at[k] <= a->to[k];
    }
    return overlap;
}

static bool rounds_overlap(const qd_geometry *a, const qd_geometry *b)
{
    vec apart = minus(vec_of(a->at), vec_of(b->at));
    double reach = a->radius + b->radius, least;

    if (a->shape == QD_SPACE_CIRCLE) {
        least = b->shape == QD_SPACE_CIRCLE ? square(apart) : segment_square(apart, axis_of(b));
    } else {
        least = b->shape == QD_SPACE_CIRCLE ? segment_square(apart, axis_of(a))
                                            : parallelogram_square(apart, axis_of(a), axis_of(b));
    }
    return least <= reach * reach && !apart_along_an_axis((motion){a, a}, (motion){b, b});
}

static bool box_overlaps_round(const qd_geometry *box, const qd_geometry *round)
{
    double reach_square = round->radius * round->radius;
    gaps axis;

    if (round->shape == QD_SPACE_CIRCLE) {
        gaps_of_point(round->at, box, axis.from);
        return square_of_gaps(axis.from) <= reach_square;
    }
    double from[3], to[3];
    end_of_axis(round, -1, from);
    end_of_axis(round, 1, to);
    gaps_of_point(from, box, axis.from);
    gaps_of_point(to, box, axis.to);
    return gaps_least_square(&axis) <= reach_square && !apart_along_an_axis((motion){box, box}, (motion){round, round});
}

bool qd_geometry_overlaps(const qd_geometry *a, const qd_geometry *b)
{
    if (a->shape == QD_SPACE_BOX) {
        return b->shape == QD_SPACE_BOX ? boxes_overlap(a, b) : box_overlaps_round(a, b);
    }
    return b->shape == QD_SPACE_BOX ? box_overlaps_round(b, a) : rounds_overlap(a, b);
}

/* ---- meeting on the way, of shapes that overlap at neither end ---- */

static bool boxes_meet(motion a, motion b)
{
    gaps way;

    for (uint32_t k = 0; k < 3; k++) {
        way.from[2 * k] = b.from->at[k] - a.from->to[k];
        way.to[2 * k] = b.to->at[k] - a.to->to[k];
        way.from[2 * k + 1] = a.from->at[k] - b.from->to[k];
        way.to[2 * k + 1] = a.to->at[k] - b.to->to[k];
    }
    return close_together(way.from, way.to, FACES);
}

/* The difference of two shapes in the middle of the way, and from there to its end. */
static void ways_apart(vec from, vec to, vec *middle, vec *way)
{
    *middle = half_of(plus(from, to));
    *way = half_of(minus(to, from));
}

/* The span of two axes, one of which moves. Two of its sides are the axes' positions where the way begins and ends. */
static bool axes_meet(vec middle, vec way, vec a, vec b, double reach_square)
{
    return parallelogram_square(plus(middle, a), way, b) <= reach_square ||
           parallelogram_square(minus(middle, a), way, b) <= reach_square ||
           parallelogram_square(plus(middle, b), way, a) <= reach_square ||
           parallelogram_square(minus(middle, b), way, a) <= reach_square ||
           parallelepiped_has_origin(middle, (const vec[]){way, a, b});
}

static bool rounds_meet(motion a, motion b)
{
    vec middle, way;

    ways_apart(minus(vec_of(a.from->at), vec_of(b.from->at)), minus(vec_of(a.to->at), vec_of(b.to->at)), &middle, &way);
    bool a_is_capsule = a.to->shape == QD_SPACE_CAPSULE, b_is_capsule = b.to->shape == QD_SPACE_CAPSULE;
    double reach = a.to->radius + b.to->radius;
    if (a_is_capsule && b_is_capsule) {
        return axes_meet(middle, way, axis_of(a.to), axis_of(b.to), reach * reach);
    }
    if (a_is_capsule || b_is_capsule) {
        return parallelogram_square(middle, way, axis_of(a_is_capsule ? a.to : b.to)) <= reach * reach;
    }
    return segment_square(middle, way) <= reach * reach;
}

/* Whether an end of the axis meets a box on its way; the box may move as well. */
static bool box_meets_end(motion box, motion round, double sign)
{
    gaps way;
    double from[3], to[3];

    end_of_axis(round.from, sign, from);
    end_of_axis(round.to, sign, to);
    gaps_of_point(from, box.from, way.from);
    gaps_of_point(to, box.to, way.to);
    return gaps_least_square(&way) <= round.to->radius * round.to->radius;
}

static double parting(double a, double b)
{
    return (a - b) - PARTING_SLACK * (fabs(a) + fabs(b));
}

/* How far a box and an axis are apart, despite rounding, in each direction that can separate them: the directions of
 * the box's edges, and those across an edge and the axis. All amounts change evenly as both shapes move. */
static void partings(const qd_geometry *box, const qd_geometry *capsule, double part[PARTINGS])
{
    double lo[3], hi[3];
    const double *axis = capsule->to;

    for (uint32_t k = 0; k < 3; k++) {
        lo[k] = box->at[k] - capsule->at[k];
        hi[k] = box->to[k] - capsule->at[k];
        part[4 * k] = parting(lo[k], fabs(axis[k]));
        part[4 * k + 1] = parting(-hi[k], fabs(axis[k]));
    }
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t i = (k + 1) % 3, j = (k + 2) % 3;
        double least_i = axis[j] > 0 ? lo[i] : hi[i], most_i = axis[j] > 0 ? hi[i] : lo[i];
        double least_j = axis[i] > 0 ? lo[j] : hi[j], most_j = axis[i] > 0 ? hi[j] : lo[j];

        part[4 * k + 2] = parting(axis[j] * least_i, axis[i] * most_j);
        part[4 * k + 3] = parting(axis[i] * least_j, axis[j] * most_i);
    }
}

/* Whether at some moment no direction separates the two. For a box without thickness that is a single moment, at which
 * several partings close or open. Products decide whether one closes before another opens; the slack covers their
 * rounding, wherever on the way that is. */
static bool unparted_at_once(const double from[PARTINGS], const double to[PARTINGS])
{
    for (uint32_t i = 0; i < PARTINGS; i++) {
        if (from[i] > 0 && to[i] > 0) {
            return false;
        }
    }
    for (uint32_t i = 0; i < PARTINGS; i++) {
        for (uint32_t j = 0; j < PARTINGS && from[i] > 0; j++) {
            if (to[j] > 0 && from[i] * to[j] > from[j] * to[i]) {
                return false;
            }
        }
    }
    return true;
}

/* From a corner of the box, a bit per axis, to the capsule's center. */
static vec from_corner(const qd_geometry *box, uint32_t corner, const qd_geometry *capsule)
{
    double apart[3];

    for (uint32_t k = 0; k < 3; k++) {
        apart[k] = capsule->at[k] - (corner >> k & 1 ? box->to[k] : box->at[k]);
    }
    return vec_of(apart);
}

/* The axis sweeps a parallelogram. If its inside comes nearest to the box, the box reaches through it, or has a corner
 * there. Rounding may give a box different sizes at both ends of its way, so each corner is tested on its own way. */
static bool box_meets_inside(motion box, motion capsule)
{
    double from[PARTINGS], to[PARTINGS], reach_square = capsule.to->radius * capsule.to->radius;

    partings(box.from, capsule.from, from);
    partings(box.to, capsule.to, to);
    if (unparted_at_once(from, to)) {
        return true;
    }
    for (uint32_t corner = 0; corner < CORNERS; corner++) {
        vec middle, way;

        ways_apart(from_corner(box.from, corner, capsule.from), from_corner(box.to, corner, capsule.to), &middle, &way);
        if (parallelogram_square_inside(middle, way, axis_of(capsule.to)) <= reach_square) {
            return true;
        }
    }
    return false;
}

static bool box_meets_round(motion box, motion round)
{
    if (round.to->shape == QD_SPACE_CIRCLE) {
        return box_meets_end(box, round, 0);
    }
    return box_meets_end(box, round, -1) || box_meets_end(box, round, 1) || box_meets_inside(box, round);
}

bool qd_geometry_meets(const qd_geometry *a_begin, const qd_geometry *a_end, const qd_geometry *b_begin,
                       const qd_geometry *b_end)
{
    if (qd_geometry_overlaps(a_begin, b_begin) || qd_geometry_overlaps(a_end, b_end)) {
        return true;
    }
    motion a = {a_begin, a_end}, b = {b_begin, b_end};
    if (apart_along_an_axis(a, b)) {
        return false;
    }
    if (a_end->shape == QD_SPACE_BOX) {
        return b_end->shape == QD_SPACE_BOX ? boxes_meet(a, b) : box_meets_round(a, b);
    }
    return b_end->shape == QD_SPACE_BOX ? box_meets_round(b, a) : rounds_meet(a, b);
}

/* ---- distance and ray ---- */

double qd_geometry_distance(const qd_geometry *geometry, const double point[3])
{
    if (geometry->shape == QD_SPACE_BOX) {
        double gap[FACES];

        gaps_of_point(point, geometry, gap);
        return sqrt(square_of_gaps(gap));
    }
    vec apart = minus(vec_of(geometry->at), vec_of(point));
    double least = geometry->shape == QD_SPACE_CIRCLE ? square(apart) : segment_square(apart, axis_of(geometry));
    return greater(0, sqrt(least) - geometry->radius);
}

static double ray_to_box(const qd_geometry *box, const double origin[3], const double unit[3], double length)
{
    double enter = 0, leave = length;

    for (uint32_t k = 0; k < 3; k++) {
        double lo = box->at[k] - origin[k], hi = box->to[k] - origin[k];

        if (unit[k] == 0) {
            if (lo > 0 || hi < 0) {
                return (double)INFINITY;
            }
            continue;
        }
        enter = greater(enter, (unit[k] > 0 ? lo : hi) / unit[k]);
        leave = lesser(leave, (unit[k] > 0 ? hi : lo) / unit[k]);
    }
    return enter <= leave ? enter : (double)INFINITY;
}

/* `apart` is the center relative to the ray's origin, which is outside the circle. */
static double ray_to_circle(vec apart, vec unit, double radius)
{
    double along = dot(apart, unit), rest = radius * radius - square(cross(apart, unit));

    return along > 0 && rest >= 0 ? greater(0, along - sqrt(rest)) : (double)INFINITY;
}

/* The side of a capsule, without its ends. `tilt` is the square of the sine between ray and axis, times the square of
 * the axis' length. */
static double ray_to_side(vec apart, vec unit, vec axis, double radius)
{
    vec normal = cross(unit, axis);
    double tilt = square(normal), off = dot(apart, normal), rest = radius * radius * tilt - off * off;

    if (tilt == 0 || rest < 0) {
        return (double)INFINITY;
    }
    double at = (dot(cross(apart, axis), normal) - sqrt(square(axis) * rest)) / tilt;
    double along = at * dot(unit, axis) - dot(apart, axis);
    return at >= 0 && fabs(along) <= square(axis) ? at : (double)INFINITY;
}

double qd_geometry_ray(const qd_geometry *geometry, const double origin[3], const double unit[3], double length)
{
    if (geometry->shape == QD_SPACE_BOX) {
        return ray_to_box(geometry, origin, unit, length);
    }
    vec apart = minus(vec_of(geometry->at), vec_of(origin)), axis = axis_of(geometry), along = vec_of(unit);
    if (segment_square(apart, axis) <= geometry->radius * geometry->radius) {
        return 0;
    }
    double hit = ray_to_circle(minus(apart, axis), along, geometry->radius);
    if (geometry->shape == QD_SPACE_CAPSULE) {
        hit = lesser(hit, ray_to_circle(plus(apart, axis), along, geometry->radius));
        hit = lesser(hit, ray_to_side(apart, along, axis, geometry->radius));
    }
    return hit <= length ? hit : (double)INFINITY;
}

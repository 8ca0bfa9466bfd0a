/* SPDX-License-Identifier: Apache-2.0
 *
 * The verbs that read the room: figures, snapshots and queries.
 */
#include <math.h>
#include <string.h>

#include "scenario.h"
#include "statement.h"

/* Each expected figure is one of these. */
void stats(void)
{
    qd_room_stats figures;
    qd_room_view_stats views;
    char all[512], wanted[64];

    qd_room_stats_get(played.room, &figures);
    qd_room_view_stats_get(played.room, &views);
    snprintf(all, sizeof all,
             ", tick %u, entities %u, members %u, subscriptions %u, updates %u, begins %u, ends %u, passed %u, "
             "pairs %u, ticks skipped %u, depth %u, observers %u, seen %u, enters %u, leaves %u, ",
             (unsigned)figures.tick, figures.entities, figures.members, figures.subscriptions,
             (unsigned)figures.updates, (unsigned)figures.begins, (unsigned)figures.ends, (unsigned)figures.passed,
             (unsigned)figures.pairs, (unsigned)figures.ticks_skipped, figures.depth, views.observers,
             (unsigned)views.seen, (unsigned)views.enters, (unsigned)views.leaves);
    for (const char *at = expected; *at != '\0'; at += strspn(at, ", ")) {
        size_t size = strcspn(at, ",");

        snprintf(wanted, sizeof wanted, ", %.*s, ", (int)size, at);
        if (strstr(all, wanted) == NULL) {
            fail_msg("the figures are%s not \"%s\"", all, expected);
        }
        at += size;
    }
    expected = "";
}

static void add_more(bool more)
{
    text_add(&got, "%s", !more ? "" : got.used > 0 ? " more" : "more");
}

void snapshot(void)
{
    uint32_t owner = take("of") ? need_member() : QD_ROOM_ANYBODY, limit = take("limit") ? need_id() : 10;
    qd_room_region region = {0};
    float *const bounds[] = {&region.min_x, &region.max_x, &region.min_y, &region.max_y, &region.min_z, &region.max_z};
    bool has_region = take("in"), more;
    double bound;

    for (size_t i = 0; i < 6 && take_number(&bound); i++) {
        *bounds[i] = (float)bound;
    }
    qd_room_batch found;
    assert_int_equal(qd_room_snapshot(played.room, owner, has_region ? &region : NULL, limit, &found, &more), QD_OK);
    text_ids(&got, found.id, found.count);
    add_more(more);
}

static qd_room_batch take_all(void)
{
    qd_room_batch all;
    bool more;

    assert_int_equal(qd_room_snapshot(played.room, QD_ROOM_ANYBODY, NULL, UINT32_MAX, &all, &more), QD_OK);
    assert_int_equal(all.z != NULL, played.is_deep);
    return all;
}

static uint32_t need_index(const qd_room_batch *all)
{
    uint32_t id = need_id(), i = 0;

    while (i < all->count && all->id[i] != id) {
        i++;
    }
    assert_true(i < all->count);
    return i;
}

void where(void)
{
    const qd_room_batch all = take_all();

    while (!at_end()) {
        text_add(&got, got.used > 0 ? " %g" : "%g", (double)all.x[need_index(&all)]);
    }
}

static double value_of(const float *values, uint32_t i)
{
    return values != NULL ? (double)values[i] : 0;
}

/* The vector if the shape has it; otherwise it is 0. */
static void add_vector(bool has, const char *name, const double vector[3])
{
    if (has) {
        text_add(&got, " %s %g %g", name, vector[0], vector[1]);
        text_add(&got, played.is_deep ? " %g" : "", vector[2]);
    } else {
        assert_true(vector[0] == 0 && vector[1] == 0);
    }
    assert_true((has && played.is_deep) || vector[2] == 0);
}

static void add_sizes(const qd_room_batch *of, uint32_t i)
{
    const uint8_t shape = of->shape[i];
    const double radius = value_of(of->radius, i);

    add_vector(shape == QD_SPACE_BOX, "half",
               (double[]){value_of(of->half_x, i), value_of(of->half_y, i), value_of(of->half_z, i)});
    text_add(&got, shape != QD_SPACE_BOX ? " radius %g" : "", radius);
    assert_true(shape != QD_SPACE_BOX || radius == 0);
    add_vector(shape == QD_SPACE_CAPSULE, "axis",
               (double[]){value_of(of->axis_x, i), value_of(of->axis_y, i), value_of(of->axis_z, i)});
}

void body(void)
{
    const qd_room_batch of = take_all();
    uint32_t i = need_index(&of);

    text_add(&got, "%g %g", (double)of.x[i], (double)of.y[i]);
    text_add(&got, played.is_deep ? " %g" : "", played.is_deep ? (double)of.z[i] : 0);
    add_sizes(&of, i);
    text_add(&got, of.shape[i] != QD_SPACE_BOX ? " shape %u" : "", of.shape[i]);
    text_add(&got, of.category[i] != 1 ? " category %u" : "", of.category[i]);
    text_add(&got, of.mask[i] != UINT32_MAX ? " mask %u" : "", of.mask[i]);
}

/* Of a box the bounds of each axis follow, otherwise a position; then the radius, or the direction of a ray. */
void query(void)
{
    static const char *const kinds[] = {[QD_SPACE_IN_BOX] = "box",
                                        [QD_SPACE_IN_CIRCLE] = "circle",
                                        [QD_SPACE_NEAREST] = "nearest",
                                        [QD_SPACE_RAY] = "ray"};
    qd_space_query asked = {.kind = QD_SPACE_IN_BOX, .reach = (double)INFINITY, .limit = 100};
    float *const bounds[] = {&asked.min_x, &asked.max_x, &asked.min_y, &asked.max_y, &asked.min_z, &asked.max_z};
    float *const points[] = {&asked.x, &asked.y, &asked.z};
    float *const directions[] = {&asked.direction_x, &asked.direction_y, &asked.direction_z};
    unsigned axes = played.is_deep ? 3 : 2;

    while (!take(kinds[asked.kind])) {
        asked.kind++;
    }
    for (unsigned k = 0; k < axes; k++) {
        if (asked.kind == QD_SPACE_IN_BOX) {
            *bounds[2 * k] = (float)need_number();
            *bounds[2 * k + 1] = (float)need_number();
        } else {
            *points[k] = (float)need_number();
        }
    }
    for (unsigned k = 0; k < axes && asked.kind == QD_SPACE_RAY; k++) {
        *directions[k] = (float)need_number();
    }
    asked.radius = asked.kind == QD_SPACE_IN_CIRCLE ? (float)need_number() : 0;
    asked.reach = take("reach") ? need_number() : asked.reach;
    asked.limit = take("limit") ? need_id() : asked.limit;
    asked.categories = take("categories") ? need_id() : 0;
    qd_room_found found;
    assert_int_equal(qd_room_query(played.room, &asked, &found), QD_OK);
    for (uint32_t i = 0; i < found.count; i++) {
        text_add(&got, i > 0 ? " %u" : "%u", found.id[i]);
        if (asked.kind == QD_SPACE_NEAREST || asked.kind == QD_SPACE_RAY) {
            text_add(&got, " at %g", found.distance[i]);
        }
    }
    add_more(found.more);
}

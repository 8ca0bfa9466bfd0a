/* SPDX-License-Identifier: Apache-2.0 */
#include "run.h"

#include <math.h>

/* ---- snapshots ---- */

/* Of a column that is absent where all of it is 0. */
static float value(const float *column, uint32_t i)
{
    return column ? column[i] : 0;
}

static bool touches(float at, float half, float min, float max)
{
    return (float)(at - half) <= max && min <= (float)(at + half);
}

/* By the bounding box. */
static bool is_in(const qd_body *body, const qd_room_region *region)
{
    float half[3] = {body->half_x, body->half_y, body->half_z};

    for (int axis = 0; axis < 3; axis++) {
        if (body->shape == QD_SPACE_CIRCLE) {
            half[axis] = body->half_x;
        } else if (body->shape == QD_SPACE_CAPSULE) {
            half[axis] = fabsf(half[axis]) + body->radius;
        }
    }
    return touches(body->x, half[0], region->min_x, region->max_x) &&
           touches(body->y, half[1], region->min_y, region->max_y) &&
           touches(body->z, half[2], region->min_z, region->max_z);
}

static void check_row(struct run *run, const qd_room_batch *columns, uint32_t i, const ref_entity *entity)
{
    const qd_body *body = &entity->body;

    REQUIRE(run, columns->id[i] == entity->id);
    REQUIRE(run, columns->x[i] == body->x && columns->y[i] == body->y && value(columns->z, i) == body->z);
    REQUIRE(run, ref_has_sizes(columns, i, body));
    REQUIRE(run, columns->category[i] == body->category && columns->mask[i] == body->mask);
}

static void check_snapshot(struct run *run, uint32_t owner, const qd_room_region *region, uint32_t limit,
                           const qd_room_batch *columns, bool more)
{
    ref_crowd *now = &run->reference->now;
    uint32_t count = 0;
    bool any_radius = false;

    REQUIRE(run, columns->count == 0 ||
                     (!columns->z == !run->is_3d && (run->is_3d || (!columns->half_z && !columns->axis_z))));
    if (now->count > 0) {
        qsort(now->all, now->count, sizeof now->all[0], ref_by_id);
    }
    for (uint32_t i = 0; i < now->count; i++) {
        if (region && !is_in(&now->all[i].body, region)) {
            continue;
        }
        if (owner != QD_ROOM_ANYBODY && owner != now->all[i].owner) {
            continue;
        }
        if (count == limit) {
            REQUIRE(run, more && columns->count == limit);
            return;
        }
        REQUIRE(run, count < columns->count);
        check_row(run, columns, count++, &now->all[i]);
        any_radius |=
            now->all[i].body.shape == QD_SPACE_CIRCLE ? now->all[i].body.half_x != 0 : now->all[i].body.radius != 0;
    }
    REQUIRE(run, !more && columns->count == count && (columns->radius != NULL) == any_radius);
}

void do_snapshot(struct run *run, rng_stream *rng)
{
    qd_room_region region = {.min_x = (float)rng_below(rng, run->side), .min_y = (float)rng_below(rng, run->side)};
    const qd_room_region *where = rng_one_in(rng, 2) ? &region : NULL;
    uint32_t owner = rng_one_in(rng, 2) ? rng_below(rng, 4) : QD_ROOM_ANYBODY;
    uint32_t limit = rng_one_in(rng, 2) ? rng_below(rng, 20) : 1u << 20;
    qd_room_batch columns;
    bool more;

    region.max_x = region.min_x + (float)rng_below(rng, run->side);
    region.max_y = region.min_y + (float)rng_below(rng, run->side);
    if (run->is_3d) {
        region.min_z = (float)rng_below(rng, run->side);
        region.max_z = region.min_z + (float)rng_below(rng, run->side);
    }
    qd_status status = qd_room_snapshot(run->room, owner, where, limit, &columns, &more);
    if (run->is_short && status == QD_ERR_NO_MEMORY) {
        met->short_calls++;
        return;
    }
    REQUIRE(run, status == QD_OK);
    met->snapshots++;
    mix_number(run, (uint64_t)columns.count << 1 | more);
    mix(run, columns.id, columns.count * sizeof columns.id[0]);
    if (run->reference) {
        check_snapshot(run, owner, where, limit, &columns, more);
    }
}

/* ---- figures ---- */

void check_stats(struct run *run)
{
    const ref_room *reference = run->reference;
    qd_room_stats stats;
    uint32_t members = 0, subscriptions = 0, live = 0;

    for (uint32_t member = 0; member < REF_MEMBERS_MAX; member++) {
        members += reference->members[member].present;
        subscriptions += reference->members[member].state != REF_NONE;
        live += reference->members[member].state == REF_LIVE;
    }
    qd_room_stats_get(run->room, &stats);
    REQUIRE(run, stats.tick == run->tick && stats.ticks_skipped == run->skipped && stats.updates == run->updates);
    REQUIRE(run, stats.entities == reference->now.count);
    REQUIRE(run, stats.members == members && stats.subscriptions == subscriptions);
    REQUIRE(run, stats.begins == reference->begins_counted && stats.ends == reference->ends_counted);
    REQUIRE(run, stats.passed == reference->passed_counted);
    REQUIRE(run, stats.pairs == (live > 0 ? reference->set.count : 0));
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "join_plan.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "../state/rule.h"

#define LARGE 4 /* ranges: larger regions have groups of their own */

/* ---- regions ---- */

static qd_join_region region_of(const qd_observer *observer, unsigned what)
{
    qd_join_region region = {.kind = 0};

    if (observer->state != QD_OBSERVER_LIVE || observer->body[what] == QD_NONE) {
        return region;
    }
    memcpy(region.at, observer->at, sizeof region.at);
    qd_observer_sizes(observer, what, region.half);
    region.kind = observer->kind == QD_ROOM_BOX ? QD_ROOM_BOX : QD_ROOM_CIRCLE;
    return region;
}

static bool fit_regions(qd_views *views, qd_join_regions *regions, uint32_t count)
{
    if (count == 0) {
        return true;
    }
    if (!qd_array_reserve(views->heap, regions->of, regions->capacity, count - 1)) {
        return false;
    }
    while (regions->count < count) {
        regions->of[regions->count++] = (qd_join_region){.kind = 0};
    }
    return true;
}

bool qd_join_regions_note(qd_views *views, qd_join_regions *now, qd_join_regions *was)
{
    const uint32_t count = views->count * QD_REGION_BODIES;

    if (!fit_regions(views, now, count > was->count ? count : was->count) || !fit_regions(views, was, now->count)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        now->of[i] = region_of(&views->observers[i / QD_REGION_BODIES], i % QD_REGION_BODIES);
    }
    /* There may have been more rows before. */
    for (uint32_t i = count; i < now->count; i++) {
        now->of[i].kind = 0;
    }
    return true;
}

static float widest(const qd_join_region *region)
{
    float most = 0;

    for (unsigned k = 0; k < 2 && region->kind != 0; k++) {
        most = region->half[k] > most ? region->half[k] : most;
    }
    return most;
}

float qd_join_range(const qd_join_regions *now, const qd_join_regions *was)
{
    double sum = 0;
    uint32_t count = 0;

    for (uint32_t i = 0; i < now->count; i++) {
        const qd_join_region *region = now->of[i].kind != 0 ? &now->of[i] : &was->of[i];

        sum += (double)widest(region);
        count += region->kind != 0;
    }
    return (float)(sum / (count + !count));
}

/* ---- bodies, in the order of cells ---- */

struct making {
    const qd_join_grid *grid;
    const qd_join_regions *now, *was;
    qd_join_plan *plan;
    uint32_t *next; /* by cell, the next place in the order; large regions have cells of their own */
    uint32_t *key;  /* by unsorted body, its cell */
    qd_join_body *unsorted;
    float range, slack;
};

static const float *center_of(const struct making *of, const qd_join_body *body)
{
    return body->is ? of->now->of[body->region].at : of->was->of[body->region].at;
}

static float widest_of(const struct making *of, const qd_join_body *body)
{
    const float now = body->is ? widest(&of->now->of[body->region]) : 0;
    const float was = body->did ? widest(&of->was->of[body->region]) : 0;

    return now > was ? now : was;
}

static void add_body(struct making *to, qd_join_body body)
{
    const uint32_t i = to->plan->body_count++, cells = to->grid->side[0] * to->grid->side[1];
    const float *at = center_of(to, &body);
    const uint32_t cell = qd_join_cell(to->grid, 1, at[1]) * to->grid->side[0] + qd_join_cell(to->grid, 0, at[0]);

    to->unsorted[i] = body;
    to->key[i] = widest_of(to, &body) > LARGE * to->range ? cells + cell : cell;
    to->next[to->key[i] + 1]++;
}

static void add_bodies(qd_views *views, struct making *to)
{
    for (uint32_t i = 0; i < to->now->count; i++) {
        const qd_join_region *now = &to->now->of[i], *was = &to->was->of[i];
        const bool is = now->kind != 0, did = was->kind != 0;
        float way = 0;

        if (!is && !did) {
            continue;
        }
        for (unsigned k = 0; k < 2 && is && did; k++) {
            const float along = fabsf(now->at[k] - was->at[k]);

            way = along > way ? along : way;
        }
        if (way > to->grid->reach) {
            /* An entity that stays in the region is found twice: it goes and comes. */
            views->attention[i / QD_REGION_BODIES] |= QD_ATTEND_ONCE;
            add_body(to, (qd_join_body){.region = i, .is = true});
            add_body(to, (qd_join_body){.region = i, .did = true});
            continue;
        }
        to->slack = way > to->slack ? way : to->slack;
        add_body(to, (qd_join_body){.region = i, .is = is, .did = did});
    }
}

static void sort_bodies(const struct making *of)
{
    const uint32_t keys = 2 * of->grid->side[0] * of->grid->side[1];

    for (uint32_t key = 0; key < keys; key++) {
        of->next[key + 1] += of->next[key];
    }
    for (uint32_t i = 0; i < of->plan->body_count; i++) {
        of->plan->bodies[of->next[of->key[i]]++] = of->unsorted[i];
    }
}

/* ---- groups ---- */

/* How far from its center a body may meet the grid's entries, a little more for the rounding of cells. */
static float with_slack(const struct making *of, float center, float half, float sign)
{
    const double reach = (double)half + (double)of->slack + (double)of->grid->slack;
    const double at = (double)center + (double)sign * (reach + 0x1p-20 * (fabs((double)center) + reach));

    return (float)fmax(fmin(at, (double)FLT_MAX), -(double)FLT_MAX);
}

static qd_join_area area_of(const struct making *of, const qd_join_group *group)
{
    float lo[2] = {FLT_MAX, FLT_MAX}, hi[2] = {-FLT_MAX, -FLT_MAX}, half = 0;

    for (uint32_t i = group->first; i < group->first + group->count; i++) {
        const qd_join_body *body = &of->plan->bodies[i];
        const float *at = center_of(of, body), wide = widest_of(of, body);

        for (unsigned k = 0; k < 2; k++) {
            lo[k] = at[k] < lo[k] ? at[k] : lo[k];
            hi[k] = at[k] > hi[k] ? at[k] : hi[k];
        }
        half = wide > half ? wide : half;
    }
    return (qd_join_area){
        .x0 = qd_join_cell(of->grid, 0, with_slack(of, lo[0], half, -1)),
        .x1 = qd_join_cell(of->grid, 0, with_slack(of, hi[0], half, 1)),
        .y0 = qd_join_cell(of->grid, 1, with_slack(of, lo[1], half, -1)),
        .y1 = qd_join_cell(of->grid, 1, with_slack(of, hi[1], half, 1)),
    };
}

static void add_group(const struct making *of, uint32_t first, uint32_t end)
{
    qd_join_plan *plan = of->plan;
    qd_join_group *group = &plan->groups[plan->group_count++];

    *group = (qd_join_group){.first = first, .count = end - first, .masks = plan->masks};
    group->area = area_of(of, group);
    for (uint32_t y = group->area.y0; y <= group->area.y1; y++) {
        uint32_t entry;

        group->points += qd_join_run(of->grid, &group->area, y, &entry);
    }
    plan->points_max = group->points > plan->points_max ? group->points : plan->points_max;
    plan->looks += group->count * (uint64_t)qd_join_words(group);
    plan->masks += 2 * group->count * qd_join_words(group);
}

static void make_groups(const struct making *of)
{
    const uint32_t keys = 2 * of->grid->side[0] * of->grid->side[1];

    for (uint32_t key = 0; key < keys; key++) {
        const uint32_t first = key > 0 ? of->next[key - 1] : 0; /* each has moved on to its end */

        if (of->next[key] > first) {
            add_group(of, first, of->next[key]);
        }
    }
}

/* ---- parts ---- */

/* Consecutive groups, with about as many looks each. */
static void make_parts(qd_join_plan *plan, uint32_t most)
{
    const uint32_t count = plan->group_count < most ? plan->group_count : most;
    uint64_t looks = 0;

    plan->part_count = 0;
    for (uint32_t i = 0; i < plan->group_count; i++) {
        if (plan->part_count == 0 || (looks * count >= plan->looks * plan->part_count && plan->part_count < count)) {
            plan->parts[plan->part_count++] = (qd_join_part){.first = i};
        }
        plan->parts[plan->part_count - 1].end = i + 1;
        looks += plan->groups[i].count * (uint64_t)qd_join_words(&plan->groups[i]);
    }
}

static bool fit(qd_views *views, qd_join_plan *plan, struct making *to, uint32_t parts_max)
{
    const size_t bodies = (size_t)to->now->count * 2, keys = 2 * (size_t)to->grid->side[0] * to->grid->side[1] + 1;
    const size_t groups = bodies < keys ? bodies : keys;
    const size_t sizes[] = {
        qd_block_part(bodies, sizeof plan->bodies[0]),   qd_block_part(groups, sizeof plan->groups[0]),
        qd_block_part(parts_max, sizeof plan->parts[0]), qd_block_part(keys, sizeof to->next[0]),
        qd_block_part(bodies, sizeof to->key[0]),        qd_block_part(bodies, sizeof to->unsorted[0]),
    };
    size_t bytes = 0;

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        bytes += sizes[i];
    }
    char *memory = qd_block_fit(&plan->block, views->heap, bytes);
    if (!memory) {
        return false;
    }
    plan->bodies = (qd_join_body *)memory;
    plan->groups = (qd_join_group *)(memory += sizes[0]);
    plan->parts = (qd_join_part *)(memory += sizes[1]);
    to->next = (uint32_t *)(memory += sizes[2]);
    to->key = (uint32_t *)(memory += sizes[3]);
    to->unsorted = (qd_join_body *)(memory += sizes[4]);
    memset(to->next, 0, keys * sizeof to->next[0]);
    return true;
}

bool qd_join_plan_make(qd_views *views, const qd_join_grid *grid, const qd_join_regions *now,
                       const qd_join_regions *was, uint32_t parts_max, qd_join_plan *plan)
{
    struct making making = {.grid = grid, .now = now, .was = was, .plan = plan, .range = qd_join_range(now, was)};

    plan->body_count = plan->group_count = plan->points_max = 0;
    plan->looks = 0;
    plan->masks = 0;
    if (!fit(views, plan, &making, parts_max)) {
        return false;
    }
    add_bodies(views, &making);
    sort_bodies(&making);
    make_groups(&making);
    make_parts(plan, parts_max);
    return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "join_plan.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "../state/spans.h"

#define GROUPS_MIN 128u /* of a task */
#define LARGE      4    /* ranges: larger regions have groups of their own */

struct making {
    const qd_join_grid *grid;
    const qd_join_bodies *from;
    qd_join_plan *plan;
    uint32_t *next; /* by cell, the next place in the order; large regions have cells of their own */
    uint32_t *key;  /* by body of `from`, its cell */
};

/* ---- bodies, in the order of cells ---- */

static const float *center_of(const qd_join_body *body)
{
    return body->is ? body->now : body->was;
}

static float widest_of(const qd_join_body *body)
{
    return body->radius_now > body->radius_was ? body->radius_now : body->radius_was;
}

static void count_cells(const struct making *of)
{
    const uint32_t cells = of->grid->side[0] * of->grid->side[1];

    for (uint32_t i = 0; i < of->from->count; i++) {
        const qd_join_body *body = &of->from->of[i];
        const float *at = center_of(body);
        const uint32_t cell = qd_join_cell(of->grid, 1, at[1]) * of->grid->side[0] + qd_join_cell(of->grid, 0, at[0]);

        of->key[i] = widest_of(body) > LARGE * of->from->range ? cells + cell : cell;
        of->next[of->key[i] + 1]++;
    }
}

static void sort_bodies(const struct making *of)
{
    const uint32_t keys = 2 * of->grid->side[0] * of->grid->side[1];

    for (uint32_t key = 0; key < keys; key++) {
        of->next[key + 1] += of->next[key];
    }
    for (uint32_t i = 0; i < of->from->count; i++) {
        of->plan->bodies[of->next[of->key[i]]++] = of->from->of[i];
    }
}

/* ---- groups ---- */

/* So far from a center, to the side of `sign`, and a little more for the rounding of cells. */
static inline float beyond(float center, double reach, double sign)
{
    const double at = (double)center + sign * (reach + 0x1p-20 * (fabs((double)center) + reach));
    const double most = (double)FLT_MAX, low = at > most ? most : at;

    return (float)(low < -most ? -most : low);
}

static qd_join_area area_of(const struct making *of, const qd_join_group *group)
{
    float lo[2] = {FLT_MAX, FLT_MAX}, hi[2] = {-FLT_MAX, -FLT_MAX}, half = 0;

    for (uint32_t i = group->first; i < group->first + group->count; i++) {
        const qd_join_body *body = &of->plan->bodies[i];
        const float *at = center_of(body), wide = widest_of(body);

        for (unsigned k = 0; k < 2; k++) {
            lo[k] = at[k] < lo[k] ? at[k] : lo[k];
            hi[k] = at[k] > hi[k] ? at[k] : hi[k];
        }
        half = wide > half ? wide : half;
    }
    /* How far from its center a body may meet the grid's entries. */
    const double reach = (double)half + (double)of->from->slack + (double)of->grid->slack;
    return (qd_join_area){
        .x0 = qd_join_cell(of->grid, 0, beyond(lo[0], reach, -1)),
        .x1 = qd_join_cell(of->grid, 0, beyond(hi[0], reach, 1)),
        .y0 = qd_join_cell(of->grid, 1, beyond(lo[1], reach, -1)),
        .y1 = qd_join_cell(of->grid, 1, beyond(hi[1], reach, 1)),
    };
}

/* Finds the points near a group. */
static void find_points(const struct making *of, qd_join_group *group)
{
    group->points = group->shown;
    group->area = area_of(of, group);
    for (uint32_t row = 0, rows = qd_join_rows_of(of->grid, &group->area); row < rows; row++) {
        uint32_t entry;

        group->points += qd_join_run(of->grid, &group->area, row, &entry);
    }
}

/* Gives a group its masks. */
static void add_masks(const qd_join_grid *grid, qd_join_plan *plan, qd_join_group *group)
{
    group->older = group->masks;
    group->masks = plan->masks;
    const uint32_t rows = qd_join_rows_of(grid, &group->area);
    plan->rows_max = rows > plan->rows_max ? rows : plan->rows_max;
    plan->points_max = group->points > plan->points_max ? group->points : plan->points_max;
    plan->looks += group->count * (uint64_t)qd_join_words(group);
    plan->masks += group->rows * (size_t)group->count * qd_join_stride(qd_join_words(group));
}

static void add_group(const struct making *of, uint32_t first, uint32_t end)
{
    qd_join_group *group = &of->plan->groups[of->plan->group_count++];

    *group = (qd_join_group){.first = first, .count = end - first, .rows = qd_join_masks_for(QD_RELAY_NOTHING)};
    for (uint32_t i = first; i < end; i++) {
        const qd_join_body *body = &of->plan->bodies[i];

        const uint32_t rows = qd_join_masks_for(body->relay);

        group->rows = rows > group->rows ? rows : group->rows;
        group->shown = body->shown > group->shown ? body->shown : group->shown;
    }
    find_points(of, group);
    add_masks(of->grid, of->plan, group);
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
    const size_t bodies = to->from->count, keys = 2 * (size_t)to->grid->side[0] * to->grid->side[1] + 1;
    const size_t groups = bodies < keys ? bodies : keys;
    const size_t sizes[] = {
        qd_block_part(bodies, sizeof plan->bodies[0]),   qd_block_part(groups, sizeof plan->groups[0]),
        qd_block_part(parts_max, sizeof plan->parts[0]), qd_block_part(keys, sizeof to->next[0]),
        qd_block_part(bodies, sizeof to->key[0]),
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
    memset(to->next, 0, keys * sizeof to->next[0]);
    return true;
}

static void clear(qd_join_plan *plan, uint32_t round)
{
    plan->points_max = plan->rows_max = 0;
    plan->looks = 0;
    plan->masks = 0;
    plan->round = round;
}

bool qd_join_plan_make(qd_views *views, const qd_join_grid *grid, const qd_join_bodies *bodies, uint32_t parts_max,
                       qd_join_plan *plan)
{
    struct making making = {.grid = grid, .from = bodies, .plan = plan};

    clear(plan, views->round);
    plan->group_count = 0;
    if (!fit(views, plan, &making, parts_max)) {
        return false;
    }
    count_cells(&making);
    sort_bodies(&making);
    make_groups(&making);
    make_parts(plan, parts_max);
    return true;
}

struct following {
    struct making making;
    qd_view_spans spans;
};

static void follow_span(size_t span, void *argument)
{
    const struct following *following = argument;
    const uint32_t end = qd_view_span_first(&following->spans, span + 1);

    for (uint32_t i = qd_view_span_first(&following->spans, span); i < end; i++) {
        qd_join_group *group = &following->making.plan->groups[i];

        group->before = group->area;
        group->points_before = group->points;
        find_points(&following->making, group);
        group->stays = memcmp(&group->before, &group->area, sizeof group->area) == 0;
    }
}

void qd_join_plan_follow(const qd_views *views, const qd_executor *executor, const qd_join_grid *grid,
                         const qd_join_bodies *bodies, uint32_t parts_max, qd_join_plan *plan)
{
    struct following following = {.making = {.grid = grid, .from = bodies, .plan = plan},
                                  .spans = qd_view_spans_of(views, executor, plan->group_count, GROUPS_MIN)};

    clear(plan, views->round);
    executor->run(executor->context, following.spans.count, follow_span, &following);
    for (uint32_t i = 0; i < plan->group_count; i++) {
        add_masks(grid, plan, &plan->groups[i]);
    }
    make_parts(plan, parts_max);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "derived_limit.h"

#include <math.h>
#include <string.h>

#include "../state/priority_list.h"
#include "../state/rule.h"

_Static_assert(sizeof(qd_priority) <= QD_JOIN_SCRATCH, "a block has room for all of its points");

/* As qd_rule_distance measures. */
static double distance_of(const qd_join_block *block, const qd_join_body *body, uint32_t point)
{
    float *const *now = block->points.at.now;
    double sum = 0;

    for (unsigned k = 0; k < 3 && now[k]; k++) {
        const double apart = (double)now[k][point] - (double)body->now[k];

        sum += apart * apart;
    }
    return sqrt(sum);
}

void qd_derived_choose(const qd_views *views, qd_join_block *block, const qd_join_body *body, const uint16_t *did,
                       double ahead, uint32_t count, uint16_t *masks)
{
    qd_priority *items = block->scratch;
    uint32_t total = 0;

    for (uint32_t word = 0; word < block->words; word++) {
        for (uint32_t left = masks[word]; left != 0; left &= left - 1) {
            const uint32_t point = word * QD_JOIN_LANES + (uint32_t)__builtin_ctz(left);

            items[total++] = (qd_priority){
                .distance = distance_of(block, body, point) - (did && qd_join_get(did, point) ? ahead : 0),
                .id = views->entities->id[qd_join_slot_at(block, point)],
                .at = point,
            };
        }
    }
    qd_priority_choose(items, total, count);
    memset(masks, 0, block->words * sizeof masks[0]);
    for (uint32_t i = 0; i < count; i++) {
        qd_join_set(masks, items[i].at, true);
    }
}

/* ---- few come ---- */

#define COMERS_MAX 8u

/* One of those that compete for places in a view. Ids are looked up where distances are the same. */
struct rival {
    double distance; /* less the head start */
    uint32_t point;
};

struct rivals {
    const qd_views *views;
    qd_join_block *block;
    struct rival *all; /* in memory of the block */
    uint32_t count;
};

static void add_rivals(struct rivals *to, const qd_join_body *body, double ahead, const uint16_t *masks)
{
    for (uint32_t word = 0; word < to->block->words; word++) {
        for (uint32_t left = masks[word]; left != 0; left &= left - 1) {
            const uint32_t point = word * QD_JOIN_LANES + (uint32_t)__builtin_ctz(left);

            to->all[to->count++] = (struct rival){distance_of(to->block, body, point) - ahead, point};
        }
    }
}

static uint32_t id_of(const struct rivals *of, uint32_t i)
{
    return of->views->entities->id[qd_join_slot_at(of->block, of->all[i].point)];
}

static uint32_t last_of(const struct rivals *of)
{
    uint32_t last = 0;

    for (uint32_t i = 1; i < of->count; i++) {
        const double one = of->all[i].distance, other = of->all[last].distance;

        if (one > other || (one == other && id_of(of, i) > id_of(of, last))) {
            last = i;
        }
    }
    return last;
}

/* Of `stay` and a few others, removes the last one of all from `is` for each of the others. */
static void choose_among_few(const qd_views *views, qd_join_block *block, const qd_join_body *body, double ahead,
                             const uint16_t *stay, const uint16_t *comers, uint16_t *is)
{
    struct rivals rivals = {.views = views, .block = block, .all = block->scratch};

    add_rivals(&rivals, body, ahead, stay);
    add_rivals(&rivals, body, 0, comers);
    while (rivals.count > body->limit) {
        const uint32_t last = last_of(&rivals);

        qd_join_set(is, rivals.all[last].point, false);
        rivals.all[last] = rivals.all[--rivals.count];
    }
}

/* The points of `is` that were not in the view, and may be at least as near as the last of those that were. Returns how
 * many there are. */
static uint32_t find_comers(const qd_views *views, const qd_join_block *block, const qd_join_body *body, double ahead,
                            const uint16_t *stay, const uint16_t *is, uint16_t *to)
{
    const qd_join_kernel *kernel = views->join->kernel;
    const float square = kernel->farthest(block->points.at.now, block->words, body->now, stay);
    const float most = fmaxf(square, QD_JOIN_SQUARE_MIN) * (1 + 2 * QD_JOIN_ERROR_SHARE);
    const double last = sqrt((double)most) - ahead;

    memset(to, 0, block->stride * sizeof to[0]);
    if (last < 0) {
        return 0;
    }
    for (uint32_t word = 0; word < block->words; word++) {
        to[word] = (uint16_t)(is[word] & ~stay[word]);
    }
    const qd_join_ball ball = qd_join_ball_of(body->now, nextafterf((float)last, INFINITY));
    (void)kernel->within(block->points.at.now, block->words, &ball, to, to);
    return kernel->count(to, to, block->words).is;
}

void qd_derived_limit(const qd_views *views, qd_join_block *block, const qd_join_body *body,
                      const qd_observer *observer, uint32_t staying, uint16_t *is, const uint16_t *did)
{
    const double ahead = qd_rule_head_start(observer);
    uint16_t *stay = block->some[0], *comers = block->some[1];

    if (staying < body->limit || QD_WITHOUT(FEW_COMERS)) {
        qd_derived_choose(views, block, body, did, ahead, body->limit, is);
        return;
    }
    for (uint32_t word = 0; word < block->words; word++) {
        stay[word] = (uint16_t)(is[word] & did[word]);
    }
    const uint32_t count = find_comers(views, block, body, ahead, stay, is, comers);
    for (uint32_t word = 0; word < block->words; word++) {
        is[word] = (uint16_t)(stay[word] | comers[word]);
    }
    if (count > COMERS_MAX) {
        qd_derived_choose(views, block, body, did, ahead, body->limit, is);
    } else if (count > 0) {
        choose_among_few(views, block, body, ahead, stay, comers, is);
    }
}

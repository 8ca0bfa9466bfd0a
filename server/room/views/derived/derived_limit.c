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

/* One of those that compete for places in a view. */
struct rival {
    double distance; /* less the head start */
    uint32_t point;
};

/* As many stay in a view as its limit allows, and others may come. */
struct rivals {
    const qd_views *views;
    qd_join_block *block;
    const qd_join_body *body;
    double ahead;
    const float *squares; /* of the distances of all points */
    uint16_t *stay;
    uint32_t staying, coming;
    struct rival comers[COMERS_MAX];
};

static uint32_t id_of(const struct rivals *of, const struct rival *one)
{
    return of->views->entities->id[qd_join_slot_at(of->block, one->point)];
}

/* Ids are looked up where distances are the same. */
static bool is_behind(const struct rivals *of, const struct rival *one, const struct rival *other)
{
    return one->distance > other->distance || (one->distance == other->distance && id_of(of, one) > id_of(of, other));
}

static struct rival rival_at(const struct rivals *of, uint32_t word, uint64_t four, double ahead)
{
    const uint32_t point = word * QD_JOIN_LANES + (uint32_t)__builtin_ctzll(four);

    return (struct rival){distance_of(of->block, of->body, point) - ahead, point};
}

/* The last one of those that stay; `largest` is their largest square. Others with about the same square may be as far. */
static struct rival last_staying(const struct rivals *of, float largest)
{
    const float below = largest > QD_JOIN_SQUARE_MIN ? largest * (1 - 4 * QD_JOIN_ERROR_SHARE) : -1;
    uint16_t *nearer = of->block->some[2];
    struct rival last = {.distance = -INFINITY};

    memcpy(nearer, of->stay, of->block->stride * sizeof nearer[0]);
    (void)of->views->join->kernel->up_to(of->squares, of->block->words, below, nearer);
    for (uint32_t word = 0; word < of->block->stride; word += QD_JOIN_FOUR) {
        uint64_t left = qd_join_four_masks(of->stay, word) & ~qd_join_four_masks(nearer, word);

        for (; left != 0; left &= left - 1) {
            const struct rival one = rival_at(of, word, left, of->ahead);

            last = last.distance == -INFINITY || is_behind(of, &one, &last) ? one : last;
        }
    }
    return last;
}

static void add_comers(struct rivals *to, const uint16_t *comers)
{
    for (uint32_t word = 0; word < to->block->stride; word += QD_JOIN_FOUR) {
        for (uint64_t left = qd_join_four_masks(comers, word); left != 0; left &= left - 1) {
            to->comers[to->coming++] = rival_at(to, word, left, 0);
        }
    }
}

/* Removes the last one of all from `is`, as often as there are comers. */
static void choose_among_few(struct rivals *of, float largest, uint16_t *is)
{
    struct rival last = last_staying(of, largest);

    for (uint32_t left = of->coming; left > 0; left--) {
        uint32_t at = 0;

        for (uint32_t i = 1; i < of->coming; i++) {
            at = is_behind(of, &of->comers[i], &of->comers[at]) ? i : at;
        }
        if (of->staying == 0 || (of->coming > 0 && is_behind(of, &of->comers[at], &last))) {
            qd_join_set(is, of->comers[at].point, false);
            of->comers[at] = of->comers[--of->coming];
            continue;
        }
        qd_join_set(is, last.point, false);
        qd_join_set(of->stay, last.point, false);
        of->staying--;
        last = last_staying(of, of->views->join->kernel->largest(of->squares, of->block->words, of->stay));
    }
}

/* Leaves in `comers` what may be at least as near as the last of those that stay. Returns how many there are. */
static uint32_t find_comers(const struct rivals *of, float largest, uint16_t *comers)
{
    const float farthest = fmaxf(largest, QD_JOIN_SQUARE_MIN) * (1 + 2 * QD_JOIN_ERROR_SHARE);
    const double last = sqrt((double)farthest) - of->ahead;
    const float square = last < 0 ? -1 : fmaxf((float)(last * last), QD_JOIN_SQUARE_MIN);

    return of->views->join->kernel->up_to(of->squares, of->block->words, square * (1 + 2 * QD_JOIN_ERROR_SHARE),
                                          comers);
}

/* As many stay as the limit allows, unless others come. Returns how many do; COMERS_MAX + 1: too many to tell. */
static uint32_t replace_few(struct rivals *of, uint16_t *is, const uint16_t *did)
{
    const qd_join_kernel *kernel = of->views->join->kernel;
    qd_join_block *block = of->block;
    uint16_t *comers = block->some[1];

    for (uint32_t word = 0; word < block->stride; word += QD_JOIN_FOUR) {
        const uint64_t now = qd_join_four_masks(is, word), was = qd_join_four_masks(did, word);

        qd_join_put_four(of->stay, word, now & was);
        qd_join_put_four(comers, word, now & ~was);
    }
    kernel->squares(block->points.at.now, block->words, of->body->now, block->scratch);
    const float largest = kernel->largest(of->squares, block->words, of->stay);
    const uint32_t coming = find_comers(of, largest, comers);
    for (uint32_t word = 0; word < block->stride; word += QD_JOIN_FOUR) {
        qd_join_put_four(is, word, qd_join_four_masks(of->stay, word) | qd_join_four_masks(comers, word));
    }
    if (coming > COMERS_MAX) {
        return COMERS_MAX + 1;
    }
    if (coming > 0) {
        add_comers(of, comers);
        choose_among_few(of, largest, is);
    }
    return of->coming;
}

void qd_derived_limit(const qd_views *views, qd_join_block *block, const qd_join_body *body, uint32_t limit,
                      double ahead, qd_join_counts *counts, uint16_t *is, const uint16_t *did)
{
    const uint32_t before = counts->both + counts->differ - (counts->is - counts->both); /* in the view */
    struct rivals rivals = {
        .views = views,
        .block = block,
        .body = body,
        .ahead = ahead,
        .squares = block->scratch,
        .stay = block->some[0],
        .staying = counts->both,
    };

    const bool is_full = limit > 0 && counts->both == limit && !QD_WITHOUT(FEW_COMERS);
    if (!is_full || replace_few(&rivals, is, did) > COMERS_MAX) {
        qd_derived_choose(views, block, body, did, ahead, limit, is);
        *counts = views->join->kernel->count(is, did, block->words);
        return;
    }
    *counts = (qd_join_counts){
        .is = limit,
        .both = rivals.staying,
        .differ = rivals.coming + before - rivals.staying,
    };
}

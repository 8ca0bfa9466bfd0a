/* SPDX-License-Identifier: Apache-2.0 */
#include "derived_limit.h"

#include <math.h>
#include <string.h>

/* One observer at a tick. */
struct limiting {
    const qd_views *views;
    const qd_join_block *block;
    const qd_join_body *body;
    qd_join_derived *row;
    uint16_t *is, *did;
    double ahead; /* what is in the view counts as so much nearer */
};

/* An entity that competes for a place, by (distance less the head start, id). */
struct rival {
    double distance;
    uint32_t id, point;
};

_Static_assert(sizeof(struct rival) <= QD_JOIN_SCRATCH, "a block has room for all of its points");

#define FETCHED_MAX     32u
#define CHALLENGERS_MAX 32u  /* with more of them, all are chosen again; */
#define CHOSEN_MAX      256u /* and with longer lists */

static inline bool is_before(const struct rival *a, const struct rival *b)
{
    return a->distance != b->distance ? a->distance < b->distance : a->id < b->id;
}

/* In two dimensions the third difference is 0. */
static inline double square_of(const struct limiting *of, const float at[3])
{
    const double x = (double)at[0] - (double)of->body->now[0], y = (double)at[1] - (double)of->body->now[1];
    const double sum = x * x + y * y;

    if (!of->block->points.at.now[2]) {
        return sum;
    }
    const double z = (double)at[2] - (double)of->body->now[2];
    return sum + z * z;
}

static inline double square_of_point(const struct limiting *of, uint32_t point)
{
    float *const *now = of->block->points.at.now;
    const float at[3] = {now[0][point], now[1][point], now[2] ? now[2][point] : 0};

    return square_of(of, at);
}

static inline bool is_in_range(const struct limiting *of, double square)
{
    return square <= (double)of->body->radius_now * (double)of->body->radius_now;
}

/* ---- all are chosen again ---- */

/* The first `count` of them are before all others. */
static void choose_first(struct rival *all, uint32_t total, uint32_t count)
{
    int64_t low = 0, high = (int64_t)total - 1;

    while (low < high) {
        const struct rival pivot = all[low + (high - low) / 2];
        int64_t i = low, j = high;

        while (i <= j) {
            while (is_before(&all[i], &pivot)) {
                i++;
            }
            while (is_before(&pivot, &all[j])) {
                j--;
            }
            if (i <= j) {
                const struct rival other = all[i];

                all[i++] = all[j];
                all[j--] = other;
            }
        }
        if ((int64_t)count <= j) {
            high = j;
        } else if ((int64_t)count >= i) {
            low = i;
        } else {
            return;
        }
    }
}

static void choose(const struct limiting *of)
{
    const qd_join_block *block = of->block;
    struct rival *rivals = block->scratch;
    uint32_t count = 0;

    for (uint32_t word = 0; word < block->words; word++) {
        for (uint32_t left = of->is[word]; left != 0; left &= left - 1) {
            const uint32_t point = word * QD_JOIN_LANES + (uint32_t)__builtin_ctz(left);

            rivals[count++] = (struct rival){
                .distance = sqrt(square_of_point(of, point)) - (qd_join_get(of->did, point) ? of->ahead : 0),
                .id = of->views->entities->id[block->points.slot[point]],
                .point = point,
            };
        }
    }
    choose_first(rivals, count, of->body->limit);
    memset(of->is, 0, block->words * sizeof of->is[0]);
    for (uint32_t i = 0; i < of->body->limit; i++) {
        qd_join_set(of->is, rivals[i].point, true);
    }
}

/* ---- few change places ---- */

/* The list as masks; all of it is near, or was at the last tick. */
static void show_list(const struct limiting *of, uint16_t *masks)
{
    memset(masks, 0, of->block->words * sizeof masks[0]);
    for (uint32_t i = 0; i < of->row->chosen_count; i++) {
        const uint32_t slot = of->row->chosen[i];

        qd_join_set(masks, qd_join_point_at(of->block, slot, of->views->targets[slot].at), true);
    }
}

/* The squared distances of the chosen ones, and the greatest of them. False: one of them has gone or changed. */
static bool measure_chosen(const struct limiting *of, double *squares, double *most)
{
    bool all = true;

    *most = 0;
    for (uint32_t i = 0; i < of->row->chosen_count; i++) {
        const qd_target *target = &of->views->targets[of->row->chosen[i]];

        all &= (target->point != QD_NONE) & !(target->flags & QD_TARGET_CHANGED);
        squares[i] = square_of(of, target->at);
        *most = squares[i] > *most ? squares[i] : *most;
    }
    return all && is_in_range(of, *most);
}

/* The same if no entity has gone or changed: the grid has them closer together. */
static double measure_plain(const struct limiting *of, double *squares)
{
    const qd_join_grid *grid = of->block->grid;
    const qd_join_points *points = &grid->entries.at;
    double most = 0;

    for (uint32_t i = 0; i < of->row->chosen_count; i++) {
        const uint32_t entry = grid->place[of->row->chosen[i]];
        const float at[3] = {points->now[0][entry], points->now[1][entry], points->now[2] ? points->now[2][entry] : 0};

        squares[i] = square_of(of, at);
        most = squares[i] > most ? squares[i] : most;
    }
    return most;
}

/* Entities that are at least as near as the last of the chosen ones, without these, in order. Returns how many there
 * are; more than CHALLENGERS_MAX: they are not listed. */
static uint32_t find_challengers(const struct limiting *of, const double *squares, double last,
                                 struct rival challengers[CHALLENGERS_MAX])
{
    const qd_join_block *block = of->block;
    const qd_join_ball ball = qd_join_ball_of(of->body->now, nextafterf((float)last, INFINITY));
    const qd_join_kernel *kernel = of->views->join->kernel;
    uint16_t *within = block->scratch, *listed = within + block->words;
    uint32_t near = 0, count = 0;
    const uint32_t all = kernel->within(block->points.at.now, block->words, &ball, of->is, within);

    for (uint32_t i = 0; i < of->row->chosen_count; i++) {
        near += squares[i] <= last * last;
    }
    if (all == near) {
        return 0; /* only the chosen ones */
    }
    memcpy(listed, within, block->words * sizeof within[0]);
    kernel->keep(block->points.slot, block->words, of->row->chosen, of->row->chosen_count, listed);
    for (uint32_t word = 0; word < block->words; word++) {
        for (uint32_t left = within[word] ^ listed[word]; left != 0; left &= left - 1) {
            const uint32_t point = word * QD_JOIN_LANES + (uint32_t)__builtin_ctz(left);
            struct rival one = {.distance = sqrt(square_of_point(of, point)), .point = point};

            if (one.distance > last) {
                continue;
            }
            if (count == CHALLENGERS_MAX) {
                return count + 1;
            }
            one.id = of->views->entities->id[block->points.slot[point]];
            uint32_t at = count++;
            for (; at > 0 && is_before(&one, &challengers[at - 1]); at--) {
                challengers[at] = challengers[at - 1];
            }
            challengers[at] = one;
        }
    }
    return count;
}

/* The chosen ones, in the order of the list. */
struct chosen {
    double distance[CHOSEN_MAX]; /* less the head start */
    uint32_t id[CHOSEN_MAX];
    uint32_t count;
};

/* Those that have gone out of range are behind all others. */
static void take_chosen(const struct limiting *of, const double *squares, struct chosen *chosen)
{
    chosen->count = of->row->chosen_count;
    for (uint32_t i = 0; i < chosen->count; i++) {
        chosen->distance[i] = is_in_range(of, squares[i]) ? sqrt(squares[i]) - of->ahead : INFINITY;
        chosen->id[i] = of->views->entities->id[of->row->chosen[i]];
    }
}

static uint32_t last_of(const struct chosen *chosen)
{
    double most = -INFINITY;
    uint32_t last = 0;

    for (uint32_t i = 0; i < chosen->count; i++) {
        most = chosen->distance[i] > most ? chosen->distance[i] : most;
    }
    for (uint32_t i = 0; i < chosen->count; i++) {
        const bool is =
            chosen->distance[i] == most && (chosen->distance[last] != most || chosen->id[i] > chosen->id[last]);

        last = is ? i : last;
    }
    return last;
}

/* Each challenger takes the place of the last one, as long as it is before it. Returns how many do. */
static uint32_t challenge(const struct limiting *of, struct chosen *chosen, const struct rival *challengers,
                          uint32_t count)
{
    const bool shows_all = of->body->relays;

    for (uint32_t c = 0; c < count; c++) {
        const uint32_t last = last_of(chosen), slot = of->row->chosen[last];
        const struct rival holder = {.distance = chosen->distance[last], .id = chosen->id[last]};

        if (!is_before(&challengers[c], &holder)) {
            return c;
        }
        if (!shows_all) {
            qd_join_set(of->did, qd_join_point_at(of->block, slot, of->views->targets[slot].at), true);
            qd_join_set(of->is, challengers[c].point, true);
        }
        chosen->distance[last] = challengers[c].distance;
        chosen->id[last] = challengers[c].id;
        of->row->chosen[last] = of->block->points.slot[challengers[c].point];
    }
    return count;
}

/* Changes the list, if that takes few steps. *changed: how many others are in it then. */
static bool keep_list(const struct limiting *of, uint32_t *changed)
{
    const bool shows_all = of->body->relays;
    struct rival challengers[CHALLENGERS_MAX];
    struct chosen chosen;
    double squares[CHOSEN_MAX], most;

    if (of->row->chosen_count > CHOSEN_MAX) {
        return false;
    }
    if (of->block->grid->is_plain) {
        most = measure_plain(of, squares);
    } else if (!measure_chosen(of, squares, &most)) {
        return false;
    }
    const double last = is_in_range(of, most) ? sqrt(most) - of->ahead : (double)of->body->radius_now;
    const uint32_t count = last < 0 ? 0 : find_challengers(of, squares, last, challengers);
    if (count > CHALLENGERS_MAX) {
        return false;
    }
    if (shows_all) {
        show_list(of, of->did);
    } else {
        memset(of->did, 0, of->block->words * sizeof of->did[0]);
        memset(of->is, 0, of->block->words * sizeof of->is[0]);
    }
    *changed = 0;
    if (count > 0) {
        take_chosen(of, squares, &chosen);
        *changed = challenge(of, &chosen, challengers, count);
    }
    if (shows_all) {
        show_list(of, of->is);
    }
    return true;
}

/* ---- the limit ---- */

void qd_derived_limit_fetch(const qd_views *views, const qd_join_body *body)
{
    const qd_join_derived *row = &views->join->derived[body->region / QD_REGION_BODIES];

    if (views->join->grid.is_plain) {
        __builtin_prefetch(row->chosen);
        return;
    }
    for (uint32_t i = 0; i < row->chosen_count && i < FETCHED_MAX; i++) {
        __builtin_prefetch(&views->targets[row->chosen[i]]);
    }
}

void qd_derived_list_chosen(qd_join_derived *row, const qd_join_block *block, const uint16_t *is)
{
    uint32_t count = 0;

    for (uint32_t word = 0; word < block->words; word++) {
        for (uint32_t left = is[word]; left != 0; left &= left - 1) {
            row->chosen[count++] = block->points.slot[word * QD_JOIN_LANES + (uint32_t)__builtin_ctz(left)];
        }
    }
    QD_ASSERT(count == row->chosen_count);
}

qd_join_binding qd_derived_limit(const qd_views *views, const qd_join_block *block, const qd_join_body *body,
                                 qd_join_counts *counts, uint16_t *is, uint16_t *did)
{
    qd_join_derived *row = &views->join->derived[body->region / QD_REGION_BODIES];
    const struct limiting limiting = {.views = views,
                                      .block = block,
                                      .body = body,
                                      .row = row,
                                      .is = is,
                                      .did = did,
                                      .ahead = (double)body->radius_now / 16};
    const qd_join_kernel *kernel = views->join->kernel;
    const bool binds = counts->is > body->limit;
    uint32_t changed;

    if (!row->chosen) {
        if (binds) {
            choose(&limiting);
            *counts = kernel->count(is, did, block->words);
        }
        return binds ? QD_JOIN_BINDS : QD_JOIN_FREE;
    }
    if (binds && keep_list(&limiting, &changed)) {
        *counts = (qd_join_counts){body->limit, body->limit - changed, 2 * changed};
        return QD_JOIN_BOUND;
    }
    /* Of what was near, only the list was in the view. */
    kernel->keep(block->points.slot, block->words, row->chosen, row->chosen_count, did);
    if (binds) {
        choose(&limiting);
        qd_derived_list_chosen(row, block, is);
    }
    *counts = kernel->count(is, did, block->words);
    return binds ? QD_JOIN_BOUND : QD_JOIN_UNBINDS;
}

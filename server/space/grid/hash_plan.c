/* SPDX-License-Identifier: Apache-2.0
 *
 * How large cells are. A plan is made from what there is when the last one
 * is out of date, counted in rows, cells and work, never by the clock.
 *
 * A size is tried by counting how many rows fall into each of its cells. Of N rows in M cells of that size, tuned to T
 * rows a cell, the cost is
 *
 *     M T^2 / 2            each cell has to be looked at: as much as half of the pairs of T rows
 *     + sum of n^2 / 2     the pairs of the n rows of each cell
 *     + X (N / M + E)      each time that a row reaches into another cell it is carried there, and tested; which one
 *                          does also changes more often
 */
#include "hash.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "../../base/ablation.h"
#include "../../base/assert.h"
#include "../plan/rebuild.h"

#define SAMPLE_ROWS 16384u
#define CARRY_TESTS (QD_AXES == 2 ? 256.0 : 832.0) /* what carrying a row to its neighbors costs beside them */
#define CELLS_KEPT  8u                             /* times as many as there are, and a few, have memory, at most */
#define CELLS_FEW   8u
#define FINENESS    0x1p-20 /* of the largest coordinate: smaller cells would tell nothing apart */

static uint32_t slack(const qd_hash *hash)
{
    return hash->index.tuning.leaf_rows * 11 / 5;
}

/* ---- when ---- */

static bool is_chosen(const qd_hash *hash)
{
    return hash->index.config->cell_size == 0;
}

bool qd_hash_plan_is_due(const qd_hash *hash)
{
    uint32_t rows = hash->index.rows->count;

    if (hash->index.retry.wait > 0) {
        return false;
    }
    return hash->pool.capacity > CELLS_KEPT * (hash->pool.count + CELLS_FEW) ||
           rows > 2 * hash->planned_for + slack(hash) || hash->planned_for > 4 * rows + slack(hash) ||
           hash->pool.made > rows + slack(hash) ||
           (is_chosen(hash) && qd_replan_debt_is_due(&hash->debt, qd_replan_price(rows)));
}

/* ---- how large ---- */

/* What rows do in cells of some size. */
typedef struct density {
    double rows, cells, pairs, carried;
} density;

typedef struct survey {
    const qd_hash *hash;
    uint32_t *counter; /* of rows in a cell, by its hash; two cells seldom share one, which does little harm */
    uint32_t bits;     /* of their number */
} survey;

/* Of the counters. */
static size_t bytes_of(const survey *s)
{
    return sizeof *s->counter << s->bits;
}

/* Without memory there are no counters. */
static survey survey_start(const qd_hash *hash)
{
    survey s = {.hash = hash, .bits = 1};

    while (1u << s.bits < 2 * hash->index.rows->count) {
        s.bits++;
    }
    s.counter = qd_array_grow(hash->index.heap, NULL, 0, 0, bytes_of(&s));
    return s;
}

static void survey_end(const survey *s)
{
    qd_array_free(s->hash->index.heap, s->counter, bytes_of(s));
}

static void note_row(const survey *s, float inverse, const qd_row *box, density *found)
{
    qd_hash_reach reach = qd_hash_reach_of(inverse, box);
    const qd_mixer *mixer = &s->hash->pool.mixer;
    uint64_t sum = 0;
    double cells = 1;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        sum += (uint32_t)reach.v[k] * mixer->factor[k];
        cells *= (double)reach.v[QD_ROW_HIGH + k] - reach.v[k] + 1;
    }
    uint32_t rows = s->counter[qd_mixer_place(mixer, sum, s->bits)]++;
    found->rows++;
    found->cells += rows == 0;
    found->pairs += 2 * rows + 1;
    found->carried += cells - 1;
}

/* Looks at every `stride`th row. */
static density survey_size(const survey *s, double size, uint32_t stride)
{
    density found = {0};
    const qd_index *index = &s->hash->index;
    const float inverse = (float)fmin(fmax(1 / size, (double)FLT_MIN), (double)FLT_MAX);

    memset(s->counter, 0, bytes_of(s));
    qd_scan scan = qd_scan_start(index->rows, index->cell, index->cells);
    uint32_t first, count, skip = 0;
    while (qd_scan_next(&scan, &first, &count)) {
        for (; skip < count; skip += stride) {
            qd_row box = qd_row_box(index->rows, first + skip);

            note_row(s, inverse, &box, &found);
        }
        skip -= count;
    }
    return found;
}

/* How many rows there are in a row's cell, itself counted. */
static double company(const survey *s, double size, uint32_t stride)
{
    density found = survey_size(s, size, stride);

    return 1 + (found.pairs - found.rows) / found.rows * stride;
}

static double cost(const survey *s, double size)
{
    density found = survey_size(s, size, 1);
    double target = s->hash->index.tuning.leaf_rows;
    double carried = fmin(found.carried, found.rows * found.cells);

    return found.cells * target * target / 2 + found.pairs / 2 + carried * (found.rows / found.cells + CARRY_TESTS);
}

/* How long boxes are, and how far away. */
typedef struct measures {
    double length, distance;
} measures;

static measures measure(const qd_index *index)
{
    measures sum = {0, 0};
    qd_scan scan = qd_scan_start(index->rows, index->cell, index->cells);
    uint32_t first, count;

    while (qd_scan_next(&scan, &first, &count)) {
        for (uint32_t i = 0; i < count; i++) {
            qd_row box = qd_row_box(index->rows, first + i);
            double length = 0;

            for (uint32_t k = 0; k < QD_AXES; k++) {
                double lo = (double)fmaxf(box.v[k], -FLT_MAX), hi = (double)fminf(box.v[QD_ROW_HIGH + k], FLT_MAX);

                length = fmax(length, hi - lo);
                sum.distance = fmax(sum.distance, fmax(fabs(lo), fabs(hi)));
            }
            sum.length += length;
        }
    }
    sum.length /= index->rows->count;
    return sum;
}

/* First the largest power of two where a row shares its cell with no more rows than wanted; from there on, upwards as
 * long as that costs less. 0: there is no memory. */
static double choose_size(const qd_hash *hash)
{
    const double step = 1.4142135623730951;
    measures all = measure(&hash->index);
    uint32_t stride = hash->index.rows->count / SAMPLE_ROWS + 1;
    double least = fmax(fmax(all.length, all.distance * FINENESS), (double)FLT_MIN), most = 2 * all.distance;
    int exponent;

    if (QD_WITHOUT(HASH_SIZE)) {
        double cells = (double)hash->index.rows->count / hash->index.tuning.leaf_rows;

        return fmax(least, all.distance / fmax(pow(cells, 1.0 / QD_AXES), 1));
    }
    (void)frexp(least, &exponent);
    double size = ldexp(1, exponent);
    survey s = survey_start(hash);
    if (s.counter == NULL) {
        return 0;
    }
    while (size < most && company(&s, 2 * size, stride) <= hash->index.tuning.leaf_rows) {
        size *= 2;
    }
    double best = cost(&s, size), next;
    while (size < most && (next = cost(&s, size * step)) < best) {
        best = next;
        size *= step;
    }
    survey_end(&s);
    return size;
}

bool qd_hash_replan(qd_hash *hash, const qd_executor *executor)
{
    qd_index *index = &hash->index;
    qd_rows old_rows = *index->rows;
    qd_hash old = *hash;
    const double size = is_chosen(hash) && old_rows.count > 0 ? choose_size(hash) : hash->size;

    if (size == 0 || !qd_hash_pool_init(&hash->pool, index->heap, index->config->key)) {
        *hash = old;
        return false;
    }
    if (size != hash->size) {
        qd_hash_resize(hash, size);
    }
    qd_hash_show(hash);
    if (!qd_rebuild_index(index, &old_rows, qd_scan_start(&old_rows, old.pool.cell, 2 * old.pool.used), executor)) {
        qd_hash_pool_free(&hash->pool, index->heap);
        *hash = old;
        return false;
    }
    qd_replan_debt_pay(&hash->debt, qd_replan_price(old_rows.count));
    hash->planned_for = old_rows.count;
    hash->pool.made = 0;
    qd_hash_pool_free(&old.pool, index->heap);
    return true;
}

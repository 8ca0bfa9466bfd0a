/* SPDX-License-Identifier: Apache-2.0
 *
 * Moments: the boxes of a list's rows at the last tick and now, apart from each other; a part of kernel_body.h.
 *
 * Inner boxes prove that a pair overlaps at both times as long as bodies move by less than their size. In a crowd that
 * moves faster, every pair would reach the exact test: 10,000 boxes on one spot are 50 million. So where hits have many
 * pairs, columns of both moments are made once per list. Pairs that strictly overlap in both have no event, and neither
 * have groups of lanes of which all do.
 *
 *     sink.moments.column[MOMENT_WAS...]   boxes inside of the rows at the last tick: lower edges plus one, upper edges
 *     sink.moments.column[MOMENT_NOW...]   likewise, now
 *     sink.moments.group                   of each group of lanes the intersection of these boxes
 */
#define MOMENT_WAS    0u
#define MOMENT_NOW    QD_EDGES
#define MOMENT_LANES  32u
#define DENSE_SAMPLES 16u /* hits */
#define DENSE_PAIRS   8u  /* per hit; for fewer the exact test is cheap */

/* Whether the hits have so many pairs that columns of moments pay. */
static bool are_dense(const hits *found, uint32_t count)
{
    uint32_t pairs = 0;

    for (uint32_t s = 0; count >= DENSE_SAMPLES && s < DENSE_SAMPLES; s++) {
        pairs += (uint32_t)__builtin_popcountll(found->mask[count / DENSE_SAMPLES * s]);
    }
    return pairs > DENSE_SAMPLES * DENSE_PAIRS && !QD_WITHOUT(MOMENTS);
}

/* 16 rows at both moments, laid out as blocks. */
typedef struct moments16 {
    _Alignas(64) qd_row was[QD_BLOCK_ROWS], now[QD_BLOCK_ROWS];
    uint16_t was_round, now_round, unproven;
} moments16;

static void moments_pick(const qd_sink *sink, const uint32_t *row, uint32_t count, moments16 *to)
{
    to->was_round = to->now_round = to->unproven = 0;
    for (uint32_t r = 0; r < QD_BLOCK_ROWS; r++) {
        const uint32_t reference = row[r < count ? r : 0];
        bool was_round = false, now_round = false;

        to->was[r] = *qd_row_was(sink->rows, reference & QD_LIST_ROW);
        to->now[r] = *qd_row_now(sink->rows, reference & QD_LIST_ROW);
        if (reference & QD_LIST_SPECIAL) {
            const bool decides = qd_row_moments(sink, reference, &to->was[r], &was_round, &to->now[r], &now_round);

            to->was_round |= (uint16_t)((unsigned)(was_round && decides) << r);
            to->now_round |= (uint16_t)((unsigned)(now_round && decides) << r);
            to->unproven |= (uint16_t)((unsigned)!decides << r);
        }
    }
}

/* The intersection of some rows: all lower edges, then all upper edges. */
static void moments_group(const qd_list16 *moments, uint32_t base, uint32_t rows, uint16_t *group)
{
    for (uint32_t k = 0; k < QD_EDGES; k++) {
        const uint32_t edge = k / QD_AXES * QD_EDGES + k % QD_AXES;
        const uint16_t *lo = moments->column[edge] + base, *hi = moments->column[edge + QD_AXES] + base;

        group[k] = lo[0];
        group[QD_EDGES + k] = hi[0];
        for (uint32_t i = 1; i < rows; i++) {
            group[k] = lo[i] > group[k] ? lo[i] : group[k];
            group[QD_EDGES + k] = hi[i] < group[QD_EDGES + k] ? hi[i] : group[QD_EDGES + k];
        }
    }
}

/* Makes the moments of a list, with groups of so many lanes; without memory it has none. */
static __attribute__((noinline)) void make_moments(qd_sink *sink, hits *found, const uint32_t *row, uint32_t count,
                                                   uint32_t lanes)
{
    qd_list16 *moments = &sink->moments;

    found->seeks_moments = false;
    if (!qd_list16_reserve(sink->heap, moments, count)) {
        return;
    }
    for (uint32_t at = 0; at < count; at += QD_BLOCK_ROWS) {
        moments16 rows;
        qd_edges was, now;

        moments_pick(sink, row + at, count - at, &rows);
        edges_of_rows(&sink->quantizer, rows.was, rows.was, rows.was_round, rows.unproven, &was);
        edges_of_rows(&sink->quantizer, rows.now, rows.now, rows.now_round, rows.unproven, &now);
        for (uint32_t k = 0; k < QD_EDGES; k++) {
            memcpy(moments->column[MOMENT_WAS + k] + at, was.v[QD_INNER_LO + k], sizeof was.v[k]);
            memcpy(moments->column[MOMENT_NOW + k] + at, now.v[QD_INNER_LO + k], sizeof now.v[k]);
        }
    }
    for (uint32_t base = 0; base < count; base += lanes) {
        moments_group(moments, base, count - base < lanes ? count - base : lanes,
                      moments->group + base / lanes * QD_LIST_COLUMNS);
    }
    found->moments = moments;
}

static inline uint64_t moment_meets(uint16_t *const *column, uint32_t row, uint32_t base)
{
    const lanes16 lanes = lanes_load16(column, base);
    uint16_t lo[QD_AXES], hi[QD_AXES];

    for (uint32_t k = 0; k < QD_AXES; k++) {
        lo[k] = column[k][row];
        hi[k] = column[QD_AXES + k][row];
    }
    return lanes_meet16(&lanes, lo, hi);
}

/* Takes the pairs that overlap at both moments out of the hits; returns how many hits are left. */
static uint32_t drop_settled(hits *found, uint32_t count)
{
    uint16_t *const *was = found->moments->column + MOMENT_WAS, *const *now = found->moments->column + MOMENT_NOW;
    uint32_t left = 0;

    for (uint32_t h = 0; h < count; h++) {
        const uint64_t at = found->at[h];
        uint64_t mask = found->mask[h];

        for (uint32_t lane = 0; lane < 64 && mask >> lane != 0; lane += MOMENT_LANES) {
            const uint32_t base = hit_base(at) + lane;

            mask &= ~((moment_meets(was, hit_row(at), base) & moment_meets(now, hit_row(at), base)) << lane);
        }
        found->mask[left] = mask;
        found->at[left] = at;
        left += mask != 0;
    }
    return left;
}

/* Whether all rows of two groups overlap each other at both moments. */
static inline bool are_groups_settled(const hits *found, uint32_t group_a, uint32_t group_b)
{
    if (found->moments == NULL) {
        return false;
    }
    const uint16_t *a = found->moments->group + group_a * QD_LIST_COLUMNS;
    const uint16_t *b = found->moments->group + group_b * QD_LIST_COLUMNS;
    uint32_t apart = 0;
    for (uint32_t k = 0; k < QD_EDGES; k++) {
        apart |= (uint32_t)(a[k] > b[QD_EDGES + k]) | (uint32_t)(b[k] > a[QD_EDGES + k]);
    }
    return apart == 0;
}

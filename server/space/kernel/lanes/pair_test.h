/* SPDX-License-Identifier: Apache-2.0
 *
 * The pair test of lists of one width. kernel_body.h includes it twice, with
 *
 *     TEST_NAME(x)   x with the width appended
 *     TEST_TYPE      a column's type
 *     TEST_LANES     rows compared at once
 *
 * Two filters and the exact test run one after the other over many rows, so that none waits for the branches of the
 * next:
 *
 *     note   rows whose outer boxes meet become hits: a row and a mask of lanes
 *     sift   hits lose the lanes whose inner boxes overlap strictly; the others become pairs of references
 *     exact  runs when many pairs wait, so that its cost is that of the pairs, not of the call
 */

/* Which lanes meet row `i`. The columns begin with the outer or with the inner edges, as the lanes do. */
static inline uint64_t TEST_NAME(meet_row)(const TEST_NAME(lanes) * lanes, TEST_TYPE *const *column, uint32_t i)
{
    TEST_TYPE lo[QD_AXES], hi[QD_AXES];

    for (uint32_t k = 0; k < QD_AXES; k++) {
        lo[k] = column[k][i];
        hi[k] = column[QD_AXES + k][i];
    }
    return TEST_NAME(lanes_meet)(lanes, lo, hi);
}

static void TEST_NAME(sift)(qd_sink *sink, const TEST_NAME(qd_list) * list, hits *found, uint32_t count)
{
    TEST_TYPE *const *column = list->column;
    const bool inner_tested = are_inner_tested(sink);
    uint32_t left = 0;
    for (uint32_t h = 0; h < count; h++) {
        const uint64_t at = found->at[h];
        uint64_t mask = found->mask[h];

        if (inner_tested) {
            TEST_NAME(lanes) inner = TEST_NAME(lanes_load)(column + QD_INNER_LO, hit_base(at));
            /* A lane's lo + 1 <= the row's hi; the row's lo + 1 <= a lane's hi. */
            mask &= ~TEST_NAME(meet_row)(&inner, column + QD_INNER_LO, hit_row(at));
        }
        found->mask[left] = mask;
        found->at[left] = at;
        left += mask != 0;
    }
    if (found->seeks_moments && are_dense(found, left)) {
        make_moments(sink, found, list->row, list->count, TEST_LANES);
    }
    if (found->moments != NULL) {
        left = drop_settled(found, left);
    }
    uint32_t near_count = sink->near_count;
    for (uint32_t h = 0; h < left; h++) {
        const uint64_t at = found->at[h];
        const uint32_t *row = list->row;

        near_count = lanes_pair(sink->near, near_count, row[hit_row(at)], row + hit_base(at), found->mask[h]);
        if (near_count > QD_PAIRS_MAX) {
            sink->near_count = near_count;
            exact(sink);
            near_count = 0;
        }
    }
    sink->near_count = near_count;
}

static inline uint32_t TEST_NAME(note)(hits *found, uint32_t count, const TEST_NAME(lanes) * lanes,
                                       TEST_TYPE *const *column, uint32_t i, uint32_t base, uint64_t allowed)
{
    uint64_t mask = TEST_NAME(meet_row)(lanes, column, i) & allowed;

    found->mask[count] = mask;
    found->at[count] = hit_at(i, base);
    return count + (mask != 0);
}

static void TEST_NAME(make_groups)(const TEST_NAME(qd_list) * list)
{
    for (uint32_t base = 0; base < list->count; base += TEST_LANES) {
        uint32_t rows = list->count - base < TEST_LANES ? list->count - base : TEST_LANES;
        TEST_TYPE *group = list->group + base / TEST_LANES * QD_LIST_COLUMNS;

        for (uint32_t k = 0; k < QD_LIST_COLUMNS; k++) {
            const TEST_TYPE *column = list->column[k] + base;
            TEST_TYPE least = column[0], most = column[0];

            for (uint32_t i = 1; i < rows; i++) {
                least = column[i] < least ? column[i] : least;
                most = column[i] > most ? column[i] : most;
            }
            /* Lower edges: the least of outer boxes, the most of inner boxes; upper edges in reverse. */
            group[k] = k < QD_OUTER_HI || k >= QD_INNER_HI ? least : most;
        }
    }
}

static void TEST_NAME(make_reach)(const TEST_NAME(qd_list) * list)
{
    const TEST_TYPE *high = list->group + QD_OUTER_HI + list->strips - 1u;
    TEST_TYPE most = 0;

    for (uint32_t group = 0; group * TEST_LANES < list->count; group++) {
        most = high[group * QD_LIST_COLUMNS] > most ? high[group * QD_LIST_COLUMNS] : most;
        list->reach[group] = most;
    }
}

/* The first row that the group of lanes from `base` on can meet: those before it lie in earlier strips. */
static inline uint32_t TEST_NAME(first_near)(const TEST_NAME(qd_list) * list, uint32_t base)
{
    const TEST_TYPE low = list->group[base / TEST_LANES * QD_LIST_COLUMNS + QD_OUTER_LO + list->strips - 1u];
    uint32_t from = 0, end = base / TEST_LANES;

    while (from < end) {
        const uint32_t middle = (from + end) / 2;

        if (list->reach[middle] < low) {
            from = middle + 1;
        } else {
            end = middle;
        }
    }
    return from * TEST_LANES;
}

/* Whether no row of one group can have an event with one of the other. */
static inline bool TEST_NAME(is_settled)(const TEST_NAME(qd_list) * list, const hits *found, bool inner,
                                         uint32_t base_a, uint32_t base_b)
{
    const TEST_TYPE *a = list->group + base_a / TEST_LANES * QD_LIST_COLUMNS;
    const TEST_TYPE *b = list->group + base_b / TEST_LANES * QD_LIST_COLUMNS;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        if (a[QD_OUTER_LO + k] > b[QD_OUTER_HI + k] || b[QD_OUTER_LO + k] > a[QD_OUTER_HI + k]) {
            return true;
        }
    }
    for (uint32_t k = 0; k < QD_AXES; k++) {
        if (a[QD_INNER_LO + k] > b[QD_INNER_HI + k] || b[QD_INNER_LO + k] > a[QD_INNER_HI + k]) {
            return are_groups_settled(found, base_a / TEST_LANES, base_b / TEST_LANES);
        }
    }
    return inner;
}

/* The self-ignoring lanes of a group; with NULL none. */
static inline uint64_t TEST_NAME(self_ignoring_at)(const uint64_t *self_ignoring, uint32_t base)
{
    return self_ignoring == NULL ? 0 : self_ignoring[base / 64] >> base % 64 & UINT64_MAX >> (64 - TEST_LANES);
}

static inline uint32_t TEST_NAME(lanes_at)(const TEST_NAME(qd_list) * list, uint32_t base)
{
    return list->count - base < TEST_LANES ? list->count - base : TEST_LANES;
}

/* Whether all of these rows of two groups are self-ignoring. */
static inline bool TEST_NAME(are_self_ignoring)(const uint64_t *self_ignoring, uint32_t base_a, uint64_t rows_a,
                                                uint32_t base_b, uint64_t rows_b)
{
    return self_ignoring != NULL && (rows_a & ~TEST_NAME(self_ignoring_at)(self_ignoring, base_a)) == 0 &&
           (rows_b & ~TEST_NAME(self_ignoring_at)(self_ignoring, base_b)) == 0;
}

/* The allowed lanes, without those that row `i` ignores. */
static inline uint64_t TEST_NAME(without_ignored)(const uint64_t *self_ignoring, uint32_t i, uint32_t base,
                                                  uint64_t allowed)
{
    bool is_self_ignoring = self_ignoring != NULL && (self_ignoring[i / 64] >> i % 64 & 1);

    return is_self_ignoring ? allowed & ~TEST_NAME(self_ignoring_at)(self_ignoring, base) : allowed;
}

/* Notes the hits of the rows [from, to) on a group of lanes. */
static inline uint32_t TEST_NAME(note_rows)(qd_sink *sink, const TEST_NAME(qd_list) * list, hits *found, uint32_t count,
                                            const TEST_NAME(lanes) * lanes, uint32_t from, uint32_t to, uint32_t base,
                                            uint64_t allowed, const uint64_t *self_ignoring)
{
    for (; from < to; from += HITS_STEP) {
        uint32_t stop = to - from > HITS_STEP ? from + HITS_STEP : to;

        for (uint32_t i = from; self_ignoring == NULL && i < stop; i++) {
            count = TEST_NAME(note)(found, count, lanes, list->column, i, base, allowed);
        }
        for (uint32_t i = from; self_ignoring != NULL && i < stop; i++) {
            uint64_t heeded = TEST_NAME(without_ignored)(self_ignoring, i, base, allowed);

            count = TEST_NAME(note)(found, count, lanes, list->column, i, base, heeded);
        }
        if (count > HITS_MAX) {
            TEST_NAME(sift)(sink, list, found, count);
            count = 0;
        }
    }
    return count;
}

/* Where the lanes end. Usually few carried rows lie behind the last group with own rows. Then they are compared one by
 * one with the own rows as lanes, which takes fewer comparisons than all own rows with one more group. */
static inline uint32_t TEST_NAME(lanes_end)(const TEST_NAME(qd_list) * list)
{
    uint32_t own_groups = (list->own + TEST_LANES - 1) / TEST_LANES, end = own_groups * TEST_LANES;

    if (QD_WITHOUT(CARRIED_ROWS) || end >= list->count) {
        return list->count;
    }
    uint32_t rest = list->count - end, rest_groups = (rest + TEST_LANES - 1) / TEST_LANES;
    return rest * own_groups < list->own * rest_groups ? end : list->count;
}

/* Tests own rows with all rows behind them. */
static void TEST_NAME(test_all)(qd_sink *sink, const TEST_NAME(qd_list) * list)
{
    hits found;
    uint32_t count = 0;
    const bool grouped = is_grouped(list->count), inner = are_inner_tested(sink);

    hits_init(&found, inner);
    if (grouped) {
        TEST_NAME(make_groups)(list);
    }
    const bool in_strips = grouped && list->strips != 0;
    if (in_strips) {
        TEST_NAME(make_reach)(list);
    }
    /* Among short lists, only those of mostly carried rows have enough pairs to ignore. */
    const bool is_worth_it = sink->self_ignoring && (grouped || list->count - list->own > list->own);
    const uint64_t *self_ignoring = is_worth_it && find_self_ignoring(sink, list->row, list->count, list->self_ignoring)
                                        ? list->self_ignoring
                                        : NULL;
    const uint32_t lanes_end = grouped ? list->count : TEST_NAME(lanes_end)(list);
    for (uint32_t base = 0; base < lanes_end; base += TEST_LANES) {
        TEST_NAME(lanes) lanes = TEST_NAME(lanes_load)(list->column, base);
        uint64_t valid = lanes_below(lanes_end - base, TEST_LANES);
        uint32_t before = list->own < base ? list->own : base;
        uint32_t end = list->own < base + TEST_LANES ? list->own : base + TEST_LANES;
        if (lanes_end < list->count) {
            uint64_t own = lanes_below(list->own - base, TEST_LANES);

            count = TEST_NAME(note_rows)(sink, list, &found, count, &lanes, lanes_end, list->count, base, own,
                                         self_ignoring);
        }
        const uint32_t step = grouped || self_ignoring != NULL ? TEST_LANES : before;
        uint32_t from = in_strips ? TEST_NAME(first_near)(list, base) : 0;
        from = from < before ? from : before;
        sink->tests -= (uint64_t)from * TEST_NAME(lanes_at)(list, base);
        for (; from < before; from += step) {
            uint32_t stop = before - from > step ? from + step : before;

            if (TEST_NAME(are_self_ignoring)(self_ignoring, from, lanes_below(stop - from, TEST_LANES), base, valid) ||
                (grouped && TEST_NAME(is_settled)(list, &found, inner, from, base))) {
                sink->tests -= (uint64_t)(stop - from) * TEST_NAME(lanes_at)(list, base);
                continue;
            }
            count = TEST_NAME(note_rows)(sink, list, &found, count, &lanes, from, stop, base, valid, self_ignoring);
        }
        if (base < end && !TEST_NAME(are_self_ignoring)(self_ignoring, base, valid, base, valid) &&
            !(grouped && TEST_NAME(is_settled)(list, &found, inner, base, base))) {
            for (uint32_t i = base; i < end; i++) {
                uint64_t behind =
                    TEST_NAME(without_ignored)(self_ignoring, i, base, valid & ~UINT64_C(1) << (i - base));

                count = TEST_NAME(note)(&found, count, &lanes, list->column, i, base, behind);
            }
        }
        if (count > HITS_MAX) {
            TEST_NAME(sift)(sink, list, &found, count);
            count = 0;
        }
        if (sink->stopped) {
            return;
        }
    }
    TEST_NAME(sift)(sink, list, &found, count);
}

/* Tests each pair from its changed row, or if both changed, from the first one. So a changed own row meets all rows
 * behind it and the resting own rows before it; a changed carried row meets the resting own rows. */
static void TEST_NAME(test_changed)(qd_sink *sink, const TEST_NAME(qd_list) * list)
{
    hits found;
    uint32_t count = 0;
    const bool grouped = is_grouped(list->count), inner = are_inner_tested(sink);

    hits_init(&found, inner);
    if (grouped) {
        TEST_NAME(make_groups)(list);
    }
    const bool in_strips = grouped && list->strips != 0;
    if (in_strips) {
        TEST_NAME(make_reach)(list);
    }
    const uint64_t *self_ignoring =
        grouped && sink->self_ignoring && find_self_ignoring(sink, list->row, list->count, list->self_ignoring)
            ? list->self_ignoring
            : NULL;
    for (uint32_t base = 0; base < list->count; base += TEST_LANES) {
        TEST_NAME(lanes) lanes = TEST_NAME(lanes_load)(list->column, base);
        uint64_t valid = lanes_below(list->count - base, TEST_LANES);
        uint64_t resting = 0;
        if (base < list->own) {
            resting = ~(list->changed[base / 64] >> base % 64) & lanes_below(list->own - base, TEST_LANES);
        }
        for (uint32_t word = in_strips ? TEST_NAME(first_near)(list, base) : 0; word < list->count;
             word += TEST_LANES) {
            if (resting == 0 && (word >= list->own || word >= base + TEST_LANES)) {
                break;
            }
            uint64_t changed = list->changed[word / 64] >> word % 64 & lanes_below(list->count - word, TEST_LANES);
            if (changed == 0 || (grouped && (TEST_NAME(are_self_ignoring)(self_ignoring, word, changed, base, valid) ||
                                             TEST_NAME(is_settled)(list, &found, inner, word, base)))) {
                continue;
            }
            for (; changed != 0; changed &= changed - 1) {
                uint32_t i = word + (uint32_t)__builtin_ctzll(changed);
                uint64_t allowed = resting;

                if (i < list->own && i < base) {
                    allowed = valid;
                } else if (i < list->own && i < base + TEST_LANES) {
                    allowed = (resting | ~UINT64_C(1) << (i - base)) & valid;
                }
                allowed = TEST_NAME(without_ignored)(self_ignoring, i, base, allowed);
                count = TEST_NAME(note)(&found, count, &lanes, list->column, i, base, allowed);
            }
            if (count > HITS_MAX) {
                TEST_NAME(sift)(sink, list, &found, count);
                count = 0;
            }
        }
        if (sink->stopped) {
            return;
        }
    }
    TEST_NAME(sift)(sink, list, &found, count);
}

static void TEST_NAME(test)(qd_sink *sink, const TEST_NAME(qd_list) * list, bool all)
{
    sink->tests += (uint64_t)list->own * list->count;
    if (all) {
        TEST_NAME(test_all)(sink, list);
    } else {
        TEST_NAME(test_changed)(sink, list);
    }
    if (QD_WITHOUT(PAIR_QUEUE)) {
        exact(sink);
    }
}

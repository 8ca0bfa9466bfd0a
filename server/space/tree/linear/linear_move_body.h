/* SPDX-License-Identifier: Apache-2.0
 *
 * Moving many bodies of a linear tree, a register of them at a time, as linear_move.c does it one by one.
 * Compiled by each move_<isa>.c behind move_body.h.
 */

/* What is the same for all. */
typedef struct constants {
    floats origin[QD_AXES], scale, last;
    ints shift;
} constants;

static constants constants_of(const qd_linear *tree)
{
    const qd_quantizer *quantizer = &tree->quantizer;
    constants c = {
        .scale = all_floats(quantizer->scale),
        .last = all_floats((float)QD_QUANTIZER_LAST),
        .shift = all_ints(QD_QUANTIZER_BITS - tree->depth),
    };

    for (uint32_t k = 0; k < QD_AXES; k++) {
        c.origin[k] = all_floats(quantizer->origin[k]);
    }
    return c;
}

/* qd_quantizer_number */
static inline ints number_of(const constants *c, floats edge, uint32_t k)
{
    floats number = (edge - c->origin[k]) * c->scale;

    return (ints)OP(cvttps_epi32)(OP(min_ps)(OP(max_ps)(number, all_floats(0)), c->last));
}

/* Makes the rows; a bit where the body does not stay in its cell. */
static inline uint32_t leaving(const constants *c, const qd_bodies *bodies, const uint32_t *slots, const group *at,
                               columns *row)
{
    columns bounds;

    make_rows(bodies, slots, at, row, &bounds);
    const ints shift = c->shift + (at->cell_key >> 28);
    ints out = all_ints(0), apart = all_ints(0);
    uint32_t far = 0;
    for (uint32_t k = 0; k < QD_AXES; k++) {
        ints low = number_of(c, bounds.edge[k], k), high = number_of(c, bounds.edge[QD_ROW_HIGH + k], k);
        ints cell = at->cell_key >> QD_CELL_KEY_BITS * (QD_AXES - 1 - k) & ((1u << QD_CELL_KEY_BITS) - 1);

        out |= ((low >> shift) ^ cell) | ((high >> shift) ^ cell);
        apart |= low ^ high;
        far |= exceeding(abs_of(at->centre[k] - at->before[k]), bounds.edge[QD_ROW_HIGH + k] - bounds.edge[k]);
    }
    /* Done for leaves, too: a branch would be foreseen too seldom. */
    uint32_t is_leaf = any(at->cell_key & (1u << 24)), is_astride = any(apart >> (shift - 1));
    return any(out) | (~is_leaf & (far | (~is_astride & ((1u << WIDTH) - 1))));
}

/* ---- those that left ---- */

/* Boxes as numbers, shifted to finest cells. */
typedef struct span {
    ints low[QD_AXES], high[QD_AXES];
} span;

typedef struct spot {
    ints cell, cell_key;
} spot;

/* qd_morton_spread */
static inline ints spread(ints n)
{
#if QD_AXES == 2
    n = (n | n << 8) & 0x00ff00ffu;
    n = (n | n << 4) & 0x0f0f0f0fu;
    n = (n | n << 2) & 0x33333333u;
    return (n | n << 1) & 0x55555555u;
#else
    n = (n | n << 8) & 0x0000f00fu;
    n = (n | n << 4) & 0x000c30c3u;
    return (n | n << 2) & 0x00249249u;
#endif
}

/* The number's highest bit, counted from 1; 0 has none. Of numbers below 2^24, which floats hold as they are. */
static inline ints bits_of(ints n)
{
    ints exponent = (ints)OP(cvtepi32_ps)((vector)n) >> 23;

    return (ints)OP(max_epi32)((vector)(exponent - 126), (vector)all_ints(0));
}

/* qd_linear_cell_of */
static inline spot spot_of(const qd_linear *tree, const span *box)
{
    ints low = all_ints(0), apart = all_ints(0), numbers = all_ints(0), leaf_height = all_ints(0);

    for (uint32_t k = 0; k < QD_AXES; k++) {
        low |= spread(box->low[k]) << k;
        apart |= box->low[k] ^ box->high[k];
    }
    ints height = bits_of(apart);
    if (tree->leaf_map != NULL) {
        /* Four of them at a time: there are as many, or a single one that the allocation is longer than. */
        ints four = gather(tree->leaf_map, low >> 2);

        leaf_height = four >> (low & 3) * 8 & 0xff;
    }
    ints is_leaf = (ints)(height <= leaf_height);
    height = (ints)OP(max_epi32)((vector)height, (vector)leaf_height);
    for (uint32_t k = 0; k < QD_AXES; k++) {
        numbers = numbers << QD_CELL_KEY_BITS | box->low[k] >> height;
    }
    /* The level's first cell, qd_level_first, has a 1 in each of its digits. */
    const uint32_t ones = QD_AXES == 2 ? 0x55555555u : 0x49249249u;
    ints first = ~(all_ints(UINT32_MAX) << QD_AXES * (tree->depth - height)) & ones;
    return (spot){
        .cell = first + (low >> QD_AXES * height),
        .cell_key = height << 28 | (is_leaf & (1u << 24)) | numbers,
    };
}

/* `look` of linear_move.c for many, but also of those that are split. Returns a bit for each that goes, and in `odd`
 * for each that is to be registered again. Their rows are written already. */
static inline uint32_t look(const qd_linear *tree, const constants *c, const uint32_t *slots, qd_mover *movers,
                            uint32_t *odd)
{
    const qd_index *index = &tree->index;
    group at;
    uint32_t row[WIDTH];
    floats was[QD_ROW_FLOATS];

    load(index->bodies->record, slots, false, &at);
    for (uint32_t i = 0; i < WIDTH; i++) {
        row[i] = index->bodies->record[slots[i]].row;
    }
    for (uint32_t i = 0; i < QD_ROW_FLOATS; i += 4) {
        floats four[4];

        for (uint32_t j = 0; j < 4; j++) {
            four[j] = load_fours((const float *)(const void *)index->rows->was + i, sizeof(qd_row), row + LANES * j);
        }
        transpose(four, was + i);
    }
    span now, both;
    /* Absent rows are so as boxes, too. */
    const ints circle = are_of_shape(&at, QD_SPACE_CIRCLE), was_circle = circle & (ints)(was[QD_ROW_HIGH] >= 0);
    uint32_t apart = 0, far = 0;
    const uint32_t absent = exceeding(was[0], was[QD_ROW_HIGH]) & ~any(was_circle);
    const ints longest = all_ints(2) << c->shift;
    for (uint32_t k = 0; k < QD_AXES; k++) {
        floats low = at.before[k] - at.half[k], high = at.before[k] + at.half[k];
        floats was_low = was[k], was_high = was[QD_ROW_HIGH + k];

        round_bounds(circle, at.before[k], at.half[0], &low, &high);
        round_bounds(was_circle, was[k], was[QD_ROW_HIGH + k], &was_low, &was_high);
        ints now_low = number_of(c, low, k), now_high = number_of(c, high, k);
        ints all_low = (ints)OP(min_epi32)((vector)now_low, (vector)number_of(c, was_low, k));
        ints all_high = (ints)OP(max_epi32)((vector)now_high, (vector)number_of(c, was_high, k));
        far |= any((ints)((all_high - all_low) - (now_high - now_low) > longest));
        apart |= exceeding(low, was_high) | exceeding(was_low, high);
        now.low[k] = now_low >> c->shift;
        now.high[k] = now_high >> c->shift;
        both.low[k] = all_low >> c->shift;
        both.high[k] = all_high >> c->shift;
    }
    spot to = spot_of(tree, &both), natural = spot_of(tree, &now);
    uint32_t is_leaf = any(to.cell_key & (1u << 24));
    uint32_t split = index->config->swept || QD_WITHOUT(SPLIT_BODIES) ? 0 : far & apart & ~is_leaf & ~absent;
    *odd =
        any((at.state & 0xffu) ^ QD_RECORD_LIVE) | any(are_of_shape(&at, QD_SPACE_CAPSULE)) | any(at.change ^ QD_NONE);
    uint32_t cell[2][WIDTH], cell_key[2][WIDTH];
    memcpy(cell[0], &to.cell, sizeof cell[0]);
    memcpy(cell[1], &natural.cell, sizeof cell[1]);
    memcpy(cell_key[0], &to.cell_key, sizeof cell_key[0]);
    memcpy(cell_key[1], &natural.cell_key, sizeof cell_key[1]);
    for (uint32_t e = 0; e < WIDTH; e++) {
        uint32_t is_split = split >> e & 1;

        movers[e] = (qd_mover){
            .slot = slots[e % 4 * LANES + e / 4],
            .to = qd_mover_to(cell[is_split][e], is_split ? QD_MOVE_SPLIT : QD_MOVE_WHOLE),
            .cell_key = cell_key[is_split][e],
        };
    }
    return split | any(to.cell_key ^ at.cell_key);
}

/* Whole registers of slots: after the last one it comes again. */
void MOVE_SYMBOL(qd_linear_look)(const qd_linear *tree, qd_left *left, qd_movers *movers)
{
    const constants c = constants_of(tree);
    const qd_index *index = &tree->index;
    const bool is_large = qd_moves_prefetch(index->bodies);
    qd_mover many[WIDTH];

    for (uint32_t i = left->count; i % WIDTH != 0; i++) {
        left->slot[i] = left->slot[left->count - 1];
    }
    for (uint32_t i = 0; i < left->count; i += WIDTH) {
        for (uint32_t k = i + WIDTH; is_large && k < i + 2 * WIDTH && k < left->count; k++) {
            qd_rows_fetch(index->rows, index->bodies->record[left->slot[k]].row);
        }
        uint32_t odd, out = look(tree, &c, left->slot + i, many, &odd);
        for (uint32_t rest = out & ~odd; rest != 0; rest &= rest - 1) {
            movers->each[movers->count++] = many[__builtin_ctz(rest)];
        }
        for (uint32_t rest = odd; rest != 0; rest &= rest - 1) {
            movers->each[movers->count++] =
                (qd_mover){many[__builtin_ctz(rest)].slot, qd_mover_to(0, QD_MOVE_UPDATE), 0};
        }
    }
}

/* ---- all ---- */

#define ROWS_AHEAD 64u /* bodies: so far ahead rows are fetched, where records follow each other */

/* Fetches what is needed further on; so many slots are left. Used only where bodies are many,
 * and not inlined: in the loop it would take registers. */
static __attribute__((noinline)) void fetch_rows_ahead(const qd_index *index, const uint32_t *slots, size_t left,
                                                       bool marks)
{
    if (marks || left < ROWS_AHEAD + WIDTH || slots[ROWS_AHEAD] - slots[0] != ROWS_AHEAD) {
        fetch_ahead(index, slots, left, marks);
        return;
    }
    check_slots(slots + ROWS_AHEAD, index->bodies->used);
    for (uint32_t k = 0; k < WIDTH; k++) {
        __builtin_prefetch(qd_row_now(index->rows, index->bodies->record[slots[ROWS_AHEAD + k]].row), 1);
    }
}

static inline __attribute__((always_inline)) size_t move_many(qd_linear *tree, size_t count, const uint32_t *slots,
                                                              const float *const *at, qd_left *left, bool marks)
{
    const constants c = constants_of(tree);
    const qd_bodies *bodies = tree->index.bodies;
    const bool is_large = qd_moves_prefetch(bodies);
    uint32_t out_count = 0;
    size_t i = 0;

    for (; i + WIDTH <= count && out_count <= QD_MOVERS_FULL - WIDTH; i += WIDTH, slots += WIDTH) {
        group next;
        columns row;

        if (is_large) {
            fetch_rows_ahead(&tree->index, slots, count - i, marks);
        }
        read_group(bodies, slots, at, i, &next);
        uint32_t out = leaving(&c, bodies, slots, &next, &row);
        write_group(&tree->index, slots, at, i, &next, &row, marks);
        out_count += put_left(left->slot + out_count, slots, out);
    }
    left->count = out_count;
    return i;
}

size_t MOVE_SYMBOL(qd_linear_move)(qd_linear *tree, size_t count, const uint32_t *slots, const float *const *at,
                                   qd_left *left)
{
    return tree->index.rows->all ? move_many(tree, count, slots, at, left, false)
                                 : move_many(tree, count, slots, at, left, true);
}

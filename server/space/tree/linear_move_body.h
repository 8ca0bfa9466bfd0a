/* SPDX-License-Identifier: Apache-2.0
 *
 * Moving many bodies of a quadtree, a register of them at a time, as quadtree_move.c does it one by one.
 * Compiled by each move_<isa>.c behind move_body.h.
 */

/* What is the same for all. */
typedef struct constants {
    floats origin[QD_AXES], scale, last;
    ints shift;
} constants;

static constants constants_of(const qd_quadtree *tree)
{
    const qd_frame *frame = &tree->frame;
    constants c = {
        .scale = all_floats(frame->scale),
        .last = all_floats((float)QD_FRAME_LAST),
        .shift = all_ints(QD_FRAME_BITS - tree->depth),
    };

    for (uint32_t k = 0; k < QD_AXES; k++) {
        c.origin[k] = all_floats(frame->origin[k]);
    }
    return c;
}

/* qd_frame_number */
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
    const ints shift = c->shift + (at->place >> 28);
    ints out = all_ints(0), apart = all_ints(0);
    uint32_t far = 0;
    for (uint32_t k = 0; k < QD_AXES; k++) {
        ints low = number_of(c, bounds.edge[k], k), high = number_of(c, bounds.edge[QD_ROW_HIGH + k], k);
        ints cell = at->place >> QD_PLACE_BITS * (QD_AXES - 1 - k) & ((1u << QD_PLACE_BITS) - 1);

        out |= ((low >> shift) ^ cell) | ((high >> shift) ^ cell);
        apart |= low ^ high;
        far |= exceeding(abs_of(at->centre[k] - at->before[k]), bounds.edge[QD_ROW_HIGH + k] - bounds.edge[k]);
    }
    /* Done for leaves, too: a branch would be foreseen too seldom. */
    uint32_t is_leaf = any(at->place & (1u << 24)), is_astride = any(apart >> (shift - 1));
    return any(out) | (~is_leaf & (far | (~is_astride & ((1u << WIDTH) - 1))));
}

/* ---- those that left ---- */

/* Boxes as numbers, shifted to finest cells. */
typedef struct span {
    ints low[QD_AXES], high[QD_AXES];
} span;

typedef struct spot {
    ints cell, place;
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

/* qd_quadtree_cell_of */
static inline spot spot_of(const qd_quadtree *tree, const span *box)
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
        numbers = numbers << QD_PLACE_BITS | box->low[k] >> height;
    }
    /* The level's first cell, qd_level_first, has a 1 in each of its digits. */
    const uint32_t ones = QD_AXES == 2 ? 0x55555555u : 0x49249249u;
    ints first = ~(all_ints(UINT32_MAX) << QD_AXES * (tree->depth - height)) & ones;
    return (spot){
        .cell = first + (low >> QD_AXES * height),
        .place = height << 28 | (is_leaf & (1u << 24)) | numbers,
    };
}

/* qd_quadtree_look for many, but also of those that are split. Returns a bit for each that goes; those in `odd` are to
 * be looked at one by one. Their rows stand where they are already. */
static inline uint32_t look(const qd_quadtree *tree, const constants *c, const uint32_t *slots, qd_leaver *leavers,
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
        far |= any((ints)(all_high - all_low > longest));
        apart |= exceeding(low, was_high) | exceeding(was_low, high);
        now.low[k] = now_low >> c->shift;
        now.high[k] = now_high >> c->shift;
        both.low[k] = all_low >> c->shift;
        both.high[k] = all_high >> c->shift;
    }
    spot to = spot_of(tree, &both), natural = spot_of(tree, &now);
    uint32_t is_leaf = any(to.place & (1u << 24)), is_other = any(natural.place ^ to.place);
    uint32_t split = index->config->swept ? 0 : far & apart & ~is_leaf & ~absent;
    *odd =
        any((at.state & 0xffu) ^ QD_RECORD_LIVE) | any(are_of_shape(&at, QD_SPACE_CAPSULE)) | any(at.change ^ QD_NONE);
    uint32_t cell[2][WIDTH], place[2][WIDTH];
    memcpy(cell[0], &to.cell, sizeof cell[0]);
    memcpy(cell[1], &natural.cell, sizeof cell[1]);
    memcpy(place[0], &to.place, sizeof place[0]);
    memcpy(place[1], &natural.place, sizeof place[1]);
    for (uint32_t e = 0; e < WIDTH; e++) {
        uint32_t is_split = split >> e & 1;

        leavers[e] = (qd_leaver){
            .slot = slots[e % 4 * LANES + e / 4],
            .cell = cell[is_split][e],
            .note = qd_leaver_note(place[is_split][e], is_split            ? QD_LEAVE_SPLIT
                                                       : is_other >> e & 1 ? QD_LEAVE_STRETCHED
                                                                           : QD_LEAVE_WHOLE),
        };
    }
    return split | any(to.place ^ at.place);
}

/* Looks at all that were put aside, of which then none is. Returns how many go, or have to be looked at one by one:
 * `leavers` has room for a register more than are aside. */
static __attribute__((noinline)) uint32_t look_aside(const qd_quadtree *tree, qd_aside *aside, qd_leaver *leavers)
{
    const constants c = constants_of(tree);
    const qd_index *index = &tree->index;
    const bool is_large = index->bodies->used > QD_MOVE_PREFETCH_FROM;
    qd_leaver many[WIDTH];
    uint32_t count = 0;

    /* Whole registers of slots: after the last one it comes again. */
    for (uint32_t i = aside->count; i % WIDTH != 0; i++) {
        aside->slot[i] = aside->slot[aside->count - 1];
    }
    for (uint32_t i = 0; i < aside->count; i += WIDTH) {
        for (uint32_t k = i + WIDTH; is_large && k < i + 2 * WIDTH && k < aside->count; k++) {
            qd_rows_fetch(index->rows, index->bodies->record[aside->slot[k]].row);
        }
        uint32_t odd, out = look(tree, &c, aside->slot + i, many, &odd);
        for (uint32_t left = out & ~odd; left != 0; left &= left - 1) {
            leavers[count++] = many[__builtin_ctz(left)];
        }
        for (uint32_t left = odd; left != 0; left &= left - 1) {
            leavers[count++] = (qd_leaver){many[__builtin_ctz(left)].slot, 0, qd_leaver_note(0, QD_LEAVE_ODD)};
        }
    }
    aside->count = 0;
    return count;
}

static void resolve(qd_quadtree *tree, qd_aside *aside)
{
    qd_leaver leavers[QD_ASIDE_MAX + WIDTH];

    qd_quadtree_leave(&tree->index, leavers, look_aside(tree, aside, leavers));
}

/* ---- all ---- */

static inline __attribute__((always_inline)) size_t move_many(qd_quadtree *tree, size_t count, const uint32_t *slots,
                                                              const float *const *at, bool marks)
{
    qd_aside aside;

    aside.count = 0;
    const constants c = constants_of(tree);
    const qd_bodies *bodies = tree->index.bodies;
    size_t i = 0;
    for (; i + WIDTH <= count; i += WIDTH, slots += WIDTH) {
        group next;
        columns row;

        fetch_ahead(&tree->index, slots, count - i, marks);
        read_group(bodies, slots, at, i, &next);
        uint32_t out = leaving(&c, bodies, slots, &next, &row);
        write_group(&tree->index, slots, at, i, &next, &row, marks);
        put_aside(&aside, slots, out);
        if (QD_UNLIKELY(aside.count > QD_ASIDE_MAX - WIDTH)) {
            resolve(tree, &aside);
        }
    }
    resolve(tree, &aside);
    return i;
}

size_t MOVE_SYMBOL(qd_quadtree_move)(qd_quadtree *tree, size_t count, const uint32_t *slots, const float *const *at)
{
    return tree->index.rows->all ? move_many(tree, count, slots, at, false) : move_many(tree, count, slots, at, true);
}

#define WITHIN_AHEAD 64u /* bodies: so far ahead rows are fetched */

/* The rows of a register of bodies are fetched. */
static inline void fetch_rows(const qd_index *index, const uint32_t *slots)
{
    check_slots(slots, index->bodies->used);
    for (uint32_t k = 0; k < WIDTH; k++) {
        __builtin_prefetch(qd_row_now(index->rows, index->bodies->record[slots[k]].row), 1);
    }
}

size_t MOVE_SYMBOL(qd_quadtree_within)(qd_quadtree *tree, size_t count, const uint32_t *slots, const float *const *at,
                                       qd_leaver *leavers, uint32_t *left)
{
    const constants c = constants_of(tree);
    const qd_bodies *bodies = tree->index.bodies;
    const bool is_large = bodies->used > QD_MOVE_PREFETCH_FROM;
    qd_aside aside;

    aside.count = 0;
    for (size_t k = 0; is_large && k < WITHIN_AHEAD && k + WIDTH <= count; k += WIDTH) {
        fetch_rows(&tree->index, slots + k);
    }
    size_t i = 0;
    for (; i + WIDTH <= count; i += WIDTH, slots += WIDTH) {
        group next;
        columns row;

        if (is_large && i + WITHIN_AHEAD + WIDTH <= count) {
            fetch_rows(&tree->index, slots + WITHIN_AHEAD);
        }
        read_group(bodies, slots, at, i, &next);
        uint32_t out = leaving(&c, bodies, slots, &next, &row);
        write_group(&tree->index, slots, at, i, &next, &row, false);
        put_aside(&aside, slots, out);
        if (QD_UNLIKELY(aside.count > QD_ASIDE_MAX - WIDTH)) {
            *left += look_aside(tree, &aside, leavers + *left);
        }
    }
    *left += look_aside(tree, &aside, leavers + *left);
    return i;
}

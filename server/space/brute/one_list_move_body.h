/* SPDX-License-Identifier: Apache-2.0
 *
 * Moving many bodies of an index of one cell, a register of them at a time, as flat.c does it one by one.
 * Compiled by each move_<isa>.c behind move_body.h.
 */

static inline __attribute__((always_inline)) size_t
move_many_flat(const qd_index *index, size_t count, const uint32_t *slots, const float *const *at, bool marks)
{
    size_t i = 0;

    for (; i + WIDTH <= count; i += WIDTH, slots += WIDTH) {
        group next;
        columns row, bounds;

        fetch_ahead(index, slots, count - i, marks);
        read_group(index->bodies, slots, at, i, &next);
        make_rows(index->bodies, slots, &next, &row, &bounds);
        write_group(index, slots, at, i, &next, &row, marks);
    }
    return i;
}

size_t MOVE_SYMBOL(qd_flat_move)(const qd_index *index, size_t count, const uint32_t *slots, const float *const *at)
{
    return index->rows->all ? move_many_flat(index, count, slots, at, false)
                            : move_many_flat(index, count, slots, at, true);
}

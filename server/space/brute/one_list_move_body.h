/* SPDX-License-Identifier: Apache-2.0
 *
 * Moves many bodies of an index of one cell, a register of them at a time; one_list.c does the same one by one.
 * Included by each move_<isa>.c after move_body.h.
 */

static inline __attribute__((always_inline)) size_t
move_many_one_list(const qd_index *index, size_t count, const uint32_t *slots, const float *const *at, bool marks)
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

size_t MOVE_SYMBOL(qd_one_list_move)(const qd_index *index, size_t count, const uint32_t *slots, const float *const *at)
{
    return index->rows->all ? move_many_one_list(index, count, slots, at, false)
                            : move_many_one_list(index, count, slots, at, true);
}

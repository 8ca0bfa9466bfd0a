/* SPDX-License-Identifier: Apache-2.0
 *
 * The cells of the quadtree, and with QD_AXES 3 of the octree.
 */
#include <math.h>

#include "server/space/space.h"
#include "server/space/tree/linear/linear.h"
#include "support/rng.h"
#include "tests/support/test.h"

static rng_stream rng = {11};

/* From the root down, into the child that holds both corners, as long as there is one. */
static uint32_t naive_cell(const qd_quantizer *quantizer, const qd_row *box, uint32_t depth)
{
    uint32_t cell = 0, at[QD_AXES] = {0}, size = 65536;

    for (uint32_t level = 0; level < depth; level++) {
        uint32_t child = 0;

        size /= 2;
        for (uint32_t k = 0; k < QD_AXES; k++) {
            uint32_t middle = at[k] + size;
            bool low = qd_quantizer_number(box->v[k], quantizer->origin[k], quantizer->scale) >= middle;
            bool high = qd_quantizer_number(box->v[QD_ROW_HIGH + k], quantizer->origin[k], quantizer->scale) >= middle;

            if (low != high) {
                return cell;
            }
            child |= (uint32_t)low << k;
        }
        cell = QD_CHILDREN * cell + 1 + child;
        for (uint32_t k = 0; k < QD_AXES; k++) {
            at[k] += (child >> k & 1) * size;
        }
    }
    return cell;
}

static uint32_t cell_of_place(uint32_t place, uint32_t depth)
{
    uint32_t at[QD_AXES];

    for (uint32_t k = 0; k < QD_AXES; k++) {
        at[k] = qd_cell_key_number(place, k);
    }
    return qd_level_first(depth - qd_cell_key_height(place)) + qd_morton(at);
}

TEST(box_has_its_cell_at_every_depth)
{
    const qd_space_config config = {
        .min_x = -100, .min_y = 50, .min_z = 1000, .max_x = 400, .max_y = 350, .max_z = 1100};
    qd_heap heap;

    qd_heap_init(&heap);
    qd_index *index = qd_index_create(&qd_linear_ops, &(qd_index){.heap = &heap, .config = &config});
    assert_non_null(index);
    qd_linear *tree = (qd_linear *)index;
    for (uint32_t depth = 0; depth <= QD_TREE_DEPTH_MAX; depth++) {
        tree->depth = depth;
        for (int i = 0; i < 20000; i++) {
            double size = ldexp(300, -(int)(rng_below(&rng, 12)));
            const float half[3] = {rng_between(&rng, 0, size), rng_between(&rng, 0, size), rng_between(&rng, 0, size)};
            float at[3] = {rng_between(&rng, -200, 500), rng_between(&rng, -50, 450), rng_between(&rng, 900, 1600)};

            if (i % 4 == 0) {
                at[0] = -100.0f + 500.0f * (float)(rng_below(&rng, 1025)) / 1024;
            }
            qd_row box = qd_row_of_box(at, half);
            uint32_t place, cell = qd_linear_cell_of(tree, &box, &place);
            assert_int_equal(cell, naive_cell(&tree->quantizer, &box, depth));
            assert_int_equal(cell_of_place(place, depth), cell);
        }
    }
    qd_index_destroy(index);
    assert_int_equal(heap.bytes, 0);
    qd_heap_deinit(&heap);
}

TEST_MAIN()

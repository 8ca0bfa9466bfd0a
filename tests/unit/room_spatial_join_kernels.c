/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernels of the spatial join, on balls and points at random: all find the same points, and miss none.
 */
#include "server/room/views/join/join.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/rng.h"
#include "tests/support/test.h"

#define POINTS    336u
#define WORDS     (POINTS / QD_JOIN_LANES)
#define WORDS_MAX (WORDS + QD_JOIN_FOUR - 1)
#define BALLS     300u

static void *column(size_t count)
{
    return aligned_alloc(64, (count * sizeof(float) + 63) / 64 * 64);
}

static qd_join_points make_points(rng_stream *rng, unsigned axes)
{
    qd_join_points points = {.now = {NULL}};

    for (unsigned k = 0; k < axes; k++) {
        points.now[k] = column(POINTS);
        points.was[k] = column(POINTS);
    }
    for (uint32_t i = 0; i < POINTS; i++) {
        const bool is = !rng_one_in(rng, 20), did = !rng_one_in(rng, 20), goes_far = rng_one_in(rng, 30);

        for (unsigned k = 0; k < axes; k++) {
            const float at = 0.5f * (float)rng_below(rng, 36);

            points.was[k][i] = did ? at : INFINITY;
            points.now[k][i] = is ? at + (goes_far ? 20 : 0.5f * (float)rng_below(rng, 2)) : INFINITY;
        }
    }
    return points;
}

static bool is_in(float *const *columns, uint32_t i, const float *at, float radius, unsigned axes)
{
    double sum = 0;

    for (unsigned k = 0; k < axes; k++) {
        const double apart = (double)columns[k][i] - (double)at[k];

        sum += apart * apart;
    }
    return sum <= (double)radius * (double)radius;
}

/* No point is missing, and points that are not in the ball are said to be unsure. */
static bool is_sound(const uint16_t *masks, bool unsure, float *const *columns, const float *at, float radius,
                     unsigned axes)
{
    for (uint32_t i = 0; i < POINTS; i++) {
        const bool is = is_in(columns, i, at, radius, axes), has = masks[i / 16] >> i % 16 & 1;

        if (has != is && (is || !unsure)) {
            return false;
        }
    }
    return true;
}

static qd_join_counts counts_of(const uint16_t *is, const uint16_t *did)
{
    qd_join_counts counts = {0, 0, 0};

    for (uint32_t i = 0; i < POINTS; i++) {
        const uint32_t now = is[i / 16] >> i % 16 & 1, was = did[i / 16] >> i % 16 & 1;

        counts.is += now;
        counts.both += now & was;
        counts.differ += now ^ was;
    }
    return counts;
}

static void all_kernels_agree(unsigned axes)
{
    rng_stream rng = {axes};
    const qd_join_points points = make_points(&rng, axes);
    uint32_t unsure_balls = 0;

    for (uint32_t b = 0; b < BALLS; b++) {
        const float radius = b % 10 == 0 ? 0 : b % 10 == 1 ? 1e30f : 0.1f + 0.5f * (float)rng_below(&rng, 20);
        float now[3], was[3];

        for (unsigned k = 0; k < 3; k++) {
            was[k] = 0.5f * (float)rng_below(&rng, 36);
            now[k] = was[k] + (rng_one_in(&rng, 5) ? 15 : 0.5f);
        }
        const bool is_none = b % 7 == 0;
        const qd_join_ball ball_now = is_none ? QD_JOIN_NO_BALL : qd_join_ball_of(now, radius);
        const qd_join_ball ball_was = qd_join_ball_of(was, radius);
        for (uint32_t i = 0; qd_join_kernel_at(i, axes); i++) {
            uint16_t is[WORDS_MAX], did[WORDS_MAX];
            const qd_join_kernel *kernel = qd_join_kernel_at(i, axes);
            qd_join_counts counts;

            memset(is, 0xff, sizeof is);
            memset(did, 0x55, sizeof did);
            const bool unsure = kernel->both(&points, WORDS, &ball_now, &ball_was, is, did, &counts);
            const qd_join_counts expected = counts_of(is, did), again = kernel->count(is, did, WORDS);

            unsure_balls += unsure;
            for (uint32_t word = WORDS; word < qd_join_stride(WORDS); word++) {
                assert_int_equal(is[word] | did[word], 0);
            }
            assert_memory_equal(&counts, &expected, sizeof counts);
            assert_memory_equal(&again, &expected, sizeof counts);
            uint16_t same[WORDS_MAX];
            (void)kernel->now(&points, WORDS, &ball_now, same, did, &counts);
            assert_memory_equal(same, is, qd_join_stride(WORDS) * sizeof is[0]);
            assert_memory_equal(&counts, &expected, sizeof counts);
            assert_true(is_sound(did, unsure, points.was, was, radius, axes));
            assert_true(is_none || is_sound(is, unsure, points.now, now, radius, axes));
            for (uint32_t word = 0; word < WORDS && is_none; word++) {
                assert_int_equal(is[word], 0);
            }
        }
    }
    assert_true(unsure_balls > 0 && unsure_balls < BALLS * 2);
    for (unsigned k = 0; k < axes; k++) {
        free(points.now[k]);
        free(points.was[k]);
    }
}

TEST(kernels_agree_in_two_dimensions)
{
    (void)state;
    all_kernels_agree(2);
}

TEST(kernels_agree_in_three_dimensions)
{
    (void)state;
    all_kernels_agree(3);
}

TEST_MAIN()

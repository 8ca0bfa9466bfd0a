/* SPDX-License-Identifier: Apache-2.0
 *
 * The set of pairs against a matrix of booleans, over random ticks in parts, resets and suspensions; and all that
 * contradicts the set.
 */

#include <stdlib.h>
#include <string.h>

#include "quadrille.h"
#include "support/rng.h"
#include "tests/support/test.h"

#define IDS       40u
#define PAIRS_MAX (IDS * (IDS - 1) / 2)

/* Ids as clients choose them: near 0, near the top, and spread. */
static uint32_t id_of(uint32_t i)
{
    return i < 10 ? i : i >= 30 ? UINT32_MAX - (39 - i) : i * 100000007u;
}

static rng_stream rng;

struct model {
    bool in[IDS][IDS];
    uint64_t tick;
    bool started;
};

struct columns {
    uint32_t a[PAIRS_MAX], b[PAIRS_MAX];
    uint32_t count;
};

static void add(struct columns *columns, uint32_t i, uint32_t k)
{
    uint32_t a = id_of(i), b = id_of(k);

    columns->a[columns->count] = a < b ? a : b;
    columns->b[columns->count++] = a < b ? b : a;
}

static void expect_equal(const qd_pairs *pairs, const struct model *model)
{
    size_t count = 0;

    for (uint32_t i = 0; i < IDS; i++) {
        uint32_t degree = 0;

        for (uint32_t k = 0; k < IDS; k++) {
            bool in = i < k ? model->in[i][k] : k < i && model->in[k][i];

            assert_int_equal(qd_pairs_contain(pairs, id_of(i), id_of(k)), in);
            degree += in;
            count += in && i < k;
        }
        assert_int_equal(qd_pairs_of(pairs, id_of(i)), degree);
    }
    assert_int_equal(qd_pairs_count(pairs), count);

    size_t cursor = 0, visited = 0;
    uint32_t a, b;
    while (qd_pairs_next(pairs, &cursor, &a, &b)) {
        assert_true(a < b && qd_pairs_contain(pairs, a, b));
        visited++;
    }
    assert_int_equal(visited, count);
}

/* Cuts one tick's columns into frames at random and applies them. */
static void apply_in_parts(qd_pairs *pairs, const struct model *model, bool reset, const struct columns *ends,
                           const struct columns *begins, const struct columns *passed, const struct columns *stays)
{
    static const uint8_t reasons[PAIRS_MAX] = {0};
    const struct columns *groups[] = {ends, begins, passed, stays};
    uint32_t done[4] = {0};
    bool first = true, last = false;

    while (!last) {
        qd_msg_tick tick = {.room = 1, .tick = model->tick, .reset = reset && first, .end_reason = reasons};
        qd_msg_pairs *parts[] = {&tick.ends, &tick.begins, &tick.passed, &tick.stays};

        last = true;
        for (int g = 0; g < 4 && last; g++) {
            uint32_t left = groups[g]->count - done[g];
            uint32_t count = rng_below(&rng, 4) == 0 ? rng_below(&rng, left + 1) : left;

            *parts[g] = (qd_msg_pairs){count, groups[g]->a + done[g], groups[g]->b + done[g]};
            done[g] += count;
            last = count == left;
        }
        tick.last = last;
        assert_int_equal(qd_pairs_apply(pairs, &tick), QD_CLIENT_OK);
        assert_int_equal(qd_pairs_known(pairs), last);
        first = false;
    }
}

/* One tick of a random life: most pairs stay, some change; now and then all is new, or suspended. */
static void run_tick(qd_pairs *pairs, struct model *model)
{
    static struct columns ends, begins, passed, stays;

    ends.count = begins.count = passed.count = stays.count = 0;
    model->tick += 1 + rng_below(&rng, 3);
    if (rng_below(&rng, 20) == 0) {
        memset(model->in, 0, sizeof model->in);
        model->started = false;
        qd_msg_tick tick = {.room = 1, .tick = model->tick, .last = true, .suspended = true};
        assert_int_equal(qd_pairs_apply(pairs, &tick), QD_CLIENT_OK);
        assert_false(qd_pairs_known(pairs));
        return;
    }
    bool reset = !model->started || rng_below(&rng, 10) == 0;
    uint32_t change = 1 + rng_below(&rng, 30);
    for (uint32_t i = 0; i < IDS; i++) {
        for (uint32_t k = i + 1; k < IDS; k++) {
            bool was = model->in[i][k] && !reset;
            bool is = rng_below(&rng, change) == 0 ? rng_below(&rng, 2) == 0 : model->in[i][k];

            model->in[i][k] = is;
            if (was && !is) {
                add(&ends, i, k);
            } else if (is && !was) {
                add(&begins, i, k);
            } else if (was && is && rng_below(&rng, 2) == 0) {
                add(&stays, i, k);
            } else if (!was && !is && !reset && rng_below(&rng, 8) == 0) {
                add(&passed, i, k);
            }
        }
    }
    model->started = true;
    apply_in_parts(pairs, model, reset, &ends, &begins, &passed, &stays);
    assert_int_equal(qd_pairs_tick(pairs), model->tick);
}

TEST(pairs_agree_with_a_matrix)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        rng.state = seed;
        qd_pairs *pairs = qd_pairs_create();
        struct model model = {.tick = 0};
        assert_false(qd_pairs_known(pairs));
        expect_equal(pairs, &model);
        for (int i = 0; i < 60; i++) {
            run_tick(pairs, &model);
            expect_equal(pairs, &model);
        }
        qd_pairs_destroy(pairs);
    }
}

/* A set with the pair (1, 2) at tick 5. */
static qd_pairs *set_of_one(void)
{
    qd_pairs *pairs = qd_pairs_create();
    const uint32_t a = 1, b = 2;
    qd_msg_tick tick = {.tick = 5, .reset = true, .last = true, .begins = {1, &a, &b}};

    assert_int_equal(qd_pairs_apply(pairs, &tick), QD_CLIENT_OK);
    assert_true(qd_pairs_known(pairs));
    return pairs;
}

static void expect_contradiction(qd_pairs *pairs, const qd_msg_tick *tick)
{
    assert_int_equal(qd_pairs_apply(pairs, tick), QD_CLIENT_ERR_PROTOCOL);
    /* The set is forgotten, nothing but a reset starts it again. */
    assert_false(qd_pairs_known(pairs));
    assert_int_equal(qd_pairs_count(pairs), 0);
    assert_int_equal(qd_pairs_of(pairs, 1), 0);
    const qd_msg_tick plain = {.tick = 7, .last = true}, reset = {.tick = 8, .reset = true, .last = true};
    assert_int_equal(qd_pairs_apply(pairs, &plain), QD_CLIENT_ERR_PROTOCOL);
    assert_int_equal(qd_pairs_apply(pairs, &reset), QD_CLIENT_OK);
    assert_true(qd_pairs_known(pairs));
    qd_pairs_destroy(pairs);
}

TEST(contradicting_frames_are_refused)
{
    const uint32_t one = 1, two = 2, three = 3;
    const uint8_t reason = QD_END_MOVED_APART;
    const qd_msg_pairs in = {1, &one, &two}, out = {1, &one, &three}, same = {1, &two, &two}, turned = {1, &two, &one};

    expect_contradiction(set_of_one(), &(qd_msg_tick){.tick = 6, .last = true, .begins = in});
    expect_contradiction(set_of_one(), &(qd_msg_tick){.tick = 6, .last = true, .ends = out, .end_reason = &reason});
    expect_contradiction(set_of_one(), &(qd_msg_tick){.tick = 6, .last = true, .stays = out});
    expect_contradiction(set_of_one(), &(qd_msg_tick){.tick = 6, .last = true, .passed = in});
    expect_contradiction(set_of_one(), &(qd_msg_tick){.tick = 6, .last = true, .begins = out, .passed = out});
    expect_contradiction(set_of_one(), &(qd_msg_tick){.tick = 6, .last = true, .begins = same});
    expect_contradiction(set_of_one(), &(qd_msg_tick){.tick = 6, .last = true, .begins = turned});
    expect_contradiction(set_of_one(), &(qd_msg_tick){.tick = 6, .last = true, .ends = turned, .end_reason = &reason});
    /* Events without a start. */
    expect_contradiction(qd_pairs_create(), &(qd_msg_tick){.tick = 6, .last = true, .begins = in});

    /* A tick begins before the last frame of the one before, and a reset in the middle of one. */
    qd_pairs *pairs = set_of_one();
    assert_int_equal(qd_pairs_apply(pairs, &(qd_msg_tick){.tick = 6}), QD_CLIENT_OK);
    expect_contradiction(pairs, &(qd_msg_tick){.tick = 7, .last = true});
    pairs = set_of_one();
    assert_int_equal(qd_pairs_apply(pairs, &(qd_msg_tick){.tick = 6}), QD_CLIENT_OK);
    expect_contradiction(pairs, &(qd_msg_tick){.tick = 6, .reset = true, .last = true});
}

TEST(pair_may_end_and_begin_in_one_tick)
{
    const uint32_t one = 1, two = 2;
    const uint8_t reason = QD_END_DESPAWNED;
    const qd_msg_pairs pair = {1, &one, &two};
    qd_pairs *pairs = set_of_one();
    const qd_msg_tick tick = {.tick = 6, .last = true, .ends = pair, .end_reason = &reason, .begins = pair};

    assert_int_equal(qd_pairs_apply(pairs, &tick), QD_CLIENT_OK);
    assert_int_equal(qd_pairs_count(pairs), 1);
    assert_int_equal(qd_pairs_of(pairs, 1), 1);
    qd_pairs_destroy(pairs);
    qd_pairs_destroy(NULL);
}

TEST_MAIN()

/* SPDX-License-Identifier: Apache-2.0 */
#include "auto.h"

#include "../base/ablation.h"

#define OPERATION_STEPS 64.0
#define SORT_STEPS      24.0  /* a row's share of GRID's sorting */
#define SHARE_STEPS     24.0  /* a row's share in a good tick of a tree */
#define PRICE           400.0 /* of trying another index, and of coming to that: two changes */

#define FEW_TICKS 256u /* before BRUTE has rows again: a change costs as much as some ticks */

#define SETTLE_TICKS           4u   /* that an index has to find its shape */
#define PROBE_TICKS            4u   /* behind them, that are compared with the tree */
#define BETTER                 0.8  /* of the tree's cost, at most, is clearly better */
#define LOOK_SHARE             32.0 /* a look at the tree costs one in so many of the steps before it */
#define TICKS_MAX              65536.0
#define DOUBLINGS_MAX          16u
#define DOUBLINGS_WITHOUT_GAIN 2u /* an attempt without gain costs as much as some ticks, and so do the changes */

static const qd_space_index tree = QD_AXES == 2 ? QD_SPACE_QUADTREE : QD_SPACE_OCTREE;

/* A tree of so few leaves is slower than BRUTE: 256 rows in two dimensions, 320 in three. */
void qd_auto_init(qd_auto *choice, uint32_t leaf_rows, uint32_t depth)
{
    *choice = (qd_auto){.few = depth != 0 || QD_WITHOUT(AUTO_BRUTE) ? 0 : leaf_rows * (QD_AXES == 2 ? 8 : 10) / 3};
}

qd_space_index qd_auto_first(const qd_auto *choice)
{
    return choice->few > 0 ? QD_SPACE_BRUTE : tree;
}

qd_space_index qd_auto_fit(const qd_auto *choice, qd_space_index at_work, uint32_t rows)
{
    return at_work == QD_SPACE_BRUTE && rows > choice->few ? tree : at_work;
}

static double cost_of(qd_space_index index, const qd_auto_tick *tick)
{
    double steps = qd_steps_of_tests(tick->tests, tick->exact_tests) + (double)tick->operations * OPERATION_STEPS;

    return steps / tick->rows + (index == QD_SPACE_GRID ? SORT_STEPS : 0);
}

/* What it takes to try another index now. */
static double price_of(const qd_auto *choice)
{
    return ldexp(PRICE, (int)choice->debt.doublings);
}

static qd_space_index leave_tree(qd_auto *choice, const qd_auto_tick *tick)
{
    double moving = (double)tick->operations * OPERATION_STEPS / tick->rows;

    choice->debt.steps = 0;
    choice->settling = choice->cost_sum = 0;
    choice->ticks = 0;
    return moving > choice->tree_cost / 2 ? QD_SPACE_GRID : QD_SPACE_SPARSE;
}

static qd_space_index after_tree(qd_auto *choice, const qd_auto_tick *tick)
{
    choice->tree_cost = cost_of(tree, tick);
    qd_replan_debt_add(&choice->debt, choice->tree_cost - SHARE_STEPS);
    return qd_replan_debt_is_due(&choice->debt, PRICE) ? leave_tree(choice, tick) : tree;
}

qd_space_index qd_auto_without_hits(qd_auto *choice)
{
    choice->tree_failed = true;
    return QD_SPACE_SPARSE;
}

/* What its first ticks cost is the price of having come to it; the ones after them are compared. */
static qd_space_index after_other(qd_auto *choice, qd_space_index at_work, const qd_auto_tick *tick)
{
    choice->ticks++;
    if (choice->ticks <= SETTLE_TICKS) {
        choice->settling += cost_of(at_work, tick);
        return at_work;
    }
    if (choice->ticks <= SETTLE_TICKS + PROBE_TICKS) {
        choice->cost_sum += cost_of(at_work, tick);
    }
    if (choice->ticks < SETTLE_TICKS + PROBE_TICKS) {
        return at_work;
    }
    if (choice->ticks == SETTLE_TICKS + PROBE_TICKS) {
        double cost = choice->cost_sum / PROBE_TICKS;

        if (cost > BETTER * choice->tree_cost) {
            choice->debt.doublings += choice->debt.doublings < DOUBLINGS_MAX ? DOUBLINGS_WITHOUT_GAIN : 0;
            return tree;
        }
        double look = 2 * price_of(choice) + choice->tree_cost + choice->settling;
        double ticks = LOOK_SHARE * look / (cost + 1);
        choice->ticks_to_be = (uint32_t)(ticks < TICKS_MAX ? ticks : TICKS_MAX);
    }
    return choice->ticks < choice->ticks_to_be ? at_work : tree;
}

qd_space_index qd_auto_next(qd_auto *choice, qd_space_index at_work, const qd_auto_tick *tick)
{
    if (tick->rows == 0 || at_work == QD_SPACE_BRUTE) {
        return at_work;
    }
    choice->few_ticks = tick->rows <= choice->few / 2 ? choice->few_ticks + 1 : 0;
    if (choice->few_ticks == FEW_TICKS) {
        *choice = (qd_auto){.few = choice->few};
        return QD_SPACE_BRUTE;
    }
    if (choice->tree_failed || QD_WITHOUT(AUTO_TRIES)) {
        return at_work;
    }
    return at_work == tree ? after_tree(choice, tick) : after_other(choice, at_work, tick);
}

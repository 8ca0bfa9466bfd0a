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
#define LOOK_TICKS             2u   /* SPARSE has its cells by then: where it saves nothing, the attempt is over */
#define NO_GAIN                0.95 /* of the tree's cost, at least, saves nothing */
#define BETTER                 0.8  /* of the tree's cost, at most, is clearly better */
#define OTHER_CONTENT          1.25 /* the tree's cost has changed by so much: an index that failed may be better now */
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

/* Whether the content is that with which an index failed. */
static bool is_same_content(double cost, double failed)
{
    return cost < failed * OTHER_CONTENT && failed < cost * OTHER_CONTENT;
}

static double mean_of(const float *values, uint32_t ticks)
{
    const uint32_t count = ticks < QD_AUTO_TREE_TICKS ? ticks : QD_AUTO_TREE_TICKS;
    double sum = 0;

    for (uint32_t i = 0; i < count; i++) {
        sum += (double)values[i];
    }
    return sum / count;
}

static qd_space_index leave_tree(qd_auto *choice)
{
    choice->tree_cost = mean_of(choice->costs, choice->tree_ticks);
    const bool grid = mean_of(choice->moving, choice->tree_ticks) > choice->tree_cost / 2;

    choice->debt.steps = 0;
    if (is_same_content(choice->tree_cost, grid ? choice->grid_failed : choice->sparse_failed)) {
        return tree;
    }
    choice->settling = choice->cost_sum = 0;
    choice->ticks = choice->tree_ticks = 0;
    return grid ? QD_SPACE_GRID : QD_SPACE_SPARSE;
}

static qd_space_index after_tree(qd_auto *choice, const qd_auto_tick *tick)
{
    const uint32_t at = choice->tree_ticks++ % QD_AUTO_TREE_TICKS;
    const double cost = cost_of(tree, tick);

    choice->costs[at] = (float)cost;
    choice->moving[at] = (float)((double)tick->operations * OPERATION_STEPS / tick->rows);
    qd_replan_debt_add(&choice->debt, cost - SHARE_STEPS);
    return qd_replan_debt_is_due(&choice->debt, PRICE) ? leave_tree(choice) : tree;
}

qd_space_index qd_auto_without_hits(qd_auto *choice)
{
    choice->tree_failed = true;
    return QD_SPACE_SPARSE;
}

/* What the tree would cost in the middle of the compared ticks: `rise` is what the cost has risen by in each of them, as
 * a share. A crowd that comes together or goes apart would else make any index look worse or better. */
static double tree_cost_by_now(const qd_auto *choice, double rise)
{
    const double ticks = SETTLE_TICKS + (PROBE_TICKS + 1) / 2.0, change = rise * ticks;

    return change > 0 ? choice->tree_cost * (1 + change) : choice->tree_cost / (1 - change);
}

/* The tree's cost with which another index was not better. */
static qd_space_index give_up(qd_auto *choice, qd_space_index at_work, double tree_cost)
{
    choice->debt.doublings += choice->debt.doublings < DOUBLINGS_MAX ? DOUBLINGS_WITHOUT_GAIN : 0;
    *(at_work == QD_SPACE_GRID ? &choice->grid_failed : &choice->sparse_failed) = tree_cost;
    return tree;
}

/* The compared ticks are over; `last` is the cost of the last one. */
static qd_space_index decide(qd_auto *choice, qd_space_index at_work, double last)
{
    const double cost = choice->cost_sum / PROBE_TICKS;
    const double rise = (last - choice->cost_first) / (PROBE_TICKS - 1) / (cost + 1);
    const double tree_cost = tree_cost_by_now(choice, rise);

    if (cost > BETTER * tree_cost) {
        return give_up(choice, at_work, tree_cost);
    }
    const double look = 2 * price_of(choice) + choice->tree_cost + choice->settling;
    const double ticks = LOOK_SHARE * look / (cost + 1);
    choice->ticks_to_be = (uint32_t)(ticks < TICKS_MAX ? ticks : TICKS_MAX);
    return at_work;
}

/* What its first ticks cost is the price of having come to it; the ones after them are compared. */
static qd_space_index after_other(qd_auto *choice, qd_space_index at_work, const qd_auto_tick *tick)
{
    const double cost = cost_of(at_work, tick);

    choice->ticks++;
    if (at_work == QD_SPACE_SPARSE && choice->ticks == LOOK_TICKS && cost > NO_GAIN * choice->tree_cost) {
        return give_up(choice, at_work, choice->tree_cost);
    }
    if (choice->ticks <= SETTLE_TICKS) {
        choice->settling += cost;
    } else if (choice->ticks <= SETTLE_TICKS + PROBE_TICKS) {
        choice->cost_first = choice->ticks == SETTLE_TICKS + 1 ? cost : choice->cost_first;
        choice->cost_sum += cost;
    }
    if (choice->ticks == SETTLE_TICKS + PROBE_TICKS) {
        return decide(choice, at_work, cost);
    }
    return choice->ticks < SETTLE_TICKS + PROBE_TICKS || choice->ticks < choice->ticks_to_be ? at_work : tree;
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

/* SPDX-License-Identifier: Apache-2.0
 *
 * The work of traversals beyond their share. It adds up until it has cost as much as a new plan, which may end it. If a
 * plan does not help, the next one waits for twice the debt. Counted in steps, never by the clock: the same on every
 * machine.
 *
 *     the trees and HASH   tests beyond a row's share       price: their plan
 *     GRID                 work that was not planned        price: its plan
 *                          rows far from their cell's       price: laying rows out again
 *     AUTO                 what the tree costs beyond that   price: trying another index (auto.h)
 *
 * Owned by the index, or by AUTO. One thread at a time.
 */
#ifndef QD_SPACE_PLAN_REPLAN_DEBT_H
#define QD_SPACE_PLAN_REPLAN_DEBT_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "../../base/ablation.h"

/* A step is about the time that one row takes against a register of others. */
#define QD_TESTS_A_STEP  64.0
#define QD_EXACT_STEPS   3.0 /* an exact test */
#define QD_SHARE_STEPS   16u /* a row's share in a good traversal */
#define QD_REPLAN_STEPS  64u /* a row's share in a plan of a tree or of HASH */
#define QD_DOUBLINGS_MAX 32u

typedef struct qd_replan_debt {
    double steps;
    uint32_t doublings;
} qd_replan_debt;

static inline double qd_steps_of_tests(uint64_t tests, uint64_t exact_tests)
{
    return (double)tests / QD_TESTS_A_STEP + (double)exact_tests * QD_EXACT_STEPS;
}

/* Adds the steps of a traversal beyond its share. One that kept within it ends the debt. */
static inline void qd_replan_debt_add(qd_replan_debt *debt, double beyond)
{
    if (beyond <= 0) {
        *debt = (qd_replan_debt){0, 0};
    } else {
        debt->steps += beyond;
    }
}

static inline bool qd_replan_debt_is_due(const qd_replan_debt *debt, double price)
{
    return !QD_WITHOUT(REPLAN_DEBT) && debt->steps > ldexp(price, (int)debt->doublings);
}

/* After a plan. */
static inline void qd_replan_debt_pay(qd_replan_debt *debt, double price)
{
    debt->doublings += qd_replan_debt_is_due(debt, price) && debt->doublings < QD_DOUBLINGS_MAX;
    debt->steps = 0;
}

/* What a traversal for events did beyond the share of its rows. */
static inline double qd_steps_beyond_share(uint32_t rows, uint64_t tests, uint64_t exact_tests)
{
    return qd_steps_of_tests(tests, exact_tests) - QD_SHARE_STEPS * (double)rows;
}

/* The price of a plan of a tree or of HASH. */
static inline double qd_replan_price(uint32_t rows)
{
    return QD_REPLAN_STEPS * (double)rows;
}

#endif

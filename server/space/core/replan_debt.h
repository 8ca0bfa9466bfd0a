/* SPDX-License-Identifier: Apache-2.0
 *
 * What walks do beyond their share: it adds up, until it has cost as much as a plan that may put an end to it. Where
 * a plan does not help, the next one waits for twice as much. Counted in tests, never by the clock.
 *
 * Owned by the index. One thread at a time.
 */
#ifndef QD_SPACE_CORE_REPLAN_DEBT_H
#define QD_SPACE_CORE_REPLAN_DEBT_H

#include <stdbool.h>
#include <stdint.h>

/* Work in steps, of about the time that one row takes against a register of others: what an exact test costs, a row's
 * share in a good walk, and a row's share in a plan. */
#define QD_TESTS_A_STEP    64u
#define QD_EXACT_STEPS     3u
#define QD_TRAVERSAL_STEPS 16u
#define QD_PLAN_STEPS      128u

typedef struct qd_replan_debt {
    uint64_t steps;
    uint32_t doublings;
} qd_replan_debt;

/* Tells what a walk for events cost. */
static inline void qd_replan_debt_note(qd_replan_debt *debt, uint32_t rows, uint64_t tests, uint64_t exact_tests)
{
    uint64_t steps = tests / QD_TESTS_A_STEP + exact_tests * QD_EXACT_STEPS,
             share = QD_TRAVERSAL_STEPS * (uint64_t)rows;

    if (steps <= share) {
        *debt = (qd_replan_debt){0, 0};
    } else {
        debt->steps += steps - share;
    }
}

static inline bool qd_replan_debt_is_due(const qd_replan_debt *debt, uint32_t rows)
{
    return debt->steps >> debt->doublings > QD_PLAN_STEPS * (uint64_t)rows;
}

/* After a plan, of as many rows as before it. */
static inline void qd_replan_debt_reset(qd_replan_debt *debt, uint32_t rows)
{
    debt->doublings += qd_replan_debt_is_due(debt, rows) && debt->doublings < 32;
    debt->steps = 0;
}

#endif

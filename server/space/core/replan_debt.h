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
#define QD_TESTS_A_STEP 64u
#define QD_EXACT_STEPS  3u
#define QD_WALK_STEPS   16u
#define QD_PLAN_STEPS   128u

typedef struct qd_excess {
    uint64_t steps;
    uint32_t doublings;
} qd_excess;

/* Tells what a walk for events cost. */
static inline void qd_excess_note(qd_excess *excess, uint32_t rows, uint64_t tests, uint64_t exact_tests)
{
    uint64_t steps = tests / QD_TESTS_A_STEP + exact_tests * QD_EXACT_STEPS, share = QD_WALK_STEPS * (uint64_t)rows;

    if (steps <= share) {
        *excess = (qd_excess){0, 0};
    } else {
        excess->steps += steps - share;
    }
}

static inline bool qd_excess_is_due(const qd_excess *excess, uint32_t rows)
{
    return excess->steps >> excess->doublings > QD_PLAN_STEPS * (uint64_t)rows;
}

/* After a plan, of as many rows as before it. */
static inline void qd_excess_reset(qd_excess *excess, uint32_t rows)
{
    excess->doublings += qd_excess_is_due(excess, rows) && excess->doublings < 32;
    excess->steps = 0;
}

#endif

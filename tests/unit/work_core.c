/* SPDX-License-Identifier: Apache-2.0
 *
 * Who leaves a core is elsewhere then, if there is elsewhere to be, and may run where it could before.
 */
#define _GNU_SOURCE /* CPU_SET */

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/work/core.h"

/* The system may take it back at once. */
#define TRIES 1000

static cpu_set_t allowed(void)
{
    cpu_set_t set;

    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    return set;
}

static void may_run_where_it_could(void **state)
{
    (void)state;
    cpu_set_t before = allowed();
    bool left = false;

    for (int i = 0; i < TRIES && !left; i++) {
        int core = qd_core_now();

        qd_core_leave(core);
        cpu_set_t after = allowed();
        assert_true(CPU_EQUAL(&before, &after));
        left = qd_core_now() != core;
    }
    assert_true(left || CPU_COUNT(&before) == 1);
}

static void stays_where_there_is_no_other(void **state)
{
    (void)state;
    cpu_set_t before = allowed(), one;
    int core = qd_core_now();

    CPU_ZERO(&one);
    CPU_SET((size_t)core, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    qd_core_leave(core);
    assert_int_equal(qd_core_now(), core);
    cpu_set_t after = allowed();
    assert_true(CPU_EQUAL(&one, &after));
    qd_core_leave(-1);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(may_run_where_it_could),
                                       cmocka_unit_test(stays_where_there_is_no_other)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

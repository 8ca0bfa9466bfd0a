/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests that register themselves, run by cmocka in the order of the file:
 *
 *     TEST(a_removed_key_is_absent)
 *     {
 *         assert_false(qd_map_get(&map, 1, &value));
 *     }
 *
 *     TEST_MAIN()
 *
 * A program takes one argument, a pattern: it runs only the tests whose names match ("*key*").
 */
#ifndef QD_TESTS_SUPPORT_TEST_H
#define QD_TESTS_SUPPORT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define TEST_COUNT_MAX 100u

static struct CMUnitTest registered_tests[TEST_COUNT_MAX];
static size_t registered_count;

static inline void test_register(const char *name, CMUnitTestFunction run, CMFixtureFunction setup,
                                 CMFixtureFunction teardown)
{
    if (registered_count == TEST_COUNT_MAX) {
        fprintf(stderr, "%s: a file has at most %u tests; split it\n", name, TEST_COUNT_MAX);
        return;
    }
    registered_tests[registered_count++] = (struct CMUnitTest){name, run, setup, teardown, NULL};
}

/* Either fixture function may be NULL. A setup passes what it makes through *state. */
#define TEST_WITH(name, setup, teardown)                                                                               \
    static void name(void **state);                                                                                    \
    __attribute__((constructor)) static void register_##name(void)                                                     \
    {                                                                                                                  \
        test_register(#name, name, setup, teardown);                                                                   \
    }                                                                                                                  \
    static void name(void **state __attribute__((unused)))

#define TEST(name) TEST_WITH(name, NULL, NULL)

static inline int test_run(int argc, char **argv, CMFixtureFunction setup, CMFixtureFunction teardown)
{
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return _cmocka_run_group_tests(argv[0], registered_tests, registered_count, setup, teardown);
}

/* With a fixture for all tests of the program. */
#define TEST_MAIN_WITH(setup, teardown)                                                                                \
    int main(int argc, char **argv)                                                                                    \
    {                                                                                                                  \
        return test_run(argc, argv, setup, teardown);                                                                  \
    }

#define TEST_MAIN() TEST_MAIN_WITH(NULL, NULL)

#endif

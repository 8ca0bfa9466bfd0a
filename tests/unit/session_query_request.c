/* SPDX-License-Identifier: Apache-2.0
 *
 * Bad values in a query, or in the region of a snapshot, in rooms of two and of three dimensions; and what a
 * query comes to.
 */
#include <math.h>
#include <string.h>

#include "server/actor/commands/command.h"
#include "server/session/check/requests.h"
#include "tests/support/test.h"

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

static qd_fault fault;

static void expect_fault(const qd_msg_query *query, uint32_t dimensions, const char *text)
{
    assert_false(qd_query_check(query, dimensions, &fault));
    assert_string_equal(fault.text, text);
}

TEST(flat_query_is_taken_in_all_dimensions)
{
    const qd_msg_query flat[] = {
        {.kind = QD_QUERY_BOX, .where.box = {.min_x = 1, .max_x = 1, .max_y = 5}},
        {.kind = QD_QUERY_CIRCLE, .where.circle = {.x = 1, .y = 2}},
        {.kind = QD_QUERY_NEAREST, .where.nearest = {.x = 1, .within = 3}},
        {.kind = QD_QUERY_RAY, .where.ray = {.direction_y = -1}, .limit = 65536},
    };

    for (size_t i = 0; i < COUNT_OF(flat); i++) {
        assert_true(qd_query_check(&flat[i], 2, &fault));
        assert_true(qd_query_check(&flat[i], 3, &fault));
    }
}

TEST(query_with_z_is_refused_in_two_dimensions)
{
    const struct {
        qd_msg_query query;
        const char *text;
    } cases[] = {
        {{.kind = QD_QUERY_BOX, .where.box = {.max_z = 1}},
         "box.max_z is 1, but the room has two dimensions; must be 0. Leave it out"},
        {{.kind = QD_QUERY_CIRCLE, .where.circle = {.z = -2}},
         "circle.z is -2, but the room has two dimensions; must be 0. Leave it out"},
        {{.kind = QD_QUERY_NEAREST, .where.nearest = {.z = 3}},
         "nearest.z is 3, but the room has two dimensions; must be 0. Leave it out"},
        {{.kind = QD_QUERY_RAY, .where.ray = {.z = 4, .direction_x = 1}},
         "ray.z is 4, but the room has two dimensions; must be 0. Leave it out"},
        {{.kind = QD_QUERY_RAY, .where.ray = {.direction_z = 5}},
         "ray.direction_z is 5, but the room has two dimensions; must be 0. Leave it out"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        expect_fault(&cases[i].query, 2, cases[i].text);
        assert_true(qd_query_check(&cases[i].query, 3, &fault));
    }
}

TEST(query_with_bad_value_is_refused)
{
    const struct {
        qd_msg_query query;
        const char *text;
    } cases[] = {
        {{.kind = QD_QUERY_NOTHING},
         "the query has no region; must have a box, circle, nearest or ray. Send one of them"},
        {{.kind = QD_QUERY_BOX, .limit = 65537}, "limit is 65537; must be at most 65536"},
        {{.kind = QD_QUERY_BOX, .where.box = {.min_z = 2, .max_z = 1}},
         "box goes from min_z 2 to max_z 1; must be numbers with min at most max. Exchange or correct them"},
        {{.kind = QD_QUERY_BOX, .where.box = {.min_x = NAN}}, "box.min_x is nan; must be finite"},
        {{.kind = QD_QUERY_CIRCLE, .where.circle = {.z = INFINITY}}, "circle.z is inf; must be finite"},
        {{.kind = QD_QUERY_CIRCLE, .where.circle = {.radius = -1}}, "circle.radius is -1; must be 0 or more"},
        {{.kind = QD_QUERY_NEAREST, .where.nearest = {.within = -1}}, "nearest.within is -1; must be 0 or more"},
        {{.kind = QD_QUERY_RAY},
         "ray.direction is 0 on every axis; must have a length above 0. Send where the ray points to"},
        {{.kind = QD_QUERY_RAY, .where.ray = {.direction_z = 1, .length = -1}}, "ray.length is -1; must be 0 or more"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        expect_fault(&cases[i].query, 3, cases[i].text);
    }
}

TEST(region_with_bad_bounds_is_refused)
{
    const qd_msg_bounds flat = {.min_x = -INFINITY, .max_x = INFINITY, .max_y = 1}, deep = {.min_z = -1, .max_z = 1};
    const qd_msg_bounds turned = {.min_z = 1, .max_z = -1}, none = {.max_y = NAN};

    assert_true(qd_region_check(&flat, 2, &fault));
    assert_true(qd_region_check(&flat, 3, &fault));
    assert_true(qd_region_check(&deep, 3, &fault));
    assert_false(qd_region_check(&deep, 2, &fault));
    assert_string_equal(
        fault.text,
        "region goes from min_z -1 to max_z 1, but the room has two dimensions; both must be 0. Leave z out");
    assert_false(qd_region_check(&turned, 3, &fault));
    assert_string_equal(
        fault.text,
        "region goes from min_z 1 to max_z -1; must be numbers with min at most max. Exchange or correct them");
    assert_false(qd_region_check(&none, 3, &fault));
    assert_string_equal(
        fault.text,
        "region goes from min_y 0 to max_y nan; must be numbers with min at most max. Exchange or correct them");
}

TEST(query_translates_each_number)
{
    qd_space_query result;

    qd_query_translate(&(qd_msg_query){.kind = QD_QUERY_BOX, .where.box = {1, 2, 3, 4, 5, 6}, .categories = 7},
                       &result);
    assert_int_equal(result.kind, QD_SPACE_IN_BOX);
    assert_true(result.min_x == 1 && result.min_y == 2 && result.min_z == 3);
    assert_true(result.max_x == 4 && result.max_y == 5 && result.max_z == 6);
    assert_true(result.categories == 7 && result.limit == 1024);

    qd_query_translate(&(qd_msg_query){.kind = QD_QUERY_CIRCLE, .where.circle = {1, 2, 3, 4}, .limit = 5}, &result);
    assert_int_equal(result.kind, QD_SPACE_IN_CIRCLE);
    assert_true(result.x == 1 && result.y == 2 && result.z == 3 && result.radius == 4 && result.limit == 5);

    qd_query_translate(&(qd_msg_query){.kind = QD_QUERY_NEAREST, .where.nearest = {1, 2, 3, true, 4}}, &result);
    assert_int_equal(result.kind, QD_SPACE_NEAREST);
    assert_true(result.x == 1 && result.y == 2 && result.z == 3 && result.reach == 4);

    qd_query_translate(&(qd_msg_query){.kind = QD_QUERY_NEAREST, .where.nearest = {.has_within = true}}, &result);
    assert_true(result.reach == 0);
    qd_query_translate(&(qd_msg_query){.kind = QD_QUERY_NEAREST}, &result);
    assert_true(isinf(result.reach));

    qd_query_translate(&(qd_msg_query){.kind = QD_QUERY_RAY, .where.ray = {1, 2, 3, 4, 5, 6, 0}}, &result);
    assert_int_equal(result.kind, QD_SPACE_RAY);
    assert_true(result.x == 1 && result.y == 2 && result.z == 3 && isinf(result.reach));
    assert_true(result.direction_x == 4 && result.direction_y == 5 && result.direction_z == 6);
}

TEST_MAIN()

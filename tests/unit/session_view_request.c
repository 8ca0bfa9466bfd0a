/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "server/session/check/requests.h"
#include "tests/support/test.h"

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

static qd_fault fault;

static const uint32_t two[] = {1, 2};
static const float some[] = {1, 2};
static const uint8_t ones[] = {1, 1}, zeros[] = {0, 0}, mixed[] = {1, 0}, bad_flag[] = {0, 2};
static const uint8_t cones[] = {QD_REGION_CIRCLE, QD_REGION_CONE}, odd_region[] = {9, 200};

/* Without a code, the message is fine. */
static void assert_checked(qd_client_message message, uint32_t dimensions, qd_error_code code, const char *text)
{
    assert_int_equal(qd_view_request_check(&message, dimensions, &fault), code == QD_ERROR_NONE);
    if (code != QD_ERROR_NONE) {
        assert_int_equal(fault.code, code);
        assert_string_equal(fault.text, text);
    }
}

/* Two observers, and what is wrong with them. */
typedef struct checked_observers {
    qd_msg_observers observers;
    uint32_t dimensions;
    qd_error_code code;
    const char *text;
} checked_observers;

static void assert_all_checked(qd_client_kind kind, const checked_observers *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        qd_client_message message = {.kind = kind, .as.observers = rows[i].observers};

        message.as.observers.count = 2;
        message.as.observers.id = two;
        assert_checked(message, rows[i].dimensions, rows[i].code, rows[i].text);
    }
}

TEST(describe_with_bad_column_is_refused)
{
    static const uint8_t longest[] = {32, 0}, longer[] = {0, 33};

    static const struct {
        qd_msg_set_description describe;
        qd_error_code code;
        const char *text;
    } rows[] = {
        {{.count = 2, .id = two}, QD_ERROR_NONE, ""},
        {{.count = 2, .id = two, .payload_size = longest, .hidden = mixed}, QD_ERROR_NONE, ""},
        {{.count = 2, .id = two, .payload_size = longer},
         QD_ERROR_INVALID,
         "payload_size of entry 1 is 33; must be 0 to 32"},
        {{.count = 2, .id = two, .hidden = bad_flag}, QD_ERROR_INVALID, "hidden of entry 1 is 2; must be 0 to 1"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_checked((qd_client_message){.kind = QD_CLIENT_SET_DESCRIPTION, .as.set_description = rows[i].describe},
                       2, rows[i].code, rows[i].text);
    }
}

TEST(observer_with_bad_place_is_refused)
{
    const qd_msg_observers free_flat = {.x = some, .y = some}, free_deep = {.x = some, .y = some, .z = some};

    const checked_observers cases[] = {
        {free_flat, 2, QD_ERROR_NONE, ""},
        {free_deep, 3, QD_ERROR_NONE, ""},
        {{.entity = two}, 2, QD_ERROR_NONE, ""},
        {{.entity = two}, 3, QD_ERROR_NONE, ""},
        {{.entity = two, .anchored = ones}, 2, QD_ERROR_NONE, ""},
        {{.entity = two, .anchored = mixed, .x = some, .y = some}, 2, QD_ERROR_NONE, ""},
        {{.anchored = zeros, .x = some, .y = some}, 2, QD_ERROR_NONE, ""},
        {{0}, 2, QD_ERROR_COLUMNS, "column x is missing, but entry 0 is free; must be there. Send it"},
        {{.x = some}, 2, QD_ERROR_COLUMNS, "column y is missing, but entry 0 is free; must be there. Send it"},
        {free_flat, 3, QD_ERROR_COLUMNS, "column z is missing, but entry 0 is free; must be there. Send it"},
        {free_deep, 2, QD_ERROR_INVALID,
         "z has values, but the room has two dimensions; must be absent. Leave that column out"},
        {{.anchored = ones},
         2,
         QD_ERROR_COLUMNS,
         "column entity is missing, but entry 0 is anchored; must be there. Send it"},
        {{.entity = two, .anchored = mixed},
         2,
         QD_ERROR_COLUMNS,
         "column x is missing, but entry 1 is free; must be there. Send it"},
        {{.entity = two, .anchored = bad_flag}, 2, QD_ERROR_INVALID, "anchored of entry 1 is 2; must be 0 to 1"},
        {{.entity = two, .sees_self = bad_flag}, 2, QD_ERROR_INVALID, "sees_self of entry 1 is 2; must be 0 to 1"},
        {{.entity = two, .half_z = some},
         2,
         QD_ERROR_INVALID,
         "half_z has values, but the room has two dimensions; must be absent. Leave that column out"},
        {{.entity = two, .direction_z = some},
         2,
         QD_ERROR_INVALID,
         "direction_z has values, but the room has two dimensions; must be absent. Leave that column out"},
    };
    assert_all_checked(QD_CLIENT_OBSERVE, cases, COUNT_OF(cases));
    /* Nobody needs anything. */
    assert_checked((qd_client_message){.kind = QD_CLIENT_OBSERVE}, 3, QD_ERROR_NONE, "");
}

TEST(cone_without_its_columns_is_refused)
{
#define CONE(...)                                                                                                      \
    {                                                                                                                  \
        .entity = two, .region = cones, __VA_ARGS__                                                                    \
    }
#define MISSING(name) "column " name " is missing, but entry 1 is a cone; must be there. Send it"
    static const checked_observers rows[] = {
        {CONE(.angle = some, .direction_x = some, .direction_y = some, .direction_z = some), 3, QD_ERROR_NONE, ""},
        {CONE(.angle = some, .direction_x = some, .direction_y = some), 2, QD_ERROR_NONE, ""},
        {CONE(.angle = some, .direction_x = some, .direction_y = some), 3, QD_ERROR_COLUMNS, MISSING("direction_z")},
        {CONE(.direction_x = some, .direction_y = some, .direction_z = some), 3, QD_ERROR_COLUMNS, MISSING("angle")},
        {CONE(.angle = some, .direction_y = some, .direction_z = some), 3, QD_ERROR_COLUMNS, MISSING("direction_x")},
        /* The room refuses bad regions, entry by entry. */
        {{.entity = two, .region = odd_region}, 2, QD_ERROR_NONE, ""},
    };

    assert_all_checked(QD_CLIENT_OBSERVE, rows, COUNT_OF(rows));
}

TEST(tiers_out_of_order_are_refused)
{
    static const float nine[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    static const uint32_t often[9] = {1, 1000, 1, 1, 1, 1, 1, 1, 1};
    static const float down[] = {5, 4}, negative[] = {-1}, infinite[] = {1, INFINITY}, nan[] = {NAN};
    static const uint32_t never[] = {1, 0}, rarely[] = {1001};

#define TIERS(many, ranges, intervals)                                                                                 \
    {.entity = two, .tier_count = (many), .relay_range = (ranges), .relay_every = (intervals)}, 2
    static const checked_observers rows[] = {
        {TIERS(0, NULL, NULL), QD_ERROR_NONE, ""},
        {TIERS(8, nine, often), QD_ERROR_NONE, ""},
        {TIERS(9, nine, often), QD_ERROR_INVALID, "relay_range has 9 values; must have at most 8"},
        {TIERS(2, down, often), QD_ERROR_INVALID, "relay_range of tier 1 is 4; must be finite, and at least 5"},
        {TIERS(1, negative, often), QD_ERROR_INVALID, "relay_range of tier 0 is -1; must be finite, and at least 0"},
        {TIERS(2, infinite, often), QD_ERROR_INVALID, "relay_range of tier 1 is inf; must be finite, and at least 1"},
        {TIERS(1, nan, often), QD_ERROR_INVALID, "relay_range of tier 0 is nan; must be finite, and at least 0"},
        {TIERS(2, nine, never), QD_ERROR_INVALID, "relay_every of tier 1 is 0; must be 1 to 1000"},
        {TIERS(1, nine, rarely), QD_ERROR_INVALID, "relay_every of tier 0 is 1001; must be 1 to 1000"},
    };

    assert_all_checked(QD_CLIENT_OBSERVE, rows, COUNT_OF(rows));
}

TEST(observer_move_with_missing_axis_is_refused)
{
    const checked_observers cases[] = {
        {{0}, 2, QD_ERROR_NONE, ""},
        {{.x = some, .y = some}, 2, QD_ERROR_NONE, ""},
        {{.direction_x = some, .direction_y = some, .direction_z = some}, 3, QD_ERROR_NONE, ""},
        {{.x = some},
         2,
         QD_ERROR_COLUMNS,
         "column y is missing; must be there with the other axes. Send x, y together"},
        {{.direction_y = some},
         2,
         QD_ERROR_COLUMNS,
         "column direction_x is missing; must be there with the other axes. Send direction_x, direction_y together"},
        {{.x = some, .y = some},
         3,
         QD_ERROR_COLUMNS,
         "column z is missing; must be there with the other axes. Send x, y, z together"},
        {{.z = some},
         3,
         QD_ERROR_COLUMNS,
         "column x is missing; must be there with the other axes. Send x, y, z together"},
        {{.x = some, .y = some, .z = some},
         2,
         QD_ERROR_INVALID,
         "z has values, but the room has two dimensions; must be absent. Leave that column out"},
    };

    assert_all_checked(QD_CLIENT_MOVE_OBSERVERS, cases, COUNT_OF(cases));
}

TEST(except_and_view_options_out_of_range_are_refused)
{
    static const uint32_t ids[1025];
#define EXCEPT(shown, hidden)                                                                                          \
    {                                                                                                                  \
        .kind = QD_CLIENT_SET_EXCEPTIONS, .as.set_exceptions = {                                                       \
            .show_count = (shown),                                                                                     \
            .show = ids,                                                                                               \
            .hide_count = (hidden),                                                                                    \
            .hide = ids                                                                                                \
        }                                                                                                              \
    }
#define WATCH(number)                                                                                                  \
    {                                                                                                                  \
        .kind = QD_CLIENT_SET_VIEW_OPTIONS, .as.set_view_options.watch = (qd_watch)(number)                            \
    }
#define RELAY(once, k)                                                                                                 \
    {                                                                                                                  \
        .kind = QD_CLIENT_SET_VIEW_OPTIONS, .as.set_view_options = {                                                   \
            .relay_once = (once),                                                                                      \
            .has_relay_k = true,                                                                                       \
            .relay_k = (k)                                                                                             \
        }                                                                                                              \
    }
    static const struct {
        qd_client_message message;
        const char *text; /* NULL: it is fine */
    } rows[] = {
        {{.kind = QD_CLIENT_SET_VIEW_OPTIONS, .as.set_view_options.relay_once = true}, NULL},
        {RELAY(true, -8), NULL},
        {RELAY(true, 20), NULL},
        {RELAY(true, -9), "relay_k is -9; must be -8 to 20"},
        {RELAY(true, 21), "relay_k is 21; must be -8 to 20"},
        {RELAY(false, 0), "relay_k is 0; must be absent without relay_once. Set relay_once, too"},
        {EXCEPT(1024, 1024), NULL},
        {EXCEPT(1024, 1025), "hide has 1025 ids; must have at most 1024"},
        {EXCEPT(1025, 1025), "show has 1025 ids; must have at most 1024"},
        {{.kind = QD_CLIENT_SET_VIEW_OPTIONS, .as.set_view_options.bytes_max = UINT32_MAX}, NULL},
        {WATCH(QD_WATCH_NONE), NULL},
        {WATCH(QD_WATCH_OWN), NULL},
        {WATCH(QD_WATCH_ALL), NULL},
        {WATCH(4), "watch is 4; must be WATCH_NONE (1), WATCH_OWN (2) or WATCH_ALL (3)"},
        {WATCH(-1), "watch is -1; must be WATCH_NONE (1), WATCH_OWN (2) or WATCH_ALL (3)"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_checked(rows[i].message, 2, rows[i].text == NULL ? QD_ERROR_NONE : QD_ERROR_INVALID, rows[i].text);
    }
}

TEST_MAIN()

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

static void assert_refused(qd_error_code code, const qd_client_message *message, uint32_t dimensions, const char *text)
{
    assert_false(qd_view_request_check(message, dimensions, &fault));
    assert_int_equal(fault.code, code);
    assert_string_equal(fault.text, text);
}

static void assert_taken(const qd_client_message *message, uint32_t dimensions)
{
    assert_true(qd_view_request_check(message, dimensions, &fault));
}

static qd_client_message observe(qd_msg_observers observers)
{
    observers.count = 2;
    observers.id = two;
    return (qd_client_message){.kind = QD_CLIENT_OBSERVE, .as.observers = observers};
}

static qd_client_message move(qd_msg_observers observers)
{
    observers.count = 2;
    observers.id = two;
    return (qd_client_message){.kind = QD_CLIENT_MOVE_OBSERVERS, .as.observers = observers};
}

TEST(describe_with_bad_column_is_refused)
{
    static const uint8_t longest[] = {32, 0}, longer[] = {0, 33};
    qd_client_message message = {.kind = QD_CLIENT_DESCRIBE, .as.describe = {.count = 2, .id = two}};

    assert_taken(&message, 2);
    message.as.describe.payload_size = longest;
    message.as.describe.hidden = mixed;
    assert_taken(&message, 3);
    message.as.describe.payload_size = longer;
    assert_refused(QD_ERROR_INVALID, &message, 2, "payload_size of entry 1 is 33: must be 0 to 32");
    message.as.describe.payload_size = NULL;
    message.as.describe.hidden = bad_flag;
    assert_refused(QD_ERROR_INVALID, &message, 2, "hidden of entry 1 is 2: must be 0 to 1");
}

TEST(observer_with_bad_place_is_refused)
{
    const qd_msg_observers free_flat = {.x = some, .y = some}, free_deep = {.x = some, .y = some, .z = some};

    const struct {
        qd_msg_observers observers;
        uint32_t dimensions;
        qd_error_code code;
        const char *text;
    } cases[] = {
        {free_flat, 2, QD_ERROR_NONE, ""},
        {free_deep, 3, QD_ERROR_NONE, ""},
        {{.entity = two}, 2, QD_ERROR_NONE, ""},
        {{.entity = two}, 3, QD_ERROR_NONE, ""},
        {{.entity = two, .anchored = ones}, 2, QD_ERROR_NONE, ""},
        {{.entity = two, .anchored = mixed, .x = some, .y = some}, 2, QD_ERROR_NONE, ""},
        {{.anchored = zeros, .x = some, .y = some}, 2, QD_ERROR_NONE, ""},
        {{0}, 2, QD_ERROR_COLUMNS, "column x is missing, but entry 0 is free: send it"},
        {{.x = some}, 2, QD_ERROR_COLUMNS, "column y is missing, but entry 0 is free: send it"},
        {free_flat, 3, QD_ERROR_COLUMNS, "column z is missing, but entry 0 is free: send it"},
        {free_deep, 2, QD_ERROR_INVALID, "z has values, but the room has two dimensions: leave that column out"},
        {{.anchored = ones}, 2, QD_ERROR_COLUMNS, "column entity is missing, but entry 0 is anchored: send it"},
        {{.entity = two, .anchored = mixed}, 2, QD_ERROR_COLUMNS, "column x is missing, but entry 1 is free: send it"},
        {{.entity = two, .anchored = bad_flag}, 2, QD_ERROR_INVALID, "anchored of entry 1 is 2: must be 0 to 1"},
        {{.entity = two, .sees_self = bad_flag}, 2, QD_ERROR_INVALID, "sees_self of entry 1 is 2: must be 0 to 1"},
        {{.entity = two, .half_z = some},
         2,
         QD_ERROR_INVALID,
         "half_z has values, but the room has two dimensions: leave that column out"},
        {{.entity = two, .direction_z = some},
         2,
         QD_ERROR_INVALID,
         "direction_z has values, but the room has two dimensions: leave that column out"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        qd_client_message message = observe(cases[i].observers);

        if (cases[i].code == QD_ERROR_NONE) {
            assert_taken(&message, cases[i].dimensions);
        } else {
            assert_refused(cases[i].code, &message, cases[i].dimensions, cases[i].text);
        }
    }
    /* Nobody needs anything. */
    assert_taken(&(qd_client_message){.kind = QD_CLIENT_OBSERVE}, 3);
}

TEST(cone_without_its_columns_is_refused)
{
    qd_msg_observers cone = {
        .entity = two, .region = cones, .angle = some, .direction_x = some, .direction_y = some, .direction_z = some};
    qd_client_message message = observe(cone);

    assert_taken(&message, 3);
    message.as.observers.direction_z = NULL;
    assert_taken(&message, 2);
    assert_refused(QD_ERROR_COLUMNS, &message, 3, "column direction_z is missing, but entry 1 is a cone: send it");
    message = observe(cone);
    message.as.observers.angle = NULL;
    assert_refused(QD_ERROR_COLUMNS, &message, 3, "column angle is missing, but entry 1 is a cone: send it");
    message = observe(cone);
    message.as.observers.direction_x = NULL;
    assert_refused(QD_ERROR_COLUMNS, &message, 3, "column direction_x is missing, but entry 1 is a cone: send it");
    /* The room refuses bad regions, entry by entry. */
    message = observe((qd_msg_observers){.entity = two, .region = odd_region});
    assert_taken(&message, 2);
}

TEST(tiers_out_of_order_are_refused)
{
    static const float nine[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    static const uint32_t often[9] = {1, 1000, 1, 1, 1, 1, 1, 1, 1};
    static const float down[] = {5, 4}, negative[] = {-1}, infinite[] = {1, INFINITY}, nan[] = {NAN};
    static const uint32_t never[] = {1, 0}, rarely[] = {1001};

    const struct {
        uint32_t count;
        const float *range;
        const uint32_t *every;
        const char *text; /* NULL: it is good */
    } cases[] = {
        {0, NULL, NULL, NULL},
        {8, nine, often, NULL},
        {9, nine, often, "relay_range has 9 values: must have at most 8"},
        {2, down, often, "relay_range of tier 1 is 4: must be finite, and at least 5"},
        {1, negative, often, "relay_range of tier 0 is -1: must be finite, and at least 0"},
        {2, infinite, often, "relay_range of tier 1 is inf: must be finite, and at least 1"},
        {1, nan, often, "relay_range of tier 0 is nan: must be finite, and at least 0"},
        {2, nine, never, "relay_every of tier 1 is 0: must be 1 to 1000"},
        {1, nine, rarely, "relay_every of tier 0 is 1001: must be 1 to 1000"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        qd_client_message message = observe((qd_msg_observers){
            .entity = two, .tier_count = cases[i].count, .relay_range = cases[i].range, .relay_every = cases[i].every});

        if (cases[i].text == NULL) {
            assert_taken(&message, 2);
        } else {
            assert_refused(QD_ERROR_INVALID, &message, 2, cases[i].text);
        }
    }
}

TEST(observer_move_with_missing_axis_is_refused)
{
    const struct {
        qd_msg_observers observers;
        uint32_t dimensions;
        qd_error_code code;
        const char *text;
    } cases[] = {
        {{0}, 2, QD_ERROR_NONE, ""},
        {{.x = some, .y = some}, 2, QD_ERROR_NONE, ""},
        {{.direction_x = some, .direction_y = some, .direction_z = some}, 3, QD_ERROR_NONE, ""},
        {{.x = some}, 2, QD_ERROR_COLUMNS, "column y is missing: send x, y together"},
        {{.direction_y = some},
         2,
         QD_ERROR_COLUMNS,
         "column direction_x is missing: send direction_x, direction_y together"},
        {{.x = some, .y = some}, 3, QD_ERROR_COLUMNS, "column z is missing: send x, y, z together"},
        {{.z = some}, 3, QD_ERROR_COLUMNS, "column x is missing: send x, y, z together"},
        {{.x = some, .y = some, .z = some},
         2,
         QD_ERROR_INVALID,
         "z has values, but the room has two dimensions: leave that column out"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        qd_client_message message = move(cases[i].observers);

        if (cases[i].code == QD_ERROR_NONE) {
            assert_taken(&message, cases[i].dimensions);
        } else {
            assert_refused(cases[i].code, &message, cases[i].dimensions, cases[i].text);
        }
    }
}

TEST(except_and_view_options_out_of_range_are_refused)
{
    static const uint32_t ids[1025];
    qd_client_message message = {
        .kind = QD_CLIENT_EXCEPT,
        .as.except = {.show_count = 1024, .show = ids, .hide_count = 1024, .hide = ids},
    };

    assert_taken(&message, 2);
    message.as.except.hide_count = 1025;
    assert_refused(QD_ERROR_INVALID, &message, 2, "hide has 1025 ids: must have at most 1024");
    message.as.except.show_count = 1025;
    assert_refused(QD_ERROR_INVALID, &message, 2, "show has 1025 ids: must have at most 1024");

    message = (qd_client_message){.kind = QD_CLIENT_VIEW_OPTIONS, .as.view_options = {.bytes_max = UINT32_MAX}};
    for (int watch = QD_WATCH_NONE; watch <= QD_WATCH_ALL; watch++) {
        message.as.view_options.watch = (qd_watch)watch;
        assert_taken(&message, 2);
    }
    message.as.view_options.watch = (qd_watch)4;
    assert_refused(QD_ERROR_INVALID, &message, 2, "watch is 4: must be WATCH_NONE (1), WATCH_OWN (2) or WATCH_ALL (3)");
    message.as.view_options.watch = (qd_watch)-1;
    assert_refused(QD_ERROR_INVALID, &message, 2,
                   "watch is -1: must be WATCH_NONE (1), WATCH_OWN (2) or WATCH_ALL (3)");
}

TEST_MAIN()

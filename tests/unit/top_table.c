/* SPDX-License-Identifier: Apache-2.0
 *
 * The tables of `quadrille top`: rows from JSON, rates, order, cells as text, and what keys do.
 */
#include <math.h>
#include <ncurses.h>
#include <string.h>

#include "client/tools/top/top_screen.h"
#include "tests/support/test.h"

#define SECOND_NS UINT64_C(1000000000)

static bool add(qd_top_table *table, const char *text)
{
    json_t *object = json_loads(text, 0, NULL);

    assert_non_null(object);
    const bool added = qd_top_table_add(table, object);
    json_decref(object);
    return added;
}

static void add_thread(qd_top_table *table, int id, const char *name, double cpu_s)
{
    char text[200];

    snprintf(text, sizeof text, "{\"id\": %d, \"name\": \"%s\", \"cpu_seconds\": %.3f}", id, name, cpu_s);
    assert_true(add(table, text));
}

/* The ids in the order of the rows, as digits. */
static void expect_order(const qd_top_table *table, const char *ids)
{
    assert_int_equal(table->count, strlen(ids));
    for (uint32_t i = 0; i < table->count; i++) {
        assert_int_equal(table->rows[i].id, ids[i] - '0');
    }
}

static void expect_cell(const qd_top_table *table, uint32_t row, const char *column, const char *expected)
{
    char text[QD_TOP_CELL_SIZE];

    qd_top_cell(table, &table->rows[row], (uint32_t)qd_top_find_column(table->kind, column), text);
    assert_string_equal(text, expected);
}

TEST(rows_sort_by_numbers_texts_and_ids)
{
    qd_top_table table = {.kind = QD_TOP_WORKERS};
    const int name = qd_top_find_column(QD_TOP_WORKERS, "name"), cpu = qd_top_find_column(QD_TOP_WORKERS, "cpu_s");

    add_thread(&table, 3, "loop", 10);
    add_thread(&table, 1, "worker", 9);
    add_thread(&table, 2, "worker", 100);
    qd_top_table_sort(&table, cpu, true);
    expect_order(&table, "231");
    qd_top_table_sort(&table, cpu, false);
    expect_order(&table, "132");
    qd_top_table_sort(&table, name, false);
    expect_order(&table, "312");
    qd_top_table_sort(&table, name, true);
    expect_order(&table, "123");
    qd_top_table_clear(&table);
    qd_top_table_sort(&table, cpu, true);
    expect_order(&table, "");
}

TEST(rates_are_of_the_time_between_readings)
{
    const int rate = qd_top_find_column(QD_TOP_WORKERS, "cpu_%");
    qd_top_table earlier = {.kind = QD_TOP_WORKERS, .time_ns = SECOND_NS};
    qd_top_table table = {.kind = QD_TOP_WORKERS, .time_ns = 3 * SECOND_NS};

    add_thread(&earlier, 7, "gone", 1);
    add_thread(&earlier, 4, "busy", 1);
    add_thread(&earlier, 2, "calm", 5);
    add_thread(&table, 4, "busy", 2.5);
    add_thread(&table, 9, "new", 3);
    add_thread(&table, 2, "calm", 5.5);
    qd_top_table_rates(&table, &earlier);
    /* The rate of a new row is not known, and comes last in both directions. */
    qd_top_table_sort(&table, rate, true);
    expect_order(&table, "429");
    expect_cell(&table, 0, "cpu_%", "75.0");
    expect_cell(&table, 1, "cpu_%", "25.0");
    expect_cell(&table, 2, "cpu_%", "-");
    expect_cell(&table, 2, "cpu_s", "3.00");
    qd_top_table_sort(&table, rate, false);
    expect_order(&table, "249");
    qd_top_table_clear(&earlier);
    qd_top_table_clear(&table);
}

TEST(cells_escape_text_and_scale_numbers)
{
    static const char room[] = "{\"name\": \"a\\u202eb\\tc\", \"room\": 1, \"entities\": 5, \"sessions\": 2, "
                               "\"tick_hz\": 20, \"tick\": 99, \"last_tick_seconds\": 0.00125, \"slowed_hz\": 0}";
    static const char session[] = "{\"session\": 8, \"client\": \"x\", \"peer\": \"\", \"rooms\": 1, "
                                  "\"queued_bytes\": 70000, \"age_seconds\": 61.5}";
    qd_top_table rooms = {.kind = QD_TOP_ROOMS}, sessions = {.kind = QD_TOP_SESSIONS};

    assert_true(add(&rooms, room));
    expect_cell(&rooms, 0, "name", "a\\u202eb\\u0009c");
    expect_cell(&rooms, 0, "tick_ms", "1.250");
    expect_cell(&rooms, 0, "ticks/s", "-");
    expect_cell(&rooms, 0, "tick", "99");
    assert_true(add(&sessions, session));
    expect_cell(&sessions, 0, "address", "-");
    expect_cell(&sessions, 0, "queue", "70000");
    qd_top_table_clear(&rooms);
    qd_top_table_clear(&sessions);
}

TEST(rows_without_a_member_are_refused)
{
    qd_top_table table = {.kind = QD_TOP_WORKERS};

    assert_false(add(&table, "{\"name\": \"x\", \"cpu_seconds\": 1}"));
    assert_false(add(&table, "{\"id\": 1, \"cpu_seconds\": 1}"));
    assert_false(add(&table, "{\"id\": 1, \"name\": 2, \"cpu_seconds\": 1}"));
    assert_false(add(&table, "{\"id\": 1, \"name\": \"x\", \"cpu_seconds\": \"1\"}"));
    assert_int_equal(table.count, 0);
    qd_top_table_clear(&table);
}

static int press(qd_top_view *view, int key)
{
    qd_top_view_key(view, key);
    return view->column[view->kind];
}

TEST(keys_choose_table_column_and_order)
{
    qd_top_view view;

    qd_top_view_init(&view);
    assert_int_equal(view.column[QD_TOP_ROOMS], qd_top_find_column(QD_TOP_ROOMS, "entities"));
    assert_true(view.descends[QD_TOP_ROOMS]);
    /* Texts ascend at first; the columns are a circle. */
    assert_int_equal(press(&view, '<'), 0);
    assert_false(view.descends[QD_TOP_ROOMS]);
    assert_int_equal(press(&view, KEY_LEFT), qd_top_find_column(QD_TOP_ROOMS, "tick"));
    assert_int_equal(press(&view, KEY_RIGHT), 0);
    assert_int_equal(press(&view, '>'), 1);
    press(&view, 'R');
    assert_false(view.descends[QD_TOP_ROOMS]);
    /* Each table keeps its own column. */
    press(&view, 's');
    assert_int_equal(view.kind, QD_TOP_SESSIONS);
    press(&view, '>');
    press(&view, 'r');
    assert_int_equal(view.column[QD_TOP_ROOMS], 1);
    press(&view, KEY_DOWN);
    press(&view, KEY_NPAGE);
    assert_int_equal(view.top_row, 11);
    press(&view, KEY_PPAGE);
    press(&view, KEY_PPAGE);
    assert_int_equal(view.top_row, 0);
    press(&view, 'h');
    assert_true(view.shows_help);
    press(&view, 'h');
    assert_false(view.shows_help);
    press(&view, ' ');
    assert_true(view.paused && !view.quits);
    press(&view, 'q');
    assert_true(view.quits);
}

TEST(server_lines_show_unknown_rates_as_a_dash)
{
    qd_top_server server = {.version = "quadrille-server 1.2.3",
                            .uptime_s = 3725.5,
                            .memory_bytes = 3 << 20,
                            .memory_max_bytes = 64 << 20,
                            .updates_per_s = 1234.4,
                            .ticks_per_s = (double)NAN};
    char first[QD_TOP_LINE_SIZE], second[QD_TOP_LINE_SIZE];

    qd_top_server_lines(&server, first, second);
    assert_non_null(strstr(first, "quadrille-server 1.2.3  up 1:02:05  connections 0"));
    assert_string_equal(second, "memory 3.0 of 64 MiB  updates/s 1234  ticks/s -");
}

TEST_MAIN()

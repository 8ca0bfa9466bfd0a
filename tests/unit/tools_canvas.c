/* SPDX-License-Identifier: Apache-2.0
 *
 * The canvas: dots, clipping, the color that wins, and the text of a row.
 */
#include <stdlib.h>
#include <string.h>

#include "client/tools/canvas.h"
#include "tests/support/test.h"

static const char *const colours[QD_HEATS] = {"<0>", "<1>", "<2>", "<3>"};

static void expect_row(const qd_canvas *canvas, int row, bool ascii, const char *wanted)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);

    assert_non_null(file);
    qd_canvas_print_row(canvas, row, colours, ascii, file);
    fclose(file);
    assert_string_equal(text, wanted);
    free(text);
}

static int count_dots(const qd_canvas *canvas)
{
    int count = 0;

    for (int i = 0; i < canvas->columns * canvas->rows; i++) {
        for (unsigned dots = canvas->dots[i]; dots != 0; dots &= dots - 1) {
            count++;
        }
    }
    return count;
}

TEST(every_dot_has_its_bit)
{
    static const char *const cells[] = {"⠁", "⠈", "⠂", "⠐", "⠄", "⠠", "⡀", "⢀"};
    qd_canvas canvas = {0};

    for (int i = 0; i < 8; i++) {
        char wanted[32];
        double x = 2 + i % 2 + 0.5, y = i / 2 + 0.5;

        assert_true(qd_canvas_clear(&canvas, 3, 1));
        qd_canvas_box(&canvas, x, y, x, y, QD_HEAT_ALONE);
        snprintf(wanted, sizeof wanted, " <1>%s <0>", cells[i]);
        expect_row(&canvas, 0, false, wanted);
    }
    qd_canvas_deinit(&canvas);
}

TEST(hottest_dot_gives_the_color)
{
    qd_canvas canvas = {0};

    assert_true(qd_canvas_clear(&canvas, 3, 1));
    qd_canvas_box(&canvas, 0, 0, 1.9, 3.9, QD_HEAT_ALONE);
    qd_canvas_box(&canvas, 0, 0, 0, 0, QD_HEAT_CROWDED);
    qd_canvas_box(&canvas, 1, 0, 1, 0, QD_HEAT_TOUCHING);
    qd_canvas_box(&canvas, 4, 0, 4, 0, QD_HEAT_TOUCHING);
    expect_row(&canvas, 0, false, "<3>⣿ <2>⠁<0>");
    expect_row(&canvas, 0, true, "<3>@ <2>.<0>");
    qd_canvas_deinit(&canvas);
}

/* Small boxes are filled, large ones are outlines; parts outside are clipped, however far. */
TEST(boxes_are_cut_off)
{
    qd_canvas canvas = {0};

    assert_true(qd_canvas_clear(&canvas, 5, 5));
    qd_canvas_box(&canvas, 1, 1, 3.5, 3.5, QD_HEAT_ALONE);
    assert_int_equal(count_dots(&canvas), 9);
    assert_true(qd_canvas_clear(&canvas, 5, 5));
    qd_canvas_box(&canvas, 1, 1, 6, 4, QD_HEAT_ALONE);
    assert_int_equal(count_dots(&canvas), 2 * 6 + 2 * 2);
    assert_true(qd_canvas_clear(&canvas, 5, 5));
    qd_canvas_box(&canvas, -1e30, 2, 1e30, 1e30, QD_HEAT_ALONE);
    assert_int_equal(count_dots(&canvas), 10);
    assert_true(qd_canvas_clear(&canvas, 5, 5));
    qd_canvas_box(&canvas, -1e30, -1e30, 1e30, 1e30, QD_HEAT_ALONE);
    qd_canvas_box(&canvas, 1e30, 3, 2e30, 4, QD_HEAT_ALONE);
    qd_canvas_circle(&canvas, 5, 10, 1e30, QD_HEAT_ALONE);
    qd_canvas_circle(&canvas, -1e30, 10, 3, QD_HEAT_ALONE);
    assert_int_equal(count_dots(&canvas), 0);
    qd_canvas_deinit(&canvas);
}

static bool is_set(const qd_canvas *canvas, int x, int y)
{
    static const uint8_t bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};

    return (canvas->dots[y / 4 * canvas->columns + x / 2] & bits[y % 4][x % 2]) != 0;
}

/* Every dot of a circle is near the radius, and there are no gaps: as many dots as the way around has. */
TEST(circles_are_round)
{
    qd_canvas canvas = {0};

    assert_true(qd_canvas_clear(&canvas, 40, 20));
    qd_canvas_circle(&canvas, 40, 40, 30, QD_HEAT_TOUCHING);
    assert_true(count_dots(&canvas) > 160 && count_dots(&canvas) < 260);
    for (int y = 0; y < 80; y++) {
        for (int x = 0; x < 80; x++) {
            double dx = x + 0.5 - 40, dy = y + 0.5 - 40, apart = dx * dx + dy * dy;

            assert_true(!is_set(&canvas, x, y) || (apart > 29 * 29 && apart < 31 * 31));
        }
    }
    /* A small one is a spot. */
    assert_true(qd_canvas_clear(&canvas, 40, 20));
    qd_canvas_circle(&canvas, 40.5, 40.5, 0, QD_HEAT_TOUCHING);
    assert_int_equal(count_dots(&canvas), 1);
    qd_canvas_deinit(&canvas);
}

/* Two circles and the lines along them, all at the radius from the axis; without length it is a circle. */
TEST(capsules_are_two_circles_and_two_lines)
{
    qd_canvas canvas = {0}, circle = {0};

    assert_true(qd_canvas_clear(&canvas, 40, 20));
    qd_canvas_capsule(&canvas, (double[]){20.5, 40.5}, (double[]){60.5, 40.5}, 10, QD_HEAT_ALONE);
    for (int x = 20; x <= 60; x++) {
        assert_true(is_set(&canvas, x, 30) && is_set(&canvas, x, 50));
    }
    assert_true(is_set(&canvas, 10, 40) && is_set(&canvas, 30, 40) && is_set(&canvas, 50, 40) &&
                is_set(&canvas, 70, 40));
    assert_false(is_set(&canvas, 40, 40) || is_set(&canvas, 9, 40) || is_set(&canvas, 71, 40));
    for (int y = 0; y < 80; y++) {
        for (int x = 0; x < 80; x++) {
            double along = x < 20 ? x - 20 : x > 60 ? x - 60 : 0;

            assert_false(is_set(&canvas, x, y) && along * along + (y - 40) * (y - 40) > 11 * 11);
        }
    }

    assert_true(qd_canvas_clear(&canvas, 40, 20));
    qd_canvas_capsule(&canvas, (double[]){40, 40}, (double[]){40, 40}, 10, QD_HEAT_ALONE);
    assert_true(qd_canvas_clear(&circle, 40, 20));
    qd_canvas_circle(&circle, 40, 40, 10, QD_HEAT_ALONE);
    assert_memory_equal(canvas.dots, circle.dots, 40 * 20);
    qd_canvas_deinit(&canvas);
    qd_canvas_deinit(&circle);
}

TEST_MAIN()

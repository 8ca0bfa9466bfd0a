/* SPDX-License-Identifier: Apache-2.0 */
#include "canvas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool qd_canvas_clear(qd_canvas *canvas, int columns, int rows)
{
    size_t cells = (size_t)columns * (size_t)rows;

    if (columns != canvas->columns || rows != canvas->rows) {
        qd_canvas_deinit(canvas);
        canvas->dots = malloc(cells);
        canvas->heat = malloc(cells);
        if (canvas->dots == NULL || canvas->heat == NULL) {
            qd_canvas_deinit(canvas);
            return false;
        }
        canvas->columns = columns;
        canvas->rows = rows;
    }
    memset(canvas->dots, 0, cells);
    memset(canvas->heat, QD_HEAT_NONE, cells);
    return true;
}

void qd_canvas_deinit(qd_canvas *canvas)
{
    free(canvas->dots);
    free(canvas->heat);
    *canvas = (qd_canvas){0};
}

static void set_dot(qd_canvas *canvas, int x, int y, qd_heat heat)
{
    /* Braille numbers its dots down the left column, then down the right one, and the lowest two last. */
    static const uint8_t bits[QD_CANVAS_DOTS_Y][QD_CANVAS_DOTS_X] = {
        {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};

    if (x < 0 || y < 0 || x >= canvas->columns * QD_CANVAS_DOTS_X || y >= canvas->rows * QD_CANVAS_DOTS_Y) {
        return;
    }
    int cell = y / QD_CANVAS_DOTS_Y * canvas->columns + x / QD_CANVAS_DOTS_X;
    canvas->dots[cell] |= bits[y % QD_CANVAS_DOTS_Y][x % QD_CANVAS_DOTS_X];
    if (heat > canvas->heat[cell]) {
        canvas->heat[cell] = (uint8_t)heat;
    }
}

/* The dot at a coordinate, clamped to just outside the canvas, so that loops stay short. */
static int dot_at(double place, int dots)
{
    return (int)fmin(fmax(floor(place), -1), dots);
}

void qd_canvas_box(qd_canvas *canvas, double min_x, double min_y, double max_x, double max_y, qd_heat heat)
{
    int width = canvas->columns * QD_CANVAS_DOTS_X, height = canvas->rows * QD_CANVAS_DOTS_Y;
    int left = dot_at(min_x, width), right = dot_at(max_x, width);
    int top = dot_at(min_y, height), bottom = dot_at(max_y, height);
    bool filled = max_x - min_x < 3 && max_y - min_y < 3;

    for (int y = top; y <= bottom; y++) {
        bool edge = filled || y == top || y == bottom;

        for (int x = left; x <= right; x += edge || right == left ? 1 : right - left) {
            set_dot(canvas, x, y, heat);
        }
    }
}

void qd_canvas_circle(qd_canvas *canvas, double x, double y, double radius, qd_heat heat)
{
    if (radius < 1.5) {
        qd_canvas_box(canvas, x - radius * 0.7, y - radius * 0.7, x + radius * 0.7, y + radius * 0.7, heat);
        return;
    }
    /* One step per dot of the circumference; a circle larger than any screen is drawn coarsely. */
    int steps = (int)fmin(2 * M_PI * radius * 1.2, 8192);
    int width = canvas->columns * QD_CANVAS_DOTS_X, height = canvas->rows * QD_CANVAS_DOTS_Y;
    for (int i = 0; i < steps; i++) {
        double angle = 2 * M_PI * i / steps;

        set_dot(canvas, dot_at(x + radius * cos(angle), width), dot_at(y + radius * sin(angle), height), heat);
    }
}

static void line(qd_canvas *canvas, double from_x, double from_y, double to_x, double to_y, qd_heat heat)
{
    int width = canvas->columns * QD_CANVAS_DOTS_X, height = canvas->rows * QD_CANVAS_DOTS_Y;
    int steps = (int)fmin(fmax(fabs(to_x - from_x), fabs(to_y - from_y)) + 1, 8192);

    for (int i = 0; i <= steps; i++) {
        double part = (double)i / steps;

        set_dot(canvas, dot_at(from_x + (to_x - from_x) * part, width), dot_at(from_y + (to_y - from_y) * part, height),
                heat);
    }
}

/* Both end circles are drawn whole, which shows the axis. */
void qd_canvas_capsule(qd_canvas *canvas, const double from[2], const double to[2], double radius, qd_heat heat)
{
    double way_x = to[0] - from[0], way_y = to[1] - from[1], length = hypot(way_x, way_y);

    qd_canvas_circle(canvas, from[0], from[1], radius, heat);
    qd_canvas_circle(canvas, to[0], to[1], radius, heat);
    if (length == 0) {
        return;
    }
    double side_x = -way_y / length * radius, side_y = way_x / length * radius;
    line(canvas, from[0] + side_x, from[1] + side_y, to[0] + side_x, to[1] + side_y, heat);
    line(canvas, from[0] - side_x, from[1] - side_y, to[0] - side_x, to[1] - side_y, heat);
}

static int bits_in(unsigned mask)
{
    int count = 0;

    for (; mask != 0; mask &= mask - 1) {
        count++;
    }
    return count;
}

void qd_canvas_print_row(const qd_canvas *canvas, int row, const char *const colors[QD_HEATS], bool ascii, FILE *file)
{
    static const char shades[] = " .::oooO@";
    uint8_t heat = QD_HEAT_NONE;

    for (int column = 0; column < canvas->columns; column++) {
        int cell = row * canvas->columns + column;
        unsigned dots = canvas->dots[cell];

        if (canvas->heat[cell] != heat && dots != 0) {
            heat = canvas->heat[cell];
            fputs(colors[heat], file);
        }
        if (dots == 0) {
            fputc(' ', file);
        } else if (ascii) {
            fputc(shades[bits_in(dots)], file);
        } else {
            fprintf(file, "\xE2%c%c", (int)(0xA0 | dots >> 6), (int)(0x80 | (dots & 0x3F)));
        }
    }
    if (heat != QD_HEAT_NONE) {
        fputs(colors[QD_HEAT_NONE], file);
    }
}

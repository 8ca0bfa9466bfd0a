/* SPDX-License-Identifier: Apache-2.0
 *
 * A drawing in characters. Each cell has two by four dots, as in braille, and one color, that of its hottest object.
 * Dots count from the upper left corner.
 */
#ifndef QD_TOOLS_CANVAS_H
#define QD_TOOLS_CANVAS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define QD_CANVAS_DOTS_X 2
#define QD_CANVAS_DOTS_Y 4

/* How hot an object is. */
typedef enum qd_heat { QD_HEAT_NONE, QD_HEAT_ALONE, QD_HEAT_TOUCHING, QD_HEAT_CROWDED } qd_heat;
#define QD_HEATS 4

/* A zeroed canvas is empty. */
typedef struct qd_canvas {
    int columns, rows; /* of cells */
    uint8_t *dots;     /* per cell, one bit per dot, as in U+2800 and on */
    uint8_t *heat;
} qd_canvas;

/* Clears it and sets its size. false: out of memory. */
bool qd_canvas_clear(qd_canvas *canvas, int columns, int rows);
void qd_canvas_deinit(qd_canvas *canvas);

/* Draw outlines, in dots. A shape less than three dots wide is filled. Parts outside are clipped. */
void qd_canvas_box(qd_canvas *canvas, double min_x, double min_y, double max_x, double max_y, qd_heat heat);
void qd_canvas_circle(qd_canvas *canvas, double x, double y, double radius, qd_heat heat);
/* From one end of its axis to the other. */
void qd_canvas_capsule(qd_canvas *canvas, const double from[2], const double to[2], double radius, qd_heat heat);

/* Writes a row of cells. `colors` are the escape sequences of the heats; after the row the color is that of
 * QD_HEAT_NONE. */
void qd_canvas_print_row(const qd_canvas *canvas, int row, const char *const colors[QD_HEATS], bool ascii, FILE *file);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * The result of a scenario of quadrille-bench: a table of numbers, goals and notes, as text or as one JSON object.
 *
 * One thread fills a sheet row by row, and prints it once. Texts are static, except for copied ones.
 */
#ifndef QD_TOOLS_BENCH_SHEET_H
#define QD_TOOLS_BENCH_SHEET_H

#include <stdbool.h>
#include <stdint.h>

#define QD_SHEET_COLUMNS_MAX 24u
#define QD_SHEET_ROWS_MAX    32u
#define QD_SHEET_GOALS_MAX   24u
#define QD_SHEET_NOTES_MAX   8u
#define QD_SHEET_TEXT_SIZE   256u

typedef struct qd_sheet_column {
    const char *key;   /* in JSON: "user_ns" */
    const char *title; /* in the table: "user ns" */
    int decimals;
} qd_sheet_column;

typedef struct qd_sheet_goal {
    char text[QD_SHEET_TEXT_SIZE];
    double value, limit;
    bool is_most; /* the limit is a maximum, else a minimum */
} qd_sheet_goal;

typedef struct qd_sheet {
    const char *scenario; /* "ingest" */
    char title[QD_SHEET_TEXT_SIZE];
    const qd_sheet_column *columns;
    uint32_t column_count, row_count, goal_count, note_count;
    /* More columns behind these, which `fill_more` fills for each row; NULL: none. */
    const qd_sheet_column *more_columns;
    uint32_t more_count;
    void (*fill_more)(void *context, double *numbers);
    void *more_context;
    double rows[QD_SHEET_ROWS_MAX][QD_SHEET_COLUMNS_MAX];
    qd_sheet_goal goals[QD_SHEET_GOALS_MAX];
    char notes[QD_SHEET_NOTES_MAX][QD_SHEET_TEXT_SIZE];
} qd_sheet;

/* One number per column, without those of more_columns; NAN: unknown. */
void qd_sheet_add_row(qd_sheet *sheet, const double *numbers);
/* A goal and the reached value; NAN: unknown. */
void qd_sheet_add_goal(qd_sheet *sheet, double value, bool is_most, double limit, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void qd_sheet_add_note(qd_sheet *sheet, const char *format, ...) __attribute__((format(printf, 2, 3)));

void qd_sheet_print_table(const qd_sheet *sheet);
/* `ok`: the scenario ended and all checks passed. `server`: the address of the measured server. */
void qd_sheet_print_json(const qd_sheet *sheet, const char *version, const char *server, bool ok);

/* "1,234,567.8" */
#define QD_SHEET_NUMBER_SIZE 40
const char *qd_sheet_number(double number, int decimals, char text[QD_SHEET_NUMBER_SIZE]);
/* "name":"text", without a comma. */
void qd_sheet_print_json_text(const char *name, const char *text);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * The tables of `quadrille top`: their columns, and rows that can be sorted. No I/O.
 */
#ifndef QD_TOOLS_TOP_TABLE_H
#define QD_TOOLS_TOP_TABLE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#define QD_TOP_COLUMNS_MAX 8u
/* More rows are left out. */
#define QD_TOP_ROWS_MAX  2000u
#define QD_TOP_CELL_SIZE 257u

typedef enum qd_top_kind { QD_TOP_ROOMS, QD_TOP_SESSIONS, QD_TOP_WORKERS, QD_TOP_KINDS } qd_top_kind;

typedef enum qd_top_column_kind {
    QD_TOP_TEXT,
    QD_TOP_NUMBER,
    QD_TOP_RATE, /* the growth of a number, per second */
} qd_top_column_kind;

typedef struct qd_top_column {
    const char *name; /* as in the header and after --sort */
    const char *key;  /* in the answer of the admin API */
    qd_top_column_kind kind;
    double scale;
    int decimals;
    int width; /* on the screen, in characters */
} qd_top_column;

/* A number that is not known, such as the rate of a new row, is NAN. */
typedef struct qd_top_row {
    uint64_t id;
    double numbers[QD_TOP_COLUMNS_MAX]; /* by column; not of texts */
    double counter;                     /* what the rate is of */
    char *texts[QD_TOP_COLUMNS_MAX];    /* by column, escaped (plain.h); NULL: a number */
} qd_top_row;

typedef struct qd_top_table {
    qd_top_kind kind;
    uint64_t time_ns; /* when it was read */
    qd_top_row *rows;
    uint32_t count, capacity;
} qd_top_table;

/* "rooms": the name of a table, and of the list in the answer. */
const char *qd_top_kind_name(qd_top_kind kind);
/* The path in the admin API, and the list in its answer. */
const char *qd_top_kind_path(qd_top_kind kind);
const char *qd_top_kind_list(qd_top_kind kind);
const qd_top_column *qd_top_columns(qd_top_kind kind, uint32_t *count);
/* The column of this name, or -1. */
int qd_top_find_column(qd_top_kind kind, const char *name);
/* The column that a table is sorted by at first. */
int qd_top_first_column(qd_top_kind kind);
/* Whether the first sorting by the column is descending: so it is for numbers. */
bool qd_top_descends(qd_top_kind kind, int column);

/* Adds a row from the answer. Returns false if a member is missing or has another type, or there is no memory. */
bool qd_top_table_add(qd_top_table *table, const json_t *object);
/* Computes the rates, from the earlier reading of the same table. */
void qd_top_table_rates(qd_top_table *table, const qd_top_table *earlier);
/* Equal rows are in the order of their ids, and unknown values come last in both directions. */
void qd_top_table_sort(qd_top_table *table, int column, bool descending);
/* Writes a cell as text; "-": it is not known. */
void qd_top_cell(const qd_top_table *table, const qd_top_row *row, uint32_t column, char text[QD_TOP_CELL_SIZE]);
/* Frees the rows. */
void qd_top_table_clear(qd_top_table *table);

#endif

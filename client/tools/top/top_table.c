/* SPDX-License-Identifier: Apache-2.0 */
#include "top_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../plain.h"

#define COUNT(array) (uint32_t)(sizeof(array) / sizeof(array)[0])

static const qd_top_column room_columns[] = {
    {"name", "name", QD_TOP_TEXT, 0, 0, 24},
    {"entities", "entities", QD_TOP_NUMBER, 1, 0, 9},
    {"sessions", "sessions", QD_TOP_NUMBER, 1, 0, 9},
    {"hz", "tick_hz", QD_TOP_NUMBER, 1, 0, 6},
    {"ticks/s", "tick", QD_TOP_RATE, 1, 1, 9},
    {"slowed_hz", "slowed_hz", QD_TOP_NUMBER, 1, 0, 10},
    {"tick_ms", "last_tick_seconds", QD_TOP_NUMBER, 1000, 3, 9},
    {"tick", "tick", QD_TOP_NUMBER, 1, 0, 11},
};
static const qd_top_column session_columns[] = {
    {"session", "session", QD_TOP_NUMBER, 1, 0, 9},     {"client", "client", QD_TOP_TEXT, 0, 0, 24},
    {"address", "peer", QD_TOP_TEXT, 0, 0, 22},         {"rooms", "rooms", QD_TOP_NUMBER, 1, 0, 6},
    {"queue", "queued_bytes", QD_TOP_NUMBER, 1, 0, 10}, {"age_s", "age_seconds", QD_TOP_NUMBER, 1, 0, 9},
};
static const qd_top_column worker_columns[] = {
    {"thread", "id", QD_TOP_NUMBER, 1, 0, 9},
    {"name", "name", QD_TOP_TEXT, 0, 0, 16},
    {"cpu_%", "cpu_seconds", QD_TOP_RATE, 100, 1, 7},
    {"cpu_s", "cpu_seconds", QD_TOP_NUMBER, 1, 2, 11},
};

/* `id` and `counter` are the members that identify a row and that its rate is of. */
static const struct {
    const char *name, *path, *list, *id, *counter;
    const qd_top_column *columns;
    uint32_t count;
    int first;
} kinds[QD_TOP_KINDS] = {
    [QD_TOP_ROOMS] = {"rooms", "/v1/rooms", "rooms", "room", "tick", room_columns, COUNT(room_columns), 1},
    [QD_TOP_SESSIONS] = {"sessions", "/v1/sessions", "sessions", "session", "session", session_columns,
                         COUNT(session_columns), 4},
    [QD_TOP_WORKERS] = {"workers", "/v1/threads", "threads", "id", "cpu_seconds", worker_columns, COUNT(worker_columns),
                        2},
};

const char *qd_top_kind_name(qd_top_kind kind)
{
    return kinds[kind].name;
}

const char *qd_top_kind_path(qd_top_kind kind)
{
    return kinds[kind].path;
}

const char *qd_top_kind_list(qd_top_kind kind)
{
    return kinds[kind].list;
}

const qd_top_column *qd_top_columns(qd_top_kind kind, uint32_t *count)
{
    *count = kinds[kind].count;
    return kinds[kind].columns;
}

int qd_top_find_column(qd_top_kind kind, const char *name)
{
    for (uint32_t i = 0; i < kinds[kind].count; i++) {
        if (strcmp(kinds[kind].columns[i].name, name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

int qd_top_first_column(qd_top_kind kind)
{
    return kinds[kind].first;
}

bool qd_top_descends(qd_top_kind kind, int column)
{
    return kinds[kind].columns[column].kind != QD_TOP_TEXT;
}

/* ---- rows ---- */

static char *escaped(const char *text)
{
    char plain[QD_TOP_CELL_SIZE];

    return strdup(qd_plain(plain, sizeof plain, text));
}

static void free_texts(qd_top_row *row)
{
    for (uint32_t i = 0; i < QD_TOP_COLUMNS_MAX; i++) {
        free(row->texts[i]);
    }
}

static bool set_cell(qd_top_row *row, uint32_t i, const qd_top_column *column, const json_t *value)
{
    if (column->kind == QD_TOP_TEXT) {
        row->texts[i] = json_is_string(value) ? escaped(json_string_value(value)) : NULL;
        return row->texts[i] != NULL;
    }
    row->numbers[i] = column->kind == QD_TOP_RATE ? (double)NAN : json_number_value(value) * column->scale;
    return json_is_number(value);
}

bool qd_top_table_add(qd_top_table *table, const json_t *object)
{
    const json_t *id = json_object_get(object, kinds[table->kind].id);
    qd_top_row row = {.id = (uint64_t)json_integer_value(id),
                      .counter = json_number_value(json_object_get(object, kinds[table->kind].counter))};
    bool valid = json_is_integer(id);

    for (uint32_t i = 0; i < kinds[table->kind].count && valid; i++) {
        const qd_top_column *column = &kinds[table->kind].columns[i];

        valid = set_cell(&row, i, column, json_object_get(object, column->key));
    }
    if (valid && table->count == table->capacity) {
        const uint32_t capacity = table->capacity == 0 ? 64 : table->capacity * 2;
        qd_top_row *rows = realloc(table->rows, capacity * sizeof *rows);

        valid = rows != NULL;
        table->rows = valid ? rows : table->rows;
        table->capacity = valid ? capacity : table->capacity;
    }
    if (!valid) {
        free_texts(&row);
        return false;
    }
    table->rows[table->count++] = row;
    return true;
}

void qd_top_table_clear(qd_top_table *table)
{
    for (uint32_t i = 0; i < table->count; i++) {
        free_texts(&table->rows[i]);
    }
    free(table->rows);
    *table = (qd_top_table){.kind = table->kind};
}

/* ---- order ---- */

/* What rows are compared by. qsort has no argument for it. */
static int order_column; /* -1: by the ids alone */
static bool order_descends;

static int compare_rows(const void *left, const void *right)
{
    const qd_top_row *a = left, *b = right;
    int order = 0;

    if (order_column >= 0 && a->texts[order_column] != NULL) {
        order = strcmp(a->texts[order_column], b->texts[order_column]);
    } else if (order_column >= 0) {
        const double x = a->numbers[order_column], y = b->numbers[order_column];

        if (isnan(x) || isnan(y)) {
            order = isnan(x) - isnan(y);
            order = order_descends ? -order : order;
        } else {
            order = (x > y) - (x < y);
        }
    }
    if (order != 0) {
        return order_descends ? -order : order;
    }
    return (a->id > b->id) - (a->id < b->id);
}

void qd_top_table_sort(qd_top_table *table, int column, bool descending)
{
    order_column = column;
    order_descends = descending;
    if (table->count > 0) {
        qsort(table->rows, table->count, sizeof *table->rows, compare_rows);
    }
}

void qd_top_table_rates(qd_top_table *table, const qd_top_table *earlier)
{
    const double seconds = (double)(table->time_ns - earlier->time_ns) / 1e9;
    qd_top_table before = *earlier;
    uint32_t at = 0;

    if (earlier->count == 0 || earlier->kind != table->kind || seconds <= 0) {
        return;
    }
    qd_top_table_sort(table, -1, false);
    qd_top_table_sort(&before, -1, false);
    for (uint32_t i = 0; i < table->count; i++) {
        qd_top_row *row = &table->rows[i];

        while (at < before.count && before.rows[at].id < row->id) {
            at++;
        }
        if (at == before.count || before.rows[at].id != row->id) {
            continue;
        }
        for (uint32_t j = 0; j < kinds[table->kind].count; j++) {
            const qd_top_column *column = &kinds[table->kind].columns[j];

            if (column->kind == QD_TOP_RATE) {
                row->numbers[j] = (row->counter - before.rows[at].counter) / seconds * column->scale;
            }
        }
    }
}

/* ---- text ---- */

void qd_top_cell(const qd_top_table *table, const qd_top_row *row, uint32_t column, char text[QD_TOP_CELL_SIZE])
{
    const qd_top_column *described = &kinds[table->kind].columns[column];

    if (described->kind == QD_TOP_TEXT) {
        snprintf(text, QD_TOP_CELL_SIZE, "%s", row->texts[column][0] != '\0' ? row->texts[column] : "-");
    } else if (isnan(row->numbers[column])) {
        snprintf(text, QD_TOP_CELL_SIZE, "-");
    } else {
        snprintf(text, QD_TOP_CELL_SIZE, "%.*f", described->decimals, row->numbers[column]);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "bench_sheet.h"

#include "cli.h"
#include "plain.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *qd_sheet_number(double number, int decimals, char text[QD_SHEET_NUMBER_SIZE])
{
    char digits[QD_SHEET_NUMBER_SIZE];

    if (isnan(number)) {
        return "-";
    }
    int length = snprintf(digits, sizeof digits, "%.*f", decimals, number);
    int first = digits[0] == '-', whole = length - (decimals > 0 ? decimals + 1 : 0);
    int size = 0;
    for (int index = 0; index < length && size < QD_SHEET_NUMBER_SIZE - 2; index++) {
        if (index > first && index < whole && (whole - index) % 3 == 0) {
            text[size++] = ',';
        }
        text[size++] = digits[index];
    }
    text[size] = '\0';
    return text;
}

void qd_sheet_add_row(qd_sheet *sheet, const double *numbers)
{
    if (sheet->row_count == QD_SHEET_ROWS_MAX) {
        return;
    }
    double *row = sheet->rows[sheet->row_count++];
    memcpy(row, numbers, sheet->column_count * sizeof *numbers);
    if (sheet->fill_more) {
        sheet->fill_more(sheet->more_context, row + sheet->column_count);
    }
}

static uint32_t columns_of(const qd_sheet *sheet)
{
    return sheet->column_count + sheet->more_count;
}

static const qd_sheet_column *column_of(const qd_sheet *sheet, uint32_t column)
{
    return column < sheet->column_count ? &sheet->columns[column] : &sheet->more_columns[column - sheet->column_count];
}

void qd_sheet_add_goal(qd_sheet *sheet, double value, bool is_most, double limit, const char *format, ...)
{
    if (sheet->goal_count == QD_SHEET_GOALS_MAX) {
        return;
    }
    qd_sheet_goal *goal = &sheet->goals[sheet->goal_count++];
    *goal = (qd_sheet_goal){.value = value, .limit = limit, .is_most = is_most};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(goal->text, sizeof goal->text, format, arguments);
    va_end(arguments);
}

void qd_sheet_add_note(qd_sheet *sheet, const char *format, ...)
{
    if (sheet->note_count == QD_SHEET_NOTES_MAX) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sheet->notes[sheet->note_count++], QD_SHEET_TEXT_SIZE, format, arguments);
    va_end(arguments);
}

static bool is_met(const qd_sheet_goal *goal)
{
    return goal->is_most ? goal->value <= goal->limit : goal->value >= goal->limit;
}

/* ---- text ---- */

static int width_of(const qd_sheet *sheet, uint32_t column)
{
    const qd_sheet_column *is = column_of(sheet, column);
    char text[QD_SHEET_NUMBER_SIZE];
    size_t width = strlen(is->title);

    for (uint32_t row = 0; row < sheet->row_count; row++) {
        size_t length = strlen(qd_sheet_number(sheet->rows[row][column], is->decimals, text));

        width = length > width ? length : width;
    }
    return (int)width + 2;
}

/* Enough digits to compare it with its limit. */
static int decimals_of(double number)
{
    return fabs(number) >= 1000 ? 0 : fabs(number) >= 10 ? 1 : 3;
}

void qd_sheet_print_table(const qd_sheet *sheet)
{
    char text[QD_SHEET_NUMBER_SIZE], limit[QD_SHEET_NUMBER_SIZE];

    printf("%s\n\n", sheet->title);
    for (uint32_t column = 0; column < columns_of(sheet); column++) {
        printf("%*s", width_of(sheet, column), column_of(sheet, column)->title);
    }
    putchar('\n');
    for (uint32_t row = 0; row < sheet->row_count; row++) {
        for (uint32_t column = 0; column < columns_of(sheet); column++) {
            printf("%*s", width_of(sheet, column),
                   qd_sheet_number(sheet->rows[row][column], column_of(sheet, column)->decimals, text));
        }
        putchar('\n');
    }
    putchar('\n');
    for (uint32_t index = 0; index < sheet->goal_count; index++) {
        const qd_sheet_goal *goal = &sheet->goals[index];

        printf("  %-7s %s: %s, %s %s\n",
               isnan(goal->value) ? "unknown"
               : is_met(goal)     ? "met"
                                  : "MISSED",
               goal->text, qd_sheet_number(goal->value, decimals_of(goal->value), text),
               goal->is_most ? "at most" : "at least", qd_sheet_number(goal->limit, decimals_of(goal->limit), limit));
    }
    for (uint32_t index = 0; index < sheet->note_count; index++) {
        printf("  %s\n", sheet->notes[index]);
    }
}

/* ---- JSON ---- */

void qd_sheet_print_json_text(const char *name, const char *text)
{
    printf("\"%s\":", name);
    qd_plain_print_json(stdout, text);
}

static void print_json_number(const char *name, double number)
{
    if (isfinite(number)) {
        printf("\"%s\":%.9g", name, number);
    } else {
        printf("\"%s\":null", name);
    }
}

void qd_sheet_print_json(const qd_sheet *sheet, const char *version, const char *server, bool ok)
{
    putchar('{');
    qd_sheet_print_json_text("scenario", sheet->scenario);
    putchar(',');
    qd_sheet_print_json_text("version", version);
    putchar(',');
    qd_sheet_print_json_text("server", server);
    printf(",\"ok\":%s,\"rows\":[", ok ? "true" : "false");
    for (uint32_t row = 0; row < sheet->row_count; row++) {
        for (uint32_t column = 0; column < columns_of(sheet); column++) {
            printf("%s", column > 0 ? "," : row > 0 ? ",{" : "{");
            print_json_number(column_of(sheet, column)->key, sheet->rows[row][column]);
        }
        putchar('}');
    }
    printf("],\"goals\":[");
    for (uint32_t index = 0; index < sheet->goal_count; index++) {
        const qd_sheet_goal *goal = &sheet->goals[index];

        printf("%s{", index > 0 ? "," : "");
        qd_sheet_print_json_text("goal", goal->text);
        putchar(',');
        print_json_number("value", goal->value);
        putchar(',');
        print_json_number(goal->is_most ? "at_most" : "at_least", goal->limit);
        printf(",\"met\":%s}", is_met(goal) ? "true" : "false");
    }
    printf("]}\n");
}

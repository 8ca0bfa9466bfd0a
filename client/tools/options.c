/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int qd_options_misuse(const char *program, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fprintf(stderr, "%s: ", program);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "; see %s --help\n", program);
    va_end(arguments);
    return QD_EXIT_USAGE;
}

/* strtod and strtoull skip blanks, and strtoull accepts a minus; here such a text is not a number. */
static bool starts_number(const char *text, bool may_be_negative)
{
    if (may_be_negative && (*text == '-' || *text == '+')) {
        text++;
    }
    return isdigit((unsigned char)*text) || (may_be_negative && *text == '.' && isdigit((unsigned char)text[1]));
}

bool qd_options_uint64(const char *text, uint64_t *number)
{
    char *end = NULL;

    errno = 0;
    if (!starts_number(text, false)) {
        return false;
    }
    unsigned long long value = strtoull(text, &end, 10);
    if (*end != '\0' || errno != 0) {
        return false;
    }
    *number = value;
    return true;
}

bool qd_options_uint32(const char *text, uint32_t *number)
{
    uint64_t value;

    if (!qd_options_uint64(text, &value) || value > UINT32_MAX) {
        return false;
    }
    *number = (uint32_t)value;
    return true;
}

bool qd_options_float(const char *text, float *number)
{
    char *end = NULL;

    if (!starts_number(text, true)) {
        return false;
    }
    float value = strtof(text, &end);
    if (*end != '\0' || !isfinite(value)) {
        return false;
    }
    *number = value;
    return true;
}

bool qd_options_floats(const char *text, float *numbers, size_t count)
{
    char piece[64];

    for (size_t i = 0; i < count; i++) {
        bool last = i + 1 == count;
        size_t length = strcspn(text, ",");

        if (length >= sizeof piece || (text[length] == '\0') != last) {
            return false;
        }
        memcpy(piece, text, length);
        piece[length] = '\0';
        if (!qd_options_float(piece, &numbers[i])) {
            return false;
        }
        text += length + !last;
    }
    return true;
}

static bool parse_real(const char *text, double *number)
{
    char *end = NULL;

    if (!starts_number(text, true)) {
        return false;
    }
    double value = strtod(text, &end);
    if (*end != '\0' || !isfinite(value)) {
        return false;
    }
    *number = value;
    return true;
}

/* Parses two corners, in any order: four numbers, or six. Returns the number of dimensions; 0: other counts. */
static uint32_t parse_box(const char *text, qd_msg_bounds *box)
{
    float numbers[6];

    if (qd_options_floats(text, numbers, 4)) {
        *box = (qd_msg_bounds){.min_x = numbers[0], .min_y = numbers[1], .max_x = numbers[2], .max_y = numbers[3]};
        return 2;
    }
    if (!qd_options_floats(text, numbers, 6)) {
        return 0;
    }
    *box = (qd_msg_bounds){numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]};
    return 3;
}

static bool parse_bounds(const char *text, qd_option_bounds *result)
{
    const qd_msg_bounds *bounds = &result->bounds;

    result->dimensions = parse_box(text, &result->bounds);
    return result->dimensions != 0 && bounds->min_x < bounds->max_x && bounds->min_y < bounds->max_y &&
           (result->dimensions == 2 || bounds->min_z < bounds->max_z);
}

int qd_options_dimensions(const char *program, const qd_option_bounds *bounds, uint32_t *dimensions)
{
    if (*dimensions == 0) {
        *dimensions = bounds->dimensions == 3 ? 3 : 2;
    }
    if (bounds->dimensions == 0 || bounds->dimensions == *dimensions) {
        return 0;
    }
    return qd_options_misuse(program, "--dimensions %u needs --bounds of %s numbers", *dimensions,
                             *dimensions == 3 ? "six" : "four");
}

/* Each name follows a comma and a blank; skip the first two characters. */
#define X(name, number, text) ", " text
static const char index_names[] = QD_INDEXES(X);
static const char prune_names[] = QD_PRUNES(X);
#undef X

static int store(const char *program, const qd_option *option, const char *text)
{
    double real = 0;
    uint32_t number = 0;

    switch (option->kind) {
    case QD_OPTION_FLAG:
        *(bool *)option->value = true;
        return 0;
    case QD_OPTION_TEXT:
        *(const char **)option->value = text;
        return 0;
    case QD_OPTION_NUMBER:
        if (!qd_options_uint32(text, &number) || number < option->min || number > option->max) {
            return qd_options_misuse(program, "%s '%s': must be a whole number from %.0f to %.0f", option->name, text,
                                     option->min, option->max);
        }
        *(uint32_t *)option->value = number;
        return 0;
    case QD_OPTION_REAL:
        if (!parse_real(text, &real) || real < option->min || real > option->max) {
            return qd_options_misuse(program, "%s '%s': must be a number from %g to %g", option->name, text,
                                     option->min, option->max);
        }
        *(double *)option->value = real;
        return 0;
    case QD_OPTION_BOUNDS:
        if (!parse_bounds(text, option->value)) {
            return qd_options_misuse(program,
                                     "%s '%s': must be four numbers MINX,MINY,MAXX,MAXY, or six in three dimensions, "
                                     "each minimum below its maximum, such as 0,0,100,100",
                                     option->name, text);
        }
        return 0;
    case QD_OPTION_INDEX:
        *(qd_index_kind *)option->value = qd_index_of_name(text);
        if (*(qd_index_kind *)option->value == QD_INDEX_DEFAULT) {
            return qd_options_misuse(program, "%s '%s': must be one of %s", option->name, text, index_names + 2);
        }
        return 0;
    case QD_OPTION_PRUNE:
        *(qd_prune_kind *)option->value = qd_prune_of_name(text);
        if (*(qd_prune_kind *)option->value == QD_PRUNE_DEFAULT) {
            return qd_options_misuse(program, "%s '%s': must be one of %s", option->name, text, prune_names + 2);
        }
        return 0;
    }
    return QD_EXIT_USAGE;
}

static void print_help(const qd_usage *usage, const qd_option *options, size_t count)
{
    printf("usage: %s%s%s [OPTION...]\n\n%s\n\noptions:\n", usage->program, usage->arguments[0] != '\0' ? " " : "",
           usage->arguments, usage->text);
    for (size_t i = 0; i < count; i++) {
        char left[48];

        snprintf(left, sizeof left, "%s%s%s", options[i].name, options[i].argument != NULL ? " " : "",
                 options[i].argument != NULL ? options[i].argument : "");
        printf("  %-30s %s\n", left, options[i].help);
    }
    printf("  %-30s %s\n", "--help", "show this");
}

/* Finds the option that argv[*at] names, and its value. If the value is the next element, *at moves to it. NULL after
 * an error. */
static const qd_option *find(const char *program, const qd_option *options, size_t count, int argc, char **argv,
                             int *at, const char **value)
{
    const char *text = argv[*at];
    size_t length = strcspn(text, "=");

    for (size_t i = 0; i < count; i++) {
        const qd_option *option = &options[i];

        if (strncmp(option->name, text, length) != 0 || option->name[length] != '\0') {
            continue;
        }
        *value = text[length] == '=' ? text + length + 1 : NULL;
        if (option->kind == QD_OPTION_FLAG && *value != NULL) {
            qd_options_misuse(program, "%s takes no value", option->name);
            return NULL;
        }
        if (option->kind != QD_OPTION_FLAG && *value == NULL) {
            if (*at + 1 >= argc) {
                qd_options_misuse(program, "%s needs a value: %s %s", option->name, option->name, option->argument);
                return NULL;
            }
            *value = argv[++*at];
        }
        return option;
    }
    qd_options_misuse(program, "unknown option '%.*s'", (int)length, text);
    return NULL;
}

static bool is_option(const char *text)
{
    return text[0] == '-' && text[1] != '\0' && !starts_number(text, true);
}

int qd_options_parse(const qd_usage *usage, const qd_option *options, size_t count, int argc, char **argv, int *status)
{
    int kept = 0;
    bool ended = false;

    for (int at = 1; at < argc; at++) {
        if (ended || !is_option(argv[at])) {
            argv[kept++] = argv[at];
            continue;
        }
        if (strcmp(argv[at], "--") == 0) {
            ended = true;
            continue;
        }
        if (strcmp(argv[at], "--help") == 0 || strcmp(argv[at], "-h") == 0) {
            print_help(usage, options, count);
            *status = 0;
            return -1;
        }
        const char *value = NULL;
        const qd_option *option = find(usage->program, options, count, argc, argv, &at, &value);
        *status = option != NULL ? store(usage->program, option, value) : QD_EXIT_USAGE;
        if (*status != 0) {
            return -1;
        }
    }
    if (kept < usage->arguments_min || kept > usage->arguments_max) {
        const char *what = kept < usage->arguments_min ? "too few" : "too many";

        *status = qd_options_misuse(usage->program, "%s arguments: needs %s", what,
                                    usage->arguments[0] != '\0' ? usage->arguments : "none");
        return -1;
    }
    return kept;
}

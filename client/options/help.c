/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <string.h>

#define COLUMNS    100
#define HELP_START 33 /* the column of the help beside an option */

const qd_option_topic qd_exit_statuses[] = {
    {"0", "success"}, {"1", "failure, which the standard error explains"}, {"2", "invalid command line"}, {NULL, NULL}};

static qd_options_help_fn on_help;

void qd_options_on_help(qd_options_help_fn function)
{
    on_help = function;
}

void qd_option_value(const qd_option *option, char text[QD_OPTION_VALUE_SIZE])
{
    const void *value = option->value;

    text[0] = '\0';
    switch (option->kind) {
    case QD_OPTION_FLAG:
        snprintf(text, QD_OPTION_VALUE_SIZE, "%s", *(const bool *)value ? "yes" : "no");
        break;
    case QD_OPTION_NUMBER:
        if (*(const uint32_t *)value >= option->min && *(const uint32_t *)value <= option->max) {
            snprintf(text, QD_OPTION_VALUE_SIZE, "%u", *(const uint32_t *)value);
        }
        break;
    case QD_OPTION_SIZE:
        if ((double)*(const uint64_t *)value >= option->min && (double)*(const uint64_t *)value <= option->max) {
            qd_options_size_text(*(const uint64_t *)value, text);
        }
        break;
    case QD_OPTION_REAL:
        if (*(const double *)value >= option->min && *(const double *)value <= option->max) {
            snprintf(text, QD_OPTION_VALUE_SIZE, "%g", *(const double *)value);
        }
        break;
    case QD_OPTION_TEXT:
    case QD_OPTION_PATH:
        if (*(const char *const *)value != NULL) {
            snprintf(text, QD_OPTION_VALUE_SIZE, "%s", *(const char *const *)value);
        }
        break;
    case QD_OPTION_CHOICE:
        for (const qd_option_choice *choice = option->choices; choice->name != NULL; choice++) {
            if (choice->value == *(const uint32_t *)value) {
                snprintf(text, QD_OPTION_VALUE_SIZE, "%s", choice->name);
            }
        }
        break;
    case QD_OPTION_PARSED:
        if (option->write != NULL) {
            option->write(value, text, QD_OPTION_VALUE_SIZE);
        }
        break;
    case QD_OPTION_BOUNDS:
        break;
    }
}

/* The default as a user writes it, or in words; "": none. */
static void write_default(const qd_option *option, char text[QD_OPTION_TEXT_SIZE])
{
    char value[QD_OPTION_VALUE_SIZE];

    text[0] = '\0';
    if (option->otherwise != NULL) {
        snprintf(text, QD_OPTION_TEXT_SIZE, "%s", option->otherwise);
    } else if (option->kind != QD_OPTION_FLAG) {
        qd_option_value(option, value);
        memcpy(text, value, QD_OPTION_TEXT_SIZE - 1);
        text[QD_OPTION_TEXT_SIZE - 1] = '\0';
    }
}

static void write_choices(const qd_option_choice *choices, char text[QD_OPTION_TEXT_SIZE])
{
    size_t size = 0;

    for (const qd_option_choice *choice = choices; choice->name != NULL && size < QD_OPTION_TEXT_SIZE; choice++) {
        const char *before = choice == choices ? "" : choice[1].name != NULL ? ", " : " or ";

        size += (size_t)snprintf(text + size, QD_OPTION_TEXT_SIZE - size, "%s%s", before, choice->name);
    }
}

void qd_option_range(const qd_option *option, char text[QD_OPTION_TEXT_SIZE])
{
    char min[QD_SIZE_TEXT_SIZE], max[QD_SIZE_TEXT_SIZE];

    text[0] = '\0';
    if (option->kind == QD_OPTION_CHOICE) {
        write_choices(option->choices, text);
    } else if (option->kind == QD_OPTION_SIZE) {
        qd_options_size_text((uint64_t)option->min, min);
        qd_options_size_text((uint64_t)option->max, max);
        snprintf(text, QD_OPTION_TEXT_SIZE, "%s to %s", min, max);
    } else if (option->kind == QD_OPTION_NUMBER && option->max < UINT32_MAX - 1) {
        snprintf(text, QD_OPTION_TEXT_SIZE, "%.0f to %.0f", option->min, option->max);
    }
}

/* Prints the words in lines that begin at `indent`, where the first one begins already. */
static void print_wrapped(FILE *stream, const char *text, int indent)
{
    int column = indent;

    while (*text != '\0') {
        const int size = (int)strcspn(text, " ");

        if (column > indent && column + 1 + size > COLUMNS) {
            fprintf(stream, "\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            column += fprintf(stream, " ");
        }
        column += fprintf(stream, "%.*s", size, text);
        text += size;
        text += strspn(text, " ");
    }
    fputc('\n', stream);
}

/* Prints a name and its help, which begins on the next line if the name is long. */
static void print_row(FILE *stream, const char *name, const char *help, int start)
{
    int column = fprintf(stream, "  %s", name);

    if (column + 1 > start) {
        fputc('\n', stream);
        column = 0;
    }
    fprintf(stream, "%*s", start - column, "");
    print_wrapped(stream, help, start);
}

void qd_option_describe(const qd_option *option, char text[QD_OPTION_HELP_SIZE])
{
    char otherwise[QD_OPTION_TEXT_SIZE], range[QD_OPTION_TEXT_SIZE];

    write_default(option, otherwise);
    qd_option_range(option, range);
    const bool is_choice = option->kind == QD_OPTION_CHOICE, has_default = otherwise[0] != '\0';
    const bool has_range = !is_choice && range[0] != '\0';
    snprintf(text, QD_OPTION_HELP_SIZE, "%s%s%s%s%s%s%s%s", option->help, is_choice ? ": " : "", is_choice ? range : "",
             has_default || has_range ? " (" : "", otherwise, has_default && has_range ? "; " : "",
             has_range ? range : "", has_default || has_range ? ")" : "");
}

static void print_option(FILE *stream, const qd_option *option)
{
    char name[96], help[QD_OPTION_HELP_SIZE];

    snprintf(name, sizeof name, "%s%s%s", option->name, option->argument != NULL ? " " : "",
             option->argument != NULL ? option->argument : "");
    qd_option_describe(option, help);
    print_row(stream, name, help, HELP_START);
}

static void print_topics(FILE *stream, const char *title, const qd_option_topic *topics)
{
    int start = 0;

    if (topics == NULL) {
        return;
    }
    fprintf(stream, "\n%s:\n", title);
    for (const qd_option_topic *topic = topics; topic->name != NULL; topic++) {
        const int end = (int)strlen(topic->name) + 4;

        start = end > start ? end : start;
    }
    for (const qd_option_topic *topic = topics; topic->name != NULL; topic++) {
        print_row(stream, topic->name, topic->help, start);
    }
}

void qd_options_help(FILE *stream, const qd_usage *usage, const qd_option *options, size_t count)
{
    if (on_help != NULL) {
        on_help(usage, options, count);
        return;
    }
    fprintf(stream, "usage: %s%s%s [OPTION...]\n\n%s\n", usage->program, usage->arguments[0] != '\0' ? " " : "",
            usage->arguments, usage->text);
    print_topics(stream, usage->commands_title, usage->commands);
    fputs("\noptions:\n", stream);
    for (size_t i = 0; i < count; i++) {
        print_option(stream, &options[i]);
    }
    print_row(stream, "--help", "show this", HELP_START);
    if (usage->version != NULL) {
        print_row(stream, "--version", "print the version", HELP_START);
    }
    if (usage->notes != NULL) {
        fprintf(stream, "\n%s\n", usage->notes);
    }
    print_topics(stream, "environment", usage->variables);
    if (usage->version != NULL) {
        print_topics(stream, "exit status", qd_exit_statuses);
    }
}

void qd_options_version(FILE *stream, const qd_usage *usage)
{
    fprintf(stream, "%s (commit %s)\n", usage->version, QD_COMMIT);
}

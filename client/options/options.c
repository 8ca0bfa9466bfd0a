/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <assert.h>
#include <ctype.h>
#include <stdarg.h>
#include <string.h>

int qd_options_misuse(const char *program, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fprintf(stderr, "%s: ", program);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, ". See %s --help.\n", program);
    va_end(arguments);
    return QD_EXIT_USAGE;
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

/* ---- similar names ---- */

/* Letters of a name that are compared. */
#define NAME_MAX_SIZE 64u

/* The edit distance: how many letters to change, insert or delete to turn one into the other. */
static size_t distance(const char *one, size_t one_size, const char *other)
{
    size_t row[NAME_MAX_SIZE]; /* [i]: from the first i letters of the other to the first j of the one */
    size_t other_size = strlen(other);

    assert(other_size < NAME_MAX_SIZE);
    for (size_t i = 0; i <= other_size; i++) {
        row[i] = i;
    }
    for (size_t j = 0; j < one_size; j++) {
        char letter = one[j] == '_' ? '-' : (char)tolower((unsigned char)one[j]);
        size_t corner = row[0]++;

        for (size_t i = 1; i <= other_size; i++) {
            size_t changed = corner + (other[i - 1] != letter), shorter = row[i] < row[i - 1] ? row[i] : row[i - 1];

            corner = row[i];
            row[i] = changed <= shorter ? changed : shorter + 1;
        }
    }
    return row[other_size];
}

static const char *without_dashes(const char *name)
{
    return name + strspn(name, "-");
}

const qd_option *qd_options_nearest(const qd_option *options, size_t count, const char *name, size_t size)
{
    const qd_option *nearest = NULL;
    size_t least = size / 2 + 1;

    for (size_t i = 0; i < count; i++) {
        size_t changes = distance(name, size, without_dashes(options[i].name));

        if (changes < least) {
            least = changes;
            nearest = &options[i];
        }
    }
    return nearest;
}

const qd_option_topic *qd_topics_nearest(const qd_option_topic *topics, const char *name)
{
    const qd_option_topic *nearest = NULL;
    size_t least = strlen(name) / 2 + 1;

    for (; topics->name != NULL; topics++) {
        size_t changes = distance(name, strlen(name), topics->name);

        if (changes < least) {
            least = changes;
            nearest = topics;
        }
    }
    return nearest;
}

/* ---- values ---- */

#define RULE_SIZE (QD_OPTION_TEXT_SIZE + 64)

/* Whether a line of a file can hold the text, where spaces at its ends would be lost. */
static bool is_path(const char *text)
{
    const size_t size = strlen(text);

    if (size == 0 || size > QD_OPTION_PATH_SIZE_MAX || text[0] == ' ' || text[size - 1] == ' ') {
        return false;
    }
    for (size_t i = 0; i < size; i++) {
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7f) {
            return false;
        }
    }
    return true;
}

/* Returns false after writing what the value must be. */
static bool store(const qd_option *option, const char *text, char rule[RULE_SIZE])
{
    char range[QD_OPTION_TEXT_SIZE];
    double real = 0;
    uint64_t size = 0;
    uint32_t number = 0;

    switch (option->kind) {
    case QD_OPTION_FLAG:
        if (strcmp(text, "yes") == 0 || strcmp(text, "no") == 0) {
            *(bool *)option->value = text[0] == 'y';
            return true;
        }
        snprintf(rule, RULE_SIZE, "yes or no");
        break;
    case QD_OPTION_TEXT:
        *(const char **)option->value = text;
        return true;
    case QD_OPTION_PATH:
        if (is_path(text)) {
            *(const char **)option->value = text;
            return true;
        }
        snprintf(rule, RULE_SIZE,
                 "the path of a file: 1 to %u bytes without control characters, and without a space at either end",
                 QD_OPTION_PATH_SIZE_MAX);
        break;
    case QD_OPTION_NUMBER:
        if (qd_options_uint32(text, &number) && number >= option->min && number <= option->max) {
            *(uint32_t *)option->value = number;
            return true;
        }
        snprintf(rule, RULE_SIZE, "a whole number from %.0f to %.0f", option->min, option->max);
        break;
    case QD_OPTION_SIZE:
        if (qd_options_size(text, &size) && (double)size >= option->min && (double)size <= option->max) {
            *(uint64_t *)option->value = size;
            return true;
        }
        qd_option_range(option, range);
        snprintf(rule, RULE_SIZE, "a size from %s", range);
        break;
    case QD_OPTION_REAL:
        if (qd_options_double(text, &real) && real >= option->min && real <= option->max) {
            *(double *)option->value = real;
            return true;
        }
        snprintf(rule, RULE_SIZE, "a number from %g to %g", option->min, option->max);
        break;
    case QD_OPTION_BOUNDS:
        if (qd_options_bounds(text, option->value)) {
            return true;
        }
        snprintf(
            rule, RULE_SIZE,
            "four numbers MINX,MINY,MAXX,MAXY, or six in three dimensions, each minimum below its maximum, such as "
            "0,0,100,100");
        break;
    case QD_OPTION_CHOICE:
        for (const qd_option_choice *choice = option->choices; choice->name != NULL; choice++) {
            if (strcmp(choice->name, text) == 0) {
                *(uint32_t *)option->value = choice->value;
                return true;
            }
        }
        qd_option_range(option, range);
        snprintf(rule, RULE_SIZE, "%s", range);
        break;
    case QD_OPTION_PARSED:
        return option->parse(text, option->value, rule, RULE_SIZE);
    }
    return false;
}

bool qd_option_set(const qd_usage *usage, const qd_option *option, const char *source, const char *text, char *error,
                   size_t error_size)
{
    char rule[RULE_SIZE] = "";
    double number;

    if (store(option, text, rule)) {
        return true;
    }
    /* A number needs no quotes. */
    const char *quote = qd_options_double(text, &number) ? "" : "'";
    snprintf(error, error_size, "%s is %s%.64s%s; must be %s. See %s --help.", source, quote, text, quote, rule,
             usage->program);
    return false;
}

void qd_option_variable(const qd_usage *usage, const qd_option *option, char name[QD_OPTION_VARIABLE_SIZE])
{
    snprintf(name, QD_OPTION_VARIABLE_SIZE, "%s%s", usage->variable_prefix, without_dashes(option->name));
    for (char *c = name; *c != '\0'; c++) {
        *c = *c == '-' ? '_' : (char)toupper((unsigned char)*c);
    }
}

/* ---- the command line ---- */

typedef struct reader {
    const qd_usage *usage;
    const qd_option *options;
    size_t count;
    uint64_t given; /* a bit for each option */
    int argc;
    char **argv;
    char *error;
    size_t error_size;
} reader;

static bool is_option(const char *text)
{
    return text[0] == '-' && text[1] != '\0' && !qd_options_begins_number(text);
}

static bool refuse(const reader *self, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes the error, and names --help. Returns false. */
static bool refuse(const reader *self, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    int size = vsnprintf(self->error, self->error_size, format, arguments);
    va_end(arguments);
    if (size >= 0 && (size_t)size < self->error_size) {
        snprintf(self->error + size, self->error_size - (size_t)size, ". See %s --help.", self->usage->program);
    }
    return false;
}

static const qd_option *find(const reader *self, const char *name, size_t size)
{
    for (size_t i = 0; i < self->count; i++) {
        if (strncmp(self->options[i].name, name, size) == 0 && self->options[i].name[size] == '\0') {
            return &self->options[i];
        }
    }
    return NULL;
}

const qd_option *qd_options_find(const qd_option *options, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(without_dashes(options[i].name), name) == 0) {
            return &options[i];
        }
    }
    return NULL;
}

static bool refuse_unknown(const reader *self, const char *text, size_t size)
{
    const char *name = without_dashes(text);
    const size_t dashes = (size_t)(name - text);
    const qd_option *meant = size > dashes ? qd_options_nearest(self->options, self->count, name, size - dashes) : NULL;

    /* The question mark ends the sentence. */
    if (meant == NULL) {
        return refuse(self, "unknown option '%.*s'", (int)size, text);
    }
    snprintf(self->error, self->error_size, "unknown option '%.*s'. Did you mean %s? See %s --help.", (int)size, text,
             meant->name, self->usage->program);
    return false;
}

/* Reads the option at argv[*at]. If its value is the next element, *at moves to it. */
static bool read_option(reader *self, int *at)
{
    const char *text = self->argv[*at];
    const size_t size = strcspn(text, "=");
    const qd_option *option = find(self, text, size);
    const char *value = text[size] == '=' ? text + size + 1 : NULL;

    if (option == NULL) {
        return refuse_unknown(self, text, size);
    }
    const uint64_t bit = UINT64_C(1) << (option - self->options);
    if ((self->given & bit) != 0) {
        return refuse(self, "%s is given twice; give it once", option->name);
    }
    self->given |= bit;
    if (option->kind == QD_OPTION_FLAG && value != NULL) {
        return refuse(self, "%s is '%.64s'; must be without a value", option->name, value);
    }
    if (option->kind == QD_OPTION_FLAG) {
        *(bool *)option->value = true;
        return true;
    }
    if (value == NULL && *at + 1 >= self->argc) {
        return refuse(self, "%s needs a value: %s %s", option->name, option->name, option->argument);
    }
    if (value == NULL) {
        value = self->argv[++*at];
    }
    return qd_option_set(self->usage, option, option->name, value, self->error, self->error_size);
}

/* QD_OPTIONS_HELP or QD_OPTIONS_VERSION if the text asks for it; else 0. */
static int answer_to(const qd_usage *usage, const char *text)
{
    if (strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0) {
        return QD_OPTIONS_HELP;
    }
    return usage->version != NULL && strcmp(text, "--version") == 0 ? QD_OPTIONS_VERSION : 0;
}

/* The same for all arguments: --help works even if others are wrong. */
static int find_answer(const reader *self)
{
    int answer = 0;

    for (int i = 1; i < self->argc && answer == 0 && !self->usage->first_argument_ends_options; i++) {
        if (strcmp(self->argv[i], "--") == 0) {
            break;
        }
        answer = answer_to(self->usage, self->argv[i]);
    }
    return answer;
}

static bool read_environment(const reader *self, qd_options_environment_fn environment)
{
    for (size_t i = 0; i < self->count; i++) {
        char name[QD_OPTION_VARIABLE_SIZE];

        qd_option_variable(self->usage, &self->options[i], name);
        const char *text = environment(name);
        if (text != NULL && !qd_option_set(self->usage, &self->options[i], name, text, self->error, self->error_size)) {
            return false;
        }
    }
    return true;
}

static bool is_count_right(const reader *self, int count)
{
    const qd_usage *usage = self->usage;
    const char *needed = usage->arguments[0] != '\0' ? usage->arguments : "none";

    if (count < usage->arguments_min) {
        return refuse(self, "too few arguments: needs %s", needed);
    }
    if (count > usage->arguments_max) {
        return refuse(self, "too many arguments, from '%.64s' on: needs %s", self->argv[usage->arguments_max], needed);
    }
    return true;
}

/* Reads options and moves the arguments to the front. Returns their number, or why the program ends. */
static int read_arguments(reader *self)
{
    int kept = 0;
    bool ended = false;

    for (int at = 1; at < self->argc; at++) {
        char *text = self->argv[at];
        const int answer = ended ? 0 : answer_to(self->usage, text);

        if (answer != 0) {
            return answer;
        }
        if (ended || !is_option(text)) {
            ended = ended || self->usage->first_argument_ends_options;
            self->argv[kept++] = text;
        } else if (strcmp(text, "--") == 0) {
            ended = true;
        } else if (!read_option(self, &at)) {
            return QD_OPTIONS_BAD;
        }
    }
    return is_count_right(self, kept) ? kept : QD_OPTIONS_BAD;
}

int qd_options_read(const qd_usage *usage, const qd_option *options, size_t count, int argc, char **argv,
                    qd_options_environment_fn environment, char *error, size_t error_size)
{
    reader self = {.usage = usage,
                   .options = options,
                   .count = count,
                   .argc = argc,
                   .argv = argv,
                   .error = error,
                   .error_size = error_size};
    const int answer = find_answer(&self);

    assert(count <= 64);
    if (answer != 0) {
        return answer;
    }
    if (environment != NULL && usage->variable_prefix != NULL && !read_environment(&self, environment)) {
        return QD_OPTIONS_BAD;
    }
    return read_arguments(&self);
}

int qd_options_parse(const qd_usage *usage, const qd_option *options, size_t count, int argc, char **argv, int *status)
{
    char error[512];
    const int result = qd_options_read(usage, options, count, argc, argv, NULL, error, sizeof error);

    *status = 0;
    switch (result) {
    case QD_OPTIONS_BAD:
        fprintf(stderr, "%s: %s\n", usage->program, error);
        *status = QD_EXIT_USAGE;
        return -1;
    case QD_OPTIONS_HELP:
        qd_options_help(stdout, usage, options, count);
        return -1;
    case QD_OPTIONS_VERSION:
        qd_options_version(stdout, usage);
        return -1;
    default:
        return result;
    }
}

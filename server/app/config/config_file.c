/* SPDX-License-Identifier: Apache-2.0 */
#include "config_file.h"

#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define OPTIONS_MAX 64u
#define COLUMNS     100

/* ---- reading ---- */

typedef struct reader {
    const char *path;
    const qd_usage *usage;
    const qd_option *options;
    size_t count;
    const char *at, *end;           /* what is left of the file */
    uint32_t line;                  /* the last one that inih got */
    uint32_t given_in[OPTIONS_MAX]; /* the line that sets each option; 0: none */
    char *texts;                    /* the values, one after the other; they are shorter than the file */
    size_t texts_size;
    bool failed;
    char *error;
    size_t error_size;
} reader;

static int refuse(reader *self, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes the error of the last line. Returns 0, which is how inih's handler reports a failure. */
static int refuse(reader *self, const char *format, ...)
{
    va_list arguments;

    self->failed = true;
    va_start(arguments, format);
    const int size = snprintf(self->error, self->error_size, "%s:%u: ", self->path, self->line);
    if (size >= 0 && (size_t)size < self->error_size) {
        vsnprintf(self->error + size, self->error_size - (size_t)size, format, arguments);
    }
    va_end(arguments);
    return 0;
}

/* Gives inih the next line without the blanks in front, which would make it continue the line before. */
static char *next_line(char *buffer, int buffer_size, void *context)
{
    reader *self = context;

    if (self->failed || self->at == self->end) {
        return NULL;
    }
    const char *newline = memchr(self->at, '\n', (size_t)(self->end - self->at));
    const char *start = self->at, *end = newline != NULL ? newline : self->end;
    self->at = newline != NULL ? newline + 1 : self->end;
    self->line++;
    while (start < end && (*start == ' ' || *start == '\t')) {
        start++;
    }
    const size_t size = (size_t)(end - start);
    if (size >= QD_CONFIG_LINE_SIZE_MAX || size >= (size_t)buffer_size) {
        refuse(self, "the line has %zu bytes; must have less than %u. Shorten it", size, QD_CONFIG_LINE_SIZE_MAX);
        return NULL;
    }
    if (memchr(start, '\0', size) != NULL) {
        refuse(self, "the line has a zero byte; must be text. Remove the byte");
        return NULL;
    }
    memcpy(buffer, start, size);
    buffer[size] = '\0';
    return buffer;
}

static int refuse_key(reader *self, const char *key, const char *value)
{
    const char *letters = key + strspn(key, "-");
    const qd_option *meant =
        *letters != '\0' ? qd_options_nearest(self->options, self->count, letters, strlen(letters)) : NULL;
    const bool is_key = meant != NULL && !meant->not_in_file;

    return refuse(self, "unknown key '%.64s' with the value '%.64s'.%s%s%s See %s --help.", key, value,
                  is_key ? " Did you mean " : "", is_key ? meant->name + strspn(meant->name, "-") : "",
                  is_key ? "?" : "", self->usage->program);
}

static int take_value(void *context, const char *section, const char *key, const char *value)
{
    reader *self = context;
    const qd_option *option = qd_options_find(self->options, self->count, key);

    if (self->failed) {
        return 0;
    }
    if (section[0] != '\0') {
        return refuse(self, "'%.64s' is in the section [%.64s]; must be in none. Remove the line of the section", key,
                      section);
    }
    if (option == NULL || option->not_in_file) {
        return refuse_key(self, key, value);
    }
    uint32_t *given_in = &self->given_in[option - self->options];
    if (*given_in != 0) {
        return refuse(self, "%s is given again, after line %u; give it once", key, *given_in);
    }
    *given_in = self->line;
    char *text = self->texts + self->texts_size;
    const size_t size = strlen(value) + 1;
    memcpy(text, value, size);
    self->texts_size += size;
    char error[512];
    return qd_option_set(self->usage, option, key, text, error, sizeof error) ? 1 : refuse(self, "%s", error);
}

/* The bytes of the file, with *size; for free(). NULL: `error` explains it. */
static char *load(const char *path, size_t *size, char *error, size_t error_size)
{
    FILE *file = fopen(path, "re");
    char *bytes = file != NULL ? malloc(QD_CONFIG_FILE_SIZE_MAX + 1) : NULL;

    errno = file != NULL && bytes == NULL ? ENOMEM : errno;
    *size = bytes != NULL ? fread(bytes, 1, QD_CONFIG_FILE_SIZE_MAX + 1, file) : 0;
    if (bytes == NULL || ferror(file)) {
        snprintf(error, error_size, "cannot read the file of --config, %s: %s. Check its path and its mode", path,
                 strerror(errno));
    } else if (*size > QD_CONFIG_FILE_SIZE_MAX) {
        snprintf(error, error_size,
                 "the file of --config, %s, has more than %u bytes; must have at most that many. Shorten it", path,
                 QD_CONFIG_FILE_SIZE_MAX);
    } else {
        fclose(file);
        return bytes;
    }
    if (file != NULL) {
        fclose(file);
    }
    free(bytes);
    return NULL;
}

bool qd_config_file_read(const char *path, const qd_usage *usage, const qd_option *options, size_t count, char **texts,
                         char *error, size_t error_size)
{
    size_t size;
    char *bytes = load(path, &size, error, error_size);

    *texts = NULL;
    if (bytes == NULL) {
        return false;
    }
    reader self = {.path = path,
                   .usage = usage,
                   .options = options,
                   .count = count < OPTIONS_MAX ? count : OPTIONS_MAX,
                   .at = bytes,
                   .end = bytes + size,
                   .error = error,
                   .error_size = error_size};
    self.texts = malloc(size + 1);
    if (self.texts == NULL) {
        snprintf(error, error_size, "cannot read the file of --config, %s: %s", path, strerror(ENOMEM));
        free(bytes);
        return false;
    }
    ini_allow_multiline = false;
    ini_allow_inline_comments = false;
    ini_stop_on_first_error = true;
    ini_max_line = QD_CONFIG_LINE_SIZE_MAX;
    const int bad_line = ini_parse_stream(next_line, &self, take_value, &self);
    if (bad_line != 0 && !self.failed) {
        refuse(&self, "the line is no setting; must be KEY = VALUE. Write # in front of a comment");
    }
    free(bytes);
    if (self.failed) {
        free(self.texts);
        return false;
    }
    *texts = self.texts;
    return true;
}

/* ---- printing ---- */

/* Prints the words in lines of a comment. */
static void print_comment(FILE *stream, const char *text)
{
    int column = 0;

    while (*text != '\0') {
        const int size = (int)strcspn(text, " ");

        if (column == 0 || column + 1 + size > COLUMNS) {
            column = fprintf(stream, "%s# %.*s", column > 0 ? "\n" : "", size, text) - (column > 0);
        } else {
            column += fprintf(stream, " %.*s", size, text);
        }
        text += size;
        text += strspn(text, " ");
    }
    fputc('\n', stream);
}

static void print_option(FILE *stream, const qd_option *defaults, const qd_option *option)
{
    const char *key = defaults->name + strspn(defaults->name, "-");
    char help[QD_OPTION_HELP_SIZE], value[QD_OPTION_VALUE_SIZE];

    qd_option_describe(defaults, help);
    qd_option_value(option != NULL ? option : defaults, value);
    fputc('\n', stream);
    print_comment(stream, help);
    if (defaults->reloads) {
        print_comment(stream, "SIGHUP changes it in a running server.");
    }
    if (value[0] == '\0') {
        fprintf(stream, "#%s = %s\n", key, defaults->argument);
    } else {
        fprintf(stream, "%s%s = %s\n", option == NULL ? "#" : "", key, value);
    }
}

void qd_config_file_print(FILE *stream, const qd_usage *usage, const qd_option *defaults, const qd_option *values,
                          size_t count)
{
    char text[400];

    snprintf(text, sizeof text,
             "The options of %s, as lines of KEY = VALUE. The command line and variables of the environment override "
             "them. A line that begins with # has no effect.",
             usage->program);
    print_comment(stream, text);
    fputs("#\n", stream);
    snprintf(text, sizeof text, "To use this file, run %s --config FILE. To check it, add --check-config. %s",
             usage->program, usage->notes);
    print_comment(stream, text);
    for (size_t i = 0; i < count; i++) {
        if (!defaults[i].not_in_file) {
            print_option(stream, &defaults[i], values != NULL ? &values[i] : NULL);
        }
    }
}

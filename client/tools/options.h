/* SPDX-License-Identifier: Apache-2.0
 *
 * The options and arguments of a command: a table says what there is, and the help text is made from the same table.
 *
 * Options may stand anywhere, as `--name VALUE` or `--name=VALUE`; `--` ends them. What begins with a minus and a digit
 * is a negative number, not an option, and a lone minus is an argument. Unknown options are refused.
 */
#ifndef QD_TOOLS_OPTIONS_H
#define QD_TOOLS_OPTIONS_H

#include "messages.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum qd_option_kind {
    QD_OPTION_FLAG,   /* bool */
    QD_OPTION_NUMBER, /* uint32_t, from min to max */
    QD_OPTION_REAL,   /* double, from min to max */
    QD_OPTION_TEXT,   /* const char * */
    QD_OPTION_BOUNDS, /* qd_option_bounds: MINX,MINY,MAXX,MAXY, or six numbers in three dimensions */
    QD_OPTION_INDEX,  /* qd_index_kind, by its name */
    QD_OPTION_PRUNE,  /* qd_prune_kind, by its name */
} qd_option_kind;

typedef struct qd_option_bounds {
    uint32_t dimensions; /* 2 or 3, as numbers were given; 0: none were */
    qd_msg_bounds bounds;
} qd_option_bounds;

typedef struct qd_option {
    const char *name;     /* "--hz" */
    const char *argument; /* what stands for its value in the help, "N"; NULL for a flag */
    const char *help;     /* one line; its default included */
    qd_option_kind kind;
    void *value; /* written only when the option is given */
    double min, max;
} qd_option;

typedef struct qd_usage {
    const char *program;   /* "quadrille open", as errors name it */
    const char *arguments; /* "NAME" */
    const char *text;      /* what it does; lines of at most 80 columns */
    int arguments_min, arguments_max;
} qd_usage;

/* The exit status for a command line that makes no sense. */
#define QD_EXIT_USAGE 2

/* Parses argv[1..argc). What is left over, the arguments, is moved to the front of argv, from argv[0] on. Returns how
 * many there are; or -1 when the program has nothing more to do, with its exit status: 0 after --help, which has been
 * printed, and QD_EXIT_USAGE after an error, which has been reported. */
int qd_options_parse(const qd_usage *usage, const qd_option *options, size_t count, int argc, char **argv, int *status);

/* Reports a misuse on the standard error, with where help is to be found. Returns QD_EXIT_USAGE. */
int qd_options_misuse(const char *program, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Of --dimensions (0: not given) and --bounds: makes *dimensions 2 or 3. Returns 0, or QD_EXIT_USAGE where they
 * contradict each other, which is reported. */
int qd_options_dimensions(const char *program, const qd_option_bounds *bounds, uint32_t *dimensions);

/* Whole texts as numbers; false: it is none, or out of range. */
bool qd_options_uint32(const char *text, uint32_t *number);
bool qd_options_uint64(const char *text, uint64_t *number);
bool qd_options_float(const char *text, float *number);
/* Exactly `count` of them, with commas between. */
bool qd_options_floats(const char *text, float *numbers, size_t count);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * The options and arguments of a command. One table defines the options and their help text.
 *
 * Options may be anywhere, as `--name VALUE` or `--name=VALUE`; `--` ends them. A minus and a digit begin a negative
 * number, not an option. A lone minus is an argument. Unknown options are refused.
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
    uint32_t dimensions; /* 2 or 3, by the count of numbers; 0: not given */
    qd_msg_bounds bounds;
} qd_option_bounds;

typedef struct qd_option {
    const char *name;     /* "--hz" */
    const char *argument; /* the name of its value in the help, "N"; NULL for a flag */
    const char *help;     /* one line, with the default */
    qd_option_kind kind;
    void *value; /* written only if the option is given */
    double min, max;
} qd_option;

typedef struct qd_usage {
    const char *program;   /* "quadrille open", as errors name it */
    const char *arguments; /* "NAME" */
    const char *text;      /* what the command does; lines of at most 100 columns */
    int arguments_min, arguments_max;
} qd_usage;

/* The exit status for an invalid command line. */
#define QD_EXIT_USAGE 2

/* Parses argv[1..argc) and moves the arguments to the front of argv, from argv[0] on. Returns the number of arguments.
 * -1: the program ends with *status, which is 0 after printing --help, and QD_EXIT_USAGE after reporting an error. */
int qd_options_parse(const qd_usage *usage, const qd_option *options, size_t count, int argc, char **argv, int *status);

/* Reports a misuse on the standard error, and names --help. Returns QD_EXIT_USAGE. */
int qd_options_misuse(const char *program, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Sets *dimensions to 2 or 3 from --dimensions (0: not given) and --bounds. Returns 0, or QD_EXIT_USAGE after reporting
 * that they contradict each other. */
int qd_options_dimensions(const char *program, const qd_option_bounds *bounds, uint32_t *dimensions);

/* Parse a whole text as a number; false: it is not a number, or out of range. */
bool qd_options_uint32(const char *text, uint32_t *number);
bool qd_options_uint64(const char *text, uint64_t *number);
bool qd_options_float(const char *text, float *number);
/* Exactly `count` numbers, with commas between. */
bool qd_options_floats(const char *text, float *numbers, size_t count);

#endif

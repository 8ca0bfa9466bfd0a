/* SPDX-License-Identifier: Apache-2.0
 *
 * The command line of every program: quadrille, quadrille-bench and quadrille-server. One table of options gives the
 * parser, --help, the manual page and the completion (manual.h), so that they cannot disagree.
 *
 * Options may be anywhere, as `--name VALUE` or `--name=VALUE`; `--` ends them. A minus and a digit begin a negative
 * number, not an option. A lone minus is an argument. Unknown and repeated options are refused.
 *
 * Errors name the value, the rule and the fix: `--hz is 5000; must be a whole number from 1 to 1000.`
 */
#ifndef QD_OPTIONS_OPTIONS_H
#define QD_OPTIONS_OPTIONS_H

#include "values.h"

#include <stdio.h>

typedef enum qd_option_kind {
    QD_OPTION_FLAG,   /* bool */
    QD_OPTION_NUMBER, /* uint32_t, from min to max */
    QD_OPTION_SIZE,   /* uint64_t: bytes from min to max; K, M or G after the number makes it KiB, MiB or GiB */
    QD_OPTION_REAL,   /* double, from min to max */
    QD_OPTION_TEXT,   /* const char * */
    QD_OPTION_PATH,   /* const char *: the path of a file, which a line of a file can hold; NULL: none */
    QD_OPTION_BOUNDS, /* qd_option_bounds: MINX,MINY,MAXX,MAXY, or six numbers in three dimensions */
    QD_OPTION_CHOICE, /* an enum, by the names in `choices` */
    QD_OPTION_PARSED, /* any: `parse` writes it */
} qd_option_kind;

/* Parses a value. On failure, returns false and writes what it must be: "the path of a file". */
typedef bool (*qd_option_parse_fn)(const char *text, void *value, char *rule, size_t rule_size);
/* Writes a value as text that `parse` accepts. */
typedef void (*qd_option_write_fn)(const void *value, char *text, size_t text_size);

typedef struct qd_option {
    const char *name;     /* "--hz" */
    const char *argument; /* the name of its value in the help, "N"; NULL for a flag */
    const char *help;     /* verb, object and unit, without the default: "tick at N Hz" */
    qd_option_kind kind;
    void *value; /* holds the default; written only if the option is given */
    double min, max;
    const char *otherwise; /* the default in words; NULL: the help prints *value if it is a valid value */
    const qd_option_choice *choices;
    qd_option_parse_fn parse;
    qd_option_write_fn write;
    /* for programs with a configuration file */
    bool not_in_file; /* it is no key of the file */
    bool reloads;     /* the running program takes over a new value */
} qd_option;

/* Paths have at most this many bytes. */
#define QD_OPTION_PATH_SIZE_MAX 4095u

/* Rows of tables that are macros themselves, where the formatter breaks braces badly. */
#define QD_FLAG_ROW(name, help, variable)                                                                              \
    {                                                                                                                  \
        name, NULL, help, QD_OPTION_FLAG, .value = &(variable)                                                         \
    }
#define QD_TEXT_ROW(name, argument, help, variable, default_words)                                                     \
    {                                                                                                                  \
        name, argument, help, QD_OPTION_TEXT, .value = &(variable), .otherwise = default_words                         \
    }
#define QD_NUMBER_ROW(name, argument, help, variable, least, most, default_words)                                      \
    {                                                                                                                  \
        name, argument, help, QD_OPTION_NUMBER, .value = &(variable), .min = least, .max = most,                       \
                                                .otherwise = default_words                                             \
    }
#define QD_REAL_ROW(name, argument, help, variable, least, most)                                                       \
    {                                                                                                                  \
        name, argument, help, QD_OPTION_REAL, .value = &(variable), .min = least, .max = most                          \
    }

/* A command or a variable, and its line in the help. */
typedef struct qd_option_topic {
    const char *name, *help;
} qd_option_topic;

typedef struct qd_usage {
    const char *program;   /* "quadrille open", as errors name it */
    const char *arguments; /* "NAME" */
    const char *text;      /* what the command does; lines of at most 100 columns */
    int arguments_min, arguments_max;
    /* Only for a whole program; NULL or 0 for a command of one. */
    const char *version;              /* what --version prints */
    const char *summary;              /* one line for the manual */
    const char *notes;                /* after the options; may be NULL */
    const qd_option_topic *commands;  /* a NULL name ends the list; NULL: none */
    const char *commands_title;       /* "commands" */
    const qd_option_topic *variables; /* of the environment; the same */
    const char *variable_prefix;      /* not NULL: each option has a variable, "QUADRILLE_" and its name */
    bool first_argument_ends_options; /* a command follows, which has its own options */
} qd_usage;

/* The exit status for an invalid command line; 0 is success, 1 any other failure. */
#define QD_EXIT_USAGE 2
extern const qd_option_topic qd_exit_statuses[]; /* for the help and the manual */

/* Parses argv[1..argc) and moves the arguments to the front of argv, from argv[0] on. Returns the number of arguments.
 * -1: the program ends with *status, which is 0 after --help or --version, and QD_EXIT_USAGE after an error, which is
 * reported on the standard error. --help and --version work even if other arguments are wrong. */
int qd_options_parse(const qd_usage *usage, const qd_option *options, size_t count, int argc, char **argv, int *status);

/* The same without output: negative results say why the program ends. On QD_OPTIONS_BAD, `error` explains it. First
 * sets options from the variables that `environment` returns, if that is not NULL and the usage has a prefix. An empty
 * variable is a value, and must be a valid one. */
#define QD_OPTIONS_BAD     (-1)
#define QD_OPTIONS_HELP    (-2)
#define QD_OPTIONS_VERSION (-3)
typedef char *(*qd_options_environment_fn)(const char *name);
int qd_options_read(const qd_usage *usage, const qd_option *options, size_t count, int argc, char **argv,
                    qd_options_environment_fn environment, char *error, size_t error_size);

/* The name of an option's variable: "QUADRILLE_FRAME_MAX". */
#define QD_OPTION_VARIABLE_SIZE 64
void qd_option_variable(const qd_usage *usage, const qd_option *option, char name[QD_OPTION_VARIABLE_SIZE]);

/* ---- values of a table ---- */

/* Sets an option from its value as text; a flag takes yes or no. `source` is what the user wrote: "--workers",
 * "QUADRILLE_WORKERS". On failure, returns false, and `error` names the source, the value and the rule. Strings in
 * the table then point into `text`. */
bool qd_option_set(const qd_usage *usage, const qd_option *option, const char *source, const char *text, char *error,
                   size_t error_size);
/* Writes the value as text that qd_option_set accepts; "": it has none, and the program chooses. Not for
 * QD_OPTION_BOUNDS. */
#define QD_OPTION_VALUE_SIZE (QD_OPTION_PATH_SIZE_MAX + 1)
void qd_option_value(const qd_option *option, char text[QD_OPTION_VALUE_SIZE]);
/* The option with this name without its dashes, or NULL. */
const qd_option *qd_options_find(const qd_option *options, size_t count, const char *name);

/* Reports a misuse on the standard error, and names --help. The message is one or more sentences without the last
 * period. Returns QD_EXIT_USAGE. */
int qd_options_misuse(const char *program, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Sets *dimensions to 2 or 3 from --dimensions (0: not given) and --bounds. Returns 0, or QD_EXIT_USAGE after reporting
 * that they contradict each other. */
int qd_options_dimensions(const char *program, const qd_option_bounds *bounds, uint32_t *dimensions);

/* The option or topic whose name is most similar to these letters; case does not count, and `_` equals `-`. NULL: none
 * is similar. Names of options compare without their dashes. */
const qd_option *qd_options_nearest(const qd_option *options, size_t count, const char *name, size_t size);
const qd_option_topic *qd_topics_nearest(const qd_option_topic *topics, const char *name);

/* ---- help ---- */

/* Prints --help, or passes the table to the function of qd_options_on_help. */
void qd_options_help(FILE *stream, const qd_usage *usage, const qd_option *options, size_t count);
/* Prints the version with the commit that was built. */
void qd_options_version(FILE *stream, const qd_usage *usage);

/* From now on, --help calls this instead. This is how the generator of the manual reads the tables. */
typedef void (*qd_options_help_fn)(const qd_usage *usage, const qd_option *options, size_t count);
void qd_options_on_help(qd_options_help_fn function);

/* An option's help with its default and its range, as --help shows them. */
#define QD_OPTION_HELP_SIZE 700
void qd_option_describe(const qd_option *option, char text[QD_OPTION_HELP_SIZE]);
/* "1 to 1000", "auto, hash or grid"; "": no range that a user needs to know. */
#define QD_OPTION_TEXT_SIZE 200
void qd_option_range(const qd_option *option, char text[QD_OPTION_TEXT_SIZE]);

#endif

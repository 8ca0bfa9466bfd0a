/* SPDX-License-Identifier: Apache-2.0
 *
 * The manual page and the completion of a program, from the tables that its --help shows.
 */
#ifndef QD_OPTIONS_MANUAL_H
#define QD_OPTIONS_MANUAL_H

#include "options.h"

/* A program without its streams: runs the command line, and returns the exit status. */
typedef int (*qd_manual_program_fn)(int argc, char **argv);

/* Print to the standard output. They run the program with --help, then each of its commands. */
void qd_manual_page(const char *name, const char *version, qd_manual_program_fn program);
void qd_manual_bash(const char *name, qd_manual_program_fn program);
void qd_manual_zsh(const char *name, qd_manual_program_fn program);

/* Calls `general` with the table of the program, then `command` with that of each command, by its short name. */
typedef struct qd_manual_visitor {
    void (*general)(const qd_usage *usage, const qd_option *options, size_t count);
    void (*command)(const char *name, const qd_usage *usage, const qd_option *options, size_t count);
} qd_manual_visitor;
void qd_manual_visit(const char *name, qd_manual_program_fn program, const qd_manual_visitor *visitor);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * The configuration file: lines of `KEY = VALUE`, where a key is the name of an option without its dashes. A line that
 * begins with # or ; is a comment. Spaces around keys and values do not count. There are no sections, and a value ends
 * with its line.
 *
 * Errors name the file, the line, the key, the value and the rule:
 * `quadrille.conf:7: workers is 0; must be a whole number from 1 to 256. See quadrille-server --help.`
 */
#ifndef QD_APP_CONFIG_CONFIG_FILE_H
#define QD_APP_CONFIG_CONFIG_FILE_H

#include "../../../client/options/options.h"

/* The file may have at most this many bytes, and so many per line. */
#define QD_CONFIG_FILE_SIZE_MAX (1u << 20)
#define QD_CONFIG_LINE_SIZE_MAX 8192u

/* Sets the options that the file gives. On success, *texts gets a block for free(), which the strings in the table point
 * into. On failure, returns false and writes the error; *texts is NULL, and the table has values that must not be used. */
bool qd_config_file_read(const char *path, const qd_usage *usage, const qd_option *options, size_t count, char **texts,
                         char *error, size_t error_size);

/* Prints a complete file: each option with its help and its value. `defaults` is the same table with the defaults, which
 * the help shows. A key without a value stands in a comment; with `values` NULL, all keys do, with their defaults.
 * Reading the file gives the same values. */
void qd_config_file_print(FILE *stream, const qd_usage *usage, const qd_option *defaults, const qd_option *values,
                          size_t count);

#endif

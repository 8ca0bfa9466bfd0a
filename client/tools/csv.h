/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines of comma-separated values without quotes.
 */
#ifndef QD_TOOLS_CSV_H
#define QD_TOOLS_CSV_H

#include <stddef.h>

/* Splits the line in place, and trims blanks and the end of the line from each field. Returns the number of fields,
 * which may exceed max; only the first max are stored. An empty line has none. */
size_t qd_csv_split(char *line, char **fields, size_t max);

#endif

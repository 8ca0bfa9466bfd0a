/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines of comma-separated values without quotes.
 */
#ifndef QD_TOOLS_CSV_H
#define QD_TOOLS_CSV_H

#include <stddef.h>

/* Cuts the line, in place, into its fields, without the blanks around each and without the end of the line. Returns how
 * many fields it has, which may be more than max; only the first max are stored. An empty line has none. */
size_t qd_csv_split(char *line, char **fields, size_t max);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints text that a server sent. Whatever it contains, it moves no cursor, hides nothing and turns no text around:
 * control characters, bidirectional controls, line separators and zero-width characters become \uNNNN or \UNNNNNNNN, and
 * bytes that are not UTF-8 become \xNN.
 */
#ifndef QD_TOOLS_PLAIN_H
#define QD_TOOLS_PLAIN_H

#include <stdio.h>

/* A name of the longest kind, each of its bytes escaped. */
#define QD_PLAIN_NAME_SIZE (4 * 64 + 1)

/* Writes the escaped text, and cuts it if it is longer than `size - 1` bytes. Returns `out`. */
const char *qd_plain(char *out, size_t size, const char *text);
void qd_plain_print(FILE *file, const char *text);
/* As a JSON string: valid whatever the bytes, which become \ufffd if they are not UTF-8. */
void qd_plain_print_json(FILE *file, const char *text);

#endif

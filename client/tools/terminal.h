/* SPDX-License-Identifier: Apache-2.0
 *
 * The terminal as a screen: the alternate screen without a cursor, and single keys. At exit, at a signal and at a
 * crash, the terminal returns to its earlier state. One per program.
 */
#ifndef QD_TOOLS_TERMINAL_H
#define QD_TOOLS_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the standard output is a terminal that can position text. */
bool qd_terminal_is_there(void);

void qd_terminal_enter(void);
/* Does nothing if it was not entered. */
void qd_terminal_leave(void);

/* The present size of the window; 80 by 24 if unknown. */
void qd_terminal_size(int *columns, int *rows);
/* The next pressed key; 0: none. */
char qd_terminal_key(void);
/* false: the terminal is gone. */
bool qd_terminal_write(const char *bytes, size_t size);
/* After Ctrl-Z: leaves the terminal, stops until continued, and enters it again. Returns whether it did. */
bool qd_terminal_suspend_if_asked(void);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * The terminal as a screen: the alternate screen without a cursor, keys as they are pressed. Whatever ends the program,
 * the terminal is as it was before: at exit, at a signal, and at a crash. One for the whole program.
 */
#ifndef QD_TOOLS_TERMINAL_H
#define QD_TOOLS_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the standard output is a terminal that can place text. */
bool qd_terminal_is_there(void);

void qd_terminal_enter(void);
/* Does nothing where it was not entered. */
void qd_terminal_leave(void);

/* Of the window, as it is now; 80 by 24 where it is not known. */
void qd_terminal_size(int *columns, int *rows);
/* A key that was pressed; 0: none. */
char qd_terminal_key(void);
/* false: the terminal is gone. */
bool qd_terminal_write(const char *bytes, size_t size);
/* Ctrl-Z was pressed: gives the terminal back, sleeps until continued, and takes it again. Returns whether it was. */
bool qd_terminal_suspend_if_asked(void);

#endif

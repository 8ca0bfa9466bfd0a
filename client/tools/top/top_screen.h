/* SPDX-License-Identifier: Apache-2.0
 *
 * The screen of `quadrille top`, by ncurses. One per program.
 */
#ifndef QD_TOOLS_TOP_SCREEN_H
#define QD_TOOLS_TOP_SCREEN_H

#include "top_reading.h"

/* What the user chose. */
typedef struct qd_top_view {
    qd_top_kind kind;
    int column[QD_TOP_KINDS]; /* that each table is sorted by */
    bool descends[QD_TOP_KINDS];
    uint32_t top_row; /* the first row on the screen */
    bool paused, shows_help, quits;
} qd_top_view;

/* Sorts every table by its first column. */
void qd_top_view_init(qd_top_view *view);
/* Changes the view as the key asks: a character, or a KEY_ of ncurses. */
void qd_top_view_key(qd_top_view *view, int key);

/* Returns false if terminfo does not know the terminal. */
bool qd_top_screen_enter(void);
/* Restores the terminal. Does nothing if it was not entered. */
void qd_top_screen_leave(void);
/* Sorts the table of the reading, and shows it. Keeps view->top_row within it. */
void qd_top_screen_draw(qd_top_view *view, qd_top_reading *reading);
/* Waits for a key, or a new size of the window, for at most that time. -1: there is none; or the terminal is gone, and
 * *gone is set. */
int qd_top_screen_key(uint64_t wait_ns, bool *gone);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "top_screen.h"

#include <locale.h>
#include <ncurses.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#define HEADER_ROWS 4 /* above the rows of the table */

static SCREEN *screen;

/* ---- what keys do ---- */

void qd_top_view_init(qd_top_view *view)
{
    *view = (qd_top_view){.kind = QD_TOP_ROOMS};
    for (int kind = 0; kind < QD_TOP_KINDS; kind++) {
        view->column[kind] = qd_top_first_column((qd_top_kind)kind);
        view->descends[kind] = qd_top_descends((qd_top_kind)kind, view->column[kind]);
    }
}

static void choose_kind(qd_top_view *view, qd_top_kind kind)
{
    view->kind = kind;
    view->top_row = 0;
}

static void choose_column(qd_top_view *view, int step)
{
    uint32_t count;

    (void)qd_top_columns(view->kind, &count);
    const int column = (view->column[view->kind] + step + (int)count) % (int)count;
    view->column[view->kind] = column;
    view->descends[view->kind] = qd_top_descends(view->kind, column);
}

static void scroll_rows(qd_top_view *view, int rows)
{
    view->top_row = rows < 0 && view->top_row < (uint32_t)-rows ? 0 : view->top_row + (uint32_t)rows;
}

void qd_top_view_key(qd_top_view *view, int key)
{
    const bool helped = view->shows_help;

    view->shows_help = false;
    switch (key) {
    case 'q':
        view->quits = true;
        break;
    case 'r':
        choose_kind(view, QD_TOP_ROOMS);
        break;
    case 's':
        choose_kind(view, QD_TOP_SESSIONS);
        break;
    case 'w':
        choose_kind(view, QD_TOP_WORKERS);
        break;
    case '<':
    case KEY_LEFT:
        choose_column(view, -1);
        break;
    case '>':
    case KEY_RIGHT:
        choose_column(view, 1);
        break;
    case 'R':
        view->descends[view->kind] = !view->descends[view->kind];
        break;
    case KEY_UP:
        scroll_rows(view, -1);
        break;
    case KEY_DOWN:
        scroll_rows(view, 1);
        break;
    case KEY_PPAGE:
        scroll_rows(view, -10);
        break;
    case KEY_NPAGE:
        scroll_rows(view, 10);
        break;
    case ' ':
        view->paused = !view->paused;
        break;
    case 'h':
    case '?':
        view->shows_help = !helped;
        break;
    case KEY_RESIZE:
        view->shows_help = helped;
        break;
    default:
        break;
    }
}

/* ---- the terminal ---- */

bool qd_top_screen_enter(void)
{
    setlocale(LC_CTYPE, "");
    screen = newterm(NULL, stdout, stdin);
    if (screen == NULL) {
        return false;
    }
    cbreak();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    set_escdelay(50);
    curs_set(0);
    return true;
}

void qd_top_screen_leave(void)
{
    if (screen != NULL) {
        endwin();
        delscreen(screen);
        screen = NULL;
    }
}

int qd_top_screen_key(uint64_t wait_ns, bool *gone)
{
    struct pollfd keys = {.fd = STDIN_FILENO, .events = POLLIN};
    int key = getch();

    if (key == ERR) {
        /* A signal ends the wait: a new size of the window is a key. */
        poll(&keys, 1, (int)(wait_ns / 1000000) + 1);
        key = getch();
    }
    *gone = key == ERR && (keys.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
    return key == ERR ? -1 : key;
}

/* ---- drawing ---- */

/* Draws the text from a column of the screen on, and cuts it to this width. Right-aligned text ends at the width. */
static void draw_text(int row, int at, int width, const char *text, bool right)
{
    wchar_t shown[QD_TOP_CELL_SIZE];
    mbstate_t state = {0};
    size_t left = strlen(text), count = 0;
    int used = 0;

    while (left > 0 && count + 1 < QD_TOP_CELL_SIZE) {
        wchar_t point;
        size_t size = mbrtowc(&point, text, left, &state);

        if (size == 0 || size > left || wcwidth(point) < 0) {
            /* The locale cannot show it. */
            state = (mbstate_t){0};
            point = L'?';
            size = 1;
        }
        if (used + wcwidth(point) > width) {
            break;
        }
        used += wcwidth(point);
        shown[count++] = point;
        text += size;
        left -= size;
    }
    shown[count] = L'\0';
    mvaddwstr(row, at + (right ? width - used : 0), shown);
}

static void draw_header(const qd_top_view *view, const qd_top_column *columns, uint32_t count)
{
    int at = 0;

    attron(A_REVERSE);
    mvhline(HEADER_ROWS - 1, 0, ' ', COLS);
    for (uint32_t i = 0; i < count && at + columns[i].width <= COLS; i++) {
        const bool sorted = (int)i == view->column[view->kind];
        char name[32];

        snprintf(name, sizeof name, "%s%s", columns[i].name, !sorted ? "" : view->descends[view->kind] ? "v" : "^");
        if (sorted) {
            attron(A_BOLD | A_UNDERLINE);
        }
        draw_text(HEADER_ROWS - 1, at, columns[i].width, name, columns[i].kind != QD_TOP_TEXT);
        attroff(A_BOLD | A_UNDERLINE);
        at += columns[i].width + 1;
    }
    attroff(A_REVERSE);
}

static void draw_rows(const qd_top_view *view, const qd_top_table *table, const qd_top_column *columns, uint32_t count)
{
    char text[QD_TOP_CELL_SIZE];

    for (int y = HEADER_ROWS; y < LINES; y++) {
        const uint32_t row = view->top_row + (uint32_t)(y - HEADER_ROWS);
        int at = 0;

        for (uint32_t i = 0; row < table->count && i < count && at + columns[i].width <= COLS; i++) {
            qd_top_cell(table, &table->rows[row], i, text);
            draw_text(y, at, columns[i].width, text, columns[i].kind != QD_TOP_TEXT);
            at += columns[i].width + 1;
        }
    }
}

static void draw_help(void)
{
    static const char *const lines[] = {
        "r s w          show rooms, sessions or worker threads",
        "< >, arrows    sort by the column to the left or to the right",
        "R              reverse the order",
        "up, down       scroll by a row; Page Up and Page Down by ten",
        "space          pause, and go on",
        "h              show this help, and hide it",
        "q              quit",
    };

    for (size_t i = 0; i < QD_CLI_COUNT(lines); i++) {
        draw_text(HEADER_ROWS + (int)i, 0, COLS, lines[i], false);
    }
}

void qd_top_screen_draw(qd_top_view *view, qd_top_reading *reading)
{
    uint32_t count;
    const qd_top_column *columns = qd_top_columns(view->kind, &count);
    char first[QD_TOP_LINE_SIZE], second[QD_TOP_LINE_SIZE], third[QD_TOP_LINE_SIZE];
    const int column = view->column[view->kind];

    if (view->top_row >= reading->table.count) {
        view->top_row = reading->table.count > 0 ? reading->table.count - 1 : 0;
    }
    qd_top_table_sort(&reading->table, column, view->descends[view->kind]);
    qd_top_server_lines(&reading->server, first, second);
    snprintf(third, sizeof third, "%s %u, sorted by %s, %s%s  (h: help, q: quit)", qd_top_kind_name(view->kind),
             reading->table.count, columns[column].name, view->descends[view->kind] ? "descending" : "ascending",
             view->paused ? ", paused" : "");
    erase();
    draw_text(0, 0, COLS, first, false);
    draw_text(1, 0, COLS, second, false);
    draw_text(2, 0, COLS, third, false);
    draw_header(view, columns, count);
    if (view->shows_help) {
        draw_help();
    } else {
        draw_rows(view, &reading->table, columns, count);
    }
    refresh();
}

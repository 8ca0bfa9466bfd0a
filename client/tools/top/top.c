/* SPDX-License-Identifier: Apache-2.0
 *
 * quadrille top: shows rooms, sessions and worker threads live, from the admin API.
 */
#include "top_screen.h"

#include "../plain.h"
#include "../terminal.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const qd_option_choice tables[] = {
    {"rooms", QD_TOP_ROOMS}, {"sessions", QD_TOP_SESSIONS}, {"workers", QD_TOP_WORKERS}, {NULL, 0}};

typedef struct top {
    const qd_cli *cli;
    qd_top_api *api;
    qd_top_view view;
    uint64_t interval_ns;
    qd_top_reading reading;
} top;

/* Replaces the reading. Returns false if it failed, which is reported on the normal screen, or a signal stopped it. */
static bool read_next(top *self)
{
    char error[QD_TOP_ERROR_SIZE];
    qd_top_reading next;
    const bool done = qd_top_read(self->api, self->view.kind, &self->reading, &next, error);

    qd_top_table_clear(&self->reading.table);
    self->reading = next;
    if (!done && error[0] != '\0') {
        qd_top_screen_leave();
        qd_cli_fail(self->cli, "%s", error);
    }
    return done;
}

static void print_table(top *self)
{
    qd_top_table *table = &self->reading.table;
    uint32_t count;
    const qd_top_column *columns = qd_top_columns(table->kind, &count);
    char text[QD_TOP_CELL_SIZE];

    qd_top_table_sort(table, self->view.column[table->kind], self->view.descends[table->kind]);
    for (uint32_t i = 0; i < count; i++) {
        printf("%s%s", i > 0 ? "\t" : "", columns[i].name);
    }
    putchar('\n');
    for (uint32_t row = 0; row < table->count; row++) {
        for (uint32_t i = 0; i < count; i++) {
            qd_top_cell(table, &table->rows[row], i, text);
            printf("%s%s", i > 0 ? "\t" : "", text);
        }
        putchar('\n');
    }
}

/* An array of objects, whose members are named like the columns. What is not known is null. */
static void print_json(top *self)
{
    qd_top_table *table = &self->reading.table;
    uint32_t count;
    const qd_top_column *columns = qd_top_columns(table->kind, &count);
    char text[QD_TOP_CELL_SIZE];

    qd_top_table_sort(table, self->view.column[table->kind], self->view.descends[table->kind]);
    putchar('[');
    for (uint32_t row = 0; row < table->count; row++) {
        for (uint32_t i = 0; i < count; i++) {
            printf("%s\"%s\":", i > 0 ? "," : row > 0 ? ",{" : "{", columns[i].name);
            qd_top_cell(table, &table->rows[row], i, text);
            if (columns[i].kind == QD_TOP_TEXT) {
                qd_plain_print_json(stdout, text);
            } else {
                fputs(strcmp(text, "-") == 0 ? "null" : text, stdout);
            }
        }
        putchar('}');
    }
    puts("]");
}

/* Rates need two readings. */
static int print_once(top *self)
{
    const struct timespec pause = {(time_t)(self->interval_ns / 1000000000), (long)(self->interval_ns % 1000000000)};

    if (!read_next(self)) {
        return 1;
    }
    nanosleep(&pause, NULL);
    if (qd_cli_stopped() || !read_next(self)) {
        return 1;
    }
    if (self->cli->json) {
        print_json(self);
    } else {
        print_table(self);
    }
    return 0;
}

static int follow(top *self)
{
    uint64_t due_ns = 0;
    bool gone = false;

    while (!self->view.quits && !gone && !qd_cli_stopped()) {
        const uint64_t now_ns = qd_now_ns();
        const bool other = self->reading.table.kind != self->view.kind;

        if (other || (now_ns >= due_ns && !self->view.paused)) {
            if (!read_next(self)) {
                return qd_cli_stopped() ? 0 : 1;
            }
            due_ns = now_ns + self->interval_ns;
        }
        qd_top_screen_draw(&self->view, &self->reading);
        qd_top_view_key(&self->view, qd_top_screen_key(due_ns > now_ns ? due_ns - now_ns : self->interval_ns, &gone));
    }
    return 0;
}

static int run(top *self, bool once)
{
    qd_cli_catch_signals();
    if (once) {
        return print_once(self);
    }
    /* Failures of the first reading need no screen. */
    if (!read_next(self)) {
        return qd_cli_stopped() ? 0 : 1;
    }
    if (!qd_top_screen_enter()) {
        const char *type = getenv("TERM");

        return qd_cli_fail(self->cli,
                           "TERM is '%.40s'; must be a terminal that terminfo knows. Set TERM, or give --once",
                           type != NULL ? type : "");
    }
    const int status = follow(self);
    qd_top_screen_leave();
    return status;
}

static int choose_sort(const qd_cli *cli, qd_top_view *view, const char *name)
{
    uint32_t count;
    const qd_top_column *columns = qd_top_columns(view->kind, &count);
    const int column = qd_top_find_column(view->kind, name);
    char names[200] = "";

    for (uint32_t i = 0, used = 0; i < count && used < sizeof names; i++) {
        used += (uint32_t)snprintf(names + used, sizeof names - used, "%s%s",
                                   i == 0           ? ""
                                   : i + 1 == count ? " or "
                                                    : ", ",
                                   columns[i].name);
    }
    if (column < 0) {
        return qd_options_misuse(cli->program, "--sort is %.40s; must be %s for the table %s", name, names,
                                 qd_top_kind_name(view->kind));
    }
    view->column[view->kind] = column;
    view->descends[view->kind] = qd_top_descends(view->kind, column);
    return 0;
}

int qd_command_top(qd_cli *cli, int argc, char **argv)
{
    static const qd_usage usage = {
        "quadrille top", "",
        "Shows the rooms, the sessions or the worker threads of a server in a live table, sorted by a\n"
        "column, from the server's admin API (its option --admin). Keys: r, s and w choose the table, <\n"
        "and > or the arrows the column, R reverses the order, space pauses, h shows help, q quits.\n"
        "With --once, and without a terminal, prints the table once, with tabs between the columns,\n"
        "after one interval, since rates need it. A table has at most 2000 rows.",
        .arguments_max = 0};
    const char *admin = getenv("QUADRILLE_ADMIN"), *sort = NULL;
    double interval_s = 1;
    uint32_t table = QD_TOP_ROOMS;
    bool once = false, reverse = false;
    top self = {.cli = cli};
    const qd_option options[] = {
        QD_TEXT_ROW("--admin", "HOST:PORT", "connect to this admin API", admin, "QUADRILLE_ADMIN, or 127.0.0.1:7401"),
        {"--table", "NAME", "show this table first", QD_OPTION_CHOICE, .value = &table, .choices = tables},
        QD_TEXT_ROW("--sort", "COLUMN", "sort by this column: numbers descending, texts ascending", sort,
                    "entities of rooms, queue of sessions, cpu_% of workers"),
        QD_FLAG_ROW("--reverse", "reverse the order of --sort", reverse),
        {"--interval", "SECONDS", "read every SECONDS", QD_OPTION_REAL, .value = &interval_s, .min = 0.1, .max = 3600},
        QD_FLAG_ROW("--once", "print the table once, as plain text", once),
        QD_CLI_JSON_OPTION(cli, "an array of rows, named like the columns, once")};
    int status = 0;

    if (qd_options_parse(&usage, options, QD_CLI_COUNT(options), argc, argv, &status) < 0) {
        return status;
    }
    qd_top_view_init(&self.view);
    self.view.kind = (qd_top_kind)table;
    if (sort != NULL && (status = choose_sort(cli, &self.view, sort)) != 0) {
        return status;
    }
    self.view.descends[table] ^= reverse;
    self.interval_ns = (uint64_t)(interval_s * 1e9);
    self.reading.table.kind = self.view.kind;
    self.api = qd_top_api_create(cli, admin != NULL && admin[0] != '\0' ? admin : "127.0.0.1:7401",
                                 getenv("QUADRILLE_ADMIN_TOKEN"), &status);
    if (self.api == NULL) {
        return status;
    }
    status = run(&self, once || cli->json || !qd_terminal_is_there() || isatty(STDIN_FILENO) == 0);
    qd_top_table_clear(&self.reading.table);
    qd_top_api_destroy(self.api);
    return status;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * quadrille watchers: prints the changes of the reverse view, one per line.
 */
#include "lines.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct printer {
    qd_lines lines;
    const uint32_t *id; /* the requested entities; id_count 0: all */
    uint32_t id_count;
} printer;

static bool is_requested(const printer *out, uint32_t entity)
{
    for (uint32_t i = 0; i < out->id_count; i++) {
        if (out->id[i] == entity) {
            return true;
        }
    }
    return out->id_count == 0;
}

static void print_change(printer *out, const char *kind, uint32_t entity, uint64_t session, uint32_t observer)
{
    if (qd_lines_done(&out->lines) || !is_requested(out, entity)) {
        return;
    }
    out->lines.count++;
    printf(out->lines.cli->json ? "{\"tick\": %" PRIu64
                                  ", \"kind\": \"%s\", \"entity\": %u, \"observer\": %u, \"session\": "
                                  "%" PRIu64 "}\n"
                                : "%" PRIu64 " %s %u observer %u of session %" PRIu64 "\n",
           out->lines.tick, kind, entity, observer, session);
}

static void on_watched(uint32_t entity, uint64_t session, uint32_t observer, void *context)
{
    print_change(context, "enter", entity, session, observer);
}

static void on_unwatched(uint32_t entity, uint64_t session, uint32_t observer, void *context)
{
    printer *out = context;

    if (!out->lines.is_reset) {
        print_change(out, "leave", entity, session, observer);
    }
}

static int print(printer *out, qd_client *client, uint64_t room)
{
    const qd_view_handlers handlers = {.watched = on_watched, .unwatched = on_unwatched, .context = out};

    if (qd_client_set_view_options(client, room, 0, QD_WATCH_ALL) == 0) {
        return qd_cli_fail_session(out->lines.cli, client);
    }
    qd_view *view = qd_view_create(&handlers);
    if (view == NULL) {
        return qd_cli_fail(out->lines.cli, "out of memory");
    }
    int status = qd_lines_follow_view(&out->lines, client, view);
    qd_view_destroy(view);
    return status;
}

int qd_command_watchers(qd_cli *cli, int argc, char **argv)
{
    static const qd_usage usage = {
        "quadrille watchers", "ROOM [ID...]",
        "Prints which observers see the entities of these ids, or all entities of the room. A\n"
        "line has the tick, and one of\n"
        "    enter ID observer N of session M\n"
        "    leave ID observer N of session M\n"
        "    reset                     the list is rebuilt: the enters follow\n"
        "    merged ticks N            before a reset: it replaces N ticks\n"
        "    suspended: REASON         the room has too many visible entries, or no memory left\n"
        "The stream starts with a reset. Stop it with Ctrl-C.",
        .arguments_min = 1, .arguments_max = INT32_MAX};
    printer out = {.lines = {.cli = cli, .changes = "enters and leaves"}};
    const qd_option options[] = {QD_CLI_JSON_OPTION(cli, "per line an object with tick, kind and what the kind has"),
                                 QD_LINES_ROWS(&out.lines, "stop after N enters and leaves; fail if fewer come"),
                                 QD_CLI_SERVER_OPTIONS(cli)};
    int status = 0;
    int count = qd_options_parse(&usage, options, QD_CLI_COUNT(options), argc, argv, &status);

    if (count < 0) {
        return status;
    }
    out.id_count = (uint32_t)count - 1;
    uint32_t *id = calloc((size_t)count, sizeof *id);
    if (id == NULL) {
        return qd_cli_fail(cli, "out of memory");
    }
    out.id = id;
    status = qd_cli_parse_ids(cli, argv + 1, out.id_count, id);
    if (status == 0) {
        qd_cli_room room;
        qd_client *client = qd_cli_join(cli, argv[0], &room);

        status = client != NULL ? print(&out, client, room.handle) : 1;
        qd_client_destroy(client);
    }
    free(id);
    return status;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * quadrille watchers: who sees an entity, as lines; the reverse of `observe`.
 */
#include "view_lines.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct printer {
    qd_view_lines lines;
    const uint32_t *id; /* the entities that are asked for; all where there are none */
    uint32_t id_count;
} printer;

static bool is_asked_for(const printer *out, uint32_t entity)
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
    if (qd_view_lines_done(&out->lines) || !is_asked_for(out, entity)) {
        return;
    }
    out->lines.count++;
    printf(out->lines.json ? "{\"tick\": %" PRIu64 ", \"kind\": \"%s\", \"entity\": %u, \"observer\": %u, \"session\": "
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

    if (!out->lines.begins) {
        print_change(out, "leave", entity, session, observer);
    }
}

static int print(printer *out, qd_client *client, const char *room_name)
{
    const qd_view_handlers handlers = {.watched = on_watched, .unwatched = on_unwatched, .context = out};
    qd_cli_room room;

    if (!qd_cli_open_room(out->lines.cli, client, room_name, NULL, &room)) {
        return 1;
    }
    if (qd_client_view_options(client, room.handle, 0, QD_WATCH_ALL) == 0) {
        return qd_cli_fail_session(out->lines.cli, client);
    }
    qd_view *view = qd_view_create(&handlers);
    if (view == NULL) {
        return qd_cli_fail(out->lines.cli, "out of memory");
    }
    int status = qd_view_lines_follow(&out->lines, client, view);
    qd_view_destroy(view);
    return status;
}

/* Returns 0, or the exit status of a misuse, which is reported. */
static int parse_ids(const qd_cli *cli, char **texts, uint32_t count, uint32_t *id)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!qd_options_uint32(texts[i], &id[i])) {
            return qd_options_misuse(cli->program, "entity '%.64s': must be an id, a whole number from 0 to %u",
                                     texts[i], UINT32_MAX);
        }
    }
    return 0;
}

int qd_command_watchers(qd_cli *cli, int argc, char **argv)
{
    static const qd_usage usage = {
        "quadrille watchers", "ROOM [ID...]",
        "Prints who sees the entities of these ids, or all of the room, a line an event: its tick,\n"
        "`enter`, the entity's id, and the observer that sees it with the session that made it; or\n"
        "`leave`, and who does not see it any more. A line `TICK reset` says that it starts anew,\n"
        "with the enters that follow: so it does at first. `TICK merged ticks N` before it says\n"
        "for how many ticks that stands, `TICK suspended` that the room has too much to see. Until\n"
        "interrupted.",
        1, INT32_MAX};
    printer out = {.lines.cli = cli};
    uint32_t count_max = 0;
    const qd_option options[] = {
        {"--json", NULL, "print a JSON object a line", QD_OPTION_FLAG, &out.lines.json, 0, 0},
        {"--seconds", "N", "stop after so long", QD_OPTION_REAL, &out.lines.seconds, 0.001, 1e9},
        {"--count", "N", "stop after so many enters and leaves; fail when fewer come", QD_OPTION_NUMBER, &count_max, 1,
         UINT32_MAX},
        QD_CLI_SERVER_OPTION(cli)};
    int status = 0;
    int count = qd_options_parse(&usage, options, QD_CLI_COUNT(options), argc, argv, &status);

    if (count < 0) {
        return status;
    }
    out.lines.count_max = QD_VIEW_LINES_MAX(count_max);
    out.id_count = (uint32_t)count - 1;
    uint32_t *id = calloc((size_t)count, sizeof *id);
    if (id == NULL) {
        return qd_cli_fail(cli, "out of memory");
    }
    out.id = id;
    status = parse_ids(cli, argv + 1, out.id_count, id);
    qd_client *client = status == 0 ? qd_cli_connect(cli) : NULL;
    if (client != NULL) {
        status = print(&out, client, argv[0]);
    } else if (status == 0) {
        status = 1;
    }
    qd_client_destroy(client);
    free(id);
    return status;
}

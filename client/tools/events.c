/* SPDX-License-Identifier: Apache-2.0
 *
 * quadrille events: prints the pair events of a room, one per line.
 */
#include "lines.h"

#include <inttypes.h>

static void print_pairs(qd_lines *lines, const char *kind, const qd_msg_pairs *pairs, const uint8_t *end_reason)
{
    for (uint32_t i = 0; i < pairs->count && !qd_lines_done(lines); i++, lines->count++) {
        printf(lines->cli->json ? "{\"tick\": %" PRIu64 ", \"kind\": \"%s\", \"a\": %u, \"b\": %u"
                                : "%" PRIu64 " %s %u %u",
               lines->tick, kind, pairs->a[i], pairs->b[i]);
        if (end_reason != NULL) {
            printf(lines->cli->json ? ", \"reason\": \"%s\"" : " %s", qd_end_reason_name((qd_end_reason)end_reason[i]));
        }
        fputs(lines->cli->json ? "}\n" : "\n", stdout);
    }
}

static int take_message(const qd_server_message *message, void *context)
{
    qd_lines *lines = context;

    if (message->kind != QD_SERVER_TICK) {
        return 0;
    }
    const qd_msg_tick *tick = &message->as.tick;
    lines->tick = tick->tick;
    if (tick->skipped > 0) {
        qd_lines_notice(lines, "skipped", "ticks", tick->skipped);
    }
    if (tick->suspended) {
        qd_lines_suspended(lines, tick->suspended_reason, tick->suspended_count);
    }
    if (tick->merged_ticks > 0) {
        qd_lines_notice(lines, "merged", "ticks", tick->merged_ticks);
    }
    if (tick->reset) {
        qd_lines_notice(lines, "reset", NULL, 0);
    }
    print_pairs(lines, "end", &tick->ends, tick->end_reason);
    print_pairs(lines, "begin", &tick->begins, NULL);
    print_pairs(lines, "passed", &tick->passed, NULL);
    print_pairs(lines, "stay", &tick->stays, NULL);
    return 0;
}

int qd_command_events(qd_cli *cli, int argc, char **argv)
{
    static const qd_usage usage = {
        "quadrille events", "ROOM",
        "Prints the pair events of a room, one per line: the tick, `begin` or `end`, the two ids,\n"
        "and the reason of an end. `TICK reset` announces a new set of pairs, whose begins follow.\n"
        "The stream starts with one. `TICK merged ticks N` before it gives the number of ticks\n"
        "that it replaces, because they were not read in time. In a swept room, `passed` is a pair\n"
        "that touched only since the previous tick. Stop it with Ctrl-C.",
        .arguments_min = 1, .arguments_max = 1};
    qd_lines lines = {.cli = cli, .changes = "events"};
    bool own = false, stays = false;
    const qd_option options[] = {
        {"--own", NULL, "print only pairs of entities that this session owns", QD_OPTION_FLAG, .value = &own},
        {"--stays", NULL, "also print, at each tick, the pairs that continue", QD_OPTION_FLAG, .value = &stays},
        QD_CLI_JSON_OPTION(cli, "per line an object with tick, kind and what the kind has"),
        QD_LINES_ROWS(&lines, "stop after N events; fail if fewer come"),
        QD_CLI_SERVER_OPTIONS(cli)};
    int status = 0;

    if (qd_options_parse(&usage, options, QD_CLI_COUNT(options), argc, argv, &status) < 0) {
        return status;
    }

    qd_cli_room room;
    qd_client *client = qd_cli_join(cli, argv[0], &room);
    status = 1;
    if (client != NULL) {
        status = qd_client_subscribe(client, room.handle, own ? QD_SCOPE_OWN : QD_SCOPE_ALL, stays) != 0
                     ? qd_lines_follow(&lines, client, take_message, &lines)
                     : qd_cli_fail_session(cli, client);
    }
    qd_client_destroy(client);
    return status;
}

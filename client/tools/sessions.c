/* SPDX-License-Identifier: Apache-2.0
 *
 * quadrille sessions: lists the sessions of the server.
 */
#include "cli.h"
#include "plain.h"

#include <inttypes.h>

static void print_json(const qd_msg_session_info *info, bool first)
{
    printf("%s\n  {\"session\": %" PRIu64 ", \"client\": ", first ? "" : ",", info->session);
    qd_plain_print_json(stdout, info->client);
    printf(", \"detached\": %s, \"rooms\": %u, \"age_ms\": %" PRIu64 "}", info->detached ? "true" : "false",
           info->rooms, info->age_ms);
}

static void print_row(const qd_msg_session_info *info, bool first)
{
    if (first) {
        printf("%10s %-9s %6s %12s  %s\n", "session", "state", "rooms", "age_s", "client");
    }
    printf("%10" PRIu64 " %-9s %6u %12.3f  ", info->session, info->detached ? "detached" : "connected", info->rooms,
           (double)info->age_ms / 1e3);
    qd_plain_print(stdout, info->client);
    fputc('\n', stdout);
}

/* Lists all pages. The command's own session is on the list, so that it is never empty. */
static int list_sessions(const qd_cli *cli, qd_client *client, uint64_t room)
{
    uint64_t after = 0;
    bool first = true;

    if (cli->json) {
        fputc('[', stdout);
    }
    for (bool more = true; more;) {
        const qd_server_message *answer =
            qd_cli_answer(cli, client, qd_client_list_sessions(client, room, after, 0), QD_SERVER_SESSION_LIST);

        if (answer == NULL) {
            return 1;
        }
        const qd_msg_session_list *list = &answer->as.session_list;
        for (size_t i = 0; i < list->count; i++, first = false) {
            if (cli->json) {
                print_json(&list->sessions[i], first);
            } else {
                print_row(&list->sessions[i], first);
            }
            after = list->sessions[i].session;
        }
        more = list->more && list->count > 0;
    }
    if (cli->json) {
        fputs("\n]\n", stdout);
    }
    return 0;
}

int qd_command_sessions(qd_cli *cli, int argc, char **argv)
{
    static const qd_usage usage = {
        "quadrille sessions", "[ROOM]",
        "Lists the sessions of the server, or those in one room: the number, whether it is\n"
        "connected or detached, the number of its rooms, its age in seconds, and its client's\n"
        "name. The list contains this command's own session. With an admin's token it has all\n"
        "sessions, otherwise those of your token (QUADRILLE_TOKEN).",
        .arguments_max = 1};
    const qd_option options[] = {
        QD_CLI_JSON_OPTION(cli, "an array of objects with session, client, detached, rooms and age_ms"),
        QD_CLI_SERVER_OPTIONS(cli)};
    int status = 0;
    const int count = qd_options_parse(&usage, options, QD_CLI_COUNT(options), argc, argv, &status);

    if (count < 0) {
        return status;
    }
    qd_cli_room room = {0};
    qd_client *client = count > 0 ? qd_cli_join(cli, argv[0], &room) : qd_cli_connect(cli);
    status = client != NULL ? list_sessions(cli, client, room.handle) : 1;
    qd_client_destroy(client);
    return status;
}

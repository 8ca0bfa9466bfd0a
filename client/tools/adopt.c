/* SPDX-License-Identifier: Apache-2.0
 *
 * quadrille adopt: gives the entities that sessions of the same token left behind to the room, so that they stay.
 */
#include "cli.h"
#include "columns.h"
#include "plain.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct adopted {
    uint32_t *id;
    uint32_t count;
} adopted;

/* Appends the ids of one message of the answer. */
static bool keep(const qd_cli *cli, adopted *all, const qd_msg_handed_over *part)
{
    if (part->count == 0) {
        return true;
    }
    uint32_t *grown = realloc(all->id, ((size_t)all->count + part->count) * sizeof *grown);
    if (grown == NULL) {
        return qd_cli_fail(cli, "out of memory for %u entities", all->count) == 0;
    }
    all->id = grown;
    memcpy(all->id + all->count, part->id, part->count * sizeof *grown);
    all->count += part->count;
    return true;
}

static void name_connected(const qd_cli *cli, const qd_msg_handed_over *part)
{
    for (uint32_t i = 0; i < part->connected_listed; i++) {
        qd_cli_fail(cli, "session %" PRIu64 " is connected and keeps its entities: --session %" PRIu64 " takes them",
                    part->connected[i], part->connected[i]);
    }
    if (part->connected_count > part->connected_listed) {
        qd_cli_fail(cli, "and %u more sessions", part->connected_count - part->connected_listed);
    }
}

static bool adopt(const qd_cli *cli, qd_client *client, uint64_t room, uint64_t session, adopted *all)
{
    uint64_t seq = qd_client_adopt(client, room, session);

    for (bool last = false; !last;) {
        const qd_server_message *answer = qd_cli_answer(cli, client, seq, QD_SERVER_HANDED_OVER);

        if (answer == NULL) {
            return false;
        }
        const qd_msg_handed_over *part = &answer->as.handed_over;
        last = part->last;
        name_connected(cli, part);
        if (!keep(cli, all, part)) {
            return false;
        }
    }
    return true;
}

/* This session is about to end, so it gives its entities to the room. */
static bool give_to_room(const qd_cli *cli, qd_client *client, uint64_t room, const adopted *all)
{
    for (uint32_t at = 0; at < all->count; at += QD_COLUMNS_PIECE) {
        uint32_t left = all->count - at;

        if (qd_client_hand_over(client, room, all->id + at, left < QD_COLUMNS_PIECE ? left : QD_COLUMNS_PIECE, 0) ==
            0) {
            return qd_cli_fail_session(cli, client) == 0;
        }
    }
    return true;
}

static int run(const qd_cli *cli, qd_client *client, const char *name, uint64_t room, uint64_t session, bool list)
{
    adopted all = {0};
    bool good = adopt(cli, client, room, session, &all) && give_to_room(cli, client, room, &all) &&
                qd_cli_answer(cli, client, qd_client_leave_room(client, room), QD_SERVER_ROOM_LEFT) != NULL;

    if (good && cli->json) {
        printf("{\"room\": ");
        qd_plain_print_json(stdout, name);
        printf(", \"entities\": %u, \"ids\": [", all.count);
        for (uint32_t i = 0; i < all.count; i++) {
            printf("%s%u", i > 0 ? ", " : "", all.id[i]);
        }
        puts("]}");
    } else if (good && list) {
        for (uint32_t i = 0; i < all.count; i++) {
            printf("%u\n", all.id[i]);
        }
    } else if (good) {
        printf("%u %s adopted: room %s owns %s now\n", all.count, all.count == 1 ? "entity" : "entities", name,
               all.count == 1 ? "it" : "them");
    }
    free(all.id);
    return good ? 0 : 1;
}

int qd_command_adopt(qd_cli *cli, int argc, char **argv)
{
    static const qd_usage usage = {
        "quadrille adopt", "ROOM",
        "Gives the entities of a dead backend to the room: those that sessions of the same token\n"
        "(QUADRILLE_TOKEN, or your own) left behind, before their grace time is over. Then they stay, and any\n"
        "session may move them. Connected sessions keep their entities, and are named.",
        .arguments_min = 1, .arguments_max = 1};
    const char *text = NULL;
    uint64_t session = 0;
    bool list = false;
    const qd_option options[] = {
        {"--session", "N", "take from this session only, even if it seems connected", QD_OPTION_TEXT, .value = &text},
        {"--list", NULL, "print the ids, one per line", QD_OPTION_FLAG, .value = &list},
        QD_CLI_JSON_OPTION(cli, "an object with room, entities and ids"),
        QD_CLI_SERVER_OPTIONS(cli)};
    int status = 0;

    if (qd_options_parse(&usage, options, QD_CLI_COUNT(options), argc, argv, &status) < 0) {
        return status;
    }
    if (text != NULL && (!qd_options_uint64(text, &session) || session == 0)) {
        return qd_options_misuse(cli->program, "--session is '%.64s'; must be the number of a session", text);
    }
    if (cli->token != NULL && cli->token[0] == '\0') {
        return qd_cli_fail(cli, "QUADRILLE_TOKEN is empty: set it to that of the sessions to adopt from");
    }

    qd_cli_room room;
    qd_client *client = qd_cli_join(cli, argv[0], &room);
    status = client != NULL ? run(cli, client, argv[0], room.handle, session, list) : 1;
    qd_client_destroy(client);
    return status;
}

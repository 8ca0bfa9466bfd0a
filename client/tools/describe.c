/* SPDX-License-Identifier: Apache-2.0
 *
 * quadrille describe: sets what observers see of entities.
 */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

#define IDS_MAX 64

/* The given values; the others do not change. */
typedef struct description {
    const char *tag, *payload;
    double visible_range; /* -1: not given */
    uint32_t team;        /* UINT32_MAX: not given */
    bool hidden, shown;
} description;

/* The columns of `count` entities that all get the same values. */
typedef struct columns {
    uint32_t count, id[IDS_MAX], team[IDS_MAX];
    uint64_t tag[IDS_MAX];
    uint8_t payload_size[IDS_MAX], payload[IDS_MAX * QD_VIEW_PAYLOAD_BYTES_MAX], hidden[IDS_MAX];
    float visible_range[IDS_MAX];
} columns;

static void fill(columns *all, const description *given, uint64_t tag)
{
    size_t size = given->payload != NULL ? strlen(given->payload) : 0;

    for (uint32_t i = 0; i < all->count; i++) {
        all->tag[i] = tag;
        all->payload_size[i] = (uint8_t)size;
        if (size > 0) {
            memcpy(all->payload + i * size, given->payload, size);
        }
        all->visible_range[i] = (float)given->visible_range;
        all->team[i] = given->team;
        all->hidden[i] = given->hidden;
    }
}

static int send(const qd_cli *cli, qd_client *client, const char *name, const qd_cli_room *room, const columns *all,
                const description *given)
{
    const qd_msg_set_description message = {
        .room = room->handle,
        .count = all->count,
        .id = all->id,
        .tag = given->tag != NULL ? all->tag : NULL,
        .payload_size = given->payload != NULL ? all->payload_size : NULL,
        .payload = given->payload != NULL ? all->payload : NULL,
        .visible_range = given->visible_range >= 0 ? all->visible_range : NULL,
        .team = given->team != UINT32_MAX ? all->team : NULL,
        .hidden = given->hidden || given->shown ? all->hidden : NULL,
    };

    qd_client_confirm(client, true);
    uint64_t seq = qd_client_set_description(client, &message);

    if (seq == 0) {
        return qd_cli_fail_session(cli, client);
    }
    const qd_cli_outcome outcome = qd_cli_settle(cli, client, room, seq, all->id, all->count, IDS_MAX);
    if (outcome.status == 0) {
        qd_cli_print_done(cli, name, room, outcome, all->count, "described");
    }
    return outcome.status;
}

/* Returns 0, or the exit status of a misuse that it has reported. */
static int check(const qd_cli *cli, const description *given, uint64_t *tag)
{
    if (given->tag != NULL && !qd_options_uint64(given->tag, tag)) {
        return qd_options_misuse(cli->program, "--tag is '%.64s'; must be a whole number of at most 64 bits",
                                 given->tag);
    }
    if (given->payload != NULL && strlen(given->payload) > QD_VIEW_PAYLOAD_BYTES_MAX) {
        return qd_options_misuse(cli->program, "--payload is '%.64s'; must be %u bytes or less", given->payload,
                                 QD_VIEW_PAYLOAD_BYTES_MAX);
    }
    if (given->hidden && given->shown) {
        return qd_options_misuse(cli->program, "--hidden and --shown exclude each other: choose one");
    }
    if (given->tag == NULL && given->payload == NULL && given->visible_range < 0 && given->team == UINT32_MAX &&
        !given->hidden && !given->shown) {
        return qd_options_misuse(cli->program, "nothing to set: give --tag, --payload, --team or another option");
    }
    return 0;
}

int qd_command_describe(qd_cli *cli, int argc, char **argv)
{
    static const qd_usage usage = {"quadrille describe", "ROOM ID...",
                                   "Sets the tag, payload, team, visible range and visibility of entities of the room\n"
                                   "(`quadrille spawn` adds such entities). Other values do not change. Later enters\n"
                                   "carry the new tag and payload.",
                                   .arguments_min = 2, .arguments_max = IDS_MAX + 1};
    description given = {.visible_range = -1, .team = UINT32_MAX};
    const qd_option options[] = {
        {"--tag", "N", "set the tag, a number of up to 64 bits", QD_OPTION_TEXT, .value = &given.tag},
        {"--payload", "TEXT", "set the payload, up to 32 bytes", QD_OPTION_TEXT, .value = &given.payload},
        {"--visible-range", "R", "make them visible from at least that distance", QD_OPTION_REAL,
         .value = &given.visible_range, .min = 0, .max = 1e30},
        {"--team", "N", "show them to observers of this team or of none; 0 is all", QD_OPTION_NUMBER,
         .value = &given.team, .min = 0, .max = UINT32_MAX - 1},
        {"--hidden", NULL, "hide them from all observers without them on --show", QD_OPTION_FLAG,
         .value = &given.hidden},
        {"--shown", NULL, "undo --hidden", QD_OPTION_FLAG, .value = &given.shown},
        QD_CLI_WAIT_OPTION(cli),
        QD_CLI_JSON_OPTION(cli, "an object with room, entities and tick (null: a later one)"),
        QD_CLI_SERVER_OPTIONS(cli)};
    int status = 0;
    int count = qd_options_parse(&usage, options, QD_CLI_COUNT(options), argc, argv, &status);

    if (count < 0) {
        return status;
    }
    uint64_t tag = 0;
    status = check(cli, &given, &tag);
    columns all = {.count = (uint32_t)count - 1};
    if (status == 0) {
        status = qd_cli_parse_ids(cli, argv + 1, all.count, all.id);
    }
    if (status != 0) {
        return status;
    }
    fill(&all, &given, tag);
    qd_cli_room room;
    qd_client *client = qd_cli_join(cli, argv[0], &room);
    status = client != NULL ? send(cli, client, argv[0], &room, &all, &given) : 1;
    qd_client_destroy(client);
    return status;
}

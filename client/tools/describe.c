/* SPDX-License-Identifier: Apache-2.0
 *
 * quadrille describe: what entities are to observers.
 */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

#define IDS_MAX 64

/* What was given; what was not stays as it is. */
typedef struct description {
    const char *tag, *payload;
    double visible_range; /* -1: not given */
    uint32_t team;        /* UINT32_MAX: not given */
    bool hidden, shown;
} description;

/* The columns of `count` entities that all get the same. */
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

/* Asks for something that is answered in order, so that a refusal is known by then. */
static int send(const qd_cli *cli, qd_client *client, const char *name, const columns *all, const description *given)
{
    qd_cli_room room;

    if (!qd_cli_open_room(cli, client, name, NULL, &room)) {
        return 1;
    }
    const qd_msg_describe message = {
        .room = room.handle,
        .count = all->count,
        .id = all->id,
        .tag = given->tag != NULL ? all->tag : NULL,
        .payload_size = given->payload != NULL ? all->payload_size : NULL,
        .payload = given->payload != NULL ? all->payload : NULL,
        .visible_range = given->visible_range >= 0 ? all->visible_range : NULL,
        .team = given->team != UINT32_MAX ? all->team : NULL,
        .hidden = given->hidden || given->shown ? all->hidden : NULL,
    };
    uint32_t seq = qd_client_describe(client, &message);
    uint32_t barrier = seq != 0 ? qd_client_get_stats(client, room.handle) : 0;
    while (barrier != 0) {
        const qd_server_message *answer = qd_client_wait(client, QD_CLI_TIMEOUT_MS);

        if (answer == NULL) {
            break;
        }
        if (answer->kind == QD_SERVER_ERROR) {
            return qd_cli_fail_batch(cli, &answer->as.error, all->id, all->count);
        }
        if (answer->seq == barrier) {
            printf("%u %s described in room %s\n", all->count, all->count == 1 ? "entity" : "entities", name);
            return 0;
        }
    }
    return qd_cli_fail_session(cli, client);
}

/* Returns 0, or the exit status of a misuse, which is reported. */
static int check(const qd_cli *cli, const description *given, uint64_t *tag)
{
    if (given->tag != NULL && !qd_options_uint64(given->tag, tag)) {
        return qd_options_misuse(cli->program, "--tag '%.64s': must be a whole number of at most 64 bits", given->tag);
    }
    if (given->payload != NULL && strlen(given->payload) > QD_VIEW_PAYLOAD_BYTES_MAX) {
        return qd_options_misuse(cli->program, "--payload '%.64s': must be %u bytes or less", given->payload,
                                 QD_VIEW_PAYLOAD_BYTES_MAX);
    }
    if (given->hidden && given->shown) {
        return qd_options_misuse(cli->program, "--hidden and --shown exclude each other: choose one");
    }
    if (given->tag == NULL && given->payload == NULL && given->visible_range < 0 && given->team == UINT32_MAX &&
        !given->hidden && !given->shown) {
        return qd_options_misuse(cli->program, "nothing to say of them: give --tag, --payload, --team or another");
    }
    return 0;
}

int qd_command_describe(qd_cli *cli, int argc, char **argv)
{
    static const qd_usage usage = {
        "quadrille describe", "ROOM ID...",
        "Says what entities are to observers; what is not given stays as it is. Tag and\n"
        "payload are told when they enter a view from then on. They must belong to the room,\n"
        "as those of `quadrille spawn` do.",
        2, IDS_MAX + 1};
    description given = {.visible_range = -1, .team = UINT32_MAX};
    const qd_option options[] = {
        {"--tag", "N", "a number of yours", QD_OPTION_TEXT, &given.tag, 0, 0},
        {"--payload", "TEXT", "up to 32 bytes of yours", QD_OPTION_TEXT, &given.payload, 0, 0},
        {"--visible-range", "R", "seen from as far as that at least", QD_OPTION_REAL, &given.visible_range, 0, 1e30},
        {"--team", "N", "seen by observers of this team, and of none (0: by all)", QD_OPTION_NUMBER, &given.team, 0,
         UINT32_MAX - 1},
        {"--hidden", NULL, "seen by nobody, but who always sees it", QD_OPTION_FLAG, &given.hidden, 0, 0},
        {"--shown", NULL, "hidden no more", QD_OPTION_FLAG, &given.shown, 0, 0},
        QD_CLI_SERVER_OPTION(cli)};
    int status = 0;
    int count = qd_options_parse(&usage, options, QD_CLI_COUNT(options), argc, argv, &status);

    if (count < 0) {
        return status;
    }
    uint64_t tag = 0;
    status = check(cli, &given, &tag);
    columns all = {.count = (uint32_t)count - 1};
    for (uint32_t i = 0; i < all.count && status == 0; i++) {
        if (!qd_options_uint32(argv[i + 1], &all.id[i])) {
            status = qd_options_misuse(cli->program, "id '%.64s': must be a whole number from 0 to %u", argv[i + 1],
                                       UINT32_MAX);
        }
    }
    if (status != 0) {
        return status;
    }
    fill(&all, &given, tag);
    qd_client *client = qd_cli_connect(cli);
    if (client == NULL) {
        return 1;
    }
    status = send(cli, client, argv[0], &all, &given);
    qd_client_destroy(client);
    return status;
}

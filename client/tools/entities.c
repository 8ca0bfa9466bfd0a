/* SPDX-License-Identifier: Apache-2.0
 *
 * The commands spawn, move, teleport, reshape and despawn. Each sends one batch, or several if it is long.
 */
#include "entity_rows.h"

#include <string.h>

/* The arguments of a command. */
typedef struct batch {
    const char *room_name;
    char **values; /* of one entity, or a minus for rows; the ids of Despawn */
    size_t count;
    uint32_t dimensions; /* 0: any */
    qd_entity_form form;
    const char *done; /* "moved" */
} batch;

static bool reads_rows(const batch *all)
{
    return all->count == 1 && strcmp(all->values[0], "-") == 0;
}

/* Checks the values without the server. Returns 0, or the exit status of a misuse. */
static int check_values(const qd_cli *cli, const batch *all)
{
    int status = 0;

    if (reads_rows(all)) {
        return 0;
    }
    if (all->form.message != QD_CLIENT_DESPAWN) {
        return qd_entity_check(cli, &all->form, all->values, all->count);
    }
    for (size_t i = 0; i < all->count && status == 0; i++) {
        status = qd_entity_check(cli, &all->form, all->values + i, 1);
    }
    return status;
}

static int read_values(const qd_cli *cli, const batch *all, uint32_t dimensions, qd_columns *columns, bool *filters)
{
    int status = 0;

    if (reads_rows(all)) {
        return qd_entity_read_rows(cli, &all->form, all->room_name, dimensions, columns, filters);
    }
    if (all->form.message != QD_CLIENT_DESPAWN) {
        return qd_entity_read(cli, &all->form, all->room_name, dimensions, all->values, all->count, columns);
    }
    for (size_t i = 0; i < all->count && status == 0; i++) {
        status = qd_entity_read(cli, &all->form, all->room_name, dimensions, all->values + i, 1, columns);
    }
    return status;
}

static int send_batch(const qd_cli *cli, qd_client *client, const qd_cli_room *room, const batch *all)
{
    qd_columns columns = {0};
    qd_columns_kind kind = {.message = all->form.message, .dimensions = room->config.dimensions, .room_owned = true};
    uint64_t first_seq = 0;

    qd_client_confirm(client, true);
    qd_cli_outcome outcome = {read_values(cli, all, kind.dimensions, &columns, &kind.filters), 0};
    if (outcome.status == 0 && !qd_columns_send(&columns, client, room->handle, &kind, &first_seq)) {
        outcome.status = qd_cli_fail_session(cli, client);
    } else if (outcome.status == 0) {
        outcome = qd_cli_settle(cli, client, room, first_seq, columns.id, columns.count, QD_COLUMNS_PIECE);
    }
    if (outcome.status == 0) {
        qd_cli_print_done(cli, all->room_name, room, outcome, columns.count, all->done);
    }
    qd_columns_deinit(&columns);
    return outcome.status;
}

/* Runs the arguments: a room, then an entity, or a minus for rows. */
static int run_batch(const qd_cli *cli, char **arguments, int count, batch all)
{
    qd_cli_room room;

    all.room_name = arguments[0];
    all.values = arguments + 1;
    all.count = (size_t)count - 1;
    int status = check_values(cli, &all);
    if (status != 0) {
        return status;
    }
    qd_client *client = qd_cli_join(cli, all.room_name, &room);
    status = 1;
    if (client != NULL && (all.dimensions == 0 || qd_cli_check_dimensions(cli, all.room_name, &room, all.dimensions))) {
        status = send_batch(cli, client, &room, &all);
    }
    qd_client_destroy(client);
    return status;
}

/* ---- the commands ---- */

/* The last rows of each command's table. */
#define BATCH_ROWS(cli, all)                                                                                           \
    QD_NUMBER_ROW("--dimensions", "N", "refuse a room of other dimensions", (all)->dimensions, 2, 3,                   \
                  "those of the room"),                                                                                \
        END_ROWS(cli)
#define END_ROWS(cli)                                                                                                  \
    QD_CLI_WAIT_OPTION(cli), QD_CLI_JSON_OPTION(cli, "an object with room, entities and tick (null: a later one)"),    \
        QD_CLI_SERVER_OPTIONS(cli)

/* Returns 0, or the exit status of a misuse. */
static int choose_shape(const qd_cli *cli, bool circle, bool capsule, batch *all)
{
    if (circle && capsule) {
        return qd_options_misuse(cli->program, "--circle and --capsule exclude each other: choose one");
    }
    all->form.shape = circle ? QD_SHAPE_CIRCLE : capsule ? QD_SHAPE_CAPSULE : QD_SHAPE_BOX;
    return 0;
}

int qd_command_spawn(qd_cli *cli, int argc, char **argv)
{
    static const qd_usage usage = {
        "quadrille spawn", "ROOM (ID X Y [Z] SIZE... | -)",
        "Adds an entity at a center. The sizes of a box are HX [HY [HZ]], its half extents\n"
        "(HY and HZ: equal to HX). A circle has RADIUS. A capsule has RADIUS AX AY [AZ],\n"
        "where AX AY AZ lead from the center to one end of the axis. Z, HZ and AZ are for rooms\n"
        "of three dimensions. The room owns the entities: they stay, and any session may move\n"
        "them. With a minus, adds one entity per row of the standard input, `id,x,y,hx,hy` or\n"
        "with the sizes of its shape. If the first row is a header, its names give the fields:\n"
        "`quadrille snapshot A | quadrille spawn B -` copies all entities.",
        .arguments_min = 2, .arguments_max = 9};
    bool circle = false, capsule = false;
    batch all = {.form = {.message = QD_CLIENT_SPAWN, .category = 1, .mask = UINT32_MAX}, .done = "spawned"};
    const qd_option options[] = {
        {"--circle", NULL, "use circles (spheres) instead of boxes", QD_OPTION_FLAG, .value = &circle},
        {"--capsule", NULL, "use capsules instead of boxes", QD_OPTION_FLAG, .value = &capsule},
        {"--category", "N", "set the entities' category bits", QD_OPTION_NUMBER, .value = &all.form.category, .min = 0,
         .max = UINT32_MAX},
        {"--mask", "N", "set the category bits that they pair with", QD_OPTION_NUMBER, .value = &all.form.mask,
         .min = 0, .max = UINT32_MAX, .otherwise = "all"},
        BATCH_ROWS(cli, &all)};
    int status = 0;
    int count = qd_options_parse(&usage, options, QD_CLI_COUNT(options), argc, argv, &status);

    if (count < 0) {
        return status;
    }
    status = choose_shape(cli, circle, capsule, &all);
    return status != 0 ? status : run_batch(cli, argv, count, all);
}

int qd_command_reshape(qd_cli *cli, int argc, char **argv)
{
    static const qd_usage usage = {
        "quadrille reshape", "ROOM (ID SIZE... | -)",
        "Gives an entity of the room another shape and size, with the values of `quadrille\n"
        "spawn`. With a minus, reshapes one entity per row `id,hx,hy` of the standard input, or\n"
        "by the names of a header. A header with category and mask sets those as well.",
        .arguments_min = 2, .arguments_max = 6};
    bool circle = false, capsule = false;
    batch all = {.form = {.message = QD_CLIENT_RESHAPE, .category = 1, .mask = UINT32_MAX}, .done = "reshaped"};
    const qd_option options[] = {
        {"--circle", NULL, "use circles (spheres) instead of boxes", QD_OPTION_FLAG, .value = &circle},
        {"--capsule", NULL, "use capsules instead of boxes", QD_OPTION_FLAG, .value = &capsule},
        BATCH_ROWS(cli, &all)};
    int status = 0;
    int count = qd_options_parse(&usage, options, QD_CLI_COUNT(options), argc, argv, &status);

    if (count < 0) {
        return status;
    }
    status = choose_shape(cli, circle, capsule, &all);
    return status != 0 ? status : run_batch(cli, argv, count, all);
}

static int run_place(qd_cli *cli, int argc, char **argv, const qd_usage *usage, qd_client_kind message)
{
    batch all = {.form = {.message = message}, .done = message == QD_CLIENT_MOVE ? "moved" : "teleported"};
    const qd_option options[] = {BATCH_ROWS(cli, &all)};
    int status = 0;
    int count = qd_options_parse(usage, options, QD_CLI_COUNT(options), argc, argv, &status);

    return count < 0 ? status : run_batch(cli, argv, count, all);
}

int qd_command_move(qd_cli *cli, int argc, char **argv)
{
    static const qd_usage usage = {"quadrille move", "ROOM (ID X Y [Z] | -)",
                                   "Moves an entity of the room to a new center. Z is for rooms of three dimensions.\n"
                                   "With a minus, moves one entity per row `id,x,y` of the standard input, or\n"
                                   "`id,x,y,z`. A header may name the fields, as for `quadrille spawn`.",
                                   .arguments_min = 2, .arguments_max = 5};

    return run_place(cli, argc, argv, &usage, QD_CLIENT_MOVE);
}

int qd_command_teleport(qd_cli *cli, int argc, char **argv)
{
    static const qd_usage usage = {
        "quadrille teleport", "ROOM (ID X Y [Z] | -)",
        "Moves an entity as `quadrille move` does, but by a jump: pairs end with the reason\n"
        "`teleported`, and in a swept room the entity passes nothing.",
        .arguments_min = 2, .arguments_max = 5};

    return run_place(cli, argc, argv, &usage, QD_CLIENT_TELEPORT);
}

int qd_command_despawn(qd_cli *cli, int argc, char **argv)
{
    static const qd_usage usage = {"quadrille despawn", "ROOM (ID... | -)",
                                   "Removes entities of the room by their ids. With a minus, removes one entity per\n"
                                   "row of the standard input.",
                                   .arguments_min = 2, .arguments_max = INT32_MAX};
    const batch all = {.form = {.message = QD_CLIENT_DESPAWN}, .done = "despawned"};
    const qd_option options[] = {END_ROWS(cli)};
    int status = 0;
    int count = qd_options_parse(&usage, options, QD_CLI_COUNT(options), argc, argv, &status);

    return count < 0 ? status : run_batch(cli, argv, count, all);
}

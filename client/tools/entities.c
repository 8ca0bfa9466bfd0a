/* SPDX-License-Identifier: Apache-2.0
 *
 * The commands spawn, move, teleport, reshape and despawn. Each sends one batch, or several if it is long.
 */
#include "cli.h"
#include "columns.h"
#include "csv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- an entity on the command line, and in a row of the standard input ---- */

typedef enum field { ID, X, Y, Z, HALF_X, HALF_Y, HALF_Z, RADIUS, AXIS_X, AXIS_Y, AXIS_Z, FIELDS_MAX } field;

static const char *const field_names[FIELDS_MAX] = {"id", "x", "y", "z", "hx", "hy", "hz", "radius", "ax", "ay", "az"};

/* The fields of a row, in order. A row of `short_count` fields ends with hx, and the other half extents equal hx. */
typedef struct row_layout {
    field fields[FIELDS_MAX];
    size_t count, short_count;
    char text[64]; /* "id,x,y,hx[,hy]" */
} row_layout;

static void add_field(row_layout *row, field name)
{
    size_t length = strlen(row->text);
    const char *bracket = row->count > 0 && row->count == row->short_count ? "[" : "";

    snprintf(row->text + length, sizeof row->text - length, "%s%s%s", bracket, row->count > 0 ? "," : "",
             field_names[name]);
    row->fields[row->count++] = name;
}

/* Adds the sizes that the shape has. */
static void add_sizes(row_layout *row, qd_shape shape, bool is_3d)
{
    if (shape == QD_SHAPE_BOX) {
        add_field(row, HALF_X);
        row->short_count = row->count;
        add_field(row, HALF_Y);
        if (is_3d) {
            add_field(row, HALF_Z);
        }
        strcat(row->text, "]");
        return;
    }
    add_field(row, RADIUS);
    if (shape == QD_SHAPE_CAPSULE) {
        add_field(row, AXIS_X);
        add_field(row, AXIS_Y);
        if (is_3d) {
            add_field(row, AXIS_Z);
        }
    }
}

static row_layout layout_of(const qd_columns_kind *kind)
{
    bool is_3d = kind->dimensions == 3;
    row_layout row = {.count = 0};

    add_field(&row, ID);
    if (kind->message != QD_CLIENT_RESHAPE && kind->message != QD_CLIENT_DESPAWN) {
        add_field(&row, X);
        add_field(&row, Y);
        if (is_3d) {
            add_field(&row, Z);
        }
    }
    if (kind->message == QD_CLIENT_SPAWN || kind->message == QD_CLIENT_RESHAPE) {
        add_sizes(&row, kind->shape, is_3d);
    }
    return row;
}

static bool has_count(const row_layout *row, size_t count)
{
    return count == row->count || (row->short_count > 0 && count == row->short_count);
}

/* Why an entity could not be added, as text. */
typedef struct complaint {
    char text[160];
} complaint;

/* `count` is a number of fields that has_count accepts. */
static bool add_entity(qd_columns *columns, const row_layout *row, char **fields, size_t count, complaint *why)
{
    qd_entity entity = {0};
    float *const reals[FIELDS_MAX] = {NULL,           &entity.x,      &entity.y,      &entity.z,
                                      &entity.half_x, &entity.half_y, &entity.half_z, &entity.radius,
                                      &entity.axis_x, &entity.axis_y, &entity.axis_z};

    if (!qd_options_uint32(fields[0], &entity.id)) {
        snprintf(why->text, sizeof why->text, "id is '%.64s'; must be a whole number from 0 to %u", fields[0],
                 UINT32_MAX);
        return false;
    }
    for (size_t i = 1; i < count; i++) {
        if (!qd_options_float(fields[i], reals[row->fields[i]])) {
            snprintf(why->text, sizeof why->text, "%s is '%.64s'; must be a finite number", field_names[row->fields[i]],
                     fields[i]);
            return false;
        }
    }
    if (count < row->count) {
        entity.half_y = entity.half_z = entity.half_x;
    }
    if (!qd_columns_add(columns, entity)) {
        snprintf(why->text, sizeof why->text, "out of memory");
        return false;
    }
    return true;
}

/* Returns the exit status. */
static int read_rows(const qd_cli *cli, const row_layout *row, qd_columns *columns)
{
    char *line = NULL, *fields[FIELDS_MAX];
    size_t capacity = 0;
    int status = 0;

    for (unsigned long number = 1; status == 0 && getline(&line, &capacity, stdin) >= 0; number++) {
        complaint why;
        size_t count = qd_csv_split(line, fields, FIELDS_MAX);

        if (count == 0 || fields[0][0] == '#') {
            continue;
        }
        if (!has_count(row, count)) {
            status = qd_cli_fail(cli, "line %lu has %zu %s: a row is %s", number, count,
                                 count == 1 ? "field" : "fields", row->text);
        } else if (!add_entity(columns, row, fields, count, &why)) {
            status = qd_cli_fail(cli, "line %lu: %s", number, why.text);
        }
    }
    if (status == 0 && ferror(stdin)) {
        status = qd_cli_fail(cli, "cannot read the standard input: %s", strerror(errno));
    }
    free(line);
    return status;
}

/* ---- sending ---- */

static int send_batch(const qd_cli *cli, const char *name, const qd_columns *columns, const qd_columns_kind *kind,
                      const char *done)
{
    qd_cli_room room;
    uint64_t first_seq = 0;
    int status = 1;
    qd_client *client = qd_cli_join(cli, name, &room);

    if (client != NULL &&
        (kind->message == QD_CLIENT_DESPAWN || qd_cli_check_dimensions(cli, name, &room, kind->dimensions))) {
        status = qd_columns_send(columns, client, room.handle, kind, &first_seq)
                     ? qd_cli_settle(cli, client, room.handle, first_seq, columns->id, columns->count, QD_COLUMNS_PIECE)
                     : qd_cli_fail_session(cli, client);
    }
    if (status == 0) {
        printf("%u %s %s in room %s\n", columns->count, columns->count == 1 ? "entity" : "entities", done, name);
    }
    qd_client_destroy(client);
    return status;
}

/* Runs the arguments: a room, then an entity, or a minus for rows. */
static int run_batch(const qd_cli *cli, char **arguments, int count, const qd_columns_kind *kind, const char *done)
{
    const row_layout row = layout_of(kind);
    qd_columns columns = {0};
    complaint why;
    size_t fields = (size_t)count - 1;
    int status = 0;

    if (fields == 1 && strcmp(arguments[1], "-") == 0) {
        status = read_rows(cli, &row, &columns);
    } else if (!has_count(&row, fields)) {
        status =
            qd_options_misuse(cli->program, "the entity has %zu values; must be %s, or - for rows", fields, row.text);
    } else if (!add_entity(&columns, &row, arguments + 1, fields, &why)) {
        status = qd_options_misuse(cli->program, "%s", why.text);
    }
    if (status == 0) {
        status = send_batch(cli, arguments[0], &columns, kind, done);
    }
    qd_columns_deinit(&columns);
    return status;
}

/* ---- the commands ---- */

#define DIMENSIONS_OPTION(kind)                                                                                        \
    QD_NUMBER_ROW("--dimensions", "N", "read a z as well, for a room of three dimensions", (kind)->dimensions, 2, 3,   \
                  NULL)

/* Returns 0, or the exit status of a misuse. */
static int choose_shape(const qd_cli *cli, bool circle, bool capsule, qd_columns_kind *kind)
{
    if (circle && capsule) {
        return qd_options_misuse(cli->program, "--circle and --capsule exclude each other: choose one");
    }
    kind->shape = circle ? QD_SHAPE_CIRCLE : capsule ? QD_SHAPE_CAPSULE : QD_SHAPE_BOX;
    return 0;
}

int qd_command_spawn(qd_cli *cli, int argc, char **argv)
{
    static const qd_usage usage = {
        "quadrille spawn", "ROOM (ID X Y [Z] SIZE... | -)",
        "Adds an entity at a center. The sizes of a box are HX [HY [HZ]], its half extents\n"
        "(HY and HZ: equal to HX). A circle has RADIUS. A capsule has RADIUS AX AY [AZ],\n"
        "where AX AY AZ lead from the center to one end of the axis. With a minus, adds one\n"
        "entity per row `id,x,y,hx,hy` of the standard input, or `id,x,y,z,hx,hy,hz` in\n"
        "three dimensions, with the sizes of its shape. The room owns the entities: they\n"
        "stay, and any session may move them.",
        .arguments_min = 2, .arguments_max = 9};
    bool circle = false, capsule = false;
    qd_columns_kind kind = {
        .message = QD_CLIENT_SPAWN, .dimensions = 2, .category = 1, .mask = UINT32_MAX, .room_owned = true};
    const qd_option options[] = {
        DIMENSIONS_OPTION(&kind),
        {"--circle", NULL, "use circles (spheres) instead of boxes", QD_OPTION_FLAG, .value = &circle},
        {"--capsule", NULL, "use capsules instead of boxes", QD_OPTION_FLAG, .value = &capsule},
        {"--category", "N", "set the entities' category bits", QD_OPTION_NUMBER, .value = &kind.category, .min = 0,
         .max = UINT32_MAX},
        {"--mask", "N", "set the category bits that they pair with", QD_OPTION_NUMBER, .value = &kind.mask, .min = 0,
         .max = UINT32_MAX, .otherwise = "all"},
        QD_CLI_SERVER_OPTION(cli)};
    int status = 0;
    int count = qd_options_parse(&usage, options, QD_CLI_COUNT(options), argc, argv, &status);

    if (count < 0) {
        return status;
    }
    status = choose_shape(cli, circle, capsule, &kind);
    return status != 0 ? status : run_batch(cli, argv, count, &kind, "spawned");
}

int qd_command_reshape(qd_cli *cli, int argc, char **argv)
{
    static const qd_usage usage = {
        "quadrille reshape", "ROOM (ID SIZE... | -)",
        "Gives an entity of the room another shape and size, with the values of `quadrille\n"
        "spawn`. With a minus, reshapes one entity per row `id,hx,hy` of the standard input.",
        .arguments_min = 2, .arguments_max = 6};
    bool circle = false, capsule = false;
    qd_columns_kind kind = {.message = QD_CLIENT_RESHAPE, .dimensions = 2};
    const qd_option options[] = {
        DIMENSIONS_OPTION(&kind),
        {"--circle", NULL, "use circles (spheres) instead of boxes", QD_OPTION_FLAG, .value = &circle},
        {"--capsule", NULL, "use capsules instead of boxes", QD_OPTION_FLAG, .value = &capsule},
        QD_CLI_SERVER_OPTION(cli)};
    int status = 0;
    int count = qd_options_parse(&usage, options, QD_CLI_COUNT(options), argc, argv, &status);

    if (count < 0) {
        return status;
    }
    status = choose_shape(cli, circle, capsule, &kind);
    return status != 0 ? status : run_batch(cli, argv, count, &kind, "reshaped");
}

static int run_place(qd_cli *cli, int argc, char **argv, const qd_usage *usage, qd_client_kind message)
{
    qd_columns_kind kind = {.message = message, .dimensions = 2};
    const qd_option options[] = {DIMENSIONS_OPTION(&kind), QD_CLI_SERVER_OPTION(cli)};
    int status = 0;
    int count = qd_options_parse(usage, options, QD_CLI_COUNT(options), argc, argv, &status);

    if (count < 0) {
        return status;
    }
    return run_batch(cli, argv, count, &kind, message == QD_CLIENT_MOVE ? "moved" : "teleported");
}

int qd_command_move(qd_cli *cli, int argc, char **argv)
{
    static const qd_usage usage = {"quadrille move", "ROOM (ID X Y [Z] | -)",
                                   "Moves an entity of the room to a new center. With a minus, moves one entity per\n"
                                   "row `id,x,y` of the standard input, or `id,x,y,z` in three dimensions.",
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
    const qd_columns_kind kind = {.message = QD_CLIENT_DESPAWN};
    const qd_option options[] = {QD_CLI_SERVER_OPTION(cli)};
    int status = 0;
    int count = qd_options_parse(&usage, options, QD_CLI_COUNT(options), argc, argv, &status);

    if (count < 0) {
        return status;
    }
    if (count == 2) {
        return run_batch(cli, argv, count, &kind, "despawned");
    }

    const row_layout row = layout_of(&kind);
    qd_columns columns = {0};
    complaint why;
    for (int i = 1; i < count && status == 0; i++) {
        if (!add_entity(&columns, &row, argv + i, 1, &why)) {
            status = qd_options_misuse(cli->program, "%s", why.text);
        }
    }
    if (status == 0) {
        status = send_batch(cli, argv[0], &columns, &kind, "despawned");
    }
    qd_columns_deinit(&columns);
    return status;
}

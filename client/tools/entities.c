/* SPDX-License-Identifier: Apache-2.0
 *
 * The commands about entities: spawn, move, teleport, reshape, despawn. Each sends its batch, then asks for something
 * that the server answers in order, so that a refusal of the batch is known by then, in a room that ticks by Step too.
 */
#include "cli.h"
#include "columns.h"
#include "csv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- what an entity is on the command line, and in a row of the standard input ---- */

typedef enum field { ID, X, Y, Z, HALF_X, HALF_Y, HALF_Z, RADIUS, FIELDS_MAX } field;

static const char *const field_names[FIELDS_MAX] = {"id", "x", "y", "z", "hx", "hy", "hz", "radius"};

/* Which fields there are, in order. With `short_count` of them, half extents behind hx are as hx. */
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

static row_layout layout_of(const qd_columns_kind *kind)
{
    bool is_3d = kind->dimensions == 3, is_capsule = kind->shape == QD_SHAPE_CAPSULE;
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
        add_field(&row, HALF_X);
        row.short_count = is_capsule ? 0 : row.count;
        add_field(&row, HALF_Y);
        if (is_3d) {
            add_field(&row, HALF_Z);
        }
        if (is_capsule) {
            add_field(&row, RADIUS);
        } else {
            strcat(row.text, "]");
        }
    }
    return row;
}

static bool has_count(const row_layout *row, size_t count)
{
    return count == row->count || (row->short_count > 0 && count == row->short_count);
}

/* Why an entity could not be added, for people. */
typedef struct complaint {
    char text[160];
} complaint;

/* `count` is one that the layout has. */
static bool add_entity(qd_columns *columns, const row_layout *row, char **fields, size_t count, complaint *why)
{
    qd_entity entity = {0};
    float *const reals[FIELDS_MAX] = {NULL,           &entity.x,      &entity.y,      &entity.z,
                                      &entity.half_x, &entity.half_y, &entity.half_z, &entity.radius};

    if (!qd_options_uint32(fields[0], &entity.id)) {
        snprintf(why->text, sizeof why->text, "id '%.64s': must be a whole number from 0 to %u", fields[0], UINT32_MAX);
        return false;
    }
    for (size_t i = 1; i < count; i++) {
        if (!qd_options_float(fields[i], reals[row->fields[i]])) {
            snprintf(why->text, sizeof why->text, "%s '%.64s': must be a finite number", field_names[row->fields[i]],
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

/* Waits until the batches from first_seq on are in, and reports what was refused. Returns the exit status. */
static int settle(const qd_cli *cli, qd_client *client, uint64_t room, const qd_columns *columns, uint32_t first_seq)
{
    int status = 0;
    uint32_t barrier = qd_client_get_stats(client, room);

    while (barrier != 0) {
        const qd_server_message *message = qd_client_wait(client, QD_CLI_TIMEOUT_MS);

        if (message == NULL) {
            break;
        }
        if (message->kind == QD_SERVER_ERROR && message->seq >= first_seq && message->seq < barrier) {
            uint32_t at = (message->seq - first_seq) * QD_COLUMNS_PIECE;

            status = qd_cli_fail_batch(cli, &message->as.error, columns->id + at, columns->count - at);
        } else if (message->kind == QD_SERVER_ERROR) {
            return qd_cli_fail_error(cli, &message->as.error);
        }
        if (message->seq == barrier) {
            return status;
        }
    }
    return qd_cli_fail_session(cli, client);
}

static int send_batch(const qd_cli *cli, const char *name, const qd_columns *columns, const qd_columns_kind *kind,
                      const char *done)
{
    qd_cli_room room;
    uint32_t first_seq = 0;
    int status = 1;
    qd_client *client = qd_cli_connect(cli);

    if (client == NULL) {
        return 1;
    }
    if (!qd_cli_open_room(cli, client, name, NULL, &room)) {
        goto end;
    }
    if (kind->message != QD_CLIENT_DESPAWN && !qd_cli_check_dimensions(cli, name, &room, kind->dimensions)) {
        goto end;
    }
    if (!qd_columns_send(columns, client, room.handle, kind, &first_seq)) {
        qd_cli_fail_session(cli, client);
        goto end;
    }
    status = settle(cli, client, room.handle, columns, first_seq);
    if (status == 0) {
        printf("%u %s %s in room %s\n", columns->count, columns->count == 1 ? "entity" : "entities", done, name);
    }
end:
    qd_client_destroy(client);
    return status;
}

/* The command line after its options: a room, then an entity or a minus for rows. */
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
        status = qd_options_misuse(cli->program, "an entity of %zu values: needs %s, or - for rows", fields, row.text);
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
    {                                                                                                                  \
        "--dimensions", "N", "3: with a z, in a room of three dimensions (2)", QD_OPTION_NUMBER, &(kind)->dimensions,  \
            2, 3                                                                                                       \
    }

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
    static const qd_usage usage = {"quadrille spawn", "ROOM (ID X Y [Z] HX [HY [HZ]] [RADIUS] | -)",
                                   "Adds an entity at a centre, with half extents (HY, HZ: as HX); with a minus, one\n"
                                   "for each row `id,x,y,hx,hy` of the standard input (id,x,y,z,hx,hy,hz in three\n"
                                   "dimensions). They belong to the room, so they stay, and anyone may move them.\n"
                                   "Of a capsule HX HY lead from its centre to one end of its axis, and its RADIUS\n"
                                   "follows.",
                                   2, 9};
    bool circle = false, capsule = false;
    qd_columns_kind kind = {
        .message = QD_CLIENT_SPAWN, .dimensions = 2, .category = 1, .mask = UINT32_MAX, .room_owned = true};
    const qd_option options[] = {
        DIMENSIONS_OPTION(&kind),
        {"--circle", NULL, "circles, or spheres, of radius HX instead of boxes", QD_OPTION_FLAG, &circle, 0, 0},
        {"--capsule", NULL, "capsules instead of boxes", QD_OPTION_FLAG, &capsule, 0, 0},
        {"--category", "N", "what the entities are, as bits (1)", QD_OPTION_NUMBER, &kind.category, 0, UINT32_MAX},
        {"--mask", "N", "what they pair with, as bits (all)", QD_OPTION_NUMBER, &kind.mask, 0, UINT32_MAX},
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
        "quadrille reshape", "ROOM (ID HX [HY [HZ]] [RADIUS] | -)",
        "Makes an entity a box of these half extents, or a circle or capsule, where it is;\n"
        "with a minus, one for each row `id,hx,hy` of the standard input. It must belong to\n"
        "the room, as those of `quadrille spawn` do, which says what the values mean.",
        2, 6};
    bool circle = false, capsule = false;
    qd_columns_kind kind = {.message = QD_CLIENT_RESHAPE, .dimensions = 2};
    const qd_option options[] = {
        DIMENSIONS_OPTION(&kind),
        {"--circle", NULL, "circles, or spheres, of radius HX instead of boxes", QD_OPTION_FLAG, &circle, 0, 0},
        {"--capsule", NULL, "capsules instead of boxes", QD_OPTION_FLAG, &capsule, 0, 0},
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
                                   "Moves an entity to a new centre; with a minus, one for each row `id,x,y` of the\n"
                                   "standard input (id,x,y,z in three dimensions). It must belong to the room, as\n"
                                   "those of `quadrille spawn` do.",
                                   2, 5};

    return run_place(cli, argc, argv, &usage, QD_CLIENT_MOVE);
}

int qd_command_teleport(qd_cli *cli, int argc, char **argv)
{
    static const qd_usage usage = {"quadrille teleport", "ROOM (ID X Y [Z] | -)",
                                   "Like `quadrille move`, but by a jump: pairs that end by it say so, and in a swept\n"
                                   "room nothing is passed.",
                                   2, 5};

    return run_place(cli, argc, argv, &usage, QD_CLIENT_TELEPORT);
}

int qd_command_despawn(qd_cli *cli, int argc, char **argv)
{
    static const qd_usage usage = {"quadrille despawn", "ROOM (ID... | -)",
                                   "Removes entities by their ids; with a minus, one for each row of the standard\n"
                                   "input. They must belong to the room, as those of `quadrille spawn` do.",
                                   2, INT32_MAX};
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

/* SPDX-License-Identifier: Apache-2.0
 *
 * The commands about entities: spawn, move, despawn. Each sends its batch, then asks for something that the server
 * answers in order, so that a refusal of the batch is known by then, in a room that ticks by Step too.
 */
#include "cli.h"
#include "columns.h"
#include "csv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS_MAX 5

/* The fields of an entity on the command line and in a row of the standard input. */
typedef struct row_layout {
    const char *text; /* "id,x,y,hx[,hy]" */
    size_t fields_min, fields_max;
} row_layout;

static const char *const field_names[FIELDS_MAX] = {"id", "x", "y", "hx", "hy"};

/* Why an entity could not be added, for people. */
typedef struct complaint {
    char text[160];
} complaint;

static bool add_entity(qd_columns *columns, char **fields, size_t count, complaint *why)
{
    qd_entity entity = {0};
    float *reals[FIELDS_MAX] = {NULL, &entity.x, &entity.y, &entity.half_x, &entity.half_y};
    if (!qd_options_uint32(fields[0], &entity.id)) {
        snprintf(why->text, sizeof why->text, "id '%.64s': must be a whole number from 0 to %u", fields[0], UINT32_MAX);
        return false;
    }
    for (size_t i = 1; i < count; i++) {
        if (!qd_options_float(fields[i], reals[i])) {
            snprintf(why->text, sizeof why->text, "%s '%.64s': must be a finite number", field_names[i], fields[i]);
            return false;
        }
    }
    if (count == 4)
        entity.half_y = entity.half_x;
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
        if (count == 0 || fields[0][0] == '#')
            continue;
        if (count < row->fields_min || count > row->fields_max)
            status = qd_cli_fail(cli, "line %lu has %zu fields: a row is %s", number, count, row->text);
        else if (!add_entity(columns, fields, count, &why))
            status = qd_cli_fail(cli, "line %lu: %s", number, why.text);
    }
    if (status == 0 && ferror(stdin))
        status = qd_cli_fail(cli, "cannot read the standard input: %s", strerror(errno));
    free(line);
    return status;
}

/* Waits until the batches from first_seq on are in, and reports what was refused. Returns the exit status. */
static int settle(const qd_cli *cli, qd_client *client, uint64_t room, const qd_columns *columns, uint32_t first_seq)
{
    int status = 0;
    uint32_t barrier = qd_client_get_stats(client, room);
    while (barrier != 0) {
        const qd_server_message *message = qd_client_wait(client, QD_CLI_TIMEOUT_MS);
        if (message == NULL)
            break;
        if (message->kind == QD_SERVER_ERROR && message->seq >= first_seq && message->seq < barrier) {
            uint32_t at = (message->seq - first_seq) * QD_COLUMNS_PIECE;
            status = qd_cli_fail_batch(cli, &message->as.error, columns->id + at, columns->count - at);
        } else if (message->kind == QD_SERVER_ERROR) {
            return qd_cli_fail_error(cli, &message->as.error);
        }
        if (message->seq == barrier)
            return status;
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
    if (client == NULL)
        return 1;
    if (!qd_cli_open_room(cli, client, name, NULL, &room))
        goto end;
    if (!qd_columns_send(columns, client, room.handle, kind, &first_seq)) {
        qd_cli_fail_session(cli, client);
        goto end;
    }
    status = settle(cli, client, room.handle, columns, first_seq);
    if (status == 0)
        printf("%u %s %s in room %s\n", columns->count, columns->count == 1 ? "entity" : "entities", done, name);
end:
    qd_client_destroy(client);
    return status;
}

/* The command line after its options: a room, then an entity or a minus for rows. */
static int run_batch(const qd_cli *cli, char **arguments, int count, const row_layout *row, const qd_columns_kind *kind,
                     const char *done)
{
    qd_columns columns = {0};
    complaint why;
    size_t fields = (size_t)count - 1;
    int status = 0;
    if (fields == 1 && strcmp(arguments[1], "-") == 0)
        status = read_rows(cli, row, &columns);
    else if (fields < row->fields_min || fields > row->fields_max)
        status = qd_options_misuse(cli->program, "an entity of %zu values: needs %s, or - for rows", fields, row->text);
    else if (!add_entity(&columns, arguments + 1, fields, &why))
        status = qd_options_misuse(cli->program, "%s", why.text);
    if (status == 0)
        status = send_batch(cli, arguments[0], &columns, kind, done);
    qd_columns_deinit(&columns);
    return status;
}

int qd_command_spawn(qd_cli *cli, int argc, char **argv)
{
    static const qd_usage usage = {"quadrille spawn", "ROOM (ID X Y HX [HY] | -)",
                                   "Adds an entity at a centre, with half extents (HY: as HX); with a minus, one for\n"
                                   "each row `id,x,y,hx,hy` of the standard input. They belong to the room, so they\n"
                                   "stay, and anyone may move them.",
                                   2, 6};
    static const row_layout row = {"id,x,y,hx[,hy]", 4, 5};
    bool circle = false;
    qd_columns_kind kind = {.message = QD_CLIENT_SPAWN, .category = 1, .mask = UINT32_MAX, .room_owned = true};
    const qd_option options[] = {
        {"--circle", NULL, "circles of radius HX instead of boxes", QD_OPTION_FLAG, &circle, 0, 0},
        {"--category", "N", "what the entities are, as bits (1)", QD_OPTION_NUMBER, &kind.category, 0, UINT32_MAX},
        {"--mask", "N", "what they pair with, as bits (all)", QD_OPTION_NUMBER, &kind.mask, 0, UINT32_MAX},
        QD_CLI_SERVER_OPTION(cli)};
    int status = 0;
    int count = qd_options_parse(&usage, options, QD_CLI_COUNT(options), argc, argv, &status);
    if (count < 0)
        return status;
    kind.shape = circle ? QD_SHAPE_CIRCLE : QD_SHAPE_BOX;
    return run_batch(cli, argv, count, &row, &kind, "spawned");
}

int qd_command_move(qd_cli *cli, int argc, char **argv)
{
    static const qd_usage usage = {"quadrille move", "ROOM (ID X Y | -)",
                                   "Moves an entity to a new centre; with a minus, one for each row `id,x,y` of the\n"
                                   "standard input. It must belong to the room, as those of `quadrille spawn` do.",
                                   2, 4};
    static const row_layout row = {"id,x,y", 3, 3};
    const qd_columns_kind kind = {.message = QD_CLIENT_MOVE};
    const qd_option options[] = {QD_CLI_SERVER_OPTION(cli)};
    int status = 0;
    int count = qd_options_parse(&usage, options, QD_CLI_COUNT(options), argc, argv, &status);
    if (count < 0)
        return status;
    return run_batch(cli, argv, count, &row, &kind, "moved");
}

int qd_command_despawn(qd_cli *cli, int argc, char **argv)
{
    static const qd_usage usage = {"quadrille despawn", "ROOM (ID... | -)",
                                   "Removes entities by their ids; with a minus, one for each row of the standard\n"
                                   "input. They must belong to the room, as those of `quadrille spawn` do.",
                                   2, INT32_MAX};
    static const row_layout row = {"id", 1, 1};
    const qd_columns_kind kind = {.message = QD_CLIENT_DESPAWN};
    const qd_option options[] = {QD_CLI_SERVER_OPTION(cli)};
    int status = 0;
    int count = qd_options_parse(&usage, options, QD_CLI_COUNT(options), argc, argv, &status);
    if (count < 0)
        return status;
    if (count == 2)
        return run_batch(cli, argv, count, &row, &kind, "despawned");

    qd_columns columns = {0};
    complaint why;
    for (int i = 1; i < count && status == 0; i++) {
        if (!add_entity(&columns, argv + i, 1, &why))
            status = qd_options_misuse(cli->program, "%s", why.text);
    }
    if (status == 0)
        status = send_batch(cli, argv[0], &columns, &kind, "despawned");
    qd_columns_deinit(&columns);
    return status;
}

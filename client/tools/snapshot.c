/* SPDX-License-Identifier: Apache-2.0
 *
 * quadrille snapshot: prints the present entities of a room, or of a region of it.
 */
#include "cli.h"

#define LIMIT_MAX 1048576

typedef struct printer {
    bool is_3d, has_header, json;
    uint32_t count;
} printer;

/* The names of the columns: those of the header and of JSON. */
typedef struct real_column {
    const char *name;
    const float *values; /* NULL: all are 0 */
    bool is_deep;        /* only of rooms of three dimensions */
} real_column;

static void print_header(printer *out)
{
    if (!out->has_header && !out->json) {
        puts(out->is_3d ? "id,x,y,z,hx,hy,hz,radius,ax,ay,az,shape,category,mask"
                        : "id,x,y,hx,hy,radius,ax,ay,shape,category,mask");
    }
    out->has_header = true;
}

static const char *shape_name(uint8_t shape)
{
    return shape == QD_SHAPE_BOX ? "box" : shape == QD_SHAPE_CIRCLE ? "circle" : "capsule";
}

static void print_entities(printer *out, const qd_msg_entities *entities)
{
    const real_column columns[] = {
        {"x", entities->x, false},           {"y", entities->y, false},       {"z", entities->z, true},
        {"hx", entities->half_x, false},     {"hy", entities->half_y, false}, {"hz", entities->half_z, true},
        {"radius", entities->radius, false}, {"ax", entities->axis_x, false}, {"ay", entities->axis_y, false},
        {"az", entities->axis_z, true}};

    for (uint32_t i = 0; i < entities->count; i++) {
        printf(out->json ? "{\"id\": %u" : "%u", entities->id[i]);
        for (size_t c = 0; c < QD_CLI_COUNT(columns); c++) {
            if (columns[c].is_deep && !out->is_3d) {
                continue;
            }
            if (out->json) {
                printf(", \"%s\": ", columns[c].name);
            }
            /* Enough digits to read back the exact float. */
            printf(out->json ? "%.9g" : ",%.9g", columns[c].values != NULL ? (double)columns[c].values[i] : 0);
        }
        printf(out->json ? ", \"shape\": \"%s\", \"category\": %u, \"mask\": %u}\n" : ",%s,%u,%u\n",
               entities->shape != NULL ? shape_name(entities->shape[i]) : "box",
               entities->category != NULL ? entities->category[i] : 1,
               entities->mask != NULL ? entities->mask[i] : UINT32_MAX);
    }
    out->count += entities->count;
}

/* The answer comes in several messages of one seq. */
static int print_answer(const qd_cli *cli, qd_client *client, uint64_t seq, bool is_3d, bool limited)
{
    printer out = {.is_3d = is_3d, .json = cli->json};

    for (bool last = false; !last;) {
        const qd_server_message *answer = qd_cli_answer(cli, client, seq, QD_SERVER_SNAPSHOT_RESULT);

        if (answer == NULL) {
            return 1;
        }
        const qd_msg_snapshot_result *result = &answer->as.snapshot_result;
        print_header(&out);
        print_entities(&out, &result->entities);
        last = result->last;
        /* With --limit, the user knows that there may be more. */
        if (last && result->more && !limited) {
            fprintf(stderr, "%s: there are more than these %u: raise --limit\n", cli->program, out.count);
        }
    }
    return 0;
}

int qd_command_snapshot(qd_cli *cli, int argc, char **argv)
{
    static const qd_usage usage = {
        "quadrille snapshot", "ROOM",
        "Prints the present entities of a room by id, also those that no tick contains yet:\n"
        "a header, and one line of comma-separated values per entity. `quadrille spawn ROOM -`\n"
        "reads them.",
        .arguments_min = 1, .arguments_max = 1};
    qd_option_bounds region = {0};
    uint32_t limit = 0;
    const qd_option options[] = {{"--region", "MINX,MINY,MAXX,MAXY",
                                  "print entities whose bounding box touches it; in 3D, six numbers", QD_OPTION_BOUNDS,
                                  .value = &region, .otherwise = "all"},
                                 {"--limit", "N", "print at most N, those with the lowest ids", QD_OPTION_NUMBER,
                                  .value = &limit, .min = 1, .max = LIMIT_MAX, .otherwise = "65536"},
                                 QD_CLI_JSON_OPTION(cli, "per line an object with the names of the header"),
                                 QD_CLI_SERVER_OPTIONS(cli)};
    int status = 0;

    if (qd_options_parse(&usage, options, QD_CLI_COUNT(options), argc, argv, &status) < 0) {
        return status;
    }

    qd_cli_room room;
    qd_client *client = qd_cli_join(cli, argv[0], &room);
    const bool is_whole = region.dimensions == 0;
    status = 1;
    if (client != NULL && (is_whole || qd_cli_check_dimensions(cli, argv[0], &room, region.dimensions))) {
        uint64_t seq = qd_client_get_snapshot(client, room.handle, is_whole ? NULL : &region.bounds, limit);

        status = print_answer(cli, client, seq, room.config.dimensions == 3, limit != 0);
    }
    qd_client_destroy(client);
    return status;
}

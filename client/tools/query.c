/* SPDX-License-Identifier: Apache-2.0
 *
 * quadrille query: prints the entities in a region of a room, near a point, or on a ray.
 */
#include "cli.h"

#include <inttypes.h>
#include <string.h>

#define LIMIT_MAX 65536
/* On the wire 0 means no limit; on the command line you leave the option out. */
#define REACH_MIN 1e-30
#define REACH_MAX 1e30

typedef struct query_options {
    uint32_t nearest, limit, categories;
    double within; /* -1: not given */
    double length;
    bool first;
} query_options;

/* How a place is written in two dimensions and in three: points, then other numbers. */
typedef struct place_kind {
    const char *name, *numbers[2];
    uint32_t points, others;
    qd_query_kind kind;
} place_kind;

static const place_kind kinds[] = {
    {"box", {"MINX,MINY,MAXX,MAXY", "MINX,MINY,MINZ,MAXX,MAXY,MAXZ"}, 2, 0, QD_QUERY_BOX},
    {"circle", {"X,Y,RADIUS", "X,Y,Z,RADIUS"}, 1, 1, QD_QUERY_CIRCLE},
    {"nearest", {"X,Y", "X,Y,Z"}, 1, 0, QD_QUERY_NEAREST},
    {"ray", {"X,Y,DX,DY", "X,Y,Z,DX,DY,DZ"}, 2, 0, QD_QUERY_RAY},
};
#define NUMBERS_MAX 6

/* Parses the numbers of a place; z is 0 in two dimensions. Returns the number of dimensions; 0: not a place. */
static uint32_t parse_place(const place_kind *kind, const char *text, float numbers[NUMBERS_MAX])
{
    float given[NUMBERS_MAX];

    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        if (!qd_options_floats(text, given, dimensions * kind->points + kind->others)) {
            continue;
        }
        const float *from = given;
        for (uint32_t point = 0; point < kind->points; point++) {
            for (uint32_t axis = 0; axis < 3; axis++) {
                *numbers++ = axis < dimensions ? *from++ : 0;
            }
        }
        for (uint32_t other = 0; other < kind->others; other++) {
            *numbers++ = *from++;
        }
        return dimensions;
    }
    return 0;
}

static void set_where(const float *numbers, const query_options *options, qd_msg_query *query)
{
    switch (query->kind) {
    case QD_QUERY_BOX:
        query->where.box = (qd_msg_bounds){numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]};
        break;
    case QD_QUERY_CIRCLE:
        query->where.circle = (qd_msg_query_circle){numbers[0], numbers[1], numbers[2], .radius = numbers[3]};
        break;
    case QD_QUERY_NEAREST:
        query->where.nearest =
            (qd_msg_query_nearest){numbers[0], numbers[1], numbers[2], .has_within = options->within >= 0,
                                   .within = options->within >= 0 ? (float)options->within : 0};
        break;
    case QD_QUERY_RAY:
        query->where.ray = (qd_msg_query_ray){
            numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], .length = (float)options->length};
        break;
    case QD_QUERY_NOTHING:
        break;
    }
}

/* Returns 0, or the exit status of a misuse, which is reported. */
static int check_options(const qd_cli *cli, const query_options *options, qd_query_kind kind)
{
    if (kind != QD_QUERY_NEAREST && (options->nearest != 0 || options->within >= 0)) {
        return qd_options_misuse(cli->program, "%s needs nearest", options->nearest != 0 ? "-k" : "--within");
    }
    if (kind != QD_QUERY_RAY && (options->first || options->length != 0)) {
        return qd_options_misuse(cli->program, "%s needs ray", options->first ? "--first" : "--length");
    }
    if (options->limit != 0 && (options->nearest != 0 || options->first)) {
        return qd_options_misuse(cli->program, "--limit and %s exclude each other: choose one",
                                 options->first ? "--first" : "-k");
    }
    return 0;
}

static uint32_t limit_of(const query_options *options, qd_query_kind kind)
{
    if (options->limit != 0 || kind == QD_QUERY_BOX || kind == QD_QUERY_CIRCLE) {
        return options->limit;
    }
    if (kind == QD_QUERY_NEAREST) {
        return options->nearest != 0 ? options->nearest : 1;
    }
    return options->first ? 1 : 0;
}

/* Sets *dimensions to those of the given place. */
static int parse_query(const qd_cli *cli, char **arguments, const query_options *options, qd_msg_query *query,
                       uint32_t *dimensions)
{
    float numbers[NUMBERS_MAX];

    for (size_t i = 0; i < QD_CLI_COUNT(kinds); i++) {
        const place_kind *kind = &kinds[i];

        if (strcmp(arguments[1], kind->name) != 0) {
            continue;
        }
        *dimensions = parse_place(kind, arguments[2], numbers);
        if (*dimensions == 0) {
            return qd_options_misuse(cli->program, "%s is '%.64s'; must be numbers %s, or %s in three dimensions",
                                     kind->name, arguments[2], kind->numbers[0], kind->numbers[1]);
        }
        query->kind = kind->kind;
        query->limit = limit_of(options, kind->kind);
        query->categories = options->categories;
        set_where(numbers, options, query);
        return check_options(cli, options, kind->kind);
    }
    return qd_options_misuse(cli->program, "the region is '%.64s'; must be box, circle, nearest or ray", arguments[1]);
}

static void print_lines(const qd_msg_query_result *result)
{
    for (uint32_t i = 0; i < result->count; i++) {
        if (result->distance != NULL) {
            printf("%u %.9g\n", result->id[i], result->distance[i]);
        } else {
            printf("%u\n", result->id[i]);
        }
    }
}

static void print_json(const qd_msg_query_result *result)
{
    printf("{\"tick\": %" PRIu64 ", \"more\": %s, \"found\": [", result->tick, result->more ? "true" : "false");
    for (uint32_t i = 0; i < result->count; i++) {
        printf("%s\n  {\"id\": %u", i > 0 ? "," : "", result->id[i]);
        if (result->distance != NULL) {
            printf(", \"distance\": %.17g", result->distance[i]);
        }
        putchar('}');
    }
    puts(result->count > 0 ? "\n]}" : "]}");
}

static int ask(const qd_cli *cli, qd_client *client, const qd_msg_query *query)
{
    const qd_server_message *answer =
        qd_cli_answer(cli, client, qd_client_query(client, query), QD_SERVER_QUERY_RESULT);

    if (answer == NULL) {
        return 1;
    }
    const qd_msg_query_result *result = &answer->as.query_result;
    if (cli->json) {
        print_json(result);
    } else {
        print_lines(result);
    }
    /* With --limit, the user knows that there may be more. */
    if (result->more && query->limit == 0) {
        fprintf(stderr, "%s: there are more than these %u: raise --limit\n", cli->program, result->count);
    }
    return 0;
}

int qd_command_query(qd_cli *cli, int argc, char **argv)
{
    static const qd_usage usage = {"quadrille query",
                                   "ROOM (box MINX,MINY,MAXX,MAXY | circle X,Y,RADIUS | nearest X,Y | ray X,Y,DX,DY)",
                                   "Prints, for the last tick and one per line,\n"
                                   "    box, circle   the entities that overlap it, by id\n"
                                   "    nearest       the entities nearest to a point, with their distance (0 inside)\n"
                                   "    ray           the entities that it hits, with the distance along it\n"
                                   "In a room of three dimensions, points and directions have three numbers. A circle\n"
                                   "X,Y,Z,RADIUS is a sphere.",
                                   .arguments_min = 3, .arguments_max = 3};
    query_options given = {.within = -1};
    const qd_option options[] = {
        {"-k", "N", "nearest: print N entities", QD_OPTION_NUMBER, .value = &given.nearest, .min = 1, .max = LIMIT_MAX,
         .otherwise = "1"},
        {"--within", "D", "nearest: print none farther away than D", QD_OPTION_REAL, .value = &given.within, .min = 0,
         .max = REACH_MAX},
        {"--length", "L", "ray: end it after length L", QD_OPTION_REAL, .value = &given.length, .min = REACH_MIN,
         .max = REACH_MAX},
        {"--first", NULL, "ray: print the first hit only", QD_OPTION_FLAG, .value = &given.first},
        {"--categories", "N", "print only entities with one of these category bits", QD_OPTION_NUMBER,
         .value = &given.categories, .min = 1, .max = UINT32_MAX, .otherwise = "all"},
        {"--limit", "N", "print at most N", QD_OPTION_NUMBER, .value = &given.limit, .min = 1, .max = LIMIT_MAX,
         .otherwise = "1024"},
        QD_CLI_JSON_OPTION(cli, "an object with tick, more and found"),
        QD_CLI_SERVER_OPTIONS(cli)};
    int status = 0;

    if (qd_options_parse(&usage, options, QD_CLI_COUNT(options), argc, argv, &status) < 0) {
        return status;
    }

    qd_msg_query query = {0};
    uint32_t dimensions = 0;
    status = parse_query(cli, argv, &given, &query, &dimensions);
    if (status != 0) {
        return status;
    }

    qd_cli_room room;
    qd_client *client = qd_cli_join(cli, argv[0], &room);
    status = 1;
    if (client != NULL && qd_cli_check_dimensions(cli, argv[0], &room, dimensions)) {
        query.room = room.handle;
        status = ask(cli, client, &query);
    }
    qd_client_destroy(client);
    return status;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the scenario of `quadrille-bench`. Each scenario is a function (bench.h) that parses its own options.
 */
#include "bench.h"

#include <string.h>

typedef int (*scenario_fn)(qd_bench *bench, int argc, char **argv);

/* The first is the default. */
static const qd_option_topic scenarios[] = {
    {"load", "rooms, entities, rates and readers of your choice; the default"},
    {"fences", "points that enter and leave regions at rest"},
    {"views", "10,000 moving entities that each see those around them, with and without relay"},
    {"ingest", "positions per second, once per tick or overwritten, beside a bare libuv sink"},
    {"latency", "the round trip of a Step, beside a bare libuv echo"},
    {"big-room", "one room of 100,000 moving entities, 60 ticks per second, two readers"},
    {"many-rooms", "10,000 rooms of 100, 20 ticks per second; idle rooms; opening and closing"},
    {"rest", "10,000 rooms of 100 entities that do not move, 20 ticks per second"},
    {"fanout", "the events of one room to 1,000 readers"},
    {"connections", "10,000 sessions, of which 1,000 are active"},
    {"growth", "the cost of an update as rooms grow, and as their number grows"},
    {NULL, NULL},
};
static const scenario_fn functions[] = {qd_bench_load,    qd_bench_fences,      qd_bench_views,      qd_bench_ingest,
                                        qd_bench_latency, qd_bench_big_room,    qd_bench_many_rooms, qd_bench_rest,
                                        qd_bench_fanout,  qd_bench_connections, qd_bench_growth};

static int run_scenario(qd_bench *bench, int argc, char **argv)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (strcmp(argv[0], scenarios[i].name) == 0) {
            return functions[i](bench, argc, argv);
        }
    }
    const qd_option_topic *meant = qd_topics_nearest(scenarios, argv[0]);
    return qd_options_misuse(QD_BENCH, "unknown scenario '%.64s'%s%s", argv[0],
                             meant != NULL ? "; the nearest is " : "", meant != NULL ? meant->name : "");
}

/* Whether the first argument is an option of the default scenario. */
static bool is_of_default(const char *argument)
{
    static const char *const own[] = {"--help", "-h", "--version"};

    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        if (strcmp(argument, own[i]) == 0) {
            return false;
        }
    }
    return argument[0] == '-';
}

int qd_bench_program(int argc, char **argv)
{
    static const qd_option_topic variables[] = {
        {"QUADRILLE_SERVER", "the server to measure, if --server is not given"},
        {"QUADRILLE_TOKEN", "the token to present to the server"},
        {"QUADRILLE_...", "the options of the server that it starts, such as QUADRILLE_WORKERS"},
        {NULL, NULL}};
    static qd_bench bench = {.seconds = 5};
    char version[48];

    snprintf(version, sizeof version, "%s %s", QD_BENCH, qd_version());
    const qd_usage usage = {
        .program = QD_BENCH,
        .arguments = "[SCENARIO]",
        .text = "Puts load on a Quadrille server, checks every answer, and prints the throughput and the\n"
                "times. Without --server it starts its own server.\n"
                "`quadrille-bench SCENARIO --help` shows the options of a scenario.",
        .arguments_max = INT32_MAX,
        .version = version,
        .summary = "measure a Quadrille server",
        .commands = scenarios,
        .commands_title = "scenarios",
        .variables = variables,
        .first_argument_ends_options = true,
    };
    int status = 0;

    qd_bench_init(&bench);
    if (argc < 2 || is_of_default(argv[1])) {
        return qd_bench_load(&bench, argc, argv);
    }
    const int count = qd_options_parse(&usage, NULL, 0, argc, argv, &status);
    return count < 0 ? status : run_scenario(&bench, count, argv);
}

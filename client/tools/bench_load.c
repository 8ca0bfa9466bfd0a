/* SPDX-License-Identifier: Apache-2.0
 *
 * quadrille-bench load: one run by the options of the command line.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The defaults of the server accept so many from an address. */
#define CONNECTIONS_FEW 700u

/* Checks and completes bench->options. Returns 0, or the exit status of a misuse. */
static int check_options(qd_bench *bench, bool check)
{
    static const char name[] = QD_BENCH " load";
    qd_bench_options *options = &bench->options;

    if (options->hz == 0 && !options->step) {
        return qd_options_misuse(name, "--hz 0 is for --step: a room's own clock needs 1 to 1000");
    }
    if (options->connections > (uint64_t)options->rooms * options->entities) {
        return qd_options_misuse(name,
                                 "--connections is %u; must be at most the number of entities, %llu with these --rooms "
                                 "and --entities",
                                 options->connections, (unsigned long long)options->rooms * options->entities);
    }
    if (options->together && (options->hz == 0 || options->step)) {
        return qd_options_misuse(name, "--together moves rooms on their own clocks: use it with --hz, without --step");
    }
    if (options->stalled > 0 && options->subscribe == QD_BENCH_NONE) {
        return qd_options_misuse(name, "--stalled needs events: --subscribe events or stays");
    }
    if (check && options->subscribe == QD_BENCH_NONE) {
        return qd_options_misuse(name, "--check needs events: --subscribe events or stays");
    }
    if (check && options->connections > options->rooms) {
        return qd_options_misuse(name,
                                 "--check needs one writer per room: lower --connections %u to at most --rooms %u",
                                 options->connections, options->rooms);
    }
    options->check = check ? QD_BENCH_CHECK_ALL : QD_BENCH_CHECK_NONE;
    if (options->threads == 0) {
        long cores = sysconf(_SC_NPROCESSORS_ONLN);

        options->threads = cores > 0 ? (uint32_t)cores : 1;
    }
    if (options->threads > options->connections) {
        options->threads = options->connections;
    }
    options->seconds = bench->seconds;
    return 0;
}

/* Returns whether to continue; else *status is the exit status. */
static bool parse_options(qd_bench *bench, int argc, char **argv, int *status)
{
    static const qd_usage usage = {
        .program = QD_BENCH " load",
        .arguments = "",
        .text = "Opens rooms, moves all their entities at a rate, receives the events, and prints the\n"
                "throughput and the times. It closes the rooms at the end. Stays\n"
                "include the events.",
    };
    static const qd_option_choice subscriptions[] = {
        {"none", QD_BENCH_NONE}, {"events", QD_BENCH_EVENTS}, {"stays", QD_BENCH_STAYS}, {NULL, 0}};
    qd_bench_options *options = &bench->options;
    bool check = false;
    const qd_option rows[] = {
        {"--rooms", "N", "open N rooms", QD_OPTION_NUMBER, .value = &options->rooms, .min = 1, .max = 1048576},
        {"--entities", "N", "spawn N entities in each room", QD_OPTION_NUMBER, .value = &options->entities, .min = 1,
         .max = 4194304},
        {"--dimensions", "N", "use 2 or 3 dimensions", QD_OPTION_NUMBER, .value = &options->dimensions, .min = 2,
         .max = 3},
        {"--index", "NAME", "find pairs by this index", QD_OPTION_CHOICE, .value = &options->index,
         .choices = qd_option_indexes},
        {"--connections", "N", "write by N connections, which share the rooms", QD_OPTION_NUMBER,
         .value = &options->connections, .min = 1, .max = 60000},
        {"--readers", "N", "add N connections that only receive the events of a room", QD_OPTION_NUMBER,
         .value = &options->readers, .min = 0, .max = 60000},
        {"--stalled", "N", "add N readers that subscribe and then read nothing", QD_OPTION_NUMBER,
         .value = &options->stalled, .min = 0, .max = 60000},
        {"--threads", "N", "send by N threads; 0: one per core", QD_OPTION_NUMBER, .value = &options->threads, .min = 0,
         .max = 1024},
        {"--hz", "N", "tick, and move all, at N Hz", QD_OPTION_NUMBER, .value = &options->hz, .min = 0, .max = 1000},
        {"--step", NULL, "tick by Step at --hz; --hz 0: step at each answer", QD_OPTION_FLAG, .value = &options->step},
        {"--roster", NULL, "move by roster, without ids", QD_OPTION_FLAG, .value = &options->roster},
        {"--together", NULL, "move all rooms of a connection in one frame", QD_OPTION_FLAG,
         .value = &options->together},
        {"--subscribe", "WHAT", "choose what the writers subscribe to", QD_OPTION_CHOICE, .value = &options->subscribe,
         .choices = subscriptions},
        {"--check", NULL, "compare the pairs with brute force during the run, which costs time", QD_OPTION_FLAG,
         .value = &check},
        QD_BENCH_COMMON_OPTIONS(bench),
    };

    *options = (qd_bench_options){.rooms = 4,
                                  .entities = 1000,
                                  .connections = 2,
                                  .dimensions = 2,
                                  .index = QD_INDEX_AUTO,
                                  .hz = 20,
                                  .subscribe = QD_BENCH_EVENTS};
    if (qd_options_parse(&usage, rows, sizeof rows / sizeof *rows, argc, argv, status) < 0) {
        return false;
    }
    *status = check_options(bench, check);
    return *status == 0;
}

int qd_bench_load(qd_bench *bench, int argc, char **argv)
{
    /* The defaults of the server, as far as they suffice: its buffers depend on its number of connections. Beside stalled
     * readers they are small, so that its queues fill. */
    const char *const few[] = {QD_BENCH_ROOMS_SERVER, NULL};
    const char *const many[] = {"--connections-max", "200000", QD_BENCH_ROOMS_SERVER, NULL};
    int status;

    if (!parse_options(bench, argc, argv, &status)) {
        return status;
    }
    const uint32_t connections = bench->options.connections + bench->options.readers;
    const bool suffices = connections < CONNECTIONS_FEW && bench->options.stalled == 0;
    qd_bench_result *result = calloc(1, sizeof *result);
    if (!result) {
        qd_bench_fail(bench, "out of memory");
    } else if (qd_bench_begin(bench, suffices ? few : many)) {
        qd_bench_run(bench, result);
        qd_bench_neighbor_result(bench, result->neighbor_ms);
    }
    qd_bench_end(bench);
    if (result && result->seconds > 0 && bench->json) {
        qd_bench_print_json(bench, result);
    } else if (result && result->seconds > 0) {
        qd_bench_print_table(bench, result);
    }
    free(result);
    return qd_bench_status(bench);
}

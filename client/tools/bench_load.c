/* SPDX-License-Identifier: Apache-2.0
 *
 * quadrille-bench load: one run by the options of the command line.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Checks and completes bench->options. Returns 0, or the exit status of a misuse. */
static int check_options(qd_bench *bench, const char *subscribe, bool check)
{
    static const char name[] = QD_BENCH " load";
    qd_bench_options *options = &bench->options;
    uint32_t choice = 0;

    while (choice < 3 && strcmp(subscribe, qd_bench_subscribe_name((qd_bench_subscribe)choice)) != 0) {
        choice++;
    }
    if (choice == 3) {
        return qd_options_misuse(name, "--subscribe '%s': must be none, events or stays", subscribe);
    }
    options->subscribe = (qd_bench_subscribe)choice;
    if (options->hz == 0 && !options->step) {
        return qd_options_misuse(name, "--hz 0 is for --step: a room's own clock needs 1 to 1000");
    }
    if (options->connections > (uint64_t)options->rooms * options->entities) {
        return qd_options_misuse(name,
                                 "--connections %u: must be at most the number of entities, %llu with these --rooms "
                                 "and --entities",
                                 options->connections, (unsigned long long)options->rooms * options->entities);
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
                "throughput and the times. It closes the rooms at the end.",
    };
    qd_bench_options *options = &bench->options;
    const char *subscribe = "events";
    bool check = false;
    const qd_option rows[] = {
        {"--rooms", "N", "open N rooms (4)", QD_OPTION_NUMBER, &options->rooms, 1, 1048576},
        {"--entities", "N", "spawn N entities in each room (1000)", QD_OPTION_NUMBER, &options->entities, 1, 4194304},
        {"--dimensions", "N", "use 2 or 3 dimensions (2)", QD_OPTION_NUMBER, &options->dimensions, 2, 3},
        {"--index", "NAME", "find pairs by this index; see `quadrille open` (auto)", QD_OPTION_INDEX, &options->index,
         0, 0},
        {"--connections", "N", "write by N connections, which share the rooms (2)", QD_OPTION_NUMBER,
         &options->connections, 1, 60000},
        {"--readers", "N", "add N connections that only receive the events of a room (0)", QD_OPTION_NUMBER,
         &options->readers, 0, 60000},
        {"--stalled", "N", "add N readers that subscribe and then read nothing (0)", QD_OPTION_NUMBER,
         &options->stalled, 0, 60000},
        {"--threads", "N", "send by N threads; 0: one per core (0)", QD_OPTION_NUMBER, &options->threads, 0, 1024},
        {"--hz", "N", "tick, and move all, at N Hz (20)", QD_OPTION_NUMBER, &options->hz, 0, 1000},
        {"--step", NULL, "tick by Step at --hz; --hz 0: step at each answer", QD_OPTION_FLAG, &options->step, 0, 0},
        {"--roster", NULL, "move by roster, without ids", QD_OPTION_FLAG, &options->roster, 0, 0},
        {"--subscribe", "WHAT", "subscribe to none, events, or stays, which includes events (events)", QD_OPTION_TEXT,
         &subscribe, 0, 0},
        {"--check", NULL, "compare the pairs with brute force during the run, which costs time", QD_OPTION_FLAG, &check,
         0, 0},
        QD_BENCH_COMMON_OPTIONS(bench),
    };

    *options = (qd_bench_options){
        .rooms = 4, .entities = 1000, .connections = 2, .dimensions = 2, .index = QD_INDEX_AUTO, .hz = 20};
    if (qd_options_parse(&usage, rows, sizeof rows / sizeof *rows, argc, argv, status) < 0) {
        return false;
    }
    *status = check_options(bench, subscribe, check);
    return *status == 0;
}

int qd_bench_load(qd_bench *bench, int argc, char **argv)
{
    static const char *const server_options[] = {"--connections-max", "200000", "--rooms-max", "1048576", NULL};
    int status;

    if (!parse_options(bench, argc, argv, &status)) {
        return status;
    }
    qd_bench_result *result = calloc(1, sizeof *result);
    if (!result) {
        qd_bench_fail(bench, "out of memory");
    } else if (qd_bench_begin(bench, server_options)) {
        qd_bench_run(bench, result);
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

/* SPDX-License-Identifier: Apache-2.0
 *
 * quadrille ping: measures the round trip to the server.
 */
#include "cli.h"
#include "plain.h"

#include <stdlib.h>
#include <time.h>

#define PAUSE_NS 200000000

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

static void print_pong(const qd_cli *cli, double trip_us)
{
    if (!cli->json) {
        printf("pong from %s: %.0f us\n", cli->server, trip_us);
        return;
    }
    printf("{\"server\": ");
    qd_plain_print_json(stdout, cli->server);
    printf(", \"round_trip_us\": %.3f}\n", trip_us);
}

static int ping(const qd_cli *cli, qd_client *client, uint32_t count)
{
    double *trips_us = calloc(count, sizeof *trips_us);

    if (trips_us == NULL) {
        return qd_cli_fail(cli, "out of memory for --count %u", count);
    }
    uint32_t done = 0;
    qd_cli_catch_signals();
    while (done < count && !qd_cli_stopped()) {
        if (done > 0) {
            nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
        }
        uint64_t start_ns = qd_now_ns();
        const qd_server_message *pong = qd_cli_answer(cli, client, qd_client_ping(client, start_ns), QD_SERVER_PONG);
        if (pong == NULL || pong->as.pong.data != start_ns) {
            break;
        }
        trips_us[done] = (double)(qd_now_ns() - start_ns) / 1e3;
        print_pong(cli, trips_us[done++]);
        fflush(stdout);
    }
    if (done > 1 && !cli->json) {
        qsort(trips_us, done, sizeof *trips_us, compare);
        printf("%u round trips: min %.0f us, median %.0f us, max %.0f us\n", done, trips_us[0], trips_us[done / 2],
               trips_us[done - 1]);
    }
    free(trips_us);
    return done == count ? 0 : 1;
}

int qd_command_ping(qd_cli *cli, int argc, char **argv)
{
    static const qd_usage usage = {
        "quadrille ping", "",
        "Sends a Ping and prints the round trip time. For health checks, the exit status is\n"
        "0 if every answer came.",
        .arguments_max = 0};
    uint32_t count = 1;
    const qd_option options[] = {
        {"--count", "N", "send N Pings", QD_OPTION_NUMBER, .value = &count, .min = 1, .max = 1000000},
        QD_CLI_JSON_OPTION(cli, "per Pong an object with server and round_trip_us"),
        QD_CLI_SERVER_OPTIONS(cli)};
    int status = 0;

    if (qd_options_parse(&usage, options, QD_CLI_COUNT(options), argc, argv, &status) < 0) {
        return status;
    }

    qd_client *client = qd_cli_connect(cli);
    if (client == NULL) {
        return 1;
    }
    status = ping(cli, client, count);
    qd_client_destroy(client);
    return status;
}

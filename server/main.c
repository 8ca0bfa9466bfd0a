/* SPDX-License-Identifier: Apache-2.0
 *
 * quadrille-server: parses the options, and runs the server or answers about them.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "app/health/health_check.h"
#include "app/options.h"
#include "app/reload.h"
#include "app/replay/replay_command.h"
#include "app/signals.h"
#include "app/start.h"

/* A standard stream may be closed at the start. The first file opened would then get its number, and the log might go to
 * a client. */
static void fill_streams(void)
{
    int file;

    do {
        file = open("/dev/null", O_RDWR);
    } while (file >= STDIN_FILENO && file <= STDERR_FILENO);
    if (file > STDERR_FILENO) {
        close(file);
    }
}

/* The exit status after output on stdout. */
static int answered(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) {
        return 0;
    }
    perror("quadrille-server: cannot write the output");
    return 1;
}

static int check(const qd_server_options *options)
{
    char error[600];

    if (!qd_option_files_check(options, error, sizeof error)) {
        fprintf(stderr, "quadrille-server: %s\n", error);
        return 1;
    }
    puts("the configuration is valid");
    return answered();
}

static int check_health(const qd_server_options *options)
{
    char error[400];

    if (options->admin.host[0] == '\0' || options->admin.port == 0) {
        fprintf(stderr,
                "quadrille-server: --admin is %s; must be an address with a port for --check-health. Set it as for the "
                "running server\n",
                options->admin.host[0] == '\0' ? "not set" : "an address with port 0");
        return 2;
    }
    if (!qd_health_check(options->admin.host, options->admin.port, error, sizeof error)) {
        fprintf(stderr, "quadrille-server: %s\n", error);
        return 1;
    }
    puts("the server is healthy");
    return answered();
}

int main(int argc, char *argv[])
{
    qd_signals_block();
    fill_streams();
    const qd_server_sources sources = {argc, argv, getenv};
    qd_server_options options;
    char error[600];
    int status;
    switch (qd_server_options_parse(&sources, &options, error, sizeof error)) {
    case QD_SERVER_OPTIONS_RUN:
        status = qd_run(&options, &sources);
        qd_server_options_release(&options);
        return status;
    case QD_SERVER_OPTIONS_CHECK:
        status = check(&options);
        qd_server_options_release(&options);
        return status;
    case QD_SERVER_OPTIONS_HEALTH:
        status = check_health(&options);
        qd_server_options_release(&options);
        return status;
    case QD_SERVER_OPTIONS_REPLAY:
        status = qd_replay_run(&(qd_replay_request){
            .file = options.replay, .until = options.until, .room = options.room, .prints = options.print_events});
        qd_server_options_release(&options);
        return status != 0 ? status : answered();
    case QD_SERVER_OPTIONS_PRINT:
        qd_server_options_print(stdout, &options);
        qd_server_options_release(&options);
        return answered();
    case QD_SERVER_OPTIONS_HELP:
        qd_server_options_help(stdout);
        return answered();
    case QD_SERVER_OPTIONS_VERSION:
        qd_server_options_version(stdout);
        return answered();
    case QD_SERVER_OPTIONS_BAD:
        break;
    }
    fprintf(stderr, "quadrille-server: %s\n", error);
    return 2;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * quadrille-server: argv to options to run.
 */
#include <stdio.h>
#include <stdlib.h>

#include "app/options.h"
#include "app/run.h"
#include "app/server.h"

int main(int argc, char *argv[])
{
    qd_options options;
    char error[400];
    switch (qd_options_parse(argc, argv, getenv, &options, error, sizeof error)) {
    case QD_OPTIONS_RUN:
        return qd_run(&options);
    case QD_OPTIONS_HELP:
        qd_options_help(stdout);
        return 0;
    case QD_OPTIONS_VERSION:
        puts(qd_server_name);
        return 0;
    case QD_OPTIONS_BAD:
        break;
    }
    fprintf(stderr, "quadrille-server: %s\n", error);
    return 2;
}

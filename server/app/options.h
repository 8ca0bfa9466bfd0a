/* SPDX-License-Identifier: Apache-2.0
 *
 * The server's options: one table (options.c) with a row for each, from which parsing, --help and the errors come.
 *
 * An option is `--name VALUE` or `--name=VALUE`; the environment may give it as QUADRILLE_NAME (`-` as `_`), which the
 * command line overrides. Pure but for the environment, which is handed in.
 */
#ifndef QD_APP_OPTIONS_H
#define QD_APP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../base/log.h"

#define QD_LOOPS_MAX 64u

typedef struct qd_options {
    char host[256]; /* an IPv6 address without its brackets */
    uint16_t port;
    uint64_t workers; /* 0: as many as there are cores */
    uint64_t loops;   /* 0: half as many */
    uint64_t connections_max;
    uint64_t frame_bytes_max;
    uint64_t rooms_max;
    uint64_t entities_max;
    uint64_t events_max;
    uint64_t observers_max;
    uint64_t sightings_max;
    uint64_t roster_ids_max;
    uint64_t memory_bytes_max; /* 0: 80 % of the machine's or the container's */
    uint64_t queue_bytes_max;
    uint64_t slow_ms_max;
    uint64_t resume_ms_max;
    uint64_t room_batches_max;
    const char *token_file, *admin_token_file; /* NULL: none */
    qd_log_level log_level;
} qd_options;

typedef enum qd_options_result {
    QD_OPTIONS_RUN = 0,
    QD_OPTIONS_HELP,    /* --help came */
    QD_OPTIONS_VERSION, /* --version came */
    QD_OPTIONS_BAD,     /* *error names the option, the value and the fix */
} qd_options_result;

/* Whether a variable of the environment, "NAME=VALUE", looks like an option and is none; *text says so then, and which
 * is most like it. What our tools read (QUADRILLE_SERVER, QUADRILLE_TOKEN) does not, nor what Kubernetes and Docker put
 * there for a service that is named quadrille (QUADRILLE_PORT=tcp://10.0.0.1:7400). */
bool qd_options_is_stray(const char *variable, char *text, size_t text_size);

/* Strings lead into argv and the environment. */
qd_options_result qd_options_parse(int argc, char *const argv[], char *(*environment)(const char *name),
                                   qd_options *options, char *error, size_t error_size);
void qd_options_help(FILE *stream);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * The server's options: one table (options.c) with a row for each, read by the parser of all programs
 * (client/options/options.h).
 *
 * An option has three sources: the command line overrides the environment, where it is QUADRILLE_NAME (`-` as `_`), and
 * both override the file of --config. An option never holds a secret, only the path of a file that does, so that all
 * values may be printed and logged.
 */
#ifndef QD_APP_OPTIONS_H
#define QD_APP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../../client/options/options.h"
#include "../actor/service/limits.h"
#include "../base/log.h"

#define QD_LOOPS_MAX 64u

/* Where the options come from. */
typedef struct qd_server_sources {
    int argc;
    char **argv;
    qd_options_environment_fn environment;
} qd_server_sources;

typedef struct qd_server_address {
    char host[256]; /* an IPv6 address without its brackets; "": none */
    uint16_t port;
} qd_server_address;

typedef struct qd_server_options {
    const char *config; /* NULL: no file */
    bool check_config, check_health, print_config;
    qd_server_address listen;
    qd_server_address admin;      /* where the admin server listens, if at all */
    const char *admin_token_file; /* NULL: none */
    uint32_t admin_room_labels;
    uint32_t workers;          /* 0: one per core */
    uint32_t loops;            /* 0: one per two cores */
    uint64_t memory_bytes_max; /* 0: 80 % of the machine's or the container's */
    uint32_t drain_seconds;    /* from SIGTERM to the end of the process, at most */
    qd_limits limits;          /* address_connections_max: 0: 3/4 of connections_max, at least 16 */
    const char *token_file;    /* NULL: none */
    const char *tls_cert;      /* NULL: connections are not encrypted */
    const char *tls_key;       /* with tls_cert, or NULL */
    const char *tls_client_ca; /* NULL: clients need no certificate */
    bool insecure;             /* strangers may come in */
    bool audit;                /* lines of the kind audit */
    qd_log_level log_level;
    const char *log_level_file; /* overrides log_level; NULL: none */
    qd_log_format log_format;
    const char *record; /* a folder; NULL: nothing is recorded */
    uint64_t record_file_bytes, record_bytes_max;
    const char *replay; /* a file; NULL: the server runs */
    uint32_t until;     /* with `replay` and the two below: 0: to the end */
    const char *room;   /* NULL: all */
    bool print_events;
    char *texts; /* the strings of the file; see qd_server_options_release */
} qd_server_options;

typedef enum qd_server_options_result {
    QD_SERVER_OPTIONS_RUN = 0,
    QD_SERVER_OPTIONS_HELP,    /* --help was given */
    QD_SERVER_OPTIONS_VERSION, /* --version was given */
    QD_SERVER_OPTIONS_PRINT,   /* --print-config was given */
    QD_SERVER_OPTIONS_CHECK,   /* --check-config was given */
    QD_SERVER_OPTIONS_HEALTH,  /* --check-health was given */
    QD_SERVER_OPTIONS_REPLAY,  /* --replay was given */
    QD_SERVER_OPTIONS_BAD,     /* *error names the option, the value and the fix */
} qd_server_options_result;

/* Whether the host is this machine alone: localhost, 127.0.0.0/8 or ::1. */
bool qd_server_options_is_loopback(const char *host);

/* Whether an environment variable, "NAME=VALUE", looks like an option and is none. `text` then explains it and names
 * the most similar option. config/stray_variables.h says which variables do not count. */
bool qd_server_options_is_stray(const char *variable, char *text, size_t text_size);

/* Reads the file, the environment and the command line. The strings in *options point into these and into
 * options->texts. */
qd_server_options_result qd_server_options_parse(const qd_server_sources *sources, qd_server_options *options,
                                                 char *error, size_t error_size);
/* Frees the strings of the file. */
void qd_server_options_release(qd_server_options *options);

/* Whether the options contradict each other; *error then names them and the fix. */
bool qd_server_options_conflict(const qd_server_options *options, char *error, size_t error_size);

/* ---- reloading ---- */

/* Receives an option with another value than the running server has. `applied`: the server has it from now on;
 * otherwise it takes a restart. "": no value, and the server chooses. */
typedef void (*qd_server_option_changed_fn)(const char *name, const char *before, const char *after, bool applied);
/* Takes over what may change while the server runs. Strings that may change then belong to *running; the others stay
 * where they are. Returns false without memory: nothing has changed then. */
bool qd_server_options_merge(qd_server_options *running, const qd_server_options *next,
                             qd_server_option_changed_fn changed);

/* ---- output ---- */

/* Prints a complete configuration file: with the values of these options, or with NULL, all keys with their defaults in
 * comments. */
void qd_server_options_print(FILE *stream, const qd_server_options *options);
void qd_server_options_help(FILE *stream);
void qd_server_options_version(FILE *stream);

/* Shows the help, whatever the arguments: the program for the generator of the manual. Returns 0. */
int qd_server_options_show(int argc, char **argv);

#endif

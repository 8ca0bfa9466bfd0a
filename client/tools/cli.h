/* SPDX-License-Identifier: Apache-2.0
 *
 * What the commands of `quadrille` share: who is called, how an answer is awaited, how a failure is told.
 *
 * A command is a function from its command line to an exit status: 0 only when what was asked was done, QD_EXIT_USAGE
 * for a command line that makes no sense, else 1. It reports every failure itself, on the standard error. One thread.
 */
#ifndef QD_TOOLS_CLI_H
#define QD_TOOLS_CLI_H

#include "options.h"
#include "quadrille.h"

#include <stdio.h>

/* How long the server may take for an answer. */
#define QD_CLI_TIMEOUT_MS 5000

#define QD_CLI_COUNT(array) (sizeof(array) / sizeof(array)[0])

typedef struct qd_cli {
    const char *program; /* "quadrille open", for messages */
    const char *server;  /* HOST:PORT */
    const char *token;   /* NULL: none */
} qd_cli;

/* The option that every command takes; the last row of its table. */
#define QD_CLI_SERVER_OPTION(cli)                                                                                      \
    {                                                                                                                  \
        "--server", "HOST:PORT", "the server (QUADRILLE_SERVER, or 127.0.0.1:7400)", QD_OPTION_TEXT, &(cli)->server,   \
            0, 0                                                                                                       \
    }

int qd_command_rooms(qd_cli *cli, int argc, char **argv);
int qd_command_stats(qd_cli *cli, int argc, char **argv);
int qd_command_open(qd_cli *cli, int argc, char **argv);
int qd_command_close(qd_cli *cli, int argc, char **argv);
int qd_command_spawn(qd_cli *cli, int argc, char **argv);
int qd_command_move(qd_cli *cli, int argc, char **argv);
int qd_command_teleport(qd_cli *cli, int argc, char **argv);
int qd_command_reshape(qd_cli *cli, int argc, char **argv);
int qd_command_despawn(qd_cli *cli, int argc, char **argv);
int qd_command_adopt(qd_cli *cli, int argc, char **argv);
int qd_command_snapshot(qd_cli *cli, int argc, char **argv);
int qd_command_query(qd_cli *cli, int argc, char **argv);
int qd_command_describe(qd_cli *cli, int argc, char **argv);
int qd_command_observe(qd_cli *cli, int argc, char **argv);
int qd_command_watchers(qd_cli *cli, int argc, char **argv);
int qd_command_why(qd_cli *cli, int argc, char **argv);
int qd_command_ping(qd_cli *cli, int argc, char **argv);
int qd_command_events(qd_cli *cli, int argc, char **argv);
int qd_command_watch(qd_cli *cli, int argc, char **argv);
int qd_command_swarm(qd_cli *cli, int argc, char **argv);
int qd_command_replay(qd_cli *cli, int argc, char **argv);

/* Reports a failure. Returns 1, the exit status. */
int qd_cli_fail(const qd_cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Reports why the session ended. Returns 1. */
int qd_cli_fail_session(const qd_cli *cli, const qd_client *client);
/* Reports an Error of the server, refused entries included. Returns 1. */
int qd_cli_fail_error(const qd_cli *cli, const qd_msg_error *error);
/* The same of a batch, whose entities had these ids. */
int qd_cli_fail_batch(const qd_cli *cli, const qd_msg_error *error, const uint32_t *ids, uint32_t ids_count);
/* Reports that the server is about to close the connection, and why. Returns 1. */
int qd_cli_fail_go_away(const qd_cli *cli, const qd_msg_go_away *go_away);

/* A session; NULL: failed, and reported. */
qd_client *qd_cli_connect(const qd_cli *cli);
/* The answer to a request when it is of that kind; NULL: another, or none, which is reported. */
const qd_server_message *qd_cli_answer(const qd_cli *cli, qd_client *client, uint32_t seq, qd_server_kind kind);

/* What RoomOpened said; unlike the message it stays valid. */
typedef struct qd_cli_room {
    uint64_t handle;
    qd_msg_room_config config;
    uint64_t tick;
    bool created;
} qd_cli_room;

/* Joins the room, or creates it where `config` is given; reported when it fails. */
bool qd_cli_open_room(const qd_cli *cli, qd_client *client, const char *name, const qd_msg_room_config *config,
                      qd_cli_room *room);

/* Whether the room has so many dimensions, as what was given on the command line has; reported when not. */
bool qd_cli_check_dimensions(const qd_cli *cli, const char *name, const qd_cli_room *room, uint32_t dimensions);

/* SIGINT, SIGTERM and SIGHUP set a flag instead of ending the program, for commands that have something to put in order
 * first. A write to a closed pipe fails instead of ending it, too. */
void qd_cli_catch_signals(void);
bool qd_cli_stopped(void);

/* Monotonic. */
uint64_t qd_cli_now_ns(void);

void qd_cli_print_json_string(FILE *file, const char *text);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * The shared parts of the `quadrille` commands: connecting, waiting for answers, reporting failures.
 *
 * A command is a function from its command line to an exit status: 0 for success, QD_EXIT_USAGE for an invalid command
 * line, else 1. It reports every failure itself, on the standard error. Everything runs on one thread.
 */
#ifndef QD_TOOLS_CLI_H
#define QD_TOOLS_CLI_H

#include "clock.h"
#include "options.h"
#include "quadrille.h"

#include <stdio.h>

/* The time limit for an answer of the server. */
#define QD_CLI_TIMEOUT_MS 5000

#define QD_CLI_COUNT(array) (sizeof(array) / sizeof(array)[0])

typedef struct qd_cli {
    const char *program;                     /* "quadrille open", for messages */
    const char *server;                      /* HOST:PORT */
    const char *token;                       /* NULL: the user's own (own_token.h); empty: none */
    bool tls;                                /* also if one of the next three is given */
    const char *tls_ca, *tls_cert, *tls_key; /* files; NULL: none */
    bool json;                               /* of the commands that can print JSON */
    bool no_wait;                            /* of the commands that change a room */
} qd_cli;

/* The options of every command; the last rows of its table. */
#define QD_CLI_SERVER_OPTIONS(cli)                                                                                     \
    QD_TEXT_ROW("--server", "HOST:PORT", "connect to this server", (cli)->server,                                      \
                "QUADRILLE_SERVER, or 127.0.0.1:7400"),                                                                \
        QD_TLS_ROWS((cli)->tls, (cli)->tls_ca, (cli)->tls_cert, (cli)->tls_key)
/* Of the bench, too. */
#define QD_TLS_ROWS(tls, ca, cert, key)                                                                                \
    QD_FLAG_ROW("--tls", "encrypt the connection; also if another --tls option is given", tls),                        \
        QD_TEXT_ROW("--tls-ca", "PATH", "trust the CAs in this file (PEM)", ca,                                        \
                    "QUADRILLE_TLS_CA, or those of the system"),                                                       \
        QD_TEXT_ROW("--tls-cert", "PATH", "present the certificate in this file (PEM)", cert, "none"),                 \
        QD_TEXT_ROW("--tls-key", "PATH", "use the private key in this file (PEM)", key, "none")
/* Of each command that prints values. `what` describes the output: "an object with tick, more and found". */
#define QD_CLI_JSON_OPTION(cli, what) QD_FLAG_ROW("--json", "print JSON: " what, (cli)->json)
/* Of each command that changes a room. */
#define QD_CLI_WAIT_OPTION(cli)                                                                                        \
    QD_FLAG_ROW("--no-wait", "do not wait for the tick that contains the change", (cli)->no_wait)

/* The whole program, without its streams' beginning. argv[0] is its name. */
int qd_quadrille(int argc, char **argv);

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
int qd_command_step(qd_cli *cli, int argc, char **argv);
int qd_command_sessions(qd_cli *cli, int argc, char **argv);
int qd_command_token(qd_cli *cli, int argc, char **argv);
int qd_command_top(qd_cli *cli, int argc, char **argv);
int qd_command_ping(qd_cli *cli, int argc, char **argv);
int qd_command_events(qd_cli *cli, int argc, char **argv);
int qd_command_watch(qd_cli *cli, int argc, char **argv);
int qd_command_swarm(qd_cli *cli, int argc, char **argv);
int qd_command_replay(qd_cli *cli, int argc, char **argv);

/* Reports a failure. Returns 1, the exit status. */
int qd_cli_fail(const qd_cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Reports why the session ended. Returns 1. */
int qd_cli_fail_session(const qd_cli *cli, const qd_client *client);
/* Reports an Error of the server. Returns 1. */
int qd_cli_fail_error(const qd_cli *cli, const qd_msg_error *error);
/* Reports what the server refused, if the message says so: see qd_client_refusal. The entities of the batch have these ids.
 * Returns 1 then, else 0. */
int qd_cli_fail_refusal(const qd_cli *cli, const qd_server_message *message, const uint32_t *ids, uint32_t ids_count);
/* Reports that the server is about to close the connection, and why. Returns 1. */
int qd_cli_fail_go_away(const qd_cli *cli, const qd_msg_go_away *go_away);

/* What the options say of TLS. false: a file cannot be read; `error` says why. *tls is NULL without TLS; otherwise the
 * caller destroys it. */
bool qd_cli_read_tls(bool tls, const qd_client_tls_files *files, qd_client_tls **result, char *error,
                     size_t error_size);
/* Opens a session; NULL: failed and reported. */
qd_client *qd_cli_connect(const qd_cli *cli);
/* Waits for the answer to a request. NULL: another kind of answer, or none; reported. */
const qd_server_message *qd_cli_answer(const qd_cli *cli, qd_client *client, uint64_t seq, qd_server_kind kind);

/* The values of RoomOpened; unlike the message, they stay valid. */
typedef struct qd_cli_room {
    uint64_t handle;
    qd_msg_room_config config;
    uint64_t tick;
    bool created;
} qd_cli_room;

/* Joins the room, or with `config` creates it; reports a failure. */
bool qd_cli_open_room(const qd_cli *cli, qd_client *client, const char *name, const qd_msg_room_config *config,
                      qd_cli_room *room);
/* Opens a session and joins the room; NULL: failed and reported. */
qd_client *qd_cli_join(const qd_cli *cli, const char *name, qd_cli_room *room);

/* Whether the room ticks by Step alone. */
bool qd_cli_is_stepped(const qd_cli_room *room);
/* Whether the room has the dimensions of the values on the command line; reports a difference. */
bool qd_cli_check_dimensions(const qd_cli *cli, const char *name, const qd_cli_room *room, uint32_t dimensions);

/* What became of a change. */
typedef struct qd_cli_outcome {
    int status; /* the exit status; 1: batches or entries were refused, or the session ended */
    uint64_t
        tick; /* the tick that contains the change; 0: not known, because the room is stepped or --no-wait is given */
} qd_cli_outcome;

/* Waits until a tick contains the batches from first_seq on, each with up to `piece` of the ids in turn. They were sent
 * after qd_client_confirm. In a room that ticks by Step, and with --no-wait, waits only until the server has answered
 * them. Reports what is refused. */
qd_cli_outcome qd_cli_settle(const qd_cli *cli, qd_client *client, const qd_cli_room *room, uint64_t first_seq,
                             const uint32_t *ids, uint32_t count, uint32_t piece);
/* Prints `count` entities and what was done, such as "moved". */
void qd_cli_print_done(const qd_cli *cli, const char *name, const qd_cli_room *room, qd_cli_outcome outcome,
                       uint32_t count, const char *done);

/* Parses `count` entity ids. Returns 0, or the exit status of a misuse that it has reported. */
int qd_cli_parse_ids(const qd_cli *cli, char **texts, uint32_t count, uint32_t *ids);

/* From now on SIGINT, SIGTERM and SIGHUP set a flag instead of ending the program, for commands that clean up first. A
 * write to a closed pipe fails instead of ending the program. */
void qd_cli_catch_signals(void);
bool qd_cli_stopped(void);

#endif

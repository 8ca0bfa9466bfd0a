/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the command of `quadrille`. Each command is a function (cli.h) that parses its own arguments.
 */
#include "cli.h"
#include "streams.h"

#include <stdlib.h>
#include <string.h>

#define COMMANDS(X)                                                                                                    \
    X(rooms, "list the open rooms")                                                                                    \
    X(sessions, "list the sessions of the server, or of a room")                                                       \
    X(stats, "print statistics of the server, or of a room")                                                           \
    X(open, "create a room, or check an open one")                                                                     \
    X(close, "close a room")                                                                                           \
    X(step, "make a room tick that ticks by step")                                                                     \
    X(spawn, "add entities to a room")                                                                                 \
    X(move, "move entities")                                                                                           \
    X(teleport, "move entities by a jump")                                                                             \
    X(reshape, "give entities another shape and size")                                                                 \
    X(despawn, "remove entities")                                                                                      \
    X(adopt, "give a dead backend's entities to the room")                                                             \
    X(describe, "set what observers see of entities")                                                                  \
    X(snapshot, "print the present entities of a room")                                                                \
    X(query, "find entities in a region, near a point, or on a ray")                                                   \
    X(watch, "show a room live in the terminal")                                                                       \
    X(events, "print the pair events of a room, one per line")                                                         \
    X(observe, "print the changes of an observer's view, one per line")                                                \
    X(watchers, "print which observers see entities, one change per line")                                             \
    X(why, "print whether one entity sees another, and the reason")                                                    \
    X(swarm, "move bots in rooms")                                                                                     \
    X(replay, "play a recorded trace into a room, and check the events")                                               \
    X(token, "mint a join token, or show one")                                                                         \
    X(top, "show rooms, sessions and workers live, from the admin API")                                                \
    X(ping, "measure the round trip to the server")                                                                    \
    X(help, "show the commands, or the help of one")

static int qd_command_help(qd_cli *cli, int argc, char **argv);

typedef int (*command_fn)(qd_cli *cli, int argc, char **argv);

#define X(name, help) {#name, help},
static const qd_option_topic commands[] = {COMMANDS(X){NULL, NULL}};
#undef X
#define X(name, help) qd_command_##name,
static const command_fn functions[] = {COMMANDS(X)};
#undef X

static const char *from_environment(const char *name, const char *otherwise)
{
    const char *value = getenv(name);

    return value != NULL && value[0] != '\0' ? value : otherwise;
}

static int run_command(qd_cli *cli, int argc, char **argv)
{
    for (size_t i = 0; i < QD_CLI_COUNT(functions); i++) {
        if (strcmp(commands[i].name, argv[0]) != 0) {
            continue;
        }
        char program[32];
        snprintf(program, sizeof program, "quadrille %s", commands[i].name);
        cli->program = program;
        return qd_streams_end(program, functions[i](cli, argc, argv));
    }
    const qd_option_topic *meant = qd_topics_nearest(commands, argv[0]);
    return qd_options_misuse("quadrille", "unknown command '%.64s'%s%s", argv[0],
                             meant != NULL ? "; the nearest is " : "", meant != NULL ? meant->name : "");
}

static int qd_command_help(qd_cli *cli, int argc, char **argv)
{
    static const qd_usage usage = {"quadrille help", "[COMMAND]",
                                   "Shows the commands, or the help of one, as `quadrille COMMAND --help` does.",
                                   .arguments_max = 1};
    int status = 0;
    const int count = qd_options_parse(&usage, NULL, 0, argc, argv, &status);

    if (count < 0) {
        return status;
    }
    char help[] = "--help";
    if (count == 0) {
        return qd_quadrille(2, (char *[]){"quadrille", help, NULL});
    }
    return run_command(cli, 2, (char *[]){argv[0], help, NULL});
}

int qd_quadrille(int argc, char **argv)
{
    static const qd_option_topic variables[] = {
        {"QUADRILLE_SERVER", "the server to connect to, if --server is not given (127.0.0.1:7400)"},
        {"QUADRILLE_TOKEN", "the token to present to the server, or empty for none; you may close rooms that were "
                            "opened with it (your own, in the file quadrille/token in XDG_STATE_HOME)"},
        {"QUADRILLE_TLS_CA",
         "the file with the CA of the server's certificate, if --tls-ca is not given; turns TLS on"},
        {"XDG_STATE_HOME", "the folder of the file with your own token, created at the first use (~/.local/state)"},
        {"QUADRILLE_ADMIN", "the admin API that `quadrille top` reads, if --admin is not given (127.0.0.1:7401)"},
        {"QUADRILLE_ADMIN_TOKEN", "the token that `quadrille top` presents to the admin API (none)"},
        {"NO_COLOR", "if set, `quadrille watch` draws without colors"},
        {NULL, NULL}};
    char version[32];

    snprintf(version, sizeof version, "quadrille %s", qd_version());
    const qd_usage usage = {
        .program = "quadrille",
        .arguments = "COMMAND [ARGUMENT...]",
        .text = "The command line client of a Quadrille server. The options may also follow the command.\n"
                "`quadrille COMMAND --help` shows a command's own arguments and options.",
        .arguments_min = 1,
        .arguments_max = INT32_MAX,
        .version = version,
        .summary = "command line client of a Quadrille server",
        .commands = commands,
        .commands_title = "commands",
        .variables = variables,
        .first_argument_ends_options = true,
    };
    qd_cli cli = {
        .program = "quadrille",
        .server = from_environment("QUADRILLE_SERVER", "127.0.0.1:7400"),
        .token = getenv("QUADRILLE_TOKEN"),
        .tls_ca = from_environment("QUADRILLE_TLS_CA", NULL),
    };
    const qd_option options[] = {QD_CLI_SERVER_OPTIONS(&cli)};
    int status = 0;
    const int count = qd_options_parse(&usage, options, QD_CLI_COUNT(options), argc, argv, &status);

    return count < 0 ? status : run_command(&cli, count, argv);
}

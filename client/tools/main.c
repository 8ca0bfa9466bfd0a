/* SPDX-License-Identifier: Apache-2.0
 *
 * quadrille: the command line client of a Quadrille server. This file finds the command. Each command is a function
 * (cli.h) that parses its own arguments.
 */
#include "cli.h"
#include "streams.h"

#include <stdlib.h>
#include <string.h>

typedef struct command {
    const char *name;
    const char *summary;
    int (*run)(qd_cli *cli, int argc, char **argv);
} command;

static const command commands[] = {
    {"rooms", "list the open rooms", qd_command_rooms},
    {"stats", "print statistics of the server, or of a room", qd_command_stats},
    {"open", "create a room, or check an open one", qd_command_open},
    {"close", "close a room", qd_command_close},
    {"spawn", "add entities to a room", qd_command_spawn},
    {"move", "move entities", qd_command_move},
    {"teleport", "move entities by a jump", qd_command_teleport},
    {"reshape", "give entities another shape and size", qd_command_reshape},
    {"despawn", "remove entities", qd_command_despawn},
    {"adopt", "give a dead backend's entities to the room", qd_command_adopt},
    {"describe", "set what observers see of entities", qd_command_describe},
    {"snapshot", "print the present entities of a room", qd_command_snapshot},
    {"query", "find entities in a region, near a point, or on a ray", qd_command_query},
    {"watch", "show a room live in the terminal", qd_command_watch},
    {"events", "print the pair events of a room, one per line", qd_command_events},
    {"observe", "print the changes of an observer's view, one per line", qd_command_observe},
    {"watchers", "print which observers see entities, one change per line", qd_command_watchers},
    {"why", "print whether one entity sees another, and the reason", qd_command_why},
    {"swarm", "move bots in rooms", qd_command_swarm},
    {"replay", "play a recorded trace into a room, and check the events", qd_command_replay},
    {"ping", "measure the round trip to the server", qd_command_ping},
};
#define COMMANDS_COUNT (sizeof commands / sizeof commands[0])

static void print_help(void)
{
    printf("usage: quadrille [--server HOST:PORT] COMMAND [ARGUMENT...] [OPTION...]\n\n"
           "The command line client of a Quadrille server.\n\ncommands:\n");
    for (size_t i = 0; i < COMMANDS_COUNT; i++) {
        printf("  %-9s %s\n", commands[i].name, commands[i].summary);
    }
    printf("\noptions:\n"
           "  --server HOST:PORT   connect to this server; also after the command\n"
           "  --version            print the version\n"
           "  --help               show this; after a command, show its own help\n\n"
           "environment:\n"
           "  QUADRILLE_SERVER     the server, if --server is not given (127.0.0.1:7400)\n"
           "  QUADRILLE_TOKEN      the token to present to the server; it also allows you to close rooms that were\n"
           "                       opened with it\n\n"
           "The exit status is 0 if the command did everything, %d for an invalid command line, else 1.\n",
           QD_EXIT_USAGE);
}

static const char *from_environment(const char *name, const char *otherwise)
{
    const char *value = getenv(name);

    return value != NULL && value[0] != '\0' ? value : otherwise;
}

static int run_command(qd_cli *cli, int argc, char **argv)
{
    for (size_t i = 0; i < COMMANDS_COUNT; i++) {
        if (strcmp(commands[i].name, argv[0]) != 0) {
            continue;
        }
        char program[32];
        snprintf(program, sizeof program, "quadrille %s", commands[i].name);
        cli->program = program;
        return qd_streams_end(program, commands[i].run(cli, argc, argv));
    }
    return qd_options_misuse("quadrille", "unknown command '%s'", argv[0]);
}

int main(int argc, char **argv)
{
    qd_streams_begin();
    qd_cli cli = {
        .program = "quadrille",
        .server = from_environment("QUADRILLE_SERVER", "127.0.0.1:7400"),
        .token = from_environment("QUADRILLE_TOKEN", NULL),
    };
    int at = 1;
    for (; at < argc && argv[at][0] == '-'; at++) {
        if (strcmp(argv[at], "--help") == 0 || strcmp(argv[at], "-h") == 0) {
            print_help();
            return qd_streams_end("quadrille", 0);
        }
        if (strcmp(argv[at], "--version") == 0) {
            printf("quadrille %s\n", qd_version());
            return qd_streams_end("quadrille", 0);
        }
        if (strncmp(argv[at], "--server=", 9) == 0) {
            cli.server = argv[at] + 9;
        } else if (strcmp(argv[at], "--server") == 0 && at + 1 < argc) {
            cli.server = argv[++at];
        } else if (strcmp(argv[at], "--server") == 0) {
            return qd_options_misuse("quadrille", "--server needs a value: --server HOST:PORT");
        } else {
            return qd_options_misuse("quadrille", "unknown option '%s'", argv[at]);
        }
    }
    if (at == argc) {
        return qd_options_misuse("quadrille", "no command given");
    }
    return run_command(&cli, argc - at, argv + at);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * quadrille step: makes a room tick that ticks by Step.
 */
#include "cli.h"
#include "plain.h"

#include <inttypes.h>

#define STEPS_MAX 1000000u

static void print_late(const qd_msg_applied *applied)
{
    for (uint32_t i = 0; i < applied->late_listed; i++) {
        printf("session %" PRIu64 " was late\n", applied->late[i]);
    }
    if (applied->late_count > applied->late_listed) {
        printf("and %u more sessions\n", applied->late_count - applied->late_listed);
    }
}

static void print_json(const char *name, const qd_msg_applied *applied)
{
    printf("{\"room\": ");
    qd_plain_print_json(stdout, name);
    printf(", \"tick\": %" PRIu64 ", \"late\": [", applied->tick);
    for (uint32_t i = 0; i < applied->late_listed; i++) {
        printf("%s%" PRIu64, i > 0 ? ", " : "", applied->late[i]);
    }
    printf("], \"late_total\": %u}\n", applied->late_count);
}

/* In lockstep, the answer waits for other sessions until the deadline. */
static int step(const qd_cli *cli, qd_client *client, const char *name, const qd_cli_room *room, uint32_t steps)
{
    const uint32_t deadline_ms = room->config.writers > 0 ? room->config.step_deadline_ms : 0;

    for (uint32_t i = 0; i < steps; i++) {
        const uint64_t seq = qd_client_step(client, room->handle, 0);
        const qd_server_message *answer =
            seq != 0 ? qd_client_answer(client, seq, (int)(QD_CLI_TIMEOUT_MS + deadline_ms)) : NULL;

        if (answer == NULL) {
            return qd_cli_fail_session(cli, client);
        }
        if (answer->kind == QD_SERVER_ERROR) {
            return qd_cli_fail_error(cli, &answer->as.error);
        }
        if (answer->kind != QD_SERVER_APPLIED) {
            return qd_cli_fail(cli, "the server sent an answer of the wrong kind, %d", (int)answer->kind);
        }
        if (cli->json) {
            print_json(name, &answer->as.applied);
        } else {
            print_late(&answer->as.applied);
            printf("tick %" PRIu64 "\n", answer->as.applied.tick);
        }
        fflush(stdout);
    }
    return 0;
}

int qd_command_step(qd_cli *cli, int argc, char **argv)
{
    static const qd_usage usage = {
        "quadrille step", "ROOM [N]",
        "Makes a room tick once, or N times, and prints the number of each tick. The room ticks\n"
        "by Step (`quadrille open --step`). In lockstep (--writers) each tick waits for the other\n"
        "sessions, at most until the room's deadline, and sessions that are late are named.",
        .arguments_min = 1, .arguments_max = 2};
    const qd_option options[] = {QD_CLI_JSON_OPTION(cli, "per tick an object with room, tick, late and late_total"),
                                 QD_CLI_SERVER_OPTIONS(cli)};
    uint32_t steps = 1;
    int status = 0;
    const int count = qd_options_parse(&usage, options, QD_CLI_COUNT(options), argc, argv, &status);

    if (count < 0) {
        return status;
    }
    if (count == 2 && (!qd_options_uint32(argv[1], &steps) || steps == 0 || steps > STEPS_MAX)) {
        return qd_options_misuse(cli->program, "N is '%.64s'; must be a whole number from 1 to %u", argv[1], STEPS_MAX);
    }
    qd_cli_room room;
    qd_client *client = qd_cli_join(cli, argv[0], &room);
    status = 1;
    if (client != NULL && !qd_cli_is_stepped(&room)) {
        qd_cli_fail(cli, "room %s ticks on its own clock, at %u Hz: open one with `quadrille open --step`", argv[0],
                    room.config.tick_hz);
    } else if (client != NULL) {
        status = step(cli, client, argv[0], &room, steps);
    }
    qd_client_destroy(client);
    return status;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * quadrille events: the event stream of a room as lines.
 */
#include "cli.h"

#include <inttypes.h>

#define WAIT_MS 200

typedef struct printer {
    const qd_cli *cli;
    bool json;
    uint64_t count; /* of events so far, of all kinds */
    uint64_t count_max;
} printer;

static bool is_done(const printer *out)
{
    return out->count >= out->count_max || ferror(stdout) != 0;
}

/* What happened to the stream as a whole; `name` and `value` are one more figure, or NULL. */
static void print_notice(const printer *out, uint64_t tick, const char *kind, const char *name, uint64_t value)
{
    if (out->json && name != NULL) {
        printf("{\"tick\": %" PRIu64 ", \"kind\": \"%s\", \"%s\": %" PRIu64 "}\n", tick, kind, name, value);
    } else if (out->json) {
        printf("{\"tick\": %" PRIu64 ", \"kind\": \"%s\"}\n", tick, kind);
    } else if (name != NULL) {
        printf("%" PRIu64 " %s %s %" PRIu64 "\n", tick, kind, name, value);
    } else {
        printf("%" PRIu64 " %s\n", tick, kind);
    }
}

static void print_pairs(printer *out, uint64_t tick, const char *kind, const qd_msg_pairs *pairs,
                        const uint8_t *end_reason)
{
    for (uint32_t i = 0; i < pairs->count && !is_done(out); i++, out->count++) {
        if (out->json) {
            printf("{\"tick\": %" PRIu64 ", \"kind\": \"%s\", \"a\": %u, \"b\": %u", tick, kind, pairs->a[i],
                   pairs->b[i]);
        } else {
            printf("%" PRIu64 " %s %u %u", tick, kind, pairs->a[i], pairs->b[i]);
        }
        if (end_reason != NULL) {
            printf(out->json ? ", \"reason\": \"%s\"" : " %s", qd_end_reason_name((qd_end_reason)end_reason[i]));
        }
        fputs(out->json ? "}\n" : "\n", stdout);
    }
}

static void print_tick(printer *out, const qd_msg_tick *tick)
{
    if (tick->skipped > 0) {
        print_notice(out, tick->tick, "skipped", "ticks", tick->skipped);
    }
    if (tick->suspended) {
        print_notice(out, tick->tick, "suspended", "events", tick->suspended_count);
    }
    if (tick->merged_ticks > 0) {
        print_notice(out, tick->tick, "merged", "ticks", tick->merged_ticks);
    }
    if (tick->reset) {
        print_notice(out, tick->tick, "reset", NULL, 0);
    }
    print_pairs(out, tick->tick, "end", &tick->ends, tick->end_reason);
    print_pairs(out, tick->tick, "begin", &tick->begins, NULL);
    print_pairs(out, tick->tick, "passed", &tick->passed, NULL);
    print_pairs(out, tick->tick, "stay", &tick->stays, NULL);
}

/* Returns whether the stream goes on. */
static bool print_message(printer *out, const qd_server_message *message, int *status)
{
    switch (message->kind) {
    case QD_SERVER_TICK:
        print_tick(out, &message->as.tick);
        return true;
    case QD_SERVER_ROOM_CLOSED:
        fprintf(stderr, "%s: the room was closed\n", out->cli->program);
        return false;
    case QD_SERVER_ERROR:
        *status = qd_cli_fail_error(out->cli, &message->as.error);
        return false;
    default:
        return true;
    }
}

static int follow(printer *out, qd_client *client, double seconds)
{
    const uint64_t start_ns = qd_cli_now_ns();
    int status = 0;

    qd_cli_catch_signals();
    while (!qd_cli_stopped() && !is_done(out)) {
        if (seconds > 0 && (double)(qd_cli_now_ns() - start_ns) >= seconds * 1e9) {
            break;
        }
        const qd_server_message *message = qd_client_next(client);
        if (message == NULL) {
            /* All that has come in is printed: show it before waiting. */
            fflush(stdout);
            message = qd_client_wait(client, WAIT_MS);
        }
        if (message == NULL && qd_client_state(client) != QD_CLIENT_OK) {
            return qd_cli_fail_session(out->cli, client);
        }
        if (message != NULL && !print_message(out, message, &status)) {
            break;
        }
    }
    if (status == 0 && out->count_max < UINT64_MAX && out->count < out->count_max && !qd_cli_stopped()) {
        status =
            qd_cli_fail(out->cli, "only %" PRIu64 " of --count %" PRIu64 " events came", out->count, out->count_max);
    }
    return status;
}

int qd_command_events(qd_cli *cli, int argc, char **argv)
{
    static const qd_usage usage = {
        "quadrille events", "ROOM",
        "Prints what begins and ends in a room, a line an event: its tick, `begin` or `end`, the\n"
        "two ids, and why it ended. A line `TICK reset` says that the set of pairs starts anew,\n"
        "with the begins that follow: so it does at first. `TICK merged ticks N` before it says\n"
        "that it stands for the last N ticks, which were not read fast enough. In a swept room\n"
        "`passed` is a pair that touched only since the tick before. Until interrupted.",
        1, 1};
    bool own = false, stays = false, json = false;
    double seconds = 0;
    uint32_t count = 0;
    const qd_option options[] = {
        {"--own", NULL, "only pairs of entities that this session owns", QD_OPTION_FLAG, &own, 0, 0},
        {"--stays", NULL, "also, at each tick, the pairs that go on", QD_OPTION_FLAG, &stays, 0, 0},
        {"--json", NULL, "print a JSON object a line", QD_OPTION_FLAG, &json, 0, 0},
        {"--seconds", "N", "stop after so long", QD_OPTION_REAL, &seconds, 0.001, 1e9},
        {"--count", "N", "stop after so many events; fail when fewer come", QD_OPTION_NUMBER, &count, 1, UINT32_MAX},
        QD_CLI_SERVER_OPTION(cli)};
    int status = 0;

    if (qd_options_parse(&usage, options, QD_CLI_COUNT(options), argc, argv, &status) < 0) {
        return status;
    }

    qd_cli_room room;
    qd_client *client = qd_cli_connect(cli);
    if (client == NULL) {
        return 1;
    }
    status = 1;
    if (qd_cli_open_room(cli, client, argv[0], NULL, &room)) {
        printer out = {.cli = cli, .json = json, .count_max = count > 0 ? count : UINT64_MAX};

        if (qd_client_subscribe(client, room.handle, own ? QD_SCOPE_OWN : QD_SCOPE_ALL, stays) == 0) {
            qd_cli_fail_session(cli, client);
        } else {
            status = follow(&out, client, seconds);
        }
    }
    qd_client_destroy(client);
    return status;
}

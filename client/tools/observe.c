/* SPDX-License-Identifier: Apache-2.0
 *
 * quadrille observe: what one observer sees, as lines.
 */
#include "observer.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>

#define WAIT_MS 200

typedef struct printer {
    const qd_cli *cli;
    bool json, is_3d;
    uint64_t count; /* of enters and leaves so far */
    uint64_t count_max;
    uint64_t tick;
} printer;

static bool is_done(const printer *out)
{
    return out->count >= out->count_max || ferror(stdout) != 0;
}

static void print_notice(const printer *out, uint64_t tick, const char *kind)
{
    printf(out->json ? "{\"tick\": %" PRIu64 ", \"kind\": \"%s\"}\n" : "%" PRIu64 " %s\n", tick, kind);
}

static void print_start(const printer *out, const char *kind, uint32_t id)
{
    printf(out->json ? "{\"tick\": %" PRIu64 ", \"kind\": \"%s\", \"id\": %u" : "%" PRIu64 " %s %u", out->tick, kind,
           id);
}

static void print_end(const printer *out)
{
    fputs(out->json ? "}\n" : "\n", stdout);
}

static void print_place(const printer *out, const qd_view_entity *entity)
{
    printf(out->json ? ", \"x\": %.9g, \"y\": %.9g" : " at %.9g,%.9g", (double)entity->x, (double)entity->y);
    if (out->is_3d)
        printf(out->json ? ", \"z\": %.9g" : ",%.9g", (double)entity->z);
}

/* What is no plain character, as two hexadecimal digits behind \x; in JSON all bytes so, without it. */
static void print_payload(const printer *out, const qd_view_entity *entity)
{
    fputs(out->json ? ", \"payload\": \"" : " payload \"", stdout);
    for (uint32_t i = 0; i < entity->payload_size; i++) {
        uint8_t byte = entity->payload[i];
        if (out->json)
            printf("%02x", byte);
        else if (isprint(byte) && byte != '"' && byte != '\\')
            putchar(byte);
        else
            printf("\\x%02x", byte);
    }
    putchar('"');
}

static void on_enter(const qd_view_entity *entity, void *context)
{
    printer *out = context;
    if (is_done(out))
        return;
    out->count++;
    print_start(out, "enter", entity->id);
    print_place(out, entity);
    if (entity->tag != 0)
        printf(out->json ? ", \"tag\": %" PRIu64 : " tag %" PRIu64, entity->tag);
    if (entity->payload_size > 0)
        print_payload(out, entity);
    print_end(out);
}

static void on_leave(const qd_view_entity *entity, qd_leave_reason reason, void *context)
{
    printer *out = context;
    /* What a reset forgets is told by its own line. */
    if (reason == 0 || is_done(out))
        return;
    out->count++;
    print_start(out, "leave", entity->id);
    printf(out->json ? ", \"reason\": \"%s\"" : " %s", qd_leave_reason_name(reason));
    print_end(out);
}

static void on_relay(const qd_view_entity *entity, void *context)
{
    printer *out = context;
    if (is_done(out))
        return;
    print_start(out, "relay", entity->id);
    print_place(out, entity);
    print_end(out);
}

/* Returns 0, or the exit status of a failure, which is reported. */
static int print_view(printer *out, qd_view *view, const qd_msg_view *frame)
{
    out->tick = frame->tick;
    if (frame->suspended)
        print_notice(out, frame->tick, "suspended");
    if (frame->merged_ticks > 0)
        printf(out->json ? "{\"tick\": %" PRIu64 ", \"kind\": \"merged\", \"ticks\": %" PRIu64 "}\n"
                         : "%" PRIu64 " merged ticks %" PRIu64 "\n",
               frame->tick, frame->merged_ticks);
    if (frame->reset)
        print_notice(out, frame->tick, "reset");
    if (qd_view_apply(view, frame) == QD_CLIENT_OK)
        return 0;
    return qd_cli_fail(out->cli, "the views of the room contradict each other, or memory is short");
}

/* Returns whether the stream goes on. */
static bool print_message(printer *out, qd_view *view, const qd_observer *observer, uint32_t observe_seq,
                          const qd_server_message *message, int *status)
{
    switch (message->kind) {
    case QD_SERVER_VIEW:
        *status = print_view(out, view, &message->as.view);
        return *status == 0;
    case QD_SERVER_ROOM_CLOSED:
        fprintf(stderr, "%s: the room was closed\n", out->cli->program);
        return false;
    case QD_SERVER_ERROR:
        if (message->seq == observe_seq && observer->anchored)
            *status = qd_cli_fail_batch(out->cli, &message->as.error, &observer->entity, 1);
        else
            *status = qd_cli_fail_error(out->cli, &message->as.error);
        return false;
    default:
        return true;
    }
}

static int follow(printer *out, qd_client *client, const qd_observer *observer, uint32_t observe_seq, qd_view *view,
                  double seconds)
{
    const uint64_t start_ns = qd_cli_now_ns();
    int status = 0;
    qd_cli_catch_signals();
    while (!qd_cli_stopped() && !is_done(out)) {
        double left_s = seconds > 0 ? seconds - (double)(qd_cli_now_ns() - start_ns) / 1e9 : INFINITY;
        if (left_s <= 0)
            break;
        const qd_server_message *message = qd_client_next(client);
        if (message == NULL) {
            /* All that has come in is printed: show it before waiting. */
            fflush(stdout);
            message = qd_client_wait(client, (int)fmin(WAIT_MS, ceil(left_s * 1000)));
        }
        if (message == NULL && qd_client_state(client) != QD_CLIENT_OK)
            return qd_cli_fail_session(out->cli, client);
        if (message != NULL && !print_message(out, view, observer, observe_seq, message, &status))
            break;
    }
    if (status == 0 && out->count_max < UINT64_MAX && out->count < out->count_max && !qd_cli_stopped())
        status = qd_cli_fail(out->cli, "only %" PRIu64 " of --count %" PRIu64 " enters and leaves came", out->count,
                             out->count_max);
    return status;
}

int qd_observer_print(const qd_cli *cli, const char *room_name, const qd_observer *observer, bool json, double seconds,
                      uint32_t count_max)
{
    qd_cli_room room;
    printer out = {.cli = cli, .json = json, .count_max = count_max > 0 ? count_max : UINT64_MAX};
    const qd_view_handlers handlers = {.enter = on_enter, .leave = on_leave, .relay = on_relay, .context = &out};
    qd_client *client = qd_cli_connect(cli);
    if (client == NULL)
        return 1;
    int status = 1;
    if (qd_cli_open_room(cli, client, room_name, NULL, &room) &&
        (observer->dimensions == 0 || qd_cli_check_dimensions(cli, room_name, &room, observer->dimensions))) {
        qd_view *view = qd_view_create(&handlers);
        uint32_t seq = qd_observer_send(observer, client, &room);
        out.is_3d = room.config.dimensions == 3;
        if (view == NULL)
            qd_cli_fail(cli, "out of memory");
        else if (seq == 0)
            qd_cli_fail_session(cli, client);
        else
            status = follow(&out, client, observer, seq, view, seconds);
        qd_view_destroy(view);
    }
    qd_client_destroy(client);
    return status;
}

int qd_command_observe(qd_cli *cli, int argc, char **argv)
{
    static const qd_usage usage = {
        "quadrille observe", "ROOM (ID | X,Y[,Z])",
        "Makes an observer around an entity (of the room's own, as `quadrille spawn` makes them)\n"
        "or at a point, and prints what it sees, a line an event: its tick, `enter`, the entity's\n"
        "id and place, with its tag and payload; or `leave`, the id, and why; or `relay`, the id\n"
        "and the new place (--relay). A line `TICK reset` says that the view starts anew, with\n"
        "the enters that follow, `TICK merged ticks N` before it for how many ticks that stands,\n"
        "`TICK suspended` that the room has too much to see. Until interrupted; then the observer\n"
        "is gone.",
        2, 2};
    qd_observer_options given = QD_OBSERVER_DEFAULTS;
    bool json = false;
    double seconds = 0;
    uint32_t count = 0;
    const qd_option options[] = {
        QD_OBSERVER_ROWS(&given),
        {"--json", NULL, "print a JSON object a line; payloads as hexadecimal digits", QD_OPTION_FLAG, &json, 0, 0},
        {"--seconds", "N", "stop after so long", QD_OPTION_REAL, &seconds, 0.001, 1e9},
        {"--count", "N", "stop after so many enters and leaves; fail when fewer come", QD_OPTION_NUMBER, &count, 1,
         UINT32_MAX},
        QD_CLI_SERVER_OPTION(cli)};
    int status = 0;
    if (qd_options_parse(&usage, options, QD_CLI_COUNT(options), argc, argv, &status) < 0)
        return status;
    qd_observer observer;
    given.where = argv[1];
    status = qd_observer_parse(cli, &given, &observer);
    return status != 0 ? status : qd_observer_print(cli, argv[0], &observer, json, seconds, count);
}

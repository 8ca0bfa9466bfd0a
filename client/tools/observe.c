/* SPDX-License-Identifier: Apache-2.0
 *
 * quadrille observe: prints the changes of one observer's view, one per line.
 */
#include "lines.h"
#include "observer.h"

#include <ctype.h>
#include <inttypes.h>

typedef struct printer {
    qd_lines lines;
    bool is_3d;
} printer;

static void print_start(const printer *out, const char *kind, uint32_t id)
{
    printf(out->lines.cli->json ? "{\"tick\": %" PRIu64 ", \"kind\": \"%s\", \"id\": %u" : "%" PRIu64 " %s %u",
           out->lines.tick, kind, id);
}

static void print_end(const printer *out)
{
    fputs(out->lines.cli->json ? "}\n" : "\n", stdout);
}

static void print_place(const printer *out, const qd_view_entity *entity)
{
    printf(out->lines.cli->json ? ", \"x\": %.9g, \"y\": %.9g" : " at %.9g,%.9g", (double)entity->x, (double)entity->y);
    if (out->is_3d) {
        printf(out->lines.cli->json ? ", \"z\": %.9g" : ",%.9g", (double)entity->z);
    }
}

/* Bytes that are not plain characters are printed as \xHH; in JSON all bytes are HH. */
static void print_payload(const printer *out, const qd_view_entity *entity)
{
    fputs(out->lines.cli->json ? ", \"payload\": \"" : " payload \"", stdout);
    for (uint32_t i = 0; i < entity->payload_size; i++) {
        uint8_t byte = entity->payload[i];

        if (out->lines.cli->json) {
            printf("%02x", byte);
        } else if (isprint(byte) && byte != '"' && byte != '\\') {
            putchar(byte);
        } else {
            printf("\\x%02x", byte);
        }
    }
    putchar('"');
}

static void on_enter(const qd_view_entity *entity, void *context)
{
    printer *out = context;

    if (qd_lines_done(&out->lines)) {
        return;
    }
    out->lines.count++;
    print_start(out, "enter", entity->id);
    print_place(out, entity);
    if (entity->tag != 0) {
        printf(out->lines.cli->json ? ", \"tag\": %" PRIu64 : " tag %" PRIu64, entity->tag);
    }
    if (entity->payload_size > 0) {
        print_payload(out, entity);
    }
    print_end(out);
}

static void on_leave(const qd_view_entity *entity, qd_leave_reason reason, void *context)
{
    printer *out = context;

    /* A reset has its own line for the entities that it forgets. */
    if (reason == 0 || qd_lines_done(&out->lines)) {
        return;
    }
    out->lines.count++;
    print_start(out, "leave", entity->id);
    printf(out->lines.cli->json ? ", \"reason\": \"%s\"" : " %s", qd_leave_reason_name(reason));
    print_end(out);
}

static void on_relay(const qd_view_entity *entity, void *context)
{
    printer *out = context;

    if (qd_lines_done(&out->lines)) {
        return;
    }
    print_start(out, "relay", entity->id);
    print_place(out, entity);
    print_end(out);
}

int qd_observer_print(const qd_lines *lines, const char *room_name, const qd_observer *observer)
{
    const qd_cli *cli = lines->cli;
    qd_cli_room room;
    printer out = {.lines = *lines};
    const qd_view_handlers handlers = {.enter = on_enter, .leave = on_leave, .relay = on_relay, .context = &out};
    qd_client *client = qd_cli_join(cli, room_name, &room);
    int status = 1;

    if (client != NULL &&
        (observer->dimensions == 0 || qd_cli_check_dimensions(cli, room_name, &room, observer->dimensions))) {
        qd_view *view = qd_view_create(&handlers);
        uint64_t seq = qd_observer_send(observer, client, &room);

        if (observer->anchored) {
            out.lines.seq = seq;
            out.lines.id = &observer->entity;
            out.lines.id_count = 1;
        }
        out.is_3d = room.config.dimensions == 3;
        if (view == NULL) {
            qd_cli_fail(cli, "out of memory");
        } else if (seq == 0) {
            qd_cli_fail_session(cli, client);
        } else {
            status = qd_lines_follow_view(&out.lines, client, view);
        }
        qd_view_destroy(view);
    }
    qd_client_destroy(client);
    return status;
}

int qd_command_observe(qd_cli *cli, int argc, char **argv)
{
    static const qd_usage usage = {
        "quadrille observe", "ROOM (ID | X,Y[,Z])",
        "Creates an observer and prints the changes of its view, one per line. The observer is at\n"
        "a point, or around an entity of the room (`quadrille spawn` adds such entities). A line\n"
        "has the tick, and one of\n"
        "    enter ID at X,Y [tag N] [payload \"TEXT\"]   (in JSON, the payload is hexadecimal)\n"
        "    leave ID REASON\n"
        "    relay ID at X,Y           (with --relay)\n"
        "    reset                     the view is rebuilt: the enters follow\n"
        "    merged ticks N            before a reset: it replaces N ticks\n"
        "    suspended: REASON         the room has too many visible entries, or no memory left\n"
        "Stop it with Ctrl-C; the observer ends with it.",
        .arguments_min = 2, .arguments_max = 2};
    qd_observer_options given = QD_OBSERVER_DEFAULTS;
    qd_lines lines = {.cli = cli, .changes = "enters and leaves"};
    const qd_option options[] = {
        QD_OBSERVER_ROWS(&given), QD_CLI_JSON_OPTION(cli, "per line an object with tick, kind and what the kind has"),
        QD_LINES_ROWS(&lines, "stop after N enters and leaves; fail if fewer come"), QD_CLI_SERVER_OPTIONS(cli)};
    int status = 0;

    if (qd_options_parse(&usage, options, QD_CLI_COUNT(options), argc, argv, &status) < 0) {
        return status;
    }
    qd_observer observer;
    given.where = argv[1];
    status = qd_observer_parse(cli, &given, &observer);
    return status != 0 ? status : qd_observer_print(&lines, argv[0], &observer);
}

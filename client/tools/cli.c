/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

#include "terminal.h"

#include <signal.h>
#include <stdarg.h>

/* The most refused entries that are reported one by one. */
#define ENTRIES_MAX 64u

int qd_cli_fail(const qd_cli *cli, const char *format, ...)
{
    va_list arguments;

    /* The alternate screen would hide the message. */
    qd_terminal_leave();
    va_start(arguments, format);
    fprintf(stderr, "%s: ", cli->program);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return 1;
}

int qd_cli_fail_session(const qd_cli *cli, const qd_client *client)
{
    if (qd_client_state(client) == QD_CLIENT_OK) {
        return qd_cli_fail(cli, "%s did not answer within %d s", cli->server, QD_CLI_TIMEOUT_MS / 1000);
    }
    return qd_cli_fail(cli, "%s", qd_client_error(client));
}

int qd_cli_fail_error(const qd_cli *cli, const qd_msg_error *error)
{
    return qd_cli_fail(cli, "refused: %s (%s)", error->text, qd_error_code_name(error->code));
}

static void report_entries(const qd_cli *cli, const qd_msg_accepted *accepted, const uint32_t *ids, uint32_t ids_count)
{
    uint32_t listed = accepted->refused_count < ENTRIES_MAX ? accepted->refused_count : ENTRIES_MAX;

    for (uint32_t i = 0; i < listed; i++) {
        uint32_t index = accepted->refused_index[i];
        const char *why = qd_error_code_name((qd_error_code)accepted->refused_code[i]);

        if (index < ids_count) {
            qd_cli_fail(cli, "entity %u: %s", ids[index], why);
        } else {
            qd_cli_fail(cli, "entry %u: %s", index, why);
        }
    }
    if (accepted->refused_total > listed) {
        qd_cli_fail(cli, "and %u more", accepted->refused_total - listed);
    }
}

int qd_cli_fail_refusal(const qd_cli *cli, const qd_server_message *message, const uint32_t *ids, uint32_t ids_count)
{
    if (qd_client_refusal(message) == NULL) {
        return 0;
    }
    if (message->kind == QD_SERVER_ERROR) {
        return qd_cli_fail_error(cli, &message->as.error);
    }
    qd_cli_fail(cli, "refused: %s", message->as.accepted.text);
    report_entries(cli, &message->as.accepted, ids, ids_count);
    return 1;
}

int qd_cli_fail_go_away(const qd_cli *cli, const qd_msg_go_away *go_away)
{
    return qd_cli_fail(cli, "%s is about to close the connection: %s", cli->server, go_away->text);
}

qd_client *qd_cli_connect(const qd_cli *cli)
{
    qd_client *client = qd_client_create();

    if (client == NULL) {
        qd_cli_fail(cli, "out of memory");
        return NULL;
    }
    char name[QD_CLIENT_NAME_BYTES_MAX + 1];
    snprintf(name, sizeof name, "quadrille/%s", qd_version());
    if (qd_client_connect(client, cli->server, cli->token, name, QD_CLI_TIMEOUT_MS) == QD_CLIENT_OK) {
        return client;
    }
    qd_cli_fail_session(cli, client);
    qd_client_destroy(client);
    return NULL;
}

static const qd_server_message *await_answer(const qd_cli *cli, qd_client *client, uint64_t seq)
{
    const qd_server_message *answer = seq != 0 ? qd_client_answer(client, seq, QD_CLI_TIMEOUT_MS) : NULL;

    if (answer == NULL) {
        qd_cli_fail_session(cli, client);
    }
    return answer;
}

static bool is_error(const qd_server_message *answer, qd_error_code code)
{
    return answer->kind == QD_SERVER_ERROR && answer->as.error.code == code;
}

static bool is_kind(const qd_cli *cli, const qd_server_message *answer, qd_server_kind kind)
{
    if (answer->kind == kind) {
        return true;
    }
    if (answer->kind == QD_SERVER_ERROR) {
        qd_cli_fail_error(cli, &answer->as.error);
    } else {
        qd_cli_fail(cli, "the server sent an answer of the wrong kind, %d", (int)answer->kind);
    }
    return false;
}

const qd_server_message *qd_cli_answer(const qd_cli *cli, qd_client *client, uint64_t seq, qd_server_kind kind)
{
    const qd_server_message *answer = await_answer(cli, client, seq);

    return answer != NULL && is_kind(cli, answer, kind) ? answer : NULL;
}

bool qd_cli_open_room(const qd_cli *cli, qd_client *client, const char *name, const qd_msg_room_config *config,
                      qd_cli_room *room)
{
    uint64_t seq = qd_client_open_room(client, name, config);
    const qd_server_message *answer = await_answer(cli, client, seq);

    /* The server's own text is for authors of clients. */
    if (answer != NULL && config == NULL && is_error(answer, QD_ERROR_UNKNOWN_ROOM)) {
        return qd_cli_fail(cli, "no room \"%s\" is open: see `quadrille rooms`, or create one by `quadrille open` (%s)",
                           name, qd_error_code_name(QD_ERROR_UNKNOWN_ROOM)) == 0;
    }
    if (answer == NULL || !is_kind(cli, answer, QD_SERVER_ROOM_OPENED)) {
        return false;
    }
    const qd_msg_room_opened *opened = &answer->as.room_opened;
    *room = (qd_cli_room){
        .handle = opened->room, .config = opened->config, .tick = opened->tick, .created = opened->created};
    return true;
}

qd_client *qd_cli_join(const qd_cli *cli, const char *name, qd_cli_room *room)
{
    qd_client *client = qd_cli_connect(cli);

    if (client == NULL || qd_cli_open_room(cli, client, name, NULL, room)) {
        return client;
    }
    qd_client_destroy(client);
    return NULL;
}

bool qd_cli_check_dimensions(const qd_cli *cli, const char *name, const qd_cli_room *room, uint32_t dimensions)
{
    if (room->config.dimensions == dimensions) {
        return true;
    }
    return qd_cli_fail(cli, "room %s has %u dimensions, but the given values have %u: give %s", name,
                       room->config.dimensions, dimensions, dimensions == 3 ? "x and y only" : "z as well") == 0;
}

int qd_cli_settle(const qd_cli *cli, qd_client *client, uint64_t room, uint64_t first_seq, const uint32_t *ids,
                  uint32_t count, uint32_t piece)
{
    int status = 0;
    uint64_t barrier = qd_client_get_stats(client, room);

    while (barrier != 0) {
        const qd_server_message *message = qd_client_wait(client, QD_CLI_TIMEOUT_MS);

        if (message == NULL) {
            break;
        }
        if (message->seq >= first_seq && message->seq < barrier) {
            uint32_t at = (uint32_t)(message->seq - first_seq) * piece;

            status |= qd_cli_fail_refusal(cli, message, ids + at, count - at);
        } else if (message->kind == QD_SERVER_ERROR) {
            return qd_cli_fail_error(cli, &message->as.error);
        }
        if (message->seq == barrier) {
            return status;
        }
    }
    return qd_cli_fail_session(cli, client);
}

int qd_cli_parse_ids(const qd_cli *cli, char **texts, uint32_t count, uint32_t *ids)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!qd_options_uint32(texts[i], &ids[i])) {
            return qd_options_misuse(cli->program, "the entity is '%.64s'; must be an id, a whole number from 0 to %u",
                                     texts[i], UINT32_MAX);
        }
    }
    return 0;
}

static volatile sig_atomic_t stopped;

static void note_stop(int number)
{
    (void)number;
    stopped = 1;
}

void qd_cli_catch_signals(void)
{
    /* Without SA_RESTART, so that a wait ends. */
    struct sigaction action = {.sa_handler = note_stop};

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL);
}

bool qd_cli_stopped(void)
{
    return stopped != 0;
}

void qd_cli_print_json_string(FILE *file, const char *text)
{
    fputc('"', file);
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0'; at++) {
        if (*at == '"' || *at == '\\') {
            fprintf(file, "\\%c", *at);
        } else if (*at < 0x20) {
            fprintf(file, "\\u%04x", *at);
        } else {
            fputc(*at, file);
        }
    }
    fputc('"', file);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

#include "own_token.h"
#include "plain.h"
#include "terminal.h"

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>

/* The most refused entries that are reported one by one. */
#define ENTRIES_MAX 64u
/* The longest message; a server's texts are shorter. */
#define FAILURE_BYTES_MAX 4096

int qd_cli_fail(const qd_cli *cli, const char *format, ...)
{
    char text[FAILURE_BYTES_MAX];
    va_list arguments;

    /* The alternate screen would hide the message. */
    qd_terminal_leave();
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "%s: ", cli->program);
    qd_plain_print(stderr, text);
    fputc('\n', stderr);
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

bool qd_cli_read_tls(bool tls, const qd_client_tls_files *files, qd_client_tls **result, char *error, size_t error_size)
{
    *result = NULL;
    if (!tls && files->ca == NULL && files->cert == NULL && files->key == NULL) {
        return true;
    }
    *result = qd_client_tls_create(files, error, error_size);
    return *result != NULL;
}

/* Whether the client may connect: encrypts if the options say so, and reports a failure. */
static bool use_tls(const qd_cli *cli, qd_client *client)
{
    const qd_client_tls_files files = {.ca = cli->tls_ca, .cert = cli->tls_cert, .key = cli->tls_key};
    char error[400];
    qd_client_tls *tls;

    if (!qd_cli_read_tls(cli->tls, &files, &tls, error, sizeof error)) {
        return qd_cli_fail(cli, "TLS: %s", error) == 0;
    }
    if (tls != NULL) {
        (void)qd_client_use_tls(client, tls, NULL);
        qd_client_tls_destroy(tls);
    }
    return true;
}

qd_client *qd_cli_connect(const qd_cli *cli)
{
    char own[QD_OWN_TOKEN_SIZE];
    const char *token = cli->token;

    if (token == NULL) {
        if (!qd_own_token(cli, own)) {
            return NULL;
        }
        token = own;
    }
    qd_client *client = qd_client_create();
    if (client == NULL) {
        qd_cli_fail(cli, "out of memory");
        return NULL;
    }
    if (!use_tls(cli, client)) {
        qd_client_destroy(client);
        return NULL;
    }
    char name[QD_CLIENT_NAME_BYTES_MAX + 1];
    snprintf(name, sizeof name, "quadrille/%s", qd_version());
    if (qd_client_connect(client, cli->server, token, name, QD_CLI_TIMEOUT_MS) == QD_CLIENT_OK) {
        return client;
    }
    qd_cli_fail_session(cli, client);
    if (qd_client_state(client) == QD_CLIENT_ERR_TLS && cli->tls_ca == NULL) {
        qd_cli_fail(cli, "--tls-ca names the CA of the server's certificate");
    }
    if (cli->token == NULL && strstr(qd_client_error(client), qd_error_code_name(QD_ERROR_UNAUTHENTICATED)) != NULL) {
        qd_cli_fail(cli, "QUADRILLE_TOKEN is not set: set it to a token of the server");
    }
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

bool qd_cli_is_stepped(const qd_cli_room *room)
{
    return room->config.tick_mode == QD_TICK_MODE_STEP;
}

/* Waits until the server has answered the batches. Returns the exit status. *last_seq: the last one that it has carried
 * out; 0: none. */
static int await_accepted(const qd_cli *cli, qd_client *client, uint64_t first_seq, const uint32_t *ids, uint32_t count,
                          uint32_t piece, uint64_t *last_seq)
{
    const uint64_t end_seq = qd_client_next_seq(client);
    int status = 0;

    *last_seq = 0;
    for (uint64_t seq = first_seq; seq < end_seq; seq++) {
        const uint32_t at = (uint32_t)(seq - first_seq) * piece;
        bool last = false;

        while (!last) {
            const qd_server_message *answer = await_answer(cli, client, seq);

            if (answer == NULL) {
                return 1;
            }
            status |= qd_cli_fail_refusal(cli, answer, ids + at, count - at);
            last = answer->kind != QD_SERVER_ACCEPTED || answer->as.accepted.last;
            *last_seq = answer->kind == QD_SERVER_ACCEPTED ? seq : *last_seq;
        }
    }
    return status;
}

qd_cli_outcome qd_cli_settle(const qd_cli *cli, qd_client *client, const qd_cli_room *room, uint64_t first_seq,
                             const uint32_t *ids, uint32_t count, uint32_t piece)
{
    uint64_t last_seq;
    qd_cli_outcome outcome = {await_accepted(cli, client, first_seq, ids, count, piece, &last_seq), 0};
    const bool waits = !cli->no_wait && !qd_cli_is_stepped(room) && last_seq != 0;

    while (waits && outcome.tick == 0) {
        const qd_server_message *message = qd_client_wait(client, QD_CLI_TIMEOUT_MS);

        if (message == NULL) {
            outcome.status = qd_cli_fail_session(cli, client);
            break;
        }
        if (message->kind == QD_SERVER_APPLIED && message->as.applied.seq >= last_seq) {
            outcome.tick = message->as.applied.tick;
        }
    }
    return outcome;
}

void qd_cli_print_done(const qd_cli *cli, const char *name, const qd_cli_room *room, qd_cli_outcome outcome,
                       uint32_t count, const char *done)
{
    if (cli->json) {
        printf("{\"room\": ");
        qd_plain_print_json(stdout, name);
        printf(", \"entities\": %u, \"tick\": ", count);
        printf(outcome.tick != 0 ? "%" PRIu64 "}\n" : "null}\n", outcome.tick);
        return;
    }
    printf("%u %s %s in room %s%s\n", count, count == 1 ? "entity" : "entities", done, name,
           qd_cli_is_stepped(room) ? ": takes effect at the next step" : "");
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

/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <arpa/inet.h>
#include <string.h>

#include "../../client/options/options.h"
#include "../actor/service/service.h"
#include "../admin/metrics.h"
#include "../space/space.h"
#include "../work/pool.h"

#define KIB UINT64_C(1024)
#define MIB (KIB * KIB)
#define GIB (MIB * KIB)

/* Gateways and NAT share addresses, so one may have most of the connections. The last quarter is for the others. */
#define ADDRESS_CONNECTIONS_LEAST 16u

#define LISTEN_DEFAULT "127.0.0.1:7400"

/* ---- values ---- */

/* HOST:PORT or [IPV6]:PORT; `value` is a qd_server_address. */
static bool parse_address(const char *text, void *value, char *rule, size_t rule_size)
{
    qd_server_address *address = value;
    const char *colon = strrchr(text, ':');
    uint32_t port;

    if (colon == NULL || colon == text || !qd_options_uint32(colon + 1, &port) || port > UINT16_MAX) {
        snprintf(rule, rule_size, "HOST:PORT with a port from 0 to 65535");
        return false;
    }
    const char *host = text;
    size_t size = (size_t)(colon - text);
    if (host[0] == '[' && host[size - 1] == ']') {
        host++;
        size -= 2;
    } else if (memchr(host, ':', size) != NULL) {
        snprintf(rule, rule_size, "HOST:PORT. Write an IPv6 address as [ADDRESS]:PORT");
        return false;
    }
    if (size == 0 || size >= sizeof address->host) {
        snprintf(rule, rule_size, "HOST:PORT with a host of 1 to %zu bytes", sizeof address->host - 1);
        return false;
    }
    memcpy(address->host, host, size);
    address->host[size] = '\0';
    address->port = (uint16_t)port;
    return true;
}

static bool parse_path(const char *text, void *value, char *rule, size_t rule_size)
{
    if (text[0] == '\0') {
        snprintf(rule, rule_size, "the path of a file");
        return false;
    }
    *(const char **)value = text;
    return true;
}

/* ---- the table ---- */

static const qd_option_choice levels[] = {
    {"error", QD_LOG_ERROR}, {"warn", QD_LOG_WARN}, {"info", QD_LOG_INFO}, {"debug", QD_LOG_DEBUG}, {NULL, 0}};

static const qd_option_choice formats[] = {{"text", QD_LOG_FORMAT_TEXT}, {"json", QD_LOG_FORMAT_JSON}, {NULL, 0}};

#define NUMBER(name, help, variable, least, most) QD_NUMBER_ROW(name, "N", help, variable, least, most, NULL)
#define SIZE(name, help, variable, least, most, default_words)                                                         \
    {                                                                                                                  \
        name, "SIZE", help, QD_OPTION_SIZE, .value = &(variable), .min = (double)(least), .max = (double)(most),       \
                                            .otherwise = default_words                                                 \
    }

/* Defaults that depend on the tokens (session/check/quotas.c). */
#define HALF(option)       "half of " option "; no limit with one token"
#define FIXED(number)      FIXED_TEXT(number) "; no limit with one token"
#define FIXED_TEXT(number) #number

#define ROWS_COUNT 49u

typedef struct table {
    qd_server_options options;
    uint64_t frame_bytes_max, queue_bytes_max;
    qd_option rows[ROWS_COUNT];
} table;

/* Sets the defaults. The rows point into the table, which must not move. */
static void table_init(table *all)
{
    qd_server_options *options = &all->options;
    qd_limits *limits = &options->limits;

    *all = (table){.frame_bytes_max = 4 * MIB, .queue_bytes_max = 8 * MIB};
    parse_address(LISTEN_DEFAULT, &options->listen, NULL, 0);
    options->log_level = QD_LOG_INFO;
    options->drain_seconds = 10;
    *limits = (qd_limits){
        .connections_max = 1024,
        .rooms_max = 65536,
        .entities_max = 4194304,
        .events_max = 1048576,
        .observers_max = 16384,
        .visible_entries_max = 4194304,
        .roster_ids_max = 4194304,
        .test_budget = 33554432,
        .slow_ms_max = 5000,
        .silence_ms_max = 15000,
        .address_accepts_max = 100,
        .address_failed_tokens_max = 1,
        .resume_ms_max = 10000,
        .room_batches_max = 1024,
        .empty_close_ms_max = 600000,
        .session_rooms_max = 16384,
        .session_entities_max = 4194304,
        .session_observers_max = 65536,
        .session_visible_entries_max = 8388608,
        .session_subscriptions_max = 16384,
        .session_share = 10,
    };
    const qd_option rows[ROWS_COUNT] = {
        {"--listen", "HOST:PORT", "listen on this address; port 0 picks a free one", QD_OPTION_PARSED,
         .value = &options->listen, .otherwise = LISTEN_DEFAULT, .parse = parse_address},
        QD_NUMBER_ROW("--workers", "N", "run rooms on N threads", options->workers, 1, QD_POOL_WORKERS_MAX,
                      "one per core"),
        QD_NUMBER_ROW("--loops", "N", "serve connections on N threads", options->loops, 1, QD_LOOPS_MAX,
                      "one per two cores"),
        NUMBER("--connections-max", "accept at most N connections at once", limits->connections_max, 1, 1000000),
        QD_NUMBER_ROW("--address-connections-max", "N", "accept at most N connections at once per address",
                      limits->address_connections_max, 1, 1000000, "3/4 of --connections-max, at least 16"),
        NUMBER("--address-accepts-max",
               "accept N connections per second and address, after 4 times --address-connections-max at once",
               limits->address_accepts_max, 1, 1000000),
        NUMBER("--address-failed-tokens-max", "let an address try N wrong tokens per second, after 10 N at once",
               limits->address_failed_tokens_max, 1, 100000),
        SIZE("--frame-max", "read frames of at most SIZE", all->frame_bytes_max, QD_FRAME_BYTES_BEFORE_HELLO, 256 * MIB,
             NULL),
        NUMBER("--rooms-max", "open at most N rooms at once", limits->rooms_max, 1, QD_ROOM_DIRECTORY_ROOMS_MAX),
        NUMBER("--entities-max", "allow at most N entities per room", limits->entities_max, 1, QD_SPACE_SLOTS_MAX),
        NUMBER("--events-max", "send at most N pair events per room and tick", limits->events_max, 1, 64 * MIB),
        NUMBER("--observers-max", "allow at most N observers per room", limits->observers_max, 1, MIB),
        NUMBER("--visible-entries-max", "allow at most N entities within reach of a room's observers",
               limits->visible_entries_max, 1, 64 * MIB),
        NUMBER("--roster-ids-max", "allow at most N ids in all rosters per session and room", limits->roster_ids_max, 1,
               64 * MIB),
        NUMBER("--test-budget", "let a tick compare at most N close pairs that do not touch", limits->test_budget,
               65536, UINT32_MAX),
        SIZE("--memory-max", "use at most SIZE of memory", options->memory_bytes_max, 16 * MIB, 1024 * 1024 * GIB,
             "80 % of the machine's or container's"),
        SIZE("--queue-max", "queue at most SIZE for a session that does not read", all->queue_bytes_max, 64 * KIB, GIB,
             NULL),
        NUMBER("--slow-ms-max", "disconnect a slow reader after N ms with its queue over half full",
               limits->slow_ms_max, 1, 3600000),
        NUMBER("--silence-ms-max", "disconnect a client after N ms without a sign of life", limits->silence_ms_max,
               1000, 3600000),
        NUMBER("--resume-ms-max", "keep a resumable session for N ms without a connection", limits->resume_ms_max, 0,
               3600000),
        NUMBER("--room-batches-max", "let at most N batches and queries of all sessions wait in a room",
               limits->room_batches_max, 1, 1000000),
        NUMBER("--session-share", "let a session or room use N % of the workers' time before others go first",
               limits->session_share, 1, 100),
        NUMBER("--drain-seconds", "end at most N seconds after SIGTERM, whatever is queued", options->drain_seconds, 1,
               3600),
        NUMBER("--empty-close-ms-max", "let an empty room stay open for at most N ms", limits->empty_close_ms_max, 0,
               86400000),
        NUMBER("--session-rooms-max", "allow at most N rooms per session", limits->session_rooms_max, 1, MIB),
        NUMBER("--session-entities-max", "allow at most N entities per session", limits->session_entities_max, 1,
               UINT32_MAX),
        NUMBER("--session-observers-max", "allow at most N observers per session", limits->session_observers_max, 1,
               UINT32_MAX),
        NUMBER("--session-visible-entries-max", "refuse new observers to a session whose observers reach N entities",
               limits->session_visible_entries_max, 1, UINT32_MAX),
        NUMBER("--session-subscriptions-max", "allow at most N subscriptions per session",
               limits->session_subscriptions_max, 1, MIB),
        QD_NUMBER_ROW("--token-connections-max", "N", "accept at most N connections per token",
                      limits->token_connections_max, 1, 1000000, HALF("--connections-max")),
        QD_NUMBER_ROW("--token-detached-max", "N", "keep at most N sessions without a connection per token",
                      limits->token_detached_max, 1, 1000000, HALF("--connections-max")),
        QD_NUMBER_ROW("--token-rooms-max", "N", "let each token open at most N rooms at once", limits->token_rooms_max,
                      1, QD_ROOM_DIRECTORY_ROOMS_MAX, HALF("--rooms-max")),
        QD_NUMBER_ROW("--token-entities-max", "N", "allow at most N entities per token", limits->token_entities_max, 1,
                      UINT32_MAX, FIXED(QD_TOKEN_ENTITIES_MAX)),
        QD_NUMBER_ROW("--token-observers-max", "N", "allow at most N observers per token", limits->token_observers_max,
                      1, UINT32_MAX, FIXED(QD_TOKEN_OBSERVERS_MAX)),
        QD_NUMBER_ROW("--token-visible-entries-max", "N",
                      "refuse new observers to a token whose observers reach N entities",
                      limits->token_visible_entries_max, 1, UINT32_MAX, FIXED(QD_TOKEN_VISIBLE_ENTRIES_MAX)),
        QD_NUMBER_ROW("--token-subscriptions-max", "N", "allow at most N subscriptions per token",
                      limits->token_subscriptions_max, 1, UINT32_MAX, FIXED(QD_TOKEN_SUBSCRIPTIONS_MAX)),
        SIZE("--token-memory-max", "let the rooms of each token use at most SIZE of memory", limits->token_memory_max,
             MIB, 1024 * 1024 * GIB, HALF("--memory-max")),
        {"--token-file", "PATH", "accept only the tokens in this file, with their roles and rooms", QD_OPTION_PARSED,
         .value = &options->token_file, .otherwise = "accept any token", .parse = parse_path},
        {"--tls-cert", "PATH", "encrypt connections with the certificate in this file (PEM), read again on SIGHUP",
         QD_OPTION_PARSED, .value = &options->tls_cert, .otherwise = "do not encrypt", .parse = parse_path},
        {"--tls-key", "PATH", "use the private key in this file (PEM), which other users must not read",
         QD_OPTION_PARSED, .value = &options->tls_key, .otherwise = "none", .parse = parse_path},
        {"--tls-client-ca", "PATH", "accept only clients with a certificate of a CA in this file (PEM)",
         QD_OPTION_PARSED, .value = &options->tls_client_ca, .otherwise = "clients need no certificate",
         .parse = parse_path},
        QD_FLAG_ROW("--insecure", "let anybody use the server without --token-file, from other machines, too",
                    options->insecure),
        {"--admin", "HOST:PORT", "serve metrics, health and the admin API by HTTP on this address", QD_OPTION_PARSED,
         .value = &options->admin, .otherwise = "off", .parse = parse_address},
        {"--admin-token-file", "PATH", "let only the tokens in this file use the admin API", QD_OPTION_PARSED,
         .value = &options->admin_token_file, .otherwise = "anybody on this machine may read", .parse = parse_path},
        NUMBER("--admin-room-labels", "give the N largest rooms metrics of their own", options->admin_room_labels, 0,
               QD_ADMIN_ROOM_LABELS_MAX),
        QD_FLAG_ROW("--audit", "log who authenticates, opens, closes and takes over, whatever the log level",
                    options->audit),
        {"--log-level", "LEVEL", "log to stderr from this level on", QD_OPTION_CHOICE, .value = &options->log_level,
         .choices = levels},
        {"--log-level-file", "PATH", "read the log level from this file, again on SIGHUP", QD_OPTION_PARSED,
         .value = &options->log_level_file, .otherwise = "--log-level", .parse = parse_path},
        {"--log-format", "FORMAT", "write each line of the log as text or as a JSON object", QD_OPTION_CHOICE,
         .value = &options->log_format, .choices = formats},
    };
    memcpy(all->rows, rows, sizeof rows);
}

static qd_usage usage(void)
{
    static const qd_option_topic variables[] = {
        {"QUADRILLE_NAME", "each option, such as --workers as QUADRILLE_WORKERS; the command line overrides it"},
        {NULL, NULL}};

    return (qd_usage){
        .program = "quadrille-server",
        .arguments = "",
        .text = "Reports what touches what and who sees whom, every tick, for many rooms at once. SIGTERM\n"
                "and SIGINT stop it, and SIGHUP makes it read its files again.",
        .version = qd_server_name,
        .summary = "spatial server for games: pairs and views, every tick",
        .notes = "SIZE is in bytes; K, M or G behind it makes it KiB, MiB or GiB.",
        .variables = variables,
        .variable_prefix = "QUADRILLE_",
    };
}

/* ---- stray variables ---- */

/* Whether it comes from a Kubernetes Service named "quadrille" or "quadrille-and-more", or from a Docker link. */
static bool is_of_a_service(const char *variable)
{
    static const char *const marks[] = {
        "_SERVICE_HOST=", "_SERVICE_PORT", "_PORT_", "_PORT=tcp:", "_PORT=udp:", "_PORT=sctp:", "_NAME=/", "_ENV_"};

    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        if (strstr(variable, marks[i]) != NULL) {
            return true;
        }
    }
    return false;
}

static bool is_of_a_tool(const char *name, size_t size)
{
    static const char *const of_tools[] = {"SERVER", "TOKEN", "TLS_CA"};

    for (size_t i = 0; i < sizeof of_tools / sizeof of_tools[0]; i++) {
        if (strlen(of_tools[i]) == size && memcmp(of_tools[i], name, size) == 0) {
            return true;
        }
    }
    return false;
}

bool qd_server_options_is_stray(const char *variable, char *text, size_t text_size)
{
    const qd_usage server = usage();
    const size_t prefix_size = strlen(server.variable_prefix);
    const char *equals = strchr(variable, '=');

    if (strncmp(variable, server.variable_prefix, prefix_size) != 0 || equals == NULL || is_of_a_service(variable)) {
        return false;
    }
    const char *name = variable + prefix_size;
    const size_t size = (size_t)(equals - name);
    if (is_of_a_tool(name, size)) {
        return false;
    }
    table all;
    table_init(&all);
    const qd_option *meant = qd_options_nearest(all.rows, ROWS_COUNT, name, size);
    char right[QD_OPTION_VARIABLE_SIZE] = "";
    if (meant != NULL) {
        qd_option_variable(&server, meant, right);
    }
    if (strlen(right) == (size_t)(equals - variable) && memcmp(right, variable, strlen(right)) == 0) {
        return false;
    }
    snprintf(text, text_size, "ignoring the variable %.*s: no option has this name.%s%s%s See %s --help.",
             (int)(equals - variable), variable, meant != NULL ? " Did you mean " : "", right, meant != NULL ? "?" : "",
             server.program);
    return true;
}

/* ---- reading ---- */

bool qd_server_options_is_loopback(const char *host)
{
    struct in_addr v4;
    struct in6_addr v6;

    if (inet_pton(AF_INET, host, &v4) == 1) {
        return ntohl(v4.s_addr) >> 24 == 127;
    }
    return strcmp(host, "localhost") == 0 || (inet_pton(AF_INET6, host, &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6));
}

qd_server_options_result qd_server_options_parse(int argc, char *argv[], char *(*environment)(const char *name),
                                                 qd_server_options *options, char *error, size_t error_size)
{
    const qd_usage server = usage();
    table all;

    table_init(&all);
    const int result = qd_options_read(&server, all.rows, ROWS_COUNT, argc, argv, environment, error, error_size);
    qd_limits *limits = &all.options.limits;
    if (limits->address_connections_max == 0) {
        const uint32_t most = limits->connections_max / 4 * 3;

        limits->address_connections_max = most > ADDRESS_CONNECTIONS_LEAST ? most : ADDRESS_CONNECTIONS_LEAST;
    }
    limits->frame_bytes_max = (uint32_t)all.frame_bytes_max; /* the ranges fit */
    limits->queue_bytes_max = (uint32_t)all.queue_bytes_max;
    *options = all.options;
    switch (result) {
    case QD_OPTIONS_BAD:
        return QD_SERVER_OPTIONS_BAD;
    case QD_OPTIONS_HELP:
        return QD_SERVER_OPTIONS_HELP;
    case QD_OPTIONS_VERSION:
        return QD_SERVER_OPTIONS_VERSION;
    default:
        return QD_SERVER_OPTIONS_RUN;
    }
}

void qd_server_options_help(FILE *stream)
{
    const qd_usage server = usage();
    table all;

    table_init(&all);
    qd_options_help(stream, &server, all.rows, ROWS_COUNT);
}

void qd_server_options_version(FILE *stream)
{
    fprintf(stream, "%s\n", qd_server_name);
}

int qd_server_options_show(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    qd_server_options_help(stdout);
    return 0;
}

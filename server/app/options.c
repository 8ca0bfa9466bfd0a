/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../client/options/options.h"
#include "../actor/service/service.h"
#include "../admin/metrics.h"
#include "../base/assert.h"
#include "../space/space.h"
#include "../work/pool.h"
#include "config/config_file.h"
#include "config/stray_variables.h"

#define KIB UINT64_C(1024)
#define MIB (KIB * KIB)
#define GIB (MIB * KIB)

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
    for (size_t i = 0; i < size; i++) {
        if ((unsigned char)host[i] <= ' ' || host[i] == 0x7f) {
            snprintf(rule, rule_size, "HOST:PORT with a host without spaces and control characters");
            return false;
        }
    }
    memcpy(address->host, host, size);
    address->host[size] = '\0';
    address->port = (uint16_t)port;
    return true;
}

static void write_address(const void *value, char *text, size_t text_size)
{
    const qd_server_address *address = value;
    const bool is_v6 = strchr(address->host, ':') != NULL || address->host[0] == '[';

    if (address->host[0] == '\0') {
        text[0] = '\0';
        return;
    }
    snprintf(text, text_size, "%s%s%s:%u", is_v6 ? "[" : "", address->host, is_v6 ? "]" : "", address->port);
}

/* ---- the table ---- */

static const qd_option_choice levels[] = {
    {"error", QD_LOG_ERROR}, {"warn", QD_LOG_WARN}, {"info", QD_LOG_INFO}, {"debug", QD_LOG_DEBUG}, {NULL, 0}};

static const qd_option_choice formats[] = {{"text", QD_LOG_FORMAT_TEXT}, {"json", QD_LOG_FORMAT_JSON}, {NULL, 0}};

#define PATH(name, help, variable, default_words)                                                                      \
    {                                                                                                                  \
        name, "FILE", help, QD_OPTION_PATH, .value = &(variable), .otherwise = default_words, .reloads = true          \
    }
#define NUMBER(name, help, variable, least, most) QD_NUMBER_ROW(name, "N", help, variable, least, most, NULL)
/* Reloaded at run time. All other limits shape threads, tables and connections, or Welcome states them to clients. */
#define RELOADED(name, help, variable, least, most, default_words)                                                     \
    {                                                                                                                  \
        name, "N", help, QD_OPTION_NUMBER, .value = &(variable), .min = least, .max = most,                            \
                                           .otherwise = default_words, .reloads = true                                 \
    }
#define SIZE(name, help, variable, least, most, default_words)                                                         \
    {                                                                                                                  \
        name, "SIZE", help, QD_OPTION_SIZE, .value = &(variable), .min = (double)(least), .max = (double)(most),       \
                                            .otherwise = default_words                                                 \
    }

/* Defaults that depend on the tokens (session/check/quotas.c). */
#define HALF(option)       "half of " option "; no limit with one token"
#define FIXED(number)      FIXED_TEXT(number) "; no limit with one token"
#define FIXED_TEXT(number) #number

/* Of one session or token. */
#define MEMORY_OF(name, help, variable)                                                                                \
    {                                                                                                                  \
        name, "SIZE", help, QD_OPTION_SIZE, .value = &(variable), .min = MIB, .max = 1024.0 * 1024 * GIB,              \
                                            .otherwise = HALF("--memory-max"), .reloads = true                         \
    }

#define ROWS_COUNT 62u

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
    options->record_file_bytes = 64 * MIB;
    options->record_bytes_max = GIB;
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
        .token_creations_max = 2000,
    };
    const qd_option rows[ROWS_COUNT] = {
        {"--config", "FILE", "read options from FILE, which the environment and the command line override",
         QD_OPTION_PATH, .value = &options->config, .not_in_file = true},
        {"--check-config", NULL, "check all options and the files that they name, and exit", QD_OPTION_FLAG,
         .value = &options->check_config, .not_in_file = true},
        {"--check-health", NULL, "ask the server at --admin whether it is healthy, and exit with status 0 if it is",
         QD_OPTION_FLAG, .value = &options->check_health, .not_in_file = true},
        {"--print-config", NULL, "print the options in effect as a file for --config, and exit", QD_OPTION_FLAG,
         .value = &options->print_config, .not_in_file = true},
        {"--listen", "HOST:PORT", "listen on this address; port 0 picks a free one", QD_OPTION_PARSED,
         .value = &options->listen, .parse = parse_address, .write = write_address},
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
        RELOADED("--drain-seconds", "end at most N seconds after SIGTERM, whatever is queued", options->drain_seconds,
                 1, 3600, NULL),
        NUMBER("--empty-close-ms-max", "let an empty room stay open for at most N ms", limits->empty_close_ms_max, 0,
               86400000),
        RELOADED("--session-rooms-max", "allow at most N rooms per session", limits->session_rooms_max, 1, MIB, NULL),
        RELOADED("--session-entities-max", "allow at most N entities per session", limits->session_entities_max, 1,
                 UINT32_MAX, NULL),
        RELOADED("--session-observers-max", "allow at most N observers per session", limits->session_observers_max, 1,
                 UINT32_MAX, NULL),
        RELOADED("--session-visible-entries-max", "refuse new observers to a session whose observers reach N entities",
                 limits->session_visible_entries_max, 1, UINT32_MAX, NULL),
        RELOADED("--session-subscriptions-max", "allow at most N subscriptions per session",
                 limits->session_subscriptions_max, 1, MIB, NULL),
        MEMORY_OF("--session-memory-max", "let the rooms of each session use at most SIZE of memory",
                  limits->session_memory_max),
        RELOADED("--token-connections-max", "accept at most N connections per token", limits->token_connections_max, 1,
                 1000000, HALF("--connections-max")),
        RELOADED("--token-detached-max", "keep at most N sessions without a connection per token",
                 limits->token_detached_max, 1, 1000000, HALF("--connections-max")),
        RELOADED("--token-rooms-max", "let each token open at most N rooms at once", limits->token_rooms_max, 1,
                 QD_ROOM_DIRECTORY_ROOMS_MAX, HALF("--rooms-max")),
        RELOADED("--token-creations-max", "let each token create N rooms per second, and let it wait beyond that",
                 limits->token_creations_max, 1, 1000000, NULL),
        RELOADED("--token-entities-max", "allow at most N entities per token", limits->token_entities_max, 1,
                 UINT32_MAX, FIXED(QD_TOKEN_ENTITIES_MAX)),
        RELOADED("--token-observers-max", "allow at most N observers per token", limits->token_observers_max, 1,
                 UINT32_MAX, FIXED(QD_TOKEN_OBSERVERS_MAX)),
        RELOADED("--token-visible-entries-max", "refuse new observers to a token whose observers reach N entities",
                 limits->token_visible_entries_max, 1, UINT32_MAX, FIXED(QD_TOKEN_VISIBLE_ENTRIES_MAX)),
        RELOADED("--token-subscriptions-max", "allow at most N subscriptions per token",
                 limits->token_subscriptions_max, 1, UINT32_MAX, FIXED(QD_TOKEN_SUBSCRIPTIONS_MAX)),
        MEMORY_OF("--token-memory-max", "let the rooms of each token use at most SIZE of memory",
                  limits->token_memory_max),
        PATH("--token-file", "accept only the tokens in FILE, and join tokens that its keys sign", options->token_file,
             "accept any token"),
        PATH("--tls-cert", "encrypt connections with the certificate in FILE (PEM)", options->tls_cert,
             "do not encrypt"),
        PATH("--tls-key", "use the private key in FILE (PEM), which other users must not read", options->tls_key,
             "none"),
        PATH("--tls-client-ca", "accept only clients with a certificate of a CA in FILE (PEM)", options->tls_client_ca,
             "clients need no certificate"),
        QD_FLAG_ROW("--insecure", "let anybody use the server without --token-file, from other machines, too",
                    options->insecure),
        {"--admin", "HOST:PORT", "serve metrics, health and the admin API by HTTP on this address", QD_OPTION_PARSED,
         .value = &options->admin, .otherwise = "off", .parse = parse_address, .write = write_address},
        PATH("--admin-token-file", "let only the tokens in FILE use the admin API", options->admin_token_file,
             "anybody on this machine may read"),
        NUMBER("--admin-room-labels", "give the N largest rooms metrics of their own", options->admin_room_labels, 0,
               QD_ADMIN_ROOM_LABELS_MAX),
        QD_FLAG_ROW("--audit", "log logins, opened and closed rooms, and takeovers, whatever the log level",
                    options->audit),
        {"--log-level", "LEVEL", "log to stderr from this level on", QD_OPTION_CHOICE, .value = &options->log_level,
         .choices = levels, .reloads = true},
        PATH("--log-level-file", "read the log level from FILE", options->log_level_file, "--log-level"),
        {"--log-format", "FORMAT", "write each line of the log as text or as a JSON object", QD_OPTION_CHOICE,
         .value = &options->log_format, .choices = formats},
        {"--record", "DIR", "record what all rooms do and send into files in DIR, for --replay", QD_OPTION_PATH,
         .value = &options->record, .otherwise = "off"},
        SIZE("--record-file-bytes", "begin another file of the record after SIZE", options->record_file_bytes, 64 * KIB,
             16 * GIB, NULL),
        SIZE("--record-bytes-max", "delete the oldest files of the record beyond SIZE", options->record_bytes_max,
             128 * KIB, 1024 * 1024 * GIB, NULL),
        {"--replay", "FILE",
         "replay the record that begins with FILE, compare, and exit with status 0 if it is identical", QD_OPTION_PATH,
         .value = &options->replay, .otherwise = "run the server", .not_in_file = true},
        {"--until", "TICK", "with --replay: stop each room after TICK", QD_OPTION_NUMBER, .value = &options->until,
         .min = 1, .max = UINT32_MAX, .otherwise = "the end of the record", .not_in_file = true},
        {"--room", "NAME", "with --replay: replay this room only", QD_OPTION_TEXT, .value = &options->room,
         .otherwise = "all rooms", .not_in_file = true},
        {"--print-events", NULL, "with --replay: print the events as JSON lines", QD_OPTION_FLAG,
         .value = &options->print_events, .not_in_file = true},
    };
    memcpy(all->rows, rows, sizeof rows);
}

/* The table with these values. */
static void table_of(const qd_server_options *options, table *all)
{
    table_init(all);
    all->options = *options;
    all->frame_bytes_max = options->limits.frame_bytes_max;
    all->queue_bytes_max = options->limits.queue_bytes_max;
}

static qd_server_options options_of(const table *all)
{
    qd_server_options options = all->options;

    options.limits.frame_bytes_max = (uint32_t)all->frame_bytes_max; /* the ranges fit */
    options.limits.queue_bytes_max = (uint32_t)all->queue_bytes_max;
    return options;
}

static qd_usage usage(void)
{
    static const qd_option_topic variables[] = {
        {"QUADRILLE_NAME",
         "each option, such as --workers as QUADRILLE_WORKERS, or --insecure as QUADRILLE_INSECURE=yes; "
         "the command line overrides it"},
        {NULL, NULL}};

    return (qd_usage){
        .program = "quadrille-server",
        .arguments = "",
        .text = "Reports what touches what and who sees whom, every tick, for many rooms at once. SIGTERM\n"
                "and SIGINT stop it. At SIGHUP it reads its files again, and takes over the options that may change\n"
                "in a running server. --print-config marks them.",
        .version = qd_server_name,
        .summary = "spatial server for games: pairs and views, every tick",
        .notes = "SIZE is in bytes; K, M or G behind it makes it KiB, MiB or GiB.",
        .variables = variables,
        .variable_prefix = "QUADRILLE_",
    };
}

/* ---- reading ---- */

bool qd_server_options_is_stray(const char *variable, char *text, size_t text_size)
{
    const qd_usage server = usage();
    table all;

    table_init(&all);
    return qd_variable_is_stray(&server, all.rows, ROWS_COUNT, variable, text, text_size);
}

bool qd_server_options_is_loopback(const char *host)
{
    struct in_addr v4;
    struct in6_addr v6;

    if (inet_pton(AF_INET, host, &v4) == 1) {
        return ntohl(v4.s_addr) >> 24 == 127;
    }
    return strcmp(host, "localhost") == 0 || (inet_pton(AF_INET6, host, &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6));
}

static int read_strings(const qd_server_sources *sources, table *all, char *error, size_t error_size)
{
    const qd_usage server = usage();

    return qd_options_read(&server, all->rows, ROWS_COUNT, sources->argc, sources->argv, sources->environment, error,
                           error_size);
}

qd_server_options_result qd_server_options_parse(const qd_server_sources *sources, qd_server_options *options,
                                                 char *error, size_t error_size)
{
    const qd_usage server = usage();
    char *texts = NULL;
    table all;

    *options = (qd_server_options){0};
    table_init(&all);
    int result = read_strings(sources, &all, error, error_size);
    const char *config = all.options.config;
    if (result >= 0 && config != NULL) {
        table_init(&all);
        if (!qd_config_file_read(config, &server, all.rows, ROWS_COUNT, &texts, error, error_size)) {
            return QD_SERVER_OPTIONS_BAD;
        }
        result = read_strings(sources, &all, error, error_size);
    }
    *options = options_of(&all);
    options->texts = texts;
    switch (result) {
    case QD_OPTIONS_BAD:
        return QD_SERVER_OPTIONS_BAD;
    case QD_OPTIONS_HELP:
        return QD_SERVER_OPTIONS_HELP;
    case QD_OPTIONS_VERSION:
        return QD_SERVER_OPTIONS_VERSION;
    default:
        return options->print_config   ? QD_SERVER_OPTIONS_PRINT
               : options->check_config ? QD_SERVER_OPTIONS_CHECK
               : options->check_health ? QD_SERVER_OPTIONS_HEALTH
               : options->replay       ? QD_SERVER_OPTIONS_REPLAY
                                       : QD_SERVER_OPTIONS_RUN;
    }
}

void qd_server_options_release(qd_server_options *options)
{
    free(options->texts);
    options->texts = NULL;
}

/* What keeps strangers out besides a loopback address. */
static bool has_credentials(const qd_server_options *options)
{
    return options->token_file != NULL || options->tls_client_ca != NULL;
}

bool qd_server_options_conflict(const qd_server_options *options, char *error, size_t error_size)
{
    if ((options->tls_cert == NULL) != (options->tls_key == NULL)) {
        const bool has_key = options->tls_key != NULL;

        snprintf(error, error_size, "%s is missing; must be given with %s. Set both, or none",
                 has_key ? "--tls-cert" : "--tls-key", has_key ? "--tls-key" : "--tls-cert");
        return true;
    }
    if (options->tls_cert == NULL && options->tls_client_ca != NULL) {
        snprintf(error, error_size,
                 "--tls-client-ca is given without --tls-cert; must be given with it. Set --tls-cert and --tls-key");
        return true;
    }
    if (has_credentials(options) && options->insecure) {
        snprintf(error, error_size, "--insecure is given with %s; must be alone. Leave one out",
                 options->token_file != NULL ? "--token-file" : "--tls-client-ca");
        return true;
    }
    if (!has_credentials(options) && !options->insecure && !qd_server_options_is_loopback(options->listen.host)) {
        snprintf(error, error_size,
                 "--listen is %s, and there is no --token-file; must be a loopback address then. Set --token-file, "
                 "--tls-client-ca, or --insecure to let anybody in",
                 options->listen.host);
        return true;
    }
    if (options->record_bytes_max < 2 * options->record_file_bytes) {
        snprintf(error, error_size,
                 "--record-bytes-max is %" PRIu64 "; must be at least twice --record-file-bytes, which is %" PRIu64
                 ". Raise it, or lower that",
                 options->record_bytes_max, options->record_file_bytes);
        return true;
    }
    if (options->replay == NULL && (options->until != 0 || options->room != NULL || options->print_events)) {
        snprintf(error, error_size, "%s is given without --replay; must be given with it. Name a record",
                 options->until != 0     ? "--until"
                 : options->room != NULL ? "--room"
                                         : "--print-events");
        return true;
    }
    if (options->admin.host[0] != '\0' && options->admin_token_file == NULL &&
        !qd_server_options_is_loopback(options->admin.host)) {
        snprintf(error, error_size,
                 "--admin is %s, and there is no --admin-token-file; must be a loopback address then. Set "
                 "--admin-token-file",
                 options->admin.host);
        return true;
    }
    return false;
}

/* ---- reloading ---- */

/* A server with tokens or a certificate keeps having some, and one without has none to the end. */
static bool may_change(const qd_option *row, const char *before, const char *after)
{
    static const char *const all_or_none[] = {"--token-file", "--admin-token-file", "--tls-cert", "--tls-key",
                                              "--tls-client-ca"};

    for (size_t i = 0; i < sizeof all_or_none / sizeof all_or_none[0]; i++) {
        if (strcmp(row->name, all_or_none[i]) == 0 && (before[0] == '\0' || after[0] == '\0')) {
            return false;
        }
    }
    return row->reloads;
}

/* Copies the value of a row that reloads. */
static void take_over(const qd_option *to, const qd_option *from)
{
    switch (to->kind) {
    case QD_OPTION_NUMBER:
    case QD_OPTION_CHOICE:
        memcpy(to->value, from->value, sizeof(uint32_t));
        break;
    case QD_OPTION_SIZE:
        memcpy(to->value, from->value, sizeof(uint64_t));
        break;
    case QD_OPTION_PATH:
        memcpy(to->value, from->value, sizeof(const char *));
        break;
    default:
        QD_ASSERT(!to->reloads);
    }
}

/* Moves the strings that reload into a block of their own. Returns NULL without memory. */
static char *own_strings(table *all)
{
    size_t size = 1, used = 0;

    for (size_t i = 0; i < ROWS_COUNT; i++) {
        const char *const *text = all->rows[i].value;

        size += all->rows[i].reloads && all->rows[i].kind == QD_OPTION_PATH && *text != NULL ? strlen(*text) + 1 : 0;
    }
    char *block = malloc(size);
    for (size_t i = 0; i < ROWS_COUNT && block != NULL; i++) {
        const char **text = all->rows[i].value;

        if (all->rows[i].reloads && all->rows[i].kind == QD_OPTION_PATH && *text != NULL) {
            const size_t length = strlen(*text) + 1;

            *text = memcpy(block + used, *text, length);
            used += length;
        }
    }
    return block;
}

bool qd_server_options_merge(qd_server_options *running, const qd_server_options *next,
                             qd_server_option_changed_fn changed)
{
    char before[QD_OPTION_VALUE_SIZE], after[QD_OPTION_VALUE_SIZE];
    table old, wanted, merged;

    table_of(running, &old);
    table_of(running, &merged);
    table_of(next, &wanted);
    for (size_t i = 0; i < ROWS_COUNT; i++) {
        qd_option_value(&old.rows[i], before);
        qd_option_value(&wanted.rows[i], after);
        if (may_change(&old.rows[i], before, after)) {
            take_over(&merged.rows[i], &wanted.rows[i]);
        }
    }
    char *texts = own_strings(&merged);
    if (texts == NULL) {
        return false;
    }
    for (size_t i = 0; i < ROWS_COUNT; i++) {
        qd_option_value(&old.rows[i], before);
        qd_option_value(&wanted.rows[i], after);
        if (strcmp(before, after) != 0) {
            changed(old.rows[i].name, before, after, may_change(&old.rows[i], before, after));
        }
    }
    free(running->texts);
    *running = options_of(&merged);
    running->texts = texts;
    return true;
}

/* ---- output ---- */

void qd_server_options_print(FILE *stream, const qd_server_options *options)
{
    const qd_usage server = usage();
    table defaults, all;

    table_init(&defaults);
    if (options != NULL) {
        table_of(options, &all);
    }
    qd_config_file_print(stream, &server, defaults.rows, options != NULL ? all.rows : NULL, ROWS_COUNT);
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
    const qd_usage server = usage();

    qd_options_version(stream, &server);
}

int qd_server_options_show(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    qd_server_options_help(stdout);
    return 0;
}

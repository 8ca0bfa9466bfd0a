/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../proto/messages.h"
#include "../actor/service/service.h"
#include "../base/assert.h"
#include "../space/space.h"
#include "../work/pool.h"

#define KIB UINT64_C(1024)
#define MIB (KIB * KIB)
#define GIB (MIB * KIB)

typedef struct option_row option_row;
/* On failure, `error` says what the value must be. */
typedef bool (*parse_fn)(const option_row *row, const char *value, qd_options *options, char *error, size_t error_size);

struct option_row {
    const char *name;
    const char *argument;  /* as --help shows it; NULL: the option has none */
    const char *otherwise; /* the default, as a user writes it; NULL: none, and `help` explains it */
    const char *help;
    parse_fn parse;
    size_t offset, size; /* in qd_options */
    uint64_t min, max;   /* of numbers */
};

/* ---- values ---- */

/* 4194304 as "4M", when the option is a size. */
static const char *number_text(const option_row *row, uint64_t number, char text[24])
{
    static const char suffixes[] = "GMK";
    bool is_size = strcmp(row->argument, "SIZE") == 0;

    for (int i = 0; is_size && number != 0 && i < 3; i++) {
        uint64_t unit = GIB >> (10 * i);

        if (number % unit == 0) {
            snprintf(text, 24, "%" PRIu64 "%c", number / unit, suffixes[i]);
            return text;
        }
    }
    snprintf(text, 24, "%" PRIu64, number);
    return text;
}

/* Reads a number; a size may end with K, M or G. Returns false if it is not one. A number too large for 64 bits becomes
 * UINT64_MAX, which is in no range. */
static bool read_number(const char *text, bool is_size, uint64_t *number)
{
    if (!isdigit((unsigned char)text[0])) {
        return false;
    }
    char *end;
    errno = 0;
    *number = strtoull(text, &end, 10);
    uint64_t unit = 1;
    if (is_size && *end != '\0') {
        switch (toupper((unsigned char)*end++)) {
        case 'K':
            unit = KIB;
            break;
        case 'M':
            unit = MIB;
            break;
        case 'G':
            unit = GIB;
            break;
        default:
            return false;
        }
    }
    if (errno == ERANGE || *number > UINT64_MAX / unit) {
        *number = UINT64_MAX;
    } else {
        *number *= unit;
    }
    return *end == '\0';
}

static bool parse_number(const option_row *row, const char *value, qd_options *options, char *error, size_t error_size)
{
    uint64_t number;
    char min[24], max[24];
    bool is_size = strcmp(row->argument, "SIZE") == 0;

    if (!read_number(value, is_size, &number) || number < row->min || number > row->max) {
        snprintf(error, error_size, "must be a %s in %s..%s", is_size ? "size" : "number",
                 number_text(row, row->min, min), number_text(row, row->max, max));
        return false;
    }
    if (row->size == sizeof number) {
        memcpy((char *)options + row->offset, &number, sizeof number);
    } else {
        const uint32_t narrow = (uint32_t)number; /* `max` fits */

        memcpy((char *)options + row->offset, &narrow, sizeof narrow);
    }
    return true;
}

/* HOST:PORT or [IPV6]:PORT. */
static bool parse_address(const option_row *row, const char *value, qd_options *options, char *error, size_t error_size)
{
    (void)row;
    const char *colon = strrchr(value, ':');
    uint64_t port;
    if (colon == NULL || colon == value || !read_number(colon + 1, false, &port) || port > UINT16_MAX) {
        snprintf(error, error_size, "must be HOST:PORT with a port in 0..65535");
        return false;
    }
    const char *host = value;
    size_t size = (size_t)(colon - value);
    if (host[0] == '[' && host[size - 1] == ']') {
        host++;
        size -= 2;
    } else if (memchr(host, ':', size) != NULL) {
        snprintf(error, error_size, "must be HOST:PORT. Write an IPv6 address as [ADDRESS]:PORT.");
        return false;
    }
    if (size == 0 || size >= sizeof options->host) {
        snprintf(error, error_size, "must have a host of 1 to %zu bytes", sizeof options->host - 1);
        return false;
    }
    memcpy(options->host, host, size);
    options->host[size] = '\0';
    options->port = (uint16_t)port;
    return true;
}

static bool parse_path(const option_row *row, const char *value, qd_options *options, char *error, size_t error_size)
{
    if (value[0] == '\0') {
        snprintf(error, error_size, "must be the path of a file");
        return false;
    }
    memcpy((char *)options + row->offset, &value, sizeof value);
    return true;
}

static bool parse_level(const option_row *row, const char *value, qd_options *options, char *error, size_t error_size)
{
    (void)row;
    if (qd_log_level_parse(value, &options->log_level)) {
        return true;
    }
    snprintf(error, error_size, "must be error, warn, info or debug");
    return false;
}

/* ---- the table ---- */

#define AT(member) offsetof(qd_options, member), sizeof(((qd_options *)NULL)->member)

static const option_row table[] = {
    {"listen", "HOST:PORT", "127.0.0.1:7400", "listen on this address; port 0 picks a free one", parse_address, 0, 0, 0,
     0},
    {"workers", "N", NULL, "run rooms on N threads (default: one per core)", parse_number, AT(workers), 1,
     QD_POOL_WORKERS_MAX},
    {"loops", "N", NULL, "serve connections on N threads (default: one per two cores)", parse_number, AT(loops), 1,
     QD_LOOPS_MAX},
    {"connections-max", "N", "1024", "accept at most N connections at once", parse_number, AT(limits.connections_max),
     1, 1000000},
    {"frame-max", "SIZE", "4M", "read frames of at most SIZE", parse_number, AT(limits.frame_bytes_max),
     QD_FRAME_BYTES_BEFORE_HELLO, 256 * MIB},
    {"rooms-max", "N", "65536", "open at most N rooms at once", parse_number, AT(limits.rooms_max), 1,
     QD_ROOM_DIRECTORY_ROOMS_MAX},
    {"entities-max", "N", "4194304", "allow at most N entities per room", parse_number, AT(limits.entities_max), 1,
     QD_SPACE_SLOTS_MAX},
    {"events-max", "N", "1048576", "send at most N pair events per room and tick", parse_number, AT(limits.events_max),
     1, 64 * MIB},
    {"test-budget", "N", "33554432", "let a tick compare at most N close pairs that do not touch", parse_number,
     AT(limits.test_budget), 65536, UINT32_MAX},
    {"observers-max", "N", "16384", "allow at most N observers per room", parse_number, AT(limits.observers_max), 1,
     MIB},
    {"visible-entries-max", "N", "4194304", "allow at most N entities within reach of a room's observers", parse_number,
     AT(limits.visible_entries_max), 1, 64 * MIB},
    {"roster-ids-max", "N", "4194304", "allow at most N ids in all rosters per session and room", parse_number,
     AT(limits.roster_ids_max), 1, 64 * MIB},
    {"memory-max", "SIZE", NULL, "use at most SIZE of memory (default: 80 % of the machine's or container's)",
     parse_number, AT(memory_bytes_max), 16 * MIB, 1024 * 1024 * GIB},
    {"queue-max", "SIZE", "8M", "queue at most SIZE for a session that does not read", parse_number,
     AT(limits.queue_bytes_max), 64 * KIB, GIB},
    {"slow-ms-max", "N", "5000", "disconnect a slow reader after N ms with its queue over half full", parse_number,
     AT(limits.slow_ms_max), 1, 3600000},
    {"resume-ms-max", "N", "10000", "keep a resumable session for N ms without a connection", parse_number,
     AT(limits.resume_ms_max), 0, 3600000},
    {"room-batches-max", "N", "1024", "let at most N batches of all writers wait in a room", parse_number,
     AT(limits.room_batches_max), 1, 1000000},
    {"token-file", "PATH", NULL, "accept only the tokens in this file, one per line (default: accept any token)",
     parse_path, AT(token_file), 0, 0},
    {"admin-token-file", "PATH", NULL, "make sessions with a token in this file admins (default: no session is)",
     parse_path, AT(admin_token_file), 0, 0},
    {"log-level", "LEVEL", "info", "log to stderr from this level on: error, warn, info or debug", parse_level, 0, 0, 0,
     0},
};
#define TABLE_COUNT (sizeof table / sizeof table[0])

#define VARIABLE_PREFIX "QUADRILLE_"

/* --connections-max is QUADRILLE_CONNECTIONS_MAX. */
static void environment_name(const option_row *row, char name[64])
{
    snprintf(name, 64, VARIABLE_PREFIX "%s", row->name);
    for (char *c = name; *c != '\0'; c++) {
        *c = *c == '-' ? '_' : (char)toupper((unsigned char)*c);
    }
}

/* ---- misspelt options ---- */

/* The edit distance: how many letters to change, insert or delete to turn one into the other. `-` equals `_`. */
static size_t distance(const char *one, size_t one_size, const char *other)
{
    size_t row[64]; /* [i]: from the first i letters of the other to the first j of the one */
    size_t other_size = strlen(other);

    QD_ASSERT(other_size < 64);
    for (size_t i = 0; i <= other_size; i++) {
        row[i] = i;
    }
    for (size_t j = 0; j < one_size; j++) {
        char letter = one[j] == '_' ? '-' : (char)tolower((unsigned char)one[j]);
        size_t corner = row[0]++;

        for (size_t i = 1; i <= other_size; i++) {
            size_t changed = corner + (other[i - 1] != letter), shorter = row[i] < row[i - 1] ? row[i] : row[i - 1];

            corner = row[i];
            row[i] = changed <= shorter ? changed : shorter + 1;
        }
    }
    return row[other_size];
}

/* The option that the user probably meant. NULL: none is similar. */
static const option_row *nearest(const char *name, size_t size)
{
    const option_row *row = NULL;
    size_t least = size / 2 + 1;

    for (size_t i = 0; i < TABLE_COUNT; i++) {
        size_t changes = distance(name, size, table[i].name);

        if (changes < least) {
            least = changes;
            row = &table[i];
        }
    }
    return row;
}

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

bool qd_options_is_stray(const char *variable, char *text, size_t text_size)
{
    static const char *const of_tools[] = {"SERVER", "TOKEN"};
    const char *name = variable + strlen(VARIABLE_PREFIX), *equals = strchr(variable, '=');

    if (strncmp(variable, VARIABLE_PREFIX, strlen(VARIABLE_PREFIX)) != 0 || equals == NULL ||
        is_of_a_service(variable)) {
        return false;
    }
    size_t size = (size_t)(equals - name);
    for (size_t i = 0; i < sizeof of_tools / sizeof of_tools[0]; i++) {
        if (strlen(of_tools[i]) == size && memcmp(of_tools[i], name, size) == 0) {
            return false;
        }
    }
    const option_row *row = nearest(name, size);
    char right[64] = "";
    if (row != NULL) {
        environment_name(row, right);
    }
    if (strlen(right) == (size_t)(equals - variable) && memcmp(right, variable, strlen(right)) == 0) {
        return false;
    }
    snprintf(text, text_size, "ignoring the variable %.*s: no option has this name.%s%s%s See --help.",
             (int)(equals - variable), variable, row != NULL ? " Did you mean " : "", right, row != NULL ? "?" : "");
    return true;
}

/* ---- reading ---- */

/* `source` is what the user wrote: "--workers" or "QUADRILLE_WORKERS". */
static bool set(const option_row *row, const char *source, const char *value, qd_options *options, char *error,
                size_t error_size)
{
    int prefix = snprintf(error, error_size, "%s is \"%s\"; ", source, value);
    size_t used = (size_t)prefix < error_size ? (size_t)prefix : error_size;

    if (!row->parse(row, value, options, error + used, error_size - used)) {
        return false;
    }
    error[0] = '\0';
    return true;
}

static bool set_defaults(qd_options *options, char *(*environment)(const char *name), char *error, size_t error_size)
{
    *options = (qd_options){0};
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        char name[64];

        environment_name(&table[i], name);
        const char *given = environment(name);
        if (table[i].otherwise != NULL && !set(&table[i], name, table[i].otherwise, options, error, error_size)) {
            return false;
        }
        if (given != NULL && !set(&table[i], name, given, options, error, error_size)) {
            return false;
        }
    }
    return true;
}

static const option_row *find(const char *name, size_t size)
{
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        if (strlen(table[i].name) == size && memcmp(table[i].name, name, size) == 0) {
            return &table[i];
        }
    }
    return NULL;
}

/* Reads the option at argv[*index], and its value, which may be the next argument. */
static bool read_option(int argc, char *const argv[], int *index, qd_options *options, char *error, size_t error_size)
{
    const char *argument = argv[*index];
    const char *equals = strchr(argument, '=');
    size_t size = equals != NULL ? (size_t)(equals - argument) : strlen(argument);
    const option_row *row = size > 2 && memcmp(argument, "--", 2) == 0 ? find(argument + 2, size - 2) : NULL;

    if (row == NULL) {
        row = size > 2 && memcmp(argument, "--", 2) == 0 ? nearest(argument + 2, size - 2) : NULL;
        snprintf(error, error_size, "unknown option %s.%s%s%s See --help.", argument,
                 row != NULL ? " Did you mean --" : "", row != NULL ? row->name : "", row != NULL ? "?" : "");
        return false;
    }
    char source[64];
    snprintf(source, sizeof source, "--%s", row->name);
    if (equals == NULL && *index + 1 >= argc) {
        snprintf(error, error_size, "%s needs a value: %s", source, row->argument);
        return false;
    }
    const char *value = equals != NULL ? equals + 1 : argv[++*index];
    return set(row, source, value, options, error, error_size);
}

qd_options_result qd_options_parse(int argc, char *const argv[], char *(*environment)(const char *name),
                                   qd_options *options, char *error, size_t error_size)
{
    /* --help and --version work even if other arguments are wrong. */
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            return QD_OPTIONS_HELP;
        }
        if (strcmp(argv[i], "--version") == 0) {
            return QD_OPTIONS_VERSION;
        }
    }
    if (!set_defaults(options, environment, error, error_size)) {
        return QD_OPTIONS_BAD;
    }
    for (int i = 1; i < argc; i++) {
        if (!read_option(argc, argv, &i, options, error, error_size)) {
            return QD_OPTIONS_BAD;
        }
    }
    return QD_OPTIONS_RUN;
}

void qd_options_help(FILE *stream)
{
    fputs("Usage: quadrille-server [OPTION]...\n"
          "Reports what touches what and who sees whom, every tick, for many rooms at once.\n\n",
          stream);
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        char left[64], min[24], max[24];

        snprintf(left, sizeof left, "--%s %s", table[i].name, table[i].argument);
        fprintf(stream, "  %-28s%s", left, table[i].help);
        if (table[i].otherwise != NULL) {
            fprintf(stream, " (default: %s)", table[i].otherwise);
        }
        if (table[i].max != 0) {
            fprintf(stream, " [%s..%s]", number_text(&table[i], table[i].min, min),
                    number_text(&table[i], table[i].max, max));
        }
        fputc('\n', stream);
    }
    fputs("  --help                      print this text\n"
          "  --version                   print the version\n\n"
          "SIZE is in bytes; K, M or G behind it makes it KiB, MiB or GiB. The environment may set each option,\n"
          "too: --workers as QUADRILLE_WORKERS, --frame-max as QUADRILLE_FRAME_MAX.\n",
          stream);
}

void qd_options_version(FILE *stream)
{
    fprintf(stream, "%s\n", qd_server_name);
}

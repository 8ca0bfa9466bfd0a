/* SPDX-License-Identifier: Apache-2.0
 *
 * quadrille token: mints join tokens, shows what a token claims, and creates the user's own token. It needs no server.
 */
#include "key_file.h"
#include "own_token.h"
#include "plain.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DAY_S     UINT64_C(86400)
#define TIME_SIZE 32

static const qd_option_choice roles[] = {
    {"reader", QD_ROLE_READER}, {"writer", QD_ROLE_WRITER}, {"admin", QD_ROLE_ADMIN}, {NULL, 0}};

/* What the command line says. */
typedef struct token_options {
    const char *key_file, *key, *name, *rooms, *show;
    uint32_t role;
    uint64_t expires_s; /* from now; 0: not given */
    bool own;
} token_options;

/* ---- times ---- */

/* "30s", "15m", "1h" or "7d", as seconds. */
static bool parse_duration(const char *text, void *value, char *rule, size_t rule_size)
{
    static const struct {
        char unit;
        uint64_t seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', DAY_S}};
    const size_t digits = strspn(text, "0123456789");
    char number[8];
    uint64_t count;

    snprintf(rule, rule_size, "a time from 1s to 366d: a number and s, m, h or d");
    if (digits == 0 || digits >= sizeof number || strlen(text) != digits + 1) {
        return false;
    }
    snprintf(number, sizeof number, "%.*s", (int)digits, text);
    for (size_t i = 0; i < QD_CLI_COUNT(units); i++) {
        if (text[digits] == units[i].unit && qd_options_uint64(number, &count)) {
            *(uint64_t *)value = count * units[i].seconds;
            return count > 0 && count * units[i].seconds <= 366 * DAY_S;
        }
    }
    return false;
}

/* "2026-11-26 17:40:00 UTC" */
static void write_time(uint64_t time_s, char text[TIME_SIZE])
{
    const time_t time = (time_t)time_s;
    struct tm parts;

    if (gmtime_r(&time, &parts) == NULL || strftime(text, TIME_SIZE, "%Y-%m-%d %H:%M:%S UTC", &parts) == 0) {
        snprintf(text, TIME_SIZE, "%" PRIu64, time_s);
    }
}

/* ---- minting ---- */

static int mint(const qd_cli *cli, const token_options *options)
{
    char text[QD_TOKEN_BYTES_MAX + 1], error[300];
    qd_tool_key key;

    if (!qd_key_file_read(cli, options->key_file, options->key, &key)) {
        return 1;
    }
    if (options->role > key.role) {
        return qd_cli_fail(cli, "--role is %s; must be at most %s, the role of the key %s", roles[options->role].name,
                           qd_role_name(key.role), key.id);
    }
    const qd_join_claims claims = {.key = key.id,
                                   .name = options->name,
                                   .expires_s = (uint64_t)time(NULL) + options->expires_s,
                                   .role = (qd_role)options->role,
                                   .patterns = options->rooms != NULL ? options->rooms : ""};
    if (!qd_join_token_mint(&claims, key.secret, text, error, sizeof error)) {
        return qd_cli_fail(cli, "%s", error);
    }
    if (cli->json) {
        printf("{\"token\": \"%s\", \"expires\": %" PRIu64 "}\n", text, claims.expires_s);
    } else {
        puts(text);
    }
    return 0;
}

/* ---- showing ---- */

static void print_plain(const qd_join_claims *claims, const char *signature)
{
    const struct {
        const char *name, *value;
    } rows[] = {{"key", claims->key},
                {"name", claims->name},
                {"role", qd_role_name(claims->role)},
                {"rooms", claims->patterns[0] != '\0' ? claims->patterns : "all rooms of the key"}};
    const int64_t left_s = (int64_t)claims->expires_s - (int64_t)time(NULL);
    char expires[TIME_SIZE];

    for (size_t i = 0; i < QD_CLI_COUNT(rows); i++) {
        printf("%-10s ", rows[i].name);
        qd_plain_print(stdout, rows[i].value);
        putchar('\n');
    }
    write_time(claims->expires_s, expires);
    if (left_s > 0) {
        printf("%-10s %s, in %" PRId64 " s\n", "expires", expires, left_s);
    } else {
        printf("%-10s %s, expired\n", "expires", expires);
    }
    printf("%-10s %s\n", "signature", signature);
}

static void print_text(const char *name, const char *text)
{
    printf("\"%s\": ", name);
    qd_plain_print_json(stdout, text);
    fputs(", ", stdout);
}

static void print_json(const qd_join_claims *claims, const char *signature)
{
    putchar('{');
    print_text("key", claims->key);
    print_text("name", claims->name);
    print_text("role", qd_role_name(claims->role));
    print_text("rooms", claims->patterns);
    printf("\"expires\": %" PRIu64 ", ", claims->expires_s);
    printf("\"expired\": %s, \"signature\": \"%s\"}\n", claims->expires_s <= (uint64_t)time(NULL) ? "true" : "false",
           signature);
}

/* Reads the token from the standard input if the text is "-". False: reported. */
static bool read_shown(const qd_cli *cli, const char *given, char text[QD_TOKEN_BYTES_MAX + 2])
{
    if (strcmp(given, "-") != 0) {
        snprintf(text, QD_TOKEN_BYTES_MAX + 2, "%s", given);
        return true;
    }
    if (fgets(text, QD_TOKEN_BYTES_MAX + 2, stdin) == NULL) {
        return qd_cli_fail(cli, "the standard input is empty; must have a join token") == 0;
    }
    text[strcspn(text, "\n")] = '\0';
    return true;
}

static int show(const qd_cli *cli, const token_options *options)
{
    char text[QD_TOKEN_BYTES_MAX + 2];
    const char *signature = "not checked, without --key-file";
    qd_join_check check = QD_JOIN_VALID;
    qd_join_token token;
    qd_tool_key key;

    if (!read_shown(cli, options->show, text)) {
        return 1;
    }
    if (!qd_join_token_parse(text, &token)) {
        return qd_cli_fail(cli, "'%.32s' is no join token; must be " QD_JOIN_PREFIX "CLAIMS.SIGNATURE in base64url",
                           text);
    }
    if (options->key_file != NULL) {
        if (!qd_key_file_read(cli, options->key_file, token.claims.key, &key)) {
            return 1;
        }
        check = qd_join_token_check(text, key.secret);
        signature = check == QD_JOIN_VALID ? "valid" : check == QD_JOIN_INVALID ? "invalid" : "not checked: no memory";
    }
    if (cli->json) {
        print_json(&token.claims, signature);
    } else {
        print_plain(&token.claims, signature);
    }
    return check == QD_JOIN_VALID ? 0 : 1;
}

/* ---- the user's own token ---- */

static int create_own(const qd_cli *cli)
{
    char token[QD_OWN_TOKEN_SIZE], path[PATH_MAX];

    if (!qd_own_token(cli, token)) {
        return 1;
    }
    if (!qd_own_token_path(path)) {
        return qd_cli_fail(cli, "XDG_STATE_HOME and HOME are not set; one must be a folder's path. Set it");
    }
    if (token[0] == '\0') {
        return qd_cli_fail(cli, "cannot create %s; must be in a folder that you may write. Set XDG_STATE_HOME", path);
    }
    if (cli->json) {
        printf("{\"path\": ");
        qd_plain_print_json(stdout, path);
        puts("}");
    } else {
        puts(path);
    }
    return 0;
}

/* ---- the command ---- */

static int check_options(const qd_cli *cli, const token_options *options)
{
    const bool mints =
        options->name != NULL || options->rooms != NULL || options->expires_s != 0 || options->key != NULL;

    if (options->own) {
        const bool has_more = mints || options->show != NULL || options->key_file != NULL;

        return has_more ? qd_options_misuse(cli->program, "--own takes --json only; your own token has no claims") : 0;
    }
    if (options->show != NULL) {
        return mints
                   ? qd_options_misuse(cli->program, "--show takes --key-file and --json only; the token has the rest")
                   : 0;
    }
    const struct {
        const char *name, *argument;
        bool given;
    } needed[] = {{"--key-file", "PATH", options->key_file != NULL},
                  {"--name", "NAME", options->name != NULL},
                  {"--expires", "TIME", options->expires_s != 0}};
    for (size_t i = 0; i < QD_CLI_COUNT(needed); i++) {
        if (!needed[i].given) {
            return qd_options_misuse(cli->program, "%s is missing; a token needs it: %s %s", needed[i].name,
                                     needed[i].name, needed[i].argument);
        }
    }
    return 0;
}

int qd_command_token(qd_cli *cli, int argc, char **argv)
{
    static const qd_usage usage = {
        "quadrille token", "",
        "Mints a join token with a key of the server's --token-file, and prints it; or shows the claims of a\n"
        "token, and whether its signature is valid; or creates your own token. It needs no server. Sessions\n"
        "end when their token expires, by the server's clock. The exit status is 1 if the signature is invalid.",
        .arguments_max = 0};
    token_options options = {.role = QD_ROLE_WRITER};
    const qd_option table[] = {
        QD_TEXT_ROW("--key-file", "PATH", "sign with the key in this file: a line key:ID SECRET", options.key_file,
                    "none"),
        QD_TEXT_ROW("--key", "ID", "use the key with this id, if the file has several", options.key, "the only one"),
        QD_TEXT_ROW("--name", "NAME", "name the holder; sessions with one name and key count as one holder",
                    options.name, "none"),
        {"--role", "ROLE", "give this role", QD_OPTION_CHOICE, .value = &options.role, .choices = roles},
        QD_TEXT_ROW("--rooms", "PATTERNS", "allow rooms that match one of these patterns, with spaces between",
                    options.rooms, "all rooms of the key"),
        {"--expires", "TIME", "let the token expire in TIME, such as 90s, 15m, 1h or 7d", QD_OPTION_PARSED,
         .value = &options.expires_s, .otherwise = "none", .parse = parse_duration},
        QD_TEXT_ROW("--show", "TOKEN", "show this token, or with - that of the standard input", options.show, "none"),
        QD_FLAG_ROW("--own", "create your own token, which all tools present, if you have none; print its file's path",
                    options.own),
        QD_CLI_JSON_OPTION(cli, "an object with token and expires, with the claims, or with path")};
    int status = 0;

    if (qd_options_parse(&usage, table, QD_CLI_COUNT(table), argc, argv, &status) < 0 ||
        (status = check_options(cli, &options)) != 0) {
        return status;
    }
    if (options.own) {
        return create_own(cli);
    }
    return options.show != NULL ? show(cli, &options) : mint(cli, &options);
}

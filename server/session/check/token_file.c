/* SPDX-License-Identifier: Apache-2.0 */
#include "token_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../proto/messages.h"
#include "../../base/files/private_file.h"

#define SPACE " \t\r\n"

/* ---- a line ---- */

/* Where the first error of the file is written. */
typedef struct reader {
    const char *path;
    unsigned line;
    char *error;
    size_t error_size;
} reader;

static bool fail(reader *in, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool fail(reader *in, const char *format, ...)
{
    va_list arguments;
    int size = in->line > 0 ? snprintf(in->error, in->error_size, "line %u of %s: ", in->line, in->path)
                            : snprintf(in->error, in->error_size, "%s ", in->path);

    if (size < 0 || (size_t)size >= in->error_size) {
        return false;
    }
    va_start(arguments, format);
    vsnprintf(in->error + size, in->error_size - (size_t)size, format, arguments);
    va_end(arguments);
    return false;
}

/* Appends a word to a list with one space between words. */
static bool append(reader *in, char **list, const char *word)
{
    const size_t before = strlen(*list), size = strlen(word);
    char *grown = realloc(*list, before + size + 2);

    if (grown == NULL) {
        return fail(in, "does not fit into memory");
    }
    *list = grown;
    if (before > 0) {
        grown[before] = ' ';
    }
    memcpy(grown + before + (before > 0), word, size + 1);
    return true;
}

/* `secret` is NULL for a token. */
static bool add(reader *in, qd_tokens *tokens, const char *token, const char *secret, qd_role role)
{
    qd_grant *grown = realloc(tokens->grants, (tokens->count + 1) * sizeof *grown);

    if (grown == NULL) {
        return fail(in, "does not fit into memory");
    }
    tokens->grants = grown;
    qd_grant *grant = &grown[tokens->count++];
    *grant = (qd_grant){
        .token = strdup(token), .role = role, .patterns = strdup(""), .secret = secret != NULL ? strdup(secret) : NULL};
    const bool complete = grant->token != NULL && grant->patterns != NULL && (grant->secret != NULL || secret == NULL);
    return complete || fail(in, "does not fit into memory");
}

static bool is_key(const char *word)
{
    return strncmp(word, QD_KEY_PREFIX, sizeof QD_KEY_PREFIX - 1) == 0;
}

/* Whether the first word of a line is one that no earlier line has. A key's `secret` may be NULL: the line ends. */
static bool check_token(reader *in, const qd_tokens *tokens, const char *token, const char *secret)
{
    char error[200];

    if (is_key(token)) {
        const char *id = token + sizeof QD_KEY_PREFIX - 1;

        if (!qd_join_key_check(id, secret != NULL ? secret : "", error, sizeof error)) {
            return fail(in, "%s", error);
        }
        return qd_tokens_find_key(tokens, id) == NULL ||
               fail(in, "an earlier line has the key %s, too; must be in one line. Give one another id", id);
    }
    if (strlen(token) > QD_TOKEN_BYTES_MAX) {
        return fail(in, "the token has %zu bytes; must have at most %u", strlen(token), QD_TOKEN_BYTES_MAX);
    }
    return qd_tokens_find(tokens, token) == NULL ||
           fail(in, "an earlier line has the same token; must be in one line. Leave one out");
}

static bool read_line(reader *in, qd_tokens *tokens, char *line)
{
    char *rest, *word = strtok_r(line, SPACE, &rest);
    qd_role role = QD_ROLE_WRITER;

    if (word == NULL || word[0] == '#') {
        return true;
    }
    const char *token = word, *secret = is_key(token) ? strtok_r(NULL, SPACE, &rest) : NULL;
    if (!check_token(in, tokens, token, secret)) {
        return false;
    }
    word = strtok_r(NULL, SPACE, &rest);
    if (word != NULL && !qd_role_parse(word, &role)) {
        return fail(in, "the word behind the token is no role; must be admin, writer or reader. A token has no spaces");
    }
    bool good = add(in, tokens, token, secret, role);
    while (good && (word = strtok_r(NULL, SPACE, &rest)) != NULL) {
        qd_grant *grant = &tokens->grants[tokens->count - 1];
        char *patterns = (char *)(uintptr_t)grant->patterns;

        good = append(in, &patterns, word);
        grant->patterns = patterns;
    }
    return good;
}

/* ---- the file ---- */

static bool read_file(reader *in, FILE *file, qd_tokens *tokens)
{
    char *line = NULL;
    size_t capacity = 0;
    bool good = true;

    while (good && getline(&line, &capacity, file) >= 0) {
        in->line++;
        good = read_line(in, tokens, line);
    }
    free(line);
    in->line = good ? 0 : in->line;
    if (good && ferror(file)) {
        good = fail(in, "cannot be read: %s", strerror(errno));
    }
    if (good && tokens->count == 0) {
        good = fail(in, "has no token; must have at least one. Write one per line");
    }
    return good;
}

qd_tokens *qd_tokens_read(const char *path, char *error, size_t error_size)
{
    reader in = {.path = path, .error = error, .error_size = error_size};
    FILE *file = qd_private_file_open(path, error, error_size);

    if (file == NULL) {
        return NULL;
    }
    qd_tokens *tokens = calloc(1, sizeof *tokens);
    bool good = tokens != NULL;
    if (good) {
        atomic_init(&tokens->references, 1);
        good = read_file(&in, file, tokens);
    } else {
        (void)fail(&in, "does not fit into memory");
    }
    fclose(file);
    if (!good) {
        qd_tokens_release(tokens);
        return NULL;
    }
    return tokens;
}

qd_tokens *qd_tokens_acquire(qd_tokens *tokens)
{
    if (tokens != NULL) {
        atomic_fetch_add_explicit(&tokens->references, 1, memory_order_relaxed);
    }
    return tokens;
}

void qd_tokens_release(qd_tokens *tokens)
{
    if (tokens == NULL || atomic_fetch_sub_explicit(&tokens->references, 1, memory_order_acq_rel) != 1) {
        return;
    }
    for (size_t i = 0; i < tokens->count; i++) {
        free((char *)(uintptr_t)tokens->grants[i].token);
        free((char *)(uintptr_t)tokens->grants[i].patterns);
        free((char *)(uintptr_t)tokens->grants[i].secret);
    }
    free(tokens->grants);
    free(tokens);
}

/* ---- looking up ---- */

static bool equal(const char *known, const char *given, size_t given_size)
{
    size_t known_size = strlen(known);
    unsigned difference = known_size != given_size;

    for (size_t i = 0; i < given_size; i++) {
        difference |= (unsigned char)known[known_size == 0 ? 0 : i % known_size] ^ (unsigned char)given[i];
    }
    return difference == 0;
}

const qd_grant *qd_tokens_find(const qd_tokens *tokens, const char *token)
{
    const size_t size = strlen(token);
    const qd_grant *found = NULL;

    for (size_t i = 0; i < tokens->count; i++) {
        found = tokens->grants[i].secret == NULL && equal(tokens->grants[i].token, token, size) ? &tokens->grants[i]
                                                                                                : found;
    }
    return found;
}

const qd_grant *qd_tokens_find_key(const qd_tokens *tokens, const char *id)
{
    for (size_t i = 0; i < tokens->count; i++) {
        const qd_grant *grant = &tokens->grants[i];

        if (grant->secret != NULL && strcmp(grant->token + sizeof QD_KEY_PREFIX - 1, id) == 0) {
            return grant;
        }
    }
    return NULL;
}

const qd_grant *qd_grant_line(const qd_grant *grant)
{
    return grant->key != NULL ? grant->key : grant;
}

static bool same_secret(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

bool qd_grant_same(const qd_grant *a, const qd_grant *b)
{
    if (a == NULL || b == NULL || a->role != b->role || strcmp(a->patterns, b->patterns) != 0 ||
        !same_secret(a->secret, b->secret)) {
        return false;
    }
    return a->key == NULL || b->key == NULL ? a->key == b->key : qd_grant_same(a->key, b->key);
}

bool qd_tokens_have_line(const qd_tokens *tokens, const qd_grant *grant)
{
    const qd_grant *line = qd_grant_line(grant);
    const char *id = line->token + sizeof QD_KEY_PREFIX - 1;

    return qd_grant_same(line,
                         line->secret != NULL ? qd_tokens_find_key(tokens, id) : qd_tokens_find(tokens, line->token));
}

/* Whether the pattern, which ends at a space or a zero, matches. On a mismatch behind a *, the * takes one character
 * more. */
static bool matches(const char *pattern, const char *name)
{
    const char *star = NULL, *behind = NULL;

    while (*name != '\0') {
        if (*pattern == '*') {
            star = pattern++;
            behind = name;
        } else if (*pattern == *name && *pattern != ' ') {
            pattern++;
            name++;
        } else if (star != NULL) {
            pattern = star + 1;
            name = ++behind;
        } else {
            return false;
        }
    }
    pattern += strspn(pattern, "*");
    return *pattern == '\0' || *pattern == ' ';
}

/* Whether one of the patterns matches. */
static bool has_room(const char *patterns, const char *name)
{
    if (patterns[0] == '\0') {
        return true;
    }
    for (const char *pattern = patterns; pattern != NULL; pattern = strchr(pattern, ' ')) {
        pattern += *pattern == ' ';
        if (matches(pattern, name)) {
            return true;
        }
    }
    return false;
}

bool qd_grant_has_room(const qd_grant *grant, const char *name)
{
    return has_room(grant->patterns, name) && (grant->key == NULL || has_room(grant->key->patterns, name));
}

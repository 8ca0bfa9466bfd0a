/* SPDX-License-Identifier: Apache-2.0 */
#include "token_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../proto/messages.h"

static qd_status add(qd_tokens *tokens, const char *token)
{
    char **grown = realloc(tokens->tokens, (tokens->count + 1) * sizeof *grown);

    if (grown == NULL) {
        return QD_ERR_NO_MEMORY;
    }
    tokens->tokens = grown;
    grown[tokens->count] = strdup(token);
    if (grown[tokens->count] == NULL) {
        return QD_ERR_NO_MEMORY;
    }
    tokens->count++;
    return QD_OK;
}

/* Trims the line in place. */
static char *trim(char *line)
{
    line += strspn(line, " \t\r\n");
    size_t size = strlen(line);
    while (size > 0 && strchr(" \t\r\n", line[size - 1]) != NULL) {
        size--;
    }
    line[size] = '\0';
    return line;
}

qd_status qd_tokens_read(const char *path, qd_tokens *tokens, char *error, size_t error_size)
{
    *tokens = (qd_tokens){0};
    char *line = NULL;
    size_t capacity = 0;
    qd_status status = QD_OK;
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        snprintf(error, error_size, "%s: %s", path, strerror(errno));
        return QD_ERR_SYSTEM;
    }
    for (unsigned number = 1; status == QD_OK && getline(&line, &capacity, file) >= 0; number++) {
        char *token = trim(line);

        if (token[0] == '\0' || token[0] == '#') {
            continue;
        }
        if (strlen(token) > QD_TOKEN_BYTES_MAX) {
            snprintf(error, error_size, "%s: the token in line %u has %zu bytes: at most %u", path, number,
                     strlen(token), QD_TOKEN_BYTES_MAX);
            status = QD_ERR_INVALID;
        } else {
            status = add(tokens, token);
            if (status != QD_OK) {
                snprintf(error, error_size, "%s: out of memory", path);
            }
        }
    }
    if (status == QD_OK && ferror(file)) {
        snprintf(error, error_size, "%s: %s", path, strerror(errno));
        status = QD_ERR_SYSTEM;
    }
    if (status == QD_OK && tokens->count == 0) {
        snprintf(error, error_size, "%s: no token in it: write one a line", path);
        status = QD_ERR_INVALID;
    }
    free(line);
    fclose(file);
    if (status != QD_OK) {
        qd_tokens_deinit(tokens);
    }
    return status;
}

void qd_tokens_deinit(qd_tokens *tokens)
{
    for (size_t i = 0; i < tokens->count; i++) {
        free(tokens->tokens[i]);
    }
    free(tokens->tokens);
    *tokens = (qd_tokens){0};
}

static bool equal(const char *known, const char *given, size_t given_size)
{
    size_t known_size = strlen(known);
    unsigned difference = known_size != given_size;

    for (size_t i = 0; i < given_size; i++) {
        difference |= (unsigned char)known[known_size == 0 ? 0 : i % known_size] ^ (unsigned char)given[i];
    }
    return difference == 0;
}

bool qd_tokens_contain(const qd_tokens *tokens, const char *token)
{
    size_t size = strlen(token);
    bool found = false;

    for (size_t i = 0; i < tokens->count; i++) {
        found |= equal(tokens->tokens[i], token, size);
    }
    return found;
}

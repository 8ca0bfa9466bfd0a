/* SPDX-License-Identifier: Apache-2.0 */
#include "words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The columns of one command. */
#define MEMORY_BYTES (4u << 20)

static _Alignas(16) uint8_t memory[MEMORY_BYTES];
static size_t used;

static void *take(size_t size)
{
    void *at = memory + used;

    used += (size + 15) / 16 * 16;
    if (used > MEMORY_BYTES) {
        fprintf(stderr, "the command has more than %u bytes of columns. Split it\n", MEMORY_BYTES);
        exit(2);
    }
    return at;
}

void words_split(command_words *words, char *line)
{
    char *rest = line;

    used = 0;
    words->command = strsep(&rest, " ");
    words->first = "";
    words->count = 0;
    for (char *word; (word = strsep(&rest, " ")) != NULL;) {
        char *values = strchr(word, '=');

        if (values == NULL) {
            words->first = word;
            continue;
        }
        if (words->count == WORDS_FIELDS_MAX) {
            fprintf(stderr, "the command has more than %u fields\n", WORDS_FIELDS_MAX);
            exit(2);
        }
        *values = '\0';
        words->field[words->count].name = word;
        words->field[words->count++].values = values + 1;
    }
}

const char *words_text(const command_words *words, const char *name, const char *absent)
{
    for (uint32_t i = 0; i < words->count; i++) {
        if (strcmp(words->field[i].name, name) == 0) {
            return words->field[i].values;
        }
    }
    return absent;
}

bool words_has(const command_words *words, const char *name)
{
    return words_text(words, name, NULL) != NULL;
}

uint32_t words_number(const command_words *words, const char *name, uint32_t absent)
{
    const char *text = words_text(words, name, NULL);

    return text != NULL ? (uint32_t)strtol(text, NULL, 10) : absent;
}

static uint32_t count_of(const char *values)
{
    uint32_t count = *values != '\0';

    for (; *values != '\0'; values++) {
        count += *values == ',';
    }
    return count;
}

/* Defines a function that reads a column of `type` by the expression `parse` of `at` and `end`. */
#define COLUMN(name, type, parse)                                                                                      \
    const type *name(const command_words *words, const char *field, uint32_t *count)                                   \
    {                                                                                                                  \
        const char *at = words_text(words, field, NULL);                                                               \
        char *end;                                                                                                     \
                                                                                                                       \
        if (at == NULL) {                                                                                              \
            return NULL;                                                                                               \
        }                                                                                                              \
        *count = count_of(at);                                                                                         \
        type *column = take(*count * sizeof *column + 1);                                                              \
        for (uint32_t i = 0; i < *count; i++, at = end + 1) {                                                          \
            column[i] = (type)(parse);                                                                                 \
        }                                                                                                              \
        return column;                                                                                                 \
    }

COLUMN(words_u32, uint32_t, strtoul(at, &end, 10))
COLUMN(words_u64, uint64_t, strtoull(at, &end, 10))
COLUMN(words_f32, float, strtof(at, &end))
COLUMN(words_u8, uint8_t, strtoul(at, &end, 10))

static uint8_t digit_of(char c)
{
    return (uint8_t)(c <= '9' ? c - '0' : c - 'a' + 10);
}

const uint8_t *words_hex(const command_words *words, const char *name, uint32_t *count)
{
    const char *digits = words_text(words, name, NULL);

    if (digits == NULL) {
        return NULL;
    }
    *count = (uint32_t)strlen(digits) / 2;
    uint8_t *bytes = take(*count + 1);
    for (uint32_t i = 0; i < *count; i++) {
        bytes[i] = (uint8_t)(digit_of(digits[2 * i]) << 4 | digit_of(digits[2 * i + 1]));
    }
    return bytes;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Splits a command of the driver protocol (../README.md) into words, and its values into columns.
 */
#ifndef QD_TESTS_CONFORMANCE_WORDS_H
#define QD_TESTS_CONFORMANCE_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#define WORDS_FIELDS_MAX 32u

typedef struct command_words {
    const char *command;
    const char *first; /* the word after the command that is no NAME=VALUES: a room or an address; empty: none */
    uint32_t count;
    struct {
        const char *name, *values;
    } field[WORDS_FIELDS_MAX];
} command_words;

/* Splits `line` in place. All that it and the functions below return is valid until the next call. */
void words_split(command_words *words, char *line);

/* The values of a field; NULL: it is absent. *count is their number if the field is present, else unchanged. */
const uint32_t *words_u32(const command_words *words, const char *name, uint32_t *count);
const uint64_t *words_u64(const command_words *words, const char *name, uint32_t *count);
const float *words_f32(const command_words *words, const char *name, uint32_t *count);
/* One byte per value. */
const uint8_t *words_u8(const command_words *words, const char *name, uint32_t *count);
/* The bytes of hexadecimal digits. */
const uint8_t *words_hex(const command_words *words, const char *name, uint32_t *count);
/* The text of a field, or its one number; `absent` if there is none. */
const char *words_text(const command_words *words, const char *name, const char *absent);
uint32_t words_number(const command_words *words, const char *name, uint32_t absent);
bool words_has(const command_words *words, const char *name);

#endif

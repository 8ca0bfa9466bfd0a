/* SPDX-License-Identifier: Apache-2.0 */
#include "statement.h"

#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 256u

struct entries entries;

/* ---- words ---- */

static char plain[2048], memory[3 * sizeof plain];
static char *words[WORDS_MAX];
static uint32_t word_count, next;

void statement_split(const char *statement, size_t size)
{
    size_t length = 0, used = 0;

    assert_true(size < sizeof plain);
    for (size_t i = 0; i < size; i++) { /* one space is like many */
        if (statement[i] != ' ' || (length > 0 && plain[length - 1] != ' ')) {
            plain[length++] = statement[i];
        }
    }
    plain[length] = '\0';
    char *arrow = strstr(plain, "->");
    expected = "";
    if (arrow != NULL) {
        *arrow = '\0';
        expected = arrow + 2 + strspn(arrow + 2, " ");
    }
    memory[0] = '\0';
    for (size_t i = 0; plain[i] != '\0'; i++) { /* a comma is a word of its own */
        used += (size_t)sprintf(memory + used, plain[i] == ',' ? " %c " : "%c", plain[i]);
    }
    word_count = next = 0;
    for (char *word = strtok(memory, " "); word != NULL; word = strtok(NULL, " ")) {
        assert_true(word_count < WORDS_MAX);
        words[word_count++] = word;
    }
}

bool at_end(void)
{
    return next == word_count;
}

bool take(const char *word)
{
    bool is_next = !at_end() && strcmp(words[next], word) == 0;

    next += is_next;
    return is_next;
}

const char *need_word(void)
{
    assert_false(at_end());
    return words[next++];
}

bool take_number(double *number)
{
    char *end;

    if (at_end()) {
        return false;
    }
    *number = strtod(words[next], &end);
    next += *end == '\0';
    return *end == '\0';
}

double need_number(void)
{
    double number = 0;

    assert_true(take_number(&number));
    return number;
}

uint32_t need_id(void)
{
    return (uint32_t)need_number();
}

uint32_t take_ids(uint32_t *id)
{
    uint32_t count = 0;

    for (double number; take_number(&number);) {
        assert_true(count < ENTRIES_MAX);
        id[count++] = (uint32_t)number;
    }
    return count;
}

uint32_t need_member(void)
{
    const char *word = need_word();

    return strcmp(word, "room") == 0 ? QD_ROOM_OWNED : (uint32_t)(word[0] - 'A');
}

/* ---- columns ---- */

#define ROW(column, name, usual) [column] = (name),
static const char *const column_names[] = {COLUMN_LIST(ROW)};
#undef ROW
#define ROW(column, name, usual) [column] = (usual),
static const double usual_values[] = {COLUMN_LIST(ROW)};
#undef ROW

static struct {
    bool is_given;
    double value[ENTRIES_MAX];
    float floats[ENTRIES_MAX];
    uint32_t numbers[ENTRIES_MAX];
    uint8_t bytes[ENTRIES_MAX];
} columns[COLUMNS];

void column_give(column which)
{
    columns[which].is_given = true;
}

bool column_is_given(column which)
{
    return columns[which].is_given;
}

void column_set(column which, uint32_t first, uint32_t count, double value)
{
    columns[which].is_given = true;
    for (uint32_t i = first; i < first + count; i++) {
        columns[which].value[i] = value;
    }
}

const float *floats(column which)
{
    for (uint32_t i = 0; i < entries.count; i++) {
        columns[which].floats[i] = (float)columns[which].value[i];
    }
    return columns[which].is_given ? columns[which].floats : NULL;
}

const uint32_t *numbers(column which)
{
    for (uint32_t i = 0; i < entries.count; i++) {
        columns[which].numbers[i] = (uint32_t)columns[which].value[i];
    }
    return columns[which].is_given ? columns[which].numbers : NULL;
}

const uint8_t *bytes(column which)
{
    for (uint32_t i = 0; i < entries.count; i++) {
        columns[which].bytes[i] = (uint8_t)columns[which].value[i];
    }
    return columns[which].is_given ? columns[which].bytes : NULL;
}

/* ---- entries ---- */

void entries_begin(void)
{
    entries = (struct entries){0};
    for (int k = 0; k < COLUMNS; k++) {
        column_set(k, 0, ENTRIES_MAX, usual_values[k]);
        columns[k].is_given = false;
    }
}

/* One value of the entries from `first` on; the payload and the tiers are no columns. */
static void take_value(uint32_t first)
{
    const char *name = need_word();
    column which = 0;

    if (strcmp(name, "payload") == 0) {
        entries.payload[first] = need_word();
        return;
    }
    if (strcmp(name, "tier") == 0) {
        entries.relay_range[entries.tiers] = (float)need_number();
        entries.relay_every[entries.tiers++] = need_id();
        return;
    }
    while (which < COLUMNS && strcmp(column_names[which], name) != 0) {
        which++;
    }
    if (which == COLUMNS) {
        fail_msg("no column is called %s", name);
    }
    column_set(which, first, entries.count - first, need_number());
    for (uint32_t i = first; i < entries.count && which == SHAPE; i++) {
        for (column half = HALF_X; half <= HALF_Z && columns[SHAPE].value[i] != QD_SPACE_BOX; half++) {
            columns[half].value[i] = 0;
        }
    }
}

void entries_take(void)
{
    while (!at_end()) {
        const char *ids = need_word(), *dots = strstr(ids, "..");
        uint32_t first = entries.count, id = (uint32_t)strtod(ids, NULL);
        uint32_t last = dots == NULL ? id : (uint32_t)strtod(dots + 2, NULL);
        double number;

        assert_true(last - id < ENTRIES_MAX - first);
        while (entries.count <= first + last - id) {
            entries.id[entries.count] = id + entries.count - first;
            entries.count++;
        }
        for (column axis = AT_X; axis <= AT_Z && take_number(&number); axis++) {
            column_set(axis, first, entries.count - first, number);
        }
        while (!at_end() && !take(",")) {
            take_value(first);
        }
    }
}

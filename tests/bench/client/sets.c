/* SPDX-License-Identifier: Apache-2.0 */
#include "sets.h"

#include <stdlib.h>
#include <string.h>

#include "program.h"

#define SETS_NONE  UINT64_MAX
#define SIZE_FIRST 4096u

static size_t home_of(const sets *s, uint64_t key)
{
    return (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & s->mask;
}

/* Where the key is, or would be inserted. */
static size_t find(const sets *s, uint64_t key)
{
    size_t at = home_of(s, key);

    while (s->key[at] != SETS_NONE && s->key[at] != key) {
        at = (at + 1) & s->mask;
    }
    return at;
}

static void make_table(sets *s, size_t size)
{
    s->key = program_memory(NULL, size * sizeof *s->key);
    s->seen = program_memory(NULL, size * sizeof *s->seen);
    memset(s->key, 0xff, size * sizeof *s->key);
    s->mask = size - 1;
}

void sets_init(sets *s)
{
    *s = (sets){0};
    make_table(s, SIZE_FIRST);
}

static void grow(sets *s)
{
    uint64_t *key = s->key;
    uint32_t *seen = s->seen;
    const size_t size = s->mask + 1;

    make_table(s, 2 * size);
    for (size_t i = 0; i < size; i++) {
        if (key[i] == SETS_NONE) {
            continue;
        }
        const size_t at = find(s, key[i]);
        s->key[at] = key[i];
        s->seen[at] = seen[i];
    }
    free(key);
    free(seen);
}

static void list_add(sets_list *list, uint64_t key)
{
    if (list->count == list->capacity) {
        list->capacity = list->capacity > 0 ? 2 * list->capacity : 1024;
        list->key = program_memory(list->key, list->capacity * sizeof *list->key);
    }
    list->key[list->count++] = key;
}

void sets_begin_step(sets *s)
{
    s->entered.count = s->left.count = 0;
    s->step++;
}

/* Inserts at the place that find returned. */
static void insert(sets *s, size_t at, uint64_t key)
{
    s->key[at] = key;
    s->seen[at] = s->step;
    s->count++;
    list_add(&s->entered, key);
    if (2 * s->count > s->mask) {
        grow(s);
    }
}

/* Removes a key and moves later keys of the run up, so that no key is behind a gap. */
static void take_out(sets *s, size_t at)
{
    list_add(&s->left, s->key[at]);
    s->count--;
    size_t gap = at;
    for (size_t next = (gap + 1) & s->mask; s->key[next] != SETS_NONE; next = (next + 1) & s->mask) {
        const size_t home = home_of(s, s->key[next]);

        if (((next - home) & s->mask) < ((next - gap) & s->mask)) {
            continue;
        }
        s->key[gap] = s->key[next];
        s->seen[gap] = s->seen[next];
        gap = next;
    }
    s->key[gap] = SETS_NONE;
}

void sets_enter(sets *s, uint64_t key)
{
    const size_t at = find(s, key);

    if (s->key[at] == key) {
        program_die("%u/%u entered twice", (unsigned)(key >> 32), (unsigned)key);
    }
    insert(s, at, key);
}

void sets_leave(sets *s, uint64_t key)
{
    const size_t at = find(s, key);

    if (s->key[at] != key) {
        program_die("%u/%u left without having entered", (unsigned)(key >> 32), (unsigned)key);
    }
    take_out(s, at);
}

void sets_see(sets *s, uint64_t key)
{
    const size_t at = find(s, key);

    if (s->key[at] == key) {
        s->seen[at] = s->step;
    } else {
        insert(s, at, key);
    }
}

void sets_forget_unseen(sets *s)
{
    /* A key that moves up to `at` is examined next. A key that moves up around the end was examined before, and seen. */
    for (size_t at = 0; at <= s->mask;) {
        if (s->key[at] != SETS_NONE && s->seen[at] != s->step) {
            take_out(s, at);
        } else {
            at++;
        }
    }
}

uint64_t *sets_members(const sets *s)
{
    uint64_t *members = program_memory(NULL, (s->count + 1) * sizeof *members);
    size_t count = 0;

    for (size_t at = 0; at <= s->mask; at++) {
        if (s->key[at] != SETS_NONE) {
            members[count++] = s->key[at];
        }
    }
    sets_sort(members, count);
    return members;
}

static int compare(const void *a, const void *b)
{
    const uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

    return (one > other) - (one < other);
}

void sets_sort(uint64_t *key, size_t count)
{
    if (count > 0) {
        qsort(key, count, sizeof *key, compare);
    }
}

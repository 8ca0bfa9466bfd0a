/* SPDX-License-Identifier: Apache-2.0 */
#include "table.h"

#include "memory.h"

#define TABLE_BITS_MIN     4u
#define TABLE_CAPACITY_MIN ((size_t)1 << TABLE_BITS_MIN)

static size_t home(const qd_table *table, uint64_t key)
{
    /* The golden ratio spreads consecutive keys over the upper bits. A key is often two ids; the XOR lets the upper id
     * reach these bits as well. */
    return (size_t)((key ^ (key >> 32)) * UINT64_C(0x9e3779b97f4a7c15) >> table->shift);
}

/* The place of `key`, or the empty place for it. An empty place always exists. */
static qd_table_place *look(const qd_table *table, uint64_t key)
{
    size_t i = home(table, key);

    while (table->places[i].value != 0 && table->places[i].key != key) {
        i = (i + 1) & (table->capacity - 1);
    }
    return &table->places[i];
}

qd_table_place *qd_table_get(const qd_table *table, uint64_t key)
{
    if (table->count == 0) {
        return NULL;
    }
    qd_table_place *found = look(table, key);
    return found->value != 0 ? found : NULL;
}

void qd_table_fetch(const qd_table *table, uint64_t key)
{
    if (table->capacity > 0) {
        __builtin_prefetch(&table->places[home(table, key)], 1);
    }
}

static bool grow(qd_table *old)
{
    qd_table new = {.count = old->count, .capacity = TABLE_CAPACITY_MIN, .shift = 64 - TABLE_BITS_MIN};

    if (old->capacity > 0) {
        new.capacity = 2 * old->capacity;
        new.shift = old->shift - 1;
    }
    new.places = qd_memory_zeroed(new.capacity, sizeof *new.places);
    if (new.places == NULL) {
        return false;
    }
    for (size_t i = 0; i < old->capacity; i++) {
        if (old->places[i].value != 0) {
            *look(&new, old->places[i].key) = old->places[i];
        }
    }
    qd_memory_free(old->places);
    *old = new;
    return true;
}

qd_table_place *qd_table_put(qd_table *table, uint64_t key)
{
    if (2 * (table->count + 1) > table->capacity && !grow(table)) {
        return NULL;
    }
    qd_table_place *found = look(table, key);
    if (found->value == 0) {
        found->key = key;
        table->count++;
    }
    return found;
}

void qd_table_take(qd_table *table, qd_table_place *gone)
{
    size_t mask = table->capacity - 1;
    size_t hole = (size_t)(gone - table->places);

    for (size_t i = (hole + 1) & mask; table->places[i].value != 0; i = (i + 1) & mask) {
        /* An entry may move into the hole if its home is at or before the hole. */
        size_t distance_to_home = (i - home(table, table->places[i].key)) & mask;

        if (distance_to_home >= ((i - hole) & mask)) {
            table->places[hole] = table->places[i];
            hole = i;
        }
    }
    table->places[hole] = (qd_table_place){0};
    table->count--;
}

void qd_table_empty(qd_table *table)
{
    qd_memory_free(table->places);
    *table = (qd_table){0};
}

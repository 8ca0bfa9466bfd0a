/* SPDX-License-Identifier: Apache-2.0
 *
 * The set of pairs, folded from Tick frames: one hash table of pairs and one of how many pairs each id is in. Both are
 * open addressing with linear probing and deletion by backward shift, at most half full.
 */
#include "quadrille.h"

#include <stdlib.h>

#define TABLE_CAPACITY_MIN 16u

/* Key 0 is an empty place. */
typedef struct hash_place {
    uint64_t key;
    uint64_t value;
} hash_place;

typedef struct hash_table {
    hash_place *places;
    size_t count;
    size_t capacity; /* a power of two, or 0 */
} hash_table;

struct qd_pairs {
    hash_table pairs; /* by pair_key */
    hash_table ids;   /* by id + 1: the number of its pairs */
    uint64_t tick;
    bool started; /* a reset has come, and no suspension since */
    bool in_tick; /* the last frame of the tick is still to come */
};

/* ---- tables ---- */

static size_t home(const hash_table *table, uint64_t key)
{
    /* The finalizer of SplitMix64: every bit of the key reaches the low ones. */
    key = (key ^ (key >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    key = (key ^ (key >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (size_t)(key ^ (key >> 31)) & (table->capacity - 1);
}

/* Where `key` is, or the empty place where it would go. The table is not empty. */
static hash_place *look(const hash_table *table, uint64_t key)
{
    size_t i = home(table, key);
    while (table->places[i].key != 0 && table->places[i].key != key)
        i = (i + 1) & (table->capacity - 1);
    return &table->places[i];
}

static hash_place *get(const hash_table *table, uint64_t key)
{
    if (table->count == 0)
        return NULL;
    hash_place *found = look(table, key);
    return found->key == key ? found : NULL;
}

static bool grow(hash_table *old)
{
    hash_table new = {.count = old->count, .capacity = old->capacity > 0 ? 2 * old->capacity : TABLE_CAPACITY_MIN};
    new.places = calloc(new.capacity, sizeof *new.places);
    if (new.places == NULL)
        return false;
    for (size_t i = 0; i < old->capacity; i++)
        if (old->places[i].key != 0)
            *look(&new, old->places[i].key) = old->places[i];
    free(old->places);
    *old = new;
    return true;
}

/* The place of `key`, made with value 0 where it was not there; NULL: no memory. */
static hash_place *put(hash_table *table, uint64_t key)
{
    if (2 * (table->count + 1) > table->capacity && !grow(table))
        return NULL;
    hash_place *found = look(table, key);
    if (found->key == 0) {
        *found = (hash_place){.key = key};
        table->count++;
    }
    return found;
}

static void take(hash_table *table, hash_place *gone)
{
    size_t mask = table->capacity - 1;
    size_t hole = (size_t)(gone - table->places);
    for (size_t i = (hole + 1) & mask; table->places[i].key != 0; i = (i + 1) & mask) {
        /* Whoever stands at or behind its home, counted from the hole, may move up into it. */
        size_t distance_to_home = (i - home(table, table->places[i].key)) & mask;
        if (distance_to_home >= ((i - hole) & mask)) {
            table->places[hole] = table->places[i];
            hole = i;
        }
    }
    table->places[hole] = (hash_place){0};
    table->count--;
}

static void empty(hash_table *table)
{
    free(table->places);
    *table = (hash_table){0};
}

/* ---- pairs ---- */

/* a < b, so that no pair has key 0. */
static uint64_t pair_key(uint32_t a, uint32_t b)
{
    return (uint64_t)a << 32 | b;
}

qd_pairs *qd_pairs_create(void)
{
    return calloc(1, sizeof(qd_pairs));
}

static void forget(qd_pairs *pairs)
{
    empty(&pairs->pairs);
    empty(&pairs->ids);
    pairs->started = pairs->in_tick = false;
}

void qd_pairs_destroy(qd_pairs *pairs)
{
    if (pairs == NULL)
        return;
    forget(pairs);
    free(pairs);
}

static qd_client_status begin(qd_pairs *pairs, uint32_t a, uint32_t b)
{
    if (a >= b || get(&pairs->pairs, pair_key(a, b)) != NULL)
        return QD_CLIENT_ERR_PROTOCOL;
    hash_place *of_a = put(&pairs->ids, (uint64_t)a + 1);
    if (of_a == NULL)
        return QD_CLIENT_ERR_NO_MEMORY;
    of_a->value++;
    hash_place *of_b = put(&pairs->ids, (uint64_t)b + 1);
    if (of_b == NULL || put(&pairs->pairs, pair_key(a, b)) == NULL)
        return QD_CLIENT_ERR_NO_MEMORY;
    of_b->value++;
    return QD_CLIENT_OK;
}

static void count_down(qd_pairs *pairs, uint32_t id)
{
    hash_place *of_id = get(&pairs->ids, (uint64_t)id + 1);
    if (--of_id->value == 0)
        take(&pairs->ids, of_id);
}

static qd_client_status end(qd_pairs *pairs, uint32_t a, uint32_t b)
{
    hash_place *found = a < b ? get(&pairs->pairs, pair_key(a, b)) : NULL;
    if (found == NULL)
        return QD_CLIENT_ERR_PROTOCOL;
    take(&pairs->pairs, found);
    count_down(pairs, a);
    count_down(pairs, b);
    return QD_CLIENT_OK;
}

static qd_client_status fold(qd_pairs *pairs, const qd_msg_tick *tick)
{
    for (uint32_t i = 0; i < tick->ends.count; i++) {
        qd_client_status status = end(pairs, tick->ends.a[i], tick->ends.b[i]);
        if (status < 0)
            return status;
    }
    for (uint32_t i = 0; i < tick->begins.count; i++) {
        qd_client_status status = begin(pairs, tick->begins.a[i], tick->begins.b[i]);
        if (status < 0)
            return status;
    }
    for (uint32_t i = 0; i < tick->passed.count; i++)
        if (qd_pairs_contain(pairs, tick->passed.a[i], tick->passed.b[i]))
            return QD_CLIENT_ERR_PROTOCOL;
    for (uint32_t i = 0; i < tick->stays.count; i++)
        if (!qd_pairs_contain(pairs, tick->stays.a[i], tick->stays.b[i]))
            return QD_CLIENT_ERR_PROTOCOL;
    return QD_CLIENT_OK;
}

qd_client_status qd_pairs_apply(qd_pairs *pairs, const qd_msg_tick *tick)
{
    if (tick->suspended) {
        forget(pairs);
        pairs->tick = tick->tick;
        return QD_CLIENT_OK;
    }
    /* The frames of a tick follow each other, and a reset is only on the first. */
    bool follows = pairs->in_tick;
    if (tick->reset && !follows) {
        forget(pairs);
        pairs->started = true;
    } else if (!pairs->started || tick->reset || (follows && tick->tick != pairs->tick)) {
        forget(pairs);
        return QD_CLIENT_ERR_PROTOCOL;
    }
    pairs->tick = tick->tick;
    qd_client_status status = fold(pairs, tick);
    if (status < 0) {
        forget(pairs);
        return status;
    }
    pairs->in_tick = !tick->last;
    return QD_CLIENT_OK;
}

bool qd_pairs_known(const qd_pairs *pairs)
{
    return pairs->started && !pairs->in_tick;
}

uint64_t qd_pairs_tick(const qd_pairs *pairs)
{
    return pairs->tick;
}

size_t qd_pairs_count(const qd_pairs *pairs)
{
    return pairs->pairs.count;
}

bool qd_pairs_contain(const qd_pairs *pairs, uint32_t a, uint32_t b)
{
    return a < b ? get(&pairs->pairs, pair_key(a, b)) != NULL : b < a && qd_pairs_contain(pairs, b, a);
}

uint32_t qd_pairs_of(const qd_pairs *pairs, uint32_t id)
{
    const hash_place *found = get(&pairs->ids, (uint64_t)id + 1);
    return found != NULL ? (uint32_t)found->value : 0;
}

bool qd_pairs_next(const qd_pairs *pairs, size_t *cursor, uint32_t *a, uint32_t *b)
{
    for (; *cursor < pairs->pairs.capacity; ++*cursor) {
        uint64_t key = pairs->pairs.places[*cursor].key;
        if (key != 0) {
            *a = (uint32_t)(key >> 32);
            *b = (uint32_t)key;
            ++*cursor;
            return true;
        }
    }
    return false;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Folds Tick frames into the set of pairs: a table of pairs, and a table of the number of pairs per id.
 */
#include "memory.h"
#include "quadrille.h"
#include "table.h"

struct qd_pairs {
    qd_table pairs; /* by pair_key; value 1 */
    qd_table ids;   /* by id: the number of its pairs */
    uint64_t tick;
    bool started; /* a reset came, and no suspension since */
    bool in_tick; /* the last frame of the tick has not come yet */
};

/* a < b */
static uint64_t pair_key(uint32_t a, uint32_t b)
{
    return (uint64_t)a << 32 | b;
}

qd_pairs *qd_pairs_create(void)
{
    return qd_memory_zeroed(1, sizeof(qd_pairs));
}

static void forget(qd_pairs *pairs)
{
    qd_table_empty(&pairs->pairs);
    qd_table_empty(&pairs->ids);
    pairs->started = pairs->in_tick = false;
}

void qd_pairs_destroy(qd_pairs *pairs)
{
    if (pairs == NULL) {
        return;
    }
    forget(pairs);
    qd_memory_free(pairs);
}

static qd_client_status begin(qd_pairs *pairs, uint32_t a, uint32_t b)
{
    if (a >= b || qd_table_get(&pairs->pairs, pair_key(a, b)) != NULL) {
        return QD_CLIENT_ERR_PROTOCOL;
    }
    qd_table_place *of_a = qd_table_put(&pairs->ids, a);
    if (of_a == NULL) {
        return QD_CLIENT_ERR_NO_MEMORY;
    }
    of_a->value++;
    qd_table_place *of_b = qd_table_put(&pairs->ids, b);
    if (of_b == NULL) {
        return QD_CLIENT_ERR_NO_MEMORY;
    }
    of_b->value++;
    qd_table_place *pair = qd_table_put(&pairs->pairs, pair_key(a, b));
    if (pair == NULL) {
        return QD_CLIENT_ERR_NO_MEMORY;
    }
    pair->value = 1;
    return QD_CLIENT_OK;
}

static void count_down(qd_pairs *pairs, uint32_t id)
{
    qd_table_place *of_id = qd_table_get(&pairs->ids, id);

    if (--of_id->value == 0) {
        qd_table_take(&pairs->ids, of_id);
    }
}

static qd_client_status end(qd_pairs *pairs, uint32_t a, uint32_t b)
{
    qd_table_place *found = a < b ? qd_table_get(&pairs->pairs, pair_key(a, b)) : NULL;

    if (found == NULL) {
        return QD_CLIENT_ERR_PROTOCOL;
    }
    qd_table_take(&pairs->pairs, found);
    count_down(pairs, a);
    count_down(pairs, b);
    return QD_CLIENT_OK;
}

static qd_client_status fold(qd_pairs *pairs, const qd_msg_tick *tick)
{
    for (uint32_t i = 0; i < tick->ends.count; i++) {
        qd_client_status status = end(pairs, tick->ends.a[i], tick->ends.b[i]);

        if (status < 0) {
            return status;
        }
    }
    for (uint32_t i = 0; i < tick->begins.count; i++) {
        qd_client_status status = begin(pairs, tick->begins.a[i], tick->begins.b[i]);

        if (status < 0) {
            return status;
        }
    }
    for (uint32_t i = 0; i < tick->passed.count; i++) {
        if (qd_pairs_contain(pairs, tick->passed.a[i], tick->passed.b[i])) {
            return QD_CLIENT_ERR_PROTOCOL;
        }
    }
    for (uint32_t i = 0; i < tick->stays.count; i++) {
        if (!qd_pairs_contain(pairs, tick->stays.a[i], tick->stays.b[i])) {
            return QD_CLIENT_ERR_PROTOCOL;
        }
    }
    return QD_CLIENT_OK;
}

qd_client_status qd_pairs_apply(qd_pairs *pairs, const qd_msg_tick *tick)
{
    if (tick->suspended) {
        forget(pairs);
        pairs->tick = tick->tick;
        return QD_CLIENT_OK;
    }
    /* The frames of a tick are consecutive, and only the first may be a reset. */
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
    return a < b ? qd_table_get(&pairs->pairs, pair_key(a, b)) != NULL : b < a && qd_pairs_contain(pairs, b, a);
}

uint32_t qd_pairs_of(const qd_pairs *pairs, uint32_t id)
{
    const qd_table_place *found = qd_table_get(&pairs->ids, id);

    return found != NULL ? (uint32_t)found->value : 0;
}

bool qd_pairs_next(const qd_pairs *pairs, size_t *cursor, uint32_t *a, uint32_t *b)
{
    for (; *cursor < pairs->pairs.capacity; ++*cursor) {
        const qd_table_place *place = &pairs->pairs.places[*cursor];

        if (place->value != 0) {
            *a = (uint32_t)(place->key >> 32);
            *b = (uint32_t)place->key;
            ++*cursor;
            return true;
        }
    }
    return false;
}

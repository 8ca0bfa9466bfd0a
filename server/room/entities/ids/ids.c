/* SPDX-License-Identifier: Apache-2.0 */
#include "ids.h"

#include <string.h>

#include "../../../base/assert.h"

#define TABLE_COUNT_MIN 64u
#define TRIM_SHARE      8u         /* a table shrinks if less than an eighth is in use */
#define TABLE_COUNT_MAX (1u << 24) /* as many as twice the slots of a space, doubled */

static const qd_id_entry nowhere = {QD_SLOT_NONE, QD_OWNER_NOBODY};

void qd_ids_init(qd_ids *ids, qd_heap *heap, uint64_t salt)
{
    *ids = (qd_ids){.heap = heap};
    qd_id_map_init(&ids->map, heap, salt);
}

void qd_ids_deinit(qd_ids *ids)
{
    qd_heap_free(ids->heap, ids->table, ids->table_count * sizeof ids->table[0]);
    qd_id_map_deinit(&ids->map);
}

/* Moves the ids from `first` on that the table covers now from the map into the table. */
static void take_over(qd_ids *ids, uint32_t first)
{
    uint32_t cursor = 0, mapped;
    qd_id_entry entry;

    if (ids->map.count == 0) {
        return;
    }
    while (qd_ids_next_mapped(ids, &cursor, &mapped, &entry)) {
        if (mapped < ids->table_count) {
            ids->table[mapped] = entry;
        }
    }
    for (uint32_t id = first; id < ids->table_count; id++) {
        if (ids->table[id].slot != QD_SLOT_NONE) {
            (void)qd_id_map_remove(&ids->map, id);
        }
    }
}

/* Makes the table cover the id. Without memory, the map keeps it. */
static void cover(qd_ids *ids, uint32_t id)
{
    uint32_t old_count = ids->table_count;
    uint32_t count = old_count ? old_count : TABLE_COUNT_MIN;

    while (count <= id) {
        count *= 2;
    }
    qd_id_entry *table = qd_heap_resize(ids->heap, ids->table, old_count * sizeof *table, count * sizeof *table);
    if (!table) {
        return;
    }
    for (uint32_t i = old_count; i < count; i++) {
        table[i] = nowhere;
    }
    ids->table = table;
    ids->table_count = count;
    take_over(ids, old_count);
}

static bool dense(const qd_ids *ids, uint32_t id)
{
    return id < TABLE_COUNT_MAX && id < 2 * (uint64_t)ids->count + TABLE_COUNT_MIN;
}

qd_status qd_ids_put(qd_ids *ids, uint32_t id, qd_id_entry entry)
{
    if (id >= ids->table_count && dense(ids, id)) {
        cover(ids, id);
    }
    if (id < ids->table_count) {
        ids->table[id] = entry;
    } else {
        qd_status status = qd_id_map_put(&ids->map, id, entry);

        if (status != QD_OK) {
            return status;
        }
    }
    ids->count++;
    return QD_OK;
}

void qd_ids_set(qd_ids *ids, uint32_t id, qd_id_entry entry)
{
    if (id < ids->table_count) {
        QD_ASSERT(ids->table[id].slot != QD_SLOT_NONE);
        ids->table[id] = entry;
        return;
    }
    qd_status status = qd_id_map_put(&ids->map, id, entry);
    QD_ASSERT(status == QD_OK); /* replacing needs no memory */
}

void qd_ids_remove(qd_ids *ids, uint32_t id)
{
    if (id < ids->table_count) {
        QD_ASSERT(ids->table[id].slot != QD_SLOT_NONE);
        ids->table[id] = nowhere;
    } else {
        bool was_there = qd_id_map_remove(&ids->map, id);

        QD_ASSERT(was_there);
    }
    ids->count--;
}

/* Moves the ids from `count` on from the table into the map, which has room for them. */
static void move_to_map(qd_ids *ids, uint32_t count)
{
    for (uint32_t id = count; id < ids->table_count; id++) {
        if (ids->table[id].slot != QD_SLOT_NONE) {
            qd_status status = qd_id_map_put(&ids->map, id, ids->table[id]);

            QD_ASSERT(status == QD_OK);
        }
    }
}

static uint32_t count_from(const qd_ids *ids, uint32_t first)
{
    uint32_t count = 0;

    for (uint32_t id = first; id < ids->table_count; id++) {
        count += ids->table[id].slot != QD_SLOT_NONE;
    }
    return count;
}

static void shrink(qd_ids *ids, uint32_t count)
{
    qd_id_entry *table = qd_heap_alloc(ids->heap, count * sizeof *table);

    if (!table || qd_id_map_reserve(&ids->map, ids->map.count + count_from(ids, count)) != QD_OK) {
        qd_heap_free(ids->heap, table, table ? count * sizeof *table : 0);
        return;
    }
    move_to_map(ids, count);
    memcpy(table, ids->table, count * sizeof *table);
    qd_heap_free(ids->heap, ids->table, ids->table_count * sizeof ids->table[0]);
    ids->table = table;
    ids->table_count = count;
}

void qd_ids_trim(qd_ids *ids)
{
    uint32_t count = TABLE_COUNT_MIN;

    qd_id_map_trim(&ids->map);
    if (ids->count == 0) {
        qd_heap_free(ids->heap, ids->table, ids->table_count * sizeof ids->table[0]);
        ids->table = NULL;
        ids->table_count = 0;
        return;
    }
    while (count < 2 * (uint64_t)ids->count) {
        count *= 2;
    }
    if (ids->count < ids->table_count / TRIM_SHARE && count < ids->table_count) {
        shrink(ids, count);
    }
}

bool qd_ids_next_mapped(const qd_ids *ids, uint32_t *cursor, uint32_t *id, qd_id_entry *entry)
{
    return qd_id_map_next(&ids->map, cursor, id, entry);
}

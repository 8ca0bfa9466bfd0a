/* SPDX-License-Identifier: Apache-2.0
 *
 * A snapshot first finds the slots by ascending id, then fills their columns, so that its memory is as large as the
 * answer. Ids in the table are in order and below all ids in the map; only those in the map are sorted.
 */
#include "snapshot.h"

#include <math.h>

#include "../common/memory.h"
#include "../common/order.h"
#include "../common/sizes.h"

struct search {
    const qd_entities *entities;
    uint32_t owner;
    const qd_room_region *region; /* NULL: everywhere */
    uint32_t limit;
    uint32_t *slots; /* found so far */
    uint32_t count;
    bool more; /* more were found than the limit */
};

/* How far a body reaches from its center along an axis on which `half` is its size. */
static float reach(const qd_body *body, float half)
{
    if (body->shape == QD_SPACE_BOX) {
        return half;
    }
    return body->shape == QD_SPACE_CIRCLE ? body->half_x : fabsf(half) + body->radius;
}

static bool touches(float at, float half, float min, float max)
{
    float low = at - half, high = at + half;

    return low <= max && min <= high;
}

/* By the bounding box, whose corners are rounded like those of a box. In two dimensions the region and all entities
 * have z 0. */
static bool is_wanted(const struct search *search, qd_id_entry entry)
{
    const qd_room_region *region = search->region;
    qd_body body;

    if (search->owner != QD_ROOM_ANYBODY && search->owner != entry.owner) {
        return false;
    }
    if (!region) {
        return true;
    }
    qd_space_body(search->entities->space, entry.slot, &body);
    return touches(body.x, reach(&body, body.half_x), region->min_x, region->max_x) &&
           touches(body.y, reach(&body, body.half_y), region->min_y, region->max_y) &&
           touches(body.z, reach(&body, body.half_z), region->min_z, region->max_z);
}

static void add_found(struct search *search, uint32_t slot)
{
    if (search->count < search->limit) {
        search->slots[search->count++] = slot;
    } else {
        search->more = true;
    }
}

static void search_table(struct search *search)
{
    const qd_ids *ids = &search->entities->ids;

    for (uint32_t id = 0; id < ids->table_count && !search->more; id++) {
        qd_id_entry entry = ids->table[id];

        if (entry.slot != QD_SLOT_NONE && is_wanted(search, entry)) {
            add_found(search, entry.slot);
        }
    }
}

static qd_status search_map(struct search *search)
{
    const qd_ids *ids = &search->entities->ids;
    qd_heap *heap = search->entities->heap;
    size_t bytes = 2 * (size_t)ids->map.count * sizeof(uint64_t);
    uint32_t cursor = 0, id, keys = 0;
    qd_id_entry entry;

    if (bytes == 0 || search->more) {
        return QD_OK;
    }
    uint64_t *memory = qd_heap_alloc(heap, bytes);
    if (!memory) {
        return QD_ERR_NO_MEMORY;
    }
    qd_order order = {.keys = memory, .keys_spare = memory + ids->map.count};
    while (qd_ids_next_mapped(ids, &cursor, &id, &entry)) {
        if (is_wanted(search, entry)) {
            order.keys[keys++] = (uint64_t)id << 32 | entry.slot;
        }
    }
    qd_order_sort(&order, keys, 32, 32);
    for (uint32_t i = 0; i < keys && !search->more; i++) {
        add_found(search, (uint32_t)order.keys[i]);
    }
    qd_heap_free(heap, memory, bytes);
    return QD_OK;
}

void qd_snapshot_release(qd_entities *entities)
{
    if (!entities->answer) {
        return; /* and writes nothing, at every tick */
    }
    qd_heap_free_aligned(entities->heap, entities->answer, QD_BLOCK_ALIGNMENT, entities->answer_bytes);
    entities->answer = NULL;
    entities->answer_bytes = 0;
}

/* Returns the next column of the memory. */
static void *cut(char **memory, uint32_t count, size_t size)
{
    char *column = *memory;

    *memory += qd_block_part(count, size);
    return column;
}

/* The columns of an answer; z and sizes are NULL that the room's dimensions lack. */
struct answer {
    uint32_t *id, *category, *mask;
    float *x, *y, *z, *size[QD_SIZES];
    uint8_t *shape;
    bool any[QD_SIZES]; /* whether the size is other than 0 somewhere */
};

static void fill_row(struct answer *answer, uint32_t i, uint32_t id, const qd_body *body)
{
    const qd_sizes sizes = qd_sizes_of(body);

    answer->id[i] = id;
    answer->x[i] = body->x;
    answer->y[i] = body->y;
    if (answer->z) {
        answer->z[i] = body->z;
    }
    for (qd_size k = 0; k < QD_SIZES; k++) {
        if (answer->size[k]) {
            answer->size[k][i] = sizes.value[k];
            answer->any[k] |= sizes.value[k] != 0;
        }
    }
    answer->category[i] = body->category;
    answer->mask[i] = body->mask;
    answer->shape[i] = body->shape;
}

/* Fills the columns for the slots, in entities->answer. */
static qd_status fill(qd_entities *entities, const uint32_t *slots, uint32_t count, qd_room_batch *columns)
{
    const uint32_t dimensions = entities->is_3d ? 3 : 2;
    const size_t words = entities->is_3d ? 13 : 10; /* a row's */
    size_t bytes = words * qd_block_part(count, sizeof(uint32_t)) + qd_block_part(count, sizeof(uint8_t));

    *columns = (qd_room_batch){.count = count};
    if (count == 0) {
        return QD_OK;
    }
    char *memory = qd_heap_alloc_aligned(entities->heap, QD_BLOCK_ALIGNMENT, bytes);
    if (!memory) {
        return QD_ERR_NO_MEMORY;
    }
    entities->answer = memory;
    entities->answer_bytes = bytes;

    struct answer answer = {0};
    answer.id = cut(&memory, count, sizeof *answer.id);
    answer.x = cut(&memory, count, sizeof *answer.x);
    answer.y = cut(&memory, count, sizeof *answer.y);
    answer.z = entities->is_3d ? cut(&memory, count, sizeof *answer.z) : NULL;
    for (qd_size k = 0; k < QD_SIZES; k++) {
        answer.size[k] = qd_size_is_of(k, dimensions) ? cut(&memory, count, sizeof(float)) : NULL;
    }
    answer.category = cut(&memory, count, sizeof *answer.category);
    answer.mask = cut(&memory, count, sizeof *answer.mask);
    answer.shape = cut(&memory, count, sizeof *answer.shape);
    for (uint32_t i = 0; i < count; i++) {
        qd_body body;

        qd_space_body(entities->space, slots[i], &body);
        fill_row(&answer, i, entities->id[slots[i]], &body);
    }
    *columns = (qd_room_batch){
        .count = count,
        .id = answer.id,
        .x = answer.x,
        .y = answer.y,
        .z = answer.z,
        .shape = answer.shape,
        .category = answer.category,
        .mask = answer.mask,
    };
    const float *sizes[QD_SIZES];
    for (qd_size k = 0; k < QD_SIZES; k++) {
        sizes[k] = answer.any[k] ? answer.size[k] : NULL;
    }
    qd_sizes_columns_set(columns, sizes);
    return QD_OK;
}

qd_status qd_snapshot_make(qd_entities *entities, uint32_t owner, const qd_room_region *region, uint32_t limit,
                           qd_room_batch *columns, bool *more)
{
    uint32_t slots_max = limit < entities->ids.count ? limit : entities->ids.count;
    size_t slots_bytes = slots_max * sizeof(uint32_t);
    struct search search = {.entities = entities, .owner = owner, .region = region, .limit = slots_max};

    qd_snapshot_release(entities);
    if (slots_bytes > 0 && !(search.slots = qd_heap_alloc(entities->heap, slots_bytes))) {
        return QD_ERR_NO_MEMORY;
    }
    search_table(&search);
    qd_status status = search_map(&search);
    if (status == QD_OK) {
        status = fill(entities, search.slots, search.count, columns);
    }
    qd_heap_free(entities->heap, search.slots, slots_bytes);
    *more = search.more;
    return status;
}

qd_status qd_snapshot_query(qd_entities *entities, const qd_space_query *query, qd_room_found *found)
{
    qd_space_query asked = *query;
    qd_space_hits hits;

    qd_snapshot_release(entities);
    *found = (qd_room_found){0};
    asked.names = entities->id; /* removed entities, too, until their slot is free */
    qd_status status = qd_space_find(entities->space, &asked, &hits);
    if (status != QD_OK || hits.count == 0) {
        return status;
    }

    size_t distances = qd_block_part(hits.count, sizeof(double));
    size_t bytes = distances + qd_block_part(hits.count, sizeof(uint32_t));
    char *memory = qd_heap_alloc_aligned(entities->heap, QD_BLOCK_ALIGNMENT, bytes);
    if (!memory) {
        qd_space_hits_free(entities->space, &hits);
        return QD_ERR_NO_MEMORY;
    }
    entities->answer = memory;
    entities->answer_bytes = bytes;
    double *distance = (double *)memory;
    uint32_t *id = (uint32_t *)(memory + distances);
    for (uint32_t i = 0; i < hits.count; i++) {
        distance[i] = hits.hit[i].at;
        id[i] = hits.hit[i].name;
    }
    *found = (qd_room_found){.count = hits.count, .id = id, .distance = distance, .more = hits.more};
    qd_space_hits_free(entities->space, &hits);
    return QD_OK;
}

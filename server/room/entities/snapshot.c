/* SPDX-License-Identifier: Apache-2.0
 *
 * The entities as they are. First the slots that are wanted, by ascending id, then their columns, so that memory is as
 * large as the answer. Ids in the table lie in order and below all that are in the map; only the latter are sorted.
 */
#include <math.h>

#include "pairs/order.h"
#include "state.h"

struct search {
    const qd_room *room;
    uint32_t owner;
    const qd_room_region *region; /* NULL: everywhere */
    uint32_t limit;
    uint32_t *slots; /* found so far */
    uint32_t count;
    bool more; /* there was one above the limit */
};

/* How far a body reaches from its centre along an axis on which `half` is its size. */
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

/* By the bounding box, whose corners are rounded as those of a box are. In two dimensions all have z 0, as the region
 * has. */
static bool is_wanted(const struct search *search, qd_place place)
{
    const qd_room_region *region = search->region;
    qd_body body;

    if (search->owner != QD_ROOM_ANYBODY && search->owner != place.owner) {
        return false;
    }
    if (!region) {
        return true;
    }
    qd_space_body(search->room->space, place.slot, &body);
    return touches(body.x, reach(&body, body.half_x), region->min_x, region->max_x) &&
           touches(body.y, reach(&body, body.half_y), region->min_y, region->max_y) &&
           touches(body.z, reach(&body, body.half_z), region->min_z, region->max_z);
}

static void found(struct search *search, uint32_t slot)
{
    if (search->count < search->limit) {
        search->slots[search->count++] = slot;
    } else {
        search->more = true;
    }
}

static void search_table(struct search *search)
{
    const qd_ids *ids = &search->room->ids;

    for (uint32_t id = 0; id < ids->table_count && !search->more; id++) {
        qd_place place = ids->table[id];

        if (place.slot != QD_SLOT_NONE && is_wanted(search, place)) {
            found(search, place.slot);
        }
    }
}

static qd_status search_map(struct search *search)
{
    const qd_ids *ids = &search->room->ids;
    qd_heap *heap = search->room->heap;
    size_t bytes = 2 * (size_t)ids->map.count * sizeof(uint64_t);
    uint32_t cursor = 0, id, keys = 0;
    qd_place place;

    if (bytes == 0 || search->more) {
        return QD_OK;
    }
    uint64_t *memory = qd_heap_alloc(heap, bytes);
    if (!memory) {
        return QD_ERR_NO_MEMORY;
    }
    qd_order order = {.keys = memory, .keys_spare = memory + ids->map.count};
    while (qd_ids_next_mapped(ids, &cursor, &id, &place)) {
        if (is_wanted(search, place)) {
            order.keys[keys++] = (uint64_t)id << 32 | place.slot;
        }
    }
    qd_order_sort(&order, keys, 32, 32);
    for (uint32_t i = 0; i < keys && !search->more; i++) {
        found(search, (uint32_t)order.keys[i]);
    }
    qd_heap_free(heap, memory, bytes);
    return QD_OK;
}

void qd_room_snapshot_release(qd_room *room)
{
    qd_heap_free_aligned(room->heap, room->snapshot, QD_BLOCK_ALIGNMENT, room->snapshot_bytes);
    room->snapshot = NULL;
    room->snapshot_bytes = 0;
}

/* Cuts the next column out of the memory. */
static void *cut(char **memory, uint32_t count, size_t size)
{
    char *column = *memory;

    *memory += qd_block_part(count, size);
    return column;
}

/* The columns of the slots, in room->snapshot. */
static qd_status fill(qd_room *room, const uint32_t *slots, uint32_t count, qd_room_batch *columns)
{
    const bool is_3d = qd_room_is_3d(room);
    const size_t words = is_3d ? 10 : 8; /* a row's */
    size_t bytes = words * qd_block_part(count, sizeof(uint32_t)) + qd_block_part(count, sizeof(uint8_t));

    *columns = (qd_room_batch){.count = count};
    if (count == 0) {
        return QD_OK;
    }
    char *memory = qd_heap_alloc_aligned(room->heap, QD_BLOCK_ALIGNMENT, bytes);
    if (!memory) {
        return QD_ERR_NO_MEMORY;
    }
    room->snapshot = memory;
    room->snapshot_bytes = bytes;

    uint32_t *id = cut(&memory, count, sizeof *id);
    float *x = cut(&memory, count, sizeof *x), *y = cut(&memory, count, sizeof *y);
    float *z = is_3d ? cut(&memory, count, sizeof *z) : NULL;
    float *half_x = cut(&memory, count, sizeof *half_x), *half_y = cut(&memory, count, sizeof *half_y);
    float *half_z = is_3d ? cut(&memory, count, sizeof *half_z) : NULL;
    float *radius = cut(&memory, count, sizeof *radius);
    uint32_t *category = cut(&memory, count, sizeof *category), *mask = cut(&memory, count, sizeof *mask);
    uint8_t *shape = cut(&memory, count, sizeof *shape);
    bool any_radius = false;
    for (uint32_t i = 0; i < count; i++) {
        qd_body body;

        qd_space_body(room->space, slots[i], &body);
        id[i] = room->entities.id[slots[i]];
        x[i] = body.x;
        y[i] = body.y;
        half_x[i] = body.half_x;
        half_y[i] = body.half_y;
        if (is_3d) {
            z[i] = body.z;
            half_z[i] = body.half_z;
        }
        radius[i] = body.radius;
        any_radius |= body.radius != 0;
        category[i] = body.category;
        mask[i] = body.mask;
        shape[i] = body.shape;
    }
    *columns = (qd_room_batch){
        .count = count,
        .id = id,
        .x = x,
        .y = y,
        .z = z,
        .half_x = half_x,
        .half_y = half_y,
        .half_z = half_z,
        .radius = any_radius ? radius : NULL,
        .shape = shape,
        .category = category,
        .mask = mask,
    };
    return QD_OK;
}

qd_status qd_room_snapshot(qd_room *room, uint32_t owner, const qd_room_region *region, uint32_t limit,
                           qd_room_batch *columns, bool *more)
{
    uint32_t slots_max = limit < room->ids.count ? limit : room->ids.count;
    size_t slots_bytes = slots_max * sizeof(uint32_t);
    struct search search = {.room = room, .owner = owner, .region = region, .limit = slots_max};

    qd_room_snapshot_release(room);
    if (slots_bytes > 0 && !(search.slots = qd_heap_alloc(room->heap, slots_bytes))) {
        return QD_ERR_NO_MEMORY;
    }
    search_table(&search);
    qd_status status = search_map(&search);
    if (status == QD_OK) {
        status = fill(room, search.slots, search.count, columns);
    }
    qd_heap_free(room->heap, search.slots, slots_bytes);
    *more = search.more;
    return status;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Folds View frames. The entries are in groups by observer, and a table finds each. watchers.c has the reverse view.
 */
#include "groups.h"
#include "memory.h"
#include "quadrille.h"
#include "slots.h"
#include "watchers.h"

#include <string.h>

/* An entity in a view. With slots, its relayed position is that of the slot. It is copied here when somebody
 * reads it. */
typedef struct seen_entry {
    qd_view_entity is;
    uint32_t slot; /* + 1; 0: none */
} seen_entry;

/* With slots, the entries of an entity form a chain, in which the first one has no `previous`. The links are apart from
 * the entries, which lie at random places in memory. */
typedef struct seen_link {
    uint32_t next, previous; /* slot in `seen` + 1; 0: none */
} seen_link;

struct qd_view {
    qd_view_handlers handlers;
    qd_groups seen;   /* seen_entry, by observer */
    seen_link *links; /* by slot in `seen`, while has_slots */
    uint32_t links_capacity;
    qd_table seen_slots; /* by view_key: slot + 1 */
    bool has_slots;      /* positions come by the slots of the relay stream */
    qd_slots slots;
    qd_watchers watchers;
    uint64_t tick;
    bool suspended;
    bool in_tick; /* the last frame of the tick has not come yet */
};

static uint64_t view_key(uint32_t observer, uint32_t id)
{
    return (uint64_t)observer << 32 | id;
}

qd_view *qd_view_create(const qd_view_handlers *handlers)
{
    qd_view *view = qd_memory_zeroed(1, sizeof *view);

    if (view == NULL) {
        return NULL;
    }
    if (handlers != NULL) {
        view->handlers = *handlers;
    }
    view->seen.item_size = sizeof(seen_entry);
    qd_watchers_init(&view->watchers);
    return view;
}

static void free_seen(qd_view *view)
{
    qd_groups_empty(&view->seen);
    qd_table_empty(&view->seen_slots);
    qd_slots_empty(&view->slots);
    qd_memory_free(view->links);
    view->links = NULL;
    view->links_capacity = 0;
    view->has_slots = false;
}

void qd_view_destroy(qd_view *view)
{
    if (view == NULL) {
        return;
    }
    free_seen(view);
    qd_watchers_empty(&view->watchers);
    qd_memory_free(view);
}

/* ---- forgetting ---- */

static void forget_seen(qd_view *view)
{
    size_t cursor = 0;
    const qd_view_entity *entity;

    while (view->handlers.leave != NULL && (entity = qd_view_next(view, &cursor)) != NULL) {
        view->handlers.leave(entity, 0, view->handlers.context);
    }
    free_seen(view);
}

static void suspend(qd_view *view)
{
    forget_seen(view);
    qd_watchers_forget(&view->watchers, &view->handlers);
    view->suspended = true;
    view->in_tick = false;
}

/* ---- the views ---- */

static float value(const float *column, uint32_t i)
{
    return column != NULL ? column[i] : 0;
}

/* An entry as it is now. */
static qd_view_entity *read_entry(const qd_view *view, seen_entry *entry)
{
    if (entry == NULL) {
        return NULL;
    }
    const qd_slot_position *position = entry->slot != 0 ? &view->slots.position[entry->slot - 1] : NULL;

    /* Relays of a tick come behind its enters. */
    if (position != NULL && position->tick != 0 && position->tick >= entry->is.placed) {
        entry->is.x = position->at[0];
        entry->is.y = position->at[1];
        entry->is.z = position->at[2];
        entry->is.placed = position->tick;
    }
    return &entry->is;
}

static bool reserve_links(qd_view *view)
{
    if (view->links_capacity < view->seen.capacity) {
        seen_link *links = qd_memory_resize(view->links, (size_t)view->seen.capacity * sizeof *links);

        if (links == NULL) {
            return false;
        }
        view->links = links;
        view->links_capacity = view->seen.capacity;
    }
    return true;
}

/* Puts an entry into the chain of its entity. `slot_and_1` is that of the frame. */
static qd_client_status link_entry(qd_view *view, const qd_msg_view *frame, uint32_t i, uint32_t place)
{
    const uint32_t slot_and_1 = frame->enter_slot != NULL ? frame->enter_slot[i] : 0;
    const qd_client_status status =
        slot_and_1 != 0 ? qd_slots_start(&view->slots, frame, slot_and_1 - 1, i) : QD_CLIENT_OK;
    const uint32_t slot = status == QD_CLIENT_OK ? qd_slots_of(&view->slots, frame->enter.id[i]) : UINT32_MAX;

    if (slot == UINT32_MAX) {
        return status != QD_CLIENT_OK ? status : QD_CLIENT_ERR_PROTOCOL;
    }
    if (!reserve_links(view)) {
        return QD_CLIENT_ERR_NO_MEMORY;
    }
    const uint32_t next = view->slots.entry[slot];
    view->links[place] = (seen_link){.next = next};
    if (next != 0) {
        view->links[next - 1].previous = place + 1;
    }
    view->slots.entry[slot] = place + 1;
    ((seen_entry *)qd_groups_item(&view->seen, place))->slot = slot + 1;
    return QD_CLIENT_OK;
}

static void unlink_entry(qd_view *view, uint32_t place)
{
    const seen_entry *entry = qd_groups_item(&view->seen, place);
    const seen_link gone = view->links[place];

    if (gone.next != 0) {
        view->links[gone.next - 1].previous = gone.previous;
    }
    if (gone.previous != 0) {
        view->links[gone.previous - 1].next = gone.next;
        return;
    }
    view->slots.entry[entry->slot - 1] = gone.next;
    if (gone.next == 0) {
        qd_slots_end(&view->slots, entry->is.id);
    }
}

static qd_client_status leave(qd_view *view, uint32_t observer, uint32_t id, uint8_t reason)
{
    qd_table_place *found = qd_table_get(&view->seen_slots, view_key(observer, id));

    if (found == NULL) {
        return QD_CLIENT_ERR_PROTOCOL;
    }
    uint32_t slot = (uint32_t)found->value - 1;
    if (view->handlers.leave != NULL) {
        view->handlers.leave(read_entry(view, qd_groups_item(&view->seen, slot)), (qd_leave_reason)reason,
                             view->handlers.context);
    }
    if (view->has_slots) {
        unlink_entry(view, slot);
    }
    qd_table_take(&view->seen_slots, found);
    qd_groups_remove(&view->seen, observer, slot);
    return QD_CLIENT_OK;
}

/* Applies entry `i` of the frame, whose payload begins at `payload`. */
static qd_client_status enter(qd_view *view, const qd_msg_view *frame, uint32_t i, const uint8_t *payload)
{
    const qd_msg_entities *from = &frame->enter;
    uint32_t observer = frame->enter_observer[i], id = from->id[i];
    uint8_t payload_size = frame->enter_payload_size != NULL ? frame->enter_payload_size[i] : 0;

    if (view->suspended || payload_size > QD_VIEW_PAYLOAD_BYTES_MAX) {
        return QD_CLIENT_ERR_PROTOCOL;
    }
    if (view->seen_slots.count == 0) {
        view->has_slots = frame->enter_slot != NULL;
        qd_slots_empty(&view->slots);
    }
    qd_table_place *place = qd_table_put(&view->seen_slots, view_key(observer, id));
    if (place == NULL) {
        return QD_CLIENT_ERR_NO_MEMORY;
    }
    if (place->value != 0) {
        return QD_CLIENT_ERR_PROTOCOL;
    }
    uint32_t slot = qd_groups_add(&view->seen, observer);
    if (slot == QD_GROUPS_NONE) {
        return QD_CLIENT_ERR_NO_MEMORY; /* then the caller forgets all, with the empty place */
    }
    place->value = (uint64_t)slot + 1;

    seen_entry *entry = qd_groups_item(&view->seen, slot);
    qd_view_entity *entity = &entry->is;
    entry->slot = 0;
    *entity = (qd_view_entity){
        .observer = observer,
        .id = id,
        .entered = frame->tick,
        .placed = frame->tick,
        .x = value(from->x, i),
        .y = value(from->y, i),
        .z = value(from->z, i),
        .half_x = value(from->half_x, i),
        .half_y = value(from->half_y, i),
        .half_z = value(from->half_z, i),
        .radius = value(from->radius, i),
        .axis_x = value(from->axis_x, i),
        .axis_y = value(from->axis_y, i),
        .axis_z = value(from->axis_z, i),
        .shape = from->shape != NULL ? from->shape[i] : QD_SHAPE_BOX,
        .payload_size = payload_size,
        .category = from->category != NULL ? from->category[i] : 1,
        .tag = frame->enter_tag != NULL ? frame->enter_tag[i] : 0,
    };
    if (payload_size > 0) {
        memcpy(entity->payload, payload, payload_size);
    }
    if (view->has_slots || frame->enter_slot != NULL) {
        const qd_client_status status = view->has_slots ? link_entry(view, frame, i, slot) : QD_CLIENT_ERR_PROTOCOL;

        if (status != QD_CLIENT_OK) {
            view->has_slots = false; /* the chains are broken, and the caller forgets all */
            return status;
        }
    }
    if (view->handlers.enter != NULL) {
        view->handlers.enter(entity, view->handlers.context);
    }
    return QD_CLIENT_OK;
}

static qd_client_status relay(qd_view *view, const qd_msg_view *frame, uint32_t i)
{
    const qd_table_place *found =
        qd_table_get(&view->seen_slots, view_key(frame->relay_observer[i], frame->relay_id[i]));

    if (found == NULL) {
        return QD_CLIENT_ERR_PROTOCOL;
    }
    qd_view_entity *entity = qd_groups_item(&view->seen, (uint32_t)found->value - 1);
    entity->x = frame->relay_x[i];
    entity->y = frame->relay_y[i];
    entity->z = value(frame->relay_z, i);
    entity->placed = frame->tick;
    if (view->handlers.relay != NULL) {
        view->handlers.relay(entity, view->handlers.context);
    }
    return QD_CLIENT_OK;
}

/* Entries of a chain are prefetched so many entries ahead. */
#define CHAIN_AHEAD 8u

static uint32_t fetch_entry(const qd_view *view, uint32_t next)
{
    qd_groups_fetch_item(&view->seen, next - 1);
    return view->links[next - 1].next;
}

/* Calls the handler for all views of an entity. */
static void report_chain(const qd_view *view, uint32_t first)
{
    uint32_t ahead = first;

    for (uint32_t i = 0; i < CHAIN_AHEAD && ahead != 0; i++) {
        ahead = fetch_entry(view, ahead);
    }
    for (uint32_t at = first; at != 0; at = view->links[at - 1].next) {
        ahead = ahead != 0 ? fetch_entry(view, ahead) : 0;
        view->handlers.relay(read_entry(view, qd_groups_item(&view->seen, at - 1)), view->handlers.context);
    }
}

/* A position for all views of the entity in that slot. */
static qd_client_status relay_slot(qd_view *view, const qd_msg_view *frame, uint32_t slot, const float *at)
{
    const uint32_t first = view->slots.entry[slot];

    if (first == 0) {
        return QD_CLIENT_ERR_PROTOCOL;
    }
    qd_slot_position *position = &view->slots.position[slot];
    memcpy(position->at, at, sizeof position->at);
    position->tick = frame->tick;
    if (view->handlers.relay != NULL) {
        report_chain(view, first);
    }
    return QD_CLIENT_OK;
}

static qd_client_status relay_blob(qd_view *view, const qd_msg_view *frame)
{
    const qd_relay_state *state = &view->slots.state;
    uint32_t count;
    qd_client_status status = qd_slots_read(&view->slots, frame, &count);

    for (uint32_t i = 0; i < count && status == QD_CLIENT_OK; i++) {
        const uint32_t slot = view->slots.named[i];
        float at[QD_RELAY_AXES] = {0};

        for (unsigned axis = 0; axis < state->axes; axis++) {
            at[axis] = qd_relay_position(state, axis, slot);
        }
        status = relay_slot(view, frame, slot, at);
    }
    return status;
}

static qd_client_status relay_exact(qd_view *view, const qd_msg_view *frame)
{
    qd_client_status status = QD_CLIENT_OK;

    for (uint32_t i = 0; i < frame->exact_count && status == QD_CLIENT_OK; i++) {
        const float at[] = {frame->exact_x[i], frame->exact_y[i], value(frame->exact_z, i)};

        status = qd_slots_place(&view->slots, frame->exact_slot[i], at);
        if (status == QD_CLIENT_OK) {
            status = relay_slot(view, frame, frame->exact_slot[i], at);
        }
    }
    return status;
}

/* ---- frames ---- */

/* The entries of a frame lie at random places in memory. Their table places are prefetched this many entries ahead, and
 * their items half as many. */
#define AHEAD 16u

static void prefetch_change(const qd_view *view, const uint32_t *observer, const uint32_t *id, uint32_t count,
                            uint32_t i)
{
    if (i + AHEAD < count) {
        qd_table_fetch(&view->seen_slots, view_key(observer[i + AHEAD], id[i + AHEAD]));
        qd_groups_fetch(&view->seen, observer[i + AHEAD]);
    }
}

static void prefetch_leave(const qd_view *view, const qd_msg_view *frame, uint32_t i)
{
    uint32_t next = i + AHEAD / 2;

    prefetch_change(view, frame->leave_observer, frame->leave_id, frame->leave_count, i);
    if (next >= frame->leave_count) {
        return;
    }
    const qd_table_place *found =
        qd_table_get(&view->seen_slots, view_key(frame->leave_observer[next], frame->leave_id[next]));
    if (found != NULL) {
        qd_groups_fetch_item(&view->seen, (uint32_t)found->value - 1);
    }
}

static void prefetch_enter(const qd_view *view, const qd_msg_view *frame, uint32_t i)
{
    prefetch_change(view, frame->enter_observer, frame->enter.id, frame->enter_count, i);
    if (i + AHEAD / 2 < frame->enter_count) {
        qd_groups_fetch_first(&view->seen, frame->enter_observer[i + AHEAD / 2]);
    }
}

static qd_client_status fold_seen(qd_view *view, const qd_msg_view *frame)
{
    qd_client_status status = QD_CLIENT_OK;
    const uint8_t *payload = frame->enter_payload;

    for (uint32_t i = 0; i < frame->leave_count && status == QD_CLIENT_OK; i++) {
        prefetch_leave(view, frame, i);
        status = leave(view, frame->leave_observer[i], frame->leave_id[i], frame->leave_reason[i]);
    }
    for (uint32_t i = 0; i < frame->enter_count && status == QD_CLIENT_OK; i++) {
        prefetch_enter(view, frame, i);
        status = enter(view, frame, i, payload);
        if (frame->enter_payload_size != NULL && payload != NULL) {
            payload += frame->enter_payload_size[i];
        }
    }
    for (uint32_t i = 0; i < frame->relay_count && status == QD_CLIENT_OK; i++) {
        status = relay(view, frame, i);
    }
    if (status == QD_CLIENT_OK) {
        status = relay_blob(view, frame);
    }
    return status == QD_CLIENT_OK ? relay_exact(view, frame) : status;
}

static qd_client_status fold_watchers(qd_view *view, const qd_msg_view *frame)
{
    if (view->suspended && frame->watcher_enter_count > 0) {
        return QD_CLIENT_ERR_PROTOCOL;
    }
    return qd_watchers_fold(&view->watchers, frame, &view->handlers);
}

qd_client_status qd_view_apply(qd_view *view, const qd_msg_view *frame)
{
    /* The frames of a tick are consecutive, and only the first may be a reset. */
    bool fits = !view->in_tick || (frame->tick == view->tick && !frame->reset && !frame->reset_watchers);

    view->tick = frame->tick;
    if (frame->suspended) {
        suspend(view);
        return QD_CLIENT_OK;
    }
    if (!fits) {
        suspend(view);
        return QD_CLIENT_ERR_PROTOCOL;
    }
    if (frame->reset) {
        forget_seen(view);
        view->suspended = false;
    }
    if (frame->reset_watchers) {
        qd_watchers_forget(&view->watchers, &view->handlers);
    }
    qd_client_status status = fold_seen(view, frame);
    if (status == QD_CLIENT_OK) {
        status = fold_watchers(view, frame);
    }
    if (status < 0) {
        view->has_slots = false;
        suspend(view);
        return status;
    }
    view->in_tick = !frame->last;
    return QD_CLIENT_OK;
}

/* ---- reading ---- */

bool qd_view_known(const qd_view *view)
{
    return !view->suspended && !view->in_tick;
}

bool qd_view_suspended(const qd_view *view)
{
    return view->suspended;
}

uint64_t qd_view_tick(const qd_view *view)
{
    return view->tick;
}

size_t qd_view_count(const qd_view *view)
{
    return view->seen_slots.count;
}

uint32_t qd_view_count_of(const qd_view *view, uint32_t observer)
{
    return qd_groups_count(&view->seen, observer);
}

const qd_view_entity *qd_view_find(const qd_view *view, uint32_t observer, uint32_t id)
{
    const qd_table_place *found = qd_table_get(&view->seen_slots, view_key(observer, id));

    return found != NULL ? read_entry(view, qd_groups_item(&view->seen, (uint32_t)found->value - 1)) : NULL;
}

const qd_view_entity *qd_view_first(const qd_view *view, uint32_t observer)
{
    return read_entry(view, qd_groups_first(&view->seen, observer));
}

/* `is` is the first member of a seen_entry. */
const qd_view_entity *qd_view_after(const qd_view *view, const qd_view_entity *entity)
{
    return read_entry(view, qd_groups_after(&view->seen, entity));
}

const qd_view_entity *qd_view_next(const qd_view *view, size_t *cursor)
{
    while (*cursor < view->seen_slots.capacity) {
        uint64_t slot_and_1 = view->seen_slots.places[(*cursor)++].value;

        if (slot_and_1 != 0) {
            return read_entry(view, qd_groups_item(&view->seen, (uint32_t)slot_and_1 - 1));
        }
    }
    return NULL;
}

uint32_t qd_view_watchers(const qd_view *view, uint32_t entity)
{
    return qd_groups_count(&view->watchers.entries, entity);
}

const qd_view_watcher *qd_view_watcher_first(const qd_view *view, uint32_t entity)
{
    return qd_groups_first(&view->watchers.entries, entity);
}

const qd_view_watcher *qd_view_watcher_after(const qd_view *view, const qd_view_watcher *watcher)
{
    return qd_groups_after(&view->watchers.entries, watcher);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "../memory.h"
#include "kept.h"

#define CAPACITY_MIN 16u

qd_kept_observer *qd_kept_observer_find(const qd_kept *kept, uint32_t id)
{
    const qd_table_place *found = qd_table_get(&kept->observer_slots, id);

    return found != NULL ? &kept->observers[found->value - 1] : NULL;
}

/* Whether entry i of a request may change what is kept: it was not refused, or only because its anchor is missing. */
static bool counts(const qd_kept *kept, const qd_client_message *message, const uint8_t *refused, uint32_t i)
{
    if (refused == NULL || refused[i] == 0) {
        return true;
    }
    const qd_kept_entity *anchor = qd_kept_entity_of(kept, message, i);
    return anchor != NULL && anchor->missing;
}

static qd_kept_observer *add(qd_kept *kept, uint32_t id)
{
    qd_kept_observer *found = qd_kept_observer_find(kept, id);

    if (found != NULL) {
        return found;
    }
    if (kept->observer_count == kept->observer_capacity) {
        uint32_t capacity = kept->observer_capacity > 0 ? 2 * kept->observer_capacity : CAPACITY_MIN;
        qd_kept_observer *observers = qd_memory_resize(kept->observers, capacity * sizeof *observers);

        if (observers == NULL) {
            return NULL;
        }
        kept->observers = observers;
        kept->observer_capacity = capacity;
    }
    qd_table_place *place = qd_table_put(&kept->observer_slots, id);
    if (place == NULL) {
        return NULL;
    }
    kept->observers[kept->observer_count] = (qd_kept_observer){.id = id};
    place->value = ++kept->observer_count;
    return &kept->observers[place->value - 1];
}

static void remove_observer(qd_kept *kept, uint32_t id)
{
    qd_table_place *found = qd_table_get(&kept->observer_slots, id);

    if (found == NULL) {
        return;
    }
    uint32_t slot = (uint32_t)found->value - 1;
    qd_memory_free(kept->observers[slot].exceptions);
    qd_table_take(&kept->observer_slots, found);
    if (slot != --kept->observer_count) {
        kept->observers[slot] = kept->observers[kept->observer_count];
        qd_table_get(&kept->observer_slots, kept->observers[slot].id)->value = slot + 1;
    }
}

void qd_kept_anchor_gone(qd_kept *kept, uint32_t entity)
{
    for (uint32_t i = 0; i < kept->observer_count;) {
        if (kept->observers[i].anchored && kept->observers[i].entity == entity) {
            remove_observer(kept, kept->observers[i].id);
        } else {
            i++;
        }
    }
}

/* Sets the columns that are present. */
static void set_columns(qd_kept_observer *observer, const qd_msg_observers *from, uint32_t i)
{
#define NUMBERS(type, name)                                                                                            \
    if (from->name != NULL) {                                                                                          \
        observer->name = from->name[i];                                                                                \
    }
#define BYTES(name) NUMBERS(uint8_t, name)
    QD_OBSERVER_COLUMNS(NUMBERS, BYTES)
#undef NUMBERS
#undef BYTES
}

/* An existing observer gets all values, and keeps its lists. */
static bool observe(qd_kept *kept, const qd_msg_observers *from, uint32_t i)
{
    qd_kept_observer *observer = add(kept, from->id[i]);

    if (observer == NULL) {
        return false;
    }
    *observer = (qd_kept_observer){.id = observer->id,
                                   .region = QD_REGION_CIRCLE,
                                   .anchored = from->entity != NULL,
                                   .mask = UINT32_MAX,
                                   .show_count = observer->show_count,
                                   .hide_count = observer->hide_count,
                                   .exceptions = observer->exceptions};
    set_columns(observer, from, i);
    observer->tier_count = from->tier_count < QD_TIERS_MAX ? from->tier_count : QD_TIERS_MAX;
    for (uint32_t tier = 0; tier < observer->tier_count; tier++) {
        observer->relay_range[tier] = from->relay_range[tier];
        observer->relay_every[tier] = from->relay_every[tier];
    }
    return true;
}

static bool apply_observers(qd_kept *kept, const qd_client_message *message, const uint8_t *refused)
{
    const qd_msg_observers *from = &message->as.observers;

    for (uint32_t i = 0; i < from->count; i++) {
        qd_kept_observer *observer = qd_kept_observer_find(kept, from->id[i]);

        if (!counts(kept, message, refused, i)) {
            continue;
        }
        if (message->kind == QD_CLIENT_UNOBSERVE) {
            remove_observer(kept, from->id[i]);
        } else if (message->kind == QD_CLIENT_MOVE_OBSERVERS) {
            if (observer != NULL) {
                set_columns(observer, from, i);
            }
        } else if (!observe(kept, from, i)) {
            return false;
        }
    }
    return true;
}

static bool set_exceptions(qd_kept *kept, const qd_msg_set_exceptions *from)
{
    qd_kept_observer *observer = qd_kept_observer_find(kept, from->observer);

    if (observer == NULL) {
        return true;
    }
    uint32_t *ids = qd_memory_alloc(((size_t)from->show_count + from->hide_count) * sizeof *ids);
    if (ids == NULL) {
        return false;
    }
    if (from->show_count > 0) {
        memcpy(ids, from->show, from->show_count * sizeof *ids);
    }
    if (from->hide_count > 0) {
        memcpy(ids + from->show_count, from->hide, from->hide_count * sizeof *ids);
    }
    qd_memory_free(observer->exceptions);
    observer->exceptions = ids;
    observer->show_count = from->show_count;
    observer->hide_count = from->hide_count;
    return true;
}

bool qd_kept_apply_views(qd_kept *kept, const qd_client_message *message, const uint8_t *refused)
{
    switch (message->kind) {
    case QD_CLIENT_OBSERVE:
    case QD_CLIENT_MOVE_OBSERVERS:
    case QD_CLIENT_UNOBSERVE:
        return apply_observers(kept, message, refused);
    case QD_CLIENT_SET_EXCEPTIONS:
        return set_exceptions(kept, &message->as.set_exceptions);
    case QD_CLIENT_SET_VIEW_OPTIONS:
        kept->has_view_options = true;
        kept->view_options = message->as.set_view_options;
        return true;
    default:
        return true;
    }
}

void qd_kept_views_free(qd_kept *kept)
{
    for (uint32_t i = 0; i < kept->observer_count; i++) {
        qd_memory_free(kept->observers[i].exceptions);
    }
    qd_memory_free(kept->observers);
    qd_table_empty(&kept->observer_slots);
}

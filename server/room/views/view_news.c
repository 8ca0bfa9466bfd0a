/* SPDX-License-Identifier: Apache-2.0 */
#include "view_news.h"

bool qd_view_list_grow(qd_views *views, qd_view_list *list)
{
    if (!qd_array_reserve(views->heap, list->key, list->key_capacity, list->count) ||
        !qd_array_reserve(views->heap, list->value, list->capacity, list->count)) {
        views->no_memory = true;
        return false;
    }
    return true;
}

void qd_view_list_deinit(qd_view_list *list, qd_heap *heap)
{
    qd_array_drop(heap, list->key, list->key_capacity);
    qd_array_drop(heap, list->value, list->capacity);
    *list = (qd_view_list){0};
}

void qd_view_relay(qd_views *views, uint32_t row, uint32_t *entry)
{
    const qd_observer *observer = &views->observers[row];
    const uint32_t id = *qd_entry_id(&observer->entries, entry);

    *entry &= ~(uint32_t)QD_ENTRY_WAITS;
    *qd_entry_reported(&observer->entries, entry) = views->round;
    qd_view_list_add(views, &views->relays, qd_view_news_key(observer, id), qd_entry_slot(*entry));
}

void qd_view_report_enter(qd_views *views, qd_observer *observer, uint32_t slot)
{
    observer->seen++;
    views->seen_count++;
    views->enters_count++;
    qd_view_list_add(views, &views->enters, qd_view_news_key(observer, views->entities->id[slot]), slot);
}

void qd_view_report_leave(qd_views *views, qd_observer *observer, uint32_t slot, qd_room_leave_reason reason)
{
    if (views->entities->emptied) {
        reason = QD_ROOM_LEFT_ROOM_CLOSED;
    }
    observer->seen--;
    views->seen_count--;
    views->leaves_count++;
    views->members[observer->member].bytes += QD_VIEW_LEAVE_BYTES;
    qd_view_list_add(views, &views->leaves, qd_view_news_key(observer, views->entities->id[slot]),
                     slot | (uint32_t)reason << QD_VIEW_REASON_SHIFT);
}

void qd_view_enter(qd_views *views, uint32_t row, uint32_t *entry)
{
    qd_observer *observer = &views->observers[row];
    const uint32_t slot = qd_entry_slot(*entry);

    *entry = (*entry & ~(uint32_t)QD_ENTRY_HELD) | QD_ENTRY_SEEN;
    *qd_entry_reported(&observer->entries, entry) = views->round;
    if (observer->entries.relays) {
        *qd_entry_id(&observer->entries, entry) = views->entities->id[slot];
    }
    qd_view_report_enter(views, observer, slot);
}

void qd_view_leave(qd_views *views, uint32_t row, uint32_t *entry, qd_room_leave_reason reason)
{
    *entry &= ~(uint32_t)(QD_ENTRY_SEEN | QD_ENTRY_WAITS);
    qd_view_report_leave(views, &views->observers[row], qd_entry_slot(*entry), reason);
}

void qd_view_hold(qd_views *views, uint32_t row, uint32_t *entry)
{
    *entry |= QD_ENTRY_HELD;
    views->attention[row] |= QD_ATTEND_ONCE;
}

void qd_view_admit(qd_views *views, qd_priority item, uint32_t *entry)
{
    const qd_observer *observer = &views->observers[item.observer];

    if (views->members[observer->member].options.bytes_max > 0) {
        item.rank = observer->rank;
        *entry |= QD_ENTRY_HELD;
        views->no_memory |= !qd_priority_list_add(&views->entrants, views->heap, item);
    } else {
        qd_view_enter(views, item.observer, entry);
    }
}

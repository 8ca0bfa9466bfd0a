/* SPDX-License-Identifier: Apache-2.0 */
#include "last_tick.h"

#include <string.h>

/* ---- observers ---- */

bool qd_last_tick_reserve_observer(qd_views *views)
{
    return qd_array_reserve(views->heap, views->before, views->before_capacity, views->before_count);
}

/* Appends a copy, of which `before` is the row. Returns its index. */
static uint32_t append(qd_views *views, uint32_t row, const qd_observer *observer)
{
    qd_observer *copy = &views->before[views->before_count];

    *copy = *observer;
    copy->before = row;
    copy->owns_lists = false;
    return views->before_count++;
}

void qd_last_tick_note_new(qd_views *views, uint32_t row, qd_observer *observer)
{
    static const qd_observer nothing = {.state = QD_OBSERVER_FREE};

    observer->before = append(views, row, &nothing);
}

void qd_last_tick_keep_observer(qd_views *views, uint32_t row)
{
    qd_observer *observer = &views->observers[row];

    if (observer->before == QD_NONE) {
        observer->before = append(views, row, observer);
    }
}

bool qd_last_tick_keep_lists(qd_views *views, uint32_t row)
{
    qd_last_tick_keep_observer(views, row);
    qd_observer *copy = &views->before[views->observers[row].before];
    if (copy->state == QD_OBSERVER_FREE || copy->owns_lists) {
        return false;
    }
    copy->exceptions = views->observers[row].exceptions;
    copy->hide_count = views->observers[row].hide_count;
    copy->show_count = views->observers[row].show_count;
    copy->owns_lists = true;
    return true;
}

static void free_lists(const qd_views *views, const qd_observer *copy)
{
    if (copy->owns_lists) {
        qd_heap_free(views->heap, copy->exceptions, (copy->hide_count + copy->show_count) * sizeof copy->exceptions[0]);
    }
}

void qd_last_tick_drop_observer(qd_views *views, uint32_t row)
{
    const uint32_t at = views->observers[row].before;

    if (at == QD_NONE) {
        return;
    }
    free_lists(views, &views->before[at]);
    views->before[at] = views->before[--views->before_count];
    views->observers[views->before[at].before].before = at;
    views->observers[row].before = QD_NONE;
}

bool qd_last_tick_observer(const qd_views *views, uint32_t row, qd_observer *then)
{
    const qd_observer *now = &views->observers[row];

    *then = *now;
    if (now->before == QD_NONE) {
        return true;
    }
    const qd_observer *copy = &views->before[now->before];
    if (copy->state == QD_OBSERVER_FREE) {
        return false;
    }
    *then = *copy;
    then->entries = now->entries;
    if (!copy->owns_lists) {
        then->exceptions = now->exceptions;
        then->hide_count = now->hide_count;
        then->show_count = now->show_count;
    }
    return true;
}

/* ---- targets ---- */

bool qd_last_tick_reserve_target(qd_views *views)
{
    return qd_array_reserve(views->heap, views->kept, views->kept_capacity, views->kept_count);
}

void qd_last_tick_keep_target(qd_views *views, uint32_t slot)
{
    qd_target *target = &views->targets[slot];

    if (target->flags & QD_TARGET_KEPT || target->spawn_round == views->round + 1) {
        return;
    }
    target->flags |= QD_TARGET_KEPT;
    views->kept[views->kept_count++] = (qd_kept_target){
        .slot = slot,
        .category = target->category,
        .team = target->team,
        .visible_range = target->visible_range,
        .hidden = target->hidden,
    };
}

void qd_last_tick_refilter(const qd_views *views, uint32_t slot, qd_target *target)
{
    for (uint32_t i = 0; target->flags & QD_TARGET_KEPT && i < views->kept_count; i++) {
        const qd_kept_target *kept = &views->kept[i];

        if (kept->slot == slot) {
            target->category = kept->category;
            target->team = kept->team;
            target->visible_range = kept->visible_range;
            target->hidden = kept->hidden;
        }
    }
}

bool qd_last_tick_target(const qd_views *views, uint32_t slot, qd_target *then)
{
    *then = views->targets[slot];
    if (then->spawn_round == views->round + 1) {
        return false;
    }
    if (then->position_round == views->round + 1) {
        memcpy(then->at, views->was[slot].at, sizeof then->at);
    }
    qd_last_tick_refilter(views, slot, then);
    return true;
}

/* ---- ticks ---- */

void qd_last_tick_renew(qd_views *views)
{
    for (uint32_t i = 0; i < views->before_count; i++) {
        free_lists(views, &views->before[i]);
        views->observers[views->before[i].before].before = QD_NONE;
    }
    views->before_count = 0;
    for (uint32_t i = 0; i < views->kept_count; i++) {
        views->targets[views->kept[i].slot].flags &= (uint8_t)~QD_TARGET_KEPT;
    }
    views->kept_count = 0;
}

void qd_last_tick_forget_targets(qd_views *views)
{
    qd_array_drop(views->heap, views->kept, views->kept_capacity);
    views->kept = NULL;
    views->kept_count = views->kept_capacity = 0;
}

void qd_last_tick_deinit(qd_views *views)
{
    for (uint32_t i = 0; i < views->before_count; i++) {
        free_lists(views, &views->before[i]);
    }
    qd_array_drop(views->heap, views->before, views->before_capacity);
    qd_last_tick_forget_targets(views);
}

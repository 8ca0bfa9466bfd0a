/* SPDX-License-Identifier: Apache-2.0
 *
 * From the messages of views to what protobuf-c writes, both directions.
 */
#include "codec_internal.h"

static size_t payload_bytes(const uint8_t *sizes, uint32_t count)
{
    size_t sum = 0;

    for (uint32_t i = 0; sizes && i < count; i++) {
        sum += sizes[i];
    }
    return sum;
}

/* ---- client to server ---- */

void qd_describe_set(Quadrille__V1__Describe *describe, const qd_msg_describe *source)
{
    describe->room = source->room;
    QD_COLUMN_SET(describe, id, source->id, source->count);
    QD_COLUMN_SET(describe, tag, source->tag, source->count);
    QD_COLUMN_BYTES_SET(describe, payload_size, source->payload_size, source->count);
    QD_COLUMN_BYTES_SET(describe, payload, source->payload, payload_bytes(source->payload_size, source->count));
    QD_COLUMN_SET(describe, visible_range, source->visible_range, source->count);
    QD_COLUMN_SET(describe, team, source->team, source->count);
    QD_COLUMN_BYTES_SET(describe, hidden, source->hidden, source->count);
}

void qd_observe_set(Quadrille__V1__Observe *observe, const qd_msg_observers *source)
{
    observe->room = source->room;
    QD_COLUMN_SET(observe, id, source->id, source->count);
    QD_COLUMN_BYTES_SET(observe, region, source->region, source->count);
    QD_COLUMN_BYTES_SET(observe, anchored, source->anchored, source->count);
    QD_COLUMN_SET(observe, entity, source->entity, source->count);
    QD_COLUMN_SET(observe, x, source->x, source->count);
    QD_COLUMN_SET(observe, y, source->y, source->count);
    QD_COLUMN_SET(observe, z, source->z, source->count);
    QD_COLUMN_SET(observe, range, source->range, source->count);
    QD_COLUMN_SET(observe, half_x, source->half_x, source->count);
    QD_COLUMN_SET(observe, half_y, source->half_y, source->count);
    QD_COLUMN_SET(observe, half_z, source->half_z, source->count);
    QD_COLUMN_SET(observe, direction_x, source->direction_x, source->count);
    QD_COLUMN_SET(observe, direction_y, source->direction_y, source->count);
    QD_COLUMN_SET(observe, direction_z, source->direction_z, source->count);
    QD_COLUMN_SET(observe, angle, source->angle, source->count);
    QD_COLUMN_SET(observe, leave_margin, source->leave_margin, source->count);
    QD_COLUMN_SET(observe, mask, source->mask, source->count);
    QD_COLUMN_SET(observe, limit, source->limit, source->count);
    QD_COLUMN_SET(observe, enter_budget, source->enter_budget, source->count);
    QD_COLUMN_SET(observe, team, source->team, source->count);
    QD_COLUMN_BYTES_SET(observe, sees_self, source->sees_self, source->count);
    QD_COLUMN_SET(observe, relay_range, source->relay_range, source->tier_count);
    QD_COLUMN_SET(observe, relay_every, source->relay_every, source->tier_count);
}

void qd_move_observers_set(Quadrille__V1__MoveObservers *move, const qd_msg_observers *source)
{
    move->room = source->room;
    QD_COLUMN_SET(move, id, source->id, source->count);
    QD_COLUMN_SET(move, x, source->x, source->count);
    QD_COLUMN_SET(move, y, source->y, source->count);
    QD_COLUMN_SET(move, z, source->z, source->count);
    QD_COLUMN_SET(move, direction_x, source->direction_x, source->count);
    QD_COLUMN_SET(move, direction_y, source->direction_y, source->count);
    QD_COLUMN_SET(move, direction_z, source->direction_z, source->count);
}

void qd_except_set(Quadrille__V1__Except *except, const qd_msg_except *source)
{
    except->room = source->room;
    except->observer = source->observer;
    QD_COLUMN_SET(except, show, source->show, source->show_count);
    QD_COLUMN_SET(except, hide, source->hide, source->hide_count);
}

/* ---- server to client ---- */

static void set_enters(Quadrille__V1__View *view, const qd_msg_view *source)
{
    const qd_msg_entities *enter = &source->enter;

    QD_COLUMN_SET(view, enter_observer, source->enter_observer, source->enter_count);
    QD_COLUMN_SET(view, enter_id, enter->id, source->enter_count);
    QD_COLUMN_SET(view, enter_x, enter->x, source->enter_count);
    QD_COLUMN_SET(view, enter_y, enter->y, source->enter_count);
    QD_COLUMN_SET(view, enter_z, enter->z, source->enter_count);
    QD_COLUMN_SET(view, enter_half_x, enter->half_x, source->enter_count);
    QD_COLUMN_SET(view, enter_half_y, enter->half_y, source->enter_count);
    QD_COLUMN_SET(view, enter_half_z, enter->half_z, source->enter_count);
    QD_COLUMN_SET(view, enter_radius, enter->radius, source->enter_count);
    QD_COLUMN_BYTES_SET(view, enter_shape, enter->shape, source->enter_count);
    QD_COLUMN_SET(view, enter_category, enter->category, source->enter_count);
    QD_COLUMN_SET(view, enter_tag, source->enter_tag, source->enter_count);
    QD_COLUMN_BYTES_SET(view, enter_payload_size, source->enter_payload_size, source->enter_count);
    QD_COLUMN_BYTES_SET(view, enter_payload, source->enter_payload,
                        payload_bytes(source->enter_payload_size, source->enter_count));
}

void qd_view_set(Quadrille__V1__View *view, const qd_msg_view *source)
{
    view->room = source->room;
    view->tick = source->tick;
    view->last = source->last;
    view->reset = source->reset;
    view->reset_watchers = source->reset_watchers;
    view->suspended = source->suspended;
    view->merged_ticks = source->merged_ticks;
    QD_COLUMN_SET(view, leave_observer, source->leave_observer, source->leave_count);
    QD_COLUMN_SET(view, leave_id, source->leave_id, source->leave_count);
    QD_COLUMN_BYTES_SET(view, leave_reason, source->leave_reason, source->leave_count);
    set_enters(view, source);
    QD_COLUMN_SET(view, relay_observer, source->relay_observer, source->relay_count);
    QD_COLUMN_SET(view, relay_id, source->relay_id, source->relay_count);
    QD_COLUMN_SET(view, relay_x, source->relay_x, source->relay_count);
    QD_COLUMN_SET(view, relay_y, source->relay_y, source->relay_count);
    QD_COLUMN_SET(view, relay_z, source->relay_z, source->relay_count);
    QD_COLUMN_SET(view, watcher_leave_entity, source->watcher_leave_entity, source->watcher_leave_count);
    QD_COLUMN_SET(view, watcher_leave_session, source->watcher_leave_session, source->watcher_leave_count);
    QD_COLUMN_SET(view, watcher_leave_observer, source->watcher_leave_observer, source->watcher_leave_count);
    QD_COLUMN_SET(view, watcher_enter_entity, source->watcher_enter_entity, source->watcher_enter_count);
    QD_COLUMN_SET(view, watcher_enter_session, source->watcher_enter_session, source->watcher_enter_count);
    QD_COLUMN_SET(view, watcher_enter_observer, source->watcher_enter_observer, source->watcher_enter_count);
}

void qd_why_result_set(Quadrille__V1__WhyResult *why, const qd_msg_why_result *source)
{
    why->room = source->room;
    why->tick = source->tick;
    why->more = source->more;
    QD_COLUMN_SET(why, session, source->session, source->count);
    QD_COLUMN_SET(why, observer, source->observer, source->count);
    QD_COLUMN_BYTES_SET(why, sight, source->sight, source->count);
    QD_COLUMN_SET(why, distance, source->distance, source->count);
    QD_COLUMN_SET(why, range, source->range, source->count);
    QD_COLUMN_SET(why, leave_margin, source->leave_margin, source->count);
    QD_COLUMN_SET(why, limit, source->limit, source->count);
    QD_COLUMN_SET(why, seen, source->seen, source->count);
}

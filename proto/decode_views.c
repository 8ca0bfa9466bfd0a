/* SPDX-License-Identifier: Apache-2.0
 *
 * From bytes to the messages of views, both directions.
 */
#include "codec_internal.h"

#include <stdio.h>

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

/* Whether the payloads of all entries are there: their sizes add up to what there is. */
static bool payloads_agree(const ProtobufCBinaryData *sizes, const ProtobufCBinaryData *payload, char *fault,
                           size_t fault_size)
{
    size_t sum = 0;

    for (size_t i = 0; i < sizes->len; i++) {
        sum += sizes->data[i];
    }
    if (sum == payload->len) {
        return true;
    }
    snprintf(fault, fault_size, "column payload has %zu bytes, column payload_size adds up to %zu", payload->len, sum);
    return false;
}

/* ---- client to server ---- */

bool qd_describe_get(const Quadrille__V1__Describe *describe, qd_msg_describe *result, char *fault, size_t fault_size)
{
    *result = (qd_msg_describe){.room = describe->room};
    const qd_column columns[] = {
        QD_COLUMN(describe, id),
        QD_COLUMN_OPTIONAL(describe, tag),
        QD_COLUMN_BYTES(describe, payload_size, false),
        QD_COLUMN_OPTIONAL(describe, visible_range),
        QD_COLUMN_OPTIONAL(describe, team),
        QD_COLUMN_BYTES(describe, hidden, false),
    };
    if (!qd_columns_agree(columns, COUNT_OF(columns), fault, fault_size) ||
        !payloads_agree(&describe->payload_size, &describe->payload, fault, fault_size)) {
        return false;
    }
    result->count = (uint32_t)describe->n_id;
    result->id = describe->id;
    result->tag = describe->tag;
    result->payload_size = describe->payload_size.data;
    result->payload = describe->payload.data;
    result->visible_range = describe->visible_range;
    result->team = describe->team;
    result->hidden = describe->hidden.data;
    return true;
}

static bool tiers_agree(const Quadrille__V1__Observe *observe, char *fault, size_t fault_size)
{
    const qd_column columns[] = {QD_COLUMN(observe, relay_range), QD_COLUMN(observe, relay_every)};

    return qd_columns_agree(columns, COUNT_OF(columns), fault, fault_size);
}

bool qd_observe_get(const Quadrille__V1__Observe *observe, qd_msg_observers *result, char *fault, size_t fault_size)
{
    *result = (qd_msg_observers){.room = observe->room};
    const qd_column columns[] = {
        QD_COLUMN(observe, id),
        QD_COLUMN_BYTES(observe, region, false),
        QD_COLUMN_BYTES(observe, anchored, false),
        QD_COLUMN_OPTIONAL(observe, entity),
        QD_COLUMN_OPTIONAL(observe, x),
        QD_COLUMN_OPTIONAL(observe, y),
        QD_COLUMN_OPTIONAL(observe, z),
        QD_COLUMN_OPTIONAL(observe, range),
        QD_COLUMN_OPTIONAL(observe, half_x),
        QD_COLUMN_OPTIONAL(observe, half_y),
        QD_COLUMN_OPTIONAL(observe, half_z),
        QD_COLUMN_OPTIONAL(observe, direction_x),
        QD_COLUMN_OPTIONAL(observe, direction_y),
        QD_COLUMN_OPTIONAL(observe, direction_z),
        QD_COLUMN_OPTIONAL(observe, angle),
        QD_COLUMN_OPTIONAL(observe, leave_margin),
        QD_COLUMN_OPTIONAL(observe, mask),
        QD_COLUMN_OPTIONAL(observe, limit),
        QD_COLUMN_OPTIONAL(observe, enter_budget),
        QD_COLUMN_OPTIONAL(observe, team),
        QD_COLUMN_BYTES(observe, sees_self, false),
    };
    if (!qd_columns_agree(columns, COUNT_OF(columns), fault, fault_size) || !tiers_agree(observe, fault, fault_size)) {
        return false;
    }
    *result = (qd_msg_observers){
        .room = observe->room,
        .count = (uint32_t)observe->n_id,
        .id = observe->id,
        .region = observe->region.data,
        .anchored = observe->anchored.data,
        .entity = observe->entity,
        .x = observe->x,
        .y = observe->y,
        .z = observe->z,
        .range = observe->range,
        .half_x = observe->half_x,
        .half_y = observe->half_y,
        .half_z = observe->half_z,
        .direction_x = observe->direction_x,
        .direction_y = observe->direction_y,
        .direction_z = observe->direction_z,
        .angle = observe->angle,
        .leave_margin = observe->leave_margin,
        .mask = observe->mask,
        .limit = observe->limit,
        .enter_budget = observe->enter_budget,
        .team = observe->team,
        .sees_self = observe->sees_self.data,
        .tier_count = (uint32_t)observe->n_relay_range,
        .relay_range = observe->relay_range,
        .relay_every = observe->relay_every,
    };
    return true;
}

bool qd_move_observers_get(const Quadrille__V1__MoveObservers *move, qd_msg_observers *result, char *fault,
                           size_t fault_size)
{
    *result = (qd_msg_observers){.room = move->room};
    const qd_column columns[] = {
        QD_COLUMN(move, id),
        QD_COLUMN_OPTIONAL(move, x),
        QD_COLUMN_OPTIONAL(move, y),
        QD_COLUMN_OPTIONAL(move, z),
        QD_COLUMN_OPTIONAL(move, direction_x),
        QD_COLUMN_OPTIONAL(move, direction_y),
        QD_COLUMN_OPTIONAL(move, direction_z),
    };
    if (!qd_columns_agree(columns, COUNT_OF(columns), fault, fault_size)) {
        return false;
    }
    result->count = (uint32_t)move->n_id;
    result->id = move->id;
    result->x = move->x;
    result->y = move->y;
    result->z = move->z;
    result->direction_x = move->direction_x;
    result->direction_y = move->direction_y;
    result->direction_z = move->direction_z;
    return true;
}

qd_msg_except qd_except_get(const Quadrille__V1__Except *except)
{
    return (qd_msg_except){
        .room = except->room,
        .observer = except->observer,
        .show_count = (uint32_t)except->n_show,
        .hide_count = (uint32_t)except->n_hide,
        .show = except->show,
        .hide = except->hide,
    };
}

qd_msg_view_options qd_view_options_get(const Quadrille__V1__ViewOptions *options)
{
    bool unspecified = options->watch == QUADRILLE__V1__VIEW_OPTIONS__WATCH__WATCH_UNSPECIFIED;

    return (qd_msg_view_options){
        .room = options->room,
        .bytes_max = options->bytes_max,
        .watch = unspecified ? QD_WATCH_NONE : (qd_watch)options->watch,
    };
}

/* ---- server to client ---- */

static bool enters_agree(const Quadrille__V1__View *view)
{
    const qd_column columns[] = {
        QD_COLUMN(view, enter_observer),
        QD_COLUMN(view, enter_id),
        QD_COLUMN(view, enter_x),
        QD_COLUMN(view, enter_y),
        QD_COLUMN_OPTIONAL(view, enter_z),
        QD_COLUMN_OPTIONAL(view, enter_half_x),
        QD_COLUMN_OPTIONAL(view, enter_half_y),
        QD_COLUMN_OPTIONAL(view, enter_half_z),
        QD_COLUMN_OPTIONAL(view, enter_radius),
        QD_COLUMN_BYTES(view, enter_shape, false),
        QD_COLUMN_OPTIONAL(view, enter_category),
        QD_COLUMN_OPTIONAL(view, enter_tag),
        QD_COLUMN_BYTES(view, enter_payload_size, false),
    };

    return qd_columns_agree(columns, COUNT_OF(columns), NULL, 0) &&
           payloads_agree(&view->enter_payload_size, &view->enter_payload, NULL, 0);
}

static void get_enters(const Quadrille__V1__View *view, qd_msg_view *result)
{
    result->enter_count = (uint32_t)view->n_enter_observer;
    result->enter_observer = view->enter_observer;
    result->enter = (qd_msg_entities){
        .count = (uint32_t)view->n_enter_id,
        .id = view->enter_id,
        .x = view->enter_x,
        .y = view->enter_y,
        .z = view->enter_z,
        .half_x = view->enter_half_x,
        .half_y = view->enter_half_y,
        .half_z = view->enter_half_z,
        .radius = view->enter_radius,
        .shape = view->enter_shape.data,
        .category = view->enter_category,
    };
    result->enter_tag = view->enter_tag;
    result->enter_payload_size = view->enter_payload_size.data;
    result->enter_payload = view->enter_payload.data;
}

static void get_watchers(const Quadrille__V1__View *view, qd_msg_view *result)
{
    result->watcher_leave_count = (uint32_t)view->n_watcher_leave_entity;
    result->watcher_leave_entity = view->watcher_leave_entity;
    result->watcher_leave_session = view->watcher_leave_session;
    result->watcher_leave_observer = view->watcher_leave_observer;
    result->watcher_enter_count = (uint32_t)view->n_watcher_enter_entity;
    result->watcher_enter_entity = view->watcher_enter_entity;
    result->watcher_enter_session = view->watcher_enter_session;
    result->watcher_enter_observer = view->watcher_enter_observer;
}

bool qd_view_get(const Quadrille__V1__View *view, qd_msg_view *result)
{
    *result = (qd_msg_view){
        .room = view->room,
        .tick = view->tick,
        .last = view->last,
        .reset = view->reset,
        .reset_watchers = view->reset_watchers,
        .suspended = view->suspended,
        .merged_ticks = view->merged_ticks,
    };
    const qd_column leaves[] = {
        QD_COLUMN(view, leave_observer),
        QD_COLUMN(view, leave_id),
        QD_COLUMN_BYTES(view, leave_reason, true),
    };
    const qd_column relays[] = {
        QD_COLUMN(view, relay_observer), QD_COLUMN(view, relay_id),         QD_COLUMN(view, relay_x),
        QD_COLUMN(view, relay_y),        QD_COLUMN_OPTIONAL(view, relay_z),
    };
    const qd_column watcher_leaves[] = {
        QD_COLUMN(view, watcher_leave_entity),
        QD_COLUMN(view, watcher_leave_session),
        QD_COLUMN(view, watcher_leave_observer),
    };
    const qd_column watcher_enters[] = {
        QD_COLUMN(view, watcher_enter_entity),
        QD_COLUMN(view, watcher_enter_session),
        QD_COLUMN(view, watcher_enter_observer),
    };
    if (!qd_columns_agree(leaves, COUNT_OF(leaves), NULL, 0) || !enters_agree(view) ||
        !qd_columns_agree(relays, COUNT_OF(relays), NULL, 0) ||
        !qd_columns_agree(watcher_leaves, COUNT_OF(watcher_leaves), NULL, 0) ||
        !qd_columns_agree(watcher_enters, COUNT_OF(watcher_enters), NULL, 0)) {
        return false;
    }
    result->leave_count = (uint32_t)view->n_leave_observer;
    result->leave_observer = view->leave_observer;
    result->leave_id = view->leave_id;
    result->leave_reason = view->leave_reason.data;
    get_enters(view, result);
    result->relay_count = (uint32_t)view->n_relay_observer;
    result->relay_observer = view->relay_observer;
    result->relay_id = view->relay_id;
    result->relay_x = view->relay_x;
    result->relay_y = view->relay_y;
    result->relay_z = view->relay_z;
    get_watchers(view, result);
    return true;
}

bool qd_why_result_get(const Quadrille__V1__WhyResult *why, qd_msg_why_result *result)
{
    *result = (qd_msg_why_result){.room = why->room, .tick = why->tick, .more = why->more};
    const qd_column columns[] = {
        QD_COLUMN(why, session),  QD_COLUMN(why, observer), QD_COLUMN_BYTES(why, sight, true),
        QD_COLUMN(why, distance), QD_COLUMN(why, range),    QD_COLUMN(why, leave_margin),
        QD_COLUMN(why, limit),    QD_COLUMN(why, seen),
    };
    if (!qd_columns_agree(columns, COUNT_OF(columns), NULL, 0)) {
        return false;
    }
    result->count = (uint32_t)why->n_session;
    result->session = why->session;
    result->observer = why->observer;
    result->sight = why->sight.data;
    result->distance = why->distance;
    result->range = why->range;
    result->leave_margin = why->leave_margin;
    result->limit = why->limit;
    result->seen = why->seen;
    return true;
}

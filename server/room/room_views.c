/* SPDX-License-Identifier: Apache-2.0 */
#include "room_views.h"

#include "entities/members.h"
#include "state.h"
#include "views/observers.h"
#include "views/view_report.h"
#include "views/views.h"
#include "views/visibility/describe.h"

void qd_room_describe(qd_room *room, uint32_t member, const qd_msg_set_description *batch, qd_room_refusals *refusals)
{
    qd_views_describe(&room->views, member, batch, refusals);
}

void qd_room_observe_all(qd_room *room, uint32_t member)
{
    qd_members_at(&room->entities, member)->observes_all = true;
}

/* Tiers may be refused, so it may become longer than needed. */
static void note_relay_period(qd_views *views, const qd_msg_observers *batch)
{
    for (uint32_t tier = 0; tier < batch->tier_count; tier++) {
        const uint32_t every = batch->relay_every[tier];

        if (every > views->relay_period && every <= QD_VIEW_EVERY_MAX) {
            views->relay_period = every;
        }
    }
}

void qd_room_observe(qd_room *room, uint32_t member, const qd_msg_observers *batch, qd_room_refusals *refusals)
{
    note_relay_period(&room->views, batch);
    qd_views_observe(&room->views, member, batch, refusals);
}

void qd_room_observers_move(qd_room *room, uint32_t member, const qd_msg_observers *batch, qd_room_refusals *refusals)
{
    qd_views_move_observers(&room->views, member, batch, refusals);
}

void qd_room_unobserve(qd_room *room, uint32_t member, uint32_t count, const uint32_t *id, qd_room_refusals *refusals)
{
    qd_views_unobserve(&room->views, member, count, id, refusals);
}

uint32_t qd_room_observer_count(const qd_room *room, uint32_t member)
{
    return member < room->views.member_count ? room->views.members[member].observers : 0;
}

uint64_t qd_room_visible_entries(const qd_room *room, uint32_t member)
{
    return qd_observers_visible_entries(&room->views, member);
}

qd_status qd_room_except(qd_room *room, uint32_t member, uint32_t observer, uint32_t show_count, const uint32_t *show,
                         uint32_t hide_count, const uint32_t *hide)
{
    return qd_views_except(&room->views, member, observer, show_count, show, hide_count, hide);
}

void qd_room_view_options_set(qd_room *room, uint32_t member, qd_room_view_options options)
{
    (void)qd_members_at(&room->entities, member);
    qd_views_set_options(&room->views, member, options);
}

void qd_room_view_restart(qd_room *room, uint32_t member)
{
    qd_views_restart(&room->views, member);
}

void qd_room_view_behind(qd_room *room, uint32_t member)
{
    qd_views_behind(&room->views, member);
}

void qd_room_view_place(const qd_room *room, uint32_t id, float *at)
{
    qd_views_place(&room->views, id, at);
}

void qd_room_view_catch_up(qd_room *room)
{
    qd_views_catch_up(&room->views);
}

bool qd_room_next_view(qd_room *room, qd_room_view_report *report)
{
    return qd_views_next_report(&room->views, report);
}

void qd_room_view_lost(qd_room *room, uint32_t member)
{
    (void)qd_members_at(&room->entities, member);
    qd_views_lost(&room->views, member);
}

void qd_room_view_missed(qd_room *room, uint32_t member, uint64_t reported_tick)
{
    (void)qd_members_at(&room->entities, member);
    qd_views_missed(&room->views, member, reported_tick);
}

void qd_room_view_resume(qd_room *room, uint32_t member)
{
    (void)qd_members_at(&room->entities, member);
    qd_views_resume(&room->views, member);
}

bool qd_room_view_lags(const qd_room *room, uint32_t member)
{
    return qd_views_lag(&room->views, member);
}

uint32_t qd_room_why(const qd_room *room, uint32_t member, uint32_t a, uint32_t b, uint32_t capacity,
                     qd_room_reason *reasons)
{
    return qd_views_why(&room->views, member, a, b, capacity, reasons);
}

void qd_room_view_stats_get(const qd_room *room, qd_room_view_stats *stats)
{
    qd_views_stats(&room->views, stats);
}

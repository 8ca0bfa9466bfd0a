/* SPDX-License-Identifier: Apache-2.0
 *
 * Folds Tick and View frames into the sets of a room, and calls the program's handlers for the differences.
 */
#include "session.h"

/* Calls the program's handler, if there is one. */
#define CALL(room, handler, ...)                                                                                       \
    do {                                                                                                               \
        if ((room)->session->handlers.handler != NULL) {                                                               \
            (room)->session->handlers.handler((room), __VA_ARGS__, (room)->session->handlers.context);                 \
        }                                                                                                              \
    } while (0)

/* ---- pairs ---- */

static void report_pairs(qd_room *room, const qd_msg_tick *tick)
{
    for (uint32_t i = 0; i < tick->ends.count; i++) {
        CALL(room, end, tick->ends.a[i], tick->ends.b[i], (qd_end_reason)tick->end_reason[i]);
    }
    for (uint32_t i = 0; i < tick->begins.count; i++) {
        CALL(room, begin, tick->begins.a[i], tick->begins.b[i]);
    }
    for (uint32_t i = 0; i < tick->passed.count; i++) {
        CALL(room, passed, tick->passed.a[i], tick->passed.b[i]);
    }
    for (uint32_t i = 0; i < tick->stays.count; i++) {
        CALL(room, stay, tick->stays.a[i], tick->stays.b[i]);
    }
}

/* Reports the difference between the set before a reset and the one after it. */
static void report_difference(qd_room *room, const qd_pairs *before)
{
    const qd_session_handlers *handlers = &room->session->handlers;
    size_t cursor = 0;
    uint32_t a, b;

    if (handlers->reset != NULL) {
        handlers->reset(room, handlers->context);
    }
    while (qd_pairs_next(before, &cursor, &a, &b)) {
        if (!qd_pairs_contain(room->pairs, a, b)) {
            CALL(room, end, a, b, (qd_end_reason)0);
        }
    }
    cursor = 0;
    while (qd_pairs_next(room->pairs, &cursor, &a, &b)) {
        if (!qd_pairs_contain(before, a, b)) {
            CALL(room, begin, a, b);
        }
    }
}

/* The set stays as `base` until the reset is complete. */
static bool begin_reset(qd_room *room)
{
    qd_pairs *pairs = qd_pairs_create();

    if (pairs == NULL) {
        return false;
    }
    if (room->base == NULL) {
        room->base = room->pairs;
    } else {
        qd_pairs_destroy(room->pairs);
    }
    room->pairs = pairs;
    return true;
}

void qd_folding_tick(qd_room *room, const qd_msg_tick *tick)
{
    if ((tick->reset || tick->suspended) && !begin_reset(room)) {
        qd_connection_lost(room->session, "out of memory");
        return;
    }
    if (qd_pairs_apply(room->pairs, tick) < 0) {
        /* A resumed or new session sends a reset. */
        qd_connection_lost(room->session, "a Tick frame contradicts the set of pairs, or memory ran out");
        return;
    }
    room->tick = tick->tick > room->tick ? tick->tick : room->tick;
    if (tick->suspended) {
        room->pairs_stale = false;
        return;
    }
    if (room->base == NULL) {
        report_pairs(room, tick);
    }
    if (!tick->last) {
        return;
    }
    qd_pairs *before = room->base;
    room->base = NULL;
    room->pairs_stale = false;
    if (before != NULL) {
        report_difference(room, before);
    }
    qd_pairs_destroy(before);
    CALL(room, tick, tick->tick);
}

/* ---- views ---- */

void qd_folding_view(qd_room *room, const qd_msg_view *view)
{
    if (qd_view_apply(room->view, view) < 0) {
        qd_connection_lost(room->session, "a View frame contradicts the views, or memory ran out");
        return;
    }
    room->tick = view->tick > room->tick ? view->tick : room->tick;
    room->view_resets = room->view_resets || view->reset;
    if (view->suspended || (room->view_resets && view->last)) {
        room->view_resets = room->view_stale = false;
    }
}

/* ---- connections ---- */

void qd_folding_lost(qd_room *room)
{
    bool in_tick = !qd_view_known(room->view) && !qd_view_suspended(room->view);

    if (in_tick) {
        qd_view_apply(room->view, &(qd_msg_view){.tick = qd_view_tick(room->view), .suspended = true});
    }
    room->pairs_stale = room->wants_pairs;
    room->view_stale = room->wants_view;
    room->view_resets = false;
}

void qd_folding_restart(qd_room *room)
{
    /* The views of a new session begin empty, without a reset. */
    qd_view_apply(room->view, &(qd_msg_view){.suspended = true});
    qd_view_apply(room->view, &(qd_msg_view){.reset = true, .reset_watchers = true, .last = true});
    room->view_stale = room->wants_view;
}

void qd_folding_report(qd_room *room)
{
    if (room->applied_due && qd_room_reports(room)) {
        room->applied_due = false;
        CALL(room, applied, room->applied, room->applied_tick);
    }
}

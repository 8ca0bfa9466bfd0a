/* SPDX-License-Identifier: Apache-2.0
 *
 * Readers that cannot take their events: they lose them, start anew with a reset, or are disconnected.
 */
#include <inttypes.h>
#include <stdio.h>

#include "../base/log.h"
#include "../room/room_views.h"
#include "../session/session.h"
#include "reply.h"
#include "room_actor.h"

#define MS_NS UINT64_C(1000000)

void qd_host_stuck(qd_host *host, qd_seat *seat)
{
    if (seat->stuck) {
        return;
    }
    seat->stuck = true;
    host->stuck_count++;
    atomic_store(&seat->behind, true);
    /* Where half of the queue had no room for its reset, the next one waits until it is empty, which has room for any;
     * its time goes on meanwhile. */
    seat->low_bytes = seat->late ? 1 : host->server->config.limits.queue_bytes_max / 2;
    if (!seat->late) {
        seat->stuck_since_ns = qd_server_now_ns(host->server);
    }
    seat->late = true;
}

void qd_host_sent(qd_seat *seat)
{
    /* Of its events and its views the one may be sent, while the other waits. */
    if (!seat->stuck) {
        seat->late = false;
    }
}

void qd_host_unstick(qd_host *host, qd_seat *seat)
{
    if (!seat->stuck) {
        return;
    }
    seat->stuck = false;
    host->stuck_count--;
    atomic_store(&seat->behind, false);
}

/* The session's time is over; it may be stuck in several rooms. */
static void show_out(qd_host *host, const qd_seat *seat)
{
    qd_session *session = seat->session;
    qd_server *server = host->server;

    if (atomic_exchange(&session->too_slow, true)) {
        return;
    }
    qd_count(server, QD_COUNT_TOO_SLOW, 1);
    qd_log(QD_LOG_WARN, "a reader is too slow, closing session=%" PRIu64 " peer=%s room=\"%s\" queued=%zu",
           session->number, session->link->peer, host->named.name, qd_link_queued(session->link));
    char text[160];
    snprintf(text, sizeof text,
             "the session's queue was not half empty for %" PRIu32 " ms (--slow-ms-max): read faster, or ask for less",
             server->config.limits.slow_ms_max);
    /* It comes behind all that was not read: who goes on reading sees it. */
    qd_reply_send(server, session->link,
                  &(qd_server_message){
                      .kind = QD_SERVER_GO_AWAY,
                      .as.go_away = {.reason = QD_GO_AWAY_TOO_SLOW, .text = text, .deadline_ms = QD_FLUSH_MS_MAX}});
    qd_link_close(session->link, QD_FLUSH_MS_MAX);
}

void qd_host_revive(qd_host *host, uint64_t now_ns)
{
    uint64_t slow_ns_max = host->server->config.limits.slow_ms_max * MS_NS;

    for (uint32_t i = 0; host->stuck_count > 0 && i < host->member_capacity; i++) {
        qd_seat *seat = host->members[i].seat;

        if (seat == NULL || !seat->stuck) {
            continue;
        }
        if (qd_link_queued(seat->session->link) < seat->low_bytes) {
            qd_host_unstick(host, seat);
            qd_room_resume(host->room, seat->member);
            qd_room_view_resume(host->room, seat->member);
            host->dirty = true; /* its views' reset comes with a tick */
        } else if (now_ns >= seat->stuck_since_ns + slow_ns_max) {
            show_out(host, seat);
        }
    }
    qd_host_catch_up(host);
}

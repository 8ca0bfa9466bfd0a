/* SPDX-License-Identifier: Apache-2.0 */
#include "slow_readers.h"

#include <inttypes.h>
#include <stdio.h>

#include "../../base/log.h"
#include "../../room/room_views.h"
#include "../record/delivery.h"

#define MS_NS UINT64_C(1000000)

static void lag(qd_room_actor *actor, qd_membership *membership)
{
    if (membership->lagging) {
        return;
    }
    membership->lagging = true;
    actor->lagging_count++;
    qd_count(&actor->service->counters, QD_COUNT_LAGGING, 1);
    atomic_store(&membership->lagging_shown, true);
    /* If the reset did not fit into half of the queue, the next one waits until the queue is empty, which has room for
     * any reset. The reader's time goes on meanwhile. */
    membership->reset_below_bytes = membership->lag_lasts ? 1 : actor->service->config.limits.queue_bytes_max / 2;
    if (!membership->lag_lasts) {
        membership->lag_start_ns = qd_room_actor_now_ns(actor);
    }
    membership->lag_lasts = true;
}

bool qd_slow_reader_delivered(qd_room_actor *actor, qd_membership *membership, qd_link_sent sent)
{
    if (sent == QD_LINK_FULL) {
        lag(actor, membership);
    }
    /* A lagging reader may have been sent its events while its views wait, or the other way round. */
    if (sent == QD_LINK_SENT && !membership->lagging) {
        membership->lag_lasts = false;
    }
    return sent == QD_LINK_SENT;
}

void qd_slow_reader_missed(qd_room_actor *actor, qd_membership *membership)
{
    membership->lag_lasts = false;
    lag(actor, membership);
    membership->lag_start_ns = qd_room_actor_now_ns(actor);
}

void qd_slow_reader_forget(qd_room_actor *actor, qd_membership *membership)
{
    if (!membership->lagging) {
        return;
    }
    membership->lagging = false;
    actor->lagging_count--;
    atomic_store(&membership->lagging_shown, false);
}

/* The session's time is over. It may lag in several rooms; the first one disconnects it. */
static void disconnect_slow(qd_room_actor *actor, const qd_membership *membership)
{
    qd_service *service = actor->service;
    qd_endpoint *endpoint = membership->endpoint;

    if (qd_journal_ask(actor->journal, QD_ASK_DISCONNECTS, !atomic_exchange(&endpoint->too_slow, true)) == 0) {
        return;
    }
    qd_count(&service->counters, QD_COUNT_TOO_SLOW, 1);
    qd_log(QD_LOG_WARN, "a reader is too slow, closing", QD_LOG_NUMBER("session", endpoint->session),
           QD_LOG_PEER(endpoint->link->peer), QD_LOG_STRING("room", actor->entry.name),
           QD_LOG_NUMBER("queued", qd_link_queued(endpoint->link)));
    char text[160];
    snprintf(text, sizeof text,
             "the session's queue was over half full for %" PRIu32
             " ms; must be for less (--slow-ms-max). Read faster, or ask for less",
             service->config.limits.slow_ms_max);
    /* It is queued behind everything that was not read: a client that goes on reading gets it. */
    qd_member_send(actor, membership,
                   &(qd_server_message){
                       .kind = QD_SERVER_GO_AWAY,
                       .as.go_away = {.reason = QD_GO_AWAY_TOO_SLOW, .text = text, .deadline_ms = QD_FLUSH_MS_MAX}});
    qd_link_close(endpoint->link, QD_FLUSH_MS_MAX);
}

static bool has_drained(const qd_room_actor *actor, const qd_membership *membership)
{
    return qd_journal_ask(actor->journal, QD_ASK_DRAINED,
                          qd_link_queued(membership->endpoint->link) < membership->reset_below_bytes) != 0;
}

void qd_slow_readers_look(qd_room_actor *actor, uint64_t now_ns)
{
    uint64_t slow_ns_max = actor->service->config.limits.slow_ms_max * MS_NS;

    for (uint32_t i = 0; actor->lagging_count > 0 && i < actor->member_capacity; i++) {
        qd_membership *membership = actor->members[i].membership;

        if (membership == NULL || !membership->lagging) {
            continue;
        }
        if (has_drained(actor, membership)) {
            qd_slow_reader_forget(actor, membership);
            qd_room_resume(actor->room, membership->member);
            qd_room_view_resume(actor->room, membership->member);
            actor->bill.resumes = true;
            actor->changed = true; /* its views' reset comes with a tick */
        } else if (qd_journal_ask(actor->journal, QD_ASK_TOO_SLOW, now_ns >= membership->lag_start_ns + slow_ns_max)) {
            disconnect_slow(actor, membership);
        }
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "publish.h"

#include "../base/assert.h"
#include "reply.h"
#include "session.h"

/* More different contents than that in one round are rare; the rest is encoded for each reader. */
#define SHARES_MAX 8

typedef struct share {
    uint32_t number;
    size_t first, count; /* in the frames of the round */
} share;

/* The frames of one round; those of shares stay until its end, those for one reader alone are on top for a moment. */
typedef struct publication {
    qd_host *host;
    qd_buffer **frames;
    size_t count, capacity;
    share shares[SHARES_MAX];
    size_t share_count;
} publication;

static bool push(publication *round, qd_buffer *frame)
{
    if (frame == NULL)
        return false;
    if (round->count == round->capacity) {
        size_t capacity = round->capacity == 0 ? 16 : round->capacity * 2;
        qd_buffer **grown = qd_heap_resize(&round->host->heap, round->frames, round->capacity * sizeof *grown,
                                           capacity * sizeof *grown);
        if (grown == NULL) {
            qd_buffer_release(frame);
            return false;
        }
        round->frames = grown;
        round->capacity = capacity;
    }
    round->frames[round->count++] = frame;
    return true;
}

static void drop(publication *round, size_t count)
{
    while (round->count > count)
        qd_buffer_release(round->frames[--round->count]);
}

/* Moves pairs into the frame's columns, as many as are left and fit; returns how many. */
static uint32_t take(const qd_room_pairs *pairs, uint32_t done, uint32_t *space, qd_msg_pairs *columns)
{
    uint32_t count = pairs->count - done;
    if (count > *space)
        count = *space;
    *space -= count;
    if (count > 0)
        *columns = (qd_msg_pairs){.count = count, .a = pairs->a + done, .b = pairs->b + done};
    return count;
}

/* Puts the report's frames on top. */
static bool encode(publication *round, const qd_room_report *report)
{
    size_t before = round->count;
    uint32_t ends = 0, begins = 0, passed = 0, stays = 0;
    bool last = false;
    for (bool first = true; !last; first = false) {
        qd_server_message message = {.kind = QD_SERVER_TICK};
        qd_msg_tick *tick = &message.as.tick;
        tick->room = round->host->named.handle;
        tick->tick = report->tick;
        if (first) {
            tick->reset = report->reset;
            tick->skipped = report->skipped;
            tick->suspended = report->suspended;
            tick->suspended_count = report->suspended_count;
            tick->merged_ticks = report->merged_ticks;
            tick->passed_lost = report->passed_lost;
        }
        uint32_t space = QD_PUBLISH_PAIRS_MAX;
        if (report->ends.count > ends)
            tick->end_reason = report->end_reason + ends;
        ends += take(&report->ends, ends, &space, &tick->ends);
        begins += take(&report->begins, begins, &space, &tick->begins);
        passed += take(&report->passed, passed, &space, &tick->passed);
        stays += take(&report->stays, stays, &space, &tick->stays);
        last = ends == report->ends.count && begins == report->begins.count && passed == report->passed.count &&
               stays == report->stays.count;
        tick->last = last;
        if (!push(round, qd_reply_encode(&message))) {
            drop(round, before);
            return false;
        }
    }
    return true;
}

/* The frames of a report: found where they have been encoded for another reader, else encoded. */
static bool frames_of(publication *round, const qd_room_report *report, size_t *first, size_t *count)
{
    for (size_t i = 0; report->share != 0 && i < round->share_count; i++) {
        if (round->shares[i].number == report->share) {
            *first = round->shares[i].first;
            *count = round->shares[i].count;
            return true;
        }
    }
    *first = round->count;
    if (!encode(round, report))
        return false;
    *count = round->count - *first;
    if (report->share != 0 && round->share_count < SHARES_MAX)
        round->shares[round->share_count++] = (share){.number = report->share, .first = *first, .count = *count};
    return true;
}

static size_t shared_count(const publication *round)
{
    if (round->share_count == 0)
        return 0;
    const share *last = &round->shares[round->share_count - 1];
    return last->first + last->count;
}

static void deliver(publication *round, const qd_room_report *report)
{
    qd_host *host = round->host;
    QD_ASSERT(report->member < host->member_capacity && host->members[report->member] != NULL);
    qd_seat *seat = host->members[report->member];
    qd_link_sent sent = QD_LINK_FULL;
    size_t first, count;
    if (frames_of(round, report, &first, &count))
        sent = qd_reply_queue(host->server, seat->session->link, round->frames + first, count, QD_LINK_EVENTS);
    drop(round, shared_count(round));
    if (sent == QD_LINK_SENT) {
        seat->late = false;
        return;
    }
    /* To a closed link as well: nothing need be found for it until it leaves. */
    qd_room_lost(host->room, report->member);
    if (sent == QD_LINK_FULL)
        qd_host_stuck(host, seat);
}

void qd_publish(qd_host *host)
{
    publication round = {.host = host};
    qd_room_report report;
    while (qd_room_next_report(host->room, &report))
        deliver(&round, &report);
    drop(&round, 0);
    qd_heap_free(&host->heap, round.frames, round.capacity * sizeof *round.frames);
}

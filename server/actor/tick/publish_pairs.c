/* SPDX-License-Identifier: Apache-2.0 */
#include "publish_pairs.h"

#include "../record/delivery.h"
#include "../state/time_bill.h"
#include "frames.h"
#include "slow_readers.h"

/* More different contents than this in one round are rare. The rest is encoded for each reader. */
#define SHARES_MAX 8

typedef struct share {
    uint32_t number;
    size_t first, count; /* in the frames of the round */
} share;

/* The frames of one round. Shared ones stay until its end; those for a single reader are on top of them meanwhile. */
typedef struct publication {
    qd_room_actor *actor;
    qd_frames list;
    share shares[SHARES_MAX];
    size_t share_count;
} publication;

/* Moves as many pairs into the frame's columns as are left and fit. Returns how many. */
static uint32_t take(const qd_room_pairs *pairs, uint32_t done, uint32_t *space, qd_msg_pairs *columns)
{
    uint32_t count = pairs->count - done;

    if (count > *space) {
        count = *space;
    }
    *space -= count;
    if (count > 0) {
        *columns = (qd_msg_pairs){.count = count, .a = pairs->a + done, .b = pairs->b + done};
    }
    return count;
}

/* Encodes the report and puts its frames on top. */
static bool encode(publication *round, const qd_room_report *report)
{
    size_t before = round->list.count;
    uint32_t ends = 0, begins = 0, passed = 0, stays = 0;
    bool last = false;

    for (bool first = true; !last; first = false) {
        qd_server_message message = {.kind = QD_SERVER_TICK};
        qd_msg_tick *tick = &message.as.tick;

        tick->room = round->actor->entry.handle;
        tick->tick = report->tick;
        if (first) {
            tick->reset = report->reset;
            tick->skipped = report->skipped;
            tick->suspended = report->suspended;
            tick->suspended_count = report->suspended_count;
            tick->suspended_reason = report->suspended_reason;
            tick->merged_ticks = report->merged_ticks;
            tick->passed_lost = report->passed_lost;
        }
        uint32_t space = QD_PUBLISH_PAIRS_MAX;
        if (report->ends.count > ends) {
            tick->end_reason = report->end_reason + ends;
        }
        ends += take(&report->ends, ends, &space, &tick->ends);
        begins += take(&report->begins, begins, &space, &tick->begins);
        passed += take(&report->passed, passed, &space, &tick->passed);
        stays += take(&report->stays, stays, &space, &tick->stays);
        last = ends == report->ends.count && begins == report->begins.count && passed == report->passed.count &&
               stays == report->stays.count;
        tick->last = last;
        if (!qd_frames_push(&round->list, qd_reply_encode(&message))) {
            qd_frames_drop(&round->list, before);
            return false;
        }
    }
    return true;
}

/* Finds the frames of a report, if they were encoded for another reader, else encodes them. */
static bool frames_of(publication *round, const qd_room_report *report, size_t *first, size_t *count)
{
    for (size_t i = 0; report->share != 0 && i < round->share_count; i++) {
        if (round->shares[i].number == report->share) {
            *first = round->shares[i].first;
            *count = round->shares[i].count;
            return true;
        }
    }
    *first = round->list.count;
    if (!encode(round, report)) {
        return false;
    }
    *count = round->list.count - *first;
    if (report->share != 0 && round->share_count < SHARES_MAX) {
        round->shares[round->share_count++] = (share){.number = report->share, .first = *first, .count = *count};
    }
    return true;
}

static size_t shared_count(const publication *round)
{
    if (round->share_count == 0) {
        return 0;
    }
    const share *last = &round->shares[round->share_count - 1];
    return last->first + last->count;
}

static void deliver(publication *round, const qd_room_report *report)
{
    qd_room_actor *actor = round->actor;
    qd_membership *membership = qd_membership_of(actor, report->member);
    size_t first, count;

    if (report->suspended_reason == QD_SUSPEND_MEMORY) {
        qd_count(&actor->service->counters, QD_COUNT_SUSPENDED_MEMORY, 1);
    }
    if (report->reset) {
        qd_count(&actor->service->counters, QD_COUNT_RESETS_PAIRS, 1);
    }
    bool delivered = false;
    if (frames_of(round, report, &first, &count)) {
        const qd_link_sent sent = qd_member_queue(actor, membership, round->list.frames + first, count, QD_LINK_EVENTS);

        qd_time_bill_frames(actor, membership, round->list.frames + first, count);
        delivered = qd_slow_reader_delivered(actor, membership, sent);
    } else {
        qd_slow_reader_missed(actor, membership);
    }
    qd_frames_drop(&round->list, shared_count(round));
    if (!delivered) {
        qd_room_lost(actor->room, report->member);
    }
}

void qd_publish_pairs(qd_room_actor *actor)
{
    publication round = {.actor = actor, .list.heap = &actor->heap};
    qd_room_report report;

    while (qd_room_next_report(actor->room, &report)) {
        deliver(&round, &report);
    }
    qd_frames_deinit(&round.list);
}

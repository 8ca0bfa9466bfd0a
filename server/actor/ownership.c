/* SPDX-License-Identifier: Apache-2.0 */
#include "ownership.h"

#include <inttypes.h>
#include <stdlib.h>

#include "../session/session.h"
#include "commands.h"
#include "frames.h"
#include "reply.h"

/* ---- telling ---- */

static int compare_ids(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

    return (left > right) - (left < right);
}

static void sort_ids(uint32_t *id, uint32_t count)
{
    if (count > 1) {
        qsort(id, count, sizeof *id, compare_ids);
    }
}

/* All its frames in one go: an answer is never refused, but the next one may be. `whole` has all the ids. */
static void tell(qd_host *host, qd_link *link, uint32_t seq, const qd_msg_handed_over *whole)
{
    qd_frames list = {.heap = &host->heap};
    bool encoded = true, last = false;

    for (uint32_t done = 0; encoded && !last;) {
        uint32_t left = whole->count - done;
        qd_server_message message = {.seq = seq, .kind = QD_SERVER_HANDED_OVER, .as.handed_over = *whole};
        qd_msg_handed_over *part = &message.as.handed_over;

        part->count = left < QD_HANDED_OVER_IDS_MAX ? left : QD_HANDED_OVER_IDS_MAX;
        part->id = part->count > 0 ? whole->id + done : NULL;
        if (done > 0) {
            part->connected = NULL;
            part->connected_listed = part->connected_count = 0;
        }
        done += part->count;
        part->last = last = done == whole->count;
        encoded = qd_frames_push(&list, qd_reply_encode(&message));
    }
    if (encoded) {
        (void)qd_reply_queue(host->server, link, list.frames, list.count, QD_LINK_REPLY);
    } else {
        qd_reply_give_up(host->server, link);
    }
    qd_frames_deinit(&list);
}

/* The ids' memory, of `count` of them; NULL: there is none, and the error is answered, or none is needed. */
static uint32_t *take_ids(qd_host *host, const qd_request *request, uint32_t count)
{
    uint32_t *id = count > 0 ? qd_heap_alloc(&host->heap, count * sizeof *id) : NULL;

    if (count > 0 && id == NULL) {
        qd_apply_fail(host, request, QD_ERROR_LIMIT,
                      "the server has no memory left to give %" PRIu32
                      " entities to another session (--memory-max): try again later",
                      count);
    }
    return id;
}

/* ---- handing over ---- */

/* The member that is this session's; QD_ROOM_OWNED: it is not in the room. */
static uint32_t member_of(const qd_host *host, uint64_t session)
{
    for (uint32_t i = 0; i < host->member_capacity; i++) {
        if (host->members[i].seat != NULL && host->members[i].session == session) {
            return i;
        }
    }
    return QD_ROOM_OWNED;
}

void qd_owners_hand_over(qd_host *host, const qd_request *request)
{
    const qd_msg_handover *handover = &request->decoded.message.as.handover;
    qd_seat *seat = request->head.seat;
    uint32_t to = handover->room_owned ? QD_ROOM_OWNED : member_of(host, handover->session);

    if (!handover->room_owned && to == QD_ROOM_OWNED) {
        qd_apply_fail(host, request, QD_ERROR_INVALID,
                      "session is %" PRIu64 ", which is not in the room: it must join before it is given anything",
                      handover->session);
        return;
    }
    /* Who gives to itself, from the room, need not be told. */
    bool is_told = to != QD_ROOM_OWNED && to != seat->member;
    uint32_t *given = is_told ? take_ids(host, request, handover->count) : NULL;
    if (is_told && handover->count > 0 && given == NULL) {
        return;
    }
    qd_room_refusals refusals;
    uint32_t count = qd_room_hand_over(host->room, seat->member, handover->id, handover->count, to, given, &refusals);
    if (is_told && count > 0) {
        sort_ids(given, count);
        tell(host, qd_host_seat(host, to)->session->link, 0,
             &(qd_msg_handed_over){.room = host->named.handle,
                                   .count = count,
                                   .id = given,
                                   .from = seat->session->number,
                                   .to = handover->session});
    }
    qd_heap_free(&host->heap, given, given != NULL ? handover->count * sizeof *given : 0);
    host->resets_due = true;
    qd_count(host->server, QD_COUNT_UPDATES, handover->count - refusals.count);
    qd_host_note(host, seat, request->decoded.message.seq);
    qd_apply_refusals(host, request, handover->count, handover->id, &refusals);
}

/* ---- adopting ---- */

static bool is_connected(const qd_host_member *member)
{
    return member->seat != NULL && !atomic_load(&member->seat->session->cut_off);
}

/* Whether the member is one of those that are asked for, and has anything. */
static bool is_asked_for(const qd_host *host, const qd_request *request, uint32_t member)
{
    const qd_seat *seat = request->head.seat;
    uint64_t wanted = request->decoded.message.as.adopt.session;
    const qd_host_member *row = &host->members[member];

    return member != seat->member && (wanted == 0 || wanted == row->session) &&
           qd_token_same(row->token, seat->session->token) && qd_room_owned_count(host->room, member) > 0;
}

/* Whether the session that is named is known not to be the asker's own. */
static bool is_a_strangers(const qd_host *host, const qd_request *request)
{
    uint64_t wanted = request->decoded.message.as.adopt.session;

    for (uint32_t i = 0; wanted != 0 && i < host->member_capacity; i++) {
        if (host->members[i].session == wanted) {
            return !qd_token_same(host->members[i].token, request->head.seat->session->token);
        }
    }
    return false;
}

/* Settles who yields, because connections may close meanwhile; returns how many entities these have. Those who keep
 * theirs are noted in `answer`, and in connected[]. */
static uint32_t settle_who_yields(qd_host *host, const qd_request *request, uint64_t connected[QD_CONNECTED_MAX],
                                  qd_msg_handed_over *answer)
{
    uint32_t count = 0;

    answer->connected = connected;
    for (uint32_t i = 0; i < host->member_capacity; i++) {
        qd_host_member *row = &host->members[i];
        bool is_asked = is_asked_for(host, request, i);

        row->yields = is_asked && (answer->from != 0 || !is_connected(row));
        if (row->yields) {
            count += qd_room_owned_count(host->room, i);
        } else if (is_asked) {
            if (answer->connected_listed < QD_CONNECTED_MAX) {
                connected[answer->connected_listed++] = row->session;
            }
            answer->connected_count++;
        }
    }
    return count;
}

/* Takes what there is from one member; it is told, if there is anyone to hear it. */
static uint32_t adopt_from(qd_host *host, qd_seat *seat, uint32_t from, uint32_t *given)
{
    const qd_host_member *row = &host->members[from];
    uint32_t count = qd_room_adopt(host->room, from, seat->member, given);

    sort_ids(given, count);
    if (is_connected(row)) {
        tell(host, row->seat->session->link, 0,
             &(qd_msg_handed_over){.room = host->named.handle,
                                   .count = count,
                                   .id = given,
                                   .from = row->session,
                                   .to = seat->session->number});
    }
    return count;
}

void qd_owners_adopt(qd_host *host, const qd_request *request)
{
    qd_seat *seat = request->head.seat;
    qd_msg_handed_over answer = {
        .room = host->named.handle, .from = request->decoded.message.as.adopt.session, .to = seat->session->number};

    if (is_a_strangers(host, request)) {
        qd_apply_fail(host, request, QD_ERROR_NOT_ALLOWED,
                      "session is %" PRIu64 ", which has another token: only what sessions of the same token have "
                      "spawned can be adopted",
                      answer.from);
        return;
    }
    uint64_t connected[QD_CONNECTED_MAX];
    uint32_t capacity = settle_who_yields(host, request, connected, &answer);
    uint32_t *given = take_ids(host, request, capacity);
    if (capacity > 0 && given == NULL) {
        return;
    }
    for (uint32_t i = 0; i < host->member_capacity; i++) {
        if (host->members[i].yields) {
            answer.count += adopt_from(host, seat, i, given + answer.count);
        }
    }
    sort_ids(given, answer.count);
    answer.id = given;
    host->resets_due = true;
    qd_count(host->server, QD_COUNT_UPDATES, answer.count);
    tell(host, seat->session->link, request->decoded.message.seq, &answer);
    qd_heap_free(&host->heap, given, capacity * sizeof *given);
}

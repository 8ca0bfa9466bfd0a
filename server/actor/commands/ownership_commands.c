/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "../../../proto/codec.h"
#include "../../base/log.h"
#include "../../base/memory/array.h"
#include "../tick/applied.h"
#include "accepted.h"
#include "command.h"

/* ---- reporting ---- */

/* The part of HandedOver that begins after `done` ids, with all the rest that fits into a frame. */
static qd_server_message part_of(uint64_t seq, const qd_msg_handed_over *whole, uint32_t done)
{
    const uint32_t left = whole->count - done;
    qd_server_message message = {.seq = seq, .kind = QD_SERVER_HANDED_OVER, .as.handed_over = *whole};
    qd_msg_handed_over *part = &message.as.handed_over;

    part->count = left < QD_HANDED_OVER_IDS_MAX ? left : QD_HANDED_OVER_IDS_MAX;
    part->id = part->count > 0 ? whole->id + done : NULL;
    part->last = done + part->count == whole->count;
    if (done > 0) {
        part->connected = NULL;
        part->connected_listed = part->connected_count = 0;
    }
    return message;
}

/* Takes the memory for the frames of a HandedOver before entities change their owner, because nothing may fail after
 * that. `whole` has at least as many ids as will be reported; they need not be known yet. */
static bool reserve(qd_frames *list, uint64_t seq, const qd_msg_handed_over *whole)
{
    uint32_t done = 0;

    do {
        qd_server_message message = part_of(seq, whole, done);

        message.as.handed_over.last = true; /* it is, if the ids that are reported end here */
        done += message.as.handed_over.count;
        (void)qd_frames_push(list, qd_buffer_create(qd_server_message_size(&message)));
    } while (done < whole->count && !list->failed);
    return !list->failed;
}

/* Sends the HandedOver in the reserved frames, all at once: a reply is never refused, but the next one may be. */
static void report(qd_room_actor *actor, qd_frames *list, const qd_membership *to, uint64_t seq,
                   const qd_msg_handed_over *whole)
{
    uint32_t done = 0;
    size_t count = 0;

    do {
        const qd_server_message message = part_of(seq, whole, done);
        qd_buffer *frame = list->frames[count++];

        frame->size = qd_server_message_encode(&message, frame->bytes, qd_server_message_size(&message));
        done += message.as.handed_over.count;
    } while (done < whole->count);
    qd_frames_drop(list, count);
    (void)qd_member_queue(actor, to, list->frames, count, QD_LINK_REPLY);
}

static void fail(qd_room_actor *actor, const qd_request *request, uint32_t count)
{
    qd_command_fail(actor, request, QD_ERROR_LIMIT,
                    "the server has no memory left to give %" PRIu32
                    " entities to another session (--memory-max). Try again later",
                    count);
}

/* Returns memory for `count` ids. NULL: count is 0, or there is no memory. */
static uint32_t *take_ids(qd_room_actor *actor, uint32_t count)
{
    return count > 0 ? qd_heap_alloc(&actor->heap, count * sizeof(uint32_t)) : NULL;
}

/* ---- handing over ---- */

/* The member of this session; QD_ROOM_OWNED: it is not in the room. */
static uint32_t member_of(const qd_room_actor *actor, uint64_t session)
{
    for (uint32_t i = 0; i < actor->member_capacity; i++) {
        if (actor->members[i].membership != NULL && actor->members[i].session == session) {
            return i;
        }
    }
    return QD_ROOM_OWNED;
}

void qd_hand_over_command(qd_room_actor *actor, const qd_request *request)
{
    const qd_msg_hand_over *handover = &request->decoded.message.as.hand_over;
    qd_membership *membership = request->head.membership;
    uint32_t to = handover->room_owned ? QD_ROOM_OWNED : member_of(actor, handover->session);

    if (!handover->room_owned && to == QD_ROOM_OWNED) {
        qd_command_fail(actor, request, QD_ERROR_INVALID,
                        "session is %" PRIu64
                        ", which is not in the room; must be in it. Let that session open the room first",
                        handover->session);
        return;
    }
    /* A session that takes from the room by HandOver needs no report. */
    bool is_reported = to != QD_ROOM_OWNED && to != membership->member && handover->count > 0;
    qd_frames frames = {.heap = &actor->heap};
    qd_msg_handed_over whole = {.room = actor->entry.handle,
                                .count = handover->count,
                                .id = handover->id,
                                .from = membership->endpoint->session,
                                .to = handover->session};
    uint32_t *given = is_reported ? take_ids(actor, handover->count) : NULL;
    if (is_reported && (given == NULL || !reserve(&frames, 0, &whole))) {
        qd_frames_deinit(&frames);
        qd_array_drop(&actor->heap, given, given != NULL ? handover->count : 0);
        fail(actor, request, handover->count);
        return;
    }
    qd_room_refusals refusals;
    qd_charges_allow(&actor->charges, to, QD_QUOTA_ENTITIES, handover->count, false);
    whole.count =
        qd_room_hand_over(actor->room, membership->member, handover->id, handover->count, to, given, &refusals);
    qd_charges_settle(&actor->charges, membership->member);
    qd_charges_settle(&actor->charges, QD_ROOM_OWNED);
    qd_charges_settle(&actor->charges, to);
    if (is_reported && whole.count > 0) {
        qd_array_sort(given, whole.count);
        whole.id = given;
        report(actor, &frames, qd_membership_of(actor, to), 0, &whole);
    }
    qd_frames_deinit(&frames);
    qd_array_drop(&actor->heap, given, given != NULL ? handover->count : 0);
    actor->resets_due = true;
    qd_count(&actor->service->counters, QD_COUNT_UPDATES, handover->count - refusals.count);
    qd_applied_note(actor, membership, request->decoded.message.seq);
    qd_accepted_send_refusals(actor, request, handover->id, &refusals);
}

/* ---- adopting ---- */

static bool is_connected(const qd_room_actor *actor, const qd_actor_member *member)
{
    return member->membership != NULL && !qd_room_actor_is_cut_off(actor, member->membership);
}

/* Whether the request asks for this member, and the member owns anything. */
static bool is_asked_for(const qd_room_actor *actor, const qd_request *request, uint32_t member)
{
    const qd_membership *membership = request->head.membership;
    uint64_t wanted = request->decoded.message.as.adopt.session;
    const qd_actor_member *row = &actor->members[member];

    return member != membership->member && (wanted == 0 || wanted == row->session) &&
           qd_token_same(row->token, membership->endpoint->token) && qd_room_owned_count(actor->room, member) > 0;
}

/* Whether the session in the request is known to have another token. */
static bool is_foreign(const qd_room_actor *actor, const qd_request *request)
{
    uint64_t wanted = request->decoded.message.as.adopt.session;

    for (uint32_t i = 0; wanted != 0 && i < actor->member_capacity; i++) {
        if (actor->members[i].session == wanted) {
            return !qd_token_same(actor->members[i].token, request->head.membership->endpoint->token);
        }
    }
    return false;
}

/* Decides which members yield, because connections may close meanwhile. Returns how many entities these own. The members
 * that keep theirs are noted in `answer`, and in connected[]. */
static uint32_t decide_who_yields(qd_room_actor *actor, const qd_request *request, uint64_t connected[QD_CONNECTED_MAX],
                                  qd_msg_handed_over *answer)
{
    uint32_t count = 0;

    answer->connected = connected;
    for (uint32_t i = 0; i < actor->member_capacity; i++) {
        qd_actor_member *row = &actor->members[i];
        bool is_asked = is_asked_for(actor, request, i);

        row->yields = is_asked && (answer->from != 0 || !is_connected(actor, row));
        if (row->yields) {
            count += qd_room_owned_count(actor->room, i);
        } else if (is_asked) {
            if (answer->connected_listed < QD_CONNECTED_MAX) {
                connected[answer->connected_listed++] = row->session;
            }
            answer->connected_count++;
        }
    }
    return count;
}

/* Whether a member that yields is connected, and so gets a report. It is the only one: the request names a session, of
 * which earlier members may be left that have no connection. */
static bool is_any_reported(const qd_room_actor *actor)
{
    for (uint32_t i = 0; i < actor->member_capacity; i++) {
        if (actor->members[i].yields && is_connected(actor, &actor->members[i])) {
            return true;
        }
    }
    return false;
}

/* Takes all entities of one member, and reports it to the member, if there are frames for that. */
static uint32_t adopt_from(qd_room_actor *actor, qd_membership *membership, uint32_t from, uint32_t *given,
                           qd_frames *frames)
{
    const qd_actor_member *row = &actor->members[from];
    uint32_t count = qd_room_adopt(actor->room, from, membership->member, given);

    qd_charges_settle(&actor->charges, from);
    qd_charges_settle(&actor->charges, membership->member);
    qd_array_sort(given, count);
    if (frames->count > 0 && row->membership != NULL) {
        report(actor, frames, row->membership, 0,
               &(qd_msg_handed_over){.room = actor->entry.handle,
                                     .count = count,
                                     .id = given,
                                     .from = row->session,
                                     .to = membership->endpoint->session});
    }
    return count;
}

void qd_adopt_command(qd_room_actor *actor, const qd_request *request)
{
    qd_membership *membership = request->head.membership;
    qd_msg_handed_over answer = {.room = actor->entry.handle,
                                 .from = request->decoded.message.as.adopt.session,
                                 .to = membership->endpoint->session};

    if (is_foreign(actor, request)) {
        qd_command_fail(
            actor, request, QD_ERROR_NOT_ALLOWED,
            "session is %" PRIu64
            ", which has another token; must be a session with this session's token. Send its token in Hello",
            answer.from);
        return;
    }
    uint64_t connected[QD_CONNECTED_MAX];
    qd_frames answers = {.heap = &actor->heap}, reports = {.heap = &actor->heap};
    const uint64_t seq = request->decoded.message.seq;
    const uint32_t capacity = decide_who_yields(actor, request, connected, &answer);
    uint32_t *given = take_ids(actor, capacity);
    answer.id = given;
    answer.count = capacity;
    if ((capacity > 0 && given == NULL) || !reserve(&answers, seq, &answer) ||
        (is_any_reported(actor) && !reserve(&reports, 0, &answer))) {
        fail(actor, request, capacity);
    } else {
        answer.count = 0;
        for (uint32_t i = 0; i < actor->member_capacity; i++) {
            if (actor->members[i].yields) {
                answer.count += adopt_from(actor, membership, i, given + answer.count, &reports);
            }
        }
        qd_array_sort(given, answer.count);
        actor->resets_due = true;
        qd_count(&actor->service->counters, QD_COUNT_UPDATES, answer.count);
        report(actor, &answers, membership, seq, &answer);
        qd_log(QD_LOG_AUDIT, "entities taken over", QD_LOG_NUMBER("room", actor->entry.handle),
               QD_LOG_STRING("name", actor->entry.name), QD_LOG_NUMBER("count", answer.count),
               QD_LOG_NUMBER("from", answer.from), QD_LOG_NUMBER("session", answer.to),
               QD_LOG_PEER(membership->endpoint->link->peer));
    }
    qd_frames_deinit(&reports);
    qd_frames_deinit(&answers);
    qd_array_drop(&actor->heap, given, given != NULL ? capacity : 0);
}

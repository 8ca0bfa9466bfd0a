/* SPDX-License-Identifier: Apache-2.0 */
#include "recording.h"

#include <string.h>

#include "../../../proto/codec.h"
#include "../../base/bytes/byte_list.h"
#include "../../base/bytes/siphash.h"
#include "../../base/log.h"
#include "../../base/memory/alloc.h"
#include "../../base/memory/scratch.h"
#include "../journal/tally.h"

/* A thread keeps so much memory for its next entry. */
#define KEEP_BYTES 262144u

/* The ids of a Move are remembered up to so many. */
#define IDS_MAX 65536u

typedef struct qd_recording {
    qd_journal journal; /* first */
    const qd_record_sink *sink;
    uint64_t salt;
    uint64_t now_ns;     /* the last time in the record */
    uint64_t refused;    /* qd_memory_refused() when the entry began */
    uint64_t lost;       /* entries; the record has ended */
    bool is_opened;      /* the record has the opening */
    bool is_noted;       /* the record has LOST, */
    bool is_over;        /* or the end of the room */
    bool is_within;      /* an entry */
    uint32_t given_back; /* the number of a membership that leaves in this entry; 0: none */
    qd_byte_list entry;  /* while it is open */
    qd_byte_list ids;    /* of the last Move that has them in the record; empty: of none */
    qd_tally tally;
} qd_recording;

/* ---- memory for entries ---- */

/* A thread writes one entry after the other. In its own memory they stay in its core's cache. */
typedef struct spare {
    qd_byte_list list;
} spare;

static void release_spare(void *memory)
{
    spare *kept = memory;

    qd_byte_list_clear(&kept->list, 0);
    qd_shared_free(kept, sizeof *kept);
}

/* Empty, with the thread's memory if that is free. */
static qd_byte_list borrow(void)
{
    const qd_scratch *scratch = qd_scratch_of_thread(QD_SCRATCH_RECORD);
    qd_byte_list list = {0};

    if (scratch != NULL && scratch->memory != NULL) {
        spare *kept = scratch->memory;

        list = kept->list;
        kept->list = (qd_byte_list){0};
    }
    return list;
}

static void give_back(qd_byte_list *list)
{
    qd_scratch *scratch = qd_scratch_of_thread(QD_SCRATCH_RECORD);

    qd_byte_list_clear(list, KEEP_BYTES);
    if (scratch != NULL && scratch->memory == NULL && list->bytes != NULL) {
        spare *kept = qd_shared_alloc(sizeof *kept);

        if (kept != NULL) {
            *kept = (spare){0};
            *scratch = (qd_scratch){.memory = kept, .release = release_spare};
        }
    }
    spare *kept = scratch != NULL ? scratch->memory : NULL;
    if (kept != NULL && kept->list.bytes == NULL) {
        kept->list = *list;
    } else {
        qd_byte_list_clear(list, 0);
    }
    *list = (qd_byte_list){0};
}

/* ---- the journal ---- */

static void put_time(qd_recording *recording, uint64_t now_ns)
{
    qd_byte_list_number(&recording->entry, qd_zigzag((int64_t)(now_ns - recording->now_ns)));
    recording->now_ns = now_ns;
}

static uint64_t ask(qd_journal *journal, qd_question question, uint64_t answer)
{
    qd_recording *recording = (qd_recording *)journal;

    if (recording->is_within) {
        qd_byte_list_number(&recording->entry, question);
        if (question == QD_ASK_NOW) {
            put_time(recording, answer);
        } else {
            qd_byte_list_number(&recording->entry, answer);
        }
    }
    return answer;
}

static void sent(qd_journal *journal, uint32_t number, qd_buffer *const *frames, size_t count)
{
    qd_recording *recording = (qd_recording *)journal;

    if (recording->is_within && number != 0) {
        qd_tally_add(&recording->tally, number, frames, count);
    }
}

static void destroy(qd_journal *journal)
{
    qd_recording *recording = (qd_recording *)journal;

    qd_byte_list_clear(&recording->entry, 0);
    qd_byte_list_clear(&recording->ids, 0);
    qd_tally_deinit(&recording->tally);
    qd_shared_free(recording, sizeof *recording);
}

static const qd_journal_ops ops = {.ask = ask, .sent = sent, .destroy = destroy};

bool qd_recording_create(qd_room_actor *actor, uint64_t salt)
{
    const qd_record_sink *sink = actor->service->config.record;

    if (sink == NULL) {
        return true;
    }
    qd_recording *recording = qd_shared_alloc(sizeof *recording);
    if (recording == NULL) {
        return false;
    }
    *recording = (qd_recording){.journal.ops = &ops, .sink = sink, .salt = salt};
    actor->recording = recording;
    actor->journal = &recording->journal;
    return true;
}

/* ---- entries ---- */

static void put_token(qd_recording *recording, const qd_token *token)
{
    qd_byte_list_number(&recording->entry,
                        token == NULL ? 0
                                      : qd_siphash(recording->sink->token_key, token->text, strlen(token->text)) | 1);
}

static void put_opening(qd_recording *recording, const qd_room_actor *actor)
{
    const qd_server_message opened = {
        .kind = QD_SERVER_ROOM_OPENED,
        .as.room_opened = {
            .room = actor->entry.handle, .name = actor->entry.name, .config = actor->config, .epoch = actor->epoch}};
    const size_t size = qd_server_message_size(&opened);

    qd_byte_list_number(&recording->entry, recording->salt);
    qd_byte_list_number(&recording->entry, actor->creator);
    put_token(recording, actor->creator_token);
    qd_byte_list_number(&recording->entry, size);
    uint8_t *bytes = qd_byte_list_add(&recording->entry, size);
    if (bytes != NULL) {
        (void)qd_server_message_encode(&opened, bytes, size);
    }
}

/* Returns whether there is an entry to write. */
static bool begin(qd_room_actor *actor, qd_entry_kind kind)
{
    qd_recording *recording = actor->recording;

    if (recording == NULL || recording->is_over || recording->lost > 0 || actor->room == NULL) {
        return false;
    }
    QD_ASSERT(!recording->is_within);
    recording->is_within = true;
    recording->refused = qd_memory_refused();
    recording->entry = borrow();
    qd_byte_list_number(&recording->entry, (unsigned)kind | (recording->is_opened ? 0 : QD_ENTRY_OPENS));
    if (!recording->is_opened) {
        put_opening(recording, actor);
    }
    return true;
}

void qd_recording_begin(qd_room_actor *actor, qd_entry_kind kind, uint64_t value)
{
    if (!begin(actor, kind)) {
        return;
    }
    if (kind == QD_ENTRY_CLOSE) {
        qd_byte_list_number(&actor->recording->entry, value);
    } else {
        put_time(actor->recording, value);
    }
}

/* Numbers the membership if it is new, and describes it. */
static void put_member(qd_recording *recording, const qd_membership *membership)
{
    qd_byte_list_number(&recording->entry, membership->endpoint->session);
    put_token(recording, membership->endpoint->token);
    qd_byte_list_number(&recording->entry, membership->endpoint->admin);
}

static bool number(qd_recording *recording, qd_membership *membership)
{
    if (membership == NULL || membership->number != 0) {
        return false;
    }
    membership->number = qd_tally_take(&recording->tally);
    recording->entry.failed |= membership->number == 0;
    return membership->number != 0;
}

static void put_leave(qd_recording *recording, qd_membership *membership, unsigned flags)
{
    qd_membership *successor = membership->successor;
    const bool is_new = number(recording, successor);

    qd_byte_list_number(&recording->entry, flags | (is_new ? QD_ENTRY_NEW : 0));
    qd_byte_list_number(&recording->entry, membership->number);
    qd_byte_list_number(&recording->entry, successor != NULL ? successor->number : 0);
    if (is_new) {
        put_member(recording, successor);
    }
    qd_byte_list_number(&recording->entry, membership->leave_seq);
    qd_byte_list_number(&recording->entry, membership->leave_answered);
    qd_byte_list_number(&recording->entry, membership->acked_tick + 1);
    recording->given_back = membership->number;
}

static void remember_ids(qd_recording *recording, const qd_room_batch *batch)
{
    qd_byte_list_clear(&recording->ids, KEEP_BYTES);
    if (batch->count <= IDS_MAX) {
        qd_byte_list_bytes(&recording->ids, batch->id, batch->count * sizeof *batch->id);
    }
    if (recording->ids.failed) {
        qd_byte_list_clear(&recording->ids, 0);
    }
}

/* The ids are a third of a Move, and most writers move the same entities again and again. Returns whether *message is
 * without them now. */
static bool leave_out_ids(qd_recording *recording, qd_client_message *message)
{
    const qd_msg_batch move = message->as.batch;
    const qd_room_batch *batch = &move.entities;

    if (message->kind != QD_CLIENT_MOVE || batch->count < QD_ENTRY_IDS_MIN) {
        return false;
    }
    const size_t size = batch->count * sizeof *batch->id;
    if (recording->ids.size != size || memcmp(recording->ids.bytes, batch->id, size) != 0) {
        remember_ids(recording, batch);
        return false;
    }
    message->kind = QD_CLIENT_MOVE_ROSTER;
    message->as.move_roster =
        (qd_msg_move_roster){.room = move.room, .count = batch->count, .x = batch->x, .y = batch->y, .z = batch->z};
    return true;
}

static void put_command(qd_recording *recording, const qd_request *request, unsigned flags)
{
    qd_membership *membership = request->head.membership;
    qd_client_message message = request->decoded.message;
    const bool is_new = number(recording, membership), is_short = leave_out_ids(recording, &message);
    const size_t size = qd_client_message_size(&message);

    flags |=
        (is_new ? QD_ENTRY_NEW : 0) | (request->created ? QD_ENTRY_CREATED : 0) | (is_short ? QD_ENTRY_SAME_IDS : 0);
    qd_byte_list_number(&recording->entry, flags);
    qd_byte_list_number(&recording->entry, membership->number);
    if (is_new) {
        put_member(recording, membership);
    }
    qd_byte_list_number(&recording->entry, size);
    uint8_t *bytes = qd_byte_list_add(&recording->entry, size);
    if (bytes != NULL) {
        (void)qd_client_message_encode(&message, bytes, size);
    }
}

void qd_recording_begin_message(qd_room_actor *actor, const qd_room_message *message, bool stopping)
{
    qd_membership *membership = message->membership;
    const bool leaves = message == &membership->leave;
    const unsigned flags = stopping ? QD_ENTRY_STOPPING : 0;

    if (!begin(actor, leaves ? QD_ENTRY_LEAVE : QD_ENTRY_COMMAND)) {
        return;
    }
    if (leaves) {
        put_leave(actor->recording, membership, flags);
    } else {
        put_command(actor->recording, (const qd_request *)message, flags);
    }
}

static void put_sums(qd_recording *recording, const qd_room_actor *actor)
{
    const qd_tally *tally = &recording->tally;
    const unsigned flags =
        (qd_memory_refused() != recording->refused ? QD_ENTRY_SHORT : 0) | (actor->room == NULL ? QD_ENTRY_ENDED : 0);

    qd_byte_list_number(&recording->entry, QD_ASK_NOTHING);
    qd_byte_list_number(&recording->entry, flags);
    qd_byte_list_number(&recording->entry, actor->room == NULL ? 0 : qd_room_last_tick(actor->room));
    qd_byte_list_number(&recording->entry, tally->sent_count);
    for (uint32_t i = 0; i < tally->sent_count; i++) {
        const qd_tally_row *row = &tally->rows[tally->sent[i] - 1];
        uint8_t crc[4];

        qd_bytes_write_u32(crc, row->crc);
        qd_byte_list_number(&recording->entry, tally->sent[i]);
        qd_byte_list_number(&recording->entry, row->frames);
        qd_byte_list_number(&recording->entry, row->bytes);
        qd_byte_list_bytes(&recording->entry, crc, sizeof crc);
    }
}

static bool put(qd_recording *recording, const qd_room_actor *actor)
{
    return !recording->entry.failed && recording->sink->put(recording->sink->context, actor->entry.handle,
                                                            recording->entry.bytes, recording->entry.size);
}

/* As soon as there is a place again, the record says that it ends. */
static void note_lost(qd_recording *recording, const qd_room_actor *actor)
{
    recording->lost++;
    if (recording->is_noted) {
        return;
    }
    recording->entry = borrow();
    qd_byte_list_number(&recording->entry, QD_ENTRY_LOST);
    qd_byte_list_number(&recording->entry, recording->lost);
    recording->is_noted = put(recording, actor);
    give_back(&recording->entry);
}

void qd_recording_end(qd_room_actor *actor)
{
    qd_recording *recording = actor->recording;

    if (recording == NULL) {
        return;
    }
    if (recording->is_within) {
        put_sums(recording, actor);
        recording->is_within = false;
        recording->is_over = actor->room == NULL;
        if (put(recording, actor)) {
            recording->is_opened = true;
        } else {
            recording->lost = 1;
            qd_count(&actor->service->counters, QD_COUNT_RECORDS_ENDED, 1);
            qd_log(QD_LOG_WARN, "the record of a room ends, because an entry was lost",
                   QD_LOG_NUMBER("room", actor->entry.handle), QD_LOG_STRING("name", actor->entry.name));
        }
        give_back(&recording->entry);
        qd_tally_clear(&recording->tally);
        if (recording->given_back != 0) {
            qd_tally_give(&recording->tally, recording->given_back);
            recording->given_back = 0;
        }
    } else if (recording->lost > 0 && !recording->is_over) {
        note_lost(recording, actor);
    }
}

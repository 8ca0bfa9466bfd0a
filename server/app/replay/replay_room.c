/* SPDX-License-Identifier: Apache-2.0 */
#include "replay_room.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../../../proto/codec.h"
#include "../../actor/commands/commands.h"
#include "../../actor/journal/tally.h"
#include "../../actor/room_clock.h"
#include "../../actor/room_run.h"
#include "../../actor/tick/closing.h"
#include "../../base/bytes/byte_list.h"
#include "../../session/check/requests.h"
#include "../../session/check/room_config.h"
#include "replay_entry.h"
#include "replay_link.h"

/* Times of a record go back by less: an inline run keeps up as of its start. */
#define BACK_NS_MAX UINT64_C(1000000000)

typedef struct qd_replay_run {
    qd_room_actor *actor; /* NULL: the record has not opened the room yet */
    qd_account *tenant;
    qd_membership **members; /* by number - 1; NULL: none has the number */
    uint32_t member_capacity;
    uint64_t now_ns;
    qd_byte_cursor answers; /* of the entry, then its sums */
    bool is_within;
    qd_tally tally;
    qd_byte_list ids; /* of the last Move that has them in the record */
} qd_replay_run;

__attribute__((format(printf, 3, 4))) static void end(qd_replay_room *room, qd_replay_state state, const char *format,
                                                      ...)
{
    va_list arguments;

    if (room->state != QD_REPLAY_RUNNING) {
        return;
    }
    room->state = state;
    va_start(arguments, format);
    vsnprintf(room->text, sizeof room->text, format, arguments);
    va_end(arguments);
}

static void end_damaged(qd_replay_room *room, const char *what)
{
    end(room, QD_REPLAY_DAMAGED, "entry %" PRIu64 " of the room %s. The file is damaged, or of another version",
        room->entries + 1, what);
}

static void end_differs(qd_replay_room *room, const char *what)
{
    end(room, QD_REPLAY_DIFFERS, "entry %" PRIu64 ", tick %" PRIu64 ": %s%s", room->entries + 1, room->tick, what,
        room->was_short ? ". Memory was short before, which a replay does not repeat" : "");
}

/* ---- the journal ---- */

static uint64_t ask(qd_journal *journal, qd_question question, uint64_t answer)
{
    qd_replay_room *room = (qd_replay_room *)journal;
    qd_replay_run *run = room->run;

    if (!run->is_within || room->state != QD_REPLAY_RUNNING) {
        return answer;
    }
    const uint64_t recorded = qd_byte_cursor_number(&run->answers);
    if (run->answers.failed || recorded != question) {
        char text[100];

        snprintf(text, sizeof text, "the room needs answer %d, and the record has %" PRIu64, (int)question, recorded);
        end_differs(room, text);
        return answer;
    }
    const uint64_t value = qd_byte_cursor_number(&run->answers);
    if (question == QD_ASK_NOW) {
        run->now_ns += (uint64_t)qd_unzigzag(value);
        *room->config->now_ns = run->now_ns;
        return run->now_ns;
    }
    return value;
}

static void sent(qd_journal *journal, uint32_t number, qd_buffer *const *frames, size_t count)
{
    qd_replay_room *room = (qd_replay_room *)journal;
    qd_replay_run *run = room->run;

    if (!run->is_within || number == 0) {
        return;
    }
    qd_tally_add(&run->tally, number, frames, count);
    if (room->config->sent != NULL && room->state == QD_REPLAY_RUNNING) {
        room->config->sent(room->config->context, room, run->members[number - 1]->endpoint->session, frames, count);
    }
}

static void keep(qd_journal *journal)
{
    (void)journal; /* the room outlives the actor */
}

static const qd_journal_ops ops = {.ask = ask, .sent = sent, .destroy = keep};

/* ---- members ---- */

/* Tokens are not in the record. Hashes of them agree where they did. */
static qd_token *token_of(uint64_t hash)
{
    char text[20];

    snprintf(text, sizeof text, "%016" PRIx64, hash);
    return hash == 0 ? NULL : qd_token_create(text);
}

/* NULL: no memory. */
static qd_endpoint *endpoint_of(const qd_replay_run *run, uint64_t session, uint64_t token, bool admin)
{
    qd_link *link = qd_replay_link_create();
    qd_endpoint *endpoint = link != NULL ? qd_endpoint_create(link, SIZE_MAX / 4) : NULL;

    if (link != NULL) {
        qd_link_release(link);
    }
    if (endpoint == NULL) {
        return NULL;
    }
    endpoint->session = session;
    endpoint->admin = admin;
    endpoint->token = token_of(token);
    endpoint->account = qd_account_create(run->tenant);
    if (endpoint->account == NULL || (token != 0 && endpoint->token == NULL)) {
        qd_endpoint_release(endpoint);
        return NULL;
    }
    return endpoint;
}

static qd_membership *member_of(const qd_replay_run *run, uint32_t number)
{
    return number > 0 && number <= run->member_capacity ? run->members[number - 1] : NULL;
}

static bool make_place(qd_replay_run *run, uint32_t number)
{
    if (number <= run->member_capacity) {
        return true;
    }
    const uint32_t capacity = 2 * number;
    qd_membership **members = qd_shared_alloc(capacity * sizeof *members);
    if (members == NULL) {
        return false;
    }
    memset(members, 0, capacity * sizeof *members);
    if (run->member_capacity > 0) {
        memcpy(members, run->members, run->member_capacity * sizeof *members);
    }
    qd_shared_free(run->members, run->member_capacity * sizeof *members);
    run->members = members;
    run->member_capacity = capacity;
    return true;
}

/* Creates the member that the entry describes, with the next number, which must be `number`. */
static void add_member(qd_replay_room *room, const qd_replay_entry *entry, uint32_t number)
{
    qd_replay_run *run = room->run;

    if (qd_tally_take(&run->tally) != number) {
        end_damaged(room, "has another number for a new member");
        return;
    }
    qd_endpoint *endpoint =
        make_place(run, number) ? endpoint_of(run, entry->session, entry->token, entry->admin) : NULL;
    qd_membership *membership = endpoint != NULL ? qd_membership_create(run->actor, endpoint) : NULL;
    if (endpoint != NULL) {
        qd_endpoint_release(endpoint);
    }
    if (membership == NULL) {
        end(room, QD_REPLAY_NO_MEMORY, "there is no memory left for a member");
        return;
    }
    membership->number = number;
    run->members[number - 1] = membership;
    qd_room_actor_use(run->actor);
}

/* ---- opening ---- */

static bool decode_opened(const qd_replay_entry *entry, qd_decoded_server *decoded)
{
    qd_byte_cursor frame = qd_byte_cursor_of(entry->opened.bytes, entry->opened.size);
    const uint64_t size = qd_byte_cursor_number(&frame);

    return !frame.failed && size == qd_byte_cursor_left(&frame) &&
           qd_decode_server(frame.at, (size_t)size, NULL, decoded) == QD_DECODE_OK &&
           decoded->message.kind == QD_SERVER_ROOM_OPENED;
}

static void open_room(qd_replay_room *room, const qd_replay_entry *entry, const qd_msg_room_opened *opened)
{
    qd_replay_run *run = room->run;
    qd_service *service = room->config->service;
    qd_endpoint *creator = endpoint_of(run, entry->creator, entry->creator_token, false);
    qd_shortage shortage;

    if (creator == NULL) {
        end(room, QD_REPLAY_NO_MEMORY, "there is no memory left for the room");
        return;
    }
    (void)qd_account_take(run->tenant, QD_QUOTA_CREATED, 1, &shortage);
    room->config->random[0] = opened->epoch;
    room->config->random[1] = entry->salt;
    run->actor = qd_room_actor_create(service, opened->name, &opened->config, creator);
    qd_endpoint_release(creator);
    if (run->actor == NULL) {
        qd_account_give(run->tenant, QD_QUOTA_CREATED, 1);
        end(room, QD_REPLAY_NO_MEMORY, "there is no memory left for the room");
        return;
    }
    run->actor->entry.handle = room->handle;
    run->actor->journal = run->actor->charges.journal = &room->journal;
    snprintf(room->name, sizeof room->name, "%s", opened->name);
}

bool qd_replay_room_name(const uint8_t *bytes, size_t size, char name[QD_ROOM_NAME_BYTES_MAX + 1])
{
    qd_decoded_server decoded = {0};
    qd_replay_entry entry;
    const bool opens = qd_replay_entry_read(bytes, size, &entry) && entry.opens && decode_opened(&entry, &decoded);

    if (opens) {
        snprintf(name, QD_ROOM_NAME_BYTES_MAX + 1, "%s", decoded.message.as.room_opened.name);
    }
    qd_decoded_server_release(&decoded, NULL);
    return opens;
}

static void open_from(qd_replay_room *room, const qd_replay_entry *entry)
{
    qd_decoded_server decoded = {0};
    qd_fault fault;

    if (!entry->opens || room->run->actor != NULL) {
        end_damaged(room, entry->opens ? "opens it again" : "comes before its opening");
        return;
    }
    if (!decode_opened(entry, &decoded) || !qd_room_name_check(decoded.message.as.room_opened.name, &fault) ||
        !qd_room_config_check(&decoded.message.as.room_opened.config, &room->config->service->config.limits, &fault)) {
        end_damaged(room, "has no valid configuration");
    } else {
        open_room(room, entry, &decoded.message.as.room_opened);
    }
    qd_decoded_server_release(&decoded, NULL);
}

/* ---- running ---- */

static void run_request(qd_replay_room *room, const qd_replay_entry *entry, qd_request *request)
{
    qd_replay_run *run = room->run;
    qd_membership *membership = run->members[entry->number - 1];

    request->head.membership = membership;
    request->created = (entry->flags & QD_ENTRY_CREATED) != 0;
    qd_backpressure_enter(&membership->batches, 1, SIZE_MAX, membership->endpoint->link);
    qd_backpressure_enter(&membership->endpoint->bytes, request->bytes, SIZE_MAX, membership->endpoint->link);
    qd_command_run(run->actor, &request->head, (entry->flags & QD_ENTRY_STOPPING) != 0);
}

/* Puts the ids back into a Move, or remembers those of one that has them. False: the record has none for it. */
static bool restore_ids(qd_replay_run *run, const qd_replay_entry *entry, qd_client_message *message)
{
    const qd_msg_move_roster move = message->as.move_roster;

    if ((entry->flags & QD_ENTRY_SAME_IDS) == 0) {
        const qd_room_batch *batch = &message->as.batch.entities;

        if (message->kind == QD_CLIENT_MOVE && batch->count >= QD_ENTRY_IDS_MIN) {
            qd_byte_list_clear(&run->ids, SIZE_MAX);
            qd_byte_list_bytes(&run->ids, batch->id, batch->count * sizeof *batch->id);
        }
        return !run->ids.failed;
    }
    if (message->kind != QD_CLIENT_MOVE_ROSTER || move.count * sizeof(uint32_t) != run->ids.size) {
        return false;
    }
    message->kind = QD_CLIENT_MOVE;
    message->as.batch = (qd_msg_batch){.room = move.room,
                                       .entities = {.count = move.count,
                                                    .id = (const uint32_t *)(const void *)run->ids.bytes,
                                                    .x = move.x,
                                                    .y = move.y,
                                                    .z = move.z}};
    return true;
}

static void run_command(qd_replay_room *room, const qd_replay_entry *entry)
{
    qd_replay_run *run = room->run;
    qd_fault fault;
    qd_byte_cursor frame = qd_byte_cursor_of(entry->frame.bytes, entry->frame.size);
    const uint64_t size = qd_byte_cursor_number(&frame);
    qd_request *request = qd_request_create(&qd_request_memory);

    if (request == NULL) {
        end(room, QD_REPLAY_NO_MEMORY, "there is no memory left for a request");
        return;
    }
    if (frame.failed || size != qd_byte_cursor_left(&frame) ||
        qd_decode_client(frame.at, (size_t)size, &qd_request_memory, &request->decoded) != QD_DECODE_OK ||
        !restore_ids(run, entry, &request->decoded.message) ||
        !qd_room_request_check(&request->decoded.message, run->actor->config.dimensions, &fault)) {
        end_damaged(room, "has a request that no server carries out");
        qd_request_destroy(request);
        return;
    }
    run_request(room, entry, request);
}

static void run_leave(qd_replay_room *room, const qd_replay_entry *entry)
{
    qd_replay_run *run = room->run;
    qd_membership *membership = run->members[entry->number - 1];

    membership->leave_seq = entry->leave_seq;
    membership->leave_answered = entry->leave_answered;
    membership->acked_tick = entry->acked_tick;
    membership->successor = member_of(run, entry->successor);
    qd_command_run(run->actor, &membership->leave, (entry->flags & QD_ENTRY_STOPPING) != 0);
    run->members[entry->number - 1] = NULL;
}

/* Whether the members that the entry names are there. */
static bool has_members(const qd_replay_room *room, const qd_replay_entry *entry)
{
    const qd_membership *membership = member_of(room->run, entry->number);

    if (membership == NULL) {
        return false;
    }
    if (entry->kind == QD_ENTRY_COMMAND) {
        return true;
    }
    const qd_membership *successor = member_of(room->run, entry->successor);
    return membership->known &&
           (entry->successor == 0 || (successor != NULL && successor != membership && !successor->known));
}

static void run_message(qd_replay_room *room, const qd_replay_entry *entry)
{
    if (entry->flags & QD_ENTRY_NEW) {
        add_member(room, entry, entry->kind == QD_ENTRY_LEAVE ? entry->successor : entry->number);
    }
    if (room->state == QD_REPLAY_RUNNING && !has_members(room, entry)) {
        end_damaged(room, "names a member that is not there");
    }
    if (room->state != QD_REPLAY_RUNNING) {
        return;
    }
    if (entry->kind == QD_ENTRY_COMMAND) {
        run_command(room, entry);
    } else {
        run_leave(room, entry);
    }
}

static void run_timed(qd_replay_room *room, const qd_replay_entry *entry)
{
    qd_replay_run *run = room->run;

    run->now_ns += (uint64_t)entry->later_ns;
    *room->config->now_ns = run->now_ns;
    if (entry->kind == QD_ENTRY_COUNT) {
        qd_room_clock_count(run->actor, run->now_ns);
    } else {
        qd_room_keep_up(run->actor, run->now_ns);
    }
}

static void run_entry(qd_replay_room *room, const qd_replay_entry *entry)
{
    qd_replay_run *run = room->run;

    switch (entry->kind) {
    case QD_ENTRY_COMMAND:
    case QD_ENTRY_LEAVE:
        run_message(room, entry);
        return;
    case QD_ENTRY_COUNT:
    case QD_ENTRY_KEEP_UP:
        if (entry->later_ns < 0 && (uint64_t)-entry->later_ns > BACK_NS_MAX) {
            end_damaged(room, "goes back in time");
            return;
        }
        run_timed(room, entry);
        return;
    case QD_ENTRY_CLOSE:
        if (entry->value < QD_ROOM_CLOSED_REQUESTED || entry->value > QD_ROOM_CLOSED_SHUTDOWN) {
            end_damaged(room, "closes it for no reason");
            return;
        }
        qd_room_actor_close(run->actor, (qd_room_closed_reason)entry->value, NULL, 0);
        return;
    case QD_ENTRY_LOST:
        return;
    }
}

/* ---- comparing ---- */

static void compare_row(qd_replay_room *room, uint32_t sent_number, qd_byte_cursor *sums)
{
    const qd_replay_run *run = room->run;
    const uint64_t number = qd_byte_cursor_number(sums), frames = qd_byte_cursor_number(sums),
                   bytes = qd_byte_cursor_number(sums);
    const uint8_t *crc = qd_byte_cursor_bytes(sums, 4);
    const qd_tally_row *row = &run->tally.rows[sent_number - 1];
    char text[200];

    if (crc == NULL) {
        return;
    }
    if (number != sent_number || frames != row->frames || bytes != row->bytes) {
        snprintf(text, sizeof text,
                 "member %" PRIu32 " is sent %" PRIu32 " frames of %" PRIu64 " bytes; in the record, member %" PRIu64
                 " was sent %" PRIu64 " of %" PRIu64,
                 sent_number, row->frames, row->bytes, number, frames, bytes);
        end_differs(room, text);
    } else if (qd_bytes_read_u32(crc) != row->crc) {
        snprintf(text, sizeof text, "member %" PRIu32 " is sent other bytes than in the record, %" PRIu64 " in all",
                 sent_number, bytes);
        end_differs(room, text);
    }
}

static void compare(qd_replay_room *room)
{
    qd_replay_run *run = room->run;
    qd_byte_cursor *sums = &run->answers;
    const uint64_t end_mark = qd_byte_cursor_number(sums), flags = qd_byte_cursor_number(sums),
                   tick = qd_byte_cursor_number(sums), count = qd_byte_cursor_number(sums);
    const bool is_open = run->actor->room != NULL;

    room->tick = is_open ? qd_room_last_tick(run->actor->room) : room->tick;
    if (sums->failed) {
        end_damaged(room, "ends too early");
    } else if (end_mark != QD_ASK_NOTHING) {
        end_differs(room, "the room needs fewer answers than in the record");
    } else if (is_open != ((flags & QD_ENTRY_ENDED) == 0)) {
        end_differs(room,
                    is_open ? "the room is open, and closed in the record" : "the room closes, unlike the record");
    } else if (is_open && tick != room->tick) {
        end_differs(room, "the record has another tick");
    } else if (count != run->tally.sent_count) {
        end_differs(room, "the record has another number of members that are sent something");
    }
    for (uint32_t i = 0; i < run->tally.sent_count && room->state == QD_REPLAY_RUNNING; i++) {
        compare_row(room, run->tally.sent[i], sums);
    }
    if (room->state == QD_REPLAY_RUNNING && (sums->failed || qd_byte_cursor_left(sums) > 0)) {
        end_damaged(room, "ends at another place than its sums");
    }
}

/* ---- a room ---- */

qd_replay_room *qd_replay_room_create(const qd_replay_config *config, uint64_t handle)
{
    qd_replay_room *room = qd_shared_alloc(sizeof *room);
    qd_replay_run *run = qd_shared_alloc(sizeof *run);
    qd_account *tenant = qd_account_of_tenant(&config->service->accounts, "replay", false);

    if (room == NULL || run == NULL || tenant == NULL) {
        qd_shared_free(room, room != NULL ? sizeof *room : 0);
        qd_shared_free(run, run != NULL ? sizeof *run : 0);
        qd_account_release(tenant);
        return NULL;
    }
    *run = (qd_replay_run){.tenant = tenant};
    *room = (qd_replay_room){.journal.ops = &ops, .config = config, .handle = handle, .run = run};
    return room;
}

void qd_replay_room_destroy(qd_replay_room *room)
{
    qd_replay_run *run = room->run;

    for (uint32_t i = 0; i < run->member_capacity; i++) {
        if (run->members[i] != NULL) {
            qd_membership_destroy(run->members[i]);
        }
    }
    if (run->actor != NULL) {
        qd_room_actor_destroy(run->actor);
    }
    qd_tally_deinit(&run->tally);
    qd_byte_list_clear(&run->ids, 0);
    qd_shared_free(run->members, run->member_capacity * sizeof(qd_membership *));
    qd_account_release(run->tenant);
    qd_shared_free(run, sizeof *run);
    qd_shared_free(room, sizeof *room);
}

/* Whether memory was short while the entry was recorded; the flag is behind the answers. */
static bool was_short(qd_byte_cursor answers)
{
    while (qd_byte_cursor_number(&answers) != QD_ASK_NOTHING) {
        (void)qd_byte_cursor_number(&answers);
    }
    return (qd_byte_cursor_number(&answers) & QD_ENTRY_SHORT) != 0;
}

static void replay(qd_replay_room *room, const qd_replay_entry *entry)
{
    qd_replay_run *run = room->run;

    room->was_short |= was_short(entry->rest);
    run->answers = entry->rest;
    run->is_within = true;
    run_entry(room, entry);
    run->is_within = false;
    if (room->state == QD_REPLAY_RUNNING) {
        compare(room);
    }
    qd_tally_clear(&run->tally);
    if (entry->kind == QD_ENTRY_LEAVE && room->state == QD_REPLAY_RUNNING) {
        qd_tally_give(&run->tally, entry->number);
    }
    if (room->state != QD_REPLAY_RUNNING) {
        return;
    }
    room->entries++;
    if (run->actor->room == NULL) {
        room->state = QD_REPLAY_CLOSED;
    } else if (room->tick >= room->config->until) {
        room->state = QD_REPLAY_STOPPED;
    }
}

void qd_replay_room_entry(qd_replay_room *room, const uint8_t *bytes, size_t size)
{
    qd_replay_entry entry;

    if (room->state != QD_REPLAY_RUNNING) {
        return;
    }
    if (!qd_replay_entry_read(bytes, size, &entry)) {
        end_damaged(room, "cannot be read");
        return;
    }
    if (entry.kind == QD_ENTRY_LOST) {
        end(room, QD_REPLAY_LOST,
            "after tick %" PRIu64 ", entries were lost, because the disk was full or too slow, or memory was short",
            room->tick);
        return;
    }
    if (entry.opens || room->run->actor == NULL) {
        open_from(room, &entry);
    }
    if (room->state == QD_REPLAY_RUNNING) {
        replay(room, &entry);
    }
}

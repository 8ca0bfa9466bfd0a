/* SPDX-License-Identifier: Apache-2.0 */
#include "replay_entry.h"

#include "../../base/bytes/byte_list.h"

static qd_replay_piece take_piece(qd_byte_cursor *cursor)
{
    const uint64_t size = qd_byte_cursor_number(cursor);
    const uint8_t *bytes = qd_byte_cursor_bytes(cursor, size > SIZE_MAX ? SIZE_MAX : (size_t)size);

    return (qd_replay_piece){.bytes = bytes, .size = bytes != NULL ? (size_t)size : 0};
}

static uint32_t take_u32(qd_byte_cursor *cursor)
{
    const uint64_t number = qd_byte_cursor_number(cursor);

    cursor->failed |= number > UINT32_MAX;
    return (uint32_t)number;
}

static void take_member(qd_byte_cursor *cursor, qd_replay_entry *entry)
{
    if ((entry->flags & QD_ENTRY_NEW) == 0) {
        return;
    }
    entry->session = qd_byte_cursor_number(cursor);
    entry->token = qd_byte_cursor_number(cursor);
    entry->admin = qd_byte_cursor_number(cursor) != 0;
}

static bool take_fields(qd_byte_cursor *cursor, qd_replay_entry *entry)
{
    switch (entry->kind) {
    case QD_ENTRY_COMMAND:
        entry->flags = take_u32(cursor);
        entry->number = take_u32(cursor);
        take_member(cursor, entry);
        entry->frame = take_piece(cursor);
        return entry->number != 0;
    case QD_ENTRY_LEAVE:
        entry->flags = take_u32(cursor);
        entry->number = take_u32(cursor);
        entry->successor = take_u32(cursor);
        take_member(cursor, entry);
        entry->leave_seq = qd_byte_cursor_number(cursor);
        entry->leave_answered = qd_byte_cursor_number(cursor) != 0;
        entry->acked_tick = qd_byte_cursor_number(cursor) - 1;
        return entry->number != 0;
    case QD_ENTRY_COUNT:
    case QD_ENTRY_KEEP_UP:
        entry->later_ns = qd_unzigzag(qd_byte_cursor_number(cursor));
        return true;
    case QD_ENTRY_CLOSE:
    case QD_ENTRY_LOST:
        entry->value = qd_byte_cursor_number(cursor);
        return true;
    }
    return false;
}

bool qd_replay_entry_read(const uint8_t *bytes, size_t size, qd_replay_entry *entry)
{
    qd_byte_cursor cursor = qd_byte_cursor_of(bytes, size);

    *entry = (qd_replay_entry){0};
    const uint32_t kind = take_u32(&cursor);
    entry->kind = (qd_entry_kind)(kind & ~QD_ENTRY_OPENS);
    entry->opens = (kind & QD_ENTRY_OPENS) != 0;
    if (entry->opens) {
        entry->salt = qd_byte_cursor_number(&cursor);
        entry->creator = qd_byte_cursor_number(&cursor);
        entry->creator_token = qd_byte_cursor_number(&cursor);
        entry->opened = take_piece(&cursor);
    }
    if (!take_fields(&cursor, entry) || cursor.failed) {
        return false;
    }
    entry->rest = cursor;
    return true;
}

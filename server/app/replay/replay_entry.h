/* SPDX-License-Identifier: Apache-2.0
 *
 * One entry of a room's record, taken apart (actor/journal/entries.h). Pure.
 */
#ifndef QD_APP_REPLAY_REPLAY_ENTRY_H
#define QD_APP_REPLAY_REPLAY_ENTRY_H

#include "../../actor/journal/entries.h"
#include "../../base/bytes/byte_cursor.h"

/* A piece of the entry's bytes. */
typedef struct qd_replay_piece {
    const uint8_t *bytes;
    size_t size;
} qd_replay_piece;

typedef struct qd_replay_entry {
    qd_entry_kind kind;
    bool opens;
    /* with `opens` */
    uint64_t salt, creator, creator_token;
    qd_replay_piece opened; /* a ServerFrame with its length */
    /* of COMMAND and LEAVE */
    unsigned flags;
    uint32_t number, successor;
    uint64_t session, token; /* with QD_ENTRY_NEW, of the new member; a token of 0: none */
    bool admin;
    qd_replay_piece frame; /* of COMMAND: a ClientFrame with its length */
    uint64_t leave_seq, acked_tick;
    bool leave_answered;
    int64_t later_ns;    /* of COUNT and KEEP_UP: behind the time before */
    uint64_t value;      /* of CLOSE and LOST */
    qd_byte_cursor rest; /* answers and sums */
} qd_replay_entry;

/* False: the bytes are no entry. */
bool qd_replay_entry_read(const uint8_t *bytes, size_t size, qd_replay_entry *entry);

#endif

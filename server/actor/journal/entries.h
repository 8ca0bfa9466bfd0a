/* SPDX-License-Identifier: Apache-2.0
 *
 * The entries of a room's record. Numbers are varints (base/bytes/byte_list.h) unless a size is given.
 *
 *     entry    = kind [opening] fields answers sums         all but LOST
 *     opening  = with QD_ENTRY_OPENS: salt, session and token hash of the creator, bytes of the RoomOpened that
 *                describes the room
 *     answers  = (question, answer)... NOTHING              in the order in which the room asked
 *     sums     = flags, tick, count, (number, frames, bytes, CRC-32C of 4 bytes)...
 *
 *     COMMAND  = flags, number [member], bytes of the ClientFrame
 *     LEAVE    = flags, number, successor or 0 [member], seq, 1 if answered, acknowledged tick + 1
 *     COUNT    = time        the room was at rest: counts its ticks
 *     KEEP_UP  = time        the room does what time makes due
 *     CLOSE    = reason      the process closes the room
 *     LOST     = entries     so many were lost: the record of this room ends
 *     member   = session, token hash, 1 of an admin
 *
 * A Move with the ids of the room's last Move that was recorded with its ids is recorded without them. A Move of fewer
 * than QD_ENTRY_IDS_MIN entities always has its ids, and those do not count.
 *
 * Times are differences to the time before, as signed numbers (zigzag). Sums are of what the entry sent to each member,
 * except Stats; the CRC-32C is over those of the frames. `tick` is the room's last tick afterwards; of a room that the
 * entry closed, 0.
 */
#ifndef QD_ACTOR_JOURNAL_ENTRIES_H
#define QD_ACTOR_JOURNAL_ENTRIES_H

#define QD_ENTRY_IDS_MIN 16u

/* In the kind's byte. */
#define QD_ENTRY_OPENS 0x80u

typedef enum qd_entry_kind {
    QD_ENTRY_COMMAND = 1,
    QD_ENTRY_LEAVE = 2,
    QD_ENTRY_COUNT = 3,
    QD_ENTRY_KEEP_UP = 4,
    QD_ENTRY_CLOSE = 5,
    QD_ENTRY_LOST = 6,
} qd_entry_kind;

/* Flags of COMMAND and LEAVE. */
#define QD_ENTRY_CREATED  1u /* the request created the room */
#define QD_ENTRY_STOPPING 2u /* the server is stopping */
#define QD_ENTRY_NEW      4u /* `member` is there */
#define QD_ENTRY_SAME_IDS 8u /* the frame is a MoveRoster, which stands for a Move of the same ids as the last one */

/* Flags of the sums. */
#define QD_ENTRY_SHORT 1u /* memory was short meanwhile: a replay, which has enough, may go another way */
#define QD_ENTRY_ENDED 2u /* the room is closed */

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases of sessions: slow readers, and entities and their owners.
 */
#include "scenario.h"

#define HAND_OVER(peer, want, many, to, to_room)                                                                       \
    SEND(peer, want, HANDOVER,                                                                                         \
         .handover = {.count = (many), .id = IDS(1, 2, 3, 4), .session = (to), .room_owned = (to_room)})

SCENARIO(entities_are_handed_over) = {
    JOIN(A, NULL), /* sessions 1 to 3; the third is not in the room */
    JOIN(B, NULL),
    OPEN(C, NULL),
    SUBSCRIBE(B, "tick 0 reset", OWN),
    SPAWN(A, NULL, 1, 2, 0),
    STEP(A, "applied 1"),
    LOOK(B, ""),
    HAND_OVER(A, "error INVALID: session is 3, which is not in the room", 1, 3, false),
    HAND_OVER(A, "error INVALID: session is 0: name the receiver", 1, 0, false),
    HAND_OVER(A, "error INVALID: session is 2, and room_owned is set", 1, 2, true),
    HAND_OVER(C, "error UNKNOWN_ROOM: OpenRoom first", 1, 2, false),
    LOOK(B, ""),
    /* 1 and 2 are there, 3 and 4 are not. */
    HAND_OVER(A, "error ENTRIES 2 UNKNOWN_ID 3 UNKNOWN_ID: UNKNOWN_ID", 4, 2, false),
    LOOK(B, "handed over 1 2 from 1 to 2 unasked; tick 1 reset begin 1-2"),
    HAND_OVER(A, "error ENTRIES 0 NOT_OWNER: NOT_OWNER", 1, 1, false),
    STEP(A, "applied 2"),
    /* Entities go with their new owner, except those that it gave to the room. Nothing reports those, nor what one takes
     * from the room. */
    HAND_OVER(B, "tick 2 reset begin 1-2", 1, 0, true),
    HAND_OVER(A, "", 1, 1, false),
    HAND_OVER(A, "", 1, 0, true),
    LOOK(B, ""),
    CLOSE(B),
    PASS(5100),
    SNAPSHOT(A, "snapshot 1 at 0 0"),
};

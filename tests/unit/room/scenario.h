/* SPDX-License-Identifier: Apache-2.0
 *
 * A scenario: what the members of a room do, and what each of them gets, as text.
 *
 *     SCENARIO(a_reset_comes_at_a_tick_with_its_set,
 *              "spawn 1 10, 2 11, 3 40; tick;"
 *              "subscribe; move 1 40; tick -> A reset begin 1-3")
 *
 * Statements are separated by ";". Behind "->" stands all that the statement gives: refusals, an answer, or the reports
 * of a round, with "|" between them. A statement without "->" gives nothing. A is the first member, in the room from the
 * beginning; B is the second. A statement is A's unless it begins with another letter.
 *
 *     open [KEY VALUE ...]           the room, by default 100 by 100; first of all. Keys: entities_max, events_max,
 *                                    grace, rosters, swept, deep, depth, index
 *     join, leave [NS], expire NS    "join" gives the new member; "due" and "owned MEMBER" give a number
 *     spawn, move, teleport, reshape, despawn  ENTRY, ENTRY ...
 *                                    an ENTRY is ID or FIRST..LAST, then x, y and z, then names of columns, each with
 *                                    its value. Entities are boxes of half extents 1, and y is 50, unless the statement
 *                                    says otherwise. "spawn owned": by the room. "spawn bare": without sizes. A shape
 *                                    other than 1 makes the half extents 0. A refusal of a value names its field
 *     despawn all
 *     give IDS to MEMBER|room, adopt MEMBER          give the ids that have another owner now
 *     subscribe [own] [stays], unsubscribe
 *     lose, miss TICK, resume        with the word "view" behind it: of views
 *     tick [skip N], catch up        both read all reports; "unread" before them: none; "read" one, "read all" the rest
 *     stats                          gives some of: entities N, members N, updates N ...
 *     snapshot [of MEMBER] [limit N] [in MIN_X MAX_X MIN_Y MAX_Y ...], body ID, where IDS (x of each)
 *     query box|circle|nearest|ray NUMBERS [reach R] [limit N] [categories BITS]
 *     name NUMBER FIRST IDS [keep], place NUMBER FIRST X ...     rosters; naming gives the ids of the roster
 *     observe ID [KEY VALUE ...]     circles in the middle of the room; keys are columns
 *     unobserve ID, turn ID X Y, except ID [show IDS] [hide IDS], options [bytes N] [own|all]
 *     describe ENTRY, ENTRY ...      columns: team, hidden, visible, tag, payload
 *     why OBSERVER ENTITY, why all ENTITY ENTITY
 *     memory N, memory none          so much may be allocated; 0: no limit; none: every allocation fails
 *     trim
 *     rest N                         so many ticks that would report nothing
 *     look                           gives "quiet" or "busy", and for how many ticks a relay may wait
 *
 * Numbers of ticks, positions in views and the columns of enters are checked, but left out of the texts.
 */
#ifndef QD_TESTS_UNIT_ROOM_SCENARIO_H
#define QD_TESTS_UNIT_ROOM_SCENARIO_H

#include <protobuf-c/protobuf-c.h>

#include "server/room/room_views.h"
#include "tests/support/test.h"

typedef struct room_scenario {
    qd_heap heap;
    qd_room *room;
    bool is_deep, has_no_memory;
    uint64_t tick;
} room_scenario;

/* The room of the test that runs. */
extern room_scenario played;

/* Plays statements, in the room that is open or in a new one. */
__attribute__((format(printf, 1, 2))) void play(const char *statements, ...);
/* Destroys the room, which must leave no memory. */
void play_end(void);

#define SCENARIO(name, ...)                                                                                            \
    TEST(name)                                                                                                         \
    {                                                                                                                  \
        play(__VA_ARGS__);                                                                                             \
        play_end();                                                                                                    \
    }

/* ---- reports as text (report_text.c) ---- */

typedef struct text {
    char *at;
    size_t used, size;
} text;

__attribute__((format(printf, 2, 3))) void text_add(text *to, const char *format, ...);
void text_refusals(text *to, const qd_room_refusals *refusals, uint32_t entries,
                   const ProtobufCMessageDescriptor *message);
void text_ids(text *to, const uint32_t *id, uint32_t count);
const char *text_visibility(qd_room_visibility sight);
/* The next report of pairs and of views; false: there is none. */
bool text_next_report(text *to);
/* All that are left. A report that shares its number with an earlier one is "B as A"; "own": it has none. */
void text_reports(text *to);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * One statement of a scenario: its words, and the entries of a batch with their columns.
 */
#ifndef QD_TESTS_UNIT_ROOM_STATEMENT_H
#define QD_TESTS_UNIT_ROOM_STATEMENT_H

#include "scenario.h"

#define ENTRIES_MAX 1000u

/* ---- words, from the next one on; the test fails where a word that is needed is missing ---- */

/* What the statement gives, and what it should give: the text behind "->", or "". */
extern text got;
extern const char *expected;

/* The words before "->". */
void statement_split(const char *statement, size_t size);
bool at_end(void);
/* Takes the next word if it is this one. */
bool take(const char *word);
const char *need_word(void);
bool take_number(double *number);
double need_number(void);
uint32_t need_id(void);
/* As many numbers as there are. */
uint32_t take_ids(uint32_t *id);
/* A letter, or "room". */
uint32_t need_member(void);

/* ---- columns: X(COLUMN, name, what entries without a value have) ---- */

#define COLUMN_LIST(X)                                                                                                 \
    X(AT_X, "x", 50)                                                                                                   \
    X(AT_Y, "y", 50)                                                                                                   \
    X(AT_Z, "z", 0)                                                                                                    \
    X(HALF_X, "half_x", 1)                                                                                             \
    X(HALF_Y, "half_y", 1)                                                                                             \
    X(HALF_Z, "half_z", 1)                                                                                             \
    X(RADIUS, "radius", 0)                                                                                             \
    X(AXIS_X, "axis_x", 0)                                                                                             \
    X(AXIS_Y, "axis_y", 0)                                                                                             \
    X(AXIS_Z, "axis_z", 0)                                                                                             \
    X(SHAPE, "shape", QD_SPACE_BOX)                                                                                    \
    X(CATEGORY, "category", 1)                                                                                         \
    X(MASK, "mask", UINT32_MAX)                                                                                        \
    X(TEAM, "team", 0)                                                                                                 \
    X(HIDDEN, "hidden", 0)                                                                                             \
    X(VISIBLE, "visible", 0)                                                                                           \
    X(TAG, "tag", 0)                                                                                                   \
    X(REGION, "region", QD_ROOM_CIRCLE)                                                                                \
    X(ANCHORED, "anchored", 0)                                                                                         \
    X(ENTITY, "entity", 0)                                                                                             \
    X(RANGE, "range", 0)                                                                                               \
    X(DIRECTION_X, "direction_x", 0)                                                                                   \
    X(DIRECTION_Y, "direction_y", 0)                                                                                   \
    X(ANGLE, "angle", 0)                                                                                               \
    X(MARGIN, "margin", 0)                                                                                             \
    X(LIMIT, "limit", 0)                                                                                               \
    X(BUDGET, "budget", 0)                                                                                             \
    X(SEES_SELF, "sees_self", 0)

#define ROW(column, name, usual) column,
typedef enum column { COLUMN_LIST(ROW) COLUMNS } column;
#undef ROW

/* The entries of the statement. */
struct entries {
    uint32_t count, id[ENTRIES_MAX];
    const char *payload[ENTRIES_MAX]; /* NULL: the entry has none */
    uint32_t tiers, relay_every[QD_VIEW_TIERS_MAX];
    float relay_range[QD_VIEW_TIERS_MAX];
};

extern struct entries entries;

/* No entries, and no columns. */
void entries_begin(void);
/* All that are left of the statement. */
void entries_take(void);

/* The column is there although no entry names it. */
void column_give(column which);
bool column_is_given(column which);
void column_set(column which, uint32_t first, uint32_t count, double value);
/* The values, or NULL if the column is not there. */
const float *floats(column which);
const uint32_t *numbers(column which);
const uint8_t *bytes(column which);

/* ---- verbs that read the room (reading.c) ---- */

void stats(void);
void snapshot(void);
void where(void);
void body(void);
void query(void);

#endif

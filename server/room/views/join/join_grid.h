/* SPDX-License-Identifier: Apache-2.0
 *
 * The entities of a room in the order of the cells of a grid, with where they are and where they were at the last tick.
 * Cells lie in x and y; whatever is beyond the grid is in a cell at its edge. Sorting is by counting. Where no entity
 * comes, goes or changes, entries stay in their cells for some ticks, until they may have drifted too far from them.
 *
 * An entity that goes further than `reach` in a tick has two entries, so that cells need little slack: one where it
 * was, without a position now, and one where it is, without an old position.
 *
 * Beacons are entities with a visible range. Observers far from them may see them, so they are in a cell of their own
 * behind all others, wherever they are, and each area has this cell as its last row.
 */
#ifndef QD_ROOM_VIEWS_JOIN_JOIN_GRID_H
#define QD_ROOM_VIEWS_JOIN_JOIN_GRID_H

#include "../state/view_state.h"
#include "join_kernel.h"

/* Of an entry. */
enum {
    QD_JOIN_WENT_FAR = 1, /* the entity has another entry, where it is now */
    QD_JOIN_CAME_FAR = 2, /* the entity has another entry, where it was */
    QD_JOIN_CHANGED = 4,  /* its category, team or hidden may be other than at the last tick */
};

/* Bits of entries lie in words of 64. */
#define QD_JOIN_WORD_BITS 64u

/* Columns by entry, of a grid or of a part of it. */
typedef struct qd_join_columns {
    qd_join_points at;
    uint32_t *slot;
    uint32_t *category, *team; /* as they are now; a hidden entity has no category. Filled with has_filters */
} qd_join_columns;

/* An entry for which the masks do not decide. */
typedef struct qd_join_special {
    uint32_t entry, how;
} qd_join_special;

typedef struct qd_join_grid {
    qd_join_columns entries; /* QD_JOIN_LANES more than `count` can be read */
    uint32_t count;
    qd_join_special *special; /* far or changed, by ascending entry */
    uint32_t special_count;
    uint32_t *place; /* by slot, its entry, where it is if it has two; of entities that have one */
    uint32_t *went;  /* by slot, the entry where it was; of entities that have two */
    uint64_t *moved; /* bits of entries that have another position than at the last tick, or had one between */
    bool all_moved;
    bool has_filters;     /* some observer may not see some entity by its filter */
    uint32_t categories;  /* bits that all entities have, */
    uint32_t teams;       /* and that any team has */
    uint32_t *start;      /* by cell, the first entry; behind the last cell, `beacons` */
    uint32_t beacons;     /* the first entry of a beacon, or of what was one at the last tick; `count`: there is none */
    float *visible_range; /* of those entries; NAN: it is no beacon now */
    uint32_t side[2];
    float lo[2], inverse; /* of a cell's side */
    float reach;
    double drift;        /* how far an entry may be from its cell, along an axis; 0: it was sorted at this tick */
    float slack;         /* the same for where it was, with the longest way of an entity that is not far */
    float range;         /* that its cells are for */
    bool stays;          /* the entries are the same as at the last tick, in the same order */
    bool is_plain;       /* each entity has one entry with a position, and none is special */
    uint32_t population; /* qd_views.population when it was sorted */
    uint32_t round;      /* that it was made in */
    qd_block sorted, unsorted, cells;
} qd_join_grid;

/* Cells from x0 to x1 and from y0 to y1, both included. */
typedef struct qd_join_area {
    uint32_t x0, x1, y0, y1;
} qd_join_area;

/* How far something goes in a tick at most without being far, with cells for regions of about `range`. */
float qd_join_reach(const qd_views *views, float range);
/* Takes up new positions of the same entities in the cells where they are, if that is possible: then the grid is made,
 * but for filters. */
bool qd_join_grid_follow(const qd_views *views, const qd_executor *executor, qd_join_grid *grid, float range);
/* Makes the grid, or completes one that has followed. With cells for regions of about `range`. `masks` has the bits
 * that the masks of all observers have, `teams` those that the team of any has. False: no memory. */
bool qd_join_grid_build(qd_views *views, qd_join_grid *grid, float range, uint32_t masks, uint32_t teams) QD_MUST_USE;
void qd_join_grid_deinit(qd_join_grid *grid, qd_heap *heap);

/* Along the axis 0 or 1. */
static inline uint32_t qd_join_cell(const qd_join_grid *grid, unsigned axis, float at)
{
    const float along = (at - grid->lo[axis]) * grid->inverse, last = (float)(grid->side[axis] - 1);

    return along > 0 ? (uint32_t)(along < last ? along : last) : 0;
}

/* How many rows an area has: those of its cells, and one of beacons if there are any. */
static inline uint32_t qd_join_rows_of_cells(const qd_join_area *area)
{
    return area->y1 - area->y0 + 1;
}
static inline uint32_t qd_join_rows_of(const qd_join_grid *grid, const qd_join_area *area)
{
    return qd_join_rows_of_cells(area) + (grid->beacons < grid->count);
}

/* The entries of a row of an area: from *first, as many as it returns. */
static inline uint32_t qd_join_run(const qd_join_grid *grid, const qd_join_area *area, uint32_t row, uint32_t *first)
{
    const uint32_t *start = grid->start + (size_t)(area->y0 + row) * grid->side[0];

    if (QD_UNLIKELY(row == qd_join_rows_of_cells(area))) {
        *first = grid->beacons;
        return grid->count - grid->beacons;
    }
    *first = start[area->x0];
    return start[area->x1 + 1] - start[area->x0];
}

#endif

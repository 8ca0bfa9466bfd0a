/* SPDX-License-Identifier: Apache-2.0
 *
 * A space: bodies, an index over them, and the walk that finds what began and ended to overlap since the last tick.
 *
 * HOW EVENTS COME WITHOUT A TABLE OF PAIRS. Each body is kept twice: `was`, as it stood at the last tick, and `now`.
 * A pair begins where the two overlap now and did not, and ends the other way round. Bodies are registered by the
 * union of the two, so one walk meets every such pair; a body added since has no `was`, a removed one no `now`. Pairs
 * of bodies that both rest cost nothing.
 *
 *     add, move, teleport, reshape, refilter, remove   any number, O(1) each; a move may be STAGED
 *     qd_space_tick                                    the walk; then now becomes was
 *     qd_space_end_reason                              why the ends came
 *     qd_space_settle                                  slots of removed bodies become free; required before changes
 *
 * STAGED MOVES. Of a body that moves several times between two ticks only the last place counts. So where that is to be
 * expected, because there have been as many moves as bodies since the last tick, or twice as many before it, a move
 * only notes its place, and the tick registers it: what is superseded never is. The same is done where there are very
 * many bodies, whose moves the tick then splits, too. Nobody can tell, but by what it costs.
 *
 * SLOTS. A body is named by a slot, a small number that the space gives out and uses again; callers keep their own
 * arrays by it. The slot of a removed body stays its own until qd_space_settle.
 *
 * Pure and deterministic: no threads, clock or sockets of its own; a big walk, and the staged moves before it, are
 * split into tasks for the executor that the caller hands in, and give the same set of events whoever runs them. One
 * thread at a time.
 *
 * Overlap and filters are defined in proto/quadrille.proto (OVERLAP), and here in shape.h. Lengths have one unit, which
 * is the caller's. All values given must be finite, sizes 0 or more; callers check what peers send.
 */
#ifndef QD_SPACE_SPACE_H
#define QD_SPACE_SPACE_H

#include <stdbool.h>

#include "../base/alloc.h"
#include "../base/executor.h"

#define QD_SPACE_SLOTS_MAX (1u << 22) /* a slot has 22 bits, so that rows have room for flags */

/* Levels below the root. A linear tree's array of cells ends where its memory would hurt: 4^10 or 8^7 finest cells. */
#define QD_SPACE_QUADTREE_DEPTH_MAX  10u
#define QD_SPACE_OCTREE_DEPTH_MAX    7u
#define QD_SPACE_SPARSE_DEPTH_MAX_2D 16u
#define QD_SPACE_SPARSE_DEPTH_MAX_3D 21u

typedef struct qd_space qd_space;

/* Numbers as in quadrille.proto's Shape. In three dimensions a circle is a sphere. */
typedef enum qd_space_shape { QD_SPACE_BOX = 1, QD_SPACE_CIRCLE = 2, QD_SPACE_CAPSULE = 3 } qd_space_shape;

/* Numbers as in quadrille.proto's Index. */
typedef enum qd_space_index {
    QD_SPACE_AUTO = 1,     /* begins as BRUTE, or with a depth as the tree, and changes by counted work */
    QD_SPACE_QUADTREE = 2, /* 2D only */
    QD_SPACE_OCTREE = 3,   /* 3D only */
    QD_SPACE_SPARSE = 4,
    QD_SPACE_HASH = 5,
    QD_SPACE_GRID = 6,
    QD_SPACE_BRUTE = 7,
} qd_space_index;

/* When SPARSE takes its empty cells away. Numbers as in quadrille.proto's Prune. */
typedef enum qd_space_prune {
    QD_SPACE_PRUNE_AUTO = 1,
    QD_SPACE_PRUNE_CANDIDATES = 2, /* at the end of each tick, those on a list of cells that were emptied */
    QD_SPACE_PRUNE_WALK = 3,       /* those that the walk comes by */
    QD_SPACE_PRUNE_LAZY = 4,       /* not until there are many */
} qd_space_prune;

/* In two dimensions z and half_z are 0. */
typedef struct qd_body {
    float x, y, z; /* centre */
    /* Box: half extents, 0 or more. Circle: its radius is half_x; the others are kept and ignored. Capsule: from its
     * centre to one end of its axis, of any sign. */
    float half_x, half_y, half_z;
    float radius; /* of a capsule, 0 or more; of others kept and ignored */
    uint32_t category, mask;
    uint8_t shape; /* qd_space_shape */
} qd_body;

/* Numbers as in quadrille.proto's EndReason. */
typedef enum qd_space_reason {
    QD_SPACE_ROOM_CLOSED = 1,
    QD_SPACE_EXPIRED = 2,
    QD_SPACE_DESPAWNED = 3,
    QD_SPACE_FILTERED = 4,
    QD_SPACE_RESIZED = 5,
    QD_SPACE_TELEPORTED = 6,
    QD_SPACE_MOVED_APART = 7,
} qd_space_reason;

typedef struct qd_space_config {
    uint32_t dimensions;                            /* 2 or 3; 0: 2 */
    float min_x, min_y, min_z, max_x, max_y, max_z; /* finite, min < max; z only in three dimensions */
    qd_space_index index;                           /* 0: AUTO */
    qd_space_prune prune;                           /* 0: AUTO; for SPARSE */
    uint32_t depth;      /* levels below the root of a tree, at most as above; 0: chosen and changed by content */
    float cell_size;     /* of HASH and GRID, finite and 0 or more; 0: chosen and changed by content */
    bool swept;          /* tell of pairs that touched only between two ticks */
    uint32_t bodies_max; /* at most QD_SPACE_SLOTS_MAX */
} qd_space_config;

/* The heap must outlive the space. A new space is small (under 2 KiB); it grows with what it holds. QD_ERR_INVALID
 * where the config is not as said above; QD_ERR_NO_MEMORY. */
qd_status qd_space_create(const qd_space_config *config, qd_heap *heap, qd_space **space) QD_MUST_USE;
void qd_space_destroy(qd_space *space);

/* QD_ERR_FULL above bodies_max, QD_ERR_NO_MEMORY; both change nothing. Everything after an add cannot fail. */
qd_status qd_space_add(qd_space *space, const qd_body *body, uint32_t *slot) QD_MUST_USE;
/* Centres, in columns of `count`; `z` is NULL in two dimensions. Slots must be of bodies that are there and not
 * removed. A slot may come several times: the last place counts. Who is teleported was nowhere in between: it passes
 * nobody, and its ends are TELEPORTED where it would be MOVED_APART. */
void qd_space_move(qd_space *space, size_t count, const uint32_t *slots, const float *x, const float *y,
                   const float *z);
void qd_space_teleport(qd_space *space, size_t count, const uint32_t *slots, const float *x, const float *y,
                       const float *z);
/* Shape, half extents and radius become those of `form`; nothing else of it counts. */
void qd_space_reshape(qd_space *space, uint32_t slot, const qd_body *form);
void qd_space_refilter(qd_space *space, uint32_t slot, uint32_t category, uint32_t mask);
/* `reason` is ROOM_CLOSED, EXPIRED or DESPAWNED. Returns whether the slot is free at once, because the body was added
 * since the last tick and leaves no trace; else it is free after qd_space_settle. */
bool qd_space_remove(qd_space *space, uint32_t slot, qd_space_reason reason);

/* The body as it is now. */
void qd_space_body(const qd_space *space, uint32_t slot, qd_body *body);
/* Has fetched what that will read, for who asks for many that lie anywhere in memory. */
void qd_space_fetch(const qd_space *space, uint32_t slot);
/* What moving most of the bodies will read, and what a tick will. */
typedef enum qd_space_use { QD_SPACE_USE_MOVES, QD_SPACE_USE_TICK } qd_space_use;
/* Has all of that fetched at once, if there are only some hundred bodies: where there are thousands of such spaces, it
 * is in no cache. */
void qd_space_fetch_all(const qd_space *space, qd_space_use use);

/* An event: two slots, in no particular order, and its kind in the three top bits of `a`. */
typedef struct qd_space_event {
    uint32_t a, b;
} qd_space_event;

#define QD_SPACE_EVENT_SHIFT 29u

typedef enum qd_space_kind {
    QD_SPACE_BEGIN = 1,
    QD_SPACE_END = 2,
    QD_SPACE_STAY = 3,
    QD_SPACE_PASSED = 4, /* swept spaces: touched since the last tick, but neither then nor now */
} qd_space_kind;

static inline qd_space_kind qd_space_event_kind(qd_space_event event)
{
    return (qd_space_kind)(event.a >> QD_SPACE_EVENT_SHIFT);
}
static inline uint32_t qd_space_event_a(qd_space_event event)
{
    return event.a & ((1u << QD_SPACE_EVENT_SHIFT) - 1);
}
static inline uint32_t qd_space_event_b(qd_space_event event)
{
    return event.b;
}

typedef enum qd_space_wanted {
    QD_SPACE_WANT_NOTHING = 0, /* no walk: now just becomes was */
    QD_SPACE_WANT_EVENTS = 1,  /* begins, ends and, in swept spaces, passed */
    QD_SPACE_WANT_STAYS = 3,   /* and stays */
} qd_space_wanted;

/* In no particular order, each pair at most once; valid until the next call that changes the space or walks it. */
typedef struct qd_space_events {
    const qd_space_event *events;
    size_t count;
    /* false: more than `limit` were found, or many more exact tests than that found nothing (tuning.h), and the walk
     * stopped; events are not to be used */
    bool complete;
    uint64_t found; /* with complete, count; else how many had been found */
} qd_space_events;

/* One tick: walk, then now becomes was, for all bodies and even when not complete. */
void qd_space_tick(qd_space *space, const qd_executor *executor, qd_space_wanted wanted, size_t limit,
                   qd_space_events *result);

/* Between tick and settle, of an end. */
qd_space_reason qd_space_end_reason(const qd_space *space, uint32_t slot_a, uint32_t slot_b);
/* The same of all ends at once: false where since the last tick bodies did nothing but move, so that all of them are
 * QD_SPACE_MOVED_APART and none need be asked about. */
bool qd_space_end_reasons_differ(const qd_space *space);

/* Ends the tick: removed bodies give up their slots, into `freed` (in no particular order, valid until the next
 * change), and the index may choose its depth or cells anew. */
void qd_space_settle(qd_space *space, const uint32_t **freed, size_t *freed_count);

/* The pairs as they stood at the last tick (as STAY events), whatever was changed since. Not between tick and settle.
 */
void qd_space_pairs(qd_space *space, const qd_executor *executor, size_t limit, qd_space_events *result);

/* ---- queries: what was where at the last tick ----
 *
 * They tell of the bodies as they stood when the events of the last tick were found, whatever was changed since: one
 * removed since is still there, one added since is not. Shapes are closed, and the overlap of regions is that of
 * shape.h; the rest is computed in double from the float32 rows. */

typedef enum qd_space_query_kind {
    QD_SPACE_IN_BOX = 1,
    QD_SPACE_IN_CIRCLE = 2,
    QD_SPACE_NEAREST = 3,
    QD_SPACE_RAY = 4,
} qd_space_query_kind;

typedef struct qd_space_query {
    qd_space_query_kind kind;
    float min_x, min_y, min_z, max_x, max_y, max_z; /* IN_BOX: min <= max; all z are 0 in two dimensions */
    float x, y, z;                                  /* the circle's centre, the point, the ray's origin */
    float radius;                                   /* IN_CIRCLE: 0 or more */
    float direction_x, direction_y, direction_z;    /* RAY: of any length above 0 */
    double reach;          /* NEAREST: the largest distance; RAY: its length. INFINITY: without end */
    uint32_t categories;   /* only bodies with one of these bits in their category; 0: all */
    uint32_t limit;        /* at least 1 */
    const uint32_t *names; /* by slot: what equal hits are ordered by; NULL: by the slot itself */
} qd_space_query;

/* `at`: NEAREST: the distance of the point from the shape, 0 inside; RAY: how far along it the shape begins; 0 in a
 * region. */
typedef struct qd_space_hit {
    double at;
    uint32_t slot, name;
} qd_space_hit;

/* The first `limit` by (at, name). */
typedef struct qd_space_hits {
    qd_space_hit *hit;
    uint32_t count;
    bool more; /* there were others behind the last one */
    uint32_t capacity;
    uint64_t tests; /* bodies that were looked at */
} qd_space_hits;

/* Not between tick and settle. QD_ERR_NO_MEMORY; else the hits are to be given back. */
qd_status qd_space_find(const qd_space *space, const qd_space_query *query, qd_space_hits *hits) QD_MUST_USE;
void qd_space_hits_free(const qd_space *space, qd_space_hits *hits);

typedef struct qd_space_counters {
    uint64_t moves;           /* bodies given a new place */
    uint64_t list_operations; /* rows put into or taken out of a cell's list */
    uint64_t tests;           /* rows handed to the kernel's pair test, times what they were tested against */
    uint64_t exact_tests;     /* pairs that reached the exact test */
    uint32_t depth;           /* of a tree; else 0 */
    uint32_t cells;           /* that there is memory for */
    qd_space_index index;     /* the one at work: never AUTO */
    uint32_t index_changes;   /* by AUTO */
    uint64_t cells_pruned;    /* by SPARSE */
} qd_space_counters;

void qd_space_counters_get(const qd_space *space, qd_space_counters *counters);

/* Walks the whole structure and aborts where an invariant is broken. For tests and debug builds. */
void qd_space_validate(const qd_space *space);

#endif

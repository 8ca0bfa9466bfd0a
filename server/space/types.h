/* SPDX-License-Identifier: Apache-2.0
 *
 * The values that a space takes and returns: bodies, configurations, events, queries, counters. Everything in this
 * folder knows them; what a space does with them is documented in space.h.
 */
#ifndef QD_SPACE_TYPES_H
#define QD_SPACE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QD_SPACE_SLOTS_MAX (1u << 22) /* a slot has 22 bits, so that rows have room for flags */
#define QD_SPACE_SLOT_NONE UINT32_MAX

/* Levels below the root. A linear tree's array of cells ends where its memory would hurt: 4^10 or 8^7 finest cells. */
#define QD_SPACE_QUADTREE_DEPTH_MAX  10u
#define QD_SPACE_OCTREE_DEPTH_MAX    7u
#define QD_SPACE_SPARSE_DEPTH_MAX_2D 16u
#define QD_SPACE_SPARSE_DEPTH_MAX_3D 21u

/* What a space of either number of dimensions begins with. The rest is its own. */
typedef struct qd_space {
    uint32_t dimensions;
} qd_space;

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
    QD_SPACE_PRUNE_AUTO = 1,       /* as CANDIDATES */
    QD_SPACE_PRUNE_CANDIDATES = 2, /* at the end of each tick, those on a list of cells that were emptied */
    QD_SPACE_PRUNE_TRAVERSAL = 3,  /* those that a traversal visits */
    QD_SPACE_PRUNE_LAZY = 4,       /* not until there are many */
} qd_space_prune;

/* In two dimensions z and half_z are 0. */
typedef struct qd_body {
    float x, y, z; /* center */
    /* Box: half extents, 0 or more. Circle: its radius is half_x; the others are kept and ignored. Capsule: from its
     * center to one end of its axis, of any sign. */
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

#define QD_TEST_BUDGET_DEFAULT (1u << 25)

typedef struct qd_space_config {
    uint32_t dimensions;                            /* 2 or 3; 0: 2 */
    float min_x, min_y, min_z, max_x, max_y, max_z; /* finite, min < max; z only in three dimensions */
    qd_space_index index;                           /* 0: AUTO */
    qd_space_prune prune;                           /* 0: AUTO; for SPARSE */
    uint32_t depth;  /* levels below the root of a tree, at most as above; 0: chosen and changed by content */
    float cell_size; /* of HASH and GRID, finite and 0 or more; 0: chosen and changed by content */
    bool swept;      /* report pairs that touched only between two ticks */
    /* A tick stops at the limit of its events, or at so many if these are more, and 32 per body, of exact tests that
     * found nothing. In a space that is swept, or has had a capsule, each of them counts 16. 0: the default, which
     * takes a third of a second. */
    uint32_t test_budget;
    uint32_t bodies_max; /* at most QD_SPACE_SLOTS_MAX */
    /* A number that no peer knows or can guess: where HASH and SPARSE look for a cell depends on it. So no peer can choose
     * places that make them slow. It changes no result. */
    uint64_t key;
} qd_space_config;

/* What moving most of the bodies will read, and what a tick will. */
typedef enum qd_space_use { QD_SPACE_USE_MOVES, QD_SPACE_USE_TICK } qd_space_use;
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
    QD_SPACE_WANT_NOTHING = 0, /* no traversal: now just becomes was */
    QD_SPACE_WANT_EVENTS = 1,  /* begins, ends and, in swept spaces, passed */
    QD_SPACE_WANT_STAYS = 3,   /* and stays */
} qd_space_wanted;

/* Why a traversal has stopped. */
typedef enum qd_space_stop {
    QD_SPACE_NOT_STOPPED = 0,
    QD_SPACE_STOP_EVENTS = 1, /* more than `limit` were found */
    QD_SPACE_STOP_TESTS = 2,  /* many more exact tests than that found nothing (tuning.h) */
    QD_SPACE_STOP_MEMORY = 3, /* there is no memory for it, or there was none to note what had changed */
} qd_space_stop;

/* In no particular order, each pair at most once; valid until the next call that changes the space or traverses it. */
typedef struct qd_space_events {
    const qd_space_event *events;
    size_t count;
    bool complete;         /* false: the traversal was stopped, and events are not to be used */
    qd_space_stop stopped; /* why */
    uint64_t found;        /* with complete, count; else how many had been found */
} qd_space_events;

typedef enum qd_space_query_kind {
    QD_SPACE_IN_BOX = 1,
    QD_SPACE_IN_CIRCLE = 2,
    QD_SPACE_NEAREST = 3,
    QD_SPACE_RAY = 4,
} qd_space_query_kind;

typedef struct qd_space_query {
    qd_space_query_kind kind;
    float min_x, min_y, min_z, max_x, max_y, max_z; /* IN_BOX: min <= max; all z are 0 in two dimensions */
    float x, y, z;                                  /* the circle's center, the point, the ray's origin */
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

#endif

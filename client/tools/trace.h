/* SPDX-License-Identifier: Apache-2.0
 *
 * Recorded movement, read from a CSV file, gzipped or plain:
 *
 *     # hz: 16                        ticks a second of the recording; may be missing
 *     # shape: box                    or circle; box where it is missing
 *     # bounds: 0 0 1316 846          minx miny maxx maxy; where it is missing, what the rows need
 *     tick,id,x,y,hx,hy
 *     0,19,860.5,420,27.5,21          centre and half extents; a circle's radius is hx
 *
 * sorted by tick. An id that is not listed at a tick is not there then. Other comments are skipped.
 */
#ifndef QD_TOOLS_TRACE_H
#define QD_TOOLS_TRACE_H

#include "columns.h"

#include <stddef.h>

/* What is there at one tick, by ascending id. */
typedef struct qd_trace_scene {
    uint64_t tick;
    size_t first;
    uint32_t count;
} qd_trace_scene;

typedef struct qd_trace {
    double hz; /* 0: the file does not say */
    qd_shape shape;
    qd_msg_bounds bounds;
    qd_entity *rows;
    size_t rows_count;
    qd_trace_scene *scenes; /* only ticks that have rows */
    size_t scenes_count;
} qd_trace;

#define QD_TRACE_ERROR_BYTES 256u

/* Reads a file that has at least one row; "-" is the standard input. NULL: `error` says why, with the line. */
qd_trace *qd_trace_load(const char *path, char error[QD_TRACE_ERROR_BYTES]);
void qd_trace_destroy(qd_trace *trace);

/* Walks through all ticks from the first to the last; those without rows have an empty scene. */
typedef struct qd_trace_cursor {
    const qd_trace *trace;
    uint64_t tick; /* the next one */
    size_t scene;
} qd_trace_cursor;

qd_trace_cursor qd_trace_begin(const qd_trace *trace);
/* false: past the last tick. */
bool qd_trace_next(qd_trace_cursor *cursor, qd_trace_scene *scene);
/* How many ticks there are in all. */
uint64_t qd_trace_ticks(const qd_trace *trace);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads recorded movement from a CSV file, gzipped or plain:
 *
 *     # hz: 16                        ticks per second of the recording; optional
 *     # shape: box                    or circle; the default is box
 *     # bounds: 0 0 1316 846          minx miny maxx maxy; the default contains all rows
 *     tick,id,x,y,hx,hy
 *     0,19,860.5,420,27.5,21          center and half extents; hx is a circle's radius
 *
 * Rows are sorted by tick. An entity exists only at ticks that list its id. Other comments are skipped.
 */
#ifndef QD_TOOLS_TRACE_H
#define QD_TOOLS_TRACE_H

#include "columns.h"

#include <stddef.h>

/* The entities of one tick, by ascending id. */
typedef struct qd_trace_scene {
    uint64_t tick;
    size_t first;
    uint32_t count;
} qd_trace_scene;

typedef struct qd_trace {
    double hz; /* 0: not in the file */
    qd_shape shape;
    qd_msg_bounds bounds;
    qd_entity *rows;
    size_t rows_count;
    qd_trace_scene *scenes; /* only ticks that have rows */
    size_t scenes_count;
} qd_trace;

#define QD_TRACE_ERROR_BYTES 256u

/* Reads a file with at least one row; "-" is the standard input. NULL: `error` has the reason, with the line. */
qd_trace *qd_trace_load(const char *path, char error[QD_TRACE_ERROR_BYTES]);
void qd_trace_destroy(qd_trace *trace);

/* Iterates over all ticks from the first to the last; ticks without rows have an empty scene. */
typedef struct qd_trace_cursor {
    const qd_trace *trace;
    uint64_t tick; /* the next one */
    size_t scene;
} qd_trace_cursor;

qd_trace_cursor qd_trace_begin(const qd_trace *trace);
/* false: past the last tick. */
bool qd_trace_next(qd_trace_cursor *cursor, qd_trace_scene *scene);
/* The number of ticks. */
uint64_t qd_trace_ticks(const qd_trace *trace);

#endif

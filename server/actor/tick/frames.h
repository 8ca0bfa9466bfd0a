/* SPDX-License-Identifier: Apache-2.0
 *
 * A list of encoded frames, with a reference to each: one report, before all of its frames are queued or none.
 */
#ifndef QD_ACTOR_TICK_FRAMES_H
#define QD_ACTOR_TICK_FRAMES_H

#include "../../base/memory/array.h"
#include "../../base/memory/buffer.h"

#define QD_FRAMES_FEW 4u

/* Zero to begin with, except the heap. It must not be moved. */
typedef struct qd_frames {
    qd_heap *heap;
    qd_buffer **frames;
    size_t count;
    uint32_t capacity;
    bool failed;                   /* there was no memory for a frame */
    qd_buffer *few[QD_FRAMES_FEW]; /* most reports are no longer, and need no heap memory */
} qd_frames;

/* Takes the reference over in any case. False: no memory, also if `frame` is NULL because it could not be encoded. */
bool qd_frames_push(qd_frames *list, qd_buffer *frame);
/* Releases the last frames, until `count` are left. */
void qd_frames_drop(qd_frames *list, size_t count);
void qd_frames_deinit(qd_frames *list);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * A list of encoded frames, with a reference to each: what one report becomes, before all of it is queued or none.
 */
#ifndef QD_ACTOR_FRAMES_H
#define QD_ACTOR_FRAMES_H

#include "../base/alloc.h"
#include "../base/buffer.h"

#define QD_FRAMES_FEW 4u

/* Zero but for the heap to begin with; then it stays where it is. */
typedef struct qd_frames {
    qd_heap *heap;
    qd_buffer **frames;
    size_t count, capacity;
    qd_buffer *few[QD_FRAMES_FEW]; /* most reports are no more, and need no memory of the heap's */
} qd_frames;

/* Takes the reference over, whatever comes of it. `frame` may be NULL, as what could not be encoded; false: no memory.
 */
bool qd_frames_push(qd_frames *list, qd_buffer *frame) QD_MUST_USE;
/* Lets go of the last ones, until there are `count`. */
void qd_frames_drop(qd_frames *list, size_t count);
void qd_frames_deinit(qd_frames *list);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Thread-local scratch: memory that carries nothing from one use to the next, such as a traversal's lists. There are
 * few threads and thousands of rooms. A thread's scratch stays in its core's cache; a room's own would come from
 * memory.
 *
 * A borrower returns the scratch before it returns to its caller. The result of the work must not depend on its
 * contents.
 */
#ifndef QD_BASE_MEMORY_SCRATCH_H
#define QD_BASE_MEMORY_SCRATCH_H

typedef enum qd_scratch_kind {
    QD_SCRATCH_SLOT_2D,
    QD_SCRATCH_SLOT_3D,
    QD_SCRATCH_RECORD,
    QD_SCRATCH_KINDS
} qd_scratch_kind;

/* `memory` is NULL until the first borrower allocates it. When the thread ends, it calls release(memory). */
typedef struct qd_scratch {
    void *memory;
    void (*release)(void *memory);
} qd_scratch;

/* The calling thread's scratch of that kind. NULL: the thread cannot register its release. [any] */
qd_scratch *qd_scratch_of_thread(qd_scratch_kind kind);
/* Releases the calling thread's scratch, which must not be borrowed; the end of a thread does the same. [any] */
void qd_scratch_release(void);

#endif

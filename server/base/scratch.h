/* SPDX-License-Identifier: Apache-2.0
 *
 * What a thread lends to whoever works in it just now: memory without meaning between two uses, such as a walk's lists.
 * There are a few threads and thousands of rooms; a thread's own memory is in its core's cache, and each room's would
 * have to come from where rooms are kept.
 *
 * A scratch is over when the borrower returns to its caller. What is lent must not decide what comes of the work.
 */
#ifndef QD_BASE_SCRATCH_H
#define QD_BASE_SCRATCH_H

typedef enum qd_scratch_kind { QD_SCRATCH_SLOT_2D, QD_SCRATCH_SLOT_3D, QD_SCRATCH_KINDS } qd_scratch_kind;

/* `memory` is NULL until a borrower makes it; `release` is called with it when the thread ends. */
typedef struct qd_scratch {
    void *memory;
    void (*release)(void *memory);
} qd_scratch;

/* The calling thread's. NULL: it has none to give. [any] */
qd_scratch *qd_scratch_of_thread(qd_scratch_kind kind);
/* The calling thread releases what it has lent, as it does when it ends. Not while any of it is lent. [any] */
void qd_scratch_release(void);

#endif

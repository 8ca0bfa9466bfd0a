/* SPDX-License-Identifier: Apache-2.0
 *
 * A mailbox: many threads put messages in, and one takes them all out. The order of each sender is kept.
 *
 * Intrusive and lock-free: a message is a link in the sender's own struct. Putting is one compare-and-swap on the head
 * of a stack (release); taking is one exchange (acquire) and a reversal. A mailbox never refuses; its senders keep the
 * bound.
 */
#ifndef QD_BASE_MAILBOX_H
#define QD_BASE_MAILBOX_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct qd_message {
    struct qd_message *next;
} qd_message;

typedef struct qd_mailbox {
    _Atomic(qd_message *) head;
} qd_mailbox;

void qd_mailbox_init(qd_mailbox *mailbox);

/* [any] Returns whether the mailbox was empty, so that the first of a burst wakes the reader. */
bool qd_mailbox_put(qd_mailbox *mailbox, qd_message *message);

/* [any] Whether no message is in it at this moment. */
static inline bool qd_mailbox_is_empty(qd_mailbox *mailbox)
{
    return atomic_load_explicit(&mailbox->head, memory_order_relaxed) == NULL;
}

/* [the one reader] Takes all messages, oldest first, linked by `next`. NULL: there are none. */
qd_message *qd_mailbox_take(qd_mailbox *mailbox);

#endif

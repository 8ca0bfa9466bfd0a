/* SPDX-License-Identifier: Apache-2.0 */
#include "mailbox.h"

void qd_mailbox_init(qd_mailbox *mailbox)
{
    atomic_init(&mailbox->head, NULL);
}

bool qd_mailbox_put(qd_mailbox *mailbox, qd_message *message)
{
    qd_message *head = atomic_load_explicit(&mailbox->head, memory_order_relaxed);

    /* Release: the reader sees what the sender wrote into the message. ABA cannot occur, because no thread removes a
     * single message from the stack. */
    do {
        message->next = head;
    } while (!atomic_compare_exchange_weak_explicit(&mailbox->head, &head, message, memory_order_release,
                                                    memory_order_relaxed));
    return head == NULL;
}

qd_message *qd_mailbox_take(qd_mailbox *mailbox)
{
    /* Acquire, against the release of every put: a put's compare-and-swap continues the release sequence of the puts
     * below it, so that reading the newest head is enough for all of them. */
    qd_message *newest = atomic_exchange_explicit(&mailbox->head, NULL, memory_order_acquire);
    qd_message *oldest = NULL;

    while (newest) {
        qd_message *next = newest->next;

        newest->next = oldest;
        oldest = newest;
        newest = next;
    }
    return oldest;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * The mailbox: each sender's order, no message lost or doubled, and the first of each burst is reported.
 */
#include <pthread.h>
#include <sched.h>

#include "server/base/mailbox.h"
#include "tests/support/test.h"

#define SENDERS  4u
#define MESSAGES 20000u

typedef struct numbered {
    qd_message message; /* first, so that a message casts to its struct */
    uint32_t sender, number;
} numbered;

TEST(messages_are_taken_in_order)
{
    numbered three[3] = {{.number = 0}, {.number = 1}, {.number = 2}};
    qd_mailbox mailbox;

    qd_mailbox_init(&mailbox);
    assert_null(qd_mailbox_take(&mailbox));
    assert_true(qd_mailbox_put(&mailbox, &three[0].message));
    assert_false(qd_mailbox_put(&mailbox, &three[1].message));
    assert_false(qd_mailbox_put(&mailbox, &three[2].message));
    qd_message *message = qd_mailbox_take(&mailbox);
    for (uint32_t number = 0; number < 3; number++, message = message->next) {
        assert_ptr_equal(message, &three[number].message);
    }
    assert_null(message);
    assert_null(qd_mailbox_take(&mailbox));
    assert_true(qd_mailbox_put(&mailbox, &three[0].message));
}

static qd_mailbox shared_mailbox;
static _Atomic uint32_t firsts;
static numbered messages[SENDERS][MESSAGES];

static void *send_all(void *argument)
{
    uint32_t sender = (uint32_t)(uintptr_t)argument;

    for (uint32_t number = 0; number < MESSAGES; number++) {
        numbered *out = &messages[sender][number];

        out->sender = sender;
        out->number = number;
        if (qd_mailbox_put(&shared_mailbox, &out->message)) {
            atomic_fetch_add(&firsts, 1);
        }
    }
    return NULL;
}

TEST(messages_from_threads_arrive_once_and_in_order)
{
    pthread_t threads[SENDERS];
    uint32_t next[SENDERS] = {0};
    uint32_t taken = 0, bursts = 0;

    qd_mailbox_init(&shared_mailbox);
    for (uintptr_t sender = 0; sender < SENDERS; sender++) {
        assert_int_equal(pthread_create(&threads[sender], NULL, send_all, (void *)sender), 0);
    }
    while (taken < SENDERS * MESSAGES) {
        qd_message *message = qd_mailbox_take(&shared_mailbox);

        if (!message) {
            sched_yield();
            continue;
        }
        bursts++;
        for (; message; message = message->next, taken++) {
            numbered *in = (numbered *)message;

            assert_true(in->sender < SENDERS);
            assert_int_equal(in->number, next[in->sender]);
            next[in->sender]++;
        }
    }
    for (uint32_t sender = 0; sender < SENDERS; sender++) {
        pthread_join(threads[sender], NULL);
    }
    assert_null(qd_mailbox_take(&shared_mailbox));
    /* Each burst has exactly one first message, so a reader that a first message wakes misses nothing. */
    assert_int_equal(atomic_load(&firsts), bursts);
}

TEST_MAIN()

/* SPDX-License-Identifier: Apache-2.0
 *
 * The mailbox: order of each sender, nothing lost or doubled, and the first of a burst told so.
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/base/mailbox.h"

#define SENDERS 4u
#define LETTERS 20000u

typedef struct parcel {
    qd_message message; /* first, so that a message is its parcel */
    uint32_t sender, number;
} parcel;

static void keeps_order(void **state)
{
    (void)state;
    parcel parcels[3] = {{.number = 0}, {.number = 1}, {.number = 2}};
    qd_mailbox mailbox;

    qd_mailbox_init(&mailbox);
    assert_null(qd_mailbox_take(&mailbox));
    assert_true(qd_mailbox_put(&mailbox, &parcels[0].message));
    assert_false(qd_mailbox_put(&mailbox, &parcels[1].message));
    assert_false(qd_mailbox_put(&mailbox, &parcels[2].message));
    qd_message *message = qd_mailbox_take(&mailbox);
    for (uint32_t number = 0; number < 3; number++, message = message->next) {
        assert_ptr_equal(message, &parcels[number].message);
    }
    assert_null(message);
    assert_null(qd_mailbox_take(&mailbox));
    assert_true(qd_mailbox_put(&mailbox, &parcels[0].message));
}

static qd_mailbox shared_mailbox;
static _Atomic uint32_t firsts;
static parcel messages[SENDERS][LETTERS];

static void *send_all(void *argument)
{
    uint32_t sender = (uint32_t)(uintptr_t)argument;

    for (uint32_t number = 0; number < LETTERS; number++) {
        parcel *out = &messages[sender][number];

        out->sender = sender;
        out->number = number;
        if (qd_mailbox_put(&shared_mailbox, &out->message)) {
            atomic_fetch_add(&firsts, 1);
        }
    }
    return NULL;
}

static void loses_nothing_between_threads(void **state)
{
    (void)state;
    pthread_t threads[SENDERS];
    uint32_t next[SENDERS] = {0};
    uint32_t taken = 0, bursts = 0;

    qd_mailbox_init(&shared_mailbox);
    for (uintptr_t sender = 0; sender < SENDERS; sender++) {
        assert_int_equal(pthread_create(&threads[sender], NULL, send_all, (void *)sender), 0);
    }
    while (taken < SENDERS * LETTERS) {
        qd_message *message = qd_mailbox_take(&shared_mailbox);

        if (!message) {
            sched_yield();
            continue;
        }
        bursts++;
        for (; message; message = message->next, taken++) {
            parcel *in = (parcel *)message;

            assert_true(in->sender < SENDERS);
            assert_int_equal(in->number, next[in->sender]);
            next[in->sender]++;
        }
    }
    for (uint32_t sender = 0; sender < SENDERS; sender++) {
        pthread_join(threads[sender], NULL);
    }
    assert_null(qd_mailbox_take(&shared_mailbox));
    /* Every burst has exactly one first message: a reader that sleeps until it is told of one misses nothing. */
    assert_int_equal(atomic_load(&firsts), bursts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_order),
        cmocka_unit_test(loses_nothing_between_threads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

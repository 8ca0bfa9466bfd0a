/* SPDX-License-Identifier: Apache-2.0
 *
 * The footprint: whatever sizes a process allocates up to its limit, what it has resident stays near the limit.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base_heap.h"
#include "tests/support/rng.h"

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define OTHER_ALLOCATOR true
#else
#define OTHER_ALLOCATOR false
#endif

#define LIMIT      (64u << 20)
#define RESIDENT   (LIMIT + LIMIT / 100 * 15)
#define PIECES_MAX 400000u

typedef struct piece {
    void *memory;
    size_t size;
} piece;

static piece pieces[PIECES_MAX];
static uint32_t piece_count;
static size_t resident_most;

static size_t resident(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    size_t pages = 0;

    assert_non_null(file);
    assert_int_equal(fscanf(file, "%*u %zu", &pages), 1);
    fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* Allocates pieces of up to size_max, and touches them, until the limit refuses one. */
static void fill(rng_stream *random, size_t size_max)
{
    while (piece_count < PIECES_MAX) {
        size_t size = 1 + rng_below(random, (uint32_t)size_max);
        void *memory = qd_heap_alloc(&heap, size);

        if (!memory) {
            break;
        }
        memset(memory, 1, size);
        pieces[piece_count++] = (piece){memory, size};
    }
    size_t now = resident();
    resident_most = now > resident_most ? now : resident_most;
}

/* Keeps one of `each`, so that most pages keep a few bytes in use. */
static void thin(uint32_t each)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < piece_count; i++) {
        if (i % each == 0) {
            pieces[kept++] = pieces[i];
        } else {
            qd_heap_free(&heap, pieces[i].memory, pieces[i].size);
        }
    }
    piece_count = kept;
}

HEAP_TEST(sizes_that_fragment_stay_within_the_limit)
{
    static const size_t sizes[] = {64, 6000, 300, 100000, 1000, 2000000, 24, 14336, 128};
    rng_stream random = {1};

    if (OTHER_ALLOCATOR) {
        skip();
    }
    qd_memory_limit_set(LIMIT);
    qd_memory_limit_footprint(true);
    for (uint32_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        fill(&random, sizes[i]);
        assert_true(piece_count > 3);
        thin(i % 2 == 0 ? 50 : 7);
    }
    thin(1u << 30);
    qd_heap_free(&heap, pieces[0].memory, pieces[0].size);
    piece_count = 0;
    qd_memory_limit_footprint(false);
    print_message("most resident: %.3f of the limit\n", (double)resident_most / LIMIT);
    assert_true(resident_most > LIMIT / 2);
    assert_true(resident_most < RESIDENT);
}

HEAP_TEST(charge_counts_and_is_refused_at_the_limit)
{
    qd_memory_limit_set(1u << 20);
    assert_true(qd_memory_charge(1u << 19));
    assert_int_equal(qd_memory_used(), 1u << 19);
    assert_null(qd_heap_alloc(&heap, 600000));
    assert_false(qd_memory_charge((1u << 19) + 1));
    qd_memory_discharge(1u << 19);
    assert_int_equal(qd_memory_used(), 0);
}

enum { MESSAGES = 2000, MESSAGE_BYTES = 1024, HELD_BYTES = 128 << 10 };

static void *messages[MESSAGES];
static uint32_t message_count;

static void *free_messages(void *unused)
{
    while (message_count > 0) {
        qd_shared_free(messages[--message_count], MESSAGE_BYTES);
    }
    return unused;
}

/* By a thread that keeps what it holds then. Returns how much less memory is used. */
static size_t freed_by_a_thread(void)
{
    const size_t before = qd_memory_used();
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, free_messages, NULL), 0);
    pthread_join(thread, NULL);
    return before - qd_memory_used();
}

TEST(threads_hold_nothing_back_while_memory_is_short)
{
    (void)state;
    /* What is kept, and what the process needs at first, varies. */
    for (size_t more = 1u << 20; message_count < 4 * HELD_BYTES / MESSAGE_BYTES; more += 1u << 18) {
        qd_memory_limit_set(0);
        qd_memory_limit_footprint(true);
        qd_memory_limit_set(qd_memory_used() + more);
        while (message_count < MESSAGES && (messages[message_count] = qd_shared_alloc(MESSAGE_BYTES)) != NULL) {
            message_count++;
        }
        assert_true(message_count < MESSAGES);
    }
    const uint32_t count = message_count;
    assert_int_equal(freed_by_a_thread(), count * MESSAGE_BYTES);
    qd_memory_limit_footprint(false);
    qd_memory_limit_set(0);
}

/* The last test, because threads keep what they hold. */
TEST(messages_between_threads_count_up_to_what_threads_hold)
{
    (void)state;
    qd_memory_limit_set(LIMIT);
    for (uint32_t round = 0; round < 20; round++) {
        qd_memory_limit_footprint(true);
        for (uint32_t i = 0; i < MESSAGES; i++) {
            messages[i] = qd_shared_alloc(MESSAGE_BYTES);
            assert_non_null(messages[i]);
        }
        message_count = MESSAGES;
        qd_memory_limit_footprint(false);
        const size_t used = qd_memory_used(), held = (round + 1) * (size_t)HELD_BYTES;
        assert_in_range(used, MESSAGES * MESSAGE_BYTES, MESSAGES * MESSAGE_BYTES + held);
        qd_memory_limit_footprint(true);
        (void)freed_by_a_thread();
        qd_memory_limit_footprint(false);
        assert_in_range(qd_memory_used(), 0, held + HELD_BYTES);
    }
    qd_memory_limit_set(0);
}

TEST_MAIN()

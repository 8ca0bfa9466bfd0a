/* SPDX-License-Identifier: Apache-2.0
 *
 * The intake alone: what it holds while its link may not deliver, also when the memory limit is reached.
 */
#include <string.h>

#include "server/net/buffers/intake.h"
#include "tests/support/test.h"

#define FRAME_SIZE   100u
#define HELD_BYTES   (80 * (FRAME_SIZE + 1)) /* at most what may use the reserve */
#define MEMORY_LIMIT ((size_t)1 << 20)

static struct {
    qd_heap heap;
    qd_intake intake;
    bool may_deliver;
    uint32_t frames, delivered, faults;
    qd_link_fault fault;
} t;

static bool may_deliver(const qd_link *link)
{
    (void)link;
    return t.may_deliver;
}

static void on_frame(void *context, qd_link *link, const uint8_t *frame, size_t size)
{
    (void)context, (void)link;
    assert_int_equal(size, FRAME_SIZE);
    assert_int_equal(frame[0], (uint8_t)t.frames);
    t.frames++;
    t.may_deliver = t.frames > 1;
}

static void on_delivered(void *context, qd_link *link)
{
    (void)context, (void)link;
    t.delivered = t.delivered * 10000 + t.frames;
}

static void on_fault(void *context, qd_link *link, qd_link_fault what, uint64_t value)
{
    (void)context, (void)link, (void)value;
    t.faults++;
    t.fault = what;
}

static const qd_link_handler handler = {.frame = on_frame, .delivered = on_delivered, .fault = on_fault};

static int open_intake(void **state)
{
    (void)state;
    memset(&t, 0, sizeof t);
    t.may_deliver = true;
    qd_heap_init(&t.heap);
    qd_intake_init(&t.intake, NULL, &handler, may_deliver, &t.heap, 1u << 20);
    return 0;
}

static int close_intake(void **state)
{
    (void)state;
    qd_intake_deinit(&t.intake);
    qd_heap_deinit(&t.heap);
    qd_memory_limit_set(0);
    return qd_memory_used() == 0 ? 0 : -1;
}

#define INTAKE_TEST(name) TEST_WITH(name, open_intake, close_intake)

/* A read of `count` frames; the first byte of each is its number. */
static size_t read_frames(uint8_t *bytes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *frame = bytes + i * (FRAME_SIZE + 1);

        memset(frame, 0, FRAME_SIZE + 1);
        frame[0] = FRAME_SIZE;
        frame[1] = (uint8_t)i;
    }
    return count * (FRAME_SIZE + 1);
}

/* The first frame pauses the link, and the rest of the read is held. */
static void feed_and_hold(uint32_t count)
{
    static uint8_t bytes[1000 * (FRAME_SIZE + 1)];
    size_t size = read_frames(bytes, count);
    size_t left = qd_intake_feed(&t.intake, bytes, size);

    assert_int_equal(t.frames, 1);
    assert_int_equal(left, size - (FRAME_SIZE + 1));
    qd_intake_hold(&t.intake, bytes + size - left, left);
    memset(bytes, 0xff, sizeof bytes);
}

/* All that heaps may take. */
static void *fill_memory(qd_heap *heap, size_t *size)
{
    void *memory = NULL;

    qd_memory_limit_set(MEMORY_LIMIT);
    for (*size = MEMORY_LIMIT; !memory && *size > 4096;) {
        *size -= 4096;
        memory = qd_heap_alloc(heap, *size);
    }
    assert_non_null(memory);
    assert_null(qd_heap_alloc(&t.heap, 8192));
    return memory;
}

INTAKE_TEST(rest_of_a_read_waits_until_the_link_continues)
{
    feed_and_hold(1000);
    assert_true(qd_intake_is_partial(&t.intake));
    assert_false(qd_intake_is_open(&t.intake));

    t.may_deliver = true;
    qd_intake_continue(&t.intake);
    assert_int_equal(t.frames, 1000);
    assert_true(qd_intake_is_open(&t.intake));
    assert_int_equal(t.heap.bytes, 0);
}

INTAKE_TEST(delivered_follows_the_frames_of_a_read)
{
    uint8_t bytes[3 * (FRAME_SIZE + 1)];

    (void)read_frames(bytes, 3);
    feed_and_hold(3);
    assert_int_equal(t.delivered, 1);
    qd_intake_continue(&t.intake); /* the link may deliver none */
    assert_int_equal(t.delivered, 1);
    t.may_deliver = true;
    qd_intake_continue(&t.intake);
    assert_int_equal(t.delivered, 10003);
    assert_int_equal(qd_intake_feed(&t.intake, bytes, FRAME_SIZE), 0); /* no whole frame */
    assert_int_equal(t.delivered, 10003);
    t.frames = 0;
    assert_int_equal(qd_intake_feed(&t.intake, bytes + FRAME_SIZE, 1), 0);
    assert_int_equal(t.delivered, 100030001);
}

INTAKE_TEST(short_rest_of_a_read_fits_when_memory_is_at_its_limit)
{
    qd_heap other;
    size_t size;

    qd_heap_init(&other);
    void *memory = fill_memory(&other, &size);
    feed_and_hold(1 + HELD_BYTES / (FRAME_SIZE + 1));
    assert_int_equal(t.faults, 0);

    t.may_deliver = true;
    qd_intake_continue(&t.intake);
    assert_int_equal(t.frames, 1 + HELD_BYTES / (FRAME_SIZE + 1));
    qd_heap_free(&other, memory, size);
    qd_heap_deinit(&other);
}

INTAKE_TEST(long_rest_of_a_read_faults_when_memory_is_at_its_limit)
{
    qd_heap other;
    size_t size;

    qd_heap_init(&other);
    void *memory = fill_memory(&other, &size);
    feed_and_hold(1000);
    assert_int_equal(t.faults, 1);
    assert_int_equal(t.fault, QD_LINK_NO_MEMORY);
    assert_false(qd_intake_is_partial(&t.intake));
    qd_heap_free(&other, memory, size);
    qd_heap_deinit(&other);
}

TEST_MAIN()

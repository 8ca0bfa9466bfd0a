/* SPDX-License-Identifier: Apache-2.0
 *
 * The outbox alone: order, the limits of base/link.h, and random writes checked against a naive queue.
 */
#include <stdlib.h>
#include <string.h>

#include "server/base/memory/alloc.h"
#include "server/net/buffers/outbox.h"
#include "support/rng.h"
#include "tests/support/test.h"

#define KIB    1024u
#define MARGIN QD_LINK_REPLY_MARGIN_BYTES

static qd_outbox outbox;

static int open_outbox(void **state)
{
    (void)state;
    qd_outbox_init(&outbox, 64 * KIB);
    return 0;
}

static int close_outbox(void **state)
{
    (void)state;
    qd_outbox_deinit(&outbox);
    return qd_memory_used() == 0 ? 0 : -1;
}

#define OUTBOX_TEST(name) TEST_WITH(name, open_outbox, close_outbox)

static qd_buffer *buffer_of(size_t size)
{
    qd_buffer *buffer = qd_buffer_create(size);

    assert_non_null(buffer);
    memset(buffer->bytes, 'x', size);
    return buffer;
}

static qd_outbox_pushed push(size_t size, qd_link_class class)
{
    qd_buffer *buffer = buffer_of(size);
    qd_outbox_pushed pushed = qd_outbox_push(&outbox, &buffer, 1, class);

    qd_buffer_release(buffer);
    return pushed;
}

/* Consumes that many bytes, in several gathers if needed. Returns whether one of them reported space. */
static bool consume(size_t bytes)
{
    bool has_space = false;

    while (bytes > 0) {
        uv_buf_t vectors[QD_OUTBOX_VECTORS_MAX];
        uint32_t count = qd_outbox_gather(&outbox, SIZE_MAX, vectors);
        qd_outbox_freed freed;
        size_t part = 0;

        assert_true(count > 0);
        for (uint32_t i = 0; i < count; i++) {
            part += vectors[i].len;
        }
        if (part > bytes) {
            part = bytes;
        }
        has_space |= qd_outbox_consume(&outbox, part, &freed);
        for (uint32_t i = 0; i < freed.count; i++) {
            qd_buffer_release(freed.buffers[i]);
        }
        bytes -= part;
    }
    return has_space;
}

OUTBOX_TEST(events_over_the_limit_are_refused_unless_the_outbox_is_empty)
{
    assert_int_equal(push(1000 * KIB, QD_LINK_EVENTS), QD_OUTBOX_PUSHED);
    assert_int_equal(push(1, QD_LINK_EVENTS), QD_OUTBOX_FULL);
    assert_int_equal(qd_outbox_bytes(&outbox), 1000 * KIB);
    assert_false(consume(999 * KIB - 31 * KIB));
    assert_true(consume(2 * KIB));  /* 30 KiB of 64 are left */
    assert_false(consume(1 * KIB)); /* reported once */
    assert_int_equal(push(30 * KIB, QD_LINK_EVENTS), QD_OUTBOX_PUSHED);
    /* The limit is exact: two buffers are queued, this is the third. */
    size_t left = 64 * KIB - qd_outbox_bytes(&outbox) - 3 * QD_LINK_BUFFER_BYTES;
    assert_int_equal(push(left + 1, QD_LINK_EVENTS), QD_OUTBOX_FULL);
    assert_int_equal(push(left, QD_LINK_EVENTS), QD_OUTBOX_PUSHED);
}

OUTBOX_TEST(a_gather_ends_at_its_limit)
{
    uv_buf_t vectors[QD_OUTBOX_VECTORS_MAX];

    push(10 * KIB, QD_LINK_EVENTS);
    push(10 * KIB, QD_LINK_EVENTS);
    assert_int_equal(qd_outbox_gather(&outbox, 1, vectors), 1);
    assert_int_equal(vectors[0].len, 1);
    assert_int_equal(qd_outbox_gather(&outbox, 10 * KIB, vectors), 1);
    assert_int_equal(qd_outbox_gather(&outbox, 15 * KIB, vectors), 2);
    assert_int_equal(vectors[1].len, 5 * KIB);
    consume(12 * KIB);
    assert_int_equal(qd_outbox_gather(&outbox, 15 * KIB, vectors), 1);
    assert_int_equal(vectors[0].len, 8 * KIB);
}

OUTBOX_TEST(small_buffers_count_their_overhead)
{
    uint32_t pushed = 0;

    while (push(1, QD_LINK_EVENTS) == QD_OUTBOX_PUSHED) {
        pushed++;
    }
    assert_int_equal(pushed, 64 * KIB / (1 + QD_LINK_BUFFER_BYTES));
}

OUTBOX_TEST(a_push_over_the_limit_queues_no_buffer)
{
    qd_buffer *buffers[3] = {buffer_of(20 * KIB), buffer_of(20 * KIB), buffer_of(20 * KIB)};

    assert_int_equal(push(10 * KIB, QD_LINK_EVENTS), QD_OUTBOX_PUSHED);
    assert_int_equal(qd_outbox_push(&outbox, buffers, 3, QD_LINK_EVENTS), QD_OUTBOX_FULL);
    assert_int_equal(qd_outbox_bytes(&outbox), 10 * KIB);
    assert_int_equal(buffers[0]->references, 1);
    consume(10 * KIB);
    assert_int_equal(qd_outbox_push(&outbox, buffers, 3, QD_LINK_EVENTS), QD_OUTBOX_PUSHED);
    assert_int_equal(qd_outbox_bytes(&outbox), 60 * KIB);
    for (size_t i = 0; i < 3; i++) {
        qd_buffer_release(buffers[i]);
    }
}

OUTBOX_TEST(replies_over_the_limit_stall_and_then_overrun)
{
    /* Events alone do not stall the link; neither do events and a few replies. */
    assert_int_equal(push(1000 * KIB, QD_LINK_EVENTS), QD_OUTBOX_PUSHED);
    assert_int_equal(push(MARGIN - QD_LINK_BUFFER_BYTES, QD_LINK_REPLY), QD_OUTBOX_PUSHED);
    assert_false(qd_outbox_stalled(&outbox));
    assert_int_equal(push(1, QD_LINK_REPLY), QD_OUTBOX_PUSHED);
    assert_true(qd_outbox_stalled(&outbox));
    /* Replies to frames that were delivered before may add this much ... */
    assert_int_equal(push(64 * KIB, QD_LINK_REPLY), QD_OUTBOX_PUSHED);
    /* ... and no more. */
    assert_int_equal(push(1, QD_LINK_REPLY), QD_OUTBOX_OVERRUN);
    /* The stall ends when the replies are below the margin again. */
    consume(1000 * KIB);
    assert_true(qd_outbox_stalled(&outbox));
    consume(65 * KIB);
    assert_false(qd_outbox_stalled(&outbox));
    consume(qd_outbox_bytes(&outbox));
    assert_int_equal(outbox.replies_counted, 0);
    assert_int_equal(push(1, QD_LINK_REPLY), QD_OUTBOX_PUSHED);
}

OUTBOX_TEST(a_push_without_memory_changes_nothing)
{
    qd_buffer *buffer = buffer_of(10);

    assert_int_equal(qd_outbox_push(&outbox, &buffer, 1, QD_LINK_REPLY), QD_OUTBOX_PUSHED);
    qd_memory_limit_set(1);
    qd_outbox_pushed pushed = QD_OUTBOX_PUSHED;
    uint32_t count = 1;
    for (; pushed == QD_OUTBOX_PUSHED && count < 1000; count++) {
        pushed = qd_outbox_push(&outbox, &buffer, 1, QD_LINK_REPLY);
    }
    qd_memory_limit_set(0);
    assert_int_equal(pushed, QD_OUTBOX_NO_MEMORY);
    assert_int_equal(count - 1, QD_OUTBOX_ENTRIES_MIN);
    assert_int_equal(qd_outbox_bytes(&outbox), (count - 1) * 10);
    assert_int_equal(buffer->references, count);
    qd_buffer_release(buffer);
}

/* ---- against a naive queue ---- */

/* The pushed bytes count up. The gathered bytes must continue the count. */
static void check_stream(rng_stream random)
{
    qd_outbox_init(&outbox, 1u << 20);
    uint8_t next_in = 0, next_out = 0;
    size_t queued = 0;

    for (uint32_t step = 0; step < 2000; step++) {
        if (rng_below(&random, 2) == 0) {
            qd_buffer *buffers[5];
            uint32_t count = 1 + rng_below(&random, 5);

            for (uint32_t i = 0; i < count; i++) {
                buffers[i] = buffer_of(1 + rng_below(&random, 300));
                for (size_t j = 0; j < buffers[i]->size; j++) {
                    buffers[i]->bytes[j] = next_in++;
                }
                queued += buffers[i]->size;
            }
            assert_int_equal(
                qd_outbox_push(&outbox, buffers, count, rng_below(&random, 2) ? QD_LINK_EVENTS : QD_LINK_REPLY),
                QD_OUTBOX_PUSHED);
            for (uint32_t i = 0; i < count; i++) {
                qd_buffer_release(buffers[i]);
            }
        } else if (queued > 0) {
            uv_buf_t vectors[QD_OUTBOX_VECTORS_MAX];
            uint32_t count = qd_outbox_gather(&outbox, SIZE_MAX, vectors);
            size_t gathered = 0;

            for (uint32_t i = 0; i < count; i++) {
                gathered += vectors[i].len;
            }
            size_t written = rng_below(&random, (uint32_t)gathered + 1), checked = 0;
            for (uint32_t i = 0; i < count; i++) {
                for (size_t j = 0; j < vectors[i].len && checked < written; j++, checked++) {
                    assert_int_equal((uint8_t)vectors[i].base[j], next_out++);
                }
            }
            consume(written);
            queued -= written;
        }
        assert_int_equal(qd_outbox_bytes(&outbox), queued);
    }
}

OUTBOX_TEST(random_writes_keep_the_byte_stream)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        qd_outbox_deinit(&outbox);
        check_stream((rng_stream){seed});
    }
}

OUTBOX_TEST(a_long_ring_is_freed_when_it_is_empty)
{
    qd_outbox_deinit(&outbox);
    qd_outbox_init(&outbox, 16u << 20);
    for (uint32_t i = 0; i < 10000; i++) {
        assert_int_equal(push(2, QD_LINK_EVENTS), QD_OUTBOX_PUSHED);
    }
    consume(20000);
    assert_int_equal(qd_memory_used(), 0);
}

TEST_MAIN()

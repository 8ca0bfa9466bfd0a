/* SPDX-License-Identifier: Apache-2.0
 *
 * Outgoing buffers: from any thread, to slow readers, to peers that never read, and when a link closes.
 */
#include <sched.h>

#include "support/net_fixture.h"
#include "tests/support/test.h"

#define KIB 1024u

static void wait_until_sent(const qd_link *link)
{
    while (qd_link_queued(link) > 0) {
        sched_yield();
    }
}

/* Returns the peer's link once the fixture has it and its outbox is empty. */
static qd_link *connected(int peer)
{
    uint32_t index = count_of(&fixture.frames);

    peer_expect_echo(peer, 1, 1);
    wait_for(&fixture.frames, index + 1);
    qd_link *link = fixture.links[fixture.opened - 1];
    wait_until_sent(link); /* the peer may have the bytes before the outbox has consumed them */
    return link;
}

/* ---- from other threads ---- */

enum { SENDERS = 4, SENDS = 2000 };

typedef struct sender {
    qd_link *link;
    uint32_t number;
    uint32_t refused;
    pthread_t thread;
} sender;

typedef struct mark {
    uint32_t sender, number;
} mark;

static void *send_marks(void *argument)
{
    sender *self = argument;

    for (uint32_t i = 0; i < SENDS; i++) {
        mark next = {.sender = self->number, .number = i};

        if (send_and_release(self->link, frame_with(&next, sizeof next), QD_LINK_REPLY) != QD_LINK_SENT) {
            self->refused++;
        }
    }
    return NULL;
}

NET_TEST(sends_from_threads_arrive_in_each_threads_order)
{
    fixture.config.outbox_bytes_max = 1024 * KIB;
    fixture_start();
    int peer = peer_connect();
    qd_link *link = connected(peer);
    sender senders[SENDERS] = {0};
    uint32_t expected[SENDERS] = {0};

    for (uint32_t i = 0; i < SENDERS; i++) {
        senders[i] = (sender){.link = link, .number = i};
        assert_int_equal(pthread_create(&senders[i].thread, NULL, send_marks, &senders[i]), 0);
    }
    for (uint32_t i = 0; i < SENDERS * SENDS; i++) {
        mark next;

        assert_int_equal(peer_receive_frame(peer, &next, sizeof next), sizeof next);
        assert_true(next.sender < SENDERS);
        assert_int_equal(next.number, expected[next.sender]++);
    }
    for (uint32_t i = 0; i < SENDERS; i++) {
        pthread_join(senders[i].thread, NULL);
        assert_int_equal(senders[i].refused, 0);
    }
}

static void *send_until_closed(void *argument)
{
    sender *self = argument;
    qd_buffer *buffer = frame_of(1, 100);

    while (qd_link_send(self->link, &buffer, 1, QD_LINK_EVENTS) != QD_LINK_CLOSED) {
        self->number++;
    }
    qd_buffer_release(buffer);
    return NULL;
}

/* The threads send without end while their links are closed from both sides and the net stops. */
NET_TEST(links_close_safely_while_threads_send)
{
    fixture.config.loops = 2;
    fixture_start();
    sender senders[SENDERS] = {0};
    int peers[SENDERS];

    for (uint32_t i = 0; i < SENDERS; i++) {
        peers[i] = peer_connect();
        wait_for(&fixture.opened, i + 1);
        senders[i].link = fixture.links[i];
        assert_int_equal(pthread_create(&senders[i].thread, NULL, send_until_closed, &senders[i]), 0);
    }
    peer_expect_frame(peers[0], 1, 100);
    peer_reset(peers[0]);
    peer_expect_frame(peers[1], 1, 100);
    qd_link_close(senders[1].link, 100);
    peer_expect_frame(peers[2], 1, 100);
    assert_int_equal(shutdown(peers[2], SHUT_WR), 0);
    wait_for(&fixture.closed, 2); /* the third still flushes, because its peer does not read */
    fixture_stop_net(0);
    for (uint32_t i = 0; i < SENDERS; i++) {
        pthread_join(senders[i].thread, NULL);
    }
}

/* ---- slow readers ---- */

/* Soon: the loop may still hold frames that it has written. */
static void expect_used_below(size_t bytes)
{
    const time_t end = time(NULL) + WAIT_S;

    while (qd_memory_used() >= bytes) {
        assert_true(time(NULL) <= end);
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
}

NET_TEST(events_for_a_slow_reader_are_bounded)
{
    fixture_start();
    int peer = peer_connect_narrow();
    qd_link *link = connected(peer);
    const size_t before = qd_memory_used();
    uint32_t sent = 0;

    /* Far more than the outbox and the system hold. The link accepts a bounded number of bytes, in memory too. */
    for (uint32_t i = 0; i < 3000; i++) {
        sent += send_and_release(link, frame_of((uint8_t)sent, 8 * KIB), QD_LINK_EVENTS) == QD_LINK_SENT;
        assert_true(qd_link_queued(link) <= 64 * KIB);
    }
    assert_true(sent >= 7 && sent < 3000);
    expect_used_below(before + 64 * KIB + 64 * KIB);

    for (uint32_t i = 0; i < sent; i++) {
        peer_expect_frame(peer, (uint8_t)i, 8 * KIB);
    }
    wait_for(&fixture.drained, 1);
    /* An answer from the loop shows that it has reported everything. One large send is taken now, as the outbox is
     * empty. */
    connected(peer);
    uint32_t drained = count_of(&fixture.drained);
    assert_int_equal(send_and_release(link, frame_of(9, 1000 * KIB), QD_LINK_EVENTS), QD_LINK_SENT);
    peer_expect_frame(peer, 9, 1000 * KIB);
    assert_int_equal(count_of(&fixture.drained), drained);
}

static size_t queued_max;

static void long_answer(qd_link *link, const uint8_t *bytes, size_t size)
{
    (void)size;
    send_and_release(link, frame_of(bytes[0], 16 * KIB), QD_LINK_REPLY);
    if (qd_link_queued(link) > queued_max) {
        queued_max = qd_link_queued(link);
    }
}

/* The peer asks for more than all buffers can hold before it begins to read. It gets every answer, and the outbox stays
 * bounded. */
NET_TEST(replies_for_a_slow_reader_all_arrive)
{
    enum { QUESTIONS = 2000 };
    fixture.on_frame = long_answer;
    fixture_start();
    int peer = peer_connect_narrow();

    for (uint32_t i = 0; i < QUESTIONS; i++) {
        peer_send_frame(peer, (uint8_t)i, 1);
    }
    for (uint32_t i = 0; i < QUESTIONS; i++) {
        peer_expect_frame(peer, (uint8_t)i, 16 * KIB);
    }
    assert_int_equal(count_of(&fixture.frames), QUESTIONS);
    assert_true(queued_max > 64 * KIB);
    assert_true(queued_max < 64 * KIB + QD_LINK_REPLY_MARGIN_BYTES + 32 * KIB);
}

/* These replies answer no frame, so stalling the link cannot hold them back. */
NET_TEST(replies_to_a_peer_that_never_reads_close_the_link)
{
    fixture_start();
    int peer = peer_connect_narrow();
    qd_link *link = connected(peer);

    while (send_and_release(link, frame_of(1, 16 * KIB), QD_LINK_REPLY) == QD_LINK_SENT) {
        assert_true(qd_link_queued(link) < 64 * KIB + QD_LINK_REPLY_MARGIN_BYTES + 32 * KIB);
    }
    assert_int_equal(send_and_release(link, frame_of(1, 1), QD_LINK_REPLY), QD_LINK_CLOSED);
    wait_for(&fixture.closed, 1);
    assert_int_equal(qd_link_queued(link), 0);
}

NET_TEST(a_refused_send_queues_no_buffer)
{
    fixture_start();
    int peer = peer_connect_narrow();
    qd_link *link = connected(peer);
    qd_buffer *parts[3] = {frame_of(1, 5 * KIB), frame_of(2, 5 * KIB), frame_of(3, 5 * KIB)};
    uint32_t sent = 0;

    while (qd_link_send(link, parts, 3, QD_LINK_EVENTS) == QD_LINK_SENT) {
        sent++;
    }
    send_and_release(link, frame_of('.', 1), QD_LINK_REPLY);
    for (uint32_t i = 0; i < sent; i++) {
        for (uint8_t part = 1; part <= 3; part++) {
            peer_expect_frame(peer, part, 5 * KIB);
        }
    }
    peer_expect_frame(peer, '.', 1);

    for (uint32_t i = 0; i < 3; i++) {
        qd_buffer_release(parts[i]);
    }
}

/* ---- closing ---- */

NET_TEST(a_close_flushes_queued_buffers)
{
    fixture_start();
    int peer = peer_connect_narrow();
    qd_link *link = connected(peer);

    assert_int_equal(send_and_release(link, frame_of(4, 4096 * KIB), QD_LINK_EVENTS), QD_LINK_SENT);
    assert_int_equal(send_and_release(link, frame_of(5, 1), QD_LINK_REPLY), QD_LINK_SENT);
    qd_link_close(link, WAIT_S * 1000);
    assert_int_equal(send_and_release(link, frame_of(6, 1), QD_LINK_REPLY), QD_LINK_CLOSED);
    /* Frames that arrive now are discarded. */
    peer_send_frame(peer, 7, 1);
    peer_expect_frame(peer, 4, 4096 * KIB);
    peer_expect_frame(peer, 5, 1);
    peer_expect_end(peer);
    wait_for(&fixture.closed, 1);
    assert_int_equal(fixture.frames, 1);
    assert_int_equal(qd_link_queued(link), 0);
}

/* The peer reads nothing. A second close shortens the time. */
NET_TEST(a_flush_ends_at_its_deadline)
{
    fixture_start();
    int peers[2];

    for (uint32_t i = 0; i < 2; i++) {
        peers[i] = peer_connect_narrow();
        qd_link *link = connected(peers[i]);
        assert_int_equal(send_and_release(link, frame_of(4, 16384 * KIB), QD_LINK_EVENTS), QD_LINK_SENT);
    }
    qd_link_close(fixture.links[0], 120);
    wait_for(&fixture.closed, 1);
    qd_link_close(fixture.links[1], 1000000);
    qd_link_close(fixture.links[1], 0);
    wait_for(&fixture.closed, 2);
    assert_int_equal(qd_net_connections(fixture.net), 0);

    /* A cut stream ends with a reset, so that it does not look complete. */
    for (uint32_t i = 0; i < 2; i++) {
        uint8_t bytes[4096];
        ssize_t received;

        do {
            received = recv(peers[i], bytes, sizeof bytes, 0);
        } while (received > 0);
        assert_int_equal(received, -1);
        assert_int_equal(errno, ECONNRESET);
    }
}

static void echo_and_pause(qd_link *link, const uint8_t *bytes, size_t size)
{
    send_and_release(link, frame_with(bytes, size), QD_LINK_REPLY);
    qd_link_pause(link);
}

NET_TEST(a_link_can_be_used_after_its_net_stopped)
{
    fixture.on_frame = echo_and_pause;
    fixture_start();
    int peer = peer_connect();
    qd_link *link = connected(peer);

    qd_link_acquire(link);
    fixture_stop_net(0);
    assert_int_equal(send_and_release(link, frame_of(1, 1), QD_LINK_REPLY), QD_LINK_CLOSED);
    assert_int_equal(qd_link_queued(link), 0);
    qd_link_resume(link);
    qd_link_close(link, 10);
    qd_link_release(link);
}

TEST_MAIN()

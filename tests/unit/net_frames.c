/* SPDX-License-Identifier: Apache-2.0
 *
 * Incoming bytes: frames cut anywhere, pauses, faults, deadlines, and the ways in which a peer can leave.
 */
#include "server/base/clock.h"
#include "support/net_fixture.h"
#include "tests/support/test.h"

NET_TEST(frames_of_every_size_are_echoed)
{
    fixture_start();
    int peer = peer_connect();
    const size_t sizes[] = {0, 1, 127, 128, 200000, 262140, 262141, 262142, 262144, 1u << 20};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        peer_expect_echo(peer, (uint8_t)i, sizes[i]);
    }
    assert_int_equal(qd_net_connections(fixture.net), 1);
    wait_for(&fixture.opened, 1);
    assert_int_equal(strncmp(fixture.links[0]->peer, "127.0.0.1:", 10), 0);

    peer_close(peer);
    wait_for(&fixture.closed, 1);
    assert_int_equal(qd_net_connections(fixture.net), 0);
    assert_int_equal(qd_net_bytes_in(fixture.net), qd_net_bytes_out(fixture.net));
    assert_true(qd_net_bytes_in(fixture.net) > 1u << 20);
}

NET_TEST(frames_cut_at_every_byte_arrive_whole)
{
    fixture_start();
    int peer = peer_connect();
    int on = 1;
    uint8_t stream[512];
    size_t size = 0;

    assert_int_equal(setsockopt(peer, IPPROTO_TCP, 1 /* TCP_NODELAY */, &on, sizeof on), 0);
    for (uint8_t fill = 1; fill <= 3; fill++) {
        qd_buffer *frame = frame_of(fill, fill == 2 ? 0 : 140);

        memcpy(stream + size, frame->bytes, frame->size);
        size += frame->size;
        qd_buffer_release(frame);
    }
    for (size_t cut = 1; cut < size; cut++) {
        peer_send(peer, stream, cut);
        peer_send(peer, stream + cut, size - cut);
        peer_expect_frame(peer, 1, 140);
        peer_expect_frame(peer, 2, 0);
        peer_expect_frame(peer, 3, 140);
    }
    for (size_t i = 0; i < size; i++) {
        peer_send(peer, stream + i, 1);
    }
    peer_expect_frame(peer, 1, 140);
    peer_expect_frame(peer, 2, 0);
    peer_expect_frame(peer, 3, 140);
}

/* ---- pauses ---- */

static _Atomic uint32_t paused_frames; /* delivered while paused; must stay 0 */
static _Atomic bool paused;

static void pause_and_echo(qd_link *link, const uint8_t *bytes, size_t size)
{
    if (paused) {
        paused_frames++;
    }
    paused = true;
    qd_link_pause(link);
    send_and_release(link, frame_with(bytes, size), QD_LINK_REPLY);
}

/* Each frame pauses the link, and the test's thread resumes it. All frames lie in one or two read buffers. */
NET_TEST(a_pause_inside_a_read_stops_delivery)
{
    enum { FRAMES = 15000 };
    fixture.on_frame = pause_and_echo;
    fixture_start();
    int peer = peer_connect();

    peer_send_numbered(peer, FRAMES);
    for (uint32_t i = 0; i < FRAMES; i++) {
        wait_for(&fixture.frames, i + 1);
        paused = false;
        qd_link_resume(fixture.links[0]);
        peer_expect_numbered(peer, i, i + 1);
    }
    assert_int_equal(paused_frames, 0);
    assert_int_equal(fixture.frames, FRAMES);
    peer_close(peer);
    wait_for(&fixture.closed, 1);
}

#define REST_MS 20u

static _Atomic uint64_t rested_at_ns; /* when the last frame came */
static _Atomic uint32_t short_rests;  /* after which the next one came too early */

static void rest_and_echo(qd_link *link, const uint8_t *bytes, size_t size)
{
    const uint64_t now_ns = qd_clock_now_ns();

    short_rests += now_ns - rested_at_ns < REST_MS * UINT64_C(1000000);
    rested_at_ns = now_ns;
    qd_link_rest(link, REST_MS);
    send_and_release(link, frame_with(bytes, size), QD_LINK_REPLY);
}

NET_TEST(a_link_that_rests_delivers_the_next_frame_afterwards)
{
    fixture.on_frame = rest_and_echo;
    fixture_start();
    int peer = peer_connect();

    peer_send_numbered(peer, 5);
    peer_expect_numbered(peer, 0, 5);
    assert_int_equal(short_rests, 0);
    /* It ends while it rests. */
    peer_close(peer);
    wait_for(&fixture.closed, 1);
}

static void pause_at_opening(qd_link *link)
{
    qd_link_pause(link);
    qd_link_pause(link);
}

/* Frames that arrive meanwhile are delivered later, in order. */
NET_TEST(frames_wait_until_every_pause_is_resumed)
{
    fixture.on_opened = pause_at_opening;
    fixture_start();
    int peer = peer_connect(), other = peer_connect();

    wait_for(&fixture.opened, 2);
    peer_send_numbered(peer, 1000);
    qd_link_resume(fixture.links[0]);
    qd_link_resume(fixture.links[1]);
    qd_link_resume(fixture.links[1]);
    /* The answer on the other connection shows that the loop had a turn in which it could have delivered a frame. */
    peer_expect_echo(other, 1, 10);
    assert_int_equal(count_of(&fixture.frames), 1);
    qd_link_resume(fixture.links[0]);
    peer_expect_numbered(peer, 0, 1000);
}

/* The paused link holds undelivered bytes. */
NET_TEST(a_paused_link_closes_when_the_net_stops)
{
    fixture.on_frame = pause_and_echo;
    fixture_start();
    int peer = peer_connect();

    paused = false;
    peer_send_numbered(peer, 1000);
    wait_for(&fixture.frames, 1);
    fixture_stop(0);
}

/* ---- faults ---- */

/* More than the peer's receive buffer takes, so most of it is unsent when the link is asked to close. */
#define GOODBYE_BYTES 500000u

static void report_and_close(qd_link *link)
{
    send_and_release(link, frame_of('!', GOODBYE_BYTES), QD_LINK_REPLY);
    qd_link_close(link, WAIT_S * 1000);
}

/* The peer receives the report although it continues to send for a while. */
static void fault_of(const void *bytes, size_t size, qd_link_fault fault, uint64_t value)
{
    static uint8_t more[512u << 10];

    fixture.on_fault = report_and_close;
    fixture_start();
    int peer = peer_connect_narrow();

    peer_send_frame(peer, 7, 50);
    peer_send(peer, bytes, size);
    for (size_t sent = 0; sent < sizeof more; sent += 4096) {
        /* The connection may be closed by then. */
        if (send(peer, more, 4096, MSG_NOSIGNAL) <= 0) {
            break;
        }
    }
    peer_expect_frame(peer, 7, 50);
    peer_expect_frame(peer, '!', GOODBYE_BYTES);
    peer_expect_end(peer);
    peer_close(peer);

    wait_for(&fixture.closed, 1);
    assert_int_equal(fixture.faults, 1);
    assert_int_equal(fixture.frames, 1);
    assert_int_equal(fixture.fault, fault);
    assert_int_equal(fixture.fault_value, value);
}

NET_TEST(a_bad_prefix_reports_a_fault)
{
    fault_of("\xff\xff\xff\xff\xff\xff", 6, QD_LINK_BAD_PREFIX, 0);
}

NET_TEST(a_frame_over_the_limit_reports_a_fault)
{
    fault_of("\x81\x80\x40", 3, QD_LINK_FRAME_TOO_LONG, (1u << 20) + 1);
}

static void narrow_frames(qd_link *link)
{
    qd_link_frame_bytes_max(link, 100);
}

static void widen_frames(qd_link *link, const uint8_t *bytes, size_t size)
{
    qd_link_frame_bytes_max(link, 1000);
    send_and_release(link, frame_with(bytes, size), QD_LINK_REPLY);
}

NET_TEST(a_new_frame_limit_applies_to_the_next_frame)
{
    fixture.on_opened = narrow_frames;
    fixture.on_frame = widen_frames;
    fixture.on_fault = report_and_close;
    fixture_start();
    int peer = peer_connect(), other = peer_connect();

    peer_send_frame(peer, 1, 100);
    peer_send_frame(peer, 2, 1000);
    peer_expect_frame(peer, 1, 100);
    peer_expect_frame(peer, 2, 1000);
    peer_send_frame(other, 3, 101);
    peer_expect_frame(other, '!', GOODBYE_BYTES);
    wait_for(&fixture.faults, 1);
    assert_int_equal(fixture.fault_value, 101);
}

/* ---- comings and goings ---- */

NET_TEST(a_peer_that_ends_its_side_gets_its_answer)
{
    fixture_start();
    int peer = peer_connect();

    peer_send_frame(peer, 5, 200000);
    assert_int_equal(shutdown(peer, SHUT_WR), 0);
    peer_expect_frame(peer, 5, 200000);
    peer_expect_end(peer);
    wait_for(&fixture.closed, 1);
    assert_int_equal(qd_net_connections(fixture.net), 0);
}

/* The peers reset inside a prefix, inside a frame, before they read an answer, and without having sent anything. */
NET_TEST(a_reset_closes_the_link)
{
    fixture_start();
    int peers[4];

    for (uint32_t i = 0; i < 4; i++) {
        peers[i] = peer_connect();
    }
    wait_for(&fixture.opened, 4);
    peer_send(peers[0], "\x80", 1);
    peer_send(peers[1], "\x20half a frame", 13);
    peer_send_frame(peers[2], 1, 1u << 20);
    wait_for(&fixture.frames, 1);
    for (uint32_t i = 0; i < 4; i++) {
        peer_reset(peers[i]);
    }
    wait_for(&fixture.closed, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(send_and_release(fixture.links[i], frame_of(1, 1), QD_LINK_REPLY), QD_LINK_CLOSED);
    }
}

static void set_deadline(qd_link *link)
{
    qd_link_deadline(link, 60);
}

static void clear_deadline(qd_link *link, const uint8_t *bytes, size_t size)
{
    (void)bytes, (void)size;
    qd_link_deadline(link, 0);
}

static void close_now(qd_link *link)
{
    qd_link_close(link, 0);
}

/* The first frame clears the deadline. A link without a frame expires. */
NET_TEST(a_deadline_expires_unless_it_is_cleared)
{
    fixture.on_opened = set_deadline;
    fixture.on_frame = clear_deadline;
    fixture.on_expired = close_now;
    fixture_start();
    int active = peer_connect();

    peer_send_frame(active, 1, 1);
    wait_for(&fixture.frames, 1);
    int silent = peer_connect();
    peer_expect_end(silent);
    wait_for(&fixture.closed, 1);
    assert_int_equal(count_of(&fixture.expired), 1);
    assert_int_equal(qd_net_connections(fixture.net), 1);
}

TEST_MAIN()

/* SPDX-License-Identifier: Apache-2.0
 *
 * A connection that floods its loop: other connections get their turn in between, none of its frames is lost or
 * reordered, and it may end while the rest of its frames waits.
 */
#include "support/net_fixture.h"
#include "tests/support/test.h"

/* Takes many turns, but fits into one read. */
#define FLOOD_FRAMES 10000u

enum { FLOODER, OTHER };

typedef struct flood {
    net_fixture net; /* first, so that the hooks can cast to the flood */
    uint32_t frame_count;
    size_t answer_bytes; /* in addition to the echo */
    int peers[2];
    void (*in_between)(struct flood *flood); /* called on the loop at the other's frame, or NULL */
    _Atomic uint32_t frames;                 /* delivered from the flooder */
    _Atomic uint32_t frames_before;          /* before the other's frame */
} flood;

/* Neither link reads before start_flood resumes both. */
static void pause_at_opening(net_fixture *net, qd_link *link)
{
    (void)net;
    qd_link_pause(link);
}

/* Sends the other's frame while the flooder's frames, which have all been read, are being delivered. */
static void count_and_echo(net_fixture *net, qd_link *link, const uint8_t *bytes, size_t size)
{
    flood *at = (flood *)net;

    if (link == net->links[FLOODER]) {
        if (at->frames++ == 0) {
            send(at->peers[OTHER], "\x01!", 2, MSG_NOSIGNAL);
        }
    } else {
        at->frames_before = at->frames;
        if (at->in_between) {
            at->in_between(at);
        }
    }
    send_and_release(link, frame_with(bytes, size), QD_LINK_REPLY);
    if (link == net->links[FLOODER] && at->answer_bytes > 0) {
        send_and_release(link, frame_of('a', at->answer_bytes), QD_LINK_REPLY);
    }
}

/* Checks that the other's frame is answered before the last of the flooder's. */
static void start_flood(flood *at)
{
    at->net.on_opened = pause_at_opening;
    at->net.on_frame = count_and_echo;
    qd_net_config config = fixture_config(&at->net);
    config.outbox_bytes_max = 64u << 20; /* so that the outbox does not stall the flooder */
    fixture_start(&at->net, &config);
    for (uint32_t i = 0; i < 2; i++) {
        at->peers[i] = peer_connect(&at->net);
        wait_for(&at->net, &at->net.opened, i + 1);
    }
    qd_buffer *all = numbered_frames(at->frame_count);
    peer_send(at->peers[FLOODER], all->bytes, all->size);
    qd_buffer_release(all);
    qd_link_resume(at->net.links[OTHER]);
    qd_link_resume(at->net.links[FLOODER]);
    peer_expect_frame(at->peers[OTHER], '!', 1);
    assert_true(at->frames_before > 0);
    assert_true(at->frames_before < at->frame_count);
}

TEST(another_connection_is_answered_during_a_flood)
{
    flood at = {.frame_count = FLOOD_FRAMES};

    start_flood(&at);
    expect_numbered(at.peers[FLOODER], 0, FLOOD_FRAMES);
    close(at.peers[FLOODER]);
    close(at.peers[OTHER]);
    fixture_stop(&at.net);
    assert_int_equal(at.frames, FLOOD_FRAMES);
}

TEST(another_connection_is_answered_between_large_answers)
{
    flood at = {.frame_count = 100, .answer_bytes = 100000};

    start_flood(&at);
    for (uint32_t i = 0; i < at.frame_count; i++) {
        expect_numbered(at.peers[FLOODER], i, i + 1);
        peer_expect_frame(at.peers[FLOODER], 'a', at.answer_bytes);
    }
    close(at.peers[FLOODER]);
    close(at.peers[OTHER]);
    fixture_stop(&at.net);
}

static void answer_nothing(net_fixture *net, qd_link *link, const uint8_t *bytes, size_t size)
{
    (void)net, (void)link, (void)bytes, (void)size;
}

/* Without answers, no completed write makes the loop serve the connection again. */
TEST(a_flood_without_answers_is_delivered)
{
    net_fixture fixture = {.on_frame = answer_nothing};

    fixture_start(&fixture, NULL);
    int peer = peer_connect(&fixture);
    qd_buffer *all = numbered_frames(FLOOD_FRAMES);
    peer_send(peer, all->bytes, all->size);
    wait_for(&fixture, &fixture.frames, FLOOD_FRAMES);
    qd_buffer_release(all);
    close(peer);
    fixture_stop(&fixture);
}

/* ---- the flooder ends while the rest waits ---- */

static void close_the_flooder(flood *at)
{
    qd_link_close(at->net.links[FLOODER], 0);
}

TEST(a_close_during_a_flood_drops_the_rest)
{
    flood at = {.frame_count = FLOOD_FRAMES, .in_between = close_the_flooder};

    start_flood(&at);
    wait_for(&at.net, &at.net.closed, 1);
    assert_int_equal(at.frames, at.frames_before);
    close(at.peers[FLOODER]);
    close(at.peers[OTHER]);
    fixture_stop(&at.net);
}

static void reset_the_flooder(flood *at)
{
    const struct linger reset = {.l_onoff = 1};

    setsockopt(at->peers[FLOODER], SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    close(at->peers[FLOODER]);
}

TEST(a_reset_during_a_flood_drops_the_rest)
{
    flood at = {.frame_count = FLOOD_FRAMES, .in_between = reset_the_flooder};

    start_flood(&at);
    wait_for(&at.net, &at.net.closed, 1);
    assert_true(at.frames < FLOOD_FRAMES);
    close(at.peers[OTHER]);
    fixture_stop(&at.net);
}

static void pause_the_flooder(flood *at)
{
    qd_link_pause(at->net.links[FLOODER]);
}

TEST(a_stop_during_a_paused_flood_drops_the_rest)
{
    flood at = {.frame_count = FLOOD_FRAMES, .in_between = pause_the_flooder};

    start_flood(&at);
    fixture_stop(&at.net);
    assert_int_equal(at.frames, at.frames_before);
    close(at.peers[FLOODER]);
    close(at.peers[OTHER]);
}

/* The pause and the end of a turn fall together. After the resume, all remaining frames are delivered. */
TEST(a_pause_during_a_flood_keeps_the_rest)
{
    flood at = {.frame_count = FLOOD_FRAMES, .in_between = pause_the_flooder};

    start_flood(&at);
    qd_link_resume(at.net.links[FLOODER]);
    expect_numbered(at.peers[FLOODER], 0, FLOOD_FRAMES);
    close(at.peers[FLOODER]);
    close(at.peers[OTHER]);
    fixture_stop(&at.net);
}

TEST_MAIN()

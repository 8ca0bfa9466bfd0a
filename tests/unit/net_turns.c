/* SPDX-License-Identifier: Apache-2.0
 *
 * A connection that floods its loop: other connections get their turn in between, none of its frames is lost or
 * reordered, and it may end while the rest of its frames waits.
 */
#include "server/net/connection/connection_state.h"
#include "support/net_fixture.h"
#include "tests/support/test.h"

/* Takes many turns, but fits into one read. */
#define FLOOD_FRAMES 10000u

/* A flood works for so long, so the other's frame has arrived before its end although the system is busy. */
#define FLOOD_NS 50000000u

enum { FLOODER, OTHER };

static struct flood {
    uint32_t frame_count;
    size_t answer_bytes; /* in addition to the echo */
    uint64_t work_ns;    /* that the handler works on each of the flooder's frames */
    int peers[2];
    void (*in_between)(void);       /* called on the loop at the other's frame, or NULL */
    _Atomic uint32_t frames;        /* delivered from the flooder */
    _Atomic uint32_t frames_before; /* before the other's frame */
    uint32_t turn, turn_frames;     /* the last turn of the loop with frames of the flooder, and their number so far */
    _Atomic uint32_t turn_frames_max;
} flood;

/* On the loop, at each frame of the flooder. */
static void count_in_turn(const qd_link *link)
{
    const uint32_t turn = (uint32_t)((const qd_connection *)link)->loop->turns.pass;

    flood.turn_frames = flood.frames > 1 && turn == flood.turn ? flood.turn_frames + 1 : 1;
    flood.turn = turn;
    if (flood.turn_frames > flood.turn_frames_max) {
        flood.turn_frames_max = flood.turn_frames;
    }
}

static uint64_t ran_ns(void)
{
    struct timespec ran;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ran);
    return (uint64_t)ran.tv_sec * 1000000000u + (uint64_t)ran.tv_nsec;
}

static void work_for(uint64_t ns)
{
    for (const uint64_t since_ns = ran_ns(); ran_ns() - since_ns < ns;) {
    }
}

/* Neither link reads before start_flood resumes both. */
static void pause_at_opening(qd_link *link)
{
    qd_link_pause(link);
}

/* Sends the other's frame while the flooder's frames, which have all been read, are being delivered. */
static void count_and_echo(qd_link *link, const uint8_t *bytes, size_t size)
{
    if (link == fixture.links[FLOODER]) {
        if (flood.frames++ == 0) {
            send(flood.peers[OTHER], "\x01!", 2, MSG_NOSIGNAL);
        }
        count_in_turn(link);
        work_for(flood.work_ns);
        qd_link_worked(link);
    } else {
        flood.frames_before = flood.frames;
        if (flood.in_between) {
            flood.in_between();
        }
    }
    send_and_release(link, frame_with(bytes, size), QD_LINK_REPLY);
    if (link == fixture.links[FLOODER] && flood.answer_bytes > 0) {
        send_and_release(link, frame_of('a', flood.answer_bytes), QD_LINK_REPLY);
    }
}

/* Checks that the other's frame is answered before the last of the flooder's. */
static void start_flood_of(uint32_t frame_count, uint64_t work_ns, size_t answer_bytes, void (*in_between)(void))
{
    flood.frame_count = frame_count;
    flood.work_ns = work_ns;
    flood.answer_bytes = answer_bytes;
    flood.in_between = in_between;
    flood.frames = flood.frames_before = flood.turn_frames_max = 0;
    fixture.on_opened = pause_at_opening;
    fixture.on_frame = count_and_echo;
    fixture.config.outbox_bytes_max = 64u << 20; /* so that the outbox does not stall the flooder */
    fixture_start();
    for (uint32_t i = 0; i < 2; i++) {
        flood.peers[i] = peer_connect();
        wait_for(&fixture.opened, i + 1);
    }
    peer_send_numbered(flood.peers[FLOODER], frame_count);
    qd_link_resume(fixture.links[OTHER]);
    qd_link_resume(fixture.links[FLOODER]);
    peer_expect_frame(flood.peers[OTHER], '!', 1);
    assert_true(flood.frames_before > 0);
    assert_true(flood.frames_before < frame_count);
}

static void start_flood(uint32_t frame_count, size_t answer_bytes, void (*in_between)(void))
{
    start_flood_of(frame_count, FLOOD_NS / frame_count, answer_bytes, in_between);
}

NET_TEST(another_connection_is_answered_during_a_flood)
{
    start_flood(FLOOD_FRAMES, 0, NULL);
    peer_expect_numbered(flood.peers[FLOODER], 0, FLOOD_FRAMES);
    fixture_stop(0);
    assert_int_equal(flood.frames, FLOOD_FRAMES);
}

NET_TEST(another_connection_is_answered_between_large_answers)
{
    enum { FRAMES = 100, ANSWER_BYTES = 100000 };
    start_flood(FRAMES, ANSWER_BYTES, NULL);
    for (uint32_t i = 0; i < FRAMES; i++) {
        peer_expect_numbered(flood.peers[FLOODER], i, i + 1);
        peer_expect_frame(flood.peers[FLOODER], 'a', ANSWER_BYTES);
    }
}

/* Each frame is a turn of its own, so few of them come before the other's frame has arrived and is read. */
NET_TEST(another_connection_is_answered_between_frames_that_take_long)
{
    start_flood_of(FLOOD_FRAMES, 1000000, 0, NULL);
    assert_in_range(flood.frames_before, 1, 200);
}

/* The turn has 0.4 ms, and less beside light ones. */
NET_TEST(a_turn_has_as_many_frames_as_there_is_time_for)
{
    enum { FRAMES = 100 };
    start_flood_of(FRAMES, 150000, 0, NULL);
    peer_expect_numbered(flood.peers[FLOODER], 0, FRAMES);
    assert_in_range(flood.turn_frames_max, 1, 3);
}

static void answer_nothing(qd_link *link, const uint8_t *bytes, size_t size)
{
    (void)link, (void)bytes, (void)size;
}

/* Without answers, no completed write makes the loop serve the connection again. */
NET_TEST(a_flood_without_answers_is_delivered)
{
    fixture.on_frame = answer_nothing;
    fixture_start();
    int peer = peer_connect();

    peer_send_numbered(peer, FLOOD_FRAMES);
    wait_for(&fixture.frames, FLOOD_FRAMES);
}

/* ---- the turn ends between writing and reading on ---- */

enum { OUTBOX_BYTES = 16384, ANSWER_BYTES = 20000 }; /* the answer fills the outbox, and one turn writes it */

static struct resuming {
    qd_loop_request request;
    qd_link *link;
} resuming;

static void resume_on_the_loop(qd_loop_request *request)
{
    qd_link_resume(((struct resuming *)request)->link);
}

/* The link is resumed before it is served, so it is served once. */
static void pause_and_fill_the_outbox(qd_link *link, const uint8_t *bytes, size_t size)
{
    (void)bytes, (void)size;
    qd_buffer *event = frame_of('e', ANSWER_BYTES);

    qd_link_pause(link);
    resuming = (struct resuming){.request.run = resume_on_the_loop, .link = link};
    qd_loop_post(((qd_connection *)link)->loop, &resuming.request);
    send_and_release(link, frame_of('r', ANSWER_BYTES), QD_LINK_REPLY);
    assert_int_equal(qd_link_send(link, &event, 1, QD_LINK_EVENTS), QD_LINK_FULL);
    qd_buffer_release(event);
    qd_link_worked(link);
}

/* On the loop, after the answer is written. */
static void work_beyond_the_turn(void *context, qd_link *link)
{
    (void)context, (void)link;
    work_for(1000000);
}

NET_TEST(reads_on_although_the_turn_ended_before)
{
    fixture.on_frame = pause_and_fill_the_outbox;
    fixture.config.outbox_bytes_max = OUTBOX_BYTES;
    fixture.config.handler.drained = work_beyond_the_turn;
    fixture_start();
    const int peer = peer_connect();

    for (uint32_t i = 0; i < 3; i++) {
        peer_send_numbered(peer, 1);
        peer_expect_frame(peer, 'r', ANSWER_BYTES);
    }
}

/* ---- the flooder ends while the rest waits ---- */

static void close_the_flooder(void)
{
    qd_link_close(fixture.links[FLOODER], 0);
}

NET_TEST(a_close_during_a_flood_drops_the_rest)
{
    start_flood(FLOOD_FRAMES, 0, close_the_flooder);
    wait_for(&fixture.closed, 1);
    assert_int_equal(flood.frames, flood.frames_before);
}

static void reset_the_flooder(void)
{
    const struct linger reset = {.l_onoff = 1};

    setsockopt(flood.peers[FLOODER], SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    peer_close(flood.peers[FLOODER]);
}

NET_TEST(a_reset_during_a_flood_drops_the_rest)
{
    start_flood(FLOOD_FRAMES, 0, reset_the_flooder);
    wait_for(&fixture.closed, 1);
    assert_true(flood.frames < FLOOD_FRAMES);
}

static void pause_the_flooder(void)
{
    qd_link_pause(fixture.links[FLOODER]);
}

NET_TEST(a_stop_during_a_paused_flood_drops_the_rest)
{
    start_flood(FLOOD_FRAMES, 0, pause_the_flooder);
    fixture_stop(0);
    assert_int_equal(flood.frames, flood.frames_before);
}

/* The pause and the end of a turn fall together. After the resume, all remaining frames are delivered. */
NET_TEST(a_pause_during_a_flood_keeps_the_rest)
{
    start_flood(FLOOD_FRAMES, 0, pause_the_flooder);
    qd_link_resume(fixture.links[FLOODER]);
    peer_expect_numbered(flood.peers[FLOODER], 0, FLOOD_FRAMES);
}

/* ---- turns without connections ---- */

enum { TURNS = 3 };

static struct {
    uv_loop_t uv;
    qd_turns turns;
    qd_turn turn[TURNS];
    uint32_t resumed[TURNS]; /* 0: not yet; else in which order */
    uint32_t resumed_count;
} loop;

static void note_resumed(qd_turn *turn)
{
    loop.resumed[turn - loop.turn] = ++loop.resumed_count;
}

static void turns_begin(void)
{
    memset(&loop, 0, sizeof loop);
    assert_int_equal(uv_loop_init(&loop.uv), 0);
    assert_true(qd_turns_init(&loop.turns, &loop.uv));
    for (uint32_t i = 0; i < TURNS; i++) {
        loop.turn[i].resume = note_resumed;
    }
}

static void turns_end(void)
{
    uv_close((uv_handle_t *)&loop.turns.rested, NULL);
    uv_run(&loop.uv, UV_RUN_DEFAULT);
    qd_turns_deinit(&loop.turns);
    assert_int_equal(uv_loop_close(&loop.uv), 0);
}

static void take_turn(uint32_t i, uint64_t work_ns)
{
    qd_turn_begin(&loop.turns, &loop.turn[i]);
    work_for(work_ns);
    qd_turn_end(&loop.turns, &loop.turn[i]);
}

TEST(parks_beyond_the_share_and_resumes_in_order_with_rests)
{
    turns_begin();
    take_turn(0, 0);
    take_turn(2, 1000000);
    take_turn(1, 1000000);
    assert_false(loop.turn[0].parked);
    assert_true(loop.turn[1].parked && loop.turn[2].parked);
    assert_true(qd_turn_is_beyond(&loop.turns, &loop.turn[1]));
    assert_false(qd_turn_is_beyond(&loop.turns, &loop.turn[0]));

    assert_false(qd_turns_pass(&loop.turns));
    assert_int_equal(loop.resumed[2], 1);
    assert_false(qd_turns_pass(&loop.turns)); /* it rests */
    assert_int_equal(loop.resumed_count, 1);
    uv_run(&loop.uv, UV_RUN_ONCE); /* until the rest is over */
    assert_false(qd_turns_pass(&loop.turns));
    assert_int_equal(loop.resumed[1], 2);
    turns_end();
}

TEST(parks_nothing_without_light_ones)
{
    turns_begin();
    take_turn(1, 1000000);
    take_turn(2, 1000000);
    take_turn(1, 1000000);
    assert_false(loop.turn[1].parked || loop.turn[2].parked);
    assert_false(qd_turns_pass(&loop.turns));
    assert_int_equal(loop.resumed_count, 0);
    turns_end();
}

TEST(does_not_resume_what_has_left)
{
    turns_begin();
    take_turn(0, 0);
    take_turn(1, 1000000);
    take_turn(2, 1000000);
    qd_turn_leave(&loop.turns, &loop.turn[1]);
    qd_turns_pass(&loop.turns);
    assert_int_equal(loop.resumed[1], 0);
    assert_int_equal(loop.resumed[2], 1);
    turns_end();
}

TEST_MAIN()

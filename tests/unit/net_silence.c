/* SPDX-License-Identifier: Apache-2.0
 *
 * Signs of life, sweep by sweep: when a peer counts as silent, lost, or too slow with a frame.
 */
#include "server/net/connection/silence.h"
#include "tests/support/test.h"

#define MAX_MS 15000u

static qd_signs signs;
static qd_stream_state stream;

static int begin(void **state)
{
    (void)state;
    signs = (qd_signs){.silence_ms = MAX_MS};
    stream = (qd_stream_state){.reading = true};
    return 0;
}

#define SILENCE_TEST(name) TEST_WITH(name, begin, NULL)

/* Sweeps until there is a sign, for at most that long. Returns the sign. */
static qd_sign sweep_for(uint64_t ms)
{
    const uint64_t end_ms = stream.now_ms + ms;

    while (stream.now_ms < end_ms) {
        stream.now_ms += qd_silence_step_ms(MAX_MS);
        qd_sign sign = qd_silence_check(&signs, MAX_MS, &stream);
        if (sign != QD_SIGN_FINE) {
            return sign;
        }
    }
    return QD_SIGN_FINE;
}

SILENCE_TEST(silent_peer_is_asked_once_and_then_lost)
{
    assert_int_equal(sweep_for(60000), QD_SIGN_SILENT);
    assert_in_range(stream.now_ms, 5000, 5600);
    assert_int_equal(sweep_for(60000), QD_SIGN_LOST);
    /* The last frames may take a second, and the connection is closed within 15 s. */
    assert_in_range(stream.now_ms, 12500, 14000);
}

SILENCE_TEST(any_byte_is_a_sign_of_life)
{
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(sweep_for(60000), QD_SIGN_SILENT);
        assert_int_equal(sweep_for(6000), QD_SIGN_FINE);
        signs.heard_ms = stream.now_ms;
        assert_int_equal(sweep_for(4000), QD_SIGN_FINE);
    }
}

SILENCE_TEST(time_without_reading_does_not_count)
{
    stream.in_frame = true;
    stream.arrived = 10;
    assert_int_equal(sweep_for(4000), QD_SIGN_FINE);
    stream.reading = false;
    assert_int_equal(sweep_for(100000), QD_SIGN_FINE);
    stream.reading = true;
    const uint64_t before_ms = stream.now_ms;
    assert_int_equal(sweep_for(100000), QD_SIGN_SILENT);
    assert_in_range(stream.now_ms - before_ms, 4500, 5600);
}

SILENCE_TEST(unwatched_peer_may_be_silent)
{
    signs.silence_ms = 0;
    assert_int_equal(sweep_for(1000000), QD_SIGN_FINE);
}

SILENCE_TEST(frame_that_stops_is_slow)
{
    signs.silence_ms = 0;
    stream.in_frame = true;
    stream.arrived = 1000000;
    assert_int_equal(sweep_for(60000), QD_SIGN_FRAME_SLOW);
    assert_in_range(stream.now_ms, 10000, 10600);
}

/* 500 bytes per second are too slow, 2,000 are not, and each frame has its own time. */
SILENCE_TEST(frame_must_arrive_at_a_rate)
{
    stream.in_frame = true;
    for (uint32_t seconds = 0; seconds < 100; seconds++) {
        signs.heard_ms = stream.now_ms;
        stream.arrived += 2000;
        assert_int_equal(sweep_for(1000), QD_SIGN_FINE);
    }
    stream.frame++;
    stream.arrived = 0;
    const uint64_t before_ms = stream.now_ms;
    qd_sign sign = QD_SIGN_FINE;
    while (sign == QD_SIGN_FINE) {
        signs.heard_ms = stream.now_ms;
        stream.arrived += 500;
        sign = sweep_for(1000);
    }
    assert_int_equal(sign, QD_SIGN_FRAME_SLOW);
    assert_in_range(stream.now_ms - before_ms, 15000, 25000);
}

TEST_MAIN()

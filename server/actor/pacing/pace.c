/* SPDX-License-Identifier: Apache-2.0 */
#include "pace.h"

#define SECOND_NS UINT64_C(1000000000)

/* A room that ticks without a pause leaves no time for messages. After a long tick it rests for this part of it. */
#define REST_PART 8u

void qd_pace_start(qd_pace *pace)
{
    pace->since_ns = 0;
    pace->rest_until_ns = 0;
}

static bool is_slow(const qd_pace *pace, uint32_t hz)
{
    const bool skips = pace->skipped * 10 > pace->ticks + pace->skipped;

    /* Ticks that are far shorter than the period were skipped because the process stood still. */
    return skips && pace->took_ns / pace->ticks > SECOND_NS / hz / 2;
}

static bool differs_by_a_quarter(uint32_t a, uint32_t b)
{
    return (a > b ? a - b : b - a) > b / 4;
}

/* Looks at the counts of at least a second. */
static bool look(qd_pace *pace, uint32_t hz, uint64_t now_ns)
{
    uint32_t slowed_hz = 0;

    if (is_slow(pace, hz)) {
        const uint64_t held_hz = (pace->ticks * SECOND_NS + SECOND_NS / 2) / (now_ns - pace->since_ns);

        slowed_hz = held_hz == 0 ? 1 : (uint32_t)held_hz;
        pace->slowed_us = (uint32_t)(pace->took_ns / pace->ticks / 1000);
    }
    const bool changes = (slowed_hz == 0) != (pace->slowed_hz == 0) || differs_by_a_quarter(slowed_hz, pace->slowed_hz);
    if (changes) {
        pace->slowed_hz = slowed_hz;
    }
    return changes;
}

bool qd_pace_ticked(qd_pace *pace, uint32_t hz, uint64_t now_ns, uint64_t took_ns, uint64_t skipped)
{
    if (took_ns > SECOND_NS / hz * (REST_PART - 1) / REST_PART) {
        pace->rest_until_ns = now_ns + took_ns / REST_PART;
    }
    if (pace->since_ns == 0) {
        pace->since_ns = now_ns;
        pace->ticks = pace->skipped = pace->took_ns = 0;
        return false;
    }
    pace->ticks++;
    pace->skipped += skipped;
    pace->took_ns += took_ns;
    if (now_ns - pace->since_ns < SECOND_NS) {
        return false;
    }
    const bool changes = look(pace, hz, now_ns);
    pace->since_ns = now_ns;
    pace->ticks = pace->skipped = pace->took_ns = 0;
    return changes;
}

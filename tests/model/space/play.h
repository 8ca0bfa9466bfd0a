/* SPDX-License-Identifier: Apache-2.0
 *
 * Plays a script on a space and on the reference beside it, and compares all that the space reports.
 */
#ifndef QD_TESTS_MODEL_SPACE_PLAY_H
#define QD_TESTS_MODEL_SPACE_PLAY_H

#include "script.h"

/* Counts of all comparisons. */
typedef struct play_tally {
    uint64_t ticks, events[QD_SPACE_PASSED + 1], stopped; /* events by kind; ticks stopped at their limit */
    uint64_t pairs, unsure;                               /* pairs expected, and how many too close to call */
    uint64_t queries, hits, cut;                          /* cut at their limit */
    uint64_t refused, without_memory;                     /* adds refused; ticks and pairs stopped without memory */
    uint64_t tries; /* of the last script: allocations, as far as they are counted */
} play_tally;

/* Whether at most one pair in `share` is too close to call. Few pairs prove nothing. */
static inline bool is_sure(const play_tally *tally, uint64_t share)
{
    return tally->pairs < 500000 || tally->unsure <= tally->pairs / share;
}

/* Adds to the tally. False: `failure` describes what was wrong, and in which line. */
bool play(const script *s, play_tally *tally, char failure[400]);

#endif

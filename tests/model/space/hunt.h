/* SPDX-License-Identifier: Apache-2.0
 *
 * Plays the scripts of many seeds, and makes the first that fails as short as it can.
 *
 *     PROGRAM [SCRIPTS [FIRST SEED]] [--index NAME] [--dimensions N]
 *     PROGRAM long                       a hundred times through every combination
 *
 * Scripts are played in a process of their own, so that one that aborts, crashes, hangs or is stopped by a sanitizer is
 * shortened like any other.
 */
#ifndef QD_TESTS_MODEL_SPACE_HUNT_H
#define QD_TESTS_MODEL_SPACE_HUNT_H

#include "play.h"

/* The whole of a program. Without arguments it plays this many scripts. Returns its exit status; `tally` has what was
 * compared where nothing failed. */
int hunt(int argc, char **argv, script_aim aim, uint64_t scripts, play_tally *tally);

#endif

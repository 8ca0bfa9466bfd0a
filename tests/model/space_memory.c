/* SPDX-License-Identifier: Apache-2.0
 *
 * Spaces without memory, for every index. Random scripts in which there is little memory at times, or single allocations
 * fail; then short ones, once for each of their allocations, which fails. Only adds and first radii may be refused, and
 * only traversals and queries may stop; what is complete is right, and everything is complete again once there is
 * memory. In the end all bodies go without any memory, and the space becomes as small as a new one. space/hunt.h
 * documents the arguments, space/script.h what a script is.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "space/hunt.h"

#define SCRIPTS_DEFAULT 1500u
#define LINES_MAX       120u /* of a script that is played for each of its allocations */

/* Plays the scripts of one seed for each index. */
static bool fail_each(uint64_t round, uint64_t *played)
{
    for (uint64_t i = 0; i < script_index_count; i++) {
        script s;
        play_tally tally = {.tries = UINT64_MAX};
        char failure[400];

        script_draw(&s, SCRIPT_EVENTS, round * script_index_count + i);
        s.count = s.count < LINES_MAX ? s.count : LINES_MAX;
        s.executor = s.executor == SCRIPT_THREADS ? SCRIPT_SCRAMBLED : s.executor;
        for (s.fail = 1; s.fail <= tally.tries; s.fail++) {
            if (!play(&s, &tally, failure)) {
                script_print(&s, stdout);
                printf("FAILS where allocation %" PRIu64 " does: %s\n", s.fail, failure);
                return false;
            }
            ++*played;
        }
        script_free(&s);
    }
    return true;
}

int main(int argc, char **argv)
{
    play_tally tally = {0};
    uint64_t played = 0;
    int status = hunt(argc, argv, SCRIPT_STARVED, SCRIPTS_DEFAULT, &tally);

    if (status != 0 || argc > 2) {
        return status;
    }
    printf("%" PRIu64 " adds refused, %" PRIu64 " ticks and pairs stopped without memory\n", tally.refused,
           tally.without_memory);
    const bool is_sound = fail_each(1, &played) && fail_each(5, &played);
    printf("%" PRIu64 " scripts with one failing allocation\n", played);
    if (tally.refused == 0 || tally.without_memory == 0 || tally.events[QD_SPACE_BEGIN] == 0 || !is_sound) {
        printf("which proves nothing\n");
        return 1;
    }
    return 0;
}

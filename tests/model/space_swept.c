/* SPDX-License-Identifier: Apache-2.0
 *
 * Swept spaces, in which much moves far at every tick: passed pairs, too, must agree with brute force, whatever was
 * teleported, reshaped, refiltered, added or removed on the way. space/hunt.h documents the arguments, space/script.h
 * what a script is.
 */
#include "space/hunt.h"

#define SCRIPTS_DEFAULT 600u

int main(int argc, char **argv)
{
    play_tally tally = {0};
    int status = hunt(argc, argv, SCRIPT_SWEPT, SCRIPTS_DEFAULT, &tally);

    if (status == 0 && (tally.events[QD_SPACE_PASSED] < tally.events[QD_SPACE_BEGIN] / 10 || !is_sure(&tally, 20))) {
        printf("which proves nothing\n");
        return 1;
    }
    return status;
}

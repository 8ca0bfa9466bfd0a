/* SPDX-License-Identifier: Apache-2.0
 *
 * Random scripts of every change a space knows, for every index, against a brute force that shares no code with it: the
 * events of every tick, the reasons of its ends, the pairs of the last tick at random moments between, and queries now
 * and then must be exactly the same. space/hunt.h documents the arguments, space/script.h what a script is.
 */
#include "space/hunt.h"

#define SCRIPTS_DEFAULT 1500u

int main(int argc, char **argv)
{
    play_tally tally = {0};
    int status = hunt(argc, argv, SCRIPT_EVENTS, SCRIPTS_DEFAULT, &tally);

    if (status == 0 && (tally.events[QD_SPACE_BEGIN] == 0 || tally.events[QD_SPACE_END] == 0 || !is_sure(&tally, 50))) {
        printf("which proves nothing\n");
        return 1;
    }
    return status;
}

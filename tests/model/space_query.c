/* SPDX-License-Identifier: Apache-2.0
 *
 * Queries against a brute force that shares no code with them: random spaces of every index, inside their bounds and
 * far outside, with changes under way that no tick has seen. Every hit, its order and its distance must be exactly the
 * same. space/hunt.h documents the arguments, space/script.h what a script is.
 */
#include "space/hunt.h"

#define SCRIPTS_DEFAULT 1200u

int main(int argc, char **argv)
{
    play_tally tally = {0};
    int status = hunt(argc, argv, SCRIPT_QUERIES, SCRIPTS_DEFAULT, &tally);

    if (status == 0 && (tally.hits == 0 || tally.cut == 0 || !is_sure(&tally, 50))) {
        printf("which proves nothing\n");
        return 1;
    }
    return status;
}

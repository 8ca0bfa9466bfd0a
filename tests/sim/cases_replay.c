/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases of replays. That every record can be replayed is checked at the end of each case and seed (recorded.h).
 */
#include "scenario.h"

/* A position in the record is another one. Where the pair remains, nothing that the room sends differs. */
CASE(replay_finds_another_position)
{
    sim_peer peer;

    sim_peer_open(&peer, house, NULL);
    const uint64_t room = sim_peer_open_room(&peer, "yard", NULL);
    (void)sim_peer_open_room(&peer, "other", NULL);
    sim_peer_send(&peer, MESSAGE(SPAWN, .batch = {.room = room,
                                                  .entities = {.count = 2,
                                                               .id = IDS(1, 2),
                                                               .x = FLOATS(10.125f, 11.375f),
                                                               .y = FLOATS(10, 10),
                                                               .half_x = FLOATS(1, 1),
                                                               .half_y = FLOATS(1, 1)}}));
    sim_peer_send(&peer, MESSAGE(SUBSCRIBE, .subscribe = {.room = room, .scope = QD_SCOPE_ALL}));
    sim_peer_send(&peer, MESSAGE(STEP, .step = {.room = room}));
    sim_house_settle(house);
    sim_check(sim_recorded_differ(&house->recorded, 11.375f, 11.375f) == 0, "an unchanged record differs");
    sim_check(sim_recorded_differ(&house->recorded, 11.375f, 11.5f) == 0, "a pair that remains differs");
    sim_check(sim_recorded_differ(&house->recorded, 11.375f, 90.5f) == 1, "a pair that is gone does not differ");
    sim_peer_close(&peer);
}

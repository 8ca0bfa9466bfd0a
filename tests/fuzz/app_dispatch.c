/* SPDX-License-Identifier: Apache-2.0
 *
 * Whatever frames a client sends after its Hello: a whole server, over a simulated link, takes them, and all that it
 * says in answer is frames that decode. Nothing is left of it afterwards.
 *
 * The input is a stream as a client writes it. Frames that decode find rooms to be about: of two dimensions, of three,
 * and in lockstep; where they name a room, 1, 2 and 3 stand for these, and so on. In the first there is what another
 * session of the same token has left behind.
 */
#include <string.h>

#include "fuzz/app_frames.h"
#include "fuzz/fuzz.h"
#include "server/base/log.h"

static void leave_something_behind(sim_house *house)
{
    sim_peer left;

    sim_peer_open(&left, house, "token");
    sim_peer_send_crowd(&left, sim_peer_open_room(&left, "flat", NULL),
                        &(sim_crowd){.first = 1000, .count = 3, .apart = 1});
    sim_house_settle(house);
    sim_peer_close(&left);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static sim_house house;
    sim_peer peer;
    qd_frame_reader reader;
    const uint8_t *frame;
    size_t frame_size;

    qd_log_level_set(QD_LOG_ERROR);
    sim_house_open(&house, &(qd_limits){.entities_max = 4096, .events_max = 4096, .rooms_max = 8});
    leave_something_behind(&house);
    sim_peer_open(&peer, &house, "token");
    uint64_t rooms[ROOMS];
    fuzz_open_rooms(&peer, rooms);
    qd_frame_reader_init(&reader, FRAME_BYTES_MAX, NULL);
    while (!peer.link->closed && qd_frame_reader_next(&reader, &bytes, &size, &frame, &frame_size) == QD_FRAME_OK) {
        fuzz_send_frame(&peer, frame, frame_size, rooms);
        fuzz_hear_out(&peer);
    }
    qd_frame_reader_deinit(&reader);
    sim_house_pass(&house, PASS_MS);
    fuzz_hear_out(&peer);
    sim_peer_close(&peer);
    sim_house_close(&house);
    return 0;
}

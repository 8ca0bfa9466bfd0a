/* SPDX-License-Identifier: Apache-2.0
 *
 * What the targets that feed the simulated server share: its rooms, and frames that may name them.
 */
#ifndef QD_TESTS_FUZZ_APP_FRAMES_H
#define QD_TESTS_FUZZ_APP_FRAMES_H

#include "proto/codec.h"
#include "proto/framing.h"
#include "sim/peer.h"

#define FRAME_BYTES_MAX (1u << 20)
/* Enough for clocks to tick, and for an empty room to be closed. */
#define PASS_MS 50u
#define ROOMS   3

static const qd_msg_room_config fuzz_deep = {
    .dimensions = 3, .tick_mode = QD_TICK_MODE_STEP, .bounds.max_z = 100, .swept = true};
static const qd_msg_room_config fuzz_lockstep = {.tick_mode = QD_TICK_MODE_STEP, .writers = 2, .step_deadline_ms = 10};

static inline void fuzz_open_rooms(sim_peer *peer, uint64_t rooms[ROOMS])
{
    rooms[0] = sim_peer_open_room(peer, "lockstep", &fuzz_lockstep);
    rooms[1] = sim_peer_open_room(peer, "flat", NULL);
    rooms[2] = sim_peer_open_room(peer, "deep", &fuzz_deep);
}

/* As it is, except that it may name a room that is there. */
static inline void fuzz_send_frame(sim_peer *peer, const uint8_t *frame, size_t size, const uint64_t rooms[ROOMS])
{
    qd_decoded_client decoded;

    if (qd_decode_client(frame, size, NULL, &decoded) == QD_DECODE_OK) {
        qd_client_message message = decoded.message;

        if (sim_names_room(message.kind) && message.as.room.room != 0) {
            message.as.room.room = rooms[message.as.room.room % ROOMS];
        }
        uint64_t parts[QD_MOVE_PARTS_MAX];
        if (message.kind == QD_CLIENT_MOVE_ROOMS && message.as.move_rooms.part_count <= QD_MOVE_PARTS_MAX) {
            for (uint32_t i = 0; i < message.as.move_rooms.part_count; i++) {
                parts[i] = rooms[message.as.move_rooms.part_room[i] % ROOMS];
            }
            message.as.move_rooms.part_room = parts;
        }
        sim_peer_send(peer, message);
    } else {
        uint8_t prefix[QD_FRAME_PREFIX_BYTES_MAX];

        sim_link_write(peer->link, prefix, qd_frame_prefix_write((uint32_t)size, prefix));
        sim_link_write(peer->link, frame, size);
    }
    qd_decoded_client_release(&decoded, NULL);
}

/* Lets everything happen, and reads what came. */
static inline void fuzz_hear_out(sim_peer *peer)
{
    sim_house_settle(peer->house);
    while (sim_peer_next(peer) != NULL) {
    }
}

#endif

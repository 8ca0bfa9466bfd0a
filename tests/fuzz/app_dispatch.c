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

#include "fuzz/fuzz.h"
#include "proto/codec.h"
#include "proto/framing.h"
#include "server/base/log.h"
#include "sim/peer.h"

#define FRAME_BYTES_MAX (1u << 20)
/* Enough for clocks to tick, and for an empty room to be closed. */
#define PASS_MS 50u

static const qd_msg_room_config deep = {
    .dimensions = 3, .tick_mode = QD_TICK_MODE_STEP, .bounds.max_z = 100, .swept = true};
static const qd_msg_room_config lockstep = {.tick_mode = QD_TICK_MODE_STEP, .writers = 2, .step_deadline_ms = 10};

#define ROOMS 3

/* As it is, but that it may name a room that is there. */
static void send_frame(sim_peer *peer, const uint8_t *frame, size_t size, const uint64_t rooms[ROOMS])
{
    qd_decoded_client decoded;

    if (qd_decode_client(frame, size, NULL, &decoded) == QD_DECODE_OK) {
        qd_client_message message = decoded.message;

        if (sim_names_room(message.kind) && message.as.room.room != 0) {
            message.as.room.room = rooms[message.as.room.room % ROOMS];
        }
        sim_peer_send(peer, message);
    } else {
        uint8_t prefix[QD_FRAME_PREFIX_BYTES_MAX];

        sim_link_write(peer->link, prefix, qd_frame_prefix_write((uint32_t)size, prefix));
        sim_link_write(peer->link, frame, size);
    }
    qd_decoded_client_release(&decoded, NULL);
}

static void hear_out(sim_peer *peer)
{
    sim_house_settle(peer->house);
    while (sim_peer_next(peer) != NULL) {
    }
}

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
    sim_house_open(&house, 1, &(qd_limits){.entities_max = 4096, .events_max = 4096, .rooms_max = 8});
    leave_something_behind(&house);
    sim_peer_open(&peer, &house, "token");
    const uint64_t rooms[ROOMS] = {sim_peer_open_room(&peer, "lockstep", &lockstep),
                                   sim_peer_open_room(&peer, "flat", NULL), sim_peer_open_room(&peer, "deep", &deep)};

    qd_frame_reader_init(&reader, FRAME_BYTES_MAX, NULL);
    while (!peer.link->closed && qd_frame_reader_next(&reader, &bytes, &size, &frame, &frame_size) == QD_FRAME_OK) {
        send_frame(&peer, frame, frame_size, rooms);
        hear_out(&peer);
    }
    qd_frame_reader_deinit(&reader);
    sim_house_pass(&house, PASS_MS);
    hear_out(&peer);
    sim_peer_close(&peer);
    sim_house_close(&house);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Two sessions of one token at once in a simulated server. The bytes are frames with a byte before each, which says
 * whose it is and what happens then:
 *
 *     bit 0       which of the sessions sends it
 *     bit 1       it is sent as it is, without a room that is there
 *     bit 2       the server works before the next frame comes
 *     bit 3       time passes before that
 *     bits 4-7    15: the connection is dropped, with half of the frame, and another one comes; 14: the session does
 *                 not read what has come
 *
 * When both have ended, the server must stop, and nothing may be left of it.
 */
#include <string.h>

#include "fuzz/app_frames.h"
#include "fuzz/fuzz.h"
#include "server/base/log.h"

enum { WHO = 1, AS_IT_IS = 2, WORKS = 4, TIME_PASSES = 8, IS_DROPPED = 15, READS_NOT = 14 };

typedef struct pair {
    sim_house house;
    sim_peer peers[2];
    uint64_t rooms[2][ROOMS];
} pair;

static void join(pair *both, unsigned who)
{
    sim_peer_open(&both->peers[who], &both->house, "token");
    fuzz_open_rooms(&both->peers[who], both->rooms[who]);
}

/* After a connection that has ended. Its requests may fail: the rooms may be others by now. */
static void come_back(pair *both, unsigned who)
{
    static const char *const names[ROOMS] = {"lockstep", "flat", "deep"};
    sim_peer *peer = &both->peers[who];

    sim_peer_close(peer);
    sim_peer_connect(peer, &both->house);
    sim_peer_send(peer, MESSAGE(HELLO, .hello = {.version = QD_PROTOCOL_VERSION, .token = "token"}));
    for (unsigned i = 0; i < ROOMS; i++) {
        sim_peer_send(peer, MESSAGE(OPEN_ROOM, .open_room = {.name = names[i]}));
    }
}

static void send_raw(const sim_peer *peer, const uint8_t *frame, size_t size)
{
    uint8_t prefix[QD_FRAME_PREFIX_BYTES_MAX];

    sim_link_write(peer->link, prefix, qd_frame_prefix_write((uint32_t)size, prefix));
    sim_link_write(peer->link, frame, size);
}

static void play(pair *both, uint8_t control, const uint8_t *frame, size_t size)
{
    unsigned who = control & WHO;
    sim_peer *peer = &both->peers[who];

    if (peer->link->closed) {
        come_back(both, who);
    }
    if (control & AS_IT_IS) {
        send_raw(peer, frame, size);
    } else {
        fuzz_send_frame(peer, frame, size, both->rooms[who]);
    }
    if (control >> 4 == IS_DROPPED) {
        peer->link->in_size -= peer->link->in_size < size / 2 ? 0 : size / 2;
        come_back(both, who);
    } else if (control & WORKS && control >> 4 != READS_NOT) {
        fuzz_hear_out(peer);
    } else if (control & WORKS) {
        sim_house_settle(&both->house);
    }
    if (control & TIME_PASSES) {
        sim_house_pass(&both->house, 1);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static pair both;
    qd_frame_reader reader;
    qd_frame_result result = QD_FRAME_OK;

    qd_log_level_set(QD_LOG_ERROR);
    sim_house_open(&both.house, &(qd_limits){.entities_max = 4096, .events_max = 4096, .rooms_max = 8});
    join(&both, 0);
    join(&both, 1);
    qd_frame_reader_init(&reader, FRAME_BYTES_MAX, NULL);
    while (result == QD_FRAME_OK && size > 0) {
        const uint8_t control = *bytes++, *frame;
        size_t frame_size;

        size--;
        result = qd_frame_reader_next(&reader, &bytes, &size, &frame, &frame_size);
        if (result == QD_FRAME_OK) {
            play(&both, control, frame, frame_size);
        }
    }
    qd_frame_reader_deinit(&reader);
    sim_house_pass(&both.house, PASS_MS);
    for (unsigned who = 0; who < 2; who++) {
        fuzz_hear_out(&both.peers[who]);
        sim_peer_close(&both.peers[who]);
    }
    sim_house_close(&both.house);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Golden vectors of the messages about sessions and what is theirs.
 */
#include "golden.h"

static const uint32_t id[] = {1, UINT32_MAX};

static const client_golden client_goldens[] = {
    {"handover",
     "seq: 1 handover { room: 300 id: [1, 4294967295] session: 5000000000 }",
     "0801d2011308ac02120801000000ffffffff1880e497d012",
     {.seq = 1, .kind = QD_CLIENT_HANDOVER, .as.handover = {.room = 300, .count = 2, .id = id, .session = 5000000000}}},
    {"handover_room",
     "seq: 2 handover { room: 300 id: [1, 4294967295] room_owned: true }",
     "0802d2010f08ac02120801000000ffffffff2001",
     {.seq = 2, .kind = QD_CLIENT_HANDOVER, .as.handover = {.room = 300, .count = 2, .id = id, .room_owned = true}}},
    {"ack",
     "seq: 3 ack { room: 300 tick: 18446744073709551615 }",
     "0803da010e08ac0210ffffffffffffffffff01",
     {.seq = 3, .kind = QD_CLIENT_ACK, .as.step = {.room = 300, .tick = UINT64_MAX}}},
    {"handover_default", "handover { }", "d20100", {.kind = QD_CLIENT_HANDOVER}},
};

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

int main(int argc, char **argv)
{
    golden_set set = {
        .client = client_goldens,
        .client_count = COUNT_OF(client_goldens),
        .client_first = QD_CLIENT_HANDOVER,
        .client_last = QD_CLIENT_ACK,
        .server_first = 1,
        .server_last = 0,
    };
    return golden_main(argc, argv, &set);
}

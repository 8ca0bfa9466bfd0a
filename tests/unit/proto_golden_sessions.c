/* SPDX-License-Identifier: Apache-2.0
 *
 * Golden vectors of the messages about sessions and their entities.
 */
#include "golden.h"

static const uint32_t id[] = {1, UINT32_MAX};
static const uint64_t session[] = {8, 5000000000};

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
    {"adopt",
     "seq: 4 adopt { room: 300 session: 5000000000 }",
     "0804e2010908ac021080e497d012",
     {.seq = 4, .kind = QD_CLIENT_ADOPT, .as.adopt = {.room = 300, .session = 5000000000}}},
    {"adopt_default", "adopt { }", "e20100", {.kind = QD_CLIENT_ADOPT}},
};

static const server_golden server_goldens[] = {
    {"handed_over",
     "seq: 5 handed_over { room: 300 id: [1, 4294967295] from: 5000000000 to: 6 connected: [8, 5000000000] "
     "connected_total: 70 last: true }",
     "08058a012b08ac02120801000000ffffffff1880e497d01220062a10080000000000000000f2052a0100000030463801",
     {.seq = 5,
      .kind = QD_SERVER_HANDED_OVER,
      .as.handed_over = {.room = 300,
                         .count = 2,
                         .id = id,
                         .from = 5000000000,
                         .to = 6,
                         .connected_listed = 2,
                         .connected = session,
                         .connected_count = 70,
                         .last = true}}},
    {"handed_over_default", "handed_over { }", "8a0100", {.kind = QD_SERVER_HANDED_OVER}},
};

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

int main(int argc, char **argv)
{
    golden_set set = {
        .client = client_goldens,
        .client_count = COUNT_OF(client_goldens),
        .client_first = QD_CLIENT_HANDOVER,
        .client_last = QD_CLIENT_ADOPT,
        .server = server_goldens,
        .server_count = COUNT_OF(server_goldens),
        .server_first = QD_SERVER_HANDED_OVER,
        .server_last = QD_SERVER_HANDED_OVER,
    };

    return golden_main(argc, argv, &set);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Golden vectors of the messages about rosters.
 */
#include "golden.h"

#include <math.h>

static const uint32_t id[] = {1, UINT32_MAX};
static const float x[] = {1.5f, -0.0f}, y[] = {-2.25f, INFINITY}, z[] = {1e-40f, 3};

static const client_golden client_goldens[] = {
    {"roster",
     "seq: 1 roster { room: 300 roster: 255 first: 7 id: [1, 4294967295] keep_rest: true }",
     "0801ea011408ac0210ff011807220801000000ffffffff2801",
     {.seq = 1,
      .kind = QD_CLIENT_ROSTER,
      .as.roster = {.room = 300, .roster = 255, .first = 7, .count = 2, .id = id, .keep_rest = true}}},
    {"roster_default", "roster { }", "ea0100", {.kind = QD_CLIENT_ROSTER}},
    {"roster_move",
     "seq: 2 roster_move { room: 300 roster: 255 first: 70000 x: [1.5, -0] y: [-2.25, inf] z: [1e-40, 3] teleport: "
     "true }",
     "0802f2012a08ac0210ff0118f0a20422080000c03f000000802a08000010c00000807f3208c2160100000040403801",
     {.seq = 2,
      .kind = QD_CLIENT_ROSTER_MOVE,
      .as.roster_move =
          {.room = 300, .roster = 255, .first = 70000, .count = 2, .x = x, .y = y, .z = z, .teleport = true}}},
    {"roster_move_flat",
     "seq: 3 roster_move { room: 1 x: [1.5, -0] y: [-2.25, inf] }",
     "0803f20116080122080000c03f000000802a08000010c00000807f",
     {.seq = 3, .kind = QD_CLIENT_ROSTER_MOVE, .as.roster_move = {.room = 1, .count = 2, .x = x, .y = y}}},
    {"roster_move_default", "roster_move { }", "f20100", {.kind = QD_CLIENT_ROSTER_MOVE}},
};

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

int main(int argc, char **argv)
{
    golden_set set = {
        .client = client_goldens,
        .client_count = COUNT_OF(client_goldens),
        .client_first = QD_CLIENT_ROSTER,
        .client_last = QD_CLIENT_ROSTER_MOVE,
        .server_first = 1,
        .server_last = 0,
    };

    return golden_main(argc, argv, &set);
}

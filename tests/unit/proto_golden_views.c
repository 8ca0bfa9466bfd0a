/* SPDX-License-Identifier: Apache-2.0
 *
 * Golden vectors of the messages about views.
 */
#include "golden.h"

static const uint32_t id[] = {1, UINT32_MAX}, entity[] = {3, 4}, other[] = {5, 6};
static const uint64_t tag[] = {7, UINT64_MAX}, session[] = {8, 5000000000};
static const uint8_t payload_size[] = {3, 1}, payload[] = {0, 1, 2, 255}, no_payload_size[] = {0, 0};
static const float x[] = {1.5f, -2.5f}, y[] = {3.5f, -4.5f}, z[] = {5.5f, -6.5f};
static const float half_x[] = {0.5f, 0.25f}, half_y[] = {1, 2}, half_z[] = {3, 4};
static const float direction_x[] = {1, 0}, direction_y[] = {0, -1}, direction_z[] = {2, 0.5f};
static const float radius[] = {5, 6}, range[] = {7, 8}, angle[] = {0.5f, 3}, leave_margin[] = {9, 0};
static const uint8_t region[] = {QD_REGION_BOX, QD_REGION_CONE}, flags[] = {1, 0}, unflags[] = {0, 1};
static const uint32_t category[] = {8, 9}, mask[] = {10, 11}, limit[] = {12, 0}, enter_budget[] = {0, 13};
static const uint32_t team[] = {14, 15};
static const uint8_t shape[] = {QD_SHAPE_BOX, QD_SHAPE_CAPSULE};
static const float relay_range[] = {10, 20, 30};
static const uint32_t relay_every[] = {1, 5, 1000};
static const uint8_t leave_reason[] = {QD_LEAVE_DESPAWNED, QD_LEAVE_LIMIT}, sight[] = {QD_SIGHT_SEEN, QD_SIGHT_NOT_YET};
static const double distance[] = {0.1, 1e300};

static const client_golden client_goldens[] = {
    {"describe",
     "seq: 1 describe { room: 300 id: [1, 4294967295] tag: [7, 18446744073709551615] payload: \"\\000\\001\\002\\377\" "
     "payload_size: \"\\003\\001\" visible_range: [7, 8] team: [14, 15] hidden: \"\\001\\000\" }",
     "08019a014108ac02120801000000ffffffff1a100700000000000000ffffffffffffffff2204000102ff2a02030132080000e040000000413"
     "a080e0000000f00000042020100",
     {.seq = 1,
      .kind = QD_CLIENT_DESCRIBE,
      .as.describe = {.room = 300,
                      .count = 2,
                      .id = id,
                      .tag = tag,
                      .payload_size = payload_size,
                      .payload = payload,
                      .visible_range = range,
                      .team = team,
                      .hidden = flags}}},
    {"describe_no_payload",
     "seq: 2 describe { room: 300 id: [1, 4294967295] payload_size: \"\\000\\000\" }",
     "08029a011108ac02120801000000ffffffff2a020000",
     {.seq = 2,
      .kind = QD_CLIENT_DESCRIBE,
      .as.describe = {.room = 300, .count = 2, .id = id, .payload_size = no_payload_size}}},
    {"describe_empty",
     "describe { room: 300 }",
     "9a010308ac02",
     {.kind = QD_CLIENT_DESCRIBE, .as.describe = {.room = 300}}},
    {"observe",
     "seq: 3 observe { room: 300 id: [1, 4294967295] region: \"\\002\\003\" anchored: \"\\001\\000\" entity: [3, 4] x: "
     "[1.5, -2.5] y: [3.5, -4.5] z: [5.5, -6.5] range: [7, 8] half_x: [0.5, 0.25] half_y: [1, 2] half_z: [3, 4] "
     "direction_x: [1, 0] direction_y: [0, -1] direction_z: [2, 0.5] angle: [0.5, 3] leave_margin: [9, 0] mask: [10, "
     "11] limit: [12, 0] enter_budget: [0, 13] team: [14, 15] sees_self: \"\\000\\001\" relay_range: [10, 20, 30] "
     "relay_every: [1, 5, 1000] }",
     "0803a201e80108ac02120801000000ffffffff1a020203220201002a08030000000400000032080000c03f000020c03a0800006040000090c"
     "042080000b0400000d0c04a080000e0400000004152080000003f0000803e5a080000803f00000040620800004040000080406a080000803f"
     "00000000720800000000000080bf7a08000000400000003f8201080000003f000040408a010800001041000000009201080a0000000b00000"
     "09a01080c00000000000000a20108000000000d000000aa01080e0000000f000000b201020001ba010c000020410000a0410000f041c2010c"
     "0100000005000000e8030000",
     {.seq = 3,
      .kind = QD_CLIENT_OBSERVE,
      .as.observers = {.room = 300,
                       .count = 2,
                       .id = id,
                       .region = region,
                       .anchored = flags,
                       .entity = entity,
                       .x = x,
                       .y = y,
                       .z = z,
                       .range = range,
                       .half_x = half_x,
                       .half_y = half_y,
                       .half_z = half_z,
                       .direction_x = direction_x,
                       .direction_y = direction_y,
                       .direction_z = direction_z,
                       .angle = angle,
                       .leave_margin = leave_margin,
                       .mask = mask,
                       .limit = limit,
                       .enter_budget = enter_budget,
                       .team = team,
                       .sees_self = unflags,
                       .tier_count = 3,
                       .relay_range = relay_range,
                       .relay_every = relay_every}}},
    {"observe_plain",
     "seq: 4 observe { room: 300 id: [1, 4294967295] entity: [3, 4] range: [7, 8] }",
     "0804a2012108ac02120801000000ffffffff2a0803000000040000004a080000e04000000041",
     {.seq = 4,
      .kind = QD_CLIENT_OBSERVE,
      .as.observers = {.room = 300, .count = 2, .id = id, .entity = entity, .range = range}}},
    {"observe_tiers_alone",
     "seq: 5 observe { relay_range: [10, 20, 30] relay_every: [1, 5, 1000] }",
     "0805a2011eba010c000020410000a0410000f041c2010c0100000005000000e8030000",
     {.seq = 5,
      .kind = QD_CLIENT_OBSERVE,
      .as.observers = {.tier_count = 3, .relay_range = relay_range, .relay_every = relay_every}}},
    {"move_observers",
     "seq: 6 move_observers { room: 300 id: [1, 4294967295] x: [1.5, -2.5] y: [3.5, -4.5] z: [5.5, -6.5] direction_x: "
     "[1, 0] direction_y: [0, -1] direction_z: [2, 0.5] }",
     "0806aa014908ac02120801000000ffffffff1a080000c03f000020c0220800006040000090c02a080000b0400000d0c032080000803f00000"
     "0003a0800000000000080bf4208000000400000003f",
     {.seq = 6,
      .kind = QD_CLIENT_MOVE_OBSERVERS,
      .as.observers = {.room = 300,
                       .count = 2,
                       .id = id,
                       .x = x,
                       .y = y,
                       .z = z,
                       .direction_x = direction_x,
                       .direction_y = direction_y,
                       .direction_z = direction_z}}},
    {"unobserve",
     "seq: 7 unobserve { room: 300 id: [1, 4294967295] }",
     "0807b2010d08ac02120801000000ffffffff",
     {.seq = 7, .kind = QD_CLIENT_UNOBSERVE, .as.observers = {.room = 300, .count = 2, .id = id}}},
    {"except",
     "seq: 8 exceptions { room: 300 observer: 4294967295 show: [10, 11] hide: [14, 15] }",
     "0808ba011c08ac0215ffffffff1a080a0000000b00000022080e0000000f000000",
     {.seq = 8,
      .kind = QD_CLIENT_EXCEPT,
      .as.except =
          {.room = 300, .observer = UINT32_MAX, .show_count = 2, .show = mask, .hide_count = 2, .hide = team}}},
    {"except_nobody",
     "seq: 9 exceptions { room: 300 observer: 1 }",
     "0809ba010808ac021501000000",
     {.seq = 9, .kind = QD_CLIENT_EXCEPT, .as.except = {.room = 300, .observer = 1}}},
    {"view_options",
     "seq: 10 view_options { room: 300 bytes_max: 5000 watch: WATCH_ALL }",
     "080ac2010808ac021088271803",
     {.seq = 10,
      .kind = QD_CLIENT_VIEW_OPTIONS,
      .as.view_options = {.room = 300, .bytes_max = 5000, .watch = QD_WATCH_ALL}}},
    {"why",
     "seq: 11 why { room: 300 a: 1 observer: true b: 4294967295 }",
     "080bca010f08ac021501000000180125ffffffff",
     {.seq = 11, .kind = QD_CLIENT_WHY, .as.why = {.room = 300, .a = 1, .b = UINT32_MAX, .observer = true}}},
    {"why_default", "why { }", "ca0100", {.kind = QD_CLIENT_WHY}},
};

static const server_golden server_goldens[] = {
    {"view",
     "view { room: 300 tick: 5000000000 last: true reset: true reset_watchers: true leave_observer: [1, 4294967295] "
     "leave_id: [3, 4] leave_reason: \"\\004\\012\" enter_observer: [1, 4294967295] enter_id: [5, 6] enter_x: [1.5, "
     "-2.5] enter_y: [3.5, -4.5] enter_z: [5.5, -6.5] enter_half_x: [0.5, 0.25] enter_half_y: [1, 2] enter_half_z: [3, "
     "4] enter_radius: [5, 6] enter_shape: \"\\001\\003\" enter_category: [8, 9] enter_tag: [7, 18446744073709551615] "
     "enter_payload_size: \"\\003\\001\" enter_payload: \"\\000\\001\\002\\377\" relay_observer: [3, 4] relay_id: [1, "
     "4294967295] relay_x: [1.5, -2.5] relay_y: [3.5, -4.5] relay_z: [5.5, -6.5] watcher_leave_entity: [5, 6] "
     "watcher_leave_session: [8, 5000000000] watcher_leave_observer: [3, 4] watcher_enter_entity: [3, 4] "
     "watcher_enter_session: [7, 18446744073709551615] watcher_enter_observer: [5, 6] }",
     "7abc0208ac021080e497d0121801200128013a0801000000ffffffff420803000000040000004a02040a520801000000ffffffff5a0805000"
     "0000600000062080000c03f000020c06a0800006040000090c072080000b0400000d0c07a080000003f0000803e8201080000803f00000040"
     "8a010800004040000080409201080000a0400000c0409a01020103a201080800000009000000aa01100700000000000000fffffffffffffff"
     "fb201020301ba0104000102ffc201080300000004000000ca010801000000ffffffffd201080000c03f000020c0da010800006040000090c0"
     "e201080000b0400000d0c0ea01080500000006000000f20110080000000000000000f2052a01000000fa01080300000004000000820208030"
     "00000040000008a02100700000000000000ffffffffffffffff9202080500000006000000",
     {.kind = QD_SERVER_VIEW,
      .as.view = {.room = 300,
                  .tick = 5000000000,
                  .last = true,
                  .reset = true,
                  .reset_watchers = true,
                  .leave_count = 2,
                  .leave_observer = id,
                  .leave_id = entity,
                  .leave_reason = leave_reason,
                  .enter_count = 2,
                  .enter_observer = id,
                  .enter = {.count = 2,
                            .id = other,
                            .x = x,
                            .y = y,
                            .z = z,
                            .half_x = half_x,
                            .half_y = half_y,
                            .half_z = half_z,
                            .radius = radius,
                            .shape = shape,
                            .category = category},
                  .enter_tag = tag,
                  .enter_payload_size = payload_size,
                  .enter_payload = payload,
                  .relay_count = 2,
                  .relay_observer = entity,
                  .relay_id = id,
                  .relay_x = x,
                  .relay_y = y,
                  .relay_z = z,
                  .watcher_leave_count = 2,
                  .watcher_leave_entity = other,
                  .watcher_leave_session = session,
                  .watcher_leave_observer = entity,
                  .watcher_enter_count = 2,
                  .watcher_enter_entity = entity,
                  .watcher_enter_session = tag,
                  .watcher_enter_observer = other}}},
    {"view_suspended",
     "view { room: 300 tick: 7 last: true suspended: true }",
     "7a0908ac02100718013001",
     {.kind = QD_SERVER_VIEW, .as.view = {.room = 300, .tick = 7, .last = true, .suspended = true}}},
    {"view_merged",
     "view { room: 300 tick: 7 last: true reset: true merged_ticks: 5000000000 }",
     "7a1008ac02100718012001980280e497d012",
     {.kind = QD_SERVER_VIEW,
      .as.view = {.room = 300, .tick = 7, .last = true, .reset = true, .merged_ticks = 5000000000}}},
    {"view_plain_enters",
     "view { room: 300 tick: 7 enter_observer: [1, 4294967295] enter_id: [5, 6] enter_x: [1.5, -2.5] enter_y: [3.5, "
     "-4.5] }",
     "7a2d08ac021007520801000000ffffffff5a08050000000600000062080000c03f000020c06a0800006040000090c0",
     {.kind = QD_SERVER_VIEW,
      .as.view = {.room = 300,
                  .tick = 7,
                  .enter_count = 2,
                  .enter_observer = id,
                  .enter = {.count = 2, .id = other, .x = x, .y = y}}}},
    {"why_result",
     "seq: 11 why_result { room: 300 tick: 5000000000 session: [8, 5000000000] observer: [3, 4] sight: \"\\001\\015\" "
     "distance: [0.1, 1e+300] range: [7, 8] leave_margin: [9, 0] limit: [12, 0] seen: [14, 15] more: true }",
     "080b82016508ac021080e497d0121a10080000000000000000f2052a01000000220803000000040000002a02010d32109a9999999999b93f9"
     "c7500883ce4377e3a080000e04000000041420800001041000000004a080c0000000000000052080e0000000f0000005801",
     {.seq = 11,
      .kind = QD_SERVER_WHY_RESULT,
      .as.why_result = {.room = 300,
                        .tick = 5000000000,
                        .count = 2,
                        .session = session,
                        .observer = entity,
                        .sight = sight,
                        .distance = distance,
                        .range = range,
                        .leave_margin = leave_margin,
                        .limit = limit,
                        .seen = team,
                        .more = true}}},
};

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

int main(int argc, char **argv)
{
    golden_set set = {
        .client = client_goldens,
        .client_count = COUNT_OF(client_goldens),
        .client_first = QD_CLIENT_DESCRIBE,
        .client_last = QD_CLIENT_WHY,
        .server = server_goldens,
        .server_count = COUNT_OF(server_goldens),
        .server_first = QD_SERVER_VIEW,
        .server_last = QD_SERVER_WHY_RESULT,
    };

    return golden_main(argc, argv, &set);
}

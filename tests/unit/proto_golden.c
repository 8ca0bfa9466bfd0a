/* SPDX-License-Identifier: Apache-2.0
 *
 * Golden vectors of the messages that no other proto_golden_*.c has.
 */
#include "golden.h"

static const uint32_t id[] = {1, UINT32_MAX};
static const float x[] = {1.5f, -2.5f}, y[] = {3.5f, -4.5f}, z[] = {5.5f, -6.5f};
static const float half_x[] = {0.5f, 0.25f}, half_y[] = {1, 2}, half_z[] = {3, 4};
static const float radius[] = {5, 6};
static const uint8_t shape[] = {QD_SHAPE_BOX, QD_SHAPE_CAPSULE};
static const uint32_t category[] = {8, 9}, mask[] = {10, 11};
static const double distance[] = {0.1, 1e300};

#define IDS     .id = id
#define CENTRES .x = x, .y = y, .z = z
#define SHAPES                                                                                                         \
    .half_x = half_x, .half_y = half_y, .half_z = half_z, .radius = radius, .shape = shape, .category = category,      \
    .mask = mask
#define BOUNDS                                                                                                         \
    {                                                                                                                  \
        .min_x = -1, .min_y = -2, .min_z = -3, .max_x = 4, .max_y = 5, .max_z = 6                                      \
    }

static const qd_msg_room_info rooms[] = {
    {.name = "lobby",
     .tick_mode = QD_TICK_MODE_CLOCK,
     .tick_hz = 20,
     .tick = 5000000000,
     .entities = 300,
     .sessions = 4},
    {.name = ""},
    {.name = "plaza", .tick_mode = QD_TICK_MODE_STEP},
};

static const uint32_t end_a[] = {1, 2}, end_b[] = {3, UINT32_MAX};
static const uint8_t end_reason[] = {QD_END_DESPAWNED, QD_END_MOVED_APART};
static const uint32_t begin_a[] = {4, 5, 6}, begin_b[] = {7, 8, 9};
static const uint32_t passed_a[] = {12, 13}, passed_b[] = {14, 15};
static const uint32_t stay_a[] = {10}, stay_b[] = {11};
static const uint32_t one[] = {1}, two[] = {2};
static const uint8_t key[] = {1, 0, 255};
static const uint64_t late[] = {5000000000, 7};
static const uint32_t entry_index[] = {4, 299};
static const uint8_t entry_code[] = {QD_ERROR_UNKNOWN_ID, QD_ERROR_UNKNOWN_SHAPE};

static const client_golden client_goldens[] = {
    {"empty", "", "", {.kind = QD_CLIENT_NOTHING}},
    {"seq_alone", "seq: 4294967295", "08ffffffff0f", {.seq = UINT32_MAX, .kind = QD_CLIENT_NOTHING}},
    {"hello",
     "seq: 1 hello { version: 1 token: \"secret\" client: \"arena/2.1\" resumable: true resume: \"\\001\\000\\377\" }",
     "0801121c080112067365637265741a096172656e612f322e3120012a030100ff",
     {.seq = 1,
      .kind = QD_CLIENT_HELLO,
      .as.hello = {.version = 1, .token = "secret", .client = "arena/2.1", .resumable = true, .resume = {3, key}}}},
    {"hello_default", "hello { }", "1200", {.kind = QD_CLIENT_HELLO}},
    {"open_room",
     "seq: 2 open_room { name: \"plaza \\303\\251\" config { dimensions: 2 bounds { min_x: -1 min_y: -2 min_z: -3 "
     "max_x: 4 max_y: 5 max_z: 6 } tick_mode: TICK_MODE_STEP tick_hz: 30 depth: 7 entities_max: 100000 events_max: "
     "200000 grace_ms: 300 empty_close_ms: 400 index: INDEX_SPARSE prune: PRUNE_WALK swept: true cell_size: 2.5 "
     "observers_max: 500 sightings_max: 600 writers: 3 step_deadline_ms: 500 } }",
     "08021a5a0a08706c617a6120c3a9124e0802121e0d000080bf15000000c01d000040c025000080402d0000a040350000c0401802201e28073"
     "0a08d0638c09a0c40ac024890035004580360016d0000204070f40378d8048001038801f403",
     {.seq = 2,
      .kind = QD_CLIENT_OPEN_ROOM,
      .as.open_room = {.name = "plaza \303\251",
                       .has_config = true,
                       .config = {.dimensions = 2,
                                  .has_bounds = true,
                                  .bounds = BOUNDS,
                                  .tick_mode = QD_TICK_MODE_STEP,
                                  .tick_hz = 30,
                                  .depth = 7,
                                  .entities_max = 100000,
                                  .events_max = 200000,
                                  .grace_ms = 300,
                                  .empty_close_ms = 400,
                                  .index = QD_INDEX_SPARSE,
                                  .prune = QD_PRUNE_WALK,
                                  .swept = true,
                                  .cell_size = 2.5f,
                                  .observers_max = 500,
                                  .sightings_max = 600,
                                  .writers = 3,
                                  .step_deadline_ms = 500}}}},
    {"open_room_join",
     "seq: 3 open_room { name: \"plaza\" }",
     "08031a070a05706c617a61",
     {.seq = 3, .kind = QD_CLIENT_OPEN_ROOM, .as.open_room = {.name = "plaza"}}},
    {"open_room_default",
     "open_room { config { bounds { } } }",
     "1a0412021200",
     {.kind = QD_CLIENT_OPEN_ROOM, .as.open_room = {.has_config = true, .config = {.has_bounds = true}}}},
    {"leave_room",
     "seq: 4 leave_room { room: 9007199254740991 }",
     "0804220908ffffffffffffff0f",
     {.seq = 4, .kind = QD_CLIENT_LEAVE_ROOM, .as.room = {9007199254740991}}},
    {"close_room",
     "seq: 5 close_room { room: 300 }",
     "08052a0308ac02",
     {.seq = 5, .kind = QD_CLIENT_CLOSE_ROOM, .as.room = {300}}},
    {"list_rooms",
     "seq: 6 list_rooms { after: \"plaza\" limit: 500 }",
     "0806320a0a05706c617a6110f403",
     {.seq = 6, .kind = QD_CLIENT_LIST_ROOMS, .as.list_rooms = {.after = "plaza", .limit = 500}}},
    {"spawn",
     "seq: 7 spawn { room: 300 id: [1, 4294967295] x: [1.5, -2.5] y: [3.5, -4.5] z: [5.5, -6.5] half_x: [0.5, 0.25] "
     "half_y: [1, 2] half_z: [3, 4] shape: \"\\001\\003\" category: [8, 9] mask: [10, 11] room_owned: true radius: [5, "
     "6] }",
     "08073a6d08ac02120801000000ffffffff1a080000c03f000020c0220800006040000090c02a080000b0400000d0c032080000003f0000803"
     "e3a080000803f00000040420800004040000080404a020103520808000000090000005a080a0000000b00000060016a080000a0400000c04"
     "0",
     {.seq = 7,
      .kind = QD_CLIENT_SPAWN,
      .as.batch = {.room = 300, .room_owned = true, .entities = {.count = 2, IDS, CENTRES, SHAPES}}}},
    {"spawn_plain",
     "seq: 8 spawn { room: 300 id: [1, 4294967295] x: [1.5, -2.5] y: [3.5, -4.5] }",
     "08083a2108ac02120801000000ffffffff1a080000c03f000020c0220800006040000090c0",
     {.seq = 8, .kind = QD_CLIENT_SPAWN, .as.batch = {.room = 300, .entities = {.count = 2, IDS, .x = x, .y = y}}}},
    {"spawn_empty",
     "seq: 9 spawn { room: 300 }",
     "08093a0308ac02",
     {.seq = 9, .kind = QD_CLIENT_SPAWN, .as.batch = {.room = 300}}},
    {"move",
     "seq: 10 move { room: 300 id: [1, 4294967295] x: [1.5, -2.5] y: [3.5, -4.5] z: [5.5, -6.5] }",
     "080a422b08ac02120801000000ffffffff1a080000c03f000020c0220800006040000090c02a080000b0400000d0c0",
     {.seq = 10, .kind = QD_CLIENT_MOVE, .as.batch = {.room = 300, .entities = {.count = 2, IDS, CENTRES}}}},
    {"teleport",
     "seq: 11 teleport { room: 300 id: [1, 4294967295] x: [1.5, -2.5] y: [3.5, -4.5] z: [5.5, -6.5] }",
     "080b4a2b08ac02120801000000ffffffff1a080000c03f000020c0220800006040000090c02a080000b0400000d0c0",
     {.seq = 11, .kind = QD_CLIENT_TELEPORT, .as.batch = {.room = 300, .entities = {.count = 2, IDS, CENTRES}}}},
    {"reshape",
     "seq: 12 reshape { room: 300 id: [1, 4294967295] half_x: [0.5, 0.25] half_y: [1, 2] half_z: [3, 4] shape: "
     "\"\\001\\003\" category: [8, 9] mask: [10, 11] radius: [5, 6] }",
     "080c524d08ac02120801000000ffffffff1a080000003f0000803e22080000803f000000402a080000404000008040320201033a080800000"
     "00900000042080a0000000b0000004a080000a0400000c040",
     {.seq = 12, .kind = QD_CLIENT_RESHAPE, .as.batch = {.room = 300, .entities = {.count = 2, IDS, SHAPES}}}},
    {"despawn",
     "seq: 13 despawn { room: 300 id: [1, 4294967295] }",
     "080d5a0d08ac02120801000000ffffffff",
     {.seq = 13, .kind = QD_CLIENT_DESPAWN, .as.batch = {.room = 300, .entities = {.count = 2, IDS}}}},
    {"subscribe",
     "seq: 14 subscribe { room: 300 scope: SCOPE_OWN stays: true }",
     "080e620708ac0210021801",
     {.seq = 14, .kind = QD_CLIENT_SUBSCRIBE, .as.subscribe = {.room = 300, .scope = QD_SCOPE_OWN, .stays = true}}},
    {"unsubscribe",
     "seq: 15 unsubscribe { room: 300 }",
     "080f6a0308ac02",
     {.seq = 15, .kind = QD_CLIENT_UNSUBSCRIBE, .as.room = {300}}},
    {"snapshot",
     "seq: 16 snapshot { room: 300 region { min_x: -1 min_y: -2 min_z: -3 max_x: 4 max_y: 5 max_z: 6 } limit: 7 }",
     "0810722508ac02121e0d000080bf15000000c01d000040c025000080402d0000a040350000c0401807",
     {.seq = 16,
      .kind = QD_CLIENT_SNAPSHOT,
      .as.snapshot = {.room = 300, .has_region = true, .region = BOUNDS, .limit = 7}}},
    {"snapshot_all",
     "seq: 17 snapshot { room: 300 }",
     "0811720308ac02",
     {.seq = 17, .kind = QD_CLIENT_SNAPSHOT, .as.snapshot = {.room = 300}}},
    {"snapshot_own",
     "seq: 15 snapshot { room: 300 own: true }",
     "080f720508ac022001",
     {.seq = 15, .kind = QD_CLIENT_SNAPSHOT, .as.snapshot = {.room = 300, .own = true}}},
    {"step",
     "seq: 18 step { room: 300 tick: 18446744073709551615 }",
     "08127a0e08ac0210ffffffffffffffffff01",
     {.seq = 18, .kind = QD_CLIENT_STEP, .as.step = {.room = 300, .tick = UINT64_MAX}}},
    {"get_stats",
     "seq: 19 get_stats { room: 300 }",
     "081382010308ac02",
     {.seq = 19, .kind = QD_CLIENT_GET_STATS, .as.room = {300}}},
    {"ping",
     "seq: 20 ping { data: 72623859790382856 }",
     "08148a0109090807060504030201",
     {.seq = 20, .kind = QD_CLIENT_PING, .as.ping = {0x0102030405060708}}},
    {"query_box",
     "seq: 21 query { room: 300 box { min_x: -1 min_y: -2 min_z: -3 max_x: 4 max_y: 5 max_z: 6 } categories: 3 limit: "
     "7 }",
     "081592012a08ac02121e0d000080bf15000000c01d000040c025000080402d0000a040350000c04035030000003807",
     {.seq = 21,
      .kind = QD_CLIENT_QUERY,
      .as.query = {.room = 300, .kind = QD_QUERY_BOX, .where.box = BOUNDS, .categories = 3, .limit = 7}}},
    {"query_circle",
     "seq: 22 query { room: 300 circle { x: 1 y: 2 z: 3 radius: 4 } }",
     "081692011908ac021a140d0000803f15000000401d000040402500008040",
     {.seq = 22,
      .kind = QD_CLIENT_QUERY,
      .as.query = {.room = 300, .kind = QD_QUERY_CIRCLE, .where.circle = {.x = 1, .y = 2, .z = 3, .radius = 4}}}},
    {"query_nearest",
     "seq: 23 query { room: 300 nearest { x: 1 y: 2 z: 3 within: 4 } limit: 5 }",
     "081792011b08ac0222140d0000803f15000000401d0000404025000080403805",
     {.seq = 23,
      .kind = QD_CLIENT_QUERY,
      .as.query =
          {.room = 300, .kind = QD_QUERY_NEAREST, .where.nearest = {.x = 1, .y = 2, .z = 3, .within = 4}, .limit = 5}}},
    {"query_ray",
     "seq: 24 query { room: 300 ray { x: 1 y: 2 z: 3 direction_x: 4 direction_y: 5 direction_z: 6 length: 7 } "
     "categories: 4294967295 }",
     "081892012d08ac022a230d0000803f15000000401d0000404025000080402d0000a040350000c0403d0000e04035ffffffff",
     {.seq = 24,
      .kind = QD_CLIENT_QUERY,
      .as.query =
          {.room = 300,
           .kind = QD_QUERY_RAY,
           .where.ray = {.x = 1, .y = 2, .z = 3, .direction_x = 4, .direction_y = 5, .direction_z = 6, .length = 7},
           .categories = UINT32_MAX}}},
    {"query_default", "query { }", "920100", {.kind = QD_CLIENT_QUERY}},
};

static const server_golden server_goldens[] = {
    {"empty", "", "", {.kind = QD_SERVER_NOTHING}},
    {"welcome",
     "seq: 1 welcome { version: 1 server: \"quadrille-server 0.1.0\" session: 5000000000 limits { frame_bytes_max: "
     "4194304 rooms_max: 65536 entities_max: 300 events_max: 400 name_bytes_max: 64 queue_bytes_max: 8388608 "
     "slow_ms_max: 5000 observers_max: 16384 sightings_max: 4194304 roster_ids_max: 5000 } resume_key: "
     "\"\\001\\000\\377\" resumed: true "
     "last_seq: 300 resume_ms: 10000 }",
     "08011254080112167175616472696c6c652d73657276657220302e312e301880e497d012222508808080021080800418ac022090032840308"
     "08080043888274080800148808080025088272a030100ff300138ac0240904e",
     {.seq = 1,
      .kind = QD_SERVER_WELCOME,
      .as.welcome = {.version = 1,
                     .server = "quadrille-server 0.1.0",
                     .session = 5000000000,
                     .resume_key = {3, key},
                     .resumed = true,
                     .last_seq = 300,
                     .resume_ms = 10000,
                     .limits = {.frame_bytes_max = 4194304,
                                .rooms_max = 65536,
                                .entities_max = 300,
                                .events_max = 400,
                                .name_bytes_max = 64,
                                .queue_bytes_max = 8388608,
                                .slow_ms_max = 5000,
                                .observers_max = 16384,
                                .sightings_max = 4194304,
                                .roster_ids_max = 5000}}}},
    {"welcome_default", "welcome { limits { } }", "12022200", {.kind = QD_SERVER_WELCOME}},
    {"room_opened",
     "seq: 2 room_opened { room: 300 name: \"plaza\" config { dimensions: 2 bounds { min_x: -1 min_y: -2 min_z: -3 "
     "max_x: 4 max_y: 5 max_z: 6 } tick_mode: TICK_MODE_CLOCK tick_hz: 20 depth: 7 entities_max: 100000 events_max: "
     "200000 grace_ms: 300 empty_close_ms: 400 index: INDEX_BRUTE prune: PRUNE_LAZY swept: true cell_size: 2.5 "
     "observers_max: 500 sightings_max: 600 writers: 3 step_deadline_ms: 500 } "
     "epoch: 72623859790382856 tick: 5000000000 created: true }",
     "08021a6b08ac021205706c617a611a4e0802121e0d000080bf15000000c01d000040c025000080402d0000a040350000c0401801201428073"
     "0a08d0638c09a0c40ac024890035007580460016d0000204070f40378d8048001038801f4032108070605040302012880e497d0123001",
     {.seq = 2,
      .kind = QD_SERVER_ROOM_OPENED,
      .as.room_opened = {.room = 300,
                         .name = "plaza",
                         .config = {.dimensions = 2,
                                    .has_bounds = true,
                                    .bounds = BOUNDS,
                                    .tick_mode = QD_TICK_MODE_CLOCK,
                                    .tick_hz = 20,
                                    .depth = 7,
                                    .entities_max = 100000,
                                    .events_max = 200000,
                                    .grace_ms = 300,
                                    .empty_close_ms = 400,
                                    .index = QD_INDEX_BRUTE,
                                    .prune = QD_PRUNE_LAZY,
                                    .swept = true,
                                    .cell_size = 2.5f,
                                    .observers_max = 500,
                                    .sightings_max = 600,
                                    .writers = 3,
                                    .step_deadline_ms = 500},
                         .epoch = 0x0102030405060708,
                         .tick = 5000000000,
                         .created = true}}},
    {"room_left",
     "seq: 3 room_left { room: 300 }",
     "0803220308ac02",
     {.seq = 3, .kind = QD_SERVER_ROOM_LEFT, .as.room_left = {300}}},
    {"room_closed",
     "seq: 4 room_closed { room: 300 reason: REASON_EMPTY }",
     "08042a0508ac021002",
     {.seq = 4, .kind = QD_SERVER_ROOM_CLOSED, .as.room_closed = {.room = 300, .reason = QD_ROOM_CLOSED_EMPTY}}},
    {"room_list",
     "seq: 5 room_list { rooms { name: \"lobby\" tick_mode: TICK_MODE_CLOCK tick_hz: 20 tick: 5000000000 entities: 300 "
     "sessions: 4 } rooms { } rooms { name: \"plaza\" tick_mode: TICK_MODE_STEP } more: true }",
     "080532270a160a056c6f626279100118142080e497d01228ac0230040a000a090a05706c617a6110021001",
     {.seq = 5, .kind = QD_SERVER_ROOM_LIST, .as.room_list = {.count = 3, .rooms = rooms, .more = true}}},
    {"room_list_empty", "seq: 6 room_list { }", "08063200", {.seq = 6, .kind = QD_SERVER_ROOM_LIST}},
    {"tick",
     "tick { room: 300 tick: 5000000000 reset: true last: true skipped: 3 suspended: true suspended_count: 6000000000 "
     "end_a: [1, 2] end_b: [3, 4294967295] end_reason: \"\\003\\007\" begin_a: [4, 5, 6] begin_b: [7, 8, 9] stay_a: 10 "
     "stay_b: 11 passed_a: [12, 13] passed_b: [14, 15] merged_ticks: 7000000000 passed_lost: true }",
     "3a7608ac021080e497d01218012001280330013880f882ad16420801000000020000004a0803000000ffffffff520203075a0c04000000050"
     "0000006000000620c0700000008000000090000006a040a00000072040b0000007a080c0000000d0000008201080e0000000f000000880180"
     "8cee891a900101",
     {.kind = QD_SERVER_TICK,
      .as.tick = {.room = 300,
                  .tick = 5000000000,
                  .reset = true,
                  .last = true,
                  .skipped = 3,
                  .suspended = true,
                  .suspended_count = 6000000000,
                  .ends = {2, end_a, end_b},
                  .end_reason = end_reason,
                  .begins = {3, begin_a, begin_b},
                  .passed = {2, passed_a, passed_b},
                  .stays = {1, stay_a, stay_b},
                  .merged_ticks = 7000000000,
                  .passed_lost = true}}},
    {"tick_begins",
     "tick { room: 300 tick: 7 last: true begin_a: 1 begin_b: 2 }",
     "3a1308ac02100720015a0401000000620402000000",
     {.kind = QD_SERVER_TICK, .as.tick = {.room = 300, .tick = 7, .last = true, .begins = {1, one, two}}}},
    {"applied",
     "seq: 7 applied { room: 300 tick: 5000000000 seq: 4294967295 late: [5000000000, 7] late_total: 300 }",
     "0807422408ac021080e497d01218ffffffff0f221000f2052a01000000070000000000000028ac02",
     {.seq = 7,
      .kind = QD_SERVER_APPLIED,
      .as.applied =
          {.room = 300, .tick = 5000000000, .seq = UINT32_MAX, .late_listed = 2, .late = late, .late_count = 300}}},
    {"snapshot_result",
     "seq: 8 snapshot_result { room: 300 tick: 7 id: [1, 4294967295] x: [1.5, -2.5] y: [3.5, -4.5] z: [5.5, -6.5] "
     "half_x: [0.5, 0.25] half_y: [1, 2] half_z: [3, 4] shape: \"\\001\\003\" category: [8, 9] mask: [10, 11] more: "
     "true last: true radius: [5, 6] }",
     "08084a7108ac0210071a0801000000ffffffff22080000c03f000020c02a0800006040000090c032080000b0400000d0c03a080000003f000"
     "0803e42080000803f000000404a080000404000008040520201035a08080000000900000062080a0000000b000000680170017a080000a040"
     "0000c040",
     {.seq = 8,
      .kind = QD_SERVER_SNAPSHOT_RESULT,
      .as.snapshot_result =
          {.room = 300, .tick = 7, .entities = {.count = 2, IDS, CENTRES, SHAPES}, .more = true, .last = true}}},
    {"stats",
     "seq: 9 stats { server { uptime_ms: 1000 sessions: 2 rooms: 3 workers: 4 memory_bytes: 5000000000 "
     "memory_bytes_max: 6000000000 ticks: 7 updates: 8 events: 9 bytes_in: 10 bytes_out: 11 errors: 12 too_slow: 13 "
     "parked: 14 resumed: 15 } "
     "room { room: "
     "300 tick: 13 entities: 14 sessions: 15 subscriptions: 16 updates: 17 begins: 18 ends: 19 ticks_skipped: 20 "
     "pairs: 21 tick_us_p50: 22.5 tick_us_p99: 23.5 tick_us_max: 24.5 memory_bytes: 25 depth: 8 index: INDEX_GRID "
     "passed: 5000000000 index_changes: 9 observers: 26 seen: 5000000001 enters: 27 leaves: 28 } }",
     "080952700a2708e8071002180320042880e497d0123080f882ad16380740084809500a580b600c680d700e780f124508ac02100d180e200f2"
     "810301138124013481450155d0000b441650000bc416d0000c44170197808800106880180e497d01290010998011aa00181e497d012a8011b"
     "b0011c",
     {.seq = 9,
      .kind = QD_SERVER_STATS,
      .as.stats = {.server = {.uptime_ms = 1000,
                              .sessions = 2,
                              .rooms = 3,
                              .workers = 4,
                              .memory_bytes = 5000000000,
                              .memory_bytes_max = 6000000000,
                              .ticks = 7,
                              .updates = 8,
                              .events = 9,
                              .bytes_in = 10,
                              .bytes_out = 11,
                              .errors = 12,
                              .too_slow = 13,
                              .parked = 14,
                              .resumed = 15},
                   .has_room = true,
                   .room = {.room = 300,
                            .tick = 13,
                            .entities = 14,
                            .sessions = 15,
                            .subscriptions = 16,
                            .updates = 17,
                            .begins = 18,
                            .ends = 19,
                            .ticks_skipped = 20,
                            .pairs = 21,
                            .tick_us_p50 = 22.5f,
                            .tick_us_p99 = 23.5f,
                            .tick_us_max = 24.5f,
                            .memory_bytes = 25,
                            .depth = 8,
                            .index = QD_INDEX_GRID,
                            .passed = 5000000000,
                            .index_changes = 9,
                            .observers = 26,
                            .seen = 5000000001,
                            .enters = 27,
                            .leaves = 28}}}},
    {"stats_server",
     "seq: 10 stats { server { uptime_ms: 1000 } }",
     "080a52050a0308e807",
     {.seq = 10, .kind = QD_SERVER_STATS, .as.stats = {.server = {.uptime_ms = 1000}}}},
    {"pong",
     "seq: 11 pong { data: 72623859790382856 }",
     "080b5a09090807060504030201",
     {.seq = 11, .kind = QD_SERVER_PONG, .as.pong = {0x0102030405060708}}},
    {"error",
     "seq: 12 error { code: ERROR_CODE_ENTRIES text: \"2 of 300 entries were refused\" seq: 12 room: 300 entry_index: "
     "[4, 299] entry_code: \" %\" entries_refused: 2 tick_due: 5000000000 }",
     "080c623c0819121d32206f662033303020656e747269657320776572652072656675736564180c20ac022a08040000002b010000320220253"
     "8024080e497d012",
     {.seq = 12,
      .kind = QD_SERVER_ERROR,
      .as.error = {.code = QD_ERROR_ENTRIES,
                   .text = "2 of 300 entries were refused",
                   .seq = 12,
                   .room = 300,
                   .entry_count = 2,
                   .entry_index = entry_index,
                   .entry_code = entry_code,
                   .entries_refused = 2,
                   .tick_due = 5000000000}}},
    {"error_plain",
     "error { code: ERROR_CODE_MALFORMED text: \"the bytes are no frame\" }",
     "621a0801121674686520627974657320617265206e6f206672616d65",
     {.kind = QD_SERVER_ERROR, .as.error = {.code = QD_ERROR_MALFORMED, .text = "the bytes are no frame"}}},
    {"go_away",
     "go_away { reason: REASON_SHUTDOWN text: \"the server is stopping\" deadline_ms: 2000 }",
     "6a1d08011216746865207365727665722069732073746f7070696e6718d00f",
     {.kind = QD_SERVER_GO_AWAY,
      .as.go_away = {.reason = QD_GO_AWAY_SHUTDOWN, .text = "the server is stopping", .deadline_ms = 2000}}},
    {"go_away_too_slow",
     "go_away { reason: REASON_TOO_SLOW }",
     "6a020804",
     {.kind = QD_SERVER_GO_AWAY, .as.go_away = {.reason = QD_GO_AWAY_TOO_SLOW}}},
    {"query_result",
     "seq: 13 query_result { room: 300 tick: 5000000000 id: [1, 4294967295] distance: [0.1, 1e+300] more: true }",
     "080d722708ac021080e497d0121a0801000000ffffffff22109a9999999999b93f9c7500883ce4377e2801",
     {.seq = 13,
      .kind = QD_SERVER_QUERY_RESULT,
      .as.query_result = {.room = 300, .tick = 5000000000, .count = 2, .id = id, .distance = distance, .more = true}}},
    {"query_result_of_region",
     "seq: 14 query_result { room: 300 tick: 7 id: [1, 4294967295] }",
     "080e720f08ac0210071a0801000000ffffffff",
     {.seq = 14, .kind = QD_SERVER_QUERY_RESULT, .as.query_result = {.room = 300, .tick = 7, .count = 2, .id = id}}},
};

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

int main(int argc, char **argv)
{
    golden_set set = {
        .client = client_goldens,
        .client_count = COUNT_OF(client_goldens),
        .client_first = QD_CLIENT_NOTHING,
        .client_last = QD_CLIENT_QUERY,
        .server = server_goldens,
        .server_count = COUNT_OF(server_goldens),
        .server_first = QD_SERVER_NOTHING,
        .server_last = QD_SERVER_QUERY_RESULT,
    };

    return golden_main(argc, argv, &set);
}

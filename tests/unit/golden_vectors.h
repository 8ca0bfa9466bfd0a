/* SPDX-License-Identifier: Apache-2.0
 *
 * The golden vectors: messages with every field set, and variants of them, as bytes and as text.
 */
#ifndef QD_TESTS_UNIT_GOLDEN_VECTORS_H
#define QD_TESTS_UNIT_GOLDEN_VECTORS_H

typedef struct golden_vector {
    const char *name, *hex, *text; /* the bytes without the length prefix */
} golden_vector;

static const golden_vector client_vectors[] = {
    {"empty", "", ""},
    {"seq_alone", "08ffffffffffffff0f", "seq: 9007199254740991"},
    {"hello", "0801122c080112067365637265741a096172656e612f322e3120012a030100ff32036f6e65320974776f20776f726473",
     "seq: 1 hello { version: 1 token: \"secret\" client: \"arena/2.1\" resumable: true resume: \"\\001\\000\\377\" "
     "features: [\"one\", \"two words\"] }"},
    {"hello_default", "1200", "hello { }"},
    {"open_room",
     "08021a630a08706c617a6120c3a912570802121e0d000080bf15000000c01d000040c025000080402d0000a040350000c0401802201e28073"
     "0a08d0638c09a0c40ac024890035004580360016d0000204070f40378d8048001038801f403900102980103a00101",
     "seq: 2 open_room { name: \"plaza \\303\\251\" config { dimensions: 2 bounds { min_x: -1 min_y: -2 min_z: -3 "
     "max_x: 4 max_y: 5 max_z: 6 } tick_mode: TICK_MODE_STEP tick_hz: 30 depth: 7 entities_max: 100000 events_max: "
     "200000 grace_ms: 300 empty_close_ms: 400 index: INDEX_SPARSE prune: PRUNE_TRAVERSAL swept: true cell_size: 2.5 "
     "observers_max: 500 visible_entries_max: 600 writers: 3 step_deadline_ms: 500 join: ACCESS_SAME_TOKEN write: "
     "ACCESS_CREATOR step: ACCESS_ANYBODY } }"},
    {"open_room_zeros", "08031a081206400048006000",
     "seq: 3 open_room { config { grace_ms: 0 empty_close_ms: 0 swept: false } }"},
    {"open_room_join", "08031a070a05706c617a61", "seq: 3 open_room { name: \"plaza\" }"},
    {"open_room_default", "1a0412021200", "open_room { config { bounds { } } }"},
    {"leave_room", "0804220908ffffffffffffff0f", "seq: 4 leave_room { room: 9007199254740991 }"},
    {"close_room", "08052a0308ac02", "seq: 5 close_room { room: 300 }"},
    {"list_rooms", "0806320a0a05706c617a6110f403", "seq: 6 list_rooms { after: \"plaza\" limit: 500 }"},
    {"list_sessions", "080682020c08ac021080e497d01218f403",
     "seq: 6 list_sessions { room: 300 after: 5000000000 limit: 500 }"},
    {"spawn",
     "08073a8c0108ac02120801000000ffffffff1a080000c03f000020c0220800006040000090c02a080000b0400000d0c032080000003f00008"
     "03e3a080000803f00000040420800004040000080404a020103520808000000090000005a080a0000000b00000060016a080000a0400000c0"
     "4072080000e040000000c17a0800001041000000bf820108000040c000002041",
     "seq: 7 spawn { room: 300 id: [1, 4294967295] x: [1.5, -2.5] y: [3.5, -4.5] z: [5.5, -6.5] half_x: [0.5, 0.25] "
     "half_y: [1, 2] half_z: [3, 4] shape: \"\\001\\003\" category: [8, 9] mask: [10, 11] room_owned: true radius: [5, "
     "6] axis_x: [7, -8] axis_y: [9, -0.5] axis_z: [-3, 10] }"},
    {"spawn_plain", "08083a2108ac02120801000000ffffffff1a080000c03f000020c0220800006040000090c0",
     "seq: 8 spawn { room: 300 id: [1, 4294967295] x: [1.5, -2.5] y: [3.5, -4.5] }"},
    {"spawn_empty", "08093a0308ac02", "seq: 9 spawn { room: 300 }"},
    {"move", "080a422b08ac02120801000000ffffffff1a080000c03f000020c0220800006040000090c02a080000b0400000d0c0",
     "seq: 10 move { room: 300 id: [1, 4294967295] x: [1.5, -2.5] y: [3.5, -4.5] z: [5.5, -6.5] }"},
    {"teleport", "080b4a2b08ac02120801000000ffffffff1a080000c03f000020c0220800006040000090c02a080000b0400000d0c0",
     "seq: 11 teleport { room: 300 id: [1, 4294967295] x: [1.5, -2.5] y: [3.5, -4.5] z: [5.5, -6.5] }"},
    {"reshape",
     "080c526b08ac02120801000000ffffffff1a080000003f0000803e22080000803f000000402a080000404000008040320201033a080800000"
     "00900000042080a0000000b0000004a080000a0400000c04052080000e040000000c15a0800001041000000bf6208000040c000002041",
     "seq: 12 reshape { room: 300 id: [1, 4294967295] half_x: [0.5, 0.25] half_y: [1, 2] half_z: [3, 4] shape: "
     "\"\\001\\003\" category: [8, 9] mask: [10, 11] radius: [5, 6] axis_x: [7, -8] axis_y: [9, -0.5] axis_z: [-3, 10] "
     "}"},
    {"despawn", "080d5a0d08ac02120801000000ffffffff", "seq: 13 despawn { room: 300 id: [1, 4294967295] }"},
    {"subscribe", "080e620708ac0210021801", "seq: 14 subscribe { room: 300 scope: SCOPE_OWN stays: true }"},
    {"unsubscribe", "080f6a0308ac02", "seq: 15 unsubscribe { room: 300 }"},
    {"get_snapshot", "0810722508ac02121e0d000080bf15000000c01d000040c025000080402d0000a040350000c0401807",
     "seq: 16 get_snapshot { room: 300 region { min_x: -1 min_y: -2 min_z: -3 max_x: 4 max_y: 5 max_z: 6 } limit: 7 }"},
    {"get_snapshot_all", "0811720308ac02", "seq: 17 get_snapshot { room: 300 }"},
    {"get_snapshot_own", "080f720508ac022001", "seq: 15 get_snapshot { room: 300 own: true }"},
    {"step", "08127a0e08ac0210ffffffffffffffffff01", "seq: 18 step { room: 300 tick: 18446744073709551615 }"},
    {"get_stats", "081382010308ac02", "seq: 19 get_stats { room: 300 }"},
    {"ping", "08148a0109090807060504030201", "seq: 20 ping { data: 72623859790382856 }"},
    {"pong", "8a0209090807060504030201", "pong { data: 72623859790382856 }"},
    {"query_box", "081592012a08ac02121e0d000080bf15000000c01d000040c025000080402d0000a040350000c04035030000003807",
     "seq: 21 query { room: 300 box { min_x: -1 min_y: -2 min_z: -3 max_x: 4 max_y: 5 max_z: 6 } categories: 3 limit: "
     "7 }"},
    {"query_circle", "081692011908ac021a140d0000803f15000000401d000040402500008040",
     "seq: 22 query { room: 300 circle { x: 1 y: 2 z: 3 radius: 4 } }"},
    {"query_nearest", "081792011b08ac0222140d0000803f15000000401d0000404025000080403805",
     "seq: 23 query { room: 300 nearest { x: 1 y: 2 z: 3 within: 4 } limit: 5 }"},
    {"query_ray",
     "081892012d08ac022a230d0000803f15000000401d0000404025000080402d0000a040350000c0403d0000e04035ffffffff",
     "seq: 24 query { room: 300 ray { x: 1 y: 2 z: 3 direction_x: 4 direction_y: 5 direction_z: 6 length: 7 } "
     "categories: 4294967295 }"},
    {"query_within_0", "081192010722052500000000", "seq: 17 query { nearest { within: 0 } }"},
    {"query_default", "920100", "query { }"},
    {"set_description",
     "08019a014108ac02120801000000ffffffff1a100700000000000000ffffffffffffffff2204000102ff2a02030132080000e040000000413"
     "a080e0000000f00000042020100",
     "seq: 1 set_description { room: 300 id: [1, 4294967295] tag: [7, 18446744073709551615] payload: "
     "\"\\000\\001\\002\\377\" "
     "payload_size: \"\\003\\001\" visible_range: [7, 8] team: [14, 15] hidden: \"\\001\\000\" }"},
    {"set_description_no_payload", "08029a011108ac02120801000000ffffffff2a020000",
     "seq: 2 set_description { room: 300 id: [1, 4294967295] payload_size: \"\\000\\000\" }"},
    {"set_description_empty", "9a010308ac02", "set_description { room: 300 }"},
    {"observe",
     "0803a201e80108ac02120801000000ffffffff1a020203220201002a08030000000400000032080000c03f000020c03a0800006040000090c"
     "042080000b0400000d0c04a080000e0400000004152080000003f0000803e5a080000803f00000040620800004040000080406a080000803f"
     "00000000720800000000000080bf7a08000000400000003f8201080000003f000040408a010800001041000000009201080a0000000b00000"
     "09a01080c00000000000000a20108000000000d000000aa01080e0000000f000000b201020001ba010c000020410000a0410000f041c2010c"
     "0100000005000000e8030000",
     "seq: 3 observe { room: 300 id: [1, 4294967295] region: \"\\002\\003\" anchored: \"\\001\\000\" entity: [3, 4] x: "
     "[1.5, -2.5] y: [3.5, -4.5] z: [5.5, -6.5] range: [7, 8] half_x: [0.5, 0.25] half_y: [1, 2] half_z: [3, 4] "
     "direction_x: [1, 0] direction_y: [0, -1] direction_z: [2, 0.5] angle: [0.5, 3] leave_margin: [9, 0] mask: [10, "
     "11] limit: [12, 0] enter_budget: [0, 13] team: [14, 15] sees_self: \"\\000\\001\" relay_range: [10, 20, 30] "
     "relay_every: [1, 5, 1000] }"},
    {"observe_plain", "0804a2012108ac02120801000000ffffffff2a0803000000040000004a080000e04000000041",
     "seq: 4 observe { room: 300 id: [1, 4294967295] entity: [3, 4] range: [7, 8] }"},
    {"observe_tiers_alone", "0805a2011eba010c000020410000a0410000f041c2010c0100000005000000e8030000",
     "seq: 5 observe { relay_range: [10, 20, 30] relay_every: [1, 5, 1000] }"},
    {"move_observers",
     "0806aa014908ac02120801000000ffffffff1a080000c03f000020c0220800006040000090c02a080000b0400000d0c032080000803f00000"
     "0003a0800000000000080bf4208000000400000003f",
     "seq: 6 move_observers { room: 300 id: [1, 4294967295] x: [1.5, -2.5] y: [3.5, -4.5] z: [5.5, -6.5] direction_x: "
     "[1, 0] direction_y: [0, -1] direction_z: [2, 0.5] }"},
    {"unobserve", "0807b2010d08ac02120801000000ffffffff", "seq: 7 unobserve { room: 300 id: [1, 4294967295] }"},
    {"set_exceptions", "0808ba011c08ac0215ffffffff1a080a0000000b00000022080e0000000f000000",
     "seq: 8 set_exceptions { room: 300 observer: 4294967295 show: [10, 11] hide: [14, 15] }"},
    {"set_exceptions_nobody", "0809ba010808ac021501000000", "seq: 9 set_exceptions { room: 300 observer: 1 }"},
    {"set_view_options", "080ac2010c08ac02108827180320012805",
     "seq: 10 set_view_options { room: 300 bytes_max: 5000 watch: WATCH_ALL relay_once: true relay_k: -3 }"},
    {"why", "080bca010f08ac021501000000180125ffffffff", "seq: 11 why { room: 300 a: 1 observer: true b: 4294967295 }"},
    {"why_default", "ca0100", "why { }"},
    {"hand_over", "0801d2011308ac02120801000000ffffffff1880e497d012",
     "seq: 1 hand_over { room: 300 id: [1, 4294967295] session: 5000000000 }"},
    {"hand_over_room", "0802d2010f08ac02120801000000ffffffff2001",
     "seq: 2 hand_over { room: 300 id: [1, 4294967295] room_owned: true }"},
    {"ack", "0803da010e08ac0210ffffffffffffffffff01", "seq: 3 ack { room: 300 tick: 18446744073709551615 }"},
    {"hand_over_default", "d20100", "hand_over { }"},
    {"adopt", "0804e2010908ac021080e497d012", "seq: 4 adopt { room: 300 session: 5000000000 }"},
    {"adopt_default", "e20100", "adopt { }"},
    {"set_roster", "0801ea011408ac0210ff011807220801000000ffffffff2801",
     "seq: 1 set_roster { room: 300 roster: 255 first: 7 id: [1, 4294967295] keep_rest: true }"},
    {"set_roster_default", "ea0100", "set_roster { }"},
    {"move_roster", "0802f2012808ac0210ff0118f0a20422080000c03f000000802a08000010c00000807f3208c216010000004040f80101",
     "seq: 2 move_roster { room: 300 roster: 255 first: 70000 x: [1.5, -0] y: [-2.25, inf] z: [1e-40, 3] } confirm: "
     "true"},
    {"move_roster_flat", "0803f20116080122080000c03f000000802a08000010c00000807f",
     "seq: 3 move_roster { room: 1 x: [1.5, -0] y: [-2.25, inf] }"},
    {"move_roster_default", "f20100", "move_roster { }"},
    {"move_rooms",
     "081ef801019202680a102c0100000000000000f2052a01000000120802000000010000001a0c01000000ffffffff07000000220c0000c03f0"
     "00020c0000040402a0c00006040000090c000008040320c0000b0400000d0c00000a0403a0803000000ff00000042080400000005000000",
     "seq: 30 move_rooms { part_room: [300, 5000000000] part_size: [2, 1] id: [1, 4294967295, 7] x: [1.5, -2.5, 3] y: ["
     "3.5, -4.5, 4] z: [5.5, -6.5, 5] part_roster: [3, 255] part_first: [4, 5] } confirm: true"},
    {"move_rooms_by_roster",
     "081f9202440a102c0100000000000000f2052a010000001208020000000000000022080000c03f000020c02a0800006040000090c03a08030"
     "00000ff00000042080400000005000000",
     "seq: 31 move_rooms { part_room: [300, 5000000000] part_size: [2, 0] x: [1.5, -2.5] y: [3.5, -4.5] part_roster: [3"
     ", 255] part_first: [4, 5] }"},
    {"move_rooms_default", "920200", "move_rooms { }"},
};

static const golden_vector server_vectors[] = {
    {"empty", "", ""},
    {"welcome",
     "08011267080112167175616472696c6c652d73657276657220302e312e301880e497d012222d08808080021080800418ac022090032840308"
     "08080043888274080800148808080025088275880800460c0cf242a030100ff300138ffffffffffffff0f40904e4a036f6e65",
     "seq: 1 welcome { version: 1 server: \"quadrille-server 0.1.0\" session: 5000000000 limits { frame_bytes_max: "
     "4194304 rooms_max: 65536 entities_max: 300 events_max: 400 name_bytes_max: 64 queue_bytes_max: 8388608 "
     "slow_ms_max: 5000 observers_max: 16384 visible_entries_max: 4194304 roster_ids_max: 5000 test_budget: 65536 "
     "empty_close_ms_max: 600000 } resume_key: \"\\001\\000\\377\" resumed: true last_seq: 9007199254740991 "
     "resume_ms: 10000 features: \"one\" }"},
    {"welcome_default", "12022200", "welcome { limits { } }"},
    {"room_opened",
     "08021a7408ac021205706c617a611a570802121e0d000080bf15000000c01d000040c025000080402d0000a040350000c0401801201428073"
     "0a08d0638c09a0c40ac024890035007580460016d0000204070f40378d8048001038801f403900101980102a0010321080706050403020128"
     "80e497d0123001",
     "seq: 2 room_opened { room: 300 name: \"plaza\" config { dimensions: 2 bounds { min_x: -1 min_y: -2 min_z: -3 "
     "max_x: 4 max_y: 5 max_z: 6 } tick_mode: TICK_MODE_CLOCK tick_hz: 20 depth: 7 entities_max: 100000 events_max: "
     "200000 grace_ms: 300 empty_close_ms: 400 index: INDEX_BRUTE prune: PRUNE_LAZY swept: true cell_size: 2.5 "
     "observers_max: 500 visible_entries_max: 600 writers: 3 step_deadline_ms: 500 join: ACCESS_ANYBODY write: "
     "ACCESS_SAME_TOKEN step: ACCESS_CREATOR } epoch: 72623859790382856 tick: 5000000000 created: true }"},
    {"room_left", "0803220308ac02", "seq: 3 room_left { room: 300 }"},
    {"room_slowed", "aa010808ac02100318c413", "room_slowed { room: 300 tick_hz: 3 tick_us: 2500 }"},
    {"room_closed", "08042a0508ac021002", "seq: 4 room_closed { room: 300 reason: REASON_EMPTY }"},
    {"room_list",
     "0805322e0a160a056c6f626279100118142080e497d01228ac0230040a000a090a05706c617a61100210011a05706c617a61",
     "seq: 5 room_list { rooms { name: \"lobby\" tick_mode: TICK_MODE_CLOCK tick_hz: 20 tick: 5000000000 entities: 300 "
     "sessions: 4 } rooms { } rooms { name: \"plaza\" tick_mode: TICK_MODE_STEP } more: true "
     "next: \"plaza\" }"},
    {"room_list_empty", "08063200", "seq: 6 room_list { }"},
    {"session_list", "08059a01210a1608ac0212076172656e612f32180120042880e497d0120a000a0308ad021001",
     "seq: 5 session_list { sessions { session: 300 client: \"arena/2\" detached: true rooms: 4 age_ms: 5000000000 } "
     "sessions { } sessions { session: 301 } more: true }"},
    {"session_list_empty", "08069a0100", "seq: 6 session_list { }"},
    {"tick",
     "3a7908ac021080e497d01218012001280330013880f882ad16420801000000020000004a0803000000ffffffff520203075a0c04000000050"
     "0000006000000620c0700000008000000090000006a040a00000072040b0000007a080c0000000d0000008201080e0000000f000000880180"
     "8cee891a900101980102",
     "tick { room: 300 tick: 5000000000 reset: true last: true skipped: 3 suspended: true suspended_count: "
     "6000000000 end_a: [1, 2] end_b: [3, 4294967295] end_reason: \"\\003\\007\" begin_a: [4, 5, 6] begin_b: [7, 8, "
     "9] stay_a: 10 stay_b: 11 passed_a: [12, 13] passed_b: [14, 15] merged_ticks: 7000000000 passed_lost: true "
     "suspended_reason: SUSPEND_REASON_MEMORY }"},
    {"tick_begins", "3a1308ac02100720015a0401000000620402000000",
     "tick { room: 300 tick: 7 last: true begin_a: 1 begin_b: 2 }"},
    {"applied", "0807422b08ac021080e497d01218ffffffffffffff0f221000f2052a01000000070000000000000028ac0230013801",
     "seq: 7 applied { room: 300 tick: 5000000000 seq: 9007199254740991 late: [5000000000, 7] late_total: 300 "
     "pairs_lagging: true views_lagging: true }"},
    {"snapshot_result",
     "08084a920108ac0210071a0801000000ffffffff22080000c03f000020c02a0800006040000090c032080000b0400000d0c03a080000003f0"
     "000803e42080000803f000000404a080000404000008040520201035a08080000000900000062080a0000000b000000680170017a080000a0"
     "400000c0408201080000e040000000c18a010800001041000000bf920108000040c000002041",
     "seq: 8 snapshot_result { room: 300 tick: 7 id: [1, 4294967295] x: [1.5, -2.5] y: [3.5, -4.5] z: [5.5, -6.5] "
     "half_x: [0.5, 0.25] half_y: [1, 2] half_z: [3, 4] shape: \"\\001\\003\" category: [8, 9] mask: [10, 11] more: "
     "true last: true radius: [5, 6] axis_x: [7, -8] axis_y: [9, -0.5] axis_z: [-3, 10] }"},
    {"stats",
     "080952dd010a930108e8071002180320042880e497d0123080f882ad16380740084809500a580b600c680d700e780f800180e497d01288018"
     "1e497d012900182e497d012980183e497d012a00184e497d012a80185e497d012b00186e497d012b80187e497d012c00188e497d012c80189"
     "e497d012d0018ae497d012d8018be497d012e0018ce497d012e8018de497d012f00110f80181e497d012124508ac02100d180e200f2810301"
     "13812401348145"
     "0155d0000b441650000bc416d0000c44170197808800106880180e497d01290010998011aa00181e497d012a8011bb0011c",
     "seq: 9 stats { server { uptime_ms: 1000 sessions: 2 rooms: 3 workers: 4 memory_bytes: 5000000000 "
     "memory_bytes_max: 6000000000 ticks: 7 updates: 8 events: 9 bytes_in: 10 bytes_out: 11 errors: 12 too_slow: 13 "
     "detached: 14 resumed: 15 refused_by_session_rooms: 5000000000 refused_by_session_entities: 5000000001 "
     "refused_by_session_observers: 5000000002 refused_by_session_visible_entries: 5000000003 "
     "refused_by_session_subscriptions: 5000000004 refused_by_session_memory: 5000000013 "
     "refused_by_token_connections: 5000000005 "
     "refused_by_token_detached: 5000000006 refused_by_token_rooms: 5000000007 refused_by_token_entities: 5000000008 "
     "refused_by_token_observers: 5000000009 refused_by_token_visible_entries: 5000000010 "
     "refused_by_token_subscriptions: 5000000011 refused_by_token_memory: 5000000012 log_dropped: 16 log_suppressed: "
     "5000000001 } room { room: 300 tick: 13 entities: 14 sessions: 15 subscriptions: 16 updates: 17 begins: 18 ends: "
     "19 ticks_skipped: 20 pairs: 21 tick_us_p50: 22.5 tick_us_p99: 23.5 tick_us_max: 24.5 memory_bytes: 25 depth: 8 "
     "index: INDEX_GRID passed: 5000000000 index_changes: 9 observers: 26 visible_entries: 5000000001 enters: 27 "
     "leaves: 28 } }"},
    {"stats_server", "080a52050a0308e807", "seq: 10 stats { server { uptime_ms: 1000 } }"},
    {"stats_refused", "081952170a15c00228c80229d0022ad8022be0022ce8022df0022e",
     "seq: 25 stats { server { not_alive: 40 refused_full: 41 refused_memory: 42 refused_by_address_connections: 43 "
     "refused_by_address_accepts: 44 refused_by_address_tokens: 45 dropped_silent: 46 } }"},
    {"ping", "a20109090807060504030201", "ping { data: 72623859790382856 }"},
    {"stats_slowed", "080a520a0a039003021203b80103",
     "seq: 10 stats { server { rooms_slowed: 2 } room { slowed_hz: 3 } }"},
    {"stats_suspended", "081a52050a03980304", "seq: 26 stats { server { suspended_memory: 4 } }"},
    {"pong", "080b5a09090807060504030201", "seq: 11 pong { data: 72623859790382856 }"},
    {"error", "080c6218081812097469636b2069732033180c20ac024080e497d012",
     "seq: 12 error { code: ERROR_CODE_WRONG_TICK text: \"tick is 3\" seq: 12 room: 300 tick_due: 5000000000 }"},
    {"error_plain", "621a0801121674686520627974657320617265206e6f206672616d65",
     "error { code: ERROR_CODE_MALFORMED text: \"the bytes are no frame\" }"},
    {"go_away", "6a1d08011216746865207365727665722069732073746f7070696e6718d00f",
     "go_away { reason: REASON_SHUTDOWN text: \"the server is stopping\" deadline_ms: 2000 }"},
    {"go_away_too_slow", "6a020804", "go_away { reason: REASON_TOO_SLOW }"},
    {"query_result", "080d722708ac021080e497d0121a0801000000ffffffff22109a9999999999b93f9c7500883ce4377e2801",
     "seq: 13 query_result { room: 300 tick: 5000000000 id: [1, 4294967295] distance: [0.1, 1e+300] more: true }"},
    {"query_result_of_region", "080e720f08ac0210071a0801000000ffffffff",
     "seq: 14 query_result { room: 300 tick: 7 id: [1, 4294967295] }"},
    {"view",
     "7ae00208ac021080e497d0121801200128013a0801000000ffffffff420803000000040000004a02040a520801000000ffffffff5a0805000"
     "0000600000062080000c03f000020c06a0800006040000090c072080000b0400000d0c07a080000003f0000803e8201080000803f00000040"
     "8a010800004040000080409201080000a0400000c0409a01020103a201080800000009000000aa01100700000000000000fffffffffffffff"
     "fb201020301ba0104000102ffc201080300000004000000ca010801000000ffffffffd201080000c03f000020c0da010800006040000090c0"
     "e201080000b0400000d0c0ea01080500000006000000f20110080000000000000000f2052a01000000fa01080300000004000000820208030"
     "00000040000008a02100700000000000000ffffffffffffffff9202080500000006000000a202080000e040000000c1aa0208000010410000"
     "00bfb20208000040c000002041b80202",
     "view { room: 300 tick: 5000000000 last: true reset: true reset_watchers: true leave_observer: [1, 4294967295] "
     "leave_id: [3, 4] leave_reason: \"\\004\\012\" enter_observer: [1, 4294967295] enter_id: [5, 6] enter_x: [1.5, "
     "-2.5] enter_y: [3.5, -4.5] enter_z: [5.5, -6.5] enter_half_x: [0.5, 0.25] enter_half_y: [1, 2] enter_half_z: "
     "[3, 4] enter_radius: [5, 6] enter_shape: \"\\001\\003\" enter_category: [8, 9] enter_tag: [7, "
     "18446744073709551615] enter_payload_size: \"\\003\\001\" enter_payload: \"\\000\\001\\002\\377\" "
     "relay_observer: [3, 4] relay_id: [1, 4294967295] relay_x: [1.5, -2.5] relay_y: [3.5, -4.5] relay_z: [5.5, "
     "-6.5] watcher_leave_entity: [5, 6] watcher_leave_session: [8, 5000000000] watcher_leave_observer: [3, 4] "
     "watcher_enter_entity: [3, 4] watcher_enter_session: [7, 18446744073709551615] watcher_enter_observer: [5, 6] "
     "enter_axis_x: [7, -8] enter_axis_y: [9, -0.5] enter_axis_z: [-3, 10] suspended_reason: SUSPEND_REASON_MEMORY }"},
    {"view_suspended", "7a0c08ac02100718013001b80201",
     "view { room: 300 tick: 7 last: true suspended: true suspended_reason: SUSPEND_REASON_LIMIT }"},
    {"view_merged", "7a1008ac02100718012001980280e497d012",
     "view { room: 300 tick: 7 last: true reset: true merged_ticks: 5000000000 }"},
    {"view_relay_once",
     "7a7408ac0210071801520801000000ffffffff5a08050000000600000062080000c03f000020c06a0800006040000090c0c2"
     "02080900000000000000c80228d202081100010000000000da02080300000004000000e202080000c03f000020c0ea020800"
     "006040000090c0f202080000b0400000d0c0",
     "view { room: 300 tick: 7 last: true enter_observer: [1, 4294967295] enter_id: [5, 6] enter_x: [1.5, "
     "-2.5] enter_y: [3.5, -4.5] enter_slot: [9, 0] relay_k: 20 relay: "
     "\"\\021\\000\\001\\000\\000\\000\\000\\000\" exact_slot: [3, 4] exact_x: [1.5, -2.5] exact_y: [3.5, "
     "-4.5] exact_z: [5.5, -6.5] }"},
    {"view_relay_steps_of_a_unit", "7a03c80200", "view { relay_k: 0 }"},
    {"view_plain_enters",
     "7a2d08ac021007520801000000ffffffff5a08050000000600000062080000c03f000020c06a0800006040000090c0",
     "view { room: 300 tick: 7 enter_observer: [1, 4294967295] enter_id: [5, 6] enter_x: [1.5, -2.5] enter_y: [3.5, "
     "-4.5] }"},
    {"why_result",
     "080b82016508ac021080e497d0121a10080000000000000000f2052a01000000220803000000040000002a02010d32109a9999999999b93f9"
     "c7500883ce4377e3a080000e04000000041420800001041000000004a080c0000000000000052080e0000000f0000005801",
     "seq: 11 why_result { room: 300 tick: 5000000000 session: [8, 5000000000] observer: [3, 4] visibility: "
     "\"\\001\\015\" "
     "distance: [0.1, 1e+300] range: [7, 8] leave_margin: [9, 0] limit: [12, 0] seen: [14, 15] more: true }"},
    {"handed_over", "08058a012b08ac02120801000000ffffffff1880e497d01220062a10080000000000000000f2052a0100000030463801",
     "seq: 5 handed_over { room: 300 id: [1, 4294967295] from: 5000000000 to: 6 connected: [8, 5000000000] "
     "connected_total: 70 last: true }"},
    {"handed_over_default", "8a0100", "handed_over { }"},
    {"accepted", "080c92012808ac021080e497d0121a08040000002b010000220220252a0200063207656e747279203438024001",
     "seq: 12 accepted { room: 300 tick: 5000000000 refused_index: [4, 299] refused_code: \" %\" refused_field: "
     "\"\\000\\006\" text: \"entry 4\" refused_total: 2 last: true }"},
    {"accepted_plain", "080d92010708ac0210074001", "seq: 13 accepted { room: 300 tick: 7 last: true }"},
};

#endif

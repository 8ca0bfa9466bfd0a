/* SPDX-License-Identifier: Apache-2.0
 *
 * The texts of all errors, as real requests get them, against errors.expected, each once. tests/structure/check.py finds
 * a text that is missing there. Texts about memory have N for each number. To renew that file after a change, copy the
 * file that a failing test names over it, and read the difference.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "errors.h"
#include "scenario.h"

#define ACTUAL "errors.actual"

/* Requests are for the flat room that ticks by Step, the deep one, or the one with a clock. Entity 1 is the asker's,
 * entity 2 another session's; observer 1 is anchored at entity 1, and observer 2 is free. */
enum { FLAT, DEEP, CLOCK, ROOMS };

typedef struct request {
    int room;
    qd_client_message message;
} request;

#define FOR(room, name, ...)                                                                                           \
    {                                                                                                                  \
        room,                                                                                                          \
        {                                                                                                              \
            .kind = QD_CLIENT_##name, .as = { __VA_ARGS__ }                                                            \
        }                                                                                                              \
    }
#define BATCH(...)   .batch.entities = {.count = 1, __VA_ARGS__}
#define AT(x_, y_)   .x = FLOATS(x_), .y = FLOATS(y_)
#define WATCHED(...) .observers = {.count = 1, __VA_ARGS__}
#define OPENED(...)                                                                                                    \
    .open_room = {.name = "new",                                                                                       \
                  .has_config = true,                                                                                  \
                  .config = {.has_bounds = true, .bounds.max_x = 9, .bounds.max_y = 9, __VA_ARGS__}}
#define OPENED_NONE          .open_room = {.name = "new", .has_config = true}
#define AGAIN_AS(name_, ...) .open_room = {.name = name_, .has_config = true, .config = {__VA_ARGS__}}
#define TIERS(count_, range_, every_)                                                                                  \
    WATCHED(.id = IDS(3), .entity = IDS(1), .range = FLOATS(1), .tier_count = count_, .relay_range = range_,           \
            .relay_every = every_)
#define ASKED(...) .query = {__VA_ARGS__}

static const uint32_t many[1025];

static const request requests[] = {
    /* the envelope, Hello, rooms */
    FOR(FLAT, NOTHING, .room = {0}),
    FOR(FLAT, HELLO, .hello = {.version = 1}),
    FOR(FLAT, STEP, .step = {.room = 77}),
    FOR(FLAT, STEP, .step = {.tick = 9}),
    FOR(CLOCK, STEP, .step = {0}),
    FOR(FLAT, SUBSCRIBE, .subscribe = {.scope = (qd_scope)7}),
    FOR(FLAT, OPEN_ROOM, .open_room = {.name = ""}),
    FOR(FLAT, OPEN_ROOM, .open_room = {.name = "a\tb"}),
    FOR(FLAT, OPEN_ROOM, .open_room = {.name = "a\xe2\x80\xae"}),
    FOR(FLAT, OPEN_ROOM, .open_room = {.name = "nowhere"}),
    FOR(FLAT, OPEN_ROOM, .open_room = {.name = "nowhere", .has_config = true}),
    FOR(FLAT, OPEN_ROOM, OPENED(.dimensions = 4)),
    FOR(FLAT, OPEN_ROOM, OPENED(.bounds.min_x = NAN)),
    FOR(FLAT, OPEN_ROOM, OPENED(.bounds.max_z = 1)),
    FOR(FLAT, OPEN_ROOM, OPENED(.tick_mode = (qd_tick_mode)7)),
    FOR(FLAT, OPEN_ROOM, OPENED(.tick_mode = QD_TICK_MODE_STEP, .tick_hz = 5)),
    FOR(FLAT, OPEN_ROOM, OPENED(.writers = 2)),
    FOR(FLAT, OPEN_ROOM, OPENED(.step_deadline_ms = 2)),
    FOR(FLAT, OPEN_ROOM, OPENED(.index = (qd_index_kind)99)),
    FOR(FLAT, OPEN_ROOM, OPENED(.index = QD_INDEX_OCTREE)),
    FOR(FLAT, OPEN_ROOM, OPENED(.index = QD_INDEX_QUADTREE, .dimensions = 3, .bounds.max_z = 1)),
    FOR(FLAT, OPEN_ROOM, OPENED(.index = QD_INDEX_HASH, .depth = 3)),
    FOR(FLAT, OPEN_ROOM, OPENED(.index = QD_INDEX_QUADTREE, .depth = 11)),
    FOR(FLAT, OPEN_ROOM, OPENED(.prune = QD_PRUNE_LAZY)),
    FOR(FLAT, OPEN_ROOM, OPENED(.cell_size = -1, .index = QD_INDEX_HASH)),
    FOR(FLAT, OPEN_ROOM, OPENED(.cell_size = 1, .index = QD_INDEX_BRUTE)),
    FOR(FLAT, OPEN_ROOM, .open_room = {.name = "a\xff"}),
    FOR(FLAT, OPEN_ROOM, OPENED(.prune = (qd_prune_kind)7, .index = QD_INDEX_SPARSE)),
    FOR(FLAT, OPEN_ROOM, OPENED_NONE),
    /* rooms that are open with another config */
    FOR(FLAT, OPEN_ROOM, AGAIN_AS("flat", .dimensions = 3)),
    FOR(FLAT, OPEN_ROOM, AGAIN_AS("flat", .tick_hz = 30)),
    FOR(FLAT, OPEN_ROOM, AGAIN_AS("flat", .tick_mode = QD_TICK_MODE_CLOCK)),
    FOR(FLAT, OPEN_ROOM, AGAIN_AS("flat", .depth = 3)),
    FOR(FLAT, OPEN_ROOM, AGAIN_AS("flat", .entities_max = 4)),
    FOR(FLAT, OPEN_ROOM, AGAIN_AS("flat", .events_max = 4)),
    FOR(FLAT, OPEN_ROOM, AGAIN_AS("flat", .observers_max = 4)),
    FOR(FLAT, OPEN_ROOM, AGAIN_AS("flat", .visible_entries_max = 4)),
    FOR(FLAT, OPEN_ROOM, AGAIN_AS("flat", .has_grace_ms = true)),
    FOR(FLAT, OPEN_ROOM, AGAIN_AS("flat", .has_empty_close_ms = true)),
    FOR(FLAT, OPEN_ROOM, AGAIN_AS("flat", .writers = 2, .tick_mode = QD_TICK_MODE_STEP)),
    FOR(FLAT, OPEN_ROOM, AGAIN_AS("flat", .index = QD_INDEX_BRUTE)),
    FOR(FLAT, OPEN_ROOM, AGAIN_AS("flat", .has_swept = true, .swept = true)),
    FOR(FLAT, OPEN_ROOM, AGAIN_AS("flat", .has_bounds = true, .bounds = {.max_x = 100, .max_y = 9})),
    FOR(FLAT, OPEN_ROOM, AGAIN_AS("clock", .tick_hz = 5)),
    FOR(FLAT, OPEN_ROOM, AGAIN_AS("grid", .index = QD_INDEX_GRID, .cell_size = 5)),
    FOR(FLAT, OPEN_ROOM, AGAIN_AS("sparse", .index = QD_INDEX_SPARSE, .prune = QD_PRUNE_LAZY)),
    FOR(FLAT, LIST_ROOMS, .list_rooms = {.limit = 1001}),
    FOR(FLAT, LIST_SESSIONS, .list_sessions = {.limit = 1001}),
    /* batches as a whole */
    FOR(FLAT, MOVE, BATCH(.id = IDS(1), .x = FLOATS(1))),
    FOR(FLAT, MOVE, BATCH(.id = IDS(1), AT(1, 1), .z = FLOATS(1))),
    FOR(DEEP, MOVE, BATCH(.id = IDS(1), AT(1, 1))),
    FOR(FLAT, HAND_OVER, .hand_over = {.count = 1, .id = IDS(1), .session = 99}),
    FOR(FLAT, HAND_OVER, .hand_over = {.count = 1, .id = IDS(1)}),
    FOR(FLAT, HAND_OVER, .hand_over = {.count = 1, .id = IDS(1), .session = 2, .room_owned = true}),
    FOR(FLAT, ADOPT, .adopt = {0}),
    FOR(FLAT, SET_ROSTER, .set_roster = {.roster = 256}),
    FOR(FLAT, SET_ROSTER, .set_roster = {.roster = 1, .first = 5}),
    FOR(FLAT, MOVE_ROSTER, .move_roster = {.roster = 1, .count = 1, AT(1, 1)}),
    FOR(FLAT, SET_DESCRIPTION, .set_description = {.count = 1, .id = IDS(1), .hidden = BYTES(2)}),
    FOR(FLAT, OBSERVE, WATCHED(.id = IDS(3))),
    FOR(FLAT, OBSERVE, WATCHED(.id = IDS(3), AT(1, 1), .z = FLOATS(1), .anchored = BYTES(0))),
    FOR(FLAT, OBSERVE, TIERS(9, ((const float[9]){1, 2, 3, 4, 5, 6, 7, 8, 9}), ((const uint32_t[9]){1, 1}))),
    FOR(FLAT, OBSERVE, TIERS(1, FLOATS(-1), IDS(1))),
    FOR(FLAT, OBSERVE, TIERS(1, FLOATS(1), IDS(0))),
    FOR(FLAT, SET_EXCEPTIONS, .set_exceptions = {.observer = 1, .show_count = 1025, .show = many}),
    FOR(FLAT, MOVE_OBSERVERS, WATCHED(.id = IDS(2), .x = FLOATS(1))),
    FOR(FLAT, SET_EXCEPTIONS, .set_exceptions = {.observer = 9}),
    FOR(FLAT, SET_VIEW_OPTIONS, .set_view_options = {.watch = (qd_watch)9}),
    FOR(FLAT, SET_VIEW_OPTIONS, .set_view_options = {.has_relay_k = true, .relay_k = 3}),
    FOR(FLAT, SET_VIEW_OPTIONS, .set_view_options = {.relay_once = true, .has_relay_k = true, .relay_k = 21}),
    FOR(FLAT, WHY, .why = {.a = 1, .b = 99}),
    /* entries */
    FOR(FLAT, SPAWN, BATCH(.id = IDS(1), AT(1, 1))),
    FOR(FLAT, SPAWN, BATCH(.id = IDS(3), AT(1, 1), .half_x = FLOATS(-1))),
    FOR(FLAT, SPAWN, BATCH(.id = IDS(3), AT(1, 1), .shape = BYTES(7))),
    FOR(FLAT, SPAWN, BATCH(.id = IDS(3), AT(1, 1), .shape = BYTES(2), .half_x = FLOATS(5))),
    FOR(FLAT, SPAWN, .batch.entities = {.count = 3, .id = IDS(3, 4, 5), .x = FLOATS(1, 1, 1), .y = FLOATS(1, 1, 1)}),
    FOR(FLAT, MOVE, BATCH(.id = IDS(1), AT(NAN, 1))),
    FOR(FLAT, MOVE, BATCH(.id = IDS(2), AT(1, 1))),
    FOR(FLAT, DESPAWN, BATCH(.id = IDS(99))),
    FOR(FLAT, SET_DESCRIPTION, .set_description = {.count = 1, .id = IDS(1), .visible_range = FLOATS(-1)}),
    FOR(FLAT, OBSERVE, WATCHED(.id = IDS(3), .entity = IDS(99), .range = FLOATS(1))),
    FOR(FLAT, OBSERVE, WATCHED(.id = IDS(3), .entity = IDS(2), .range = FLOATS(1))),
    FOR(FLAT, OBSERVE, WATCHED(.id = IDS(3), .entity = IDS(1), .range = FLOATS(-1))),
    FOR(FLAT, OBSERVE, WATCHED(.id = IDS(3), .entity = IDS(1), .range = FLOATS(INFINITY))),
    FOR(FLAT, OBSERVE, WATCHED(.id = IDS(3), .entity = IDS(1), .region = BYTES(7))),
    FOR(FLAT, OBSERVE,
        WATCHED(.id = IDS(3), .entity = IDS(1), .region = BYTES(3), .range = FLOATS(1), .angle = FLOATS(4),
                .direction_x = FLOATS(1), .direction_y = FLOATS(0))),
    FOR(FLAT, OBSERVE,
        WATCHED(.id = IDS(3), .entity = IDS(1), .region = BYTES(3), .range = FLOATS(1), .angle = FLOATS(1),
                .direction_x = FLOATS(0), .direction_y = FLOATS(0))),
    FOR(FLAT, OBSERVE, WATCHED(.id = IDS(3), .entity = IDS(1), .range = FLOATS(1))),
    FOR(FLAT, MOVE_OBSERVERS, WATCHED(.id = IDS(1), AT(1, 1))),
    FOR(FLAT, MOVE_OBSERVERS, WATCHED(.id = IDS(2), .direction_x = FLOATS(1), .direction_y = FLOATS(1))),
    FOR(FLAT, UNOBSERVE, WATCHED(.id = IDS(9))),
    /* questions */
    FOR(FLAT, GET_SNAPSHOT, .get_snapshot = {.limit = UINT32_MAX}),
    FOR(FLAT, GET_SNAPSHOT, .get_snapshot = {.has_region = true, .region = {.min_x = 1}}),
    FOR(FLAT, GET_SNAPSHOT, .get_snapshot = {.has_region = true, .region = {.max_z = 1}}),
    FOR(FLAT, QUERY, ASKED(.kind = QD_QUERY_NOTHING)),
    FOR(FLAT, QUERY, ASKED(.kind = QD_QUERY_CIRCLE, .where.circle = {.radius = NAN})),
    FOR(FLAT, QUERY, ASKED(.kind = QD_QUERY_CIRCLE, .where.circle = {.radius = -1})),
    FOR(FLAT, QUERY, ASKED(.kind = QD_QUERY_NEAREST, .where.nearest = {.z = 1})),
    FOR(FLAT, QUERY, ASKED(.kind = QD_QUERY_RAY)),
    FOR(FLAT, QUERY, ASKED(.kind = QD_QUERY_BOX, .where.box = {.min_x = 5})),
};

static bool is_new(sim_texts *texts, const char *line)
{
    for (unsigned i = 0; i < texts->count; i++) {
        if (strcmp(texts->lines[i], line) == 0) {
            return false;
        }
    }
    sim_check(texts->count < SIM_TEXTS_MAX, "more than %d texts", SIM_TEXTS_MAX);
    texts->lines[texts->count++] = strdup(line);
    return true;
}

/* Writes a line that is not there yet. */
static void write_text(sim_texts *texts, const char *what, const char *text)
{
    char line[600];
    size_t used = (size_t)snprintf(line, sizeof line, "%s: ", what);

    for (const char *at = text; *at != '\0' && used < sizeof line - 1; at++) {
        const bool digit = texts->for_memory && *at >= '0' && *at <= '9';

        if (!digit || line[used - 1] != 'N') {
            line[used++] = digit ? 'N' : *at;
        }
    }
    line[used] = '\0';
    if (is_new(texts, line)) {
        fprintf(texts->file, "%s\n", line);
    }
}

unsigned sim_texts_take(sim_texts *texts, sim_peer *peer)
{
    const qd_server_message *message;
    unsigned taken = 0;

    sim_house_settle(peer->house);
    while ((message = sim_peer_next(peer)) != NULL) {
        const qd_msg_accepted *accepted = &message->as.accepted;

        if (message->kind == QD_SERVER_ERROR) {
            write_text(texts, qd_error_code_name(message->as.error.code), message->as.error.text);
        } else if (message->kind == QD_SERVER_ACCEPTED && accepted->refused_total > 0) {
            write_text(texts, qd_error_code_name(accepted->refused_code[0]), accepted->text);
        } else if (message->kind == QD_SERVER_GO_AWAY) {
            write_text(texts, "GO_AWAY", message->as.go_away.text);
        } else {
            continue;
        }
        taken++;
    }
    return taken;
}

void sim_texts_expect(sim_texts *texts, sim_peer *peer)
{
    sim_check(sim_texts_take(texts, peer) > 0, "a request is not refused");
}

/* The refusals that end a connection. */
static void write_ends(sim_texts *texts, sim_house *house)
{
    static const uint8_t long_frame[] = {0xff, 0xff, 0x7f}, no_length[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    static const uint8_t no_frame[] = {0x03, 0x3a, 0xff, 0xff};

    for (int end = 0; end < 6; end++) {
        sim_peer peer;

        sim_peer_connect(&peer, house);
        if (end == 0) {
            sim_link_write(peer.link, long_frame, sizeof long_frame);
        } else if (end == 1) {
            sim_link_write(peer.link, no_length, sizeof no_length);
        } else if (end == 2) {
            sim_link_write(peer.link, no_frame, sizeof no_frame);
        } else if (end == 3) {
            sim_peer_send(&peer, MESSAGE(PING, .ping = {0}));
        } else if (end == 4) {
            sim_peer_send(&peer, MESSAGE(HELLO, .hello = {.version = 2}));
        } else {
            sim_house_pass(house, 3000);
        }
        sim_texts_expect(texts, &peer);
        sim_peer_close(&peer);
    }
}

/* Frames that no encoder writes, from an open session: a seq of 2^53; a SetDescription with one id, one byte of payload
 * and its size 2; a frame above --frame-max. */
static void write_frames(sim_texts *texts, sim_house *house)
{
    static const uint8_t seq[] = {0x0c, 0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10, 0x8a, 0x01, 0x00};
    static const uint8_t payload[] = {0x11, 0x08, 0x07, 0x9a, 0x01, 0x0c, 0x12, 0x04, 1,
                                      0,    0,    0,    0x22, 0x01, 7,    0x2a, 0x01, 2};
    static const uint8_t long_frame[] = {0xff, 0xff, 0xff, 0x7f};

    const struct {
        const uint8_t *bytes;
        size_t size;
    } frames[] = {{seq, sizeof seq}, {payload, sizeof payload}, {long_frame, sizeof long_frame}};

    for (size_t i = 0; i < sizeof frames / sizeof frames[0]; i++) {
        sim_peer peer;

        sim_peer_open(&peer, house, NULL);
        sim_link_write(peer.link, frames[i].bytes, frames[i].size);
        sim_texts_expect(texts, &peer);
        sim_peer_close(&peer);
    }
}

static void prepare(sim_house *house, sim_peer *asker, sim_peer *other, uint64_t rooms[ROOMS])
{
    const qd_msg_room_config deep = {.tick_mode = QD_TICK_MODE_STEP, .dimensions = 3, .bounds.max_z = 100};
    const qd_msg_room_config clock = {.tick_hz = 1};
    const qd_msg_room_config flat = {.tick_mode = QD_TICK_MODE_STEP, .entities_max = 3, .observers_max = 2};

    sim_peer_open(asker, house, NULL);
    sim_peer_open(other, house, NULL);
    sim_peer_open_room(asker, "grid", &(qd_msg_room_config){.index = QD_INDEX_GRID});
    sim_peer_open_room(asker, "sparse", &(qd_msg_room_config){.index = QD_INDEX_SPARSE});
    rooms[FLAT] = sim_peer_open_room(asker, "flat", &flat);
    rooms[DEEP] = sim_peer_open_room(asker, "deep", &deep);
    rooms[CLOCK] = sim_peer_open_room(asker, "clock", &clock);
    sim_peer_open_room(other, "flat", &flat);
    sim_peer_send(asker, MESSAGE(SPAWN, .batch = {.room = rooms[FLAT], .entities = {1, IDS(1), AT(1, 1)}}));
    sim_peer_send(other, MESSAGE(SPAWN, .batch = {.room = rooms[FLAT], .entities = {1, IDS(2), AT(1, 1)}}));
    sim_peer_send(asker, MESSAGE(OBSERVE, .observers = {.room = rooms[FLAT],
                                                        .count = 2,
                                                        .id = IDS(1, 2),
                                                        .anchored = BYTES(1, 0),
                                                        .entity = IDS(1, 0),
                                                        .x = FLOATS(0, 1),
                                                        .y = FLOATS(0, 1),
                                                        .range = FLOATS(5, 5)}));
    sim_house_settle(house);
}

CASE(error_texts_are_the_expected_ones, .limits = {.roster_ids_max = 8192, .queue_bytes_max = 16384, .rooms_max = 2000})
{
    static sim_texts texts;
    sim_peer asker, other;
    uint64_t rooms[ROOMS];

    texts = (sim_texts){.file = fopen(ACTUAL, "w")};
    sim_check(texts.file != NULL, "cannot write %s", ACTUAL);
    setvbuf(texts.file, NULL, _IOLBF, 0); /* all of it, if a check fails */
    write_ends(&texts, house);
    write_frames(&texts, house);
    prepare(house, &asker, &other, rooms);
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        qd_client_message message = requests[i].message;

        house->world.line = (int)i;
        if (sim_names_room(message.kind) && message.as.room.room == 0) {
            message.as.room.room = rooms[requests[i].room];
        }
        sim_peer_send(&asker, message);
        sim_texts_expect(&texts, &asker);
    }
    sim_peer_close(&asker);
    sim_peer_close(&other);
    sim_texts_of_sessions(&texts, house);
    sim_texts_of_access(&texts, house);
    sim_texts_of_limits(&texts, house);
    sim_texts_of_memory(&texts, house);
    sim_texts_of_stopping(&texts, house);
    fclose(texts.file);
    while (texts.count > 0) {
        free(texts.lines[--texts.count]);
    }
    sim_check(system("diff -u '" SIM_ERRORS_EXPECTED "' " ACTUAL) == 0, "refusals have other texts: see %s", ACTUAL);
    remove(ACTUAL);
}

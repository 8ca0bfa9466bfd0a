/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases of direct answers: Accepted and its refused entries, what Applied says of readers that lag, and limits of the
 * envelope and of Hello.
 */
#include <stdlib.h>
#include <string.h>

#include "proto/codec.h"
#include "scenario.h"

SCENARIO(confirmed_batch_is_accepted_at_once) = {
    JOIN(A, NULL),
    OPEN(B, NULL),
    ROOM(B, 0),
    CONFIRM(A, "accepted", SPAWN, .batch.entities = {.count = 1, .id = IDS(1), .x = FLOATS(1), .y = FLOATS(1)}),
    CONFIRM(A, "accepted", MOVE, .batch.entities = {.count = 1, .id = IDS(1), .x = FLOATS(2), .y = FLOATS(1)}),
    CONFIRM(A, "accepted", TELEPORT, .batch.entities = {.count = 1, .id = IDS(1), .x = FLOATS(3), .y = FLOATS(1)}),
    CONFIRM(A, "accepted", RESHAPE, .batch.entities = {.count = 1, .id = IDS(1), .half_x = FLOATS(3)}),
    CONFIRM(A, "accepted", SET_ROSTER, .set_roster = {.roster = 7, .count = 1, .id = IDS(1)}),
    CONFIRM(A, "accepted", MOVE_ROSTER, .move_roster = {.roster = 7, .count = 1, .x = FLOATS(4), .y = FLOATS(1)}),
    CONFIRM(A, "accepted", SET_DESCRIPTION, .set_description = {.count = 1, .id = IDS(1), .team = IDS(2)}),
    CONFIRM(A, "accepted", OBSERVE, .observers = {.count = 1, .id = IDS(9), .entity = IDS(1), .range = FLOATS(5)}),
    CONFIRM(A, "accepted", SET_EXCEPTIONS, .set_exceptions = {.observer = 9, .hide_count = 1, .hide = IDS(1)}),
    CONFIRM(A, "accepted", UNOBSERVE, .observers = {.count = 1, .id = IDS(9)}),
    CONFIRM(A, "accepted", OBSERVE,
            .observers = {.count = 1, .id = IDS(9), .x = FLOATS(1), .y = FLOATS(1), .range = FLOATS(5)}),
    CONFIRM(A, "accepted", MOVE_OBSERVERS, .observers = {.count = 1, .id = IDS(9), .x = FLOATS(1), .y = FLOATS(1)}),
    CONFIRM(A, "accepted", SET_VIEW_OPTIONS, .set_view_options = {.bytes_max = 1000}),
    CONFIRM(A, "accepted", HAND_OVER, .hand_over = {.count = 1, .id = IDS(1), .session = 2}),
    LOOK(B, "handed over 1 from 1 to 2 unasked"),
    CONFIRM(B, "accepted", DESPAWN, .batch.entities = {.count = 1, .id = IDS(1)}),
    /* Other requests have their own answers. */
    CONFIRM(A, "found 0", QUERY, .query = {.kind = QD_QUERY_NEAREST}),
    STEP(A, "applied 1"),
};

/* One answer, whatever it is. */
SCENARIO(request_gets_one_direct_answer) = {
    JOIN(A, NULL),
    SPAWN(A, "", 1, 2, 10),
    CONFIRM(A, "accepted 1 UNKNOWN_ID: entry 1 (id 7): no entity", DESPAWN,
            .batch.entities = {.count = 2, .id = IDS(1, 7)}),
    CONFIRM(A, "error INVALID: z has values", MOVE,
            .batch.entities = {.count = 1, .id = IDS(2), .x = FLOATS(1), .y = FLOATS(1), .z = FLOATS(1)}),
    CONFIRM(A, "error UNKNOWN_ROSTER", MOVE_ROSTER,
            .move_roster = {.roster = 7, .count = 1, .x = FLOATS(1), .y = FLOATS(1)}),
    CONFIRM(A, "error UNKNOWN_OBSERVER", SET_EXCEPTIONS, .set_exceptions = {.observer = 9}),
    SUBSCRIBE(A, "accepted; tick 0 reset", ALL),
    SEND(A, "accepted", UNSUBSCRIBE, .room = {0}),
    STEP(A, "applied 1"),
};

static void despawn_unnumbered(sim_scenario *play)
{
    const qd_client_message message = {.kind = QD_CLIENT_DESPAWN,
                                       .as.batch = {.room = play->rooms[0], .entities = {.count = 1, .id = IDS(5)}}};

    sim_link_send(play->peers[A].link, &message);
}

SCENARIO(refusals_of_a_batch_without_seq_come_with_seq_0) = {
    JOIN(A, NULL),
    CALL(despawn_unnumbered),
    LOOK(A, "accepted 0 UNKNOWN_ID unasked: entry 0 (id 5)"),
    STEP(A, "applied 1"),
};

#define MANY 300000u

static void despawn_many(sim_scenario *play)
{
    uint32_t *id = calloc(MANY, sizeof *id);

    sim_check(id != NULL, "out of memory");
    sim_peer_send(&play->peers[A],
                  MESSAGE(DESPAWN, .batch = {.room = play->rooms[0], .entities = {.count = MANY, .id = id}}));
    free(id);
}

/* All of them, in frames below 2 MiB; and their memory is given back. */
SCENARIO(very_many_refused_entries_are_listed) = {
    JOIN(A, NULL),
    PASS(0),
    MARK,
    CALL(despawn_many),
    LOOK(A, "accepted without 262144 of 300000 and more: entry 0 (id 0); accepted without 37856"),
    GREW(4096),
};

/* ---- readers that lag ---- */

#define OBSERVE_ALL(peer) OBSERVE(peer, NULL, 9, .x = FLOATS(1), .y = FLOATS(1), .range = FLOATS(1000))
#define GROWING_STEPS(peer, steps, from)                                                                               \
    REPEAT(steps, from), SPAWN_EACH(peer, NULL, 0, 100, 30, 0), STEP(peer, NULL), AGAIN

static void read_all(sim_peer *peer)
{
    while (sim_peer_next(peer) != NULL) {
    }
}

static void step(sim_peer *peer, uint64_t room)
{
    sim_peer_send(peer, MESSAGE(STEP, .step = {.room = room}));
    sim_house_settle(peer->house);
    read_all(peer);
}

/* The Step comes before the server notices that the reader has read, or after it: with the random pieces of bytes in
 * some rounds the one, in some the other. */
CASE(view_reader_that_has_read_is_reset_at_the_next_tick, .limits = {.queue_bytes_max = 4096})
{
    sim_peer writer, reader;

    sim_peer_open(&writer, house, NULL);
    sim_peer_open(&reader, house, NULL);
    uint64_t room = sim_peer_open_room(&writer, "room", NULL);
    (void)sim_peer_open_room(&reader, "room", NULL);
    sim_peer_send(
        &reader,
        MESSAGE(OBSERVE,
                .observers = {
                    .room = room, .count = 1, .id = IDS(9), .x = FLOATS(1), .y = FLOATS(1), .range = FLOATS(1000)}));
    for (uint32_t round = 0; round < 20; round++) {
        for (uint32_t i = 0; i < 8; i++) {
            sim_peer_send_crowd(&writer, room, &(sim_crowd){.first = 1000 * round + 100 * i, .count = 30});
            step(&writer, room);
        }
        read_all(&reader);
        step(&writer, room);
        const qd_server_message *message = sim_peer_next(&reader);
        sim_check(message != NULL && message->kind == QD_SERVER_VIEW && message->as.view.reset &&
                      message->as.view.tick == 9 * (round + 1),
                  "round %u: the tick brings no reset", round);
        read_all(&reader);
    }
    sim_peer_close(&writer);
    sim_peer_close(&reader);
}

SCENARIO(applied_says_that_views_lag, .limits = {.queue_bytes_max = 4096}) = {
    JOIN(A, NULL),
    OBSERVE_ALL(A),
    GROWING_STEPS(A, 8, 1),
    LOOK(A, "...; view 4 30 enter; applied 4 to -8; applied 5 views lag to -6; applied 6 views lag to -4; applied 7 "
            "views lag to -2; applied 8 views lag"),
    STEP(A, "view 9 reset merged 5 240 enter; applied 9"),
    STEP(A, "applied 10"),
};

SCENARIO(applied_says_that_pairs_lag, .limits = {.queue_bytes_max = 4096}) = {
    JOIN(A, NULL),
    SUBSCRIBE(A, "accepted; tick 0 reset", ALL),
    GROWING_STEPS(A, 3, 1),
    LOOK(A, "tick 1 435 begin; applied 1 to -4; applied 2 pairs lag to -2; applied 3 pairs lag; tick 3 reset merged 2 "
            "4005 begin"),
    STEP(A, "applied 4"),
    /* A session without a subscription misses nothing. */
    GROWING_STEPS(A, 3, 5),
    SEND(A, NULL, UNSUBSCRIBE, .room = {0}),
    STEP(A, "...; accepted to -1; applied 8"),
};

/* ---- the envelope and Hello ---- */

static const qd_msg_error *expect_invalid(sim_peer *peer)
{
    const qd_msg_error *error = &sim_peer_expect(peer, QD_SERVER_ERROR)->as.error;

    sim_check(error->code == QD_ERROR_INVALID, "error %s", qd_error_code_name(error->code));
    return error;
}

CASE(seq_above_the_limit_is_refused)
{
    sim_peer peer;

    sim_peer_open(&peer, house, NULL);
    sim_link_send(peer.link, &(qd_client_message){.seq = QD_SEQ_MAX + 1, .kind = QD_CLIENT_PING});
    sim_check(expect_invalid(&peer)->seq == QD_SEQ_MAX + 1, "another seq");
    sim_link_send(peer.link, &(qd_client_message){.seq = QD_SEQ_MAX, .kind = QD_CLIENT_PING});
    sim_check(sim_peer_expect(&peer, QD_SERVER_PONG)->seq == QD_SEQ_MAX, "another seq");
    sim_peer_close(&peer);
}

static void say_features(sim_peer *peer, size_t count, const char *const *features)
{
    sim_peer_send(
        peer, MESSAGE(HELLO, .hello = {.version = QD_PROTOCOL_VERSION, .feature_count = count, .features = features}));
}

CASE(features_are_limited_and_unknown_ones_ignored)
{
    const char *names[QD_FEATURES_MAX + 1];
    char name[QD_FEATURE_BYTES_MAX + 2] = "";
    sim_peer peer;

    memset(name, 'x', QD_FEATURE_BYTES_MAX);
    for (size_t i = 0; i <= QD_FEATURES_MAX; i++) {
        names[i] = name;
    }
    sim_peer_connect(&peer, house);
    say_features(&peer, QD_FEATURES_MAX + 1, names);
    sim_check(strstr(expect_invalid(&peer)->text, "features has 33 names") != NULL, "another text");
    name[QD_FEATURE_BYTES_MAX] = 'x';
    say_features(&peer, 1, names);
    sim_check(strstr(expect_invalid(&peer)->text, "features[0] has 65 bytes") != NULL, "another text");
    name[QD_FEATURE_BYTES_MAX] = '\0';
    say_features(&peer, QD_FEATURES_MAX, names);
    const qd_msg_welcome *welcome = &sim_peer_expect(&peer, QD_SERVER_WELCOME)->as.welcome;
    sim_check(welcome->feature_count == 1 && strcmp(welcome->features[0], "pings") == 0, "other features");
    sim_check(peer.link->watched_ms == 0, "a client without \"pings\" is asked");
    sim_peer_close(&peer);
}

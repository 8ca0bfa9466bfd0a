/* SPDX-License-Identifier: Apache-2.0
 *
 * Much is asked of a room, and each answer takes long.
 */
#include "scenario.h"
#include "server/base/memory/alloc.h"

#define ASKED 200u

static uint32_t answered;

/* Answers keep the order of the questions, whose seqs follow those of Hello and OpenRoom. */
static void take_answers(sim_peer *peer)
{
    for (const qd_server_message *message; (message = sim_peer_next(peer)) != NULL; answered++) {
        sim_check(message->kind == QD_SERVER_QUERY_RESULT && message->seq == 3 + answered, "answer %u", answered);
    }
}

/* Lets the room run, each answer of which takes 2 ms, until B's Move is in a tick: one comes each twentieth of a second. */
static void run_until_moved(sim_scenario *play)
{
    sim_world *world = &play->house->world;
    const qd_server_message *applied;

    answered = 0;
    world->look_ns = 2 * SIM_MS_NS;
    while ((applied = sim_peer_next(&play->peers[B])) == NULL) {
        if (!sim_run_actor(world)) {
            world->now_ns += SIM_MS_NS;
        }
        (void)sim_step_links(world, 100);
        take_answers(&play->peers[A]);
    }
    world->look_ns = 0;
    sim_check(applied->kind == QD_SERVER_APPLIED && applied->seq == play->peers[B].seq, "the move's Applied");
    sim_check(answered > 0 && answered < ASKED / 2, "the move is in after %u answers", answered);
    sim_house_settle(play->house);
    take_answers(&play->peers[A]);
    sim_check(answered == ASKED, "all is answered");
}

SCENARIO(queries_do_not_delay_other_sessions, CONFIG(.tick_hz = 20)) = {
    JOIN(A, NULL),
    JOIN(B, NULL),
    SPAWN(B, NULL, 1, 20, 1),
    PASS(100),
    LOOK(B, "applied *"),
    /* All is in the room's mailbox; the room has not run. */
    REPEAT(ASKED, 0),
    SEND(A, NULL, QUERY, .query = {.kind = QD_QUERY_CIRCLE, .where.circle = {.x = 50, .y = 50, .radius = 100}}),
    AGAIN,
    LOOPS(1000),
    LINK(A, "0 bytes in"),
    MOVE(B, NULL, 1, 7, 7),
    LOOPS(1000),
    LINK(B, "0 bytes in"),
    CALL(run_until_moved),
};

/* However quick the ticks before were: the network's loop, which serves others, does not make such a tick. */
SCENARIO(step_after_many_changes_is_for_a_worker) = {
    JOIN(A, NULL),
    STEP(A, NULL),
    PASS(10),
    REPEAT(7, 0),
    SPAWN_EACH(A, NULL, 1, 2000, 2000, 4),
    PASS(10),
    LOOK(A, "..."),
    STEP(A, NULL),
    LOOPS(1000),
    LINK(A, "0 bytes in"),
    LINK(A, "0 bytes out"),
    PASS(10),
    LOOK(A, "applied *"),
    AGAIN,
};

/* ---- slowed rooms ---- */

/* Each look at the clock takes 40 ms, so that a tick takes longer than its period of 50 ms. */
static void slow_down(sim_scenario *play)
{
    play->house->world.look_ns = 40 * SIM_MS_NS;
}

static void speed_up(sim_scenario *play)
{
    play->house->world.look_ns = 0;
}

static uint32_t rooms_slowed(const sim_scenario *play)
{
    return atomic_load(&play->house->server.service.rooms_slowed);
}

/* The first rate is that of a second in which the room began to be slow. */
static void expect_slowed(sim_scenario *play)
{
    uint32_t told = 0;

    sim_check(rooms_slowed(play) == 1, "one room is slowed");
    for (const qd_server_message *message; (message = sim_peer_next(&play->peers[A])) != NULL; told++) {
        const qd_msg_room_slowed *slowed = &message->as.room_slowed;

        sim_check(message->kind == QD_SERVER_ROOM_SLOWED, "the room is slowed");
        sim_check(slowed->tick_hz > 0 && slowed->tick_hz < 20, "to %u", slowed->tick_hz);
        sim_check(slowed->tick_us >= 40000, "a tick takes %u us", slowed->tick_us);
    }
    sim_check(told == 1 || told == 2, "told %u times", told);
}

static void expect_not_slowed(sim_scenario *play)
{
    sim_check(rooms_slowed(play) == 0, "no room is slowed");
}

/* All in the room are told once, one who joins it as well, and all again when it holds its rate. */
SCENARIO(members_of_a_slowed_room_are_told, CONFIG(.tick_hz = 20)) = {
    JOIN(A, NULL),
    JOIN(C, NULL),
    SPAWN(A, NULL, 1, 2, 1),
    /* Pairs that stay keep the room running. */
    SEND(C, NULL, SUBSCRIBE, .subscribe = {.stays = true}),
    PASS(500),
    LOOK(A, "applied *"),
    CALL(slow_down),
    PASS(5000),
    CALL(speed_up),
    CALL(expect_slowed),
    OPEN(B, NULL),
    REJOIN(B, "opened*; slowed to *"),
    PASS(3000),
    LOOK(A, "slowed to 20 unasked"),
    LOOK(B, "slowed to 20 unasked"),
    CALL(expect_not_slowed),
};

/* ---- Steps after very long ticks ---- */

/* All 600 may meet at one place. The loop takes that risk only in a room that has had no very long tick for a while. */
SCENARIO(step_after_a_very_long_tick_is_for_a_worker) = {
    JOIN(A, NULL),
    SPAWN(A, NULL, 1, 600, 4),
    CALL(slow_down),
    STEP(A, NULL),
    PASS(10),
    CALL(speed_up),
    PASS(2000),
    REPEAT(9, 0),
    STEP(A, NULL),
    PASS(10),
    LOOK(A, "..."),
    CROWD(A, NULL, .moves = true, .first = 1, .count = 600, .apart = 3),
    STEP(A, NULL),
    LOOPS(1000),
    LINK(A, "0 bytes in"),
    LINK(A, "0 bytes out"),
    PASS(10),
    LOOK(A, "applied *"),
    AGAIN,
};

/* ---- sessions beyond their budget ---- */

/* The first session, which is the last of the list, has used up its time for a while: all that it had, and more. */
static void use_time_of_first(sim_scenario *play)
{
    qd_server *server = &play->house->server;
    const qd_session *first = TAILQ_LAST(&server->sessions.open, qd_session_list);

    for (uint32_t i = 0; i < 2; i++) {
        qd_time_bucket_charge(&first->endpoint->time, server->service.share, play->house->world.now_ns, UINT64_MAX);
    }
}

static void give_time_to_last(sim_scenario *play)
{
    qd_session *last = TAILQ_FIRST(&play->house->server.sessions.open);

    atomic_store(&last->endpoint->time.empty_ns, 0);
}

/* The loops see that A's link is closed before any room runs. */
static void cut_off_a(sim_scenario *play)
{
    sim_link_drop(play->peers[A].link);
    while (sim_step_links(&play->house->world, 100)) {
        continue;
    }
}

/* All is in the room's mailbox, A's first. Its own messages keep their order. */
SCENARIO(session_beyond_its_budget_waits_behind_others) = {
    JOIN(A, NULL),
    JOIN(B, NULL),
    LOOK(A, ""),
    CALL(use_time_of_first),
    SPAWN(A, NULL, 1, 2, 0),
    SNAPSHOT(A, NULL),
    LOOPS(1000),
    LINK(A, "0 bytes in"),
    SPAWN(B, NULL, 11, 1, 0),
    LOOPS(1000),
    LINK(B, "0 bytes in"),
    LOOK(A, "snapshot 1 at 0 0 2 at 0 0 11 at 0 0"),
};

/* The room carries out what the old connection left, and then there is nothing of the new one. */
SCENARIO(messages_that_wait_are_carried_out_when_the_session_is_resumed) = {
    RESUMABLE(A, NULL, "welcome *"),
    ROOM(A, 0),
    JOIN(B, NULL),
    LOOK(A, ""),
    CALL(use_time_of_first),
    SPAWN(A, NULL, 1, 2, 0),
    LOOPS(1000),
    LINK(A, "0 bytes in"),
    CALL(cut_off_a),
    RESUME(C, A, NULL, NULL),
    LOOPS(1000),
    SNAPSHOT(C, NULL),
    LOOPS(1000),
    LINK(C, "0 bytes in"),
    LOOK(C, "welcome *; snapshot 1 at 0 0 2 at 0 0"),
    CLOSE(A),
};

/* The room takes all of it in one run: only the order makes the resumed session wait. */
SCENARIO(messages_of_the_resumed_session_wait_for_those_of_the_old_connection) = {
    RESUMABLE(A, NULL, "welcome *"),
    ROOM(A, 0),
    JOIN(B, NULL),
    LOOK(A, ""),
    CALL(use_time_of_first),
    SPAWN(A, NULL, 1, 2, 0),
    LOOPS(1000),
    LINK(A, "0 bytes in"),
    CALL(cut_off_a),
    RESUME_IN_LOOPS(C, A),
    CALL(give_time_to_last),
    SNAPSHOT(C, NULL),
    SPAWN(C, NULL, 3, 1, 0),
    SNAPSHOT(C, NULL),
    LOOPS(1000),
    LINK(C, "0 bytes in"),
    LOOK(C, "welcome *; snapshot 1 at 0 0 2 at 0 0 to -2; snapshot 1 at 0 0 2 at 0 0 3 at 0 0"),
    CLOSE(A),
};

/* ---- what nobody waits for is dropped ---- */

static void use_all_memory(sim_scenario *play)
{
    (void)play;
    qd_memory_limit_set(qd_memory_used() + 1000);
}

static uint64_t errors_of(const sim_scenario *play)
{
    return qd_counted(&play->house->server.service.counters, QD_COUNT_ERRORS);
}

static void expect_no_error(sim_scenario *play)
{
    sim_check(errors_of(play) == 0, "the snapshot is carried out");
}

static void expect_one_error(sim_scenario *play)
{
    sim_check(errors_of(play) == 1, "a snapshot without memory is an error");
    qd_memory_limit_set(0);
}

/* Without memory, a snapshot that is carried out counts as an error. */
SCENARIO(snapshot_of_a_closed_connection_is_dropped) = {
    JOIN(B, NULL),
    SPAWN(B, NULL, 1, 10000, 0),
    LOOK(B, ""),
    JOIN(A, NULL),
    LOOK(A, ""),
    SNAPSHOT(A, NULL),
    LOOPS(1000),
    LINK(A, "0 bytes in"),
    CALL(cut_off_a),
    CALL(use_all_memory),
    LOOK(B, ""),
    CALL(expect_no_error),
    SNAPSHOT(B, "error LIMIT: --memory-max"),
    CALL(expect_one_error),
    CLOSE(A),
};

/* ---- stopping ---- */

static void close_rooms(sim_scenario *play)
{
    qd_server_close_rooms(&play->house->server);
}

static void close_rooms_in_a_hurry(sim_scenario *play)
{
    qd_server_close_rooms(&play->house->server);
    qd_server_hurry(&play->house->server);
}

/* What changes the room is carried out. */
SCENARIO(stopping_refuses_what_only_reads) = {
    JOIN(A, NULL),
    LOOK(A, ""),
    SPAWN(A, NULL, 1, 2, 1),
    SNAPSHOT(A, NULL),
    LOOPS(1000),
    LINK(A, "0 bytes in"),
    CALL(close_rooms),
    LOOK(A, "error UNKNOWN_ROOM: closed; applied *; closed: shutdown unasked"),
    WORLD("updates 2"),
};

SCENARIO(stopping_in_a_hurry_refuses_all_that_waits) = {
    JOIN(A, NULL),
    LOOK(A, ""),
    SPAWN(A, NULL, 1, 2, 1),
    SNAPSHOT(A, NULL),
    LOOPS(1000),
    LINK(A, "0 bytes in"),
    CALL(close_rooms_in_a_hurry),
    LOOK(A, "error UNKNOWN_ROOM to -1: closed; error UNKNOWN_ROOM: closed; closed: shutdown unasked"),
    WORLD("updates 0"),
};

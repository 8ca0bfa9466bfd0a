/* SPDX-License-Identifier: Apache-2.0
 *
 * A program on the session layer, whose connections break at random moments, 1,000 times. The program has no line about
 * that. After each settled tick its sets of pairs and views equal brute force over its own positions, and so does what
 * the handlers have reported. Every Step makes exactly one tick.
 */
#include <signal.h>

#include "client/quadrille-session.h"
#include "support/checked_room.h"
#include "support/proxy.h"
#include "support/rng.h"
#include "support/session.h"
#include "tests/support/test.h"

#define SETTLE_TICKS_MAX 200

struct scenario {
    const char *const *arguments; /* of the server */
    const char *token;
    uint32_t grace_ms, cuts, rounds_per_restart; /* 0: no restarts */
    bool resumes;
};

static bool are_settled(const struct checked_room rooms[2])
{
    return qd_room_settled(rooms[0].room) && qd_room_settled(rooms[1].room);
}

static void play(const struct scenario *scenario, uint64_t seed)
{
    static struct checked_room rooms[2];
    rng_stream rng = {seed};
    qd_process *server = qd_server_start(scenario->arguments);
    struct proxy *proxy = proxy_start(qd_server_address(server), seed + 1);
    qd_session_options options = {.size = sizeof options,
                                  .token = scenario->token,
                                  .name = "session_cuts",
                                  .connect_ms = 60,
                                  .ping_ms = 20,
                                  .dead_ms = 60,
                                  .backoff_ms = 2,
                                  .backoff_max_ms = 20,
                                  .seed = seed};
    qd_session *session = qd_session_create(proxy_address(proxy), &options, &checked_room_handlers);
    uint32_t round;

    checked_room_begin(&rooms[0], session, "steps", true, scenario->grace_ms, &rng);
    checked_room_begin(&rooms[1], session, "clock", false, scenario->grace_ms, &rng);
    for (round = 1; proxy_cuts(proxy) < scenario->cuts; round++) {
        bool restarts = scenario->rounds_per_restart > 0 && round % scenario->rounds_per_restart == 0;

        checked_room_change(&rooms[0]);
        checked_room_change(&rooms[1]);
        if (restarts) {
            qd_process *next = qd_server_start(scenario->arguments);

            qd_session_run(session, 3);
            qd_process_signal(server, rng_one_in(&rng, 2) ? SIGKILL : SIGTERM);
            qd_process_wait(server, DEADLINE_MS);
            qd_process_destroy(server);
            server = next;
            proxy_aim(proxy, qd_server_address(server));
        }
        for (int i = 0; i < 2; i++) {
            checked_room_tick(&rooms[i], restarts);
            checked_room_check(&rooms[i]);
        }
    }
    /* With a connection that holds, views settle at the next tick. A busy machine may lose one more. */
    proxy_cut(proxy, false);
    for (int i = 0; i < 4 || (i < SETTLE_TICKS_MAX && !are_settled(rooms)); i++) {
        checked_room_tick(&rooms[i % 2], false);
        checked_room_check(&rooms[i % 2]);
    }
    print_message("%u cuts in %u rounds, %u connections, %u resumed; views checked %u and %u times\n",
                  proxy_cuts(proxy), round, (unsigned)qd_session_connects(session),
                  (unsigned)qd_session_resumes(session), rooms[0].view_checks, rooms[1].view_checks);
    for (int i = 0; i < 2; i++) {
        assert_true(rooms[i].checks >= round && rooms[i].pairs > round);
        assert_true(rooms[i].view_checks > round / 4);
    }
    assert_true(are_settled(rooms));
    assert_true(qd_session_connects(session) > scenario->cuts / 2);
    assert_int_equal(qd_session_resumes(session) > 0, scenario->resumes);
    qd_session_destroy(session);
    proxy_stop(proxy);
    qd_process_signal(server, SIGTERM);
    assert_int_equal(qd_process_wait(server, DEADLINE_MS), 0);
    qd_process_destroy(server);
}

TEST(cuts_and_restarts_keep_the_sets_right_by_resuming)
{
    play(&(struct scenario){.grace_ms = 5000, .cuts = 700, .rounds_per_restart = 60, .resumes = true}, 1);
}

TEST(cuts_keep_the_sets_right_by_adopting)
{
    play(&(struct scenario){.arguments = QD_ARGS("--resume-ms-max", "0"), .token = "t", .grace_ms = 5000, .cuts = 200},
         2);
}

TEST(cuts_keep_the_sets_right_after_the_grace_time)
{
    play(&(struct scenario){.arguments = QD_ARGS("--resume-ms-max", "0"), .grace_ms = 10, .cuts = 100}, 3);
}

TEST_MAIN()

/* SPDX-License-Identifier: Apache-2.0 */
#include "turns.h"

#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "../../base/ablation.h"
#include "../../base/clock.h"

#define TURN_NS         400000u
#define TURN_CROWDED_NS 100000u

/* A connection's share: one part in so many of the loop's time, and so much at once. Larger debts are forgiven, so a
 * connection is light again at most 30 ms after its last turn. */
#define SHARE_PARTS 10u
#define BURST_NS    200000u
#define DEBT_NS_MAX 3200000u

/* How long a connection counts as light after its last turn: it may tick 10 times per second. */
#define LIGHT_NS 100000000u

#define REST_NS 50000

/* How old a look at the thread's own time may be when a turn begins. */
#define LOOK_NS 100000u

/* ---- the thread's own time ---- */

/* A call of the system. */
static uint64_t ran_ns(void)
{
    struct timespec ran;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ran);
    return (uint64_t)ran.tv_sec * 1000000000u + (uint64_t)ran.tv_nsec;
}

static void look(qd_turns *turns, uint64_t now_ns)
{
    turns->looked_ns = now_ns;
    turns->ran_ns = ran_ns();
}

/* At most so long has the thread run in the turn, which began at most LOOK_NS after the last look. */
static uint64_t ran_in(const qd_turns *turns, const qd_turn *turn, uint64_t now_ns)
{
    const uint64_t passed_ns = now_ns - turn->began_ns;

    if (passed_ns <= LOOK_NS) {
        return passed_ns;
    }
    const uint64_t ran = ran_ns() - turns->ran_ns;
    return ran < passed_ns ? ran : passed_ns;
}

/* ---- light ones ---- */

static bool are_others_light(const qd_turns *turns, const qd_turn *turn)
{
    const uint64_t last_ns = turns->light == turn ? turns->lighter_ns : turns->light_ns;

    return last_ns != 0 && qd_clock_now_ns() - last_ns <= LIGHT_NS && !QD_WITHOUT(FAIR_TURNS);
}

static void note_light(qd_turns *turns, const qd_turn *turn)
{
    if (turns->light != turn) {
        turns->lighter_ns = turns->light_ns;
        turns->light = turn;
    }
    turns->light_ns = turn->ended_ns;
}

bool qd_turn_is_beyond(const qd_turns *turns, const qd_turn *turn)
{
    return turn->debt_ns > BURST_NS && are_others_light(turns, turn);
}

/* ---- turns ---- */

void qd_turn_begin(qd_turns *turns, qd_turn *turn)
{
    if (turn->begun) {
        return;
    }
    if (turn->pass != turns->pass) {
        turn->pass = turns->pass;
        turn->took_ns = 0;
    }
    turn->begun = true;
    turn->began_ns = qd_clock_now_ns();
    if (turn->began_ns - turns->looked_ns > LOOK_NS) {
        look(turns, turn->began_ns);
    }
}

bool qd_turn_is_over(const qd_turns *turns, const qd_turn *turn)
{
    const uint64_t max_ns = are_others_light(turns, turn) ? TURN_CROWDED_NS : TURN_NS;

    const uint64_t now_ns = qd_clock_now_ns();

    /* The thread cannot have run for longer than what has passed. */
    return turn->took_ns + (now_ns - turn->began_ns) >= max_ns && turn->took_ns + ran_in(turns, turn, now_ns) >= max_ns;
}

static void charge(qd_turn *turn, uint64_t took_ns, uint64_t now_ns)
{
    const uint64_t paid_ns = (now_ns - turn->ended_ns) / SHARE_PARTS;

    turn->debt_ns = (turn->debt_ns > paid_ns ? turn->debt_ns - paid_ns : 0) + took_ns;
    if (turn->debt_ns > DEBT_NS_MAX) {
        turn->debt_ns = DEBT_NS_MAX;
    }
    turn->ended_ns = now_ns;
}

void qd_turn_end(qd_turns *turns, qd_turn *turn)
{
    if (!turn->begun) {
        return;
    }
    const uint64_t now_ns = qd_clock_now_ns(), took_ns = ran_in(turns, turn, now_ns);
    turn->begun = false;
    turn->took_ns += took_ns;
    charge(turn, took_ns, now_ns);
    if (turn->debt_ns <= BURST_NS) {
        note_light(turns, turn);
    } else if (!turn->parked && are_others_light(turns, turn)) {
        turn->parked = true;
        TAILQ_INSERT_TAIL(&turns->parked, turn, next);
    }
}

void qd_turn_leave(qd_turns *turns, qd_turn *turn)
{
    if (turn->parked) {
        turn->parked = false;
        TAILQ_REMOVE(&turns->parked, turn, next);
    }
    if (turns->light == turn) {
        turns->light = NULL;
    }
    *turn = (qd_turn){.resume = turn->resume};
}

/* ---- passes ---- */

static bool begin_rest(qd_turns *turns)
{
    const struct itimerspec rest = {.it_value.tv_nsec = REST_NS};

    return timerfd_settime(turns->rest_fd, 0, &rest, NULL) == 0;
}

static void on_rested(uv_poll_t *rested, int status, int events)
{
    qd_turns *turns = rested->data;
    uint64_t count;

    (void)status;
    (void)events;
    (void)!read(turns->rest_fd, &count, sizeof count);
    turns->rests = false;
}

bool qd_turns_pass(qd_turns *turns)
{
    qd_turn *first = TAILQ_FIRST(&turns->parked);

    turns->pass++;
    if (first == NULL || turns->rests) {
        return false;
    }
    TAILQ_REMOVE(&turns->parked, first, next);
    first->parked = false;
    first->resume(first);
    turns->rests = begin_rest(turns);
    return !turns->rests;
}

/* ---- life ---- */

bool qd_turns_init(qd_turns *turns, uv_loop_t *uv)
{
    *turns = (qd_turns){.rested.data = turns};
    TAILQ_INIT(&turns->parked);
    turns->rest_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    return turns->rest_fd >= 0 && uv_poll_init(uv, &turns->rested, turns->rest_fd) == 0 &&
           uv_poll_start(&turns->rested, UV_READABLE, on_rested) == 0;
}

void qd_turns_deinit(qd_turns *turns)
{
    if (turns->rest_fd >= 0) {
        close(turns->rest_fd);
    }
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Drives one server through one world and measures it; a part of tests/bench/service.
 *
 *     bench_client_service SYSTEM WORLD PORT PID SECONDS SHARE
 *
 * SYSTEM is a name in client/peer.h, WORLD one in client/world.h. The server is the process PID and listens on PORT of
 * this machine. SHARE divides the size of the world. Prints one line of fields separated by tabs:
 *
 *     WORLD, SYSTEM, updates per second, the server's CPU ns per update, CPU time / elapsed time, median and 99th
 *     percentile of a step's time in us, digest, members at the end
 *
 * Phases:
 *   1. A few steps, one by one. After each, the members and the changes are compared with brute force, and the members
 *      are added to the digest.
 *   2. Warm-up.
 *   3. For SECONDS, steps with two under way: updates per second and CPU time.
 *   4. For SECONDS, steps with one under way: the time from the first byte sent to the last change folded.
 *   5. All members are compared once more.
 *
 * The exit status is 1 if an answer was wrong or the server failed.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "client/peer.h"
#include "client/program.h"

#define STEPS_CHECKED 6u

static const peer *const peers[] = {&peer_quadrille, &peer_redis_circles, &peer_redis_points, &peer_websocket};

typedef struct run {
    world *world;
    const peer *peer;
    void *state;
    sets sets;
    uint32_t sent, done; /* steps */
    clockid_t server_clock;
} run;

typedef struct phase {
    uint64_t steps, took_ns, server_ns;
    uint64_t *step_ns;
} phase;

/* ---- steps ---- */

static void send_step(run *r)
{
    world_move(r->world, ++r->sent);
    r->peer->send(r->state, r->sent);
}

static void finish_step(run *r)
{
    sets_begin_step(&r->sets);
    r->peer->finish(r->state, ++r->done, &r->sets);
}

/* ---- checking ---- */

/* Whether `keys`, which ascend, contain `key`. */
static bool contains(const uint64_t *keys, size_t count, uint64_t key)
{
    size_t low = 0;

    while (count > 0) {
        const size_t half = count / 2;

        if (keys[low + half] < key) {
            low += half + 1;
            count -= half + 1;
        } else if (keys[low + half] > key) {
            count = half;
        } else {
            return true;
        }
    }
    return false;
}

/* The changes must lead from `before` to `now`. None is missing, since folding them gave `now`, and none is redundant. */
static void check_changes(const sets_list *changes, const uint64_t *before, size_t before_count, const uint64_t *now,
                          size_t now_count, const char *what, uint32_t step)
{
    for (size_t i = 0; i < changes->count; i++) {
        if (contains(before, before_count, changes->key[i]) || !contains(now, now_count, changes->key[i])) {
            program_die("step %u: the server reports that %u/%u %s, but brute force does not", step,
                        (unsigned)(changes->key[i] >> 32), (unsigned)changes->key[i], what);
        }
    }
}

static uint64_t *check_members(const run *r, size_t *count)
{
    uint64_t *right = world_members(r->world, r->done, count), *reported = sets_members(&r->sets);

    if (r->sets.count != *count || (*count > 0 && memcmp(right, reported, *count * sizeof *reported) != 0)) {
        program_die("after step %u: the server's %zu members are not the %zu that brute force finds", r->done,
                    r->sets.count, *count);
    }
    free(reported);
    return right;
}

static uint64_t digest(uint64_t sum, const uint64_t *keys, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        sum = (sum ^ keys[i]) * UINT64_C(0x100000001b3);
    }
    return sum;
}

static uint64_t run_checked(run *r)
{
    size_t before_count, count;
    uint64_t *before = check_members(r, &before_count);
    uint64_t sum = digest(UINT64_C(0xcbf29ce484222325), before, before_count);

    for (uint32_t i = 0; i < STEPS_CHECKED; i++) {
        send_step(r);
        finish_step(r);
        uint64_t *now = check_members(r, &count);
        check_changes(&r->sets.entered, before, before_count, now, count, "entered", r->done);
        check_changes(&r->sets.left, now, count, before, before_count, "left", r->done);
        sum = digest(sum, now, count);
        free(before);
        before = now;
        before_count = count;
    }
    free(before);
    return sum;
}

/* ---- measuring ---- */

static uint64_t server_now_ns(const run *r)
{
    struct timespec now;

    if (clock_gettime(r->server_clock, &now) != 0) {
        program_die("the server's clock: %s", strerror(errno));
    }
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Runs at least one step, even if it takes longer. */
static phase run_timed(run *r, double seconds, uint32_t under_way)
{
    phase p = {0};
    size_t capacity = 0;
    const uint64_t server_ns = server_now_ns(r), start_ns = program_now_ns();
    const uint64_t end_ns = start_ns + (uint64_t)(seconds * 1e9);

    for (;;) {
        const uint64_t now_ns = program_now_ns();
        const bool more = now_ns < end_ns || p.steps == 0;

        if (more && r->sent - r->done < under_way) {
            send_step(r);
            if (under_way > 1) {
                continue;
            }
        } else if (r->sent == r->done) {
            break;
        }
        finish_step(r);
        if (p.steps == capacity) {
            capacity = capacity > 0 ? 2 * capacity : 4096;
            p.step_ns = program_memory(p.step_ns, capacity * sizeof *p.step_ns);
        }
        p.step_ns[p.steps++] = program_now_ns() - now_ns;
    }
    p.took_ns = program_now_ns() - start_ns;
    p.server_ns = server_now_ns(r) - server_ns;
    return p;
}

static double percentile_us(phase *p, double part)
{
    sets_sort(p->step_ns, p->steps);
    return (double)p->step_ns[(size_t)(part * (double)(p->steps - 1))] / 1e3;
}

/* ---- the command line ---- */

static double number(const char *text, double low, double high)
{
    char *end;
    const double value = strtod(text, &end);

    if (end == text || *end != '\0' || !(value >= low && value <= high)) {
        program_die("%s: not a number from %g to %g", text, low, high);
    }
    return value;
}

int main(int argc, char **argv)
{
    static run r; /* never freed; it lives as long as the program */

    if (argc != 7) {
        program_die("needs SYSTEM WORLD PORT PID SECONDS SHARE");
    }
    for (size_t i = 0; i < sizeof peers / sizeof *peers; i++) {
        if (strcmp(peers[i]->name, argv[1]) == 0) {
            r.peer = peers[i];
        }
    }
    const uint16_t port = (uint16_t)number(argv[3], 1, UINT16_MAX);
    const pid_t server = (pid_t)number(argv[4], 1, INT32_MAX);
    const double seconds = number(argv[5], 0.01, 86400);
    r.world = world_create(argv[2], (uint32_t)number(argv[6], 1, 100));
    if (r.peer == NULL || r.world == NULL || !r.peer->knows(r.world->kind)) {
        program_die("no system %s plays the world %s", argv[1], argv[2]);
    }
    if (clock_getcpuclockid(server, &r.server_clock) != 0) {
        program_die("no process has the id %d", (int)server);
    }

    sets_init(&r.sets);
    sets_begin_step(&r.sets);
    r.state = r.peer->open(r.world, port, &r.sets);
    const uint64_t sum = run_checked(&r);
    free(run_timed(&r, seconds / 4, 2).step_ns);
    phase rate = run_timed(&r, seconds, 2), one = run_timed(&r, seconds, 1);
    size_t members;
    free(check_members(&r, &members));

    const double updates = (double)rate.steps * r.world->points;
    printf("%s\t%s\t%.0f\t%.2f\t%.3f\t%.1f\t%.1f\t%016llx\t%zu\n", r.world->name, r.peer->name,
           updates * 1e9 / (double)rate.took_ns, (double)rate.server_ns / updates,
           (double)rate.server_ns / (double)rate.took_ns, percentile_us(&one, 0.5), percentile_us(&one, 0.99),
           (unsigned long long)sum, members);
    free(rate.step_ns);
    free(one.step_ns);
    return 0;
}

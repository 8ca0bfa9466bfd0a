/* SPDX-License-Identifier: Apache-2.0
 *
 * A measured library, and the program around it, in C and C++; peers.mjs is the same in JavaScript.
 *
 *     PROGRAM --list                       one line per peer: its name, its version
 *     PROGRAM NAME WORKLOAD WARM TICKS     one measurement, one line of fields separated by tabs:
 *                                          name, workload, entities, ns per tick, ticks measured, digests, setting
 *
 * At each tick the scene moves (untimed), the peer applies the moves and finds all pairs (timed), and the pairs go into
 * the digest (untimed). After every eighth tick the digest is recorded, combined with a checksum of the scene. If two
 * peers have equal digests, they found the same pairs at every tick until then.
 *
 * The clock is the CPU time of the process, so other programs cost nothing except cache misses. The time of a tick is
 * the median over groups of eight ticks of the mean within a group: trees whose boxes have margins do nothing for some
 * ticks and then much at once, which a median over single ticks would not show. TICKS is a multiple of eight. A peer
 * that takes longer than PEER_BUDGET_NS stops at the end of its group.
 *
 * A peer with several settings is measured with the best of them, which a few ticks of the same workload determine,
 * with a tenth of the entities if there are many.
 */
#ifndef QD_BENCH_PEER_H
#define QD_BENCH_PEER_H

#include <time.h>

#include "../median.h"
#include "scene.h"

typedef struct peer_pairs {
    uint32_t *id; /* two per pair, in any order */
    size_t count, capacity;
} peer_pairs;

/* Sums, so that the order of pairs does not matter and a pair can be taken out again. */
typedef struct peer_digest {
    uint64_t count;
    uint32_t sum[2];
} peer_digest;

typedef struct peer peer;

struct peer {
    const char *name, *version;
    uint32_t count_max; /* larger scenes would take hours; 0: any size */
    uint32_t settings;
    /* Inserts the whole scene. `setting` is below `settings`; `note` gets its description. */
    void *(*create)(const peer *self, const scene *s, uint32_t setting, char note[64]);
    /* The timed part: applies the moves and appends all pairs to `found`, which is empty. */
    void (*tick)(void *state, const scene *s, peer_pairs *found);
    /* Updates the digest from the last tick's pairs to this tick's. NULL: `found` has all pairs. */
    void (*digest)(void *state, peer_digest *present);
    void (*destroy)(void *state);
    const void *argument; /* the peer's own */
};

#define PEER_GROUP          8u
#define PEER_BUDGET_NS      30e9
#define PEER_TUNE_GROUPS    3u
#define PEER_TUNE_COUNT_MAX 10000u

static inline void peer_pairs_grow(peer_pairs *pairs)
{
    pairs->capacity = pairs->capacity ? pairs->capacity * 2 : 65536;
    pairs->id = (uint32_t *)realloc(pairs->id, pairs->capacity * 2 * sizeof *pairs->id);
    if (pairs->id == NULL) {
        abort();
    }
}

static inline void peer_pairs_add(peer_pairs *pairs, uint32_t a, uint32_t b)
{
    if (pairs->count == pairs->capacity) {
        peer_pairs_grow(pairs);
    }
    pairs->id[2 * pairs->count] = a;
    pairs->id[2 * pairs->count + 1] = b;
    pairs->count++;
}

static inline uint32_t peer_hash(uint32_t low, uint32_t high, uint32_t seed)
{
    uint32_t h = (low ^ seed) * 0x9e3779b1u;

    h = ((h ^ h >> 15) + high) * 0x85ebca77u;
    h = (h ^ h >> 13) * 0xc2b2ae3du;
    return h ^ h >> 16;
}

static inline void peer_digest_add(peer_digest *digest, uint32_t a, uint32_t b)
{
    digest->count++;
    digest->sum[0] += peer_hash(a < b ? a : b, a < b ? b : a, 1);
    digest->sum[1] += peer_hash(a < b ? a : b, a < b ? b : a, 2);
}

static inline void peer_digest_remove(peer_digest *digest, uint32_t a, uint32_t b)
{
    digest->count--;
    digest->sum[0] -= peer_hash(a < b ? a : b, a < b ? b : a, 1);
    digest->sum[1] -= peer_hash(a < b ? a : b, a < b ? b : a, 2);
}

static inline double peer_own_ns(void)
{
    struct timespec time;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

#define PEER_GROUPS_MAX 64u

typedef struct peer_result {
    double tick_ns;
    uint32_t groups;
    uint32_t digest[PEER_GROUPS_MAX][2];
    char note[64];
} peer_result;

/* Adds the present pairs to the digest of all ticks. */
static inline void peer_digest_fold(const peer *self, void *state, const peer_pairs *found, peer_digest *present,
                                    uint32_t all[2])
{
    if (self->digest) {
        self->digest(state, present);
    } else {
        memset(present, 0, sizeof *present);
        for (size_t i = 0; i < found->count; i++) {
            peer_digest_add(present, found->id[2 * i], found->id[2 * i + 1]);
        }
    }
    for (int k = 0; k < 2; k++) {
        all[k] = (all[k] ^ (uint32_t)present->count) * 0x01000193u + present->sum[k];
    }
}

static inline void peer_run(const peer *self, const scene_workload *load, uint32_t count, uint32_t setting,
                            uint32_t warm, uint32_t groups, peer_result *result)
{
    double times[PEER_GROUPS_MAX] = {0}, spent = 0;
    peer_pairs found = {NULL, 0, 0};
    peer_digest present = {0, {0, 0}};
    uint32_t all[2] = {0, 0};
    scene s;

    memset(result, 0, sizeof *result);
    scene_init(&s, load, count);
    void *state = self->create(self, &s, setting, result->note);
    for (uint32_t tick = 0; result->groups < groups && spent < PEER_BUDGET_NS; tick++) {
        scene_step(&s);
        found.count = 0;
        double start = peer_own_ns();
        self->tick(state, &s, &found);
        double took = peer_own_ns() - start;
        peer_digest_fold(self, state, &found, &present, all);
        if (tick < warm) {
            continue;
        }
        times[result->groups] += took / PEER_GROUP;
        if ((tick - warm) % PEER_GROUP == PEER_GROUP - 1) {
            spent += times[result->groups] * PEER_GROUP;
            all[0] ^= scene_checksum(&s);
            memcpy(result->digest[result->groups++], all, sizeof all);
        }
    }
    self->destroy(state);
    result->tick_ns = median(times, result->groups);
    scene_deinit(&s);
    free(found.id);
}

static inline uint32_t peer_tune(const peer *self, const scene_workload *load)
{
    uint32_t count = load->count > PEER_TUNE_COUNT_MAX ? load->count / 10 : load->count, best = 0;
    double best_ns = 0;

    for (uint32_t setting = 0; self->settings > 1 && setting < self->settings; setting++) {
        peer_result result;

        peer_run(self, load, count, setting, PEER_GROUP, PEER_TUNE_GROUPS, &result);
        if (setting == 0 || result.tick_ns < best_ns) {
            best = setting;
            best_ns = result.tick_ns;
        }
    }
    return best;
}

static inline void peer_print(const peer *self, const scene_workload *load, const peer_result *result)
{
    printf("%s\t%s\t%u\t%.0f\t%u\t", self->name, load->name, load->count, result->tick_ns, result->groups * PEER_GROUP);
    for (uint32_t group = 0; group < result->groups; group++) {
        printf("%08x%08x", result->digest[group][0], result->digest[group][1]);
    }
    printf("\t%s\n", result->note);
}

static inline int peer_main(const peer *peers, size_t peer_count, int count, char **arguments)
{
    if (count == 2 && strcmp(arguments[1], "--list") == 0) {
        for (size_t i = 0; i < peer_count; i++) {
            printf("%s\t%s\n", peers[i].name, peers[i].version);
        }
        return 0;
    }
    const scene_workload *load = count == 5 ? scene_workload_named(arguments[2]) : NULL;
    uint32_t warm = count == 5 ? (uint32_t)strtoul(arguments[3], NULL, 10) : 0;
    uint32_t groups = count == 5 ? (uint32_t)strtoul(arguments[4], NULL, 10) / PEER_GROUP : 0;
    for (size_t i = 0; load && groups > 0 && groups <= PEER_GROUPS_MAX && i < peer_count; i++) {
        peer_result result;

        if (strcmp(peers[i].name, arguments[1]) != 0) {
            continue;
        }
        if (peers[i].count_max && load->count > peers[i].count_max) {
            printf("%s\t%s\t%u\tskipped\n", peers[i].name, load->name, load->count);
            return 0;
        }
        peer_run(&peers[i], load, load->count, peer_tune(&peers[i], load), warm, groups, &result);
        peer_print(&peers[i], load, &result);
        return 0;
    }
    fprintf(stderr, "usage: %s --list | NAME WORKLOAD WARM TICKS\n", arguments[0]);
    return 2;
}

#endif

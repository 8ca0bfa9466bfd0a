/* SPDX-License-Identifier: Apache-2.0
 *
 * One that is measured, and the program around it, in C and C++. (peers.mjs is the same in JavaScript.)
 *
 *     PROGRAM --list                       a line for each peer: its name, its version
 *     PROGRAM NAME WORKLOAD WARM TICKS     one measurement, in one line of fields between tabs:
 *                                          name, workload, entities, median ns a tick, pairs of all ticks together,
 *                                          digest of all pairs of all ticks, checksum of the scene, setting
 *
 * At each tick the scene moves (untimed), the peer takes over what moved and finds all pairs (timed), and what it found
 * goes into the digest (untimed): so that two peers with equal digests had the same pairs at every tick.
 *
 * A peer with several settings is measured with the one that is best on some ticks of the same workload, of a tenth of
 * the entities where these are many.
 */
#ifndef QD_BENCH_PEER_H
#define QD_BENCH_PEER_H

#include <time.h>

#include "scene.h"

typedef struct peer_pairs {
    uint32_t *id; /* two a pair, in any order */
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
    /* Takes over the whole scene. `setting` is below `settings`; says into `note` what it means. */
    void *(*create)(const peer *self, const scene *s, uint32_t setting, char note[64]);
    /* The timed part: what moved, and all pairs into `found`, which is empty. */
    void (*tick)(void *state, const scene *s, peer_pairs *found);
    /* Brings the digest from the last tick's pairs to this one's. NULL: `found` has them all. */
    void (*digest)(void *state, peer_digest *present);
    void (*destroy)(void *state);
    const void *argument; /* the peer's own */
};

#define PEER_TUNE_TICKS     12
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

static inline double peer_now_ns(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static inline int peer_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

typedef struct peer_result {
    double median_ns;
    peer_digest total;
    uint32_t checksum;
    char note[64];
} peer_result;

static inline void peer_run(const peer *self, const scene_workload *load, uint32_t count, uint32_t setting,
                            uint32_t warm, uint32_t ticks, peer_result *result)
{
    double *times = (double *)scene_memory(ticks * sizeof *times);
    peer_pairs found = {NULL, 0, 0};
    peer_digest present = {0, {0, 0}};
    scene s;

    memset(result, 0, sizeof *result);
    scene_init(&s, load, count);
    void *state = self->create(self, &s, setting, result->note);
    for (uint32_t tick = 0; tick < warm + ticks; tick++) {
        scene_step(&s);
        found.count = 0;
        double start = peer_now_ns();
        self->tick(state, &s, &found);
        double end = peer_now_ns();
        if (tick >= warm) {
            times[tick - warm] = end - start;
        }
        if (self->digest) {
            self->digest(state, &present);
        } else {
            memset(&present, 0, sizeof present);
            for (size_t i = 0; i < found.count; i++) {
                peer_digest_add(&present, found.id[2 * i], found.id[2 * i + 1]);
            }
        }
        result->total.count += present.count;
        for (int k = 0; k < 2; k++) {
            result->total.sum[k] = result->total.sum[k] * 0x01000193u + present.sum[k];
        }
    }
    self->destroy(state);
    result->checksum = scene_checksum(&s);
    qsort(times, ticks, sizeof *times, peer_compare);
    result->median_ns = times[ticks / 2];
    scene_deinit(&s);
    free(found.id);
    free(times);
}

static inline uint32_t peer_tune(const peer *self, const scene_workload *load)
{
    uint32_t count = load->count > PEER_TUNE_COUNT_MAX ? load->count / 10 : load->count, best = 0;
    double best_ns = 0;

    for (uint32_t setting = 0; self->settings > 1 && setting < self->settings; setting++) {
        peer_result result;
        peer_run(self, load, count, setting, PEER_TUNE_TICKS / 2, PEER_TUNE_TICKS, &result);
        if (setting == 0 || result.median_ns < best_ns) {
            best = setting;
            best_ns = result.median_ns;
        }
    }
    return best;
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
    int warm = count == 5 ? atoi(arguments[3]) : -1, ticks = count == 5 ? atoi(arguments[4]) : 0;
    for (size_t i = 0; load && warm >= 0 && ticks > 0 && i < peer_count; i++) {
        peer_result result;
        if (strcmp(peers[i].name, arguments[1]) != 0) {
            continue;
        }
        if (peers[i].count_max && load->count > peers[i].count_max) {
            printf("%s\t%s\t%u\tskipped\n", peers[i].name, load->name, load->count);
            return 0;
        }
        peer_run(&peers[i], load, load->count, peer_tune(&peers[i], load), (uint32_t)warm, (uint32_t)ticks, &result);
        printf("%s\t%s\t%u\t%.0f\t%llu\t%08x%08x\t%08x\t%s\n", peers[i].name, load->name, load->count, result.median_ns,
               (unsigned long long)result.total.count, result.total.sum[0], result.total.sum[1], result.checksum,
               result.note);
        return 0;
    }
    fprintf(stderr, "usage: %s --list | NAME WORKLOAD WARM TICKS\n", arguments[0]);
    return 2;
}

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * What views cost, in ms of the thread's own time, as the minimum and the median over ticks: for the batch of moves
 * (which the visibility index follows), and for the tick and reading all reports. Each is measured with observers and
 * without, and the difference is printed.
 *
 *     bench_room_views [OPTION]...
 *
 *     --case PART     only cases with this in their name
 *     --index NAME    as in space_tick.c; auto otherwise
 *     --ticks N       60 otherwise
 *     --relay         observers relay positions at every fourth tick, in the cases that do not relay
 *     --entities N    so many entities, in a square of the same density, with as many observers for each
 *     --radius R      of all observers
 *     --moving P      only P % of the entities move
 *     --boxes P       P % of the observers see a square instead of a circle
 *     --cones D       the observers see D degrees to each side of a direction
 *     --beacons N     N entities are seen by all observers within 60
 *     --parties N     N observers that follow each other are a party, and show each other's entities
 *     --teams N       observers and entities are of N teams, which do not see each other
 *     --margin M      leave_margin of all observers
 *     --budget N      their enter_budget
 *     --bytes N       bytes_max of the member
 *     --kernel N      the instructions of the spatial join: 0 portable, 1 AVX2, 2 AVX-512; the fastest otherwise
 *     --tiers         they relay positions at every tick within half of the radius, and at every fourth beyond
 *
 *     views     10,000 observers of radius 16, anchored to as many entities, which all move: each sees about 48. Then
 *               with limits that bind always, for half of the observers, and never; with relay at every tick, to each
 *               observer and once for all
 *     crowd     the same observers among 100,000 entities: W2_100k. Then with a limit, and with the relays
 *     players   100 observers of radius 100, anchored to players among 5,000 others in a square of 2,000: all move, up
 *               to 1 an axis and tick
 *     fences    23,000 free observers at rest of radius 10 to 50 in a square of 20,000, 10,000 points moving up to 20
 *     geofence  as `quadrille-bench fences` has it: radius 10 to 100, a square of 10,000, points moving about 5
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "median.h"
#include "server/room/room_views.h"
#include "server/room/state.h"
#include "server/room/views/join/join_kernel.h"
#include "support/rng.h"

#define WARM 5u

typedef struct scene {
    const char *name;
    uint32_t entities, observers;
    bool anchored;
    double side;
    float range_min, range_max, speed;
    uint32_t limit, relay_every; /* 0: none */
    bool relays_once;
} scene;

static const scene scenes[] = {
    {"views range", 10000, 10000, true, 400, 16, 16, 0.25f, 0, 0, false},
    {"views limit 16", 10000, 10000, true, 400, 16, 16, 0.25f, 16, 0, false},
    {"views limit 48", 10000, 10000, true, 400, 16, 16, 0.25f, 48, 0, false},
    {"views limit 200", 10000, 10000, true, 400, 16, 16, 0.25f, 200, 0, false},
    {"views relay", 10000, 10000, true, 400, 16, 16, 0.25f, 0, 1, false},
    {"views once", 10000, 10000, true, 400, 16, 16, 0.25f, 0, 1, true},
    {"crowd range", 100000, 10000, true, 1264.911, 16, 16, 0.25f, 0, 0, false},
    {"crowd limit 16", 100000, 10000, true, 1264.911, 16, 16, 0.25f, 16, 0, false},
    {"crowd relay", 100000, 10000, true, 1264.911, 16, 16, 0.25f, 0, 1, false},
    {"crowd once", 100000, 10000, true, 1264.911, 16, 16, 0.25f, 0, 1, true},
    {"players", 5100, 100, true, 2000, 100, 100, 1, 0, 0, false},
    {"fences", 10000, 23000, false, 20000, 10, 50, 20, 0, 0, false},
    {"geofence", 10000, 23000, false, 10000, 10, 100, 5, 0, 0, false},
};

typedef struct choice {
    const char *part;
    qd_space_index index;
    uint32_t ticks;
    bool relay;
    uint32_t entities; /* 0: as many as the scene has */
    float radius;      /* 0: as the scene has it */
    double moving;     /* percent, here and below */
    double boxes;
    double cones; /* degrees; 0: none */
    uint32_t beacons, parties, teams;
    float margin;
    uint32_t budget, bytes;
    const qd_join_kernel *kernel; /* NULL: the fastest */
    bool tiers;
} choice;

static rng_stream rng = {1};

static double now_ms(void)
{
    struct timespec time;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

/* ---- a crowd ---- */

typedef struct crowd {
    uint32_t *id;
    float *x, *y, *speed_x, *speed_y;
} crowd;

static crowd make_crowd(const scene *of)
{
    uint32_t count = of->entities;
    crowd c = {malloc(count * 4), malloc(count * 4), malloc(count * 4), malloc(count * 4), malloc(count * 4)};

    for (uint32_t i = 0; i < count; i++) {
        c.id[i] = i;
        c.x[i] = (float)((double)rng_fraction(&rng) * of->side);
        c.y[i] = (float)((double)rng_fraction(&rng) * of->side);
        c.speed_x[i] = (float)((double)rng_fraction(&rng) * 2 - 1) * of->speed;
        c.speed_y[i] = (float)((double)rng_fraction(&rng) * 2 - 1) * of->speed;
    }
    return c;
}

static void step_axis(float *at, float *speed, uint32_t count, double side)
{
    for (uint32_t i = 0; i < count; i++) {
        at[i] += speed[i];
        if (at[i] < 0 || at[i] > side) {
            speed[i] = -speed[i];
        }
    }
}

static void free_crowd(crowd *c)
{
    free(c->id);
    free(c->x);
    free(c->y);
    free(c->speed_x);
    free(c->speed_y);
}

/* ---- a room ---- */

static qd_room *open_room(const scene *of, const choice *chosen, qd_heap *heap, uint32_t *member)
{
    qd_room_config config = {
        .space = {.max_x = (float)of->side, .max_y = (float)of->side, .index = chosen->index},
        .entities_max = 1u << 20,
        .events_max = 1u << 20,
        .observers_max = 1u << 20,
        .visible_entries_max = 1u << 24,
    };
    qd_room *room;

    if (qd_room_create(&config, heap, 1, &room) != QD_OK || qd_room_join(room, member) != QD_OK) {
        abort();
    }
    room->views.join_tuning.kernel = chosen->kernel;
    return room;
}

static void observe(qd_room *room, uint32_t member, const scene *of, const choice *chosen)
{
    const float near_range = (of->range_min + of->range_max) / 4;
    const float relay_range[] = {chosen->tiers ? near_range : 1e9f, 1e9f};
    const uint32_t relay_every[] = {chosen->tiers || of->relay_every > 0 ? 1 : 4, 4};
    const bool relays = chosen->relay || chosen->tiers || of->relay_every > 0;
    const float angle = (float)(chosen->cones * 3.14159265 / 180);

    qd_room_view_options_set(room, member,
                             (qd_room_view_options){.relays_once = of->relays_once, .bytes_max = chosen->bytes});
    for (uint32_t i = 0; i < of->observers; i++) {
        float x = (float)((double)rng_fraction(&rng) * of->side), y = (float)((double)rng_fraction(&rng) * of->side);
        float range = of->range_min + rng_fraction(&rng) * (of->range_max - of->range_min);
        const bool is_cone = chosen->cones > 0;
        const float direction_x = is_cone ? rng_fraction(&rng) - 0.5f : 0;
        const float direction_y = is_cone ? rng_fraction(&rng) - 0.5f : 0;
        uint32_t team = chosen->teams > 0 ? 1 + i % chosen->teams : 0;
        uint8_t anchored = of->anchored, kind = is_cone ? QD_REGION_CONE : QD_REGION_BOX;
        const bool is_box = !is_cone && floor((i + 1) * chosen->boxes / 100) > floor(i * chosen->boxes / 100);
        qd_room_refusals refusals;
        qd_msg_observers batch = {.count = 1,
                                  .id = &i,
                                  .anchored = &anchored,
                                  .entity = &i,
                                  .x = &x,
                                  .y = &y,
                                  .region = is_box || is_cone ? &kind : NULL,
                                  .range = is_box ? NULL : &range,
                                  .half_x = is_box ? &range : NULL,
                                  .half_y = is_box ? &range : NULL,
                                  .angle = is_cone ? &angle : NULL,
                                  .direction_x = is_cone ? &direction_x : NULL,
                                  .direction_y = is_cone ? &direction_y : NULL,
                                  .team = &team,
                                  .leave_margin = &chosen->margin,
                                  .enter_budget = &chosen->budget,
                                  .limit = &of->limit,
                                  .tier_count = chosen->tiers ? 2 : relays,
                                  .relay_range = relay_range,
                                  .relay_every = relay_every};

        qd_room_observe(room, member, &batch, &refusals);
        if (refusals.count > 0) {
            abort();
        }
    }
}

/* ---- measuring ---- */

typedef struct measured {
    double *move, *tick; /* by tick */
    uint64_t enters, leaves, relays;
    qd_room_view_stats stats;
    size_t bytes;
} measured;

static void read_reports(qd_room *room, measured *m)
{
    qd_room_view_report report;

    while (qd_room_next_view(room, &report)) {
        m->enters += report.enter_count;
        m->leaves += report.leave_count;
        m->relays += report.relay_count;
    }
}

static measured measure(const scene *of, const choice *chosen, bool with)
{
    measured m = {.move = calloc(chosen->ticks, sizeof(double)), .tick = calloc(chosen->ticks, sizeof(double))};
    qd_room_refusals refusals;
    qd_heap heap;
    uint32_t member;

    rng.state = 1;
    qd_heap_init(&heap);
    qd_room *room = open_room(of, chosen, &heap, &member);
    crowd c = make_crowd(of);
    const uint32_t movers = (uint32_t)(of->entities * chosen->moving / 100);
    qd_room_batch batch = {.count = of->entities, .id = c.id, .x = c.x, .y = c.y};
    qd_room_spawn(room, member, &batch, false, &refusals);
    if (with) {
        observe(room, member, of, chosen);
    }
    for (uint32_t i = 0; i < chosen->beacons && with; i++) {
        const float visible_range = 60;

        qd_room_describe(room, member,
                         &(qd_msg_set_description){.count = 1, .id = &c.id[i], .visible_range = &visible_range},
                         &refusals);
    }
    for (uint32_t i = 0; i < of->observers && chosen->parties > 0 && with; i++) {
        const uint32_t first = i - i % chosen->parties;
        const uint32_t count = first + chosen->parties < of->observers ? chosen->parties : of->observers - first;

        if (qd_room_except(room, member, i, count, &c.id[first], 0, NULL) != QD_OK) {
            abort();
        }
    }
    for (uint32_t i = 0; i < of->entities && chosen->teams > 0; i++) {
        const uint32_t team = 1 + i % chosen->teams;

        qd_room_describe(room, member, &(qd_msg_set_description){.count = 1, .id = &c.id[i], .team = &team}, &refusals);
    }
    batch.count = movers;
    for (uint32_t t = 0; t < chosen->ticks + WARM; t++) {
        step_axis(c.x, c.speed_x, movers, of->side);
        step_axis(c.y, c.speed_y, movers, of->side);
        double start = now_ms();
        qd_room_move(room, member, &batch, &refusals);
        double moved = now_ms();
        qd_room_tick(room, &qd_executor_serial, 0);
        if (t == WARM) {
            m.enters = m.leaves = m.relays = 0;
        }
        read_reports(room, &m);
        double done = now_ms();
        if (t < WARM) {
            continue;
        }
        m.move[t - WARM] = moved - start;
        m.tick[t - WARM] = done - moved;
    }
    qd_room_view_stats_get(room, &m.stats);
    m.bytes = heap.bytes;
    qd_room_destroy(room);
    qd_heap_deinit(&heap);
    free_crowd(&c);
    return m;
}

static void print_case(const scene *of, const choice *chosen)
{
    measured plain = measure(of, chosen, false), with = measure(of, chosen, true);
    double *lists[] = {plain.move, plain.tick, with.move, with.tick};
    uint32_t middle = chosen->ticks / 2;
    double ticks = chosen->ticks;

    for (size_t i = 0; i < 4; i++) {
        qsort(lists[i], chosen->ticks, sizeof lists[i][0], by_value);
    }
    printf("| %s | %.2f (%.2f) | %.2f (%.2f) | %.2f (%.2f) | %.2f (%.2f) | %.2f | %.0f | %.0f | %.0f | %llu | %.1f |\n",
           of->name, plain.move[0], plain.move[middle], plain.tick[0], plain.tick[middle], with.move[0],
           with.move[middle], with.tick[0], with.tick[middle],
           with.move[0] + with.tick[0] - plain.move[0] - plain.tick[0], (double)with.enters / ticks,
           (double)with.leaves / ticks, (double)with.relays / ticks, (unsigned long long)with.stats.seen,
           (double)(with.bytes - plain.bytes) / (1 << 20));
    for (size_t i = 0; i < 4; i++) {
        free(lists[i]);
    }
}

static qd_space_index index_named(const char *name)
{
    static const char *const names[] = {"", "auto", "quadtree", "octree", "sparse", "hash", "grid", "brute"};

    for (qd_space_index index = QD_SPACE_AUTO; index <= QD_SPACE_BRUTE; index++) {
        if (strcmp(names[index], name) == 0) {
            return index;
        }
    }
    fprintf(stderr, "bench_room_views: no index '%s'\n", name);
    exit(2);
}

static scene scaled(scene of, const choice *chosen)
{
    if (chosen->entities > 0) {
        const double scale = (double)chosen->entities / of.entities;

        of.observers = (uint32_t)(of.observers * scale);
        of.side *= sqrt(scale);
        of.entities = chosen->entities;
    }
    if (chosen->radius > 0) {
        of.range_min = of.range_max = chosen->radius;
    }
    return of;
}

int main(int argument_count, char **arguments)
{
    choice chosen = {.part = "", .index = QD_SPACE_AUTO, .ticks = 60, .moving = 100};

    for (int i = 1; i < argument_count; i++) {
        const char *next = i + 1 < argument_count ? arguments[i + 1] : "";

        if (strcmp(arguments[i], "--relay") == 0) {
            chosen.relay = true;
            continue;
        }
        if (strcmp(arguments[i], "--tiers") == 0) {
            chosen.tiers = true;
            continue;
        }
        if (strcmp(arguments[i], "--case") == 0) {
            chosen.part = next;
        } else if (strcmp(arguments[i], "--index") == 0) {
            chosen.index = index_named(next);
        } else if (strcmp(arguments[i], "--ticks") == 0) {
            chosen.ticks = (uint32_t)strtoul(next, NULL, 10);
        } else if (strcmp(arguments[i], "--entities") == 0) {
            chosen.entities = (uint32_t)strtoul(next, NULL, 10);
        } else if (strcmp(arguments[i], "--radius") == 0) {
            chosen.radius = strtof(next, NULL);
        } else if (strcmp(arguments[i], "--moving") == 0) {
            chosen.moving = strtod(next, NULL);
        } else if (strcmp(arguments[i], "--boxes") == 0) {
            chosen.boxes = strtod(next, NULL);
        } else if (strcmp(arguments[i], "--cones") == 0) {
            chosen.cones = strtod(next, NULL);
        } else if (strcmp(arguments[i], "--teams") == 0) {
            chosen.teams = (uint32_t)strtoul(next, NULL, 10);
        } else if (strcmp(arguments[i], "--margin") == 0) {
            chosen.margin = strtof(next, NULL);
        } else if (strcmp(arguments[i], "--budget") == 0) {
            chosen.budget = (uint32_t)strtoul(next, NULL, 10);
        } else if (strcmp(arguments[i], "--bytes") == 0) {
            chosen.bytes = (uint32_t)strtoul(next, NULL, 10);
        } else if (strcmp(arguments[i], "--kernel") == 0) {
            chosen.kernel = qd_join_kernel_at((uint32_t)strtoul(next, NULL, 10), 2);
            if (!chosen.kernel) {
                fprintf(stderr, "bench_room_views: --kernel is '%s'; must be one that this machine has, from 0 on\n",
                        next);
                return 2;
            }
        } else if (strcmp(arguments[i], "--parties") == 0) {
            chosen.parties = (uint32_t)strtoul(next, NULL, 10);
        } else if (strcmp(arguments[i], "--beacons") == 0) {
            chosen.beacons = (uint32_t)strtoul(next, NULL, 10);
        } else {
            fprintf(stderr, "bench_room_views: no option '%s'\n", arguments[i]);
            return 2;
        }
        i++;
    }
    if (chosen.ticks == 0 || !(chosen.moving >= 0 && chosen.moving <= 100)) {
        return 2;
    }
    printf("ms, the least (the median)\n| case | move alone | tick alone | move | tick | views | enters | leaves | "
           "relays | "
           "seen | MiB |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        if (strstr(scenes[i].name, chosen.part)) {
            const scene of = scaled(scenes[i], &chosen);

            print_case(&of, &chosen);
        }
    }
    return 0;
}

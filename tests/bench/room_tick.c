/* SPDX-License-Identifier: Apache-2.0
 *
 * What a room adds to its space, as medians of one thread's own time. First in ns per entity: a batch of positions by
 * id (move), by roster (roster), by roster after an entity went and came (changed), and a tick with the ordered events
 * of one subscription. Then ordering alone, in ns per event. Last, many rooms of 100 entities, moved by id or by roster
 * and ticked, in ns per room: the rooms together are larger than the cache.
 *
 *     bench_room_tick
 *     bench_room_tick rooms COUNT TICKS [roster]      only so many rooms, for so many ticks (at most 200)
 *
 * The scene is n boxes of 1 x 1 in a world of side 4 sqrt(n). All move up to 0.25 per axis and tick. Ids are counted up
 * from 0, or spread over all 32 bits.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "median.h"
#include "server/room/common/order.h"
#include "server/room/room.h"
#include "support/rng.h"

#define TICKS_MAX 200u

static rng_stream rng = {1};

static double now_ns(void)
{
    struct timespec time;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void *column(uint32_t count)
{
    void *memory = malloc((size_t)count * 4);

    if (!memory) {
        abort();
    }
    return memory;
}

static void advance(float *position, float *speed, uint32_t count, float side)
{
    for (uint32_t i = 0; i < count; i++) {
        position[i] += speed[i];
        if (position[i] < 0 || position[i] > side) {
            speed[i] = -speed[i];
        }
    }
}

/* The entity goes and comes back. */
static void renew(qd_room *room, uint32_t member, const qd_room_batch *all, uint32_t i)
{
    qd_room_batch one = {.count = 1,
                         .id = all->id + i,
                         .x = all->x + i,
                         .y = all->y + i,
                         .half_x = all->half_x + i,
                         .half_y = all->half_y + i};
    qd_room_refusals refusals;

    qd_room_despawn(room, member, &one, &refusals);
    qd_room_spawn(room, member, &one, false, &refusals);
}

static void measure_ticks(uint32_t count, bool counted, uint32_t ticks)
{
    float side = 4 * sqrtf((float)count);
    qd_room_config config = {.space = {.max_x = side, .max_y = side},
                             .entities_max = count,
                             .events_max = 1u << 20,
                             .roster_ids_max = count};
    uint32_t *id = column(count), member;
    float *x = column(count), *y = column(count), *half = column(count), *speed_x = column(count),
          *speed_y = column(count);
    qd_room_batch batch = {.count = count, .id = id, .x = x, .y = y, .half_x = half, .half_y = half};
    qd_room_roster_positions places = {.count = count, .x = x, .y = y};

    enum { BY_ID, BY_ROSTER, CHANGED, WAYS };
    double moves[WAYS][TICKS_MAX], traversals[TICKS_MAX];
    qd_room_refusals refusals;
    qd_room_report report;
    uint64_t events = 0;
    qd_room *room;
    qd_heap heap;

    for (uint32_t i = 0; i < count; i++) {
        id[i] = counted ? i : (i + 1) * 2654435761u;
        x[i] = rng_fraction(&rng) * side;
        y[i] = rng_fraction(&rng) * side;
        speed_x[i] = rng_fraction(&rng) * 0.5f - 0.25f;
        speed_y[i] = rng_fraction(&rng) * 0.5f - 0.25f;
        half[i] = 0.5f;
    }
    qd_heap_init(&heap);
    if (qd_room_create(&config, &heap, rng_draw_64(&rng), &room) != QD_OK || qd_room_join(room, &member) != QD_OK) {
        abort();
    }
    qd_room_spawn(room, member, &batch, false, &refusals);
    qd_room_subscribe(room, member, (qd_room_interest){0});
    if (qd_room_roster_name(room, member, &(qd_room_roster){.count = count, .id = id}) != QD_OK) {
        abort();
    }
    qd_room_tick(room, &qd_executor_serial, 0);

    for (uint32_t turn = 0; turn < ticks * WAYS; turn++) {
        uint32_t way = turn % WAYS, tick = turn / WAYS;

        if (way == CHANGED) {
            renew(room, member, &batch, tick % count);
        }
        advance(x, speed_x, count, side);
        advance(y, speed_y, count, side);
        double start = now_ns();
        if (way == BY_ID) {
            qd_room_move(room, member, &batch, &refusals);
        } else if (qd_room_move_roster(room, member, &places, &refusals) != QD_OK) {
            abort();
        }
        double moved = now_ns();
        qd_room_tick(room, &qd_executor_serial, 0);
        while (qd_room_next_report(room, &report)) {
            events += (uint64_t)report.begins.count + report.ends.count;
        }
        moves[way][tick] = (moved - start) / count;
        traversals[tick] = (now_ns() - moved) / count;
    }
    printf("%9u  %-8s %6.1f %7.1f %8.1f %6.1f %12.0f %14.0f\n", count, counted ? "counted" : "spread",
           median(moves[BY_ID], ticks), median(moves[BY_ROSTER], ticks), median(moves[CHANGED], ticks),
           median(traversals, ticks), (double)events / (ticks * WAYS), (double)heap.bytes / count);

    qd_room_destroy(room);
    qd_heap_deinit(&heap);
    free(id), free(x), free(y), free(half), free(speed_x), free(speed_y);
}

/* Few keys are sorted so quickly that looking at the clock would count: so several draws are, one after the other. What
 * was sorted last is drawn again, because the processor would predict each branch of a repeated sort. */
#define KEYS_A_TIME 20000u

static void measure_order(uint32_t count, unsigned id_bits, uint32_t runs)
{
    uint32_t draws = count < KEYS_A_TIME ? KEYS_A_TIME / count : 1, all = draws * count;
    uint64_t *keys = malloc(all * sizeof *keys), *spare = malloc(count * sizeof *spare),
             mask = (UINT64_C(1) << id_bits) - 1;
    double times[TICKS_MAX];

    if (!keys || !spare) {
        abort();
    }
    for (uint32_t run = 0; run < runs; run++) {
        for (uint32_t i = 0; i < all; i++) {
            keys[i] = (rng_draw_64(&rng) & mask) << 32 | (rng_draw_64(&rng) & mask);
        }
        double start = now_ns();
        for (uint32_t draw = 0; draw < draws; draw++) {
            qd_order order = {.keys = keys + draw * count, .keys_spare = spare};

            qd_order_sort(&order, count, id_bits, id_bits);
        }
        times[run] = (now_ns() - start) / all;
    }
    printf("%9u  %4u bits %6.1f\n", count, id_bits, median(times, runs));
    free(keys), free(spare);
}

/* ---- many rooms ---- */

#define SMALL_ENTITIES 100u
#define SMALL_SCENES   64u /* rooms share the positions of so many */

typedef struct scene {
    float x[SMALL_ENTITIES], y[SMALL_ENTITIES], speed_x[SMALL_ENTITIES], speed_y[SMALL_ENTITIES];
} scene;

static qd_room *open_small(qd_heap *heap, const scene *start, const uint32_t *id, const float *half, bool by_roster,
                           uint32_t *member)
{
    const float side = 4 * sqrtf((float)SMALL_ENTITIES);
    const qd_room_config config = {.space = {.max_x = side, .max_y = side},
                                   .entities_max = SMALL_ENTITIES,
                                   .events_max = 1u << 20,
                                   .roster_ids_max = SMALL_ENTITIES};
    const qd_room_batch batch = {
        .count = SMALL_ENTITIES, .id = id, .x = start->x, .y = start->y, .half_x = half, .half_y = half};
    qd_room_refusals refusals;
    qd_room *room;

    qd_heap_init(heap);
    if (qd_room_create(&config, heap, rng_draw_64(&rng), &room) != QD_OK || qd_room_join(room, member) != QD_OK) {
        abort();
    }
    qd_room_spawn(room, *member, &batch, false, &refusals);
    qd_room_subscribe(room, *member, (qd_room_interest){0});
    if (by_roster &&
        qd_room_roster_name(room, *member, &(qd_room_roster){.count = SMALL_ENTITIES, .id = id}) != QD_OK) {
        abort();
    }
    return room;
}

static void tick_small(qd_room *room, uint32_t member, const scene *now, const uint32_t *id, bool by_roster)
{
    const qd_room_batch batch = {.count = SMALL_ENTITIES, .id = id, .x = now->x, .y = now->y};
    const qd_room_roster_positions places = {.count = SMALL_ENTITIES, .x = now->x, .y = now->y};
    qd_room_refusals refusals;
    qd_room_report report;

    if (!by_roster) {
        qd_room_move(room, member, &batch, &refusals);
    } else if (qd_room_move_roster(room, member, &places, &refusals) != QD_OK) {
        abort();
    }
    qd_room_tick(room, &qd_executor_serial, 0);
    while (qd_room_next_report(room, &report))
        ;
}

static void measure_rooms(uint32_t count, uint32_t ticks, bool by_roster)
{
    const float side = 4 * sqrtf((float)SMALL_ENTITIES);
    scene *scenes = malloc(SMALL_SCENES * sizeof *scenes);
    qd_room **rooms = malloc(count * sizeof(qd_room *));
    qd_heap *heaps = malloc(count * sizeof *heaps);
    uint32_t *members = column(count), *id = column(SMALL_ENTITIES);
    float *half = column(SMALL_ENTITIES);
    double times[TICKS_MAX], bytes = 0;

    if (!scenes || !rooms || !heaps) {
        abort();
    }
    for (uint32_t i = 0; i < SMALL_ENTITIES; i++) {
        id[i] = i;
        half[i] = 0.5f;
    }
    for (uint32_t i = 0; i < SMALL_SCENES * SMALL_ENTITIES; i++) {
        scene *of = &scenes[i / SMALL_ENTITIES];

        of->x[i % SMALL_ENTITIES] = rng_fraction(&rng) * side;
        of->y[i % SMALL_ENTITIES] = rng_fraction(&rng) * side;
        of->speed_x[i % SMALL_ENTITIES] = rng_fraction(&rng) * 0.5f - 0.25f;
        of->speed_y[i % SMALL_ENTITIES] = rng_fraction(&rng) * 0.5f - 0.25f;
    }
    for (uint32_t i = 0; i < count; i++) {
        rooms[i] = open_small(&heaps[i], &scenes[i % SMALL_SCENES], id, half, by_roster, &members[i]);
    }
    for (uint32_t tick = 0; tick < ticks; tick++) {
        for (uint32_t i = 0; i < SMALL_SCENES; i++) {
            advance(scenes[i].x, scenes[i].speed_x, SMALL_ENTITIES, side);
            advance(scenes[i].y, scenes[i].speed_y, SMALL_ENTITIES, side);
        }
        double start = now_ns();
        for (uint32_t i = 0; i < count; i++) {
            tick_small(rooms[i], members[i], &scenes[i % SMALL_SCENES], id, by_roster);
        }
        times[tick] = (now_ns() - start) / count;
    }
    for (uint32_t i = 0; i < count; i++) {
        bytes += (double)heaps[i].bytes;
        qd_room_destroy(rooms[i]);
        qd_heap_deinit(&heaps[i]);
    }
    printf("%9u  %-8s %8.0f %13.0f\n", count, by_roster ? "roster" : "ids", median(times, ticks), bytes / count);
    free(scenes), free(rooms), free(heaps), free(members), free(id), free(half);
}

int main(int argc, char **argv)
{
    static const uint32_t crowds[] = {1000, 10000, 100000, 1000000};
    static const unsigned widths[] = {10, 17, 20, 32};

    if (argc >= 4 && strcmp(argv[1], "rooms") == 0) {
        uint32_t ticks = (uint32_t)atoi(argv[3]);

        measure_rooms((uint32_t)atoi(argv[2]), ticks < TICKS_MAX ? ticks : TICKS_MAX,
                      argc > 4 && strcmp(argv[4], "roster") == 0);
        return 0;
    }
    printf(" entities  ids        move  roster  changed   tick  events/tick  bytes/entity\n");
    for (int spread = 0; spread < 2; spread++) {
        for (int i = 0; i < 4; i++) {
            measure_ticks(crowds[i], spread == 0, crowds[i] > 100000 ? 15 : crowds[i] > 10000 ? 50 : TICKS_MAX);
        }
    }
    printf("\n   events  ids       order\n");
    for (uint32_t count = 1000; count <= 1000000; count *= 10) {
        for (int i = 0; i < 4; i++) {
            measure_order(count, widths[i], count > 100000 ? 15 : 100);
        }
    }
    printf("\n    rooms  moved by     tick    bytes/room\n");
    for (uint32_t count = 10; count <= 10000; count *= 10) {
        for (int by_roster = 0; by_roster < 2; by_roster++) {
            measure_rooms(count, count > 1000 ? 15 : 100, by_roster == 1);
        }
    }
    return 0;
}

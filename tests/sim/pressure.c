/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory runs out, again and again: the limit comes so close to what is used that allocations fail, anywhere, for some
 * time. Suspensions, refusals and ended connections are allowed meanwhile, but no wrong report. When the limit is lifted
 * everything must work again.
 *
 * What is true comes from the server itself: a snapshot between two ticks. Pairs and views are compared with it by brute
 * force.
 */
#include <stdlib.h>

#include "guest.h"
#include "play.h"
#include "server/base/memory/alloc.h"
#include "support/oracle.h"

#define GUESTS 3u
/* How long the server may take to try again what it had no memory for. */
#define RECOVERY_TICKS 20u
#define ROUNDS_MAX     150u
#define SEEN_MAX       SET_MAX

typedef struct pressure {
    sim_house house;
    sim_guest guests[GUESTS];
    bool limited;
} pressure;

/* ---- what is true ---- */

static int compare_keys(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

    return (left > right) - (left < right);
}

typedef struct key_list {
    uint64_t keys[SEEN_MAX];
    uint32_t count;
} key_list;

static void add(key_list *list, uint32_t a, uint32_t b)
{
    sim_check(list->count < SEEN_MAX, "the scenario has too many");
    list->keys[list->count++] = model_key(a, b);
}

static bool may_touch(const qd_body *a, const qd_body *b)
{
    return abs((int)(a->x - b->x)) < 8 && abs((int)(a->y - b->y)) < 8;
}

static void list_pairs(const sim_guest *by, key_list *list)
{
    list->count = 0;
    for (uint32_t i = 0; i < by->row_count; i++) {
        for (uint32_t j = i + 1; j < by->row_count; j++) {
            if (may_touch(&by->rows[i], &by->rows[j]) && oracle_overlap(&by->rows[i], &by->rows[j]) == ORACLE_OVERLAP) {
                uint32_t a = by->row_ids[i], b = by->row_ids[j];

                add(list, a < b ? a : b, a < b ? b : a);
            }
        }
    }
    qsort(list->keys, list->count, sizeof list->keys[0], compare_keys);
}

static void list_seen(const sim_guest *by, const sim_guest *of, key_list *list)
{
    list->count = 0;
    for (uint32_t k = 0; k < GUEST_REGIONS; k++) {
        const guest_region *region = &of->regions[k];

        for (uint32_t i = 0; region->present && i < by->row_count; i++) {
            float dx = by->rows[i].x - region->x, dy = by->rows[i].y - region->y;

            if (dx * dx + dy * dy <= region->range * region->range) {
                add(list, k, by->row_ids[i]);
            }
        }
    }
    qsort(list->keys, list->count, sizeof list->keys[0], compare_keys);
}

/* A frame of this tick must be right. Without one the set may be stale, if memory was short. */
static void compare(guest_set *set, const key_list *right, uint64_t tick, bool pressed)
{
    if (!set->known || set->stale) {
        return;
    }
    bool same = set->fold.set_count == right->count;
    for (uint32_t i = 0; same && i < right->count; i++) {
        same = set->fold.set[i] == right->keys[i];
    }
    sim_check(same || (pressed && set->fold.tick < tick), "tick %llu (the last frame is of %llu): %u %s, and not %u",
              (unsigned long long)tick, (unsigned long long)set->fold.tick, set->fold.set_count, set->fold.what,
              right->count);
    set->stale = !same;
}

/* ---- rounds ---- */

static void read_all(pressure *play)
{
    sim_house_settle(&play->house);
    for (uint32_t i = 0; i < GUESTS; i++) {
        guest_read(&play->guests[i]);
    }
}

static void limit_memory(pressure *play)
{
    static const uint32_t spare[] = {1, 1000, 20000, 300000};
    sim_world *world = &play->house.world;

    if (sim_percent(world, play->limited ? 10 : 25)) {
        play->limited = !play->limited;
        qd_memory_limit_set(play->limited ? qd_memory_used() + sim_pick(world, spare[sim_pick(world, 4)]) + 1 : 0);
    }
    for (uint32_t i = 0; i < GUESTS; i++) {
        play->guests[i].pressed |= play->limited;
    }
}

/* Makes a tick and a snapshot of it, and compares what all know with that. Returns false if either is refused. */
static bool look(pressure *play, sim_guest *by)
{
    static key_list right;

    if (by->room == 0) {
        return false;
    }
    /* Entities of closed connections go before. */
    sim_house_pass(&play->house, 5);
    read_all(play);
    if (by->room == 0) {
        return false;
    }
    guest_send(by, MESSAGE(STEP, .step = {0}));
    read_all(play);
    if (by->room == 0) {
        return false;
    }
    by->has_snapshot = false;
    guest_send(by, MESSAGE(GET_SNAPSHOT, .get_snapshot = {0}));
    read_all(play);
    for (uint32_t i = 0; by->has_snapshot && i < GUESTS; i++) {
        sim_guest *of = &play->guests[i];

        if (of->room == by->room) {
            list_pairs(by, &right);
            compare(&of->pairs, &right, by->tick, of->pressed);
            list_seen(by, of, &right);
            compare(&of->views, &right, by->tick, of->pressed);
        }
        of->pressed = play->limited;
    }
    return by->has_snapshot;
}

static void play_round(pressure *play)
{
    sim_world *world = &play->house.world;

    limit_memory(play);
    for (uint32_t i = 0; i < GUESTS; i++) {
        guest_act(&play->guests[i]);
    }
    read_all(play);
    if (sim_percent(world, 60)) {
        (void)look(play, &play->guests[sim_pick(world, GUESTS)]);
    }
    if (sim_percent(world, 5)) {
        sim_house_pass(&play->house, 1 + sim_pick(world, 100));
        read_all(play);
    }
}

/* There is memory again, so everything must work. */
static void recover(pressure *play)
{
    qd_memory_limit_set(0);
    play->limited = false;
    read_all(play);
    for (uint32_t i = 0; i < GUESTS; i++) {
        play->guests[i].pressed = false;
        for (uint32_t tries = 0; !guest_settle_in(&play->guests[i]); tries++) {
            sim_check(tries < 5, "a guest does not get in and subscribed, and there is memory");
            read_all(play);
        }
    }
    read_all(play);
    for (uint32_t i = 0; i < RECOVERY_TICKS; i++) {
        sim_check(look(play, &play->guests[0]), "no tick, and there is memory");
    }
    for (uint32_t i = 0; i < GUESTS; i++) {
        const sim_guest *of = &play->guests[i];

        sim_check(of->pairs.known && !of->pairs.stale, "a subscription got no reset, and there is memory");
        sim_check(of->views.known && !of->views.stale, "views got no reset, and there is memory");
    }
}

void sim_press_seed(uint64_t seed, sim_played *played)
{
    static pressure play;
    const qd_limits few = {.entities_max = 0};

    play.limited = false;
    sim_house_open(&play.house, &few);
    sim_world_reseed(&play.house.world, seed);
    qd_index_kind index = (qd_index_kind)sim_pick(&play.house.world, QD_INDEX_BRUTE + 1);
    index = index == QD_INDEX_OCTREE ? QD_INDEX_QUADTREE : index;
    for (uint32_t i = 0; i < GUESTS; i++) {
        guest_init(&play.guests[i], &play.house, i, index);
    }
    for (uint32_t rounds = 10 + sim_pick(&play.house.world, ROUNDS_MAX); rounds > 0; rounds--) {
        play_round(&play);
    }
    recover(&play);
    for (uint32_t i = 0; i < GUESTS; i++) {
        guest_deinit(&play.guests[i]);
    }
    played->ticks = qd_counted(&play.house.server.service.counters, QD_COUNT_TICKS);
    sim_house_close(&play.house);
    played->hash = play.house.world.hash;
}

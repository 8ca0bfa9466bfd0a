/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "cases.h"
#include "server/actor/service/limits.h"
#include "server/actor/tick/publish_pairs.h"

void sim_a_large_tick_comes_in_parts(sim_house *house)
{
    enum { COUNT = 600, PAIRS = COUNT * (COUNT - 1) / 2 };
    sim_peer peer, other;
    sim_peer_open(&peer, house, NULL);
    sim_peer_open(&other, house, NULL);
    uint64_t room = sim_peer_open_room(&peer, "room", NULL);
    sim_peer_open_room(&other, "room", NULL);
    sim_peer_subscribe(&peer, room);
    sim_peer_subscribe(&other, room);
    (void)sim_peer_expect(&peer, QD_SERVER_TICK);
    (void)sim_peer_expect(&other, QD_SERVER_TICK);
    sim_peer_spawn(&peer, room, 1, COUNT, 0);
    sim_peer_step(&peer, room);
    uint32_t found = 0, frames = 0, a_before = 0, b_before = 0;
    bool last = false;
    while (!last) {
        const qd_msg_tick *tick = &sim_peer_expect(&peer, QD_SERVER_TICK)->as.tick;

        sim_check(tick->begins.count <= QD_PUBLISH_PAIRS_MAX, "a part of %u pairs", tick->begins.count);
        for (uint32_t i = 0; i < tick->begins.count; i++) {
            uint32_t a = tick->begins.a[i], b = tick->begins.b[i];

            sim_check(a > a_before || (a == a_before && b > b_before), "the order through all parts");
            a_before = a;
            b_before = b;
        }
        found += tick->begins.count;
        frames++;
        last = tick->last;
    }
    sim_check(found == PAIRS && frames == PAIRS / QD_PUBLISH_PAIRS_MAX + 1, "%u pairs in %u parts", found, frames);
    (void)sim_peer_expect(&peer, QD_SERVER_APPLIED);
    /* The other gets the same bytes. */
    for (uint32_t i = 1; i <= frames; i++) {
        sim_check(sim_peer_expect(&other, QD_SERVER_TICK)->as.tick.last == (i == frames), "part %u", i);
    }
    sim_peer_expect_nothing(&other);

    sim_peer_spawn(&peer, room, 1000, 70000, 0.001f);
    sim_peer_send(&peer,
                  (qd_client_message){.kind = QD_CLIENT_SNAPSHOT, .as.snapshot = {.room = room, .limit = 70000}});
    const qd_msg_snapshot_result *part = &sim_peer_expect(&peer, QD_SERVER_SNAPSHOT_RESULT)->as.snapshot_result;
    sim_check(!part->last && part->entities.count == QD_SNAPSHOT_FRAME_ROWS_MAX && part->more,
              "the first part of a snapshot");
    part = &sim_peer_expect(&peer, QD_SERVER_SNAPSHOT_RESULT)->as.snapshot_result;
    sim_check(part->last && part->entities.count == 70000 - QD_SNAPSHOT_FRAME_ROWS_MAX, "the last part of a snapshot");
    sim_peer_close(&peer);
    sim_peer_close(&other);
}

/* ---- events of every kind ---- */

/* `count` entities from first_id on, side by side at (x, 50), which pair with those of the other category. */
static void spawn_side(sim_peer *peer, uint64_t room, uint32_t first_id, uint32_t count, float x, uint32_t category)
{
    qd_client_message message = {.kind = QD_CLIENT_SPAWN, .as.batch.room = room};
    uint32_t *id = malloc(3 * count * sizeof *id), *own = id + count, *other = own + count;
    float *at = malloc(3 * count * sizeof *at), *y = at + count, *half = y + count;

    sim_check(id != NULL && at != NULL, "out of memory");
    for (uint32_t i = 0; i < count; i++) {
        id[i] = first_id + i;
        own[i] = category;
        other[i] = 3 - category;
        at[i] = x;
        y[i] = 50;
        half[i] = 1;
    }
    message.as.batch.entities = (qd_msg_entities){
        .count = count, .id = id, .x = at, .y = y, .half_x = half, .half_y = half, .category = own, .mask = other};
    sim_peer_send(peer, message);
    free(id);
    free(at);
}

static void move_side(sim_peer *peer, uint64_t room, uint32_t first_id, uint32_t count, float x)
{
    qd_client_message message = {.kind = QD_CLIENT_MOVE, .as.batch.room = room};
    uint32_t *id = malloc(count * sizeof *id);
    float *at = malloc(2 * count * sizeof *at), *y = at + count;

    sim_check(id != NULL && at != NULL, "out of memory");
    for (uint32_t i = 0; i < count; i++) {
        id[i] = first_id + i;
        at[i] = x;
        y[i] = 50;
    }
    message.as.batch.entities = (qd_msg_entities){.count = count, .id = id, .x = at, .y = y};
    sim_peer_send(peer, message);
    free(id);
    free(at);
}

/* Where a group of a tick's pairs stands in the frames that have come. */
typedef struct group {
    uint32_t count, a, b; /* the last one */
} group;

static void follow(group *groups, int kind, const qd_msg_pairs *pairs)
{
    for (uint32_t i = 0; i < pairs->count; i++) {
        for (int later = kind + 1; later < 4; later++) {
            sim_check(groups[later].count == 0, "a pair of group %d behind group %d", kind, later);
        }
        group *here = &groups[kind];
        sim_check(here->count == 0 || pairs->a[i] > here->a || (pairs->a[i] == here->a && pairs->b[i] > here->b),
                  "the order of group %d through all parts", kind);
        *here = (group){here->count + 1, pairs->a[i], pairs->b[i]};
    }
}

/* In a swept room: ends, begins, passed and stays, of which the passed alone are more than a frame takes. */
void sim_all_kinds_of_events_come_in_parts(sim_house *house)
{
    enum { SIDE = 400, FEW = 30, PASSED = SIDE * SIDE, STAYS = FEW * FEW };
    sim_peer peer;
    sim_peer_open(&peer, house, NULL);
    uint64_t room =
        sim_peer_open_room(&peer, "room", &(qd_msg_room_config){.tick_mode = QD_TICK_MODE_STEP, .swept = true});
    sim_peer_send(&peer,
                  (qd_client_message){.kind = QD_CLIENT_SUBSCRIBE, .as.subscribe = {.room = room, .stays = true}});
    (void)sim_peer_expect(&peer, QD_SERVER_TICK);
    spawn_side(&peer, room, 1000, SIDE, 10, 1);
    spawn_side(&peer, room, 2000, SIDE, 50, 2);
    spawn_side(&peer, room, 3000, FEW, 70, 1);
    spawn_side(&peer, room, 4000, FEW, 70, 2);
    spawn_side(&peer, room, 1, FEW, 20, 1);
    spawn_side(&peer, room, 100, FEW, 20, 2);
    spawn_side(&peer, room, 200, FEW, 30, 2);
    sim_peer_step(&peer, room);
    while (!sim_peer_expect(&peer, QD_SERVER_TICK)->as.tick.last) {
    }
    (void)sim_peer_expect(&peer, QD_SERVER_APPLIED);

    /* The first side passes the second, though it stops before the third; the few leave one for another. */
    move_side(&peer, room, 1000, SIDE, 60);
    move_side(&peer, room, 1, FEW, 30);
    sim_peer_step(&peer, room);
    group groups[4] = {0};
    uint32_t frames = 0;
    const qd_msg_tick *tick;
    do {
        tick = &sim_peer_expect(&peer, QD_SERVER_TICK)->as.tick;
        const qd_msg_pairs *pairs[] = {&tick->ends, &tick->begins, &tick->passed, &tick->stays};
        uint32_t count = 0;
        for (int kind = 0; kind < 4; kind++) {
            follow(groups, kind, pairs[kind]);
            count += pairs[kind]->count;
        }
        sim_check(count <= QD_PUBLISH_PAIRS_MAX && (tick->last || count == QD_PUBLISH_PAIRS_MAX), "a part of %u",
                  count);
        frames++;
    } while (!tick->last);
    /* The few of the first group and the first side pass those at 20 and 30 on their way, too. */
    uint32_t passed = PASSED + 2 * SIDE * FEW;
    sim_check(groups[0].count == FEW * FEW && groups[1].count == FEW * FEW, "%u ends, %u begins", groups[0].count,
              groups[1].count);
    sim_check(groups[2].count == passed && groups[3].count == STAYS, "%u passed, %u stays", groups[2].count,
              groups[3].count);
    sim_check(frames == (2 * FEW * FEW + passed + STAYS) / QD_PUBLISH_PAIRS_MAX + 1, "%u frames", frames);
    sim_peer_close(&peer);
}

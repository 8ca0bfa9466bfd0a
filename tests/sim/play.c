/* SPDX-License-Identifier: Apache-2.0
 *
 * A seed makes a scene (rooms, limits, clients) and lets everything happen in an order of its own. Then the scene comes
 * to rest, and the checks for that state run. At last the server stops. The clients (client.c) and the model (model.c)
 * check what must be true at all times.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "hostile.h"
#include "play.h"
#include "reload.h"
#include "scenario.h"

#define STEP_DEADLINE_MS_MAX 300u

#define HOSTILES_MAX 3u

#define HOUSE_ROOMS_MAX 100u

/* Of a jump of the clock. All of them together are shorter than a slow reader has time. */
#define JUMPS_MAX   30u
#define JUMP_MS_MAX 60000u

typedef struct sim_play {
    sim_scene scene;
    sim_client clients[CLIENTS_MAX];
    uint32_t client_count;
    sim_hostile hostiles[HOSTILES_MAX];
    uint32_t hostile_count, jumps;
} sim_play;

/* ---- making a scene ---- */

static void choose_space(sim_world *world, qd_msg_room_config *config)
{
    if (sim_percent(world, 40)) {
        config->dimensions = 3;
        config->bounds.max_z = 20;
    }
    config->index = (qd_index_kind)sim_pick(world, QD_INDEX_BRUTE + 1);
    if (config->index == QD_INDEX_QUADTREE || config->index == QD_INDEX_OCTREE) {
        config->index = config->dimensions == 3 ? QD_INDEX_OCTREE : QD_INDEX_QUADTREE;
    }
    bool has_cells = config->index == QD_INDEX_HASH || config->index == QD_INDEX_GRID;
    if (has_cells && sim_percent(world, 50)) {
        config->cell_size = (float)(1 + sim_pick(world, 8));
    } else if (!has_cells && config->index != QD_INDEX_BRUTE && sim_percent(world, 50)) {
        config->depth = 1 + sim_pick(world, 6);
    }
    if (config->index == QD_INDEX_SPARSE) {
        config->prune = (qd_prune_kind)sim_pick(world, QD_PRUNE_LAZY + 1);
    }
}

static void make_rooms(sim_scene *scene)
{
    sim_world *world = &scene->house.world;

    scene->room_count = 1 + sim_pick(world, ROOMS_MAX);
    for (uint32_t i = 0; i < scene->room_count; i++) {
        bool steps = sim_percent(world, 50);

        scene->configs[i] = (qd_msg_room_config){
            .has_bounds = true,
            .bounds = {.max_x = 20, .max_y = 20},
            .swept = sim_percent(world, 50),
            .tick_mode = steps ? QD_TICK_MODE_STEP : QD_TICK_MODE_CLOCK,
            .tick_hz = steps ? 0 : 20 + sim_pick(world, 200),
            .events_max = sim_percent(world, 20) ? 5 + sim_pick(world, 40) : 0,
            .visible_entries_max = sim_percent(world, 15) ? 5 + sim_pick(world, 40) : 0,
            .grace_ms = 1 + sim_pick(world, 200),
            .empty_close_ms = 1 + sim_pick(world, 500),
        };
        if (steps && sim_percent(world, 40)) {
            scene->configs[i].writers = 1 + sim_pick(world, 3);
            scene->configs[i].step_deadline_ms = 1 + sim_pick(world, STEP_DEADLINE_MS_MAX);
        }
        choose_space(world, &scene->configs[i]);
    }
}

/* When the first detached session ends. */
static uint64_t detached_due_ns(void *context)
{
    const qd_sessions *sessions = context;

    return TAILQ_EMPTY(&sessions->detached) ? QD_NEVER : TAILQ_FIRST(&sessions->detached)->expire_ns;
}

static void print_digest(const sim_world *world)
{
    uint64_t count, digest = sim_frames_digest(world, &count);

    printf("%llu %llu %016llx\n", (unsigned long long)world->seed, (unsigned long long)count,
           (unsigned long long)digest);
}

static void make(sim_play *play, uint64_t seed, uint32_t traits, bool print_digests)
{
    sim_scene *scene = &play->scene;
    sim_world *world = &scene->house.world;

    memset(play, 0, sizeof *play);
    sim_house_init(&scene->house, seed);
    scene->traits = traits;
    world->restless = true;
    world->workers = traits & SIM_WORKERS ? 2 + sim_pick(world, 3) : 1;
    const qd_limits limits = {
        .connections_max = 100,
        .frame_bytes_max = 64u << 10,
        .rooms_max = HOUSE_ROOMS_MAX,
        .entities_max = 10000,
        .events_max = 100000,
        .observers_max = 1000,
        .visible_entries_max = 100000,
        .roster_ids_max = 100000,
        .queue_bytes_max = sim_percent(world, 40) ? 600 + sim_pick(world, 4000) : SIM_ROOMY,
        .slow_ms_max = JUMPS_MAX * JUMP_MS_MAX + 60000,
        .resume_ms_max = sim_percent(world, 10) ? 0 : 50 + sim_pick(world, 1500),
        .room_batches_max = 1 + sim_pick(world, 40),
        .empty_close_ms_max = 86400000,
        .silence_ms_max = 15000,
        .session_share = 1 + sim_pick(world, 100),
        .token_creations_max = sim_percent(world, 30) ? 5 + sim_pick(world, 100) : 0,
    };
    sim_house_start(&scene->house, &limits, sim_percent(world, 50) ? 5 * SIM_MS_NS : sim_pick(world, 3000));
    if (print_digests) {
        world->prompt = &scene->house.server.sessions.timer;
        world->prompt_due_ns = detached_due_ns;
        world->prompt_context = &scene->house.server.sessions;
    }
    make_rooms(scene);
    memset(scene->grants, SIM_GRANT_ALL, sizeof scene->grants);
    if (traits & SIM_RELOADS) {
        sim_reload_start(scene);
    }
    play->client_count = 2 + sim_pick(world, CLIENTS_MAX - 2);
    bool have_tokens = sim_percent(world, traits & SIM_CUTS ? 90 : 60);
    for (uint32_t i = 0; i < play->client_count; i++) {
        uint32_t token = have_tokens ? sim_pick(world, SIM_TOKENS) : 0;

        token = traits & SIM_RELOADS && token == 0 ? 1 : token;
        play->clients[i] = (sim_client){.scene = scene, .vandal = i == CLIENTS_MAX - 2, .token = token};
    }
    play->hostile_count = traits & SIM_HOSTILE ? 1 + sim_pick(world, HOSTILES_MAX) : 0;
    for (uint32_t i = 0; i < play->hostile_count; i++) {
        sim_hostile_init(&play->hostiles[i], scene);
    }
}

/* ---- playing it ---- */

static void jump(sim_play *play)
{
    sim_world *world = &play->scene.house.world;

    if (play->jumps < JUMPS_MAX) {
        play->jumps++;
        world->now_ns += sim_pick(world, JUMP_MS_MAX) * SIM_MS_NS;
    }
}

static void reload(void *context)
{
    sim_play *play = context;

    sim_reload(&play->scene, play->clients, play->client_count);
}

/* The tokens change while everything happens, or not any more. */
static void let_reload(sim_play *play, bool may)
{
    play->scene.house.world.interrupt = play->scene.traits & SIM_RELOADS && may ? reload : NULL;
    play->scene.house.world.interrupt_context = play;
}

static void happen(sim_play *play)
{
    sim_world *world = &play->scene.house.world;

    if (world->interrupt != NULL && sim_pick(world, 200) == 0) {
        reload(play);
    }

    if (play->scene.traits & SIM_JUMPS && sim_pick(world, 200) == 0) {
        jump(play);
    }
    if (play->hostile_count > 0 && sim_percent(world, 20)) {
        sim_hostile_act(&play->hostiles[sim_pick(world, play->hostile_count)]);
    }
    switch (sim_pick(world, 8)) {
    case 0:
    case 1:
        (void)sim_run_actor(world);
        break;
    case 2:
        (void)sim_step_links(world, 30);
        break;
    case 3:
        for (uint32_t i = 0; i < play->client_count; i++) {
            (void)sim_client_read(&play->clients[i]);
        }
        break;
    case 4:
        world->now_ns += sim_pick(world, sim_percent(world, 2) ? 200 : 10) * SIM_MS_NS;
        break;
    default:
        sim_client_act(&play->clients[sim_pick(world, play->client_count)]);
        break;
    }
}

/* Lets everything happen that needs no time. */
static void settle(void *context)
{
    sim_play *play = context;
    bool moved = true;

    while (moved) {
        moved = sim_run_actor(&play->scene.house.world);
        moved |= sim_step_links(&play->scene.house.world, 100);
        for (uint32_t i = 0; i < play->client_count; i++) {
            moved |= sim_client_read(&play->clients[i]);
        }
    }
}

static void settle_for(sim_play *play, uint64_t ms)
{
    sim_pass(&play->scene.house.world, ms, settle, play);
}

static void step_all(sim_play *play)
{
    for (uint32_t i = 0; i < play->client_count; i++) {
        sim_client_step_all(&play->clients[i]);
    }
    settle(play);
}

static bool is_view_lost(const sim_play *play)
{
    for (uint32_t i = 0; i < play->client_count * ROOMS_MAX; i++) {
        const model_stay *stay = play->clients[i / ROOMS_MAX].slots[i % ROOMS_MAX].stay;

        if (stay != NULL && stay->view_lost) {
            return true;
        }
    }
    return false;
}

/* The last ticks of all rooms by name, and when that was. */
typedef struct clocks {
    uint64_t at_ns;
    uint32_t count;
    struct {
        char name[QD_ROOM_NAME_BYTES_MAX + 1];
        uint64_t tick;
        uint32_t hz, entities;
    } rooms[HOUSE_ROOMS_MAX];
} clocks;

static void look_at_clocks(sim_play *play, clocks *seen)
{
    sim_peer peer = {0};

    sim_peer_open(&peer, &play->scene.house, NULL);
    sim_peer_send(&peer, MESSAGE(LIST_ROOMS, .list_rooms = {0}));
    const qd_msg_room_list *list = &sim_peer_expect(&peer, QD_SERVER_ROOM_LIST)->as.room_list;
    seen->at_ns = play->scene.house.world.now_ns;
    seen->count = (uint32_t)list->count;
    for (uint32_t i = 0; i < seen->count; i++) {
        const qd_msg_room_info *room = &list->rooms[i];

        memcpy(seen->rooms[i].name, room->name, strlen(room->name) + 1);
        seen->rooms[i].tick = room->tick;
        seen->rooms[i].hz = room->tick_mode == QD_TICK_MODE_CLOCK ? room->tick_hz : 0;
        seen->rooms[i].entities = room->entities;
    }
    /* A room counts its ticks when it runs, and the list follows from the time. */
    for (uint32_t i = 0; i < seen->count; i++) {
        sim_peer_send(&peer, MESSAGE(OPEN_ROOM, .open_room = {.name = seen->rooms[i].name}));
        const uint64_t tick = sim_peer_expect(&peer, QD_SERVER_ROOM_OPENED)->as.room_opened.tick;

        sim_check(tick >= seen->rooms[i].tick && tick <= seen->rooms[i].tick + 1,
                  "%s is at tick %llu, and listed at %llu", seen->rooms[i].name, (unsigned long long)tick,
                  (unsigned long long)seen->rooms[i].tick);
    }
    sim_peer_close(&peer);
}

/* The ticks of a room with entities are as many as its rate gives, whether it makes them or rests. */
static void check_clocks(sim_play *play)
{
    static clocks before, after;

    /* The one who looks has no token. */
    if (play->scene.house.server.sessions.tokens != NULL) {
        return;
    }
    look_at_clocks(play, &before);
    settle_for(play, 3000);
    look_at_clocks(play, &after);
    for (uint32_t i = 0; i < after.count; i++) {
        for (uint32_t k = 0; k < before.count; k++) {
            if (strcmp(after.rooms[i].name, before.rooms[k].name) != 0 || before.rooms[k].hz == 0 ||
                before.rooms[k].entities == 0) {
                continue;
            }
            const double due = (double)(after.at_ns - before.at_ns) * before.rooms[k].hz / 1e9;
            const double ticks = (double)(after.rooms[i].tick - before.rooms[k].tick);
            sim_check(ticks > due - 1.1 && ticks < due + 1.1, "%s has %.0f ticks, not %.1f", after.rooms[i].name, ticks,
                      due);
        }
    }
}

static void come_to_rest(sim_play *play)
{
    let_reload(play, false);
    for (uint32_t i = 0; i < play->client_count; i++) {
        play->clients[i].stalled = 0;
        sim_client_come_back(&play->clients[i]);
    }
    settle(play);
    /* Longer than any grace period, than any session is kept, and than a vandal has time for Hello and for leaving. */
    settle_for(play, 4000);
    step_all(play);
    step_all(play);
    settle_for(play, 2 * STEP_DEADLINE_MS_MAX);
    /* A view that did not fit into the queue comes with a later tick, if it fits then. */
    for (uint32_t i = 0; i < 3 && is_view_lost(play); i++) {
        step_all(play);
        settle_for(play, 2 * STEP_DEADLINE_MS_MAX);
    }
    for (uint32_t i = 0; i < play->client_count; i++) {
        sim_client_finish(&play->clients[i]);
    }
    check_clocks(play);
}

static void stop(sim_play *play)
{
    sim_scene *scene = &play->scene;

    /* The server stops while everything goes on. */
    let_reload(play, true);
    for (uint32_t i = 0; i < 100; i++) {
        happen(play);
    }
    scene->stopping = true;
    qd_server_close_rooms(&scene->house.server);
    for (uint32_t i = 0; i < 20; i++) {
        happen(play);
    }
    for (uint32_t i = 0; i < play->client_count; i++) {
        play->clients[i].stalled = 0;
    }
    if (scene->traits & SIM_HALT) {
        /* The process waits for the rooms only for some time. Connections have opened by then. */
        (void)sim_step_links(&scene->house.world, 100);
    } else {
        settle(play);
        sim_check(qd_server_rooms_closed(&scene->house.server), "rooms do not close");
    }
    qd_server_go_away(&scene->house.server, 1000);
    settle_for(play, 2000);
    for (uint32_t i = 0; i < play->client_count; i++) {
        sim_check(play->clients[i].link == NULL, "a client is still connected");
    }
}

void sim_play_seed(uint64_t seed, uint32_t traits, bool print_digests, sim_played *played)
{
    static sim_play play;

    make(&play, seed, traits, print_digests);
    uint32_t length = 500 + sim_pick(&play.scene.house.world, 4000);
    let_reload(&play, true);
    for (uint32_t i = 0; i < length; i++) {
        happen(&play);
    }
    if (!(traits & SIM_HALT)) {
        come_to_rest(&play);
    }
    stop(&play);
    if (print_digests) {
        print_digest(&play.scene.house.world);
    }
    played->hash = play.scene.house.world.hash;
    played->ticks = qd_counted(&play.scene.house.server.service.counters, QD_COUNT_TICKS);
    for (uint32_t i = 0; i < play.client_count; i++) {
        sim_client_deinit(&play.clients[i]);
    }
    for (uint32_t i = 0; i < play.hostile_count; i++) {
        sim_hostile_deinit(&play.hostiles[i]);
    }
    for (size_t i = 0; i < play.scene.room_total; i++) {
        model_room_destroy(play.scene.rooms[i]);
    }
    free(play.scene.rooms);
    sim_house_deinit(&play.scene.house);
}

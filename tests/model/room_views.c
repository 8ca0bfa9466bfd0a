/* SPDX-License-Identifier: Apache-2.0
 *
 * Random scripts of everything that affects what observers see, against the rule (server/room/room_views.h) applied to
 * all entities at every tick: regions, margins, cones, masks, teams, lists, limits, budgets, bytes, relay, watchers,
 * hand-overs, losses and suspensions, in two dimensions or three, with any index.
 *
 * Every refusal and every report is compared. The reports of each member are folded and compared with its views at
 * every tick. Then the same script runs on other executors, and with the spatial join always or never in use, which
 * must give the same answers.
 *
 *     model_room_views [SEEDS [FIRST]]
 */
#include "room/run.h"
#include "room/seeds.h"
#include "room/views_run.h"
#include "server/room/state.h"
#include "server/room/views/visibility/spatial_join.h"

#define SEEDS_DEFAULT 1500u
#define HUGE_EVERY    150u /* one seed in N has enough entities for a traversal to be split into tasks */

/* ---- members ---- */

static void join(struct trial *trial, uint32_t actor)
{
    uint32_t member;

    MUST(trial, qd_room_join(trial->room, &member) == QD_OK && member < VIEWS_MEMBERS_MAX);
    trial->member[actor] = member;
    trial_mix(trial, &member, sizeof member);
    trial->views[member].count = trial->watchers[member].count = 0;
    if (!trial->reference) {
        return;
    }
    views_member *row = &trial->reference->member[member];
    MUST(trial, !row->present && !views_holds_anything(trial->reference, member));
    *row = (views_member){.present = true};
}

static void leave(struct trial *trial, uint32_t actor)
{
    uint32_t member = trial->member[actor];

    qd_room_leave(trial->room, member, trial->now_ns);
    trial->member[actor] = QD_ROOM_OWNED;
    trial->left = member;
    if (trial->reference) {
        views_leave_room(trial->reference, member, trial->now_ns + trial->reference->config.grace_ns);
    }
}

static void expire(struct trial *trial, rng_stream *rng)
{
    trial->now_ns += rng_below(rng, 300);
    qd_room_expire(trial->room, trial->now_ns);
    if (trial->reference) {
        views_expire(trial->reference, trial->now_ns);
    }
}

static void set_options(struct trial *trial, rng_stream *rng, uint32_t member)
{
    qd_room_view_options options = {
        .bytes_max = trial->has_bytes && !rng_one_in(rng, 3) ? 60 + rng_below(rng, 400) : 0,
        .watching = (uint8_t)rng_below(rng, 3),
    };

    qd_room_view_options_set(trial->room, member, options);
    if (!trial->reference) {
        return;
    }
    views_member *row = &trial->reference->member[member];
    if (row->options.watching != options.watching) {
        row->reset_watchers = trial->reference->watchers_due = true;
    }
    row->options = options;
}

static void lose(struct trial *trial, uint32_t member)
{
    qd_room_view_lost(trial->room, member);
    met->losses++;
    if (!trial->reference) {
        return;
    }
    views_member *row = &trial->reference->member[member];
    if (!row->lagging) {
        row->reported_tick = row->news == VIEWS_EVENTS ? trial->reference->reported_before : trial->tick;
    }
    row->lagging = row->lost = true;
    row->reported_suspended = false;
    row->news = VIEWS_NOTHING;
}

static void resume(struct trial *trial, uint32_t member)
{
    qd_room_view_resume(trial->room, member);
    if (!trial->reference || !trial->reference->member[member].lost) {
        return;
    }
    views_member *row = &trial->reference->member[member];
    row->lost = false;
    row->reset = true;
    row->reset_watchers |= row->options.watching != QD_ROOM_WATCH_NONE;
}

/* ---- scripts ---- */

static void do_entities(struct trial *trial, rng_stream *rng, uint32_t member)
{
    static const trial_batch kinds[] = {TRIAL_SPAWN, TRIAL_SPAWN,    TRIAL_MOVE,    TRIAL_MOVE,
                                        TRIAL_MOVE,  TRIAL_TELEPORT, TRIAL_RESHAPE, TRIAL_DESPAWN};

    trial_entities(trial, rng, member, kinds[rng_below(rng, sizeof kinds / sizeof kinds[0])]);
}

/* From the member that left last, or from another member in the room. */
static void adopt(struct trial *trial, rng_stream *rng, uint32_t member)
{
    uint32_t from = rng_one_in(rng, 3) ? trial->member[rng_below(rng, trial->actors)] : trial->left;

    if (from != QD_ROOM_OWNED && from != member) {
        trial_adopt(trial, from, member);
    }
}

static void do_of_member(struct trial *trial, rng_stream *rng, uint32_t member, uint32_t what)
{
    if (what < 43) {
        trial_observe(trial, rng, member);
    } else if (what < 49) {
        trial_move_observers(trial, rng, member);
    } else if (what < 50) {
        trial_unobserve(trial, rng, member);
    } else if (what < 54) {
        trial_except(trial, rng, member);
    } else if (what < 56) {
        set_options(trial, rng, member);
    } else if (what < 57) {
        lose(trial, member);
    } else if (what < 59) {
        resume(trial, member);
    } else if (what < 60) {
        trial_catch_up(trial);
    } else if (what < 66) {
        trial_describe(trial, rng, member);
    } else if (what < 69) {
        trial_give(trial, rng, member);
    } else if (what < 70) {
        adopt(trial, rng, member);
    } else {
        do_entities(trial, rng, member);
    }
}

enum { COMMAND_TICK = 0, COMMAND_OBSERVE = 40, COMMAND_SPAWN = 100, COMMAND_MOVE };
static const uint32_t prologue[] = {COMMAND_SPAWN,   COMMAND_OBSERVE, COMMAND_OBSERVE, COMMAND_OBSERVE,
                                    COMMAND_OBSERVE, COMMAND_TICK,    COMMAND_MOVE,    COMMAND_TICK};
#define PROLOGUE_LENGTH (sizeof prologue / sizeof prologue[0])

static void do_command(struct trial *trial, uint32_t index)
{
    rng_stream own = {trial->seed * 0x100000001u + (uint64_t)index * 0x9e3779b9u};
    rng_stream *rng = &own;
    uint32_t what = rng_below(rng, 100), actor = rng_below(rng, trial->actors);

    /* All members join first, then come entities and observers. A script with a split traversal moves all of them. */
    if (index < trial->actors + PROLOGUE_LENGTH) {
        what = index < trial->actors ? COMMAND_SPAWN : prologue[index - trial->actors];
        actor = index % trial->actors;
    }
    if (seeds_verbose) {
        fprintf(stderr, "  command %u: kind %u, actor %u\n", index, what, actor);
    }
    if (what < 26) {
        trial_tick(trial, rng);
    } else if (what < 29) {
        expire(trial, rng);
    } else if (what < 30 && rng_one_in(rng, 6)) {
        qd_room_despawn_all(trial->room);
        if (trial->reference) {
            views_remove_all(trial->reference);
        }
    } else if (trial->member[actor] == QD_ROOM_OWNED) {
        join(trial, actor);
    } else if (what < 32) {
        leave(trial, actor);
    } else if (what >= COMMAND_SPAWN) {
        trial_entities(trial, rng, trial->member[actor], what == COMMAND_SPAWN ? TRIAL_SPAWN : TRIAL_MOVE);
    } else {
        do_of_member(trial, rng, trial->member[actor], what);
    }
}

static qd_space_config draw_space(const struct trial *trial, rng_stream *rng)
{
    static const qd_space_index indexes[] = {
        0, QD_SPACE_AUTO, QD_SPACE_QUADTREE, QD_SPACE_SPARSE, QD_SPACE_HASH, QD_SPACE_GRID, QD_SPACE_BRUTE};
    float far = (float)trial->side;
    qd_space_config config = {
        .dimensions = trial->is_3d ? 3 : 2,
        .max_x = far,
        .max_y = far,
        .max_z = trial->is_3d ? far : 0,
        .index = indexes[rng_below(rng, sizeof indexes / sizeof indexes[0])],
        .swept = rng_one_in(rng, 4),
    };

    if (config.index == QD_SPACE_QUADTREE && trial->is_3d) {
        config.index = QD_SPACE_OCTREE;
    }
    return config;
}

static uint32_t set_up(struct trial *trial, qd_room_config *config)
{
    rng_stream own = {trial->seed ^ 0x5bd1e9955bd1e995u};
    rng_stream *rng = &own;

    trial->huge = trial->seed % HUGE_EVERY == HUGE_EVERY - 1;
    trial->actors = trial->huge ? 2 : 2 + rng_below(rng, TRIAL_ACTORS - 1);
    trial->universe = trial->huge ? 9500 : 4 + rng_below(rng, 40);
    trial->batch_max = trial->huge ? TRIAL_BATCH_MAX : 1 + trial->universe;
    trial->side = trial->huge ? 400 : 6 + rng_below(rng, 30);
    trial->id_style = rng_below(rng, 3);
    trial->is_3d = rng_one_in(rng, 2);
    trial->is_dirty = !trial->huge && rng_one_in(rng, 2);
    trial->has_tiers = rng_one_in(rng, 2);
    trial->has_teams = rng_one_in(rng, 2);
    trial->has_margins = !rng_one_in(rng, 3);
    trial->has_bytes = rng_one_in(rng, 2);
    trial->has_limits = rng_one_in(rng, 2);
    trial->has_beacons = rng_one_in(rng, 2);
    trial->now_ns = rng_below(rng, 1000);
    trial->hash = 0xcbf29ce484222325u;
    for (uint32_t actor = 0; actor < TRIAL_ACTORS; actor++) {
        trial->member[actor] = QD_ROOM_OWNED;
    }
    trial->left = QD_ROOM_OWNED;

    *config = (qd_room_config){
        .space = draw_space(trial, rng),
        .entities_max = 1u << 16,
        .events_max = 1u << 20,
        .observers_max = rng_one_in(rng, 4) ? 1 + rng_below(rng, 6) : 1000,
        .sightings_max = rng_one_in(rng, 4) && !trial->huge ? 10 + rng_below(rng, 200) : 1u << 20,
        .grace_ns = rng_below(rng, 500),
    };
    return trial->huge ? 16 : 100 + rng_below(rng, SEEDS_COMMANDS_MAX - 100);
}

/* The mechanism that finds crossings: the visibility index, as in all small rooms; the spatial join; or both,
 * alternating. */
enum finding { BY_INDEX, BY_JOIN, ALTERNATING, FINDINGS };

static void choose_finding(struct trial *trial, enum finding finding, uint32_t command)
{
    rng_stream rng = {trial->seed * 1009 + command};
    const unsigned axes = trial->is_3d ? 3 : 2;
    qd_views *views = &trial->room->views;
    uint32_t finders = 0;

    while (qd_join_finder_at(finders, axes)) {
        finders++;
    }
    views->join_tuning.finder = qd_join_finder_at(rng_below(&rng, finders), axes);
    views->join_tuning.always = finding == BY_JOIN || (finding == ALTERNATING && rng_one_in(&rng, 2));
    met->joined += views->uses_join;
}

/* Runs the script's commands below `limit` and returns the hash of all answers. */
static uint64_t run_script(uint64_t seed, uint32_t limit, const qd_executor *executor, enum finding finding, bool check)
{
    struct trial *trial = calloc(1, sizeof *trial);
    views_room reference;
    qd_room_config config;

    trial->seed = seed;
    trial->executor = executor;
    uint32_t commands = set_up(trial, &config);
    if (check) {
        views_init(&reference, &config, trial->universe);
        trial->reference = &reference;
    }
    qd_heap_init(&trial->heap);
    MUST(trial, qd_room_create(&config, &trial->heap, seed * 77, &trial->room) == QD_OK);
    trial->room->views.round = 0 - (uint32_t)(seed % 64); /* they go round while it runs */
    for (met->command = 0; met->command < commands && met->command < limit; met->command++) {
        choose_finding(trial, finding, met->command);
        if (!seeds_left_out[met->command]) {
            do_command(trial, met->command);
        }
    }
    qd_room_destroy(trial->room);
    MUST(trial, trial->heap.bytes == 0);
    qd_heap_deinit(&trial->heap);

    uint64_t hash = trial->hash;
    for (uint32_t member = 0; member < VIEWS_MEMBERS_MAX; member++) {
        free(trial->views[member].key);
        free(trial->views[member].third);
        free(trial->watchers[member].key);
        free(trial->watchers[member].third);
    }
    if (check) {
        views_deinit(&reference);
    }
    free(trial);
    return hash;
}

static void count_split(void *context, size_t count, qd_task_fn task, void *argument)
{
    met->split_traversals += count > 1;
    qd_executor_serial.run(context, count, task, argument);
}

static void run_seed(uint64_t seed, uint32_t limit)
{
    rng_stream order = {seed};
    size_t four = 4;
    const qd_executor wide = {.run = count_split, .width = 4};
    const qd_executor others[] = {
        {.run = qd_executor_serial.run, .width = 1},
        {.run = run_shuffled, .width = 4, .context = &order},
        {.run = run_threads, .width = 4, .context = &four},
    };
    uint64_t hash = run_script(seed, limit, &wide, seed % FINDINGS, true);

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (run_script(seed, limit, &others[i], (seed + 1 + i) % FINDINGS, false) != hash) {
            fprintf(stderr, "seed %" PRIu64 ": other answers on executor %zu\n", seed, i);
            exit(1);
        }
    }
}

static bool met_everything(void)
{
    static const int codes[] = {QD_ROOM_UNKNOWN_ID, QD_ROOM_ID_TAKEN,      QD_ROOM_NOT_OWNER,
                                QD_ROOM_NOT_FINITE, QD_ROOM_NEGATIVE_SIZE, QD_ROOM_UNKNOWN_OBSERVER,
                                QD_ROOM_BAD_REGION, QD_ROOM_OBSERVERS_FULL};
    bool all = met->enters > 0 && met->relays > 0 && met->watchers > 0 && met->resets > 0 && met->suspensions > 0 &&
               met->losses > 0 && met->split_traversals > 0 && met->gifts > 0 && met->adoptions > 0 && met->joined > 0;

    for (int reason = QD_ROOM_LEFT_ROOM_CLOSED; reason <= QD_ROOM_LEFT_LIMIT; reason++) {
        all = all && met->leaves[reason] > 0;
    }
    for (int sight = QD_ROOM_SEEN; sight < QD_ROOM_NOT_YET; sight++) {
        all = all && met->sights[sight] > 0;
    }
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        all = all && met->refusals[codes[i]] > 0;
    }
    return all;
}

int main(int argument_count, char **arguments)
{
    uint64_t seeds = SEEDS_DEFAULT, leaves = 0;

    met = seeds_shared(sizeof *met);
    if (!seeds_pass(argument_count, arguments, &seeds, &met->command, run_seed)) {
        return 1;
    }
    for (int reason = 0; reason <= QD_ROOM_LEFT_LIMIT; reason++) {
        leaves += met->leaves[reason];
    }
    printf("%" PRIu64 " seeds: %" PRIu64 " ticks (%" PRIu64 " split), %" PRIu64 " enters, %" PRIu64 " leaves, %" PRIu64
           " relays, %" PRIu64 " watchers, %" PRIu64 " resets, %" PRIu64 " suspensions\n",
           seeds, met->ticks, met->split_traversals, met->enters, leaves, met->relays, met->watchers, met->resets,
           met->suspensions);
    if (seeds >= SEEDS_DEFAULT && !met_everything()) {
        fprintf(stderr, "some kind of answer never came up: the scripts do not test what they should\n");
        return 1;
    }
    return 0;
}

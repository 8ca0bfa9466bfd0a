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
#include "server/room/state.h"
#include "server/room/views/visibility/spatial_join.h"

#define SEEDS_DEFAULT 1500u
#define HUGE_EVERY    150u /* one seed in N has enough entities for a traversal to be split into tasks */

/* ---- members ---- */

static void set_options(struct run *run, rng_stream *rng, uint32_t member)
{
    qd_room_view_options options = {
        .bytes_max = run->has_bytes && !rng_one_in(rng, 3) ? 60 + rng_below(rng, 400) : 0,
        .watching = (uint8_t)rng_below(rng, 3),
        .relays_once = rng_one_in(rng, 2),
    };

    qd_room_view_options_set(run->room, member, options);
    run->relays_once[member] = options.relays_once;
    if (!run->views) {
        return;
    }
    views_member *row = &run->views->member[member];
    if (row->options.watching != options.watching) {
        row->reset_watchers = run->views->watchers_due = true;
    }
    row->options = options;
}

static void lose(struct run *run, uint32_t member)
{
    qd_room_view_lost(run->room, member);
    met->losses++;
    if (!run->views) {
        return;
    }
    views_member *row = &run->views->member[member];
    if (!row->lagging) {
        row->reported_tick = row->news == VIEWS_EVENTS ? run->views->reported_before : run->tick;
    }
    row->lagging = row->lost = true;
    row->reported_suspended = false;
    row->news = VIEWS_NOTHING;
}

static void resume(struct run *run, uint32_t member)
{
    qd_room_view_resume(run->room, member);
    if (!run->views || !run->views->member[member].lost) {
        return;
    }
    views_member *row = &run->views->member[member];
    row->lost = false;
    row->reset = true;
    row->reset_watchers |= row->options.watching != QD_ROOM_WATCH_NONE;
}

/* ---- scripts ---- */

static void do_of_member(struct run *run, rng_stream *rng, uint32_t actor, uint32_t what)
{
    static const action actions[] = {SPAWN, SPAWN, MOVE, MOVE, MOVE, TELEPORT, RESHAPE, DESPAWN};
    uint32_t member = run->member[actor];

    if (what < 43) {
        views_do_observe(run, rng, member);
    } else if (what < 49) {
        views_do_move_observers(run, rng, member);
    } else if (what < 50) {
        views_do_unobserve(run, rng, member);
    } else if (what < 54) {
        views_do_except(run, rng, member);
    } else if (what < 56) {
        set_options(run, rng, member);
    } else if (what < 57) {
        lose(run, member);
    } else if (what < 59) {
        resume(run, member);
    } else if (what < 60) {
        views_do_catch_up(run);
    } else if (what < 66) {
        views_do_describe(run, rng, member);
    } else if (what < 69) {
        do_batch(run, rng, HAND_OVER, actor);
    } else if (what < 70) {
        do_adopt(run, rng_one_in(rng, 3) ? run->member[rng_below(rng, run->actors)] : run->left, member);
    } else {
        do_batch(run, rng, actions[rng_below(rng, sizeof actions / sizeof actions[0])], actor);
    }
}

/* The mechanism that finds crossings: the visibility index; the spatial join; or both, alternating. */
enum finding { BY_INDEX, BY_JOIN, ALTERNATING, FINDINGS };

static void choose_finding(struct run *run, uint32_t command)
{
    const enum finding finding = (run->seed + run->turn) % FINDINGS;
    rng_stream rng = {run->seed * 1009 + command};
    const unsigned axes = run->is_3d ? 3 : 2;
    qd_views *views = &run->room->views;
    uint32_t kernels = 0;

    while (qd_join_kernel_at(kernels, axes)) {
        kernels++;
    }
    views->join_tuning.kernel = qd_join_kernel_at(rng_below(&rng, kernels), axes);
    views->join_tuning.always = finding == BY_JOIN || (finding == ALTERNATING && rng_one_in(&rng, 2));
    views->join_tuning.never = !views->join_tuning.always;
    met->joined += views->uses_join;
    for (uint32_t row = 0; row < views->count && views->uses_join; row++) {
        const qd_observer *observer = &views->observers[row];

        met->derived += observer->is_derived;
        met->bound += observer->is_derived && observer->limit > 0 && observer->seen == observer->limit;
        met->paid += observer->is_derived && views->members[observer->member].options.bytes_max > 0;
        met->short_of += views->members[observer->member].tight == QD_VIEW_TIGHT_TICKS;
        met->kept += observer->is_derived && views->join->derived[row].in_masks && observer->limit == 0;
    }
}

enum { COMMAND_TICK = 0, COMMAND_OBSERVE = 40, COMMAND_SPAWN = 100, COMMAND_MOVE };
static const uint32_t prologue[] = {COMMAND_SPAWN,   COMMAND_SPAWN,   COMMAND_SPAWN, COMMAND_OBSERVE, COMMAND_OBSERVE,
                                    COMMAND_OBSERVE, COMMAND_OBSERVE, COMMAND_TICK,  COMMAND_MOVE,    COMMAND_TICK};
#define PROLOGUE_LENGTH (sizeof prologue / sizeof prologue[0])

static void do_command(struct run *run, rng_stream *rng, uint32_t index)
{
    uint32_t what = rng_below(rng, 100), actor = rng_below(rng, run->actors);

    choose_finding(run, index);
    /* All members join first, then come entities and observers. A script with a split traversal moves all of them. */
    if (index < run->actors + PROLOGUE_LENGTH) {
        what = index < run->actors ? COMMAND_SPAWN : prologue[index - run->actors];
        actor = index % run->actors;
    }
    if (seeds_verbose) {
        fprintf(stderr, "  command %u: kind %u, actor %u\n", index, what, actor);
    }
    if (what < 26) {
        views_do_tick(run, rng);
    } else if (what < 29) {
        do_expire(run, rng);
    } else if (what < 30 && rng_one_in(rng, 6)) {
        qd_room_despawn_all(run->room);
        if (run->reference) {
            ref_despawn_all(run->reference);
        }
    } else if (run->member[actor] == QD_ROOM_OWNED) {
        do_join(run, actor);
    } else if (what < 32) {
        do_leave(run, actor);
    } else if (what >= COMMAND_SPAWN) {
        do_batch(run, rng, what == COMMAND_SPAWN ? SPAWN : MOVE, actor);
    } else {
        do_of_member(run, rng, actor, what);
    }
    if (run->views) {
        views_end_unanchored(run->views);
    }
    if (rng_one_in(rng, 8)) {
        qd_room_trim(run->room); /* rows that are free go, and others come in their places */
    }
    views_check_why(run, rng);
}

static uint32_t set_up(struct run *run, rng_stream *rng, qd_room_config *config)
{
    run->huge = run->seed % HUGE_EVERY == HUGE_EVERY - 1;
    run->actors = run->huge ? 2 : 2 + rng_below(rng, VIEWS_ACTORS - 1);
    run->universe = run->huge ? 9500 : 4 + rng_below(rng, 40);
    run->batch_max = run->huge ? BATCH_MAX : 1 + run->universe;
    run->side = run->huge ? 400 : 6 + rng_below(rng, 30);
    run->id_style = rng_below(rng, 3);
    run->is_3d = rng_one_in(rng, 2);
    run->dirty = !run->huge && rng_one_in(rng, 2);
    run->has_tiers = rng_one_in(rng, 2);
    run->has_teams = rng_one_in(rng, 2);
    run->has_margins = !rng_one_in(rng, 3);
    run->has_bytes = rng_one_in(rng, 2);
    run->has_limits = rng_one_in(rng, 2);
    run->has_beacons = rng_one_in(rng, 2);
    /* Observers whose views can be derived. */
    run->has_simple = rng_one_in(rng, 2);
    run->has_margins &= !run->has_simple;
    run->has_bytes &= !run->has_simple;
    run->has_beacons &= !run->has_simple || rng_one_in(rng, 3);
    run->now_ns = rng_below(rng, 1000);
    run->swept = rng_one_in(rng, 4);
    run->circles = rng_one_in(rng, 2);
    run->capsules = rng_one_in(rng, 3);
    run->filters = !rng_one_in(rng, 3);

    *config = (qd_room_config){
        .space = draw_space(run, rng),
        .entities_max = 1u << 16,
        .events_max = 1u << 20,
        .observers_max = rng_one_in(rng, 4) ? 1 + rng_below(rng, 6) : 1000,
        .visible_entries_max = rng_one_in(rng, 4) && !run->huge ? 10 + rng_below(rng, 200) : 1u << 20,
        .grace_ns = rng_below(rng, 500),
    };
    return run->huge ? 18 : 100 + rng_below(rng, SEEDS_COMMANDS_MAX - 100);
}

static void begin(struct run *run, const qd_room_config *config, bool check)
{
    if (check) {
        run->reference = calloc(1, sizeof *run->reference);
        run->reference->config = *config;
        run->views = calloc(1, sizeof *run->views);
        views_init(run->views, run->reference);
    }
    run->room->views.round = 0 - (uint32_t)(run->seed % 64); /* they go round while it runs */
}

static void end(struct run *run)
{
    for (uint32_t member = 0; member < VIEWS_MEMBERS_MAX; member++) {
        free(run->view_folds[member].key);
        free(run->view_folds[member].third);
        free(run->watcher_folds[member].key);
        free(run->watcher_folds[member].third);
    }
    if (run->views) {
        views_deinit(run->views);
        ref_free(run->reference);
    }
    for (uint32_t actor = 0; actor < ACTORS; actor++) {
        forget_rosters(run, actor);
    }
    free(run->views);
    free(run->reference);
}

static void run_seed(uint64_t seed, uint32_t limit)
{
    static const script_kind kind = {set_up, begin, do_command, end, false};

    run_script(&kind, seed, limit);
}

static bool met_everything(void)
{
    static const int codes[] = {QD_ROOM_UNKNOWN_ID, QD_ROOM_ID_TAKEN,      QD_ROOM_NOT_OWNER,
                                QD_ROOM_NOT_FINITE, QD_ROOM_NEGATIVE_SIZE, QD_ROOM_UNKNOWN_OBSERVER,
                                QD_ROOM_BAD_REGION, QD_ROOM_OBSERVERS_FULL};
    bool all = met->enters > 0 && met->relays > 0 && met->watchers > 0 && met->resets > 0 && met->suspensions > 0 &&
               met->losses > 0 && met->split_traversals > 0 && met->handed_over > 0 && met->adopted > 0 &&
               met->joined > 0 && met->derived > 0 && met->bound > 0 && met->kept > 0 && met->paid > 0 &&
               met->short_of > 0 && met->united > 0;

    for (int reason = QD_ROOM_LEFT_ROOM_CLOSED; reason <= QD_ROOM_LEFT_LIMIT; reason++) {
        all = all && met->leaves[reason] > 0;
    }
    for (int sight = QD_ROOM_SEEN; sight <= QD_ROOM_NOT_YET; sight++) {
        all = all && met->visibilities[sight] > 0;
    }
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        all = all && met->refused[codes[i]] > 0;
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
    printf("%" PRIu64 " derived views, %" PRIu64 " with a limit that binds; %" PRIu64 " relays once, for %" PRIu64
           " more\n",
           met->derived, met->bound, met->relays_once, met->united);
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

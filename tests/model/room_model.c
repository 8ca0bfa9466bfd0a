/* SPDX-License-Identifier: Apache-2.0
 *
 * Random scripts of every command on a room, against brute force (room/reference.h): two dimensions or three, swept or
 * not, with any index.
 *
 * Every refusal, report, snapshot and figure is compared. The reports of each subscription are folded and compared with
 * the true set at every tick. Then the same script runs on other executors (tasks in shuffled order, 2 and 4 threads),
 * which must give the same answers to the bit. At last it runs beside the reference once more, while single allocations
 * fail: a call that is refused for it changes nothing, a tick suspends subscriptions, and nothing else differs.
 *
 *     model_room_model [SEEDS [FIRST]]
 *
 * room/seeds.h runs the seeds, and shrinks scripts that fail.
 */
#include "room/run.h"
#include "room/seeds.h"
#include "server/room/state.h"
#include "server/space/tuning.h"

#define SEEDS_DEFAULT 400u
#define BIG_EVERY     25u  /* one seed in N has thousands of entities, */
#define HUGE_EVERY    200u /* and one in N has enough of them for a traversal to be split into tasks */
#define CLOSE_SHARE   50u  /* at most one pair in N may be too close to call */

/* ---- members ---- */

static void do_subscribe(struct run *run, rng_stream *rng, uint32_t member)
{
    qd_room_interest interest = {.own_only = rng_one_in(rng, 3), .stays = rng_one_in(rng, 3)};

    qd_room_subscribe(run->room, member, interest);
    if (run->reference) {
        run->reference->members[member].state = REF_DUE;
        run->reference->members[member].interest = interest;
    }
}

static void do_unsubscribe(struct run *run, uint32_t member)
{
    qd_room_unsubscribe(run->room, member);
    if (run->reference) {
        run->reference->members[member].state = REF_NONE;
    }
}

static void do_lost(struct run *run, uint32_t member)
{
    qd_room_lost(run->room, member);
    if (run->reference && run->reference->members[member].state != REF_NONE) {
        run->reference->members[member].state = REF_LOST;
    }
}

static void do_resume(struct run *run, uint32_t member)
{
    qd_room_resume(run->room, member);
    if (run->reference && run->reference->members[member].state == REF_LOST) {
        run->reference->members[member].state = REF_DUE;
    }
}

/* ---- scripts ---- */

/* The beginning of a script with a split traversal: a member joins, subscribes and spawns. */
enum { COMMAND_TICK = 0, COMMAND_SUBSCRIBE = 40, COMMAND_BATCH = 50, COMMAND_SPAWN = 100 };
static const uint32_t prologue[] = {COMMAND_BATCH, COMMAND_SUBSCRIBE, COMMAND_SPAWN,
                                    COMMAND_SPAWN, COMMAND_SPAWN,     COMMAND_TICK};
#define PROLOGUE_LENGTH (sizeof prologue / sizeof prologue[0])

static void do_command(struct run *run, rng_stream *rng, uint32_t index)
{
    uint32_t what = rng_below(rng, 100), actor = rng_below(rng, run->actors);

    if (run->huge && index < PROLOGUE_LENGTH) {
        what = prologue[index];
        actor = 0;
    }
    uint32_t member = run->member[actor];
    if (what < 22) {
        do_tick(run, rng);
    } else if (what < 27) {
        do_catch_up(run, rng);
    } else if (what < 31) {
        do_expire(run, rng);
    } else if (what < 33) {
        do_snapshot(run, rng);
    } else if (what < 34 && rng_one_in(rng, 4)) {
        qd_room_despawn_all(run->room);
        if (run->reference) {
            ref_despawn_all(run->reference);
        }
    } else if (member == QD_ROOM_OWNED) {
        do_join(run, actor);
    } else if (what < 37) {
        do_leave(run, actor);
    } else if (what < 44) {
        do_subscribe(run, rng, member);
    } else if (what < 45 && rng_one_in(rng, 2)) {
        do_adopt(run, run->left, member);
    } else if (what < 45) {
        do_unsubscribe(run, member);
    } else if (what < 46) {
        do_lost(run, member);
    } else if (what < 50) {
        do_resume(run, member);
    } else if (what == COMMAND_SPAWN) {
        do_batch(run, rng, SPAWN, actor);
    } else if (rng_one_in(rng, 4)) {
        do_roster(run, rng, actor);
    } else {
        static const action actions[] = {SPAWN, SPAWN, SPAWN, MOVE, MOVE, MOVE, TELEPORT, RESHAPE, DESPAWN, HAND_OVER};

        do_batch(run, rng, actions[rng_below(rng, sizeof actions / sizeof actions[0])], actor);
    }
    if (run->reference) {
        check_stats(run);
    }
    if (seeds_verbose) {
        fprintf(stderr, "  command %u: kind %u, actor %u\n", index, what, actor);
    }
}

static uint32_t set_up(struct run *run, rng_stream *rng, qd_room_config *config)
{
    bool big = run->seed % BIG_EVERY == BIG_EVERY - 1;

    run->huge = run->seed % HUGE_EVERY == HUGE_EVERY - 1;
    run->actors = run->huge ? 2 : 2 + rng_below(rng, ACTORS - 1);
    run->universe = run->huge ? 9500 : big ? 2500 : 10 + rng_below(rng, 110);
    run->batch_max = run->huge ? BATCH_MAX : big ? 1500 : 1 + run->universe;
    run->side = run->huge ? 500 : big ? 200 : 8 + rng_below(rng, 32);
    run->id_style = rng_below(rng, 3);
    run->dirty = !run->huge && !rng_one_in(rng, 3);
    run->is_3d = rng_one_in(rng, 2);
    /* The reference would take minutes for the ways of thousands. */
    run->swept = !run->huge && rng_one_in(rng, 2);
    run->circles = rng_one_in(rng, 2);
    run->capsules = rng_one_in(rng, 3);
    run->filters = rng_one_in(rng, 2);
    run->now_ns = rng_below(rng, 1000);

    *config = (qd_room_config){
        .space = draw_space(run, rng), /* its budget has no end, as the reference never gives up */
        .entities_max = rng_one_in(rng, 4) && !run->huge ? 5 + rng_below(rng, run->universe) : 1u << 16,
        .events_max = rng_one_in(rng, 2) ? 1u << 20
                                         : 3 + rng_below(rng, run->huge ? 10000
                                                              : big     ? 2000
                                                                        : 60),
        .grace_ns = rng_one_in(rng, 4) ? 0 : rng_below(rng, 1000),
        .roster_ids_max = rng_one_in(rng, 2) ? 1u << 20 : rng_below(rng, 3 * run->universe),
    };
    run->roster_ids_max = config->roster_ids_max;
    return run->huge ? 20 : big ? 60 : 60 + rng_below(rng, SEEDS_COMMANDS_MAX - 60);
}

static void begin(struct run *run, const qd_room_config *config, bool check)
{
    qd_tuning tuning = QD_TUNING_DEFAULT;

    if (check) {
        run->reference = calloc(1, sizeof *run->reference);
        run->reference->config = *config;
    }
    if (run->seed % 2 == 0) {
        /* Every move is pending until the tick, which applies it by the smallest tasks possible. */
        tuning = (qd_tuning){.leaf_rows = 96, .task_rows_min = 64, .apply_slots = 64};
    }
    qd_space_tune(run->room->entities.space, &tuning);
}

static void end(struct run *run)
{
    for (uint32_t member = 0; member < REF_MEMBERS_MAX; member++) {
        free(run->folded[member].keys);
    }
    for (uint32_t actor = 0; actor < ACTORS; actor++) {
        forget_rosters(run, actor);
    }
    if (run->reference) {
        met->judged += run->reference->judged;
        met->close += run->reference->close;
        ref_free(run->reference);
    }
    free(run->reference);
}

static void run_seed(uint64_t seed, uint32_t limit)
{
    static const script_kind kind = {set_up, begin, do_command, end, .knows_shortage = true};

    run_script(&kind, seed, limit);
}

static bool met_everything(void)
{
    bool all = met->events > 0 && met->resets > 0 && met->suspensions > 0 && met->losses > 0 && met->passed > 0 &&
               met->snapshots > 0 && met->split_traversals > 0 && met->own_reports > 0 && met->named > 0 &&
               met->full > 0 && met->placed > 0 && met->placed_whole > 0 && met->short_entries > 0 &&
               met->short_calls > 0 && met->short_suspensions > 0;

    for (int code = QD_ROOM_UNKNOWN_ID; code <= QD_ROOM_FULL; code++) {
        all = all && met->refused[code] > 0;
    }
    return all && met->refused[QD_ROOM_WRONG_COLUMN] > 0;
}

int main(int argument_count, char **arguments)
{
    uint64_t seeds = SEEDS_DEFAULT;

    met = seeds_shared(sizeof *met);
    if (!seeds_pass(argument_count, arguments, &seeds, &met->command, run_seed)) {
        return 1;
    }
    printf(
        "%" PRIu64 " seeds: %" PRIu64 " ticks (%" PRIu64 " split), %" PRIu64 " events, %" PRIu64 " passed, %" PRIu64
        " resets, %" PRIu64 " suspensions, %" PRIu64 " losses, %" PRIu64 " batches by roster; without memory %" PRIu64
        " entries, %" PRIu64 " calls, %" PRIu64 " subscriptions; %" PRIu64 " of %" PRIu64 " pairs too close to call\n",
        seeds, met->ticks, met->split_traversals, met->events, met->passed, met->resets, met->suspensions, met->losses,
        met->placed, met->short_entries, met->short_calls, met->short_suspensions, met->close, met->judged);
    if (seeds >= SEEDS_DEFAULT && !met_everything()) {
        fprintf(stderr, "some kind of answer never came up: the scripts do not test what they should\n");
        return 1;
    }
    if (seeds >= SEEDS_DEFAULT && met->close > met->judged / CLOSE_SHARE) {
        fprintf(stderr, "more pairs are too close to call than the scripts explain\n");
        return 1;
    }
    return 0;
}

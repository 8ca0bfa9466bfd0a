/* SPDX-License-Identifier: Apache-2.0
 *
 * A room under random scripts of every command, against a brute force (room_reference.h).
 *
 * Every refusal, report, snapshot and figure is compared, and the reports of each subscription are folded and compared
 * with the true set at every tick. Then the same script runs on other executors (tasks in a shuffled order, 2 and 4
 * threads), which must give the very same answers, to the bit.
 *
 *     model_room_model [SEEDS [FIRST]]
 *
 * A seed runs in a process of its own, so that an assertion that fails inside the room is a finding like any other. A
 * failing script is shrunk: cut behind the command that failed, then without every command that it fails without.
 */
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "room_run.h"

#define SEEDS_DEFAULT 400u

/* ---- reports ---- */

static void mix_pairs(struct run *run, qd_room_pairs pairs)
{
    mix_number(run, pairs.count);
    mix(run, pairs.a, pairs.count * sizeof pairs.a[0]);
    mix(run, pairs.b, pairs.count * sizeof pairs.b[0]);
}

static void mix_report(struct run *run, const qd_room_report *report)
{
    mix_number(run, (uint64_t)report->member << 32 | report->share);
    mix_number(run, report->tick);
    mix_number(run, (uint64_t)report->skipped << 2 | (uint64_t)report->reset << 1 | report->suspended);
    mix_number(run, report->suspended_count);
    mix_pairs(run, report->ends);
    mix(run, report->end_reason, report->ends.count);
    mix_pairs(run, report->begins);
    mix_pairs(run, report->stays);
}

static uint64_t hash_of_contents(const qd_room_report *report)
{
    struct run scratch = {.hash = 1};
    qd_room_report same = *report;

    same.member = 0;
    mix_report(&scratch, &same);
    return scratch.hash;
}

/* The pairs are exactly those of the list that are in the member's scope, in the list's order. */
static void check_pairs(struct run *run, uint32_t member, qd_room_pairs pairs, const uint8_t *reason,
                        const ref_pairs *list, const char *what)
{
    uint32_t count = 0;

    for (uint32_t i = 0; list && i < list->count; i++) {
        const ref_pair *pair = &list->all[i];
        uint32_t a = (uint32_t)(pair->key >> 32), b = (uint32_t)pair->key;
        if (!ref_in_scope(run->reference, member, pair))
            continue;
        if (count >= pairs.count)
            fail(run, "member %u: missing %s %u %u", member, what, a, b);
        if (pairs.a[count] != a || pairs.b[count] != b)
            fail(run, "member %u: %s %u %u, expected %u %u", member, what, pairs.a[count], pairs.b[count], a, b);
        if (reason && reason[count] != pair->reason)
            fail(run, "member %u: %s %u %u for %u, expected %u", member, what, a, b, reason[count], pair->reason);
        count++;
    }
    if (count != pairs.count)
        fail(run, "member %u: %u %ss, expected %u", member, pairs.count, what, count);
}

/* Takes the ends out and puts the begins in, as a client does. */
static void fold(struct run *run, const qd_room_report *report)
{
    struct set *folded = &run->folded[report->member];
    uint32_t i = 0, end = 0, begin = 0, count = 0;

    if (report->reset || report->suspended)
        folded->count = 0;
    uint64_t *keys = malloc(((size_t)folded->count + report->begins.count + 1) * sizeof *keys);
    while (i < folded->count || begin < report->begins.count) {
        uint64_t old = i < folded->count ? folded->keys[i] : UINT64_MAX;
        uint64_t added = UINT64_MAX;
        if (begin < report->begins.count)
            added = (uint64_t)report->begins.a[begin] << 32 | report->begins.b[begin];
        if (i < folded->count && end < report->ends.count &&
            old == ((uint64_t)report->ends.a[end] << 32 | report->ends.b[end])) {
            end++;
            i++;
        } else if (old < added) {
            keys[count++] = old;
            i++;
        } else {
            if (old == added)
                fail(run, "member %u: a begin of a pair that it has", report->member);
            keys[count++] = added;
            begin++;
        }
    }
    if (end != report->ends.count)
        fail(run, "member %u: an end of a pair that it has not", report->member);
    free(folded->keys);
    *folded = (struct set){keys, count};
}

/* What is folded of a live subscription is the true set. */
static void check_folded(struct run *run, uint32_t member)
{
    const ref_pairs *truth = &run->reference->set;
    const struct set *folded = &run->folded[member];
    uint32_t count = 0;

    for (uint32_t i = 0; i < truth->count; i++) {
        if (!ref_in_scope(run->reference, member, &truth->all[i]))
            continue;
        if (count >= folded->count || folded->keys[count] != truth->all[i].key)
            fail(run, "member %u: the folded set lacks %016" PRIx64, member, truth->all[i].key);
        count++;
    }
    REQUIRE(run, count == folded->count);
}

static void check_report(struct run *run, const qd_room_report *report, ref_news news)
{
    const ref_room *reference = run->reference;
    const qd_room_interest interest = reference->members[report->member].interest;
    bool events = news == REF_EVENTS;

    REQUIRE(run, news != REF_NOTHING);
    REQUIRE(run, report->reset == (news == REF_RESET));
    REQUIRE(run, report->suspended == (news == REF_SUSPENSION));
    REQUIRE(run,
            report->suspended ? report->suspended_count > reference->config.events_max : report->suspended_count == 0);
    REQUIRE(run, interest.own_only && !report->suspended ? report->share == 0 : report->share != 0);
    check_pairs(run, report->member, report->ends, report->end_reason, events ? &reference->ends : NULL, "end");
    check_pairs(run, report->member, report->begins, NULL,
                events          ? &reference->begins
                : report->reset ? &reference->set
                                : NULL,
                "begin");
    check_pairs(run, report->member, report->stays, NULL, events && interest.stays ? &reference->stays : NULL, "stay");
}

/* Whether a subscription with this news has nothing to tell. */
static bool is_silent(const struct run *run, uint32_t member, ref_news news, uint32_t skipped)
{
    const ref_room *reference = run->reference;
    const ref_pairs *lists[] = {&reference->ends, &reference->begins, &reference->stays};

    if (news != REF_EVENTS || skipped > 0)
        return news == REF_NOTHING;
    for (int i = 0; i < (reference->members[member].interest.stays ? 3 : 2); i++) {
        for (uint32_t k = 0; k < lists[i]->count; k++) {
            if (ref_in_scope(reference, member, &lists[i]->all[k]))
                return false;
        }
    }
    return true;
}

/* Reads all reports of the round. Now and then one is lost on its way, or its reader leaves or subscribes anew. */
static void read_reports(struct run *run, struct dice *dice, uint32_t skipped, const ref_news news[REF_MEMBERS_MAX])
{
    struct {
        bool known;
        uint64_t hash;
    } shares[16] = {0};
    qd_room_report report;
    uint32_t next = 0; /* the first member that may still have a report */

    while (qd_room_next_report(run->room, &report)) {
        uint32_t member = report.member;

        mix_report(run, &report);
        shared->events += (uint64_t)report.ends.count + report.begins.count;
        shared->resets += report.reset;
        shared->suspensions += report.suspended;
        REQUIRE(run, member >= next && report.tick == run->tick && report.skipped == skipped && report.share < 16);
        if (report.share) {
            uint64_t hash = hash_of_contents(&report);
            REQUIRE(run, !shares[report.share].known || shares[report.share].hash == hash);
            shares[report.share].known = true;
            shares[report.share].hash = hash;
        }
        if (run->reference) {
            for (; next < member; next++)
                REQUIRE(run, is_silent(run, next, news[next], skipped));
            check_report(run, &report, news[member]);
            shared->own_reports += run->reference->members[member].interest.own_only;
            fold(run, &report);
        }
        next = member + 1;
        if (one_in(dice, 25)) {
            qd_room_lost(run->room, member);
            shared->losses++;
            if (run->reference)
                run->reference->members[member].state = REF_LOST;
        }
    }
    for (; run->reference && next < REF_MEMBERS_MAX; next++)
        REQUIRE(run, is_silent(run, next, news[next], skipped));
    for (uint32_t member = 0; run->reference && member < REF_MEMBERS_MAX; member++) {
        if (run->reference->members[member].state == REF_LIVE)
            check_folded(run, member);
    }
}

static void do_tick(struct run *run, struct dice *dice)
{
    ref_news news[REF_MEMBERS_MAX];
    uint32_t skipped = one_in(dice, 6) ? below(dice, 4) : 0;

    qd_room_tick(run->room, run->executor, skipped);
    run->tick += 1 + skipped;
    run->skipped += skipped;
    shared->ticks++;
    if (run->reference) {
        ref_tick(run->reference);
        ref_serve(run->reference, false, news);
    }
    read_reports(run, dice, skipped, news);
}

static void do_catch_up(struct run *run, struct dice *dice)
{
    ref_news news[REF_MEMBERS_MAX];

    qd_room_catch_up(run->room, run->executor);
    if (run->reference)
        ref_serve(run->reference, true, news);
    read_reports(run, dice, 0, news);
}

/* ---- members and looks ---- */

static void do_join(struct run *run, uint32_t actor)
{
    uint32_t member;

    if (run->member[actor] != QD_ROOM_OWNED)
        return;
    REQUIRE(run, qd_room_join(run->room, &member) == QD_OK && member < REF_MEMBERS_MAX);
    run->member[actor] = member;
    mix_number(run, member);
    if (!run->reference)
        return;
    ref_member *row = &run->reference->members[member];
    REQUIRE(run, !row->present && !ref_holds_anything(run->reference, member));
    *row = (ref_member){.present = true};
}

static void do_leave(struct run *run, uint32_t actor)
{
    uint32_t member = run->member[actor];

    qd_room_leave(run->room, member, run->now_ns);
    run->member[actor] = QD_ROOM_OWNED;
    if (run->reference) {
        run->reference->members[member] =
            (ref_member){.gone = true, .expire_ns = run->now_ns + run->reference->config.grace_ns};
    }
}

static void do_expire(struct run *run, struct dice *dice)
{
    uint64_t due_ns = qd_room_due_ns(run->room);

    /* Now and then to the very moment, else some way on. */
    if (due_ns != QD_NEVER && due_ns > run->now_ns && one_in(dice, 2))
        run->now_ns = due_ns - below(dice, 2);
    else
        run->now_ns += below(dice, 500);
    qd_room_expire(run->room, run->now_ns);
    if (run->reference)
        ref_expire(run->reference, run->now_ns);
    mix_number(run, qd_room_due_ns(run->room));
    REQUIRE(run, qd_room_due_ns(run->room) > run->now_ns);
}

static void do_subscribe(struct run *run, struct dice *dice, uint32_t member)
{
    qd_room_interest interest = {.own_only = one_in(dice, 3), .stays = one_in(dice, 3)};

    qd_room_subscribe(run->room, member, interest);
    if (run->reference) {
        run->reference->members[member].state = REF_DUE;
        run->reference->members[member].interest = interest;
    }
}

static void do_unsubscribe(struct run *run, uint32_t member)
{
    qd_room_unsubscribe(run->room, member);
    if (run->reference)
        run->reference->members[member].state = REF_NONE;
}

static void do_lost(struct run *run, uint32_t member)
{
    qd_room_lost(run->room, member);
    if (run->reference && run->reference->members[member].state != REF_NONE)
        run->reference->members[member].state = REF_LOST;
}

static void do_resume(struct run *run, uint32_t member)
{
    qd_room_resume(run->room, member);
    if (run->reference && run->reference->members[member].state == REF_LOST)
        run->reference->members[member].state = REF_DUE;
}

static void check_snapshot(struct run *run, const float *region, uint32_t limit, const qd_room_batch *columns,
                           bool more)
{
    ref_crowd *now = &run->reference->now;
    uint32_t count = 0;

    if (now->count > 0)
        qsort(now->all, now->count, sizeof now->all[0], ref_by_id);
    for (uint32_t i = 0; i < now->count; i++) {
        const ref_entity *entity = &now->all[i];
        float half_y = entity->shape == QD_SPACE_BOX ? entity->half_y : entity->half_x;
        if (region && !ref_boxes_touch(ref_box_of(entity->x, entity->y, entity->half_x, half_y),
                                       (ref_box){{region[0], region[1]}, {region[2], region[3]}}))
            continue;
        if (count == limit) {
            REQUIRE(run, more && columns->count == limit);
            return;
        }
        REQUIRE(run, count < columns->count && columns->id[count] == entity->id);
        REQUIRE(run, columns->x[count] == entity->x && columns->y[count] == entity->y);
        REQUIRE(run, columns->half_x[count] == entity->half_x && columns->half_y[count] == entity->half_y);
        REQUIRE(run, columns->shape[count] == entity->shape);
        REQUIRE(run, columns->category[count] == entity->category && columns->mask[count] == entity->mask);
        count++;
    }
    REQUIRE(run, !more && columns->count == count);
}

static void do_snapshot(struct run *run, struct dice *dice)
{
    float x = (float)below(dice, run->side), y = (float)below(dice, run->side);
    float region[4] = {x, y, x + (float)below(dice, run->side), y + (float)below(dice, run->side)};
    const float *where = one_in(dice, 2) ? region : NULL;
    uint32_t limit = one_in(dice, 2) ? below(dice, 20) : 1u << 20;
    qd_room_batch columns;
    bool more;

    REQUIRE(run, qd_room_snapshot(run->room, where, limit, &columns, &more) == QD_OK);
    shared->snapshots++;
    mix_number(run, (uint64_t)columns.count << 1 | more);
    mix(run, columns.id, columns.count * sizeof columns.id[0]);
    if (run->reference)
        check_snapshot(run, where, limit, &columns, more);
}

static void check_stats(struct run *run)
{
    const ref_room *reference = run->reference;
    qd_room_stats stats;
    uint32_t members = 0, subscriptions = 0, live = 0;

    for (uint32_t member = 0; member < REF_MEMBERS_MAX; member++) {
        members += reference->members[member].present;
        subscriptions += reference->members[member].state != REF_NONE;
        live += reference->members[member].state == REF_LIVE;
    }
    qd_room_stats_get(run->room, &stats);
    REQUIRE(run, stats.tick == run->tick && stats.ticks_skipped == run->skipped && stats.updates == run->updates);
    REQUIRE(run, stats.entities == reference->now.count);
    REQUIRE(run, stats.members == members && stats.subscriptions == subscriptions);
    REQUIRE(run, stats.begins == reference->begins_counted && stats.ends == reference->ends_counted);
    REQUIRE(run, stats.pairs == (live > 0 ? reference->set.count : 0));
}

/* ---- scripts ---- */

/* A script that is to come to a split walk in few commands begins like this: somebody joins, subscribes, and spawns. */
enum { COMMAND_TICK = 0, COMMAND_SUBSCRIBE = 40, COMMAND_BATCH = 50, COMMAND_SPAWN = 100 };
static const uint32_t prologue[] = {COMMAND_BATCH, COMMAND_SUBSCRIBE, COMMAND_SPAWN,
                                    COMMAND_SPAWN, COMMAND_SPAWN,     COMMAND_TICK};
#define PROLOGUE_LENGTH (sizeof prologue / sizeof prologue[0])

static void do_command(struct run *run, uint32_t index)
{
    struct dice own = {run->seed * 0x100000001u + (uint64_t)index * 0x9e3779b9u};
    struct dice *dice = &own;
    uint32_t what = below(dice, 100), actor = below(dice, run->actors);

    if (run->huge && index < PROLOGUE_LENGTH) {
        what = prologue[index];
        actor = 0;
    }
    uint32_t member = run->member[actor];
    if (what < 22) {
        do_tick(run, dice);
    } else if (what < 27) {
        do_catch_up(run, dice);
    } else if (what < 31) {
        do_expire(run, dice);
    } else if (what < 33) {
        do_snapshot(run, dice);
    } else if (what < 34 && one_in(dice, 4)) {
        qd_room_despawn_all(run->room);
        for (uint32_t i = run->reference ? run->reference->now.count : 0; i-- > 0;)
            ref_remove(run->reference, &run->reference->now.all[i], QD_SPACE_ROOM_CLOSED);
        if (run->reference)
            run->reference->emptied = true;
    } else if (member == QD_ROOM_OWNED) {
        do_join(run, actor);
    } else if (what < 37) {
        do_leave(run, actor);
    } else if (what < 44) {
        do_subscribe(run, dice, member);
    } else if (what < 45) {
        do_unsubscribe(run, member);
    } else if (what < 46) {
        do_lost(run, member);
    } else if (what < 50) {
        do_resume(run, member);
    } else if (what == COMMAND_SPAWN) {
        do_batch(run, dice, SPAWN, member);
    } else {
        static const enum action actions[] = {SPAWN, SPAWN, SPAWN, MOVE, MOVE, MOVE, TELEPORT, RESHAPE, DESPAWN};
        do_batch(run, dice, actions[below(dice, sizeof actions / sizeof actions[0])], member);
    }
    if (run->reference)
        check_stats(run);
    if (verbose)
        fprintf(stderr, "  command %u: kind %u, actor %u\n", index, what, actor);
}

static uint32_t set_up(struct run *run, qd_room_config *config)
{
    struct dice own = {run->seed ^ 0x5bd1e9955bd1e995u};
    struct dice *dice = &own;
    bool big = run->seed % BIG_EVERY == BIG_EVERY - 1;

    run->huge = run->seed % HUGE_EVERY == HUGE_EVERY - 1;
    run->actors = run->huge ? 2 : 2 + below(dice, ACTORS - 1);
    run->universe = run->huge ? 9500 : big ? 2500 : 10 + below(dice, 110);
    run->batch_max = run->huge ? BATCH_MAX : big ? 1500 : 1 + run->universe;
    run->side = run->huge ? 500 : big ? 200 : 8 + below(dice, 32);
    run->id_style = below(dice, 3);
    run->dirty = !run->huge && !one_in(dice, 3);
    run->circles = one_in(dice, 2);
    run->filters = one_in(dice, 2);
    run->now_ns = below(dice, 1000);
    run->hash = 0xcbf29ce484222325u;
    for (uint32_t actor = 0; actor < ACTORS; actor++)
        run->member[actor] = QD_ROOM_OWNED;

    float far = (float)run->side * (one_in(dice, 3) ? 0.5f : 1);
    *config = (qd_room_config){
        .max_x = far,
        .max_y = far,
        .depth = one_in(dice, 2) ? 0 : 1 + below(dice, QD_SPACE_DEPTH_MAX),
        .entities_max = one_in(dice, 4) && !run->huge ? 5 + below(dice, run->universe) : 1u << 16,
        .events_max = one_in(dice, 2) ? 1u << 20
                                      : 3 + below(dice, run->huge ? 10000
                                                        : big     ? 2000
                                                                  : 60),
        .grace_ns = one_in(dice, 4) ? 0 : below(dice, 1000),
    };
    return run->huge ? 20 : big ? 60 : 60 + below(dice, COMMANDS_MAX - 60);
}

/* Runs the script's commands below `limit` and returns the hash of all answers. */
static uint64_t run_script(uint64_t seed, uint32_t limit, const qd_executor *executor, bool check)
{
    static struct run run; /* large */
    qd_room_config config;

    memset(&run, 0, sizeof run);
    run.seed = seed;
    run.executor = executor;
    uint32_t commands = set_up(&run, &config);
    if (check) {
        run.reference = calloc(1, sizeof *run.reference);
        run.reference->config = config;
    }
    qd_heap_init(&run.heap);
    REQUIRE(&run, qd_room_create(&config, &run.heap, seed * 77, &run.room) == QD_OK);
    for (shared->command = 0; shared->command < commands && shared->command < limit; shared->command++) {
        if (!left_out[shared->command])
            do_command(&run, shared->command);
    }
    qd_room_destroy(run.room);
    REQUIRE(&run, run.heap.bytes == 0);
    qd_heap_deinit(&run.heap);

    for (uint32_t member = 0; member < REF_MEMBERS_MAX; member++)
        free(run.folded[member].keys);
    if (check)
        ref_free(run.reference);
    free(run.reference);
    return run.hash;
}

static void count_split(void *context, size_t count, qd_task_fn task, void *argument)
{
    shared->split_walks += count > 1;
    qd_executor_serial.run(context, count, task, argument);
}

static void run_seed(uint64_t seed, uint32_t limit)
{
    struct dice order = {seed};
    size_t two = 2, four = 4;
    const qd_executor wide = {.run = count_split, .width = 4};
    const qd_executor others[] = {
        {.run = qd_executor_serial.run, .width = 1},
        {.run = run_shuffled, .width = 4, .context = &order},
        {.run = run_threads, .width = 2, .context = &two},
        {.run = run_threads, .width = 4, .context = &four},
    };
    uint64_t hash = run_script(seed, limit, &wide, true);

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        uint64_t other = run_script(seed, limit, &others[i], false);
        if (other != hash) {
            fprintf(stderr, "seed %" PRIu64 ": other answers on executor %zu\n", seed, i);
            exit(1);
        }
    }
}

/* ---- seeds, each in a process ---- */

static bool passes(uint64_t seed, uint32_t limit, bool quiet)
{
    int status;

    shared->command = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child < 0)
        abort();
    if (child == 0) {
        if (quiet && !freopen("/dev/null", "w", stderr))
            abort();
        run_seed(seed, limit);
        exit(0);
    }
    if (waitpid(child, &status, 0) != child)
        abort();
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void shrink(uint64_t seed)
{
    uint32_t kept = 0;
    uint32_t limit = shared->command < COMMANDS_MAX ? shared->command + 1 : COMMANDS_MAX;

    for (uint32_t index = limit; index-- > 0;) {
        left_out[index] = true;
        if (passes(seed, limit, true))
            left_out[index] = false;
    }
    for (uint32_t index = 0; index < limit; index++)
        kept += !left_out[index];
    fprintf(stderr, "\nseed %" PRIu64 " fails with %u of its first %u commands:\n", seed, kept, limit);
    verbose = true;
    (void)passes(seed, limit, false);
}

static bool met_everything(void)
{
    bool all = shared->events > 0 && shared->resets > 0 && shared->suspensions > 0 && shared->losses > 0 &&
               shared->snapshots > 0 && shared->split_walks > 0 && shared->own_reports > 0;

    for (int code = 0; code < 7; code++)
        all = all && shared->refusals[code] > 0;
    return all;
}

int main(int argument_count, char **arguments)
{
    uint64_t seeds = argument_count > 1 ? strtoull(arguments[1], NULL, 0) : SEEDS_DEFAULT;
    uint64_t first = argument_count > 2 ? strtoull(arguments[2], NULL, 0) : 0;

    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return 1;
    for (uint64_t seed = first; seed < first + seeds; seed++) {
        if (!passes(seed, COMMANDS_MAX, false)) {
            fprintf(stderr, "seed %" PRIu64 " failed at command %u; shrinking\n", seed, shared->command);
            shrink(seed);
            return 1;
        }
    }
    printf("%" PRIu64 " seeds: %" PRIu64 " ticks (%" PRIu64 " split), %" PRIu64 " events, %" PRIu64 " resets, %" PRIu64
           " suspensions, %" PRIu64 " losses\n",
           seeds, shared->ticks, shared->split_walks, shared->events, shared->resets, shared->suspensions,
           shared->losses);
    if (seeds >= SEEDS_DEFAULT && !met_everything()) {
        fprintf(stderr, "some kind of answer never came up: the scripts do not test what they should\n");
        return 1;
    }
    return 0;
}

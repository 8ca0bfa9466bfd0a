/* SPDX-License-Identifier: Apache-2.0 */
#include "run.h"
#include "server/room/common/pause.h"

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
    mix_pairs(run, report->passed);
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

        if (!ref_in_scope(run->reference, member, pair)) {
            continue;
        }
        if (count >= pairs.count) {
            fail(run, "member %u: missing %s %u %u", member, what, a, b);
        }
        if (pairs.a[count] != a || pairs.b[count] != b) {
            fail(run, "member %u: %s %u %u, expected %u %u", member, what, pairs.a[count], pairs.b[count], a, b);
        }
        if (reason && reason[count] != pair->reason) {
            fail(run, "member %u: %s %u %u for %u, expected %u", member, what, a, b, reason[count], pair->reason);
        }
        count++;
    }
    if (count != pairs.count) {
        fail(run, "member %u: %u %ss, expected %u", member, pairs.count, what, count);
    }
}

/* Takes the ends out and puts the begins in, as a client does. */
static void fold(struct run *run, const qd_room_report *report)
{
    struct set *folded = &run->folded[report->member];
    uint32_t i = 0, end = 0, begin = 0, count = 0;

    if (report->reset || report->suspended) {
        folded->count = 0;
    }
    uint64_t *keys = malloc(((size_t)folded->count + report->begins.count + 1) * sizeof *keys);
    while (i < folded->count || begin < report->begins.count) {
        uint64_t old = i < folded->count ? folded->keys[i] : UINT64_MAX;
        uint64_t added = UINT64_MAX;

        if (begin < report->begins.count) {
            added = (uint64_t)report->begins.a[begin] << 32 | report->begins.b[begin];
        }
        if (i < folded->count && end < report->ends.count &&
            old == ((uint64_t)report->ends.a[end] << 32 | report->ends.b[end])) {
            end++;
            i++;
        } else if (old < added) {
            keys[count++] = old;
            i++;
        } else {
            if (old == added) {
                fail(run, "member %u: a begin of a pair that it has", report->member);
            }
            keys[count++] = added;
            begin++;
        }
    }
    if (end != report->ends.count) {
        fail(run, "member %u: an end of a pair that it has not", report->member);
    }
    free(folded->keys);
    *folded = (struct set){keys, count};
}

/* The folded set of a live subscription is the expected set. */
static void check_folded(struct run *run, uint32_t member)
{
    const ref_pairs *expected = &run->reference->set;
    const struct set *folded = &run->folded[member];
    uint32_t count = 0;

    for (uint32_t i = 0; i < expected->count; i++) {
        if (!ref_in_scope(run->reference, member, &expected->all[i])) {
            continue;
        }
        if (count >= folded->count || folded->keys[count] != expected->all[i].key) {
            fail(run, "member %u: the folded set lacks %016" PRIx64, member, expected->all[i].key);
        }
        count++;
    }
    REQUIRE(run, count == folded->count);
}

/* The events of the tick found no memory: nobody has counted them. */
static void take_counts_back(struct run *run)
{
    ref_room *reference = run->reference;

    if (!run->counts_taken_back) {
        reference->begins_counted -= reference->begins.count;
        reference->ends_counted -= reference->ends.count;
        reference->passed_counted -= reference->passed.count;
    }
    run->counts_taken_back = true;
}

/* The subscription is suspended for lack of memory, whatever its news would be. */
static void check_short_report(struct run *run, const qd_room_report *report, ref_news news)
{
    ref_member *member = &run->reference->members[report->member];

    REQUIRE(run,
            (run->is_short || run->was_short) && news != REF_NOTHING && !report->reset && report->suspended_count == 0);
    REQUIRE(run, report->ends.count + report->begins.count + report->passed.count + report->stays.count == 0);
    if (run->before[report->member] == REF_LIVE && news == REF_EVENTS) {
        take_counts_back(run);
    }
    member->state = REF_SUSPENDED;
    met->short_suspensions++;
}

static void check_report(struct run *run, const qd_room_report *report, ref_news news)
{
    if (report->suspended && report->suspended_reason == QD_SUSPEND_MEMORY) {
        check_short_report(run, report, news);
        return;
    }
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
    check_pairs(run, report->member, report->passed, NULL, events ? &reference->passed : NULL, "passed pair");
    check_pairs(run, report->member, report->stays, NULL, events && interest.stays ? &reference->stays : NULL, "stay");
}

/* Whether a subscription with this news has nothing to report. After a tick without memory, those that are suspended may
 * have to wait. */
static bool is_silent(struct run *run, uint32_t member, ref_news news, uint32_t skipped)
{
    ref_room *reference = run->reference;
    const ref_pairs *lists[] = {&reference->ends, &reference->begins, &reference->passed, &reference->stays};

    if (news == REF_RESET && run->before[member] == REF_SUSPENDED && run->ticks_since <= QD_PAUSE_MAX) {
        reference->members[member].state = REF_SUSPENDED;
        return true;
    }
    if (news != REF_EVENTS || skipped > 0) {
        return news == REF_NOTHING;
    }
    for (int i = 0; i < (reference->members[member].interest.stays ? 4 : 3); i++) {
        for (uint32_t k = 0; k < lists[i]->count; k++) {
            if (ref_in_scope(reference, member, &lists[i]->all[k])) {
                return false;
            }
        }
    }
    return true;
}

/* The reports of a round that came with a number of their own, and what was in them. */
struct shares {
    uint32_t count;
    uint32_t share[REF_MEMBERS_MAX];
    uint64_t hash[REF_MEMBERS_MAX];
};

/* Whether all that came with the number so far had the same in them. */
static bool is_shared_alike(struct shares *shares, uint32_t share, uint64_t hash)
{
    for (uint32_t i = 0; i < shares->count; i++) {
        if (shares->share[i] == share) {
            return shares->hash[i] == hash;
        }
    }
    shares->share[shares->count] = share;
    shares->hash[shares->count++] = hash;
    return true;
}

/* Reads all reports of the round. Now and then one is lost, or its reader leaves or subscribes again. */
static void read_reports(struct run *run, rng_stream *rng, uint32_t skipped, const ref_news news[REF_MEMBERS_MAX])
{
    struct shares shares = {0};
    qd_room_report report;
    uint32_t next = 0; /* the first member that may still have a report */

    while (qd_room_next_report(run->room, &report)) {
        uint32_t member = report.member;

        mix_report(run, &report);
        met->events += (uint64_t)report.ends.count + report.begins.count;
        met->passed += report.passed.count;
        met->resets += report.reset;
        met->suspensions += report.suspended;
        REQUIRE(run, member >= next && report.tick == run->tick && report.skipped == skipped);
        if (report.share) {
            REQUIRE(run, is_shared_alike(&shares, report.share, hash_of_contents(&report)));
        }
        if (run->reference) {
            for (; next < member; next++) {
                REQUIRE(run, is_silent(run, next, news[next], skipped));
            }
            check_report(run, &report, news[member]);
            met->own_reports += run->reference->members[member].interest.own_only;
            fold(run, &report);
        }
        next = member + 1;
        if (rng_one_in(rng, 25)) {
            qd_room_lost(run->room, member);
            met->losses++;
            if (run->reference) {
                run->reference->members[member].state = REF_LOST;
            }
        }
    }
    for (; run->reference && next < REF_MEMBERS_MAX; next++) {
        REQUIRE(run, is_silent(run, next, news[next], skipped));
    }
    for (uint32_t member = 0; run->reference && member < REF_MEMBERS_MAX; member++) {
        if (run->reference->members[member].state == REF_LIVE) {
            check_folded(run, member);
        }
    }
}

/* Before the news are served. */
static void begin_round(struct run *run)
{
    run->counts_taken_back = false;
    if (run->is_short || run->was_short) {
        run->ticks_since = 0;
    }
    for (uint32_t member = 0; run->reference && member < REF_MEMBERS_MAX; member++) {
        run->before[member] = run->reference->members[member].state;
    }
}

void do_tick(struct run *run, rng_stream *rng)
{
    ref_news news[REF_MEMBERS_MAX];
    uint32_t skipped = rng_one_in(rng, 6) ? rng_below(rng, 4) : 0;

    qd_room_tick(run->room, run->executor, skipped);
    end_shortage(run);
    run->tick += 1 + skipped;
    run->skipped += skipped;
    run->ticks_since++;
    met->ticks++;
    begin_round(run);
    if (run->reference) {
        ref_tick(run->reference);
        ref_serve(run->reference, false, news);
    }
    read_reports(run, rng, skipped, news);
    run->is_short = run->was_short = false; /* the next tick has its events */
}

void do_catch_up(struct run *run, rng_stream *rng)
{
    ref_news news[REF_MEMBERS_MAX];

    qd_room_catch_up(run->room, run->executor);
    end_shortage(run);
    begin_round(run);
    if (run->reference) {
        ref_serve(run->reference, true, news);
    }
    read_reports(run, rng, 0, news);
}

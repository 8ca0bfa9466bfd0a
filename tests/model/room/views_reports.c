/* SPDX-License-Identifier: Apache-2.0 */
#include "run.h"

/* ---- folding ---- */

static void fold_add(struct run *run, struct fold *fold, uint64_t key, uint32_t third)
{
    for (uint32_t i = 0; i < fold->count; i++) {
        REQUIRE(run, fold->key[i] != key || fold->third[i] != third);
    }
    if (fold->count == fold->capacity) {
        fold->capacity = fold->capacity ? 2 * fold->capacity : 64;
        fold->key = realloc(fold->key, fold->capacity * sizeof fold->key[0]);
        fold->third = realloc(fold->third, fold->capacity * sizeof fold->third[0]);
    }
    fold->key[fold->count] = key;
    fold->third[fold->count++] = third;
}

static void fold_remove(struct run *run, struct fold *fold, uint64_t key, uint32_t third)
{
    uint32_t at = 0;

    while (at < fold->count && (fold->key[at] != key || fold->third[at] != third)) {
        at++;
    }
    REQUIRE(run, at < fold->count);
    fold->key[at] = fold->key[--fold->count];
    fold->third[at] = fold->third[fold->count];
}

static bool fold_has(const struct fold *fold, uint64_t key, uint32_t third)
{
    for (uint32_t i = 0; i < fold->count; i++) {
        if (fold->key[i] == key && fold->third[i] == third) {
            return true;
        }
    }
    return false;
}

static uint64_t pair_of(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}

static void fold_report(struct run *run, const qd_room_view_report *report)
{
    struct fold *views = &run->view_folds[report->member], *watchers = &run->watcher_folds[report->member];

    if (report->reset || report->suspended) {
        views->count = 0;
    }
    if (report->reset_watchers || report->suspended) {
        watchers->count = 0;
    }
    for (uint32_t i = 0; i < report->leave_count; i++) {
        fold_remove(run, views, pair_of(report->leave_observer[i], report->leave_id[i]), 0);
    }
    for (uint32_t i = 0; i < report->enter_count; i++) {
        fold_add(run, views, pair_of(report->enter_observer[i], report->enter.id[i]), 0);
    }
    for (uint32_t i = 0; i < report->relay_count && report->relay_observer; i++) {
        REQUIRE(run, fold_has(views, pair_of(report->relay_observer[i], report->relay_id[i]), 0));
    }
    for (uint32_t i = 0; i < report->watcher_leave_count; i++) {
        fold_remove(run, watchers, pair_of(report->watcher_leave_entity[i], report->watcher_leave_member[i]),
                    report->watcher_leave_observer[i]);
    }
    for (uint32_t i = 0; i < report->watcher_enter_count; i++) {
        fold_add(run, watchers, pair_of(report->watcher_enter_entity[i], report->watcher_enter_member[i]),
                 report->watcher_enter_observer[i]);
    }
}

/* The reports that a member has folded give the views of its observers, and its reverse view. */
static void check_folded(struct run *run, uint32_t member)
{
    const views_room *reference = run->views;
    uint8_t watching = reference->member[member].options.watching;
    uint32_t seen = 0, watched = 0;

    for (uint32_t i = 0; i < reference->observers; i++) {
        const views_observer *observer = &reference->observer[i];

        for (uint32_t k = 0; k < observer->seen; k++) {
            const ref_entity *entity = views_entity(reference, &observer->view[k]);

            if (observer->member == member) {
                seen++;
                REQUIRE(run, fold_has(&run->view_folds[member], pair_of(observer->id, entity->id), 0));
            }
            if (watching == QD_ROOM_WATCH_ALL || (watching == QD_ROOM_WATCH_OWN && entity->owner == member)) {
                watched++;
                REQUIRE(run,
                        fold_has(&run->watcher_folds[member], pair_of(entity->id, observer->member), observer->id));
            }
        }
    }
    REQUIRE(run, run->view_folds[member].count == seen && run->watcher_folds[member].count == watched);
}

/* ---- comparing ---- */

/* Some of the changes of a tick, as one member gets them. */
struct expected {
    views_changes leaves, enters, relays, watcher_leaves, watcher_enters;
    bool reset, reset_watchers, suspended;
    uint64_t merged_ticks;
};

static int by_observer(const void *a, const void *b)
{
    const views_change *one = a, *other = b;

    if (one->observer != other->observer) {
        return one->observer < other->observer ? -1 : 1;
    }
    return one->id < other->id ? -1 : one->id > other->id;
}

static int by_entity(const void *a, const void *b)
{
    const views_change *one = a, *other = b;

    if (one->id != other->id) {
        return one->id < other->id ? -1 : 1;
    }
    if (one->member != other->member) {
        return one->member < other->member ? -1 : 1;
    }
    return one->observer < other->observer ? -1 : one->observer > other->observer;
}

static void order(views_changes *changes, int (*compare)(const void *, const void *))
{
    if (changes->count > 0) {
        qsort(changes->all, changes->count, sizeof changes->all[0], compare);
    }
}

/* All that is in views, as if it entered now. */
static void push_views(views_room *reference, views_changes *to, uint32_t member, bool watched)
{
    uint8_t watching = reference->member[member].options.watching;

    for (uint32_t i = 0; i < reference->observers; i++) {
        views_observer *observer = &reference->observer[i];

        for (uint32_t k = 0; k < observer->seen; k++) {
            views_seen *seen = &observer->view[k];
            const ref_entity *entity = views_entity(reference, seen);
            bool is_wanted =
                watched ? watching == QD_ROOM_WATCH_ALL || (watching == QD_ROOM_WATCH_OWN && entity->owner == member)
                        : observer->member == member;

            if (!is_wanted) {
                continue;
            }
            if (!watched) { /* a reset has its position */
                seen->reported = reference->room->ticks;
                seen->waits = false;
            }
            views_push(to, (views_change){VIEWS_ENTER, observer->member, observer->id, entity->id, entity->owner, 0});
        }
    }
}

/* Between ticks views do not change, and only reverse views are reset. */
static void expect(views_room *reference, uint32_t member, bool between, struct expected *expected)
{
    views_member *row = &reference->member[member];
    views_changes *to[] = {
        [VIEWS_LEAVE] = &expected->leaves, [VIEWS_ENTER] = &expected->enters, [VIEWS_RELAY] = &expected->relays};
    bool takes_part =
        row->options.watching != QD_ROOM_WATCH_NONE || row->reset || row->reset_watchers || row->is_emptied;

    for (uint32_t i = 0; i < reference->observers; i++) {
        takes_part |= reference->observer[i].live && reference->observer[i].member == member;
    }
    if (between && (row->reset || !row->reset_watchers)) {
        return;
    }
    if (reference->suspended) {
        expected->suspended = takes_part && !row->reported_suspended;
        row->reported_suspended |= takes_part;
        return;
    }
    expected->reset = row->reset;
    expected->reset_watchers = row->reset_watchers;
    expected->merged_ticks = row->reset && row->lagging ? reference->tick - row->reported_tick : 0;
    row->reset = row->reset_watchers = false;
    for (uint32_t i = 0; i < reference->changes.count && !between; i++) {
        const views_change *change = &reference->changes.all[i];
        bool is_watched = row->options.watching == QD_ROOM_WATCH_ALL ||
                          (row->options.watching == QD_ROOM_WATCH_OWN && change->owner == member);

        if (change->member == member && !expected->reset) {
            views_push(to[change->kind], *change);
        }
        if (is_watched && !expected->reset_watchers && change->kind != VIEWS_RELAY) {
            views_push(change->kind == VIEWS_LEAVE ? &expected->watcher_leaves : &expected->watcher_enters, *change);
        }
    }
    if (expected->reset) {
        push_views(reference, &expected->enters, member, false);
    }
    if (expected->reset_watchers) {
        push_views(reference, &expected->watcher_enters, member, true);
    }
    order(&expected->enters, by_observer);
    order(&expected->watcher_leaves, by_entity);
    order(&expected->watcher_enters, by_entity);
}

static bool is_silent(const struct expected *expected)
{
    return !expected->reset && !expected->reset_watchers && !expected->suspended &&
           expected->leaves.count + expected->enters.count + expected->relays.count + expected->watcher_leaves.count +
                   expected->watcher_enters.count ==
               0;
}

static void expected_free(struct expected *expected)
{
    free(expected->leaves.all);
    free(expected->enters.all);
    free(expected->relays.all);
    free(expected->watcher_leaves.all);
    free(expected->watcher_enters.all);
}

static void check_enters(struct run *run, const qd_room_view_report *report, const views_changes *expected)
{
    const uint8_t *payload = report->enter_payload;

    REQUIRE(run, report->enter_count == expected->count && report->enter.count == expected->count);
    for (uint32_t i = 0; i < report->enter_count; i++) {
        const ref_entity *entity = ref_find(&run->reference->now, expected->all[i].id);
        const qd_body *body = &entity->body;
        const qd_room_batch *enter = &report->enter;

        REQUIRE(run, report->enter_observer[i] == expected->all[i].observer && enter->id[i] == entity->id);
        REQUIRE(run, enter->x[i] == body->x && enter->y[i] == body->y && (enter->z ? enter->z[i] : 0) == body->z);
        REQUIRE(run, ref_has_sizes(enter, i, body) && enter->category[i] == body->category);
        REQUIRE(run, report->enter_tag[i] == entity->tag && report->enter_payload_size[i] == entity->payload_size);
        REQUIRE(run, entity->payload_size == 0 || memcmp(payload, entity->payload, entity->payload_size) == 0);
        payload += entity->payload_size > 0 ? entity->payload_size : 0;
    }
}

static void check_watchers(struct run *run, uint32_t count, const uint32_t *entity, const uint32_t *member,
                           const uint32_t *observer, const views_changes *expected)
{
    REQUIRE(run, count == expected->count);
    for (uint32_t i = 0; i < count; i++) {
        REQUIRE(run, entity[i] == expected->all[i].id && member[i] == expected->all[i].member &&
                         observer[i] == expected->all[i].observer);
    }
    met->watchers += count;
}

/* The positions of an observer are in any order: here they are in the order of ids. With relays_once they are of no
 * observer, and here none is there twice. */
struct relayed {
    uint32_t observer, id;
    float at[3];
};

struct relays {
    struct relayed *all;
    uint32_t count;
};

static int by_relayed(const void *a, const void *b)
{
    const struct relayed *one = a, *other = b;

    if (one->observer != other->observer) {
        return one->observer < other->observer ? -1 : 1;
    }
    return one->id < other->id ? -1 : one->id > other->id;
}

static void sort_relays(struct relays *relays, bool once)
{
    uint32_t kept = 0;

    qsort(relays->all, relays->count, sizeof relays->all[0], by_relayed);
    for (uint32_t i = 0; i < relays->count; i++) {
        if (!once || i == 0 || relays->all[kept - 1].id != relays->all[i].id) {
            relays->all[kept++] = relays->all[i];
        }
    }
    relays->count = kept;
}

static struct relays sorted_relays(struct run *run, const qd_room_view_report *report)
{
    const bool once = run->relays_once[report->member];
    struct relays relays = {calloc(report->relay_count + 1, sizeof relays.all[0]), report->relay_count};

    REQUIRE(run, report->relay_count == 0 || once == (report->relay_observer == NULL));
    for (uint32_t i = 0; i < report->relay_count; i++) {
        REQUIRE(run, once || i == 0 || report->relay_observer[i - 1] <= report->relay_observer[i]);
        relays.all[i] =
            (struct relayed){once ? 0 : report->relay_observer[i],
                             report->relay_id[i],
                             {report->relay_x[i], report->relay_y[i], report->relay_z ? report->relay_z[i] : 0}};
    }
    sort_relays(&relays, once);
    return relays;
}

static void check_relays(struct run *run, const qd_room_view_report *report, const views_changes *expected)
{
    const bool once = run->relays_once[report->member];
    struct relays is = sorted_relays(run, report);
    struct relays due = {calloc(expected->count + 1, sizeof due.all[0]), expected->count};

    for (uint32_t i = 0; i < expected->count; i++) {
        due.all[i] = (struct relayed){.observer = once ? 0 : expected->all[i].observer, .id = expected->all[i].id};
    }
    sort_relays(&due, once);
    REQUIRE(run, is.count == due.count && report->relay_count <= expected->count);
    for (uint32_t i = 0; i < is.count; i++) {
        const struct relayed *one = &is.all[i];
        const qd_body *body = &ref_find(&run->reference->now, one->id)->body;

        REQUIRE(run, one->observer == due.all[i].observer && one->id == due.all[i].id);
        REQUIRE(run, one->at[0] == body->x && one->at[1] == body->y && one->at[2] == body->z);
    }
    met->relays_once += once ? report->relay_count : 0;
    met->united += once ? expected->count - report->relay_count : 0;
    free(is.all);
    free(due.all);
}

static void check_report(struct run *run, const qd_room_view_report *report, const struct expected *expected)
{
    REQUIRE(run, !is_silent(expected) && report->tick == run->tick);
    REQUIRE(run, report->reset == expected->reset && report->reset_watchers == expected->reset_watchers &&
                     report->suspended == expected->suspended && report->merged_ticks == expected->merged_ticks);
    REQUIRE(run, report->leave_count == expected->leaves.count);
    for (uint32_t i = 0; i < report->leave_count; i++) {
        const views_change *leave = &expected->leaves.all[i];

        REQUIRE(run, report->leave_observer[i] == leave->observer && report->leave_id[i] == leave->id);
        REQUIRE(run, report->leave_reason[i] == leave->reason);
        met->leaves[leave->reason]++;
    }
    check_enters(run, report, &expected->enters);
    check_relays(run, report, &expected->relays);
    check_watchers(run, report->watcher_leave_count, report->watcher_leave_entity, report->watcher_leave_member,
                   report->watcher_leave_observer, &expected->watcher_leaves);
    check_watchers(run, report->watcher_enter_count, report->watcher_enter_entity, report->watcher_enter_member,
                   report->watcher_enter_observer, &expected->watcher_enters);
    met->enters += report->enter_count;
    met->relays += report->relay_count;
    met->resets += report->reset;
    met->suspensions += report->suspended;
}

static void mix_column(struct run *run, const void *column, uint32_t count, size_t size)
{
    if (count > 0) {
        mix(run, column, count * size);
    }
}

static void mix_report(struct run *run, const qd_room_view_report *report)
{
    struct relays relays = sorted_relays(run, report);
    const uint32_t head[] = {report->member,
                             report->reset,
                             report->reset_watchers,
                             report->suspended,
                             report->leave_count,
                             report->enter_count,
                             relays.count,
                             report->watcher_leave_count,
                             report->watcher_enter_count};

    mix(run, head, sizeof head);
    mix_column(run, report->leave_observer, report->leave_count, sizeof(uint32_t));
    mix_column(run, report->leave_id, report->leave_count, sizeof(uint32_t));
    mix_column(run, report->leave_reason, report->leave_count, 1);
    mix_column(run, report->enter_observer, report->enter_count, sizeof(uint32_t));
    mix_column(run, report->enter.id, report->enter_count, sizeof(uint32_t));
    mix_column(run, relays.all, relays.count, sizeof relays.all[0]);
    free(relays.all);
    mix_column(run, report->watcher_leave_entity, report->watcher_leave_count, sizeof(uint32_t));
    mix_column(run, report->watcher_enter_entity, report->watcher_enter_count, sizeof(uint32_t));
}

/* ---- why ---- */

static void check_reason(struct run *run, const qd_room_reason *found, qd_room_reason expected)
{
    REQUIRE(run, found->member == expected.member && found->observer == expected.observer);
    REQUIRE(run, found->visibility == expected.visibility);
    REQUIRE(run, found->distance == expected.distance && found->range == expected.range &&
                     found->leave_margin == expected.leave_margin);
    REQUIRE(run, found->limit == expected.limit && found->seen == expected.seen);
    met->visibilities[found->visibility]++;
}

void views_check_why(struct run *run, rng_stream *rng)
{
    views_room *reference = run->views;
    uint32_t a = draw_id(run, rng), b = draw_id(run, rng), count = 0;
    qd_room_reason reasons[4];

    if (!reference) {
        return;
    }
    const ref_entity *seen = ref_find(&run->reference->now, b);
    for (uint32_t i = 0; i < reference->observers; i++) {
        const views_observer *observer = &reference->observer[i];

        if (!observer->live) {
            continue;
        }
        count += observer->anchored && observer->anchor == a;
        uint32_t found = qd_room_why(run->room, observer->member, observer->id, b, 4, reasons);
        REQUIRE(run, found == (seen ? 1 : UINT32_MAX));
        if (seen) {
            check_reason(run, &reasons[0], views_why(reference, observer, seen));
        }
    }
    bool both = seen && ref_find(&run->reference->now, a);
    uint32_t found = qd_room_why(run->room, UINT32_MAX, a, b, 4, reasons);
    REQUIRE(run, found == (both ? count : UINT32_MAX));
    for (uint32_t i = 0; both && i < found && i < 4; i++) {
        REQUIRE(run, i == 0 || reasons[i - 1].member < reasons[i].member ||
                         (reasons[i - 1].member == reasons[i].member && reasons[i - 1].observer < reasons[i].observer));
        check_reason(run, &reasons[i],
                     views_why(reference, views_find(reference, reasons[i].member, reasons[i].observer), seen));
    }
}

/* ---- ticks ---- */

static void check_view_stats(struct run *run)
{
    const views_room *reference = run->views;
    qd_room_view_stats stats;
    uint64_t seen = 0;

    qd_room_view_stats_get(run->room, &stats);
    for (uint32_t i = 0; i < reference->observers; i++) {
        seen += reference->observer[i].seen;
    }
    REQUIRE(run, stats.observers == views_live(reference) && stats.seen == seen);
    REQUIRE(run, stats.enters == reference->enters && stats.leaves == reference->leaves);
    REQUIRE(run, stats.enters - stats.leaves == seen);
}

static void begin_round(views_room *reference, uint64_t reported_before)
{
    reference->reported_before = reported_before;
    reference->watchers_due = false;
    for (uint32_t member = 0; member < VIEWS_MEMBERS_MAX; member++) {
        views_member *row = &reference->member[member];

        row->lagging = row->lagging && row->news != VIEWS_RESET;
        row->news = VIEWS_NOTHING;
    }
}

static void read_reports(struct run *run, bool between)
{
    qd_room_view_report report;
    bool more = qd_room_next_view(run->room, &report);

    for (uint32_t member = 0; member < VIEWS_MEMBERS_MAX && run->views; member++) {
        views_member *row = &run->views->member[member];
        struct expected expected = {0};
        bool is_its = more && report.member == member;

        bool is_present = run->reference->members[member].present;

        REQUIRE(run, !is_its || (is_present && !row->lost));
        if (!is_present || row->lost) {
            continue;
        }
        expect(run->views, member, between, &expected);
        if (is_its) {
            row->news = report.reset ? VIEWS_RESET : VIEWS_EVENTS;
            mix_report(run, &report);
            check_report(run, &report, &expected);
            fold_report(run, &report);
            more = qd_room_next_view(run->room, &report);
        } else {
            REQUIRE(run, is_silent(&expected));
        }
        expected_free(&expected);
        /* Between ticks others may wait for a reset. */
        if (!between || is_its) {
            check_folded(run, member);
        }
    }
    REQUIRE(run, !run->views || !more);
    while (more) {
        mix_report(run, &report);
        more = qd_room_next_view(run->room, &report);
    }
}

void views_do_tick(struct run *run, rng_stream *rng)
{
    uint32_t skipped = rng_one_in(rng, 6) ? rng_below(rng, 4) : 0;

    if (run->views) {
        begin_round(run->views, run->tick);
    }
    qd_room_tick(run->room, run->executor, skipped);
    run->tick += 1 + skipped;
    met->ticks++;
    if (run->views) {
        views_tick(run->views, skipped);
    }
    read_reports(run, false);
    if (run->views) {
        check_view_stats(run);
    }
    views_check_why(run, rng);
}

void views_do_catch_up(struct run *run)
{
    qd_room_view_catch_up(run->room);
    if (run->views && run->views->watchers_due) {
        begin_round(run->views, run->tick);
        read_reports(run, true);
        return;
    }
    qd_room_view_report report;
    bool any = qd_room_next_view(run->room, &report);
    REQUIRE(run, !run->views || !any);
    for (; any; any = qd_room_next_view(run->room, &report)) {
        mix_report(run, &report);
    }
}

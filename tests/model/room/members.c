/* SPDX-License-Identifier: Apache-2.0 */
#include "run.h"

void do_join(struct run *run, uint32_t actor)
{
    uint32_t member;

    if (run->member[actor] != QD_ROOM_OWNED) {
        return;
    }
    qd_status status = qd_room_join(run->room, &member);
    if (run->is_short && status == QD_ERR_NO_MEMORY) {
        met->short_calls++;
        return;
    }
    REQUIRE(run, status == QD_OK && member < REF_MEMBERS_MAX);
    run->member[actor] = member;
    mix_number(run, member);
    if (member < VIEWS_MEMBERS_MAX) {
        run->relays_once[member] = false;
    }
    if (!run->reference) {
        return;
    }
    ref_member *row = &run->reference->members[member];
    REQUIRE(run, !row->present && !ref_holds_anything(run->reference, member));
    *row = (ref_member){.present = true};
    if (run->views) {
        REQUIRE(run, member < VIEWS_MEMBERS_MAX && !views_holds_anything(run->views, member));
        run->view_folds[member].count = run->watcher_folds[member].count = 0;
    }
}

void do_leave(struct run *run, uint32_t actor)
{
    uint32_t member = run->member[actor];

    qd_room_leave(run->room, member, run->now_ns);
    run->left = member;
    run->member[actor] = QD_ROOM_OWNED;
    forget_rosters(run, actor);
    if (run->reference) {
        run->reference->members[member] =
            (ref_member){.gone = true, .expire_ns = run->now_ns + run->reference->config.grace_ns};
    }
    if (run->views) {
        views_leave_room(run->views, member);
    }
}

void do_expire(struct run *run, rng_stream *rng)
{
    uint64_t due_ns = qd_room_due_ns(run->room);

    /* Now and then to the very moment, else some way on. */
    if (due_ns != QD_NEVER && due_ns > run->now_ns && rng_one_in(rng, 2)) {
        run->now_ns = due_ns - rng_below(rng, 2);
    } else {
        run->now_ns += rng_below(rng, 500);
    }
    qd_room_expire(run->room, run->now_ns);
    if (run->reference) {
        ref_expire(run->reference, run->now_ns);
    }
    mix_number(run, qd_room_due_ns(run->room));
    REQUIRE(run, qd_room_due_ns(run->room) > run->now_ns);
}

/* ---- owners ---- */

void renew_views(struct run *run, uint32_t from, uint32_t to, uint32_t handed_over)
{
    if (run->views && handed_over > 0) {
        views_renew_own(run->views, from);
        views_renew_own(run->views, to);
    }
}

static int by_value(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

    return (left > right) - (left < right);
}

/* Whether all these, which ascend, are that member's. */
static bool are_of(const ref_room *reference, uint32_t owner, const uint32_t *id, uint32_t count)
{
    uint32_t found = 0;

    for (uint32_t i = 0; i < reference->now.count; i++) {
        const ref_entity *entity = &reference->now.all[i];

        found += entity->owner == owner && bsearch(&entity->id, id, count, sizeof *id, by_value) != NULL;
    }
    return found == count;
}

void do_adopt(struct run *run, uint32_t from, uint32_t member)
{
    if (from == QD_ROOM_OWNED || from == member || from >= qd_room_member_end(run->room)) {
        return;
    }
    uint32_t holds = qd_room_owned_count(run->room, from);
    uint32_t *given = calloc(holds + 1, sizeof *given);
    uint32_t count = qd_room_adopt(run->room, from, member, given);
    REQUIRE(run, count == holds);
    qsort(given, count, sizeof *given, by_value);
    mix(run, given, count * sizeof *given);
    if (run->reference) {
        REQUIRE(run, are_of(run->reference, from, given, count));
        REQUIRE(run, count == ref_adopt(run->reference, from, member));
    }
    free(given);
    renew_views(run, from, member, count);
    met->adopted += count;
}

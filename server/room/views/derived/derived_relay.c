/* SPDX-License-Identifier: Apache-2.0 */
#include "derived_relay.h"

#include "../join/join_shown.h"
#include "derived_once.h"
#include "kept.h"

size_t qd_derived_relayed(const qd_views *views)
{
    return views->join && !views->suspended ? views->join->relayed : 0;
}

void qd_derived_relay_end(qd_views *views)
{
    if (views->join) {
        views->join->relayed = 0;
    }
}

void qd_derived_relay_count(const qd_views *views, uint32_t *rows)
{
    const qd_join *join = views->join;

    for (uint32_t i = 0; i < join->bodies.count; i++) {
        const qd_join_body *body = &join->plan.bodies[i];

        if (body->is_derived) {
            rows[join->derived[body->region / QD_REGION_BODIES].rank] += body->relayed;
        }
    }
}

/* ---- bytes ---- */

static qd_view_member *member_of(const qd_views *views, uint32_t row)
{
    return &views->members[views->observers[row].member];
}

static bool any_limited(const qd_views *views)
{
    bool any = false;

    for (uint32_t member = 0; member < views->member_count && views->join; member++) {
        any |= views->members[member].options.bytes_max > 0;
    }
    return any;
}

static void count_bodies(const qd_views *views)
{
    const qd_join *join = views->join;

    for (uint32_t i = 0; i < join->bodies.count; i++) {
        const qd_join_body *body = &join->plan.bodies[i];
        qd_view_member *member = member_of(views, body->region / QD_REGION_BODIES);

        member->derived += body->is_derived;
        member->relaying += body->relayed;
    }
}

#define ENTER_BYTES_MAX (QD_VIEW_ENTER_BYTES + QD_VIEW_PAYLOAD_MAX)

static void count_changes(const qd_views *views, const qd_crossings *crossings)
{
    for (size_t i = 0; i < crossings->change_count; i++) {
        const qd_crossing change = crossings->changes[i];

        member_of(views, qd_use_index(change.use))->due +=
            change.begins ? qd_view_enter_bytes(views, change.slot) : QD_VIEW_LEAVE_BYTES;
    }
    for (size_t i = 0; i < crossings->count; i++) {
        const qd_crossing crossing = crossings->all[i];

        member_of(views, qd_use_index(crossing.use))->due += crossing.begins ? ENTER_BYTES_MAX : 0;
    }
}

/* The most that may change in a view with entries, beside what comes near it at this tick. */
static uint64_t most_due(const qd_observer *observer)
{
    return observer->is_derived ? 0
                                : (uint64_t)observer->seen * QD_VIEW_LEAVE_BYTES +
                                      (uint64_t)(observer->entries.count + observer->show_count) * ENTER_BYTES_MAX;
}

static void count_entries(const qd_views *views, qd_view_member *member)
{
    if (member->derived == 0 || member->derived == member->observers) {
        return;
    }
    for (uint32_t row = member->first; row != QD_NONE; row = views->observers[row].of_member.next) {
        member->due += most_due(&views->observers[row]);
    }
}

/* The views of observers that have gone end at this tick. */
static void count_gone(const qd_views *views)
{
    for (uint32_t row = 0; row < views->count && views->gone > 0; row++) {
        if (views->attention[row] & QD_ATTEND_GONE) {
            member_of(views, row)->due += (uint64_t)views->observers[row].seen * QD_VIEW_LEAVE_BYTES;
        }
    }
}

/* A member's derived views get entries instead, because entities may have to wait for their entry. */
static bool is_refused(const qd_view_member *member)
{
    return member->options.bytes_max > 0 && member->derived > 0 && member->due > member->options.bytes_max;
}

static void refuse(qd_views *views, qd_view_member *member)
{
    member->tight = QD_VIEW_TIGHT_TICKS;
    member->relaying = 0;
    if (member->joint != 0) {
        qd_once_drop(views, member->joint);
    }
}

static void refuse_body(qd_views *views, qd_join_body *body)
{
    const uint32_t row = body->region / QD_REGION_BODIES;

    views->join->relayed -= body->relayed;
    body->relayed = 0;
    if (views->observers[row].is_derived && !views->no_memory) {
        qd_derived_refuse(views, row);
    }
}

void qd_derived_spend(qd_views *views, const qd_crossings *crossings)
{
    bool any = false;

    if (!views->uses_join || !any_limited(views)) {
        return;
    }
    for (uint32_t member = 0; member < views->member_count; member++) {
        views->members[member].derived = 0;
        views->members[member].due = 0;
    }
    count_bodies(views);
    count_changes(views, crossings);
    count_gone(views);
    for (uint32_t member = 0; member < views->member_count; member++) {
        count_entries(views, &views->members[member]);
        if (is_refused(&views->members[member])) {
            refuse(views, &views->members[member]);
            any = true;
        }
    }
    for (uint32_t i = 0; i < views->join->bodies.count && any; i++) {
        qd_join_body *body = &views->join->plan.bodies[i];

        if (member_of(views, body->region / QD_REGION_BODIES)->tight == QD_VIEW_TIGHT_TICKS) {
            refuse_body(views, body);
        }
    }
}

static uint32_t relayed_by(const qd_views *views, uint32_t row)
{
    return views->join->plan.bodies[views->join->derived[row].body].relayed;
}

void qd_derived_relay_share(qd_views *views, uint32_t row, qd_relay_share *share)
{
    const uint32_t relayed = relayed_by(views, row);

    if (qd_relay_share_has_all(share) && relayed <= share->most) {
        share->relayed = relayed;
    } else if (relayed > 0) {
        views->join->relayed -= qd_kept_hold(views, row, share);
    }
}

void qd_derived_relay_hold(qd_views *views, uint32_t row)
{
    if (relayed_by(views, row) > 0) {
        views->join->relayed -= qd_kept_hold_all(views, row);
    }
}

/* ---- rows ---- */

struct filling {
    const qd_views *views;
    const qd_join_rows *to;
    const uint32_t *first; /* by rank of the observer */
};

/* What of a body is relayed, as masks of the body or in memory of the block. */
static const uint16_t *relayed_of(qd_join_block *block, const qd_join_body *body, const uint16_t *is)
{
    const uint16_t *did = is + block->stride;
    const bool all_moved = block->grid->all_moved;
    uint16_t *masks = block->some[0];

    if (body->relay >= QD_RELAY_TURNS) {
        return is + QD_JOIN_RELAYED * (size_t)block->stride;
    }
    if (!all_moved && !block->has_moved) {
        qd_join_block_moved(block);
    }
    for (uint32_t word = 0; word < block->words; word++) {
        masks[word] = (uint16_t)(is[word] & did[word] & (all_moved ? UINT16_MAX : block->moved[word]));
    }
    return masks;
}

#define AHEAD        8u
#define ROWS_OF_LINE 16u

static uint32_t rank_of(const qd_join *join, uint32_t body)
{
    return join->derived[join->plan.bodies[body].region / QD_REGION_BODIES].rank;
}

/* They are anywhere in memory, and the first write to each line would wait for it. */
static void prefetch_rows(const qd_join_rows *to, uint32_t first, uint32_t count)
{
    for (uint32_t row = first; row < first + count; row += ROWS_OF_LINE) {
        __builtin_prefetch(&to->observer[row], 1);
        __builtin_prefetch(&to->id[row], 1);
        for (unsigned k = 0; k < 3 && to->at[k]; k++) {
            __builtin_prefetch(&to->at[k][row], 1);
        }
    }
}

/* What is looked up of a body is anywhere in memory: its rank, what depends on that, and its rows. */
static void prefetch_bodies(const struct filling *filling, uint32_t i)
{
    const qd_join *join = filling->views->join;
    const qd_join_body *bodies = join->plan.bodies;
    const uint32_t near = i + AHEAD / 2;

    if (i + 2 * AHEAD < join->bodies.count) {
        __builtin_prefetch(&join->derived[bodies[i + 2 * AHEAD].region / QD_REGION_BODIES]);
    }
    if (i + AHEAD < join->bodies.count) {
        const uint32_t rank = rank_of(join, i + AHEAD);

        __builtin_prefetch(&filling->first[rank]);
        __builtin_prefetch(&filling->views->order[rank]);
    }
    /* The rank of a body without relays may be that of another tick. */
    if (near < join->bodies.count && bodies[near].relayed > 0 && !QD_WITHOUT(RELAY_FETCH)) {
        prefetch_rows(filling->to, filling->first[rank_of(join, near)], bodies[near].relayed);
    }
}

static void fill_body(const struct filling *filling, qd_join_block *block, uint32_t i, uint32_t *id)
{
    const qd_views *views = filling->views;
    const qd_join *join = views->join;
    const qd_join_body *body = &join->plan.bodies[i];
    const uint16_t *is = qd_join_masks_of(join, block->group, i);
    const uint32_t rank = rank_of(join, i), first = filling->first[rank];
    const qd_join_rows *all = filling->to;

    float *const *at = block->points.at.now;
    const qd_join_rows from = {.id = id, .at = {at[0], at[1], at[2]}};
    qd_join_rows to = {.observer = all->observer + first, .id = all->id + first};

    for (unsigned k = 0; k < 3 && all->at[k]; k++) {
        to.at[k] = all->at[k] + first;
    }
    qd_join_shown_take(join, block, body);
    for (uint32_t shown = 0; shown < block->shown_count; shown++) {
        id[block->shown_at + shown] = block->shown[shown] != QD_NONE ? views->entities->id[block->shown[shown]] : 0;
    }
    join->kernel->pack(&from, relayed_of(block, body, is), block->words, (uint32_t)views->order[rank], &to,
                       body->relayed);
}

/* The ids of the points of a group, in memory of the block. */
static uint32_t *note_ids(const struct filling *filling, qd_join_block *block)
{
    uint32_t *id = block->scratch;

    if (!block->has_slots) {
        qd_join_block_slots(block);
    }
    for (uint32_t i = 0; i < block->shown_at; i++) {
        id[i] = filling->views->entities->id[block->points.slot[i]];
    }
    return id;
}

static void fill_part(size_t task, void *argument)
{
    const struct filling *filling = argument;
    const qd_join_plan *plan = &filling->views->join->plan;
    qd_join_block block = qd_join_block_of(filling->views, task);

    for (uint32_t g = plan->parts[task].first; g < plan->parts[task].end; g++) {
        const qd_join_group *group = &plan->groups[g];
        uint32_t *id = NULL;

        for (uint32_t i = group->first; i < group->first + group->count; i++) {
            prefetch_bodies(filling, i);
            if (!plan->bodies[i].is_derived || plan->bodies[i].relayed == 0) {
                continue;
            }
            if (!id) {
                qd_join_block_fill(&block, filling->views->join->kernel, group);
                id = note_ids(filling, &block);
            }
            fill_body(filling, &block, i, id);
        }
    }
}

void qd_derived_relay_fill(const qd_views *views, const qd_executor *executor, const qd_join_rows *to,
                           const uint32_t *first)
{
    struct filling filling = {views, to, first};

    if (first) {
        executor->run(executor->context, views->join->plan.part_count, fill_part, &filling);
    }
}

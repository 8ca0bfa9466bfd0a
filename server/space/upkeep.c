/* SPDX-License-Identifier: Apache-2.0 */
#include "upkeep.h"

#include "plan/rebuild.h"

#define LOOK_TICKS  16u
#define BLOCKS_KEPT 4u /* times as many as hold rows have memory, at most */
#define BLOCKS_FEW  4u

/* ---- the index ---- */

qd_index *qd_upkeep_create_index(qd_space_index kind, const qd_index *as)
{
    static const qd_index_ops *const ops[] = {
        [QD_SPACE_QUADTREE] = &qd_linear_ops, [QD_SPACE_OCTREE] = &qd_linear_ops, [QD_SPACE_SPARSE] = &qd_sparse_ops,
        [QD_SPACE_HASH] = &qd_hash_ops,       [QD_SPACE_GRID] = &qd_grid_ops,     [QD_SPACE_BRUTE] = &qd_brute_ops,
    };

    return qd_index_create(ops[kind], as);
}

/* The cells that an index has pruned, before it goes. */
static uint64_t pruned_by(const qd_index *index)
{
    qd_space_counters counters = {0};

    index->ops->count(index, &counters);
    return counters.cells_pruned;
}

/* Registers every row of an old index with another one, and destroys the old one. False: there is no memory; the old one
 * is as it was, and the other one is destroyed. */
static bool move_rows(qd_index *old, qd_index *index, const qd_executor *executor)
{
    qd_rows old_rows = *old->rows;
    const qd_scan all = qd_scan_start(&old_rows, old->cell, old->cells);

    if (!index->ops->reserve(index) || !qd_rebuild_index(index, &old_rows, all, executor)) {
        qd_index_destroy(index);
        return false;
    }
    qd_index_destroy(old);
    qd_index_settle(index, executor);
    return true;
}

/* Where there is no memory for another index, this one stays. */
static void change_index(space_nd *s, qd_space_index kind, const qd_executor *executor)
{
    qd_index *old = s->index;

    if (kind == old->ops->kind || old->retry.wait > 0) {
        return;
    }
    const uint64_t pruned = pruned_by(old);
    qd_index *other = qd_upkeep_create_index(kind, old);
    if (other == NULL || !move_rows(old, other, executor)) {
        qd_retry_note(&old->retry, true);
        return;
    }
    s->index = other;
    s->counters.index_changes++;
    s->counters.cells_pruned += pruned;
}

void qd_upkeep_prepare(space_nd *s, const qd_executor *executor)
{
    qd_index_prepare(s->index, executor);
    if (s->config.index == QD_SPACE_AUTO) {
        change_index(s, qd_auto_fit(&s->choice, s->index->ops->kind, s->rows.count), executor);
    }
}

bool qd_upkeep_leave_index(space_nd *s, const qd_executor *executor)
{
    if (s->config.index != QD_SPACE_AUTO || !s->without_hits) {
        return false;
    }
    s->without_hits = false;
    change_index(s, qd_auto_without_hits(&s->choice), executor);
    return true;
}

void qd_upkeep_choose_index(space_nd *s, const qd_executor *executor)
{
    const uint64_t before = s->counted.operations;

    s->counted.operations = s->rows.operations;
    if (qd_upkeep_leave_index(s, executor) || s->config.index != QD_SPACE_AUTO || !s->is_counted) {
        return;
    }
    qd_auto_tick tick = s->counted;
    tick.operations -= before;
    change_index(s, qd_auto_next(&s->choice, s->index->ops->kind, &tick), executor);
}

/* ---- memory ---- */

/* No body is left, and none has to be forgotten: everything is as in a new space. */
static void start_over(space_nd *s)
{
    const qd_tuning tuning = s->index->tuning;
    const uint64_t operations = s->rows.operations;
    qd_space_index kind = s->index->ops->kind;

    if (s->config.index == QD_SPACE_AUTO) {
        qd_auto_init(&s->choice, tuning.leaf_rows, s->config.depth);
        kind = qd_auto_first(&s->choice);
    }
    qd_index *index = qd_upkeep_create_index(kind, s->index);
    if (index == NULL) {
        return;
    }
    s->counters.cells_pruned += pruned_by(s->index);
    s->counters.index_changes += kind != s->index->ops->kind;
    qd_index_destroy(s->index);
    s->index = index;
    qd_rows_deinit(&s->rows);
    qd_rows_init(&s->rows, s->heap);
    s->rows.operations = operations;
    qd_bodies_deinit(&s->bodies);
    qd_bodies_init(&s->bodies, s->heap);
    qd_pending_deinit(&s->pending);
    qd_pending_init(&s->pending, s->heap);
    qd_traversal_deinit(&s->traversal);
    qd_traversal_init(&s->traversal, s->heap);
}

static void trim(space_nd *s)
{
    if (s->bodies.count > 0) {
        qd_bodies_trim(&s->bodies);
        qd_pending_trim(&s->pending, &s->bodies);
        qd_traversal_trim(&s->traversal, s->rows.count);
    } else if (s->bodies.capacity > 0) {
        start_over(s);
    }
}

static void compact(space_nd *s)
{
    const uint32_t used = s->rows.used - s->rows.free_count;

    if (s->rows.capacity > BLOCKS_KEPT * (used + BLOCKS_FEW)) {
        qd_rows_compact(&s->rows, s->index->cell, s->index->cells, &s->bodies);
    }
}

void qd_upkeep_trim(space_nd *s)
{
    s->ticks = (s->ticks + 1) % LOOK_TICKS;
    if (s->ticks == 0) {
        trim(s);
    }
}

void qd_upkeep_compact(space_nd *s)
{
    if (s->ticks == 0) {
        compact(s);
    }
}

/* Marks of what changed since the last tick are by block, and stay where they are. */
void qd_upkeep_trim_now(space_nd *s)
{
    trim(s);
    if (s->rows.changed_count == 0) {
        compact(s);
    }
}

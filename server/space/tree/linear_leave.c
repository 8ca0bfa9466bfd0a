/* SPDX-License-Identifier: Apache-2.0
 *
 * Those that leave their cells, side by side. A part of the tree is a child of the root with all below it. Who leaves a
 * cell of a part for another one touches its lists and its blocks of rows, and nothing of another part; so each part is
 * a task, in the order of slots, with some free blocks and counts of its own. The flags of cells say no more than they
 * did: a part that somebody leaves a cell of is marked as occupied, up to the root. One after the other go those who
 * leave a part, or lie above all, and the few that need more than a place in another list.
 */
#include "../core/pending_moves.h"
#include "linear_move.h"

/* Of so many blocks each part gets a free one: its lists grow about as often as others shrink. */
#define BLOCKS_A_FREE 1024u

/* The tree as a part sees it. */
typedef struct piece {
    _Alignas(64) qd_quadtree tree;
    qd_rows rows;
    qd_registry registry;
    bool is_full; /* some could not go for want of another block */
} piece;

typedef struct parting {
    qd_stage *stage;
    piece part[QD_PARTS];
} parting;

/* The part that a place lies in. */
static inline uint32_t part_of(uint32_t depth, uint32_t place)
{
    const uint32_t level = depth - qd_place_height(place);
    uint32_t part = 0;

    if (level == 0) {
        return QD_PARTS;
    }
    for (uint32_t k = 0; k < QD_AXES; k++) {
        part = part << 1 | qd_place_number(place, k) >> (level - 1);
    }
    return part;
}

void qd_quadtree_part(const qd_index *index, uint32_t count, const qd_leaver *leavers, uint8_t *parts)
{
    const uint32_t depth = ((const qd_quadtree *)index)->depth;

    for (uint32_t i = 0; i < count; i++) {
        const uint32_t from = part_of(depth, index->bodies->record[leavers[i].slot].place);
        const uint32_t to = part_of(depth, qd_leaver_place(&leavers[i]));

        parts[i] = (uint8_t)(from == to && qd_leaver_how(&leavers[i]) == QD_LEAVE_WHOLE ? from : QD_PARTS);
    }
}

static void begin(piece *p, qd_quadtree *tree)
{
    p->tree = *tree;
    p->tree.index.rows = &p->rows;
    p->tree.index.registry = &p->registry;
    p->tree.crowding = 0;
    p->registry = (qd_registry){.index = &p->tree.index};
    qd_rows_part(tree->index.rows, tree->index.rows->used / BLOCKS_A_FREE + 1, &p->rows);
    p->is_full = false;
}

static void end(const piece *p, qd_quadtree *tree)
{
    tree->crowding += p->tree.crowding;
    qd_rows_join(tree->index.rows, &p->rows);
}

static void leave_part(size_t task, void *argument)
{
    parting *all = argument;
    piece *p = &all->part[task];
    qd_index *index = &p->tree.index;
    qd_leaver leavers[QD_LEAVERS_AT_ONCE];
    uint32_t word = 0, count;

    while ((count = qd_stage_leavers(all->stage, index->bodies, (uint32_t)task, &word, leavers)) > 0) {
        qd_quadtree_leave_fetch(index, leavers, count);
        for (uint32_t i = 0; i < count; i++) {
            if (i + QD_LEAVE_AHEAD < count) {
                qd_quadtree_leave_fetch_lists(index, &leavers[i + QD_LEAVE_AHEAD]);
            }
            if (!qd_rows_has_room(&p->rows, &index->cell[leavers[i].cell])) {
                qd_stage_leave(all->stage, (uint32_t)task, leavers + i, count - i);
                p->is_full = true;
                return;
            }
            qd_registry_transfer(&p->registry, leavers[i].slot, leavers[i].cell, qd_leaver_place(&leavers[i]), false);
        }
    }
}

/* Those of a part, or of none, one after the other. */
static void leave_rest(qd_index *index, qd_stage *stage, uint32_t part)
{
    qd_leaver leavers[QD_LEAVERS_AT_ONCE];
    uint32_t word = 0, count;

    while ((count = qd_stage_leavers(stage, index->bodies, part, &word, leavers)) > 0) {
        qd_quadtree_leave(index, leavers, count);
    }
}

static void leave_in_parts(qd_quadtree *tree, qd_stage *stage, const qd_executor *executor)
{
    parting all;

    all.stage = stage;
    for (uint32_t i = 0; i < QD_PARTS; i++) {
        begin(&all.part[i], tree);
    }
    executor->run(executor->context, QD_PARTS, leave_part, &all);
    for (uint32_t i = 0; i < QD_PARTS; i++) {
        end(&all.part[i], tree);
    }
    for (uint32_t i = 0; i < QD_PARTS; i++) {
        if (all.part[i].is_full) {
            leave_rest(&tree->index, stage, i);
        }
    }
}

void qd_quadtree_leave_all(qd_index *index, qd_stage *stage, const qd_executor *executor)
{
    if (stage->is_parted) {
        leave_in_parts((qd_quadtree *)index, stage, executor);
    }
    leave_rest(index, stage, QD_PARTS);
}

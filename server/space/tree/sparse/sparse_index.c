/* SPDX-License-Identifier: Apache-2.0 */
#include "sparse.h"

#include "../../../base/ablation.h"
#include "../../../base/memory/array.h"
#include "../../move/move.h"
#include "../root.h"
#include "../tree_search.h"

/* Room for two rows' cells, each alone in its branch: a body that goes far has as many. */
static bool reserve(qd_index *index)
{
    qd_sparse *sparse = (qd_sparse *)index;
    const bool has_room = qd_sparse_cells_reserve(&sparse->cells, 1 + 2 * sparse->depth_max);

    qd_sparse_show_cells(sparse);
    if (has_room && index->cells == 0) {
        qd_sparse_begin(sparse);
    }
    return has_room;
}

static uint32_t loosest(qd_index *index, uint32_t *cell_key)
{
    (void)index;
    return *cell_key = QD_SPARSE_ROOT;
}

static uint32_t locate(qd_index *index, const qd_row *box, uint32_t *cell_key)
{
    return *cell_key = qd_sparse_locate((qd_sparse *)index, box);
}

static void numbers(const qd_index *index, const qd_row *box, uint32_t *at)
{
    const qd_numbers all = qd_key_numbers(&((const qd_sparse *)index)->quantizer, box);

    memcpy(at, all.v, QD_AXES * sizeof *at);
}

/* Above the leaves, and by more than two of the leaves where it begins. A small step is cheaper as one row, even where
 * it crosses a line. */
static bool is_far(const qd_index *index, const qd_row *both, const qd_row *bounds, uint32_t cell_key)
{
    const qd_sparse *sparse = (const qd_sparse *)index;

    if (qd_sparse_is_leaf(sparse, cell_key)) {
        return false;
    }
    const qd_numbers numbers = qd_key_numbers(&sparse->quantizer, both);
    const qd_numbers now = qd_key_numbers(&sparse->quantizer, bounds);
    uint32_t level = sparse->depth_max;
    if (sparse->index.config->depth == 0) {
        uint32_t number = qd_sparse_find(sparse, qd_key_of(numbers.v), level);

        level = qd_key_level(sparse->cells.key[number]);
    }
    bool is_long = false;
    for (uint32_t k = 0; k < QD_AXES; k++) {
        const uint32_t way = numbers.v[QD_ROW_HIGH + k] - numbers.v[k] - (now.v[QD_ROW_HIGH + k] - now.v[k]);

        is_long |= way > 2u << (QD_KEY_BITS - level);
    }
    return is_long;
}

/* Where both its corners are still in its cell, when that is a leaf; or when the body lies astride the middle of a
 * larger one as it did, one step on. */
static bool stays_in(const qd_sparse *sparse, const qd_record *record, const qd_row *bounds, const float *before)
{
    qd_numbers numbers = qd_key_numbers(&sparse->quantizer, bounds);
    uint64_t key = sparse->cells.key[record->cell_key], low = qd_key_of(numbers.v);
    uint32_t level = qd_key_level(key), natural = qd_key_level_of(&numbers);

    if (qd_sparse_is_leaf(sparse, record->cell_key)) {
        return natural >= level && qd_key_above(low, QD_KEY_BITS, level) == key;
    }
    return natural == level && qd_key_above(low, QD_KEY_BITS, level) == key && qd_move_is_step(record, bounds, before);
}

/* Nearly all that move are still in their leaf's room. */
static inline bool stays(const qd_index *index, const qd_record *record, const qd_row *bounds, const float *before)
{
    const qd_sparse *sparse = (const qd_sparse *)index;
    bool is_inside = sparse->cells.has_room;

    if (is_inside) {
        const qd_row *room = &sparse->cells.room[record->cell_key];

        for (uint32_t k = 0; k < QD_AXES; k++) {
            is_inside &= (bounds->v[k] >= room->v[k]) & (bounds->v[QD_ROW_HIGH + k] <= room->v[QD_ROW_HIGH + k]);
        }
    }
    return QD_LIKELY(is_inside) || stays_in(sparse, record, bounds, before);
}

static size_t move(qd_index *index, size_t count, const uint32_t *slots, const float *const *at, qd_movers *movers)
{
    return qd_move_each(index, 0, count, slots, at, movers, stays);
}

static void emptied(qd_index *index, uint32_t cell)
{
    qd_sparse_prune_emptied((qd_sparse *)index, cell);
}

static void entered(qd_index *index, uint32_t cell)
{
    qd_sparse_entered((qd_sparse *)index, cell);
}

static void prepare(qd_index *index, const qd_executor *executor)
{
    (void)executor;
    qd_sparse_divide((qd_sparse *)index);
}

static void settle(qd_index *index, const qd_executor *executor)
{
    qd_sparse *sparse = (qd_sparse *)index;

    if (index->cells > 0) {
        qd_sparse_divide(sparse);
        qd_sparse_prune(sparse);
        qd_sparse_merge(sparse);
        qd_sparse_reroot(sparse, executor);
    }
}

static void count(const qd_index *index, qd_space_counters *counters)
{
    const qd_sparse *sparse = (const qd_sparse *)index;

    counters->cells = sparse->cells.capacity;
    counters->cells_pruned += sparse->pruned;
    counters->depth = index->config->depth;
    if (counters->depth == 0) {
        for (uint32_t level = 0; level <= QD_SPARSE_DEPTH_MAX; level++) {
            counters->depth = sparse->cells.level_count[level] > 0 ? level : counters->depth;
        }
    }
}

static bool begin(qd_index *index)
{
    qd_sparse *sparse = (qd_sparse *)index;

    qd_sparse_cells_init(&sparse->cells, index->heap, index->config->depth == 0 && !QD_WITHOUT(SPARSE_ROOM),
                         index->config->key);
    sparse->bounds = qd_index_bounds(index);
    sparse->depth_max = index->config->depth > 0 ? index->config->depth : QD_SPARSE_DEPTH_MAX;
    sparse->leaf_from = index->config->depth;
    const qd_root root = qd_root_of(&sparse->bounds);
    sparse->quantizer = qd_root_quantizer(&root, QD_KEY_BITS);
    return true;
}

static void end(qd_index *index)
{
    qd_sparse *sparse = (qd_sparse *)index;

    qd_sparse_cells_deinit(&sparse->cells);
    qd_sparse_list_free(sparse, &sparse->crowded);
    qd_sparse_list_free(sparse, &sparse->candidates);
    qd_array_free(index->heap, sparse->task, sparse->task_capacity * sizeof *sparse->task);
}

/* The cells below one, the most promising last, which is the next to be visited. */
static inline uint32_t push_below(const qd_index *index, const qd_search *search, qd_search_stop from,
                                  qd_search_stop *stops, uint32_t count)
{
    const qd_sparse *sparse = (const qd_sparse *)index;
    const uint32_t first = count;
    const qd_sparse_link *link = sparse->cells.link;

    for (uint32_t child = link[from.cell].first; child != QD_NONE; child = link[child].next) {
        qd_extent extent = qd_sparse_extent(sparse, sparse->cells.key[child]);

        count = qd_search_push(search, &extent, (qd_search_stop){.cell = child}, stops, first, count);
    }
    return count;
}

static qd_status search(const qd_index *index, qd_search *wanted)
{
    return qd_tree_search(index, wanted, push_below);
}

const qd_index_ops qd_sparse_ops = {
    .kind = QD_SPACE_SPARSE,
    .bytes = sizeof(qd_sparse),
    .begin = begin,
    .end = end,
    .reserve = reserve,
    .locate = locate,
    .loosest = loosest,
    .numbers = numbers,
    .is_far = is_far,
    .move = move,
    .entered = entered,
    .emptied = emptied,
    .prepare = prepare,
    .traverse_begin = qd_sparse_traverse_begin,
    .traverse = qd_sparse_traverse,
    .traverse_end = qd_sparse_traverse_end,
    .settle = settle,
    .search = search,
    .count = count,
    .holds = qd_sparse_holds,
    .validate = qd_sparse_validate,
};

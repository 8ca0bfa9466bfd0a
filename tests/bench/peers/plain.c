/* SPDX-License-Identifier: Apache-2.0
 *
 * The two simplest methods, in C: a uniform grid by counting sort, and all against all.
 *
 * GRID. Each entity is in the cell of its lower corner. Cells are at least as large as the largest box, so overlapping
 * boxes are in the same cell or in adjacent ones. Boxes are copied in the order of cells, so an entity's candidates are
 * two ranges of memory: the rest of its own row, and three cells of the next row. In three dimensions, the next layer
 * adds three ranges.
 */
#include "peer.h"

typedef struct grid_entry {
    scene_box box;
    uint32_t id;
} grid_entry;

#define GRID_AHEAD (SCENE_AXES == 2 ? 1 : 4)

typedef struct grid {
    uint32_t columns; /* with an empty one at each end; rows and layers too */
    uint32_t cells;
    uint32_t ahead[GRID_AHEAD]; /* the distances to the other ranges of three cells */
    float per_cell;             /* cells per unit of length */
    uint32_t *start;            /* of each cell in entries, and one more */
    uint32_t *cell;             /* of each entity */
    grid_entry *entry;
} grid;

static const float grid_cells[] = {1, 1.5f, 2, 3};

static void *grid_create(const peer *self, const scene *s, uint32_t setting, char note[64])
{
    (void)self;
    grid *g = scene_memory(sizeof *g);
    /* Slightly larger than the largest box, since cell numbers are rounded. */
    float cell = s->size_max * grid_cells[setting] * 1.001f;

    g->per_cell = 1 / cell;
    g->columns = (uint32_t)(s->side * g->per_cell) + 3;
    g->cells = g->columns * g->columns * (SCENE_AXES == 2 ? 1 : g->columns);
    for (uint32_t i = 0, layer = g->columns * g->columns; i < GRID_AHEAD; i++) {
        g->ahead[i] = i == 0 ? g->columns : layer + (i - 2) * g->columns;
    }
    g->start = scene_memory(((size_t)g->cells + 1) * sizeof *g->start);
    g->cell = scene_memory(s->count * sizeof *g->cell);
    g->entry = scene_memory(s->count * sizeof *g->entry);
    snprintf(note, 64, "cell %g", (double)cell);
    return g;
}

static void grid_sort(grid *g, const scene *s)
{
    uint32_t sum = 0;

    memset(g->start, 0, ((size_t)g->cells + 1) * sizeof *g->start);
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t cell = 0;

        for (int k = SCENE_AXES; k-- > 0;) {
            cell = cell * g->columns + (uint32_t)(s->box[i].lo[k] * g->per_cell) + 1;
        }
        g->cell[i] = cell;
        g->start[cell]++;
    }
    for (uint32_t c = 0; c <= g->cells; c++) {
        sum += g->start[c];
        g->start[c] = sum;
    }
    for (uint32_t i = s->count; i-- > 0;) {
        grid_entry *entry = &g->entry[--g->start[g->cell[i]]];

        entry->box = s->box[i];
        entry->id = i;
    }
}

static void grid_meet(const grid *g, uint32_t own, uint32_t from, uint32_t to, peer_pairs *found)
{
    scene_box box = g->entry[own].box;

    for (uint32_t other = from; other < to; other++) {
        if (scene_overlap(&box, &g->entry[other].box)) {
            peer_pairs_add(found, g->entry[own].id, g->entry[other].id);
        }
    }
}

/* Cells at the edges are empty, including the first and the last. */
static void grid_tick(void *state, const scene *s, peer_pairs *found)
{
    grid *g = state;

    grid_sort(g, s);
    for (uint32_t cell = 0; cell < g->cells - g->ahead[GRID_AHEAD - 1]; cell++) {
        for (uint32_t own = g->start[cell]; own < g->start[cell + 1]; own++) {
            grid_meet(g, own, own + 1, g->start[cell + 2], found);
            for (uint32_t i = 0; i < GRID_AHEAD; i++) {
                const uint32_t *ahead = &g->start[cell + g->ahead[i]];

                grid_meet(g, own, ahead[-1], ahead[2], found);
            }
        }
    }
}

static void grid_destroy(void *state)
{
    grid *g = state;

    free(g->start);
    free(g->cell);
    free(g->entry);
    free(g);
}

/* BRUTE FORCE. Columns and groups of 64, so that the compiler can compare many at once. */
#define BRUTE_GROUP 64u

typedef struct brute {
    float *lo[SCENE_AXES], *hi[SCENE_AXES];
} brute;

static void *brute_create(const peer *self, const scene *s, uint32_t setting, char note[64])
{
    (void)self, (void)setting, (void)note;
    brute *b = scene_memory(sizeof *b);
    size_t column = (s->count + BRUTE_GROUP) * sizeof(float);

    for (uint32_t k = 0; k < SCENE_AXES; k++) {
        b->lo[k] = scene_memory(column);
        b->hi[k] = scene_memory(column);
        for (uint32_t i = 0; i < BRUTE_GROUP; i++) {
            b->lo[k][s->count + i] = INFINITY;
            b->hi[k][s->count + i] = -INFINITY;
        }
    }
    return b;
}

static void brute_group(const brute *b, const scene_box *own_box, uint32_t own, uint32_t from, peer_pairs *found)
{
    const float *lo_x = b->lo[0] + from, *hi_x = b->hi[0] + from, *lo_y = b->lo[1] + from, *hi_y = b->hi[1] + from;
#if SCENE_AXES == 3
    const float *lo_z = b->lo[2] + from, *hi_z = b->hi[2] + from;
#endif
    scene_box box = *own_box;
    int32_t hit[BRUTE_GROUP], any = 0;

    for (uint32_t i = 0; i < BRUTE_GROUP; i++) {
        hit[i] = (box.lo[0] <= hi_x[i]) & (lo_x[i] <= box.hi[0]) & (box.lo[1] <= hi_y[i]) & (lo_y[i] <= box.hi[1]);
#if SCENE_AXES == 3
        hit[i] &= (box.lo[2] <= hi_z[i]) & (lo_z[i] <= box.hi[2]);
#endif
        any |= hit[i];
    }
    for (uint32_t i = 0; any && i < BRUTE_GROUP; i++) {
        if (hit[i]) {
            peer_pairs_add(found, own, from + i);
        }
    }
}

static void brute_tick(void *state, const scene *s, peer_pairs *found)
{
    brute *b = state;

    for (uint32_t i = 0; i < s->count; i++) {
        for (uint32_t k = 0; k < SCENE_AXES; k++) {
            b->lo[k][i] = s->box[i].lo[k];
            b->hi[k][i] = s->box[i].hi[k];
        }
    }
    for (uint32_t own = 0; own < s->count; own++) {
        for (uint32_t from = own + 1; from < s->count; from += BRUTE_GROUP) {
            brute_group(b, &s->box[own], own, from, found);
        }
    }
}

static void brute_destroy(void *state)
{
    brute *b = state;

    for (uint32_t k = 0; k < SCENE_AXES; k++) {
        free(b->lo[k]);
        free(b->hi[k]);
    }
    free(b);
}

int main(int count, char **arguments)
{
    static const peer peers[] = {
        {.name = "plain grid",
         .version = "gcc " __VERSION__,
         .settings = sizeof grid_cells / sizeof *grid_cells,
         .create = grid_create,
         .tick = grid_tick,
         .destroy = grid_destroy},
        {.name = "brute force",
         .version = "gcc " __VERSION__,
         .count_max = 10000,
         .create = brute_create,
         .tick = brute_tick,
         .destroy = brute_destroy},
    };

    return peer_main(peers, sizeof peers / sizeof *peers, count, arguments);
}

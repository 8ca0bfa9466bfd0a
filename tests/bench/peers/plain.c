/* SPDX-License-Identifier: Apache-2.0
 *
 * What anyone would write first, in C: a uniform grid by counting sort, and all against all.
 *
 * GRID. Each entity counts in the cell of its lower corner; cells are at least as large as the largest box, so that
 * what overlaps lies in the same cell or in one beside it. Boxes are copied in the order of cells: then the cells that
 * an entity has to meet are two stretches of memory, the rest of its own row and three cells of the next one.
 */
#include "peer.h"

typedef struct grid_entry {
    scene_box box;
    uint32_t id;
} grid_entry;

typedef struct grid {
    uint32_t columns; /* with an empty one at either side, and so are rows */
    float per_cell;   /* cells a unit of length */
    uint32_t *start;  /* of each cell in entries, and one more */
    uint32_t *cell;   /* of each entity */
    grid_entry *entry;
} grid;

static const float grid_cells[] = {1, 1.5f, 2, 3};

static void *grid_create(const peer *self, const scene *s, uint32_t setting, char note[64])
{
    (void)self;
    grid *g = scene_memory(sizeof *g);
    /* A hair larger than the largest box, for what rounding does to cell numbers. */
    float cell = s->size_max * grid_cells[setting] * 1.001f;

    g->per_cell = 1 / cell;
    g->columns = (uint32_t)(s->side * g->per_cell) + 3;
    g->start = scene_memory(((size_t)g->columns * g->columns + 1) * sizeof *g->start);
    g->cell = scene_memory(s->count * sizeof *g->cell);
    g->entry = scene_memory(s->count * sizeof *g->entry);
    snprintf(note, 64, "cell %g", (double)cell);
    return g;
}

static void grid_sort(grid *g, const scene *s)
{
    size_t cells = (size_t)g->columns * g->columns;
    uint32_t sum = 0;

    memset(g->start, 0, (cells + 1) * sizeof *g->start);
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t column = (uint32_t)(s->box[i].lo_x * g->per_cell) + 1;
        uint32_t row = (uint32_t)(s->box[i].lo_y * g->per_cell) + 1;
        g->cell[i] = row * g->columns + column;
        g->start[g->cell[i]]++;
    }
    for (size_t c = 0; c <= cells; c++) {
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

static void grid_tick(void *state, const scene *s, peer_pairs *found)
{
    grid *g = state;

    grid_sort(g, s);
    for (uint32_t row = 1; row + 1 < g->columns; row++) {
        const uint32_t *start = &g->start[row * g->columns], *next = start + g->columns;
        for (uint32_t column = 1; column + 1 < g->columns; column++) {
            for (uint32_t own = start[column]; own < start[column + 1]; own++) {
                grid_meet(g, own, own + 1, start[column + 2], found);
                grid_meet(g, own, next[column - 1], next[column + 2], found);
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
    float *lo_x, *lo_y, *hi_x, *hi_y;
} brute;

static void *brute_create(const peer *self, const scene *s, uint32_t setting, char note[64])
{
    (void)self, (void)setting, (void)note;
    brute *b = scene_memory(sizeof *b);
    size_t column = (s->count + BRUTE_GROUP) * sizeof(float);

    *b = (brute){scene_memory(column), scene_memory(column), scene_memory(column), scene_memory(column)};
    for (uint32_t i = 0; i < BRUTE_GROUP; i++) {
        b->lo_x[s->count + i] = b->lo_y[s->count + i] = INFINITY;
        b->hi_x[s->count + i] = b->hi_y[s->count + i] = -INFINITY;
    }
    return b;
}

static void brute_group(const brute *b, const scene_box *own_box, uint32_t own, uint32_t from, peer_pairs *found)
{
    const float *lo_x = b->lo_x + from, *lo_y = b->lo_y + from, *hi_x = b->hi_x + from, *hi_y = b->hi_y + from;
    scene_box box = *own_box;
    int32_t hit[BRUTE_GROUP], any = 0;

    for (uint32_t k = 0; k < BRUTE_GROUP; k++) {
        hit[k] = (box.lo_x <= hi_x[k]) & (lo_x[k] <= box.hi_x) & (box.lo_y <= hi_y[k]) & (lo_y[k] <= box.hi_y);
        any |= hit[k];
    }
    for (uint32_t k = 0; any && k < BRUTE_GROUP; k++) {
        if (hit[k]) {
            peer_pairs_add(found, own, from + k);
        }
    }
}

static void brute_tick(void *state, const scene *s, peer_pairs *found)
{
    brute *b = state;

    for (uint32_t i = 0; i < s->count; i++) {
        b->lo_x[i] = s->box[i].lo_x;
        b->lo_y[i] = s->box[i].lo_y;
        b->hi_x[i] = s->box[i].hi_x;
        b->hi_y[i] = s->box[i].hi_y;
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

    free(b->lo_x);
    free(b->lo_y);
    free(b->hi_x);
    free(b->hi_y);
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

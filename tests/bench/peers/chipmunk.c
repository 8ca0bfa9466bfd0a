/* SPDX-License-Identifier: Apache-2.0
 *
 * Chipmunk's broad phases, as its spaces use them. Both reindex everything at each tick and report candidate pairs,
 * which are then compared exactly.
 */
#include <chipmunk/chipmunk.h>

#include "peer.h"

static const struct {
    float cell; /* in mean sizes */
    int table;  /* cells of the hash table per entity; Chipmunk's manual recommends 10 */
} hash_settings[] = {{2, 10}, {1, 10},   {1.5f, 10}, {3, 10}, {4, 10}, {6, 10},
                     {1, 1},  {1.5f, 1}, {2, 1},     {3, 1},  {4, 1}};

/* How many ticks ahead the tree's boxes reach; 0: exact boxes, inserted again at each move. */
static const float tree_settings[] = {0, 1, 2, 4, 8};

typedef struct context {
    const scene *scene;
    peer_pairs *found;
    float ahead;
} context;

/* The callbacks for boxes and velocities take no pointer of the caller. */
static context now;

static cpBB box_of(void *object)
{
    const scene_box *box = object;

    return cpBBNew(box->lo[0], box->lo[1], box->hi[0], box->hi[1]);
}

/* Chipmunk looks a tenth of a velocity ahead. */
static cpVect velocity_of(void *object)
{
    size_t i = (size_t)((const scene_box *)object - now.scene->box);

    if (i >= now.scene->moving) {
        return cpvzero;
    }
    return cpv(now.scene->speed[0][i] * now.ahead * 10, now.scene->speed[1][i] * now.ahead * 10);
}

static cpCollisionID meet(void *a, void *b, cpCollisionID id, void *data)
{
    (void)data;
    if (scene_overlap(a, b)) {
        peer_pairs_add(now.found, (uint32_t)((scene_box *)a - now.scene->box),
                       (uint32_t)((scene_box *)b - now.scene->box));
    }
    return id;
}

static void insert_all(cpSpatialIndex *index, const scene *s)
{
    now.scene = s;
    for (uint32_t i = 0; i < s->count; i++) {
        cpSpatialIndexInsert(index, &s->box[i], i);
    }
}

static void *hash_create(const peer *self, const scene *s, uint32_t setting, char note[64])
{
    (void)self;
    float cell = s->size_mean * hash_settings[setting].cell;
    int table = (int)s->count * hash_settings[setting].table;
    cpSpatialIndex *index = cpSpaceHashNew(cell, table, box_of, NULL);

    insert_all(index, s);
    snprintf(note, 64, "cell %.3g, %d n cells in the table", (double)cell, hash_settings[setting].table);
    return index;
}

static void *tree_create(const peer *self, const scene *s, uint32_t setting, char note[64])
{
    (void)self;
    cpSpatialIndex *index = cpBBTreeNew(box_of, NULL);

    now.ahead = tree_settings[setting];
    if (now.ahead > 0) {
        cpBBTreeSetVelocityFunc(index, velocity_of);
    }
    insert_all(index, s);
    snprintf(note, 64, "%g ticks ahead", (double)now.ahead);
    return index;
}

static void tick(void *state, const scene *s, peer_pairs *found)
{
    now.scene = s;
    now.found = found;
    cpSpatialIndexReindexQuery(state, meet, NULL);
}

static void destroy(void *state)
{
    cpSpatialIndexFree(state);
}

int main(int count, char **arguments)
{
    const peer peers[] = {
        {.name = "Chipmunk SpaceHash",
         .version = cpVersionString,
         .settings = sizeof hash_settings / sizeof *hash_settings,
         .create = hash_create,
         .tick = tick,
         .destroy = destroy},
        {.name = "Chipmunk BBTree",
         .version = cpVersionString,
         .settings = sizeof tree_settings / sizeof *tree_settings,
         .create = tree_create,
         .tick = tick,
         .destroy = destroy},
    };

    return peer_main(peers, sizeof peers / sizeof *peers, count, arguments);
}

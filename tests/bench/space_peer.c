/* SPDX-License-Identifier: Apache-2.0
 *
 * Quadrille's own space among the peers of tests/bench/space, for QD_AXES dimensions: its tree once for each kernel
 * that this machine can run, and every other index with the fastest. Its tick gives begins and ends; folded, they must
 * give the same pairs as everybody else's, at every tick.
 */
#define SCENE_AXES QD_AXES

#include "bench/peers/peer.h"
#include "support/spaces.h"

#define ROWS_MAX        16u
#define BRUTE_COUNT_MAX 10000u

typedef struct setting {
    const char *name; /* of the index */
    qd_space_index index;
    const char *kernel;
} setting;

typedef struct crowd {
    qd_heap heap;
    qd_space *space;
    uint32_t *slot; /* of each entity */
    uint32_t *id;   /* of each slot */
    qd_space_events events;
} crowd;

static qd_body body_of(const scene *s, uint32_t i)
{
    qd_body body = {.x = s->at[0][i],
                    .y = s->at[1][i],
                    .half_x = s->half[i],
                    .half_y = s->half[i],
                    .category = 1,
                    .mask = UINT32_MAX,
                    .shape = QD_SPACE_BOX};

#if SCENE_AXES == 3
    body.z = s->at[2][i];
    body.half_z = s->half[i];
#endif
    return body;
}

static void *create(const peer *self, const scene *s, uint32_t choice, char note[64])
{
    (void)choice;
    const setting *how = self->argument;
    crowd *c = scene_memory(sizeof *c);
    const qd_space_config config = space_config_of(SCENE_AXES, how->index, 0, s->side, s->count);

    qd_space_kernel_select(how->kernel);
    snprintf(note, 64, "%s %s, sizes chosen by itself", how->name, how->kernel);
    qd_heap_init(&c->heap);
    c->slot = scene_memory(s->count * sizeof *c->slot);
    c->id = scene_memory(QD_SPACE_SLOTS_MAX * sizeof *c->id);
    if (qd_space_create(&config, &c->heap, &c->space) != QD_OK) {
        abort();
    }
    for (uint32_t i = 0; i < s->count; i++) {
        qd_body body = body_of(s, i);

        if (qd_space_add(c->space, &body, &c->slot[i]) != QD_OK) {
            abort();
        }
        c->id[c->slot[i]] = i;
    }
    return c;
}

static void tick(void *state, const scene *s, peer_pairs *found)
{
    (void)found;
    crowd *c = state;

    qd_space_move(c->space, s->moving, c->slot, s->at[0], s->at[1], SCENE_AXES == 3 ? s->at[SCENE_AXES - 1] : NULL);
    qd_space_tick(c->space, &qd_executor_serial, QD_SPACE_WANT_EVENTS, SIZE_MAX / 16, &c->events);
    (void)qd_space_settle(c->space);
}

/* Settling changes no event: they stay valid until the next move. */
static void digest(void *state, peer_digest *present)
{
    const crowd *c = state;

    for (size_t i = 0; i < c->events.count; i++) {
        qd_space_event event = c->events.events[i];
        uint32_t a = c->id[qd_space_event_a(event)], b = c->id[qd_space_event_b(event)];

        if (qd_space_event_kind(event) == QD_SPACE_BEGIN) {
            peer_digest_add(present, a, b);
        } else {
            peer_digest_remove(present, a, b);
        }
    }
}

static void destroy(void *state)
{
    crowd *c = state;

    qd_space_destroy(c->space);
    qd_heap_deinit(&c->heap);
    free(c->slot);
    free(c->id);
    free(c);
}

static setting settings[ROWS_MAX];
static peer rows[ROWS_MAX];
static char names[ROWS_MAX][48];
static uint32_t row_count;

static void add_row(const char *shown, setting how)
{
    settings[row_count] = how;
    snprintf(names[row_count], sizeof names[0], "Quadrille %s", shown);
    rows[row_count] = (peer){.name = names[row_count],
                             .version = "this tree",
                             .count_max = how.index == QD_SPACE_BRUTE ? BRUTE_COUNT_MAX : 0,
                             .create = create,
                             .tick = tick,
                             .digest = digest,
                             .destroy = destroy,
                             .argument = &settings[row_count]};
    row_count++;
}

int main(int count, char **arguments)
{
    static const setting others[] = {{"sparse", QD_SPACE_SPARSE, NULL},
                                     {"hash", QD_SPACE_HASH, NULL},
                                     {"grid", QD_SPACE_GRID, NULL},
                                     {"brute", QD_SPACE_BRUTE, NULL},
                                     {"auto", QD_SPACE_AUTO, NULL}};
    const setting tree =
        SCENE_AXES == 2 ? (setting){"quadtree", QD_SPACE_QUADTREE, NULL} : (setting){"octree", QD_SPACE_OCTREE, NULL};
    const uint32_t kernels = space_kernel_count();
    const char *fastest = qd_space_kernel_at(kernels - 1);

    for (uint32_t i = kernels; i-- > 0;) { /* the fastest first */
        const char *kernel = qd_space_kernel_at(i);

        add_row(kernel, (setting){tree.name, tree.index, kernel});
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        add_row(others[i].name, (setting){others[i].name, others[i].index, fastest});
    }
    return peer_main(rows, row_count, count, arguments);
}

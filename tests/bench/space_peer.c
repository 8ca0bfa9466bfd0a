/* SPDX-License-Identifier: Apache-2.0
 *
 * Quadrille's own space among the peers of tests/bench/space, once for each kernel that this machine can run. Its tick
 * gives begins and ends; folded, they must give the same pairs as everybody else's, at every tick.
 */
#include "bench/peers/peer.h"
#include "server/space/kernel.h"
#include "server/space/space.h"

#define KERNELS_MAX 8u

typedef struct crowd {
    qd_heap heap;
    qd_space *space;
    uint32_t *slot; /* of each entity */
    uint32_t *id;   /* of each slot */
    qd_space_events events;
} crowd;

static void *create(const peer *self, const scene *s, uint32_t setting, char note[64])
{
    (void)setting;
    crowd *c = scene_memory(sizeof *c);
    qd_space_config config = {.max_x = s->side, .max_y = s->side, .bodies_max = s->count};

    qd_kernel_select(self->argument);
    snprintf(note, 64, "depth chosen by itself");
    qd_heap_init(&c->heap);
    c->slot = scene_memory(s->count * sizeof *c->slot);
    c->id = scene_memory(QD_SPACE_SLOTS_MAX * sizeof *c->id);
    if (qd_space_create(&config, &c->heap, &c->space) != QD_OK) {
        abort();
    }
    for (uint32_t i = 0; i < s->count; i++) {
        qd_body body = {.x = s->x[i],
                        .y = s->y[i],
                        .half_x = s->half[i],
                        .half_y = s->half[i],
                        .category = 1,
                        .mask = UINT32_MAX,
                        .shape = QD_SPACE_BOX};
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
    const uint32_t *freed;
    size_t freed_count;

    qd_space_move(c->space, s->moving, c->slot, s->x, s->y);
    qd_space_tick(c->space, &qd_executor_serial, QD_SPACE_WANT_EVENTS, SIZE_MAX / 16, &c->events);
    qd_space_settle(c->space, &freed, &freed_count);
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

int main(int count, char **arguments)
{
    peer peers[KERNELS_MAX];
    char names[KERNELS_MAX][48];
    uint32_t kernels = 0;

    while (kernels < KERNELS_MAX && qd_kernel_at(kernels) != NULL) {
        kernels++;
    }
    for (uint32_t i = 0; i < kernels; i++) {
        const qd_kernel *kernel = qd_kernel_at(kernels - 1 - i); /* the fastest first */
        snprintf(names[i], sizeof names[i], "Quadrille %s", kernel->name);
        peers[i] = (peer){.name = names[i],
                          .version = "this tree",
                          .create = create,
                          .tick = tick,
                          .digest = digest,
                          .destroy = destroy,
                          .argument = kernel};
    }
    return peer_main(peers, kernels, count, arguments);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Every kernel that this machine can run beside the portable one, each function by itself: from the same random rows
 * they must make the same columns, keep the same rows, and find the same events in the same order. space_model sees
 * only what the whole finds; here a filter that lets too much through is found as well.
 *
 *     model_space_kernels [rounds [first seed]]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/space/array.h"
#include "server/space/kernel.h"

#define ROUNDS_DEFAULT 1500u

/* ---- chance ---- */

static uint64_t dice;

static uint32_t draw(uint32_t n)
{
    uint64_t z = (dice += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((z >> 32) * n >> 32);
}

static float between(double lo, double hi)
{
    return (float)(lo + (hi - lo) * (draw(UINT32_MAX) / 4294967296.0));
}

/* ---- two cells of rows ---- */

typedef struct scene {
    qd_heap heap;
    qd_rows rows;
    qd_bodies bodies;
    qd_cell own, above;
    qd_frame frame;
    qd_window window;
    qd_walk_mode mode;
    bool moved_only, all;
    float half_max;
} scene;

/* A world of 1,024 units, 64 numbers each. Whole units give edges that are equal, and a few rows lie far outside. */
static qd_row draw_row(const scene *s, bool circle)
{
    float x = between(0, 1024), y = between(0, 1024), half_x = between(0, s->half_max), half_y = half_x;
    switch (draw(8)) {
    case 0:
    case 1:
        x = floorf(x);
        y = floorf(y);
        half_x = floorf(half_x);
        break;
    case 2:
        half_y = between(0, s->half_max);
        break;
    case 3:
        x = draw(20) == 0 ? -3e38f : x;
        half_x = draw(20) == 0 ? 3e38f : half_x;
        break;
    default:
        break;
    }
    return circle ? qd_row_of_circle(x, y, half_x) : qd_row_of_box(x, y, half_x, half_y);
}

static void fill(scene *s, qd_cell *cell, uint32_t count)
{
    *cell = (qd_cell){.head = QD_NONE};
    const uint32_t circles = draw(3) == 0 ? 4 : 0, changes = draw(3) == 0 ? 8 : 0, resting = draw(4);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot;
        if (qd_bodies_take(&s->bodies, &slot) != QD_OK) {
            abort();
        }
        bool circle = circles != 0 && draw(circles) == 0, rests = draw(4) < resting;
        s->bodies.record[slot].change = QD_NONE;
        s->bodies.filter[slot] = (qd_filter){1, UINT32_MAX};
        qd_row was = draw_row(s, circle), now = was;
        if (!rests && draw(2) == 0) {
            now = draw_row(s, circle);
        } else if (!rests) {
            now.v[0] += 0.25f;
            now.v[2] += circle ? 0 : 0.25f;
        }
        uint32_t flags = (circle ? QD_ID_CIRCLE : 0) | (changes != 0 && draw(changes) == 0 ? QD_ID_CHANGED : 0);
        uint32_t at = qd_rows_insert(&s->rows, cell, 0, slot | flags, &now, &was);
        if (rests) {
            qd_block_info *info = &s->rows.info[at / QD_BLOCK_ROWS];
            info->dirty = (uint16_t)(info->dirty & ~(1u << at % QD_BLOCK_ROWS));
        }
    }
}

static void begin(scene *s, uint64_t seed)
{
    memset(s, 0, sizeof *s);
    dice = seed * 1000003;
    qd_heap_init(&s->heap);
    qd_rows_init(&s->rows, &s->heap);
    qd_bodies_init(&s->bodies, &s->heap);
    s->frame = (qd_frame){.scale = 64};
    s->mode = (qd_walk_mode)draw(3);
    s->moved_only = draw(2);
    s->all = draw(2);
    s->half_max = draw(2) ? 4 : 300;
    uint32_t level = draw(11), size = 65536u >> level;
    uint32_t x = draw(1u << level) * size, y = draw(1u << level) * size;
    s->window = (qd_window){
        .lo_x = (uint16_t)x,
        .lo_y = (uint16_t)y,
        .hi_x = (uint16_t)(x + size - 1),
        .hi_y = (uint16_t)(y + size - 1),
        .shift = level < 8 ? 8 - level : 0,
    };
    bool is_long = draw(12) == 0; /* long enough for groups */
    fill(s, &s->own, is_long ? 500 + draw(300) : draw(150));
    fill(s, &s->above, draw(is_long ? 600 : 150));
}

static void end(scene *s)
{
    qd_rows_deinit(&s->rows);
    qd_bodies_deinit(&s->bodies);
    qd_heap_deinit(&s->heap);
}

/* ---- what a kernel makes of it ---- */

typedef struct outcome {
    qd_list16 above, own16;
    qd_list8 own8;
    qd_sink sink16, sink8;
    qd_quota quota16, quota8;
} outcome;

static void run(scene *s, const qd_kernel *kernel, outcome *o)
{
    memset(o, 0, sizeof *o);
    o->quota16.limit = o->quota8.limit = UINT64_MAX;
    o->sink16 = (qd_sink){.rows = &s->rows, .bodies = &s->bodies, .mode = s->mode, .frame = s->frame, .heap = &s->heap};
    o->sink8 = o->sink16;
    o->sink16.quota = &o->quota16;
    o->sink8.quota = &o->quota8;
    qd_list16_reserve(&s->heap, &o->above, s->above.count);
    qd_list16_reserve(&s->heap, &o->own16, s->own.count + s->above.count);
    qd_list8_reserve(&s->heap, &o->own8, s->own.count + s->above.count);
    kernel->collect16(&o->sink16, &s->above, &o->above);
    kernel->collect16(&o->sink16, &s->own, &o->own16);
    kernel->cull16(&o->above, &s->window, s->moved_only, &o->own16);
    kernel->collect8(&o->sink8, &s->own, &s->window, &o->own8);
    kernel->cull8(&o->above, &s->window, s->moved_only, &o->own8);
    kernel->test16(&o->sink16, &o->own16, s->all);
    kernel->test8(&o->sink8, &o->own8, s->all);
}

static void drop(scene *s, outcome *o)
{
    qd_list16_free(&s->heap, &o->above);
    qd_list16_free(&s->heap, &o->own16);
    qd_list8_free(&s->heap, &o->own8);
    qd_array_free(&s->heap, o->sink16.event, o->sink16.capacity * sizeof *o->sink16.event);
    qd_array_free(&s->heap, o->sink8.event, o->sink8.capacity * sizeof *o->sink8.event);
}

/* ---- comparing ---- */

static bool same_moved(const uint64_t *a, const uint64_t *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if ((a[i / 64] >> i % 64 & 1) != (b[i / 64] >> i % 64 & 1)) {
            return false;
        }
    }
    return true;
}

static bool same_list16(const qd_list16 *a, const qd_list16 *b)
{
    bool same = a->own == b->own && a->count == b->count && same_moved(a->moved, b->moved, a->count) &&
                memcmp(a->row, b->row, a->count * sizeof *a->row) == 0;
    for (uint32_t k = 0; k < QD_LIST_COLUMNS && same; k++) {
        same = memcmp(a->column[k], b->column[k], a->count * sizeof *a->column[k]) == 0;
    }
    return same;
}

static bool same_list8(const qd_list8 *a, const qd_list8 *b)
{
    bool same = a->own == b->own && a->count == b->count && same_moved(a->moved, b->moved, a->count) &&
                memcmp(a->row, b->row, a->count * sizeof *a->row) == 0;
    for (uint32_t k = 0; k < QD_LIST_COLUMNS && same; k++) {
        same = memcmp(a->column[k], b->column[k], a->count) == 0;
    }
    return same;
}

static bool same_events(const qd_sink *a, const qd_sink *b)
{
    return a->count == b->count && a->tests == b->tests && a->exact_tests == b->exact_tests &&
           (a->count == 0 || memcmp(a->event, b->event, a->count * sizeof *a->event) == 0);
}

/* NULL where all is the same. */
static const char *difference(const outcome *a, const outcome *b)
{
    return !same_list16(&a->above, &b->above)     ? "collect16 of the cell above"
           : !same_list16(&a->own16, &b->own16)   ? "collect16 or cull16"
           : !same_list8(&a->own8, &b->own8)      ? "collect8 or cull8"
           : !same_events(&a->sink16, &b->sink16) ? "test16"
           : !same_events(&a->sink8, &b->sink8)   ? "test8"
                                                  : NULL;
}

int main(int count, char **arguments)
{
    unsigned long rounds = count > 1 ? strtoul(arguments[1], NULL, 10) : ROUNDS_DEFAULT;
    unsigned long first = count > 2 ? strtoul(arguments[2], NULL, 10) : 1;
    unsigned long events = 0;
    static scene s;
    static outcome plain, other;
    for (unsigned long seed = first; seed < first + rounds; seed++) {
        begin(&s, seed);
        run(&s, &qd_kernel_portable, &plain);
        events += plain.sink16.count + plain.sink8.count;
        for (uint32_t k = 0; qd_kernel_at(k) != NULL; k++) {
            run(&s, qd_kernel_at(k), &other);
            const char *what = difference(&plain, &other);
            if (what != NULL) {
                printf("seed %lu: %s of kernel %s is not as the portable one has it\n", seed, what,
                       qd_kernel_at(k)->name);
                return 1;
            }
            drop(&s, &other);
        }
        drop(&s, &plain);
        end(&s);
    }
    printf("%lu rounds from seed %lu, %lu events; the same from portable", rounds, first, events);
    for (uint32_t k = 1; qd_kernel_at(k) != NULL; k++) {
        printf(", %s", qd_kernel_at(k)->name);
    }
    printf("\n");
    return events == 0;
}

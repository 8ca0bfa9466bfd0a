/* SPDX-License-Identifier: Apache-2.0
 *
 * Compares every kernel that this machine can run with the portable one, function by function. From the same random
 * rows they must make the same columns, keep the same rows, and find the same events in the same order. space_model
 * sees only the events of the whole; this test also finds a filter that lets too much through. Functions that reach the
 * same result in different ways must agree: carrying a cell's rows, or collecting and culling them; rows of a cell, or
 * by their references; a list against itself, or in two parts. Built for QD_AXES of 2 and 3.
 *
 *     model_space_kernels [rounds [first seed]]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/base/memory/array.h"
#include "server/space/kernel/choose.h"
#include "server/space/kernel/kernel.h"
#include "support/rng.h"
#include "support/spaces.h"

#define ROUNDS_DEFAULT 1500u

static rng_stream rng;

/* ---- two cells of rows ---- */

typedef struct scene {
    qd_heap heap;
    qd_rows rows;
    qd_bodies bodies;
    qd_cell own, above;
    qd_quantizer quantizer;
    qd_window window;
    qd_traversal_mode mode;
    bool moved_only, all, swept;
    float half_max;
    qd_row circle; /* the last one drawn */
} scene;

/* All capsules have one size; another size at the last tick would need a change. */
#define CAPSULE_RADIUS 1.5f
static const float capsule_half[3] = {2, -1, 3};

/* Puts a row beside the last circle, so that the two touch up to rounding. */
static void draw_beside(const scene *s, float *at, float radius)
{
    double way[QD_AXES], length = 0;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        way[k] = (double)rng_between(&rng, -1, 1);
        length += way[k] * way[k];
    }
    for (uint32_t k = 0; k < QD_AXES; k++) {
        double reach = (double)radius + (double)s->circle.v[QD_ROW_HIGH];

        at[k] = (float)((double)s->circle.v[k] + reach * way[k] / sqrt(length));
    }
}

/* A space of 1,024 units with 64 numbers each. Whole units give equal edges, and a few rows lie far outside. */
static qd_row draw_row(scene *s, qd_space_shape shape)
{
    float at[QD_AXES], half[QD_AXES];

    for (uint32_t k = 0; k < QD_AXES; k++) {
        at[k] = rng_between(&rng, 0, 1024);
        half[k] = k == 0 ? rng_between(&rng, 0, s->half_max) : half[0];
    }
    switch (rng_below(&rng, 8)) {
    case 0:
    case 1:
        for (uint32_t k = 0; k < QD_AXES; k++) {
            at[k] = floorf(at[k]);
            half[k] = floorf(half[k]);
        }
        break;
    case 2:
        half[QD_AXES - 1] = rng_between(&rng, 0, s->half_max);
        break;
    case 3:
        /* So small that squares underflow. */
        for (uint32_t k = 0; k < QD_AXES; k++) {
            at[k] = ldexpf(floorf(at[k] / 256), -75);
            half[k] = ldexpf(half[k] / s->half_max * 3, -75);
        }
        break;
    case 4:
        at[0] = rng_below(&rng, 20) == 0 ? -3e38f : at[0];
        half[0] = rng_below(&rng, 20) == 0 ? 3e38f : half[0];
        break;
    case 5:
        if (shape == QD_SPACE_CIRCLE && s->circle.v[QD_ROW_HIGH] <= s->half_max && s->circle.v[0] >= 0) {
            draw_beside(s, at, half[0]);
        }
        break;
    default:
        break;
    }
    if (shape == QD_SPACE_CIRCLE) {
        return s->circle = qd_row_of_circle(at, half[0]);
    }
    return shape == QD_SPACE_BOX ? qd_row_of_box(at, half) : qd_row_of_capsule(at, capsule_half, CAPSULE_RADIUS);
}

static uint32_t draw_body(scene *s, qd_space_shape shape, uint32_t changes)
{
    uint32_t slot;

    if (qd_bodies_take(&s->bodies, shape == QD_SPACE_CAPSULE, &slot) != QD_OK) {
        abort();
    }
    qd_record *record = &s->bodies.record[slot];
    record->change = QD_NONE;
    record->shape = (uint8_t)shape;
    memcpy(record->half, capsule_half, sizeof record->half);
    qd_bodies_radius_set(&s->bodies, slot, shape == QD_SPACE_CAPSULE ? CAPSULE_RADIUS : 0);
    s->bodies.filter[slot] = (qd_filter){1, UINT32_MAX};
    uint32_t id = slot | (shape == QD_SPACE_BOX ? 0 : QD_ID_ROUND) | (shape == QD_SPACE_CAPSULE ? QD_ID_CAPSULE : 0);
    if (changes != 0 && rng_below(&rng, changes) == 0) {
        id |= QD_ID_REFILTERED;
    }
    if (changes != 0 && rng_below(&rng, changes) == 0) {
        const qd_filter filter = {1 + rng_below(&rng, 5),
                                  1 + rng_below(&rng, 5)}; /* more filters than there are classes */

        qd_bodies_filter_set(&s->bodies, slot, filter);
        id |= qd_id_of_filter(&s->bodies, filter);
    }
    return id;
}

static void fill(scene *s, qd_cell *cell, uint32_t count)
{
    *cell = (qd_cell){.head = QD_NONE};
    const uint32_t circles = rng_below(&rng, 3) == 0 ? 1 + 3 * rng_below(&rng, 2) : 0,
                   changes = rng_below(&rng, 3) == 0 ? 8 : 0, resting = rng_below(&rng, 4);
    for (uint32_t i = 0; i < count; i++) {
        qd_space_shape shape = QD_SPACE_BOX;

        if (circles != 0 && rng_below(&rng, circles) == 0) {
            shape = rng_below(&rng, 4) == 0 ? QD_SPACE_CAPSULE : QD_SPACE_CIRCLE;
        }
        bool rests = rng_below(&rng, 4) < resting;
        qd_row was = draw_row(s, shape), now = was;
        if (!rests && rng_below(&rng, 2) == 0) {
            now = draw_row(s, shape);
            if (s->swept && shape == QD_SPACE_CIRCLE) {
                /* A resized body has another row for its new size. */
                memcpy(now.v + QD_ROW_HIGH, was.v + QD_ROW_HIGH, sizeof now.v - QD_ROW_HIGH * sizeof *now.v);
            }
        } else if (!rests) {
            now.v[0] += 0.25f;
            now.v[QD_ROW_HIGH] += shape != QD_SPACE_BOX ? 0 : 0.25f;
        }
        if (!qd_rows_reserve(&s->rows, 1)) {
            abort();
        }
        uint32_t at = qd_rows_insert(&s->rows, cell, 0, draw_body(s, shape, changes), &now, &was);
        if (rests) {
            qd_block_info *info = &s->rows.info[at / QD_BLOCK_ROWS];

            info->changed = (uint16_t)(info->changed & ~(1u << at % QD_BLOCK_ROWS));
        }
    }
}

static void begin(scene *s, uint64_t seed)
{
    memset(s, 0, sizeof *s);
    rng.state = seed * 1000003;
    qd_heap_init(&s->heap);
    qd_rows_init(&s->rows, &s->heap);
    qd_bodies_init(&s->bodies, &s->heap);
    s->quantizer = (qd_quantizer){.scale = 64};
    s->mode = (qd_traversal_mode)rng_below(&rng, 3);
    s->moved_only = rng_below(&rng, 2);
    s->all = rng_below(&rng, 2);
    s->half_max = rng_below(&rng, 2) ? 4 : 300;
    s->swept = rng_below(&rng, 4) == 0 && s->mode != QD_TRAVERSAL_PAIRS;
    uint32_t level = rng_below(&rng, 11), size = 65536u >> level;
    s->window.shift = level < 8 ? 8 - level : 0;
    for (uint32_t k = 0; k < QD_AXES; k++) {
        uint32_t at = rng_below(&rng, 1u << level) * size;

        s->window.lo[k] = (uint16_t)at;
        s->window.hi[k] = (uint16_t)(at + size - 1);
    }
    bool is_long = rng_below(&rng, 12) == 0; /* long enough for groups */
    fill(s, &s->own, is_long ? 500 + rng_below(&rng, 300) : rng_below(&rng, 150));
    fill(s, &s->above, rng_below(&rng, is_long ? 600 : 150));
}

static void end(scene *s)
{
    qd_rows_deinit(&s->rows);
    qd_bodies_deinit(&s->bodies);
    qd_heap_deinit(&s->heap);
}

/* ---- the results of a kernel ---- */

/* Lists are named after the function that makes them, sinks after the one that fills them. */
enum { ABOVE, AGAIN, OWN16, CARRIED16, LISTS16 };
enum { OWN8, CARRIED8, PICKED8, LISTS8 };
enum { TEST16, TEST8, CROSS, SINKS };

typedef struct outcome {
    qd_list16 list16[LISTS16];
    qd_list8 list8[LISTS8];
    qd_sink sink[SINKS];
    qd_quota quota[SINKS];
    qd_pair near[QD_PAIRS_ROOM]; /* shared by the sinks, one after the other */
} outcome;

/* The rows of OWN8 by their references, in two parts: each against itself, and one against the other. */
static void run_picked(scene *s, const qd_kernel *kernel, outcome *o)
{
    qd_sink *sink = &o->sink[CROSS];
    qd_list8 *picked = &o->list8[PICKED8];
    const qd_list8 *from = &o->list8[OWN8];
    uint32_t own = s->own.count, count = from->count;
    uint32_t *reference = calloc(count + QD_BLOCK_ROWS, sizeof *reference);

    for (uint32_t i = 0; i < count; i++) {
        reference[i] = from->row[i] | (from->changed[i / 64] >> i % 64 & 1 ? QD_LIST_CHANGED : 0);
    }
    kernel->pick8(sink, reference, own, &s->window, false, picked);
    picked->own = own;
    kernel->test8(sink, picked, s->all);
    kernel->pick8(sink, reference + own, count - own, &s->window, false, picked);
    kernel->cross8(sink, picked, 0, own, own, count, s->all);
    kernel->finish(sink);
    free(reference);
}

static void run(scene *s, const qd_kernel *kernel, outcome *o)
{
    const uint32_t rows = s->own.count + s->above.count;
    qd_list16 *list16 = o->list16;
    qd_list8 *list8 = o->list8;

    memset(o, 0, sizeof *o);
    for (int i = 0; i < SINKS; i++) {
        o->quota[i].limit = o->quota[i].misses_max = UINT64_MAX;
        o->sink[i] = (qd_sink){
            .rows = &s->rows,
            .bodies = &s->bodies,
            .mode = s->mode,
            .swept = s->swept,
            .quantizer = s->quantizer,
            .heap = &s->heap,
            .quota = &o->quota[i],
            .near = o->near,
        };
    }
    for (int i = 0; i < LISTS16; i++) {
        qd_list16_reserve(&s->heap, &list16[i], i < OWN16 ? s->above.count : rows);
    }
    for (int i = 0; i < LISTS8; i++) {
        qd_list8_reserve(&s->heap, &list8[i], rows);
    }
    qd_sink *sink16 = &o->sink[TEST16], *sink8 = &o->sink[TEST8];
    kernel->collect16(sink16, &s->above, &list16[ABOVE]);
    kernel->collect_again(sink16, &list16[ABOVE], &list16[AGAIN]);
    kernel->collect16(sink16, &s->own, &list16[OWN16]);
    kernel->cull16(&list16[ABOVE], &s->window, s->moved_only, &list16[OWN16]);
    kernel->collect8(sink8, &s->own, &s->window, &list8[OWN8]);
    kernel->cull8(&list16[ABOVE], &s->window, s->moved_only, &list8[OWN8]);
    kernel->collect16(sink16, &s->own, &list16[CARRIED16]);
    kernel->carry16(sink16, &s->above, &s->window, s->moved_only, &list16[CARRIED16]);
    kernel->collect8(sink16, &s->own, &s->window, &list8[CARRIED8]);
    kernel->carry8(sink16, &s->above, &s->window, s->moved_only, &list8[CARRIED8]);
    kernel->test16(sink16, &list16[OWN16], s->all);
    kernel->finish(sink16);
    kernel->test8(sink8, &list8[OWN8], s->all);
    kernel->finish(sink8);
    run_picked(s, kernel, o);
}

static void drop(scene *s, outcome *o)
{
    for (int i = 0; i < LISTS16; i++) {
        qd_list16_free(&s->heap, &o->list16[i]);
    }
    for (int i = 0; i < LISTS8; i++) {
        qd_list8_free(&s->heap, &o->list8[i]);
    }
    for (int i = 0; i < SINKS; i++) {
        qd_list16_free(&s->heap, &o->sink[i].moments);
        qd_array_free(&s->heap, o->sink[i].event, o->sink[i].capacity * sizeof *o->sink[i].event);
    }
}

/* ---- comparing ---- */

typedef struct entry {
    uint32_t row, changed;
    uint16_t edge[QD_LIST_COLUMNS];
} entry;

/* A list with numbers of any size; its entries are to be freed. */
typedef struct listing {
    uint32_t own, count;
    entry *entries;
} listing;

#define LISTING_OF(bits)                                                                                               \
    static listing listing_of_##bits(const qd_list##bits *list)                                                        \
    {                                                                                                                  \
        listing made = {list->own, list->count, calloc(list->count + 1, sizeof(entry))};                               \
                                                                                                                       \
        for (uint32_t i = 0; i < list->count; i++) {                                                                   \
            made.entries[i].row = list->row[i];                                                                        \
            made.entries[i].changed = list->changed[i / 64] >> i % 64 & 1;                                             \
            for (uint32_t k = 0; k < QD_LIST_COLUMNS; k++) {                                                           \
                made.entries[i].edge[k] = list->column[k][i];                                                          \
            }                                                                                                          \
        }                                                                                                              \
        return made;                                                                                                   \
    }

LISTING_OF(8)
LISTING_OF(16)

static int by_row(const void *a, const void *b)
{
    uint32_t row_a = ((const entry *)a)->row, row_b = ((const entry *)b)->row;

    return (row_a > row_b) - (row_a < row_b);
}

/* `any_order`: the same rows are enough. */
static bool same_list(listing a, listing b, bool any_order)
{
    if (any_order) {
        qsort(a.entries, a.count, sizeof *a.entries, by_row);
        qsort(b.entries, b.count, sizeof *b.entries, by_row);
    }
    bool same = a.count == b.count && (any_order || a.own == b.own) &&
                memcmp(a.entries, b.entries, a.count * sizeof *a.entries) == 0;
    free(a.entries);
    free(b.entries);
    return same;
}

static bool same_events(const qd_sink *a, const qd_sink *b)
{
    return a->count == b->count && a->tests == b->tests && a->exact_tests == b->exact_tests &&
           (a->count == 0 || memcmp(a->event, b->event, a->count * sizeof *a->event) == 0);
}

static bool same_events_in_any_order(const qd_sink *a, const qd_sink *b)
{
    uint64_t *of_a = space_event_keys(a->event, a->count), *of_b = space_event_keys(b->event, b->count);
    bool same = a->count == b->count && memcmp(of_a, of_b, a->count * sizeof *of_a) == 0;

    free(of_a);
    free(of_b);
    return same;
}

/* The function that does not do what it does in the other kernel; NULL if all is equal. */
static const char *difference(const outcome *a, const outcome *b)
{
    static const char *const of16[] = {"collect16 of the cell above", "collect_again", "collect16 or cull16",
                                       "carry16"};
    static const char *const of8[] = {"collect8 or cull8", "carry8", "pick8"};
    static const char *const of_sink[] = {"test16", "test8", "test8 or cross8 of picked rows"};

    for (int i = 0; i < LISTS16; i++) {
        if (!same_list(listing_of_16(&a->list16[i]), listing_of_16(&b->list16[i]), false)) {
            return of16[i];
        }
    }
    for (int i = 0; i < LISTS8; i++) {
        if (!same_list(listing_of_8(&a->list8[i]), listing_of_8(&b->list8[i]), false)) {
            return of8[i];
        }
    }
    for (int i = 0; i < SINKS; i++) {
        if (!same_events(&a->sink[i], &b->sink[i])) {
            return of_sink[i];
        }
    }
    return NULL;
}

/* Two functions that reach one result in different ways, and did not; NULL if all agree. */
static const char *disagreement(const outcome *o)
{
    const qd_list16 *list16 = o->list16;
    const qd_list8 *list8 = o->list8;

    return !same_list(listing_of_16(&list16[OWN16]), listing_of_16(&list16[CARRIED16]), true) ? "carry16 and cull16"
           : !same_list(listing_of_8(&list8[OWN8]), listing_of_8(&list8[CARRIED8]), true)     ? "carry8 and cull8"
           : !same_list(listing_of_16(&list16[ABOVE]), listing_of_16(&list16[AGAIN]), true)
               ? "collect_again and collect16"
           : !same_list(listing_of_8(&list8[OWN8]), listing_of_8(&list8[PICKED8]), true)
               ? "pick8 and collect8 with cull8"
           : !same_events_in_any_order(&o->sink[TEST8], &o->sink[TEST16]) ? "test8 and test16"
           : !same_events_in_any_order(&o->sink[TEST8], &o->sink[CROSS])  ? "cross8 and test8"
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
        events += plain.sink[TEST16].count + plain.sink[TEST8].count;
        const char *apart = disagreement(&plain);
        if (apart != NULL) {
            printf("seed %lu: %s do not agree\n", seed, apart);
            return 1;
        }
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

/* SPDX-License-Identifier: Apache-2.0
 *
 * Queries against a brute force that shares no code with them: random worlds, inside their bounds and far outside,
 * with changes under way that no tick has seen. Every hit, its order and its distance must be exactly the same.
 *
 *     model_space_query [scripts [first seed]]
 *
 * A failure prints the seed, which repeats it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/space/space.h"
#include "server/space/tuning.h"

#define SCRIPTS_DEFAULT 1200u
#define SLOTS_MAX       2048u
#define QUERIES         12u

/* ---- chance ---- */

static uint64_t dice;

static uint32_t draw(void)
{
    uint64_t z = (dice += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(z >> 32);
}

static uint32_t below(uint32_t n)
{
    return (uint32_t)((uint64_t)draw() * n >> 32);
}

static bool one_in(uint32_t n)
{
    return below(n) == 0;
}

static float between(double lo, double hi)
{
    return (float)(lo + (hi - lo) * (draw() / 4294967296.0));
}

/* ---- the world ---- */

typedef struct thing {
    bool here;
    qd_body body;
} thing;

typedef struct world {
    qd_space *space;
    qd_heap heap;
    thing now[SLOTS_MAX], was[SLOTS_MAX];
    bool taken[SLOTS_MAX];
    uint32_t names[SLOTS_MAX];
    uint32_t slots;
    uint32_t style;
    double lo, side, size_max;
    uint64_t seed;
    uint64_t asked, hits, cut;
} world;

static float clamp(float value)
{
    return fmaxf(fminf(value, 3.4e38f), -3.4e38f);
}

static float place(const world *w)
{
    switch (w->style) {
    case 1: /* on the lines of cells: much touching, many at the same distance */
        return (float)(w->lo + w->side * below(33) / 32);
    case 2: /* mostly outside */
        return between(w->lo - 2 * w->side, w->lo + 3 * w->side);
    case 3: /* a crowd */
        return one_in(6) ? between(w->lo, w->lo + w->side) : between(w->lo, w->lo + w->side / 50);
    case 4: /* absurd */
        return one_in(6) ? (one_in(2) ? 3.4e38f : -3.4e38f) : between(w->lo, w->lo + w->side);
    default:
        return between(w->lo, w->lo + w->side);
    }
}

static float size(const world *w)
{
    switch (below(8)) {
    case 0:
    case 1:
        return 0;
    case 2:
        return (float)(w->side / 32);
    case 3:
        return w->style == 4 && one_in(2) ? 3.4e38f : between(0, w->side);
    default:
        return between(0, w->size_max);
    }
}

static qd_body draw_body(const world *w)
{
    return (qd_body){.x = clamp(place(w)),
                     .y = clamp(place(w)),
                     .half_x = clamp(size(w)),
                     .half_y = clamp(size(w)),
                     .category = one_in(2) ? 1 : draw() & draw(),
                     .mask = one_in(2) ? UINT32_MAX : draw(),
                     .shape = one_in(2) ? QD_SPACE_CIRCLE : QD_SPACE_BOX};
}

static void add(world *w)
{
    qd_body body = draw_body(w);
    uint32_t slot;
    if (qd_space_add(w->space, &body, &slot) != QD_OK) {
        return;
    }
    w->slots = slot >= w->slots ? slot + 1 : w->slots;
    w->taken[slot] = true;
    w->now[slot] = (thing){true, body};
    w->was[slot].here = false;
}

static void change(world *w, uint32_t slot)
{
    qd_body *body = &w->now[slot].body, drawn = draw_body(w);
    switch (below(6)) {
    case 0:
        body->shape = drawn.shape;
        body->half_x = drawn.half_x;
        body->half_y = drawn.half_y;
        qd_space_reshape(w->space, slot, (qd_space_shape)body->shape, body->half_x, body->half_y);
        break;
    case 1:
        body->category = drawn.category;
        body->mask = drawn.mask;
        qd_space_refilter(w->space, slot, body->category, body->mask);
        break;
    case 2:
        body->x = drawn.x;
        body->y = drawn.y;
        qd_space_teleport(w->space, 1, &slot, &body->x, &body->y);
        break;
    case 3:
        w->now[slot].here = false;
        w->taken[slot] = !qd_space_remove(w->space, slot, QD_SPACE_DESPAWNED);
        break;
    default:
        body->x = clamp(body->x + between(-w->size_max, w->size_max));
        body->y = clamp(body->y + between(-w->size_max, w->size_max));
        qd_space_move(w->space, 1, &slot, &body->x, &body->y);
    }
}

static void change_some(world *w, uint32_t count)
{
    for (uint32_t i = 0; i < count && w->slots > 0; i++) {
        uint32_t slot = below(w->slots);
        if (w->now[slot].here) {
            change(w, slot);
        }
        if (one_in(12)) {
            add(w);
        }
    }
}

static void tick(world *w)
{
    const uint32_t *freed;
    size_t count;
    qd_space_events events;
    qd_space_tick(w->space, &qd_executor_serial, one_in(3) ? QD_SPACE_WANT_NOTHING : QD_SPACE_WANT_EVENTS, 1u << 22,
                  &events);
    qd_space_settle(w->space, &freed, &count);
    for (size_t i = 0; i < count; i++) {
        w->taken[freed[i]] = false;
    }
    memcpy(w->was, w->now, sizeof w->was);
}

/* ---- brute force ---- */

static double gap(double at, double lo, double hi)
{
    return fmax(fmax(lo - at, at - hi), 0);
}

static bool naive_matches(const qd_space_query *query, const qd_body *body, double *at)
{
    double x = (double)query->x, y = (double)query->y, r = (double)body->half_x;
    double dx = (double)body->x - x, dy = (double)body->y - y;
    bool circle = body->shape == QD_SPACE_CIRCLE;
    float lo_x = body->x - body->half_x, hi_x = body->x + body->half_x;
    float lo_y = body->y - body->half_y, hi_y = body->y + body->half_y;
    *at = 0;
    if (query->kind == QD_SPACE_IN_BOX) {
        if (circle) {
            double gx = gap(body->x, query->min_x, query->max_x), gy = gap(body->y, query->min_y, query->max_y);
            return gx * gx + gy * gy <= r * r;
        }
        return lo_x <= query->max_x && hi_x >= query->min_x && lo_y <= query->max_y && hi_y >= query->min_y;
    }
    double gx = gap(x, lo_x, hi_x), gy = gap(y, lo_y, hi_y);
    if (query->kind == QD_SPACE_IN_CIRCLE) {
        double reach = (double)query->radius + (circle ? r : 0);
        return circle ? dx * dx + dy * dy <= reach * reach : gx * gx + gy * gy <= reach * reach;
    }
    if (query->kind == QD_SPACE_NEAREST) {
        *at = circle ? fmax(sqrt(dx * dx + dy * dy) - r, 0) : sqrt(gx * gx + gy * gy);
        return *at <= query->reach;
    }
    double length = sqrt((double)query->direction_x * (double)query->direction_x +
                         (double)query->direction_y * (double)query->direction_y);
    double ux = (double)query->direction_x / length, uy = (double)query->direction_y / length;
    if (circle) {
        if (dx * dx + dy * dy <= r * r) {
            return true;
        }
        double along = dx * ux + dy * uy, across = dx * uy - dy * ux, rest = r * r - across * across;
        if (along <= 0 || rest < 0) {
            return false;
        }
        *at = fmax(along - sqrt(rest), 0);
        return *at <= query->reach;
    }
    double first = 0, last = query->reach;
    if (ux != 0) {
        double a = ((double)lo_x - x) / ux, b = ((double)hi_x - x) / ux;
        first = fmax(first, fmin(a, b));
        last = fmin(last, fmax(a, b));
    } else if (x < (double)lo_x || x > (double)hi_x) {
        return false;
    }
    if (uy != 0) {
        double a = ((double)lo_y - y) / uy, b = ((double)hi_y - y) / uy;
        first = fmax(first, fmin(a, b));
        last = fmin(last, fmax(a, b));
    } else if (y < (double)lo_y || y > (double)hi_y) {
        return false;
    }
    *at = first;
    return first <= last;
}

static int compare_hits(const void *left, const void *right)
{
    const qd_space_hit *a = left, *b = right;
    if (a->at != b->at) {
        return a->at < b->at ? -1 : 1;
    }
    return (a->name > b->name) - (a->name < b->name);
}

/* ---- asking ---- */

static qd_space_query draw_query(const world *w)
{
    qd_space_query query = {
        .kind = (qd_space_query_kind)(1 + below(4)),
        .categories = one_in(2) ? 0 : 1u << below(32) | (one_in(3) ? 1u : 0),
        .limit = one_in(3)   ? 1 + below(4)
                 : one_in(2) ? 1 + below(40)
                             : SLOTS_MAX,
        .names = one_in(2) ? w->names : NULL,
        .x = clamp(place(w)),
        .y = clamp(place(w)),
        .radius = clamp(size(w)),
        .reach = one_in(2) ? (double)INFINITY : (double)between(0, w->side),
    };
    float a = clamp(place(w)), b = clamp(place(w)), c = clamp(place(w)), d = clamp(place(w));
    if (one_in(2)) {
        b = clamp(a + size(w));
        d = clamp(c + size(w));
    }
    query.min_x = fminf(a, b);
    query.max_x = fmaxf(a, b);
    query.min_y = fminf(c, d);
    query.max_y = fmaxf(c, d);
    query.direction_x = one_in(5) ? 0 : one_in(8) ? 1e-40f : between(-3, 3);
    query.direction_y = one_in(5) ? 0 : between(-3, 3);
    if (query.direction_x == 0 && query.direction_y == 0) {
        query.direction_y = one_in(2) ? 1 : -3.4e38f;
    }
    return query;
}

static void fail(const world *w, const qd_space_query *query, const char *what)
{
    fprintf(stderr,
            "seed %llu, style %u: %s: kind %d, limit %u, categories %x, at (%.9g, %.9g), radius %.9g, reach %.9g, "
            "box %.9g %.9g %.9g %.9g, direction %.9g %.9g\n",
            (unsigned long long)w->seed, w->style, what, query->kind, query->limit, query->categories, (double)query->x,
            (double)query->y, (double)query->radius, query->reach, (double)query->min_x, (double)query->min_y,
            (double)query->max_x, (double)query->max_y, (double)query->direction_x, (double)query->direction_y);
    exit(1);
}

static void ask(world *w)
{
    static qd_space_hit expected[SLOTS_MAX];
    qd_space_query query = draw_query(w);
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < w->slots; slot++) {
        const thing *was = &w->was[slot];
        double at;
        if (was->here && (query.categories == 0 || (was->body.category & query.categories) != 0) &&
            naive_matches(&query, &was->body, &at)) {
            expected[count++] = (qd_space_hit){at, slot, query.names != NULL ? w->names[slot] : slot};
        }
    }
    qsort(expected, count, sizeof expected[0], compare_hits);
    uint32_t wanted = count < query.limit ? count : query.limit;
    qd_space_hits found;
    if (qd_space_find(w->space, &query, &found) != QD_OK) {
        fail(w, &query, "no memory");
    }
    if (found.count != wanted || found.more != (count > wanted)) {
        fprintf(stderr, "%u found (more: %d), %u of %u expected\n", found.count, found.more, wanted, count);
        fail(w, &query, "another number of hits");
    }
    for (uint32_t i = 0; i < wanted; i++) {
        const qd_space_hit *a = &found.hit[i], *b = &expected[i];
        if (a->at != b->at || a->slot != b->slot || a->name != b->name) {
            fprintf(stderr, "hit %u is %u at %.17g, expected %u at %.17g\n", i, a->slot, a->at, b->slot, b->at);
            fail(w, &query, "another hit");
        }
    }
    w->asked++;
    w->hits += wanted;
    w->cut += found.more;
    qd_space_hits_free(w->space, &found);
}

static void run_script(world *w, uint64_t seed)
{
    static const double sides[] = {1, 100, 4096, 1e6, 1e-3, 3e38};
    dice = seed * UINT64_C(0x2545f4914f6cdd1d);
    w->seed = seed;
    w->slots = 0;
    w->style = below(5);
    w->side = sides[below(6)];
    w->lo = one_in(2) ? -w->side / 2 : one_in(2) ? 0 : w->side > 1e30 ? -w->side / 3 : between(-1000, 1000);
    w->size_max = w->side / (4 + below(100));
    memset(w->now, 0, sizeof w->now);
    memset(w->was, 0, sizeof w->was);
    memset(w->taken, 0, sizeof w->taken);
    for (uint32_t i = 0; i < SLOTS_MAX; i++) {
        uint32_t j = below(i + 1);
        w->names[i] = w->names[j];
        w->names[j] = i * 2000003u;
    }
    qd_space_config config = {(float)w->lo,
                              (float)w->lo,
                              (float)(w->lo + w->side),
                              (float)(w->lo + w->side / (1 + below(3))),
                              one_in(2) ? 0 : 1 + below(8),
                              SLOTS_MAX};
    qd_heap_init(&w->heap);
    if (!(config.min_x < config.max_x && config.min_y < config.max_y) ||
        qd_space_create(&config, &w->heap, &w->space) != QD_OK) {
        fprintf(stderr, "seed %llu: no space\n", (unsigned long long)seed);
        exit(1);
    }
    qd_space_tune(w->space, &(qd_tuning){.leaf_rows = 1 + below(20), .task_rows_min = 8192});
    for (uint32_t rounds = 3 + below(4), most = one_in(4) ? 900 : 120; rounds > 0; rounds--) {
        for (uint32_t n = below(most / 2); n > 0; n--) {
            add(w);
        }
        for (uint32_t i = 0; i < QUERIES; i++) {
            ask(w);
            change_some(w, below(12));
        }
        tick(w);
        qd_space_validate(w->space);
        for (uint32_t i = 0; i < QUERIES; i++) {
            ask(w);
        }
    }
    qd_space_destroy(w->space);
    qd_heap_deinit(&w->heap);
}

int main(int argc, char **argv)
{
    static world w;
    uint64_t scripts = argc > 1 ? strtoull(argv[1], NULL, 10) : SCRIPTS_DEFAULT;
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    for (uint64_t seed = first; seed < first + scripts; seed++) {
        run_script(&w, seed);
    }
    printf("%llu scripts, %llu queries, %llu hits, %llu cut at their limit\n", (unsigned long long)scripts,
           (unsigned long long)w.asked, (unsigned long long)w.hits, (unsigned long long)w.cut);
    return w.hits > 0 && w.cut > 0 ? 0 : 1;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "script.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/rng.h"
#include "support/spaces.h"

const script_index script_indexes[] = {
    {QD_SPACE_QUADTREE, 2}, {QD_SPACE_OCTREE, 3}, {QD_SPACE_GRID, 2}, {QD_SPACE_GRID, 3},
    {QD_SPACE_BRUTE, 2},    {QD_SPACE_BRUTE, 3},  {QD_SPACE_HASH, 2}, {QD_SPACE_HASH, 3},
    {QD_SPACE_SPARSE, 2},   {QD_SPACE_SPARSE, 3}, {QD_SPACE_AUTO, 2}, {QD_SPACE_AUTO, 3},
};
const uint32_t script_index_count = sizeof script_indexes / sizeof *script_indexes;

typedef enum mixture { BOXES, CIRCLES, CAPSULES, MIXED, POINTS, ALIKE, MIXTURES } mixture;

/* Where things are put: each makes another part of an index work. */
typedef enum style {
    ANYWHERE,
    STRADDLING,   /* the highest lines between cells */
    CROWDED,      /* on a small part of the space */
    OUTSIDE,      /* the bounds, often */
    ON_LINES,     /* exactly: much touching */
    BESIDE_LINES, /* by the smallest step there is */
    ABSURD,       /* now and then as far as floats reach */
    TOUCHING,     /* two crowds that just touch each other, or just do not */
    ISLANDS,      /* far away from each other and from the bounds */
    ONE_SPOT,
    STYLES
} style;

/* An entity, as far as the script knows. */
typedef struct spot {
    bool here, was_here;
    qd_body now, was;
} spot;

typedef struct drawing {
    script *s;
    rng_stream rng;
    script_aim aim;
    mixture shapes;
    style where;
    float lo[3];
    double side, size_max;
    double jitter;  /* in numbers of the quantizer */
    uint32_t aimed; /* number of entities */
    uint32_t here, known;
    spot spot[SCRIPT_ENTITIES_MAX];
} drawing;

static bool one_in(drawing *d, uint32_t n)
{
    return rng_one_in(&d->rng, n);
}

static uint32_t below(drawing *d, uint32_t n)
{
    return rng_below(&d->rng, n);
}

static float between(drawing *d, double lo, double hi)
{
    return rng_between(&d->rng, lo, hi);
}

static float bounded(float value)
{
    return fmaxf(fminf(value, 3.4e38f), -3.4e38f);
}

static script_line *add_line(drawing *d, script_verb verb, uint32_t entity)
{
    script *s = d->s;

    if (s->count == s->capacity) {
        s->capacity = s->capacity == 0 ? 256 : 2 * s->capacity;
        s->line = realloc(s->line, s->capacity * sizeof *s->line);
    }
    s->line[s->count] = (script_line){.verb = verb, .entity = entity, .body = d->spot[entity].now};
    return &s->line[s->count++];
}

/* ---- places, sizes, shapes, filters ---- */

static float place(drawing *d, uint32_t axis)
{
    double lo = d->lo[axis], line = lo + d->side * below(d, 33) / 32;

    switch (d->where) {
    case STRADDLING:
        return one_in(d, 3) ? (float)(lo + d->side / 2) : between(d, lo, lo + d->side);
    case CROWDED:
        return one_in(d, 8) ? between(d, lo, lo + d->side)
                            : between(d, lo + d->side * 0.4, lo + d->side * 0.4 + d->size_max);
    case OUTSIDE:
        return between(d, lo - d->side, lo + 2 * d->side);
    case ON_LINES:
        return (float)line;
    case BESIDE_LINES:
        return one_in(d, 2) ? nextafterf((float)line, one_in(d, 2) ? -INFINITY : INFINITY)
                            : between(d, lo, lo + d->side);
    case ABSURD:
        return one_in(d, 12) ? (one_in(d, 2) ? 3.4e38f : -3.4e38f) : between(d, lo, lo + d->side);
    case TOUCHING:
        return (float)(lo + d->side * 0.3 + below(d, 2) * 2 * d->size_max) +
               (float)(d->side / 65536) * between(d, -d->jitter, d->jitter);
    case ISLANDS:
        return (float)(below(d, 3) * d->side * 1e6) + between(d, lo, lo + 4 * d->size_max);
    case ONE_SPOT:
        return one_in(d, 9) ? between(d, lo, lo + d->side) : (float)(lo + d->side * 0.3);
    default:
        return between(d, lo, lo + d->side);
    }
}

static void put(drawing *d, qd_body *body)
{
    body->x = bounded(place(d, 0));
    body->y = bounded(place(d, 1));
    body->z = d->s->config.dimensions == 3 ? bounded(place(d, 2)) : 0;
}

static float size(drawing *d)
{
    if (d->shapes == POINTS) {
        return 0;
    }
    if ((d->shapes == ALIKE || d->where == TOUCHING) && !one_in(d, 40)) {
        return (float)d->size_max;
    }
    switch (below(d, 14)) {
    case 0:
        return 0;
    case 1:
        return between(d, 0, d->side);
    case 2:
        return d->where == ABSURD && one_in(d, 4) ? 3.4e38f : (float)d->size_max;
    case 3:
    case 4:
        return (float)(d->side / 64);
    case 5:
        return one_in(d, 8) ? (float)(d->side * 3) : (float)d->size_max;
    default:
        return between(d, 0, d->size_max);
    }
}

static uint8_t draw_shape(drawing *d)
{
    static const uint8_t some[] = {QD_SPACE_BOX, QD_SPACE_CIRCLE, QD_SPACE_CAPSULE};

    switch (d->shapes) {
    case BOXES:
        return QD_SPACE_BOX;
    case CIRCLES:
    case ALIKE:
        return QD_SPACE_CIRCLE;
    case CAPSULES:
        return one_in(d, 10) ? some[below(d, 2)] : QD_SPACE_CAPSULE;
    default:
        return some[below(d, 3)];
    }
}

/* Half of the capsules lie along an axis; those of the others point anywhere. */
static void draw_form(drawing *d, qd_body *body)
{
    const uint32_t dimensions = d->s->config.dimensions;
    float half[3] = {0};

    body->shape = draw_shape(d);
    for (uint32_t k = 0; k < dimensions; k++) {
        half[k] = bounded(size(d));
    }
    if (body->shape == QD_SPACE_CAPSULE) {
        uint32_t axis = one_in(d, 2) ? below(d, dimensions) : dimensions;

        for (uint32_t k = 0; k < dimensions; k++) {
            half[k] = axis < dimensions && axis != k ? 0 : one_in(d, 2) ? half[k] : -half[k];
        }
    }
    body->half_x = half[0];
    body->half_y = half[1];
    body->half_z = half[2];
    body->radius = body->shape == QD_SPACE_CAPSULE ? bounded(size(d)) : 0;
}

static void draw_filter(drawing *d, qd_body *body)
{
    body->category = 1;
    body->mask = UINT32_MAX;
    if (one_in(d, 4)) {
        body->category = 1u << below(d, 3);
        body->mask = below(d, 8);
    }
}

/* ---- changes ---- */

static bool pick(drawing *d, uint32_t *entity)
{
    for (uint32_t tries = 0; tries < 8 && d->known > 0; tries++) {
        *entity = below(d, d->known);
        if (d->spot[*entity].here) {
            return true;
        }
    }
    return false;
}

/* A new entity, or one that was there already. */
static void spawn(drawing *d)
{
    uint32_t entity = one_in(d, 3) && d->known > 0 ? below(d, d->known) : d->known;

    if (entity >= SCRIPT_ENTITIES_MAX || d->spot[entity].here) {
        return;
    }
    spot *it = &d->spot[entity];
    *it = (spot){.here = true};
    put(d, &it->now);
    draw_form(d, &it->now);
    draw_filter(d, &it->now);
    d->known = entity < d->known ? d->known : entity + 1;
    d->here++;
    add_line(d, SCRIPT_SPAWN, entity);
}

static void despawn(drawing *d)
{
    uint32_t entity;

    if (pick(d, &entity)) {
        d->spot[entity].here = false;
        d->here--;
        add_line(d, SCRIPT_DESPAWN, entity)->reason = (qd_space_reason)(1 + below(d, 3));
    }
}

static void move_to(drawing *d, uint32_t entity, bool is_teleport)
{
    spot *it = &d->spot[entity];
    double step = d->size_max * (one_in(d, 4) ? 1 : 0.1);
    qd_body there = it->now;

    there.x = bounded(there.x + between(d, -step, step));
    there.y = bounded(there.y + between(d, -step, step));
    if (d->s->config.dimensions == 3) {
        there.z = bounded(there.z + between(d, -step, step));
    }
    uint32_t far = d->aim == SCRIPT_SWEPT ? 2 : d->s->config.swept ? 4 : 20;
    if (is_teleport || d->where == TOUCHING || one_in(d, far)) {
        put(d, &there);
    } else if (one_in(d, 10) && it->was_here) {
        there.x = it->was.x;
        there.y = it->was.y;
        there.z = it->was.z;
    } else if (one_in(d, 300)) {
        there.x = one_in(d, 2) ? 1e30f : -1e6f;
    }
    it->now = there;
}

/* A few, the same one perhaps several times; or all. */
static void move_some(drawing *d, script_verb verb)
{
    bool all = one_in(d, d->aimed > 500 ? 3 : 12);
    uint32_t wanted = all ? d->known : one_in(d, 3) ? 60 : 1 + below(d, 4), entity;

    for (uint32_t i = 0; i < wanted; i++) {
        entity = i;
        if (all ? d->spot[i].here : pick(d, &entity)) {
            move_to(d, entity, verb == SCRIPT_TELEPORT);
            add_line(d, verb, entity)->joined = i > 0;
        }
    }
}

static void reshape(drawing *d)
{
    uint32_t entity;

    if (!pick(d, &entity)) {
        return;
    }
    spot *it = &d->spot[entity];
    qd_body form = it->now;
    draw_form(d, &form);
    if (one_in(d, 4) && it->was_here) {
        form = it->was;
    } else if (!one_in(d, 3)) {
        /* The same shape, often with one of its sizes as it is. */
        uint8_t drawn = form.shape;

        form.shape = it->now.shape;
        form.half_x = one_in(d, 4) || drawn != form.shape ? it->now.half_x : form.half_x;
        form.half_y = one_in(d, 4) || drawn != form.shape ? it->now.half_y : form.half_y;
        form.radius = one_in(d, 4) ? it->now.radius : fabsf(bounded(size(d)));
    }
    it->now.shape = form.shape;
    it->now.half_x = form.half_x;
    it->now.half_y = form.half_y;
    it->now.half_z = form.half_z;
    it->now.radius = form.radius;
    if (form.shape != QD_SPACE_CAPSULE) {
        it->now.half_x = fabsf(form.half_x);
        it->now.half_y = fabsf(form.half_y);
        it->now.half_z = fabsf(form.half_z);
    }
    add_line(d, SCRIPT_RESHAPE, entity);
}

static void refilter(drawing *d)
{
    uint32_t entity;

    if (!pick(d, &entity)) {
        return;
    }
    spot *it = &d->spot[entity];
    draw_filter(d, &it->now);
    if (one_in(d, 4) && it->was_here) {
        it->now.category = it->was.category;
        it->now.mask = it->was.mask;
    }
    add_line(d, SCRIPT_REFILTER, entity);
}

/* ---- what is asked ---- */

static size_t draw_limit(drawing *d)
{
    return one_in(d, 15) ? below(d, 20) : 1u << 22;
}

static void order(float *lo, float *hi)
{
    float least = fminf(*lo, *hi);

    *hi = fmaxf(*lo, *hi);
    *lo = least;
}

static void ask(drawing *d)
{
    bool is_solid = d->s->config.dimensions == 3;
    qd_body one = {0}, other = {0};

    put(d, &one);
    put(d, &other);
    if (one_in(d, 2)) {
        other.x = bounded(one.x + size(d));
        other.y = bounded(one.y + size(d));
        other.z = is_solid ? bounded(one.z + size(d)) : 0;
    }
    qd_space_query query = {
        .kind = (qd_space_query_kind)(1 + below(d, 4)),
        .categories = one_in(d, 2) ? 0 : 1u << below(d, 3) | (one_in(d, 3) ? 1u : 0),
        .limit = one_in(d, 3)   ? 1 + below(d, 4)
                 : one_in(d, 2) ? 1 + below(d, 40)
                                : SCRIPT_ENTITIES_MAX,
        .min_x = one.x,
        .min_y = one.y,
        .min_z = one.z,
        .max_x = other.x,
        .max_y = other.y,
        .max_z = other.z,
        .x = one.x,
        .y = one.y,
        .z = one.z,
        .radius = bounded(size(d)),
        .reach = one_in(d, 2) ? (double)INFINITY : (double)between(d, 0, d->side),
        .direction_x = one_in(d, 5)   ? 0
                       : one_in(d, 8) ? 1e-40f
                                      : between(d, -3, 3),
        .direction_y = one_in(d, 5) ? 0 : between(d, -3, 3),
        .direction_z = one_in(d, 5) || !is_solid ? 0 : between(d, -3, 3),
    };
    order(&query.min_x, &query.max_x);
    order(&query.min_y, &query.max_y);
    order(&query.min_z, &query.max_z);
    if (query.direction_x == 0 && query.direction_y == 0 && query.direction_z == 0) {
        query.direction_y = one_in(d, 2) ? 1 : -3.4e38f;
    }
    script_line *line = add_line(d, SCRIPT_QUERY, 0);
    line->query = query;
    line->by_name = one_in(d, 2);
}

static void tick(drawing *d)
{
    static const qd_space_wanted wants[3] = {QD_SPACE_WANT_NOTHING, QD_SPACE_WANT_EVENTS, QD_SPACE_WANT_STAYS};
    script_line *line = add_line(d, SCRIPT_TICK, 0);

    line->wanted = one_in(d, d->aim == SCRIPT_QUERIES ? 3 : 8) ? wants[below(d, 3)] : QD_SPACE_WANT_EVENTS;
    line->limit = draw_limit(d);
    for (uint32_t i = 0; i < d->known; i++) {
        d->spot[i].was = d->spot[i].now;
        d->spot[i].was_here = d->spot[i].here;
    }
}

/* Memory that ends, at once or after a few allocations, or that is there again. */
static void spend_memory(drawing *d)
{
    script_line *line = add_line(d, SCRIPT_MEMORY, 0);

    line->spare = SIZE_MAX;
    if (one_in(d, 2)) {
        return;
    }
    /* Failing allocations are counted without a lock. */
    if (d->s->executor != SCRIPT_THREADS && one_in(d, 2)) {
        line->fail = 1 + below(d, one_in(d, 2) ? 4 : 60);
        line->fails = one_in(d, 2) ? 1 : UINT64_MAX - line->fail;
    } else {
        line->spare = one_in(d, 2) ? 0 : below(d, one_in(d, 2) ? 2000 : 100000);
    }
}

static void change(drawing *d)
{
    if (d->aim == SCRIPT_STARVED && one_in(d, 8)) {
        spend_memory(d);
    }
    uint32_t what = d->here < d->aimed && one_in(d, 2) ? 0 : below(d, 20);

    if (what == 0) {
        spawn(d);
    } else if (what == 1 && d->here > d->aimed / 2) {
        despawn(d);
    } else if (what <= 3) {
        move_some(d, SCRIPT_TELEPORT);
    } else if (what <= 5) {
        reshape(d);
    } else if (what <= 7) {
        refilter(d);
    } else {
        move_some(d, SCRIPT_MOVE);
    }
    if (one_in(d, 60)) {
        add_line(d, SCRIPT_PAIRS, 0)->limit = draw_limit(d);
    }
    if (one_in(d, d->aim == SCRIPT_QUERIES ? 6 : 100)) {
        ask(d);
    }
}

/* ---- the whole ---- */

static void draw_config(drawing *d)
{
    static const double sides[] = {1, 64, 1000, 1e6, 1e-3, 3e38}, jitters[] = {0.3, 0.6, 3, 300};
    script *s = d->s;
    const script_index *index = script_index_of_seed(s->seed);

    d->side = one_in(d, 4) ? sides[below(d, 6)] : 64;
    d->size_max = d->side * (one_in(d, 3) ? 0.15 : 0.04);
    d->jitter = jitters[below(d, 4)];
    float hi[3];
    for (uint32_t k = 0; k < 3; k++) {
        double lo = one_in(d, 3) ? -d->side / 2 : 0;

        d->lo[k] = (float)(k > 0 && d->side < 1e30 && one_in(d, 4) ? d->side * 1000 : lo);
        hi[k] = (float)(d->lo[k] + d->side * (k > 0 && one_in(d, 3) ? 0.3 : 1));
    }
    const uint32_t deepest = index->index == QD_SPACE_QUADTREE ? QD_SPACE_QUADTREE_DEPTH_MAX
                             : index->index == QD_SPACE_OCTREE ? QD_SPACE_OCTREE_DEPTH_MAX
                             : index->index != QD_SPACE_SPARSE ? 0
                             : index->dimensions == 2          ? QD_SPACE_SPARSE_DEPTH_MAX_2D
                                                               : QD_SPACE_SPARSE_DEPTH_MAX_3D;
    s->config = (qd_space_config){
        .dimensions = index->dimensions,
        .min_x = d->lo[0],
        .min_y = d->lo[1],
        .max_x = hi[0],
        .max_y = hi[1],
        .index = index->index,
        .depth = deepest == 0 || one_in(d, 2) ? 0 : 1 + below(d, one_in(d, 8) ? deepest : 6),
        .swept = d->aim == SCRIPT_SWEPT || one_in(d, 4),
        .bodies_max = d->aimed + 200,
        .key = s->seed % 4 * UINT64_C(0x9e3779b97f4a7c15),
    };
    if (index->dimensions == 3) {
        s->config.min_z = d->lo[2];
        s->config.max_z = hi[2];
    }
    if (index->index == QD_SPACE_SPARSE) {
        s->config.prune = (qd_space_prune)below(d, 5);
    }
    if ((index->index == QD_SPACE_HASH || index->index == QD_SPACE_GRID) && one_in(d, 2)) {
        static const double shares[] = {1.0 / 1000, 1.0 / 64, 0.1, 2};

        s->config.cell_size = bounded((float)(d->side * shares[below(d, 4)]));
    }
}

/* How it is run: leaves and tasks so small that a few bodies reach what takes thousands otherwise. */
static void draw_run(drawing *d)
{
    script *s = d->s;

    s->tuned = !one_in(d, 10);
    s->tuning = (qd_tuning){.leaf_rows = 1 + below(d, 12), .task_rows_min = below(d, 40), .apply_slots = 64};
    s->tuning.pending_bodies_min = one_in(d, 2) ? 0 : one_in(d, 2) ? below(d, 2 * d->aimed) : UINT32_MAX;
    if (d->aimed > 500 && one_in(d, 2)) {
        s->tuning.leaf_rows = 4096;
    }
    const uint32_t kernels = space_kernel_count();
    /* Every kernel and executor comes with every index and mixture, and from the first seeds on with some of them. */
    uint64_t round = s->seed / script_index_count / MIXTURES, turn = s->seed % script_index_count + d->shapes;
    s->kernel = (uint32_t)((round + turn) % kernels);
    s->executor = (script_executor)((round / kernels + turn) % SCRIPT_EXECUTORS);
    s->workers = s->executor == SCRIPT_SERIAL ? 1 : 2 + below(d, 2);
}

const script_index *script_index_of_seed(uint64_t seed)
{
    return &script_indexes[seed % script_index_count];
}

uint64_t script_round(void)
{
    return (uint64_t)script_index_count * MIXTURES * space_kernel_count() * SCRIPT_EXECUTORS;
}

void script_draw(script *s, script_aim aim, uint64_t seed)
{
    static drawing d;

    memset(&d, 0, sizeof d);
    *s = (script){.seed = seed};
    d.s = s;
    d.aim = aim;
    d.rng.state = seed * 2654435761u + 1 + (uint64_t)aim;
    d.shapes = (mixture)(seed / script_index_count % MIXTURES);
    d.where = (style)below(&d, STYLES);
    d.aimed = one_in(&d, 3) ? 4 + below(&d, 20) : 30 + below(&d, 150);
    if (one_in(&d, 80)) { /* long lists */
        d.aimed = 600 + below(&d, 800);
        d.where = one_in(&d, 2) ? TOUCHING : d.where;
    }
    draw_config(&d);
    draw_run(&d);
    for (uint32_t ticks = d.aimed > 500 ? 6 : 8 + below(&d, 16), i = 0; i < ticks; i++) {
        uint32_t changes = one_in(&d, 6) ? 0 : below(&d, i == 0 ? 2 * d.aimed + 20 : 30);

        for (uint32_t j = 0; j < changes; j++) {
            change(&d);
        }
        if (aim == SCRIPT_STARVED && one_in(&d, 3)) {
            spend_memory(&d);
        }
        tick(&d);
        for (uint32_t j = 0; aim == SCRIPT_QUERIES && j < 6; j++) {
            ask(&d);
        }
    }
}

void script_free(script *s)
{
    free(s->line);
    s->line = NULL;
    s->count = s->capacity = 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * What a tick of a space costs: ns of thread time per entity, medians, for the moves (update) and for finding all begins
 * and ends (traversal, with settle), less the cost of reading the clock; `worst` is the longest tick.
 *
 *     bench_space_tick [OPTION]...
 *
 *     --workload PART      only scenes of crowd.h with this in their name
 *     --count N            entities per scene, in a world of the same density (the scene's own number)
 *     --moving PERCENT     how many of a scene's entities move (the scene's own share)
 *     --warm N             ticks before the measured ones (5); with 0, the first tick is often the `worst`
 *     --index NAME         only auto, quadtree, octree, sparse, hash, grid or brute (all)
 *     --kernel PART        only kernels with this in their name (the fastest); "" for all
 *     --dimensions N       2 (default) or 3
 *     --shape NAME         box (default), circle or capsule, of the same extent
 *     --filters            the filters of one in six pairs agree
 *     --no-agreement       no filters agree
 *     --swept              report passed pairs, too
 *     --in-order           bodies move in the order in which they were added (in no order)
 *     --workers N          on a pool of N threads; figures are then elapsed time
 *
 * The exit status is 1 if the indexes find different begins, ends or passed pairs. Brute force is measured up to 10,000
 * entities.
 */
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

#include "crowd.h"
#include "median.h"
#include "server/work/pool.h"
#include "support/spaces.h"

#define BRUTE_COUNT_MAX 10000u

typedef struct choice {
    const char *workload, *kernel;
    qd_space_index index; /* 0: all */
    uint32_t count;       /* 0: each workload's own */
    double moving;        /* a share; below 0: likewise */
    uint32_t warm;        /* ticks before those that are measured */
    uint32_t dimensions, workers;
    qd_space_shape shape;
    bool filters, no_agreement, swept, in_order;
} choice;

static const char *const shape_names[] = {"", "box", "circle", "capsule"};

/* ---- the crowd as bodies ---- */

static qd_body body_of(const crowd *c, const choice *chosen, uint32_t i)
{
    const float half = c->half[i];
    qd_body body = {
        .x = c->at[0][i],
        .y = c->at[1][i],
        .half_x = crowd_half(c, i, 0),
        .half_y = half,
        .category = chosen->filters ? 1u << i % 4 : 1,
        .mask = chosen->no_agreement ? 2
                : chosen->filters    ? 5u << i % 3
                                     : UINT32_MAX,
        .shape = (uint8_t)chosen->shape,
    };

    if (c->dimensions == 3) {
        body.z = c->at[2][i];
        body.half_z = half;
    }
    if (chosen->shape == QD_SPACE_CAPSULE) {
        /* As long as the box is, half as wide, along an axis or across two. */
        body.radius = half * 0.5f;
        body.half_x = i % 3 != 0 ? half * 0.5f : 0;
        body.half_y = i % 3 != 1 ? half * 0.5f : 0;
        body.half_z = 0;
    }
    return body;
}

/* The order in which bodies are added. Rooms in which entities come and go move them in no order. */
static uint32_t *order_of(const crowd *c, bool in_order)
{
    uint32_t *order = malloc(c->count * sizeof *order);
    rng_stream rng = {54321};

    for (uint32_t i = 0; i < c->count; i++) {
        const uint32_t other = in_order ? i : rng_below(&rng, i + 1);

        order[i] = order[other];
        order[other] = i;
    }
    return order;
}

static qd_space *make(const crowd *c, const choice *chosen, qd_space_index index, qd_heap *heap, uint32_t *slot)
{
    const float bounds = (float)(c->load->hard == OUTSIDE ? c->side / 2 : c->side);
    qd_space_config config = space_config_of(chosen->dimensions, index, 0, bounds, QD_SPACE_SLOTS_MAX);
    qd_space *space;

    config.swept = chosen->swept;
    if (qd_space_create(&config, heap, &space) != QD_OK) {
        return NULL;
    }
    uint32_t *order = order_of(c, chosen->in_order);
    for (uint32_t i = 0; i < c->count; i++) {
        qd_body body = body_of(c, chosen, order[i]);

        if (qd_space_add(space, &body, &slot[order[i]]) != QD_OK) {
            abort();
        }
    }
    free(order);
    return space;
}

/* ---- measuring ---- */

typedef struct measured {
    double update[512], walk[512], total[512];
    uint64_t events;
    uint64_t digest; /* of all events, in any order */
    qd_space_counters before, after;
    size_t bytes;
} measured;

typedef struct run {
    qd_actor actor;
    const choice *chosen;
    const workload *load;
    qd_space_index index;
    const qd_executor *executor;
    clockid_t clock;
    double look_ns; /* at that clock */
    measured *result;
    bool is_refused;
    sem_t done;
} run;

static double now_ns(const run *r)
{
    struct timespec time;

    clock_gettime(r->clock, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* The minimum time between two readings of the clock, which is a large part of a tick of few bodies. */
static double clock_ns(const run *r)
{
    double least = INFINITY;

    for (int i = 0; i < 1000; i++) {
        double start = now_ns(r);

        least = fmin(least, now_ns(r) - start);
    }
    return least;
}

static void tick(const run *r, qd_space *space, const crowd *c, const uint32_t *slot, uint32_t t)
{
    measured *m = r->result;
    const uint32_t warm = r->chosen->warm;
    qd_space_events found;
    double start = now_ns(r);

    qd_space_move(space, c->moving, slot, c->at[0], c->at[1], c->at[2]);
    double moved = now_ns(r);
    qd_space_tick(space, r->executor, QD_SPACE_WANT_EVENTS, SIZE_MAX / 16, &found);
    (void)qd_space_settle(space);
    double done = now_ns(r);
    m->digest += space_events_digest(&found) * (t + 1);
    if (t < warm) {
        qd_space_counters_get(space, &m->before);
        return;
    }
    m->update[t - warm] = moved - start - r->look_ns;
    m->walk[t - warm] = done - moved - r->look_ns;
    m->total[t - warm] = done - start - 2 * r->look_ns;
    m->events += found.count;
}

static void measure(run *r)
{
    crowd c;
    qd_heap heap;

    crowd_init(&c, r->load, r->chosen->dimensions);
    qd_heap_init(&heap);
    uint32_t *slot = malloc(c.count * sizeof *slot);
    qd_space *space = make(&c, r->chosen, r->index, &heap, slot);
    r->is_refused = space == NULL;
    r->look_ns = clock_ns(r);
    for (uint32_t t = 0; !r->is_refused && t < r->load->ticks + r->chosen->warm; t++) {
        crowd_step(&c);
        tick(r, space, &c, slot, t);
    }
    if (!r->is_refused) {
        qd_space_counters_get(space, &r->result->after);
        r->result->bytes = heap.bytes;
        qd_space_destroy(space);
    }
    qd_heap_deinit(&heap);
    crowd_deinit(&c);
    free(slot);
}

static void run_measure(qd_actor *actor)
{
    run *r = (run *)actor;

    measure(r);
    sem_post(&r->done);
}

/* On a pool of workers, the traversal is part of an actor's run. */
static void measure_on_pool(run *r)
{
    qd_pool *pool;

    if (qd_pool_create(r->chosen->workers, &pool) != QD_OK) {
        abort();
    }
    const qd_scheduler *scheduler = qd_pool_scheduler(pool);
    r->executor = scheduler->executor;
    r->clock = CLOCK_MONOTONIC;
    sem_init(&r->done, 0, 0);
    qd_actor_init(&r->actor, run_measure);
    scheduler->wake(scheduler->context, &r->actor);
    sem_wait(&r->done); /* asleep, since reading the clock here would take time from a worker */
    sem_destroy(&r->done);
    qd_pool_destroy(pool);
}

/* ---- the table ---- */

static double worst(const double *values, uint32_t count)
{
    double most = 0;

    for (uint32_t i = 0; i < count; i++) {
        most = fmax(most, values[i]);
    }
    return most;
}

static void print(const run *r, const char *kernel)
{
    measured *m = r->result;
    const double n = r->load->count, ticks = r->load->ticks;
    char index[32];

    snprintf(index, sizeof index, "%s%s%s", space_index_names[r->index], r->index == QD_SPACE_AUTO ? ": " : "",
             r->index == QD_SPACE_AUTO ? space_index_names[m->after.index] : "");
    printf("%-10s %-15s %-9s %9.2f %9.2f %9.2f %9.2f %10.0f %8.2f%% %9.1f %7.2f %6u %7.0f\n", r->load->name, index,
           kernel, median(m->total, r->load->ticks) / n, worst(m->total, r->load->ticks) / n,
           median(m->update, r->load->ticks) / n, median(m->walk, r->load->ticks) / n, (double)m->events / ticks,
           (double)(m->after.list_operations - m->before.list_operations) / ticks / n * 50,
           (double)(m->after.tests - m->before.tests) / ticks / n,
           (double)(m->after.exact_tests - m->before.exact_tests) / ticks / n, m->after.depth, (double)m->bytes / n);
    fflush(stdout);
}

/* Every index and kernel that is chosen. False: one found other events than the first. */
static bool measure_all(const choice *chosen, const workload *load)
{
    static measured result;
    bool is_same = true, is_first = true;
    uint64_t digest = 0;

    for (uint32_t i = QD_SPACE_AUTO; i <= QD_SPACE_BRUTE; i++) {
        if ((chosen->index != 0 && chosen->index != i) || (i == QD_SPACE_BRUTE && load->count > BRUTE_COUNT_MAX)) {
            continue;
        }
        for (uint32_t k = 0; qd_space_kernel_at(k) != NULL; k++) {
            const char *kernel = qd_space_kernel_at(k);

            if (chosen->kernel == NULL ? qd_space_kernel_at(k + 1) != NULL : strstr(kernel, chosen->kernel) == NULL) {
                continue;
            }
            qd_space_kernel_select(kernel);
            memset(&result, 0, sizeof result);
            run r = {.chosen = chosen,
                     .load = load,
                     .index = (qd_space_index)i,
                     .executor = &qd_executor_serial,
                     .clock = CLOCK_THREAD_CPUTIME_ID,
                     .result = &result};
            (chosen->workers > 1 ? measure_on_pool : measure)(&r);
            if (r.is_refused) {
                continue; /* an index of the other dimensions */
            }
            print(&r, kernel);
            if (!is_first && digest != result.digest) {
                printf("WRONG: other events than above\n");
                is_same = false;
            }
            digest = is_first ? result.digest : digest;
            is_first = false;
        }
    }
    return is_same;
}

static uint32_t shape_named(const char *name)
{
    for (uint32_t i = QD_SPACE_BOX; i <= QD_SPACE_CAPSULE; i++) {
        if (strcmp(name, shape_names[i]) == 0) {
            return i;
        }
    }
    return 0;
}

static bool parse(int count, char **arguments, choice *chosen)
{
    for (int i = 1; i < count; i++) {
        const char *option = arguments[i], *value = i + 1 < count ? arguments[i + 1] : NULL;

        if (strcmp(option, "--filters") == 0) {
            chosen->filters = true;
            continue;
        }
        if (strcmp(option, "--no-agreement") == 0) {
            chosen->no_agreement = true;
            continue;
        }
        if (strcmp(option, "--swept") == 0) {
            chosen->swept = true;
            continue;
        }
        if (strcmp(option, "--in-order") == 0) {
            chosen->in_order = true;
            continue;
        }
        if (value == NULL) {
            return false;
        }
        i++;
        if (strcmp(option, "--workload") == 0) {
            chosen->workload = value;
        } else if (strcmp(option, "--count") == 0 && strtoul(value, NULL, 10) > 0) {
            chosen->count = (uint32_t)strtoul(value, NULL, 10);
        } else if (strcmp(option, "--moving") == 0 && strtod(value, NULL) >= 0 && strtod(value, NULL) <= 100) {
            chosen->moving = strtod(value, NULL) / 100;
        } else if (strcmp(option, "--warm") == 0 && value[0] >= '0' && value[0] <= '9') {
            chosen->warm = (uint32_t)strtoul(value, NULL, 10);
        } else if (strcmp(option, "--index") == 0 && space_index_named(value) != 0) {
            chosen->index = space_index_named(value);
        } else if (strcmp(option, "--kernel") == 0) {
            chosen->kernel = value;
        } else if (strcmp(option, "--dimensions") == 0 && (strcmp(value, "2") == 0 || strcmp(value, "3") == 0)) {
            chosen->dimensions = (uint32_t)(value[0] - '0');
        } else if (strcmp(option, "--shape") == 0 && shape_named(value) > 0) {
            chosen->shape = (qd_space_shape)shape_named(value);
        } else if (strcmp(option, "--workers") == 0 && strtoul(value, NULL, 10) > 0) {
            chosen->workers = (uint32_t)strtoul(value, NULL, 10);
        } else {
            return false;
        }
    }
    return true;
}

int main(int count, char **arguments)
{
    choice chosen = {.workload = "", .moving = -1, .warm = 5, .dimensions = 2, .workers = 1, .shape = QD_SPACE_BOX};

    if (!parse(count, arguments, &chosen)) {
        fprintf(stderr,
                "usage: %s [--workload PART] [--count N] [--moving PERCENT] [--warm N] [--index "
                "auto|quadtree|octree|sparse|hash|grid|brute] "
                "[--kernel PART] "
                "[--dimensions 2|3] [--shape box|circle|capsule] [--filters] [--no-agreement] [--swept] [--in-order] "
                "[--workers N]\n",
                arguments[0]);
        return 2;
    }
    printf("ns per entity and tick; exact: pairs per entity in the exact test; moved: entities that changed cells\n");
    printf("%-10s %-15s %-9s %9s %9s %9s %9s %10s %9s %9s %7s %6s %7s\n", "workload", "index", "kernel", "total",
           "worst", "update", "traversal", "events", "moved", "tests", "exact", "depth", "bytes");
    bool is_same = true;
    for (size_t i = 0; i < sizeof workloads / sizeof *workloads; i++) {
        workload load = workloads[i];

        load.count = chosen.count > 0 ? chosen.count : load.count;
        load.moving = chosen.moving >= 0 ? chosen.moving : load.moving;
        if (strstr(load.name, chosen.workload) != NULL) {
            is_same = measure_all(&chosen, &load) && is_same;
        }
    }
    return is_same ? 0 : 1;
}

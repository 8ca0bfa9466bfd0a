/* SPDX-License-Identifier: Apache-2.0 */
#include "run.h"

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>

#include "seeds.h"
#include "server/space/space.h"

struct met *met;

void fail(const struct run *run, const char *format, ...)
{
    va_list arguments;

    fprintf(stderr, "seed %" PRIu64 ", command %u, %s: ", run->seed, met->command,
            run->is_short    ? "without memory"
            : run->reference ? "against the reference"
                             : "against the first run");
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\n");
    exit(1);
}

void mix(struct run *run, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;

    for (size_t i = 0; i < size; i++) {
        run->hash = (run->hash ^ at[i]) * 0x100000001b3u;
    }
}
void mix_number(struct run *run, uint64_t number)
{
    mix(run, &number, sizeof number);
}

/* ---- executors ---- */

static void run_shuffled(void *context, size_t count, qd_task_fn task, void *argument)
{
    rng_stream *order = context;
    size_t *index = malloc((count + 1) * sizeof *index);

    for (size_t i = 0; i < count; i++) {
        size_t at = rng_below(order, (uint32_t)i + 1);

        index[i] = index[at];
        index[at] = i;
    }
    for (size_t i = 0; i < count; i++) {
        task(index[i], argument);
    }
    free(index);
}

struct fork_join {
    _Atomic size_t next;
    size_t count;
    qd_task_fn task;
    void *argument;
};

static void *take_tasks(void *context)
{
    struct fork_join *work = context;

    for (size_t index; (index = atomic_fetch_add(&work->next, 1)) < work->count;) {
        work->task(index, work->argument);
    }
    return NULL;
}

static void run_threads(void *context, size_t count, qd_task_fn task, void *argument)
{
    size_t helpers = *(size_t *)context - 1;
    struct fork_join work = {.count = count, .task = task, .argument = argument};
    pthread_t threads[8];

    for (size_t i = 0; i < helpers; i++) {
        if (pthread_create(&threads[i], NULL, take_tasks, &work) != 0) {
            abort();
        }
    }
    take_tasks(&work);
    for (size_t i = 0; i < helpers; i++) {
        pthread_join(threads[i], NULL);
    }
}

/* The executor of the run beside the reference. */
static void count_split(void *context, size_t count, qd_task_fn task, void *argument)
{
    met->split_traversals += count > 1;
    qd_executor_serial.run(context, count, task, argument);
}

/* ---- shortage ---- */

/* How many allocations the commands made in the first run. */
static uint64_t tries[SEEDS_COMMANDS_MAX];

/* Of every other command that allocates, one allocation fails: any. */
static void begin_shortage(struct run *run, uint32_t command)
{
    rng_stream rng = {run->seed * 31 + command};

    run->is_short = tries[command] > 0 && rng_one_in(&rng, 2);
    if (run->is_short) {
        (void)qd_memory_fail(1 + rng_below(&rng, (uint32_t)tries[command]), 1);
    }
}

void end_shortage(struct run *run)
{
    run->tried += qd_memory_fail(0, 0);
}

static void do_command(const script_kind *kind, struct run *run, rng_stream *rng, uint32_t command, bool shortage)
{
    (void)qd_memory_fail(0, 0);
    run->tried = 0;
    if (shortage) {
        begin_shortage(run, command);
    }
    kind->command(run, rng, command);
    end_shortage(run);
    tries[command] = run->turn == 0 ? run->tried : tries[command];
    run->was_short |= run->is_short;
    run->is_short = false;
}

/* ---- scripts ---- */

/* Returns the hash of all answers. */
static uint64_t run_once(const script_kind *kind, uint64_t seed, uint32_t limit, const qd_executor *executor,
                         uint32_t turn, bool shortage)
{
    static struct run run; /* large */
    rng_stream rng = {seed ^ 0x5bd1e9955bd1e995u};
    qd_room_config config;

    memset(&run, 0, sizeof run);
    run.seed = seed;
    run.executor = executor;
    run.turn = turn;
    run.hash = 0xcbf29ce484222325u;
    run.left = QD_ROOM_OWNED;
    run.ticks_since = UINT32_MAX / 2;
    for (uint32_t actor = 0; actor < ACTORS; actor++) {
        run.member[actor] = QD_ROOM_OWNED;
    }
    uint32_t commands = kind->set_up(&run, &rng, &config);
    qd_heap_init(&run.heap);
    REQUIRE(&run, qd_room_create(&config, &run.heap, seed * 77, &run.room) == QD_OK);
    kind->begin(&run, &config, turn == 0 || shortage);
    for (met->command = 0; met->command < commands && met->command < limit; met->command++) {
        rng_stream own = {seed * 0x100000001u + (uint64_t)met->command * 0x9e3779b9u};

        if (!seeds_left_out[met->command]) {
            do_command(kind, &run, &own, met->command, shortage);
        }
    }
    qd_room_destroy(run.room);
    REQUIRE(&run, run.heap.bytes == 0);
    qd_heap_deinit(&run.heap);
    kind->end(&run);
    return run.hash;
}

void run_script(const script_kind *kind, uint64_t seed, uint32_t limit)
{
    rng_stream order = {seed};
    size_t two = 2, four = 4;
    const qd_executor executors[] = {
        {.run = count_split, .width = 4},
        {.run = qd_executor_serial.run, .width = 1},
        {.run = run_shuffled, .width = 4, .context = &order},
        {.run = run_threads, .width = 2, .context = &two},
        {.run = run_threads, .width = 4, .context = &four},
    };
    uint64_t hash = 0;

    for (uint32_t turn = 0; turn < sizeof executors / sizeof executors[0]; turn++) {
        uint64_t found = run_once(kind, seed, limit, &executors[turn], turn, false);

        if (turn > 0 && found != hash) {
            fprintf(stderr, "seed %" PRIu64 ": other answers on executor %u\n", seed, turn);
            exit(1);
        }
        hash = found;
    }
    if (kind->knows_shortage) {
        (void)run_once(kind, seed, limit, &executors[0], sizeof executors / sizeof executors[0], true);
    }
}

/* ---- drawing ---- */

uint32_t id_of(const struct run *run, uint32_t number)
{
    switch (run->id_style) {
    case 0:
        return number;
    case 1:
        return number * 2654435761u;
    default:
        return number % 2 ? number : UINT32_MAX - number;
    }
}

uint32_t draw_id(const struct run *run, rng_stream *rng)
{
    return id_of(run, rng_below(rng, run->universe));
}

qd_space_config draw_space(const struct run *run, rng_stream *rng)
{
    static const qd_space_index indexes[] = {
        0, QD_SPACE_AUTO, QD_SPACE_QUADTREE, QD_SPACE_SPARSE, QD_SPACE_HASH, QD_SPACE_GRID, QD_SPACE_BRUTE};
    float far = (float)run->side * (rng_one_in(rng, 3) ? 0.5f : 1);
    qd_space_config config = {
        .dimensions = run->is_3d ? 3 : 2,
        .max_x = far,
        .max_y = far,
        .max_z = run->is_3d ? far : 0,
        .index = indexes[rng_below(rng, sizeof indexes / sizeof indexes[0])],
        .swept = run->swept,
    };

    if (config.index == QD_SPACE_QUADTREE && run->is_3d) {
        config.index = QD_SPACE_OCTREE;
    }
    if (config.index == QD_SPACE_SPARSE) {
        config.prune = rng_below(rng, QD_SPACE_PRUNE_LAZY + 1);
        config.depth = rng_below(rng, run->is_3d ? QD_SPACE_SPARSE_DEPTH_MAX_3D + 1 : QD_SPACE_SPARSE_DEPTH_MAX_2D + 1);
    } else if (config.index == QD_SPACE_HASH || config.index == QD_SPACE_GRID) {
        config.cell_size = rng_one_in(rng, 2) ? 0.5f + (float)rng_below(rng, 10) : 0;
    } else if (config.index != QD_SPACE_BRUTE && rng_one_in(rng, 2)) {
        config.depth = 1 + rng_below(rng, run->is_3d ? QD_SPACE_OCTREE_DEPTH_MAX : QD_SPACE_QUADTREE_DEPTH_MAX);
    }
    return config;
}

float draw_coordinate(const struct run *run, rng_stream *rng)
{
    if (run->dirty && rng_one_in(rng, 40)) {
        static const float odd[] = {NAN, INFINITY, -INFINITY, -0.0f, 1e-40f, -1e5f, 3e38f, -3e38f, 1e30f, -1e9f};

        return odd[rng_below(rng, sizeof odd / sizeof odd[0])];
    }
    if (rng_one_in(rng, 3)) { /* anywhere, and not on any grid */
        return ((float)rng_below(rng, 1u << 24) / (float)(1u << 24) * 1.2f - 0.1f) * (float)run->side;
    }
    return (float)rng_below(rng, run->side * 2 + 1) * 0.5f;
}

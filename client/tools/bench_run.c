/* SPDX-License-Identifier: Apache-2.0
 *
 * A run: opens its own rooms, assigns them to connections, runs the drivers for a while, checks, and closes the rooms.
 */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

qd_bench_options qd_bench_default_options(const qd_bench *bench, double warm_seconds_max)
{
    return (qd_bench_options){.rooms = 1,
                              .connections = 1,
                              .threads = 1,
                              .dimensions = 2,
                              .index = QD_INDEX_AUTO,
                              .seconds = bench->seconds,
                              .warm_seconds = fmin(bench->seconds, warm_seconds_max),
                              .check = QD_BENCH_CHECK_END,
                              .is_quiet = true};
}

/* ---- opening ---- */

/* All allocations of a run. */
typedef struct run_state {
    qd_bench_connection *connections; /* the writers, then the readers */
    qd_bench_lane *lanes;             /* in the same order */
    qd_bench_lane **lane_links;       /* twice as many: for by_room of connections, and for the drivers */
    qd_bench_driver *drivers;
    uint32_t connection_count, lane_count, writer_lane_count;
    uint32_t folding_count;       /* lanes that fold their pairs */
    qd_bench_figures *unmeasured; /* received outside of the measurement */
    qd_bench_figures *window;     /* received since the last progress line */
    qd_bench_stalled stalled;
} run_state;

static bool fold_pairs(const qd_bench *bench, run_state *all, qd_bench_lane *lane)
{
    const qd_bench_options *options = &bench->options;

    if (options->check == QD_BENCH_CHECK_NONE || (options->check_max > 0 && all->folding_count >= options->check_max)) {
        return true;
    }
    all->folding_count++;
    lane->pairs = qd_pairs_create();
    return lane->pairs != NULL;
}

/* Assigns rooms to connections. With more connections than rooms, assigns connections to rooms, which share its
 * entities. */
static bool assign_rooms(qd_bench *bench, run_state *all)
{
    const qd_bench_options *options = &bench->options;
    uint32_t rooms = options->rooms, connections = options->connections;
    uint32_t at = 0;

    for (uint32_t index = 0; index < connections; index++) {
        qd_bench_connection *connection = &all->connections[index];

        connection->bench = bench;
        connection->figures = all->unmeasured;
        connection->lanes = &all->lanes[at];
        connection->by_room = &all->lane_links[at];
        connection->lane_count = rooms > connections ? (rooms - index + connections - 1) / connections : 1;
        for (uint32_t turn = 0; turn < connection->lane_count; turn++, at++) {
            qd_bench_lane *lane = &all->lanes[at];
            uint32_t assigned = index + turn * connections;
            uint64_t part = assigned / rooms;
            uint64_t parts = rooms > connections ? 1 : (connections - assigned % rooms + rooms - 1) / rooms;
            uint64_t first_id = options->entities * part / parts;
            uint64_t end_id = options->entities * (part + 1) / parts;

            lane->connection = connection;
            lane->room_index = assigned % rooms;
            lane->is_first = part == 0;
            connection->by_room[turn] = lane;
            all->lane_links[all->lane_count + at] = lane;
            if (!qd_bench_lane_init(lane, (uint32_t)first_id, (uint32_t)(end_id - first_id)) ||
                (options->subscribe != QD_BENCH_NONE && !fold_pairs(bench, all, lane))) {
                return false;
            }
        }
    }
    return true;
}

/* Assigns readers to the rooms in turn. */
static bool init_readers(qd_bench *bench, run_state *all)
{
    for (uint32_t index = 0; index < bench->options.readers; index++) {
        qd_bench_lane *lane = &all->lanes[all->writer_lane_count + index];

        qd_bench_reader_init(bench, &all->connections[bench->options.connections + index], lane,
                             &all->lane_links[all->writer_lane_count + index], index, all->unmeasured);
        if (!fold_pairs(bench, all, lane)) {
            return false;
        }
    }
    return true;
}

static bool acquire(qd_bench *bench, run_state *all)
{
    const qd_bench_options *options = &bench->options;

    all->connection_count = options->connections + options->readers;
    all->writer_lane_count = options->rooms > options->connections ? options->rooms : options->connections;
    all->lane_count = all->writer_lane_count + options->readers;
    all->connections = calloc(all->connection_count, sizeof *all->connections);
    all->lanes = calloc(all->lane_count, sizeof *all->lanes);
    all->lane_links = calloc(2 * (size_t)all->lane_count, sizeof(qd_bench_lane *));
    all->drivers = calloc(options->threads, sizeof *all->drivers);
    all->unmeasured = calloc(2, sizeof *all->unmeasured);
    if (!all->connections || !all->lanes || !all->lane_links || !all->drivers || !all->unmeasured ||
        !assign_rooms(bench, all) || !init_readers(bench, all)) {
        qd_bench_fail(bench, "out of memory for %u rooms of %u entities", options->rooms, options->entities);
        return false;
    }
    all->window = &all->unmeasured[1];
    return true;
}

static void release(const qd_bench *bench, run_state *all)
{
    for (uint32_t index = 0; all->connections && index < all->connection_count; index++) {
        qd_client_destroy(all->connections[index].client);
        qd_bench_together_free(&all->connections[index]);
    }
    for (uint32_t index = 0; all->lanes && index < all->lane_count; index++) {
        qd_bench_lane_deinit(&all->lanes[index]);
    }
    free(all->connections);
    free(all->lanes);
    free(all->lane_links);
    free(all->drivers);
    free(all->unmeasured);
    qd_bench_stalled_close(bench, &all->stalled);
}

static bool lanes_are_in(const qd_bench_connection *connection)
{
    for (uint32_t index = 0; index < connection->lane_count; index++) {
        if (connection->lanes[index].setup_seq) {
            return false;
        }
    }
    return true;
}

static bool open_all(qd_bench *bench, run_state *all)
{
    char error[512];

    if (!qd_bench_allows_files((uint64_t)all->connection_count + bench->options.stalled, error, sizeof error)) {
        qd_bench_fail(bench, "%s", error);
    }
    for (uint32_t index = 0; index < all->connection_count; index++) {
        if (qd_bench_is_stopped(bench) || !qd_bench_connect(bench, &all->connections[index]) ||
            !qd_bench_open_rooms(bench, &all->connections[index])) {
            return false;
        }
    }
    for (uint32_t index = 0; index < bench->options.connections; index++) {
        qd_bench_connection *connection = &all->connections[index];

        for (uint32_t lane = 0; lane < connection->lane_count; lane++) {
            qd_bench_lane_start(&connection->lanes[lane]);
        }
        if (!qd_bench_wait(connection, lanes_are_in, "entities to be spawned")) {
            return false;
        }
    }
    for (uint32_t index = bench->options.connections; index < all->connection_count; index++) {
        if (!qd_bench_reader_subscribe(&all->connections[index], false)) {
            return false;
        }
    }
    return qd_bench_stalled_open(bench, &all->stalled);
}

/* ---- measuring ---- */

/* Gives each driver consecutive connections, and the lanes of the writers among them. */
static void share_connections(qd_bench *bench, run_state *all)
{
    uint64_t threads = bench->options.threads, connections = all->connection_count;
    uint32_t lane = 0;

    memset(all->drivers, 0, threads * sizeof *all->drivers);
    for (uint32_t index = 0; index < threads; index++) {
        qd_bench_driver *driver = &all->drivers[index];
        uint32_t first = (uint32_t)(connections * index / threads);
        uint32_t end = (uint32_t)(connections * (index + 1) / threads);

        driver->bench = bench;
        driver->connections = &all->connections[first];
        driver->connection_count = end - first;
        driver->lanes = &all->lane_links[all->lane_count + lane];
        pthread_mutex_init(&driver->lock, NULL);
        for (; first < end; first++) {
            all->connections[first].figures = &driver->recent;
            if (first < bench->options.connections) {
                driver->lane_count += all->connections[first].lane_count;
            }
        }
        lane += driver->lane_count;
    }
}

static void collect(qd_bench *bench, run_state *all, qd_bench_figures *total)
{
    memset(all->window, 0, sizeof *all->window);
    for (uint32_t index = 0; index < bench->options.threads; index++) {
        qd_bench_driver *driver = &all->drivers[index];

        pthread_mutex_lock(&driver->lock);
        qd_bench_figures_add(all->window, &driver->recent);
        memset(&driver->recent, 0, sizeof driver->recent);
        pthread_mutex_unlock(&driver->lock);
    }
    qd_bench_figures_add(total, all->window);
}

static bool drivers_are_done(const qd_bench *bench, const run_state *all)
{
    for (uint32_t index = 0; index < bench->options.threads; index++) {
        if (!atomic_load(&all->drivers[index].is_done)) {
            return false;
        }
    }
    return true;
}

static void report_progress(qd_bench *bench, run_state *all, qd_bench_figures *total)
{
    uint64_t last_ns = bench->start_ns;

    while (!drivers_are_done(bench, all)) {
        const struct timespec pause = {0, 10000000};
        uint64_t now_ns = qd_now_ns();

        if (now_ns >= last_ns + 1000000000u && !bench->options.is_quiet) {
            collect(bench, all, total);
            qd_bench_print_progress(all->window, (double)(now_ns - bench->start_ns) / 1e9,
                                    (double)(now_ns - last_ns) / 1e9);
            last_ns = now_ns;
        }
        nanosleep(&pause, NULL);
    }
}

/* A little later. The only writer of one room sends halfway between two ticks, if it knows the room's clock. */
static uint64_t start_time_ns(const qd_bench *bench, const run_state *all)
{
    const qd_bench_lane *writer = &all->connections[0].lanes[0];
    uint64_t start_ns = qd_now_ns() + 10000000;

    if (bench->options.rooms == 1 && bench->options.connections == 1 && writer->has_earliest) {
        uint64_t period_ns = 1000000000u / bench->options.hz;

        start_ns += period_ns - (start_ns - writer->earliest_ns - period_ns / 2) % period_ns;
    }
    return start_ns;
}

/* Returns the seconds from the start to the end, or to the last answer if that was later. */
static double measure(qd_bench *bench, run_state *all, double seconds, qd_bench_figures *total)
{
    uint32_t started = 0;

    share_connections(bench, all);
    bench->start_ns = start_time_ns(bench, all);
    bench->end_ns = bench->start_ns + (uint64_t)(seconds * 1e9);
    while (started < bench->options.threads &&
           pthread_create(&all->drivers[started].thread, NULL, qd_bench_drive, &all->drivers[started]) == 0) {
        started++;
    }
    for (uint32_t index = started; index < bench->options.threads; index++) {
        atomic_store(&all->drivers[index].is_done, true);
    }
    if (started < bench->options.threads) {
        qd_bench_fail(bench, "--threads %u: the system started only %u", bench->options.threads, started);
    }
    report_progress(bench, all, total);
    uint64_t done_ns = bench->start_ns;
    for (uint32_t index = 0; index < started; index++) {
        pthread_join(all->drivers[index].thread, NULL);
        if (all->drivers[index].done_ns > done_ns) {
            done_ns = all->drivers[index].done_ns;
        }
    }
    collect(bench, all, total);
    for (uint32_t index = 0; index < all->connection_count; index++) {
        all->connections[index].figures = all->unmeasured;
    }
    for (uint32_t index = 0; index < bench->options.threads; index++) {
        pthread_mutex_destroy(&all->drivers[index].lock);
    }
    if (done_ns < bench->end_ns && !qd_bench_is_stopped(bench)) {
        done_ns = bench->end_ns;
    }
    return (double)(done_ns - bench->start_ns) / 1e9;
}

/* ---- the end ---- */

/* The first lane of each room requests statistics. So does a lane that folds pairs: the answer follows all its
 * events. */
static bool needs_stats(const qd_bench_lane *lane)
{
    return lane->is_first || lane->pairs != NULL;
}

static bool stats_are_in(const qd_bench_connection *connection)
{
    for (uint32_t index = 0; index < connection->lane_count; index++) {
        if (needs_stats(&connection->lanes[index]) && !connection->lanes[index].has_stats) {
            return false;
        }
    }
    return true;
}

static bool get_stats(qd_bench *bench, run_state *all)
{
    for (uint32_t index = 0; index < all->connection_count; index++) {
        qd_bench_connection *connection = &all->connections[index];

        for (uint32_t turn = 0; turn < connection->lane_count; turn++) {
            qd_bench_lane *lane = &connection->lanes[turn];

            lane->ticks_before = lane->stats.tick;
            lane->skipped_before = lane->stats.ticks_skipped;
            lane->has_stats = false;
            if (needs_stats(lane)) {
                qd_client_get_stats(connection->client, lane->room);
            }
        }
    }
    for (uint32_t index = 0; index < all->connection_count; index++) {
        if (!qd_bench_wait(&all->connections[index], stats_are_in, "statistics")) {
            return false;
        }
    }
    return !qd_bench_is_stopped(bench);
}

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

/* If the server lags, the rooms answer at different times and tick until then. So the rooms are compared over the ticks
 * that were due in all of them: each made these ticks less those that it skipped. */
struct span {
    uint64_t ticks_due, skipped_min, skipped_max;
};

static void add_room(qd_bench_server_figures *figures, struct span *span, const qd_bench_lane *lane)
{
    const qd_msg_room_stats *stats = &lane->stats;
    uint64_t skipped = stats->ticks_skipped - lane->skipped_before;
    uint64_t ticks = stats->tick - lane->ticks_before - skipped;

    figures->ticks += ticks;
    figures->ticks_skipped += skipped;
    if (!figures->are_known || ticks + skipped < span->ticks_due) {
        span->ticks_due = ticks + skipped;
    }
    if (!figures->are_known || skipped < span->skipped_min) {
        span->skipped_min = skipped;
    }
    if (skipped > span->skipped_max) {
        span->skipped_max = skipped;
    }
    if ((double)stats->tick_us_p99 > figures->tick_us_p99) {
        figures->tick_us_p99 = (double)stats->tick_us_p99;
    }
    if ((double)stats->tick_us_max > figures->tick_us_max) {
        figures->tick_us_max = (double)stats->tick_us_max;
    }
    figures->memory_bytes = lane->memory_bytes;
    figures->are_known = true;
}

static void sum_stats(qd_bench *bench, const run_state *all, qd_bench_server_figures *figures)
{
    double *medians = calloc(bench->options.rooms, sizeof *medians);
    struct span span = {0};
    uint32_t count = 0;

    *figures = (qd_bench_server_figures){0};
    for (uint32_t index = 0; index < all->writer_lane_count && medians; index++) {
        if (!all->lanes[index].is_first) {
            continue;
        }
        medians[count++] = (double)all->lanes[index].stats.tick_us_p50;
        add_room(figures, &span, &all->lanes[index]);
    }
    figures->room_ticks_min = span.ticks_due > span.skipped_max ? span.ticks_due - span.skipped_max : 0;
    figures->room_ticks_max = span.ticks_due > span.skipped_min ? span.ticks_due - span.skipped_min : 0;
    if (count > 0) {
        qsort(medians, count, sizeof *medians, compare_doubles);
        figures->tick_us_p50 = medians[count / 2];
    }
    free(medians);
}

/* Collects the entities of all writers of a room in one lane, whose columns the caller frees. Count 0: out of
 * memory. */
static qd_bench_lane gather(const run_state *all, uint32_t room_index, uint32_t entities, uint32_t dimensions)
{
    qd_bench_lane sum = {.id = malloc(entities * sizeof *sum.id)};
    uint32_t missing = sum.id == NULL;

    for (uint32_t axis = 0; axis < dimensions; axis++) {
        sum.at[axis] = malloc(entities * sizeof *sum.at[axis]);
        missing += sum.at[axis] == NULL;
    }
    for (uint32_t index = 0; index < all->writer_lane_count && missing == 0; index++) {
        const qd_bench_lane *lane = &all->lanes[index];

        if (lane->room_index != room_index) {
            continue;
        }
        memcpy(sum.id + sum.count, lane->id, lane->count * sizeof *lane->id);
        for (uint32_t axis = 0; axis < dimensions; axis++) {
            memcpy(sum.at[axis] + sum.count, lane->at[axis], lane->count * sizeof *lane->at[axis]);
        }
        sum.count += lane->count;
    }
    return sum;
}

/* Compares the folded pairs with the entities. All batches are answered. */
static void check_end(qd_bench *bench, run_state *all)
{
    const qd_bench_options *options = &bench->options;

    for (uint32_t index = 0; index < all->lane_count && !qd_bench_is_stopped(bench); index++) {
        qd_bench_lane *lane = &all->lanes[index];

        if (!lane->pairs || options->check != QD_BENCH_CHECK_END) {
            continue;
        }
        qd_bench_lane sum = gather(all, lane->room_index, options->entities, options->dimensions);
        if (sum.count == 0) {
            qd_bench_fail(bench, "out of memory");
        } else {
            qd_bench_check(lane, &sum, lane->stats.tick);
        }
        free(sum.id);
        for (uint32_t axis = 0; axis < options->dimensions; axis++) {
            free(sum.at[axis]);
        }
    }
}

static bool rooms_are_closed(const qd_bench_connection *connection)
{
    for (uint32_t index = 0; index < connection->lane_count; index++) {
        const qd_bench_lane *lane = &connection->lanes[index];

        if (lane->is_first && lane->room && !lane->is_closed) {
            return false;
        }
    }
    return true;
}

/* Closes the rooms of open connections, also after a failure. */
static void close_rooms(qd_bench *bench, run_state *all)
{
    bench->end_ns = 0; /* nothing more is sent */
    for (uint32_t index = 0; index < bench->options.connections; index++) {
        qd_bench_connection *connection = &all->connections[index];

        if (!connection->client || qd_client_state(connection->client) < 0 ||
            qd_client_socket(connection->client) < 0) {
            continue;
        }
        for (uint32_t turn = 0; turn < connection->lane_count; turn++) {
            const qd_bench_lane *lane = &connection->lanes[turn];

            if (lane->is_first && lane->room) {
                qd_client_close_room(connection->client, lane->room);
            }
        }
        qd_bench_wait(connection, rooms_are_closed, "rooms to close");
    }
}

/* Lets each room tick once more. */
static void tick_rooms(qd_bench *bench, run_state *all)
{
    for (uint32_t index = 0; index < bench->options.connections; index++) {
        qd_bench_connection *connection = &all->connections[index];

        for (uint32_t turn = 0; turn < connection->lane_count; turn++) {
            qd_bench_lane *lane = &connection->lanes[turn];

            if (!lane->is_first) {
                continue;
            }
            /* A move of an entity to where it is: a room's own clock answers it with the next tick. */
            const qd_msg_entities rest = {
                .count = 1, .id = lane->id, .x = lane->at[0], .y = lane->at[1], .z = lane->at[2]};
            lane->setup_seq = bench->options.step ? qd_client_step(connection->client, lane->room, 0)
                                                  : qd_client_move(connection->client, lane->room, &rest);
        }
        qd_bench_wait(connection, lanes_are_in, "a tick of the rooms");
    }
}

static void count_stalled(qd_bench *bench, run_state *all, qd_bench_result *result)
{
    if (bench->options.stalled == 0 || qd_bench_is_stopped(bench)) {
        return;
    }
    qd_bench_stalled_read(bench, &all->stalled);
    tick_rooms(bench, all);
    qd_bench_stalled_read(bench, &all->stalled);
    result->stalled_reset = qd_bench_stalled_count(bench, &all->stalled, false);
    result->stalled_disconnected = qd_bench_stalled_count(bench, &all->stalled, true);
}

static void measure_all(qd_bench *bench, run_state *all, qd_bench_result *result)
{
    if (bench->options.warm_seconds > 0) {
        measure(bench, all, bench->options.warm_seconds, &result->figures);
        memset(&result->figures, 0, sizeof result->figures);
    }
    if (!get_stats(bench, all)) {
        return;
    }
    if (qd_bench_neighbor_start(bench)) {
        qd_bench_usage before = qd_bench_usage_of(bench->server.pid), own = qd_bench_own_usage();

        result->seconds = measure(bench, all, bench->options.seconds, &result->figures);
        result->used = qd_bench_usage_between(before, qd_bench_usage_of(bench->server.pid));
        result->own = qd_bench_usage_between(own, qd_bench_own_usage());
    }
    qd_bench_neighbor_stop(bench);
    result->resident_bytes = qd_bench_resident_bytes_of(bench->server.pid);
    if (!get_stats(bench, all)) {
        return;
    }
    sum_stats(bench, all, &result->server);
    all->unmeasured->ticks_checked = 0;
    if (result->figures.unanswered == 0) {
        check_end(bench, all);
    }
    result->figures.ticks_checked += all->unmeasured->ticks_checked;
    count_stalled(bench, all, result);
}

bool qd_bench_run(qd_bench *bench, qd_bench_result *result)
{
    const qd_bench_options *options = &bench->options;
    run_state all = {0};

    memset(result, 0, sizeof *result);
    bench->start_ns = bench->end_ns = 0;
    bench->run_id++;
    /* An entity has as many pairs in three dimensions as in two. */
    bench->side = options->dimensions == 3 ? cbrtf(32 * (float)options->entities) : 4 * sqrtf((float)options->entities);
    if (acquire(bench, &all)) {
        if (open_all(bench, &all)) {
            measure_all(bench, &all, result);
        }
        close_rooms(bench, &all);
    }
    release(bench, &all);
    return !qd_bench_is_stopped(bench);
}

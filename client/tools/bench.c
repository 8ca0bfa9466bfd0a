/* SPDX-License-Identifier: Apache-2.0
 *
 * quadrille-bench: a load generator. Exit status: 0 when the whole run worked, 2 for a command line that makes no
 * sense, else 1.
 */
#include "bench.h"

#include "options.h"

#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define CONNECT_TIMEOUT_MS 5000

/* Rooms that a killed run leaves behind are gone after twice that. */
#define GRACE_MS 1000u

static _Atomic bool interrupted;

uint64_t qd_bench_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void qd_bench_fail(qd_bench *bench, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    pthread_mutex_lock(&bench->failure_lock);
    if (!*bench->failure)
        vsnprintf(bench->failure, sizeof bench->failure, format, arguments);
    pthread_mutex_unlock(&bench->failure_lock);
    va_end(arguments);
    atomic_store(&bench->stopped, true);
}

bool qd_bench_is_stopped(const qd_bench *bench)
{
    return atomic_load(&bench->stopped) || atomic_load(&interrupted);
}

void qd_bench_room_name(const qd_bench *bench, uint32_t room_index, char name[QD_BENCH_NAME_SIZE])
{
    snprintf(name, QD_BENCH_NAME_SIZE, "bench-%016llx-%u", (unsigned long long)bench->run_id, room_index);
}

static void interrupt(int signal_number)
{
    (void)signal_number;
    atomic_store(&interrupted, true);
}

/* ---- the command line ---- */

static int check_options(qd_bench_options *options)
{
    static const char *const subscribe_texts[] = {"none", "events", "stays"};
    uint32_t choice = 0;

    while (choice < 3 && strcmp(options->subscribe_text, subscribe_texts[choice]) != 0)
        choice++;
    if (choice == 3)
        return qd_options_misuse(QD_BENCH, "--subscribe '%s': must be none, events or stays", options->subscribe_text);
    options->subscribe = (qd_bench_subscribe)choice;
    if (options->hz == 0 && !options->step)
        return qd_options_misuse(QD_BENCH, "--hz 0 is for --step: a room's own clock needs a rate of 1 to 1000");
    if (options->connections > (uint64_t)options->rooms * options->entities)
        return qd_options_misuse(QD_BENCH,
                                 "--connections %u: more than there are entities to move; at most %llu with these "
                                 "--rooms and --entities",
                                 options->connections, (unsigned long long)options->rooms * options->entities);
    if (options->stalled > 0 && options->subscribe == QD_BENCH_NONE)
        return qd_options_misuse(QD_BENCH, "--stalled needs events that are not read: --subscribe events or stays");
    if (options->check && options->subscribe == QD_BENCH_NONE)
        return qd_options_misuse(QD_BENCH, "--check needs events: --subscribe events or stays");
    if (options->check && options->connections > options->rooms)
        return qd_options_misuse(QD_BENCH,
                                 "--check knows a room's entities only where one connection writes it: lower "
                                 "--connections %u to at most --rooms %u",
                                 options->connections, options->rooms);
    if (options->threads == 0) {
        long cores = sysconf(_SC_NPROCESSORS_ONLN);
        options->threads = cores > 0 ? (uint32_t)cores : 1;
    }
    if (options->threads > options->connections)
        options->threads = options->connections;
    return 0;
}

/* Returns whether to go on; else *status is the exit status. */
static bool parse_options(qd_bench_options *options, int argc, char **argv, int *status)
{
    const qd_usage usage = {
        .program = QD_BENCH,
        .arguments = "[fences]",
        .text = "Puts load on a server: opens rooms of its own, moves all their entities at a rate,\n"
                "takes the events, and says how much and how fast. The rooms are closed at the end.\n"
                "QUADRILLE_TOKEN is the token, where the server wants one.\n\n"
                "quadrille-bench fences, with its own --help, is another load: regions at rest, and what\n"
                "enters and leaves them.",
    };
    const qd_option rows[] = {
        {"--server", "HOST:PORT", "the server (QUADRILLE_SERVER, or 127.0.0.1:7400)", QD_OPTION_TEXT, &options->server,
         0, 0},
        {"--rooms", "N", "how many rooms (4)", QD_OPTION_NUMBER, &options->rooms, 1, 65536},
        {"--entities", "N", "entities in each room (1000)", QD_OPTION_NUMBER, &options->entities, 1, 4194304},
        {"--dimensions", "N", "of the rooms, 2 or 3 (2)", QD_OPTION_NUMBER, &options->dimensions, 2, 3},
        {"--index", "NAME", "how the rooms find pairs: auto, quadtree, octree, sparse, hash, grid or brute (auto)",
         QD_OPTION_INDEX, &options->index, 0, 0},
        {"--connections", "N", "connections; rooms are dealt to them, or they to the rooms (2)", QD_OPTION_NUMBER,
         &options->connections, 1, 60000},
        {"--stalled", "N", "readers more, which subscribe and then read nothing (0)", QD_OPTION_NUMBER,
         &options->stalled, 0, 60000},
        {"--threads", "N", "threads that drive them; 0: one a core (0)", QD_OPTION_NUMBER, &options->threads, 0, 1024},
        {"--hz", "N", "ticks a second, and moves of every entity a second (20)", QD_OPTION_NUMBER, &options->hz, 0,
         1000},
        {"--step", NULL, "rooms tick by Step, --hz times a second; --hz 0: as fast as answered", QD_OPTION_FLAG,
         &options->step, 0, 0},
        {"--seconds", "S", "how long to measure (10)", QD_OPTION_REAL, &options->seconds, 0.1, 604800},
        {"--subscribe", "WHAT", "none, events, or stays: events and stays (events)", QD_OPTION_TEXT,
         &options->subscribe_text, 0, 0},
        {"--check", NULL, "compare the pairs with brute force while it runs, which costs time", QD_OPTION_FLAG,
         &options->check, 0, 0},
        {"--json", NULL, "print one JSON object instead of the table", QD_OPTION_FLAG, &options->json, 0, 0},
        {"--version", NULL, "print the version", QD_OPTION_FLAG, &options->version, 0, 0},
    };
    const char *server = getenv("QUADRILLE_SERVER");

    *options = (qd_bench_options){.server = server && *server ? server : "127.0.0.1:7400",
                                  .token = getenv("QUADRILLE_TOKEN"),
                                  .rooms = 4,
                                  .entities = 1000,
                                  .connections = 2,
                                  .dimensions = 2,
                                  .index = QD_INDEX_AUTO,
                                  .hz = 20,
                                  .seconds = 10,
                                  .subscribe_text = "events"};
    if (qd_options_parse(&usage, rows, sizeof rows / sizeof *rows, argc, argv, status) < 0)
        return false;
    if (options->version) {
        printf("%s %s\n", QD_BENCH, qd_version());
        *status = 0;
        return false;
    }
    *status = check_options(options);
    return *status == 0;
}

/* ---- opening ---- */

/* Everything that is allocated. */
typedef struct estate {
    qd_bench_connection *connections;
    qd_bench_lane *lanes;
    qd_bench_lane **lane_links; /* twice as many: the connections' by_room, and the drivers' lists */
    qd_bench_driver *drivers;
    uint32_t lane_count;
    qd_bench_figures *unmeasured; /* what comes in outside of the measurement */
    qd_bench_figures *total, *window;
    qd_bench_stalled stalled;
} estate;

/* Deals rooms to connections, or connections to rooms where there are more of those; then they share its entities. */
static bool deal(qd_bench *bench, estate *all)
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
            uint32_t dealt = index + turn * connections;
            uint64_t part = dealt / rooms;
            uint64_t parts = rooms > connections ? 1 : (connections - dealt % rooms + rooms - 1) / rooms;
            uint64_t first_id = options->entities * part / parts;
            uint64_t end_id = options->entities * (part + 1) / parts;

            lane->connection = connection;
            lane->room_index = dealt % rooms;
            lane->is_first = part == 0;
            connection->by_room[turn] = lane;
            all->lane_links[all->lane_count + at] = lane;
            if (!qd_bench_lane_init(lane, (uint32_t)first_id, (uint32_t)(end_id - first_id)))
                return false;
        }
    }
    return true;
}

static bool acquire(qd_bench *bench, estate *all)
{
    const qd_bench_options *options = &bench->options;

    all->lane_count = options->rooms > options->connections ? options->rooms : options->connections;
    all->connections = calloc(options->connections, sizeof *all->connections);
    all->lanes = calloc(all->lane_count, sizeof *all->lanes);
    all->lane_links = calloc(2 * (size_t)all->lane_count, sizeof(qd_bench_lane *));
    all->drivers = calloc(options->threads, sizeof *all->drivers);
    all->unmeasured = calloc(3, sizeof *all->unmeasured);
    if (!all->connections || !all->lanes || !all->lane_links || !all->drivers || !all->unmeasured ||
        !deal(bench, all)) {
        qd_bench_fail(bench, "out of memory for %u rooms of %u entities", options->rooms, options->entities);
        return false;
    }
    all->total = &all->unmeasured[1];
    all->window = &all->unmeasured[2];
    return true;
}

static void release(const qd_bench *bench, estate *all)
{
    for (uint32_t index = 0; all->connections && index < bench->options.connections; index++)
        qd_client_destroy(all->connections[index].client);
    for (uint32_t index = 0; all->lanes && index < all->lane_count; index++)
        qd_bench_lane_deinit(&all->lanes[index]);
    free(all->connections);
    free(all->lanes);
    free(all->lane_links);
    free(all->drivers);
    free(all->unmeasured);
    qd_bench_stalled_close(bench, &all->stalled);
}

/* A connection is a file, and the usual limit of a thousand and a few is only the soft one. */
static void allow_files(uint32_t connections)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < connections + 64) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

bool qd_bench_connect(qd_bench *bench, qd_bench_connection *connection)
{
    char name[QD_CLIENT_NAME_BYTES_MAX + 1];

    snprintf(name, sizeof name, "%s/%s", QD_BENCH, qd_version());
    connection->client = qd_client_create();
    if (!connection->client) {
        qd_bench_fail(bench, "out of memory");
        return false;
    }
    if (qd_client_connect(connection->client, bench->options.server, bench->options.token, name, CONNECT_TIMEOUT_MS) <
        0) {
        qd_bench_fail(bench, "%s (--server, or QUADRILLE_SERVER, names another)", qd_client_error(connection->client));
        return false;
    }
    const qd_msg_limits *limits = &qd_client_welcome(connection->client)->limits;
    if (bench->options.entities > limits->entities_max) {
        qd_bench_fail(bench, "--entities %u: this server takes at most %u a room", bench->options.entities,
                      limits->entities_max);
        return false;
    }
    if (bench->options.rooms > limits->rooms_max) {
        qd_bench_fail(bench, "--rooms %u: this server takes at most %u", bench->options.rooms, limits->rooms_max);
        return false;
    }
    return true;
}

static bool rooms_are_open(const qd_bench_connection *connection)
{
    for (uint32_t index = 0; index < connection->lane_count; index++) {
        if (!connection->lanes[index].room)
            return false;
    }
    return true;
}

static int compare_rooms(const void *left, const void *right)
{
    uint64_t a = (*(qd_bench_lane *const *)left)->room, b = (*(qd_bench_lane *const *)right)->room;

    return (a > b) - (a < b);
}

bool qd_bench_open_rooms(qd_bench *bench, qd_bench_connection *connection)
{
    const uint32_t dimensions = bench->options.dimensions;
    const qd_msg_room_config config = {
        .dimensions = dimensions,
        .has_bounds = true,
        .bounds = {.max_x = bench->side, .max_y = bench->side, .max_z = dimensions == 3 ? bench->side : 0},
        .index = bench->options.index,
        .tick_mode = bench->options.step ? QD_TICK_MODE_STEP : QD_TICK_MODE_CLOCK,
        .tick_hz = bench->options.step ? 0 : bench->options.hz,
        .grace_ms = GRACE_MS,
        .empty_close_ms = GRACE_MS};

    connection->open_seq = qd_client_next_seq(connection->client);
    for (uint32_t index = 0; index < connection->lane_count; index++) {
        char name[QD_BENCH_NAME_SIZE];

        qd_bench_room_name(bench, connection->lanes[index].room_index, name);
        if (!qd_client_open_room(connection->client, name, &config))
            qd_bench_fail(bench, "%s", qd_client_error(connection->client));
    }
    if (!qd_bench_wait(connection, rooms_are_open, "rooms to open"))
        return false;
    qsort(connection->by_room, connection->lane_count, sizeof(qd_bench_lane *), compare_rooms);
    return true;
}

static bool lanes_are_in(const qd_bench_connection *connection)
{
    for (uint32_t index = 0; index < connection->lane_count; index++) {
        if (connection->lanes[index].setup_seq)
            return false;
    }
    return true;
}

static bool open_all(qd_bench *bench, estate *all)
{
    allow_files(bench->options.connections + bench->options.stalled);
    for (uint32_t index = 0; index < bench->options.connections; index++) {
        if (qd_bench_is_stopped(bench) || !qd_bench_connect(bench, &all->connections[index]) ||
            !qd_bench_open_rooms(bench, &all->connections[index]))
            return false;
    }
    for (uint32_t index = 0; index < bench->options.connections; index++) {
        qd_bench_connection *connection = &all->connections[index];

        for (uint32_t lane = 0; lane < connection->lane_count; lane++)
            qd_bench_lane_start(&connection->lanes[lane]);
        if (!qd_bench_wait(connection, lanes_are_in, "entities to be spawned"))
            return false;
    }
    return qd_bench_stalled_open(bench, &all->stalled);
}

/* ---- measuring ---- */

/* Gives each driver its share of the connections, in a row, and with them a row of lanes. */
static void share_out(qd_bench *bench, estate *all)
{
    uint64_t threads = bench->options.threads, connections = bench->options.connections;
    uint32_t lane = 0;

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
            driver->lane_count += all->connections[first].lane_count;
        }
        lane += driver->lane_count;
    }
}

static void collect(qd_bench *bench, estate *all)
{
    memset(all->window, 0, sizeof *all->window);
    for (uint32_t index = 0; index < bench->options.threads; index++) {
        qd_bench_driver *driver = &all->drivers[index];

        pthread_mutex_lock(&driver->lock);
        qd_bench_figures_add(all->window, &driver->recent);
        memset(&driver->recent, 0, sizeof driver->recent);
        pthread_mutex_unlock(&driver->lock);
    }
    qd_bench_figures_add(all->total, all->window);
}

static bool drivers_are_done(const qd_bench *bench, const estate *all)
{
    for (uint32_t index = 0; index < bench->options.threads; index++) {
        if (!atomic_load(&all->drivers[index].is_done))
            return false;
    }
    return true;
}

static void report_progress(qd_bench *bench, estate *all)
{
    uint64_t last_ns = bench->start_ns;

    while (!drivers_are_done(bench, all)) {
        const struct timespec pause = {0, 10000000};
        uint64_t now_ns = qd_bench_now_ns();

        if (now_ns >= last_ns + 1000000000u) {
            collect(bench, all);
            qd_bench_print_progress(all->window, (double)(now_ns - bench->start_ns) / 1e9,
                                    (double)(now_ns - last_ns) / 1e9);
            last_ns = now_ns;
        }
        nanosleep(&pause, NULL);
    }
}

/* Returns the seconds from the start to the end, or to the last answer where that came later. */
static double measure(qd_bench *bench, estate *all)
{
    uint32_t started = 0;

    share_out(bench, all);
    bench->start_ns = qd_bench_now_ns() + 10000000;
    bench->end_ns = bench->start_ns + (uint64_t)(bench->options.seconds * 1e9);
    while (started < bench->options.threads &&
           pthread_create(&all->drivers[started].thread, NULL, qd_bench_drive, &all->drivers[started]) == 0)
        started++;
    for (uint32_t index = started; index < bench->options.threads; index++)
        atomic_store(&all->drivers[index].is_done, true);
    if (started < bench->options.threads)
        qd_bench_fail(bench, "--threads %u: the system starts only %u", bench->options.threads, started);
    report_progress(bench, all);
    uint64_t done_ns = bench->start_ns;
    for (uint32_t index = 0; index < started; index++) {
        pthread_join(all->drivers[index].thread, NULL);
        if (all->drivers[index].done_ns > done_ns)
            done_ns = all->drivers[index].done_ns;
    }
    collect(bench, all);
    for (uint32_t index = 0; index < bench->options.connections; index++)
        all->connections[index].figures = all->unmeasured;
    for (uint32_t index = 0; index < bench->options.threads; index++)
        pthread_mutex_destroy(&all->drivers[index].lock);
    if (done_ns < bench->end_ns && !qd_bench_is_stopped(bench))
        done_ns = bench->end_ns;
    return (double)(done_ns - bench->start_ns) / 1e9;
}

/* ---- the end ---- */

static bool stats_are_in(const qd_bench_connection *connection)
{
    for (uint32_t index = 0; index < connection->lane_count; index++) {
        if (connection->lanes[index].is_first && !connection->lanes[index].has_stats)
            return false;
    }
    return true;
}

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

static void ask_server(qd_bench *bench, estate *all, qd_bench_server_figures *figures)
{
    double *medians = calloc(bench->options.rooms, sizeof *medians);
    uint32_t count = 0;

    *figures = (qd_bench_server_figures){0};
    for (uint32_t index = 0; index < bench->options.connections && medians; index++) {
        qd_bench_connection *connection = &all->connections[index];

        for (uint32_t turn = 0; turn < connection->lane_count; turn++) {
            if (connection->lanes[turn].is_first)
                qd_client_get_stats(connection->client, connection->lanes[turn].room);
        }
        if (!qd_bench_wait(connection, stats_are_in, "statistics"))
            break;
        for (uint32_t turn = 0; turn < connection->lane_count; turn++) {
            const qd_msg_room_stats *stats = &connection->lanes[turn].stats;

            if (!connection->lanes[turn].is_first)
                continue;
            medians[count++] = (double)stats->tick_us_p50;
            figures->ticks_skipped += stats->ticks_skipped;
            figures->memory_bytes = connection->lanes[turn].memory_bytes;
            if ((double)stats->tick_us_p99 > figures->tick_us_p99)
                figures->tick_us_p99 = (double)stats->tick_us_p99;
            if ((double)stats->tick_us_max > figures->tick_us_max)
                figures->tick_us_max = (double)stats->tick_us_max;
        }
    }
    if (count == bench->options.rooms) {
        figures->are_known = true;
        qsort(medians, count, sizeof *medians, compare_doubles);
        figures->tick_us_p50 = medians[count / 2];
    }
    free(medians);
}

static bool rooms_are_closed(const qd_bench_connection *connection)
{
    for (uint32_t index = 0; index < connection->lane_count; index++) {
        const qd_bench_lane *lane = &connection->lanes[index];

        if (lane->is_first && lane->room && !lane->is_closed)
            return false;
    }
    return true;
}

/* Also after a failure, as far as the connections live. */
static void close_rooms(qd_bench *bench, estate *all)
{
    bench->end_ns = 0; /* nothing more is sent */
    for (uint32_t index = 0; index < bench->options.connections; index++) {
        qd_bench_connection *connection = &all->connections[index];

        if (!connection->client || qd_client_state(connection->client) < 0 || qd_client_socket(connection->client) < 0)
            continue;
        for (uint32_t turn = 0; turn < connection->lane_count; turn++) {
            const qd_bench_lane *lane = &connection->lanes[turn];

            if (lane->is_first && lane->room)
                qd_client_close_room(connection->client, lane->room);
        }
        qd_bench_wait(connection, rooms_are_closed, "rooms to close");
    }
}

static void run(qd_bench *bench)
{
    estate all = {0};
    qd_bench_server_figures server = {0};
    double seconds = 0;

    if (acquire(bench, &all)) {
        if (open_all(bench, &all)) {
            seconds = measure(bench, &all);
            ask_server(bench, &all, &server);
        }
        close_rooms(bench, &all);
    }
    if (atomic_load(&interrupted))
        qd_bench_fail(bench, "interrupted");
    if (seconds > 0 && bench->options.json)
        qd_bench_print_json(bench, all.total, &server, seconds);
    else if (seconds > 0)
        qd_bench_print_table(bench, all.total, &server, seconds);
    release(bench, &all);
}

/* Tells this run's rooms from those of any other, whoever runs it where. */
static uint64_t run_id(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return ((uint64_t)now.tv_sec << 32) ^ ((uint64_t)now.tv_nsec << 16) ^ (uint64_t)getpid();
}

int main(int argc, char **argv)
{
    static qd_bench bench;
    int status;

    if (argc > 1 && strcmp(argv[1], "fences") == 0)
        return qd_bench_fences(argc - 1, argv + 1);
    if (!parse_options(&bench.options, argc, argv, &status))
        return status;
    pthread_mutex_init(&bench.failure_lock, NULL);
    bench.run_id = run_id();
    /* So that an entity has as many pairs in three dimensions as in two. */
    bench.side = bench.options.dimensions == 3 ? cbrtf(32 * (float)bench.options.entities)
                                               : 4 * sqrtf((float)bench.options.entities);
    /* The first one lets the rooms be closed; the second one is final. */
    struct sigaction action = {.sa_handler = interrupt, .sa_flags = SA_RESETHAND};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    run(&bench);
    if (*bench.failure)
        fprintf(stderr, "%s: %s\n", QD_BENCH, bench.failure);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "%s: cannot write the result\n", QD_BENCH);
        return 1;
    }
    return *bench.failure ? 1 : 0;
}

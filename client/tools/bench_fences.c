/* SPDX-License-Identifier: Apache-2.0
 *
 * quadrille-bench fences: points that move through fences at rest. A fence is a free observer with a circle, and its
 * view contains the points inside. The room ticks by Step. At the end the folded views are compared with brute force.
 *
 * One connection, one thread. Two steps are in flight, so that the server works while this program folds the last
 * views.
 */
#include "bench.h"

#include "cli.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define FENCES_MAX 1048576
#define POINTS_MAX 4194304
/* Entries per batch; a frame holds many more. */
#define PIECE 32768u
/* Unanswered steps. */
#define PENDING_MAX 2u

typedef struct options {
    uint32_t fences, points, seed;
    double side, radius_min, radius_max, speed;
} options;

typedef struct columns {
    uint32_t *id;
    float *x, *y;             /* one allocation with those below */
    float *radius;            /* 0 for points */
    float *speed_x, *speed_y; /* of points, per step */
} columns;

typedef struct run_state {
    qd_bench *bench;
    qd_cli cli;
    options options;
    qd_client *client;
    qd_view *view;
    uint64_t room, random;
    columns fences, points;
    qd_histogram *round_trip_ns;
    uint64_t steps, enters, leaves, seen;
    double took_s;
} run_state;

/* ---- the world ---- */

/* A random number from 0 to 1. */
static double random_part(run_state *all)
{
    all->random = all->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(all->random >> 33) / 2147483648.0;
}

static bool make_columns(columns *to, uint32_t count)
{
    *to = (columns){.id = malloc(count * sizeof *to->id), .x = calloc(5 * (size_t)count, sizeof *to->x)};
    if (!to->id || !to->x) {
        return false;
    }
    to->y = to->x + count;
    to->radius = to->y + count;
    to->speed_x = to->radius + count;
    to->speed_y = to->speed_x + count;
    return true;
}

static void free_columns(columns *gone)
{
    free(gone->id);
    free(gone->x);
}

static void place(run_state *all, columns *to, uint32_t count, double radius_min, double radius_max)
{
    const options *given = &all->options;

    for (uint32_t i = 0; i < count; i++) {
        double angle = 2 * acos(-1) * random_part(all);

        to->id[i] = i;
        to->x[i] = (float)(given->side * random_part(all));
        to->y[i] = (float)(given->side * random_part(all));
        to->radius[i] = (float)(radius_min + (radius_max - radius_min) * random_part(all));
        to->speed_x[i] = (float)(given->speed * cos(angle));
        to->speed_y[i] = (float)(given->speed * sin(angle));
    }
}

/* Moves points straight, and reflects them at the walls. */
static void move_along(float *restrict at, float *restrict speed, uint32_t count, float side)
{
    for (uint32_t i = 0; i < count; i++) {
        const float there = at[i] + speed[i], inward = there < 0 ? fabsf(speed[i]) : -fabsf(speed[i]);

        at[i] = there;
        speed[i] = there < 0 || there > side ? inward : speed[i];
    }
}

/* ---- sending ---- */

/* Sends batches with seq 0: the Applied of the step covers them. */
static bool send_batches(run_state *all, qd_client_kind kind)
{
    const bool fences = kind == QD_CLIENT_OBSERVE, spawns = kind == QD_CLIENT_SPAWN;
    const columns *from = fences ? &all->fences : &all->points;
    const uint32_t count = fences ? all->options.fences : all->options.points;
    uint32_t *no_pairs = spawns ? calloc(PIECE, sizeof *no_pairs) : NULL;
    bool sent = !spawns || no_pairs != NULL;

    for (uint32_t at = 0; at < count && sent; at += PIECE) {
        const uint32_t piece = count - at < PIECE ? count - at : PIECE;
        qd_client_message message = {.kind = kind};

        if (fences) {
            message.as.observers = (qd_msg_observers){.room = all->room,
                                                      .count = piece,
                                                      .id = from->id + at,
                                                      .x = from->x + at,
                                                      .y = from->y + at,
                                                      .range = from->radius + at};
        } else {
            message.as.batch =
                (qd_msg_batch){.room = all->room,
                               .entities = {.count = piece, .id = from->id + at, .x = from->x + at, .y = from->y + at}};
        }
        if (spawns) {
            message.as.batch.entities.half_x = message.as.batch.entities.half_y = from->radius + at;
            message.as.batch.entities.mask = no_pairs;
        }
        sent = qd_client_send(all->client, &message);
    }
    free(no_pairs);
    return sent || qd_cli_fail(&all->cli, "cannot send: %s", qd_client_error(all->client)) == 0;
}

/* ---- receiving ---- */

/* Handles messages until the answer to the step of that seq. */
static bool finish_step(run_state *all, uint64_t seq)
{
    for (;;) {
        const qd_server_message *message = qd_client_wait(all->client, (int)(QD_BENCH_TIMEOUT_NS / 1000000));

        if (message == NULL) {
            return qd_cli_fail_session(&all->cli, all->client) == 0;
        }
        if (qd_cli_fail_refusal(&all->cli, message, NULL, 0) != 0) {
            return false;
        }
        if (message->kind == QD_SERVER_VIEW) {
            all->enters += message->as.view.enter_count;
            all->leaves += message->as.view.leave_count;
            if (qd_view_apply(all->view, &message->as.view) != QD_CLIENT_OK) {
                return qd_cli_fail(&all->cli, "the views contradict each other, or memory is short") == 0;
            }
            if (qd_view_suspended(all->view)) {
                return qd_cli_fail(&all->cli, "the server suspended the views: raise its --visible-entries-max") == 0;
            }
        }
        if (message->kind == QD_SERVER_APPLIED && message->as.applied.seq == seq) {
            return true;
        }
    }
}

static bool run_steps(run_state *all)
{
    uint64_t seqs[PENDING_MAX];
    uint64_t sent_ns[PENDING_MAX], sent = 0;
    const uint64_t start_ns = qd_now_ns();
    const uint64_t end_ns = start_ns + (uint64_t)(all->bench->seconds * 1e9);
    bool good = true;

    while (good) {
        const uint64_t now_ns = qd_now_ns();

        if (now_ns < end_ns && !qd_bench_is_stopped(all->bench) && sent - all->steps < PENDING_MAX) {
            move_along(all->points.x, all->points.speed_x, all->options.points, (float)all->options.side);
            move_along(all->points.y, all->points.speed_y, all->options.points, (float)all->options.side);
            good = send_batches(all, QD_CLIENT_MOVE);
            sent_ns[sent % PENDING_MAX] = now_ns;
            seqs[sent++ % PENDING_MAX] = qd_client_step(all->client, all->room, 0);
            good = good && qd_client_poll(all->client, 0) >= 0;
        } else if (sent > all->steps) {
            good = finish_step(all, seqs[all->steps % PENDING_MAX]);
            qd_histogram_record(all->round_trip_ns, qd_now_ns() - sent_ns[all->steps % PENDING_MAX]);
            all->steps += good;
        } else {
            break;
        }
    }
    all->took_s = (double)(qd_now_ns() - start_ns) / 1e9;
    return good;
}

/* ---- checking ---- */

/* By the rule in SPEC.md (V3), in its order. */
static bool is_in(const run_state *all, uint32_t fence, uint32_t point)
{
    const double x = (double)all->points.x[point] - (double)all->fences.x[fence];
    const double y = (double)all->points.y[point] - (double)all->fences.y[fence];
    const double reach = (double)all->fences.radius[fence];

    return x * x + y * y <= reach * reach;
}

static bool check(run_state *all)
{
    for (uint32_t fence = 0; fence < all->options.fences; fence++) {
        uint32_t inside = 0;

        for (uint32_t point = 0; point < all->options.points; point++) {
            if (!is_in(all, fence, point)) {
                continue;
            }
            inside++;
            if (qd_view_find(all->view, fence, point) == NULL) {
                return qd_cli_fail(&all->cli, "point %u is in fence %u, but the server did not report it", point,
                                   fence) == 0;
            }
        }
        if (qd_view_count_of(all->view, fence) != inside) {
            return qd_cli_fail(&all->cli, "fence %u contains %u points, but the server reported %u", fence, inside,
                               qd_view_count_of(all->view, fence)) == 0;
        }
        all->seen += inside;
    }
    return true;
}

/* ---- the run ---- */

static bool open_room(run_state *all)
{
    char name[QD_ROOM_NAME_BYTES_MAX + 1];
    qd_cli_room opened;
    const float side = (float)all->options.side;
    const qd_msg_room_config config = {.has_bounds = true,
                                       .bounds = {.max_x = side, .max_y = side},
                                       .tick_mode = QD_TICK_MODE_STEP,
                                       .observers_max = all->options.fences,
                                       .grace_ms = 1000,
                                       .empty_close_ms = 1000};

    snprintf(name, sizeof name, "bench-fences-%016" PRIx64, qd_now_ns());
    if (!qd_cli_open_room(&all->cli, all->client, name, &config, &opened)) {
        return false;
    }
    all->room = opened.handle;
    return true;
}

static void print(const run_state *all)
{
    const options *given = &all->options;
    const double updates = (double)all->steps * given->points / all->took_s;
    const double enters = (double)all->enters / all->took_s, leaves = (double)all->leaves / all->took_s;
    const double p50 = (double)qd_histogram_percentile(all->round_trip_ns, 50) / 1e6;
    const double p99 = (double)qd_histogram_percentile(all->round_trip_ns, 99) / 1e6;

    if (all->bench->json) {
        printf("{\"fences\":%u,\"points\":%u,\"seconds\":%.3f,\"steps\":%" PRIu64 ",\"updates_per_s\":%.0f,"
               "\"enters_per_s\":%.0f,\"leaves_per_s\":%.0f,\"inside\":%" PRIu64
               ",\"round_trip_ms\":{\"p50\":%.3f,\"p99\":%.3f},\"ok\":true}\n",
               given->fences, given->points, all->took_s, all->steps, updates, enters, leaves, all->seen, p50, p99);
        return;
    }
    printf("%u fences, %u points, %" PRIu64 " steps in %.1f s\n", given->fences, given->points, all->steps,
           all->took_s);
    printf("position updates/s  %12.0f\nenters/s            %12.0f\nleaves/s            %12.0f\n", updates, enters,
           leaves);
    printf("round trip of a step, two in flight: p50 %.2f ms, p99 %.2f ms\n", p50, p99);
    printf("%" PRIu64 " points in fences at the end, as by brute force\n", all->seen);
}

static bool run(run_state *all)
{
    all->random = all->options.seed;
    all->client = qd_cli_connect(&all->cli);
    if (all->client == NULL || !open_room(all)) {
        return false;
    }
    all->view = qd_view_create(NULL);
    all->round_trip_ns = calloc(1, sizeof *all->round_trip_ns);
    if (all->view == NULL || all->round_trip_ns == NULL || !make_columns(&all->fences, all->options.fences) ||
        !make_columns(&all->points, all->options.points)) {
        return qd_cli_fail(&all->cli, "out of memory") == 0;
    }
    place(all, &all->fences, all->options.fences, all->options.radius_min, all->options.radius_max);
    place(all, &all->points, all->options.points, 0, 0);
    if (!send_batches(all, QD_CLIENT_OBSERVE) || !send_batches(all, QD_CLIENT_SPAWN) ||
        !finish_step(all, qd_client_step(all->client, all->room, 0))) {
        return false;
    }
    /* The first enters are not part of the measurement. */
    all->enters = all->leaves = 0;
    bool good = run_steps(all) && check(all);
    const uint64_t seq = qd_client_close_room(all->client, all->room);
    return qd_cli_answer(&all->cli, all->client, seq, QD_SERVER_ROOM_CLOSED) != NULL && good;
}

int qd_bench_fences(qd_bench *bench, int argc, char **argv)
{
    static const qd_usage usage = {
        QD_BENCH " fences", "",
        "Measures positions, enters and leaves per second, of points that move straight through\n"
        "circular fences at rest. The room ticks by Step, and all points move at each step. It\n"
        "compares the points in each fence with brute force at the end. A server given by\n"
        "--server needs an --observers-max of at least the number of fences.",
        .arguments_max = 0};
    static const char *const server_options[] = {"--observers-max", "1048576", NULL};
    run_state all = {
        .bench = bench,
        .cli = {.program = QD_BENCH " fences",
                .server = bench->server.address,
                .token = bench->where.token != NULL ? bench->where.token : ""},
        .options = {.fences = 23000,
                    .points = 10000,
                    .seed = 1,
                    .side = 10000,
                    .radius_min = 10,
                    .radius_max = 100,
                    .speed = 5},
    };
    options *given = &all.options;
    const qd_option rows[] = {
        {"--fences", "N", "use N fences", QD_OPTION_NUMBER, .value = &given->fences, .min = 1, .max = FENCES_MAX},
        {"--points", "N", "use N points", QD_OPTION_NUMBER, .value = &given->points, .min = 1, .max = POINTS_MAX},
        {"--side", "L", "use a square of side L", QD_OPTION_REAL, .value = &given->side, .min = 1, .max = 1e6},
        {"--radius-min", "R", "set the least radius of a fence", QD_OPTION_REAL, .value = &given->radius_min, .min = 0,
         .max = 1e6},
        {"--radius-max", "R", "set the largest radius of a fence", QD_OPTION_REAL, .value = &given->radius_max,
         .min = 0, .max = 1e6},
        {"--speed", "V", "move each point by V per step", QD_OPTION_REAL, .value = &given->speed, .min = 0, .max = 1e6},
        {"--seed", "N", "set the start of the random numbers", QD_OPTION_NUMBER, .value = &given->seed, .min = 0,
         .max = UINT32_MAX},
        QD_BENCH_COMMON_OPTIONS(bench)};
    int status = 0;

    if (qd_options_parse(&usage, rows, QD_CLI_COUNT(rows), argc, argv, &status) < 0) {
        return status;
    }
    if (given->radius_min > given->radius_max) {
        return qd_options_misuse(all.cli.program, "--radius-min is %g; must be at most --radius-max %g",
                                 given->radius_min, given->radius_max);
    }
    all.cli.tls = bench->where.tls;
    all.cli.tls_ca = bench->where.tls_ca;
    all.cli.tls_cert = bench->where.tls_cert;
    all.cli.tls_key = bench->where.tls_key;
    const bool good = qd_bench_begin(bench, server_options) && run(&all);
    qd_bench_end(bench);
    if (good) {
        print(&all);
    }
    qd_view_destroy(all.view);
    qd_client_destroy(all.client);
    free_columns(&all.fences);
    free_columns(&all.points);
    free(all.round_trip_ns);
    status = qd_bench_status(bench);
    return good ? status : 1;
}

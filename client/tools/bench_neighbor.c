/* SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <sys/prctl.h>

#define ENTITIES 100u
#define SIDE     40.0f
#define HZ       200u
#define STEP_NS  (1000000000u / HZ)

const qd_sheet_column qd_bench_neighbor_columns[] = {
    {"neighbor_p50_ms", "neighbor p50 ms", 2},
    {"neighbor_p99_ms", "p99", 2},
    {"neighbor_max_ms", "max", 2},
};

static const qd_msg_bounds bounds = {.max_x = SIDE, .max_y = SIDE};

/* Handles messages until the answer to the step of that seq, which follows its events. */
static bool finish_step(qd_bench *bench, uint64_t seq)
{
    qd_bench_neighbor *neighbor = &bench->neighbor;
    bool is_answered = false;

    while (!is_answered && !qd_bench_is_stopped(bench)) {
        const qd_server_message *message = qd_client_wait(neighbor->client, QD_BENCH_ANSWER_MS);

        if (message == NULL) {
            return qd_bench_fail_session(bench, neighbor->client);
        }
        if (qd_client_refusal(message) != NULL) {
            qd_bench_fail(bench, "the server refused the neighbor: %s", qd_client_refusal(message));
        } else if (message->kind == QD_SERVER_TICK && qd_pairs_apply(neighbor->pairs, &message->as.tick) < 0) {
            qd_bench_fail(bench, "the neighbor's events of tick %llu contradict those before",
                          (unsigned long long)message->as.tick.tick);
        }
        is_answered = message->kind == QD_SERVER_APPLIED && message->as.applied.seq == seq;
    }
    return is_answered;
}

/* Each round trip counts from its due time, also if the answer before came later than that. */
static void *run(void *context)
{
    qd_bench *bench = context;
    qd_bench_neighbor *neighbor = &bench->neighbor;
    const qd_motion *motion = &neighbor->motion;
    const qd_msg_entities moved = {.count = motion->count, .id = motion->id, .x = motion->x, .y = motion->y};
    bool good = true;

    /* By default the system may wake the thread up to 50 us late. */
    prctl(PR_SET_TIMERSLACK, 1);
    for (uint64_t due_ns = qd_now_ns() + STEP_NS; good && !atomic_load(&neighbor->is_stopping); due_ns += STEP_NS) {
        qd_motion_step(&neighbor->motion, 1.0f / HZ, neighbor->pairs);
        qd_bench_sleep_until(due_ns);
        qd_client_move(neighbor->client, neighbor->room, &moved);
        good = finish_step(bench, qd_client_step(neighbor->client, neighbor->room, 0));
        if (good) {
            qd_histogram_record(&neighbor->times_ns, qd_now_ns() - due_ns);
        }
    }
    return NULL;
}

static bool open_room(qd_bench *bench)
{
    qd_bench_neighbor *neighbor = &bench->neighbor;
    const qd_motion *motion = &neighbor->motion;
    const qd_msg_room_config config = {
        .has_bounds = true, .bounds = bounds, .tick_mode = QD_TICK_MODE_STEP, .grace_ms = 1000, .empty_close_ms = 1000};
    const qd_msg_entities entities = {.count = motion->count,
                                      .id = motion->id,
                                      .x = motion->x,
                                      .y = motion->y,
                                      .half_x = motion->half_x,
                                      .half_y = motion->half_y,
                                      .radius = motion->radius,
                                      .shape = motion->shape};
    char name[QD_BENCH_NAME_SIZE];

    qd_bench_room_name(bench, UINT32_MAX, name);
    const uint64_t seq = qd_client_open_room(neighbor->client, name, &config);
    const qd_server_message *opened = qd_client_answer(neighbor->client, seq, QD_BENCH_ANSWER_MS);
    if (opened == NULL || opened->kind != QD_SERVER_ROOM_OPENED) {
        return qd_bench_fail_session(bench, neighbor->client);
    }
    neighbor->room = opened->as.room_opened.room;
    return (qd_client_subscribe(neighbor->client, neighbor->room, QD_SCOPE_ALL, false) != 0 &&
            qd_client_spawn(neighbor->client, neighbor->room, &entities, false) != 0) ||
           qd_bench_fail_session(bench, neighbor->client);
}

bool qd_bench_neighbor_start(qd_bench *bench)
{
    qd_bench_neighbor *neighbor = &bench->neighbor;

    if (!neighbor->is_wanted) {
        return true;
    }
    atomic_store(&neighbor->is_stopping, false);
    neighbor->pairs = qd_pairs_create();
    if (!neighbor->pairs || !qd_motion_init(&neighbor->motion, QD_MOTION_UNIFORM, &bounds, ENTITIES, 1)) {
        qd_bench_fail(bench, "out of memory");
        return false;
    }
    neighbor->client = qd_bench_connect_client(bench);
    if (!neighbor->client || !open_room(bench) ||
        !finish_step(bench, qd_client_step(neighbor->client, neighbor->room, 0))) {
        return false;
    }
    neighbor->is_running = pthread_create(&neighbor->thread, NULL, run, bench) == 0;
    if (!neighbor->is_running) {
        qd_bench_fail(bench, "--neighbor: the system did not start its thread");
    }
    return neighbor->is_running;
}

void qd_bench_neighbor_stop(qd_bench *bench)
{
    qd_bench_neighbor *neighbor = &bench->neighbor;

    if (neighbor->is_running) {
        atomic_store(&neighbor->is_stopping, true);
        pthread_join(neighbor->thread, NULL);
        neighbor->is_running = false;
    }
    if (neighbor->room != 0 && qd_client_close_room(neighbor->client, neighbor->room) != 0) {
        qd_client_flush(neighbor->client, 1000);
    }
    qd_client_destroy(neighbor->client);
    qd_pairs_destroy(neighbor->pairs);
    qd_motion_deinit(&neighbor->motion);
    neighbor->client = NULL;
    neighbor->room = 0;
    neighbor->pairs = NULL;
    neighbor->motion = (qd_motion){0};
}

void qd_bench_neighbor_result(void *bench, double numbers[])
{
    qd_histogram *times_ns = &((qd_bench *)bench)->neighbor.times_ns;

    numbers[0] = qd_bench_ms(times_ns, 50);
    numbers[1] = qd_bench_ms(times_ns, 99);
    numbers[2] = qd_bench_ms(times_ns, 100);
    *times_ns = (qd_histogram){0};
}

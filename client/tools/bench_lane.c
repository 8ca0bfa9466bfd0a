/* SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* The scene: boxes of side 1 in a room of side 4 sqrt(entities), or cubes in a room of side cbrt(32 entities).
 * Speeds are uniform, up to 0.25 per axis and tick. */
#define HALF      0.5f
#define SPEED_MAX 0.25f

/* The most bytes of positions in flight per lane: a huge room does not need 64 pending batches. */
#define PENDING_BYTES_MAX (64u << 20)

/* The most entities per piece of a batch; fewer if the server's frames are small. */
#define PIECE_MAX       32768u
#define BYTES_AN_ENTITY 28u /* in a Spawn in three dimensions, the largest message */
#define BYTES_AROUND    256u

static float random_float(uint64_t *seed, float from, float to)
{
    *seed += 0x9e3779b97f4a7c15u;
    uint64_t bits = (*seed ^ (*seed >> 30)) * 0xbf58476d1ce4e5b9u;
    bits ^= bits >> 29;
    return from + (to - from) * (float)(bits >> 40) / 16777216.0f;
}

bool qd_bench_lane_init(qd_bench_lane *lane, uint32_t first_id, uint32_t count)
{
    float side = lane->connection->bench->side;
    uint64_t seed = ((uint64_t)lane->room_index << 32) + first_id;
    uint32_t dimensions = lane->connection->bench->options.dimensions;
    uint64_t batch_bytes = (uint64_t)count * (1 + dimensions) * sizeof(float) + 1;

    lane->count = count;
    lane->pending_max = PENDING_BYTES_MAX / batch_bytes < 2 ? 2 : (uint32_t)(PENDING_BYTES_MAX / batch_bytes);
    if (lane->pending_max > QD_BENCH_PENDING_MAX) {
        lane->pending_max = QD_BENCH_PENDING_MAX;
    }
    lane->id = malloc(count * sizeof *lane->id);
    float *columns = malloc(2 * dimensions * (size_t)count * sizeof *columns);
    lane->at[0] = columns; /* freed in any case */
    if (!lane->id || !columns) {
        return false;
    }
    for (uint32_t axis = 0; axis < dimensions; axis++) {
        lane->at[axis] = columns + 2 * axis * (size_t)count;
        lane->speed[axis] = lane->at[axis] + count;
    }
    for (uint32_t index = 0; index < count; index++) {
        lane->id[index] = first_id + index;
        for (uint32_t axis = 0; axis < dimensions; axis++) {
            lane->at[axis][index] = random_float(&seed, 0, side);
        }
        for (uint32_t axis = 0; axis < dimensions; axis++) {
            lane->speed[axis][index] = random_float(&seed, -SPEED_MAX, SPEED_MAX);
        }
    }
    return true;
}

void qd_bench_lane_deinit(qd_bench_lane *lane)
{
    free(lane->id);
    free(lane->at[0]); /* with all columns */
    qd_pairs_destroy(lane->pairs);
}

/* ---- sending ---- */

/* Has no branch, so that the compiler uses SIMD. */
static void move_axis(float *restrict at, float *restrict speed, uint32_t count, float side)
{
    for (uint32_t index = 0; index < count; index++) {
        float next = at[index] + speed[index];

        speed[index] = ((next < 0) | (next > side)) ? -speed[index] : speed[index];
        at[index] += speed[index];
    }
}

static void move_piece(qd_bench_lane *lane, uint32_t at, uint32_t count)
{
    const qd_bench *bench = lane->connection->bench;

    for (uint32_t axis = 0; axis < bench->options.dimensions; axis++) {
        move_axis(lane->at[axis] + at, lane->speed[axis] + at, count, bench->side);
    }
}

/* A message with the entities from `at` on. A lane has one roster in its room. */
static qd_client_message piece_of(const qd_bench_lane *lane, qd_client_kind kind, uint32_t at, uint32_t count,
                                  const float *half)
{
    const bool is_3d = lane->connection->bench->options.dimensions == 3;
    const float *x = lane->at[0] + at, *y = lane->at[1] + at, *z = is_3d ? lane->at[2] + at : NULL;
    qd_client_message message = {.kind = kind};

    switch (kind) {
    case QD_CLIENT_SET_ROSTER:
        message.as.set_roster =
            (qd_msg_set_roster){.room = lane->room, .first = at, .count = count, .id = lane->id + at};
        break;
    case QD_CLIENT_MOVE_ROSTER:
        message.as.move_roster =
            (qd_msg_move_roster){.room = lane->room, .first = at, .count = count, .x = x, .y = y, .z = z};
        break;
    default:
        message.as.batch = (qd_msg_batch){.room = lane->room,
                                          .entities = {.count = count,
                                                       .id = lane->id + at,
                                                       .x = x,
                                                       .y = y,
                                                       .z = z,
                                                       .half_x = half,
                                                       .half_y = half,
                                                       .half_z = is_3d ? half : NULL}};
        break;
    }
    return message;
}

void qd_bench_send(qd_bench_connection *connection)
{
    const void *bytes;
    size_t size;

    while (!connection->is_held && (bytes = qd_client_output(connection->client, &size))) {
        ssize_t sent = send(qd_client_socket(connection->client), bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (sent < 0 && errno == EINTR) {
            continue;
        }
        /* Receiving reports other errors, with the server's reason if it sent one. */
        if (sent < 0) {
            return;
        }
        qd_client_sent(connection->client, (size_t)sent);
        connection->bytes_out += (uint64_t)sent;
    }
}

/* Queues the columns in pieces. Returns the seq of the last piece, whose answer covers all. Moves are sent piece by
 * piece, so that the server applies one while the bench encodes the next. */
static uint32_t send_columns(qd_bench_lane *lane, qd_client_kind kind, const float *half, bool wants_answer)
{
    qd_client *client = lane->connection->client;
    uint32_t frame_bytes_max = qd_client_welcome(client)->limits.frame_bytes_max;
    uint32_t piece = frame_bytes_max > 2 * BYTES_AROUND ? (frame_bytes_max - BYTES_AROUND) / BYTES_AN_ENTITY : 1;
    const bool moves = kind == QD_CLIENT_MOVE || kind == QD_CLIENT_MOVE_ROSTER;
    uint64_t seq = 0;

    if (piece > PIECE_MAX) {
        piece = PIECE_MAX;
    }
    for (uint32_t at = 0; at < lane->count; at += piece) {
        uint32_t count = lane->count - at < piece ? lane->count - at : piece;
        bool is_last = at + count == lane->count;

        if (moves) {
            move_piece(lane, at, count);
        }
        qd_client_message message = piece_of(lane, kind, at, count, half);

        seq = message.seq = wants_answer && is_last ? qd_client_next_seq(client) : 0;
        if (!qd_client_send(client, &message)) {
            return 0;
        }
        if (moves && !is_last) {
            qd_bench_send(lane->connection);
        }
    }
    return seq;
}

static void fail_session(const qd_bench_lane *lane)
{
    qd_bench_fail(lane->connection->bench, "%s", qd_client_error(lane->connection->client));
}

void qd_bench_lane_start(qd_bench_lane *lane)
{
    const qd_bench_options *options = &lane->connection->bench->options;
    qd_client *client = lane->connection->client;
    float *half = malloc(PIECE_MAX * sizeof *half);

    if (!half) {
        qd_bench_fail(lane->connection->bench, "out of memory");
        return;
    }
    for (uint32_t index = 0; index < PIECE_MAX; index++) {
        half[index] = HALF;
    }
    uint64_t seq = send_columns(lane, QD_CLIENT_SPAWN, half, true);
    free(half);
    if (seq && options->roster) {
        seq = send_columns(lane, QD_CLIENT_SET_ROSTER, NULL, true);
    }
    if (seq && options->subscribe != QD_BENCH_NONE &&
        !qd_client_subscribe(client, lane->room, QD_SCOPE_ALL, options->subscribe == QD_BENCH_STAYS)) {
        seq = 0;
    }
    if (seq && options->step && lane->is_first) {
        seq = qd_client_step(client, lane->room, 0);
    }
    if (!seq) {
        fail_session(lane);
    }
    /* In step mode, another lane's step answers a lane that does not step: it has nothing to wait for. */
    lane->setup_seq = options->step && !lane->is_first ? 0 : seq;
}

/* Moves all entities and queues the moves. Returns the seq of the answered request; 0: failed. */
static uint32_t make_batch(qd_bench_lane *lane)
{
    const qd_bench_options *options = &lane->connection->bench->options;
    bool steps = options->step && lane->is_first;

    uint64_t seq = send_columns(lane, options->roster ? QD_CLIENT_MOVE_ROSTER : QD_CLIENT_MOVE, NULL, !steps);
    if (steps) {
        seq = qd_client_step(lane->connection->client, lane->room, 0);
    }
    if (!seq) {
        fail_session(lane);
    }
    return seq;
}

void qd_bench_lane_make_ahead(qd_bench_lane *lane)
{
    qd_bench_connection *connection = lane->connection;

    /* An encoded batch is always sent, or the lane's positions would differ from the server's. */
    if (lane->made_seq || lane->pending_count > 0 || lane->next_ns >= connection->bench->end_ns) {
        return;
    }
    connection->is_held = true;
    lane->made_seq = make_batch(lane);
}

void qd_bench_lane_move(qd_bench_lane *lane)
{
    move_piece(lane, 0, lane->count);
}

void qd_bench_lane_sent(qd_bench_lane *lane, uint64_t seq, uint64_t intended_ns)
{
    uint32_t place = (lane->pending_first + lane->pending_count++) % QD_BENCH_PENDING_MAX;

    lane->pending[place] = (qd_bench_pending){seq, intended_ns, qd_now_ns()};
}

static void send_batch(qd_bench_lane *lane, uint64_t intended_ns)
{
    uint64_t seq = lane->made_seq ? lane->made_seq : make_batch(lane);

    lane->made_seq = 0;
    lane->connection->is_held = false;
    if (!seq) {
        return;
    }
    qd_bench_lane_sent(lane, seq, intended_ns);
}

void qd_bench_lane_send_due(qd_bench_lane *lane, uint64_t now_ns)
{
    const qd_bench *bench = lane->connection->bench;

    if (bench->options.hz == 0) {
        if (lane->pending_count == 0 && now_ns < bench->end_ns) {
            send_batch(lane, now_ns);
        }
        return;
    }
    uint64_t period_ns = 1000000000u / bench->options.hz;
    while (lane->next_ns <= now_ns && lane->next_ns < bench->end_ns && lane->pending_count < lane->pending_max &&
           !qd_bench_is_stopped(bench)) {
        send_batch(lane, lane->next_ns);
        lane->next_ns += period_ns;
    }
}

/* Whether its round trips are measured. In step mode only those of steps are measured. Another lane's step answers the
 * batches of a lane that does not step, and its last batch gets no answer. */
static bool is_measured(const qd_bench_lane *lane)
{
    return lane->is_first || !lane->connection->bench->options.step;
}

bool qd_bench_lane_is_busy(const qd_bench_lane *lane)
{
    const qd_bench *bench = lane->connection->bench;

    return is_measured(lane) && (lane->pending_count > 0 || (bench->options.hz > 0 && lane->next_ns < bench->end_ns));
}

static void forget_first(qd_bench_lane *lane)
{
    lane->pending_first = (lane->pending_first + 1) % QD_BENCH_PENDING_MAX;
    lane->pending_count--;
}

uint64_t qd_bench_lane_give_up(qd_bench_lane *lane, uint64_t now_ns)
{
    const qd_bench *bench = lane->connection->bench;
    qd_histogram *round_trips = &lane->connection->figures->round_trip_ns;
    uint64_t count = 0;

    if (!is_measured(lane)) {
        return 0;
    }
    for (; lane->pending_count > 0; count++, forget_first(lane)) {
        qd_histogram_record(round_trips, now_ns - lane->pending[lane->pending_first].intended_ns);
    }
    if (bench->options.hz == 0) {
        return count;
    }
    for (; lane->next_ns < bench->end_ns; count++, lane->next_ns += 1000000000u / bench->options.hz) {
        qd_histogram_record(round_trips, now_ns - lane->next_ns);
    }
    return count;
}

/* ---- answers ---- */

static qd_bench_lane *lane_of(qd_bench_connection *connection, uint64_t room)
{
    uint32_t low = 0, high = connection->lane_count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (connection->by_room[middle]->room < room) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < connection->lane_count && connection->by_room[low]->room == room ? connection->by_room[low] : NULL;
}

/* Records the arrival of a complete tick of the room's own clock. */
static void take_time(qd_bench_lane *lane, uint64_t tick, uint64_t now_ns)
{
    const qd_bench_options *options = &lane->connection->bench->options;

    if (options->step) {
        return;
    }
    /* The difference is correct across an overflow. */
    uint64_t since_ns = now_ns - tick * 1000000000u / options->hz;
    if (!lane->has_earliest || (int64_t)(since_ns - lane->earliest_ns) < 0) {
        lane->earliest_ns = since_ns;
    }
    lane->has_earliest = true;
    qd_histogram_record(&lane->connection->figures->lateness_ns, since_ns - lane->earliest_ns);
}

static void take_applied(qd_bench_lane *lane, const qd_msg_applied *applied, uint64_t now_ns)
{
    qd_bench_figures *figures = lane->connection->figures;
    bool any = false;

    /* The comparison is correct across an overflow. */
    if (lane->setup_seq && (int32_t)(applied->seq - lane->setup_seq) >= 0) {
        lane->setup_seq = 0;
        any = true;
    }
    take_time(lane, applied->tick, now_ns);
    while (lane->pending_count > 0 && (int32_t)(applied->seq - lane->pending[lane->pending_first].seq) >= 0) {
        const qd_bench_pending *first = &lane->pending[lane->pending_first];

        if (is_measured(lane)) {
            qd_histogram_record(&figures->round_trip_ns, now_ns - first->intended_ns);
            qd_histogram_record(&figures->own_late_ns, first->made_ns - first->intended_ns);
        }
        figures->updates += lane->count;
        forget_first(lane);
        any = true;
    }
    /* Without batches in flight, the room at this tick equals the lane now. */
    if (any && lane->pairs && lane->pending_count == 0 &&
        lane->connection->bench->options.check == QD_BENCH_CHECK_ALL) {
        qd_bench_check(lane, lane, applied->tick);
    }
    /* A waiting batch may be sent now. */
    if (any) {
        qd_bench_lane_send_due(lane, now_ns);
    }
}

static void take_tick(qd_bench_lane *lane, const qd_msg_tick *tick, uint64_t now_ns)
{
    qd_bench_figures *figures = lane->connection->figures;

    figures->begins += tick->begins.count;
    figures->ends += tick->ends.count;
    figures->stays += tick->stays.count;
    figures->suspensions += tick->suspended;
    figures->resets += tick->merged_ticks > 0;
    lane->has_set |= tick->reset;
    /* A writer takes the time from Applied. */
    if (lane->count == 0 && tick->last && !tick->reset) {
        take_time(lane, tick->tick, now_ns);
    }
    if (lane->pairs && qd_pairs_apply(lane->pairs, tick) < 0) {
        qd_bench_fail(lane->connection->bench, "the events of tick %llu of room %u contradict those before",
                      (unsigned long long)tick->tick, lane->room_index);
    }
}

static void take_opened(qd_bench_connection *connection, uint64_t seq, const qd_msg_room_opened *opened)
{
    uint32_t index = seq - connection->open_seq;

    if (index < connection->lane_count) {
        connection->lanes[index].room = opened->room;
    }
}

void qd_bench_take_message(qd_bench_connection *connection, const qd_server_message *message, uint64_t now_ns)
{
    qd_bench_lane *lane;

    switch (message->kind) {
    case QD_SERVER_ROOM_OPENED:
        take_opened(connection, message->seq, &message->as.room_opened);
        break;
    case QD_SERVER_TICK:
        if ((lane = lane_of(connection, message->as.tick.room))) {
            take_tick(lane, &message->as.tick, now_ns);
        }
        break;
    case QD_SERVER_APPLIED:
        if ((lane = lane_of(connection, message->as.applied.room))) {
            take_applied(lane, &message->as.applied, now_ns);
        }
        break;
    case QD_SERVER_STATS:
        if (message->as.stats.has_room && (lane = lane_of(connection, message->as.stats.room.room))) {
            lane->stats = message->as.stats.room;
            lane->memory_bytes = message->as.stats.server.memory_bytes;
            lane->has_stats = true;
        }
        break;
    case QD_SERVER_ROOM_CLOSED:
        if ((lane = lane_of(connection, message->as.room_closed.room))) {
            lane->is_closed = true;
        }
        break;
    case QD_SERVER_ERROR:
    case QD_SERVER_ACCEPTED:
        if (qd_client_refusal(message) != NULL) {
            qd_bench_fail(connection->bench, "the server refused: %s", qd_client_refusal(message));
        }
        break;
    case QD_SERVER_GO_AWAY:
        qd_bench_fail(connection->bench, "the server closes the connection: %s", message->as.go_away.text);
        break;
    default:
        break;
    }
}

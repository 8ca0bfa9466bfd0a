/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* ppoll */

#include "bench.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define RECEIVE_BYTES 262144u
/* Ready connections per round: the driver receives from all of them before it handles messages. */
#define READY_MAX 16
/* The most consecutive receives from one connection, so that others and the schedule get their turn. */
#define RECEIVES_MAX 8
/* The longest wait, after which the driver checks whether the run was stopped. */
#define LOOK_UP_NS 100000000u

/* ---- one connection ---- */

static void receive(qd_bench_connection *connection)
{
    static _Thread_local uint8_t bytes[RECEIVE_BYTES];

    for (int turn = 0; turn < RECEIVES_MAX; turn++) {
        ssize_t size = recv(qd_client_socket(connection->client), bytes, sizeof bytes, MSG_DONTWAIT);

        if (size < 0 && errno == EINTR) {
            continue;
        }
        if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            break;
        }
        if (size <= 0) {
            qd_client_input_end(connection->client);
            break;
        }
        connection->bytes_in += (uint64_t)size;
        qd_client_input(connection->client, bytes, (size_t)size);
        if ((size_t)size < sizeof bytes) {
            break;
        }
    }
    connection->received_ns = qd_now_ns();
}

static void take_messages(qd_bench_connection *connection, pthread_mutex_t *lock)
{
    const qd_server_message *message;

    if (lock) {
        pthread_mutex_lock(lock);
    }
    connection->figures->bytes_out += connection->bytes_out;
    connection->figures->bytes_in += connection->bytes_in;
    connection->bytes_out = connection->bytes_in = 0;
    while ((message = qd_client_next(connection->client))) {
        qd_bench_take_message(connection, message, connection->received_ns);
    }
    if (qd_client_state(connection->client) < 0) {
        qd_bench_fail(connection->bench, "%s", qd_client_error(connection->client));
    }
    if (lock) {
        pthread_mutex_unlock(lock);
    }
}

static void exchange(qd_bench_connection *connection, pthread_mutex_t *lock)
{
    qd_bench_send(connection);
    receive(connection);
    take_messages(connection, lock);
}

static bool output_waits(const qd_bench_connection *connection)
{
    size_t size;

    return !connection->is_held && qd_client_output(connection->client, &size) != NULL;
}

bool qd_bench_wait(qd_bench_connection *connection, bool (*is_done)(const qd_bench_connection *), const char *what)
{
    qd_bench *bench = connection->bench;
    bool was_stopped = qd_bench_is_stopped(bench);
    uint64_t limit_ns = was_stopped ? QD_BENCH_TIMEOUT_STOPPED_NS : QD_BENCH_TIMEOUT_NS;
    uint64_t end_ns = qd_now_ns() + limit_ns;

    while (qd_client_state(connection->client) == QD_CLIENT_OK && qd_bench_is_stopped(bench) == was_stopped) {
        uint64_t bytes = connection->figures->bytes_in + connection->figures->bytes_out;

        exchange(connection, NULL);
        if (!output_waits(connection) && is_done(connection)) {
            return true;
        }
        /* Received bytes extend the time limit: the server is slow, but alive. */
        if (connection->figures->bytes_in + connection->figures->bytes_out > bytes) {
            end_ns = qd_now_ns() + limit_ns;
        }
        if (qd_now_ns() > end_ns) {
            qd_bench_fail(bench, "%s does not answer: waited %u s for %s", bench->server.address,
                          (unsigned)(limit_ns / 1000000000u), what);
            return false;
        }
        struct pollfd ready = {.fd = qd_client_socket(connection->client),
                               .events = (short)(POLLIN | (output_waits(connection) ? POLLOUT : 0))};
        poll(&ready, 1, 100);
    }
    return false;
}

/* ---- many connections, on schedule ---- */

/* The lanes of a driver send in turn, evenly over the period: slot s belongs to lane s % lane_count. */
static uint64_t slot_ns(const qd_bench_driver *driver, uint64_t slot)
{
    uint64_t period_ns = 1000000000u / driver->bench->options.hz;
    uint64_t round = slot / driver->lane_count, place = slot % driver->lane_count;

    return driver->bench->start_ns + round * period_ns + place * period_ns / driver->lane_count;
}

static bool is_busy(const qd_bench_driver *driver)
{
    for (uint32_t index = 0; index < driver->lane_count; index++) {
        if (qd_bench_lane_is_busy(driver->lanes[index])) {
            return true;
        }
    }
    return false;
}

/* Lets epoll wait for output space as long as the connection has output. */
static void watch_output(qd_bench_driver *driver, qd_bench_connection *connection)
{
    const bool waits = output_waits(connection);
    struct epoll_event event = {.events = EPOLLIN | (waits ? EPOLLOUT : 0), .data.ptr = connection};

    if (waits != connection->is_output_watched) {
        epoll_ctl(driver->ready, EPOLL_CTL_MOD, qd_client_socket(connection->client), &event);
    }
    connection->is_output_watched = waits;
}

/* Waits until a socket is ready or until then, and exchanges with the ready ones. */
static void wait_and_exchange(qd_bench_driver *driver, uint64_t until_ns)
{
    struct epoll_event events[READY_MAX];
    uint64_t now_ns = qd_now_ns();
    uint64_t wait_ns = until_ns > now_ns ? until_ns - now_ns : 0;

    if (wait_ns > LOOK_UP_NS) {
        wait_ns = LOOK_UP_NS;
    }
    struct timespec wait = {(time_t)(wait_ns / 1000000000u), (long)(wait_ns % 1000000000u)};

    /* epoll_wait alone waits for whole milliseconds. */
    if (ppoll(&(struct pollfd){.fd = driver->ready, .events = POLLIN}, 1, &wait, NULL) <= 0) {
        return;
    }
    int count = epoll_wait(driver->ready, events, READY_MAX, 0);
    /* Receives first, so that handling one connection's messages does not delay the receive time of another's. */
    for (int index = 0; index < count; index++) {
        qd_bench_send(events[index].data.ptr);
        receive(events[index].data.ptr);
    }
    for (int index = 0; index < count; index++) {
        take_messages(events[index].data.ptr, &driver->lock);
        watch_output(driver, events[index].data.ptr);
    }
}

static void send_all(qd_bench_driver *driver)
{
    for (uint32_t index = 0; index < driver->connection_count; index++) {
        qd_bench_connection *connection = &driver->connections[index];

        if (!output_waits(connection) || connection->is_output_watched) {
            continue;
        }
        exchange(connection, &driver->lock);
        watch_output(driver, connection);
    }
}

static void send_due(qd_bench_driver *driver)
{
    uint64_t now_ns = qd_now_ns();

    for (uint32_t lane = 0; lane < driver->lane_count; lane++) {
        qd_bench_lane_send_due(driver->lanes[lane], now_ns);
    }
}

/* For a driver whose lanes send nothing. */
static void run_readers(qd_bench_driver *driver)
{
    for (uint32_t lane = 0; lane < driver->lane_count; lane++) {
        driver->lanes[lane]->next_ns = driver->bench->end_ns;
    }
    while (qd_now_ns() < driver->bench->end_ns && !qd_bench_is_stopped(driver->bench)) {
        wait_and_exchange(driver, driver->bench->end_ns);
    }
}

static void run_on_schedule(qd_bench_driver *driver)
{
    const qd_bench *bench = driver->bench;
    const uint64_t early_ns = bench->options.is_exact ? QD_BENCH_EARLY_NS : 0;
    uint64_t slot = 0;

    for (uint32_t lane = 0; lane < driver->lane_count; lane++) {
        driver->lanes[lane]->next_ns = slot_ns(driver, lane);
    }
    while (slot_ns(driver, slot) < bench->end_ns && !qd_bench_is_stopped(bench)) {
        for (uint64_t now_ns = qd_now_ns(); slot_ns(driver, slot) <= now_ns; slot++) {
            qd_bench_lane_send_due(driver->lanes[slot % driver->lane_count], now_ns);
        }
        send_all(driver);
        for (uint32_t lane = 0; bench->options.is_exact && lane < driver->lane_count; lane++) {
            qd_bench_lane_make_ahead(driver->lanes[lane]);
        }
        wait_and_exchange(driver, slot_ns(driver, slot) - early_ns);
        if (early_ns > 0 && qd_now_ns() + early_ns >= slot_ns(driver, slot)) {
            qd_bench_wait_until(slot_ns(driver, slot));
        }
    }
    /* A stopped run may have encoded a batch that it did not send. */
    for (uint32_t index = 0; index < driver->connection_count; index++) {
        driver->connections[index].is_held = false;
    }
}

/* Each lane sends its next batch when the answer to the last one arrives. */
static void run_on_answers(qd_bench_driver *driver)
{
    const qd_bench *bench = driver->bench;

    while (qd_now_ns() < bench->start_ns) {
        wait_and_exchange(driver, bench->start_ns);
    }
    send_due(driver);
    while (qd_now_ns() < bench->end_ns && !qd_bench_is_stopped(bench)) {
        send_all(driver);
        wait_and_exchange(driver, bench->end_ns);
    }
}

/* Runs until all batches are answered, or for too long. */
static void run_out(qd_bench_driver *driver)
{
    uint64_t give_up_ns = driver->bench->end_ns + QD_BENCH_RUN_OUT_NS;

    while (is_busy(driver) && !qd_bench_is_stopped(driver->bench) && qd_now_ns() < give_up_ns) {
        send_all(driver);
        wait_and_exchange(driver, give_up_ns);
    }
}

/* Unanswered batches count as if they were answered now: leaving them out would flatter a bad server. */
static void give_up(qd_bench_driver *driver)
{
    uint64_t now_ns = qd_now_ns();
    uint64_t count = 0;

    pthread_mutex_lock(&driver->lock);
    for (uint32_t lane = 0; lane < driver->lane_count; lane++) {
        count += qd_bench_lane_give_up(driver->lanes[lane], now_ns);
    }
    driver->recent.unanswered += count;
    pthread_mutex_unlock(&driver->lock);
    if (count > 0 && !driver->bench->options.may_be_late) {
        qd_bench_fail(
            driver->bench,
            "%llu batches were not answered within %u s after the end: the server cannot hold this rate; lower --hz, "
            "--entities or --rooms",
            (unsigned long long)count, (unsigned)(QD_BENCH_RUN_OUT_NS / 1000000000u));
    }
}

static bool watch_all(qd_bench_driver *driver)
{
    driver->ready = epoll_create1(EPOLL_CLOEXEC);
    for (uint32_t index = 0; driver->ready >= 0 && index < driver->connection_count; index++) {
        qd_bench_connection *connection = &driver->connections[index];
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};

        connection->is_output_watched = false;
        if (epoll_ctl(driver->ready, EPOLL_CTL_ADD, qd_client_socket(connection->client), &event) != 0) {
            return false;
        }
    }
    return driver->ready >= 0;
}

void *qd_bench_drive(void *argument)
{
    qd_bench_driver *driver = argument;

    if (!watch_all(driver)) {
        qd_bench_fail(driver->bench, "cannot watch the sockets: %s", strerror(errno));
    } else {
        /* By default the system may wake the thread up to 50 us late. */
        prctl(PR_SET_TIMERSLACK, 1);
        if (driver->lane_count == 0 || driver->bench->options.rests) {
            run_readers(driver);
        } else if (driver->bench->options.hz > 0) {
            run_on_schedule(driver);
        } else {
            run_on_answers(driver);
        }
        run_out(driver);
        if (!qd_bench_is_stopped(driver->bench)) {
            give_up(driver);
        }
    }
    if (driver->ready >= 0) {
        close(driver->ready);
    }
    driver->done_ns = qd_now_ns();
    atomic_store(&driver->is_done, true);
    return NULL;
}

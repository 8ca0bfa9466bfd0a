/* SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define READY_MAX 256

typedef struct sockets {
    int sender, ready; /* ready: epoll of the receivers */
    int *receivers;
    uint8_t *bytes; /* of a request */
    uint64_t received_bytes;
} sockets;

static bool open_sockets(const qd_bench *bench, const qd_bench_raw_load *load, sockets *all)
{
    all->ready = epoll_create1(EPOLL_CLOEXEC);
    all->receivers = malloc(load->receivers * sizeof *all->receivers);
    all->bytes = calloc(1, load->request_bytes);
    for (uint32_t index = 0; all->receivers && index < load->receivers; index++) {
        all->receivers[index] = -1;
    }
    if (all->ready < 0 || !all->receivers || !all->bytes) {
        return false;
    }
    for (uint32_t index = 0; index < load->receivers; index++) {
        all->receivers[index] = qd_bench_raw_connect(&bench->raw, QD_BENCH_RAW_RECEIVER, 0, 0);
        if (all->receivers[index] < 0 ||
            epoll_ctl(all->ready, EPOLL_CTL_ADD, all->receivers[index],
                      &(struct epoll_event){.events = EPOLLIN, .data.fd = all->receivers[index]}) != 0) {
            return false;
        }
    }
    all->sender = qd_bench_raw_connect_broadcast(&bench->raw, (uint32_t)load->request_bytes,
                                                 (uint32_t)load->answer_bytes, load->busy_us);
    return all->sender >= 0;
}

static void close_sockets(const qd_bench_raw_load *load, sockets *all)
{
    for (uint32_t index = 0; all->receivers && index < load->receivers; index++) {
        if (all->receivers[index] >= 0) {
            close(all->receivers[index]);
        }
    }
    if (all->sender >= 0) {
        close(all->sender);
    }
    if (all->ready >= 0) {
        close(all->ready);
    }
    free(all->receivers);
    free(all->bytes);
}

/* Receives until then, or until the first bytes. */
static bool receive_until(sockets *all, uint64_t then_ns)
{
    static uint8_t bytes[65536];
    struct epoll_event events[READY_MAX];
    uint64_t now_ns = qd_now_ns();
    /* It polls for the last millisecond, because epoll_wait counts whole ones. */
    int wait_ms = then_ns > now_ns ? (int)((then_ns - now_ns) / 1000000u) : 0;
    int count = epoll_wait(all->ready, events, READY_MAX, wait_ms < 100 ? wait_ms : 100);

    for (int index = 0; index < count; index++) {
        ssize_t size = recv(events[index].data.fd, bytes, sizeof bytes, MSG_DONTWAIT);

        if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR)) {
            return false;
        }
        all->received_bytes += size > 0 ? (uint64_t)size : 0;
    }
    return count >= 0 || errno == EINTR;
}

static bool run(qd_bench *bench, const qd_bench_raw_load *load, sockets *all, qd_bench_raw_result *result)
{
    const uint64_t period_ns = 1000000000u / load->hz, answers_bytes = load->receivers * load->answer_bytes;
    const uint64_t start_ns = qd_now_ns() + 10000000;
    const uint64_t requests = (uint64_t)(bench->seconds * load->hz);
    uint64_t sent = 0;

    while (result->requests < requests && !qd_bench_is_stopped(bench)) {
        uint64_t now_ns = qd_now_ns(), next_ns = start_ns + sent * period_ns;

        if (now_ns > start_ns + requests * period_ns + QD_BENCH_TIMEOUT_NS) {
            errno = ETIMEDOUT;
            return false;
        }
        if (sent < requests && now_ns >= next_ns) {
            if (!qd_bench_raw_send(all->sender, all->bytes, load->request_bytes)) {
                return false;
            }
            sent++;
        }
        if (!receive_until(all, sent < requests ? start_ns + sent * period_ns : now_ns + 100000000u)) {
            return false;
        }
        for (; result->requests < sent && all->received_bytes >= (result->requests + 1) * answers_bytes;
             result->requests++) {
            qd_histogram_record(&result->lateness_ns, qd_now_ns() - start_ns - result->requests * period_ns);
        }
    }
    result->seconds = (double)(qd_now_ns() - start_ns) / 1e9;
    return true;
}

bool qd_bench_raw_run(qd_bench *bench, const qd_bench_raw_load *load, qd_bench_raw_result *result)
{
    sockets all = {.sender = -1, .ready = -1};

    memset(result, 0, sizeof *result);
    if (open_sockets(bench, load, &all)) {
        qd_bench_usage before = qd_bench_usage_of(bench->raw.pid);

        if (!run(bench, load, &all, result)) {
            qd_bench_fail(bench, "the raw loop does not answer: %s", strerror(errno));
        }
        result->used = qd_bench_usage_between(before, qd_bench_usage_of(bench->raw.pid));
    } else {
        qd_bench_fail(bench, "cannot connect to the raw loop: %s", strerror(errno));
    }
    close_sockets(load, &all);
    return !qd_bench_is_stopped(bench);
}

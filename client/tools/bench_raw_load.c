/* SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define READY_MAX 256

typedef struct band {
    int drum, ready;
    int *members;
    uint8_t *bytes;
    uint64_t got_bytes;
} band;

static bool gather(const qd_bench *bench, const qd_bench_beat *beat, band *all)
{
    all->ready = epoll_create1(EPOLL_CLOEXEC);
    all->members = malloc(beat->members * sizeof *all->members);
    all->bytes = calloc(1, beat->request_bytes > 65536 ? beat->request_bytes : 65536);
    for (uint32_t index = 0; all->members && index < beat->members; index++) {
        all->members[index] = -1;
    }
    if (all->ready < 0 || !all->members || !all->bytes) {
        return false;
    }
    for (uint32_t index = 0; index < beat->members; index++) {
        all->members[index] = qd_bench_raw_connect(&bench->raw, QD_BENCH_RAW_MEMBER, 0, 0);
        if (all->members[index] < 0 ||
            epoll_ctl(all->ready, EPOLL_CTL_ADD, all->members[index],
                      &(struct epoll_event){.events = EPOLLIN, .data.fd = all->members[index]}) != 0) {
            return false;
        }
    }
    all->drum = qd_bench_raw_connect_busy(&bench->raw, (uint32_t)beat->request_bytes, (uint32_t)beat->answer_bytes,
                                          beat->busy_us);
    return all->drum >= 0;
}

static void scatter(const qd_bench_beat *beat, band *all)
{
    for (uint32_t index = 0; all->members && index < beat->members; index++) {
        if (all->members[index] >= 0) {
            close(all->members[index]);
        }
    }
    if (all->drum >= 0) {
        close(all->drum);
    }
    if (all->ready >= 0) {
        close(all->ready);
    }
    free(all->members);
    free(all->bytes);
}

/* The raw loop never stops reading, whoever does not. */
static bool strike(band *all, uint64_t request_bytes)
{
    for (uint64_t at = 0; at < request_bytes;) {
        ssize_t sent = send(all->drum, all->bytes + at, request_bytes - at, MSG_NOSIGNAL);

        if (sent < 0 && errno != EINTR) {
            return false;
        }
        at += sent > 0 ? (uint64_t)sent : 0;
    }
    return true;
}

/* What has come by then, or the first of it. */
static bool listen_until(band *all, uint64_t then_ns)
{
    static uint8_t bytes[65536];
    struct epoll_event events[READY_MAX];
    uint64_t now_ns = qd_bench_now_ns();
    /* Towards the end it looks again and again: a millisecond is too coarse. */
    int wait_ms = then_ns > now_ns ? (int)((then_ns - now_ns) / 1000000u) : 0;
    int count = epoll_wait(all->ready, events, READY_MAX, wait_ms < 100 ? wait_ms : 100);

    for (int index = 0; index < count; index++) {
        ssize_t size = recv(events[index].data.fd, bytes, sizeof bytes, MSG_DONTWAIT);

        if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR)) {
            return false;
        }
        all->got_bytes += size > 0 ? (uint64_t)size : 0;
    }
    return count >= 0 || errno == EINTR;
}

static bool play(qd_bench *bench, const qd_bench_beat *beat, band *all, qd_bench_beaten *result)
{
    const uint64_t period_ns = 1000000000u / beat->hz, beat_bytes = beat->members * beat->answer_bytes;
    const uint64_t start_ns = qd_bench_now_ns() + 10000000;
    const uint64_t beats = (uint64_t)(bench->seconds * beat->hz);
    uint64_t struck = 0;

    while (result->beats < beats && !qd_bench_is_stopped(bench)) {
        uint64_t now_ns = qd_bench_now_ns(), next_ns = start_ns + struck * period_ns;

        if (now_ns > start_ns + beats * period_ns + QD_BENCH_TIMEOUT_NS) {
            errno = ETIMEDOUT;
            return false;
        }
        if (struck < beats && now_ns >= next_ns) {
            if (!strike(all, beat->request_bytes)) {
                return false;
            }
            struck++;
        }
        if (!listen_until(all, struck < beats ? start_ns + struck * period_ns : now_ns + 100000000u)) {
            return false;
        }
        for (; result->beats < struck && all->got_bytes >= (result->beats + 1) * beat_bytes; result->beats++) {
            qd_histogram_record(&result->lateness_ns, qd_bench_now_ns() - start_ns - result->beats * period_ns);
        }
    }
    result->seconds = (double)(qd_bench_now_ns() - start_ns) / 1e9;
    return true;
}

bool qd_bench_drum(qd_bench *bench, const qd_bench_beat *beat, qd_bench_beaten *result)
{
    band all = {.drum = -1, .ready = -1};

    memset(result, 0, sizeof *result);
    if (gather(bench, beat, &all)) {
        qd_bench_usage before = qd_bench_usage_of(bench->raw.pid);

        if (!play(bench, beat, &all, result)) {
            qd_bench_fail(bench, "the raw loop does not answer: %s", strerror(errno));
        }
        result->used = qd_bench_usage_between(before, qd_bench_usage_of(bench->raw.pid));
    } else {
        qd_bench_fail(bench, "cannot reach the raw loop: %s", strerror(errno));
    }
    scatter(beat, &all);
    return !qd_bench_is_stopped(bench);
}

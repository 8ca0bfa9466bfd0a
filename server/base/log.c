/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* pthread_setname_np */
#include "log.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "log/flood.h"
#include "log/ring.h"

#define SECOND_NS     UINT64_C(1000000000)
#define SWEEP_NS      SECOND_NS /* how often the thread looks for windows that are over */
#define PIECE_BYTES   QD_LOG_LINE_BYTES_MAX
#define DIRECT_MS_MAX 1000
#define LAST_WORDS_MS 1000u
#define DROPPED       "lines were dropped"
#define SUPPRESSED    "lines were suppressed"

typedef enum log_state {
    LOG_DIRECT = 0, /* there is no thread */
    LOG_RUNNING,
    LOG_STOPPING,
} log_state;

static _Atomic int level_max = QD_LOG_INFO;
static _Atomic bool audits;
static qd_log_format line_format = QD_LOG_FORMAT_TEXT;

/* All below belongs to the lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled;  /* the thread has something to do */
static pthread_cond_t written; /* the ring is empty */
static pthread_t writer;
static log_state state;
static uint64_t dropped_reported; /* of ring.dropped */
static qd_log_ring ring;
static qd_flood flood;

void qd_log_level_set(qd_log_level level)
{
    atomic_store_explicit(&level_max, (int)level, memory_order_relaxed);
}

void qd_log_audit_set(bool is_on)
{
    atomic_store_explicit(&audits, is_on, memory_order_relaxed);
}

bool qd_log_is_on(qd_log_level level)
{
    if (level == QD_LOG_AUDIT) {
        return atomic_load_explicit(&audits, memory_order_relaxed);
    }
    return (int)level <= atomic_load_explicit(&level_max, memory_order_relaxed);
}

void qd_log_format_set(qd_log_format format)
{
    line_format = format;
}

static size_t render(char line[QD_LOG_LINE_BYTES_MAX], qd_log_level level, const char *message,
                     const qd_log_field *fields)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return qd_log_line(line, line_format, &now, level, message, fields);
}

static struct timespec deadline(uint64_t after_ns)
{
    const uint64_t at_ns = qd_clock_now_ns() + after_ns;

    return (struct timespec){.tv_sec = (time_t)(at_ns / SECOND_NS), .tv_nsec = (long)(at_ns % SECOND_NS)};
}

/* ---- writing ---- */

/* Waits for at most a second: a pipe that polls as writable takes PIPE_BUF bytes without waiting. A failure cannot be
 * reported anywhere. */
static void write_direct(const char *line, size_t size)
{
    struct pollfd file = {.fd = STDERR_FILENO, .events = POLLOUT};

    if (poll(&file, 1, DIRECT_MS_MAX) == 1 && (file.revents & POLLOUT) != 0) {
        ssize_t count = write(STDERR_FILENO, line, size);

        (void)count;
    }
}

/* Waits for as long as it takes. Returns 0 if the file fails. */
static size_t write_some(const char *bytes, size_t size)
{
    for (;;) {
        ssize_t count = write(STDERR_FILENO, bytes, size);

        if (count >= 0) {
            return (size_t)count;
        }
        if (errno == EAGAIN || errno == EWOULDBLOCK) {
            poll(&(struct pollfd){.fd = STDERR_FILENO, .events = POLLOUT}, 1, -1);
        } else if (errno != EINTR) {
            return 0;
        }
    }
}

/* ---- what is left out [lock] ---- */

/* Only after stderr has taken bytes: while it fails, the report would be dropped, too. */
static void report_dropped(void)
{
    char line[QD_LOG_LINE_BYTES_MAX];
    const uint64_t count = ring.dropped - dropped_reported;

    if (count == 0) {
        return;
    }
    const qd_log_field fields[] = {QD_LOG_NUMBER("count", count), {.name = NULL}};
    if (qd_log_ring_push(&ring, line, render(line, QD_LOG_WARN, DROPPED, fields))) {
        dropped_reported += count;
    } else {
        ring.dropped--; /* the report is no line of its own */
    }
}

/* A report is a message, too, and is limited like others. */
static void report_suppressed(bool all)
{
    char line[QD_LOG_LINE_BYTES_MAX];
    qd_flood_report report;

    while (qd_flood_take(&flood, qd_clock_now_ns(), all, &report)) {
        const qd_log_field fields[] = {
            QD_LOG_STRING("of", report.message),
            QD_LOG_NUMBER("count", report.suppressed),
            QD_LOG_STRING(report.peer[0] != '\0' ? "address" : NULL, report.peer),
            {.name = NULL},
        };

        if (qd_flood_admit(&flood, SUPPRESSED, NULL, qd_clock_now_ns())) {
            qd_log_ring_push(&ring, line, render(line, QD_LOG_WARN, SUPPRESSED, fields));
        }
    }
}

/* ---- the thread ---- */

/* The lock is released while the thread writes. [lock] */
static void write_piece(void)
{
    const char *bytes;
    size_t size = qd_log_ring_peek(&ring, &bytes);

    pthread_mutex_unlock(&lock);
    size = write_some(bytes, size < PIECE_BYTES ? size : PIECE_BYTES);
    pthread_mutex_lock(&lock);
    if (size > 0) {
        qd_log_ring_pop(&ring, size);
        report_dropped();
    } else {
        qd_log_ring_discard(&ring);
    }
}

static void *run(void *context)
{
    (void)context;
    pthread_mutex_lock(&lock);
    while (state == LOG_RUNNING || ring.size > 0) {
        if (ring.size > 0) {
            write_piece();
            continue;
        }
        pthread_cond_broadcast(&written);
        if (flood.pending > 0) {
            struct timespec until = deadline(SWEEP_NS);

            pthread_cond_timedwait(&filled, &lock, &until);
            report_suppressed(false);
        } else {
            pthread_cond_wait(&filled, &lock);
        }
    }
    state = LOG_DIRECT;
    pthread_cond_broadcast(&written);
    pthread_mutex_unlock(&lock);
    return NULL;
}

bool qd_log_start(void)
{
    pthread_condattr_t attributes;

    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&filled, &attributes);
    pthread_cond_init(&written, &attributes);
    pthread_condattr_destroy(&attributes);
    state = LOG_RUNNING;
    if (pthread_create(&writer, NULL, run, NULL) != 0) {
        state = LOG_DIRECT;
        return false;
    }
    pthread_setname_np(writer, "qd-log");
    return true;
}

void qd_log_stop(uint32_t ms_max)
{
    const struct timespec until = deadline(ms_max * UINT64_C(1000000));
    int result = 0;

    pthread_mutex_lock(&lock);
    if (state != LOG_RUNNING) {
        pthread_mutex_unlock(&lock);
        return;
    }
    report_suppressed(true);
    state = LOG_STOPPING;
    pthread_cond_signal(&filled);
    while (state != LOG_DIRECT && result == 0) {
        result = pthread_cond_timedwait(&written, &lock, &until);
    }
    const bool done = state == LOG_DIRECT;
    pthread_mutex_unlock(&lock);
    if (done) {
        pthread_join(writer, NULL);
    } else {
        pthread_detach(writer); /* it waits for the reader of stderr; the end of the process ends it */
    }
}

void qd_log_last_words(const char *text)
{
    struct timespec locked_until, until = deadline(LAST_WORDS_MS * UINT64_C(1000000));
    int result = 0;

    clock_gettime(CLOCK_REALTIME, &locked_until);
    locked_until.tv_sec++;
    if (pthread_mutex_timedlock(&lock, &locked_until) == 0) {
        while (state != LOG_DIRECT && ring.size > 0 && result == 0) {
            result = pthread_cond_timedwait(&written, &lock, &until);
        }
        pthread_mutex_unlock(&lock);
    }
    write_direct(text, strlen(text));
}

/* ---- lines ---- */

uint64_t qd_log_dropped(void)
{
    pthread_mutex_lock(&lock);
    uint64_t count = ring.dropped;
    pthread_mutex_unlock(&lock);
    return count;
}

uint64_t qd_log_suppressed(void)
{
    pthread_mutex_lock(&lock);
    uint64_t count = flood.suppressed;
    pthread_mutex_unlock(&lock);
    return count;
}

static bool admit(const char *message, const qd_log_field *fields)
{
    const char *peer = NULL;

    for (; fields->name != NULL; fields++) {
        peer = fields->is_peer ? fields->text : peer;
    }
    pthread_mutex_lock(&lock);
    bool admitted = qd_flood_admit(&flood, message, peer, qd_clock_now_ns());
    if (!admitted && flood.pending == 1 && state == LOG_RUNNING) {
        pthread_cond_signal(&filled); /* the thread begins to look for windows that are over */
    }
    pthread_mutex_unlock(&lock);
    return admitted;
}

void qd_log_write(qd_log_level level, const char *message, const qd_log_field *fields)
{
    const int saved_errno = errno;
    char line[QD_LOG_LINE_BYTES_MAX];

    if (level >= QD_LOG_DEBUG || admit(message, fields)) {
        size_t size = render(line, level, message, fields);

        pthread_mutex_lock(&lock);
        const bool direct = state == LOG_DIRECT;
        if (!direct) {
            qd_log_ring_push(&ring, line, size);
            pthread_cond_signal(&filled);
        }
        pthread_mutex_unlock(&lock);
        if (direct) {
            write_direct(line, size);
        }
    }
    errno = saved_errno;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "metrics.h"

#include <inttypes.h>
#include <string.h>

#include "../actor/room_overview.h"
#include "../base/log.h"
#include "../base/memory/footprint.h"
#include "parts/admin_memory.h"
#include "parts/threads.h"

#define SECOND_NS UINT64_C(1000000000)

static void head(qd_admin_answer *out, const char *name, const char *type, const char *help)
{
    qd_admin_print(out, "# HELP quadrille_%s %s\n# TYPE quadrille_%s %s\n", name, help, name, type);
}

static void gauge(qd_admin_answer *out, const char *name, const char *help, uint64_t value)
{
    head(out, name, "gauge", help);
    qd_admin_print(out, "quadrille_%s %" PRIu64 "\n", name, value);
}

static void total(qd_admin_answer *out, const char *name, const char *help, uint64_t value)
{
    head(out, name, "counter", help);
    qd_admin_print(out, "quadrille_%s %" PRIu64 "\n", name, value);
}

static void sample(qd_admin_answer *out, const char *name, const char *label, const char *text, uint64_t value)
{
    qd_admin_print(out, "quadrille_%s{%s=\"%s\"} %" PRIu64 "\n", name, label, text, value);
}

/* ---- what is there now ---- */

static void write_state(qd_admin_answer *out, const qd_msg_server_stats *stats)
{
    head(out, "build_info", "gauge", "The version of the server; the value is 1.");
    qd_admin_print(out, "quadrille_build_info{version=\"%s\"} 1\n", qd_server_name);
    head(out, "uptime_seconds", "gauge", "Time since the server has started.");
    qd_admin_print(out, "quadrille_uptime_seconds %.3f\n", (double)stats->uptime_ms / 1000);
    gauge(out, "sessions", "Connections, with those that have not sent Hello.", stats->sessions);
    gauge(out, "sessions_detached", "Sessions without a connection that wait to be resumed.", stats->detached);
    gauge(out, "rooms", "Rooms that are open.", stats->rooms);
    gauge(out, "rooms_slowed", "Rooms that cannot hold their rate.", stats->rooms_slowed);
    gauge(out, "workers", "Threads that run rooms.", stats->workers);
}

static void write_memory(qd_admin_answer *out, const qd_msg_server_stats *stats)
{
    static const char name[] = "allocator_bytes";
    const qd_allocator_stats allocator = qd_memory_allocator_stats();

    gauge(out, "memory_bytes", "Memory that counts against --memory-max.", stats->memory_bytes);
    gauge(out, "memory_max_bytes", "--memory-max.", stats->memory_bytes_max);
    head(out, name, "gauge", "jemalloc's figures; see stats.* in its manual.");
    sample(out, name, "kind", "allocated", allocator.allocated);
    sample(out, name, "kind", "active", allocator.active);
    sample(out, name, "kind", "metadata", allocator.metadata);
    sample(out, name, "kind", "resident", allocator.resident);
    sample(out, name, "kind", "mapped", allocator.mapped);
    sample(out, name, "kind", "retained", allocator.retained);
    gauge(out, "admin_memory_bytes", "Memory of the admin server, which reserves 2 MiB.", qd_admin_memory_used());
    gauge(out, "admin_memory_peak_bytes", "The most memory of the admin server so far.", qd_admin_memory_peak());
}

/* ---- what was counted ---- */

static void write_traffic(qd_admin_answer *out, const qd_counters *counters)
{
    static const char resets[] = "resets_total";

    total(out, "ticks_total", "Ticks of all rooms.", qd_counted(counters, QD_COUNT_TICKS));
    total(out, "ticks_skipped_total", "Ticks that clocks left out because they were late.",
          qd_counted(counters, QD_COUNT_SKIPPED));
    total(out, "updates_total", "Entries of batches that were applied.", qd_counted(counters, QD_COUNT_UPDATES));
    total(out, "events_total", "Pair events.", qd_counted(counters, QD_COUNT_EVENTS));
    total(out, "received_bytes_total", "Bytes of frames from clients.", qd_counted(counters, QD_COUNT_BYTES_IN));
    total(out, "sent_bytes_total", "Bytes of frames to clients.", qd_counted(counters, QD_COUNT_BYTES_OUT));
    total(out, "sessions_resumed_total", "Sessions that were resumed.", qd_counted(counters, QD_COUNT_RESUMED));
    total(out, "sessions_not_kept_total", "Resumable sessions that ended at once, because too many waited already.",
          qd_counted(counters, QD_COUNT_NOT_KEPT));
    head(out, resets, "counter", "Reports with the full set, to new and to slow readers.");
    sample(out, resets, "of", "pairs", qd_counted(counters, QD_COUNT_RESETS_PAIRS));
    sample(out, resets, "of", "views", qd_counted(counters, QD_COUNT_RESETS_VIEWS));
    total(out, "readers_lagging_total", "Members that began to lose reports because their queue was full.",
          qd_counted(counters, QD_COUNT_LAGGING));
    total(out, "room_creations_paced_total",
          "Rooms after whose creation a session had to wait, because of its token's rate.",
          qd_counted(counters, QD_COUNT_PACED));
    total(out, "suspended_memory_total", "Reports of subscriptions and views that lack of memory suspended.",
          qd_counted(counters, QD_COUNT_SUSPENDED_MEMORY));
}

static void write_drops(qd_admin_answer *out, const qd_counters *counters)
{
    static const char sessions[] = "sessions_dropped_total", lines[] = "log_lines_dropped_total";

    head(out, sessions, "counter", "Connections that the server ended, by the reason.");
    sample(out, sessions, "reason", "too_slow", qd_counted(counters, QD_COUNT_TOO_SLOW));
    sample(out, sessions, "reason", "not_alive", qd_counted(counters, QD_COUNT_NOT_ALIVE));
    sample(out, sessions, "reason", "silent", qd_counted(counters, QD_COUNT_DROPPED_SILENT));
    head(out, lines, "counter", "Lines of the log that were not written, by the reason.");
    sample(out, lines, "reason", "full", qd_log_dropped());
    sample(out, lines, "reason", "repeated", qd_log_suppressed());
    total(out, "records_ended_total", "Records of rooms that ended early, because the disk was slow or full.",
          qd_counted(counters, QD_COUNT_RECORDS_ENDED));
}

static void write_refusals(qd_admin_answer *out, const qd_counters *counters)
{
    static const struct {
        const char *reason;
        qd_counter counter;
    } connections[] = {{"full", QD_COUNT_REFUSED_FULL},
                       {"memory", QD_COUNT_REFUSED_MEMORY},
                       {"address_connections", QD_COUNT_REFUSED_ADDRESS_CONNECTIONS},
                       {"address_accepts", QD_COUNT_REFUSED_ADDRESS_ACCEPTS},
                       {"address_tokens", QD_COUNT_REFUSED_ADDRESS_TOKENS}};
    static const qd_error_code codes[] = {
#define X(name, number) QD_ERROR_##name,
        QD_ERROR_CODES(X)
#undef X
    };

    head(out, "connections_refused_total", "counter", "Connections that were refused, by the reason.");
    for (size_t i = 0; i < sizeof connections / sizeof connections[0]; i++) {
        sample(out, "connections_refused_total", "reason", connections[i].reason,
               qd_counted(counters, connections[i].counter));
    }
    total(out, "errors_total", "Requests that were refused, at least in part.", qd_counted(counters, QD_COUNT_ERRORS));
    head(out, "refusals_total", "counter", "Refused requests and refused entries of batches, by the error code.");
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        sample(out, "refusals_total", "code", qd_error_code_name(codes[i]),
               qd_counted(counters, (qd_counter)(QD_COUNT_ERROR + codes[i])));
    }
}

static void write_quotas(qd_admin_answer *out, const qd_counters *counters)
{
    static const char name[] = "quota_refusals_total";
    static const char *const names[QD_QUOTAS] = {
        [QD_QUOTA_JOINED] = "rooms_joined",
        [QD_QUOTA_ENTITIES] = "entities",
        [QD_QUOTA_OBSERVERS] = "observers",
        [QD_QUOTA_VISIBLE] = "visible_entries",
        [QD_QUOTA_SUBSCRIBED] = "subscriptions",
        [QD_QUOTA_CONNECTIONS] = "connections",
        [QD_QUOTA_DETACHED] = "detached",
        [QD_QUOTA_CREATED] = "rooms",
        [QD_QUOTA_MEMORY] = "memory",
    };

    head(out, name, "counter", "Requests that a quota refused, at least in part, by its owner and kind.");
    for (uint32_t quota = 0; quota < QD_QUOTAS; quota++) {
        if (quota < QD_QUOTA_CONNECTIONS || quota == QD_QUOTA_MEMORY) {
            qd_admin_print(out, "quadrille_%s{owner=\"session\",quota=\"%s\"} %" PRIu64 "\n", name, names[quota],
                           qd_counted(counters, (qd_counter)(QD_COUNT_REFUSED_SESSION + quota)));
        }
        if (quota > QD_QUOTA_JOINED) {
            qd_admin_print(out, "quadrille_%s{owner=\"token\",quota=\"%s\"} %" PRIu64 "\n", name, names[quota],
                           qd_counted(counters, (qd_counter)(QD_COUNT_REFUSED_TENANT + quota)));
        }
    }
}

/* ---- histograms ---- */

static void write_histogram(qd_admin_answer *out, const qd_counters *counters, qd_histogram histogram, const char *name,
                            const char *help)
{
    const bool is_time = histogram != QD_HISTOGRAM_QUEUE;
    uint64_t buckets[QD_HISTOGRAM_BUCKETS], sum, count = 0;

    qd_observed(counters, histogram, buckets, &sum);
    head(out, name, "histogram", help);
    for (uint32_t i = 0; i + 1 < QD_HISTOGRAM_BUCKETS; i++) {
        const double bound = (double)(UINT64_C(1) << i);

        count += buckets[i];
        qd_admin_print(out, "quadrille_%s_bucket{le=\"%.9g\"} %" PRIu64 "\n", name,
                       is_time ? bound * QD_HISTOGRAM_TIME_NS / (double)SECOND_NS : bound, count);
    }
    count += buckets[QD_HISTOGRAM_BUCKETS - 1];
    qd_admin_print(out, "quadrille_%s_bucket{le=\"+Inf\"} %" PRIu64 "\n", name, count);
    qd_admin_print(out, "quadrille_%s_sum %.9g\nquadrille_%s_count %" PRIu64 "\n", name,
                   is_time ? (double)sum / (double)SECOND_NS : (double)sum, name, count);
}

static void write_histograms(qd_admin_answer *out, const qd_counters *counters)
{
    write_histogram(out, counters, QD_HISTOGRAM_TICK, "tick_duration_seconds", "Time that ticks took.");
    write_histogram(out, counters, QD_HISTOGRAM_LATE, "tick_lateness_seconds",
                    "Time between the moment when a tick of a clock was due and its start.");
    write_histogram(out, counters, QD_HISTOGRAM_QUEUE, "room_queue_messages",
                    "Messages that waited in a room when a worker came to it, if there were any.");
    write_histogram(out, counters, QD_HISTOGRAM_ROUND_TRIP, "ping_round_trip_seconds",
                    "Time between a Ping of the server, which silent clients get, and the Pong.");
}

/* ---- threads and rooms ---- */

/* A value of a label. Room names have no control characters. */
static void write_label(qd_admin_answer *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            qd_admin_write(out, "\\", 1);
        }
        qd_admin_write(out, text, 1);
    }
}

/* The sum over all threads of one name, since a thread's number would make a new time series at each start. */
static void write_threads(qd_admin_answer *out)
{
    static const char name[] = "thread_cpu_seconds_total";
    static qd_admin_thread threads[QD_ADMIN_THREADS_MAX]; /* too large for the stack; of this thread alone */
    const uint32_t count = qd_admin_threads(threads, QD_ADMIN_THREADS_MAX);

    head(out, name, "counter", "CPU time of the threads of each name.");
    for (uint32_t i = 0; i < count; i++) {
        double seconds = 0;
        bool is_first = true;

        for (uint32_t j = 0; j < count; j++) {
            if (strcmp(threads[i].name, threads[j].name) == 0) {
                is_first &= j >= i;
                seconds += threads[j].cpu_seconds;
            }
        }
        if (is_first) {
            qd_admin_print(out, "quadrille_%s{thread=\"", name);
            write_label(out, threads[i].name);
            qd_admin_print(out, "\"} %.2f\n", seconds);
        }
    }
}

static void write_room(qd_admin_answer *out, const char *name, const char *room, double value)
{
    qd_admin_print(out, "quadrille_%s{room=\"", name);
    write_label(out, room);
    qd_admin_print(out, "\"} %.9g\n", value);
}

static void write_rooms(qd_admin_answer *out, qd_service *service, uint32_t max)
{
    static qd_room_overview rows[QD_ADMIN_ROOM_LABELS_MAX]; /* of this thread alone */
    const uint32_t count = qd_room_overview_largest(service, max, rows);

    if (count == 0) {
        return;
    }
    head(out, "room_entities", "gauge", "Entities of the largest rooms.");
    for (uint32_t i = 0; i < count; i++) {
        write_room(out, "room_entities", rows[i].name, rows[i].entities);
    }
    head(out, "room_sessions", "gauge", "Sessions in the largest rooms.");
    for (uint32_t i = 0; i < count; i++) {
        write_room(out, "room_sessions", rows[i].name, rows[i].sessions);
    }
    head(out, "room_last_tick_duration_seconds", "gauge", "Time that the last tick of the largest rooms took.");
    for (uint32_t i = 0; i < count; i++) {
        write_room(out, "room_last_tick_duration_seconds", rows[i].name, rows[i].tick_us / 1e6);
    }
}

void qd_admin_metrics(qd_service *service, uint32_t rooms, qd_admin_answer *answer)
{
    const qd_counters *counters = &service->counters;
    qd_msg_server_stats stats;

    qd_service_stats(service, &stats);
    answer->type = "text/plain; version=0.0.4; charset=utf-8";
    write_state(answer, &stats);
    write_memory(answer, &stats);
    write_traffic(answer, counters);
    write_drops(answer, counters);
    write_refusals(answer, counters);
    write_quotas(answer, counters);
    write_histograms(answer, counters);
    write_threads(answer);
    write_rooms(answer, service, rooms);
}

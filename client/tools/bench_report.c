/* SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <stdio.h>
#include <string.h>

#define COUNT_SIZE QD_SHEET_NUMBER_SIZE

const char *qd_bench_subscribe_name(qd_bench_subscribe subscribe)
{
    static const char *const names[] = {"none", "events", "stays"};

    return names[subscribe];
}

void qd_bench_figures_add(qd_bench_figures *sum, const qd_bench_figures *figures)
{
    sum->updates += figures->updates;
    sum->begins += figures->begins;
    sum->ends += figures->ends;
    sum->stays += figures->stays;
    sum->suspensions += figures->suspensions;
    sum->resets += figures->resets;
    sum->bytes_in += figures->bytes_in;
    sum->bytes_out += figures->bytes_out;
    sum->ticks_checked += figures->ticks_checked;
    sum->unanswered += figures->unanswered;
    qd_histogram_add(&sum->round_trip_ns, &figures->round_trip_ns);
    qd_histogram_add(&sum->own_late_ns, &figures->own_late_ns);
    qd_histogram_add(&sum->lateness_ns, &figures->lateness_ns);
}

void qd_bench_print_progress(const qd_bench_figures *recent, double at_s, double over_s)
{
    char updates[COUNT_SIZE], events[COUNT_SIZE];

    fprintf(stderr,
            "%5.0f s  %s updates/s  %s events/s  in %.2f MB/s  out %.2f MB/s  round trip p50 %.3f ms p99 %.3f ms\n",
            at_s, qd_sheet_number((double)recent->updates / over_s, 0, updates),
            qd_sheet_number((double)(recent->begins + recent->ends) / over_s, 0, events),
            (double)recent->bytes_in / over_s / 1e6, (double)recent->bytes_out / over_s / 1e6,
            qd_bench_ms(&recent->round_trip_ns, 50), qd_bench_ms(&recent->round_trip_ns, 99));
}

/* ---- the table ---- */

static void print_stalled(const qd_bench_options *options, const qd_bench_result *result)
{
    const uint32_t full = result->stalled_reset + result->stalled_disconnected;

    if (full == 0) {
        printf("  %-18s %14u   whose queues were never full: use more entities, or a lower --queue-max of the server\n",
               "stalled readers", options->stalled);
    } else {
        printf("  %-18s %14u   %u had a full queue: %u lost ticks, %u were disconnected\n", "stalled readers",
               options->stalled, full, result->stalled_reset, result->stalled_disconnected);
    }
}

static void print_rate(const char *name, double number, const char *note)
{
    char text[COUNT_SIZE];

    printf("  %-18s %14s%s%s\n", name, qd_sheet_number(number, 0, text), *note ? "   " : "", note);
}

void qd_bench_print_table(const qd_bench *bench, const qd_bench_result *result)
{
    const qd_bench_figures *figures = &result->figures;
    const qd_bench_server_figures *server = &result->server;
    const double seconds = result->seconds;
    const qd_bench_options *options = &bench->options;
    char rooms[COUNT_SIZE], entities[COUNT_SIZE], connections[COUNT_SIZE], begins[COUNT_SIZE], ends[COUNT_SIZE];
    char note[128], rate[48];

    if (options->hz > 0) {
        snprintf(rate, sizeof rate, "%u %s/s", options->hz, options->step ? "steps" : "ticks");
    } else {
        snprintf(rate, sizeof rate, "a step per answer");
    }
    printf("%s room%s x %s entities in %uD, index %s, %s connection%s, %s%s, subscribed to %s, %.1f s\n\n",
           qd_sheet_number(options->rooms, 0, rooms), options->rooms == 1 ? "" : "s",
           qd_sheet_number(options->entities, 0, entities), options->dimensions, qd_index_name(options->index),
           qd_sheet_number(options->connections, 0, connections), options->connections == 1 ? "" : "s", rate,
           options->roster ? ", by roster" : "", qd_bench_subscribe_name(options->subscribe), seconds);

    printf("  %-18s %10s %10s %10s %10s\n", "milliseconds", "p50", "p99", "p99.9", "max");
    printf("  %-18s %10.3f %10.3f %10.3f %10.3f\n", "round trip (1)", qd_bench_ms(&figures->round_trip_ns, 50),
           qd_bench_ms(&figures->round_trip_ns, 99), qd_bench_ms(&figures->round_trip_ns, 99.9),
           qd_bench_ms(&figures->round_trip_ns, 100));
    if (server->are_known) {
        printf("  %-18s %10.3f %10.3f %10s %10.3f\n", "server's tick (2)", server->tick_us_p50 / 1e3,
               server->tick_us_p99 / 1e3, "", server->tick_us_max / 1e3);
    }
    if (bench->neighbor.is_wanted) {
        printf("  %-18s %10.3f %10.3f %10s %10.3f\n", "neighbor (3)", result->neighbor_ms[0], result->neighbor_ms[1],
               "", result->neighbor_ms[2]);
    }
    putchar('\n');

    print_rate(options->step ? "steps/s" : "batches/s", (double)figures->round_trip_ns.count / seconds, "");
    print_rate("updates/s", (double)figures->updates / seconds, "");
    snprintf(note, sizeof note, "%s begins and %s ends in total", qd_sheet_number((double)figures->begins, 0, begins),
             qd_sheet_number((double)figures->ends, 0, ends));
    print_rate("events/s", (double)(figures->begins + figures->ends) / seconds, note);
    if (options->subscribe == QD_BENCH_STAYS) {
        print_rate("stays/s", (double)figures->stays / seconds, "");
    }
    print_rate("bytes in/s", (double)figures->bytes_in / seconds, "received by this client");
    print_rate("bytes out/s", (double)figures->bytes_out / seconds, "sent");
    if (server->are_known) {
        print_rate("ticks skipped", (double)server->ticks_skipped,
                   server->ticks_skipped ? "the server could not hold the rate" : "");
    }
    if (server->are_known) {
        print_rate("server's memory", (double)server->memory_bytes, "bytes, at the end");
    }
    if (result->used.is_known) {
        print_rate("server's CPU", qd_bench_used_percent(&result->used, seconds), "percent of a core");
        print_rate("  user per update", qd_bench_used_ns(&result->used, true, false, figures->updates), "ns");
        print_rate("  system", qd_bench_used_ns(&result->used, false, true, figures->updates), "ns");
    }
    if (figures->resets) {
        print_rate("resets", (double)figures->resets, "times: this client did not read in time");
    }
    if (figures->suspensions) {
        print_rate("suspended", (double)figures->suspensions, "times: more pairs or events than events_max");
    }
    if (options->stalled > 0) {
        print_stalled(options, result);
    }
    if (options->check) {
        print_rate("ticks checked", (double)figures->ticks_checked, "against brute force");
    }

    printf("\n  (1) from the scheduled send time to %s\n",
           options->step ? "the answer of the step" : "Applied, including the wait for the tick");
    printf("  (2) the last 256 ticks of each room: p50 of the median room, p99 and max of the worst one\n");
    if (bench->neighbor.is_wanted) {
        printf("  (3) the step of a room of 100 beside the load, from its due time to Applied\n");
    }
}

/* ---- JSON ---- */

void qd_bench_print_json(const qd_bench *bench, const qd_bench_result *result)
{
    const qd_bench_figures *figures = &result->figures;
    const qd_bench_server_figures *server = &result->server;
    const double seconds = result->seconds;
    const qd_bench_options *options = &bench->options;

    putchar('{');
    qd_sheet_print_json_text("version", qd_version());
    putchar(',');
    qd_sheet_print_json_text("server", bench->server.address);
    printf(",\"ok\":%s", *bench->failure ? "false" : "true");
    printf(",\"rooms\":%u,\"entities\":%u,\"connections\":%u,\"threads\":%u", options->rooms, options->entities,
           options->connections, options->threads);
    printf(",\"dimensions\":%u,\"index\":\"%s\"", options->dimensions, qd_index_name(options->index));
    printf(",\"moves\":\"%s\"", options->roster ? "roster" : "ids");
    printf(",\"mode\":\"%s\",\"hz\":%u,\"subscribe\":\"%s\",\"seconds\":%.3f", options->step ? "step" : "clock",
           options->hz, qd_bench_subscribe_name(options->subscribe), seconds);
    printf(",\"updates\":%llu,\"updates_per_s\":%.1f", (unsigned long long)figures->updates,
           (double)figures->updates / seconds);
    printf(",\"begins\":%llu,\"ends\":%llu,\"stays\":%llu,\"events_per_s\":%.1f", (unsigned long long)figures->begins,
           (unsigned long long)figures->ends, (unsigned long long)figures->stays,
           (double)(figures->begins + figures->ends) / seconds);
    printf(",\"bytes_in_per_s\":%.1f,\"bytes_out_per_s\":%.1f", (double)figures->bytes_in / seconds,
           (double)figures->bytes_out / seconds);
    printf(",\"round_trips\":%llu,\"round_trip_ms\":{\"p50\":%.6f,\"p99\":%.6f,\"p99_9\":%.6f,\"max\":%.6f}",
           (unsigned long long)figures->round_trip_ns.count, qd_bench_ms(&figures->round_trip_ns, 50),
           qd_bench_ms(&figures->round_trip_ns, 99), qd_bench_ms(&figures->round_trip_ns, 99.9),
           qd_bench_ms(&figures->round_trip_ns, 100));
    if (server->are_known) {
        printf(",\"server_tick_ms\":{\"p50\":%.6f,\"p99\":%.6f,\"max\":%.6f},\"ticks_skipped\":%llu,"
               "\"server_memory_bytes\":%llu",
               server->tick_us_p50 / 1e3, server->tick_us_p99 / 1e3, server->tick_us_max / 1e3,
               (unsigned long long)server->ticks_skipped, (unsigned long long)server->memory_bytes);
    }
    if (result->used.is_known) {
        printf(",\"server_user_s\":%.3f,\"server_system_s\":%.3f", result->used.user_s, result->used.system_s);
    }
    if (bench->neighbor.is_wanted) {
        printf(",\"neighbor_ms\":{\"p50\":%.6f,\"p99\":%.6f,\"max\":%.6f}", result->neighbor_ms[0],
               result->neighbor_ms[1], result->neighbor_ms[2]);
    }
    printf(",\"stalled\":%u,\"stalled_reset\":%u,\"stalled_disconnected\":%u", options->stalled, result->stalled_reset,
           result->stalled_disconnected);
    printf(",\"resets\":%llu,\"suspensions\":%llu,\"ticks_checked\":%llu}\n", (unsigned long long)figures->resets,
           (unsigned long long)figures->suspensions, (unsigned long long)figures->ticks_checked);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * The state of the program, and what all scenarios share.
 */
#include "bench.h"
#include "plain.h"

#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static _Atomic bool interrupted;

void qd_bench_sleep_until(uint64_t then_ns)
{
    struct timespec then = {(time_t)(then_ns / 1000000000u), (long)(then_ns % 1000000000u)};

    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &then, NULL);
}

void qd_bench_wait_until(uint64_t then_ns)
{
    if (qd_now_ns() + QD_BENCH_EARLY_NS < then_ns) {
        qd_bench_sleep_until(then_ns - QD_BENCH_EARLY_NS);
    }
    while (qd_now_ns() < then_ns) {
        continue;
    }
}

void qd_bench_fail(qd_bench *bench, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    pthread_mutex_lock(&bench->failure_lock);
    if (!*bench->failure) {
        vsnprintf(bench->failure, sizeof bench->failure, format, arguments);
    }
    pthread_mutex_unlock(&bench->failure_lock);
    va_end(arguments);
    atomic_store(&bench->stopped, true);
}

bool qd_bench_is_stopped(const qd_bench *bench)
{
    return atomic_load(&bench->stopped) || atomic_load(&interrupted);
}

/* ---- around a scenario ---- */

bool qd_bench_begin(qd_bench *bench, const char *const *server_options)
{
    char error[512];

    qd_bench_raise_files();
    const qd_bench_where *where = &bench->where;
    const qd_client_tls_files files = {.ca = where->tls_ca, .cert = where->tls_cert, .key = where->tls_key};
    if (!qd_cli_read_tls(where->tls, &files, &bench->tls, error, sizeof error)) {
        qd_bench_fail(bench, "TLS: %s", error);
    } else if (!qd_bench_raw_start(&bench->raw)) {
        qd_bench_fail(bench, "cannot start a process for the raw limit");
    } else if (!qd_bench_server_start(&bench->server, &bench->where, server_options, error, sizeof error)) {
        qd_bench_fail(bench, "%s", error);
    }
    return !qd_bench_is_stopped(bench);
}

void qd_bench_end(qd_bench *bench)
{
    char error[512];

    if (atomic_load(&interrupted)) {
        qd_bench_fail(bench, "interrupted");
    }
    if (!qd_bench_server_stop(&bench->server, error, sizeof error)) {
        qd_bench_fail(bench, "%s", error);
    }
    qd_bench_raw_stop(&bench->raw);
    qd_client_tls_destroy(bench->tls);
    bench->tls = NULL;
}

int qd_bench_status(const qd_bench *bench)
{
    if (*bench->failure) {
        fprintf(stderr, "%s: ", QD_BENCH);
        qd_plain_print(stderr, bench->failure);
        fputc('\n', stderr);
    }
    return *bench->failure ? 1 : 0;
}

int qd_bench_play(qd_bench *bench, const char *const *server_options, qd_sheet *sheet,
                  void (*body)(qd_bench *bench, qd_sheet *sheet, void *context), void *context)
{
    if (bench->neighbor.is_wanted) {
        sheet->more_columns = qd_bench_neighbor_columns;
        sheet->more_count = QD_BENCH_NEIGHBOR_COLUMNS;
        sheet->fill_more = qd_bench_neighbor_result;
        sheet->more_context = bench;
    }
    if (qd_bench_begin(bench, server_options)) {
        body(bench, sheet, context);
    }
    qd_bench_end(bench);
    /* A failed scenario prints its complete rows. */
    if (sheet->row_count > 0 && bench->json) {
        qd_sheet_print_json(sheet, qd_version(), bench->server.address, !*bench->failure);
    } else if (sheet->row_count > 0) {
        qd_sheet_print_table(sheet);
    }
    return qd_bench_status(bench);
}

double qd_bench_used_ns(const qd_bench_usage *used, bool user, bool system, uint64_t count)
{
    if (!used->is_known || count == 0) {
        return NAN;
    }
    return ((user ? used->user_s : 0) + (system ? used->system_s : 0)) * 1e9 / (double)count;
}

double qd_bench_used_percent(const qd_bench_usage *used, double seconds)
{
    return used->is_known && seconds > 0 ? (used->user_s + used->system_s) / seconds * 100 : NAN;
}

void qd_bench_add_clock_goals(qd_sheet *sheet, const qd_bench_result *result)
{
    qd_sheet_add_goal(sheet, (double)result->server.ticks_skipped, true, 0, "ticks skipped");
    qd_sheet_add_goal(sheet, (double)result->figures.unanswered, true, 0, "batches not answered %u s after the end",
                      (unsigned)(QD_BENCH_RUN_OUT_NS / 1000000000u));
}

double qd_bench_ms(const qd_histogram *times_ns, double percent)
{
    return (double)qd_histogram_percentile(times_ns, percent) / 1e6;
}

/* ---- the program ---- */

static void interrupt(int signal_number)
{
    (void)signal_number;
    atomic_store(&interrupted, true);
}

/* Distinguishes this run's rooms from those of any other run, on any machine. */
static uint64_t run_id(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return ((uint64_t)now.tv_sec << 32) ^ ((uint64_t)now.tv_nsec << 16) ^ ((uint64_t)getpid() << 8);
}

void qd_bench_init(qd_bench *bench)
{
    pthread_mutex_init(&bench->failure_lock, NULL);
    bench->where = qd_bench_where_default();
    bench->run_id = run_id();
    /* The first signal lets the bench close its rooms; the second ends it. */
    struct sigaction action = {.sa_handler = interrupt, .sa_flags = SA_RESETHAND};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}

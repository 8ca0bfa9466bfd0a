/* SPDX-License-Identifier: Apache-2.0
 *
 * What the server counts; see ServerStats. [any]
 *
 * Each thread counts at every tick and batch. With one set of counters its cache line would travel from core to core,
 * so each thread has a set of its own. The threads that come when all sets are taken share one.
 */
#ifndef QD_ACTOR_SERVICE_COUNTERS_H
#define QD_ACTOR_SERVICE_COUNTERS_H

#include <stdatomic.h>
#include <stdint.h>

#include "../../base/memory/fetch.h"
#include "account.h"

/* Behind the largest qd_error_code. */
#define QD_ERROR_CODES_END 43u

typedef enum qd_counter {
    QD_COUNT_TICKS,
    QD_COUNT_UPDATES,
    QD_COUNT_EVENTS,
    QD_COUNT_BYTES_IN,
    QD_COUNT_BYTES_OUT,
    QD_COUNT_ERRORS,
    QD_COUNT_TOO_SLOW,
    QD_COUNT_RESUMED,
    QD_COUNT_NOT_KEPT, /* resumable sessions that ended with their connections, because too many waited already */
    QD_COUNT_NOT_ALIVE,
    QD_COUNT_REFUSED_FULL,
    QD_COUNT_REFUSED_MEMORY,
    QD_COUNT_REFUSED_ADDRESS_CONNECTIONS,
    QD_COUNT_REFUSED_ADDRESS_ACCEPTS,
    QD_COUNT_REFUSED_ADDRESS_TOKENS,
    QD_COUNT_DROPPED_SILENT,
    QD_COUNT_SUSPENDED_MEMORY, /* reports of that */
    QD_COUNT_LAGGING,          /* members whose queue became full */
    QD_COUNT_RESETS_PAIRS,     /* reports with the full set, of pairs and of views */
    QD_COUNT_RESETS_VIEWS,
    QD_COUNT_RECORDS_ENDED, /* records of rooms that ended early, because an entry found no place */
    QD_COUNT_PACED,         /* rooms after whose creation a session had to wait */
    QD_COUNT_SKIPPED,       /* ticks that a clock left out, because it was late */
    QD_COUNT_ERROR,         /* one counter per qd_error_code */
    QD_COUNT_ERROR_LAST = QD_COUNT_ERROR + QD_ERROR_CODES_END - 1,
    QD_COUNT_REFUSED_SESSION, /* requests refused, at least in part, by a session's quota; one counter per qd_quota */
    QD_COUNT_REFUSED_TENANT = QD_COUNT_REFUSED_SESSION + QD_QUOTAS, /* the same, by a tenant's */
    QD_COUNTERS = QD_COUNT_REFUSED_TENANT + QD_QUOTAS
} qd_counter;

/* Distributions of values. */
typedef enum qd_histogram {
    QD_HISTOGRAM_TICK,       /* ns that a tick took */
    QD_HISTOGRAM_LATE,       /* ns between the time when a tick of a clock was due and its start */
    QD_HISTOGRAM_QUEUE,      /* messages that waited in a room when a worker ran it, if there were any */
    QD_HISTOGRAM_ROUND_TRIP, /* ns between a Ping of the server and the client's Pong */
    QD_HISTOGRAMS
} qd_histogram;

/* Bucket i has the values up to 2^i units and above those of bucket i - 1; the last one has all larger values. */
#define QD_HISTOGRAM_BUCKETS 21u
/* The unit of times: bucket 0 has those up to 8 us. */
#define QD_HISTOGRAM_TIME_NS 8000u

#define QD_COUNTER_PARTS 256u

typedef struct qd_counter_part {
    _Atomic uint64_t of[QD_COUNTERS];
    _Atomic uint64_t buckets[QD_HISTOGRAMS][QD_HISTOGRAM_BUCKETS];
    _Atomic uint64_t sums[QD_HISTOGRAMS];
    char apart[QD_LINE_BYTES]; /* from the next part */
} qd_counter_part;

/* Zero to begin with. */
typedef struct qd_counters {
    qd_counter_part parts[QD_COUNTER_PARTS];
} qd_counters;

/* [any] */
void qd_count(qd_counters *counters, qd_counter counter, uint64_t amount);
/* Counts a request that this quota refuses. [any] */
void qd_count_refusal(qd_counters *counters, const qd_shortage *shortage);
/* Adds a value to a histogram. [any] */
void qd_observe(qd_counters *counters, qd_histogram histogram, uint64_t value);
/* Sums over all threads: the values of each bucket, and of all values. [any] */
void qd_observed(const qd_counters *counters, qd_histogram histogram, uint64_t buckets[QD_HISTOGRAM_BUCKETS],
                 uint64_t *sum);
/* The sum over all threads. It may or may not contain what other threads count during the call. [any] */
uint64_t qd_counted(const qd_counters *counters, qd_counter counter);

#endif

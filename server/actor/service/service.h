/* SPDX-License-Identifier: Apache-2.0
 *
 * The service: what rooms and sessions share. It has no sockets, threads or clock of its own: the owner passes in the
 * scheduler, the source of random numbers and the wall clock, real ones or those of the simulation.
 *
 * The owner keeps it until all room actors and sessions are gone. Fields without another mark are set at init and read
 * by any thread.
 */
#ifndef QD_ACTOR_SERVICE_SERVICE_H
#define QD_ACTOR_SERVICE_SERVICE_H

#include "../../base/executor.h"
#include "../../base/memory/buffer.h"
#include "../journal/record_sink.h"
#include "../pacing/time_bucket.h"
#include "account.h"
#include "counters.h"
#include "limits.h"
#include "room_directory.h"

/* "quadrille-server 0.1.0" */
extern const char qd_server_name[];

typedef struct qd_service_config {
    qd_limits limits;
    const qd_scheduler *scheduler;
    uint32_t workers; /* for the statistics */
    /* How long a run of a room goes on with messages, before it ticks, if a tick is due, and other rooms run. A message
     * that takes longer is carried out whole. */
    uint64_t time_budget_ns;
    uint64_t time_burst_ns; /* worker time that an owner may use at once (time_bucket.h) */
    /* Numbers that clients cannot foresee: epochs of rooms, salts of hashes. [any] */
    uint64_t (*random)(void *context);
    /* Seconds since 1970, for tokens that expire; the clock may be set at any time. [any] */
    uint64_t (*wall_s)(void *context);
    void *context;                /* of both */
    const qd_record_sink *record; /* takes the records of all rooms; NULL: nothing is recorded */
} qd_service_config;

typedef struct qd_service {
    qd_service_config config;
    qd_time_share share; /* of each session and each room */
    uint64_t start_ns;
    qd_buffer *no_memory;          /* the GoAway for a client that there is no memory for; NULL: not even for this */
    qd_room_directory directory;   /* under its own lock */
    qd_accounts accounts;          /* the same */
    _Atomic uint32_t rooms;        /* rooms that are open, listed or just being closed */
    _Atomic uint32_t rooms_slowed; /* rooms that are slowed now */
    _Atomic bool hurried;          /* the server is stopping, and the time for queued requests is over */
    _Atomic uint32_t actors;       /* room actors that are not freed yet */
    _Atomic uint32_t sessions, detached; /* shown by the sessions for the statistics */

    char apart[QD_LINE_BYTES]; /* from what is only read */
    qd_counters counters;
} qd_service;

void qd_service_init(qd_service *service, const qd_service_config *config);
/* All room actors must be freed. */
void qd_service_deinit(qd_service *service);

/* [any], all of these */
uint64_t qd_service_now_ns(const qd_service *service);
uint64_t qd_service_random(const qd_service *service);
uint64_t qd_service_wall_s(const qd_service *service);
void qd_service_stats(qd_service *service, qd_msg_server_stats *stats);

#endif

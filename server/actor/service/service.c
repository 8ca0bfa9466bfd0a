/* SPDX-License-Identifier: Apache-2.0 */
#include "service.h"

#include "../../base/assert.h"
#include "../../base/log.h"
#include "../../base/memory/alloc.h"

const char qd_server_name[] = "quadrille-server " QD_VERSION_TEXT;

void qd_service_init(qd_service *service, const qd_service_config *config)
{
    *service = (qd_service){.config = *config};
    service->share = qd_time_share_of(config->limits.session_share, config->workers, config->time_burst_ns);
    service->start_ns = qd_service_now_ns(service);
    qd_room_directory_init(&service->directory, config->limits.rooms_max);
    qd_accounts_init(&service->accounts, qd_service_random(service));
}

void qd_service_deinit(qd_service *service)
{
    QD_ASSERT(atomic_load(&service->actors) == 0);
    if (service->no_memory != NULL) {
        qd_buffer_release(service->no_memory);
    }
    qd_room_directory_deinit(&service->directory);
    qd_accounts_deinit(&service->accounts);
}

uint64_t qd_service_now_ns(const qd_service *service)
{
    const qd_scheduler *scheduler = service->config.scheduler;

    return scheduler->now_ns(scheduler->context);
}

uint64_t qd_service_random(const qd_service *service)
{
    return service->config.random(service->config.context);
}

uint64_t qd_service_wall_s(const qd_service *service)
{
    return service->config.wall_s(service->config.context);
}

void qd_service_stats(qd_service *service, qd_msg_server_stats *stats)
{
    const qd_counters *counters = &service->counters;

    qd_room_directory_lock(&service->directory);
    uint32_t rooms = service->directory.count;
    qd_room_directory_unlock(&service->directory);
    *stats = (qd_msg_server_stats){
        .uptime_ms = (qd_service_now_ns(service) - service->start_ns) / 1000000,
        .sessions = atomic_load(&service->sessions),
        .rooms = rooms,
        .workers = service->config.workers,
        .memory_bytes = qd_memory_used(),
        .memory_bytes_max = qd_memory_limit(),
        .ticks = qd_counted(counters, QD_COUNT_TICKS),
        .updates = qd_counted(counters, QD_COUNT_UPDATES),
        .events = qd_counted(counters, QD_COUNT_EVENTS),
        .bytes_in = qd_counted(counters, QD_COUNT_BYTES_IN),
        .bytes_out = qd_counted(counters, QD_COUNT_BYTES_OUT),
        .errors = qd_counted(counters, QD_COUNT_ERRORS),
        .detached = atomic_load(&service->detached),
        .resumed = qd_counted(counters, QD_COUNT_RESUMED),
        .rooms_slowed = atomic_load(&service->rooms_slowed),
        .too_slow = qd_counted(counters, QD_COUNT_TOO_SLOW),
        .log_dropped = qd_log_dropped(),
        .log_suppressed = qd_log_suppressed(),
        .refused_by_session_rooms = qd_counted(counters, (qd_counter)(QD_COUNT_REFUSED_SESSION + QD_QUOTA_JOINED)),
        .refused_by_session_entities = qd_counted(counters, (qd_counter)(QD_COUNT_REFUSED_SESSION + QD_QUOTA_ENTITIES)),
        .refused_by_session_observers =
            qd_counted(counters, (qd_counter)(QD_COUNT_REFUSED_SESSION + QD_QUOTA_OBSERVERS)),
        .refused_by_session_visible_entries =
            qd_counted(counters, (qd_counter)(QD_COUNT_REFUSED_SESSION + QD_QUOTA_VISIBLE)),
        .refused_by_session_subscriptions =
            qd_counted(counters, (qd_counter)(QD_COUNT_REFUSED_SESSION + QD_QUOTA_SUBSCRIBED)),
        .refused_by_session_memory = qd_counted(counters, (qd_counter)(QD_COUNT_REFUSED_SESSION + QD_QUOTA_MEMORY)),
        .refused_by_token_connections =
            qd_counted(counters, (qd_counter)(QD_COUNT_REFUSED_TENANT + QD_QUOTA_CONNECTIONS)),
        .refused_by_token_detached = qd_counted(counters, (qd_counter)(QD_COUNT_REFUSED_TENANT + QD_QUOTA_DETACHED)),
        .refused_by_token_rooms = qd_counted(counters, (qd_counter)(QD_COUNT_REFUSED_TENANT + QD_QUOTA_CREATED)),
        .refused_by_token_entities = qd_counted(counters, (qd_counter)(QD_COUNT_REFUSED_TENANT + QD_QUOTA_ENTITIES)),
        .refused_by_token_observers = qd_counted(counters, (qd_counter)(QD_COUNT_REFUSED_TENANT + QD_QUOTA_OBSERVERS)),
        .refused_by_token_visible_entries =
            qd_counted(counters, (qd_counter)(QD_COUNT_REFUSED_TENANT + QD_QUOTA_VISIBLE)),
        .refused_by_token_subscriptions =
            qd_counted(counters, (qd_counter)(QD_COUNT_REFUSED_TENANT + QD_QUOTA_SUBSCRIBED)),
        .refused_by_token_memory = qd_counted(counters, (qd_counter)(QD_COUNT_REFUSED_TENANT + QD_QUOTA_MEMORY)),
        .not_alive = qd_counted(counters, QD_COUNT_NOT_ALIVE),
        .refused_full = qd_counted(counters, QD_COUNT_REFUSED_FULL),
        .refused_memory = qd_counted(counters, QD_COUNT_REFUSED_MEMORY),
        .refused_by_address_connections = qd_counted(counters, QD_COUNT_REFUSED_ADDRESS_CONNECTIONS),
        .refused_by_address_accepts = qd_counted(counters, QD_COUNT_REFUSED_ADDRESS_ACCEPTS),
        .refused_by_address_tokens = qd_counted(counters, QD_COUNT_REFUSED_ADDRESS_TOKENS),
        .dropped_silent = qd_counted(counters, QD_COUNT_DROPPED_SILENT),
        .suspended_memory = qd_counted(counters, QD_COUNT_SUSPENDED_MEMORY),
    };
}

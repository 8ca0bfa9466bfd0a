/* SPDX-License-Identifier: Apache-2.0 */
#include "quotas.h"

/* One of several tenants may use half of what the server has. */
static uint64_t share(uint64_t given, uint64_t whole, bool alone)
{
    return given != 0 ? given : alone ? 0 : (whole + 1) / 2;
}

/* The same where the server has no limit of its own. */
static uint64_t among(uint64_t given, uint64_t otherwise, bool alone)
{
    return given != 0 ? given : alone ? 0 : otherwise;
}

void qd_quotas_set(qd_quotas *quotas, const qd_limits *limits, uint64_t memory_bytes_max, bool alone)
{
    const struct {
        qd_quota quota;
        uint64_t of_session, of_tenant;
    } rows[] = {
        {QD_QUOTA_JOINED, limits->session_rooms_max, 0},
        {QD_QUOTA_ENTITIES, limits->session_entities_max,
         among(limits->token_entities_max, QD_TOKEN_ENTITIES_MAX, alone)},
        {QD_QUOTA_OBSERVERS, limits->session_observers_max,
         among(limits->token_observers_max, QD_TOKEN_OBSERVERS_MAX, alone)},
        {QD_QUOTA_VISIBLE, limits->session_visible_entries_max,
         among(limits->token_visible_entries_max, QD_TOKEN_VISIBLE_ENTRIES_MAX, alone)},
        {QD_QUOTA_SUBSCRIBED, limits->session_subscriptions_max,
         among(limits->token_subscriptions_max, QD_TOKEN_SUBSCRIPTIONS_MAX, alone)},
        {QD_QUOTA_MEMORY, share(limits->session_memory_max, memory_bytes_max, alone),
         share(limits->token_memory_max, memory_bytes_max, alone)},
        {QD_QUOTA_CONNECTIONS, 0, share(limits->token_connections_max, limits->connections_max, alone)},
        {QD_QUOTA_DETACHED, 0, share(limits->token_detached_max, limits->connections_max, alone)},
        {QD_QUOTA_CREATED, 0, share(limits->token_rooms_max, limits->rooms_max, alone)},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        atomic_store(&quotas->session[rows[i].quota], rows[i].of_session);
        atomic_store(&quotas->tenant[rows[i].quota], rows[i].of_tenant);
    }
    atomic_store(&quotas->creations, limits->token_creations_max);
}

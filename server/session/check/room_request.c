/* SPDX-License-Identifier: Apache-2.0 */
#include "../../actor/service/limits.h"
#include "requests.h"

static bool check_nothing(const qd_client_message *message, uint32_t dimensions, qd_fault *fault)
{
    (void)message;
    (void)dimensions;
    (void)fault;
    return true;
}

static bool check_subscribe(const qd_client_message *message, uint32_t dimensions, qd_fault *fault)
{
    int scope = (int)message->as.subscribe.scope;

    (void)dimensions;
    return (unsigned)scope <= QD_SCOPE_OWN ||
           qd_fault_invalid(fault, "scope is %d; must be SCOPE_ALL (1) or SCOPE_OWN (2)", scope);
}

static bool check_snapshot(const qd_client_message *message, uint32_t dimensions, qd_fault *fault)
{
    const qd_msg_get_snapshot *snapshot = &message->as.get_snapshot;

    return qd_limit_check(snapshot->limit, QD_SNAPSHOT_ROWS_MAX, fault) &&
           (!snapshot->has_region || qd_region_check(&snapshot->region, dimensions, fault));
}

static bool check_query(const qd_client_message *message, uint32_t dimensions, qd_fault *fault)
{
    return qd_query_check(&message->as.query, dimensions, fault);
}

bool qd_room_request_check(const qd_client_message *message, uint32_t dimensions, qd_fault *fault)
{
    static bool (*const checks[])(const qd_client_message *, uint32_t, qd_fault *) = {
        [QD_CLIENT_OPEN_ROOM] = check_nothing,
        [QD_CLIENT_CLOSE_ROOM] = check_nothing,
        [QD_CLIENT_SPAWN] = qd_batch_check,
        [QD_CLIENT_MOVE] = qd_batch_check,
        [QD_CLIENT_TELEPORT] = qd_batch_check,
        [QD_CLIENT_RESHAPE] = qd_batch_check,
        [QD_CLIENT_DESPAWN] = qd_batch_check,
        [QD_CLIENT_SUBSCRIBE] = check_subscribe,
        [QD_CLIENT_UNSUBSCRIBE] = check_nothing,
        [QD_CLIENT_GET_SNAPSHOT] = check_snapshot,
        [QD_CLIENT_STEP] = check_nothing,
        [QD_CLIENT_GET_STATS] = check_nothing,
        [QD_CLIENT_QUERY] = check_query,
        [QD_CLIENT_SET_DESCRIPTION] = qd_view_request_check,
        [QD_CLIENT_OBSERVE] = qd_view_request_check,
        [QD_CLIENT_MOVE_OBSERVERS] = qd_view_request_check,
        [QD_CLIENT_UNOBSERVE] = qd_view_request_check,
        [QD_CLIENT_SET_EXCEPTIONS] = qd_view_request_check,
        [QD_CLIENT_SET_VIEW_OPTIONS] = qd_view_request_check,
        [QD_CLIENT_WHY] = qd_view_request_check,
        [QD_CLIENT_HAND_OVER] = qd_hand_over_check,
        [QD_CLIENT_ADOPT] = check_nothing,
        [QD_CLIENT_SET_ROSTER] = qd_roster_check,
        [QD_CLIENT_MOVE_ROSTER] = qd_roster_check,
    };
    const size_t kind = (size_t)message->kind;

    return kind < sizeof checks / sizeof checks[0] && checks[kind] != NULL && checks[kind](message, dimensions, fault);
}

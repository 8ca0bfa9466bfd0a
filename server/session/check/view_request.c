/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>

#include "../../../proto/relay/relay.h"
#include "../../room/room_views.h"
#include "requests.h"

/* ---- columns ---- */

/* Whether no value of a column of bytes is above `max`. The column may be absent. */
static bool check_bytes(const char *name, const uint8_t *bytes, uint32_t count, unsigned max, qd_fault *fault)
{
    for (uint32_t i = 0; bytes != NULL && i < count; i++) {
        if (bytes[i] > max) {
            return qd_fault_invalid(fault, "%s of entry %" PRIu32 " is %u; must be 0 to %u", name, i, bytes[i], max);
        }
    }
    return true;
}

/* Whether a request to a room with two dimensions has no column for the third. */
static bool check_flatness(const qd_msg_observers *observers, qd_fault *fault)
{
    const char *name = observers->z != NULL             ? "z"
                       : observers->half_z != NULL      ? "half_z"
                       : observers->direction_z != NULL ? "direction_z"
                                                        : NULL;

    return name == NULL ||
           qd_fault_invalid(
               fault, "%s has values, but the room has two dimensions; must be absent. Leave that column out", name);
}

/* A column that an entry needs. */
typedef struct need {
    const char *name;
    bool is_there;
} need;

static bool check_needs(const need *needs, size_t count, uint32_t entry, const char *what, qd_fault *fault)
{
    for (size_t i = 0; i < count; i++) {
        if (!needs[i].is_there) {
            return qd_fault_set(fault, QD_ERROR_COLUMNS,
                                "column %s is missing, but entry %" PRIu32 " is %s; must be there. Send it",
                                needs[i].name, entry, what);
        }
    }
    return true;
}

/* Whether the columns of all axes are present, or none. */
static bool check_axes(const char *const names[3], const float *const columns[3], uint32_t dimensions, qd_fault *fault)
{
    bool any = columns[0] != NULL || columns[1] != NULL || columns[2] != NULL;

    for (uint32_t axis = 0; any && axis < dimensions; axis++) {
        if (columns[axis] == NULL) {
            return qd_fault_set(fault, QD_ERROR_COLUMNS,
                                "column %s is missing; must be there with the other axes. Send %s, %s%s%s together",
                                names[axis], names[0], names[1], dimensions == 3 ? ", " : "",
                                dimensions == 3 ? names[2] : "");
        }
    }
    return true;
}

static bool check_tiers(const qd_msg_observers *observers, qd_fault *fault)
{
    if (observers->tier_count > QD_VIEW_TIERS_MAX) {
        return qd_fault_invalid(fault, "relay_range has %" PRIu32 " values; must have at most %u",
                                observers->tier_count, QD_VIEW_TIERS_MAX);
    }
    for (uint32_t i = 0; i < observers->tier_count; i++) {
        float least = i == 0 ? 0 : observers->relay_range[i - 1], range = observers->relay_range[i];
        uint32_t every = observers->relay_every[i];

        if (!isfinite(range) || range < least) {
            return qd_fault_invalid(fault, "relay_range of tier %" PRIu32 " is %g; must be finite, and at least %g", i,
                                    (double)range, (double)least);
        }
        if (every < 1 || every > QD_VIEW_EVERY_MAX) {
            return qd_fault_invalid(fault, "relay_every of tier %" PRIu32 " is %" PRIu32 "; must be 1 to %u", i, every,
                                    QD_VIEW_EVERY_MAX);
        }
    }
    return true;
}

/* ---- messages ---- */

static bool check_describe(const qd_msg_set_description *describe, qd_fault *fault)
{
    return check_bytes("payload_size", describe->payload_size, describe->count, QD_VIEW_PAYLOAD_MAX, fault) &&
           check_bytes("hidden", describe->hidden, describe->count, 1, fault);
}

/* Whether each entry has the columns that its kind needs. */
static bool check_entries(const qd_msg_observers *observers, uint32_t dimensions, qd_fault *fault)
{
    const need at_entity[] = {{"entity", observers->entity != NULL}};
    const need at_place[] = {
        {"x", observers->x != NULL}, {"y", observers->y != NULL}, {"z", dimensions == 2 || observers->z != NULL}};
    const need of_cone[] = {{"angle", observers->angle != NULL},
                            {"direction_x", observers->direction_x != NULL},
                            {"direction_y", observers->direction_y != NULL},
                            {"direction_z", dimensions == 2 || observers->direction_z != NULL}};

    for (uint32_t i = 0; i < observers->count; i++) {
        bool anchored = qd_observers_anchored(observers, i);

        if (!check_needs(anchored ? at_entity : at_place, anchored ? 1 : 3, i, anchored ? "anchored" : "free", fault)) {
            return false;
        }
        bool cone = observers->region != NULL && observers->region[i] == QD_REGION_CONE;
        if (cone && !check_needs(of_cone, 4, i, "a cone", fault)) {
            return false;
        }
    }
    return true;
}

static bool check_observe(const qd_msg_observers *observers, uint32_t dimensions, qd_fault *fault)
{
    return (dimensions == 3 || check_flatness(observers, fault)) &&
           check_bytes("anchored", observers->anchored, observers->count, 1, fault) &&
           check_bytes("sees_self", observers->sees_self, observers->count, 1, fault) &&
           check_tiers(observers, fault) && check_entries(observers, dimensions, fault);
}

static bool check_move(const qd_msg_observers *observers, uint32_t dimensions, qd_fault *fault)
{
    static const char *const places[] = {"x", "y", "z"};
    static const char *const directions[] = {"direction_x", "direction_y", "direction_z"};
    const float *const place[] = {observers->x, observers->y, observers->z};
    const float *const direction[] = {observers->direction_x, observers->direction_y, observers->direction_z};

    return (dimensions == 3 || check_flatness(observers, fault)) && check_axes(places, place, dimensions, fault) &&
           check_axes(directions, direction, dimensions, fault);
}

static bool check_except(const char *name, uint32_t count, qd_fault *fault)
{
    return count <= QD_VIEW_EXCEPTIONS_MAX ||
           qd_fault_invalid(fault, "%s has %" PRIu32 " ids; must have at most %u", name, count, QD_VIEW_EXCEPTIONS_MAX);
}

static bool check_options(const qd_msg_set_view_options *options, qd_fault *fault)
{
    if ((unsigned)options->watch > QD_WATCH_ALL) {
        return qd_fault_invalid(fault, "watch is %d; must be WATCH_NONE (1), WATCH_OWN (2) or WATCH_ALL (3)",
                                (int)options->watch);
    }
    if (options->has_relay_k && !options->relay_once) {
        return qd_fault_invalid(fault, "relay_k is %d; must be absent without relay_once. Set relay_once, too",
                                (int)options->relay_k);
    }
    return (options->relay_k >= QD_RELAY_K_MIN && options->relay_k <= QD_RELAY_K_MAX) ||
           qd_fault_invalid(fault, "relay_k is %d; must be %d to %d", (int)options->relay_k, QD_RELAY_K_MIN,
                            QD_RELAY_K_MAX);
}

bool qd_view_request_check(const qd_client_message *message, uint32_t dimensions, qd_fault *fault)
{
    switch (message->kind) {
    case QD_CLIENT_SET_DESCRIPTION:
        return check_describe(&message->as.set_description, fault);
    case QD_CLIENT_OBSERVE:
        return check_observe(&message->as.observers, dimensions, fault);
    case QD_CLIENT_MOVE_OBSERVERS:
        return check_move(&message->as.observers, dimensions, fault);
    case QD_CLIENT_SET_EXCEPTIONS:
        return check_except("show", message->as.set_exceptions.show_count, fault) &&
               check_except("hide", message->as.set_exceptions.hide_count, fault);
    case QD_CLIENT_SET_VIEW_OPTIONS:
        return check_options(&message->as.set_view_options, fault);
    default:
        return true;
    }
}

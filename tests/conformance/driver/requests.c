/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/conformance/driver/requests.h"

#include <string.h>

static uint32_t columns_of(const command_words *words, qd_msg_entities *entities)
{
    uint32_t count = 0;

    entities->id = words_u32(words, "id", &count);
    entities->x = words_f32(words, "x", &count);
    entities->y = words_f32(words, "y", &count);
    entities->z = words_f32(words, "z", &count);
    entities->half_x = words_f32(words, "half_x", &count);
    entities->half_y = words_f32(words, "half_y", &count);
    entities->half_z = words_f32(words, "half_z", &count);
    entities->radius = words_f32(words, "radius", &count);
    entities->axis_x = words_f32(words, "axis_x", &count);
    entities->axis_y = words_f32(words, "axis_y", &count);
    entities->axis_z = words_f32(words, "axis_z", &count);
    entities->shape = words_u8(words, "shape", &count);
    entities->category = words_u32(words, "category", &count);
    entities->mask = words_u32(words, "mask", &count);
    entities->count = count;
    return count;
}

static uint64_t request_entities(qd_room *room, const command_words *words)
{
    qd_msg_entities is = {0};
    const uint32_t count = columns_of(words, &is);

    if (strcmp(words->command, "spawn") == 0) {
        return qd_room_spawn(room, &is, words_number(words, "room_owned", 0) != 0);
    }
    if (strcmp(words->command, "move") == 0) {
        return qd_room_move(room, is.id, is.x, is.y, is.z, count);
    }
    if (strcmp(words->command, "teleport") == 0) {
        return qd_room_teleport(room, is.id, is.x, is.y, is.z, count);
    }
    if (strcmp(words->command, "reshape") == 0) {
        return qd_room_reshape(room, &is);
    }
    return qd_room_despawn(room, is.id, count);
}

static uint64_t request_observers(qd_room *room, const command_words *words)
{
    qd_msg_observers observers = {0};
    uint32_t count = 0;

    observers.id = words_u32(words, "id", &count);
    observers.count = count;
#define COLUMN(type, name)    observers.name = words_##type(words, #name, &count);
#define COLUMN_uint32_t(name) COLUMN(u32, name)
#define COLUMN_float(name)    COLUMN(f32, name)
#define NUMBERS(type, name)   COLUMN_##type(name)
#define BYTES(name)           COLUMN(u8, name)
    QD_OBSERVER_COLUMNS(NUMBERS, BYTES)
#undef NUMBERS
#undef BYTES
    observers.relay_range = words_f32(words, "relay_range", &observers.tier_count);
    observers.relay_every = words_u32(words, "relay_every", &observers.tier_count);
    if (strcmp(words->command, "observe") == 0) {
        return qd_room_observe(room, &observers);
    }
    if (strcmp(words->command, "move_observers") == 0) {
        return qd_room_move_observers(room, &observers);
    }
    return qd_room_unobserve(room, observers.id, observers.count);
}

static uint64_t describe(qd_room *room, const command_words *words)
{
    qd_msg_set_description description = {0};
    uint32_t count = 0, bytes;

    description.id = words_u32(words, "id", &count);
    description.tag = words_u64(words, "tag", &count);
    description.payload_size = words_u8(words, "payload_size", &count);
    description.payload = words_hex(words, "payload", &bytes);
    description.visible_range = words_f32(words, "visible_range", &count);
    description.team = words_u32(words, "team", &count);
    description.hidden = words_u8(words, "hidden", &count);
    description.count = count;
    return qd_room_set_description(room, &description);
}

static uint64_t request_settings(qd_room *room, const command_words *words)
{
    if (strcmp(words->command, "except") == 0) {
        qd_msg_set_exceptions lists = {.observer = words_number(words, "observer", 0)};

        lists.show = words_u32(words, "show", &lists.show_count);
        lists.hide = words_u32(words, "hide", &lists.hide_count);
        return qd_room_set_exceptions(room, &lists);
    }
    if (strcmp(words->command, "view_options") == 0) {
        qd_msg_set_view_options options = {.bytes_max = words_number(words, "bytes_max", 0),
                                           .watch = (qd_watch)words_number(words, "watch", 0),
                                           .relay_once = words_number(words, "relay_once", 0) != 0,
                                           .has_relay_k = words_has(words, "relay_k"),
                                           .relay_k = (int32_t)words_number(words, "relay_k", 0)};

        return qd_room_set_all_view_options(room, &options);
    }
    if (strcmp(words->command, "hand_over") == 0) {
        uint32_t count = 0, sessions;
        const uint32_t *ids = words_u32(words, "id", &count);
        const uint64_t *to = words_u64(words, "session", &sessions);

        return qd_room_hand_over(room, ids, count, to != NULL ? *to : 0);
    }
    if (strcmp(words->command, "describe") == 0) {
        return describe(room, words);
    }
    if (strcmp(words->command, "unsubscribe") == 0) {
        return qd_room_unsubscribe(room);
    }
    qd_scope scope = (qd_scope)words_number(words, "scope", QD_SCOPE_ALL);
    return qd_room_subscribe(room, scope, words_number(words, "stays", 0) != 0);
}

static const struct {
    const char *command;
    uint64_t (*make)(qd_room *, const command_words *);
} requests[] = {
    {"spawn", request_entities},           {"move", request_entities},         {"teleport", request_entities},
    {"reshape", request_entities},         {"despawn", request_entities},      {"observe", request_observers},
    {"move_observers", request_observers}, {"unobserve", request_observers},   {"describe", request_settings},
    {"except", request_settings},          {"view_options", request_settings}, {"hand_over", request_settings},
    {"subscribe", request_settings},       {"unsubscribe", request_settings},
};

bool request_make(qd_room *room, const command_words *words, uint64_t *request)
{
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        if (strcmp(words->command, requests[i].command) == 0) {
            *request = requests[i].make(room, words);
            return true;
        }
    }
    return false;
}

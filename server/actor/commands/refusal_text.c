/* SPDX-License-Identifier: Apache-2.0 */
#include "refusal_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "../../../proto/codec.h"
#include "../../room/room_views.h"

#define VALUE_BYTES_MAX 64u

typedef struct writer {
    char *text;
    size_t used;
} writer;

static void write_text(writer *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void write_text(writer *out, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    int size = vsnprintf(out->text + out->used, QD_REFUSAL_TEXT_BYTES_MAX - out->used, format, arguments);
    va_end(arguments);
    out->used += size > 0 ? (size_t)size : 0;
    out->used = out->used < QD_REFUSAL_TEXT_BYTES_MAX ? out->used : QD_REFUSAL_TEXT_BYTES_MAX - 1;
}

static bool is_about_observers(qd_client_kind kind)
{
    return kind == QD_CLIENT_OBSERVE || kind == QD_CLIENT_MOVE_OBSERVERS || kind == QD_CLIENT_UNOBSERVE;
}

/* The entity is an observer's anchor if `value` names it. */
static void write_owner(writer *out, const char *value)
{
    if (value[0] != '\0') {
        write_text(out,
                   "%s, which another session owns; must be an entity of this session or of the room. Anchor the "
                   "observer to another entity, or to none",
                   value);
    } else {
        write_text(out,
                   "another session owns the entity; must be this session or the room. Ask its owner to HandOver it");
    }
}

static void write_unknown(writer *out, const char *value)
{
    if (value[0] != '\0') {
        write_text(out, "%s; must be an entity in the room. Spawn it first, or do not anchor the observer", value);
    } else {
        write_text(out, "no entity in the room has this id. Spawn it first");
    }
}

static void write_full(writer *out, const qd_room_actor *actor)
{
    uint32_t count = qd_room_entity_count(actor->room);

    if (count >= actor->config.entities_max) {
        write_text(out,
                   "the room has %" PRIu32 " entities; must have at most %" PRIu32 " (entities_max). Despawn others",
                   count, actor->config.entities_max);
    } else {
        write_text(out, "the server has no memory left for it (--memory-max). Despawn others");
    }
}

static void write_shortage(writer *out, const qd_room_actor *actor)
{
    char text[QD_SHORTAGE_TEXT_BYTES];

    qd_shortage_text(&actor->charges.short_of, text);
    write_text(out, "%s", text);
}

static void write_observers_full(writer *out, const qd_room_actor *actor)
{
    qd_room_view_stats stats;

    qd_room_view_stats_get(actor->room, &stats);
    if (stats.observers >= actor->config.observers_max) {
        write_text(
            out, "the room has %" PRIu32 " observers; must have at most %" PRIu32 " (observers_max). Unobserve others",
            stats.observers, actor->config.observers_max);
    } else {
        write_text(out, "the server has no memory left for it (--memory-max). Unobserve others");
    }
}

static bool is_zero(const float *column, uint32_t i)
{
    return column == NULL || !(column[i] < 0 || column[i] > 0);
}

/* `field` is the number of the field at fault. */
static void write_region(writer *out, const qd_client_message *message, uint32_t entry, uint8_t field,
                         const char *value)
{
    enum { OBSERVE_REGION = 3, OBSERVE_ANGLE = 16, MOVE_X = 3 };
    const qd_msg_observers *observers = &message->as.observers;
    bool moves = message->kind == QD_CLIENT_MOVE_OBSERVERS;

    if (!moves && field == OBSERVE_REGION) {
        write_text(out, "%s; must be 1 (circle), 2 (box) or 3 (cone)", value);
    } else if (!moves && field == OBSERVE_ANGLE) {
        write_text(out, "%s; must be 0 to pi", value);
    } else if (moves && field == MOVE_X) {
        write_text(out, "%s, but the observer is anchored; must be free. Move its entity, or Observe again without it",
                   value);
    } else if (is_zero(observers->direction_x, entry) && is_zero(observers->direction_y, entry) &&
               is_zero(observers->direction_z, entry)) {
        write_text(out, "the length of the direction is 0; must be above 0. Send where the cone points to");
    } else {
        write_text(out, "%s, but the observer is no cone; must be a cone. Observe again with REGION_CONE", value);
    }
}

/* Why entry `i` of the refused ones is refused. */
static void write_reason(writer *out, const qd_room_actor *actor, const qd_client_message *message,
                         const qd_room_refusals *refusals, uint32_t i, const char *value)
{
    switch ((qd_error_code)refusals->code[i]) {
    case QD_ERROR_UNKNOWN_ID:
        write_unknown(out, value);
        break;
    case QD_ERROR_ID_TAKEN:
        write_text(out, "another entity has this id; must be free. Despawn that entity first, or choose another id");
        break;
    case QD_ERROR_NOT_OWNER:
        write_owner(out, value);
        break;
    case QD_ERROR_NOT_FINITE:
        write_text(out, "%s; must be finite", value);
        break;
    case QD_ERROR_NEGATIVE_SIZE:
        write_text(out, "%s; must be 0 or more", value);
        break;
    case QD_ERROR_UNKNOWN_SHAPE:
        write_text(out, "%s; must be 1 (box), 2 (circle) or 3 (capsule)", value);
        break;
    case QD_ERROR_WRONG_COLUMN:
        write_text(out, "%s, a size that the shape lacks; must be 0. Send 0 there, or another shape", value);
        break;
    case QD_ERROR_ROOM_FULL:
        write_full(out, actor);
        break;
    case QD_ERROR_QUOTA_SESSION:
    case QD_ERROR_QUOTA_TOKEN:
    case QD_ERROR_QUOTA_ADDRESS:
        write_shortage(out, actor);
        break;
    case QD_ERROR_UNKNOWN_OBSERVER:
        write_text(out, "this session has no observer of this id in the room. Observe first");
        break;
    case QD_ERROR_BAD_REGION:
        write_region(out, message, refusals->index[i], refusals->field[i], value);
        break;
    case QD_ERROR_OBSERVERS_FULL:
        write_observers_full(out, actor);
        break;
    default:
        write_text(out, "%s%s%s", value, value[0] != '\0' ? ": " : "",
                   qd_error_code_name((qd_error_code)refusals->code[i]));
        break;
    }
}

void qd_refusal_text(const qd_room_actor *actor, const qd_client_message *message, const uint32_t *id,
                     const qd_room_refusals *refusals, char text[QD_REFUSAL_TEXT_BYTES_MAX])
{
    writer out = {.text = text};
    char value[VALUE_BYTES_MAX];
    uint32_t entry = refusals->index[0];

    qd_client_value_text(message, refusals->field[0], entry, value, sizeof value);
    write_text(&out, "entry %" PRIu32 " (%s %" PRIu32 "): ", entry,
               is_about_observers(message->kind) ? "observer" : "id", id[entry]);
    write_reason(&out, actor, message, refusals, 0, value);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Sends the difference between two scenes of a trace.
 */
#include "replay.h"

/* Both scenes are ordered by id, so one pass finds the change of each entity. */
static bool compare_scenes(qd_replay *replay, const qd_trace_scene *scene)
{
    const qd_entity *was = replay->trace->rows + replay->was.first, *was_end = was + replay->was.count;
    const qd_entity *now = replay->trace->rows + scene->first, *now_end = now + scene->count;
    bool good = true;

    while (good && (was < was_end || now < now_end)) {
        if (now == now_end || (was < was_end && was->id < now->id)) {
            good = qd_columns_add(&replay->despawned, *was++);
        } else if (was == was_end || now->id < was->id) {
            good = qd_columns_add(&replay->spawned, *now++);
        } else {
            if (was->half_x != now->half_x || was->half_y != now->half_y || was->radius != now->radius) {
                good = qd_columns_add(&replay->reshaped, *now);
            }
            if (good && (was->x != now->x || was->y != now->y)) {
                good = qd_columns_add(&replay->moved, *now);
            }
            was++;
            now++;
        }
    }
    return good;
}

static bool send_columns(qd_replay *replay, qd_columns *columns, qd_client_kind message)
{
    const qd_columns_kind kind = {.message = message, .dimensions = 2};
    uint64_t first_seq;
    bool sent = qd_columns_send(columns, replay->client, replay->room.handle, &kind, &first_seq);

    columns->count = 0;
    return sent;
}

bool qd_replay_continues(const qd_replay *replay, const qd_server_message *message)
{
    switch (message->kind) {
    case QD_SERVER_ERROR:
    case QD_SERVER_ACCEPTED:
        return qd_cli_fail_refusal(replay->cli, message, NULL, 0) == 0;
    case QD_SERVER_GO_AWAY:
        return qd_cli_fail_go_away(replay->cli, &message->as.go_away) == 0;
    case QD_SERVER_ROOM_CLOSED:
        return qd_cli_fail(replay->cli, "room %s was closed", replay->room_name) == 0;
    default:
        return true;
    }
}

bool qd_replay_send(qd_replay *replay, const qd_trace_scene *scene)
{
    if (!compare_scenes(replay, scene)) {
        return qd_cli_fail(replay->cli, "out of memory") == 0;
    }
    replay->was = *scene;
    if (!send_columns(replay, &replay->despawned, QD_CLIENT_DESPAWN) ||
        !send_columns(replay, &replay->spawned, QD_CLIENT_SPAWN) ||
        !send_columns(replay, &replay->reshaped, QD_CLIENT_RESHAPE) ||
        !send_columns(replay, &replay->moved, QD_CLIENT_MOVE)) {
        return qd_cli_fail_session(replay->cli, replay->client) == 0;
    }
    return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "../../proto/framing.h"
#include "../../proto/move_parts.h"
#include "../actor/service/reply.h"
#include "access.h"
#include "check/requests.h"
#include "handlers.h"
#include "sessions.h"

#define fail qd_session_fail

/* ---- requests that the session answers ---- */

static void handle_ping(qd_session *session, qd_request **request)
{
    qd_session_answer(session, *request,
                      &(qd_server_message){.kind = QD_SERVER_PONG, .as.pong = (*request)->decoded.message.as.ping});
}

/* That it came is enough; only the first after a Ping is measured. */
static void handle_pong(qd_session *session, qd_request **request)
{
    (void)request;
    if (session->ping_ns != 0) {
        qd_observe(&session->service->counters, QD_HISTOGRAM_ROUND_TRIP,
                   qd_service_now_ns(session->service) - session->ping_ns);
        session->ping_ns = 0;
    }
}

static void handle_nothing(qd_session *session, qd_request **request)
{
    fail(session, *request, 0, QD_ERROR_UNKNOWN_MESSAGE,
         "the envelope is empty, or its message is unknown; must have a message of version %u. See quadrille.proto",
         QD_PROTOCOL_VERSION);
}

/* ---- requests that rooms answer ---- */

/* From now on the membership has a share of the batches that may wait in the room. */
static void count_writer(qd_membership *membership)
{
    if (membership->writes) {
        return;
    }
    membership->writes = true;
    atomic_fetch_add_explicit(&membership->actor->writers, 1, memory_order_relaxed);
}

/* What becomes of a request. Without `handle`, it goes to the room that it names, if it suits the room. */
struct route {
    qd_handler handle;
    bool writes;    /* the session has a share of the room's waiting messages; queries count, too */
    bool is_long;   /* it may take long on this thread, so the link looks whether its turn is over */
    uint8_t rights; /* QD_RIGHT_* that the membership needs */
};

static void pass_on(qd_session *session, qd_request **request, const struct route *route)
{
    const qd_client_message *message = &(*request)->decoded.message;
    qd_fault fault = {.room = message->as.room.room}; /* the first field of all these messages */
    qd_membership *membership = qd_session_expect_membership(session, *request, fault.room);

    if (membership == NULL) {
        return;
    }
    if (!qd_access_check_rights(session, membership, route->rights, &fault)) {
        qd_session_refuse(session, *request, &fault);
        return;
    }
    if (!qd_room_request_check(message, membership->actor->config.dimensions, &fault)) {
        qd_session_refuse(session, *request, &fault);
        return;
    }
    if (route->writes) {
        count_writer(membership);
    }
    if (qd_joined_moves_hold(&session->waiting, membership, *request)) {
        *request = NULL;
    } else {
        qd_session_post(membership, request);
    }
}

/* A frame may move so many entities in inline runs. The parts behind them are for workers, so that the loop serves other
 * connections soon, and all cores apply a large frame. */
#define FRAME_INLINE_ENTITIES 32768u

/* Takes what a part counts for in the gates: its struct and its columns. The first part counts the frame's struct, too. */
static size_t bytes_of_part(const qd_msg_move_rooms *move, uint32_t part)
{
    const size_t columns = 2u + (move->id != NULL) + (move->z != NULL);

    return sizeof(qd_request) * (part == 0 ? 2 : 1) + move->part_size[part] * columns * sizeof(uint32_t);
}

static void handle_move_rooms(qd_session *session, qd_request **request)
{
    static const struct route moves = {.writes = true, .rights = QD_RIGHT_WRITE};
    const qd_client_message *frame = &(*request)->decoded.message;
    const qd_msg_move_rooms *move = &frame->as.move_rooms;
    qd_fault fault = {.room = 0};

    if (!qd_move_rooms_check(frame, &fault)) {
        qd_session_refuse(session, *request, &fault);
        return;
    }
    qd_move_parts parts = {.frame = frame};
    for (qd_client_message message; qd_move_parts_next(&parts, &message);) {
        const uint32_t index = parts.next - 1;
        qd_request *part = qd_request_create_part(*request, &message);

        if (part == NULL) {
            qd_reply_error(session->service, session->link, message.seq, move->part_room[index], QD_ERROR_LIMIT,
                           "the server has no memory left for part %" PRIu32 " (--memory-max). Try again later", index);
            continue;
        }
        part->bytes = bytes_of_part(move, index);
        part->is_for_worker = parts.at > FRAME_INLINE_ENTITIES;
        pass_on(session, &part, &moves);
        qd_request_destroy(part);
    }
}

static void handle_get_stats(qd_session *session, qd_request **request)
{
    static const struct route of_room;
    qd_server_message message = {.kind = QD_SERVER_STATS};

    if ((*request)->decoded.message.as.room.room != 0) {
        pass_on(session, request, &of_room);
        return;
    }
    qd_service_stats(session->service, &message.as.stats.server);
    qd_session_answer(session, *request, &message);
}

static void handle_ack(qd_session *session, qd_request **request)
{
    const qd_msg_step *ack = &(*request)->decoded.message.as.step;
    qd_membership *membership = qd_session_expect_membership(session, *request, ack->room);

    if (membership != NULL) {
        membership->acked_tick = ack->tick;
    }
}

static void handle_adopt(qd_session *session, qd_request **request)
{
    const qd_msg_adopt *adopt = &(*request)->decoded.message.as.adopt;
    qd_membership *membership = qd_session_expect_membership(session, *request, adopt->room);

    if (membership == NULL) {
        return;
    }
    qd_fault fault = {.room = adopt->room};
    if (!qd_access_check_rights(session, membership, QD_RIGHT_WRITE, &fault)) {
        qd_session_refuse(session, *request, &fault);
        return;
    }
    if (session->endpoint->token == NULL) {
        fail(session, *request, adopt->room, QD_ERROR_NOT_ALLOWED,
             "this session has no token; must have that of the sessions whose entities it adopts. Send the token in "
             "Hello");
        return;
    }
    if (adopt->session == session->endpoint->session) {
        fail(session, *request, adopt->room, QD_ERROR_INVALID,
             "session is %" PRIu64 ", which is this one; must be another. Name another, or none", adopt->session);
        return;
    }
    count_writer(membership);
    qd_session_post(membership, request);
}

static void handle_list_sessions(qd_session *session, qd_request **request)
{
    const qd_msg_list_sessions *wanted = &(*request)->decoded.message.as.list_sessions;
    qd_fault fault = {.room = wanted->room};

    if (wanted->room != 0 && qd_session_expect_membership(session, *request, wanted->room) == NULL) {
        return;
    }
    if (!qd_limit_check(wanted->limit, QD_LIST_SESSIONS_MAX, &fault)) {
        qd_session_refuse(session, *request, &fault);
        return;
    }
    const uint32_t max = wanted->limit == 0 ? QD_LIST_SESSIONS_MAX : wanted->limit;
    const size_t size = max * (sizeof(qd_msg_session_info) + sizeof(qd_session_name));
    qd_msg_session_info *rows = qd_shared_alloc(size);
    if (rows == NULL) {
        fail(session, *request, wanted->room, QD_ERROR_LIMIT,
             "the server has no memory left (--memory-max). Try again later");
        return;
    }
    qd_server_message message = {.kind = QD_SERVER_SESSION_LIST, .as.session_list = {.sessions = rows}};
    qd_msg_session_list *list = &message.as.session_list;
    list->count = qd_sessions_list(session->sessions, session, wanted, max, rows, (qd_session_name *)(rows + max), NULL,
                                   &list->more);
    qd_session_answer(session, *request, &message);
    qd_shared_free(rows, size);
}

static const struct route routes[] = {
    [QD_CLIENT_NOTHING] = {.handle = handle_nothing},
    [QD_CLIENT_HELLO] = {.handle = qd_hello},
    [QD_CLIENT_OPEN_ROOM] = {.handle = qd_room_request_open, .is_long = true},
    [QD_CLIENT_LEAVE_ROOM] = {.handle = qd_room_request_leave},
    [QD_CLIENT_CLOSE_ROOM] = {.handle = qd_room_request_close, .is_long = true},
    [QD_CLIENT_LIST_ROOMS] = {.handle = qd_room_request_list, .is_long = true},
    [QD_CLIENT_SPAWN] = {.writes = true, .rights = QD_RIGHT_WRITE},
    [QD_CLIENT_MOVE] = {.writes = true, .rights = QD_RIGHT_WRITE},
    [QD_CLIENT_TELEPORT] = {.writes = true, .rights = QD_RIGHT_WRITE},
    [QD_CLIENT_RESHAPE] = {.writes = true, .rights = QD_RIGHT_WRITE},
    [QD_CLIENT_DESPAWN] = {.writes = true, .rights = QD_RIGHT_WRITE},
    [QD_CLIENT_SUBSCRIBE] = {0},
    [QD_CLIENT_UNSUBSCRIBE] = {0},
    [QD_CLIENT_GET_SNAPSHOT] = {.writes = true},
    [QD_CLIENT_STEP] = {.rights = QD_RIGHT_STEP, .is_long = true}, /* its tick may run inline */
    [QD_CLIENT_GET_STATS] = {.handle = handle_get_stats, .is_long = true},
    [QD_CLIENT_PING] = {.handle = handle_ping},
    [QD_CLIENT_QUERY] = {.writes = true},
    [QD_CLIENT_SET_DESCRIPTION] = {.writes = true, .rights = QD_RIGHT_WRITE},
    [QD_CLIENT_OBSERVE] = {.writes = true},
    [QD_CLIENT_MOVE_OBSERVERS] = {.writes = true},
    [QD_CLIENT_UNOBSERVE] = {.writes = true},
    [QD_CLIENT_SET_EXCEPTIONS] = {.writes = true},
    [QD_CLIENT_SET_VIEW_OPTIONS] = {.writes = true},
    [QD_CLIENT_WHY] = {.writes = true},
    [QD_CLIENT_HAND_OVER] = {.writes = true, .rights = QD_RIGHT_WRITE},
    [QD_CLIENT_ACK] = {.handle = handle_ack},
    [QD_CLIENT_ADOPT] = {.handle = handle_adopt},
    [QD_CLIENT_SET_ROSTER] = {.writes = true, .rights = QD_RIGHT_WRITE},
    [QD_CLIENT_MOVE_ROSTER] = {.writes = true, .rights = QD_RIGHT_WRITE},
    [QD_CLIENT_LIST_SESSIONS] = {.handle = handle_list_sessions, .is_long = true},
    [QD_CLIENT_PONG] = {.handle = handle_pong},
    [QD_CLIENT_MOVE_ROOMS] = {.handle = handle_move_rooms, .is_long = true},
};

/* ---- the frame ---- */

static void dispatch(qd_session *session, qd_request **request, qd_decode_result result, size_t size)
{
    const qd_decoded_client *decoded = &(*request)->decoded;

    if (result == QD_DECODE_MALFORMED) {
        qd_session_end(
            session, 0, QD_ERROR_MALFORMED,
            "a frame of %zu bytes is no ClientFrame; must be one. Check its protobuf encoding against quadrille.proto",
            size);
        return;
    }
    bool early = session->state == QD_SESSION_WAITING && decoded->message.kind != QD_CLIENT_HELLO;
    if (early || session->state == QD_SESSION_RESUMING) {
        qd_session_end(session, decoded->message.seq, QD_ERROR_NO_HELLO,
                       "the first frame is not Hello; must be Hello. Send it first");
        return;
    }
    const uint64_t seq = decoded->message.seq, last_seq = seq + qd_move_parts_more(&decoded->message);
    if (seq > QD_SEQ_MAX || last_seq > QD_SEQ_MAX) {
        fail(session, *request, 0, QD_ERROR_INVALID, "seq is %" PRIu64 "; must be below 2^53. Count up from 1",
             seq > QD_SEQ_MAX ? seq : last_seq);
        return;
    }
    if (seq != 0) {
        session->last_seq = last_seq;
    }
    if (result == QD_DECODE_COLUMNS) {
        fail(session, *request, decoded->message.as.batch.room, QD_ERROR_COLUMNS, "%s", decoded->fault);
        return;
    }
    const struct route *route = &routes[decoded->message.kind];
    if (route->handle != NULL) {
        route->handle(session, request);
    } else {
        pass_on(session, request, route);
    }
    if (route->is_long) {
        qd_link_worked(session->link);
    }
}

/* A client that could not even send Hello has to connect again. */
static void fail_for_memory(qd_session *session, const uint8_t *bytes, size_t size)
{
    uint64_t seq = qd_client_frame_seq(bytes, size);
    static const char text[] = "the server has no memory left for a frame of %zu bytes (--memory-max). Try again later";

    if (session->state == QD_SESSION_WAITING) {
        qd_session_end(session, seq, QD_ERROR_LIMIT, text, size);
    } else {
        qd_reply_error(session->service, session->link, seq, 0, QD_ERROR_LIMIT, text, size);
    }
}

/* NULL: no memory. */
static qd_request *decode(const uint8_t *bytes, size_t size, const qd_codec_memory *memory, qd_decode_result *result)
{
    qd_request *request = qd_request_create(memory);

    if (request == NULL) {
        return NULL;
    }
    *result = qd_decode_client(bytes, size, memory, &request->decoded);
    if (*result == QD_DECODE_NO_MEMORY) {
        qd_request_destroy(request);
        return NULL;
    }
    return request;
}

/* Leaving and giving back must succeed when no memory is left, and a small request cannot be told from others before it
 * is decoded. So it may use the reserve. It counts for as much as may wait of the session, which is not read until the
 * room has handled the request: each session has at most one in the reserve. */
#define RESERVED_FRAME_MAX 1024u

static qd_request *decode_in_reserve(const qd_session *session, const uint8_t *bytes, size_t size,
                                     qd_decode_result *result)
{
    qd_request *request = size <= RESERVED_FRAME_MAX ? decode(bytes, size, &qd_request_reserved_memory, result) : NULL;

    if (request != NULL) {
        request->bytes += session->endpoint->bytes_max;
    }
    return request;
}

/* Adds the Move to those that wait for its room. Most often that is the room of the Move before. */
static bool join(qd_session *session, const qd_move_frame *move, size_t frame_bytes)
{
    qd_membership *membership = TAILQ_LAST(&session->waiting, qd_waiting_moves);

    if (membership != NULL && membership->moves.request->decoded.message.as.batch.room != move->room) {
        membership = qd_session_membership(session, move->room);
    }
    if (membership == NULL || !qd_joined_moves_add(membership, move, frame_bytes)) {
        return false;
    }
    session->last_seq = move->seq != 0 ? move->seq : session->last_seq;
    return true;
}

void qd_dispatch(qd_session *session, const uint8_t *bytes, size_t size)
{
    qd_service *service = session->service;
    const size_t frame_bytes = size + qd_frame_prefix_size((uint32_t)size);
    qd_decode_result result;
    qd_move_frame move;

    if (!qd_read_move_frame(bytes, size, &move) || move.count > QD_JOINED_ENTITIES_MAX) {
        qd_joined_moves_post_all(&session->waiting);
    } else if (join(session, &move, frame_bytes)) {
        return;
    }
    qd_count(&service->counters, QD_COUNT_BYTES_IN, frame_bytes);
    qd_request *request = decode(bytes, size, &qd_request_memory, &result);
    if (request == NULL) {
        request = decode_in_reserve(session, bytes, size, &result);
    }
    if (request == NULL) {
        fail_for_memory(session, bytes, size);
        return;
    }
    dispatch(session, &request, result, size);
    qd_request_destroy(request);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "json_answers.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "../actor/room_overview.h"
#include "../base/log.h"
#include "../session/tenants.h"
#include "parts/threads.h"

#define ROOMS    "/v1/rooms/"
#define SESSIONS "/v1/sessions/"

/* What operators do is logged in any case. */
static qd_log_level audit_level(void)
{
    return qd_log_is_on(QD_LOG_AUDIT) ? QD_LOG_AUDIT : QD_LOG_WARN;
}

/* ---- values ---- */

static int append(const char *bytes, size_t size, void *answer)
{
    qd_admin_write(answer, bytes, size);
    return 0;
}

/* Sends the value and gives it up; NULL: there was no memory for it. */
static void send_json(qd_admin_answer *answer, json_t *value)
{
    answer->type = "application/json";
    answer->failed |= value == NULL || json_dump_callback(value, append, answer, JSON_COMPACT) != 0;
    qd_admin_write(answer, "\n", 1);
    json_decref(value);
}

/* A client's name may have any bytes; those that are no UTF-8 become question marks. */
static json_t *text_of(const char *text)
{
    char plain[QD_CLIENT_NAME_BYTES_MAX + 1];
    json_t *value = json_string(text);

    if (value != NULL) {
        return value;
    }
    size_t size = 0;
    for (; text[size] != '\0' && size + 1 < sizeof plain; size++) {
        plain[size] = (unsigned char)text[size] < 0x80 ? text[size] : '?';
    }
    plain[size] = '\0';
    return json_string(plain);
}

/* The argument `limit`. Returns whether it is valid; else the answer has the reason. */
static bool read_limit(const qd_admin_request *request, qd_admin_answer *answer, uint32_t *limit)
{
    char *end;
    const unsigned long value = strtoul(request->limit, &end, 10);

    *limit = request->limit[0] == '\0' ? QD_ADMIN_ROWS : (uint32_t)value;
    if (request->limit[0] == '\0' || (*end == '\0' && value >= 1 && value <= QD_ADMIN_ROWS_MAX)) {
        return true;
    }
    qd_admin_refuse(answer, 400, "limit is \"%.20s\"; must be from 1 to %u. Ask for the rest with after",
                    request->limit, QD_ADMIN_ROWS_MAX);
    return false;
}

static bool read_number(const char *text, uint64_t *number)
{
    char *end;

    errno = 0;
    *number = strtoull(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0;
}

/* A page of rows; after the last page, `next` is null. */
static json_t *page_of(const char *name, json_t *rows, json_t *next)
{
    return json_pack("{s:o, s:o}", name, rows, "next", next);
}

/* ---- rooms ---- */

static json_t *room_json(const qd_room_overview *row)
{
    const qd_msg_bounds *bounds = &row->config.bounds;
    const bool is_clock = row->config.tick_mode == QD_TICK_MODE_CLOCK;

    return json_pack("{s:s, s:I, s:s, s:i, s:I, s:i, s:i, s:f, s:i, s:i, s:b, s:I, s:[f,f,f], s:[f,f,f]}", "name",
                     row->name, "room", (json_int_t)row->room, "tick_mode", is_clock ? "clock" : "step", "tick_hz",
                     is_clock ? (int)row->config.tick_hz : 0, "tick", (json_int_t)row->tick, "entities",
                     (int)row->entities, "sessions", (int)row->sessions, "last_tick_seconds", row->tick_us / 1e6,
                     "slowed_hz", (int)row->slowed_hz, "dimensions", (int)row->config.dimensions, "swept",
                     row->config.swept, "creator", (json_int_t)row->creator, "min", (double)bounds->min_x,
                     (double)bounds->min_y, (double)bounds->min_z, "max", (double)bounds->max_x, (double)bounds->max_y,
                     (double)bounds->max_z);
}

void qd_admin_list_rooms(qd_admin *admin, const qd_admin_request *request, qd_admin_answer *answer)
{
    static qd_room_overview rows[QD_ADMIN_ROWS_MAX]; /* too large for the stack; of this thread alone */
    uint32_t limit;
    bool more;

    if (!read_limit(request, answer, &limit)) {
        return;
    }
    const uint32_t count = qd_room_overview_list(admin->config.sessions->service, request->after, limit, rows, &more);
    json_t *list = json_array();
    for (uint32_t i = 0; i < count; i++) {
        answer->failed |= json_array_append_new(list, room_json(&rows[i])) != 0;
    }
    send_json(answer, page_of("rooms", list, more ? json_string(rows[count - 1].name) : json_null()));
}

static void refuse_room(qd_admin_answer *answer)
{
    qd_admin_refuse(answer, 404, "no room of this name is open. See /v1/rooms");
}

void qd_admin_get_room(qd_admin *admin, const qd_admin_request *request, qd_admin_answer *answer)
{
    qd_room_overview row;

    if (qd_room_overview_find(admin->config.sessions->service, request->path + strlen(ROOMS), &row)) {
        send_json(answer, room_json(&row));
    } else {
        refuse_room(answer);
    }
}

void qd_admin_close_room(qd_admin *admin, const qd_admin_request *request, qd_admin_answer *answer)
{
    const char *name = request->path + strlen(ROOMS);
    uint64_t room;

    if (!qd_room_overview_close(admin->config.sessions->service, name, &room)) {
        refuse_room(answer);
        return;
    }
    qd_log(audit_level(), "an operator closes a room", QD_LOG_STRING("peer", request->peer),
           QD_LOG_NUMBER("token", request->token_number), QD_LOG_NUMBER("room", room), QD_LOG_STRING("name", name));
    send_json(answer, json_pack("{s:I}", "room", (json_int_t)room));
}

/* ---- sessions ---- */

static json_t *session_json(const qd_msg_session_info *row, const qd_session_link *link)
{
    return json_pack("{s:I, s:o, s:b, s:s, s:i, s:f, s:I}", "session", (json_int_t)row->session, "client",
                     text_of(row->client), "detached", row->detached, "peer", link->peer, "rooms", (int)row->rooms,
                     "age_seconds", (double)row->age_ms / 1000, "queued_bytes", (json_int_t)link->queued_bytes);
}

void qd_admin_list_sessions(qd_admin *admin, const qd_admin_request *request, qd_admin_answer *answer)
{
    /* Too large for the stack; of this thread alone. */
    static qd_msg_session_info rows[QD_ADMIN_ROWS_MAX];
    static qd_session_name names[QD_ADMIN_ROWS_MAX];
    static qd_session_link links[QD_ADMIN_ROWS_MAX];
    qd_msg_list_sessions wanted = {.room = 0};
    uint32_t limit;
    bool more;

    if (!read_limit(request, answer, &limit)) {
        return;
    }
    if (request->after[0] != '\0' && !read_number(request->after, &wanted.after)) {
        qd_admin_refuse(answer, 400, "after is \"%.20s\"; must be a session's number. Send that of the last row",
                        request->after);
        return;
    }
    const uint32_t count = qd_sessions_list(admin->config.sessions, NULL, &wanted, limit, rows, names, links, &more);
    json_t *list = json_array();
    for (uint32_t i = 0; i < count; i++) {
        answer->failed |= json_array_append_new(list, session_json(&rows[i], &links[i])) != 0;
    }
    send_json(answer,
              page_of("sessions", list, more ? json_integer((json_int_t)rows[count - 1].session) : json_null()));
}

void qd_admin_end_session(qd_admin *admin, const qd_admin_request *request, qd_admin_answer *answer)
{
    uint64_t number;

    if (!read_number(request->path + strlen(SESSIONS), &number) ||
        !qd_sessions_disconnect(admin->config.sessions, number)) {
        qd_admin_refuse(answer, 404, "there is no session of this number. See /v1/sessions");
        return;
    }
    qd_log(audit_level(), "an operator ends a session", QD_LOG_STRING("peer", request->peer),
           QD_LOG_NUMBER("token", request->token_number), QD_LOG_NUMBER("session", number));
    send_json(answer, json_pack("{s:I}", "session", (json_int_t)number));
}

/* ---- the process ---- */

void qd_admin_get_server(qd_admin *admin, const qd_admin_request *request, qd_admin_answer *answer)
{
    const qd_counters *counters = &admin->config.sessions->service->counters;
    qd_msg_server_stats stats;

    (void)request;
    qd_service_stats(admin->config.sessions->service, &stats);
    send_json(answer,
              json_pack("{s:s, s:f, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "version", qd_server_name,
                        "uptime_seconds", (double)stats.uptime_ms / 1000, "sessions", (json_int_t)stats.sessions,
                        "detached", (json_int_t)stats.detached, "rooms", (json_int_t)stats.rooms, "rooms_slowed",
                        (json_int_t)stats.rooms_slowed, "workers", (json_int_t)stats.workers, "memory_bytes",
                        (json_int_t)stats.memory_bytes, "memory_max_bytes", (json_int_t)stats.memory_bytes_max, "ticks",
                        (json_int_t)qd_counted(counters, QD_COUNT_TICKS), "updates",
                        (json_int_t)qd_counted(counters, QD_COUNT_UPDATES), "events",
                        (json_int_t)qd_counted(counters, QD_COUNT_EVENTS)));
}

void qd_admin_list_threads(qd_admin *admin, const qd_admin_request *request, qd_admin_answer *answer)
{
    static qd_admin_thread threads[QD_ADMIN_THREADS_MAX]; /* too large for the stack; of this thread alone */
    const uint32_t count = qd_admin_threads(threads, QD_ADMIN_THREADS_MAX);
    json_t *list = json_array();

    (void)admin;
    (void)request;
    for (uint32_t i = 0; i < count; i++) {
        json_t *row = json_pack("{s:i, s:o, s:f}", "id", (int)threads[i].id, "name", text_of(threads[i].name),
                                "cpu_seconds", threads[i].cpu_seconds);

        answer->failed |= json_array_append_new(list, row) != 0;
    }
    send_json(answer, json_pack("{s:o}", "threads", list));
}

static const char *const levels[] = {
    [QD_LOG_ERROR] = "error", [QD_LOG_WARN] = "warn", [QD_LOG_INFO] = "info", [QD_LOG_DEBUG] = "debug"};

void qd_admin_get_log_level(qd_admin *admin, const qd_admin_request *request, qd_admin_answer *answer)
{
    qd_log_level level = QD_LOG_DEBUG;

    (void)admin;
    (void)request;
    while (level > QD_LOG_ERROR && !qd_log_is_on(level)) {
        level--;
    }
    send_json(answer, json_pack("{s:s}", "level", levels[level]));
}

void qd_admin_set_log_level(qd_admin *admin, const qd_admin_request *request, qd_admin_answer *answer)
{
    json_t *body = json_loadb(request->body, request->body_size, JSON_REJECT_DUPLICATES, NULL);
    const char *name = json_string_value(json_object_get(body, "level"));
    qd_log_level level;

    if (name == NULL || !qd_log_level_of(name, &level)) {
        qd_admin_refuse(
            answer, 400,
            "the body has no valid level; must be {\"level\": \"error\"}, or warn, info or debug. Send that");
        json_decref(body);
        return;
    }
    qd_log_level_set(level);
    qd_log(audit_level(), "an operator sets the log level", QD_LOG_STRING("peer", request->peer),
           QD_LOG_NUMBER("token", request->token_number), QD_LOG_STRING("level", levels[level]));
    json_decref(body);
    qd_admin_get_log_level(admin, request, answer);
}

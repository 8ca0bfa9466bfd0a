/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../actor/room_clock.h"
#include "../actor/service/reply.h"
#include "access.h"
#include "check/requests.h"
#include "check/room_config.h"
#include "handlers.h"
#include "tenants.h"

#define fail qd_session_fail

#define MS_NS UINT64_C(1000000)

/* Whether the session may be in one more room. */
static bool may_have_another(const qd_session *session, qd_fault *fault)
{
    const uint64_t max = atomic_load(&session->service->accounts.quotas.session[QD_QUOTA_JOINED]);
    const qd_shortage shortage = {
        .code = QD_ERROR_QUOTA_SESSION, .quota = QD_QUOTA_JOINED, .used = qd_session_open_rooms(session), .max = max};

    return max == 0 || shortage.used < max || qd_session_fault_quota(session, &shortage, fault);
}

/* Creates a room that is not listed yet. NULL: it is refused. */
static qd_room_actor *create(qd_session *session, const qd_msg_open_room *open, qd_fault *fault)
{
    qd_service *service = session->service;

    if (!open->has_config) {
        (void)qd_fault_set(fault, QD_ERROR_UNKNOWN_ROOM,
                           "no room \"%s\" is open; must be open, or have a config. Send a config to create it",
                           open->name);
        return NULL;
    }
    if (!open->config.has_bounds) {
        (void)qd_fault_invalid(fault, "bounds are missing; must be there for a new room. Send them");
        return NULL;
    }
    qd_account *account = session->endpoint->account, *tenant = account->tenant;
    qd_shortage shortage;
    if (!qd_access_check_create(session, fault) || !may_have_another(session, fault)) {
        return NULL;
    }
    if (qd_account_take(tenant, QD_QUOTA_CREATED, 1, &shortage) == 0 ||
        qd_account_is_full(account, QD_QUOTA_MEMORY, &shortage)) {
        if (shortage.quota == QD_QUOTA_MEMORY) {
            qd_account_give(tenant, QD_QUOTA_CREATED, 1);
        }
        (void)qd_session_fault_quota(session, &shortage, fault);
        return NULL;
    }
    qd_msg_room_config config;
    qd_room_config_resolve(&open->config, &service->config.limits, &config);
    qd_room_actor *actor = qd_room_actor_create(service, open->name, &config, session->endpoint);
    if (actor == NULL) {
        qd_account_give(tenant, QD_QUOTA_CREATED, 1);
        (void)qd_fault_set(fault, QD_ERROR_LIMIT,
                           "the server has no memory left for a room (--memory-max). Close one, or try again later");
    }
    return actor;
}

/* Under the lock: lists a new room. Returns whether there is a place for it. */
static bool add(qd_session *session, qd_room_actor *actor, qd_fault *fault)
{
    qd_room_directory *directory = &session->service->directory;
    qd_status status = qd_room_directory_add(directory, &actor->entry);

    if (status == QD_ERR_FULL) {
        return qd_fault_set(fault, QD_ERROR_LIMIT,
                            "%" PRIu32 " rooms are open; must be at most that many (--rooms-max). Close one",
                            directory->count);
    }
    return status == QD_OK ||
           qd_fault_set(fault, QD_ERROR_LIMIT,
                        "the server has no memory left for a room (--memory-max). Close one, or try again later");
}

/* Under the lock: whether the session may join the room, which was there before. */
static bool may_join(qd_session *session, const qd_msg_open_room *open, const qd_room_actor *actor, qd_fault *fault)
{
    if (qd_access_check_join(session, actor, fault) &&
        (!open->has_config || qd_room_config_agrees(&open->config, &actor->config, fault)) &&
        (qd_session_membership(session, actor->entry.handle) != NULL || may_have_another(session, fault))) {
        return true;
    }
    fault->room = actor->entry.handle;
    return false;
}

/* Under the lock, so that the room cannot close before the message is in. */
static void join(qd_session *session, qd_request **request, qd_room_actor *actor, qd_fault *fault)
{
    qd_membership *membership = qd_session_membership(session, actor->entry.handle);

    if (membership == NULL) {
        membership = qd_session_join(session, actor, qd_access_rights(session, actor));
    }
    if (membership == NULL) {
        fault->room = actor->entry.handle;
        (void)qd_fault_set(
            fault, QD_ERROR_LIMIT,
            "the server has no memory left to join a room (--memory-max). Leave one, or try again later");
        qd_room_actor_wake(actor); /* so that an empty room closes in time */
        return;
    }
    actor->arrivals++;
    qd_session_post(membership, request);
}

/* Under the lock: joins the room of that name, or lists `created` and joins that, if it is not NULL. Returns whether the
 * request is settled: it is posted, or there is a fault. */
static bool open_listed(qd_session *session, qd_request **request, qd_room_actor **created, qd_fault *fault)
{
    const qd_msg_open_room *open = &(*request)->decoded.message.as.open_room;
    qd_room_directory *directory = &session->service->directory;

    if (atomic_load(&session->sessions->stopping)) {
        return !qd_fault_set(fault, QD_ERROR_NOT_ALLOWED, "the server is stopping. Open the room on another server");
    }
    qd_room_entry *entry = qd_room_directory_find(directory, open->name);
    if (entry != NULL) {
        if (may_join(session, open, qd_room_actor_of(entry), fault)) {
            join(session, request, qd_room_actor_of(entry), fault);
        }
        return true;
    }
    if (*created == NULL) {
        return false;
    }
    if (add(session, *created, fault)) {
        qd_room_actor *actor = *created;

        *created = NULL;
        (*request)->created = true;
        join(session, request, actor, fault);
    }
    return true;
}

static bool open_now(qd_session *session, qd_request **request, qd_room_actor **created, qd_fault *fault)
{
    qd_room_directory *directory = &session->service->directory;

    qd_room_directory_lock(directory);
    bool settled = open_listed(session, request, created, fault);
    qd_room_directory_unlock(directory);
    return settled;
}

/* A tenant that creates rooms faster than it may waits. Until then, its session is not read. */
static void pace(qd_session *session)
{
    const uint64_t wait_ns =
        qd_account_created(session->endpoint->account->tenant, qd_service_now_ns(session->service));

    if (wait_ns > 0) {
        qd_count(&session->service->counters, QD_COUNT_PACED, 1);
        qd_link_rest(session->link, (uint32_t)((wait_ns + MS_NS - 1) / MS_NS));
    }
}

void qd_room_request_open(qd_session *session, qd_request **request)
{
    const qd_msg_open_room *open = &(*request)->decoded.message.as.open_room;
    qd_room_actor *created = NULL;
    qd_fault fault = {.code = QD_ERROR_NONE};

    /* A room is created without the lock. If another session is faster, its room is joined. */
    if (qd_room_name_check(open->name, &fault) && qd_access_check_room(session, open->name, &fault) &&
        (!open->has_config || qd_room_config_check(&open->config, &session->service->config.limits, &fault)) &&
        !open_now(session, request, &created, &fault)) {
        created = create(session, open, &fault);
        if (created != NULL) {
            pace(session);
            (void)open_now(session, request, &created, &fault);
        }
    }
    if (created != NULL) {
        qd_room_actor_destroy(created);
    }
    if (fault.code != QD_ERROR_NONE) {
        qd_session_refuse(session, *request, &fault);
    }
}

void qd_room_request_leave(qd_session *session, qd_request **request)
{
    qd_membership *membership =
        qd_session_expect_membership(session, *request, (*request)->decoded.message.as.room.room);

    if (membership != NULL) {
        qd_session_leave(session, membership, true, (*request)->decoded.message.seq);
    }
}

void qd_room_request_close(qd_session *session, qd_request **request)
{
    uint64_t room = (*request)->decoded.message.as.room.room;
    qd_membership *membership = qd_session_expect_membership(session, *request, room);

    if (membership == NULL) {
        return;
    }
    qd_fault fault = {.room = room};
    if (!qd_access_check_close(session, membership->actor, &fault)) {
        qd_session_refuse(session, *request, &fault);
        return;
    }
    /* The name is free at once, so that an OpenRoom sent after this creates a new room. */
    qd_room_directory *directory = &session->service->directory;
    qd_room_directory_lock(directory);
    if (membership->actor->entry.listed) {
        qd_room_directory_remove(directory, &membership->actor->entry);
    }
    qd_room_directory_unlock(directory);
    qd_session_post(membership, request);
}

/* Rooms that are looked at under one hold of the lock, which everybody needs, and for one answer, during which the loop
 * does nothing else: a session may list rooms of which it may join few. */
#define PAGE_ROOMS   64u
#define ANSWER_ROOMS 256u
_Static_assert(ANSWER_ROOMS % PAGE_ROOMS == 0, "whole pages");

typedef char room_name[QD_ROOM_NAME_BYTES_MAX + 1];

typedef struct room_rows {
    qd_msg_room_info *row;
    room_name *names;
    uint32_t count, limit;
    uint32_t looked_at;
    bool more;    /* another room is behind `limit` rows, or may be behind ANSWER_ROOMS */
    bool is_done; /* that, or no room is left to look at */
} room_rows;

static void add_row(room_rows *rows, const qd_room_actor *actor)
{
    const uint32_t at = rows->count++;

    memcpy(rows->names[at], actor->entry.name, sizeof rows->names[at]);
    rows->row[at] = (qd_msg_room_info){
        .name = rows->names[at],
        .tick_mode = actor->config.tick_mode,
        .tick_hz = actor->config.tick_hz,
        .tick = qd_room_clock_shown_tick(actor),
        .entities = atomic_load_explicit(&actor->shown_entities, memory_order_relaxed),
        .sessions = atomic_load_explicit(&actor->shown_sessions, memory_order_relaxed),
    };
}

/* Looks at a page of rooms with names after that one, and adds those that the session may join. `after` becomes the last
 * of their names. */
static void list_page(const qd_session *session, room_name after, room_rows *rows)
{
    qd_room_directory *directory = &session->service->directory;

    qd_room_directory_lock(directory);
    const uint32_t first = qd_room_directory_after(directory, after);
    const uint32_t end = directory->count - first > PAGE_ROOMS ? first + PAGE_ROOMS : directory->count;
    rows->is_done = end == directory->count;
    for (uint32_t i = first; i < end; i++) {
        const qd_room_actor *actor = qd_room_actor_of(directory->by_name[i]);

        if (!qd_access_may_join(session, actor)) {
            continue;
        }
        if (rows->count == rows->limit) {
            rows->more = rows->is_done = true;
            memcpy(after, rows->names[rows->count - 1], sizeof(room_name));
            break;
        }
        add_row(rows, actor);
    }
    if (end > first && !rows->more) {
        memcpy(after, qd_room_actor_of(directory->by_name[end - 1])->entry.name, sizeof(room_name));
    }
    qd_room_directory_unlock(directory);
    rows->looked_at += end - first;
    if (!rows->is_done && rows->looked_at >= ANSWER_ROOMS) {
        rows->more = rows->is_done = true;
    }
}

void qd_room_request_list(qd_session *session, qd_request **request)
{
    const qd_msg_list_rooms *list = &(*request)->decoded.message.as.list_rooms;
    qd_fault fault = {.room = 0};

    if (!qd_limit_check(list->limit, QD_LIST_ROOMS_MAX, &fault)) {
        qd_session_refuse(session, *request, &fault);
        return;
    }
    uint32_t limit = list->limit == 0 ? QD_LIST_ROOMS_MAX : list->limit;
    const size_t size = ANSWER_ROOMS * (sizeof(qd_msg_room_info) + QD_ROOM_NAME_BYTES_MAX + 1);
    qd_msg_room_info *rooms = qd_shared_alloc(size);
    if (rooms == NULL) {
        fail(session, *request, 0, QD_ERROR_LIMIT, "the server has no memory left (--memory-max). Try again later");
        return;
    }
    room_rows rows = {.row = rooms, .names = (room_name *)(rooms + ANSWER_ROOMS), .limit = limit};
    room_name after;
    snprintf(after, sizeof after, "%s", list->after);
    while (!rows.is_done) {
        list_page(session, after, &rows);
    }
    qd_session_answer(
        session, *request,
        &(qd_server_message){
            .kind = QD_SERVER_ROOM_LIST,
            .as.room_list = {.count = rows.count, .rooms = rooms, .more = rows.more, .next = rows.more ? after : ""}});
    qd_shared_free(rooms, size);
}

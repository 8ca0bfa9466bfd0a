/* SPDX-License-Identifier: Apache-2.0 */
#include "routes.h"

#include <string.h>

#include "json_answers.h"
#include "metrics.h"

static void health(qd_admin *admin, const qd_admin_request *request, qd_admin_answer *answer)
{
    char error[200];

    (void)request;
    /* While the server stops, threads end; --drain-seconds bounds that. */
    pthread_mutex_lock(&admin->mutex);
    const bool is_alive = admin->stopping || admin->config.is_alive(admin->config.alive_context, error, sizeof error);
    pthread_mutex_unlock(&admin->mutex);
    if (is_alive) {
        qd_admin_print(answer, "ok\n");
    } else {
        qd_admin_refuse(answer, 503, "%s", error);
    }
}

static void readiness(qd_admin *admin, const qd_admin_request *request, qd_admin_answer *answer)
{
    (void)request;
    pthread_mutex_lock(&admin->mutex);
    const bool is_stopping = admin->stopping;
    pthread_mutex_unlock(&admin->mutex);
    if (is_stopping) {
        qd_admin_refuse(answer, 503, "the server is stopping. Use another server");
    } else {
        qd_admin_print(answer, "ok\n");
    }
}

static void metrics(qd_admin *admin, const qd_admin_request *request, qd_admin_answer *answer)
{
    (void)request;
    qd_admin_metrics(admin->config.sessions->service, admin->config.room_labels, answer);
}

typedef struct route {
    const char *path;
    bool has_rest; /* any text follows the path */
    bool is_open;  /* needs no token */
    const char *allow;
    void (*get)(qd_admin *admin, const qd_admin_request *request, qd_admin_answer *answer);
    void (*put)(qd_admin *admin, const qd_admin_request *request, qd_admin_answer *answer);
    void (*remove)(qd_admin *admin, const qd_admin_request *request, qd_admin_answer *answer);
} route;

static const route routes[] = {
    {.path = "/healthz", .is_open = true, .allow = "GET", .get = health},
    {.path = "/readyz", .is_open = true, .allow = "GET", .get = readiness},
    {.path = "/metrics", .allow = "GET", .get = metrics},
    {.path = "/v1/rooms", .allow = "GET", .get = qd_admin_list_rooms},
    {.path = "/v1/rooms/",
     .has_rest = true,
     .allow = "GET, DELETE",
     .get = qd_admin_get_room,
     .remove = qd_admin_close_room},
    {.path = "/v1/sessions", .allow = "GET", .get = qd_admin_list_sessions},
    {.path = "/v1/sessions/", .has_rest = true, .allow = "DELETE", .remove = qd_admin_end_session},
    {.path = "/v1/server", .allow = "GET", .get = qd_admin_get_server},
    {.path = "/v1/threads", .allow = "GET", .get = qd_admin_list_threads},
    {.path = "/v1/log-level", .allow = "GET, PUT", .get = qd_admin_get_log_level, .put = qd_admin_set_log_level},
};

static const route *find(const char *path)
{
    for (size_t i = 0; i < sizeof routes / sizeof routes[0]; i++) {
        const size_t size = strlen(routes[i].path);

        if (strncmp(path, routes[i].path, size) == 0 && (path[size] == '\0') != routes[i].has_rest) {
            return &routes[i];
        }
    }
    return NULL;
}

/* Whether the client may have an answer; else it gets the reason. */
static bool is_allowed(const qd_admin_connection *connection, qd_admin_answer *answer)
{
    switch (connection->access) {
    case QD_ADMIN_ALLOWED:
        return true;
    case QD_ADMIN_NO_TOKEN:
        qd_admin_refuse(answer, 401, "the request has no token. Send \"Authorization: Bearer TOKEN\"");
        return false;
    case QD_ADMIN_WRONG_TOKEN:
        qd_admin_refuse(answer, 401, "the token is unknown; must be one of --admin-token-file. Send such a token");
        return false;
    default:
        qd_admin_refuse(answer, 403,
                        "Host is a name; must be an address or localhost while there is no --admin-token-file. "
                        "Connect to the address, or set --admin-token-file");
        return false;
    }
}

/* Whether the client may change something; else it gets the reason. */
static bool may_change(const qd_admin *admin, const qd_admin_request *request, qd_admin_answer *answer)
{
    if (request->role == QD_ROLE_ADMIN) {
        return true;
    }
    if (admin->config.tokens == NULL) {
        qd_admin_refuse(answer, 403, "nothing can be changed without --admin-token-file. Set it");
    } else {
        qd_admin_refuse(answer, 403,
                        "the token's role is %s; must be admin to change anything. Write \"TOKEN admin\" into "
                        "--admin-token-file",
                        request->role == QD_ROLE_WRITER ? "writer" : "reader");
    }
    return false;
}

void qd_admin_route(qd_admin *admin, qd_admin_connection *connection)
{
    const qd_admin_request *request = &connection->request;
    qd_admin_answer *answer = &connection->answer;
    const route *found = find(request->path);

    answer->status = 200;
    answer->type = "text/plain; charset=utf-8";
    if ((found == NULL || !found->is_open) && !is_allowed(connection, answer)) {
        return;
    }
    if (found == NULL) {
        qd_admin_refuse(answer, 404, "there is nothing at this path. See openapi.json");
    } else if (request->method == QD_ADMIN_GET && found->get != NULL) {
        found->get(admin, request, answer);
    } else if (request->method == QD_ADMIN_PUT && found->put != NULL) {
        if (may_change(admin, request, answer)) {
            found->put(admin, request, answer);
        }
    } else if (request->method == QD_ADMIN_DELETE && found->remove != NULL) {
        if (may_change(admin, request, answer)) {
            found->remove(admin, request, answer);
        }
    } else {
        qd_admin_refuse(answer, 405, "the method is not there for this path; must be %s", found->allow);
        answer->allow = found->allow;
    }
    if (answer->failed) {
        qd_admin_refuse(answer, 503, "the admin server has no memory left for this answer. Ask for less, or later");
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "http.h"

#include <ctype.h>
#include <libwebsockets.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/log.h"
#include "routes.h"

/* How long a client has for its request, for reading the answer, and between two requests. */
#define REQUEST_SECONDS 5
#define ANSWER_SECONDS  10
#define IDLE_SECONDS    30

#define HEADER_BYTES_MAX 4096
#define PIECE_BYTES      4096u
#define FILES_AROUND     16u /* open files besides the connections: the listener, and those of the library itself */

/* ---- connections ---- */

static qd_admin_connection *connection_of(qd_admin *admin, const struct lws *wsi)
{
    for (uint32_t i = 0; i < QD_ADMIN_CONNECTIONS_END; i++) {
        if (admin->connections[i].wsi == wsi) {
            return &admin->connections[i];
        }
    }
    return NULL;
}

/* Slow clients keep their places until newer ones need them. */
static void end_oldest(qd_admin *admin)
{
    qd_admin_connection *oldest = NULL;

    for (uint32_t i = 0; i < QD_ADMIN_CONNECTIONS_END; i++) {
        qd_admin_connection *connection = &admin->connections[i];

        if (connection->wsi != NULL && !connection->is_ending &&
            (oldest == NULL || connection->number < oldest->number)) {
            oldest = connection;
        }
    }
    if (oldest != NULL) {
        oldest->is_ending = true;
        lws_set_timeout(oldest->wsi, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_ASYNC);
    }
}

static int accept_one(qd_admin *admin)
{
    if (admin->connection_count >= QD_ADMIN_CONNECTIONS_MAX) {
        end_oldest(admin);
    }
    return admin->connection_count >= QD_ADMIN_CONNECTIONS_END;
}

static void add(qd_admin *admin, struct lws *wsi)
{
    qd_admin_connection *connection = connection_of(admin, NULL);

    if (connection != NULL) {
        *connection = (qd_admin_connection){.wsi = wsi, .number = admin->connections_ever++};
        admin->connection_count++;
    }
}

static void drop(qd_admin *admin, const struct lws *wsi)
{
    qd_admin_connection *connection = connection_of(admin, wsi);

    if (connection != NULL) {
        qd_admin_answer_clear(&connection->answer);
        connection->wsi = NULL;
        admin->connection_count--;
    }
}

/* ---- requests ---- */

static qd_admin_method method_of(struct lws *wsi)
{
    if (lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) > 0) {
        return QD_ADMIN_GET;
    }
    if (lws_hdr_total_length(wsi, WSI_TOKEN_PUT_URI) > 0) {
        return QD_ADMIN_PUT;
    }
    return lws_hdr_total_length(wsi, WSI_TOKEN_DELETE_URI) > 0 ? QD_ADMIN_DELETE : QD_ADMIN_OTHER;
}

static void read_argument(struct lws *wsi, const char *name, char value[QD_ADMIN_ARG_BYTES_MAX + 1])
{
    char argument[QD_ADMIN_ARG_BYTES_MAX + 16];
    const char *found = lws_get_urlarg_by_name(wsi, name, argument, sizeof argument);

    snprintf(value, QD_ADMIN_ARG_BYTES_MAX + 1, "%s", found != NULL ? found : "");
}

/* An address begins with a digit or a bracket; names of hosts may begin with a digit, too, but have letters. */
static bool is_safe_host(struct lws *wsi)
{
    char host[300];

    if (lws_hdr_copy(wsi, host, sizeof host, WSI_TOKEN_HOST) <= 0) {
        return lws_hdr_total_length(wsi, WSI_TOKEN_HOST) == 0; /* HTTP/1.0, which no browser sends */
    }
    const size_t size = strcspn(host, host[0] == '[' ? "]" : ":");
    return host[0] == '[' || strspn(host, "0123456789.") >= size ||
           (size == 9 && strncasecmp(host, "localhost", 9) == 0);
}

static void authenticate(qd_admin *admin, qd_admin_connection *connection)
{
    static const char scheme[] = "Bearer ";
    char value[QD_TOKEN_BYTES_MAX + sizeof scheme];
    qd_admin_request *request = &connection->request;

    pthread_mutex_lock(&admin->mutex);
    const qd_tokens *tokens = admin->tokens;
    if (tokens == NULL) {
        connection->access = is_safe_host(connection->wsi) ? QD_ADMIN_ALLOWED : QD_ADMIN_WRONG_HOST;
        request->role = QD_ROLE_READER;
    } else if (lws_hdr_total_length(connection->wsi, WSI_TOKEN_HTTP_AUTHORIZATION) == 0) {
        connection->access = QD_ADMIN_NO_TOKEN;
    } else {
        const int size = lws_hdr_copy(connection->wsi, value, sizeof value, WSI_TOKEN_HTTP_AUTHORIZATION);
        const bool is_bearer = size > 0 && strncasecmp(value, scheme, sizeof scheme - 1) == 0;
        const qd_grant *grant = is_bearer ? qd_tokens_find(tokens, value + sizeof scheme - 1) : NULL;

        connection->access = grant != NULL ? QD_ADMIN_ALLOWED : QD_ADMIN_WRONG_TOKEN;
        request->role = grant != NULL ? grant->role : QD_ROLE_READER;
        request->token_number = grant != NULL ? (size_t)(grant - tokens->grants) + 1 : 0;
    }
    pthread_mutex_unlock(&admin->mutex);
}

/* ---- answers ---- */

/* Sends the headers; the text follows when the connection takes bytes. Returns what the callback returns. */
static int start_answer(qd_admin_connection *connection)
{
    uint8_t headers[LWS_PRE + 2048], *const start = headers + LWS_PRE, *const end = headers + sizeof headers - 1;
    static const unsigned char bearer[] = "Bearer", no_store[] = "no-store";
    const qd_admin_answer *answer = &connection->answer;
    struct lws *wsi = connection->wsi;
    uint8_t *at = start;

    if (lws_add_http_common_headers(wsi, answer->status, answer->type, answer->size, &at, end) != 0 ||
        lws_add_http_header_by_token(wsi, WSI_TOKEN_HTTP_CACHE_CONTROL, no_store, sizeof no_store - 1, &at, end) != 0 ||
        (answer->status == 401 && lws_add_http_header_by_token(wsi, WSI_TOKEN_HTTP_WWW_AUTHENTICATE, bearer,
                                                               sizeof bearer - 1, &at, end) != 0) ||
        (answer->allow != NULL &&
         lws_add_http_header_by_token(wsi, WSI_TOKEN_HTTP_ALLOW, (const unsigned char *)answer->allow,
                                      (int)strlen(answer->allow), &at, end) != 0) ||
        lws_finalize_write_http_header(wsi, start, &at, end) != 0) {
        return -1;
    }
    connection->sent = 0;
    lws_set_timeout(wsi, PENDING_TIMEOUT_HTTP_CONTENT, ANSWER_SECONDS);
    lws_callback_on_writable(wsi);
    return 0;
}

static int answer(qd_admin *admin, qd_admin_connection *connection)
{
    qd_admin_route(admin, connection);
    /* Without memory for the reason, either. */
    return connection->answer.failed ? -1 : start_answer(connection);
}

static int refuse(qd_admin_connection *connection, unsigned status, const char *text)
{
    qd_admin_refuse(&connection->answer, status, "%s", text);
    connection->closes = true;
    return connection->answer.failed ? -1 : start_answer(connection);
}

static int write_piece(qd_admin_connection *connection)
{
    uint8_t piece[LWS_PRE + PIECE_BYTES];
    const qd_admin_answer *text = &connection->answer;

    if (text->text == NULL) {
        return 0; /* no answer is on its way */
    }
    const size_t left = text->size - connection->sent, size = left < PIECE_BYTES ? left : PIECE_BYTES;
    memcpy(piece + LWS_PRE, text->text + connection->sent, size);
    connection->sent += size;
    if (lws_write(connection->wsi, piece + LWS_PRE, size, left == size ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) <
        (int)size) {
        return -1;
    }
    if (left > size) {
        lws_callback_on_writable(connection->wsi);
        return 0;
    }
    qd_admin_answer_clear(&connection->answer);
    return connection->closes || lws_http_transaction_completed(connection->wsi) != 0 ? -1 : 0;
}

/* The headers are there. */
static int on_request(qd_admin *admin, qd_admin_connection *connection, const char *path, size_t size)
{
    qd_admin_request *request = &connection->request;
    char length[16];

    qd_admin_answer_clear(&connection->answer);
    *request = (qd_admin_request){.method = method_of(connection->wsi)};
    lws_get_peer_simple(connection->wsi, request->peer, sizeof request->peer);
    authenticate(admin, connection);
    if (size > QD_ADMIN_PATH_BYTES_MAX) {
        return refuse(connection, 414, "the path is too long; must have at most 1024 bytes. Use a shorter one");
    }
    memcpy(request->path, path, size);
    read_argument(connection->wsi, "after=", request->after);
    read_argument(connection->wsi, "limit=", request->limit);
    if (request->method != QD_ADMIN_PUT) {
        return answer(admin, connection);
    }
    if (lws_hdr_copy(connection->wsi, length, sizeof length, WSI_TOKEN_HTTP_CONTENT_LENGTH) <= 0) {
        return refuse(connection, 411, "the request has no Content-Length; must have one. Send it");
    }
    if (strtoul(length, NULL, 10) > QD_ADMIN_BODY_BYTES_MAX) {
        return refuse(connection, 413, "the body is too long; must have at most 1024 bytes. Send less");
    }
    return strtoul(length, NULL, 10) == 0 ? answer(admin, connection) : 0;
}

static int on_body(qd_admin_connection *connection, const char *bytes, size_t size)
{
    qd_admin_request *request = &connection->request;

    if (connection->answer.text != NULL) {
        return 0; /* refused already */
    }
    if (size > QD_ADMIN_BODY_BYTES_MAX - request->body_size) {
        return -1;
    }
    memcpy(request->body + request->body_size, bytes, size);
    request->body_size += size;
    return 0;
}

/* ---- the library ---- */

static int on_connection(qd_admin *admin, qd_admin_connection *connection, enum lws_callback_reasons reason,
                         const void *in, size_t size)
{
    switch (reason) {
    case LWS_CALLBACK_HTTP:
        return on_request(admin, connection, in, size);
    case LWS_CALLBACK_HTTP_BODY:
        return on_body(connection, in, size);
    case LWS_CALLBACK_HTTP_BODY_COMPLETION:
        return connection->answer.text == NULL ? answer(admin, connection) : 0;
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return write_piece(connection);
    case LWS_CALLBACK_WSI_DESTROY:
        drop(admin, connection->wsi);
        return 0;
    default:
        return 0;
    }
}

static int on_event(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size)
{
    qd_admin *admin = lws_context_user(lws_get_context(wsi));
    qd_admin_connection *connection;

    (void)user;
    switch (reason) {
    case LWS_CALLBACK_FILTER_NETWORK_CONNECTION:
        return accept_one(admin);
    case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED:
        add(admin, wsi);
        return 0;
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        return -1; /* no WebSocket, no HTTP/2 */
    default:
        connection = connection_of(admin, wsi);
        if (connection == NULL) {
            return reason == LWS_CALLBACK_HTTP ? -1 : 0;
        }
        return on_connection(admin, connection, reason, in, size);
    }
}

static void write_log(int level, const char *line)
{
    char text[200];

    snprintf(text, sizeof text, "%.*s", (int)strcspn(line, "\n"), line);
    (void)level;
    qd_log(QD_LOG_DEBUG, "the HTTP library of the admin server reports", QD_LOG_STRING("text", text));
}

bool qd_admin_http_open(qd_admin *admin, char *error, size_t error_size)
{
    static const struct lws_protocols protocols[] = {{.name = "http", .callback = on_event}, {.name = NULL}};
    const char *host = strcmp(admin->config.host, "localhost") == 0 ? "127.0.0.1" : admin->config.host;
    const bool is_v6 = strchr(host, ':') != NULL;
    const struct lws_context_creation_info info = {
        .port = admin->config.port,
        .iface = host,
        .protocols = protocols,
        .server_string = "quadrille",
        .timeout_secs = REQUEST_SECONDS,
        .timeout_secs_ah_idle = REQUEST_SECONDS,
        .keepalive_timeout = IDLE_SECONDS,
        .max_http_header_data = HEADER_BYTES_MAX,
        .max_http_header_pool = QD_ADMIN_CONNECTIONS_END,
        .pt_serv_buf_size = PIECE_BYTES,
        .fd_limit_per_thread = QD_ADMIN_CONNECTIONS_END + FILES_AROUND,
        .count_threads = 1,
        .options = LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND |
                   LWS_SERVER_OPTION_HTTP_HEADERS_SECURITY_BEST_PRACTICES_ENFORCE |
                   (is_v6 ? 0 : LWS_SERVER_OPTION_DISABLE_IPV6),
        .user = admin,
        .uid = -1,
        .gid = -1,
    };

    lws_set_log_level(LLL_ERR, write_log);
    admin->context = lws_create_context(&info);
    if (admin->context == NULL) {
        snprintf(error, error_size,
                 "--admin: cannot listen on %s:%u; must be a free address of this machine. Choose another",
                 admin->config.host, admin->config.port);
        return false;
    }
    admin->port = (uint16_t)lws_get_vhost_listen_port(lws_get_vhost_by_name(admin->context, "default"));
    return true;
}

void qd_admin_http_serve(qd_admin *admin)
{
    while (!atomic_load(&admin->ends)) {
        if (lws_service(admin->context, 0) < 0) {
            qd_log(QD_LOG_ERROR, "the admin server has failed");
            return;
        }
    }
}

void qd_admin_http_wake(qd_admin *admin)
{
    lws_cancel_service(admin->context);
}

void qd_admin_http_close(qd_admin *admin)
{
    lws_context_destroy(admin->context);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "top_api.h"

#include <libwebsockets.h>
#include <stdlib.h>
#include <string.h>

#define HOST_SIZE    256u
#define FAILURE_SIZE 200u
#define PIECE_BYTES  4096

struct qd_top_api {
    const char *address, *token;
    char host[HOST_SIZE]; /* of the address, without brackets */
    int port;
    struct lws_context *context;
    lws_sorted_usec_list_t deadline;

    /* the request that is carried out */
    bool done, complete;
    unsigned status;
    char failure[FAILURE_SIZE]; /* "": none */
    char *body;                 /* with a zero at its end; NULL: empty */
    size_t size;
};

static void fail_request(qd_top_api *api, const char *reason, size_t size)
{
    snprintf(api->failure, sizeof api->failure, "%.*s", (int)(size < FAILURE_SIZE ? size : FAILURE_SIZE), reason);
    api->done = true;
}

static void on_deadline(lws_sorted_usec_list_t *deadline)
{
    static const char reason[] = "no answer in time";

    fail_request(lws_container_of(deadline, qd_top_api, deadline), reason, sizeof reason - 1);
}

static int add_token(const qd_top_api *api, struct lws *wsi, unsigned char **at, size_t size)
{
    char value[sizeof "Bearer " + QD_TOKEN_BYTES_MAX];

    if (api->token == NULL) {
        return 0;
    }
    const int length = snprintf(value, sizeof value, "Bearer %s", api->token);
    return lws_add_http_header_by_name(wsi, (const unsigned char *)"authorization:", (unsigned char *)value, length, at,
                                       *at + size);
}

static int take(qd_top_api *api, const void *bytes, size_t size)
{
    static const char too_long[] = "too long an answer";
    char *body = size < QD_TOP_ANSWER_BYTES_MAX - api->size ? realloc(api->body, api->size + size + 1) : NULL;

    if (body == NULL) {
        fail_request(api, too_long, sizeof too_long - 1);
        return -1;
    }
    memcpy(body + api->size, bytes, size);
    api->size += size;
    body[api->size] = '\0';
    api->body = body;
    return 0;
}

static int read_piece(struct lws *wsi)
{
    char buffer[LWS_PRE + PIECE_BYTES], *at = buffer + LWS_PRE;
    int size = PIECE_BYTES;

    /* Calls back with RECEIVE_CLIENT_HTTP_READ. */
    return lws_http_client_read(wsi, &at, &size) < 0 ? -1 : 0;
}

static int on_event(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size)
{
    static const char no_reason[] = "no connection";
    qd_top_api *api = lws_context_user(lws_get_context(wsi));

    switch (reason) {
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
        fail_request(api, in != NULL ? in : no_reason, in != NULL ? size : sizeof no_reason - 1);
        return 0;
    case LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER:
        return add_token(api, wsi, in, size);
    case LWS_CALLBACK_ESTABLISHED_CLIENT_HTTP:
        api->status = lws_http_client_http_response(wsi);
        return 0;
    case LWS_CALLBACK_RECEIVE_CLIENT_HTTP:
        return read_piece(wsi);
    case LWS_CALLBACK_RECEIVE_CLIENT_HTTP_READ:
        return take(api, in, size);
    case LWS_CALLBACK_COMPLETED_CLIENT_HTTP:
        api->complete = true;
        return 0;
    case LWS_CALLBACK_CLOSED_CLIENT_HTTP:
        api->done = true;
        return 0;
    default:
        return lws_callback_http_dummy(wsi, reason, user, in, size);
    }
}

static const struct lws_protocols protocols[] = {{.name = "http", .callback = on_event}, {.name = NULL}};

/* Splits the address. */
static bool set_address(qd_top_api *api, const char *address)
{
    const char *colon = strrchr(address, ':');
    const bool bracketed = address[0] == '[' && colon != NULL && colon > address + 1 && colon[-1] == ']';
    uint64_t port;

    if (colon == NULL || !qd_options_uint64(colon + 1, &port) || port < 1 || port > 65535) {
        return false;
    }
    const char *start = address + (bracketed ? 1 : 0);
    const size_t size = (size_t)(colon - start) - (bracketed ? 1 : 0);
    if (size == 0 || size >= sizeof api->host || strcspn(start, bracketed ? "]/@?# " : ":[]/@?# ") != size) {
        return false;
    }
    memcpy(api->host, start, size);
    api->port = (int)port;
    return true;
}

qd_top_api *qd_top_api_create(const qd_cli *cli, const char *address, const char *token, int *status)
{
    qd_top_api *api = calloc(1, sizeof *api);

    *status = 1;
    if (api == NULL) {
        qd_cli_fail(cli, "out of memory");
        return NULL;
    }
    api->address = address;
    api->token = token != NULL && token[0] != '\0' ? token : NULL;
    if (api->token != NULL &&
        (strlen(api->token) > QD_TOKEN_BYTES_MAX || strcspn(api->token, " \r\n") != strlen(api->token))) {
        *status = qd_options_misuse(cli->program,
                                    "QUADRILLE_ADMIN_TOKEN is no token; must have at most %u bytes and no spaces",
                                    QD_TOKEN_BYTES_MAX);
        free(api);
        return NULL;
    }
    if (!set_address(api, address)) {
        *status = qd_options_misuse(
            cli->program, "--admin is %.80s; must be HOST:PORT or [IPV6]:PORT, with a port from 1 to 65535", address);
        free(api);
        return NULL;
    }
    /* libwebsockets would send the token to the proxy. */
    unsetenv("http_proxy");
    lws_set_log_level(0, NULL);
    const struct lws_context_creation_info info = {.port = CONTEXT_PORT_NO_LISTEN,
                                                   .protocols = protocols,
                                                   .user = api,
                                                   .fd_limit_per_thread = 16,
                                                   .uid = (uid_t)-1,
                                                   .gid = (gid_t)-1};
    api->context = lws_create_context(&info);
    if (api->context == NULL) {
        qd_cli_fail(cli, "out of memory");
        free(api);
        return NULL;
    }
    return api;
}

void qd_top_api_destroy(qd_top_api *api)
{
    if (api != NULL) {
        lws_context_destroy(api->context);
        free(api->body);
        free(api);
    }
}

static void request(qd_top_api *api, const char *path)
{
    static const char no_connection[] = "no connection";
    const struct lws_client_connect_info info = {.context = api->context,
                                                 .address = api->host,
                                                 .port = api->port,
                                                 .path = path,
                                                 .host = api->address,
                                                 .method = "GET",
                                                 .local_protocol_name = protocols[0].name,
                                                 .ssl_connection = LCCSCF_HTTP_NO_FOLLOW_REDIRECT};

    api->done = api->complete = false;
    api->status = 0;
    api->failure[0] = '\0';
    free(api->body);
    api->body = NULL;
    api->size = 0;
    if (lws_client_connect_via_info(&info) == NULL && api->failure[0] == '\0') {
        fail_request(api, no_connection, sizeof no_connection - 1);
    }
    lws_sul_schedule(api->context, 0, &api->deadline, on_deadline, QD_CLI_TIMEOUT_MS * (lws_usec_t)LWS_US_PER_MS);
    while (!api->done && !qd_cli_stopped()) {
        lws_service(api->context, 0);
    }
    lws_sul_cancel(&api->deadline);
}

/* The first line of the answer. */
static int first_line(const qd_top_api *api)
{
    return api->body == NULL ? 0 : (int)strcspn(api->body, "\r\n");
}

static void explain(const qd_top_api *api, const char *path, char error[QD_TOP_ERROR_SIZE])
{
    const char *body = api->body != NULL ? api->body : "";

    if (api->status == 0) {
        snprintf(
            error, QD_TOP_ERROR_SIZE,
            "cannot reach the admin API at %s: %s. Start the server with --admin, and give --admin the address that "
            "it prints",
            api->address, api->failure[0] != '\0' ? api->failure : "the connection was closed");
    } else if (api->status == 401) {
        snprintf(error, QD_TOP_ERROR_SIZE,
                 "%s answers 401: %.*s. Set QUADRILLE_ADMIN_TOKEN to a token of the server's --admin-token-file",
                 api->address, first_line(api), body);
    } else if (api->status == 403 || api->status == 503) {
        snprintf(error, QD_TOP_ERROR_SIZE, "%s answers %u: %.*s", api->address, api->status, first_line(api), body);
    } else {
        snprintf(error, QD_TOP_ERROR_SIZE,
                 "%s answers %s with status %u and %s; must be the admin API of a Quadrille server. Give --admin the "
                 "address of the server's option --admin",
                 api->address, path, api->status, api->failure[0] != '\0' ? api->failure : "no JSON object");
    }
}

json_t *qd_top_api_get(qd_top_api *api, const char *path, char error[QD_TOP_ERROR_SIZE])
{
    json_t *value = NULL;

    error[0] = '\0';
    request(api, path);
    if (api->status == 200 && api->complete && api->body != NULL) {
        value = json_loadb(api->body, api->size, JSON_REJECT_DUPLICATES, NULL);
    }
    if (json_is_object(value)) {
        return value;
    }
    json_decref(value);
    if (!qd_cli_stopped()) {
        explain(api, path, error);
    }
    return NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "session.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#define FRAME_BYTES_DEFAULT (4u << 20) /* until the server names its limit */

const char *qd_outcome_text(qd_outcome outcome)
{
    switch (outcome) {
#define X(name, number, text)                                                                                          \
    case QD_OUTCOME_##name:                                                                                            \
        return text;
        QD_OUTCOMES(X)
#undef X
    }
    return "unknown outcome";
}

/* ---- time ---- */

uint64_t qd_session_system_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static uint64_t system_clock(void *context)
{
    (void)context;
    return qd_session_system_ms();
}

uint64_t qd_session_now(const qd_session *session)
{
    return session->options.clock(session->options.clock_context);
}

/* ---- creating ---- */

static void set_default(uint32_t *option, uint32_t value)
{
    *option = *option != 0 ? *option : value;
}

static void set_options(qd_session *session, const qd_session_options *given)
{
    qd_session_options *options = &session->options;

    /* The program may have been compiled with an older, shorter struct. */
    if (given != NULL) {
        memcpy(options, given, given->size < sizeof *options ? given->size : sizeof *options);
    }
    options->size = sizeof *options;
    set_default(&options->connect_ms, 5000);
    set_default(&options->ping_ms, 2000);
    set_default(&options->dead_ms, 6000);
    set_default(&options->backoff_ms, 100);
    set_default(&options->backoff_max_ms, 5000);
    options->backlog_bytes_max = options->backlog_bytes_max != 0 ? options->backlog_bytes_max : (size_t)64 << 20;
    options->clock = options->clock != NULL ? options->clock : system_clock;
    if (options->tls != NULL) {
        (void)qd_client_tls_acquire(options->tls);
    }
    session->random = options->seed;
    if (session->random == 0 && getrandom(&session->random, sizeof session->random, 0) < 0) {
        session->random = qd_session_now(session);
    }
}

static bool copy_strings(qd_session *session)
{
    const qd_session_options *options = &session->options;

    session->token = options->token != NULL ? qd_memory_string(options->token) : NULL;
    session->name = options->name != NULL ? qd_memory_string(options->name) : NULL;
    return (options->token == NULL) == (session->token == NULL) && (options->name == NULL) == (session->name == NULL);
}

qd_session *qd_session_create(const char *address, const qd_session_options *options,
                              const qd_session_handlers *handlers)
{
    qd_session *session;
    char host[QD_CLIENT_ADDRESS_BYTES_MAX];
    const char *port;

    if (strlen(address) >= sizeof session->address || !qd_client_split_address(address, host, &port)) {
        return NULL;
    }
    session = qd_memory_zeroed(1, sizeof *session);
    if (session == NULL) {
        return NULL;
    }
    strcpy(session->address, address);
    session->frame_bytes_max = FRAME_BYTES_DEFAULT;
    session->state = QD_SESSION_STATE_LOST; /* to be connected at once */
    qd_log_init(&session->log);
    bool has_link = qd_link_init(&session->link);
    set_options(session, options);
    if (handlers != NULL) {
        memcpy(&session->handlers, handlers,
               handlers->size < sizeof session->handlers ? handlers->size : sizeof session->handlers);
    }
    if (!copy_strings(session) || !has_link) {
        qd_session_destroy(session);
        return NULL;
    }
    return session;
}

/* The server need not keep a session that does not come back. */
static void say_goodbye(qd_session *session)
{
    for (const qd_room *room = session->rooms; room != NULL; room = room->next) {
        if (room->handle != 0) {
            qd_client_leave_room(session->client, room->handle);
        }
    }
    qd_link_send(&session->link, session->client);
}

void qd_session_destroy(qd_session *session)
{
    if (session == NULL) {
        return;
    }
    if (session->state == QD_SESSION_STATE_READY) {
        say_goodbye(session);
    }
    session->handlers = (qd_session_handlers){0};
    while (session->rooms != NULL) {
        qd_log_forget(session->rooms, QD_OUTCOME_ENDED);
        qd_room_destroy(session->rooms);
    }
    qd_link_deinit(&session->link);
    qd_client_destroy(session->client);
    qd_client_tls_destroy(session->options.tls);
    qd_memory_free(session->token);
    qd_memory_free(session->name);
    qd_memory_free(session);
}

void qd_session_fail(qd_session *session, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(session->problem, sizeof session->problem, format, arguments);
    va_end(arguments);
}

/* ---- reading ---- */

qd_session_state qd_session_state_now(const qd_session *session)
{
    return session->state;
}

const char *qd_session_problem(const qd_session *session)
{
    return session->problem;
}

uint64_t qd_session_connects(const qd_session *session)
{
    return session->connects;
}

uint64_t qd_session_resumes(const qd_session *session)
{
    return session->resumes;
}

uint64_t qd_session_number(const qd_session *session)
{
    return session->number;
}

/* ---- running ---- */

/* The shorter of two times; -1: without limit. */
static int shorter(int a, int b)
{
    if (a < 0 || b < 0) {
        return a < 0 ? b : a;
    }
    return a < b ? a : b;
}

qd_outcome qd_session_run(qd_session *session, int timeout_ms)
{
    uint64_t start = qd_session_system_ms();

    session->moved = false;
    for (;;) {
        qd_session_process(session);
        if (session->state == QD_SESSION_STATE_ENDED) {
            return QD_OUTCOME_ENDED;
        }
        if (session->moved) {
            return QD_OUTCOME_OK;
        }
        uint64_t passed = qd_session_system_ms() - start;
        if (timeout_ms >= 0 && passed >= (uint64_t)timeout_ms) {
            return QD_OUTCOME_TIMEOUT;
        }
        int left = timeout_ms < 0 ? -1 : timeout_ms - (int)passed;
        struct pollfd ready = {.fd = qd_session_fd(session), .events = POLLIN};
        if (poll(&ready, 1, shorter(left, qd_session_timeout(session))) < 0 && errno == EINTR) {
            return QD_OUTCOME_TIMEOUT;
        }
    }
}

static bool is_settled(const qd_session *session)
{
    for (const qd_room *room = session->rooms; room != NULL; room = room->next) {
        bool open = room->state != QD_ROOM_GONE && room->state != QD_ROOM_LEFT;

        if (open && (room->state != QD_ROOM_READY || qd_log_is_busy(room) || !qd_room_reports(room))) {
            return false;
        }
    }
    return session->state == QD_SESSION_STATE_READY;
}

qd_outcome qd_session_settle(qd_session *session, int timeout_ms)
{
    uint64_t start = qd_session_system_ms();

    while (!is_settled(session)) {
        uint64_t passed = qd_session_system_ms() - start;

        if (session->state == QD_SESSION_STATE_ENDED) {
            return QD_OUTCOME_ENDED;
        }
        if (timeout_ms >= 0 && passed >= (uint64_t)timeout_ms) {
            return QD_OUTCOME_TIMEOUT;
        }
        qd_session_run(session, timeout_ms < 0 ? -1 : timeout_ms - (int)passed);
    }
    return QD_OUTCOME_OK;
}

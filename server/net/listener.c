/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* accept4 */
#include "listener.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../base/log.h"

#define BACKLOG 1024

/* The most accepts in a row; then existing connections get their turn. */
#define ACCEPTS_IN_A_ROW_MAX 64u

/* The most refused connections that exist at once to send their reason; further ones are closed without it. */
#define REFUSALS_MAX 64u

/* Without descriptors every accept fails at once, so retrying without a pause would spin. */
#define STARVED_PAUSE_MS 100u

/* ---- binding ---- */

static void format_address(const struct sockaddr *address, socklen_t size, char *text, size_t text_size)
{
    char host[NI_MAXHOST], port[NI_MAXSERV];

    if (getnameinfo(address, size, host, sizeof host, port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
        snprintf(text, text_size, "unknown");
    } else {
        snprintf(text, text_size, address->sa_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
    }
}

static const char *explain(int error)
{
    switch (error) {
    case EADDRINUSE:
        return "the port is taken. Choose another --listen or stop the other process";
    case EACCES:
        return "not permitted: ports below 1024 need a privilege. Choose a higher port with --listen";
    case EADDRNOTAVAIL:
        return "this machine has no such address. Pass --listen one of its own, or 0.0.0.0 for all";
    default:
        return strerror(error);
    }
}

/* Returns a listening socket, or -1 and errno. */
static int listen_on(const struct addrinfo *address)
{
    int on = 1, off = 0;
    int fd = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (fd < 0) {
        return -1;
    }
    /* SO_REUSEADDR: a restart must not wait until the system forgets the old connections. IPV6_V6ONLY off: "::" means
     * every address, also of IPv4. */
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
        (address->ai_family != AF_INET6 || setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) == 0) &&
        bind(fd, address->ai_addr, address->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0) {
        return fd;
    }

    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

static uint16_t port_of(int fd)
{
    struct sockaddr_storage address = {0};
    socklen_t size = sizeof address;

    if (getsockname(fd, (struct sockaddr *)&address, &size) != 0) {
        return 0;
    }
    return ntohs(address.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&address)->sin6_port
                                               : ((struct sockaddr_in *)&address)->sin_port);
}

qd_status qd_listener_bind(qd_listener *listener, const char *host, uint16_t port, char *error, size_t error_size)
{
    const struct addrinfo hints = {.ai_flags = AI_PASSIVE | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM};
    const char *format = strchr(host, ':') ? "cannot listen on [%s]:%u: %s" : "cannot listen on %s:%u: %s";
    struct addrinfo *addresses;
    char service[8];

    snprintf(service, sizeof service, "%u", port);
    int failed = getaddrinfo(host, service, &hints, &addresses);
    if (failed != 0) {
        char text[160];

        snprintf(text, sizeof text, "unknown host (%s). Pass --listen an address or a name that resolves",
                 gai_strerror(failed));
        snprintf(error, error_size, format, host, port, text);
        return QD_ERR_NOT_FOUND;
    }
    /* A name may have addresses that this machine cannot use. If the port is taken, the next address is not tried. */
    listener->fd = -1;
    for (struct addrinfo *each = addresses; each && listener->fd < 0; each = each->ai_next) {
        listener->fd = listen_on(each);
        if (listener->fd < 0 && errno != EADDRNOTAVAIL && errno != EAFNOSUPPORT) {
            break;
        }
    }
    if (listener->fd < 0) {
        snprintf(error, error_size, format, host, port, explain(errno));
    }
    freeaddrinfo(addresses);
    if (listener->fd < 0) {
        return QD_ERR_SYSTEM;
    }
    listener->port = port_of(listener->fd);
    return QD_OK;
}

void qd_listener_unbind(qd_listener *listener)
{
    close(listener->fd);
}

/* ---- accepting ---- */

static void refuse(qd_listener *listener, int fd, qd_net_refusal reason)
{
    qd_loop *first = &listener->loops[0];

    if (first->refusals >= REFUSALS_MAX || qd_connection_refuse(first, fd, listener->refusals[reason]) != QD_OK) {
        close(fd);
    }
}

static void admit(qd_listener *listener, int fd, const struct sockaddr *address, socklen_t address_size)
{
    char peer[sizeof((qd_link *)0)->peer];

    format_address(address, address_size, peer, sizeof peer);
    if (qd_connections_count(listener->loops, listener->loop_count) >= listener->connections_max) {
        refuse(listener, fd, QD_NET_FULL);
        return;
    }
    qd_loop *loop = &listener->loops[listener->next];
    listener->next = (listener->next + 1) % listener->loop_count;
    if (qd_connection_start(loop, &listener->connection, fd, peer) != QD_OK) {
        qd_log(QD_LOG_WARN, "refusing a connection: the memory limit is reached", QD_LOG_PEER(peer));
        refuse(listener, fd, QD_NET_NO_MEMORY);
    }
}

static void on_readable(uv_poll_t *poll, int status, int events);

static void on_pause_over(uv_timer_t *pause)
{
    qd_listener *listener = pause->data;

    uv_poll_start(&listener->poll, UV_READABLE, on_readable);
}

static void pause_accepting(qd_listener *listener, int error)
{
    if (!listener->starved) {
        qd_log(QD_LOG_WARN, "cannot accept connections, retrying", QD_LOG_STRING("error", strerror(error)));
    }
    listener->starved = true;
    uv_poll_stop(&listener->poll);
    uv_timer_start(&listener->pause, on_pause_over, STARVED_PAUSE_MS, 0);
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    qd_listener *listener = poll->data;

    (void)status, (void)events; /* accept reports any error */
    for (uint32_t i = 0; i < ACCEPTS_IN_A_ROW_MAX; i++) {
        struct sockaddr_storage address;
        socklen_t size = sizeof address;
        int fd = accept4(listener->fd, (struct sockaddr *)&address, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);

        if (fd >= 0) {
            listener->starved = false;
            admit(listener, fd, (struct sockaddr *)&address, size);
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            return;
        } else if (errno != EINTR && errno != ECONNABORTED && errno != EPROTO) {
            pause_accepting(listener, errno);
            return;
        }
    }
}

/* ---- life ---- */

static void on_handle_closed(uv_handle_t *handle)
{
    qd_listener *listener = handle->data;

    if (--listener->handles_open > 0) {
        return;
    }
    close(listener->fd);
    qd_loop_unhold(&listener->loops[0]);
    uv_sem_post(&listener->closed);
}

static void close_now(qd_loop_request *request)
{
    qd_listener *listener = (qd_listener *)((char *)request - offsetof(qd_listener, close));

    uv_close((uv_handle_t *)&listener->poll, on_handle_closed);
    uv_close((uv_handle_t *)&listener->pause, on_handle_closed);
}

qd_status qd_listener_attach(qd_listener *listener)
{
    qd_loop *loop = &listener->loops[0];

    listener->next = 0;
    listener->starved = false;
    listener->close = (qd_loop_request){.run = close_now};
    atomic_init(&listener->close_asked, false);
    if (uv_sem_init(&listener->closed, 0) != 0) {
        return QD_ERR_SYSTEM;
    }
    if (uv_poll_init(&loop->uv, &listener->poll, listener->fd) != 0) {
        uv_sem_destroy(&listener->closed);
        return QD_ERR_SYSTEM;
    }
    uv_timer_init(&loop->uv, &listener->pause);
    listener->poll.data = listener->pause.data = listener;
    listener->handles_open = 2;
    uv_poll_start(&listener->poll, UV_READABLE, on_readable);
    qd_loop_hold(loop);
    return QD_OK;
}

void qd_listener_close(qd_listener *listener)
{
    if (!atomic_exchange(&listener->close_asked, true)) {
        qd_loop_post(&listener->loops[0], &listener->close);
    }
}

void qd_listener_wait_closed(qd_listener *listener)
{
    uv_sem_wait(&listener->closed);
    uv_sem_destroy(&listener->closed);
}

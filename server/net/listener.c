/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* accept4 */
#include "listener.h"

#include <errno.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../base/clock.h"
#include "../base/log.h"

#define BACKLOG 1024

/* The most accepts in a row; then existing connections get their turn. */
#define ACCEPTS_IN_A_ROW_MAX 8u

/* How long a refused connection is kept. If it were closed while the peer still sends, the system would answer with a
 * reset, which can destroy the reason before the peer reads it. */
#define REFUSED_NS 1000000000u

/* Of the longest silence: when TCP begins to probe, and how many probes a peer may leave unanswered. */
#define PROBES_BEGIN 3u
#define PROBES       3u

/* Without descriptors every accept fails at once, so retrying without a pause would spin. */
#define STARVED_PAUSE_MS 100u

/* How long loops have to close what was dropped for newer connections. */
#define BUSY_PAUSE_MS 1u

/* After accepts that were mostly refused. A peer that connects again at once costs little then. */
#define REFUSED_PAUSE_MS 1u

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

static void set(int fd, int level, int option, uint32_t value)
{
    int number = value < INT_MAX ? (int)value : INT_MAX;

    (void)setsockopt(fd, level, option, &number, sizeof number);
}

static uint32_t seconds(uint32_t ms)
{
    return ms < 1000 ? 1 : ms / 1000;
}

/* Accepted connections inherit these options, and also work without them.
 *
 * After a third of the longest silence, TCP probes the peer three times. TCP_USER_TIMEOUT ends a connection whose data
 * is not acknowledged. It also ends one whose peer does not read although it answers, so it leaves a slow reader the time
 * that it is allowed. */
static void set_inherited(int fd, const qd_socket_options *options)
{
    const uint32_t silence_ms = options->silence_ms_max;

    set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    if (silence_ms > 0) {
        const uint64_t silent = silence_ms / 6 * 5, unread = 2 * (uint64_t)options->unread_ms_max;

        set(fd, IPPROTO_TCP, TCP_KEEPIDLE, seconds(silence_ms / PROBES_BEGIN));
        set(fd, IPPROTO_TCP, TCP_KEEPINTVL, seconds(silence_ms / 5));
        set(fd, IPPROTO_TCP, TCP_KEEPCNT, PROBES);
        set(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, (uint32_t)(silent > unread ? silent : unread));
    }
    if (options->send_bytes > 0) {
        set(fd, SOL_SOCKET, SO_SNDBUF, options->send_bytes);
    }
    if (options->receive_bytes > 0) {
        set(fd, SOL_SOCKET, SO_RCVBUF, options->receive_bytes);
    }
}

/* What the system may use for a connection that inherits the options. */
static size_t system_bytes_of(int fd)
{
    static const int directions[] = {SO_RCVBUF, SO_SNDBUF};
    size_t bytes = 0;

    for (uint32_t i = 0; i < 2; i++) {
        int number = 0;
        socklen_t size = sizeof number;

        if (getsockopt(fd, SOL_SOCKET, directions[i], &number, &size) == 0 && number > 0) {
            bytes += (size_t)number;
        }
    }
    return bytes;
}

/* Returns a listening socket, or -1 and errno. */
static int listen_on(const struct addrinfo *address, const qd_socket_options *options)
{
    int on = 1, off = 0;
    int fd = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (fd < 0) {
        return -1;
    }
    set_inherited(fd, options);
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

static void has_socket(qd_listener *listener, const qd_socket_options *options)
{
    listener->port = port_of(listener->fd);
    const bool counts = options->send_bytes > 0 || options->receive_bytes > 0;
    listener->connection.system_bytes = counts ? system_bytes_of(listener->fd) : 0;
}

qd_status qd_listener_bind(qd_listener *listener, const char *host, uint16_t port, const qd_socket_options *options,
                           char *error, size_t error_size)
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
        listener->fd = listen_on(each, options);
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
    has_socket(listener, options);
    return QD_OK;
}

void qd_listener_adopt(qd_listener *listener, int fd, const qd_socket_options *options)
{
    listener->fd = fd;
    set_inherited(fd, options);
    has_socket(listener, options);
}

void qd_listener_unbind(qd_listener *listener)
{
    close(listener->fd);
}

/* ---- accepting ---- */

/* The peer gets a reset only if bytes are unread, so they are read first. */
static void close_refused(qd_refused *refused)
{
    uint8_t bytes[4096];

    if (refused->fd >= 0) {
        while (recv(refused->fd, bytes, sizeof bytes, MSG_DONTWAIT) == (ssize_t)sizeof bytes)
            ;
        close(refused->fd);
        refused->fd = -1;
    }
}

static qd_listener *listener_of(qd_loop_deadline *deadline)
{
    return (qd_listener *)((char *)deadline - offsetof(qd_listener, kept_deadline));
}

/* Closes those whose time is over, and sets the deadline for the rest. */
static void close_due(qd_loop_deadline *deadline)
{
    qd_listener *listener = listener_of(deadline);
    uint64_t now_ns = qd_clock_now_ns();

    for (uint32_t i = 0; i < QD_LISTENER_REFUSED_MAX; i++) {
        qd_refused *each = &listener->kept[(listener->kept_next + i) % QD_LISTENER_REFUSED_MAX];

        if (each->fd >= 0 && each->due_ns > now_ns) {
            qd_loop_deadline_set(listener->lobby, deadline, each->due_ns);
            return;
        }
        close_refused(each);
    }
}

static void count(const qd_listener *listener, qd_net_refusal reason)
{
    if (listener->refused) {
        listener->refused(listener->refused_context, reason);
    }
}

/* What the peer reads before the end. A peer that begins a handshake understands no frame, only an alert of TLS:
 * internal_error, which does not blame the peer. */
static bool send_refusal(const qd_listener *listener, int fd, qd_net_refusal reason)
{
    static const uint8_t alert[] = {0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x50};
    const qd_buffer *text = listener->refusals[reason];
    const bool is_tls = listener->connection.tls != NULL;

    /* A new socket takes these few bytes at once. */
    return (is_tls || text) &&
           send(fd, is_tls ? alert : text->bytes, is_tls ? sizeof alert : text->size, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0;
}

static void refuse(qd_listener *listener, int fd, qd_net_refusal reason)
{
    qd_refused *kept = &listener->kept[listener->kept_next];

    count(listener, reason);
    if (!send_refusal(listener, fd, reason) || shutdown(fd, SHUT_WR) != 0) {
        close(fd);
        return;
    }
    close_refused(kept);
    *kept = (qd_refused){.fd = fd, .due_ns = qd_clock_now_ns() + REFUSED_NS};
    listener->kept_next = (listener->kept_next + 1) % QD_LISTENER_REFUSED_MAX;
    if (!listener->kept_deadline.next) {
        qd_loop_deadline_set(listener->lobby, &listener->kept_deadline, kept->due_ns);
    }
}

/* It said nothing, and a newer connection has its place. */
static void drop(qd_listener *listener, qd_link *link)
{
    count(listener, QD_NET_SILENT);
    if (listener->refusals[QD_NET_SILENT]) {
        (void)qd_link_send(link, &listener->refusals[QD_NET_SILENT], 1, QD_LINK_REPLY);
    }
    qd_link_close(link, 0);
    qd_link_release(link);
}

/* Returns whether the connection is admitted. */
static bool admit(qd_listener *listener, int fd, const struct sockaddr *address, socklen_t address_size)
{
    const qd_address_key key = qd_address_key_of(address);
    qd_net_refusal refusal = qd_admission_check(listener->connection.admission, key, qd_clock_now_ns());
    char peer[sizeof((qd_link *)0)->peer];
    qd_link *dropped = NULL;

    if (refusal != QD_NET_REFUSALS) {
        refuse(listener, fd, refusal);
        return false;
    }
    format_address(address, address_size, peer, sizeof peer);
    const bool started = qd_connection_start(listener->lobby, &listener->connection, fd, peer, key, &dropped) == QD_OK;
    if (!started) {
        qd_log(QD_LOG_WARN, "refusing a connection: the memory limit is reached", QD_LOG_PEER(peer));
        refuse(listener, fd, QD_NET_NO_MEMORY);
    }
    if (dropped) {
        drop(listener, dropped);
    }
    return started;
}

static void on_readable(uv_poll_t *poll, int status, int events);

static void on_pause_over(uv_timer_t *pause)
{
    qd_listener *listener = pause->data;

    uv_poll_start(&listener->poll, UV_READABLE, on_readable);
}

static void pause_accepting(qd_listener *listener, uint32_t ms)
{
    uv_poll_stop(&listener->poll);
    uv_update_time(listener->pause.loop); /* the loop's clock may be so old that the pause is over */
    uv_timer_start(&listener->pause, on_pause_over, ms, 0);
}

static void starve(qd_listener *listener, int error)
{
    if (!listener->starved) {
        qd_log(QD_LOG_WARN, "cannot accept connections, retrying", QD_LOG_STRING("error", strerror(error)));
    }
    listener->starved = true;
    pause_accepting(listener, STARVED_PAUSE_MS);
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    qd_listener *listener = poll->data;
    uint32_t accepted = 0, refused = 0;

    (void)status, (void)events; /* accept reports any error */
    for (uint32_t i = 0; i < ACCEPTS_IN_A_ROW_MAX; i++) {
        struct sockaddr_storage address;
        socklen_t size = sizeof address;

        if (qd_admission_is_busy(listener->connection.admission)) {
            pause_accepting(listener, BUSY_PAUSE_MS);
            return;
        }
        int fd = accept4(listener->fd, (struct sockaddr *)&address, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);

        if (fd >= 0) {
            listener->starved = false;
            accepted++;
            refused += !admit(listener, fd, (struct sockaddr *)&address, size);
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            break;
        } else if (errno != EINTR && errno != ECONNABORTED && errno != EPROTO) {
            starve(listener, errno);
            return;
        }
    }
    if (refused > accepted / 2) {
        pause_accepting(listener, REFUSED_PAUSE_MS);
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
    qd_loop_unhold(listener->lobby);
    uv_sem_post(&listener->closed);
}

static void close_now(qd_loop_request *request)
{
    qd_listener *listener = (qd_listener *)((char *)request - offsetof(qd_listener, close));

    qd_loop_deadline_clear(&listener->kept_deadline);
    for (uint32_t i = 0; i < QD_LISTENER_REFUSED_MAX; i++) {
        close_refused(&listener->kept[i]);
    }
    uv_close((uv_handle_t *)&listener->poll, on_handle_closed);
    uv_close((uv_handle_t *)&listener->pause, on_handle_closed);
}

qd_status qd_listener_attach(qd_listener *listener)
{
    qd_loop *loop = listener->lobby;

    listener->kept_deadline = (qd_loop_deadline){.expire = close_due};
    for (uint32_t i = 0; i < QD_LISTENER_REFUSED_MAX; i++) {
        listener->kept[i].fd = -1;
    }
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
        qd_loop_post(listener->lobby, &listener->close);
    }
}

void qd_listener_wait_closed(qd_listener *listener)
{
    uv_sem_wait(&listener->closed);
    uv_sem_destroy(&listener->closed);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "link.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define RECEIVE_BYTES 65536u
/* Receives per call, so that a server that sends without pause does not block the caller. */
#define RECEIVES_MAX 16

bool qd_link_init(qd_link *link)
{
    *link = (qd_link){.fd = -1, .poll = epoll_create1(EPOLL_CLOEXEC)};
    return link->poll >= 0;
}

void qd_link_deinit(qd_link *link)
{
    qd_link_close(link);
    if (link->poll >= 0) {
        close(link->poll);
    }
}

/* What the descriptor waits for. */
static void wait_for(qd_link *link, int operation)
{
    struct epoll_event event = {.events = link->connecting ? EPOLLOUT : EPOLLIN | (link->blocked ? EPOLLOUT : 0u)};

    epoll_ctl(link->poll, operation, link->fd, &event);
}

static void close_fd(qd_link *link)
{
    if (link->fd >= 0) {
        close(link->fd);
    }
    link->fd = -1;
    link->connecting = link->blocked = false;
}

void qd_link_close(qd_link *link)
{
    close_fd(link);
    if (link->infos != NULL) {
        freeaddrinfo(link->infos);
    }
    link->infos = link->next = NULL;
}

/* Begins to connect to the next address that allows it. Returns 0, or the system's error number. */
static int try_next(qd_link *link, int fault)
{
    while (link->next != NULL) {
        const struct addrinfo *info = link->next;

        link->next = info->ai_next;
        link->fd = socket(info->ai_family, info->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, info->ai_protocol);
        if (link->fd < 0) {
            fault = errno;
            continue;
        }
        /* Requests are small, and the caller waits for their answers. A failure here only makes them slower. */
        setsockopt(link->fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
        if (connect(link->fd, info->ai_addr, info->ai_addrlen) == 0 || errno == EINPROGRESS || errno == EINTR) {
            link->connecting = true;
            wait_for(link, EPOLL_CTL_ADD);
            return 0;
        }
        fault = errno;
        close_fd(link);
    }
    return fault;
}

bool qd_link_open(qd_link *link, const char *address, const char **reason)
{
    char host[QD_CLIENT_ADDRESS_BYTES_MAX];
    const char *port;
    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};

    qd_link_close(link);
    if (!qd_client_split_address(address, host, &port)) {
        *reason = "not an address: must be HOST:PORT or [IPV6]:PORT, with a port from 1 to 65535";
        return false;
    }
    int unknown = getaddrinfo(host, port, &hints, &link->infos);
    if (unknown != 0) {
        link->infos = NULL;
        *reason = gai_strerror(unknown);
        return false;
    }
    link->next = link->infos;
    int fault = try_next(link, EHOSTUNREACH);
    if (fault != 0) {
        *reason = strerror(fault);
    }
    return fault == 0;
}

bool qd_link_connect(qd_link *link, const char **reason)
{
    struct pollfd ready = {.fd = link->fd, .events = POLLOUT};
    int fault = 0;
    socklen_t size = sizeof fault;

    if (poll(&ready, 1, 0) <= 0) {
        return true;
    }
    if (getsockopt(link->fd, SOL_SOCKET, SO_ERROR, &fault, &size) != 0) {
        fault = errno;
    }
    if (fault == 0) {
        link->connecting = false;
        wait_for(link, EPOLL_CTL_MOD);
        return true;
    }
    close_fd(link);
    fault = try_next(link, fault);
    if (fault != 0) {
        *reason = strerror(fault);
    }
    return fault == 0;
}

bool qd_link_send(qd_link *link, qd_client *client)
{
    size_t size;
    const void *bytes;
    bool was_blocked = link->blocked;

    link->blocked = false;
    while ((bytes = qd_client_output(client, &size)) != NULL) {
        ssize_t sent = send(link->fd, bytes, size, MSG_NOSIGNAL);

        if (sent >= 0) {
            qd_client_sent(client, (size_t)sent);
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            link->blocked = true;
            break;
        } else if (errno != EINTR) {
            return false;
        }
    }
    if (link->blocked != was_blocked) {
        wait_for(link, EPOLL_CTL_MOD);
    }
    return true;
}

bool qd_link_receive(qd_link *link, qd_client *client, bool *any)
{
    uint8_t bytes[RECEIVE_BYTES];

    for (int i = 0; i < RECEIVES_MAX; i++) {
        ssize_t size = recv(link->fd, bytes, sizeof bytes, 0);

        if (size > 0) {
            *any = true;
            qd_client_input(client, bytes, (size_t)size);
        } else if (size == 0) {
            qd_client_input_end(client);
            return false;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            return true;
        } else if (errno != EINTR) {
            return false;
        }
        if (size > 0 && (size_t)size < sizeof bytes) {
            return true;
        }
    }
    return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "client.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define RECEIVE_BYTES 65536u
/* Receives per qd_client_poll, so that a server that sends without pause does not block the caller. */
#define RECEIVES_MAX 16

/* ---- time ---- */

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* A deadline; -1: never. */
static int64_t deadline_after(int timeout_ms)
{
    return timeout_ms < 0 ? -1 : now_ms() + timeout_ms;
}

/* Milliseconds left, as poll(2) wants them. */
static int left_ms(int64_t deadline_ms)
{
    if (deadline_ms < 0) {
        return -1;
    }
    int64_t left = deadline_ms - now_ms();
    return left > 0 ? (int)left : 0;
}

/* ---- sending and receiving ---- */

static void close_socket(qd_client *client)
{
    if (client->socket >= 0) {
        close(client->socket);
    }
    client->socket = -1;
}

/* Reads the received bytes. Returns whether there were any. */
static bool receive(qd_client *client)
{
    uint8_t bytes[RECEIVE_BYTES];
    bool any = false;

    for (int i = 0; i < RECEIVES_MAX && client->state >= 0; i++) {
        ssize_t size = recv(client->socket, bytes, sizeof bytes, 0);

        if (size > 0) {
            qd_client_input(client, bytes, (size_t)size);
            any = true;
        } else if (size == 0) {
            qd_client_input_end(client);
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            break;
        } else if (errno != EINTR) {
            qd_client_end(client, QD_CLIENT_ERR_CLOSED, "%s: %s%s%s", client->address, strerror(errno),
                          client->farewell[0] != '\0' ? ": " : "", client->farewell);
        }
        if (size > 0 && (size_t)size < sizeof bytes) {
            break;
        }
    }
    return any;
}

/* Sends as much as the system takes. */
static void send_output(qd_client *client)
{
    size_t size;
    const void *bytes;

    while (client->state >= 0 && (bytes = qd_client_output(client, &size)) != NULL) {
        ssize_t sent = send(client->socket, bytes, size, MSG_NOSIGNAL);

        if (sent >= 0) {
            qd_client_sent(client, (size_t)sent);
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            return;
        } else if (errno != EINTR) {
            /* The server has closed the connection. Its last messages give the reason. */
            int fault = errno;

            while (receive(client)) {
                continue;
            }
            qd_client_end(client, QD_CLIENT_ERR_CLOSED, "%s: %s", client->address, strerror(fault));
        }
    }
}

static bool output_waits(const qd_client *client)
{
    size_t size;

    return qd_client_output(client, &size) != NULL;
}

/* Sends and receives once, and waits for at most timeout_ms; *interrupted: a signal ended the wait. */
static qd_client_status exchange(qd_client *client, int timeout_ms, bool *interrupted)
{
    *interrupted = false;
    if (client->state < 0) {
        return client->state;
    }
    if (client->socket < 0) {
        return QD_CLIENT_ERR_CONNECT;
    }

    bool moved = output_waits(client);
    send_output(client);
    moved = moved && !output_waits(client);
    if (client->state >= 0) {
        short events = (short)(POLLIN | (output_waits(client) ? POLLOUT : 0));
        struct pollfd ready = {.fd = client->socket, .events = events};
        int count = poll(&ready, 1, moved ? 0 : timeout_ms);

        *interrupted = count < 0 && errno == EINTR;
        if (count > 0 && (ready.revents & ~POLLOUT) != 0) {
            moved = receive(client) || moved;
        }
        if (count > 0 && (ready.revents & POLLOUT) != 0) {
            send_output(client);
            moved = moved || !output_waits(client);
        }
    }
    if (client->state < 0) {
        close_socket(client);
        return client->state;
    }
    return moved ? QD_CLIENT_OK : QD_CLIENT_TIMEOUT;
}

qd_client_status qd_client_poll(qd_client *client, int timeout_ms)
{
    bool interrupted;

    return exchange(client, timeout_ms, &interrupted);
}

qd_client_status qd_client_flush(qd_client *client, int timeout_ms)
{
    int64_t deadline_ms = deadline_after(timeout_ms);

    while (client->state >= 0 && output_waits(client)) {
        int left = left_ms(deadline_ms);
        qd_client_status status = qd_client_poll(client, left);

        if (status < 0 || (status == QD_CLIENT_TIMEOUT && left == 0)) {
            return status;
        }
    }
    return client->state;
}

const qd_server_message *qd_client_wait(qd_client *client, int timeout_ms)
{
    int64_t deadline_ms = deadline_after(timeout_ms);

    for (;;) {
        const qd_server_message *message = qd_client_next(client);

        if (message != NULL || client->socket < 0) {
            return message;
        }
        int left = left_ms(deadline_ms);
        bool interrupted;
        if (exchange(client, left, &interrupted) == QD_CLIENT_TIMEOUT && (left == 0 || interrupted)) {
            return NULL;
        }
    }
}

const qd_server_message *qd_client_answer(qd_client *client, uint64_t seq, int timeout_ms)
{
    int64_t deadline_ms = deadline_after(timeout_ms);

    for (;;) {
        const qd_server_message *message = qd_client_take_answer(client, seq);

        if (message != NULL || seq == 0 || client->socket < 0) {
            return message;
        }
        int left = left_ms(deadline_ms);
        if (qd_client_poll(client, left) == QD_CLIENT_TIMEOUT && left == 0) {
            return NULL;
        }
    }
}

int qd_client_socket(const qd_client *client)
{
    return client->socket;
}

/* ---- connecting ---- */

bool qd_client_split_address(const char *address, char *host, const char **port)
{
    const char *colon = strrchr(address, ':');

    if (colon == NULL || colon == address || colon[1] == '\0') {
        return false;
    }
    size_t host_size = (size_t)(colon - address);
    bool bracketed = address[0] == '[' && colon[-1] == ']' && host_size > 2;
    if (bracketed) {
        address++;
        host_size -= 2;
    }
    memcpy(host, address, host_size);
    host[host_size] = '\0';
    *port = colon + 1;
    /* A colon outside brackets: in an IPv6 address, the port looks like its last group. */
    if ((!bracketed && strpbrk(host, "[]:") != NULL) || strspn(*port, "0123456789") != strlen(*port)) {
        return false;
    }
    long number = strlen(*port) <= 5 ? strtol(*port, NULL, 10) : 0;
    return number >= 1 && number <= UINT16_MAX;
}

/* Connects to one of the host's addresses; returns 0 or the system's error number. */
static int connect_to(qd_client *client, const struct addrinfo *info, int64_t deadline_ms)
{
    client->socket = socket(info->ai_family, info->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, info->ai_protocol);
    if (client->socket < 0) {
        return errno;
    }
    int fault = 0;
    if (connect(client->socket, info->ai_addr, info->ai_addrlen) != 0) {
        fault = errno;
    }
    while (fault == EINPROGRESS || fault == EINTR) {
        struct pollfd ready = {.fd = client->socket, .events = POLLOUT};
        int count = poll(&ready, 1, left_ms(deadline_ms));
        socklen_t fault_size = sizeof fault;

        if (count == 0) {
            fault = ETIMEDOUT;
        } else if (count < 0) {
            fault = errno;
        } else if (getsockopt(client->socket, SOL_SOCKET, SO_ERROR, &fault, &fault_size) != 0) {
            fault = errno;
        }
    }
    if (fault != 0) {
        close_socket(client);
        return fault;
    }
    /* Requests are small, and the caller waits for their answers. A failure here only makes them slower. */
    setsockopt(client->socket, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    return 0;
}

static qd_client_status open_socket(qd_client *client, int64_t deadline_ms)
{
    char host[QD_CLIENT_ADDRESS_BYTES_MAX];
    const char *port;

    if (!qd_client_split_address(client->address, host, &port)) {
        return qd_client_end(client, QD_CLIENT_ERR_ADDRESS,
                             "'%s' is not an address: must be HOST:PORT or [IPV6]:PORT, with a port from 1 to 65535",
                             client->address);
    }

    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *infos;
    int unknown = getaddrinfo(host, port, &hints, &infos);
    if (unknown != 0) {
        return qd_client_end(client, QD_CLIENT_ERR_ADDRESS, "%s: %s", client->address, gai_strerror(unknown));
    }

    int fault = 0;
    (void)qd_client_open_channel(client, host);
    for (const struct addrinfo *info = infos; info != NULL && client->socket < 0; info = info->ai_next) {
        fault = connect_to(client, info, deadline_ms);
    }
    freeaddrinfo(infos);
    if (client->socket < 0) {
        return qd_client_end(client, QD_CLIENT_ERR_CONNECT, "%s: %s%s", client->address, strerror(fault),
                             fault == ECONNREFUSED ? "; is quadrille-server running there?" : "");
    }
    return QD_CLIENT_OK;
}

qd_client_status qd_client_connect(qd_client *client, const char *address, const char *token, const char *name,
                                   int timeout_ms)
{
    int64_t deadline_ms = deadline_after(timeout_ms);

    if (client->state < 0) {
        return client->state;
    }
    if (strlen(address) >= sizeof client->address) {
        return qd_client_end(client, QD_CLIENT_ERR_ADDRESS, "the address has %zu bytes; must be fewer than %zu",
                             strlen(address), sizeof client->address);
    }
    strcpy(client->address, address);
    if (open_socket(client, deadline_ms) < 0) {
        return client->state;
    }

    uint64_t hello = qd_client_hello(client, token, name);
    const qd_server_message *message = qd_client_answer(client, hello, left_ms(deadline_ms));
    if (message != NULL && message->kind == QD_SERVER_ERROR) {
        qd_client_end(client, QD_CLIENT_ERR_REFUSED, "%s", client->last_error);
    } else if (!client->welcomed) {
        qd_client_end(client, QD_CLIENT_ERR_CONNECT, "%s: no answer within %d ms", address, timeout_ms);
    }
    if (client->state < 0) {
        close_socket(client);
    }
    return client->state;
}

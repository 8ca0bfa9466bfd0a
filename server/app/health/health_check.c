/* SPDX-License-Identifier: Apache-2.0 */
#include "health_check.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

/* For each of connecting, sending and receiving. */
#define STEP_SECONDS_MAX 2
#define ANSWER_BYTES_MAX 2048

static const char request[] = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
static const char good[] = "HTTP/1.1 200 ";

/* Linux connects to loopback for the address of all interfaces, too; the text is for errors. */
static const char *reachable(const char *host)
{
    return strcmp(host, "0.0.0.0") == 0 ? "127.0.0.1" : strcmp(host, "::") == 0 ? "::1" : host;
}

/* Returns the socket, or -1 with errno. */
static int connect_to(const struct addrinfo *address)
{
    const struct timeval step = {.tv_sec = STEP_SECONDS_MAX};
    const int file = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (file < 0) {
        return -1;
    }
    setsockopt(file, SOL_SOCKET, SO_SNDTIMEO, &step, sizeof step);
    setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &step, sizeof step);
    if (connect(file, address->ai_addr, address->ai_addrlen) != 0) {
        const int problem = errno == EINPROGRESS ? ETIMEDOUT : errno;

        close(file);
        errno = problem;
        return -1;
    }
    return file;
}

/* Reads until the server closes, or the answer is full. Returns the size, or -1 with errno. */
static ssize_t receive(int file, char *answer, size_t answer_size)
{
    size_t size = 0;
    ssize_t got;

    while (size < answer_size && (got = recv(file, answer + size, answer_size - size, 0)) != 0) {
        if (got < 0) {
            errno = errno == EAGAIN ? ETIMEDOUT : errno;
            return -1;
        }
        size += (size_t)got;
    }
    return (ssize_t)size;
}

/* Writes the answer as a string. False: there is none, with errno. */
static bool ask(const struct addrinfo *address, char answer[ANSWER_BYTES_MAX + 1])
{
    const int file = connect_to(address);
    ssize_t size = -1;

    if (file < 0) {
        return false;
    }
    if (send(file, request, sizeof request - 1, MSG_NOSIGNAL) == (ssize_t)(sizeof request - 1)) {
        size = receive(file, answer, ANSWER_BYTES_MAX);
    }
    const int problem = errno;
    close(file);
    errno = problem;
    answer[size < 0 ? 0 : size] = '\0';
    return size >= 0;
}

bool qd_health_check(const char *host, uint16_t port, char *error, size_t error_size)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    char answer[ANSWER_BYTES_MAX + 1], service[8];
    struct addrinfo *address;

    host = reachable(host);
    snprintf(service, sizeof service, "%u", port);
    const int problem = getaddrinfo(host, service, &hints, &address);
    if (problem != 0) {
        snprintf(error, error_size, "cannot find the address of --admin, %s: %s", host, gai_strerror(problem));
        return false;
    }
    const bool answered = ask(address, answer);
    freeaddrinfo(address);
    if (!answered) {
        snprintf(error, error_size, "no answer from the admin server at %s port %u: %s", host, port, strerror(errno));
        return false;
    }
    if (strncmp(answer, good, sizeof good - 1) != 0) {
        const char *body = strstr(answer, "\r\n\r\n");

        snprintf(error, error_size, "the server is not healthy: %.300s", body != NULL ? body + 4 : answer);
        error[strcspn(error, "\n")] = '\0';
        return false;
    }
    return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* memmem */

#include "hostile.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "proto/codec.h"
#include "session.h"
#include "usage.h"

/* A sanitizer's own memory is no server's. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED true
#else
#define SANITIZED false
#endif
#define CONNECT_MS  20000
#define PATIENCE_MS 200
#define FILES       8192
#define BATCH       5000u

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void hostile_raise_files(void)
{
    struct rlimit files;

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
    if (files.rlim_cur < FILES) {
        files.rlim_cur = files.rlim_max < FILES ? files.rlim_max : FILES;
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
    }
}

static char token_path[64];

static void remove_file(void)
{
    unlink(token_path);
}

const char *hostile_file(const char *content)
{
    if (token_path[0] == '\0') {
        snprintf(token_path, sizeof token_path, "/tmp/quadrille-tokens-%d", getpid());
        atexit(remove_file);
    }
    const int file = open(token_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(file >= 0);
    assert_int_equal(write(file, content, strlen(content)), strlen(content));
    close(file);
    return token_path;
}

/* ---- attackers ---- */

static struct sockaddr_in address_of(const char *text, uint16_t port)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(port)};
    char host[64];
    const char *colon = strrchr(text, ':');
    const size_t size = colon != NULL ? (size_t)(colon - text) : strlen(text);

    assert_true(size < sizeof host);
    memcpy(host, text, size);
    host[size] = '\0';
    if (colon != NULL) {
        at.sin_port = htons((uint16_t)atoi(colon + 1));
    }
    assert_int_equal(inet_pton(AF_INET, host, &at.sin_addr), 1);
    return at;
}

int hostile_connect(const char *address, const char *source, int socket_bytes)
{
    const struct sockaddr_in to = address_of(address, 0), from = address_of(source, 0);
    const int new = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int error = 0;

    assert_true(new >= 0);
    if (socket_bytes > 0) {
        setsockopt(new, SOL_SOCKET, SO_RCVBUF, &socket_bytes, sizeof socket_bytes);
        setsockopt(new, SOL_SOCKET, SO_SNDBUF, &socket_bytes, sizeof socket_bytes);
    }
    assert_int_equal(bind(new, (const struct sockaddr *)&from, sizeof from), 0);
    struct pollfd ready = {.fd = new, .events = POLLOUT};
    if ((connect(new, (const struct sockaddr *)&to, sizeof to) == 0 || errno == EINPROGRESS) &&
        poll(&ready, 1, CONNECT_MS) == 1 &&
        getsockopt(new, SOL_SOCKET, SO_ERROR, &error, &(socklen_t){sizeof error}) == 0 && error == 0) {
        return new;
    }
    close(new);
    return -1;
}

static size_t send_until(int socket, const void *bytes, size_t size, int patience_ms)
{
    struct pollfd ready = {.fd = socket, .events = POLLOUT};
    size_t done = 0;

    while (done < size && poll(&ready, 1, patience_ms) == 1) {
        const ssize_t sent = send(socket, (const uint8_t *)bytes + done, size - done, MSG_DONTWAIT | MSG_NOSIGNAL);

        if (sent < 0 && errno != EAGAIN) {
            break;
        }
        done += sent > 0 ? (size_t)sent : 0;
    }
    return done;
}

size_t hostile_send(int socket, const void *bytes, size_t size)
{
    return send_until(socket, bytes, size, PATIENCE_MS);
}

size_t hostile_try_send(int socket, const void *bytes, size_t size)
{
    return send_until(socket, bytes, size, 0);
}

void hostile_send_message(int socket, const qd_client_message *message)
{
    const size_t size = qd_client_message_size(message);
    uint8_t *bytes = malloc(size);

    assert_non_null(bytes);
    hostile_send(socket, bytes, qd_client_message_encode(message, bytes, size));
    free(bytes);
}

bool hostile_read(int socket, const char *word, int timeout_ms)
{
    const uint64_t end_ms = now_ms() + (uint64_t)timeout_ms;
    char bytes[4096];

    for (;;) {
        const uint64_t now = now_ms();
        struct pollfd ready = {.fd = socket, .events = POLLIN};

        if (now >= end_ms || poll(&ready, 1, (int)(end_ms - now)) != 1) {
            return false;
        }
        const ssize_t got = recv(socket, bytes, sizeof bytes, MSG_DONTWAIT);
        if (got == 0 || (got < 0 && errno != EAGAIN)) {
            return word == NULL;
        }
        if (word != NULL && got > 0 && memmem(bytes, (size_t)got, word, strlen(word)) != NULL) {
            return true;
        }
    }
}

/* Returns how many of a batch the room took. */
static uint32_t spawn_points(qd_client *client, uint64_t room, uint32_t first, uint32_t count)
{
    static uint32_t id[BATCH];
    static float x[BATCH], y[BATCH];

    for (uint32_t i = 0; i < count; i++) {
        id[i] = first + i;
        x[i] = (float)((first + i) % 1000);
        y[i] = (float)((first + i) / 1000 % 1000);
    }
    const qd_msg_entities points = {.count = count, .id = id, .x = x, .y = y};
    const uint64_t spawn = qd_client_spawn(client, room, &points, false), ping = qd_client_get_stats(client, room);
    uint32_t refused = 0;
    const qd_server_message *message;
    while ((message = qd_client_wait(client, DEADLINE_MS)) != NULL && message->seq != ping) {
        if (message->seq == spawn && message->kind == QD_SERVER_ACCEPTED) {
            refused += message->as.accepted.refused_count;
        } else if (message->seq == spawn && message->kind == QD_SERVER_ERROR) {
            refused = count;
        }
    }
    if (message == NULL) {
        fail_msg("the server ended the session that fills a room: %s", qd_client_error(client));
    }
    return count - refused;
}

uint32_t hostile_fill(qd_client *client, uint64_t room, uint32_t first, uint32_t most)
{
    uint32_t taken = 0;

    for (uint32_t size = BATCH; size > 0; size /= 10) {
        uint32_t took = size;

        while (took == size && taken < most) {
            took = spawn_points(client, room, first + taken, size);
            taken += took;
        }
    }
    return taken;
}

const qd_server_message *hostile_answer(qd_client *client, uint64_t seq)
{
    return qd_client_answer(client, seq, DEADLINE_MS);
}

/* ---- what it costs ---- */

uint64_t hostile_process_bytes(const qd_process *process, const char *field)
{
    uint64_t bytes;

    if (!usage_of_process(qd_process_id(process), field, &bytes)) {
        fail_msg("process %d has no %s; the server has ended", qd_process_id(process), field);
    }
    return bytes;
}

void hostile_expect_resident(const qd_process *server, uint64_t memory_max)
{
    const uint64_t most = hostile_process_bytes(server, "VmHWM");

    if (!SANITIZED && (double)most >= 1.15 * (double)memory_max) {
        fail_msg("the server's resident memory was %" PRIu64 " MiB; must be below 1.15 times --memory-max, %" PRIu64
                 " MiB",
                 most >> 20, memory_max >> 20);
    }
}

void hostile_expect_bounded(const qd_process *server, const char *address, uint64_t memory_max)
{
    const uint64_t resident = hostile_process_bytes(server, "VmRSS");
    uint64_t kernel;

    if (!usage_of_sockets(ntohs(address_of(address, 0).sin_port), &kernel)) {
        fprintf(stderr, "skipped: the kernel does not say what its sockets hold\n");
        skip();
    }
    if (!SANITIZED && (double)(resident + kernel) >= 1.15 * (double)memory_max) {
        fail_msg("the server has %" PRIu64 " MiB, and the kernel %" PRIu64
                 " MiB for its sockets; must be below 1.15 times %" PRIu64 " MiB together",
                 resident >> 20, kernel >> 20, memory_max >> 20);
    }
}

uint64_t hostile_memory_used(qd_client *client)
{
    return session_expect(client, qd_client_get_stats(client, 0), QD_SERVER_STATS)->as.stats.server.memory_bytes;
}

void hostile_expect_memory_returns(qd_client *client, uint64_t bytes, int timeout_ms)
{
    const uint64_t end_ms = now_ms() + (uint64_t)timeout_ms;
    uint64_t used;

    while ((used = hostile_memory_used(client)) > bytes) {
        if (now_ms() > end_ms) {
            fail_msg("the server still uses %" PRIu64 " bytes after %d ms; must be at most %" PRIu64, used, timeout_ms,
                     bytes);
        }
        nanosleep(&(struct timespec){0, 50000000}, NULL);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "proxy.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "rng.h"

#define CONNECTIONS_MAX 64
#define PIECE_BYTES     16384
#define LIFE_MS_MAX     40u
#define LIFE_BYTES_MAX  20000u
#define LINGER_MS_MAX   30u

enum { CLIENT, SERVER };

typedef enum cut { RESET, END, SILENCE, DELAY } cut;

typedef struct connection {
    bool used;
    int fds[2]; /* -1: closed */
    int64_t bytes_left;
    uint64_t end_ms;
    cut cut;
    bool silent;            /* it takes bytes and passes none on */
    uint64_t linger_ms;     /* when the connection to the server ends; 0: with the other */
    char held[PIECE_BYTES]; /* DELAY: the server gets these bytes then */
    size_t held_size;
} connection;

struct proxy {
    pthread_t thread;
    atomic_bool stops, cuts;
    _Atomic uint16_t target;
    _Atomic uint32_t cut_count;
    int listener;
    char address[32];
    rng_stream rng;
    connection connections[CONNECTIONS_MAX];
};

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void close_fd(int *fd, bool reset)
{
    if (*fd >= 0 && reset) {
        setsockopt(*fd, SOL_SOCKET, SO_LINGER, &(struct linger){.l_onoff = 1}, sizeof(struct linger));
    }
    if (*fd >= 0) {
        close(*fd);
    }
    *fd = -1;
}

static void close_connection(connection *one)
{
    close_fd(&one->fds[CLIENT], false);
    close_fd(&one->fds[SERVER], false);
    one->used = false;
}

/* Breaks it, for the client at once. */
static void break_connection(struct proxy *proxy, connection *one)
{
    atomic_fetch_add(&proxy->cut_count, 1);
    if (one->cut == SILENCE) {
        one->silent = true;
        return;
    }
    if (one->cut == DELAY && one->held_size == 0) {
        ssize_t size = recv(one->fds[CLIENT], one->held, sizeof one->held, MSG_DONTWAIT);

        one->held_size = size > 0 ? (size_t)size : 0;
    }
    close_fd(&one->fds[CLIENT], one->cut == RESET);
    if (one->cut != DELAY && rng_one_in(&proxy->rng, 2)) {
        close_fd(&one->fds[SERVER], one->cut == RESET);
        one->used = false;
    } else {
        one->linger_ms = now_ms() + 1 + rng_below(&proxy->rng, LINGER_MS_MAX);
    }
}

static void take_connection(struct proxy *proxy)
{
    int fd = accept(proxy->listener, NULL, NULL);
    connection *one = NULL;

    for (int i = 0; i < CONNECTIONS_MAX && one == NULL; i++) {
        one = proxy->connections[i].used ? NULL : &proxy->connections[i];
    }
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(atomic_load(&proxy->target)),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || one == NULL || connect(server, (struct sockaddr *)&to, sizeof to) != 0) {
        close_fd(&fd, false);
        close_fd(&server, false);
        return;
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    setsockopt(server, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    one->used = true;
    one->fds[CLIENT] = fd;
    one->fds[SERVER] = server;
    one->bytes_left = INT64_MAX;
    one->end_ms = UINT64_MAX;
    one->silent = false;
    one->linger_ms = one->held_size = 0;
    uint32_t kind = rng_below(&proxy->rng, 10);
    one->cut = kind == 0 ? SILENCE : kind < 4 ? RESET : kind < 7 ? END : DELAY;
    if (rng_one_in(&proxy->rng, 2)) {
        one->bytes_left = rng_below(&proxy->rng, LIFE_BYTES_MAX);
    } else {
        one->end_ms = now_ms() + rng_below(&proxy->rng, LIFE_MS_MAX);
    }
}

/* Passes on what has arrived at one side. */
static void pass_on(struct proxy *proxy, connection *one, int from)
{
    char piece[PIECE_BYTES];
    ssize_t size = recv(one->fds[from], piece, sizeof piece, MSG_DONTWAIT);

    if (size < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (size <= 0) {
        close_connection(one);
        return;
    }
    if (one->silent || one->fds[!from] < 0) {
        return;
    }
    bool ends = atomic_load(&proxy->cuts) && size > one->bytes_left;
    ssize_t passed = ends ? (ssize_t)one->bytes_left : size;
    one->bytes_left -= atomic_load(&proxy->cuts) ? passed : 0;
    for (ssize_t sent = 0; sent < passed;) {
        ssize_t part = send(one->fds[!from], piece + sent, (size_t)(passed - sent), MSG_NOSIGNAL);

        if (part < 0) {
            close_connection(one);
            return;
        }
        sent += part;
    }
    if (ends && from == CLIENT && one->cut == DELAY) {
        one->held_size = (size_t)(size - passed);
        memcpy(one->held, piece + passed, one->held_size);
    }
    if (ends) {
        break_connection(proxy, one);
    }
}

static void look_after(struct proxy *proxy, connection *one, uint64_t now)
{
    if (one->linger_ms != 0 && now >= one->linger_ms) {
        if (one->fds[SERVER] >= 0 && one->held_size > 0) {
            send(one->fds[SERVER], one->held, one->held_size, MSG_NOSIGNAL);
        }
        close_connection(one);
    } else if (one->linger_ms == 0 && !one->silent && now >= one->end_ms && atomic_load(&proxy->cuts)) {
        break_connection(proxy, one);
    }
}

static void *run(void *argument)
{
    struct proxy *proxy = argument;

    while (!atomic_load(&proxy->stops)) {
        struct pollfd ready[1 + 2 * CONNECTIONS_MAX] = {{.fd = proxy->listener, .events = POLLIN}};

        for (int i = 0; i < 2 * CONNECTIONS_MAX; i++) {
            const connection *one = &proxy->connections[i / 2];

            ready[1 + i] = (struct pollfd){.fd = one->used ? one->fds[i % 2] : -1, .events = POLLIN};
        }
        poll(ready, 1 + 2 * CONNECTIONS_MAX, 1);
        for (int i = 0; i < 2 * CONNECTIONS_MAX; i++) {
            connection *one = &proxy->connections[i / 2];

            if (one->used && ready[1 + i].revents != 0 && one->fds[i % 2] == ready[1 + i].fd) {
                pass_on(proxy, one, i % 2);
            }
        }
        if (ready[0].revents != 0) {
            take_connection(proxy);
        }
        uint64_t now = now_ms();
        for (int i = 0; i < CONNECTIONS_MAX; i++) {
            if (proxy->connections[i].used) {
                look_after(proxy, &proxy->connections[i], now);
            }
        }
    }
    for (int i = 0; i < CONNECTIONS_MAX; i++) {
        if (proxy->connections[i].used) {
            close_connection(&proxy->connections[i]);
        }
    }
    return NULL;
}

struct proxy *proxy_start(const char *target, uint64_t seed)
{
    struct proxy *proxy = calloc(1, sizeof *proxy);
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;

    assert_non_null(proxy);
    proxy->rng = (rng_stream){seed};
    atomic_store(&proxy->cuts, true);
    proxy_aim(proxy, target);
    proxy->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(proxy->listener, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(proxy->listener, 16), 0);
    assert_int_equal(getsockname(proxy->listener, (struct sockaddr *)&at, &size), 0);
    snprintf(proxy->address, sizeof proxy->address, "127.0.0.1:%u", ntohs(at.sin_port));
    assert_int_equal(pthread_create(&proxy->thread, NULL, run, proxy), 0);
    return proxy;
}

void proxy_stop(struct proxy *proxy)
{
    atomic_store(&proxy->stops, true);
    pthread_join(proxy->thread, NULL);
    close(proxy->listener);
    free(proxy);
}

const char *proxy_address(const struct proxy *proxy)
{
    return proxy->address;
}

void proxy_aim(struct proxy *proxy, const char *target)
{
    atomic_store(&proxy->target, (uint16_t)atoi(strrchr(target, ':') + 1));
}

uint32_t proxy_cuts(const struct proxy *proxy)
{
    return atomic_load(&proxy->cut_count);
}

void proxy_cut(struct proxy *proxy, bool cuts)
{
    atomic_store(&proxy->cuts, cuts);
}

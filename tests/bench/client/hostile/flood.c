/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE

#include "flood.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/client/program.h"
#include "proto/codec.h"

#define DISCARD     (1u << 20)
#define WAIT_NS_MAX UINT64_C(3000000000) /* for the server's end of a connection */

static uint8_t *more(uint8_t **bytes, size_t *size, size_t *capacity, size_t add)
{
    while (*size + add > *capacity) {
        *capacity = *capacity > 0 ? 2 * *capacity : 4096;
        *bytes = program_memory(*bytes, *capacity);
    }
    *size += add;
    return *bytes + *size - add;
}

void flood_frame(flood *to, const qd_client_message *message)
{
    const size_t size = qd_client_message_size(message);

    qd_client_message_encode(message, more(&to->bytes, &to->size, &to->capacity, size), size);
}

void churn_bytes(churn *to, const void *bytes, size_t size)
{
    memcpy(more(&to->bytes, &to->size, &to->capacity, size), bytes, size);
}

void churn_frame(churn *to, const qd_client_message *message)
{
    const size_t size = qd_client_message_size(message);

    qd_client_message_encode(message, more(&to->bytes, &to->size, &to->capacity, size), size);
}

static bool would_block(void)
{
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

/* Throws away what came, without copying it. False: the connection has ended. */
static bool discard(int socket)
{
    const ssize_t got = recv(socket, NULL, DISCARD, MSG_DONTWAIT | MSG_TRUNC);

    return got > 0 || (got < 0 && would_block());
}

static bool send_some(int socket, const uint8_t *bytes, size_t size, size_t *at)
{
    const ssize_t sent = send(socket, bytes + *at, size - *at, MSG_DONTWAIT | MSG_NOSIGNAL);

    if (sent < 0) {
        return would_block();
    }
    *at += (size_t)sent;
    return true;
}

/* ---- floods ---- */

static bool is_due(const flood *f, uint64_t now)
{
    return f->size > 0 && (f->period_ns == 0 || f->at % f->piece != 0 || now >= f->due_ns);
}

static bool flood_send(flood *f, uint64_t now)
{
    const bool starts_piece = f->period_ns > 0 && f->at % f->piece == 0;
    const size_t end = f->period_ns > 0 ? (f->at / f->piece + 1) * f->piece : f->size;

    if (starts_piece) {
        f->due_ns = (f->due_ns > 0 ? f->due_ns : now) + f->period_ns;
        f->due_ns = f->due_ns > now ? f->due_ns : now;
    }
    const bool lives = send_some(f->socket, f->bytes, end, &f->at);
    f->at = f->at == f->size ? 0 : f->at;
    return lives;
}

uint64_t flood_run(flood *floods, size_t count, int control)
{
    struct pollfd *ready = program_memory(NULL, (count + 1) * sizeof *ready);
    uint64_t ended = 0;

    for (;;) {
        uint64_t now = program_now_ns(), next = now + 1000000000u;

        if (ended == count) {
            program_die("the server closed all %zu connections of the load", count);
        }
        for (size_t i = 0; i < count; i++) {
            const flood *f = &floods[i];
            const bool due = is_due(f, now);

            ready[i] = (struct pollfd){.fd = f->socket, .events = (short)(POLLIN | (due ? POLLOUT : 0))};
            if (f->socket >= 0 && f->size > 0 && !due && f->due_ns < next) {
                next = f->due_ns;
            }
        }
        ready[count] = (struct pollfd){.fd = control, .events = POLLIN};
        const struct timespec wait = {(time_t)((next - now) / 1000000000u), (long)((next - now) % 1000000000u)};
        if (ppoll(ready, count + 1, &wait, NULL) < 0 && errno != EINTR) {
            program_die("ppoll: %s", strerror(errno));
        }
        if (ready[count].revents != 0) {
            free(ready);
            return ended;
        }
        now = program_now_ns();
        for (size_t i = 0; i < count; i++) {
            bool lives = true;

            if (ready[i].revents & (POLLIN | POLLHUP | POLLERR)) {
                lives = discard(floods[i].socket);
            }
            if (lives && ready[i].revents & POLLOUT) {
                lives = flood_send(&floods[i], now);
            }
            if (!lives) {
                floods[i].socket = -1; /* the client library owns it */
                ended++;
            }
        }
    }
}

/* ---- churn ---- */

static struct sockaddr_in resolve(const char *address)
{
    struct sockaddr_in to = {.sin_family = AF_INET};
    char host[64];
    const char *colon = strrchr(address, ':');

    if (colon == NULL || (size_t)(colon - address) >= sizeof host) {
        program_die("%s: not an address", address);
    }
    memcpy(host, address, (size_t)(colon - address));
    host[colon - address] = '\0';
    to.sin_port = htons((uint16_t)atoi(colon + 1));
    if (inet_pton(AF_INET, host, &to.sin_addr) != 1) {
        program_die("%s: not an IPv4 address", host);
    }
    return to;
}

static void churn_close(churn *slot)
{
    const struct linger at_once = {.l_onoff = 1};

    /* A reset, so that no port waits for its end. */
    setsockopt(slot->socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close(slot->socket);
    slot->socket = -1;
}

static void churn_open(churn *slot, const struct sockaddr_in *to, churn_fill *fill, uint64_t number)
{
    slot->socket = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (slot->socket < 0) {
        program_die("socket: %s", strerror(errno));
    }
    if (connect(slot->socket, (const struct sockaddr *)to, sizeof *to) != 0 && errno != EINPROGRESS) {
        churn_close(slot);
        return;
    }
    slot->size = slot->at = 0;
    slot->opened_ns = program_now_ns();
    fill(slot, number);
}

/* False: the connection is over. */
static bool churn_step(churn *slot, short events)
{
    if (events & (POLLERR | POLLHUP)) {
        return false;
    }
    if (events & POLLIN && (!discard(slot->socket) || slot->end == CHURN_ANSWER)) {
        return false;
    }
    if (events & POLLOUT && slot->at < slot->size) {
        if (!send_some(slot->socket, slot->bytes, slot->size, &slot->at)) {
            return false;
        }
        if (slot->at == slot->size && slot->end == CHURN_ABORT) {
            return false;
        }
        if (slot->at == slot->size && slot->end == CHURN_HALF_CLOSE) {
            shutdown(slot->socket, SHUT_WR);
        }
    }
    return program_now_ns() - slot->opened_ns < WAIT_NS_MAX;
}

uint64_t churn_run(churn *slots, size_t count, const char *address, churn_fill *fill, int control)
{
    const struct sockaddr_in to = resolve(address);
    struct pollfd *ready = program_memory(NULL, (count + 1) * sizeof *ready);
    uint64_t number = 0;

    for (size_t i = 0; i < count; i++) {
        slots[i].socket = -1;
    }
    for (;;) {
        for (size_t i = 0; i < count; i++) {
            if (slots[i].socket < 0) {
                churn_open(&slots[i], &to, fill, number++);
            }
            const bool wants = slots[i].at < slots[i].size;
            ready[i] = (struct pollfd){.fd = slots[i].socket, .events = (short)(POLLIN | (wants ? POLLOUT : 0))};
        }
        ready[count] = (struct pollfd){.fd = control, .events = POLLIN};
        if (poll(ready, count + 1, 10) < 0 && errno != EINTR) {
            program_die("poll: %s", strerror(errno));
        }
        if (ready[count].revents != 0) {
            free(ready);
            return number;
        }
        for (size_t i = 0; i < count; i++) {
            if (slots[i].socket >= 0 && !churn_step(&slots[i], ready[i].revents)) {
                churn_close(&slots[i]);
            }
        }
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "bench_raw.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

/* As in the server. */
#define READ_BYTES 262144u
#define BACKLOG    1024

/* The first bytes of a connection. */
typedef struct hello {
    uint32_t kind, request_bytes, answer_bytes, busy_us;
} hello;

typedef struct peer {
    uv_tcp_t tcp;
    struct peer *next_receiver;
    hello hello;
    uint32_t hello_bytes;
    uint64_t pending; /* bytes of an incomplete request */
} peer;

static struct {
    uv_loop_t loop;
    uv_tcp_t listener;
    peer *receivers;
    char *answer; /* as long as the longest answer */
    uint32_t answer_bytes;
    double rounds_per_us; /* of `compute`; 0: unknown yet */
    char bytes[READ_BYTES];
} self;

/* ---- in its own process ---- */

#define TRIAL_ROUNDS 100000u
#define TRIALS       20u

static void compute(uint64_t rounds)
{
    static volatile uint64_t result;
    uint64_t number = result;

    while (rounds-- > 0) {
        number = number * 6364136223846793005u + 1442695040888963407u;
    }
    result = number;
}

/* The fastest of some trials, because others may have been interrupted. */
static double rounds_per_us(void)
{
    uint64_t least_ns = UINT64_MAX;

    for (uint32_t trial = 0; trial < TRIALS; trial++) {
        uint64_t start_ns = uv_hrtime();

        compute(TRIAL_ROUNDS);
        uint64_t ns = uv_hrtime() - start_ns;
        least_ns = ns < least_ns ? ns : least_ns;
    }
    return TRIAL_ROUNDS * 1000.0 / (double)(least_ns > 0 ? least_ns : 1);
}

static void on_written(uv_write_t *write, int status)
{
    (void)status;
    free(write);
}

/* Writes all bytes. The rest that the socket does not take at once waits without a copy. */
static void write_bytes(peer *to, uint32_t size)
{
    uv_buf_t buffer = uv_buf_init(self.answer, size);
    int sent = uv_try_write((uv_stream_t *)&to->tcp, &buffer, 1);

    if (sent < 0 && sent != UV_EAGAIN) {
        return;
    }
    if (sent > 0) {
        buffer.base += sent;
        buffer.len -= (size_t)sent;
    }
    if (buffer.len == 0) {
        return;
    }
    uv_write_t *later = malloc(sizeof *later);
    if (later && uv_write(later, (uv_stream_t *)&to->tcp, &buffer, 1, on_written) != 0) {
        free(later);
    }
}

static void on_closed(uv_handle_t *handle)
{
    free(handle);
}

static void leave(peer *gone)
{
    for (peer **at = &self.receivers; *at; at = &(*at)->next_receiver) {
        if (*at == gone) {
            *at = gone->next_receiver;
            break;
        }
    }
    uv_close((uv_handle_t *)&gone->tcp, on_closed);
}

/* Returns false for an invalid hello. */
static bool begin(peer *from)
{
    if (from->hello.answer_bytes > self.answer_bytes) {
        char *longer = calloc(1, from->hello.answer_bytes);

        /* A pending write may still use the old answer, which is therefore not freed. */
        if (!longer) {
            return false;
        }
        self.answer = longer;
        self.answer_bytes = from->hello.answer_bytes;
    }
    if (from->hello.kind == QD_BENCH_RAW_RECEIVER) {
        from->next_receiver = self.receivers;
        self.receivers = from;
    }
    if (from->hello.busy_us > 0 && self.rounds_per_us == 0) {
        self.rounds_per_us = rounds_per_us();
    }
    write_bytes(from, 1);
    return from->hello.kind == QD_BENCH_RAW_SINK || from->hello.kind == QD_BENCH_RAW_RECEIVER ||
           from->hello.request_bytes > 0;
}

static void take(peer *from, size_t size)
{
    from->pending += size;
    if (from->hello.kind != QD_BENCH_RAW_ECHO && from->hello.kind != QD_BENCH_RAW_BROADCAST) {
        return;
    }
    for (; from->pending >= from->hello.request_bytes; from->pending -= from->hello.request_bytes) {
        compute((uint64_t)(from->hello.busy_us * self.rounds_per_us));
        if (from->hello.kind == QD_BENCH_RAW_ECHO) {
            write_bytes(from, from->hello.answer_bytes);
        }
        for (peer *to = self.receivers; to && from->hello.kind == QD_BENCH_RAW_BROADCAST; to = to->next_receiver) {
            write_bytes(to, from->hello.answer_bytes);
        }
    }
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
    (void)handle;
    (void)suggested;
    *buffer = uv_buf_init(self.bytes, sizeof self.bytes);
}

static void on_read(uv_stream_t *stream, ssize_t size, const uv_buf_t *buffer)
{
    peer *from = (peer *)stream;
    const char *bytes = buffer->base;

    if (size == UV_EOF && from->hello.kind == QD_BENCH_RAW_SINK) {
        write_bytes(from, 1);
    }
    if (size < 0) {
        leave(from);
        return;
    }
    if (from->hello_bytes < sizeof from->hello && size > 0) {
        size_t missing = sizeof from->hello - from->hello_bytes;
        size_t part = (size_t)size < missing ? (size_t)size : missing;

        memcpy((char *)&from->hello + from->hello_bytes, bytes, part);
        from->hello_bytes += (uint32_t)part;
        size -= (ssize_t)part;
        if (from->hello_bytes == sizeof from->hello && !begin(from)) {
            leave(from);
            return;
        }
    }
    take(from, (size_t)size);
}

static void on_connection(uv_stream_t *listener, int status)
{
    peer *from = status == 0 ? calloc(1, sizeof *from) : NULL;

    if (!from) {
        return;
    }
    uv_tcp_init(&self.loop, &from->tcp);
    if (uv_accept(listener, (uv_stream_t *)&from->tcp) != 0) {
        uv_close((uv_handle_t *)&from->tcp, on_closed);
        return;
    }
    uv_tcp_nodelay(&from->tcp, 1);
    uv_read_start((uv_stream_t *)&from->tcp, on_alloc, on_read);
}

static int serve(int socket_listening)
{
    self.answer_bytes = READ_BYTES;
    self.answer = calloc(1, READ_BYTES);
    if (!self.answer || uv_loop_init(&self.loop) != 0 || uv_tcp_init(&self.loop, &self.listener) != 0 ||
        uv_tcp_open(&self.listener, socket_listening) != 0 ||
        uv_listen((uv_stream_t *)&self.listener, BACKLOG, on_connection) != 0) {
        return 1;
    }
    return uv_run(&self.loop, UV_RUN_DEFAULT);
}

/* ---- in the bench ---- */

bool qd_bench_raw_start(qd_bench_raw *raw)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    *raw = (qd_bench_raw){0};
    if (listening < 0) {
        return false;
    }
    if (bind(listening, (struct sockaddr *)&address, sizeof address) == 0 && listen(listening, BACKLOG) == 0 &&
        getsockname(listening, (struct sockaddr *)&address, &size) == 0) {
        raw->port = ntohs(address.sin_port);
        raw->pid = fork();
    }
    if (raw->pid == 0 && raw->port != 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        signal(SIGPIPE, SIG_IGN);
        /* Ctrl-C reaches all processes; this one ends with its parent. */
        signal(SIGINT, SIG_IGN);
        _exit(serve(listening));
    }
    close(listening);
    return raw->pid > 0;
}

void qd_bench_raw_stop(qd_bench_raw *raw)
{
    if (raw->pid <= 0) {
        return;
    }
    kill(raw->pid, SIGKILL);
    waitpid(raw->pid, NULL, 0);
    raw->pid = 0;
}

static int connect_as(const qd_bench_raw *raw, hello first)
{
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons(raw->port)};
    char answer;
    int connected = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (connected < 0) {
        return -1;
    }
    setsockopt(connected, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    if (connect(connected, (const struct sockaddr *)&address, sizeof address) == 0 &&
        send(connected, &first, sizeof first, MSG_NOSIGNAL) == (ssize_t)sizeof first &&
        recv(connected, &answer, 1, 0) == 1) {
        return connected;
    }
    close(connected);
    return -1;
}

bool qd_bench_raw_send(int connected, const uint8_t *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        ssize_t sent = send(connected, bytes + at, size - at, MSG_NOSIGNAL);

        if (sent < 0 && errno != EINTR) {
            return false;
        }
        at += sent > 0 ? (size_t)sent : 0;
    }
    return true;
}

int qd_bench_raw_connect(const qd_bench_raw *raw, qd_bench_raw_kind kind, uint32_t request_bytes, uint32_t answer_bytes)
{
    return connect_as(raw, (hello){kind, request_bytes, answer_bytes, 0});
}

int qd_bench_raw_connect_broadcast(const qd_bench_raw *raw, uint32_t request_bytes, uint32_t answer_bytes,
                                   uint32_t busy_us)
{
    return connect_as(raw, (hello){QD_BENCH_RAW_BROADCAST, request_bytes, answer_bytes, busy_us});
}

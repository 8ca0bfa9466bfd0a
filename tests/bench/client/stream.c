/* SPDX-License-Identifier: Apache-2.0 */
#include "stream.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

#include "program.h"

#define READ_SIZE  65536u
#define TIMEOUT_MS 60000

void stream_open(stream *s, uint16_t port)
{
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int yes = 1;

    *s = (stream){.socket = socket(AF_INET, SOCK_STREAM, 0)};
    if (s->socket < 0 || connect(s->socket, (const struct sockaddr *)&address, sizeof address) != 0) {
        program_die("cannot connect to port %u: %s", port, strerror(errno));
    }
    setsockopt(s->socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

/* Makes room for `size` more bytes at the end. */
static void reserve(stream_bytes *b, size_t size)
{
    if (b->end + size <= b->capacity) {
        return;
    }
    if (b->first > 0) {
        memmove(b->at, b->at + b->first, b->end - b->first);
    }
    b->end -= b->first;
    b->first = 0;
    if (b->end + size > b->capacity) {
        b->capacity = 2 * (b->end + size);
        b->at = program_memory(b->at, b->capacity);
    }
}

char *stream_room(stream *s, size_t size)
{
    reserve(&s->out, size);
    s->out.end += size;
    return s->out.at + s->out.end - size;
}

void stream_put(stream *s, const void *bytes, size_t size)
{
    memcpy(stream_room(s, size), bytes, size);
}

/* Whether bytes moved. If not, the call would have blocked; a broken connection ends the program. */
static bool went(ssize_t moved, const char *what)
{
    if (moved == 0 || (moved < 0 && errno != EAGAIN && errno != EINTR)) {
        program_die("cannot %s: %s", what, moved == 0 ? "the server closed the connection" : strerror(errno));
    }
    return moved > 0;
}

void stream_push(stream *s)
{
    while (s->out.first < s->out.end) {
        const ssize_t sent =
            send(s->socket, s->out.at + s->out.first, s->out.end - s->out.first, MSG_DONTWAIT | MSG_NOSIGNAL);

        if (!went(sent, "send")) {
            return;
        }
        s->out.first += (size_t)sent;
    }
}

static void wait_for_more(stream *s)
{
    for (bool any = false; !any;) {
        stream_push(s);
        struct pollfd ready = {.fd = s->socket, .events = s->out.first < s->out.end ? POLLIN | POLLOUT : POLLIN};
        if (poll(&ready, 1, TIMEOUT_MS) == 0) {
            program_die("the server sent nothing for %d s", TIMEOUT_MS / 1000);
        }
        reserve(&s->in, READ_SIZE);
        const ssize_t got = recv(s->socket, s->in.at + s->in.end, s->in.capacity - s->in.end, MSG_DONTWAIT);
        any = went(got, "receive");
        s->in.end += any ? (size_t)got : 0;
    }
}

const char *stream_take(stream *s, size_t size)
{
    while (s->in.end - s->in.first < size) {
        wait_for_more(s);
    }
    s->in.first += size;
    return s->in.at + s->in.first - size;
}

const char *stream_take_line(stream *s)
{
    size_t searched = 0;

    for (;;) {
        const size_t there = s->in.end - s->in.first;
        char *end = there > searched ? memchr(s->in.at + s->in.first + searched, '\n', there - searched) : NULL;

        if (end != NULL) {
            char *line = s->in.at + s->in.first;

            s->in.first += (size_t)(end - line) + 1;
            end[end > line && end[-1] == '\r' ? -1 : 0] = '\0';
            return line;
        }
        searched = there;
        wait_for_more(s);
    }
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * The grid behind a WebSocket (peers/grid.mjs documents its messages). This is the client's half of RFC 6455, reduced to
 * binary messages in one frame each. A client must mask its messages; the mask is zero, which costs nothing.
 */
#include <stdio.h>
#include <string.h>

#include "peer.h"
#include "program.h"
#include "stream.h"

/* FIN and binary; a mask follows; a length of 16 bits or of 64. */
#define FRAME_BINARY 0x82
#define FRAME_MASKED 0x80
#define LENGTH_16    126
#define LENGTH_64    127

typedef struct websocket {
    const world *world;
    stream stream;
} websocket;

static bool knows(world_kind kind)
{
    return kind == WORLD_PAIRS;
}

static void shake_hands(websocket *ws)
{
    static const char request[] = "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                                  "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

    stream_put(&ws->stream, request, sizeof request - 1);
    const char *line = stream_take_line(&ws->stream);
    if (strncmp(line, "HTTP/1.1 101", 12) != 0) {
        program_die("no WebSocket: %s", line);
    }
    while (*line != '\0') {
        line = stream_take_line(&ws->stream);
    }
}

static void put_frame_head(websocket *ws, uint64_t size)
{
    char *head = stream_room(&ws->stream, 14);

    memset(head, 0, 14);
    head[0] = (char)FRAME_BINARY;
    head[1] = (char)(FRAME_MASKED | LENGTH_64);
    for (int i = 0; i < 8; i++) {
        head[9 - i] = (char)(size >> 8 * i);
    }
}

/* Returns the size of the message, which follows. */
static size_t take_frame_head(websocket *ws)
{
    const uint8_t *head = (const uint8_t *)stream_take(&ws->stream, 2);

    if (head[0] != FRAME_BINARY || head[1] > LENGTH_64) {
        program_die("the server sent a frame that is not a whole binary message");
    }
    const uint8_t kind = head[1];
    const int bytes = kind == LENGTH_64 ? 8 : kind == LENGTH_16 ? 2 : 0;
    const uint8_t *longer = (const uint8_t *)stream_take(&ws->stream, (size_t)bytes);
    size_t size = bytes == 0 ? kind : 0;
    for (int i = 0; i < bytes; i++) {
        size = size << 8 | longer[i];
    }
    return size;
}

static void send_step(void *state, uint32_t step)
{
    websocket *ws = state;
    const world *w = ws->world;
    const size_t column = w->points * sizeof(float);

    put_frame_head(ws, 3 * column);
    stream_put(&ws->stream, w->id, column);
    stream_put(&ws->stream, w->x[step % 2], column);
    stream_put(&ws->stream, w->y[step % 2], column);
    stream_push(&ws->stream);
}

static void finish(void *state, uint32_t step, sets *s)
{
    websocket *ws = state;
    const size_t size = take_frame_head(ws);
    const char *bytes = stream_take(&ws->stream, size);
    uint32_t ends, pair[2];

    (void)step;
    memcpy(&ends, bytes, sizeof ends);
    for (size_t at = sizeof ends; at < size; at += sizeof pair) {
        memcpy(pair, bytes + at, sizeof pair);
        if (at < sizeof ends + ends * sizeof pair) {
            sets_leave(s, world_key(pair[0], pair[1]));
        } else {
            sets_enter(s, world_key(pair[0], pair[1]));
        }
    }
}

static void *open_room(const world *w, uint16_t port, sets *s)
{
    websocket *ws = program_memory(NULL, sizeof *ws);

    *ws = (websocket){.world = w};
    stream_open(&ws->stream, port);
    shake_hands(ws);
    put_frame_head(ws, 2 * sizeof(float));
    stream_put(&ws->stream, &w->side, sizeof w->side);
    stream_put(&ws->stream, &w->half, sizeof w->half);
    send_step(ws, 0);
    finish(ws, 0, s);
    return ws;
}

const peer peer_websocket = {
    .name = "websocket", .knows = knows, .open = open_room, .send = send_step, .finish = finish};

/* SPDX-License-Identifier: Apache-2.0
 *
 * A TCP connection to a server on this machine. Waiting for input also sends output, so that neither side waits for the
 * other to read.
 */
#ifndef QD_BENCH_STREAM_H
#define QD_BENCH_STREAM_H

#include <stddef.h>
#include <stdint.h>

typedef struct stream_bytes {
    char *at;
    size_t first, end, capacity; /* from `first` to `end` */
} stream_bytes;

typedef struct stream {
    int socket;
    stream_bytes out, in;
} stream;

void stream_open(stream *s, uint16_t port);
/* Appends `size` bytes to the output, to be written by the caller before the next call. */
char *stream_room(stream *s, size_t size);
void stream_put(stream *s, const void *bytes, size_t size);
/* Sends as much as possible without waiting. */
void stream_push(stream *s);
/* Wait for `size` bytes or for a line, valid until the next call. A line ends with 0 instead of CR LF. */
const char *stream_take(stream *s, size_t size);
const char *stream_take_line(stream *s);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * A bounded queue of lines. It takes a line whole or not at all, and counts the lines that it had no room for.
 *
 * The caller holds the log's lock for each call [lock], and may read the bytes that it peeked at without the lock: they
 * stay until they are popped.
 */
#ifndef QD_BASE_LOG_RING_H
#define QD_BASE_LOG_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QD_LOG_RING_BYTES (256u << 10)

/* Zero to begin with. */
typedef struct qd_log_ring {
    size_t start, size;
    uint64_t dropped; /* lines that there was no room for, or that could not be written */
    char bytes[QD_LOG_RING_BYTES];
} qd_log_ring;

/* Appends a line, or counts it as dropped. */
bool qd_log_ring_push(qd_log_ring *ring, const char *line, size_t size);
/* Returns the size of the next piece to write; 0: the ring is empty. */
size_t qd_log_ring_peek(const qd_log_ring *ring, const char **bytes);
/* Removes bytes that are written. */
void qd_log_ring_pop(qd_log_ring *ring, size_t size);
/* Removes all, and counts the lines as dropped. */
void qd_log_ring_discard(qd_log_ring *ring);

#endif

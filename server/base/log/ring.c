/* SPDX-License-Identifier: Apache-2.0 */
#include "ring.h"

#include <string.h>

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

bool qd_log_ring_push(qd_log_ring *ring, const char *line, size_t size)
{
    if (size > QD_LOG_RING_BYTES - ring->size) {
        ring->dropped++;
        return false;
    }
    const size_t at = (ring->start + ring->size) % QD_LOG_RING_BYTES, first = least(size, QD_LOG_RING_BYTES - at);

    memcpy(ring->bytes + at, line, first);
    memcpy(ring->bytes, line + first, size - first);
    ring->size += size;
    return true;
}

size_t qd_log_ring_peek(const qd_log_ring *ring, const char **bytes)
{
    *bytes = ring->bytes + ring->start;
    return least(ring->size, QD_LOG_RING_BYTES - ring->start);
}

void qd_log_ring_pop(qd_log_ring *ring, size_t size)
{
    ring->start = (ring->start + size) % QD_LOG_RING_BYTES;
    ring->size -= size;
}

void qd_log_ring_discard(qd_log_ring *ring)
{
    for (const char *bytes; ring->size > 0;) {
        size_t size = qd_log_ring_peek(ring, &bytes);

        for (size_t i = 0; i < size; i++) {
            ring->dropped += bytes[i] == '\n';
        }
        qd_log_ring_pop(ring, size);
    }
}

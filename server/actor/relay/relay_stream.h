/* SPDX-License-Identifier: Apache-2.0
 *
 * The relay stream of one member: which slot each entity in its views has, and what the session knows of it. A slot
 * belongs to an entity from its first enter in any view of the member to its last leave. [run]
 */
#ifndef QD_ACTOR_RELAY_RELAY_STREAM_H
#define QD_ACTOR_RELAY_RELAY_STREAM_H

#include "../../base/memory/alloc.h"

typedef struct qd_relay_stream qd_relay_stream;

typedef struct qd_relay_precision {
    unsigned axes;
    bool is_exact; /* without blobs */
    int k;         /* of steps; 0 if exact */
} qd_relay_precision;

/* Positions for one frame. The arrays belong to the stream, and are valid until its next call. */
typedef struct qd_relay_part {
    const uint8_t *blob; /* NULL: none */
    size_t blob_size;
    uint32_t exact_count;
    const uint32_t *exact_slot;
    const float *exact_at[3];
    size_t bytes; /* of all that */
} qd_relay_part;

/* Where an entity is at the last tick. */
typedef struct qd_relay_places {
    void (*at)(const void *context, uint32_t id, float *at);
    const void *context;
} qd_relay_places;

/* The heap outlives the stream. NULL: there is no memory. */
qd_relay_stream *qd_relay_stream_create(qd_heap *heap, qd_relay_precision precision, uint64_t salt);
/* NULL is fine. */
void qd_relay_stream_destroy(qd_relay_stream *stream);
/* All slots are free. */
void qd_relay_stream_reset(qd_relay_stream *stream);
qd_relay_precision qd_relay_stream_precision(const qd_relay_stream *stream);
/* From now on, slots are given by phase for a tier with that period. */
void qd_relay_stream_every(qd_relay_stream *stream, uint32_t every);

/* An entity enters a view. *slot_and_1: the slot + 1 that it gets with that enter; 0: it has one already. Returns false
 * without memory; then only a reset helps. */
bool qd_relay_stream_enter(qd_relay_stream *stream, uint32_t id, const float *at, uint32_t *slot_and_1) QD_MUST_USE;
void qd_relay_stream_leave(qd_relay_stream *stream, uint32_t id);
/* A position is due of an entity that entered. Nothing is due if it is as it was sent last. */
void qd_relay_stream_due(qd_relay_stream *stream, uint32_t id, const float *at);

/* Begins to write what is due, with at most `bytes_max` bytes at this tick. Positions that earlier ticks left over come
 * first, and are as they are now. */
void qd_relay_stream_begin(qd_relay_stream *stream, size_t bytes_max, const qd_relay_places *places);
/* The next part, in at most `space` bytes. False: this tick has no more, or not in that space. */
bool qd_relay_stream_next(qd_relay_stream *stream, size_t space, qd_relay_part *part);
/* Whether positions are left, which may fit into another frame. */
bool qd_relay_stream_has_more(const qd_relay_stream *stream);
/* Ends the tick. Returns whether it leaves positions over, for the next one. */
bool qd_relay_stream_end(qd_relay_stream *stream);

#endif

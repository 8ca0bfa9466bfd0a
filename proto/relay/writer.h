/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes blobs of the relay stream (../RELAY.md). The bytes are the same on every processor.
 */
#ifndef QD_PROTO_RELAY_WRITER_H
#define QD_PROTO_RELAY_WRITER_H

#include "relay.h"

/* A blob names fewer slots than this, so that it fits into a frame. */
#define QD_RELAY_BLOB_SLOTS (UINT32_C(1) << 17)

/* What one call writes, and what it wrote. Words have one bit per slot of a group; the first slot has the lowest. */
typedef struct qd_relay_write {
    const float *at[QD_RELAY_AXES]; /* where the entities are, by slot: as long as the columns of the state */
    uint16_t *due;                  /* slots to send, a word per group. The call clears those that it has dealt with */
    uint32_t first;                 /* the slot to begin at, a multiple of QD_RELAY_GROUP below the state's count */
    size_t bytes_max;               /* the most bytes of the blob and of its exact entries */
    uint8_t *buffer;                /* qd_relay_buffer_size() bytes */
    uint32_t *exact;                /* room for QD_RELAY_BLOB_SLOTS, or for the state's count if that is less */

    uint8_t *blob; /* in the buffer */
    size_t size;
    uint32_t sent;        /* slots in the blob. 0: send no blob */
    uint32_t exact_count; /* slots to send as exact entries, ascending: their steps do not fit */
    uint32_t next;        /* where the next call begins, perhaps with `first`; the state's count: nothing is left */
} qd_relay_write;

/* The bytes that a buffer needs for blobs of a state with that count. */
size_t qd_relay_buffer_size(unsigned axes, uint32_t count);

/* The bytes of an exact entry, at most. */
size_t qd_relay_exact_bytes(unsigned axes);

/* Writes a blob with the slots that are due and whose position in steps has changed, from `first` up to
 * QD_RELAY_BLOB_SLOTS slots or bytes_max. The values of at[] must be finite; those of slots that are not due count for
 * nothing, but must be readable. */
void qd_relay_write_blob(qd_relay_state *state, qd_relay_write *write);

/* The same by the portable code (0), with AVX2 (1) or with AVX-512 (2); only tests and benchmarks choose. NULL: this
 * machine lacks that. */
typedef void qd_relay_writer(qd_relay_state *state, qd_relay_write *write);
qd_relay_writer *qd_relay_writer_at(unsigned index);

#endif

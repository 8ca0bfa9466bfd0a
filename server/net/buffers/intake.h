/* SPDX-License-Identifier: Apache-2.0
 *
 * An intake: cuts the bytes that arrive on a link into frames and delivers them to the handler one by one, as long as
 * the link may deliver. When a pause interrupts that, the intake holds the rest of the read until the link continues.
 *
 *     bytes --feed--> frame, frame --hold--> [ rest ] --continue--> frame, frame
 *
 * Part of a connection. [loop]
 */
#ifndef QD_NET_INTAKE_H
#define QD_NET_INTAKE_H

#include "../../../proto/framing.h"
#include "../../base/link.h"
#include "../../base/memory/alloc.h"

/* Memory of a frame of at most so many bytes belongs to no thread. */
#define QD_INTAKE_SHARED_BYTES 8192u

/* After so many bytes of frames, the link looks whether its turn is over. A frame counts as QD_INTAKE_FRAME_BYTES more
 * than it has. */
#define QD_INTAKE_CHECK_BYTES 8192u
#define QD_INTAKE_FRAME_BYTES 512u

/* Asked before each frame. */
typedef bool (*qd_intake_may_deliver_fn)(const qd_link *link);

typedef struct qd_intake {
    qd_link *link;
    const qd_link_handler *handler;
    qd_intake_may_deliver_fn may_deliver;
    qd_heap *heap; /* the loop's */
    qd_codec_memory reader_memory;
    qd_frame_reader reader;
    uint64_t frames;  /* delivered */
    size_t unchecked; /* bytes since the link set it to 0 */
    bool faulted;     /* the rest of the stream cannot be parsed */
    uint8_t *held;    /* the rest of a read that a pause interrupted, or NULL */
    size_t held_size, held_delivered;
} qd_intake;

/* The intake must not move: the reader points to its memory. */
void qd_intake_init(qd_intake *intake, qd_link *link, const qd_link_handler *handler,
                    qd_intake_may_deliver_fn may_deliver, qd_heap *heap, size_t frame_bytes_max);
void qd_intake_deinit(qd_intake *intake);
/* The link goes on on another thread, whose heap that is. Until then all its frames were short: at most
 * QD_INTAKE_SHARED_BYTES. */
void qd_intake_change_heap(qd_intake *intake, qd_heap *heap);
/* Applies from the next frame on. */
void qd_intake_frame_bytes_max(qd_intake *intake, size_t bytes_max);

/* Takes bytes that were read, while nothing is held. Returns how many of the last bytes are left because of a pause;
 * the caller holds them unless the link is closed. */
size_t qd_intake_feed(qd_intake *intake, const uint8_t *bytes, size_t size) QD_MUST_USE;
/* Copies the bytes, because other connections need the read buffer. */
void qd_intake_hold(qd_intake *intake, const uint8_t *bytes, size_t size);
/* Continues with the held bytes, if any. */
void qd_intake_continue(qd_intake *intake);
/* Whether bytes have arrived that are no whole frame, or were not delivered. The end of the link would cut them off. */
bool qd_intake_is_partial(const qd_intake *intake);
/* Parses no more of the stream, and reports that. */
void qd_intake_fault(qd_intake *intake, qd_link_fault what, uint64_t value);
/* Frees the held bytes. */
void qd_intake_drop(qd_intake *intake);
/* Whether the intake can take more bytes. */
bool qd_intake_is_open(const qd_intake *intake);

#endif

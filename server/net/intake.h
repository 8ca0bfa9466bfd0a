/* SPDX-License-Identifier: Apache-2.0
 *
 * An intake: from the bytes that come in on a link to frames for its handler, one by one, as long as the link may hand
 * any out. What a pause leaves of a read it holds until the link goes on.
 *
 *     bytes --take--> frame, frame --hold--> [ rest ] --go_on--> frame, frame
 *
 * Belongs to a connection. [loop]
 */
#ifndef QD_NET_INTAKE_H
#define QD_NET_INTAKE_H

#include "../../proto/framing.h"
#include "../base/alloc.h"
#include "../base/link.h"

/* Asked before each frame. */
typedef bool (*qd_intake_may_fn)(const qd_link *link);

typedef struct qd_intake {
    qd_link *link;
    const qd_link_handler *handler;
    qd_intake_may_fn may;
    qd_heap *heap; /* the loop's */
    qd_codec_memory reader_memory;
    qd_frame_reader reader;
    uint32_t frames; /* handed out; its connection sets it to 0 */
    bool faulted;    /* the stream cannot be read on */
    uint8_t *held;   /* what a pause left of a read, or NULL */
    size_t held_size, held_taken;
} qd_intake;

/* Stays where it is: the reader's memory leads back to it. */
void qd_intake_init(qd_intake *intake, qd_link *link, const qd_link_handler *handler, qd_intake_may_fn may,
                    qd_heap *heap, size_t frame_bytes_max);
void qd_intake_deinit(qd_intake *intake);
/* Of frames from the next one on. */
void qd_intake_frame_bytes_max(qd_intake *intake, size_t bytes_max);

/* Bytes that were read, while nothing is held. Returns how many of the last are left over, because of a pause: they are
 * to be held, unless the link is closed. */
size_t qd_intake_take(qd_intake *intake, const uint8_t *bytes, size_t size) QD_MUST_USE;
/* Copies them: the read buffer is needed for others. */
void qd_intake_hold(qd_intake *intake, const uint8_t *bytes, size_t size);
/* Goes on with what is held, if there is anything. */
void qd_intake_go_on(qd_intake *intake);
/* Whether something came that is no whole frame, or was not handed out: the end of the link cuts it off. */
bool qd_intake_is_within(const qd_intake *intake);
/* Forgets what is held. */
void qd_intake_drop(qd_intake *intake);
/* Whether it can take more. */
bool qd_intake_is_open(const qd_intake *intake);

#endif

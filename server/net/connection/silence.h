/* SPDX-License-Identifier: Apache-2.0
 *
 * Signs of life: finds peers that are gone, and frames that do not end. A sweep over the connections of a loop compares
 * the time of the last byte. While a connection does not read, its peer cannot be heard, so that time does not count.
 *
 *     last byte --a third of silence_ms--> QD_SIGN_SILENT --half of it, without a byte--> QD_SIGN_LOST
 *
 * The last sixth is for the sweep that notices it and for the last frames, so the connection is closed within silence_ms.
 *
 * Part of a connection. [loop]
 */
#ifndef QD_NET_SILENCE_H
#define QD_NET_SILENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a connection knows of its peer. Times are in ms. */
typedef struct qd_signs {
    uint64_t heard_ms;   /* the last byte */
    uint32_t silence_ms; /* see qd_link_watch; 0: it is not watched */
    bool asked;          /* QD_SIGN_SILENT was returned since the last byte */
    bool in_frame;       /* at the last sweep, the stream was within frame number `frame` */
    uint64_t frame;      /* frames before it */
    uint64_t frame_ms;   /* the sweep that saw it first, later by the time without reading */
} qd_signs;

/* The state of the stream at a sweep. */
typedef struct qd_stream_state {
    uint64_t now_ms;
    bool reading;
    bool in_frame;  /* a frame has begun and is not complete */
    uint64_t frame; /* complete frames before it */
    size_t arrived; /* bytes of it */
} qd_stream_state;

typedef enum qd_sign {
    QD_SIGN_FINE = 0,
    QD_SIGN_SILENT,     /* ask the peer for a sign of life */
    QD_SIGN_LOST,       /* it gave none */
    QD_SIGN_FRAME_SLOW, /* its frame does not end */
} qd_sign;

/* The time between two sweeps: a peer is lost at most that much late. */
uint32_t qd_silence_step_ms(uint32_t silence_ms_max);

/* Called at each sweep. A frame must arrive within two thirds of silence_ms_max, or at 1 KiB per second. */
qd_sign qd_silence_check(qd_signs *signs, uint32_t silence_ms_max, const qd_stream_state *stream);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * The relay stream sends each position once per session, in one or two bytes, to a precision that the session chose.
 * ../RELAY.md has the format and its words: slot, step, change, blob and exact entry. This header has what the two ends
 * share. Each end keeps a qd_relay_state, and both are equal after each blob and its exact entries.
 *
 * All functions may be called by any thread; a state belongs to one thread at a time.
 */
#ifndef QD_PROTO_RELAY_RELAY_H
#define QD_PROTO_RELAY_RELAY_H

#include <stddef.h>
#include <stdint.h>

#define QD_RELAY_VERSION 1u
#define QD_RELAY_AXES    3u
/* The precision k: a step is 2^-k of a unit. */
#define QD_RELAY_K_MIN (-8)
#define QD_RELAY_K_MAX 20
/* Slots are below this, so that a reader can bound its memory. */
#define QD_RELAY_SLOTS_MAX (UINT32_C(1) << 24)
/* Positions are below so many steps from the origin on each axis. Others need an exact entry. */
#define QD_RELAY_STEPS_MAX 0x1p30f
/* Slots share their widths in groups of so many. */
#define QD_RELAY_GROUP 16u
/* The zero bytes at the end of a blob. A reader may load 4 bytes at any bit of a value. */
#define QD_RELAY_TAIL 4u

/* The first byte of a blob: the version in bits 0 to 3, then these. */
#define QD_RELAY_PREDICTED  0x10u
#define QD_RELAY_KIND_SHIFT 5u
#define QD_RELAY_RESERVED   0x80u

/* How a blob names its slots. */
typedef enum qd_relay_kind {
    QD_RELAY_RUN = 0,
    QD_RELAY_BITMAP = 1,
    QD_RELAY_GAPS = 2,
    QD_RELAY_SPANS = 3,
} qd_relay_kind;

/* The bits of a value, by the code in a group's header. */
extern const uint8_t qd_relay_width[16];

/* What an end knows of each slot. The columns belong to the caller. They have `count` values, and memory for the next
 * multiple of QD_RELAY_GROUP. In two dimensions the third columns are NULL. */
typedef struct qd_relay_state {
    unsigned axes;                /* 2 or 3 */
    int k;                        /* QD_RELAY_K_MIN to QD_RELAY_K_MAX */
    uint32_t count;               /* slots below it may be in use; at most QD_RELAY_SLOTS_MAX */
    int32_t *at[QD_RELAY_AXES];   /* the position in steps */
    int32_t *last[QD_RELAY_AXES]; /* the change of `at` that was sent last */
} qd_relay_state;

/* Starts a slot below `count` at the exact position of an enter or of an exact entry. at[] has one value per axis. */
void qd_relay_start(qd_relay_state *state, uint32_t slot, const float *at);

/* Steps per unit. */
static inline float qd_relay_scale(int k)
{
    return k < 0 ? 1.0f / (float)(1 << -k) : (float)(1 << k);
}

/* The position of a slot on an axis. The float holds it exactly if a blob sent it. */
static inline float qd_relay_position(const qd_relay_state *state, unsigned axis, uint32_t slot)
{
    return (float)((double)state->at[axis][slot] * (double)qd_relay_scale(-state->k));
}

#endif

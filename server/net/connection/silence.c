/* SPDX-License-Identifier: Apache-2.0 */
#include "silence.h"

#define STEPS 30u

/* After its deadline, a frame must have arrived at this rate. */
#define FRAME_BYTES_PER_SECOND 1024u

uint32_t qd_silence_step_ms(uint32_t silence_ms_max)
{
    return silence_ms_max / STEPS + 1;
}

static qd_sign check_silence(qd_signs *signs, uint64_t silent_ms)
{
    if (signs->silence_ms == 0 || silent_ms < signs->silence_ms / 3) {
        signs->asked = false;
        return QD_SIGN_FINE;
    }
    if (silent_ms >= signs->silence_ms / 6 * 5) {
        return QD_SIGN_LOST;
    }
    qd_sign sign = signs->asked ? QD_SIGN_FINE : QD_SIGN_SILENT;
    signs->asked = true;
    return sign;
}

static qd_sign check_frame(qd_signs *signs, uint32_t deadline_ms, const qd_stream_state *stream)
{
    if (!stream->in_frame) {
        signs->in_frame = false;
        return QD_SIGN_FINE;
    }
    if (!signs->in_frame || signs->frame != stream->frame) {
        signs->in_frame = true;
        signs->frame = stream->frame;
        signs->frame_ms = stream->now_ms;
    }
    const uint64_t taken_ms = stream->now_ms - signs->frame_ms, silent_ms = stream->now_ms - signs->heard_ms;
    const bool slow =
        taken_ms >= deadline_ms && stream->arrived < (taken_ms - deadline_ms) * FRAME_BYTES_PER_SECOND / 1000;
    return slow || silent_ms >= deadline_ms ? QD_SIGN_FRAME_SLOW : QD_SIGN_FINE;
}

qd_sign qd_silence_check(qd_signs *signs, uint32_t silence_ms_max, const qd_stream_state *stream)
{
    if (!stream->reading) {
        signs->heard_ms = stream->now_ms;
        signs->frame_ms += qd_silence_step_ms(silence_ms_max);
        return QD_SIGN_FINE;
    }
    qd_sign sign = check_silence(signs, stream->now_ms - signs->heard_ms);
    return sign != QD_SIGN_FINE ? sign : check_frame(signs, silence_ms_max / 3 * 2, stream);
}

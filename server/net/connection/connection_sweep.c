/* SPDX-License-Identifier: Apache-2.0 */
#include "connection_sweep.h"

static void check_signs(qd_connection *connection)
{
    const qd_link_handler *handler = connection->config->handler;
    const qd_intake *intake = &connection->intake;
    const qd_stream_state stream = {
        .now_ms = uv_now(&connection->loop->uv),
        .reading = connection->reading,
        .in_frame = qd_intake_is_partial(intake),
        .frame = intake->frames,
        .arrived = qd_frame_reader_arrived(&intake->reader),
    };

    switch (qd_silence_check(&connection->signs, connection->config->silence_ms_max, &stream)) {
    case QD_SIGN_FINE:
        return;
    case QD_SIGN_SILENT:
        handler->silent(handler->context, &connection->link);
        return;
    case QD_SIGN_LOST:
        handler->lost(handler->context, &connection->link);
        return;
    case QD_SIGN_FRAME_SLOW:
        qd_intake_fault(&connection->intake, QD_LINK_FRAME_SLOW, stream.arrived);
    }
}

static void on_sweep(uv_timer_t *timer)
{
    qd_loop *loop = timer->data;
    qd_connection *each;

    if (LIST_EMPTY(&loop->connections)) {
        uv_timer_stop(timer);
    }
    LIST_FOREACH (each, &loop->connections, links) {
        if (each->state == QD_CONNECTION_OPEN && !qd_connection_is_close_asked(each)) {
            check_signs(each);
        }
    }
}

void qd_connection_sweep(qd_connection *connection)
{
    uv_timer_t *timer = &connection->loop->sweep;
    const uint32_t silence_ms_max = connection->config->silence_ms_max;
    const uint32_t step_ms = qd_silence_step_ms(silence_ms_max);

    connection->signs.heard_ms = uv_now(&connection->loop->uv);
    if (silence_ms_max > 0 && !uv_is_active((uv_handle_t *)timer)) {
        uv_timer_start(timer, on_sweep, step_ms, step_ms);
    }
}

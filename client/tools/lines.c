/* SPDX-License-Identifier: Apache-2.0 */
#include "lines.h"

#include <inttypes.h>
#include <math.h>

#define WAIT_MS 200

bool qd_lines_done(const qd_lines *lines)
{
    return (lines->count_max > 0 && lines->count >= lines->count_max) || ferror(stdout) != 0;
}

void qd_lines_notice(const qd_lines *lines, const char *kind, const char *name, uint64_t value)
{
    printf(lines->cli->json ? "{\"tick\": %" PRIu64 ", \"kind\": \"%s\"" : "%" PRIu64 " %s", lines->tick, kind);
    if (name != NULL) {
        printf(lines->cli->json ? ", \"%s\": %" PRIu64 : " %s %" PRIu64, name, value);
    }
    fputs(lines->cli->json ? "}\n" : "\n", stdout);
}

void qd_lines_suspended(const qd_lines *lines, qd_suspend_reason reason, uint64_t events)
{
    const bool json = lines->cli->json;

    printf(json ? "{\"tick\": %" PRIu64 ", \"kind\": \"suspended\"" : "%" PRIu64 " suspended", lines->tick);
    if (events > 0) {
        printf(json ? ", \"events\": %" PRIu64 : " events %" PRIu64, events);
    }
    printf(json ? ", \"reason\": \"%s\"}\n" : ": %s\n", qd_suspend_reason_name(reason));
}

/* Returns whether the stream continues. */
static bool take_message(const qd_lines *lines, const qd_server_message *message, qd_lines_fn take, void *context,
                         int *status)
{
    const bool is_named = lines->seq != 0 && message->seq == lines->seq;

    switch (message->kind) {
    case QD_SERVER_ROOM_CLOSED:
        fprintf(stderr, "%s: the room was closed\n", lines->cli->program);
        return false;
    case QD_SERVER_ERROR:
    case QD_SERVER_ACCEPTED:
        *status = qd_cli_fail_refusal(lines->cli, message, is_named ? lines->id : NULL, is_named ? lines->id_count : 0);
        return *status == 0;
    default:
        *status = take(message, context);
        return *status == 0;
    }
}

int qd_lines_follow(qd_lines *lines, qd_client *client, qd_lines_fn take, void *context)
{
    const uint64_t start_ns = qd_now_ns();
    int status = 0;

    qd_cli_catch_signals();
    while (!qd_cli_stopped() && !qd_lines_done(lines)) {
        double left_s = lines->seconds > 0 ? lines->seconds - (double)(qd_now_ns() - start_ns) / 1e9 : INFINITY;

        if (left_s <= 0) {
            break;
        }
        const qd_server_message *message = qd_client_next(client);
        if (message == NULL) {
            /* All received messages are printed: show them before waiting. */
            fflush(stdout);
            message = qd_client_wait(client, (int)fmin(WAIT_MS, ceil(left_s * 1000)));
        }
        if (message == NULL && qd_client_state(client) != QD_CLIENT_OK) {
            return qd_cli_fail_session(lines->cli, client);
        }
        if (message != NULL && !take_message(lines, message, take, context, &status)) {
            break;
        }
    }
    if (status == 0 && lines->count < lines->count_max && !qd_cli_stopped()) {
        status = qd_cli_fail(lines->cli, "only %" PRIu64 " of --count %u %s came", lines->count, lines->count_max,
                             lines->changes);
    }
    return status;
}

/* ---- views ---- */

typedef struct view_stream {
    qd_lines *lines;
    qd_view *view;
} view_stream;

static int take_view(const qd_server_message *message, void *context)
{
    const view_stream *stream = context;
    qd_lines *lines = stream->lines;

    if (message->kind != QD_SERVER_VIEW) {
        return 0;
    }
    const qd_msg_view *frame = &message->as.view;
    const bool is_reset = frame->reset || frame->reset_watchers;
    lines->tick = frame->tick;
    lines->is_reset = is_reset || frame->suspended;
    if (frame->suspended) {
        qd_lines_suspended(lines, frame->suspended_reason, 0);
    }
    if (frame->merged_ticks > 0) {
        qd_lines_notice(lines, "merged", "ticks", frame->merged_ticks);
    }
    if (is_reset) {
        qd_lines_notice(lines, "reset", NULL, 0);
    }
    if (qd_view_apply(stream->view, frame) == QD_CLIENT_OK) {
        return 0;
    }
    return qd_cli_fail(lines->cli, "the views of the room contradict each other, or memory is short");
}

int qd_lines_follow_view(qd_lines *lines, qd_client *client, qd_view *view)
{
    return qd_lines_follow(lines, client, take_view, &(view_stream){lines, view});
}

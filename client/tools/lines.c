/* SPDX-License-Identifier: Apache-2.0 */
#include "view_lines.h"

#include <inttypes.h>
#include <math.h>

#define WAIT_MS 200

bool qd_view_lines_done(const qd_view_lines *lines)
{
    return lines->count >= lines->count_max || ferror(stdout) != 0;
}

static void print_notice(const qd_view_lines *lines, const char *kind)
{
    printf(lines->json ? "{\"tick\": %" PRIu64 ", \"kind\": \"%s\"}\n" : "%" PRIu64 " %s\n", lines->tick, kind);
}

/* Returns 0, or the exit status of a failure, which is reported. */
static int print_view(qd_view_lines *lines, qd_view *view, const qd_msg_view *frame)
{
    lines->tick = frame->tick;
    lines->begins = frame->reset || frame->reset_watchers || frame->suspended;
    if (frame->suspended) {
        print_notice(lines, "suspended");
    }
    if (frame->merged_ticks > 0) {
        printf(lines->json ? "{\"tick\": %" PRIu64 ", \"kind\": \"merged\", \"ticks\": %" PRIu64 "}\n"
                           : "%" PRIu64 " merged ticks %" PRIu64 "\n",
               frame->tick, frame->merged_ticks);
    }
    if (frame->reset || frame->reset_watchers) {
        print_notice(lines, "reset");
    }
    if (qd_view_apply(view, frame) == QD_CLIENT_OK) {
        return 0;
    }
    return qd_cli_fail(lines->cli, "the views of the room contradict each other, or memory is short");
}

/* Returns whether the stream goes on. */
static bool print_message(qd_view_lines *lines, qd_view *view, const qd_server_message *message, int *status)
{
    switch (message->kind) {
    case QD_SERVER_VIEW:
        *status = print_view(lines, view, &message->as.view);
        return *status == 0;
    case QD_SERVER_ROOM_CLOSED:
        fprintf(stderr, "%s: the room was closed\n", lines->cli->program);
        return false;
    case QD_SERVER_ERROR:
        if (message->seq == lines->seq) {
            *status = qd_cli_fail_batch(lines->cli, &message->as.error, lines->id, lines->id_count);
        } else {
            *status = qd_cli_fail_error(lines->cli, &message->as.error);
        }
        return false;
    default:
        return true;
    }
}

int qd_view_lines_follow(qd_view_lines *lines, qd_client *client, qd_view *view)
{
    const uint64_t start_ns = qd_cli_now_ns();
    int status = 0;

    qd_cli_catch_signals();
    while (!qd_cli_stopped() && !qd_view_lines_done(lines)) {
        double left_s = lines->seconds > 0 ? lines->seconds - (double)(qd_cli_now_ns() - start_ns) / 1e9 : INFINITY;

        if (left_s <= 0) {
            break;
        }
        const qd_server_message *message = qd_client_next(client);
        if (message == NULL) {
            /* All that has come in is printed: show it before waiting. */
            fflush(stdout);
            message = qd_client_wait(client, (int)fmin(WAIT_MS, ceil(left_s * 1000)));
        }
        if (message == NULL && qd_client_state(client) != QD_CLIENT_OK) {
            return qd_cli_fail_session(lines->cli, client);
        }
        if (message != NULL && !print_message(lines, view, message, &status)) {
            break;
        }
    }
    if (status == 0 && lines->count_max < UINT64_MAX && lines->count < lines->count_max && !qd_cli_stopped()) {
        status = qd_cli_fail(lines->cli, "only %" PRIu64 " of --count %" PRIu64 " enters and leaves came", lines->count,
                             lines->count_max);
    }
    return status;
}

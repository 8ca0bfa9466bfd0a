/* SPDX-License-Identifier: Apache-2.0 */
#include "print_frames.h"

#include <inttypes.h>
#include <stdio.h>

#include "../../../proto/codec.h"
#include "../../base/bytes/byte_cursor.h"

/* Room names have no control characters. */
static void print_start(const qd_replay_room *room, uint64_t session, uint64_t tick, bool reset)
{
    fputs("{\"room\":\"", stdout);
    for (const char *at = room->name; *at != '\0'; at++) {
        if (*at == '"' || *at == '\\') {
            putchar('\\');
        }
        putchar(*at);
    }
    printf("\",\"session\":%" PRIu64 ",\"tick\":%" PRIu64 "%s", session, tick, reset ? ",\"reset\":true" : "");
}

static void print_pairs(const char *name, uint32_t count, const uint32_t *a, const uint32_t *b)
{
    if (count == 0) {
        return;
    }
    printf(",\"%s\":[", name);
    for (uint32_t i = 0; i < count; i++) {
        printf("%s[%" PRIu32 ",%" PRIu32 "]", i > 0 ? "," : "", a[i], b[i]);
    }
    putchar(']');
}

static void print_tick(const qd_replay_room *room, uint64_t session, const qd_msg_tick *tick)
{
    print_start(room, session, tick->tick, tick->reset);
    print_pairs("end", tick->ends.count, tick->ends.a, tick->ends.b);
    print_pairs("begin", tick->begins.count, tick->begins.a, tick->begins.b);
    print_pairs("passed", tick->passed.count, tick->passed.a, tick->passed.b);
    print_pairs("stay", tick->stays.count, tick->stays.a, tick->stays.b);
    puts("}");
}

static void print_view(const qd_replay_room *room, uint64_t session, const qd_msg_view *view)
{
    print_start(room, session, view->tick, view->reset);
    print_pairs("leave", view->leave_count, view->leave_observer, view->leave_id);
    print_pairs("enter", view->enter_count, view->enter_observer, view->enter.id);
    print_pairs("relay", view->relay_count, view->relay_observer, view->relay_id);
    puts("}");
}

void qd_print_frames(void *context, const qd_replay_room *room, uint64_t session, qd_buffer *const *frames,
                     size_t count)
{
    (void)context;
    for (size_t i = 0; i < count; i++) {
        qd_byte_cursor frame = qd_byte_cursor_of(frames[i]->bytes, frames[i]->size);
        const uint64_t size = qd_byte_cursor_number(&frame);
        qd_decoded_server decoded = {0};

        if (qd_decode_server(frame.at, (size_t)size, NULL, &decoded) == QD_DECODE_OK) {
            if (decoded.message.kind == QD_SERVER_TICK) {
                print_tick(room, session, &decoded.message.as.tick);
            } else if (decoded.message.kind == QD_SERVER_VIEW) {
                print_view(room, session, &decoded.message.as.view);
            }
        }
        qd_decoded_server_release(&decoded, NULL);
    }
}

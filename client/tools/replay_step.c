/* SPDX-License-Identifier: Apache-2.0
 *
 * Plays a trace by Step, with a few ticks in flight. Their answers come in the order in which they were sent:
 *
 *     batches, Step t ... batches, Step t + 3   ->  room
 *                       Tick frames of t, Applied t  <-
 *
 * Applied completes the tick. Then its events are written and compared.
 */
#include "check.h"
#include "replay.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* Ticks in flight. */
#define AHEAD 8u
/* A step may take long. */
#define STEP_TIMEOUT_MS 60000

typedef struct player {
    qd_replay *replay;
    FILE *file;
    qd_trace_cursor sending, checking;
    uint64_t sent, done; /* ticks */
    uint64_t step_seqs[AHEAD];
    qd_events events; /* of the tick being received, in the order of arrival */
    uint64_t begins_count, ends_count, passed_count;
    qd_check *check; /* NULL: unchecked */
    uint64_t ticks_different;
    char difference[240]; /* the first one */
} player;

/* The room's tick for the n-th tick of the file, from 0 on. */
static uint64_t room_tick(const player *play, uint64_t n)
{
    return play->replay->room.tick + 1 + n;
}

static uint64_t file_tick(const player *play, uint64_t n)
{
    return play->replay->trace->scenes[0].tick + n;
}

/* ---- sending ---- */

static bool send_tick(player *play)
{
    qd_replay *replay = play->replay;
    qd_trace_scene scene;

    if (!qd_trace_next(&play->sending, &scene) || !qd_replay_send(replay, &scene)) {
        return false;
    }
    uint64_t seq = qd_client_step(replay->client, replay->room.handle, room_tick(play, play->sent));
    if (seq == 0) {
        return qd_cli_fail_session(replay->cli, replay->client) == 0;
    }
    play->step_seqs[play->sent++ % AHEAD] = seq;
    return true;
}

/* ---- comparing and writing ---- */

static void describe(char *text, size_t size, const qd_event *event)
{
    if (event == NULL) {
        snprintf(text, size, "nothing more");
    } else if (event->kind != QD_EVENT_END) {
        snprintf(text, size, "%s of %u and %u", qd_event_kind_name(event->kind), event->a, event->b);
    } else {
        snprintf(text, size, "end of %u and %u (%s)", event->a, event->b, qd_end_reason_name(event->reason));
    }
}

static bool is_same(const qd_event *left, const qd_event *right)
{
    return left->kind == right->kind && left->a == right->a && left->b == right->b && left->reason == right->reason;
}

static void compare(player *play, const qd_events *expected)
{
    const qd_events *got = &play->events;
    size_t at = 0;

    while (at < got->count && at < expected->count && is_same(&got->items[at], &expected->items[at])) {
        at++;
    }
    if (at == got->count && at == expected->count) {
        return;
    }
    if (play->ticks_different++ > 0) {
        return;
    }
    char server[80], brute[80];
    describe(server, sizeof server, at < got->count ? &got->items[at] : NULL);
    describe(brute, sizeof brute, at < expected->count ? &expected->items[at] : NULL);
    snprintf(play->difference, sizeof play->difference,
             "tick %" PRIu64 ": the server reported %s, brute force expects %s", file_tick(play, play->done), server,
             brute);
}

static void write_events(const player *play)
{
    for (size_t i = 0; i < play->events.count; i++) {
        const qd_event *event = &play->events.items[i];

        fprintf(play->file, "%" PRIu64 ",%s,%u,%u,%s\n", file_tick(play, play->done), qd_event_kind_name(event->kind),
                event->a, event->b, event->kind == QD_EVENT_END ? qd_end_reason_name(event->reason) : "");
    }
}

/* ---- receiving ---- */

static bool take_pairs(player *play, qd_event_kind kind, const qd_msg_pairs *pairs, const uint8_t *end_reason)
{
    for (uint32_t i = 0; i < pairs->count; i++) {
        qd_event event = {.kind = kind, .a = pairs->a[i], .b = pairs->b[i]};

        if (end_reason != NULL) {
            event.reason = (qd_end_reason)end_reason[i];
        }
        if (!qd_events_add(&play->events, event)) {
            return qd_cli_fail(play->replay->cli, "out of memory") == 0;
        }
    }
    return true;
}

/* Takes one frame of a tick. It does not sort the events, because the check covers their order. */
static bool take_frame(player *play, const qd_msg_tick *tick)
{
    const qd_cli *cli = play->replay->cli;
    /* The stream starts with a reset of an empty room, at the tick before the first or at the first. */
    bool is_start = play->done == 0 && tick->reset;

    if (is_start && tick->tick == play->replay->room.tick && tick->begins.count == 0) {
        return true;
    }
    if (tick->tick != room_tick(play, play->done)) {
        return qd_cli_fail(cli, "events of the room's tick %" PRIu64 " came instead of tick %" PRIu64, tick->tick,
                           room_tick(play, play->done)) == 0;
    }
    if (tick->suspended) {
        return qd_cli_fail(cli, "tick %" PRIu64 " has more than %u events: raise events_max of the server",
                           file_tick(play, play->done), play->replay->room.config.events_max) == 0;
    }
    if (tick->reset && !is_start) {
        return qd_cli_fail(cli, "tick %" PRIu64 ": events are missing, because this program did not read in time",
                           file_tick(play, play->done)) == 0;
    }
    play->ends_count += tick->ends.count;
    play->begins_count += tick->begins.count;
    play->passed_count += tick->passed.count;
    return take_pairs(play, QD_EVENT_END, &tick->ends, tick->end_reason) &&
           take_pairs(play, QD_EVENT_BEGIN, &tick->begins, NULL) &&
           take_pairs(play, QD_EVENT_PASSED, &tick->passed, NULL);
}

/* The tick is complete. */
static bool finish_tick(player *play)
{
    if (play->check != NULL) {
        qd_trace_scene scene;

        qd_trace_next(&play->checking, &scene);
        const qd_events *expected = qd_check_tick(play->check, play->replay->trace->rows + scene.first, scene.count);
        if (expected == NULL) {
            return qd_cli_fail(play->replay->cli, "out of memory") == 0;
        }
        compare(play, expected);
    }
    if (play->file != NULL) {
        write_events(play);
    }
    play->events.count = 0;
    play->done++;
    return true;
}

static bool receive(player *play)
{
    qd_replay *replay = play->replay;
    const qd_server_message *message = qd_client_wait(replay->client, STEP_TIMEOUT_MS);

    if (message == NULL && qd_client_state(replay->client) == QD_CLIENT_OK) {
        return qd_cli_stopped() ||
               qd_cli_fail(replay->cli, "the room did not tick within %d s", STEP_TIMEOUT_MS / 1000) == 0;
    }
    if (message == NULL) {
        return qd_cli_fail_session(replay->cli, replay->client) == 0;
    }
    switch (message->kind) {
    case QD_SERVER_TICK:
        return take_frame(play, &message->as.tick);
    case QD_SERVER_APPLIED:
        /* Another Applied may cover requests before the Step. */
        return message->as.applied.seq != play->step_seqs[play->done % AHEAD] || finish_tick(play);
    default:
        return qd_replay_continues(replay, message);
    }
}

/* ---- the whole ---- */

static bool play_all(player *play)
{
    const uint64_t total = qd_trace_ticks(play->replay->trace);

    while (play->done < total) {
        while (play->sent < total && play->sent - play->done < AHEAD) {
            if (!send_tick(play)) {
                return false;
            }
        }
        if (!receive(play)) {
            return false;
        }
        if (qd_cli_stopped()) {
            return qd_cli_fail(play->replay->cli, "interrupted at tick %" PRIu64, file_tick(play, play->done)) == 0;
        }
    }
    return true;
}

static int summarize(const player *play, FILE *summary)
{
    if (play->replay->cli->json) {
        fprintf(summary,
                "{\"ticks\": %" PRIu64 ", \"rows\": %zu, \"begins\": %" PRIu64 ", \"ends\": %" PRIu64
                ", \"passed\": %" PRIu64 ", \"checked\": %s, \"ticks_different\": %" PRIu64 "}\n",
                play->done, play->replay->trace->rows_count, play->begins_count, play->ends_count, play->passed_count,
                play->check != NULL ? "true" : "false", play->ticks_different);
        return play->ticks_different == 0 ? 0 : 1;
    }
    fprintf(summary, "%" PRIu64 " ticks, %zu rows, %" PRIu64 " begins, %" PRIu64 " ends", play->done,
            play->replay->trace->rows_count, play->begins_count, play->ends_count);
    if (play->replay->room.config.swept) {
        fprintf(summary, ", %" PRIu64 " passed", play->passed_count);
    }
    if (play->check == NULL) {
        fprintf(summary, "\n");
    } else if (play->ticks_different == 0) {
        fprintf(summary, ": OK, every tick equals brute force\n");
    } else {
        fprintf(summary, ": DIFFERENT at %" PRIu64 " of them; first at %s\n", play->ticks_different, play->difference);
    }
    return play->ticks_different == 0 ? 0 : 1;
}

int qd_replay_by_step(qd_replay *replay, FILE *events, bool checked, FILE *summary)
{
    player play = {.replay = replay,
                   .file = events,
                   .sending = qd_trace_begin(replay->trace),
                   .checking = qd_trace_begin(replay->trace)};
    int status = 1;

    if (qd_client_subscribe(replay->client, replay->room.handle, QD_SCOPE_ALL, false) == 0) {
        return qd_cli_fail_session(replay->cli, replay->client);
    }
    if (checked && (play.check = qd_check_create(replay->trace->shape, replay->room.config.swept)) == NULL) {
        return qd_cli_fail(replay->cli, "out of memory");
    }
    if (events != NULL) {
        fputs("tick,kind,a,b,reason\n", events);
    }
    if (play_all(&play)) {
        status = summarize(&play, summary);
    }
    if (events != NULL && (fflush(events) != 0 || ferror(events))) {
        status = qd_cli_fail(replay->cli, "cannot write the events: %s", strerror(errno));
    }
    qd_check_destroy(play.check);
    qd_events_deinit(&play.events);
    return status;
}

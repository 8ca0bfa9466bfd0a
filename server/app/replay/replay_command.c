/* SPDX-License-Identifier: Apache-2.0 */
#include "replay_command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../base/log.h"
#include "../../record/record_reader.h"
#include "print_frames.h"
#include "record_text.h"

/* Returns whether the room did the same. */
static bool print_room(FILE *out, const qd_replay_room *room)
{
    static const char *const results[] = {[QD_REPLAY_RUNNING] = "identical, and open at the end",
                                          [QD_REPLAY_CLOSED] = "identical, and closed",
                                          [QD_REPLAY_STOPPED] = "identical, and stopped",
                                          [QD_REPLAY_LOST] = "identical, but not complete",
                                          [QD_REPLAY_DIFFERS] = "DIFFERS",
                                          [QD_REPLAY_DAMAGED] = "DAMAGED",
                                          [QD_REPLAY_NO_MEMORY] = "NOT REPLAYED"};

    fprintf(out, "room %s, %" PRIu64 ": tick %" PRIu64 ", %" PRIu64 " entries: %s%s%s\n",
            room->name[0] != '\0' ? room->name : "?", room->handle, room->tick, room->entries, results[room->state],
            room->text[0] != '\0' ? ". " : "", room->text);
    return room->state <= QD_REPLAY_STOPPED;
}

static int print_result(FILE *out, const qd_replay *replay, const qd_replay_request *request)
{
    uint32_t same = 0;

    for (uint32_t i = 0; i < replay->count; i++) {
        same += print_room(out, replay->rooms[i]);
    }
    if (replay->unopened > 0) {
        fprintf(out,
                "%" PRIu64 " rooms were opened before this file, and cannot be replayed from here. Name an earlier "
                "file\n",
                replay->unopened);
    }
    if (replay->failed) {
        fprintf(stderr, "quadrille-server: there is no memory left for the replay\n");
        return 2;
    }
    if (replay->count == 0 && request->room != NULL) {
        fprintf(stderr,
                "quadrille-server: --room is %s; must be a room that the record opens. Leave it out to see all\n",
                request->room);
        return 1;
    }
    fprintf(out, "%" PRIu32 " of %" PRIu32 " rooms are identical\n", same, replay->count);
    return same == replay->count ? 0 : 1;
}

static int replay_all(qd_record_reader *reader, const qd_replay_request *request, qd_replay *replay)
{
    FILE *out = request->prints ? stderr : stdout;
    qd_record_result result;

    while ((result = qd_record_reader_next(reader)) == QD_RECORD_ENTRY && !replay->failed) {
        qd_replay_entry_of(replay, reader->room, reader->entry, reader->size);
    }
    const int status = print_result(out, replay, request);
    if (result == QD_RECORD_CUT) {
        fprintf(out, "%s. The server was killed, or is still writing; what is before it was replayed\n", reader->error);
    } else if (result == QD_RECORD_BAD) {
        fprintf(stderr, "quadrille-server: %s\n", reader->error);
        return 2;
    }
    return status;
}

int qd_replay_run(const qd_replay_request *request)
{
    static qd_record_reader reader;
    qd_replay_server server;
    int status = 2;

    qd_log_level_set(QD_LOG_ERROR);
    if (qd_record_reader_open(&reader, request->file) != QD_RECORD_ENTRY) {
        fprintf(stderr, "quadrille-server: %s\n", reader.error);
        qd_record_reader_close(&reader);
        return status;
    }
    if (!qd_record_text_is_own(reader.text)) {
        fprintf(stderr, "quadrille-server: the record is of another version than %s, which may do other things\n",
                qd_server_name);
    }
    qd_record_text_read(reader.text, &server);
    qd_replay *replay = malloc(sizeof *replay);
    if (replay != NULL) {
        qd_replay_init(replay, &server);
        replay->config.until = request->until != 0 ? request->until : UINT64_MAX;
        replay->config.sent = request->prints ? qd_print_frames : NULL;
        replay->only = request->room;
        status = replay_all(&reader, request, replay);
        qd_replay_deinit(replay);
        free(replay);
    } else {
        fprintf(stderr, "quadrille-server: there is no memory left for the replay\n");
    }
    qd_record_reader_close(&reader);
    return status;
}

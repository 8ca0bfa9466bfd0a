/* SPDX-License-Identifier: Apache-2.0
 *
 * What takes the records of rooms: a recorder with files (record/recorder.h), or a test.
 */
#ifndef QD_ACTOR_JOURNAL_RECORD_SINK_H
#define QD_ACTOR_JOURNAL_RECORD_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct qd_record_sink {
    /* Takes an entry of the room with that handle, behind the earlier ones of the room. Never waits. False: there is no
     * place, and the entry is lost. [any] */
    bool (*put)(void *context, uint64_t room, const uint8_t *entry, size_t size);
    void *context;
    uint64_t token_key[2]; /* random; the key of the hashes that stand for tokens */
} qd_record_sink;

#endif

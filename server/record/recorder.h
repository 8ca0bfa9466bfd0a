/* SPDX-License-Identifier: Apache-2.0
 *
 * A recorder: takes entries from any thread, and writes them to files with a thread of its own.
 *
 *     runs --put--> open block --full, or 0.1 s old--> queue, bounded --writer--> file, next file
 *
 * put never waits for the disk. If the queue is full, it refuses the entry. What was taken is written: if the disk
 * refuses, the writer tries again, and the queue fills up meanwhile.
 */
#ifndef QD_RECORD_RECORDER_H
#define QD_RECORD_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Waiting for the disk, at most. */
#define QD_RECORDER_QUEUE_BYTES_MAX ((size_t)32 << 20)

typedef struct qd_recorder_config {
    const char *folder;
    uint64_t file_bytes, bytes_max; /* of one file, after which the next one begins; of all files */
    uint64_t wall_s;                /* seconds since 1970 */
    const char *text;               /* lines about the server, for each file */
} qd_recorder_config;

typedef struct qd_recorder qd_recorder;

/* NULL: *error has the reason. */
qd_recorder *qd_recorder_start(const qd_recorder_config *config, char *error, size_t error_size);
/* Writes what it has, and ends. What the disk refuses now is lost. NULL is fine. */
void qd_recorder_stop(qd_recorder *recorder);

/* For qd_record_sink.put; `recorder` is the context. [any] */
bool qd_recorder_put(void *recorder, uint64_t room, const uint8_t *entry, size_t size);
/* Entries that were refused. [any] */
uint64_t qd_recorder_refused(const qd_recorder *recorder);

#endif

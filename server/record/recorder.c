/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* pthread_setname_np */
#include "recorder.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/queue.h>
#include <time.h>
#include <unistd.h>

#include "../base/bytes/byte_list.h"
#include "../base/log.h"
#include "../base/memory/alloc.h"
#include "record_files.h"
#include "record_format.h"

#define BLOCK_BYTES  ((size_t)256 << 10)
#define SPARE_MAX    16u /* blocks that are kept for reuse */
#define GATHER_MS    100
#define AGAIN_MS     1000
#define VARINT_BYTES 10u

typedef struct block {
    STAILQ_ENTRY(block) links;
    size_t used, capacity;
    uint8_t bytes[];
} block;

struct qd_recorder {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    pthread_t writer;
    block *open;                      /* takes entries; NULL: none yet */
    STAILQ_HEAD(blocks, block) queue; /* for the writer */
    STAILQ_HEAD(, block) spare;       /* written, of BLOCK_BYTES */
    uint32_t spare_count;
    size_t held;         /* bytes of all other blocks */
    bool is_idle, stops; /* the writer waits for the first entry; it shall end */
    _Atomic uint64_t refused;

    /* the writer's own */
    qd_record_files files;
    int file; /* -1: none */
    uint64_t file_bytes, file_bytes_max, bytes_max;
    char *text;
    size_t text_size;
    bool has_failed; /* at the last try */
};

/* ---- taking ---- */

static block *create_block(size_t capacity)
{
    block *created = qd_shared_alloc(sizeof *created + capacity);

    if (created != NULL) {
        *created = (block){.capacity = capacity};
    }
    return created;
}

static void destroy_block(block *done)
{
    qd_shared_free(done, sizeof *done + done->capacity);
}

/* Under the lock. */
static block *take_block(qd_recorder *recorder, size_t capacity)
{
    block *spare = STAILQ_FIRST(&recorder->spare);

    if (capacity > BLOCK_BYTES || spare == NULL) {
        return create_block(capacity);
    }
    STAILQ_REMOVE_HEAD(&recorder->spare, links);
    recorder->spare_count--;
    spare->used = 0;
    return spare;
}

/* Under the lock. */
static void give_block(qd_recorder *recorder, block *done)
{
    recorder->held -= done->capacity;
    if (done->capacity > BLOCK_BYTES || recorder->spare_count == SPARE_MAX) {
        destroy_block(done);
        return;
    }
    STAILQ_INSERT_HEAD(&recorder->spare, done, links);
    recorder->spare_count++;
}

static size_t write_number(uint8_t *bytes, uint64_t number)
{
    size_t size = 0;

    for (; number >= 0x80; number >>= 7) {
        bytes[size++] = (uint8_t)(number | 0x80);
    }
    bytes[size++] = (uint8_t)number;
    return size;
}

/* Under the lock: the open block, with so much space left; NULL: there is no place. */
static block *block_for(qd_recorder *recorder, size_t size)
{
    block *open = recorder->open;

    if (open != NULL && size <= open->capacity - open->used) {
        return open;
    }
    const size_t capacity = size > BLOCK_BYTES ? size : BLOCK_BYTES;
    if (capacity > QD_RECORDER_QUEUE_BYTES_MAX - recorder->held && recorder->held > 0) {
        return NULL;
    }
    block *created = take_block(recorder, capacity);
    if (created == NULL) {
        return NULL;
    }
    recorder->held += capacity;
    if (open != NULL) {
        STAILQ_INSERT_TAIL(&recorder->queue, open, links);
        pthread_cond_signal(&recorder->changed);
    }
    return recorder->open = created;
}

bool qd_recorder_put(void *context, uint64_t room, const uint8_t *entry, size_t size)
{
    qd_recorder *recorder = context;
    uint8_t head[2 * VARINT_BYTES];
    size_t head_size = write_number(head, room);

    head_size += write_number(head + head_size, size);
    if (size > QD_RECORD_BLOCK_BYTES_MAX - sizeof head) {
        atomic_fetch_add_explicit(&recorder->refused, 1, memory_order_relaxed);
        return false;
    }
    pthread_mutex_lock(&recorder->mutex);
    block *open = block_for(recorder, head_size + size);
    if (open != NULL) {
        memcpy(open->bytes + open->used, head, head_size);
        memcpy(open->bytes + open->used + head_size, entry, size);
        open->used += head_size + size;
    }
    if (open != NULL && recorder->is_idle) {
        recorder->is_idle = false;
        pthread_cond_signal(&recorder->changed);
    }
    pthread_mutex_unlock(&recorder->mutex);
    if (open == NULL) {
        atomic_fetch_add_explicit(&recorder->refused, 1, memory_order_relaxed);
    }
    return open != NULL;
}

uint64_t qd_recorder_refused(const qd_recorder *recorder)
{
    return atomic_load_explicit(&recorder->refused, memory_order_relaxed);
}

/* ---- writing ---- */

static bool write_all(int file, const uint8_t *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t written = write(file, bytes, size);

        if (written < 0 && errno != EINTR) {
            return false;
        }
        if (written > 0) {
            bytes += written;
            size -= (size_t)written;
        }
    }
    return true;
}

static bool write_block(qd_recorder *recorder, qd_record_block_kind kind, const uint8_t *bytes, size_t size)
{
    uint8_t head[QD_RECORD_BLOCK_HEAD_BYTES];

    qd_record_block_write(kind, bytes, size, head);
    if (!write_all(recorder->file, head, sizeof head) || !write_all(recorder->file, bytes, size)) {
        return false;
    }
    recorder->file_bytes += sizeof head + size;
    return true;
}

static void close_file(qd_recorder *recorder)
{
    if (recorder->file >= 0) {
        close(recorder->file);
    }
    recorder->file = -1;
}

/* Begins the next file if this one is full. All of them together keep to the limit, with one file more. */
static bool turn(qd_recorder *recorder)
{
    if (recorder->file >= 0 && recorder->file_bytes < recorder->file_bytes_max) {
        return true;
    }
    close_file(recorder);
    recorder->file_bytes = QD_RECORD_MAGIC_BYTES;
    recorder->file = qd_record_files_next(&recorder->files);
    (void)qd_record_files_trim(&recorder->files, recorder->bytes_max - recorder->file_bytes_max);
    return recorder->file >= 0 && write_all(recorder->file, (const uint8_t *)QD_RECORD_MAGIC, QD_RECORD_MAGIC_BYTES) &&
           write_block(recorder, QD_RECORD_TEXT, (const uint8_t *)recorder->text, recorder->text_size);
}

/* A block that was written in part is cut off again. */
static bool write_entries(qd_recorder *recorder, const block *full)
{
    if (!turn(recorder)) {
        const int reason = errno;

        close_file(recorder);
        errno = reason;
        return false;
    }
    if (write_block(recorder, QD_RECORD_ENTRIES, full->bytes, full->used)) {
        return true;
    }
    const int reason = errno;
    if (ftruncate(recorder->file, (off_t)recorder->file_bytes) != 0) {
        close_file(recorder); /* its end is no block; the next file continues */
    }
    errno = reason;
    return false;
}

static void note_result(qd_recorder *recorder, bool written)
{
    if (!written && !recorder->has_failed) {
        qd_log(QD_LOG_ERROR, "the record cannot be written; trying again every second",
               QD_LOG_STRING("error", strerror(errno)));
    } else if (written && recorder->has_failed) {
        qd_log(QD_LOG_INFO, "the record is written again", QD_LOG_NUMBER("lost", qd_recorder_refused(recorder)));
    }
    recorder->has_failed = !written;
}

/* Under the lock. */
static void wait_ms(qd_recorder *recorder, long ms)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += ms % 1000 * 1000000;
    until.tv_sec += ms / 1000 + until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&recorder->changed, &recorder->mutex, &until);
}

/* Under the lock: the next block to write. NULL: the recorder stops, and there is none. */
static block *next_block(qd_recorder *recorder)
{
    while (STAILQ_EMPTY(&recorder->queue) && recorder->open == NULL && !recorder->stops) {
        recorder->is_idle = true;
        pthread_cond_wait(&recorder->changed, &recorder->mutex);
    }
    recorder->is_idle = false;
    if (STAILQ_EMPTY(&recorder->queue) && !recorder->stops) {
        wait_ms(recorder, GATHER_MS);
    }
    block *next = STAILQ_FIRST(&recorder->queue);
    if (next != NULL) {
        STAILQ_REMOVE_HEAD(&recorder->queue, links);
        return next;
    }
    next = recorder->open;
    recorder->open = NULL;
    return next;
}

static void write_until_done(qd_recorder *recorder, const block *full)
{
    for (bool written = false; !written;) {
        written = write_entries(recorder, full);
        note_result(recorder, written);
        if (written) {
            return;
        }
        pthread_mutex_lock(&recorder->mutex);
        const bool stops = recorder->stops;
        if (!stops) {
            wait_ms(recorder, AGAIN_MS);
        }
        pthread_mutex_unlock(&recorder->mutex);
        if (stops) {
            atomic_fetch_add_explicit(&recorder->refused, 1, memory_order_relaxed);
            return;
        }
    }
}

static void *run(void *argument)
{
    qd_recorder *recorder = argument;
    block *full;

    pthread_mutex_lock(&recorder->mutex);
    while ((full = next_block(recorder)) != NULL) {
        pthread_mutex_unlock(&recorder->mutex);
        write_until_done(recorder, full);
        pthread_mutex_lock(&recorder->mutex);
        give_block(recorder, full);
    }
    pthread_mutex_unlock(&recorder->mutex);
    close_file(recorder);
    return NULL;
}

/* ---- start and stop ---- */

static void destroy(qd_recorder *recorder)
{
    for (block *spare; (spare = STAILQ_FIRST(&recorder->spare)) != NULL;) {
        STAILQ_REMOVE_HEAD(&recorder->spare, links);
        destroy_block(spare);
    }
    qd_record_files_close(&recorder->files);
    close_file(recorder);
    pthread_cond_destroy(&recorder->changed);
    pthread_mutex_destroy(&recorder->mutex);
    qd_shared_free(recorder->text, recorder->text_size);
    qd_shared_free(recorder, sizeof *recorder);
}

static void init(qd_recorder *recorder, const qd_recorder_config *config)
{
    pthread_condattr_t monotonic;

    *recorder = (qd_recorder){.file = -1,
                              .file_bytes_max = config->file_bytes,
                              .bytes_max = config->bytes_max,
                              .files.folder = -1,
                              .text_size = strlen(config->text),
                              .text = qd_shared_alloc(strlen(config->text))};
    STAILQ_INIT(&recorder->queue);
    STAILQ_INIT(&recorder->spare);
    pthread_mutex_init(&recorder->mutex, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&recorder->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

qd_recorder *qd_recorder_start(const qd_recorder_config *config, char *error, size_t error_size)
{
    qd_recorder *recorder = qd_shared_alloc(sizeof *recorder);

    snprintf(error, error_size, "--record: the server has no memory for it (--memory-max). Raise that");
    if (recorder == NULL) {
        return NULL;
    }
    init(recorder, config);
    if (recorder->text == NULL) {
        recorder->text_size = 0;
        destroy(recorder);
        return NULL;
    }
    memcpy(recorder->text, config->text, recorder->text_size);
    if (!qd_record_files_open(&recorder->files, config->folder, config->wall_s, error, error_size)) {
        destroy(recorder);
        return NULL;
    }
    if (!turn(recorder)) {
        snprintf(error, error_size, "--record is %s, into which no file can be written: %s. Name another folder",
                 config->folder, strerror(errno));
        destroy(recorder);
        return NULL;
    }
    if (pthread_create(&recorder->writer, NULL, run, recorder) != 0) {
        snprintf(error, error_size, "--record: the system refused to start a thread");
        destroy(recorder);
        return NULL;
    }
    pthread_setname_np(recorder->writer, "qd-record");
    return recorder;
}

void qd_recorder_stop(qd_recorder *recorder)
{
    if (recorder == NULL) {
        return;
    }
    pthread_mutex_lock(&recorder->mutex);
    recorder->stops = true;
    pthread_cond_signal(&recorder->changed);
    pthread_mutex_unlock(&recorder->mutex);
    pthread_join(recorder->writer, NULL);
    if (qd_recorder_refused(recorder) > 0) {
        qd_log(QD_LOG_WARN, "entries are missing in the record", QD_LOG_NUMBER("lost", qd_recorder_refused(recorder)));
    }
    destroy(recorder);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads a record: one file, and those that follow it in its folder.
 */
#ifndef QD_RECORD_RECORD_READER_H
#define QD_RECORD_RECORD_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum qd_record_result {
    QD_RECORD_ENTRY = 0, /* the reader has the next entry */
    QD_RECORD_END,       /* of the last file */
    QD_RECORD_CUT,       /* the last file ends within a block: the server was killed, or is still writing */
    QD_RECORD_BAD,       /* `error` has the reason */
} qd_record_result;

typedef struct qd_record_reader {
    /* with QD_RECORD_ENTRY; valid until the next call */
    uint64_t room;
    const uint8_t *entry;
    size_t size;

    char text[2048];  /* of the first file; lines */
    char path[4096];  /* of the file that is read */
    uint32_t files;   /* read so far, with this one */
    uint64_t offset;  /* of the next block in it */
    char error[4500]; /* with QD_RECORD_BAD and QD_RECORD_CUT */

    /* private */
    void *stream; /* FILE *; NULL: none */
    uint8_t *block;
    size_t block_size, block_capacity, at;
} qd_record_reader;

/* Reads the beginning of the file. */
qd_record_result qd_record_reader_open(qd_record_reader *reader, const char *path);
void qd_record_reader_close(qd_record_reader *reader);
qd_record_result qd_record_reader_next(qd_record_reader *reader);

/* The number in the line "KEY NUMBER" of the text; `otherwise`: there is none. */
uint64_t qd_record_text_number(const char *text, const char *key, uint64_t otherwise);

#endif

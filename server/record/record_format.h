/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks of a record's file (README.md). Pure.
 */
#ifndef QD_RECORD_RECORD_FORMAT_H
#define QD_RECORD_RECORD_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QD_RECORD_MAGIC            "QDRECORD"
#define QD_RECORD_MAGIC_BYTES      8u
#define QD_RECORD_VERSION          1u /* in the text */
#define QD_RECORD_BLOCK_HEAD_BYTES 12u
/* A frame may have 256 MiB, and an entry holds one. */
#define QD_RECORD_BLOCK_BYTES_MAX ((size_t)320 << 20)

typedef enum qd_record_block_kind { QD_RECORD_TEXT = 1, QD_RECORD_ENTRIES = 2 } qd_record_block_kind;

typedef struct qd_record_block {
    qd_record_block_kind kind;
    size_t size;
    uint32_t crc;
} qd_record_block;

void qd_record_block_write(qd_record_block_kind kind, const uint8_t *bytes, size_t size,
                           uint8_t head[QD_RECORD_BLOCK_HEAD_BYTES]);
/* False: no block begins so. */
bool qd_record_block_read(const uint8_t head[QD_RECORD_BLOCK_HEAD_BYTES], qd_record_block *block);
/* Whether the block's bytes are as they were written. */
bool qd_record_block_is_whole(const qd_record_block *block, const uint8_t *bytes);

#endif

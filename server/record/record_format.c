/* SPDX-License-Identifier: Apache-2.0 */
#include "record_format.h"

#include "../base/bytes/byte_list.h"
#include "../base/bytes/crc32c.h"

static uint32_t crc_of(uint32_t kind, const uint8_t *bytes, size_t size)
{
    uint8_t head[8];

    qd_bytes_write_u32(head, kind);
    qd_bytes_write_u32(head + 4, (uint32_t)size);
    return qd_crc32c(qd_crc32c(0, head, sizeof head), bytes, size);
}

void qd_record_block_write(qd_record_block_kind kind, const uint8_t *bytes, size_t size,
                           uint8_t head[QD_RECORD_BLOCK_HEAD_BYTES])
{
    qd_bytes_write_u32(head, kind);
    qd_bytes_write_u32(head + 4, (uint32_t)size);
    qd_bytes_write_u32(head + 8, crc_of(kind, bytes, size));
}

bool qd_record_block_read(const uint8_t head[QD_RECORD_BLOCK_HEAD_BYTES], qd_record_block *block)
{
    const uint32_t kind = qd_bytes_read_u32(head);

    *block = (qd_record_block){
        .kind = (qd_record_block_kind)kind, .size = qd_bytes_read_u32(head + 4), .crc = qd_bytes_read_u32(head + 8)};
    return (kind == QD_RECORD_TEXT || kind == QD_RECORD_ENTRIES) && block->size <= QD_RECORD_BLOCK_BYTES_MAX;
}

bool qd_record_block_is_whole(const qd_record_block *block, const uint8_t *bytes)
{
    return crc_of(block->kind, bytes, block->size) == block->crc;
}

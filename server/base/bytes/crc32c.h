/* SPDX-License-Identifier: Apache-2.0
 *
 * CRC-32C (Castagnoli), as iSCSI and ext4 use it. It finds damage, not forgery. The processor's own instruction where
 * there is one, otherwise tables. [any]
 */
#ifndef QD_BASE_BYTES_CRC32C_H
#define QD_BASE_BYTES_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* The checksum of the bytes behind those of which `before` is the checksum; 0: of none. */
uint32_t qd_crc32c(uint32_t before, const void *bytes, size_t size);
/* The same by tables, for tests. */
uint32_t qd_crc32c_portable(uint32_t before, const void *bytes, size_t size);

#endif

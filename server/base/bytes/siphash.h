/* SPDX-License-Identifier: Apache-2.0
 *
 * SipHash-2-4: a hash that nobody can compute, or invert by trying, without its key. [any]
 */
#ifndef QD_BASE_BYTES_SIPHASH_H
#define QD_BASE_BYTES_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t qd_siphash(const uint64_t key[2], const void *bytes, size_t size);

#endif

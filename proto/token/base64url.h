/* SPDX-License-Identifier: Apache-2.0
 *
 * base64url without padding (RFC 4648, section 5). Pure; any thread may call these.
 */
#ifndef QD_PROTO_TOKEN_BASE64URL_H
#define QD_PROTO_TOKEN_BASE64URL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How many letters that many bytes have. */
#define QD_BASE64URL_LETTERS(bytes) (((bytes)*4 + 2) / 3)

/* Writes QD_BASE64URL_LETTERS(size) letters and a zero. */
void qd_base64url_write(const uint8_t *bytes, size_t size, char *text);
/* Reads `length` letters into at most `max` bytes. false: the letters are others, too many, or not what
 * qd_base64url_write gives for these bytes: each sequence of bytes has one text. */
bool qd_base64url_read(const char *text, size_t length, uint8_t *bytes, size_t max, size_t *size);

#endif

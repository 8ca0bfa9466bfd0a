/* SPDX-License-Identifier: Apache-2.0 */
#include "base64url.h"

#include <string.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

void qd_base64url_write(const uint8_t *bytes, size_t size, char *text)
{
    uint32_t bits = 0;
    unsigned count = 0;

    for (size_t i = 0; i < size; i++) {
        bits = bits << 8 | bytes[i];
        for (count += 8; count >= 6; count -= 6) {
            *text++ = letters[bits >> (count - 6) & 63];
        }
    }
    if (count > 0) {
        *text++ = letters[bits << (6 - count) & 63];
    }
    *text = '\0';
}

bool qd_base64url_read(const char *text, size_t length, uint8_t *bytes, size_t max, size_t *size)
{
    uint32_t bits = 0;
    unsigned count = 0;

    *size = 0;
    for (size_t i = 0; i < length; i++) {
        const char *letter = text[i] != '\0' ? strchr(letters, text[i]) : NULL;

        if (letter == NULL) {
            return false;
        }
        bits = bits << 6 | (uint32_t)(letter - letters);
        count += 6;
        if (count >= 8) {
            if (*size == max) {
                return false;
            }
            count -= 8;
            bytes[(*size)++] = (uint8_t)(bits >> count);
        }
    }
    /* A whole letter too many, or bits that no byte has. */
    return count < 6 && (bits & ((1u << count) - 1)) == 0;
}

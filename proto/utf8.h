/* SPDX-License-Identifier: Apache-2.0
 *
 * UTF-8, and the characters that change how text around them looks: for names that peers choose, and for programs that
 * print what a peer sends. A header without dependencies, which the server and the tools share. Pure.
 */
#ifndef QD_PROTO_UTF8_H
#define QD_PROTO_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Returns the length of the UTF-8 sequence at `text`, or 0 if it is invalid: overlong forms, surrogates and numbers
 * above U+10FFFF are. Reads no further than the first byte that does not fit, so a zero ends it. */
static inline size_t qd_utf8_next(const char *text, uint32_t *point)
{
    static const struct {
        unsigned char mask, lead;
        uint32_t lowest;
    } forms[] = {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
    const unsigned char *bytes = (const unsigned char *)text;

    for (size_t extra = 0; extra < 4; extra++) {
        if ((bytes[0] & forms[extra].mask) != forms[extra].lead) {
            continue;
        }
        *point = bytes[0] & (unsigned char)~forms[extra].mask;
        for (size_t i = 1; i <= extra; i++) {
            if ((bytes[i] & 0xc0) != 0x80) {
                return 0;
            }
            *point = *point << 6 | (bytes[i] & 0x3f);
        }
        const int legal = *point >= forms[extra].lowest && *point <= 0x10ffff && (*point < 0xd800 || *point > 0xdfff);
        return legal ? extra + 1 : 0;
    }
    return 0;
}

/* What is unusual about a character, as a noun: it controls a terminal, the direction of other text, or shows nothing.
 * NULL: nothing is. */
static inline const char *qd_utf8_peculiarity(uint32_t point)
{
    static const char control[] = "control character", separator[] = "line separator",
                      direction[] = "bidirectional control", empty[] = "zero-width character";

    /* In ascending order. Zero-width: the default-ignorable characters of Unicode 15, and U+FFF9 to U+FFFB. */
    static const struct {
        uint32_t first, last;
        const char *what;
    } ranges[] = {
        {0x0000, 0x001f, control},   {0x007f, 0x009f, control},   {0x00ad, 0x00ad, empty},
        {0x034f, 0x034f, empty},     {0x061c, 0x061c, direction}, {0x115f, 0x1160, empty},
        {0x17b4, 0x17b5, empty},     {0x180b, 0x180f, empty},     {0x200b, 0x200d, empty},
        {0x200e, 0x200f, direction}, {0x2028, 0x2029, separator}, {0x202a, 0x202e, direction},
        {0x2060, 0x2065, empty},     {0x2066, 0x2069, direction}, {0x206a, 0x206f, empty},
        {0x3164, 0x3164, empty},     {0xfe00, 0xfe0f, empty},     {0xfeff, 0xfeff, empty},
        {0xffa0, 0xffa0, empty},     {0xfff0, 0xfffb, empty},     {0x1bca0, 0x1bca3, empty},
        {0x1d173, 0x1d17a, empty},   {0xe0000, 0xe0fff, empty},
    };

    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0] && point >= ranges[i].first; i++) {
        if (point <= ranges[i].last) {
            return ranges[i].what;
        }
    }
    return NULL;
}

#endif

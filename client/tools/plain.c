/* SPDX-License-Identifier: Apache-2.0 */
#include "plain.h"

#include <inttypes.h>
#include <string.h>

#include "utf8.h"

#define FORM_BYTES_MAX 12u /* two escaped halves of a pair */

/* Writes the form of the character at `text`. Returns how many bytes the character has. */
static size_t plain_form(const char *text, char form[FORM_BYTES_MAX + 1])
{
    uint32_t point;
    size_t size = qd_utf8_next(text, &point);

    if (size == 0) {
        snprintf(form, FORM_BYTES_MAX + 1, "\\x%02x", (unsigned char)*text);
        return 1;
    }
    if (qd_utf8_peculiarity(point) != NULL) {
        snprintf(form, FORM_BYTES_MAX + 1, point <= 0xffff ? "\\u%04" PRIx32 : "\\U%08" PRIx32, point);
    } else {
        memcpy(form, text, size);
        form[size] = '\0';
    }
    return size;
}

static size_t json_form(const char *text, char form[FORM_BYTES_MAX + 1])
{
    uint32_t point;
    size_t size = qd_utf8_next(text, &point);

    if (size == 0) {
        snprintf(form, FORM_BYTES_MAX + 1, "\\ufffd");
        return 1;
    }
    if (point == '"' || point == '\\') {
        snprintf(form, FORM_BYTES_MAX + 1, "\\%c", (char)point);
    } else if (qd_utf8_peculiarity(point) == NULL) {
        memcpy(form, text, size);
        form[size] = '\0';
    } else if (point <= 0xffff) {
        snprintf(form, FORM_BYTES_MAX + 1, "\\u%04" PRIx32, point);
    } else {
        snprintf(form, FORM_BYTES_MAX + 1, "\\u%04" PRIx32 "\\u%04" PRIx32, 0xd800 + ((point - 0x10000) >> 10),
                 0xdc00 + ((point - 0x10000) & 0x3ff));
    }
    return size;
}

const char *qd_plain(char *out, size_t size, const char *text)
{
    char form[FORM_BYTES_MAX + 1];
    size_t used = 0;

    while (*text != '\0') {
        text += plain_form(text, form);
        if (used + strlen(form) >= size) {
            break;
        }
        memcpy(out + used, form, strlen(form));
        used += strlen(form);
    }
    out[used] = '\0';
    return out;
}

void qd_plain_print(FILE *file, const char *text)
{
    char form[FORM_BYTES_MAX + 1];

    while (*text != '\0') {
        text += plain_form(text, form);
        fputs(form, file);
    }
}

void qd_plain_print_json(FILE *file, const char *text)
{
    char form[FORM_BYTES_MAX + 1];

    fputc('"', file);
    while (*text != '\0') {
        text += json_form(text, form);
        fputs(form, file);
    }
    fputc('"', file);
}

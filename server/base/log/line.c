/* SPDX-License-Identifier: Apache-2.0 */
#include "line.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../../../proto/utf8.h"

/* What always fits behind a value that is cut: the dots, a quote, a brace and the newline. */
#define TAIL_BYTES 8u
/* The longest form of one character: two escaped halves of a pair. */
#define FORM_BYTES_MAX 12u
/* A field that is begun has room for its name's marks and for a number. */
#define FIELD_BYTES_MIN 48u

static const char *const level_names[] = {"error", "warn", "info", "debug", "audit"};

bool qd_log_level_of(const char *name, qd_log_level *level)
{
    for (size_t i = 0; i <= QD_LOG_DEBUG; i++) {
        if (strcmp(name, level_names[i]) == 0) {
            *level = (qd_log_level)i;
            return true;
        }
    }
    return false;
}

/* A line in the making. */
typedef struct writer {
    char *at, *end; /* `end` leaves TAIL_BYTES */
    qd_log_format format;
} writer;

static size_t room_of(const writer *out)
{
    return out->at < out->end ? (size_t)(out->end - out->at) : 0;
}

static void put(writer *out, const char *text, size_t size)
{
    memcpy(out->at, text, size);
    out->at += size;
}

static void put_text(writer *out, const char *text)
{
    put(out, text, strlen(text));
}

static bool is_printable(unsigned char byte)
{
    return byte >= 0x20 && byte <= 0x7e;
}

static bool is_plain(const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:/%+-[]";

    return text[0] != '\0' && text[strspn(text, plain)] == '\0' && strlen(text) <= QD_LOG_VALUE_BYTES_MAX;
}

/* Writes the JSON form of the character at `text`, which is not printable ASCII. Returns how many bytes it has. */
static size_t json_form(const char *text, char form[FORM_BYTES_MAX + 1])
{
    uint32_t point;
    size_t size = qd_utf8_next(text, &point);

    if (size == 0) {
        point = 0xfffd;
        size = 1;
    }
    if (point <= 0xffff) {
        snprintf(form, FORM_BYTES_MAX + 1, "\\u%04" PRIx32, point);
    } else {
        snprintf(form, FORM_BYTES_MAX + 1, "\\u%04" PRIx32 "\\u%04" PRIx32, 0xd800 + ((point - 0x10000) >> 10),
                 0xdc00 + ((point - 0x10000) & 0x3ff));
    }
    return size;
}

/* Writes the text in quotes. */
static void put_quoted(writer *out, const char *text)
{
    const char *start = text;

    *out->at++ = '"';
    while (*text != '\0') {
        char form[FORM_BYTES_MAX + 1] = {*text, '\0'};
        size_t size = 1;

        if (*text == '"' || *text == '\\') {
            snprintf(form, sizeof form, "\\%c", *text);
        } else if (!is_printable((unsigned char)*text)) {
            if (out->format == QD_LOG_FORMAT_JSON) {
                size = json_form(text, form);
            } else {
                snprintf(form, sizeof form, "\\x%02x", (unsigned char)*text);
            }
        }
        if ((size_t)(text - start) + size > QD_LOG_VALUE_BYTES_MAX || room_of(out) < strlen(form)) {
            put_text(out, "...");
            break;
        }
        put_text(out, form);
        text += size;
    }
    *out->at++ = '"';
}

static void put_number(writer *out, uint64_t number)
{
    char digits[24];

    snprintf(digits, sizeof digits, "%" PRIu64, number);
    put_text(out, digits);
}

static void put_field(writer *out, const qd_log_field *field)
{
    const bool json = out->format == QD_LOG_FORMAT_JSON;

    put_text(out, json ? ",\"" : " ");
    put_text(out, field->name);
    put_text(out, json ? "\":" : "=");
    if (field->text == NULL) {
        put_number(out, field->number);
    } else if (!json && is_plain(field->text) && strlen(field->text) <= room_of(out)) {
        put_text(out, field->text);
    } else {
        put_quoted(out, field->text);
    }
}

/* 2026-01-31T12:00:00.000Z */
static void put_time(writer *out, const struct timespec *time)
{
    struct tm date;
    char text[48];

    gmtime_r(&time->tv_sec, &date);
    size_t size = strftime(text, 32, "%Y-%m-%dT%H:%M:%S", &date);
    snprintf(text + size, sizeof text - size, ".%03dZ", (int)(time->tv_nsec / 1000000));
    put_text(out, text);
}

size_t qd_log_line(char line[QD_LOG_LINE_BYTES_MAX], qd_log_format format, const struct timespec *time,
                   qd_log_level level, const char *message, const qd_log_field *fields)
{
    writer out = {line, line + QD_LOG_LINE_BYTES_MAX - TAIL_BYTES, format};
    const bool json = format == QD_LOG_FORMAT_JSON;

    put_text(&out, json ? "{\"time\":\"" : "");
    put_time(&out, time);
    put_text(&out, json ? "\",\"level\":\"" : " ");
    put_text(&out, level_names[level]);
    put_text(&out, json ? "\",\"message\":" : level == QD_LOG_WARN || level == QD_LOG_INFO ? "  " : " ");
    if (json) {
        put_quoted(&out, message);
    } else {
        put_text(&out, message);
    }
    for (; fields->name != NULL && room_of(&out) > strlen(fields->name) + FIELD_BYTES_MIN; fields++) {
        put_field(&out, fields);
    }
    put_text(&out, json ? "}\n" : "\n");
    return (size_t)(out.at - line);
}

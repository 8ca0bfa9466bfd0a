/* SPDX-License-Identifier: Apache-2.0 */
#include "log.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A longer line is cut, and marked as cut. */
#define TEXT_SIZE_MAX 1024u

static const char *const level_names[] = {"error", "warn", "info", "debug"};
static qd_log_level level_max = QD_LOG_INFO;

void qd_log_level_set(qd_log_level level)
{
    level_max = level;
}

static size_t escape(const char *text, char *out)
{
    size_t size = 0;

    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;

        if (byte < 0x20 || byte > 0x7e) {
            size += (size_t)sprintf(out + size, "\\x%02x", byte);
        } else {
            out[size++] = (char)byte;
        }
    }
    return size;
}

static size_t write_time(char *out, size_t capacity)
{
    struct timespec now;
    struct tm date;

    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &date);
    size_t size = strftime(out, capacity, "%Y-%m-%dT%H:%M:%S", &date);
    return size + (size_t)snprintf(out + size, capacity - size, ".%03dZ", (int)(now.tv_nsec / 1000000));
}

void qd_log(qd_log_level level, const char *format, ...)
{
    char text[TEXT_SIZE_MAX];
    char line[64 + 4 * TEXT_SIZE_MAX];

    if (level > level_max) {
        return;
    }
    int saved_errno = errno;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);

    size_t size = write_time(line, 48);
    size += (size_t)sprintf(line + size, " %-5s ", level_names[level]);
    size += escape(length < 0 ? format : text, line + size);
    if (length >= (int)sizeof text) {
        memcpy(line + size, "...", 3);
        size += 3;
    }
    line[size++] = '\n';
    /* One write per line, so that lines of several threads do not mix. A failure cannot be reported anywhere. */
    ssize_t written = write(STDERR_FILENO, line, size);
    (void)written;
    errno = saved_errno;
}

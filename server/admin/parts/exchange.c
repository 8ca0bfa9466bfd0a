/* SPDX-License-Identifier: Apache-2.0 */
#include "exchange.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "admin_memory.h"

#define LINE_BYTES_MAX 1024u

static bool reserve(qd_admin_answer *answer, size_t size)
{
    if (size <= answer->capacity - answer->size) {
        return true;
    }
    const size_t capacity = (answer->size + size) * 2 + LINE_BYTES_MAX;
    char *text = qd_admin_resize(answer->text, capacity);
    if (text == NULL) {
        answer->failed = true;
        return false;
    }
    answer->text = text;
    answer->capacity = capacity;
    return true;
}

void qd_admin_write(qd_admin_answer *answer, const char *bytes, size_t size)
{
    if (!answer->failed && reserve(answer, size)) {
        memcpy(answer->text + answer->size, bytes, size);
        answer->size += size;
    }
}

static void print(qd_admin_answer *answer, const char *format, va_list arguments)
{
    char line[LINE_BYTES_MAX];
    const int size = vsnprintf(line, sizeof line, format, arguments);

    if (size > 0) {
        qd_admin_write(answer, line, (size_t)size < sizeof line ? (size_t)size : sizeof line - 1);
    }
}

void qd_admin_print(qd_admin_answer *answer, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    print(answer, format, arguments);
    va_end(arguments);
}

void qd_admin_refuse(qd_admin_answer *answer, unsigned status, const char *format, ...)
{
    va_list arguments;

    answer->status = status;
    answer->type = "text/plain; charset=utf-8";
    answer->size = 0;
    answer->failed = false;
    va_start(arguments, format);
    print(answer, format, arguments);
    va_end(arguments);
    qd_admin_write(answer, "\n", 1);
}

void qd_admin_answer_clear(qd_admin_answer *answer)
{
    qd_admin_free(answer->text);
    *answer = (qd_admin_answer){.status = 0};
}

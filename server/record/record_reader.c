/* SPDX-License-Identifier: Apache-2.0 */
#include "record_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/bytes/byte_cursor.h"
#include "record_files.h"
#include "record_format.h"

__attribute__((format(printf, 3, 4))) static qd_record_result fail(qd_record_reader *reader, qd_record_result result,
                                                                   const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(reader->error, sizeof reader->error, format, arguments);
    va_end(arguments);
    return result;
}

static bool make_place(qd_record_reader *reader, size_t size)
{
    if (size <= reader->block_capacity) {
        return true;
    }
    uint8_t *grown = realloc(reader->block, size);
    if (grown == NULL) {
        return false;
    }
    reader->block = grown;
    reader->block_capacity = size;
    return true;
}

/* Reads a block in pieces, so that a file that only claims to be large takes no memory. */
static bool read_bytes(qd_record_reader *reader, size_t size)
{
    const size_t piece = (size_t)1 << 20;

    for (reader->block_size = 0; reader->block_size < size;) {
        const size_t left = size - reader->block_size, wanted = left < piece ? left : piece;

        if (!make_place(reader, reader->block_size + wanted) ||
            fread(reader->block + reader->block_size, 1, wanted, reader->stream) != wanted) {
            return false;
        }
        reader->block_size += wanted;
    }
    return true;
}

static qd_record_result cut(qd_record_reader *reader)
{
    return fail(reader, QD_RECORD_CUT, "%s ends within the block at byte %" PRIu64, reader->path, reader->offset);
}

/* QD_RECORD_ENTRY: there is a block of that kind. */
static qd_record_result read_block(qd_record_reader *reader, qd_record_block_kind kind)
{
    uint8_t head[QD_RECORD_BLOCK_HEAD_BYTES];
    qd_record_block block;
    const size_t got = fread(head, 1, sizeof head, reader->stream);

    reader->at = reader->block_size = 0;
    if (got == 0) {
        return QD_RECORD_END;
    }
    if (got < sizeof head) {
        return cut(reader);
    }
    if (!qd_record_block_read(head, &block) || block.kind != kind) {
        return fail(reader, QD_RECORD_BAD, "%s has no block at byte %" PRIu64 ". The file is damaged", reader->path,
                    reader->offset);
    }
    if (!read_bytes(reader, block.size)) {
        return cut(reader);
    }
    if (!qd_record_block_is_whole(&block, reader->block)) {
        return fail(reader, QD_RECORD_BAD,
                    "%s: the block at byte %" PRIu64 " has another checksum than its bytes. The file is damaged",
                    reader->path, reader->offset);
    }
    reader->offset += sizeof head + block.size;
    return QD_RECORD_ENTRY;
}

uint64_t qd_record_text_number(const char *text, const char *key, uint64_t otherwise)
{
    const size_t size = strlen(key);

    for (const char *line = text; line != NULL && *line != '\0'; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, size) == 0 && line[size] == ' ') {
            return strtoull(line + size + 1, NULL, 10);
        }
    }
    return otherwise;
}

static qd_record_result read_beginning(qd_record_reader *reader)
{
    char magic[QD_RECORD_MAGIC_BYTES];

    if (fread(magic, 1, sizeof magic, reader->stream) != sizeof magic ||
        memcmp(magic, QD_RECORD_MAGIC, sizeof magic) != 0) {
        return fail(reader, QD_RECORD_BAD, "%s is no record; must be a file that --record has written. Name another",
                    reader->path);
    }
    reader->offset = sizeof magic;
    const qd_record_result result = read_block(reader, QD_RECORD_TEXT);
    if (result == QD_RECORD_END) {
        return cut(reader);
    }
    if (result != QD_RECORD_ENTRY) {
        return result;
    }
    if (reader->files == 1) {
        snprintf(reader->text, sizeof reader->text, "%.*s",
                 (int)(reader->block_size < 2000 ? reader->block_size : 2000), (const char *)reader->block);
    }
    const uint64_t version = qd_record_text_number(reader->text, "record", 0);
    if (version != QD_RECORD_VERSION) {
        return fail(reader, QD_RECORD_BAD,
                    "%s has the format %" PRIu64 "; must be %u. Replay it with the version of the server that wrote it",
                    reader->path, version, QD_RECORD_VERSION);
    }
    reader->at = reader->block_size;
    return QD_RECORD_ENTRY;
}

qd_record_result qd_record_reader_open(qd_record_reader *reader, const char *path)
{
    *reader = (qd_record_reader){.files = 1};
    snprintf(reader->path, sizeof reader->path, "%s", path);
    reader->stream = fopen(path, "rbe");
    if (reader->stream == NULL) {
        return fail(reader, QD_RECORD_BAD, "%s cannot be read: %s. Name a file that --record has written", path,
                    strerror(errno));
    }
    return read_beginning(reader);
}

void qd_record_reader_close(qd_record_reader *reader)
{
    if (reader->stream != NULL) {
        fclose(reader->stream);
    }
    free(reader->block);
    reader->stream = reader->block = NULL;
}

/* The file that follows, if there is one. */
static qd_record_result turn(qd_record_reader *reader)
{
    char name[QD_RECORD_NAME_BYTES];
    char *last = strrchr(reader->path, '/');
    char *at = last != NULL ? last + 1 : reader->path;

    if (!qd_record_name_next(at, name) || (size_t)(at - reader->path) + sizeof name > sizeof reader->path) {
        return QD_RECORD_END;
    }
    char before[QD_RECORD_NAME_BYTES];
    memcpy(before, at, strlen(at) + 1); /* as long as the next one */
    memcpy(at, name, strlen(name) + 1);
    FILE *next = fopen(reader->path, "rbe");
    if (next == NULL) {
        memcpy(at, before, strlen(before) + 1);
        return QD_RECORD_END;
    }
    fclose(reader->stream);
    reader->stream = next;
    reader->files++;
    return read_beginning(reader);
}

static qd_record_result take_entry(qd_record_reader *reader)
{
    qd_byte_cursor cursor = qd_byte_cursor_of(reader->block + reader->at, reader->block_size - reader->at);

    reader->room = qd_byte_cursor_number(&cursor);
    const uint64_t size = qd_byte_cursor_number(&cursor);
    reader->entry = qd_byte_cursor_bytes(&cursor, size > SIZE_MAX ? SIZE_MAX : (size_t)size);
    reader->size = (size_t)size;
    if (reader->entry == NULL) {
        return fail(reader, QD_RECORD_BAD, "%s: the block before byte %" PRIu64 " has no whole entries", reader->path,
                    reader->offset);
    }
    reader->at = (size_t)(cursor.at - reader->block);
    return QD_RECORD_ENTRY;
}

qd_record_result qd_record_reader_next(qd_record_reader *reader)
{
    while (reader->at == reader->block_size) {
        qd_record_result result = read_block(reader, QD_RECORD_ENTRIES);

        if (result == QD_RECORD_END || result == QD_RECORD_CUT) {
            const qd_record_result turned = turn(reader);

            result = turned == QD_RECORD_END ? result : turned;
        }
        if (result != QD_RECORD_ENTRY) {
            return result;
        }
    }
    return take_entry(reader);
}

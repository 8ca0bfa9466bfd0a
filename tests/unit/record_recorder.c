/* SPDX-License-Identifier: Apache-2.0
 *
 * A record in real files: what the recorder writes, the reader reads; damage is found, and the limit is kept.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/record/record_files.h"
#include "server/record/record_format.h"
#include "server/record/record_reader.h"
#include "server/record/recorder.h"
#include "tests/support/test.h"

#define TEXT       "record 1\nserver test\nwidth 3\n"
#define WALL_S     1700000000u
#define FIRST_FILE "quadrille-20231114T221320Z-000001.qdr"

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/qd-record-XXXXXX");
    return mkdtemp(folder) != NULL ? 0 : -1;
}

/* Calls `each` with the path and the size of each file, and returns how many there are. */
static uint32_t look(uint64_t *bytes, bool removes)
{
    DIR *opened = opendir(folder);
    uint32_t count = 0;

    assert_non_null(opened);
    *bytes = 0;
    for (const struct dirent *row; (row = readdir(opened)) != NULL;) {
        struct stat status;

        if (row->d_name[0] == '.' || fstatat(dirfd(opened), row->d_name, &status, 0) != 0) {
            continue;
        }
        count++;
        *bytes += (uint64_t)status.st_size;
        assert_int_equal(status.st_mode & 0077, 0);
        if (removes) {
            assert_int_equal(unlinkat(dirfd(opened), row->d_name, 0), 0);
        }
    }
    closedir(opened);
    return count;
}

static int remove_folder(void **state)
{
    uint64_t bytes;

    (void)state;
    (void)look(&bytes, true);
    return rmdir(folder);
}

static qd_recorder *start(uint64_t file_bytes, uint64_t bytes_max)
{
    char error[600];
    qd_recorder *recorder = qd_recorder_start(
        &(qd_recorder_config){
            .folder = folder, .file_bytes = file_bytes, .bytes_max = bytes_max, .wall_s = WALL_S, .text = TEXT},
        error, sizeof error);

    if (recorder == NULL) {
        fail_msg("%s", error);
    }
    return recorder;
}

/* Entries of many sizes, one of them larger than a block. */
static size_t size_of(uint32_t number)
{
    return number == 50 ? 700000 : number * 31 % 5000;
}

static void put(qd_recorder *recorder, uint32_t first, uint32_t count)
{
    uint8_t *entry = malloc(700000);

    assert_non_null(entry);
    for (uint32_t number = first; number < first + count; number++) {
        memset(entry, (int)(number & 0xff), size_of(number));
        assert_true(qd_recorder_put(recorder, UINT64_C(1000000) * number, entry, size_of(number)));
    }
    free(entry);
}

static void path_of(const char *name, char path[200])
{
    snprintf(path, 200, "%s/%s", folder, name);
}

/* Reads entries from `number` on, and returns the result that ends them. */
static qd_record_result read_from(qd_record_reader *reader, uint32_t *number)
{
    qd_record_result result;

    while ((result = qd_record_reader_next(reader)) == QD_RECORD_ENTRY) {
        assert_int_equal(reader->room, UINT64_C(1000000) * *number);
        assert_int_equal(reader->size, size_of(*number));
        for (size_t i = 0; i < reader->size; i++) {
            assert_int_equal(reader->entry[i], *number & 0xff);
        }
        ++*number;
    }
    return result;
}

static qd_record_reader reader;

static qd_record_result read_all(uint32_t *number)
{
    char path[200];

    *number = 0;
    path_of(FIRST_FILE, path);
    const qd_record_result opened = qd_record_reader_open(&reader, path);
    return opened == QD_RECORD_ENTRY ? read_from(&reader, number) : opened;
}

TEST_WITH(entries_are_read_as_they_were_put, make_folder, remove_folder)
{
    qd_recorder *recorder = start(1 << 30, 1u << 31);
    uint32_t read;

    put(recorder, 0, 200);
    assert_int_equal(qd_recorder_refused(recorder), 0);
    qd_recorder_stop(recorder);
    assert_int_equal(read_all(&read), QD_RECORD_END);
    assert_int_equal(read, 200);
    assert_int_equal(reader.files, 1);
    assert_int_equal(qd_record_text_number(reader.text, "width", 0), 3);
    assert_int_equal(qd_record_text_number(reader.text, "idth", 9), 9);
    qd_record_reader_close(&reader);
}

TEST_WITH(a_full_file_is_followed_by_the_next, make_folder, remove_folder)
{
    qd_recorder *recorder = start(64 << 10, 1u << 30);
    uint64_t bytes;
    uint32_t read;

    /* The writer takes what came in 0.1 s as one block. */
    for (uint32_t round = 0; round < 2; round++) {
        put(recorder, round * 100, 100);
        usleep(300000);
    }
    qd_recorder_stop(recorder);
    assert_true(look(&bytes, false) >= 2);
    assert_int_equal(read_all(&read), QD_RECORD_END);
    assert_int_equal(read, 200);
    assert_true(reader.files >= 2);
    qd_record_reader_close(&reader);
}

TEST_WITH(the_oldest_files_are_deleted_beyond_the_limit, make_folder, remove_folder)
{
    qd_recorder *recorder = start(64 << 10, 2 << 20);
    uint8_t entry[100000] = {0};
    uint64_t bytes;

    for (uint32_t i = 0; i < 100; i++) {
        while (!qd_recorder_put(recorder, i, entry, sizeof entry)) {
            usleep(1000);
        }
    }
    qd_recorder_stop(recorder);
    assert_true(look(&bytes, false) > 1);
    assert_in_range(bytes, 1 << 20, (2 << 20) + (1 << 20));
    char path[200];
    path_of(FIRST_FILE, path);
    assert_int_not_equal(access(path, F_OK), 0);
}

TEST_WITH(a_second_server_is_refused, make_folder, remove_folder)
{
    qd_recorder *recorder = start(1 << 20, 1 << 30);
    char error[600];

    assert_null(qd_recorder_start(
        &(qd_recorder_config){.folder = folder, .file_bytes = 1 << 20, .bytes_max = 1 << 30, .text = TEXT}, error,
        sizeof error));
    assert_non_null(strstr(error, "another server records"));
    qd_recorder_stop(recorder);
}

/* More than the queue holds, in one moment. */
TEST_WITH(a_full_queue_refuses_and_counts, make_folder, remove_folder)
{
    qd_recorder *recorder = start(1 << 30, 1u << 31);
    const size_t size = (size_t)20 << 20;
    uint8_t *entry = calloc(1, size);
    uint32_t taken = 0;

    assert_non_null(entry);
    for (uint32_t i = 0; i < 20; i++) {
        taken += qd_recorder_put(recorder, 1, entry, size);
    }
    assert_in_range(taken, 1, 19);
    assert_int_equal(qd_recorder_refused(recorder), 20 - taken);
    qd_recorder_stop(recorder);
    free(entry);
}

/* Changes or cuts the first file of a small record, and reads it. */
static qd_record_result read_damaged(off_t at, off_t cut_at, uint32_t *read)
{
    char path[200];

    path_of(FIRST_FILE, path);
    const int file = open(path, O_RDWR);
    uint8_t byte;
    assert_true(file >= 0);
    if (cut_at > 0) {
        assert_int_equal(ftruncate(file, cut_at), 0);
    } else {
        assert_int_equal(pread(file, &byte, 1, at), 1);
        byte ^= 0x10;
        assert_int_equal(pwrite(file, &byte, 1, at), 1);
    }
    close(file);
    return read_all(read);
}

TEST_WITH(a_changed_byte_is_found, make_folder, remove_folder)
{
    static const off_t places[] = {0, 9, 13, 17, 25, 55, 60, 5000};

    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        qd_recorder *recorder = start(1 << 30, 1u << 31);
        uint64_t bytes;
        uint32_t read;

        put(recorder, 0, 40);
        qd_recorder_stop(recorder);
        const qd_record_result result = read_damaged(places[i], 0, &read);
        assert_true(result == QD_RECORD_BAD || result == QD_RECORD_CUT);
        assert_non_null(strstr(reader.error, FIRST_FILE));
        assert_int_equal(read, 0);
        qd_record_reader_close(&reader);
        (void)look(&bytes, true);
    }
}

static off_t size_of_first(void)
{
    struct stat status;
    char path[200];

    path_of(FIRST_FILE, path);
    assert_int_equal(stat(path, &status), 0);
    return status.st_size;
}

TEST_WITH(a_file_that_is_cut_gives_what_is_before, make_folder, remove_folder)
{
    qd_recorder *recorder = start(1 << 30, 1u << 31);
    off_t written = 0;
    uint32_t read;

    for (uint32_t number = 0; number < 40; number++) {
        written += (off_t)size_of(number);
    }
    put(recorder, 0, 40);
    for (uint32_t waited_ms = 0; size_of_first() < written && waited_ms < 20000; waited_ms++) {
        usleep(1000);
    }
    put(recorder, 40, 40);
    qd_recorder_stop(recorder);
    assert_int_equal(read_damaged(0, size_of_first() - 1, &read), QD_RECORD_CUT);
    assert_in_range(read, 40, 79);
    qd_record_reader_close(&reader);
    assert_int_equal(read_damaged(0, 10, &read), QD_RECORD_CUT);
    qd_record_reader_close(&reader);
    assert_int_equal(read_damaged(0, 5, &read), QD_RECORD_BAD);
    qd_record_reader_close(&reader);
}

TEST(names_follow_each_other)
{
    char next[QD_RECORD_NAME_BYTES];

    assert_true(qd_record_name_next(FIRST_FILE, next));
    assert_string_equal(next, "quadrille-20231114T221320Z-000002.qdr");
    assert_true(qd_record_name_next("quadrille-20231114T221320Z-999999.qdr", next));
    assert_string_equal(next, "quadrille-20231114T221320Z-1000000.qdr");
    assert_false(qd_record_name_next("sample.qdr", next));
    assert_false(qd_record_name_next("quadrille-20231114T221320Z-1.qdr", next));
}

TEST_MAIN()

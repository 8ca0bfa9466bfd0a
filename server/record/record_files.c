/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* flock */
#include "record_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FORM "quadrille-%s-%06" PRIu32 ".qdr"

static bool parse(const char *name, char start[20], uint32_t *number)
{
    char again[QD_RECORD_NAME_BYTES];

    if (sscanf(name, "quadrille-%16[0-9TZ]-%" SCNu32 ".qdr", start, number) != 2 || strlen(start) != 16) {
        return false;
    }
    snprintf(again, sizeof again, FORM, start, *number);
    return strcmp(again, name) == 0;
}

bool qd_record_name_next(const char *name, char next[QD_RECORD_NAME_BYTES])
{
    char start[20];
    uint32_t number;

    if (!parse(name, start, &number) || number == UINT32_MAX) {
        return false;
    }
    snprintf(next, QD_RECORD_NAME_BYTES, FORM, start, number + 1);
    return true;
}

bool qd_record_files_open(qd_record_files *files, const char *folder, uint64_t wall_s, char *error, size_t error_size)
{
    const time_t now = (time_t)wall_s;
    struct tm utc;

    *files = (qd_record_files){.folder = -1};
    if (mkdir(folder, 0700) != 0 && errno != EEXIST) {
        snprintf(error, error_size, "--record is %s, which cannot be created: %s. Create it, or name another folder",
                 folder, strerror(errno));
        return false;
    }
    files->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (files->folder < 0) {
        snprintf(error, error_size, "--record is %s, which cannot be opened: %s. Name a folder", folder,
                 strerror(errno));
        return false;
    }
    if (flock(files->folder, LOCK_EX | LOCK_NB) != 0) {
        snprintf(error, error_size,
                 "--record is %s, into which another server records; must be a folder of its own. Name another one",
                 folder);
        qd_record_files_close(files);
        return false;
    }
    strftime(files->start, sizeof files->start, "%Y%m%dT%H%M%SZ", gmtime_r(&now, &utc));
    return true;
}

void qd_record_files_close(qd_record_files *files)
{
    if (files->folder >= 0) {
        close(files->folder);
    }
    files->folder = -1;
}

int qd_record_files_next(qd_record_files *files)
{
    char name[QD_RECORD_NAME_BYTES];
    int file;

    /* A server that starts twice in a second continues the numbers. */
    do {
        snprintf(name, sizeof name, FORM, files->start, ++files->number);
        file = openat(files->folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    } while (file < 0 && errno == EEXIST);
    return file;
}

/* The name and the size of the oldest file, and the bytes of all. */
static uint64_t look(const qd_record_files *files, char oldest[QD_RECORD_NAME_BYTES], uint64_t *oldest_bytes)
{
    const int again = openat(files->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = again >= 0 ? fdopendir(again) : NULL;
    uint64_t bytes = 0;

    oldest[0] = '\0';
    if (folder == NULL) {
        if (again >= 0) {
            close(again);
        }
        return 0;
    }
    for (const struct dirent *row; (row = readdir(folder)) != NULL;) {
        char start[20];
        uint32_t number;
        struct stat status;

        if (!parse(row->d_name, start, &number) || fstatat(files->folder, row->d_name, &status, 0) != 0) {
            continue;
        }
        bytes += (uint64_t)status.st_size;
        if (oldest[0] == '\0' || strcmp(row->d_name, oldest) < 0) {
            snprintf(oldest, QD_RECORD_NAME_BYTES, "%.*s", (int)QD_RECORD_NAME_BYTES - 1, row->d_name);
            *oldest_bytes = (uint64_t)status.st_size;
        }
    }
    closedir(folder);
    return bytes;
}

uint32_t qd_record_files_trim(const qd_record_files *files, uint64_t bytes_max)
{
    char oldest[QD_RECORD_NAME_BYTES], current[QD_RECORD_NAME_BYTES];
    uint64_t oldest_bytes = 0;
    uint32_t deleted = 0;

    snprintf(current, sizeof current, FORM, files->start, files->number);
    while (look(files, oldest, &oldest_bytes) > bytes_max && oldest[0] != '\0' && strcmp(oldest, current) != 0 &&
           unlinkat(files->folder, oldest, 0) == 0) {
        deleted++;
    }
    return deleted;
}

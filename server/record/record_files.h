/* SPDX-License-Identifier: Apache-2.0
 *
 * The files in the folder of a record. Their names sort by age:
 *
 *     quadrille-20260131T235959Z-000001.qdr      start of the server, number of the file
 *
 * One server at a time records into a folder. The files of earlier servers count towards the limit, and are deleted
 * first.
 */
#ifndef QD_RECORD_RECORD_FILES_H
#define QD_RECORD_RECORD_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QD_RECORD_NAME_BYTES 64u

typedef struct qd_record_files {
    int folder; /* locked; -1: none */
    char start[20];
    uint32_t number; /* of the last file */
} qd_record_files;

/* Opens the folder, and creates it if its parent is there. False: *error has the reason. */
bool qd_record_files_open(qd_record_files *files, const char *folder, uint64_t wall_s, char *error, size_t error_size);
void qd_record_files_close(qd_record_files *files);
/* Creates the next file, which only its owner may read. Returns -1 with errno. */
int qd_record_files_next(qd_record_files *files);
/* Deletes the oldest files, except the current one, until all have at most that many bytes. Returns how many. */
uint32_t qd_record_files_trim(const qd_record_files *files, uint64_t bytes_max);

/* The name of the file that follows the one of that name. False: it is no name of a record's file. */
bool qd_record_name_next(const char *name, char next[QD_RECORD_NAME_BYTES]);

#endif

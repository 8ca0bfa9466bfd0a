/* SPDX-License-Identifier: Apache-2.0
 *
 * One reading of the admin API: the server's figures, and the rows of one table.
 */
#ifndef QD_TOOLS_TOP_READING_H
#define QD_TOOLS_TOP_READING_H

#include "top_api.h"
#include "top_table.h"

typedef struct qd_top_server {
    char version[64]; /* escaped */
    double uptime_s, sessions, rooms, rooms_slowed, workers, memory_bytes, memory_max_bytes;
    double updates, ticks;             /* since the server's start */
    double updates_per_s, ticks_per_s; /* NAN: not known yet */
} qd_top_server;

typedef struct qd_top_reading {
    qd_top_server server;
    qd_top_table table;
} qd_top_reading;

/* Reads both, and computes the rates from `earlier`, which may be all zero. Returns false if it failed; `error` says
 * why, as in qd_top_api_get. */
bool qd_top_read(qd_top_api *api, qd_top_kind kind, const qd_top_reading *earlier, qd_top_reading *reading,
                 char error[QD_TOP_ERROR_SIZE]);

/* The lines above the table. */
#define QD_TOP_LINE_SIZE 160u
void qd_top_server_lines(const qd_top_server *server, char first[QD_TOP_LINE_SIZE], char second[QD_TOP_LINE_SIZE]);

#endif

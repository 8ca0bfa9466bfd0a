/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads any bytes as a recording, gzipped or plain. Either there is an error, or what trace.h promises of its rows holds.
 */
#define _GNU_SOURCE /* memfd_create */
#include "client/tools/trace.h"

#include <math.h>

#include "fuzz/as_file.h"

/* A recording may claim more ticks than anybody can play. */
#define TICKS_TRIED 1000u

static void check_scene(const qd_trace *trace, const qd_trace_scene *scene)
{
    FUZZ_CHECK(scene->first <= trace->rows_count && scene->count <= trace->rows_count - scene->first);
    for (size_t i = scene->first; i < scene->first + scene->count; i++) {
        const qd_entity *row = &trace->rows[i];

        FUZZ_CHECK(i == scene->first || row[-1].id < row->id);
        FUZZ_CHECK(isfinite(row->x) && isfinite(row->y) && row->half_x >= 0 && row->half_y >= 0);
    }
}

static void check_trace(const qd_trace *trace)
{
    qd_trace_cursor cursor = qd_trace_begin(trace);
    qd_trace_scene scene;
    uint64_t tried = 0, ticks = qd_trace_ticks(trace);

    FUZZ_CHECK(trace->rows_count > 0 && trace->scenes_count > 0 && ticks >= trace->scenes_count);
    FUZZ_CHECK(trace->bounds.min_x <= trace->bounds.max_x && trace->bounds.min_y <= trace->bounds.max_y);
    for (; tried < TICKS_TRIED && qd_trace_next(&cursor, &scene); tried++) {
        check_scene(trace, &scene);
    }
    FUZZ_CHECK(tried == (ticks < TICKS_TRIED ? ticks : TICKS_TRIED));
    for (size_t i = 0; i < trace->scenes_count; i++) {
        FUZZ_CHECK(i == 0 || trace->scenes[i - 1].tick < trace->scenes[i].tick);
        check_scene(trace, &trace->scenes[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char path[FUZZ_PATH_SIZE], error[QD_TRACE_ERROR_BYTES] = "";
    int file = fuzz_as_file(bytes, size, path);
    qd_trace *trace = qd_trace_load(path, error);

    if (trace == NULL) {
        FUZZ_CHECK(error[0] != '\0');
    } else {
        check_trace(trace);
        qd_trace_destroy(trace);
    }
    close(file);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "trace.h"

#include "csv.h"
#include "options.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define LINE_BYTES_MAX 4096
#define HEADER         "tick,id,x,y,hx,hy"
#define FIELDS         6
/* Keeps sums of ticks far from overflow. */
#define TICK_MAX (1ULL << 53)

typedef struct loader {
    qd_trace *trace;
    size_t rows_capacity, scenes_capacity;
    unsigned long line;
    unsigned long scene_line; /* of the first row of the last scene */
    bool has_header, has_bounds;
    char *error;
} loader;

static bool fail(loader *load, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool fail(loader *load, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    int length = snprintf(load->error, QD_TRACE_ERROR_BYTES, "line %lu: ", load->line);
    vsnprintf(load->error + length, QD_TRACE_ERROR_BYTES - (size_t)length, format, arguments);
    va_end(arguments);
    return false;
}

/* Makes room for one more element. */
static bool reserve(loader *load, void **array, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity) {
        return true;
    }
    size_t more = *capacity > 0 ? *capacity * 2 : 4096;
    void *grown = realloc(*array, more * size);
    if (grown == NULL) {
        return fail(load, "out of memory");
    }
    *array = grown;
    *capacity = more;
    return true;
}

/* ---- comments ---- */

static bool take_bounds(loader *load, const char *text)
{
    float corner[4];
    char rest = '\0';

    if (sscanf(text, "%f %f %f %f %c", &corner[0], &corner[1], &corner[2], &corner[3], &rest) != 4 ||
        !(corner[0] < corner[2] && corner[1] < corner[3]) || !isfinite(corner[2] - corner[0]) ||
        !isfinite(corner[3] - corner[1])) {
        return fail(load, "bounds is '%.80s'; must be minx miny maxx maxy, each minimum below its maximum", text);
    }
    load->trace->bounds =
        (qd_msg_bounds){.min_x = corner[0], .min_y = corner[1], .max_x = corner[2], .max_y = corner[3]};
    load->has_bounds = true;
    return true;
}

static bool take_comment(loader *load, char *line)
{
    char *key = line + 1 + strspn(line + 1, " \t");
    char *value = strchr(key, ':');

    if (value == NULL) {
        return true;
    }
    *value++ = '\0';
    value += strspn(value, " \t");
    value[strcspn(value, "\r\n")] = '\0';
    if (strcmp(key, "bounds") == 0) {
        return take_bounds(load, value);
    }
    if (strcmp(key, "hz") == 0) {
        char *end = NULL;
        double hz = strtod(value, &end);

        if (end == value || !(hz > 0) || !(hz <= 1e6)) {
            return fail(load, "hz is '%.80s'; must be a number above 0", value);
        }
        load->trace->hz = hz;
    }
    if (strcmp(key, "shape") == 0) {
        bool is_circle = strcmp(value, "circle") == 0;

        if (!is_circle && strcmp(value, "box") != 0) {
            return fail(load, "shape is '%.80s'; must be box or circle", value);
        }
        load->trace->shape = is_circle ? QD_SHAPE_CIRCLE : QD_SHAPE_BOX;
    }
    return true;
}

/* ---- rows ---- */

static bool take_tick(loader *load, const char *text, uint64_t *tick)
{
    char *end = NULL;

    errno = 0;
    *tick = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || *tick > TICK_MAX) {
        return fail(load, "tick is '%.40s'; must be a whole number from 0 to %llu", text, TICK_MAX);
    }
    return true;
}

static int compare_ids(const void *left, const void *right)
{
    uint32_t a = ((const qd_entity *)left)->id, b = ((const qd_entity *)right)->id;

    return (a > b) - (a < b);
}

/* Sorts the last scene, which is complete; `last_line` has its last row. */
static bool finish_scene(loader *load, unsigned long last_line)
{
    const qd_trace *trace = load->trace;

    if (trace->scenes_count == 0) {
        return true;
    }
    const qd_trace_scene *scene = &trace->scenes[trace->scenes_count - 1];
    qd_entity *rows = trace->rows + scene->first;
    qsort(rows, scene->count, sizeof *rows, compare_ids);
    for (uint32_t i = 1; i < scene->count; i++) {
        if (rows[i - 1].id != rows[i].id) {
            continue;
        }
        snprintf(load->error, QD_TRACE_ERROR_BYTES, "lines %lu to %lu: tick %llu lists id %u twice", load->scene_line,
                 last_line, (unsigned long long)scene->tick, rows[i].id);
        return false;
    }
    return true;
}

static bool add_row(loader *load, uint64_t tick, qd_entity entity)
{
    qd_trace *trace = load->trace;
    qd_trace_scene *scene = trace->scenes_count > 0 ? &trace->scenes[trace->scenes_count - 1] : NULL;

    if (scene != NULL && tick < scene->tick) {
        return fail(load, "tick %llu after tick %llu: rows must be sorted by tick", (unsigned long long)tick,
                    (unsigned long long)scene->tick);
    }
    if (scene == NULL || tick > scene->tick) {
        if (!finish_scene(load, load->line - 1)) {
            return false;
        }
        if (!reserve(load, (void **)&trace->scenes, trace->scenes_count, &load->scenes_capacity, sizeof *scene)) {
            return false;
        }
        scene = &trace->scenes[trace->scenes_count++];
        *scene = (qd_trace_scene){.tick = tick, .first = trace->rows_count};
        load->scene_line = load->line;
    }
    if (!reserve(load, (void **)&trace->rows, trace->rows_count, &load->rows_capacity, sizeof entity)) {
        return false;
    }
    trace->rows[trace->rows_count++] = entity;
    scene->count++;
    return true;
}

static bool take_row(loader *load, char *line)
{
    static const char *const names[FIELDS] = {"tick", "id", "x", "y", "hx", "hy"};
    char *fields[FIELDS];
    uint64_t tick;
    qd_entity entity = {.shape = QD_SHAPE_BOX, .category = 1, .mask = UINT32_MAX};
    float *reals[FIELDS] = {NULL, NULL, &entity.x, &entity.y, &entity.half_x, &entity.half_y};
    size_t count = qd_csv_split(line, fields, FIELDS);

    if (count != FIELDS) {
        return fail(load, "%zu fields: a row is " HEADER, count);
    }
    if (!take_tick(load, fields[0], &tick)) {
        return false;
    }
    if (!qd_options_uint32(fields[1], &entity.id)) {
        return fail(load, "id is '%.40s'; must be a whole number from 0 to %u", fields[1], UINT32_MAX);
    }
    for (size_t i = 2; i < FIELDS; i++) {
        if (!qd_options_float(fields[i], reals[i])) {
            return fail(load, "%s is '%.40s'; must be a finite number", names[i], fields[i]);
        }
        if (i >= 4 && *reals[i] < 0) {
            return fail(load, "%s is '%.40s'; must be 0 or more", names[i], fields[i]);
        }
    }
    return add_row(load, tick, entity);
}

static bool take_line(loader *load, char *line)
{
    load->line++;
    if (strchr(line, '\n') == NULL && strlen(line) == LINE_BYTES_MAX - 1) {
        return fail(load, "longer than %d bytes", LINE_BYTES_MAX - 2);
    }
    char *start = line + strspn(line, " \t\r\n");
    if (*start == '\0') {
        return true;
    }
    if (*start == '#') {
        return take_comment(load, start);
    }
    if (load->has_header) {
        return take_row(load, start);
    }
    start[strcspn(start, "\r\n")] = '\0';
    if (strcmp(start, HEADER) != 0) {
        return fail(load, "'%.60s': the header " HEADER " must come before the rows", start);
    }
    load->has_header = true;
    return true;
}

/* ---- the whole ---- */

/* The bounds of all rows; a room needs an extent above 0 on each axis. */
static qd_msg_bounds bounds_of(const qd_trace *trace)
{
    qd_msg_bounds bounds = {.min_x = INFINITY, .min_y = INFINITY, .max_x = -INFINITY, .max_y = -INFINITY};

    for (size_t i = 0; i < trace->rows_count; i++) {
        const qd_entity *row = &trace->rows[i];
        float reach_x = trace->shape == QD_SHAPE_BOX ? row->half_x : row->radius;
        float reach_y = trace->shape == QD_SHAPE_BOX ? row->half_y : row->radius;

        bounds.min_x = fminf(bounds.min_x, row->x - reach_x);
        bounds.min_y = fminf(bounds.min_y, row->y - reach_y);
        bounds.max_x = fmaxf(bounds.max_x, row->x + reach_x);
        bounds.max_y = fmaxf(bounds.max_y, row->y + reach_y);
    }
    if (!(bounds.min_x < bounds.max_x)) {
        bounds.max_x = bounds.min_x + 1 + fabsf(bounds.min_x);
    }
    if (!(bounds.min_y < bounds.max_y)) {
        bounds.max_y = bounds.min_y + 1 + fabsf(bounds.min_y);
    }
    return bounds;
}

static bool read_lines(loader *load, gzFile file)
{
    char line[LINE_BYTES_MAX];
    int status = Z_OK;

    while (gzgets(file, line, sizeof line) != NULL) {
        if (!take_line(load, line)) {
            return false;
        }
    }
    const char *text = gzerror(file, &status);
    if (status != Z_OK && status != Z_STREAM_END) {
        return fail(load, "cannot read on: %s", status == Z_ERRNO ? strerror(errno) : text);
    }
    if (!load->has_header) {
        return fail(load, "the file ends without the header " HEADER);
    }
    if (load->trace->rows_count == 0) {
        return fail(load, "the file ends without a row");
    }
    return finish_scene(load, load->line);
}

/* A circle's row has its radius as hx. */
static void turn_into_circles(qd_trace *trace)
{
    for (size_t i = 0; i < trace->rows_count; i++) {
        qd_entity *row = &trace->rows[i];

        row->radius = row->half_x;
        row->half_x = row->half_y = 0;
        row->shape = QD_SHAPE_CIRCLE;
    }
}

qd_trace *qd_trace_load(const char *path, char error[QD_TRACE_ERROR_BYTES])
{
    loader load = {.trace = calloc(1, sizeof(qd_trace)), .error = error};
    gzFile file = strcmp(path, "-") == 0 ? gzdopen(0, "rb") : gzopen(path, "rb");
    bool good = false;

    if (load.trace == NULL || file == NULL) {
        snprintf(error, QD_TRACE_ERROR_BYTES, "%s", file == NULL ? strerror(errno) : "out of memory");
    } else {
        load.trace->shape = QD_SHAPE_BOX;
        good = read_lines(&load, file);
    }
    /* This detects a truncated gzip file at the latest. */
    if (file != NULL && gzclose_r(file) != Z_OK && good) {
        good = fail(&load, "the file is truncated");
    }
    if (!good) {
        qd_trace_destroy(load.trace);
        return NULL;
    }
    if (load.trace->shape == QD_SHAPE_CIRCLE) {
        turn_into_circles(load.trace);
    }
    if (!load.has_bounds) {
        load.trace->bounds = bounds_of(load.trace);
    }
    return load.trace;
}

void qd_trace_destroy(qd_trace *trace)
{
    if (trace == NULL) {
        return;
    }
    free(trace->rows);
    free(trace->scenes);
    free(trace);
}

qd_trace_cursor qd_trace_begin(const qd_trace *trace)
{
    return (qd_trace_cursor){.trace = trace, .tick = trace->scenes[0].tick};
}

bool qd_trace_next(qd_trace_cursor *cursor, qd_trace_scene *scene)
{
    const qd_trace *trace = cursor->trace;

    if (cursor->scene == trace->scenes_count) {
        return false;
    }
    const qd_trace_scene *next = &trace->scenes[cursor->scene];
    *scene = (qd_trace_scene){.tick = cursor->tick};
    if (next->tick == cursor->tick) {
        *scene = *next;
        cursor->scene++;
    }
    cursor->tick++;
    return true;
}

uint64_t qd_trace_ticks(const qd_trace *trace)
{
    return trace->scenes[trace->scenes_count - 1].tick - trace->scenes[0].tick + 1;
}

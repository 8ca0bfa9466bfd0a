/* SPDX-License-Identifier: Apache-2.0
 *
 * What a position costs in the relay stream (proto/RELAY.md): bytes, and ns to write it with each instruction set and to
 * read it. Times are medians over the ticks.
 *
 *     bench_proto_relay                        made motion
 *     bench_proto_relay --traces FOLDER        and the recorded crowds in FOLDER/NAME.csv.gz
 *     bench_proto_relay --record FILE          also records the stream of 10,000 steady entities for
 *                                              `node tests/support/relay_replay.mjs FILE 20`, which prints the rate
 *
 * Made motion is n entities in a world of side 4 sqrt(n), up to 0.25 per axis and tick. They keep their speed (steady),
 * or get another one at every tick (erratic). `gathered` copies the positions from columns in another order first.
 * `every 20` sends a twentieth of the slots per tick, spread over all or in blocks of 16.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "median.h"
#include "support/relay_end.h"
#include "support/relay_recording.h"
#include "support/rng.h"

#define WRITERS 3u

static double now_ns(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* ---- a stream: one writer per instruction set, and a reader ---- */

typedef struct stream {
    relay_end writers[WRITERS], reader;
    double *write_ns[WRITERS], *read_ns; /* per position, one value per tick */
    size_t ticks, ticks_max;
    double positions, exact, bytes, error;
    FILE *record;
} stream;

static stream stream_new(int k, uint32_t count, size_t ticks_max, FILE *record)
{
    stream made = {.reader = relay_end_new(2, k, count), .ticks_max = ticks_max, .record = record};

    made.read_ns = relay_zeroed(ticks_max * sizeof(double));
    for (unsigned i = 0; i < WRITERS; i++) {
        made.writers[i] = relay_end_new(2, k, count);
        made.write_ns[i] = relay_zeroed(ticks_max * sizeof(double));
    }
    if (record != NULL) {
        recording_state(record, &made.reader.state);
    }
    return made;
}

static void stream_free(stream *gone)
{
    relay_end_free(&gone->reader);
    for (unsigned i = 0; i < WRITERS; i++) {
        relay_end_free(&gone->writers[i]);
        free(gone->write_ns[i]);
    }
    free(gone->read_ns);
}

static void stream_enter(stream *to, uint32_t slot, const float *at)
{
    qd_relay_start(&to->reader.state, slot, at);
    for (unsigned i = 0; i < WRITERS; i++) {
        qd_relay_start(&to->writers[i].state, slot, at);
    }
    if (to->record != NULL) {
        recording_start(to->record, &to->reader.state, slot, at);
    }
}

static void check(bool is_right, const char *what)
{
    if (!is_right) {
        fprintf(stderr, "bench_proto_relay: %s\n", what);
        exit(1);
    }
}

static double error_of(const stream *from, uint32_t slot, const float *const *at)
{
    const double x = fabs((double)qd_relay_position(&from->reader.state, 0, slot) - (double)at[0][slot]);
    const double y = fabs((double)qd_relay_position(&from->reader.state, 1, slot) - (double)at[1][slot]);

    return x > y ? x : y;
}

/* Writes the slots that are due in writers[0]. `source` is the entity of each slot, in the columns of `from`. */
static void stream_tick(stream *to, const float *const *from, const uint32_t *source, bool gathers)
{
    const size_t due_size = ((size_t)to->reader.state.count + 15) / 16 * 2;
    const size_t tick = to->ticks++;
    const float *first[QD_RELAY_AXES] = {NULL};
    qd_relay_write write = {0};
    size_t size = 0;

    for (unsigned i = 1; i < WRITERS; i++) {
        memcpy(to->writers[i].due, to->writers[0].due, due_size);
    }
    for (unsigned i = WRITERS; i-- > 0;) {
        relay_end *end = &to->writers[i];
        qd_relay_writer *writer = qd_relay_writer_at(i);

        if (writer == NULL) {
            continue;
        }
        const double begun = now_ns();
        if (gathers) {
            for (uint32_t slot = 0; slot < end->state.count; slot++) {
                end->at[0][slot] = from[0][source[slot]];
                end->at[1][slot] = from[1][source[slot]];
            }
        }
        write = relay_end_write(end, 0, SIZE_MAX);
        if (!gathers) {
            write.at[0] = from[0];
            write.at[1] = from[1];
        }
        writer(&end->state, &write);
        const double ns = now_ns() - begun;
        to->write_ns[i][tick] = ns / (write.sent + write.exact_count + !(write.sent + write.exact_count));
        check(size == 0 || size == write.size, "two instruction sets write different blobs");
        size = write.size;
        first[0] = write.at[0];
        first[1] = write.at[1];
    }
    const double begun = now_ns();
    const uint32_t sent =
        write.sent == 0 ? 0 : qd_relay_read(&to->reader.state, write.blob, write.size, to->reader.slots);
    to->read_ns[tick] = (now_ns() - begun) / (sent + !sent);
    check(sent == write.sent, "the reader refused a blob");
    for (uint32_t i = 0; i < sent; i++) {
        to->error = fmax(to->error, error_of(to, to->reader.slots[i], first));
    }
    if (to->record != NULL && sent > 0) {
        recording_blob(to->record, write.blob, write.size);
    }
    for (uint32_t i = 0; i < write.exact_count; i++) {
        const float at[] = {first[0][write.exact[i]], first[1][write.exact[i]]};

        qd_relay_start(&to->reader.state, write.exact[i], at);
        if (to->record != NULL) {
            recording_start(to->record, &to->reader.state, write.exact[i], at);
        }
    }
    if (to->record != NULL) {
        recording_expect(to->record, &to->reader.state);
    }
    to->positions += write.sent + write.exact_count;
    to->exact += write.exact_count;
    to->bytes += (double)write.size + write.exact_count * (double)qd_relay_exact_bytes(2);
}

static void stream_print(stream *from, const char *name)
{
    printf("%-34s %10.0f %7.0f %6.2f", name, from->positions, from->exact, from->bytes / from->positions);
    for (unsigned i = 0; i < WRITERS; i++) {
        if (qd_relay_writer_at(i) != NULL) {
            printf(" %8.2f", median(from->write_ns[i], from->ticks));
        } else {
            printf(" %8s", "-");
        }
    }
    printf(" %6.2f %9.6f\n", median(from->read_ns, from->ticks), from->error);
    check(from->error <= ldexp(1, -from->reader.state.k - 1), "a position is off by more than half a step");
}

/* ---- made motion ---- */

typedef enum made_order { MADE_IN_ORDER, MADE_GATHERED, MADE_EVERY_20, MADE_EVERY_20_IN_BLOCKS } made_order;

static bool is_due(made_order order, uint32_t slot, uint32_t tick)
{
    switch (order) {
    case MADE_EVERY_20:
        return (slot + tick) % 20 == 0;
    case MADE_EVERY_20_IN_BLOCKS:
        return (slot / 16 + tick) % 20 == 0;
    default:
        return true;
    }
}

static void measure_made(const char *name, uint32_t count, int k, bool erratic, made_order order, FILE *record)
{
    const uint32_t ticks = count > 50000 ? 60 : 200;
    const float side = 4 * sqrtf((float)count);
    rng_stream rng = {1};
    float *at[2] = {relay_zeroed((size_t)count * 4 + 64), relay_zeroed((size_t)count * 4 + 64)};
    float *speed[2] = {relay_zeroed((size_t)count * 4), relay_zeroed((size_t)count * 4)};
    uint32_t *source = relay_zeroed((size_t)count * 4);
    stream run = stream_new(k, count, ticks, record);

    for (uint32_t i = 0; i < count; i++) {
        source[i] = i;
        for (unsigned axis = 0; axis < 2; axis++) {
            at[axis][i] = rng_between(&rng, 0, side);
            speed[axis][i] = rng_between(&rng, -0.25, 0.25);
        }
    }
    for (uint32_t i = count - 1; i > 0 && order == MADE_GATHERED; i--) {
        const uint32_t other = rng_below(&rng, i + 1), kept = source[i];

        source[i] = source[other];
        source[other] = kept;
    }
    for (uint32_t slot = 0; slot < count; slot++) {
        stream_enter(&run, slot, (const float[]){at[0][source[slot]], at[1][source[slot]]});
    }
    for (uint32_t tick = 0; tick < ticks; tick++) {
        for (uint32_t i = 0; i < count; i++) {
            for (unsigned axis = 0; axis < 2; axis++) {
                const bool leaves = at[axis][i] + speed[axis][i] < 0 || at[axis][i] + speed[axis][i] > side;

                speed[axis][i] = erratic ? rng_between(&rng, -0.25, 0.25) : leaves ? -speed[axis][i] : speed[axis][i];
                at[axis][i] += speed[axis][i];
            }
        }
        for (uint32_t slot = 0; slot < count; slot++) {
            if (is_due(order, slot, tick)) {
                relay_end_due(&run.writers[0], slot);
            }
        }
        stream_tick(&run, (const float *const *)at, source, order == MADE_GATHERED);
    }
    stream_print(&run, name);
    stream_free(&run);
    for (unsigned axis = 0; axis < 2; axis++) {
        free(at[axis]);
        free(speed[axis]);
    }
    free(source);
}

/* ---- recorded crowds ---- */

#define TRACE_ROWS  200000u
#define TRACE_TICKS 20000u
#define TRACE_IDS   2000u
#define TRACE_SLOTS 8192u

typedef struct trace_row {
    uint32_t id;
    float at[2];
} trace_row;

static struct trace {
    trace_row rows[TRACE_ROWS];
    uint32_t begin[TRACE_TICKS + 1]; /* the first row of each tick */
    uint32_t ticks;
} trace;

static void read_trace(const char *folder, const char *name)
{
    char command[1024], line[256];
    uint32_t rows = 0, last = UINT32_MAX;

    snprintf(command, sizeof command, "gzip -dc '%s/%s.csv.gz'", folder, name);
    FILE *pipe = popen(command, "r");
    check(pipe != NULL, "cannot run gzip");
    trace.ticks = 0;
    while (fgets(line, sizeof line, pipe) != NULL) {
        trace_row *row = &trace.rows[rows];
        uint32_t tick;

        if (sscanf(line, "%u,%u,%f,%f", &tick, &row->id, &row->at[0], &row->at[1]) != 4) {
            continue;
        }
        if (tick != last) {
            check(trace.ticks < TRACE_TICKS, "the trace has too many ticks");
            trace.begin[trace.ticks++] = rows;
            last = tick;
        }
        check(++rows < TRACE_ROWS && row->id < TRACE_IDS, "the trace has too many rows or ids");
    }
    check(pclose(pipe) == 0 && rows > 0, "cannot read the trace");
    trace.begin[trace.ticks] = rows;
}

typedef struct trace_room {
    stream run;
    float *at[2];                                /* by slot */
    uint32_t id[TRACE_SLOTS], free[TRACE_SLOTS]; /* by slot: copy * TRACE_IDS + id; free slots */
    uint32_t *slot, *seen_at;                    /* by id */
    uint32_t free_count, used;
} trace_room;

static void play_row(trace_room *room, uint32_t tick, uint32_t id, const float *at)
{
    uint32_t slot = room->slot[id];

    if (slot == UINT32_MAX) {
        check(room->free_count > 0 || room->used < TRACE_SLOTS, "the trace needs too many slots");
        slot = room->free_count > 0 ? room->free[--room->free_count] : room->used++;
        for (unsigned i = 0; i < WRITERS; i++) {
            room->run.writers[i].state.count = room->used;
        }
        room->run.reader.state.count = room->used;
        room->slot[id] = slot;
        room->id[slot] = id;
        stream_enter(&room->run, slot, at);
    }
    room->seen_at[id] = tick;
    room->at[0][slot] = at[0];
    room->at[1][slot] = at[1];
}

/* Plays so many copies of the trace at once, each from another tick on. */
static void measure_trace(const char *name, uint32_t copies, int k)
{
    static trace_room room;
    const uint32_t ticks = copies > 1 ? 300 : trace.ticks, ids = copies * TRACE_IDS;
    char title[64];

    room.run = stream_new(k, TRACE_SLOTS, ticks, NULL);
    room.at[0] = relay_zeroed(TRACE_SLOTS * sizeof(float));
    room.at[1] = relay_zeroed(TRACE_SLOTS * sizeof(float));
    room.slot = relay_zeroed(ids * sizeof(uint32_t));
    room.seen_at = relay_zeroed(ids * sizeof(uint32_t));
    room.free_count = room.used = 0;
    memset(room.slot, 255, ids * sizeof(uint32_t));
    for (uint32_t tick = 0; tick < ticks; tick++) {
        for (uint32_t copy = 0; copy < copies; copy++) {
            const uint32_t at = (tick + copy * (trace.ticks / copies)) % trace.ticks;

            for (uint32_t i = trace.begin[at]; i < trace.begin[at + 1]; i++) {
                play_row(&room, tick, copy * TRACE_IDS + trace.rows[i].id, trace.rows[i].at);
            }
        }
        for (uint32_t slot = 0; slot < room.used; slot++) {
            const uint32_t id = room.id[slot];

            if (id != UINT32_MAX && room.seen_at[id] == tick) {
                relay_end_due(&room.run.writers[0], slot);
            } else if (id != UINT32_MAX) {
                room.slot[id] = room.id[slot] = UINT32_MAX;
                room.free[room.free_count++] = slot;
            }
        }
        stream_tick(&room.run, (const float *const *)room.at, NULL, false);
    }
    snprintf(title, sizeof title, "%s x%u 2^-%d", name, copies, k);
    stream_print(&room.run, title);
    room.run.reader.state.count = TRACE_SLOTS;
    stream_free(&room.run);
    free(room.at[0]);
    free(room.at[1]);
    free(room.slot);
    free(room.seen_at);
}

int main(int argc, char **argv)
{
    const char *traces = NULL;
    FILE *record = NULL;

    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--traces") == 0) {
            traces = argv[i + 1];
        } else if (strcmp(argv[i], "--record") == 0) {
            record = fopen(argv[i + 1], "w");
            check(record != NULL, "cannot write the file of --record");
        }
    }
    printf("%-34s %10s %7s %6s %8s %8s %8s %6s %9s\n", "", "", "", "bytes", "portable", "avx2", "avx512", "read",
           "largest");
    printf("%-34s %10s %7s %6s %8s %8s %8s %6s %9s\n", "", "positions", "exact", "each", "ns", "ns", "ns", "ns",
           "error");
    measure_made("10k steady 2^-9", 10000, 9, false, MADE_IN_ORDER, record);
    measure_made("10k steady 2^-9, gathered", 10000, 9, false, MADE_GATHERED, NULL);
    measure_made("10k steady 2^-6", 10000, 6, false, MADE_IN_ORDER, NULL);
    measure_made("10k erratic 2^-9", 10000, 9, true, MADE_IN_ORDER, NULL);
    measure_made("10k steady 2^-9, every 20, spread", 10000, 9, false, MADE_EVERY_20, NULL);
    measure_made("10k steady 2^-9, every 20, blocks", 10000, 9, false, MADE_EVERY_20_IN_BLOCKS, NULL);
    measure_made("100k steady 2^-9", 100000, 9, false, MADE_IN_ORDER, NULL);
    measure_made("100k steady 2^-9, gathered", 100000, 9, false, MADE_GATHERED, NULL);
    if (record != NULL) {
        fclose(record);
    }
    if (traces == NULL) {
        printf("SKIPPED the recorded crowds: name their folder with --traces FOLDER\n");
        return 0;
    }
    static const struct {
        const char *name;
        int k; /* people in meters, or pixels of half a decimeter */
    } crowds[] = {{"hermes-bot-360-250-250", 9}, {"hermes-bo-360-160-160", 9}, {"sdd-gates-video2", 3},
                  {"sdd-hyang-video12", 3},      {"sdd-nexus-video10", 3},     {"sdd-little-video0", 3},
                  {"sdd-quad-video0", 3}};
    for (size_t i = 0; i < sizeof crowds / sizeof crowds[0]; i++) {
        read_trace(traces, crowds[i].name);
        measure_trace(crowds[i].name, 1, crowds[i].k);
        measure_trace(crowds[i].name, 30, crowds[i].k);
    }
    return 0;
}

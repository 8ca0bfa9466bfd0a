/* SPDX-License-Identifier: Apache-2.0
 *
 * The relay stream between a writer and a reader. With --list, prints the golden vectors for
 * integration/relay_golden.sh, which plays them with the reader in JavaScript.
 */
#include <math.h>

#include "relay_vectors.h"
#include "support/relay_end.h"
#include "support/rng.h"
#include "support/test.h"

#define VECTORS (sizeof relay_vectors / sizeof relay_vectors[0])
#define SLOTS   700u

/* ---- golden vectors ---- */

static size_t parse_hex(const char *hex, uint8_t *bytes)
{
    size_t size = strlen(hex) / 2;

    for (size_t i = 0; i < size; i++) {
        assert_int_equal(sscanf(hex + 2 * i, "%2hhx", &bytes[i]), 1);
    }
    return size;
}

/* Reads from memory of exactly its size, so that a sanitizer sees a byte too many. */
static uint32_t read_exactly(relay_end *end, const uint8_t *blob, size_t size)
{
    uint8_t *copy = malloc(size + !size);

    assert_non_null(copy);
    if (size > 0) {
        memcpy(copy, blob, size);
    }
    uint32_t sent = qd_relay_read(&end->state, copy, size, end->slots);
    free(copy);
    return sent;
}

static void play_start(relay_end *end, const char *line)
{
    uint32_t slot, bits[QD_RELAY_AXES] = {0};
    float at[QD_RELAY_AXES];

    assert_int_equal(sscanf(line, "start %u %x %x %x", &slot, &bits[0], &bits[1], &bits[2]), 1 + (int)end->state.axes);
    memcpy(at, bits, sizeof at);
    qd_relay_start(&end->state, slot, at);
}

static void play_at(const relay_end *end, const char *line)
{
    uint32_t slot;
    int at[QD_RELAY_AXES];

    assert_int_equal(sscanf(line, "at %u %d %d %d", &slot, &at[0], &at[1], &at[2]), 1 + (int)end->state.axes);
    for (unsigned axis = 0; axis < end->state.axes; axis++) {
        assert_int_equal(end->state.at[axis][slot], at[axis]);
        assert_true((double)qd_relay_position(&end->state, axis, slot) == ldexp(at[axis], -end->state.k));
    }
}

TEST(reader_finds_the_positions_of_the_golden_vectors)
{
    relay_end end = relay_end_new(2, 0, 1);
    uint8_t bytes[512];

    for (size_t i = 0; i < VECTORS; i++) {
        const char *line = relay_vectors[i];

        if (strncmp(line, "state ", 6) == 0) {
            unsigned axes, count;
            int k;

            assert_int_equal(sscanf(line, "state %u %d %u", &axes, &k, &count), 3);
            relay_end_free(&end);
            end = relay_end_new(axes, k, count);
        } else if (strncmp(line, "start ", 6) == 0) {
            play_start(&end, line);
        } else if (strncmp(line, "blob ", 5) == 0) {
            assert_int_not_equal(read_exactly(&end, bytes, parse_hex(line + 5, bytes)), QD_RELAY_REFUSED);
        } else if (strncmp(line, "at ", 3) == 0) {
            play_at(&end, line);
        } else {
            assert_int_equal(strncmp(line, "refuse ", 7), 0);
            assert_int_equal(read_exactly(&end, bytes, parse_hex(line + 7, bytes)), QD_RELAY_REFUSED);
        }
    }
    relay_end_free(&end);
}

/* ---- a writer and a reader ---- */

typedef struct pair {
    relay_end writer, reader;
    rng_stream rng;
    uint32_t hash; /* of all blobs */
    size_t bytes;  /* of the last tick */
} pair;

static pair pair_new(unsigned axes, int k, uint32_t count, uint64_t seed)
{
    return (pair){.writer = relay_end_new(axes, k, count),
                  .reader = relay_end_new(axes, k, count),
                  .rng = {seed},
                  .hash = 2166136261u};
}

static void pair_free(pair *gone)
{
    relay_end_free(&gone->writer);
    relay_end_free(&gone->reader);
}

static void start(pair *of, uint32_t slot)
{
    float at[QD_RELAY_AXES] = {0};

    for (unsigned axis = 0; axis < of->writer.state.axes; axis++) {
        at[axis] = of->writer.at[axis][slot];
    }
    qd_relay_start(&of->writer.state, slot, at);
    qd_relay_start(&of->reader.state, slot, at);
}

static void start_all(pair *of)
{
    for (uint32_t slot = 0; slot < of->writer.state.count; slot++) {
        start(of, slot);
    }
}

static void expect_equal_states(const pair *of)
{
    const size_t size = of->writer.state.count * sizeof(int32_t);

    for (unsigned axis = 0; axis < of->writer.state.axes; axis++) {
        assert_memory_equal(of->reader.state.at[axis], of->writer.state.at[axis], size);
        assert_memory_equal(of->reader.state.last[axis], of->writer.state.last[axis], size);
    }
}

/* The reader knows the slot's position to half a step, if it was sent in steps. */
static void expect_near(const pair *of, uint32_t slot)
{
    for (unsigned axis = 0; axis < of->writer.state.axes; axis++) {
        const double error =
            fabs((double)qd_relay_position(&of->reader.state, axis, slot) - (double)of->writer.at[axis][slot]);

        assert_true(error <= ldexp(1, -of->writer.state.k - 1));
    }
}

/* Writes from `first` on with one instruction set, and reads. */
static qd_relay_write transfer(pair *of, qd_relay_writer *writer, uint32_t first, size_t bytes_max)
{
    qd_relay_write write = relay_end_write(&of->writer, first, bytes_max);

    writer(&of->writer.state, &write);
    of->bytes = write.size + write.exact_count * qd_relay_exact_bytes(of->writer.state.axes);
    if (write.sent == 0) {
        assert_int_equal(write.size, 0);
    } else {
        assert_int_equal(read_exactly(&of->reader, write.blob, write.size), write.sent);
    }
    for (size_t i = 0; i < write.size; i++) {
        of->hash = (of->hash ^ write.blob[i]) * 16777619u;
    }
    for (uint32_t i = 0; i < write.sent; i++) {
        expect_near(of, of->reader.slots[i]);
    }
    for (uint32_t i = 0; i < write.exact_count; i++) {
        const uint32_t slot = write.exact[i];
        float at[QD_RELAY_AXES] = {0};

        for (unsigned axis = 0; axis < of->writer.state.axes; axis++) {
            at[axis] = of->writer.at[axis][slot];
        }
        qd_relay_start(&of->reader.state, slot, at);
    }
    expect_equal_states(of);
    return write;
}

static void due_all(pair *of)
{
    for (uint32_t slot = 0; slot < of->writer.state.count; slot++) {
        relay_end_due(&of->writer, slot);
    }
}

static qd_relay_write transfer_all(pair *of)
{
    due_all(of);
    return transfer(of, qd_relay_write_blob, 0, SIZE_MAX);
}

/* ---- positions ---- */

/* Walks, jumps, rests, and places far outside of all that a room would have. */
static void storm(pair *of)
{
    const float step = ldexpf(1, -of->writer.state.k);

    for (uint32_t slot = 0; slot < of->writer.state.count; slot++) {
        for (unsigned axis = 0; axis < of->writer.state.axes; axis++) {
            float *at = &of->writer.at[axis][slot];

            switch (rng_below(&of->rng, 40)) {
            case 0:
                *at = rng_between(&of->rng, -1, 1) * ldexpf(1, (int)rng_below(&of->rng, 250) - 125);
                break;
            case 1:
                *at = -*at;
                break;
            case 2:
                *at = (float)(int)rng_below(&of->rng, 2000) * step / 2; /* halfway between steps */
                break;
            case 3:
            case 4:
            case 5:
                break;
            default:
                *at += rng_between(&of->rng, -1, 1) * 20 * step;
            }
        }
    }
}

static void due_some(pair *of, uint32_t tick)
{
    for (uint32_t slot = 0; slot < of->writer.state.count; slot++) {
        if (tick % 3 == 0 || rng_one_in(&of->rng, tick % 3 == 1 ? 3 : 80)) {
            relay_end_due(&of->writer, slot);
        }
    }
}

static uint32_t hash_of_storm(unsigned axes, int k, qd_relay_writer *writer)
{
    pair of = pair_new(axes, k, SLOTS, 1);
    uint32_t exact = 0, sent = 0;

    start_all(&of);
    for (uint32_t tick = 0; tick < 60; tick++) {
        storm(&of);
        due_some(&of, tick);
        for (uint32_t i = 0; i < 5; i++) {
            start(&of, rng_below(&of.rng, SLOTS));
        }
        const qd_relay_write write = transfer(&of, writer, 0, SIZE_MAX);
        exact += write.exact_count;
        sent += write.sent;
    }
    assert_true(exact > 1000 && sent > exact);
    pair_free(&of);
    return of.hash;
}

TEST(positions_are_within_half_a_step_at_each_precision)
{
    for (int k = QD_RELAY_K_MIN; k <= QD_RELAY_K_MAX; k++) {
        hash_of_storm(2, k, qd_relay_write_blob);
        hash_of_storm(3, k, qd_relay_write_blob);
    }
}

/* The numbers are those of the first machine that ran this. */
TEST(bytes_are_the_same_with_each_instruction_set)
{
    for (unsigned i = 0; i < 3; i++) {
        qd_relay_writer *writer = qd_relay_writer_at(i);

        if (writer != NULL) {
            assert_int_equal(hash_of_storm(2, 9, writer), 0x4e5cff5a);
            assert_int_equal(hash_of_storm(3, 4, writer), 0x0eefb952);
        }
    }
}

TEST(errors_do_not_add_up)
{
    pair of = pair_new(2, 3, 40, 1);

    start_all(&of);
    for (uint32_t tick = 0; tick < 20000; tick++) {
        for (uint32_t slot = 0; slot < 40; slot++) {
            of.writer.at[0][slot] += 0.0001f * (float)slot;
            of.writer.at[1][slot] -= 0.03f;
        }
        transfer_all(&of);
    }
    for (uint32_t slot = 0; slot < 40; slot++) {
        expect_near(&of, slot);
    }
    pair_free(&of);
}

TEST(position_that_did_not_change_is_not_sent)
{
    pair of = pair_new(2, 4, 100, 1);

    start_all(&of);
    of.writer.at[0][17] = 1;
    of.writer.at[1][60] = 0.03f; /* less than half a step */
    assert_int_equal(transfer_all(&of).sent, 1);
    assert_int_equal(of.reader.slots[0], 17);
    assert_int_equal(transfer_all(&of).sent, 0);
    pair_free(&of);
}

TEST(slot_that_is_not_due_waits)
{
    pair of = pair_new(2, 4, 100, 1);

    start_all(&of);
    of.writer.at[0][17] = of.writer.at[0][18] = 1;
    relay_end_due(&of.writer, 18);
    assert_int_equal(transfer(&of, qd_relay_write_blob, 0, SIZE_MAX).sent, 1);
    assert_int_equal(of.reader.slots[0], 18);
    assert_int_equal(transfer_all(&of).sent, 1);
    assert_int_equal(of.reader.slots[0], 17);
    pair_free(&of);
}

TEST(steady_motion_costs_no_bits_after_the_first_step)
{
    pair of = pair_new(2, 4, 160, 1);
    size_t first = 0;

    start_all(&of);
    for (uint32_t tick = 0; tick < 10; tick++) {
        for (uint32_t slot = 0; slot < 160; slot++) {
            of.writer.at[0][slot] += 2;
            of.writer.at[1][slot] -= 3;
        }
        assert_int_equal(transfer_all(&of).sent, 160);
        first = tick == 0 ? of.bytes : first;
    }
    assert_true(first > 160);
    assert_int_equal(of.bytes, 1 + 1 + 2 + 10 + QD_RELAY_TAIL); /* 10 groups of one byte */
    pair_free(&of);
}

TEST(step_that_is_too_long_needs_an_exact_entry)
{
    pair of = pair_new(2, 9, 3, 1);

    start_all(&of);
    of.writer.at[0][0] = 16383; /* just below 2^23 steps */
    of.writer.at[0][1] = -16384;
    of.writer.at[1][2] = 16384;
    const qd_relay_write write = transfer_all(&of);
    assert_int_equal(write.sent, 2);
    assert_int_equal(write.exact_count, 1);
    assert_int_equal(write.exact[0], 2);
    assert_int_equal(of.reader.state.at[1][2], 16384 * 512);
    pair_free(&of);
}

/* ---- which slots ---- */

static qd_relay_kind kind_for(const uint32_t *slots, size_t count)
{
    pair of = pair_new(2, 4, 4000, 1);

    start_all(&of);
    for (size_t i = 0; i < count; i++) {
        of.writer.at[0][slots[i]] += 1;
    }
    const qd_relay_write write = transfer_all(&of);
    assert_int_equal(write.sent, count);
    assert_memory_equal(of.reader.slots, slots, count * sizeof slots[0]);
    const qd_relay_kind kind = (qd_relay_kind)(write.blob[0] >> QD_RELAY_KIND_SHIFT & 3);
    pair_free(&of);
    return kind;
}

TEST(slots_are_named_in_the_shortest_way)
{
    uint32_t every_other[100], islands[100], far[5] = {3, 700, 1300, 2222, 3999};

    for (uint32_t i = 0; i < 100; i++) {
        every_other[i] = 50 + 2 * i;
        islands[i] = i / 20 * 700 + i % 20 * 2;
    }
    assert_int_equal(kind_for((const uint32_t[]){3999}, 1), QD_RELAY_RUN);
    assert_int_equal(kind_for((const uint32_t[]){30, 31, 32, 33}, 4), QD_RELAY_RUN);
    assert_int_equal(kind_for(every_other, 100), QD_RELAY_BITMAP);
    assert_int_equal(kind_for(far, 5), QD_RELAY_GAPS);
    assert_int_equal(kind_for(islands, 100), QD_RELAY_SPANS);
}

TEST(blob_has_at_most_its_slots)
{
    const uint32_t count = 2 * QD_RELAY_BLOB_SLOTS + 20;
    pair of = pair_new(3, 0, count, 1);
    uint32_t sent = 0, blobs = 0;

    start_all(&of);
    for (uint32_t slot = 0; slot < count; slot++) {
        of.writer.at[2][slot] = (float)rng_below(&of.rng, 1u << 22);
        of.writer.at[0][slot] = (float)rng_below(&of.rng, 1u << 22);
        of.writer.at[1][slot] = 1;
    }
    due_all(&of);
    for (uint32_t first = 0; first < count; blobs++) {
        const qd_relay_write write = transfer(&of, qd_relay_write_blob, first, SIZE_MAX);

        assert_true(write.size <= 2 << 20);
        first = write.next;
        sent += write.sent;
    }
    assert_int_equal(sent, count);
    assert_int_equal(blobs, 3);
    pair_free(&of);
}

/* ---- budgets ---- */

/* Sends all slots with at most bytes_max per call; returns how many calls that takes. */
static uint32_t calls_with(unsigned axes, size_t bytes_max, uint64_t seed)
{
    pair of = pair_new(axes, 6, SLOTS, seed);
    uint32_t calls = 0;

    start_all(&of);
    storm(&of);
    due_all(&of);
    for (uint32_t first = 0; first < SLOTS; calls++) {
        const qd_relay_write write = transfer(&of, qd_relay_write_blob, first, bytes_max);

        assert_true(of.bytes <= bytes_max);
        assert_true(write.next >= SLOTS || write.sent + write.exact_count > 0);
        first = write.next;
    }
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        assert_int_equal(of.writer.due[slot / QD_RELAY_GROUP], 0);
    }
    pair_free(&of);
    return calls;
}

TEST(bytes_max_bounds_the_blob_and_its_exact_entries)
{
    for (uint64_t seed = 1; seed < 20; seed++) {
        assert_int_equal(calls_with(2, SIZE_MAX, seed), 1);
        assert_in_range(calls_with(2, 400, seed), 3, SLOTS / QD_RELAY_GROUP);
        assert_in_range(calls_with(3, 400, seed), 5, SLOTS / QD_RELAY_GROUP);
        assert_in_range(calls_with(2, 40, seed), SLOTS / QD_RELAY_GROUP, SLOTS);
        assert_in_range(calls_with(3, 40, seed), SLOTS / QD_RELAY_GROUP, SLOTS);
    }
}

TEST(bytes_for_nothing_leave_all_due)
{
    pair of = pair_new(2, 6, SLOTS, 1);

    start_all(&of);
    of.writer.at[0][100] = 5;
    due_all(&of);
    const qd_relay_write write = transfer(&of, qd_relay_write_blob, 0, 10);
    assert_int_equal(write.sent, 0);
    assert_int_equal(write.next, 96);
    assert_int_equal(of.writer.due[6], UINT16_MAX & ~15u); /* those before it have not changed */
    assert_int_equal(transfer(&of, qd_relay_write_blob, write.next, SIZE_MAX).sent, 1);
    pair_free(&of);
}

TEST(bytes_that_suffice_stop_nothing)
{
    pair of = pair_new(2, 6, SLOTS, 1), again = pair_new(2, 6, SLOTS, 1);

    start_all(&of);
    start_all(&again);
    storm(&of);
    storm(&again);
    transfer_all(&of);
    due_all(&again);
    assert_int_equal(transfer(&again, qd_relay_write_blob, 0, of.bytes + 100).next, SLOTS);
    assert_int_equal(again.hash, of.hash);
    pair_free(&of);
    pair_free(&again);
}

/* ---- damage ---- */

TEST(blob_cut_anywhere_is_refused)
{
    pair of = pair_new(3, 6, SLOTS, 1);

    start_all(&of);
    storm(&of);
    const qd_relay_write write = transfer_all(&of);
    relay_end fresh = relay_end_new(3, 6, SLOTS);
    for (size_t size = 0; size < write.size; size++) {
        assert_int_equal(read_exactly(&fresh, write.blob, size), QD_RELAY_REFUSED);
    }
    assert_int_equal(read_exactly(&fresh, write.blob, write.size), write.sent);
    relay_end_free(&fresh);
    pair_free(&of);
}

TEST(damaged_blobs_name_slots_below_the_count_in_order)
{
    pair of = pair_new(2, 6, SLOTS, 1);
    uint32_t refused = 0;

    start_all(&of);
    storm(&of);
    const qd_relay_write write = transfer_all(&of);
    uint8_t *damaged = malloc(write.size);
    assert_non_null(damaged);
    for (uint32_t i = 0; i < 20000; i++) {
        memcpy(damaged, write.blob, write.size);
        for (uint32_t j = 0; j <= rng_below(&of.rng, 3); j++) {
            damaged[rng_below(&of.rng, rng_one_in(&of.rng, 2) ? 100 : (uint32_t)write.size)] =
                (uint8_t)rng_draw(&of.rng);
        }
        const uint32_t sent = read_exactly(&of.reader, damaged, write.size);
        refused += sent == QD_RELAY_REFUSED;
        for (uint32_t slot = 0; slot < sent && sent != QD_RELAY_REFUSED; slot++) {
            assert_true(of.reader.slots[slot] < SLOTS);
            assert_true(slot == 0 || of.reader.slots[slot - 1] < of.reader.slots[slot]);
        }
    }
    assert_in_range(refused, 1000, 19999);
    free(damaged);
    pair_free(&of);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        for (size_t i = 0; i < VECTORS; i++) {
            puts(relay_vectors[i]);
        }
        return 0;
    }
    return test_run(argc, argv, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Ordered keys of events against qsort: few and many, of every kind; ids counted up, spread, and mostly counted up; on
 * one worker and on several, which take tasks in reverse order or run at once.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "server/room/pairs/pair_keys.h"
#include "support/backwards.h"
#include "support/rng.h"
#include "tests/support/test.h"

#define SLOTS       3000u
#define COUNT_MAX   140000u
#define WORKERS_MAX 4u
#define ALIGNMENT   64u

/* ---- executors ---- */

struct errand {
    size_t first, count;
    qd_task_fn task;
    void *argument;
};

static void *run_errand(void *context)
{
    const struct errand *errand = context;

    for (size_t i = errand->first; i < errand->count; i += WORKERS_MAX) {
        errand->task(i, errand->argument);
    }
    return NULL;
}

static void run_at_once(void *context, size_t count, qd_task_fn task, void *argument)
{
    pthread_t thread[WORKERS_MAX];
    struct errand errand[WORKERS_MAX];

    (void)context;
    for (size_t worker = 0; worker < WORKERS_MAX; worker++) {
        errand[worker] = (struct errand){worker, count, task, argument};
        assert_int_equal(pthread_create(&thread[worker], NULL, run_errand, &errand[worker]), 0);
    }
    for (size_t worker = 0; worker < WORKERS_MAX; worker++) {
        assert_int_equal(pthread_join(thread[worker], NULL), 0);
    }
}

static const qd_executor threads = {.run = run_at_once, .width = WORKERS_MAX};

/* ---- the check ---- */

typedef enum id_kind { COUNTED, FEW_FAR, SPREAD, ID_KINDS } id_kind;

static qd_space_event events[COUNT_MAX];
static uint64_t expected[QD_PAIR_KINDS][COUNT_MAX];
static uint32_t id[SLOTS];

static int by_key(const void *a, const void *b)
{
    uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

    return one < other ? -1 : one > other;
}

static uint64_t key_of(qd_space_event event)
{
    uint64_t a = id[qd_space_event_a(event)], b = id[qd_space_event_b(event)];

    return a < b ? a << 32 | b : b << 32 | a;
}

static void name_slots(qd_ids *ids, qd_heap *heap, id_kind kind, rng_stream *rng)
{
    qd_ids_init(ids, heap, rng_draw(rng));
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        bool far = kind == SPREAD || (kind == FEW_FAR && slot % 100 == 7);

        id[slot] = far ? (slot + 1) * 2654435761u : slot ^ 63;
        assert_int_equal(qd_ids_put(ids, id[slot], (qd_id_entry){slot, 0}), QD_OK);
    }
}

/* With `kinds`, bits. Most pairs are of few slots with `crowded`. */
static void draw(size_t count, unsigned kinds, bool crowded, rng_stream *rng)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t kind, a = rng_below(rng, crowded && i % 8 ? 5 : SLOTS);
        uint32_t b = (a + 1 + rng_below(rng, SLOTS - 1)) % SLOTS;

        do {
            kind = QD_SPACE_BEGIN + rng_below(rng, 4);
        } while (!(kinds >> kind & 1));
        events[i] = (qd_space_event){kind << QD_SPACE_EVENT_SHIFT | a, b};
    }
}

static void check(size_t count, const qd_ids *ids, const qd_executor *executor, bool with_values)
{
    qd_space_events all = {.events = events, .count = count};
    qd_pair_source source = {.events = &all, .id = id, .ids = ids, .with_values = with_values};
    size_t counts[QD_PAIR_KINDS] = {0}, bytes = qd_pair_keys_bytes(count, executor);
    void *memory = aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT) & ~(size_t)(ALIGNMENT - 1));
    qd_pair_keys keys;

    assert_non_null(memory);
    for (size_t i = 0; i < count; i++) {
        qd_space_kind kind = qd_space_event_kind(events[i]);

        expected[kind][counts[kind]++] = key_of(events[i]);
    }
    qd_pair_keys_sort(&keys, &source, executor, memory);
    for (int kind = QD_SPACE_BEGIN; kind <= QD_SPACE_PASSED; kind++) {
        qsort(expected[kind], counts[kind], sizeof expected[kind][0], by_key);
        assert_int_equal(qd_pair_keys_count(&keys, (qd_space_kind)kind), counts[kind]);
        if (counts[kind] > 0) {
            assert_memory_equal(keys.key[kind], expected[kind], counts[kind] * sizeof expected[kind][0]);
        }
        for (size_t i = 0; with_values && i < counts[kind]; i++) {
            qd_space_event event = events[keys.value[kind][i]];

            assert_int_equal(qd_space_event_kind(event), kind);
            assert_int_equal(key_of(event), keys.key[kind][i]);
        }
    }
    free(memory);
}

TEST(sorts_every_count)
{
    static const size_t counts[] = {0, 1, 2, 40, 500, 4095, 4096, 4097, 9001, 140000};
    static const unsigned kinds[] = {1u << QD_SPACE_BEGIN | 1u << QD_SPACE_END, 1u << QD_SPACE_STAY,
                                     1u << QD_SPACE_PASSED | 1u << QD_SPACE_BEGIN, 0x1e};
    const qd_executor *const executors[] = {&qd_executor_serial, &backwards, &threads};
    rng_stream rng = {1};

    (void)state;
    for (int naming = COUNTED; naming < ID_KINDS; naming++) {
        qd_heap heap;
        qd_ids ids;

        qd_heap_init(&heap);
        name_slots(&ids, &heap, (id_kind)naming, &rng);
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
            /* Very many, of all kinds only. */
            for (size_t k = counts[i] > 100000 ? 3 : 0; k < sizeof kinds / sizeof kinds[0]; k++) {
                draw(counts[i], kinds[k], k % 2 == 1, &rng);
                for (size_t e = 0; e < sizeof executors / sizeof executors[0]; e++) {
                    check(counts[i], &ids, executors[e], (i + k + e) % 2 == 0);
                }
            }
        }
        qd_ids_deinit(&ids);
        qd_heap_deinit(&heap);
    }
}

TEST(splits_only_long_runs)
{
    assert_int_equal(qd_pair_ranges(1000000, &qd_executor_serial), 1);
    assert_int_equal(qd_pair_ranges(100, &threads), 1);
    assert_int_equal(qd_pair_ranges(1000000, &threads), WORKERS_MAX);
}

TEST_MAIN()

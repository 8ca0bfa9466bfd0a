/* SPDX-License-Identifier: Apache-2.0 */
#include "run.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>

struct shared *shared;

void fail(const struct run *run, const char *format, ...)
{
    va_list arguments;

    fprintf(stderr, "seed %" PRIu64 ", command %u, %s: ", run->seed, shared->command,
            run->reference ? "against the reference" : "against the first run");
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\n");
    exit(1);
}

void mix(struct run *run, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;

    for (size_t i = 0; i < size; i++) {
        run->hash = (run->hash ^ at[i]) * 0x100000001b3u;
    }
}
void mix_number(struct run *run, uint64_t number)
{
    mix(run, &number, sizeof number);
}

/* ---- executors ---- */

void run_shuffled(void *context, size_t count, qd_task_fn task, void *argument)
{
    rng_stream *order = context;
    size_t *index = malloc((count + 1) * sizeof *index);

    for (size_t i = 0; i < count; i++) {
        size_t at = rng_below(order, (uint32_t)i + 1);

        index[i] = index[at];
        index[at] = i;
    }
    for (size_t i = 0; i < count; i++) {
        task(index[i], argument);
    }
    free(index);
}

struct fork_join {
    _Atomic size_t next;
    size_t count;
    qd_task_fn task;
    void *argument;
};

static void *take_tasks(void *context)
{
    struct fork_join *work = context;

    for (size_t index; (index = atomic_fetch_add(&work->next, 1)) < work->count;) {
        work->task(index, work->argument);
    }
    return NULL;
}

void run_threads(void *context, size_t count, qd_task_fn task, void *argument)
{
    size_t helpers = *(size_t *)context - 1;
    struct fork_join work = {.count = count, .task = task, .argument = argument};
    pthread_t threads[8];

    for (size_t i = 0; i < helpers; i++) {
        if (pthread_create(&threads[i], NULL, take_tasks, &work) != 0) {
            abort();
        }
    }
    take_tasks(&work);
    for (size_t i = 0; i < helpers; i++) {
        pthread_join(threads[i], NULL);
    }
}

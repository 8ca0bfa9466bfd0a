/* SPDX-License-Identifier: Apache-2.0 */
#include "executors.h"

#include <pthread.h>
#include <stdlib.h>

#define HANDS_MAX 4u

static void run_scrambled(void *context, size_t count, qd_task_fn task, void *argument)
{
    size_t *order = malloc((count + 1) * sizeof *order);

    for (size_t i = 0; i < count; i++) {
        size_t j = rng_below(context, (uint32_t)i + 1);

        order[i] = order[j];
        order[j] = i;
    }
    for (size_t i = 0; i < count; i++) {
        task(order[i], argument);
    }
    free(order);
}

typedef struct crew {
    atomic_size_t next;
    size_t count;
    qd_task_fn task;
    void *argument;
} crew;

static void *work(void *argument)
{
    crew *team = argument;

    for (size_t i; (i = atomic_fetch_add(&team->next, 1)) < team->count;) {
        team->task(i, team->argument);
    }
    return NULL;
}

static void run_with(uint32_t helpers, size_t count, qd_task_fn task, void *argument)
{
    crew team = {.count = count, .task = task, .argument = argument};
    pthread_t thread[HANDS_MAX];

    for (uint32_t i = 0; i < helpers; i++) {
        if (pthread_create(&thread[i], NULL, work, &team) != 0) {
            abort();
        }
    }
    work(&team);
    for (uint32_t i = 0; i < helpers; i++) {
        pthread_join(thread[i], NULL);
    }
}

static void run_in_two(void *context, size_t count, qd_task_fn task, void *argument)
{
    (void)context;
    run_with(1, count, task, argument);
}

static void run_in_three(void *context, size_t count, qd_task_fn task, void *argument)
{
    (void)context;
    run_with(2, count, task, argument);
}

qd_executor executor_make(script_executor kind, uint32_t workers, rng_stream *order)
{
    switch (kind) {
    case SCRIPT_SCRAMBLED:
        return (qd_executor){.run = run_scrambled, .width = workers, .context = order};
    case SCRIPT_THREADS:
        return (qd_executor){.run = workers == 2 ? run_in_two : run_in_three, .width = workers};
    default:
        return qd_executor_serial;
    }
}

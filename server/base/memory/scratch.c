/* SPDX-License-Identifier: Apache-2.0 */
#include "scratch.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static _Thread_local qd_scratch scratch[QD_SCRATCH_KINDS];
static _Thread_local bool is_registered;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool has_key;

void qd_scratch_release(void)
{
    for (int kind = 0; kind < QD_SCRATCH_KINDS; kind++) {
        if (scratch[kind].memory) {
            scratch[kind].release(scratch[kind].memory);
        }
        scratch[kind] = (qd_scratch){0};
    }
}

static void end_thread(void *argument)
{
    (void)argument;
    qd_scratch_release();
    is_registered = false;
}

static void make_key(void)
{
    has_key = pthread_key_create(&key, end_thread) == 0;
}

/* Has end_thread called at the thread's end, for which the key must have a value. */
static bool register_thread(void)
{
    pthread_once(&once, make_key);
    is_registered = has_key && pthread_setspecific(key, scratch) == 0;
    return is_registered;
}

qd_scratch *qd_scratch_of_thread(qd_scratch_kind kind)
{
    return is_registered || register_thread() ? &scratch[kind] : NULL;
}

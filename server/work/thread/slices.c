/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* gettid, SIGEV_THREAD_ID */
#include "slices.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include "../../base/ablation.h"

/* The C library has no name for this field. */
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static void on_slice(int number)
{
    const int error = errno;

    (void)number;
    sched_yield();
    errno = error;
}

void qd_slices_init(qd_slices *slices)
{
    const struct sigaction action = {.sa_handler = on_slice, .sa_flags = SA_RESTART};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGURG};
    sigset_t urgent;

    event.sigev_notify_thread_id = gettid();
    slices->has_timer =
        sigaction(SIGURG, &action, NULL) == 0 && timer_create(CLOCK_MONOTONIC, &event, &slices->timer) == 0;
    sigemptyset(&urgent);
    sigaddset(&urgent, SIGURG);
    pthread_sigmask(SIG_UNBLOCK, &urgent, NULL);
}

void qd_slices_deinit(qd_slices *slices)
{
    if (slices->has_timer) {
        timer_delete(slices->timer);
    }
}

static void set(const qd_slices *slices, long ns)
{
    const struct itimerspec every = {.it_interval.tv_nsec = ns, .it_value.tv_nsec = ns};

    timer_settime(slices->timer, 0, &every, NULL);
}

void qd_slices_look(qd_slices *slices, uint64_t now_ns, uint32_t slice_ns)
{
    if (now_ns - slices->looked_ns >= slice_ns && !QD_WITHOUT(SLICES)) {
        slices->looked_ns = now_ns;
        sched_yield();
    }
}

void qd_slices_begin(qd_slices *slices, uint32_t slice_ns)
{
    if (slices->has_timer && !QD_WITHOUT(SLICES)) {
        slices->slice_ns = slice_ns;
        set(slices, (long)slice_ns);
    }
}

void qd_slices_end(qd_slices *slices)
{
    if (slices->slice_ns != 0) {
        slices->slice_ns = 0;
        set(slices, 0);
    }
}

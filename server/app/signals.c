/* SPDX-License-Identifier: Apache-2.0 */
#include "signals.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

/* A shell's exit status for a process that a signal ended, less the signal's number. */
#define SIGNALED_STATUS 128

static sigset_t stopping(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    return set;
}

static sigset_t awaited(void)
{
    sigset_t set = stopping();

    sigaddset(&set, SIGHUP);
    return set;
}

void qd_signals_block(void)
{
    const sigset_t set = awaited();

    pthread_sigmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN); /* writes return the error */
    signal(SIGXFSZ, SIG_IGN); /* likewise, if the log reaches the limit of a file's size */
    signal(SIGUSR1, SIG_IGN);
    signal(SIGUSR2, SIG_IGN);
}

/* With `ms` 0 it waits for as long as it takes. */
static int wait_for(sigset_t set, uint32_t ms)
{
    const struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};
    int number;

    do {
        number = ms > 0 ? sigtimedwait(&set, NULL, &time) : sigwaitinfo(&set, NULL);
    } while (number < 0 && errno != EAGAIN);
    return number > 0 ? number : 0;
}

int qd_signals_wait(uint32_t ms)
{
    return wait_for(awaited(), ms);
}

int qd_signals_take_stop(uint32_t ms)
{
    return wait_for(stopping(), ms);
}

void qd_signals_put_back(int number)
{
    kill(getpid(), number);
}

/* The system ignores the default action for process 1, as a container's only process is. */
void qd_signals_end_now(int number)
{
    const sigset_t set = stopping();

    signal(number, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    raise(number);
    _exit(SIGNALED_STATUS + number);
}

void qd_signals_release(void)
{
    const struct sigaction once = {.sa_handler = qd_signals_end_now, .sa_flags = (int)SA_RESETHAND | SA_NODEFER};
    const sigset_t set = stopping();

    /* The process may have inherited that SIGINT is ignored, as a shell's background job. */
    sigaction(SIGTERM, &once, NULL);
    sigaction(SIGINT, &once, NULL);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

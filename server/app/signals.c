/* SPDX-License-Identifier: Apache-2.0 */
#include "signals.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>

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

int qd_signals_wait(void)
{
    const sigset_t set = awaited();
    int number = 0;

    while (sigwait(&set, &number) != 0) {
        continue;
    }
    return number;
}

void qd_signals_release(void)
{
    const sigset_t set = stopping();

    /* The process may have inherited that SIGINT is ignored, as a shell's background job. */
    signal(SIGTERM, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define ARGUMENTS_MAX    64
#define READY_TIMEOUT_MS 20000

struct qd_process {
    pid_t pid;
    int status; /* as qd_process_wait returns it; -1 while it runs */
    FILE *files[2];
    char *texts[2]; /* what was last read of them */
    char address[64];
    qd_process *next; /* in the list of those to kill at exit */
};

enum { OUTPUT, ERRORS };

static qd_process *all;

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void rest(void)
{
    const struct timespec pause = {0, 1000000};

    nanosleep(&pause, NULL);
}

static void kill_all(void)
{
    for (qd_process *process = all; process; process = process->next) {
        if (process->status < 0) {
            kill(process->pid, SIGKILL);
        }
    }
}

/* ---- any process ---- */

int qd_process_id(const qd_process *process)
{
    return process->pid;
}

/* Between fork and exec: only what a signal handler may call. */
static void become(const char *path, char *const *arguments, pid_t parent, int output, int errors)
{
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent && dup2(nothing, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0 &&
        dup2(errors, STDERR_FILENO) >= 0) {
        execv(path, arguments);
    }
    _exit(127);
}

static FILE *open_unnamed(void)
{
    FILE *file = tmpfile();

    assert_non_null(file);
    assert_int_equal(fcntl(fileno(file), F_SETFD, FD_CLOEXEC), 0);
    return file;
}

qd_process *qd_process_start(const char *path, const char *const *arguments)
{
    char *list[ARGUMENTS_MAX + 2] = {(char *)path};
    qd_process *process = calloc(1, sizeof *process);
    pid_t parent = getpid();

    assert_non_null(process);
    if (access(path, X_OK) != 0) {
        fail_msg("%s: %s", path, strerror(errno));
    }
    for (size_t count = 0; arguments && arguments[count]; count++) {
        assert_true(count < ARGUMENTS_MAX);
        list[count + 1] = (char *)arguments[count];
    }
    process->status = -1;
    process->files[OUTPUT] = open_unnamed();
    process->files[ERRORS] = open_unnamed();
    process->pid = fork();
    assert_true(process->pid >= 0);
    if (process->pid == 0) {
        become(path, list, parent, fileno(process->files[OUTPUT]), fileno(process->files[ERRORS]));
    }

    static bool registered;
    if (!registered) {
        atexit(kill_all);
    }
    registered = true;
    process->next = all;
    all = process;
    return process;
}

void qd_process_destroy(qd_process *process)
{
    if (!process) {
        return;
    }
    if (process->status < 0) {
        kill(process->pid, SIGKILL);
        waitpid(process->pid, NULL, 0);
    }
    qd_process **link = &all;
    while (*link != process) {
        link = &(*link)->next;
    }
    *link = process->next;
    for (int which = 0; which < 2; which++) {
        fclose(process->files[which]);
        free(process->texts[which]);
    }
    free(process);
}

void qd_process_signal(qd_process *process, int signal_number)
{
    /* Before it is waited for its number cannot be another's. */
    if (process->status < 0) {
        assert_int_equal(kill(process->pid, signal_number), 0);
    }
}

int qd_process_wait(qd_process *process, int timeout_ms)
{
    uint64_t end_ms = now_ms() + (uint64_t)timeout_ms;
    int status;

    while (process->status < 0) {
        pid_t ended = waitpid(process->pid, &status, WNOHANG);

        assert_true(ended >= 0 || errno == EINTR);
        if (ended == process->pid) {
            process->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
        } else if (now_ms() >= end_ms) {
            return -1;
        } else {
            rest();
        }
    }
    return process->status;
}

bool qd_process_runs(qd_process *process)
{
    return qd_process_wait(process, 0) < 0;
}

/* The child writes at the offset that it shares with us: read without moving it. */
static const char *read_all(qd_process *process, int which)
{
    int file = fileno(process->files[which]);
    struct stat about;

    assert_int_equal(fstat(file, &about), 0);
    size_t capacity = (size_t)about.st_size;
    free(process->texts[which]);
    char *text = process->texts[which] = malloc(capacity + 1);
    assert_non_null(text);
    size_t size = 0;
    while (size < capacity) {
        ssize_t got = pread(file, text + size, capacity - size, (off_t)size);

        assert_true(got > 0 || (got < 0 && errno == EINTR));
        size += got > 0 ? (size_t)got : 0;
    }
    text[size] = '\0';
    return text;
}

const char *qd_process_output(qd_process *process)
{
    return read_all(process, OUTPUT);
}
const char *qd_process_errors(qd_process *process)
{
    return read_all(process, ERRORS);
}

/* ---- the server ---- */

qd_process *qd_server_start(const char *const *arguments)
{
    const char *list[ARGUMENTS_MAX + 1] = {0};
    const bool says_where = arguments && arguments[0] && strcmp(arguments[0], "--listen") == 0;
    const char *const listen_anywhere[] = {"--listen", "127.0.0.1:0"};
    uint64_t end_ms = now_ms() + READY_TIMEOUT_MS;
    size_t count = 0;

    for (size_t i = 0; !says_where && i < 2; i++) {
        list[count++] = listen_anywhere[i];
    }
    for (size_t i = 0; arguments && arguments[i]; i++) {
        assert_true(count < ARGUMENTS_MAX);
        list[count++] = arguments[i];
    }
    const char *path = getenv("QD_SERVER");
    if (!path || !*path) {
        fail_msg("QD_SERVER is not set: run this test by ctest, which sets it");
    }
    qd_process *server = qd_process_start(path, list);
    /* One line, when it is ready: `quadrille-server 0.1.0 listening on 127.0.0.1:40123`. */
    while (!strchr(qd_process_output(server), '\n')) {
        if (!qd_process_runs(server) || now_ms() > end_ms) {
            fail_msg("the server does not get ready (status %d); it says:\n%s", server->status,
                     qd_process_errors(server));
        }
        rest();
    }
    if (sscanf(server->texts[OUTPUT], "quadrille-server %*s listening on %63s", server->address) != 1) {
        fail_msg("not the line of a server that is ready: %s", server->texts[OUTPUT]);
    }
    return server;
}

const char *qd_server_address(const qd_process *server)
{
    return server->address;
}

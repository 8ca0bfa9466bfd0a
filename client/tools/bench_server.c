/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* pipe2 */

#include "bench_server.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NAME          "quadrille-server"
#define START_MS      20000
#define STOP_MS       20000
#define ARGUMENTS_MAX 32

/* Open files of a process besides its connections. */
#define FILES_AROUND 128u

static bool fail(char *error, uint32_t error_size, const char *format, ...) __attribute__((format(printf, 3, 4)));

static bool fail(char *error, uint32_t error_size, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(error, error_size, format, arguments);
    va_end(arguments);
    return false;
}

qd_bench_where qd_bench_where_default(void)
{
    const char *server = getenv("QUADRILLE_SERVER"), *ca = getenv("QUADRILLE_TLS_CA");

    return (qd_bench_where){.server = server && *server ? server : NULL,
                            .token = getenv("QUADRILLE_TOKEN"),
                            .tls_ca = ca && *ca ? ca : NULL};
}

/* ---- our own server ---- */

/* Finds it beside this program, as installed, or in the server folder of the build, else by PATH. */
static void find_binary(char path[4096])
{
    static const char *const places[] = {"/" NAME, "/../server/" NAME};
    char self[2048];
    ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);

    self[size > 0 ? size : 0] = '\0';
    char *slash = strrchr(self, '/');
    for (size_t index = 0; slash && index < sizeof places / sizeof *places; index++) {
        snprintf(path, 4096, "%.*s%s", (int)(slash - self), self, places[index]);
        if (access(path, X_OK) == 0) {
            return;
        }
    }
    snprintf(path, 4096, NAME);
}

/* In the child. */
static void become(const char *binary, const char *const *options, int output)
{
    const char *arguments[ARGUMENTS_MAX] = {NAME, "--listen", "127.0.0.1:0", "--log-level", "error"};
    size_t count = 5;

    for (; *options && count < ARGUMENTS_MAX - 1; options++) {
        arguments[count++] = *options;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* Ctrl-C must not reach the server: the bench stops it after closing its rooms. */
    setpgid(0, 0);
    dup2(output, STDOUT_FILENO);
    /* With a path, execv avoids that execvp runs a file of another format by the shell. */
    if (strchr(binary, '/')) {
        execv(binary, (char *const *)arguments);
    } else {
        execvp(binary, (char *const *)arguments);
    }
    dprintf(STDERR_FILENO, "%s: %s\n", binary, strerror(errno));
    _exit(127);
}

/* "... listening on HOST:PORT" */
static bool read_address(qd_bench_server *server)
{
    char line[512];
    size_t size = 0;
    struct pollfd ready = {.fd = server->output, .events = POLLIN};

    while (size < sizeof line - 1 && poll(&ready, 1, START_MS) > 0) {
        ssize_t got = read(server->output, line + size, 1);

        if (got <= 0 || line[size] == '\n') {
            break;
        }
        size++;
    }
    line[size] = '\0';
    const char *last = strrchr(line, ' ');
    if (!last || !strstr(line, "listening on ") || strlen(last + 1) >= sizeof server->address) {
        return false;
    }
    strcpy(server->address, last + 1);
    return true;
}

static bool start_own(qd_bench_server *server, const char *binary, const char *const *options, char *error,
                      uint32_t error_size)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0) {
        return fail(error, error_size, "cannot make a pipe: %s", strerror(errno));
    }
    server->pid = fork();
    if (server->pid == 0) {
        become(binary, options, ends[1]);
    }
    close(ends[1]);
    server->output = ends[0];
    server->is_own = server->pid > 0;
    if (server->pid < 0) {
        return fail(error, error_size, "cannot start a process: %s", strerror(errno));
    }
    if (read_address(server)) {
        return true;
    }
    return fail(error, error_size, "%s did not start; --server-binary names another, --server HOST:PORT a running one",
                binary);
}

bool qd_bench_server_start(qd_bench_server *server, const qd_bench_where *where, const char *const *options,
                           char *error, uint32_t error_size)
{
    char binary[4096];

    *server = (qd_bench_server){.pid = (pid_t)where->pid, .output = -1};
    if (where->server) {
        if (strlen(where->server) >= sizeof server->address) {
            return fail(error, error_size, "--server: the address has %zu bytes; must be fewer than %zu",
                        strlen(where->server), sizeof server->address);
        }
        strcpy(server->address, where->server);
        if (server->pid && !qd_bench_usage_of(server->pid).is_known) {
            return fail(error, error_size, "--server-pid %d: there is no such process on this machine",
                        (int)server->pid);
        }
        return true;
    }
    if (server->pid) {
        return fail(error, error_size, "--server-pid %d: needs --server, whose process it is", (int)server->pid);
    }
    if (where->binary) {
        snprintf(binary, sizeof binary, "%s", where->binary);
    } else {
        find_binary(binary);
    }
    return start_own(server, binary, options, error, error_size);
}

bool qd_bench_server_stop(qd_bench_server *server, char *error, uint32_t error_size)
{
    int status = 0;
    pid_t ended = 0;

    if (!server->is_own) {
        return true;
    }
    kill(server->pid, SIGTERM);
    for (int waited_ms = 0; ended == 0 && waited_ms < STOP_MS; waited_ms += 5) {
        ended = waitpid(server->pid, &status, WNOHANG);
        if (ended == 0) {
            nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
        }
    }
    if (ended == 0) {
        kill(server->pid, SIGKILL);
        waitpid(server->pid, &status, 0);
    }
    close(server->output);
    server->is_own = false;
    if (ended == 0) {
        return fail(error, error_size, "the server did not end within %d s", STOP_MS / 1000);
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        return fail(error, error_size, "the server ended with %s %d", WIFEXITED(status) ? "status" : "signal",
                    WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    }
    return true;
}

/* ---- CPU time and memory ---- */

/* Reads a file of that process as text. Returns whether there is one. */
static bool read_file(pid_t pid, const char *name, char *text, size_t text_size)
{
    char path[128];

    if (pid <= 0) {
        return false;
    }
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    FILE *file = fopen(path, "re");
    if (!file) {
        return false;
    }
    size_t size = fread(text, 1, text_size - 1, file);
    fclose(file);
    text[size] = '\0';
    return size > 0;
}

/* The running time of its threads, from the scheduler. */
static double running_s(pid_t pid)
{
    char path[64], name[64], text[128];
    unsigned long long sum_ns = 0;

    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *threads = opendir(path);
    for (const struct dirent *thread; threads && (thread = readdir(threads));) {
        unsigned long long ns;

        if (thread->d_name[0] == '.') {
            continue;
        }
        snprintf(name, sizeof name, "task/%.20s/schedstat", thread->d_name);
        if (read_file(pid, name, text, sizeof text) && sscanf(text, "%llu", &ns) == 1) {
            sum_ns += ns;
        }
    }
    if (threads) {
        closedir(threads);
    }
    return (double)sum_ns / 1e9;
}

qd_bench_usage qd_bench_usage_of(pid_t pid)
{
    char text[1024];
    unsigned long long user, system;
    double per_s = (double)sysconf(_SC_CLK_TCK);

    /* The name, in brackets, may contain blanks. After it come the state, ten numbers, and these two. */
    if (!read_file(pid, "stat", text, sizeof text)) {
        return (qd_bench_usage){0};
    }
    const char *name_end = strrchr(text, ')');
    if (!name_end ||
        sscanf(name_end + 1, " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu %llu", &user, &system) != 2) {
        return (qd_bench_usage){0};
    }
    return (qd_bench_usage){.is_known = true,
                            .user_s = (double)user / per_s,
                            .system_s = (double)system / per_s,
                            .running_s = running_s(pid)};
}

qd_bench_usage qd_bench_own_usage(void)
{
    struct rusage used;

    if (getrusage(RUSAGE_SELF, &used) != 0) {
        return (qd_bench_usage){0};
    }
    return (qd_bench_usage){.is_known = true,
                            .user_s = (double)used.ru_utime.tv_sec + (double)used.ru_utime.tv_usec / 1e6,
                            .system_s = (double)used.ru_stime.tv_sec + (double)used.ru_stime.tv_usec / 1e6};
}

qd_bench_usage qd_bench_usage_between(qd_bench_usage earlier, qd_bench_usage later)
{
    const double user_s = later.user_s - earlier.user_s, system_s = later.system_s - earlier.system_s;
    const double total_s = later.running_s - earlier.running_s;
    const bool is_known = earlier.is_known && later.is_known;

    if (total_s <= 0) {
        return (qd_bench_usage){.is_known = is_known, .user_s = user_s, .system_s = system_s};
    }
    /* Without a system tick, all of it counts as user time. */
    const double user_part = user_s + system_s > 0 ? user_s / (user_s + system_s) : 1;
    return (qd_bench_usage){.is_known = is_known,
                            .user_s = total_s * user_part,
                            .system_s = total_s * (1 - user_part),
                            .running_s = total_s};
}

uint64_t qd_bench_resident_bytes_of(pid_t pid)
{
    char text[4096];
    unsigned long long kib;

    if (!read_file(pid, "status", text, sizeof text)) {
        return 0;
    }
    const char *line = strstr(text, "RssAnon:");
    return line && sscanf(line, "RssAnon: %llu", &kib) == 1 ? (uint64_t)kib * 1024 : 0;
}

/* ---- limits ---- */

void qd_bench_raise_files(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

bool qd_bench_allows_files(uint64_t connections, char *error, uint32_t error_size)
{
    const unsigned long long needed = connections + FILES_AROUND;
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed) {
        return true;
    }
    return fail(error, error_size,
                "%llu connections need %llu open files, here and in the server; this shell allows %llu. As root, run "
                "`ulimit -Hn %llu` first, or add `* hard nofile %llu` to /etc/security/limits.conf and log in again",
                (unsigned long long)connections, needed, (unsigned long long)limit.rlim_cur, needed, needed);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Measures what hostile clients cost the others.
 *
 *     bench_client_hostile SERVER [--load NAME]... [--rounds N] [--seconds S] [-- SERVER-OPTION...]
 *
 * SERVER is the path of quadrille-server. A victim moves and steps a small room 200 times per second. It is measured
 * beside each hostile load (client/loads.c), and then beside a plain process that uses as much CPU time as the load's
 * clients did. Both are repeated N times (10), alternating, each time with a fresh server, for S seconds (3). Prints one
 * line per load, the medians of all rounds, separated by tabs:
 *
 *     load, CPU of the load in % of a core, victim's p50 and p99 in ms beside the load, p99 beside the plain process,
 *     ratio of both p99 in the same round, rounds in which the server or the victim failed, connections
 *
 * The last column counts the connections that the server ended, or all connections of a load that opens new ones.
 * --load nothing measures the victim alone. The exit status is 1 if the server or the victim failed.
 */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/median.h"
#include "client/hostile/loads.h"
#include "client/hostile/server.h"
#include "client/program.h"

#define ROUNDS_MAX           100u
#define CHOSEN_MAX           16u
#define SERVER_ARGUMENTS_MAX 64u

typedef struct settings {
    const char *server[SERVER_ARGUMENTS_MAX]; /* its command line */
    const load *chosen[CHOSEN_MAX];
    size_t chosen_count;
    uint32_t rounds;
    double seconds;
} settings;

/* A child process that runs one part. */
typedef struct part {
    pid_t pid;
    int control, ready, result; /* ends of pipes */
    clockid_t cpu;
} part;

typedef struct pass {
    bool failed;
    victim_result victim;
    double share; /* of one core that the load used */
    uint64_t connections;
} pass;

/* ---- parts ---- */

/* What a part is: a load, a plain process (share >= 0), or the victim. */
typedef struct role {
    const load *load;
    double share, seconds;
} role;

static const role victim_role = {.share = -1};

/* In the child. */
static void become(const role *as, const load_run *run, int result)
{
    pass done = {0};

    if (as->load != NULL) {
        done.connections = as->load->run(run);
    } else if (as->share >= 0) {
        load_spin(run, as->share);
    } else {
        done.victim = victim_run(run, as->seconds);
    }
    _exit(write(result, &done, sizeof done) == sizeof done ? 0 : 1);
}

static part start_part(const role *as, const char *address)
{
    int control[2], ready[2], result[2];
    part p;

    if (pipe2(control, O_CLOEXEC) != 0 || pipe2(ready, O_CLOEXEC) != 0 || pipe2(result, O_CLOEXEC) != 0) {
        program_die("pipe: %s", strerror(errno));
    }
    p.pid = fork();
    if (p.pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(control[1]);
        close(ready[0]);
        close(result[0]);
        become(as, &(load_run){.address = address, .control = control[0], .ready = ready[1]}, result[1]);
    }
    if (p.pid < 0 || clock_getcpuclockid(p.pid, &p.cpu) != 0) {
        program_die("fork: %s", strerror(errno));
    }
    close(control[0]);
    close(ready[1]);
    close(result[1]);
    p.control = control[1];
    p.ready = ready[0];
    p.result = result[0];
    return p;
}

/* False: it ended before. */
static bool is_ready(const part *p)
{
    char byte;

    return read(p->ready, &byte, 1) == 1;
}

static double cpu_seconds(const part *p)
{
    struct timespec used = {0};

    clock_gettime(p->cpu, &used);
    return (double)used.tv_sec + (double)used.tv_nsec / 1e9;
}

/* Tells it to end if that is what a byte means to it. False: it failed. */
static bool end_part(part *p, bool tell, pass *result)
{
    signal(SIGPIPE, SIG_IGN);
    if (tell && write(p->control, "e", 1) != 1) {
        tell = false;
    }
    const bool ok = read(p->result, result, sizeof *result) == sizeof *result;
    kill(p->pid, SIGKILL);
    waitpid(p->pid, NULL, 0);
    close(p->control);
    close(p->ready);
    close(p->result);
    return ok;
}

/* ---- a pass ---- */

/* The victim beside a load or a plain process, with a server of their own. */
static pass run_pass(const settings *s, const role *beside_role)
{
    char address[64];
    const pid_t server = server_start(s->server, address);
    role measured = victim_role;

    measured.seconds = s->seconds;
    part victim = start_part(&measured, address);
    pass result = {0};

    if (!is_ready(&victim)) {
        program_die("the victim cannot begin");
    }
    part beside = start_part(beside_role, address);
    const bool began = is_ready(&beside);
    const double cpu_before = cpu_seconds(&beside);
    const uint64_t start_ns = program_now_ns();
    bool ok = write(victim.control, "g", 1) == 1;
    ok = end_part(&victim, false, &result) && ok;
    const double share = (cpu_seconds(&beside) - cpu_before) / ((double)(program_now_ns() - start_ns) / 1e9);
    pass load_result = {0};
    if (!end_part(&beside, true, &load_result) || !began) {
        fprintf(stderr, "the load ended before the victim\n");
    }
    result.share = share;
    result.connections = load_result.connections;
    result.failed = !ok || !server_lives(server);
    if (!server_lives(server)) {
        fprintf(stderr, "the server died\n");
    } else {
        server_end(server);
    }
    return result;
}

/* ---- the command line ---- */

typedef struct medians {
    double values[6][ROUNDS_MAX];
    uint32_t count, failed;
} medians;

static void run_load(const settings *s, const load *chosen, bool *failed)
{
    medians m = {.count = 0};

    for (uint32_t i = 0; i < s->rounds; i++) {
        const pass hostile = run_pass(s, &(role){.load = chosen});
        const pass plain = run_pass(s, &(role){.share = hostile.share});

        if (hostile.failed || plain.failed) {
            m.failed++;
            continue;
        }
        const double values[] = {hostile.share * 100,
                                 hostile.victim.p50_ms,
                                 hostile.victim.p99_ms,
                                 plain.victim.p99_ms,
                                 hostile.victim.p99_ms / plain.victim.p99_ms,
                                 (double)hostile.connections};
        for (size_t k = 0; k < 6; k++) {
            m.values[k][m.count] = values[k];
        }
        m.count++;
        fprintf(stderr, "%s, round %u: load %.0f %% of a core, p99 %.2f ms beside it, %.2f ms beside a plain process\n",
                chosen->name, i + 1, values[0], values[2], values[3]);
    }
    *failed = *failed || m.failed > 0;
    printf("%s", chosen->name);
    for (size_t k = 0; k < 5; k++) {
        printf("\t%.2f", m.count > 0 ? median(m.values[k], m.count) : -1.0);
    }
    printf("\t%u\t%.0f\n", m.failed, m.count > 0 ? median(m.values[5], m.count) : -1.0);
    fflush(stdout);
}

static double number(const char *text, double low, double high)
{
    char *end;
    const double value = text != NULL ? strtod(text, &end) : low - 1;

    if (text == NULL || end == text || *end != '\0' || !(value >= low && value <= high)) {
        program_die("%s: not a number from %g to %g", text != NULL ? text : "nothing", low, high);
    }
    return value;
}

static const load *load_named(const char *name)
{
    for (size_t i = 0; i < loads_count; i++) {
        if (name != NULL && strcmp(loads[i].name, name) == 0) {
            return &loads[i];
        }
    }
    program_die("%s: no such load", name != NULL ? name : "nothing");
}

static settings read_arguments(int argc, char **argv)
{
    settings s = {.rounds = 10, .seconds = 3};
    size_t count = 0;
    int i = 2;

    if (argc < 2) {
        program_die("needs the path of the server");
    }
    s.server[count++] = argv[1];
    s.server[count++] = "--listen";
    s.server[count++] = "127.0.0.1:0";
    for (; i < argc && strcmp(argv[i], "--") != 0; i += 2) {
        if (strcmp(argv[i], "--load") == 0 && s.chosen_count < CHOSEN_MAX) {
            s.chosen[s.chosen_count++] = load_named(argv[i + 1]);
        } else if (strcmp(argv[i], "--rounds") == 0) {
            s.rounds = (uint32_t)number(argv[i + 1], 1, ROUNDS_MAX);
        } else if (strcmp(argv[i], "--seconds") == 0) {
            s.seconds = number(argv[i + 1], 0.1, 3600);
        } else {
            program_die("%s: not an argument", argv[i]);
        }
    }
    for (i++; i < argc && count + 1 < SERVER_ARGUMENTS_MAX; i++) {
        s.server[count++] = argv[i];
    }
    if (s.chosen_count == 0) {
        for (; s.chosen_count < loads_count; s.chosen_count++) {
            s.chosen[s.chosen_count] = &loads[s.chosen_count];
        }
    }
    return s;
}

int main(int argc, char **argv)
{
    const settings s = read_arguments(argc, argv);
    bool failed = false;

    printf("load\tCPU %%\tp50\tp99\tp99 plain\tratio\tfailed\tconnections\n");
    for (size_t i = 0; i < s.chosen_count; i++) {
        run_load(&s, s.chosen[i], &failed);
    }
    return failed;
}

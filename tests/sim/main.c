/* SPDX-License-Identifier: Apache-2.0
 *
 * The whole server in a simulated world:
 *
 *     sim_all                     the cases (cases.c) and a sample of seeds
 *     sim_all COUNT               the cases and COUNT seeds
 *     sim_all COUNT FIRST_SEED    only those seeds
 *     sim_all --allocations       lets every allocation of a life fail, one by one (allocations.c)
 *
 * Before these, in any order:
 *
 *     --jobs N        N processes share the cases and the seeds
 *     --cases         the cases, even with FIRST_SEED
 *     --with TRAITS   each seed has these traits (play.h): cuts,hostile,jumps,workers,halt,reloads, or pressure; or
 *                    none
 *     --keep-going    goes on after a seed that fails, and prints once a minute how many are done
 *     --frames        prints a line for each seed, with the number of frames that clients were sent and a digest of them,
 *                     except Stats. Two versions of the server whose lines agree behave alike to clients. Detached
 *                     sessions end at their time then, whatever else runs, so that the timer actor does not change the
 *                     schedule. Memory does not run out.
 *
 * Every tenth seed is played twice: the server's bytes must be the same. A seed that fails, crashes or hangs is printed
 * with the command that repeats it.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "model.h"
#include "play.h"
#include "scenario.h"
#include "server/base/log.h"

#define SEEDS_USUALLY 1000u
#define JOBS_MAX      64u
#define POLLS_A_SEED  12000u /* of the parent, every 10 ms: while the processes are paused, no time counts */
#define TRAIT_PERCENT 15u

typedef struct arguments {
    uint64_t count, first;
    unsigned jobs;
    bool cases, has_first, has_traits, keep_going, frames;
    uint32_t traits;
    const char *with; /* as given */
} arguments;

/* What a process reports, in memory that it shares with its parent. */
typedef struct progress {
    _Atomic uint64_t next, ticks; /* the seed that is played, or comes next */
    pid_t process;                /* here and below: the parent's; 0: it has ended */
    uint64_t seen_next;
    unsigned polls; /* since it plays that one */
} progress;

/* ---- one seed ---- */

static uint32_t traits_of(const arguments *given, uint64_t seed)
{
    uint32_t traits = 0;
    sim_world world;

    if (given->has_traits) {
        return given->traits;
    }
    /* Not the numbers of the seed itself. */
    sim_world_init(&world, ~seed);
    for (uint32_t trait = SIM_CUTS; trait <= SIM_RELOADS; trait *= 2) {
        traits |= sim_percent(&world, TRAIT_PERCENT) ? trait : 0;
    }
    return given->frames ? traits & ~(uint32_t)SIM_PRESSURE : traits;
}

static uint64_t play(const arguments *given, uint64_t seed, sim_played *played)
{
    uint32_t traits = traits_of(given, seed);

    if (traits & SIM_PRESSURE) {
        sim_press_seed(seed, played);
    } else {
        sim_play_seed(seed, traits, given->frames, played);
    }
    return played->hash;
}

static uint64_t check_seed(const arguments *given, uint64_t seed)
{
    sim_played played, again;

    (void)play(given, seed, &played);
    if (seed % 10 == 0 && !given->frames) {
        sim_check(play(given, seed, &again) == played.hash, "played again, the server's bytes are others");
    }
    return played.ticks;
}

/* ---- processes ---- */

static void play_share(const arguments *given, progress *mine)
{
    while (mine->next < given->first + given->count) {
        mine->ticks += check_seed(given, mine->next);
        mine->next += given->jobs;
    }
    model_check_closeness();
}

static void start(const arguments *given, progress *child)
{
    fflush(NULL);
    child->polls = 0;
    const pid_t process = fork();
    if (process < 0) {
        fprintf(stderr, "sim_all: cannot start a process: %s\n", strerror(errno));
        exit(2);
    }
    if (process == 0) {
        play_share(given, child);
        exit(0);
    }
    child->process = process;
}

static void report(const arguments *given, const progress *child, const char *why)
{
    fprintf(stderr, "seed %llu %s. Replay it with: sim_all%s%s 1 %llu\n", (unsigned long long)child->next, why,
            given->has_traits ? " --with " : "", given->has_traits ? given->with : "", (unsigned long long)child->next);
}

/* Ends a child that plays one seed for too long. */
static void watch(const arguments *given, progress *child)
{
    if (child->seen_next != child->next) {
        child->polls = 0;
        child->seen_next = child->next;
    } else if (++child->polls == POLLS_A_SEED) {
        report(given, child, "hangs");
        kill(child->process, SIGKILL);
    }
}

static void print_progress(const arguments *given, const progress *children, uint64_t failed)
{
    static time_t printed;
    time_t now = time(NULL);
    uint64_t done = 0;

    if (!given->keep_going || now < printed + 60) {
        return;
    }
    printed = now;
    for (unsigned i = 0; i < given->jobs; i++) {
        done += (children[i].next - given->first) / given->jobs;
    }
    printf("%llu of %llu seeds, %llu FAIL\n", (unsigned long long)done, (unsigned long long)given->count,
           (unsigned long long)failed);
    fflush(stdout);
}

/* Returns how many seeds fail. */
static uint64_t play_all(const arguments *given, progress *children)
{
    uint64_t failed = 0;
    unsigned running = given->jobs;

    for (unsigned i = 0; i < given->jobs; i++) {
        children[i].next = given->first + i;
        start(given, &children[i]);
    }
    while (running > 0) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        print_progress(given, children, failed);
        for (unsigned i = 0; i < given->jobs; i++) {
            progress *child = &children[i];
            int status;

            if (child->process == 0 || waitpid(child->process, &status, WNOHANG) == 0) {
                if (child->process != 0) {
                    watch(given, child);
                }
                continue;
            }
            child->process = 0;
            running--;
            if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
                continue;
            }
            failed++;
            report(given, child, "fails");
            if (given->keep_going) {
                child->next += given->jobs;
                start(given, child);
                running++;
            }
        }
    }
    return failed;
}

/* Returns how many cases there are. */
static unsigned run_cases(const arguments *given)
{
    pid_t processes[JOBS_MAX];
    int status;

    fflush(NULL);
    for (unsigned i = 1; i < given->jobs; i++) {
        processes[i] = fork();
        if (processes[i] < 0) {
            fprintf(stderr, "sim_all: cannot start a process: %s\n", strerror(errno));
            exit(2);
        }
        if (processes[i] == 0) {
            (void)sim_run_cases(i, given->jobs);
            exit(0);
        }
    }
    const unsigned count = sim_run_cases(0, given->jobs);
    for (unsigned i = 1; i < given->jobs; i++) {
        if (waitpid(processes[i], &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            exit(1);
        }
    }
    return count;
}

/* ---- arguments ---- */

_Noreturn static void refuse(const char *what)
{
    fprintf(stderr, "sim_all: %s is no argument, or has a wrong value. tests/sim/main.c lists them\n", what);
    exit(2);
}

static uint64_t number_of(const char *text)
{
    char *end;
    uint64_t number = strtoull(text, &end, 10);

    if (*end != '\0' || end == text) {
        refuse(text);
    }
    return number;
}

static uint32_t traits_named(const char *list)
{
    static const struct {
        const char *name;
        uint32_t trait;
    } names[] = {{"cuts", SIM_CUTS}, {"hostile", SIM_HOSTILE},   {"jumps", SIM_JUMPS},     {"workers", SIM_WORKERS},
                 {"halt", SIM_HALT}, {"pressure", SIM_PRESSURE}, {"reloads", SIM_RELOADS}, {"none", 0}};
    const size_t count = sizeof names / sizeof names[0];
    uint32_t traits = 0;

    while (*list != '\0') {
        size_t size = strcspn(list, ","), i = 0;

        while (i < count && (strlen(names[i].name) != size || memcmp(names[i].name, list, size) != 0)) {
            i++;
        }
        if (i == count) {
            refuse(list);
        }
        traits |= names[i].trait;
        list += size + (list[size] == ',');
    }
    return traits;
}

static arguments read_arguments(char *argv[])
{
    arguments given = {.count = SEEDS_USUALLY, .first = 1, .jobs = 1};
    unsigned numbers = 0;

    for (argv++; *argv != NULL; argv++) {
        const char *next = argv[1] != NULL ? argv[1] : "";

        if (strcmp(*argv, "--frames") == 0) {
            given.frames = true;
        } else if (strcmp(*argv, "--cases") == 0) {
            given.cases = true;
        } else if (strcmp(*argv, "--keep-going") == 0) {
            given.keep_going = true;
        } else if (strcmp(*argv, "--with") == 0 && argv[1] != NULL) {
            given.has_traits = true;
            given.with = *++argv;
            given.traits = traits_named(given.with);
        } else if (strcmp(*argv, "--jobs") == 0) {
            uint64_t jobs = number_of(next);

            if (jobs == 0 || jobs > JOBS_MAX) {
                refuse(next);
            }
            given.jobs = (unsigned)jobs;
            argv++;
        } else if (numbers < 2) {
            *(numbers++ == 0 ? &given.count : &given.first) = number_of(*argv);
        } else {
            refuse(*argv);
        }
    }
    given.cases |= numbers < 2;
    return given;
}

int main(int argc, char *argv[])
{
    if (argc == 2 && strcmp(argv[1], "--allocations") == 0) {
        qd_log_level_set(QD_LOG_ERROR);
        printf("%llu allocations: each may fail\n", (unsigned long long)sim_fail_each_allocation());
        return 0;
    }
    const arguments given = read_arguments(argv);
    progress *children =
        mmap(NULL, JOBS_MAX * sizeof *children, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    uint64_t failed = 0, ticks = 0;

    if (children == MAP_FAILED) {
        fprintf(stderr, "sim_all: no memory to share with processes: %s\n", strerror(errno));
        return 2;
    }
    qd_log_level_set(QD_LOG_ERROR);
    const unsigned cases = given.cases ? run_cases(&given) : 0;
    if (given.count == 1) {
        ticks = check_seed(&given, given.first); /* here, for a debugger */
    } else {
        failed = play_all(&given, children);
    }
    for (unsigned i = 0; i < given.jobs; i++) {
        ticks += children[i].ticks;
    }
    fprintf(given.frames ? stderr : stdout, "%u cases; %llu seeds from %llu, %llu ticks: ", cases,
            (unsigned long long)given.count, (unsigned long long)given.first, (unsigned long long)ticks);
    if (failed > 0) {
        printf("%llu FAIL\n", (unsigned long long)failed);
        return 1;
    }
    fprintf(given.frames ? stderr : stdout, "all as it must be\n");
    return 0;
}

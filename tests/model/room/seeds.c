/* SPDX-License-Identifier: Apache-2.0 */
#include "seeds.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

bool seeds_left_out[SEEDS_COMMANDS_MAX];
bool seeds_verbose;

typedef void (*run_fn)(uint64_t seed, uint32_t limit);

void *seeds_shared(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED) {
        abort();
    }
    return memory;
}

static bool passes(uint64_t seed, uint32_t limit, uint32_t *command, run_fn run, bool quiet)
{
    int status;

    *command = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) {
        abort();
    }
    if (child == 0) {
        if (quiet && !freopen("/dev/null", "w", stderr)) {
            abort();
        }
        run(seed, limit);
        exit(0);
    }
    if (waitpid(child, &status, 0) != child) {
        abort();
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void shrink(uint64_t seed, uint32_t *command, run_fn run)
{
    uint32_t kept = 0;
    uint32_t limit = *command < SEEDS_COMMANDS_MAX ? *command + 1 : SEEDS_COMMANDS_MAX;

    for (uint32_t index = limit; index-- > 0;) {
        seeds_left_out[index] = true;
        if (passes(seed, limit, command, run, true)) {
            seeds_left_out[index] = false;
        }
    }
    for (uint32_t index = 0; index < limit; index++) {
        kept += !seeds_left_out[index];
    }
    fprintf(stderr, "\nseed %" PRIu64 " fails with %u of its first %u commands:\n", seed, kept, limit);
    seeds_verbose = true;
    (void)passes(seed, limit, command, run, false);
}

bool seeds_pass(int argument_count, char **arguments, uint64_t *count, uint32_t *command, run_fn run)
{
    uint64_t first = argument_count > 2 ? strtoull(arguments[2], NULL, 0) : 0;

    if (argument_count > 1) {
        *count = strtoull(arguments[1], NULL, 0);
    }
    for (uint64_t seed = first; seed < first + *count; seed++) {
        if (passes(seed, SEEDS_COMMANDS_MAX, command, run, false)) {
            continue;
        }
        fprintf(stderr, "seed %" PRIu64 " failed at command %u; shrinking\n", seed, *command);
        shrink(seed, command, run);
        return false;
    }
    return true;
}

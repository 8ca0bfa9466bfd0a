/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "cores.h"

#include <sched.h>
#include <stdio.h>
#include <unistd.h>

/* A container sees its own cgroup at the root of the mount. Version 2 has one file with "QUOTA PERIOD" or "max PERIOD".
 * Version 1 has two files, with a quota of -1 for none. */
static double quota(void)
{
    double time_us, period_us;
    int found = 0;
    FILE *file = fopen("/sys/fs/cgroup/cpu.max", "re");

    if (file != NULL) {
        found = fscanf(file, "%lf %lf", &time_us, &period_us) == 2;
        fclose(file);
        return found && period_us > 0 ? time_us / period_us : 0;
    }
    file = fopen("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "re");
    if (file == NULL) {
        return 0;
    }
    found = fscanf(file, "%lf", &time_us) == 1;
    fclose(file);
    file = fopen("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "re");
    if (file == NULL) {
        return 0;
    }
    found &= fscanf(file, "%lf", &period_us) == 1;
    fclose(file);
    return found && time_us > 0 && period_us > 0 ? time_us / period_us : 0;
}

uint32_t qd_cores(void)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t cores = online > 0 ? (uint32_t)online : 1;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) {
        cores = (uint32_t)CPU_COUNT(&set);
    }
    double allowed = quota();
    if (allowed > 0 && allowed < cores) {
        cores = allowed < 1 ? 1 : (uint32_t)allowed;
    }
    return cores;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "threads.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool read_thread(const char *id, qd_admin_thread *row)
{
    char path[64], name[32];
    unsigned long user, system;

    snprintf(path, sizeof path, "/proc/self/task/%.20s/stat", id);
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return false; /* it has ended */
    }
    /* The name stands in parentheses; names of our threads have none. */
    const int found =
        fscanf(file, "%*d (%31[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", name, &user, &system);
    fclose(file);
    *row = (qd_admin_thread){.id = (uint32_t)strtoul(id, NULL, 10),
                             .cpu_seconds = (double)(user + system) / (double)sysconf(_SC_CLK_TCK)};
    snprintf(row->name, sizeof row->name, "%.15s", name);
    return found == 3;
}

uint32_t qd_admin_threads(qd_admin_thread *rows, uint32_t max)
{
    DIR *folder = opendir("/proc/self/task");
    uint32_t count = 0;

    if (folder == NULL) {
        return 0;
    }
    for (struct dirent *entry; count < max && (entry = readdir(folder)) != NULL;) {
        count += entry->d_name[0] != '.' && read_thread(entry->d_name, &rows[count]);
    }
    closedir(folder);
    return count;
}

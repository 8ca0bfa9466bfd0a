/* SPDX-License-Identifier: Apache-2.0
 *
 * qd_memory_of_machine: what the machine has, and what the control groups around this process leave it.
 *
 * A group's limit binds all groups below it, so every step from the process's own group up to the root counts. In a
 * container the path in /proc/self/cgroup may be seen from outside and lead nowhere; the root of what is mounted, which
 * is the last step of the way up, is the container's own group then.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "alloc.h"

/* Lowers *bytes to the number in the file, if there is one ("max" is none). */
static void lower_to_file(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "re");
    unsigned long long limit;

    if (!file) {
        return;
    }
    if (fscanf(file, "%llu", &limit) == 1 && limit < *bytes) {
        *bytes = (size_t)limit;
    }
    fclose(file);
}

/* From the group up to the root of the mount. */
static void lower_to_groups(const char *mount, char *group, const char *file_name, size_t *bytes)
{
    char path[4096];

    for (;;) {
        size_t length = strlen(group);

        if (length > 0 && group[length - 1] == '/') {
            group[length - 1] = '\0';
        }
        int size = snprintf(path, sizeof path, "%s%s/%s", mount, group, file_name);
        if (size > 0 && (size_t)size < sizeof path) {
            lower_to_file(path, bytes);
        }
        char *slash = strrchr(group, '/');
        if (!slash) {
            return;
        }
        *slash = '\0';
    }
}

/* Whether a v1 line's list of controllers, "cpu,memory", names memory. */
static bool names_memory(const char *controllers)
{
    for (const char *name = controllers; name; name = strchr(name, ',')) {
        name += *name == ',';
        if (strncmp(name, "memory", 6) == 0 && (name[6] == ',' || name[6] == '\0')) {
            return true;
        }
    }
    return false;
}

size_t qd_memory_of_machine(void)
{
    long pages = sysconf(_SC_PHYS_PAGES);
    long page_size = sysconf(_SC_PAGESIZE);
    size_t bytes = pages > 0 && page_size > 0 ? (size_t)pages * (size_t)page_size : SIZE_MAX;
    FILE *groups = fopen("/proc/self/cgroup", "re");
    char line[4096];

    if (!groups) {
        return bytes;
    }
    /* "0::/path" is v2's one line; "4:memory:/path" one of v1's. */
    while (fgets(line, sizeof line, groups)) {
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':');
        char *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group) {
            continue;
        }
        *group++ = '\0';
        controllers++;
        if (*controllers == '\0') {
            lower_to_groups("/sys/fs/cgroup", group, "memory.max", &bytes);
        } else if (names_memory(controllers)) {
            lower_to_groups("/sys/fs/cgroup/memory", group, "memory.limit_in_bytes", &bytes);
        }
    }
    fclose(groups);
    return bytes;
}

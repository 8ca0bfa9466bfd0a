/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs a fuzz target over the files and folders given, each file once: for compilers without libFuzzer. Finding no
 * file is a failure, so that a corpus cannot get lost in silence.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static unsigned file_count;

static void fail(const char *path)
{
    fprintf(stderr, "%s: %s\n", path, strerror(errno));
    exit(1);
}

/* The target gets memory of exactly the file's size, so that a sanitizer sees a read behind it. */
static void run_file(const char *path)
{
    FILE *file = fopen(path, "rb");

    if (!file || fseek(file, 0, SEEK_END) != 0) {
        fail(path);
    }
    long size = ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(size > 0 ? (size_t)size : 1);
    if (size < 0 || !bytes || fread(bytes, 1, (size_t)size, file) != (size_t)size) {
        fail(path);
    }
    fclose(file);
    LLVMFuzzerTestOneInput(bytes, (size_t)size);
    free(bytes);
    file_count++;
}

static void run(const char *path)
{
    DIR *folder = opendir(path);

    if (!folder) {
        run_file(path);
        return;
    }
    const struct dirent *entry;
    while ((entry = readdir(folder))) {
        char inner[PATH_MAX];

        if (entry->d_name[0] != '.' && snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name) < PATH_MAX) {
            run(inner);
        }
    }
    closedir(folder);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        run(argv[i]);
    }
    printf("%u inputs\n", file_count);
    return file_count > 0 ? 0 : 1;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "private_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A process reads the file as its owner, and then it alone may; or through its group, as with secrets that a container
 * gets. */
static bool check_mode(int file, const char *path, char *error, size_t error_size)
{
    struct stat about;

    if (fstat(file, &about) != 0) {
        snprintf(error, error_size, "%s cannot be read: %s", path, strerror(errno));
        return false;
    }
    const mode_t mode = about.st_mode & 0777, others = about.st_uid == geteuid() ? 077 : 027;
    if (S_ISREG(about.st_mode) && (mode & others) != 0) {
        snprintf(error, error_size, "%s has the mode %03o; must not be readable by other users. Run chmod 600 %s", path,
                 (unsigned)mode, path);
        return false;
    }
    return true;
}

FILE *qd_private_file_open(const char *path, char *error, size_t error_size)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "r");

    if (file == NULL) {
        snprintf(error, error_size, "%s cannot be read: %s", path, strerror(errno));
    } else if (check_mode(descriptor, path, error, error_size)) {
        return file;
    }
    if (file != NULL) {
        fclose(file);
    } else if (descriptor >= 0) {
        close(descriptor);
    }
    return NULL;
}

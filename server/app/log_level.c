/* SPDX-License-Identifier: Apache-2.0 */
#include "log_level.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

qd_status qd_log_level_read(const char *path, qd_log_level *level, char *error, size_t error_size)
{
    char word[32] = "", more[2] = "";
    FILE *file = fopen(path, "r");

    if (file == NULL) {
        snprintf(error, error_size, "%s: %s", path, strerror(errno));
        return QD_ERR_SYSTEM;
    }
    int words = fscanf(file, "%31s %1s", word, more);
    fclose(file);
    if (words == 1 && qd_log_level_of(word, level)) {
        return QD_OK;
    }
    snprintf(error, error_size,
             "%s: the level is not valid; must be error, warn, info or debug. Write one of these words", path);
    return QD_ERR_INVALID;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "key_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SPACE  " \t\r\n"
#define PREFIX "key:"

/* Opens a file that other users may not read. NULL: reported. */
static FILE *open_private(const qd_cli *cli, const char *path)
{
    struct stat about;
    FILE *file = fopen(path, "re");

    if (file == NULL || fstat(fileno(file), &about) != 0) {
        qd_cli_fail(cli, "cannot read %s: %s", path, strerror(errno));
    } else if ((about.st_mode & 077) != 0) {
        qd_cli_fail(cli, "%s has the mode %03o; must be readable by you alone: run chmod 600 %s", path,
                    about.st_mode & 0777u, path);
    } else {
        return file;
    }
    if (file != NULL) {
        fclose(file);
    }
    return NULL;
}

/* Reads the rest of a line behind its id. */
static bool read_key(const qd_cli *cli, const char *path, unsigned number, const char *id, char **rest,
                     qd_tool_key *key)
{
    const char *secret = strtok_r(NULL, SPACE, rest), *role = secret != NULL ? strtok_r(NULL, SPACE, rest) : NULL;
    char error[200];

    key->role = QD_ROLE_WRITER;
    if (!qd_join_key_check(id, secret != NULL ? secret : "", error, sizeof error)) {
        return qd_cli_fail(cli, "line %u of %s: %s", number, path, error) == 0;
    }
    if (role != NULL && !qd_role_parse(role, &key->role)) {
        return qd_cli_fail(cli, "line %u of %s: the role is '%.32s'; must be admin, writer or reader", number, path,
                           role) == 0;
    }
    snprintf(key->id, sizeof key->id, "%s", id);
    snprintf(key->secret, sizeof key->secret, "%s", secret);
    return true;
}

/* Returns how many keys with that id there are; 0 after a failure, too, which is reported and sets *failed. */
static unsigned read_lines(const qd_cli *cli, const char *path, FILE *file, const char *id, qd_tool_key *key,
                           bool *failed)
{
    char *line = NULL, *rest;
    size_t capacity = 0;
    unsigned found = 0;

    *failed = false;
    for (unsigned number = 1; !*failed && getline(&line, &capacity, file) >= 0; number++) {
        const char *word = strtok_r(line, SPACE, &rest);

        if (word == NULL || strncmp(word, PREFIX, sizeof PREFIX - 1) != 0) {
            continue;
        }
        word += sizeof PREFIX - 1;
        if (id == NULL || strcmp(id, word) == 0) {
            *failed = !read_key(cli, path, number, word, &rest, key);
            found++;
        }
    }
    free(line);
    return *failed ? 0 : found;
}

bool qd_key_file_read(const qd_cli *cli, const char *path, const char *id, qd_tool_key *key)
{
    FILE *file = open_private(cli, path);
    bool failed;

    if (file == NULL) {
        return false;
    }
    const unsigned found = read_lines(cli, path, file, id, key, &failed);
    fclose(file);
    if (failed || found == 1) {
        return !failed;
    }
    if (found > 1) {
        return qd_cli_fail(cli, "%s has %u keys%s; must be clear which one signs: %s", path, found,
                           id != NULL ? " with this id" : "", id != NULL ? "remove the others" : "set --key") == 0;
    }
    if (id != NULL) {
        return qd_cli_fail(cli, "%s has no key '%.64s'; must have the line key:%.64s SECRET", path, id, id) == 0;
    }
    return qd_cli_fail(cli, "%s has no key; must have the line key:ID SECRET", path) == 0;
}

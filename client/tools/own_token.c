/* SPDX-License-Identifier: Apache-2.0 */
#include "own_token.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define RANDOM_BYTES 24u

/* Writes the path of a file in the user's state folder. False: there is no such folder. */
static bool find_path(const char *name, char path[PATH_MAX])
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    int length = 0;

    /* Relative paths are invalid by the specification of XDG. */
    if (state != NULL && state[0] == '/') {
        length = snprintf(path, PATH_MAX, "%s/quadrille/%s", state, name);
    } else if (home != NULL && home[0] == '/') {
        length = snprintf(path, PATH_MAX, "%s/.local/state/quadrille/%s", home, name);
    }
    return length > 0 && length < PATH_MAX;
}

/* Creates the folders of the path that are missing, for the user alone. */
static void make_folders(const char *path)
{
    char folder[PATH_MAX];

    for (const char *end = strchr(path + 1, '/'); end != NULL; end = strchr(end + 1, '/')) {
        snprintf(folder, sizeof folder, "%.*s", (int)(end - path), path);
        (void)mkdir(folder, 0700);
    }
}

static bool write_token(const char *path)
{
    uint8_t bytes[RANDOM_BYTES];
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    if (file < 0) {
        return false;
    }
    bool good = getrandom(bytes, sizeof bytes, 0) == (ssize_t)sizeof bytes;
    for (size_t i = 0; good && i < sizeof bytes; i++) {
        good = dprintf(file, "%02x", bytes[i]) == 2;
    }
    return (close(file) == 0) & good;
}

/* The file appears as a whole: of several commands that create it at once, one wins. */
static void create(const char *path)
{
    char name[32], draft[PATH_MAX];

    snprintf(name, sizeof name, "token-%ld", (long)getpid());
    if (!find_path(name, draft)) {
        return;
    }
    make_folders(path);
    if (write_token(draft)) {
        int error = link(draft, path);

        (void)error; /* the caller opens the file, whichever command has created it */
    }
    (void)unlink(draft);
}

/* Reads the open file. */
static bool read_token(const qd_cli *cli, const char *path, int file, char token[QD_OWN_TOKEN_SIZE])
{
    struct stat about;

    if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) {
        return qd_cli_fail(cli, "%s is not a regular file: remove it, or set QUADRILLE_TOKEN", path) == 0;
    }
    if ((about.st_mode & 077) != 0 || about.st_uid != geteuid()) {
        return qd_cli_fail(cli,
                           "%s has the mode %03o and the owner %u; must be readable by you alone: remove it, or run "
                           "chmod 600, or set QUADRILLE_TOKEN",
                           path, about.st_mode & 0777u, (unsigned)about.st_uid) == 0;
    }
    ssize_t size = read(file, token, QD_OWN_TOKEN_SIZE);
    if (size < 0) {
        return qd_cli_fail(cli, "cannot read %s: %s", path, strerror(errno)) == 0;
    }
    const size_t letters = size < QD_OWN_TOKEN_SIZE ? (size_t)size : 0;
    token[letters] = '\0';
    token[strcspn(token, "\n")] = '\0';
    if (token[0] == '\0') {
        return qd_cli_fail(cli, "%s has %zd bytes; must be a token of 1 to %d: remove it, or set QUADRILLE_TOKEN", path,
                           size, QD_OWN_TOKEN_SIZE - 1) == 0;
    }
    return true;
}

bool qd_own_token_path(char path[PATH_MAX])
{
    return find_path("token", path);
}

bool qd_own_token(const qd_cli *cli, char token[QD_OWN_TOKEN_SIZE])
{
    char path[PATH_MAX];

    token[0] = '\0';
    if (!qd_own_token_path(path)) {
        return true;
    }
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0 && errno == ENOENT) {
        create(path);
        file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    }
    if (file < 0) {
        /* A folder that is missing or read-only is no fault: the user may have none. */
        const bool is_there = access(path, F_OK) == 0;

        return !is_there || qd_cli_fail(cli, "cannot read %s: %s; set QUADRILLE_TOKEN", path, strerror(errno)) == 0;
    }
    bool good = read_token(cli, path, file, token);
    close(file);
    return good;
}

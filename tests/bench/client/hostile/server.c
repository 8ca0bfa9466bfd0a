/* SPDX-License-Identifier: Apache-2.0 */
#include "server.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/client/program.h"

pid_t server_start(const char *const *arguments, char address[64])
{
    int output[2];
    char line[256];

    if (pipe(output) != 0) {
        program_die("pipe: %s", strerror(errno));
    }
    const pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(output[1], STDOUT_FILENO);
        close(output[0]);
        if (freopen("/dev/null", "w", stderr) != NULL) {
            execv(arguments[0], (char *const *)arguments);
        }
        _exit(127);
    }
    close(output[1]);
    FILE *lines = fdopen(output[0], "r");
    if (pid < 0 || lines == NULL || fgets(line, sizeof line, lines) == NULL ||
        sscanf(line, "%*s %*s listening on %63s", address) != 1) {
        program_die("%s does not start", arguments[0]);
    }
    fclose(lines);
    return pid;
}

bool server_lives(pid_t server)
{
    return waitpid(server, NULL, WNOHANG) == 0;
}

void server_end(pid_t server)
{
    kill(server, SIGKILL);
    waitpid(server, NULL, 0);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "streams.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void qd_streams_begin(void)
{
    /* open returns the lowest free number, and all lower ones are in use by then. */
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
        if (fcntl(stream, F_GETFD) < 0) {
            (void)open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        }
    }
}

int qd_streams_end(const char *program, int status)
{
    if ((fflush(stdout) == 0 && !ferror(stdout)) || status != 0) {
        return status;
    }
    if (errno != EPIPE) {
        fprintf(stderr, "%s: cannot write the output: %s\n", program, strerror(errno));
    }
    return 1;
}

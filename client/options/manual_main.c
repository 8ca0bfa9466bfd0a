/* SPDX-License-Identifier: Apache-2.0
 *
 * qd-manual-NAME: prints the manual page or the completion of one program, whose functions are linked. It is part of
 * the build only.
 */
#include "manual.h"

#include <string.h>

int QD_PROGRAM(int argc, char **argv);

int main(int argc, char **argv)
{
    const char *format = argc == 2 ? argv[1] : "";

    if (strcmp(format, "man") == 0) {
        qd_manual_page(QD_PROGRAM_NAME, QD_VERSION_TEXT, QD_PROGRAM);
    } else if (strcmp(format, "bash") == 0) {
        qd_manual_bash(QD_PROGRAM_NAME, QD_PROGRAM);
    } else if (strcmp(format, "zsh") == 0) {
        qd_manual_zsh(QD_PROGRAM_NAME, QD_PROGRAM);
    } else {
        fprintf(stderr, "qd-manual: the format is '%s'; must be man, bash or zsh\n", format);
        return QD_EXIT_USAGE;
    }
    return fflush(stdout) == 0 ? 0 : 1;
}

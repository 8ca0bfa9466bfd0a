/* SPDX-License-Identifier: Apache-2.0
 *
 * qd-default-config: prints the configuration file that is installed, in which every line is a comment. It is part of the
 * build only.
 */
#include "app/options.h"

int main(void)
{
    qd_server_options_print(stdout, NULL);
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * quadrille: the command line client of a Quadrille server.
 */
#include "cli.h"
#include "streams.h"

int main(int argc, char **argv)
{
    qd_streams_begin();
    return qd_streams_end("quadrille", qd_quadrille(argc, argv));
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * quadrille-bench: measures a server.
 */
#include "bench.h"
#include "streams.h"

int main(int argc, char **argv)
{
    qd_streams_begin();
    return qd_streams_end(QD_BENCH, qd_bench_program(argc, argv));
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * A server of the bench's own.
 */
#ifndef QD_BENCH_SERVER_H
#define QD_BENCH_SERVER_H

#include <stdbool.h>
#include <sys/types.h>

/* Starts it, waits until it listens, and writes its address. `arguments` are its path and its options, with NULL at the
 * end. Its log is thrown away. Ends the program on failure. */
pid_t server_start(const char *const *arguments, char address[64]);
bool server_lives(pid_t server);
void server_end(pid_t server);

#endif

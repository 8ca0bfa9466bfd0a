/* SPDX-License-Identifier: Apache-2.0
 *
 * A network between two namespaces of this process, which treats TCP badly: it loses, delays and reorders packets, forges
 * resets, cuts segments to one byte, and goes dead for a while. Two TUN devices carry the packets, and a thread forwards
 * them. So the faults meet the TCP of the kernel, without netem, which few kernels of virtual machines have.
 *
 *     if (!bad_network_open(seed, problem)) ...
 *     server = qd_server_start(QD_ARGS("--listen", BAD_NETWORK_SERVER ":0", "--insecure"));   the process is in the server's namespace
 *     bad_network_enter(BAD_NETWORK_CLIENT);
 *     bad_network_set(&(struct bad_network_faults){.loss_permille = 50, .delay_ms = 100, .jitter_ms = 200});
 *
 * There is one per process, since it moves the thread that opens it.
 */
#ifndef QD_TESTS_SUPPORT_BAD_NETWORK_H
#define QD_TESTS_SUPPORT_BAD_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

#define BAD_NETWORK_SERVER       "10.99.0.2"
#define BAD_NETWORK_PROBLEM_SIZE 160u

enum { BAD_NETWORK_CLIENT, BAD_NETWORK_SERVER_SIDE };

/* Each applies to both directions. 0: none. */
struct bad_network_faults {
    uint32_t loss_permille;
    uint32_t delay_ms, jitter_ms; /* a packet takes delay_ms, more or less by up to jitter_ms, and at least 0 */
    uint32_t reset_ms_max;        /* a random connection is reset after a random time below this, again and again */
    uint32_t dead_ms_max;         /* every packet is lost for a random time below this, and then for as long none */
    bool one_byte;                /* segments carry one byte */
};

struct bad_network_counts {
    uint64_t packets, lost, resets, one_byte;
    uint64_t overruns; /* packets lost because a queue was full */
};

/* Makes both namespaces, and puts the calling thread and what it starts into the server's. The process has one thread.
 * False: this user or this system cannot, and `problem` has the reason. */
bool bad_network_open(uint64_t seed, char problem[BAD_NETWORK_PROBLEM_SIZE]);
/* Removes both. The calling thread stays in a namespace without a network. */
void bad_network_close(void);
/* Moves the calling thread. */
void bad_network_enter(int side);
/* Replaces the faults. NULL: none. */
void bad_network_set(const struct bad_network_faults *faults);
struct bad_network_counts bad_network_counts(void);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * A TCP proxy on a thread of its own, which breaks connections at random moments: after some bytes or some time, in the
 * middle of frames, by a reset, by an end, or by silence. The connection to the server may stay open for a while, and the
 * last bytes may come late.
 */
#ifndef QD_TESTS_SUPPORT_PROXY_H
#define QD_TESTS_SUPPORT_PROXY_H

#include <stdbool.h>
#include <stdint.h>

struct proxy;

/* Connections to its address go to `target`, "127.0.0.1:PORT". */
struct proxy *proxy_start(const char *target, uint64_t seed);
void proxy_stop(struct proxy *proxy);
const char *proxy_address(const struct proxy *proxy);
/* Where new connections go. */
void proxy_aim(struct proxy *proxy, const char *target);
/* The number of connections that it has broken so far. */
uint32_t proxy_cuts(const struct proxy *proxy);
/* Whether it breaks connections; at first it does. */
void proxy_cut(struct proxy *proxy, bool cuts);

#endif

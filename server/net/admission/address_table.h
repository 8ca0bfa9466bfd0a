/* SPDX-License-Identifier: Apache-2.0
 *
 * The addresses that connections come from, and what each has used of its quotas. An IPv6 address counts as its /64
 * network, because a host has all of it.
 *
 * The table has a fixed size. An address with a connection stays in it. The others are forgotten when their places are
 * needed, the longest idle first. The hash is keyed, so that nobody can choose addresses that share a chain.
 *
 * One owner; every call is under its lock.
 */
#ifndef QD_NET_ADMISSION_ADDRESS_TABLE_H
#define QD_NET_ADMISSION_ADDRESS_TABLE_H

#include <sys/queue.h>
#include <sys/socket.h>

#include "../../base/memory/alloc.h"

typedef struct qd_address_key {
    uint64_t high, low;
} qd_address_key;

/* A rate of events: the time from which on they are within it again. Zero to begin with. */
typedef struct qd_address_rate {
    uint64_t due_ns;
} qd_address_rate;

typedef struct qd_address {
    qd_address_key key;
    uint32_t connections;
    qd_address_rate accepts, failed_tokens;
    struct qd_address *next; /* in its chain */
    TAILQ_ENTRY(qd_address) idle_links;
} qd_address;

typedef struct qd_address_table {
    qd_heap heap;
    uint64_t secret[2];
    qd_address *rows;
    uint32_t count, used; /* rows; those that were used at least once */
    qd_address **chains;
    uint32_t chain_count;                         /* a power of two */
    TAILQ_HEAD(qd_address_list, qd_address) idle; /* without connections; the longest idle first */
} qd_address_table;

/* IPv4, also as an IPv6 address, and IPv6. All others share one key. */
qd_address_key qd_address_key_of(const struct sockaddr *address);

/* For up to connections_max connections at once. */
qd_status qd_address_table_init(qd_address_table *table, uint32_t connections_max,
                                const uint64_t secret[2]) QD_MUST_USE;
void qd_address_table_deinit(qd_address_table *table);

/* The address with that key. It stays valid until the next call, or as long as it has a connection. */
qd_address *qd_address_table_find(qd_address_table *table, qd_address_key key);
/* One more connection of the address, or one less. */
void qd_address_hold(qd_address_table *table, qd_address *address);
void qd_address_release(qd_address_table *table, qd_address *address);

/* Whether one more event is within a rate per second, after a burst of at most `burst`, and counts it if so. A rate of 0
 * is unlimited. */
bool qd_address_rate_take(qd_address_rate *rate, uint32_t per_second, uint32_t burst, uint64_t now_ns);
/* The same without counting it. */
bool qd_address_rate_allows(const qd_address_rate *rate, uint32_t per_second, uint32_t burst, uint64_t now_ns);

#endif

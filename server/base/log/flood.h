/* SPDX-License-Identifier: Apache-2.0
 *
 * Limits how often a message is logged: per address, and in all. What is suppressed is counted, and reported when the
 * window is over.
 *
 * An address is that of an IPv4 client, or the /64 network of an IPv6 client. The table is bounded: addresses that find
 * no place push out others, whose counts then go to the message's own.
 */
#ifndef QD_BASE_LOG_FLOOD_H
#define QD_BASE_LOG_FLOOD_H

#include <stdbool.h>
#include <stdint.h>

#define QD_FLOOD_WINDOW_NS      UINT64_C(10000000000) /* 10 s */
#define QD_FLOOD_ADDRESS_LINES  10u                   /* of one message, from one address, in a window */
#define QD_FLOOD_MESSAGE_LINES  50u                   /* of one message in a window */
#define QD_FLOOD_ADDRESSES      512u
#define QD_FLOOD_MESSAGES       64u
#define QD_FLOOD_PEER_BYTES_MAX 64u

typedef struct qd_flood_entry {
    const char *message; /* the literal; NULL: unused */
    uint64_t address;    /* 0: the entry of the message as a whole */
    uint64_t start_ns;   /* of the window */
    uint32_t lines, suppressed;
    char peer[QD_FLOOD_PEER_BYTES_MAX]; /* the last one that was suppressed, without its port */
} qd_flood_entry;

/* Zero to begin with. */
typedef struct qd_flood {
    qd_flood_entry messages[QD_FLOOD_MESSAGES], addresses[QD_FLOOD_ADDRESSES];
    uint64_t pending;    /* suppressed lines that are not reported yet */
    uint64_t suppressed; /* in all */
} qd_flood;

/* What a window has suppressed. */
typedef struct qd_flood_report {
    const char *message;
    char peer[QD_FLOOD_PEER_BYTES_MAX]; /* "": of any address */
    uint32_t suppressed;
} qd_flood_report;

/* Whether a line may be logged. `message` is a literal: the same message has the same address. `peer` is ADDRESS:PORT, or
 * NULL. [lock] */
bool qd_flood_admit(qd_flood *flood, const char *message, const char *peer, uint64_t now_ns);
/* Takes a report whose window is over, or with `all` any. Returns whether there was one. [lock] */
bool qd_flood_take(qd_flood *flood, uint64_t now_ns, bool all, qd_flood_report *report);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * The admission: which connections exist, and which new ones may. Two pools keep peers that say nothing apart from those
 * in use, and each address has quotas.
 *
 *     accept --> WAITING, a quarter as many, at least 16 --introduced--> INTRODUCED, at most connections_max
 *                   \--oldest, when a newer one needs its place--> DROPPED
 *
 * A restart of many clients behind one address is normal, so an address may open all of its connections four times at
 * once. Only after that does the rate of accepts bind it.
 *
 * It has a lock of its own, under which no other lock is taken. The owner keeps it until all connections are closed.
 */
#ifndef QD_NET_ADMISSION_ADMISSION_H
#define QD_NET_ADMISSION_ADMISSION_H

#include <pthread.h>

#include "../../base/link.h"
#include "address_table.h"
#include "refusal.h"

typedef struct qd_admission_config {
    uint32_t connections_max;
    /* Per address; 0: no limit. */
    uint32_t address_connections_max;
    uint32_t address_accepts_max;       /* per second, after 4 * address_connections_max at once */
    uint32_t address_failed_tokens_max; /* per second, after ten times as many at once */
    uint64_t secret[2];                 /* of the table's hash */
} qd_admission_config;

typedef enum qd_admitted_state {
    QD_ADMITTED_NOT,
    QD_ADMITTED_WAITING,
    QD_ADMITTED_INTRODUCED,
    QD_ADMITTED_DROPPED
} qd_admitted_state;

/* Part of a connection; zero to begin with. */
typedef struct qd_admitted {
    qd_admitted_state state;
    qd_link *link;
    qd_address *address;
    TAILQ_ENTRY(qd_admitted) links; /* while it is waiting */
} qd_admitted;

typedef struct qd_admission {
    qd_admission_config config;
    uint32_t waiting_max;
    pthread_mutex_t lock; /* for all that follows */
    qd_address_table table;
    uint32_t introduced, waiting_count, dropped_count;
    TAILQ_HEAD(, qd_admitted) waiting; /* the oldest first */
} qd_admission;

qd_status qd_admission_init(qd_admission *admission, const qd_admission_config *config) QD_MUST_USE;
void qd_admission_deinit(qd_admission *admission);

/* [any], all of these */

/* Whether a connection from that address may exist; counts it among the accepts of the address. QD_NET_REFUSALS: yes. */
qd_net_refusal qd_admission_check(qd_admission *admission, qd_address_key key, uint64_t now_ns);
/* The link is new and waits for its introduction. Returns the link that is dropped for it, with a reference, or NULL. */
qd_link *qd_admission_enter(qd_admission *admission, qd_admitted *admitted, qd_link *link, qd_address_key key);
/* The link has introduced itself. false: connections_max is reached, or the link was dropped before. */
bool qd_admission_introduce(qd_admission *admission, qd_admitted *admitted);
/* The link is closed. */
void qd_admission_leave(qd_admission *admission, qd_admitted *admitted);
/* So many dropped links are not closed yet that accepting should wait for their loops. */
bool qd_admission_is_busy(qd_admission *admission);
/* Links that are waiting or introduced. */
uint32_t qd_admission_count(qd_admission *admission);

/* Whether a token from that address may be tried now; and that one was wrong. */
bool qd_admission_may_try_token(qd_admission *admission, qd_admitted *admitted, uint64_t now_ns);
void qd_admission_token_failed(qd_admission *admission, qd_admitted *admitted, uint64_t now_ns);

#endif

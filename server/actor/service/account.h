/* SPDX-License-Identifier: Apache-2.0
 *
 * Accounts: what clients use of the server, counted against quotas. Each session has an account, and its tenant has one:
 * all sessions of one line of --token-file. Without that, a token proves nothing, and a tenant is an address.
 *
 *     session, its memberships, its entities, memory of the rooms that it has created --> account of the session --+
 *                                                                                                                  |
 *     rooms that the tenant has created, the entities that they own ------------------> account of the tenant <----+
 *
 * What is charged to a session's account is charged to its tenant's, too. Amounts are atomic, and charged in batches: one
 * operation per request, not per entity. [any]
 */
#ifndef QD_ACTOR_SERVICE_ACCOUNT_H
#define QD_ACTOR_SERVICE_ACCOUNT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "../../../proto/messages.h"
#include "../../base/status.h"

typedef enum qd_quota {
    QD_QUOTA_JOINED,      /* rooms that a session is in; per session only */
    QD_QUOTA_ENTITIES,    /* that a session owns. Those of a room count for the tenant that created it */
    QD_QUOTA_OBSERVERS,   /* of a session */
    QD_QUOTA_VISIBLE,     /* visible entries of a session's observers */
    QD_QUOTA_SUBSCRIBED,  /* subscriptions of a session */
    QD_QUOTA_MEMORY,      /* bytes of the rooms that the session has created */
    QD_QUOTA_CONNECTIONS, /* with that token; from here on, per tenant only */
    QD_QUOTA_DETACHED,    /* sessions that wait to be resumed */
    QD_QUOTA_CREATED,     /* rooms that the tenant has created */
    QD_QUOTAS
} qd_quota;

/* How much one session and one tenant may use; 0: as much as they want. */
typedef struct qd_quotas {
    _Atomic uint64_t session[QD_QUOTAS], tenant[QD_QUOTAS];
    _Atomic uint64_t creations; /* rooms that a tenant may create per second */
} qd_quotas;

/* A tenant may create so many rooms at once. */
#define QD_CREATIONS_AT_ONCE 16u

#define QD_ACCOUNT_BUCKETS 1024u

typedef struct qd_accounts {
    qd_quotas quotas;
    uint64_t salt;
    pthread_mutex_t mutex; /* for the lists, and for the last reference to a tenant */
    LIST_HEAD(qd_account_list, qd_account) tenants[QD_ACCOUNT_BUCKETS];
} qd_accounts;

typedef struct qd_account {
    _Atomic uint32_t references;
    qd_accounts *accounts;
    struct qd_account *tenant; /* a reference; NULL: this is a tenant */
    _Atomic uint64_t used[QD_QUOTAS];
    /* of a tenant */
    _Atomic uint64_t created_due_ns; /* when the rooms that it has created are within its rate */
    LIST_ENTRY(qd_account) links;
    bool is_address;
    size_t size; /* of the struct with its name */
    char name[];
} qd_account;

/* A quota that is used up. */
typedef struct qd_shortage {
    qd_error_code code; /* QD_ERROR_NONE: nothing is short */
    qd_quota quota;
    uint64_t used, max;
} qd_shortage;

void qd_accounts_init(qd_accounts *accounts, uint64_t salt);
/* All accounts must be gone. */
void qd_accounts_deinit(qd_accounts *accounts);

/* The account of a token or an address, with a reference for the caller. NULL: no memory. [any] */
qd_account *qd_account_of_tenant(qd_accounts *accounts, const char *name, bool is_address) QD_MUST_USE;
/* The account of a new session of that tenant, with a reference for the caller. NULL: no memory. [any] */
qd_account *qd_account_create(qd_account *tenant) QD_MUST_USE;
/* Returns the account. [any] */
qd_account *qd_account_acquire(qd_account *account);
/* NULL is fine. [any] */
void qd_account_release(qd_account *account);

/* Charges as much as both quotas allow, up to `wanted`, and returns it. If that is less, *shortage gets the quota.
 * [any] */
uint32_t qd_account_take(qd_account *account, qd_quota quota, uint32_t wanted, qd_shortage *shortage);
/* Charges this, whatever the quotas allow; and gives it back. [any] */
void qd_account_add(qd_account *account, qd_quota quota, uint64_t amount);
void qd_account_give(qd_account *account, qd_quota quota, uint64_t amount);
/* Whether nothing more may be charged. *shortage then gets the quota. [any] */
bool qd_account_is_full(const qd_account *account, qd_quota quota, qd_shortage *shortage);

/* The tenant has created a room. Returns the ns until it may create the next one; 0: at once. [any] */
uint64_t qd_account_created(qd_account *tenant, uint64_t now_ns);

/* What is short, the limit, its option and the fix, for people. */
#define QD_SHORTAGE_TEXT_BYTES 200
void qd_shortage_text(const qd_shortage *shortage, char text[QD_SHORTAGE_TEXT_BYTES]);

#endif

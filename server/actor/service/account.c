/* SPDX-License-Identifier: Apache-2.0 */
#include "account.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../../base/assert.h"
#include "../../base/memory/alloc.h"

void qd_accounts_init(qd_accounts *accounts, uint64_t salt)
{
    *accounts = (qd_accounts){.salt = salt};
    pthread_mutex_init(&accounts->mutex, NULL);
}

void qd_accounts_deinit(qd_accounts *accounts)
{
    for (uint32_t i = 0; i < QD_ACCOUNT_BUCKETS; i++) {
        QD_ASSERT(LIST_EMPTY(&accounts->tenants[i]));
    }
    pthread_mutex_destroy(&accounts->mutex);
}

/* ---- references ---- */

static qd_account *create(qd_accounts *accounts, const char *name)
{
    const size_t name_size = strlen(name) + 1, size = sizeof(qd_account) + name_size;
    qd_account *account = qd_shared_alloc(size);

    if (account == NULL) {
        return NULL;
    }
    memset(account, 0, sizeof *account);
    atomic_init(&account->references, 1);
    account->accounts = accounts;
    account->size = size;
    memcpy(account->name, name, name_size);
    return account;
}

/* FNV-1a. Clients choose their tokens on a server without a list of them, but do not know the salt. */
static struct qd_account_list *bucket_of(qd_accounts *accounts, const char *name)
{
    uint64_t hash = accounts->salt;

    for (; *name != '\0'; name++) {
        hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
    }
    return &accounts->tenants[(hash ^ hash >> 32) % QD_ACCOUNT_BUCKETS];
}

qd_account *qd_account_of_tenant(qd_accounts *accounts, const char *name, bool is_address)
{
    struct qd_account_list *bucket = bucket_of(accounts, name);
    qd_account *account;

    pthread_mutex_lock(&accounts->mutex);
    LIST_FOREACH (account, bucket, links) {
        if (account->is_address == is_address && strcmp(account->name, name) == 0) {
            break;
        }
    }
    if (account != NULL) {
        atomic_fetch_add_explicit(&account->references, 1, memory_order_relaxed);
    } else {
        account = create(accounts, name);
        if (account != NULL) {
            account->is_address = is_address;
            LIST_INSERT_HEAD(bucket, account, links);
        }
    }
    pthread_mutex_unlock(&accounts->mutex);
    return account;
}

qd_account *qd_account_create(qd_account *tenant)
{
    qd_account *account = create(tenant->accounts, "");

    if (account != NULL) {
        account->tenant = qd_account_acquire(tenant);
    }
    return account;
}

qd_account *qd_account_acquire(qd_account *account)
{
    atomic_fetch_add_explicit(&account->references, 1, memory_order_relaxed);
    return account;
}

static bool unreference(qd_account *account)
{
    return atomic_fetch_sub_explicit(&account->references, 1, memory_order_acq_rel) == 1;
}

/* Under the lock, so that qd_account_of_tenant finds no account whose last reference goes. */
static bool unreference_tenant(qd_account *account)
{
    pthread_mutex_lock(&account->accounts->mutex);
    const bool was_last = unreference(account);
    if (was_last) {
        LIST_REMOVE(account, links);
    }
    pthread_mutex_unlock(&account->accounts->mutex);
    return was_last;
}

void qd_account_release(qd_account *account)
{
    if (account == NULL) {
        return;
    }
    qd_account *tenant = account->tenant;
    const bool was_last = tenant == NULL ? unreference_tenant(account) : unreference(account);
    if (!was_last) {
        return;
    }
    for (uint32_t i = 0; i < QD_QUOTAS; i++) {
        QD_ASSERT(atomic_load(&account->used[i]) == 0);
    }
    qd_shared_free(account, account->size);
    qd_account_release(tenant);
}

/* ---- charges ---- */

static uint64_t max_of(const qd_account *account, qd_quota quota)
{
    const qd_quotas *quotas = &account->accounts->quotas;
    const _Atomic uint64_t *maxima = account->tenant != NULL ? quotas->session : quotas->tenant;
    const uint64_t max = atomic_load_explicit(&maxima[quota], memory_order_relaxed);

    return max == 0 ? UINT64_MAX : max;
}

static void note(const qd_account *account, qd_quota quota, uint64_t used, uint64_t max, qd_shortage *shortage)
{
    const qd_error_code of_tenant = account->is_address ? QD_ERROR_QUOTA_ADDRESS : QD_ERROR_QUOTA_TOKEN;

    *shortage = (qd_shortage){
        .code = account->tenant != NULL ? QD_ERROR_QUOTA_SESSION : of_tenant, .quota = quota, .used = used, .max = max};
}

static uint32_t take_one(qd_account *account, qd_quota quota, uint32_t wanted, qd_shortage *shortage)
{
    const uint64_t max = max_of(account, quota);
    uint64_t used = atomic_load_explicit(&account->used[quota], memory_order_relaxed), left;

    do {
        left = used < max ? max - used : 0;
        left = left < wanted ? left : wanted;
    } while (left > 0 && !atomic_compare_exchange_weak_explicit(&account->used[quota], &used, used + left,
                                                                memory_order_relaxed, memory_order_relaxed));
    if (left < wanted) {
        note(account, quota, used + left, max, shortage);
    }
    return (uint32_t)left;
}

uint32_t qd_account_take(qd_account *account, qd_quota quota, uint32_t wanted, qd_shortage *shortage)
{
    uint32_t taken = take_one(account, quota, wanted, shortage);

    if (account->tenant != NULL && taken > 0) {
        const uint32_t of_tenant = take_one(account->tenant, quota, taken, shortage);

        atomic_fetch_sub_explicit(&account->used[quota], taken - of_tenant, memory_order_relaxed);
        taken = of_tenant;
    }
    return taken;
}

void qd_account_add(qd_account *account, qd_quota quota, uint64_t amount)
{
    for (; account != NULL; account = account->tenant) {
        atomic_fetch_add_explicit(&account->used[quota], amount, memory_order_relaxed);
    }
}

void qd_account_give(qd_account *account, qd_quota quota, uint64_t amount)
{
    for (; account != NULL; account = account->tenant) {
        const uint64_t before = atomic_fetch_sub_explicit(&account->used[quota], amount, memory_order_relaxed);

        QD_ASSERT(before >= amount);
    }
}

bool qd_account_is_full(const qd_account *account, qd_quota quota, qd_shortage *shortage)
{
    for (; account != NULL; account = account->tenant) {
        const uint64_t used = atomic_load_explicit(&account->used[quota], memory_order_relaxed);
        const uint64_t max = max_of(account, quota);

        if (used >= max) {
            note(account, quota, used, max, shortage);
            return true;
        }
    }
    return false;
}

/* ---- rate ---- */

/* The rooms created so far are due one after the other. This is the generic cell rate algorithm (ATM Forum, 1996). */
uint64_t qd_account_created(qd_account *tenant, uint64_t now_ns)
{
    const uint64_t per_second = atomic_load_explicit(&tenant->accounts->quotas.creations, memory_order_relaxed);
    uint64_t due_ns = atomic_load_explicit(&tenant->created_due_ns, memory_order_relaxed), next_ns;

    if (per_second == 0) {
        return 0;
    }
    const uint64_t step_ns = UINT64_C(1000000000) / per_second;
    do {
        next_ns = (due_ns > now_ns ? due_ns : now_ns) + step_ns;
    } while (!atomic_compare_exchange_weak_explicit(&tenant->created_due_ns, &due_ns, next_ns, memory_order_relaxed,
                                                    memory_order_relaxed));
    const uint64_t ahead_ns = next_ns - now_ns, allowed_ns = (QD_CREATIONS_AT_ONCE - 1) * step_ns;
    return ahead_ns > allowed_ns ? ahead_ns - allowed_ns : 0;
}

/* ---- text ---- */

void qd_shortage_text(const qd_shortage *shortage, char text[QD_SHORTAGE_TEXT_BYTES])
{
    static const struct {
        const char *what, *option, *fix; /* the option without its "--session-" or "--token-" */
        bool of_creator;
    } rows[QD_QUOTAS] = {
        [QD_QUOTA_JOINED] = {"rooms open", "rooms-max", "Leave one", false},
        [QD_QUOTA_ENTITIES] = {"entities", "entities-max", "Despawn others", false},
        [QD_QUOTA_OBSERVERS] = {"observers", "observers-max", "Unobserve others", false},
        [QD_QUOTA_VISIBLE] = {"visible entries", "visible-entries-max", "Unobserve others, or observe smaller regions",
                              false},
        [QD_QUOTA_SUBSCRIBED] = {"subscriptions", "subscriptions-max", "Unsubscribe from another room", false},
        [QD_QUOTA_CONNECTIONS] = {"connections", "connections-max", "Close one", false},
        [QD_QUOTA_DETACHED] = {"detached sessions", "detached-max", "Resume one", false},
        [QD_QUOTA_CREATED] = {"open rooms", "rooms-max", "Close one", true},
        [QD_QUOTA_MEMORY] = {"bytes in rooms", "memory-max", "Close one, or despawn entities", true},
    };
    const bool of_session = shortage->code == QD_ERROR_QUOTA_SESSION;

    snprintf(text, QD_SHORTAGE_TEXT_BYTES, "%s %" PRIu64 " %s%s; must have at most %" PRIu64 " (--%s-%s). %s",
             of_session                               ? "this session has"
             : shortage->code == QD_ERROR_QUOTA_TOKEN ? "the sessions of this token have"
                                                      : "the sessions of this address have",
             shortage->used, rows[shortage->quota].what,
             !rows[shortage->quota].of_creator ? ""
             : of_session                      ? " that it created"
                                               : " that they created",
             shortage->max, of_session ? "session" : "token", rows[shortage->quota].option, rows[shortage->quota].fix);
}

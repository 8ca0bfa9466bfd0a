/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <string.h>

#include "server/actor/service/account.h"
#include "server/base/memory/alloc.h"
#include "tests/support/test.h"

static qd_accounts accounts;
static qd_account *tenant, *first, *second;

static int setup(void **state)
{
    (void)state;
    qd_accounts_init(&accounts, 7);
    tenant = qd_account_of_tenant(&accounts, "token", false);
    first = qd_account_create(tenant);
    second = qd_account_create(tenant);
    return tenant == NULL || first == NULL || second == NULL;
}

static int teardown(void **state)
{
    (void)state;
    qd_account_release(first);
    qd_account_release(second);
    qd_account_release(tenant);
    qd_accounts_deinit(&accounts);
    return 0;
}

static void set_quotas(uint64_t of_session, uint64_t of_tenant)
{
    atomic_store(&accounts.quotas.session[QD_QUOTA_ENTITIES], of_session);
    atomic_store(&accounts.quotas.tenant[QD_QUOTA_ENTITIES], of_tenant);
}

static uint64_t used(const qd_account *account)
{
    return atomic_load(&account->used[QD_QUOTA_ENTITIES]);
}

static uint32_t take(qd_account *account, uint32_t wanted, qd_error_code code)
{
    qd_shortage shortage = {.code = QD_ERROR_NONE};
    uint32_t taken = qd_account_take(account, QD_QUOTA_ENTITIES, wanted, &shortage);

    assert_int_equal(shortage.code, code);
    return taken;
}

TEST(take_gives_what_both_quotas_allow)
{
    set_quotas(10, 12);
    assert_int_equal(take(first, 6, QD_ERROR_NONE), 6);
    assert_int_equal(take(first, 6, QD_ERROR_QUOTA_SESSION), 4);
    assert_int_equal(take(first, 1, QD_ERROR_QUOTA_SESSION), 0);
    assert_int_equal(take(second, 5, QD_ERROR_QUOTA_TOKEN), 2);
    assert_int_equal(used(first), 10);
    assert_int_equal(used(second), 2);
    assert_int_equal(used(tenant), 12);
    qd_account_give(first, QD_QUOTA_ENTITIES, 3);
    assert_int_equal(take(second, 5, QD_ERROR_QUOTA_TOKEN), 3);
    qd_account_give(first, QD_QUOTA_ENTITIES, 7);
    qd_account_give(second, QD_QUOTA_ENTITIES, 5);
    assert_int_equal(used(tenant), 0);
}

TEST(add_exceeds_the_quota_and_take_then_gives_nothing)
{
    qd_shortage shortage;

    set_quotas(10, 0);
    qd_account_add(first, QD_QUOTA_ENTITIES, 25);
    assert_true(qd_account_is_full(first, QD_QUOTA_ENTITIES, &shortage));
    assert_int_equal(shortage.code, QD_ERROR_QUOTA_SESSION);
    assert_true(shortage.used == 25 && shortage.max == 10);
    assert_int_equal(take(first, 1, QD_ERROR_QUOTA_SESSION), 0);
    assert_false(qd_account_is_full(second, QD_QUOTA_ENTITIES, &shortage));
    qd_account_give(first, QD_QUOTA_ENTITIES, 25);
}

TEST(quota_of_0_allows_all)
{
    set_quotas(0, 0);
    assert_int_equal(take(first, UINT32_MAX, QD_ERROR_NONE), UINT32_MAX);
    assert_int_equal(take(first, UINT32_MAX, QD_ERROR_NONE), UINT32_MAX);
    qd_account_give(first, QD_QUOTA_ENTITIES, 2 * (uint64_t)UINT32_MAX);
}

TEST(tenant_has_one_account_until_its_last_reference)
{
    qd_account *again = qd_account_of_tenant(&accounts, "token", false);
    qd_account *address = qd_account_of_tenant(&accounts, "token", true);
    qd_account *other = qd_account_of_tenant(&accounts, "other", false);

    assert_ptr_equal(again, tenant);
    assert_true(address != tenant && other != tenant);
    set_quotas(0, 1);
    assert_int_equal(take(address, 2, QD_ERROR_QUOTA_ADDRESS), 1);
    qd_account_give(address, QD_QUOTA_ENTITIES, 1);
    qd_account_release(again);
    qd_account_release(address);
    qd_account_release(other);
    assert_int_equal(used(tenant), 0);
}

#define THREADS 4u
#define ROUNDS  20000u

static _Atomic bool exceeded;

static void *take_and_give(void *account)
{
    for (uint32_t round = 0; round < ROUNDS; round++) {
        qd_shortage shortage;
        uint32_t taken = qd_account_take(account, QD_QUOTA_ENTITIES, 1 + round % 7, &shortage);

        if (used(tenant) > 10) {
            atomic_store(&exceeded, true);
        }
        qd_account *same = qd_account_of_tenant(&accounts, round % 2 == 0 ? "token" : "shared", false);
        qd_account_release(same);
        qd_account_give(account, QD_QUOTA_ENTITIES, taken);
    }
    return NULL;
}

TEST(threads_never_exceed_a_quota)
{
    pthread_t threads[THREADS];

    set_quotas(8, 10);
    for (uint32_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, take_and_give, i % 2 == 0 ? first : second), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    assert_false(atomic_load(&exceeded));
    assert_true(used(tenant) == 0 && used(first) == 0 && used(second) == 0);
}

/* ---- rate ---- */

#define MS_NS UINT64_C(1000000)

static void expect_created(uint64_t now_ms, uint32_t rooms, uint64_t wait_ms)
{
    for (uint32_t i = 0; i < rooms; i++) {
        assert_int_equal(qd_account_created(tenant, now_ms * MS_NS), wait_ms * MS_NS);
    }
}

TEST(a_tenant_creates_rooms_at_its_rate)
{
    atomic_store(&accounts.quotas.creations, 10);
    expect_created(1000, QD_CREATIONS_AT_ONCE - 1, 0);
    expect_created(1000, 1, 100);
    /* A session that does not wait has to wait for longer the next time. */
    expect_created(1000, 1, 200);
    expect_created(1050, 1, 250);
    /* Time that passes gives rooms back, but never more than so many at once. */
    expect_created(1300, 1, 100);
    expect_created(5000, QD_CREATIONS_AT_ONCE - 1, 0);
    expect_created(5000, 1, 100);
}

TEST(a_tenant_without_a_rate_never_waits)
{
    atomic_store(&accounts.quotas.creations, 0);
    expect_created(0, 1000, 0);
}

TEST_MAIN_WITH(setup, teardown)

/* SPDX-License-Identifier: Apache-2.0
 *
 * Who may connect: the pools before and after the introduction, and the quotas of addresses.
 */
#include <arpa/inet.h>
#include <string.h>

#include "server/net/admission/admission.h"
#include "tests/support/test.h"

#define SECOND_NS UINT64_C(1000000000)

static qd_admission admission;
static qd_admission_config config;

static void destroy(qd_link *link)
{
    (void)link;
}

static const qd_link_ops ops = {.destroy = destroy};

typedef struct peer {
    qd_link link;
    qd_admitted admitted;
} peer;

static int begin(void **state)
{
    (void)state;
    config = (qd_admission_config){.connections_max = 100, .secret = {1234567, 7654321}};
    return 0;
}

static int end(void **state)
{
    (void)state;
    qd_admission_deinit(&admission);
    assert_int_equal(qd_memory_used(), 0);
    return 0;
}

#define ADMISSION_TEST(name) TEST_WITH(name, begin, end)

static void start(void)
{
    assert_int_equal(qd_admission_init(&admission, &config), QD_OK);
}

static qd_address_key key_of(const char *text)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};

    if (strchr(text, ':')) {
        assert_int_equal(inet_pton(AF_INET6, text, &v6.sin6_addr), 1);
        return qd_address_key_of((const struct sockaddr *)&v6);
    }
    assert_int_equal(inet_pton(AF_INET, text, &v4.sin_addr), 1);
    return qd_address_key_of((const struct sockaddr *)&v4);
}

static bool same(const char *one, const char *other)
{
    qd_address_key a = key_of(one), b = key_of(other);

    return a.high == b.high && a.low == b.low;
}

/* What the listener does. Returns the peer that was dropped for it, or NULL. */
static peer *enter(peer *newcomer, qd_address_key key)
{
    *newcomer = (peer){0};
    qd_link_init(&newcomer->link, &ops);
    qd_link *dropped = qd_admission_enter(&admission, &newcomer->admitted, &newcomer->link, key);
    if (dropped) {
        qd_link_release(dropped);
    }
    return (peer *)dropped;
}

TEST(addresses_of_one_64_network_share_a_key)
{
    assert_true(same("2001:db8:1:2::1", "2001:db8:1:2:ffff::9"));
    assert_false(same("2001:db8:1:2::1", "2001:db8:1:3::1"));
    assert_true(same("10.0.0.1", "::ffff:10.0.0.1"));
    assert_false(same("10.0.0.1", "10.0.0.2"));
    assert_false(same("0.0.0.0", "::"));
}

ADMISSION_TEST(silent_peers_use_a_quarter_and_the_oldest_gives_way)
{
    static peer silent[1000], last;

    start();

    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(qd_admission_check(&admission, key_of("10.0.0.1"), 0), QD_NET_REFUSALS);
        peer *dropped = enter(&silent[i], key_of("10.0.0.1"));

        assert_ptr_equal(dropped, i < 25 ? NULL : &silent[i - 25]);
        assert_false(dropped && qd_admission_introduce(&admission, &dropped->admitted));
        if (dropped) {
            qd_admission_leave(&admission, &dropped->admitted);
        }
    }
    assert_int_equal(qd_admission_count(&admission), 25);
    assert_ptr_equal(enter(&last, key_of("10.0.0.2")), &silent[975]);
    assert_true(qd_admission_introduce(&admission, &last.admitted));
    qd_admission_leave(&admission, &last.admitted);
    for (uint32_t i = 975; i < 1000; i++) {
        qd_admission_leave(&admission, &silent[i].admitted);
    }
    assert_int_equal(qd_admission_count(&admission), 0);
}

/* Dropped connections whose loop is busy still exist. They must not fill the table. */
ADMISSION_TEST(dropped_peers_that_linger_are_bounded)
{
    static peer silent[1000];
    uint32_t entered = 0;

    start();

    while (entered < 1000 && qd_admission_check(&admission, key_of("10.0.0.1"), 0) == QD_NET_REFUSALS) {
        (void)enter(&silent[entered++], key_of("10.0.0.1"));
    }
    assert_int_equal(entered, 100 + 2 * 25);
    while (entered > 0) {
        qd_admission_leave(&admission, &silent[--entered].admitted);
    }
}

ADMISSION_TEST(introduced_peers_are_bounded_by_connections_max)
{
    static peer peers[101];

    start();

    for (uint32_t i = 0; i < 100; i++) {
        assert_null(enter(&peers[i], key_of("10.0.0.1")));
        assert_true(qd_admission_introduce(&admission, &peers[i].admitted));
    }
    assert_int_equal(qd_admission_check(&admission, key_of("10.0.0.2"), 0), QD_NET_FULL);
    assert_null(enter(&peers[100], key_of("10.0.0.1")));
    assert_false(qd_admission_introduce(&admission, &peers[100].admitted));
    qd_admission_leave(&admission, &peers[0].admitted);
    assert_int_equal(qd_admission_check(&admission, key_of("10.0.0.2"), 0), QD_NET_REFUSALS);
    assert_true(qd_admission_introduce(&admission, &peers[100].admitted));
    for (uint32_t i = 1; i <= 100; i++) {
        qd_admission_leave(&admission, &peers[i].admitted);
    }
}

ADMISSION_TEST(address_has_at_most_its_connections)
{
    static peer peers[10];

    config.address_connections_max = 10;
    start();

    for (uint32_t i = 0; i < 10; i++) {
        assert_int_equal(qd_admission_check(&admission, key_of("2001:db8::1"), 0), QD_NET_REFUSALS);
        assert_null(enter(&peers[i], key_of("2001:db8::1")));
    }
    assert_int_equal(qd_admission_check(&admission, key_of("2001:db8::2"), 0), QD_NET_ADDRESS_CONNECTIONS);
    assert_int_equal(qd_admission_check(&admission, key_of("2001:db8:1::2"), 0), QD_NET_REFUSALS);
    qd_admission_leave(&admission, &peers[3].admitted);
    assert_int_equal(qd_admission_check(&admission, key_of("2001:db8::2"), 0), QD_NET_REFUSALS);
    for (uint32_t i = 0; i < 10; i++) {
        if (i != 3) {
            qd_admission_leave(&admission, &peers[i].admitted);
        }
    }
}

ADMISSION_TEST(accepts_are_bounded_after_a_burst)
{
    const qd_address_key key = key_of("10.0.0.1");
    uint32_t accepted = 0;

    config.address_connections_max = 50;
    config.address_accepts_max = 20;
    start();
    for (uint32_t i = 0; i < 1000; i++) {
        accepted += qd_admission_check(&admission, key, SECOND_NS) == QD_NET_REFUSALS;
    }
    assert_int_equal(accepted, 200);
    assert_int_equal(qd_admission_check(&admission, key_of("10.0.0.2"), SECOND_NS), QD_NET_REFUSALS);
    for (uint32_t ms = 0; ms < 10000; ms++) {
        accepted += qd_admission_check(&admission, key, SECOND_NS + ms * UINT64_C(1000000)) == QD_NET_REFUSALS;
    }
    assert_in_range(accepted, 200 + 199, 200 + 200);
    assert_int_equal(qd_admission_check(&admission, key, SECOND_NS), QD_NET_ADDRESS_ACCEPTS);
}

ADMISSION_TEST(failed_tokens_are_bounded)
{
    static peer one, other;
    uint32_t tried = 0;

    config.address_failed_tokens_max = 2;
    start();
    (void)enter(&one, key_of("10.0.0.1"));
    (void)enter(&other, key_of("10.0.0.2"));
    for (uint32_t ms = 0; ms < 10000; ms++) {
        const uint64_t now_ns = SECOND_NS + ms * UINT64_C(1000000);

        if (qd_admission_may_try_token(&admission, &one.admitted, now_ns)) {
            tried++;
            qd_admission_token_failed(&admission, &one.admitted, now_ns);
        }
    }
    assert_in_range(tried, 20 + 18, 20 + 20);
    assert_true(qd_admission_may_try_token(&admission, &other.admitted, SECOND_NS));
    qd_admission_leave(&admission, &one.admitted);
    qd_admission_leave(&admission, &other.admitted);
}

/* The accepts that an address has left. */
static uint32_t accepts_of(qd_address_key key)
{
    uint32_t count = 0;

    while (qd_admission_check(&admission, key, 0) == QD_NET_REFUSALS) {
        count++;
    }
    return count;
}

/* The table forgets the longest idle address, and none that has connections. */
ADMISSION_TEST(table_forgets_idle_addresses_only)
{
    static peer busy;
    qd_address_key key = key_of("10.0.0.1");

    config.address_connections_max = 1;
    config.address_accepts_max = 1;
    start();
    (void)enter(&busy, key);
    for (uint64_t network = 1; network < 100000; network++) {
        assert_int_equal(qd_admission_check(&admission, (qd_address_key){network, UINT64_MAX}, 0), QD_NET_REFUSALS);
    }
    assert_int_equal(accepts_of((qd_address_key){99999, UINT64_MAX}), 3);
    assert_int_equal(accepts_of((qd_address_key){1, UINT64_MAX}), 4);
    assert_int_equal(qd_admission_check(&admission, key, 0), QD_NET_ADDRESS_CONNECTIONS);
    qd_admission_leave(&admission, &busy.admitted);
}

TEST_MAIN()

/* SPDX-License-Identifier: Apache-2.0 */
#include "address_table.h"

#include <netinet/in.h>
#include <string.h>

#include "../../base/assert.h"

/* Addresses without a connection that are remembered. */
#define IDLE_COUNT 1024u

qd_address_key qd_address_key_of(const struct sockaddr *address)
{
    qd_address_key key = {0};

    if (address->sa_family == AF_INET) {
        const struct sockaddr_in *v4 = (const struct sockaddr_in *)(const void *)address;

        key.low = v4->sin_addr.s_addr;
    } else if (address->sa_family == AF_INET6) {
        const struct in6_addr *v6 = &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
        uint32_t v4;

        if (IN6_IS_ADDR_V4MAPPED(v6)) {
            memcpy(&v4, &v6->s6_addr[12], sizeof v4);
            key.low = v4;
        } else {
            memcpy(&key.high, v6->s6_addr, sizeof key.high);
            key.low = UINT64_MAX; /* no IPv4 address */
        }
    }
    return key;
}

static uint64_t mix(uint64_t a, uint64_t b)
{
    __extension__ unsigned __int128 product = (unsigned __int128)a * b;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static qd_address **chain_of(const qd_address_table *table, qd_address_key key)
{
    uint64_t hash = mix(key.high ^ table->secret[0], key.low ^ table->secret[1]);

    hash = mix(hash ^ table->secret[1], UINT64_C(0x9e3779b97f4a7c15));
    return &table->chains[hash & (table->chain_count - 1)];
}

qd_status qd_address_table_init(qd_address_table *table, uint32_t connections_max, const uint64_t secret[2])
{
    *table =
        (qd_address_table){.count = connections_max + IDLE_COUNT, .chain_count = 1, .secret = {secret[0], secret[1]}};
    while (table->chain_count < table->count) {
        table->chain_count *= 2;
    }
    TAILQ_INIT(&table->idle);
    qd_heap_init(&table->heap);
    table->rows = qd_heap_alloc(&table->heap, table->count * sizeof *table->rows);
    table->chains = qd_heap_alloc_zeroed(&table->heap, table->chain_count * sizeof *table->chains);
    if (!table->rows || !table->chains) {
        qd_address_table_deinit(table);
        return QD_ERR_NO_MEMORY;
    }
    return QD_OK;
}

void qd_address_table_deinit(qd_address_table *table)
{
    if (table->rows) {
        qd_heap_free(&table->heap, table->rows, table->count * sizeof *table->rows);
    }
    if (table->chains) {
        qd_heap_free(&table->heap, table->chains, table->chain_count * sizeof *table->chains);
    }
    qd_heap_deinit(&table->heap);
}

/* A row that is in no chain and not idle. */
static qd_address *take_row(qd_address_table *table)
{
    if (table->used < table->count) {
        return &table->rows[table->used++];
    }
    qd_address *oldest = TAILQ_FIRST(&table->idle);
    QD_ASSERT(oldest != NULL);
    TAILQ_REMOVE(&table->idle, oldest, idle_links);
    qd_address **link = chain_of(table, oldest->key);
    while (*link != oldest) {
        link = &(*link)->next;
    }
    *link = oldest->next;
    return oldest;
}

qd_address *qd_address_table_find(qd_address_table *table, qd_address_key key)
{
    qd_address **chain = chain_of(table, key);

    for (qd_address *each = *chain; each; each = each->next) {
        if (each->key.high == key.high && each->key.low == key.low) {
            return each;
        }
    }
    qd_address *address = take_row(table);
    *address = (qd_address){.key = key, .next = *chain};
    *chain = address;
    TAILQ_INSERT_TAIL(&table->idle, address, idle_links);
    return address;
}

void qd_address_hold(qd_address_table *table, qd_address *address)
{
    if (address->connections++ == 0) {
        TAILQ_REMOVE(&table->idle, address, idle_links);
    }
}

void qd_address_release(qd_address_table *table, qd_address *address)
{
    QD_ASSERT(address->connections > 0);
    if (--address->connections == 0) {
        TAILQ_INSERT_TAIL(&table->idle, address, idle_links);
    }
}

bool qd_address_rate_allows(const qd_address_rate *rate, uint32_t per_second, uint32_t burst, uint64_t now_ns)
{
    const uint64_t each_ns = per_second > 0 ? UINT64_C(1000000000) / per_second : 0;

    /* An event moves the due time on by each_ns. A burst may move it ahead of the clock by so many events. */
    return per_second == 0 || rate->due_ns <= now_ns || rate->due_ns - now_ns <= (uint64_t)(burst - 1) * each_ns;
}

bool qd_address_rate_take(qd_address_rate *rate, uint32_t per_second, uint32_t burst, uint64_t now_ns)
{
    if (!qd_address_rate_allows(rate, per_second, burst, now_ns)) {
        return false;
    }
    if (per_second > 0) {
        rate->due_ns = (rate->due_ns > now_ns ? rate->due_ns : now_ns) + UINT64_C(1000000000) / per_second;
    }
    return true;
}

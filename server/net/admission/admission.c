/* SPDX-License-Identifier: Apache-2.0 */
#include "admission.h"

#include "../../base/assert.h"

#define FAILED_TOKENS_BURST 10u

/* All connections of an address may end and come back a few times. */
#define BURST_OF_ACCEPTS 4u

/* A small server must also take several peers that connect at the same time. */
#define WAITING_LEAST 16u

/* All that exist at once. Dropped ones exist until their loops have closed them. */
static uint32_t connections_all(const qd_admission *admission)
{
    return admission->config.connections_max + 2 * admission->waiting_max;
}

qd_status qd_admission_init(qd_admission *admission, const qd_admission_config *config)
{
    *admission = (qd_admission){.config = *config, .waiting_max = config->connections_max / 4};
    if (admission->waiting_max < WAITING_LEAST) {
        admission->waiting_max = WAITING_LEAST;
    }
    TAILQ_INIT(&admission->waiting);
    pthread_mutex_init(&admission->lock, NULL);
    qd_status status = qd_address_table_init(&admission->table, connections_all(admission), config->secret);
    if (status != QD_OK) {
        pthread_mutex_destroy(&admission->lock);
    }
    return status;
}

void qd_admission_deinit(qd_admission *admission)
{
    qd_address_table_deinit(&admission->table);
    pthread_mutex_destroy(&admission->lock);
}

static uint32_t burst_of_accepts(const qd_admission_config *config)
{
    const uint32_t most =
        config->address_connections_max > 0 ? config->address_connections_max : config->connections_max;

    return most < UINT32_MAX / BURST_OF_ACCEPTS ? BURST_OF_ACCEPTS * most : UINT32_MAX;
}

/* [lock] */
static qd_net_refusal check(qd_admission *admission, qd_address_key key, uint64_t now_ns)
{
    const qd_admission_config *config = &admission->config;
    qd_address *address = qd_address_table_find(&admission->table, key);

    if (config->address_connections_max > 0 && address->connections >= config->address_connections_max) {
        return QD_NET_ADDRESS_CONNECTIONS;
    }
    if (!qd_address_rate_take(&address->accepts, config->address_accepts_max, burst_of_accepts(config), now_ns)) {
        return QD_NET_ADDRESS_ACCEPTS;
    }
    const uint32_t all = admission->introduced + admission->waiting_count + admission->dropped_count;
    return admission->introduced >= config->connections_max || all >= connections_all(admission) ? QD_NET_FULL
                                                                                                 : QD_NET_REFUSALS;
}

qd_net_refusal qd_admission_check(qd_admission *admission, qd_address_key key, uint64_t now_ns)
{
    pthread_mutex_lock(&admission->lock);
    qd_net_refusal refusal = check(admission, key, now_ns);
    pthread_mutex_unlock(&admission->lock);
    return refusal;
}

/* [lock] */
static void stop_waiting(qd_admission *admission, qd_admitted *admitted, qd_admitted_state state)
{
    TAILQ_REMOVE(&admission->waiting, admitted, links);
    admission->waiting_count--;
    admitted->state = state;
}

qd_link *qd_admission_enter(qd_admission *admission, qd_admitted *admitted, qd_link *link, qd_address_key key)
{
    qd_link *dropped = NULL;

    pthread_mutex_lock(&admission->lock);
    if (admission->waiting_count == admission->waiting_max) {
        qd_admitted *oldest = TAILQ_FIRST(&admission->waiting);

        /* A waiting link is not closed: leaving takes it out first. */
        dropped = oldest->link;
        qd_link_acquire(dropped);
        stop_waiting(admission, oldest, QD_ADMITTED_DROPPED);
        admission->dropped_count++;
    }
    *admitted = (qd_admitted){
        .state = QD_ADMITTED_WAITING, .link = link, .address = qd_address_table_find(&admission->table, key)};
    qd_address_hold(&admission->table, admitted->address);
    TAILQ_INSERT_TAIL(&admission->waiting, admitted, links);
    admission->waiting_count++;
    pthread_mutex_unlock(&admission->lock);
    return dropped;
}

bool qd_admission_introduce(qd_admission *admission, qd_admitted *admitted)
{
    pthread_mutex_lock(&admission->lock);
    bool may = admitted->state == QD_ADMITTED_WAITING && admission->introduced < admission->config.connections_max;
    if (may) {
        stop_waiting(admission, admitted, QD_ADMITTED_INTRODUCED);
        admission->introduced++;
    }
    pthread_mutex_unlock(&admission->lock);
    return may;
}

void qd_admission_leave(qd_admission *admission, qd_admitted *admitted)
{
    pthread_mutex_lock(&admission->lock);
    QD_ASSERT(admitted->state != QD_ADMITTED_NOT);
    if (admitted->state == QD_ADMITTED_WAITING) {
        stop_waiting(admission, admitted, QD_ADMITTED_NOT);
    } else if (admitted->state == QD_ADMITTED_INTRODUCED) {
        admission->introduced--;
    } else {
        admission->dropped_count--;
    }
    qd_address_release(&admission->table, admitted->address);
    admitted->state = QD_ADMITTED_NOT;
    pthread_mutex_unlock(&admission->lock);
}

bool qd_admission_is_busy(qd_admission *admission)
{
    pthread_mutex_lock(&admission->lock);
    bool is_busy = admission->dropped_count >= admission->waiting_max;
    pthread_mutex_unlock(&admission->lock);
    return is_busy;
}

uint32_t qd_admission_count(qd_admission *admission)
{
    pthread_mutex_lock(&admission->lock);
    uint32_t count = admission->introduced + admission->waiting_count;
    pthread_mutex_unlock(&admission->lock);
    return count;
}

bool qd_admission_may_try_token(qd_admission *admission, qd_admitted *admitted, uint64_t now_ns)
{
    uint32_t per_second = admission->config.address_failed_tokens_max;

    pthread_mutex_lock(&admission->lock);
    bool may =
        qd_address_rate_allows(&admitted->address->failed_tokens, per_second, FAILED_TOKENS_BURST * per_second, now_ns);
    pthread_mutex_unlock(&admission->lock);
    return may;
}

void qd_admission_token_failed(qd_admission *admission, qd_admitted *admitted, uint64_t now_ns)
{
    uint32_t per_second = admission->config.address_failed_tokens_max;

    pthread_mutex_lock(&admission->lock);
    (void)qd_address_rate_take(&admitted->address->failed_tokens, per_second, FAILED_TOKENS_BURST * per_second, now_ns);
    pthread_mutex_unlock(&admission->lock);
}

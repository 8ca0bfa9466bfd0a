/* SPDX-License-Identifier: Apache-2.0 */
#include "tenants.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <string.h>

#include "../actor/service/reply.h"
#include "../base/log.h"

/* ---- admission ---- */

/* The address of a peer such as "127.0.0.1:40112" or "[2001:db8::1]:40112", without its port. One host has a whole /64
 * of IPv6. */
static void write_address(const char *peer, char address[sizeof((qd_link *)0)->peer])
{
    const char *end = strrchr(peer, ':');
    size_t size = end != NULL ? (size_t)(end - peer) : strlen(peer);
    struct in6_addr v6;

    if (peer[0] == '[' && size > 2 && peer[size - 1] == ']') {
        peer++;
        size -= 2;
    }
    memcpy(address, peer, size);
    address[size] = '\0';
    if (inet_pton(AF_INET6, address, &v6) == 1 && !IN6_IS_ADDR_V4MAPPED(&v6)) {
        memset(&v6.s6_addr[8], 0, 8);
        (void)inet_ntop(AF_INET6, &v6, address, sizeof((qd_link *)0)->peer);
    }
}

/* Sets what the token allows. Under the lock, so that no reload is missed. */
static bool find_grant(qd_sessions *sessions, qd_session *session, const char *token, qd_fault *fault)
{
    static const qd_grant anybody = {.token = "", .role = QD_ROLE_WRITER, .patterns = ""};

    session->grant = sessions->tokens == NULL ? &anybody : qd_tokens_find(sessions->tokens, token);
    if (session->grant == NULL) {
        session->joined = qd_join_grant_create(sessions->tokens, token, qd_service_wall_s(sessions->service), fault);
        session->grant = session->joined != NULL ? &session->joined->grant : NULL;
        qd_sessions_note_expiry(sessions, session);
    }
    session->tokens = session->grant != NULL ? qd_tokens_acquire(sessions->tokens) : NULL;
    return session->grant != NULL;
}

static bool authenticate(qd_sessions *sessions, qd_session *session, const char *token, qd_fault *fault)
{
    pthread_mutex_lock(&sessions->mutex);
    const bool may_try = sessions->tokens == NULL || qd_link_may_try_token(session->link);
    const bool is_known = may_try && find_grant(sessions, session, token, fault);
    pthread_mutex_unlock(&sessions->mutex);
    if (!may_try) {
        qd_count(&session->service->counters, QD_COUNT_REFUSED_ADDRESS_TOKENS, 1);
        return qd_fault_set(fault, QD_ERROR_QUOTA_ADDRESS,
                            "this address has sent too many wrong tokens; must be at most %" PRIu32
                            " per second (--address-failed-tokens-max). Connect again later",
                            session->service->config.limits.address_failed_tokens_max);
    }
    if (!is_known && fault->code == QD_ERROR_UNAUTHENTICATED) {
        qd_link_token_failed(session->link);
    }
    return is_known;
}

/* Sessions of one line of --token-file share an account: minting more tokens with one key gets a client nothing. */
static bool open_account(qd_session *session)
{
    qd_accounts *accounts = &session->service->accounts;
    char address[sizeof session->link->peer];

    write_address(session->link->peer, address);
    qd_account *tenant = session->tokens != NULL
                             ? qd_account_of_tenant(accounts, qd_grant_line(session->grant)->token, false)
                             : qd_account_of_tenant(accounts, address, true);
    if (tenant == NULL) {
        return false;
    }
    session->endpoint->account = qd_account_create(tenant);
    qd_account_release(tenant);
    return session->endpoint->account != NULL;
}

/* Of a join token, it keeps the holder, which stays the same when the token is renewed. */
static bool keep_token(qd_session *session, const char *token)
{
    token = session->joined != NULL ? session->joined->grant.token : token;
    if (token[0] != '\0') {
        session->endpoint->token = qd_token_create(token);
    }
    return token[0] == '\0' || session->endpoint->token != NULL;
}

bool qd_sessions_admit(qd_sessions *sessions, qd_session *session, const char *token, qd_fault *fault)
{
    if (!authenticate(sessions, session, token, fault)) {
        return false;
    }
    if (!keep_token(session, token) || !open_account(session)) {
        return qd_fault_set(fault, QD_ERROR_LIMIT,
                            "the server has no memory left for a session (--memory-max). Connect again later");
    }
    session->endpoint->admin = session->grant->role == QD_ROLE_ADMIN;
    /* Addresses are counted when they connect (net/). */
    if (session->tokens == NULL) {
        return true;
    }
    qd_shortage shortage;
    session->is_counted = qd_account_take(session->endpoint->account->tenant, QD_QUOTA_CONNECTIONS, 1, &shortage) > 0;
    return session->is_counted || qd_session_fault_quota(session, &shortage, fault);
}

bool qd_session_fault_quota(const qd_session *session, const qd_shortage *shortage, qd_fault *fault)
{
    char text[QD_SHORTAGE_TEXT_BYTES];

    qd_count_refusal(&session->service->counters, shortage);
    qd_shortage_text(shortage, text);
    return qd_fault_set(fault, shortage->code, "%s", text);
}

/* ---- reloading ---- */

/* Whether the token's line is gone, or has changed. For a join token, it is that of its key. Under the lock. */
static bool is_revoked(const qd_sessions *sessions, const qd_session *session)
{
    return session->grant != NULL && !qd_tokens_have_line(sessions->tokens, session->grant);
}

static uint32_t revoke_open(qd_sessions *sessions)
{
    qd_session *session;
    uint32_t count = 0;

    TAILQ_FOREACH (session, &sessions->open, links) {
        if (!session->revoked && is_revoked(sessions, session)) {
            qd_session_revoke(
                session,
                "the server's operator has changed what this token allows. Connect again, or use another token");
            count++;
        }
    }
    return count;
}

static uint32_t revoke_detached(qd_sessions *sessions)
{
    qd_session *session, *next;
    uint32_t count = 0;

    for (session = TAILQ_FIRST(&sessions->detached); session != NULL; session = next) {
        next = TAILQ_NEXT(session, links);
        if (!session->revoked && is_revoked(sessions, session)) {
            qd_sessions_end_detached(sessions, session);
            count++;
        }
    }
    return count;
}

static qd_session *find_number(struct qd_session_list *list, uint64_t number)
{
    qd_session *session;

    TAILQ_FOREACH (session, list, links) {
        if (session->endpoint->session == number && session->introduced && !session->revoked) {
            break;
        }
    }
    return session;
}

bool qd_sessions_disconnect(qd_sessions *sessions, uint64_t number)
{
    const qd_scheduler *scheduler = sessions->service->config.scheduler;

    pthread_mutex_lock(&sessions->mutex);
    qd_session *open = find_number(&sessions->open, number);
    qd_session *detached = open == NULL ? find_number(&sessions->detached, number) : NULL;
    if (open != NULL) {
        qd_session_revoke(open, "the server's operator has ended this session. Connect again for a new one");
    } else if (detached != NULL) {
        qd_sessions_end_detached(sessions, detached);
        scheduler->wake(scheduler->context, &sessions->timer);
    }
    pthread_mutex_unlock(&sessions->mutex);
    return open != NULL || detached != NULL;
}

uint32_t qd_sessions_reload(qd_sessions *sessions, qd_tokens *tokens)
{
    const qd_scheduler *scheduler = sessions->service->config.scheduler;

    pthread_mutex_lock(&sessions->mutex);
    qd_tokens *before = sessions->tokens;
    qd_sessions_set_tokens(sessions, tokens);
    const uint32_t detached = revoke_detached(sessions), count = revoke_open(sessions) + detached;
    if (detached > 0) {
        scheduler->wake(scheduler->context, &sessions->timer);
    }
    pthread_mutex_unlock(&sessions->mutex);
    qd_log(QD_LOG_INFO, "tokens reloaded", QD_LOG_NUMBER("tokens", tokens->count),
           QD_LOG_NUMBER("sessions_ended", count));
    qd_tokens_release(before);
    return count;
}

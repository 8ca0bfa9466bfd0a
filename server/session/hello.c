/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "../actor/service/reply.h"
#include "../base/log.h"
#include "handlers.h"
#include "tenants.h"

#define fail qd_session_fail

/* Notes those that the server supports; other names have no effect. */
static bool take_features(qd_session *session, qd_request *request, const qd_msg_hello *hello)
{
    if (hello->feature_count > QD_FEATURES_MAX) {
        fail(session, request, 0, QD_ERROR_INVALID, "features has %zu names; must have at most %u",
             hello->feature_count, QD_FEATURES_MAX);
        return false;
    }
    for (size_t i = 0; i < hello->feature_count; i++) {
        const size_t size = strlen(hello->features[i]);

        if (size == 0 || size > QD_FEATURE_BYTES_MAX) {
            fail(session, request, 0, QD_ERROR_INVALID, "features[%zu] has %zu bytes; must have 1 to %u", i, size,
                 QD_FEATURE_BYTES_MAX);
            return false;
        }
        session->pings |= strcmp(hello->features[i], QD_FEATURE_PINGS) == 0;
    }
    return true;
}

/* The line of the session's token or key in --token-file, from 1, without empty lines and comments; 0: the server has no
 * tokens. */
static uint64_t token_number(const qd_session *session)
{
    return session->tokens == NULL ? 0 : (uint64_t)(qd_grant_line(session->grant) - session->tokens->grants) + 1;
}

void qd_hello(qd_session *session, qd_request **request)
{
    const qd_msg_hello *hello = &(*request)->decoded.message.as.hello;
    uint64_t seq = (*request)->decoded.message.seq;

    if (session->state == QD_SESSION_READY) {
        fail(session, *request, 0, QD_ERROR_INVALID,
             "Hello came before; must come once. Send it only as the first frame");
        return;
    }
    if (hello->version != QD_PROTOCOL_VERSION) {
        qd_session_end(session, seq, QD_ERROR_VERSION,
                       "version is %" PRIu32 "; must be %u, which this server speaks. Use a client of that version",
                       hello->version, QD_PROTOCOL_VERSION);
        return;
    }
    size_t token_size = strlen(hello->token), client_size = strlen(hello->client);
    if (token_size > QD_TOKEN_BYTES_MAX || client_size > QD_CLIENT_NAME_BYTES_MAX) {
        bool token = token_size > QD_TOKEN_BYTES_MAX;

        fail(session, *request, 0, QD_ERROR_INVALID, "%s has %zu bytes; must have at most %u",
             token ? "token" : "client", token ? token_size : client_size,
             token ? QD_TOKEN_BYTES_MAX : QD_CLIENT_NAME_BYTES_MAX);
        return;
    }
    if (!take_features(session, *request, hello)) {
        return;
    }
    qd_fault fault;
    if (!qd_sessions_admit(session->sessions, session, hello->token, &fault)) {
        /* An address that may try no token now could fill the log. */
        if (fault.code != QD_ERROR_QUOTA_ADDRESS) {
            qd_log(QD_LOG_AUDIT, "not authenticated", QD_LOG_PEER(session->link->peer),
                   QD_LOG_STRING("code", qd_error_code_name(fault.code)));
        }
        qd_session_end(session, seq, fault.code, "%s", fault.text);
        return;
    }
    if (!qd_link_introduce(session->link)) {
        qd_count(&session->service->counters, QD_COUNT_REFUSED_FULL, 1);
        qd_session_go_away(session, QD_GO_AWAY_FULL,
                           "the server has %" PRIu32
                           " sessions; must have at most that many (--connections-max). Try again later",
                           session->service->config.limits.connections_max);
        return;
    }
    qd_log(QD_LOG_DEBUG, "hello", QD_LOG_NUMBER("session", session->endpoint->session),
           QD_LOG_PEER(session->link->peer), QD_LOG_STRING("client", hello->client),
           QD_LOG_NUMBER("admin", session->endpoint->admin));
    qd_log(QD_LOG_AUDIT, "authenticated", QD_LOG_NUMBER("session", session->endpoint->session),
           QD_LOG_PEER(session->link->peer), QD_LOG_NUMBER("token", token_number(session)),
           QD_LOG_NUMBER("admin", session->endpoint->admin), QD_LOG_STRING("client", hello->client),
           QD_LOG_STRING("holder", session->joined != NULL ? session->joined->token.claims.name : ""));
    memcpy(session->client, hello->client, client_size + 1);
    session->since_ns = qd_service_now_ns(session->service);
    session->hello_seq = seq;
    if (hello->resume.size > 0) {
        qd_resume_start(session, &hello->resume);
        return;
    }
    if (hello->resumable) {
        qd_resume_enable(session);
    }
    qd_session_welcome(session, false);
}

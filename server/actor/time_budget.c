/* SPDX-License-Identifier: Apache-2.0 */
#include "time_budget.h"

#include "../session/session.h"
#include "commands.h"

/* A batch of so many entities takes a third of a millisecond, or some, if all of them jump. */
#define LIGHT_ENTITIES_MAX 32768u

/* The clock is looked at after so many light messages, and after each of the others. */
#define LIGHT_LETTERS 16u

/* From one look to the next; more is long. */
#define LONG_NS UINT64_C(1000000)

bool qd_slice_is_light(const qd_request *request)
{
    const qd_client_message *message = &request->decoded.message;

    switch (message->kind) {
    case QD_CLIENT_STEP:
        return true;
    case QD_CLIENT_MOVE:
        return message->as.batch.entities.count <= LIGHT_ENTITIES_MAX;
    case QD_CLIENT_ROSTER_MOVE:
        return message->as.roster_move.count <= LIGHT_ENTITIES_MAX && !message->as.roster_move.teleport;
    default:
        return false;
    }
}

/* The clock of one run. It is not looked at before the first message that may take long: most runs have none. */
typedef struct slice {
    bool endless;
    uint64_t end_ns, looked_ns; /* QD_NEVER: not looked at yet */
    uint32_t light;             /* messages, so far */
} slice;

/* After a message. Whether the slice is over, and whether what came since the last look took long. */
static bool is_over(slice *at, const qd_server *server, bool *is_long)
{
    uint64_t now_ns = qd_server_now_ns(server);

    if (at->end_ns == QD_NEVER) {
        at->end_ns = now_ns + server->config.slice_ns;
    }
    *is_long = at->looked_ns != QD_NEVER && now_ns - at->looked_ns > LONG_NS;
    at->looked_ns = now_ns;
    return now_ns >= at->end_ns;
}

static bool is_light(const qd_room_message *message)
{
    return message != &message->seat->leave && qd_slice_is_light((const qd_request *)message);
}

/* Applies messages until there are none, or the slice is over. Returns the rest; *slow is whose message took long then,
 * or NULL. */
static qd_message *apply_some(qd_host *host, qd_message *messages, slice *at, const qd_session **slow)
{
    while (messages != NULL) {
        qd_room_message *message = (qd_room_message *)messages;
        const qd_session *session = message == &message->seat->leave ? NULL : message->seat->session;
        bool look = !is_light(message) || ++at->light % LIGHT_LETTERS == 0, is_long;

        messages = messages->next;
        qd_apply(host, message);
        if (look && !at->endless && host->room != NULL && is_over(at, host->server, &is_long)) {
            *slow = is_long ? session : NULL;
            break;
        }
    }
    return messages;
}

/* The session's messages behind all others, and behind them those of who goes on with it. */
static qd_message *put_back(qd_message *messages, const qd_session *session)
{
    qd_message *others = NULL, *its = NULL, **others_end = &others, **its_end = &its;

    for (; messages != NULL; messages = messages->next) {
        const qd_seat *seat = ((const qd_room_message *)messages)->seat;
        qd_message ***end = seat->session == session ? &its_end : &others_end;

        **end = messages;
        *end = &messages->next;
        if (messages == &seat->leave.message && seat->session == session && seat->heir != NULL) {
            session = seat->heir->session;
        }
    }
    *its_end = NULL;
    *others_end = its;
    return others;
}

void qd_slice_apply(qd_host *host, bool all)
{
    slice at = {.endless = all, .end_ns = QD_NEVER, .looked_ns = QD_NEVER};
    const qd_session *slow = NULL;
    qd_message *rest = apply_some(host, host->messages, &at, &slow);

    if (rest == NULL) {
        rest = apply_some(host, qd_mailbox_take(&host->mailbox), &at, &slow);
    }
    if (rest != NULL && slow != NULL) {
        /* Behind what has come meanwhile as well. */
        qd_message **end = &rest;

        while (*end != NULL) {
            end = &(*end)->next;
        }
        *end = qd_mailbox_take(&host->mailbox);
        rest = put_back(rest, slow);
    }
    host->messages = rest;
    if (rest != NULL) {
        qd_host_wake(host);
    }
}

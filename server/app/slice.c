/* SPDX-License-Identifier: Apache-2.0 */
#include "slice.h"

#include "apply.h"
#include "session.h"

/* A batch of so many entities takes a third of a millisecond, or some, if all of them jump. */
#define LIGHT_ENTITIES_MAX 32768u

/* The clock is looked at after so many light letters, and after each of the others. */
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

/* The clock of one run. It is not looked at before the first letter that may take long: most runs have none. */
typedef struct slice {
    bool endless;
    uint64_t end_ns, looked_ns; /* QD_NEVER: not looked at yet */
    uint32_t light;             /* letters, so far */
} slice;

/* After a letter. Whether the slice is over, and whether what came since the last look took long. */
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

static bool is_light(const qd_host_letter *letter)
{
    return letter != &letter->seat->leave && qd_slice_is_light((const qd_request *)letter);
}

/* Applies letters until there are none, or the slice is over. Returns the rest; *slow is whose letter took long then,
 * or NULL. */
static qd_letter *apply_some(qd_host *host, qd_letter *letters, slice *at, const qd_session **slow)
{
    while (letters != NULL) {
        qd_host_letter *letter = (qd_host_letter *)letters;
        const qd_session *session = letter == &letter->seat->leave ? NULL : letter->seat->session;
        bool look = !is_light(letter) || ++at->light % LIGHT_LETTERS == 0, is_long;

        letters = letters->next;
        qd_apply(host, letter);
        if (look && !at->endless && host->room != NULL && is_over(at, host->server, &is_long)) {
            *slow = is_long ? session : NULL;
            break;
        }
    }
    return letters;
}

/* The session's letters behind all others, and behind them those of who goes on with it. */
static qd_letter *put_back(qd_letter *letters, const qd_session *session)
{
    qd_letter *others = NULL, *its = NULL, **others_end = &others, **its_end = &its;

    for (; letters != NULL; letters = letters->next) {
        const qd_seat *seat = ((const qd_host_letter *)letters)->seat;
        qd_letter ***end = seat->session == session ? &its_end : &others_end;

        **end = letters;
        *end = &letters->next;
        if (letters == &seat->leave.letter && seat->session == session && seat->heir != NULL) {
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
    qd_letter *rest = apply_some(host, host->letters, &at, &slow);

    if (rest == NULL) {
        rest = apply_some(host, qd_mailbox_take(&host->mailbox), &at, &slow);
    }
    if (rest != NULL && slow != NULL) {
        /* Behind what has come meanwhile as well. */
        qd_letter **end = &rest;

        while (*end != NULL) {
            end = &(*end)->next;
        }
        *end = qd_mailbox_take(&host->mailbox);
        rest = put_back(rest, slow);
    }
    host->letters = rest;
    if (rest != NULL) {
        qd_host_wake(host);
    }
}

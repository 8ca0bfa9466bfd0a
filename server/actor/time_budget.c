/* SPDX-License-Identifier: Apache-2.0 */
#include "time_budget.h"

#include "commands/commands.h"

/* The run looks at the clock after this many light messages, and after each other message. */
#define LIGHT_MESSAGES 16u

/* A message is long if more time passes from one look at the clock to the next. */
#define LONG_NS UINT64_C(1000000)

/* What one run may still take. Most runs have only light messages and never look at the clock. */
typedef struct time_budget {
    bool endless;
    uint64_t end_ns, looked_ns; /* QD_NEVER: the clock was not looked at yet */
    uint32_t light;             /* messages, so far */
} time_budget;

/* After a message: whether the time is over, and whether the messages since the last look took long. */
static bool is_over(time_budget *budget, const qd_service *service, bool *is_long)
{
    uint64_t now_ns = qd_service_now_ns(service);

    if (budget->end_ns == QD_NEVER) {
        budget->end_ns = now_ns + service->config.time_budget_ns;
    }
    *is_long = budget->looked_ns != QD_NEVER && now_ns - budget->looked_ns > LONG_NS;
    budget->looked_ns = now_ns;
    return now_ns >= budget->end_ns;
}

static bool is_light(const qd_room_message *message)
{
    return message != &message->membership->leave && ((const qd_request *)message)->light;
}

/* Applies messages until none is left, or the time is over. Returns the rest. *slow is then the sender of a message that
 * took long, or NULL. */
static qd_message *apply_some(qd_room_actor *actor, qd_message *messages, time_budget *budget, const qd_endpoint **slow)
{
    while (messages != NULL) {
        qd_room_message *message = (qd_room_message *)messages;
        const qd_membership *membership = message->membership;
        const qd_endpoint *sender = message == &membership->leave ? NULL : membership->endpoint;
        bool look = !is_light(message) || ++budget->light % LIGHT_MESSAGES == 0, is_long;

        messages = messages->next;
        qd_command_run(actor, message);
        if (look && !budget->endless && actor->room != NULL && is_over(budget, actor->service, &is_long)) {
            *slow = is_long ? sender : NULL;
            break;
        }
    }
    return messages;
}

/* Moves the sender's messages behind all others, together with those of the connection that resumes its session. */
static qd_message *put_back(qd_message *messages, const qd_endpoint *sender)
{
    qd_message *others = NULL, *its = NULL, **others_end = &others, **its_end = &its;

    for (; messages != NULL; messages = messages->next) {
        const qd_membership *membership = ((const qd_room_message *)messages)->membership;
        qd_message ***end = membership->endpoint == sender ? &its_end : &others_end;

        **end = messages;
        *end = &messages->next;
        if (messages == &membership->leave.message && membership->endpoint == sender && membership->successor != NULL) {
            sender = membership->successor->endpoint;
        }
    }
    *its_end = NULL;
    *others_end = its;
    return others;
}

void qd_time_budget_apply(qd_room_actor *actor, bool all)
{
    time_budget budget = {.endless = all, .end_ns = QD_NEVER, .looked_ns = QD_NEVER};
    const qd_endpoint *slow = NULL;
    qd_message *rest = apply_some(actor, actor->messages, &budget, &slow);

    if (rest == NULL) {
        rest = apply_some(actor, qd_mailbox_take(&actor->mailbox), &budget, &slow);
    }
    if (rest != NULL && slow != NULL) {
        /* Also behind the messages that have come meanwhile. */
        qd_message **end = &rest;

        while (*end != NULL) {
            end = &(*end)->next;
        }
        *end = qd_mailbox_take(&actor->mailbox);
        rest = put_back(rest, slow);
    }
    actor->messages = rest;
    if (rest != NULL) {
        qd_room_actor_wake(actor);
    }
}

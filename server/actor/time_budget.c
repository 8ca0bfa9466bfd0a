/* SPDX-License-Identifier: Apache-2.0 */
#include "time_budget.h"

#include "commands/commands.h"
#include "state/time_bill.h"
#include "state/work_time.h"

/* The run looks at the clock after this many light messages, and after each other message. It looks as well when a Step
 * has ticked for long. */
#define LIGHT_MESSAGES 16u

/* A batch of fewer entities takes less time than is worth a look at the clock. */
#define MEASURED_ENTITIES 2048u

/* How long a session's turn is in one run, at least one message. */
#define TURN_NS UINT64_C(1000000)

/* A session whose messages wait has a turn at least this often, although others have messages. */
#define WAIT_NS UINT64_C(20000000)

/* One run. Most runs have only light messages and never look at the clock. */
typedef struct slice {
    qd_room_actor *actor;
    bool stopping;
    uint64_t end_ns, looked_ns; /* QD_NEVER: the clock was not looked at yet */
    uint64_t billed_ns;         /* of the room's bill then, or when the run began */
    uint32_t light;             /* messages since then */
    uint32_t waiting;           /* messages that the run found */
    bool is_over;
    bool urgent; /* it has carried out a message of a session within its budget */
} slice;

static void look(slice *run)
{
    const qd_service *service = run->actor->service;

    run->looked_ns = qd_service_now_ns(service);
    run->billed_ns = run->actor->bill.billed_ns;
    run->light = 0;
    if (run->end_ns == QD_NEVER) {
        run->end_ns = run->looked_ns + service->config.time_budget_ns;
    }
}

static bool is_long_batch(const qd_request *request)
{
    const qd_client_message *message = &request->decoded.message;

    return (message->kind == QD_CLIENT_MOVE && message->as.batch.entities.count >= MEASURED_ENTITIES) ||
           (message->kind == QD_CLIENT_MOVE_ROSTER && message->as.move_roster.count >= MEASURED_ENTITIES);
}

static bool is_light(const qd_room_message *message)
{
    const qd_request *request = (const qd_request *)message;

    return message != &message->membership->leave && request->light && !is_long_batch(request);
}

/* In a closed room and when the server stops, everything is answered now. */
static bool is_endless(const slice *run)
{
    return run->stopping || run->actor->room == NULL;
}

static bool has_ticked_long(const slice *run)
{
    return run->actor->bill.billed_ns - run->billed_ns >= QD_BILL_LONG_NS;
}

/* The session pays for messages that took so long on the clock until now_ns, except for ticks and resets that are billed
 * since `billed_before_ns`. Returns how long all of it worked. */
static uint64_t bill(const qd_room_actor *actor, qd_membership *membership, uint64_t now_ns, uint64_t took_ns,
                     uint64_t billed_before_ns)
{
    const uint64_t billed_ns = actor->bill.billed_ns - billed_before_ns;
    const uint64_t rest_ns = took_ns > billed_ns ? qd_work_time_of(actor->service, now_ns, took_ns - billed_ns) : 0;

    qd_time_bill_request(actor->service, membership, now_ns, rest_ns);
    return billed_ns + rest_ns;
}

/* Carries the message out and charges its session. Of the light messages between two looks, the session of the last one
 * pays for all, which is just in the long run. */
static void carry_out(slice *run, qd_room_message *message)
{
    qd_membership *membership = message->membership;
    const bool leaves = message == &membership->leave, light = is_light(message);

    if (!light && !is_endless(run) && (run->looked_ns == QD_NEVER || run->light > 0)) {
        look(run);
    }
    if (!light && !is_endless(run)) {
        qd_work_time_begin(run->actor->service, run->looked_ns);
    }
    if (leaves && !is_endless(run)) {
        qd_time_bill_close(run->actor->service, membership, run->looked_ns);
    }
    qd_command_run(run->actor, message, run->stopping);
    if (is_endless(run) || (light && ++run->light < LIGHT_MESSAGES && !has_ticked_long(run))) {
        return;
    }
    const uint64_t before_ns = run->looked_ns, billed_before_ns = run->billed_ns;
    look(run);
    run->is_over = run->looked_ns >= run->end_ns;
    if (leaves || before_ns == QD_NEVER) {
        return;
    }
    const uint64_t took_ns = bill(run->actor, membership, run->looked_ns, run->looked_ns - before_ns, billed_before_ns);
    membership->turn_ns = took_ns + (membership->turn == run->actor->runs ? membership->turn_ns : 0);
    membership->turn = run->actor->runs;
}

/* ---- messages that wait behind others ---- */

static bool is_beyond_budget(slice *run, const qd_membership *membership)
{
    const qd_time_bucket *time = &membership->endpoint->time;

    if (qd_time_bucket_is_unused(time)) {
        return false;
    }
    if (run->looked_ns == QD_NEVER) {
        look(run);
    }
    return !qd_time_bucket_covers(time, run->actor->service->share, run->looked_ns, 0);
}

static bool is_turn_over(const slice *run, const qd_membership *membership)
{
    return membership->turn == run->actor->runs && membership->turn_ns >= TURN_NS;
}

static bool has_to_wait(slice *run, const qd_membership *membership)
{
    return membership->later != NULL || membership->waits_for_older ||
           (!is_endless(run) && (is_turn_over(run, membership) || is_beyond_budget(run, membership)));
}

static void put_later(slice *run, qd_room_message *message)
{
    qd_room_actor *actor = run->actor;
    qd_membership *membership = message->membership;

    message->message.next = NULL;
    if (membership->later != NULL) {
        *membership->later_end = &message->message;
    } else {
        membership->later = &message->message;
        if (!membership->waits_for_older) {
            if (TAILQ_EMPTY(&actor->laters)) {
                actor->served_ns = run->looked_ns;
            }
            TAILQ_INSERT_TAIL(&actor->laters, membership, laters);
        }
    }
    membership->later_end = &message->message.next;
    if (message == &membership->leave && membership->successor != NULL) {
        membership->successor->waits_for_older = true;
    }
}

/* Whether the run goes on with messages that wait: the time is not over, and no others have come. */
static bool has_time(const slice *run)
{
    return is_endless(run) || (!run->is_over && qd_mailbox_is_empty(&run->actor->mailbox));
}

/* Carries out at least one message of this membership, which is in the list, and more while there is time. */
static void take_turn(slice *run, qd_membership *membership)
{
    qd_room_actor *actor = run->actor;
    bool more;

    TAILQ_REMOVE(&actor->laters, membership, laters);
    actor->served_ns = run->looked_ns;
    do {
        qd_room_message *message = (qd_room_message *)membership->later;
        const bool leaves = message == &membership->leave;
        qd_membership *successor = leaves ? membership->successor : NULL;

        membership->later = message->message.next;
        more = membership->later != NULL;
        carry_out(run, message);
        if (successor != NULL) {
            successor->waits_for_older = false;
            if (successor->later != NULL) {
                TAILQ_INSERT_TAIL(&actor->laters, successor, laters);
            }
        }
    } while (more && has_time(run));
    if (more) {
        TAILQ_INSERT_TAIL(&actor->laters, membership, laters);
    }
}

/* The first membership that may have a turn. Those beyond their budget have one if no others had messages in this
 * run. */
static qd_membership *next_turn(slice *run)
{
    qd_room_actor *actor = run->actor;
    qd_membership *membership, *behind = TAILQ_FIRST(&actor->laters);

    if (is_endless(run) || behind == NULL) {
        return behind;
    }
    TAILQ_FOREACH (membership, &actor->laters, laters) {
        if (!is_beyond_budget(run, membership)) {
            return membership;
        }
    }
    return run->urgent ? NULL : behind;
}

/* ---- the run ---- */

/* A session that has waited for long has a turn before the others. */
static void apply_overdue(slice *run)
{
    qd_room_actor *actor = run->actor;

    if (TAILQ_EMPTY(&actor->laters) || is_endless(run)) {
        return;
    }
    look(run);
    if (run->looked_ns >= actor->served_ns + WAIT_NS) {
        take_turn(run, TAILQ_FIRST(&actor->laters));
    }
}

/* Carries out messages until the time is over. Of the rest, those that have to wait make room for the others. */
static void apply_some(slice *run, qd_message *messages)
{
    qd_message **rest_end = &run->actor->messages;

    while (messages != NULL) {
        qd_room_message *message = (qd_room_message *)messages;

        messages = messages->next;
        run->waiting++;
        qd_membership *membership = message->membership;
        const bool is_left = membership->left == run->actor->runs; /* an earlier one of it: the order is kept */

        if (!is_left && has_to_wait(run, membership)) {
            put_later(run, message);
        } else if (is_left || (run->is_over && !is_endless(run))) {
            membership->left = run->actor->runs;
            *rest_end = &message->message;
            rest_end = &message->message.next;
        } else {
            run->urgent = true;
            carry_out(run, message);
        }
    }
    *rest_end = NULL;
}

static void apply_later(slice *run)
{
    qd_membership *next;

    while (has_time(run) && (next = next_turn(run)) != NULL) {
        take_turn(run, next);
    }
}

/* Wakes the actor for what is left. */
static void go_on(slice *run)
{
    qd_room_actor *actor = run->actor;
    qd_membership *membership;

    if (actor->messages != NULL) {
        qd_room_actor_wake(actor);
        return;
    }
    TAILQ_FOREACH (membership, &actor->laters, laters) {
        if (!is_beyond_budget(run, membership)) {
            qd_room_actor_wake(actor);
            return;
        }
    }
    if (!TAILQ_EMPTY(&actor->laters)) {
        qd_room_actor_wake_behind(actor);
    }
}

void qd_time_budget_apply(qd_room_actor *actor, bool stopping)
{
    slice run = {.actor = actor,
                 .stopping = stopping,
                 .end_ns = QD_NEVER,
                 .looked_ns = QD_NEVER,
                 .billed_ns = actor->bill.billed_ns};

    actor->runs++;
    apply_overdue(&run);
    apply_some(&run, actor->messages);
    if (actor->messages == NULL) {
        apply_some(&run, qd_mailbox_take(&actor->mailbox));
    }
    if (actor->messages == NULL) {
        apply_later(&run);
    }
    if (run.waiting > 0) {
        qd_observe(&actor->service->counters, QD_HISTOGRAM_QUEUE, run.waiting);
    }
    go_on(&run);
}

void qd_time_budget_apply_inline(qd_room_actor *actor, qd_request *request)
{
    const qd_service *service = actor->service;
    qd_membership *membership = request->head.membership;

    if (!is_long_batch(request)) {
        qd_command_run(actor, &request->head, false);
        return;
    }
    const uint64_t start_ns = qd_service_now_ns(service), billed_before_ns = actor->bill.billed_ns;
    qd_work_time_begin(service, start_ns);
    qd_command_run(actor, &request->head, false);
    const uint64_t end_ns = qd_service_now_ns(service);
    (void)bill(actor, membership, end_ns, end_ns - start_ns, billed_before_ns);
}

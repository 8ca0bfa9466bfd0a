/* SPDX-License-Identifier: Apache-2.0 */
#include "time_bill.h"

/* A sum is charged from here on: fewer charges, and no session or room is charged for next to nothing. */
#define CHARGED_NS UINT64_C(100000)

/* What members pay is shared out from here on, by a loop over all of them. */
#define SHARED_NS UINT64_C(1000000)

/* An observer costs about as much as so many of its visible entries. */
#define OBSERVER_WEIGHT 4u

static uint64_t part(uint64_t whole_ns, uint64_t weight, uint64_t weights)
{
    return weight == 0 ? 0 : (uint64_t)((double)whole_ns * (double)weight / (double)weights);
}

void qd_time_bill_close(const qd_service *service, qd_membership *membership, uint64_t now_ns)
{
    if (membership->billed_ns > 0) {
        qd_time_bucket_charge(&membership->endpoint->time, service->share, now_ns, membership->billed_ns);
        membership->billed_ns = 0;
    }
}

void qd_time_bill_request(const qd_service *service, qd_membership *membership, uint64_t now_ns, uint64_t work_ns)
{
    membership->billed_ns += work_ns;
    if (membership->billed_ns >= CHARGED_NS) {
        qd_time_bill_close(service, membership, now_ns);
    }
}

static void bill_room(qd_room_actor *actor, uint64_t now_ns, uint64_t work_ns)
{
    qd_time_bill *bill = &actor->bill;

    bill->room_ns += work_ns;
    if (bill->room_ns >= CHARGED_NS) {
        qd_time_bucket_charge(&actor->time, actor->service->share, now_ns, bill->room_ns);
        bill->room_ns = 0;
    }
}

/* ---- what members pay ---- */

/* Counts as of the last time that charges were settled, which every few ticks do. */
static uint64_t views_weight(const qd_room_actor *actor, uint32_t member)
{
    const qd_charge *charge = &actor->charges.members[member];

    return charge->visible_entries + charge->observers * OBSERVER_WEIGHT;
}

static bool is_beyond_budget(const qd_service *service, const qd_membership *membership, uint64_t now_ns)
{
    const qd_time_bucket *time = &membership->endpoint->time;

    return !qd_time_bucket_is_unused(time) && !qd_time_bucket_covers(time, service->share, now_ns, 0);
}

/* Returns what the room pays: for sessions beyond their budgets, and what belongs to nobody. */
static uint64_t bill_members(qd_room_actor *actor, uint64_t now_ns)
{
    const qd_time_bill bill = actor->bill;
    uint64_t views = 0, bytes = 0, room_ns = 0;

    for (uint32_t i = 0; i < actor->member_capacity; i++) {
        if (actor->members[i].membership != NULL) {
            views += views_weight(actor, i);
            bytes += actor->members[i].membership->billed_bytes;
        }
    }
    for (uint32_t i = 0; i < actor->member_capacity; i++) {
        qd_membership *membership = actor->members[i].membership;

        if (membership == NULL) {
            continue;
        }
        const uint64_t work_ns =
            part(bill.views_ns, views_weight(actor, i), views) + part(bill.frames_ns, membership->billed_bytes, bytes);
        membership->billed_bytes = 0;
        if (work_ns == 0) {
            continue;
        }
        room_ns += is_beyond_budget(actor->service, membership, now_ns) ? work_ns : 0;
        qd_time_bill_request(actor->service, membership, now_ns, work_ns);
    }
    return room_ns + (views == 0 ? bill.views_ns : 0) + (bytes == 0 ? bill.frames_ns : 0);
}

static void share_out(qd_room_actor *actor, uint64_t now_ns)
{
    qd_time_bill *bill = &actor->bill;

    if (bill->views_ns + bill->frames_ns >= SHARED_NS) {
        bill_room(actor, now_ns, bill_members(actor, now_ns));
        bill->views_ns = bill->frames_ns = 0;
    }
}

void qd_time_bill_tick(qd_room_actor *actor, qd_membership *payer, uint64_t now_ns, const qd_tick_parts *parts)
{
    qd_time_bill *bill = &actor->bill;
    uint64_t rest_ns = actor->tick_ns;

    bill->billed_ns += actor->tick_ns;
    if (bill->measures) {
        const uint64_t views_ns = part(actor->tick_ns, parts->views_ns, parts->took_ns),
                       frames_ns = part(actor->tick_ns, parts->frames_ns, parts->took_ns);

        bill->views_ns += views_ns;
        bill->frames_ns += frames_ns;
        rest_ns -= views_ns + frames_ns;
        bill->measured_ticks--;
        share_out(actor, now_ns);
    }
    if (actor->tick_ns >= QD_BILL_LONG_NS) {
        bill->measured_ticks = QD_BILL_MEASURED_TICKS;
    }
    if (payer != NULL) {
        qd_time_bill_request(actor->service, payer, now_ns, rest_ns);
    } else {
        bill_room(actor, now_ns, rest_ns);
    }
}

void qd_time_bill_resets(qd_room_actor *actor, uint64_t now_ns, uint64_t work_ns)
{
    actor->bill.billed_ns += work_ns;
    actor->bill.frames_ns += work_ns;
    share_out(actor, now_ns);
}

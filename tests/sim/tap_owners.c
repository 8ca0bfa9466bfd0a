/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tap sees of entities that change their owner: by a HandOver, or by an Adopt, whose effect depends on who is
 * connected when it is carried out.
 */
#include <string.h>

#include "client.h"

static bool is_among(uint32_t id, const uint32_t *ids, uint32_t count)
{
    while (count > 0 && ids[count - 1] != id) {
        count--;
    }
    return count > 0;
}

/* The receiver gets a report of a HandOver while it is carried out, with the entries that are not refused. */
static void tap_given(model_room *room, const qd_msg_handed_over *reported)
{
    const model_op *op = NULL;

    for (size_t place = room->now_count; op == NULL; place++) {
        sim_check(place < room->order_count, "entities that nobody handed over");
        const model_op *next = room->order[place];
        if (next->message.kind == QD_CLIENT_HAND_OVER && next->message.as.hand_over.session != 0 &&
            next->message.as.hand_over.session != next->stay->session) {
            op = next;
        }
    }
    model_room_applied(room, op->place + 1);
    room->handed_over_reported++;
    sim_check(op->stay->session == reported->from && op->message.as.hand_over.session == reported->to,
              "they were given to another");
    sim_check(reported->last && reported->connected_count == 0 && reported->count + op->refused_count == op->count,
              "%u are handed over", reported->count);
    for (uint32_t i = 0; i < reported->count; i++) {
        sim_check(is_among(reported->id[i], op->id, op->count), "%u was not handed over", reported->id[i]);
    }
}

/* ---- adopting ---- */

/* Whether the server has a connection of the stay's session, or may have one: one that it is to close may be closed. */
static bool has_link(const model_stay *stay, bool surely)
{
    const sim_world *world = stay->room->world;

    for (size_t i = 0; i < world->link_count; i++) {
        const sim_link *link = world->links[i];

        if (link->session == stay->session && !link->closed && !(surely && link->close_asked)) {
            return true;
        }
    }
    return false;
}

static bool is_surely_connected(const model_stay *stay, const model_op *adopt)
{
    return !stay->has_left && adopt->place >= stay->resumed_place && has_link(stay, true);
}

static bool is_surely_gone(const model_stay *stay)
{
    return stay->is_out || !has_link(stay, false);
}

static bool may_have_expired(const model_stay *stay)
{
    return stay->left && stay->room->world->now_ns >= stay->left_ns + stay->room->grace_ns;
}

static bool is_listed(const model_stay *stay, const qd_msg_handed_over *reported)
{
    for (uint32_t i = 0; i < reported->connected_listed; i++) {
        if (reported->connected[i] == stay->session) {
            return true;
        }
    }
    return false;
}

/* One stay that owned so many entities, of which so many are adopted. */
static void check_yields(const model_stay *stay, const model_op *op, const qd_msg_handed_over *reported, uint32_t owned,
                         uint32_t taken)
{
    bool is_same = stay->token == op->stay->token, is_named = op->message.as.adopt.session == stay->session;
    bool may_be_gone = may_have_expired(stay);

    sim_check(taken == 0 || (is_same && stay != op->stay && (op->message.as.adopt.session == 0 || is_named)),
              "session %llu was adopted from, and was not to be", (unsigned long long)stay->session);
    sim_check(!is_named || is_same || may_be_gone, "a session of another token may be named");
    if (!is_same || stay == op->stay || (op->message.as.adopt.session != 0 && !is_named)) {
        return;
    }
    sim_check(taken == owned || (taken == 0 && (may_be_gone || op->message.as.adopt.session == 0)),
              "session %llu has %u entities, of which %u are adopted", (unsigned long long)stay->session, owned, taken);
    if (op->message.as.adopt.session != 0) {
        return;
    }
    sim_check(taken == 0 || !is_surely_connected(stay, op), "session %llu is connected, and was adopted from",
              (unsigned long long)stay->session);
    sim_check(taken > 0 || may_be_gone || !is_surely_gone(stay), "session %llu is gone, and was not adopted from",
              (unsigned long long)stay->session);
    /* Only its latest stay is connected. */
    bool listed = stay == model_latest_stay(stay->room, stay->session) && is_listed(stay, reported);
    sim_check(listed ? taken == 0 : taken > 0 || may_be_gone, "session %llu is listed, or is not",
              (unsigned long long)stay->session);
}

/* A connected session that is adopted from by number has got its report before. */
static void check_taken_told(const model_room *room, const model_op *op, const uint32_t taken[STAYS_MAX])
{
    const model_stay *named =
        op->message.as.adopt.session != 0 ? model_latest_stay(room, op->message.as.adopt.session) : NULL;
    uint32_t count = named != NULL ? taken[named->number] : 0;

    if (room->taken_from == 0) {
        sim_check(count == 0 || !is_surely_connected(named, op), "the session that was adopted from got no report");
        return;
    }
    sim_check(room->taken_from == op->message.as.adopt.session && room->taken_count == count && !named->is_out,
              "%u are said to be adopted, of %u", room->taken_count, count);
    for (uint32_t i = 0; i < room->taken_count; i++) {
        uint32_t entity;
        const model_stay *stay = model_owner(room, room->taken[i], &entity);

        sim_check(stay != NULL && room->now.entities[stay->number][entity].owner == named->number,
                  "%u is said to be adopted, and was another's", room->taken[i]);
    }
}

static void check_adopted(const model_room *room, const model_op *op, const qd_msg_handed_over *reported)
{
    uint32_t owned[STAYS_MAX] = {0}, taken[STAYS_MAX] = {0}, found = 0, listed = 0;

    sim_check(reported->from == op->message.as.adopt.session && reported->to == op->stay->session && reported->last,
              "another Adopt's answer");
    sim_check(op->stay->token != 0 && op->message.as.adopt.session != op->stay->session,
              "an Adopt that must be refused");
    for (uint32_t n = 0; n < room->stay_count * STAY_ENTITIES; n++) {
        const model_stay *of = room->stays[n / STAY_ENTITIES];
        const model_entity *entity = &room->now.entities[of->number][n % STAY_ENTITIES];

        if (!entity->present || entity->owner == MODEL_ROOM_OWNED) {
            continue;
        }
        bool is_taken = is_among(model_id(of, n % STAY_ENTITIES), reported->id, reported->count);
        owned[entity->owner]++;
        taken[entity->owner] += is_taken;
        found += is_taken;
    }
    sim_check(found == reported->count, "%u are adopted, of which %u are anybody's", reported->count, found);
    for (uint32_t i = 0; i < room->stay_count; i++) {
        const model_stay *stay = room->stays[i];

        if (owned[i] == 0) {
            continue;
        }
        check_yields(stay, op, reported, owned[i], taken[i]);
        listed += stay != op->stay && stay->token == op->stay->token &&
                  stay == model_latest_stay(room, stay->session) && is_listed(stay, reported);
    }
    sim_check(reported->connected_count == reported->connected_listed && listed == reported->connected_count &&
                  (listed == 0 || op->message.as.adopt.session == 0),
              "%u are connected, and %u are said to be", listed, reported->connected_count);
    check_taken_told(room, op, taken);
}

static void tap_adopted(model_room *room, const model_stay *stay, uint64_t seq, const qd_msg_handed_over *reported)
{
    model_op *op = model_stay_op(stay, seq);

    sim_check(op != NULL && op->message.kind == QD_CLIENT_ADOPT && room->now_count <= op->place,
              "an Adopt out of its turn");
    model_room_applied(room, op->place);
    check_adopted(room, op, reported);
    room->taken_from = 0;
    op->adopted_count = reported->count;
    if (reported->count > 0) {
        memcpy(op->adopted, reported->id, reported->count * sizeof op->adopted[0]);
    }
    model_room_applied(room, op->place + 1);
}

/* The session that is adopted from gets its report just before the adopter. */
static void tap_taken(model_room *room, const qd_msg_handed_over *reported)
{
    sim_check(room->taken_from == 0 && reported->count > 0 && reported->last && reported->connected_count == 0,
              "the session that was adopted from gets a wrong report");
    room->taken_from = reported->from;
    room->taken_count = reported->count;
    memcpy(room->taken, reported->id, reported->count * sizeof room->taken[0]);
}

void sim_tap_handed_over(model_room *room, model_stay *stay, uint64_t seq, const qd_msg_handed_over *reported)
{
    sim_check(reported->count <= BODIES_MAX, "%u have another owner, which is more than there are", reported->count);
    for (uint32_t i = 1; i < reported->count; i++) {
        sim_check(reported->id[i - 1] < reported->id[i], "%u is out of order", reported->id[i]);
    }
    if (seq != 0) {
        tap_adopted(room, stay, seq, reported);
    } else if (reported->from == stay->session) {
        tap_taken(room, reported);
    } else {
        tap_given(room, reported);
    }
}

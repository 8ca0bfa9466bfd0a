/* SPDX-License-Identifier: Apache-2.0
 *
 * Connections that are cut, and sessions that are resumed, or not.
 *
 * A cut loses everything that is under way, in both directions, from any byte on. The server carries out exactly the
 * requests that it got. The tap and the model know which these are; the client learns it from Welcome.last_seq.
 */
#include <inttypes.h>
#include <string.h>

#include "client.h"

static uint64_t resume_ns(const sim_client *client)
{
    return sim_limits(client)->resume_ms_max * SIM_MS_NS;
}

/* Drops the connection; the server may not notice. */
static void let_go(sim_client *client, bool half_open)
{
    qd_frame_reader_deinit(&client->reader);
    if (half_open) {
        client->older = client->link;
    } else {
        sim_link_drop(client->link);
        qd_link_release(&client->link->link);
    }
    client->link = NULL;
    client->welcomed = false;
}

/* The server keeps a session for the sake of a room that it is in. */
static bool is_in(const sim_slot *slot)
{
    return slot->stay != NULL && !slot->leaving && !slot->stay->room->closed;
}

void sim_client_cut(sim_client *client)
{
    uint64_t now_ns = client->scene->house.world.now_ns;

    uint64_t kept_ns = client->has_key ? resume_ns(client) : 0;

    for (uint32_t i = 0; i < ROOMS_MAX; i++) {
        /* A RoomOpened that is under way would be a stay that the client does not know. */
        if (client->slots[i].opening || !sim_slot_may_leave(&client->slots[i])) {
            return;
        }
    }
    client->must_resume = false;
    for (uint32_t i = 0; i < ROOMS_MAX; i++) {
        client->must_resume |= is_in(&client->slots[i]) && kept_ns > 0;
        if (client->slots[i].stay != NULL) {
            model_stay_leave(client->slots[i].stay, now_ns + kept_ns);
        }
    }
    if (!client->has_key) {
        sim_link_drop(client->link);
        sim_client_forget(client);
        return;
    }
    client->cut = true;
    client->cut_ns = now_ns;
    client->back_ns = now_ns;
    if (percent(client, 25)) {
        client->back_ns += pick(client, 2000) * SIM_MS_NS;
    }
    client->stalled = 0;
    let_go(client, percent(client, 30));
}

static void go_back(sim_client *client)
{
    uint32_t draw = pick(client, 100);

    if (draw >= 90) {
        sim_client_forget(client); /* what it knew is gone, and its key */
    } else if (draw >= 80 && client->older == NULL) {
        uint8_t key[QD_RESUME_KEY_BYTES];

        memcpy(key, client->key, sizeof key);
        key[pick(client, sizeof key)] ^= (uint8_t)(1u << pick(client, 8));
        sim_client_forget(client);
        memcpy(client->key, key, sizeof key);
        client->has_key = true;
        sim_client_connect(client);
    } else {
        sim_client_connect(client);
    }
}

void sim_client_act_on_cut(sim_client *client)
{
    if (client->link == NULL) {
        if (client->scene->house.world.now_ns >= client->back_ns) {
            go_back(client);
        }
        return;
    }
    /* Also a connection that is to resume may be cut: perhaps the session was taken up, and Welcome is lost. */
    if (percent(client, 2)) {
        let_go(client, false);
    }
}

void sim_client_come_back(sim_client *client)
{
    if (client->cut && client->link == NULL) {
        go_back(client);
    }
}

/* ---- going on ---- */

static void go_on_with_subscription(sim_slot *slot)
{
    slot->subscribing = slot->unsubscribing = false;
    if (slot->observer == NULL) {
        return;
    }
    if (slot->stay->subscribed) {
        model_observer_cut(slot->observer);
        return;
    }
    model_observer_destroy(slot->observer);
    slot->observer = NULL;
}

static void go_on_with_views(const sim_slot *slot)
{
    const model_stay *stay = slot->stay;

    model_views_cut(slot->views);
    slot->views->watch = 0;
    for (size_t i = 0; i < stay->op_count; i++) {
        if (stay->ops[i]->message.kind == QD_CLIENT_SET_VIEW_OPTIONS && stay->ops[i]->place != MODEL_NOWHERE) {
            slot->views->watch = stay->ops[i]->message.as.set_view_options.watch;
        }
    }
}

static void go_on_in_room(sim_client *client, sim_slot *slot)
{
    slot->opening = false;
    if (slot->stay == NULL) {
        return;
    }
    if (slot->stay->has_left) {
        sim_client_leave_slot(client, slot);
        return;
    }
    model_stay_return(slot->stay);
    model_stay_forget_rest(slot->stay);
    slot->leaving = false;
    if (slot->stay->unsubscribe_seq > client->handed_seq) {
        slot->stay->unsubscribe_seq = 0;
    }
    go_on_with_subscription(slot);
    go_on_with_views(slot);
}

/* The server does not carry out what it did not get. The rest need not be answered. */
static void go_on_with_requests(sim_client *client)
{
    for (size_t i = 0; i < client->request_count; i++) {
        sim_request *asked = &client->requests[i];
        sim_slot *slot = asked->sent.kind == QD_CLIENT_CLOSE_ROOM ? &client->slots[asked->stay->room->name] : NULL;

        if (slot != NULL && slot->stay == asked->stay && asked->sent.seq > client->handed_seq) {
            slot->closing = false;
        }
        asked->excused = true;
    }
}

static void go_on(sim_client *client, const qd_msg_welcome *welcome)
{
    sim_check(welcome->session == client->session, "session %llu was to be resumed, and not %llu",
              (unsigned long long)client->session, (unsigned long long)welcome->session);
    sim_check(welcome->last_seq == client->handed_seq, "the server has requests up to %" PRIu64 ", and says %" PRIu64,
              client->handed_seq, welcome->last_seq);
    sim_check(memcmp(welcome->resume_key.bytes, client->key, sizeof client->key) == 0, "the key is another");
    client->resumptions++;
    client->cut = false;
    if (client->older != NULL) {
        qd_link_release(&client->older->link);
    }
    client->older = NULL;
    for (uint32_t i = 0; i < ROOMS_MAX; i++) {
        go_on_in_room(client, &client->slots[i]);
    }
    go_on_with_requests(client);
}

/* A new session: what was before is over. */
static void begin(sim_client *client, const qd_msg_welcome *welcome)
{
    sim_link *link = client->link;
    qd_frame_reader reader = client->reader;

    client->link = NULL;
    sim_client_forget(client);
    client->link = link;
    client->reader = reader;
    client->session = welcome->session;
    client->handed_seq = link->hello_seq;
    client->resumptions = 0;
    client->sessions++;
}

void sim_client_welcome(sim_client *client, const qd_msg_welcome *welcome)
{
    bool in_time = client->link->session_ns < client->cut_ns + resume_ns(client);

    sim_check(welcome->resume_key.size == 0 || welcome->resume_key.size == sizeof client->key, "a key of %zu bytes",
              welcome->resume_key.size);
    sim_check(!welcome->resumed || client->cut, "a session that nobody may resume");
    sim_check(welcome->resumed || !client->cut || !client->must_resume || !in_time || client->scene->stopping,
              "session %llu was not resumed in time", (unsigned long long)client->session);
    if (welcome->resumed) {
        go_on(client, welcome);
    } else {
        begin(client, welcome);
    }
    client->welcomed = true;
    client->has_key = welcome->resume_key.size > 0;
    if (client->has_key) {
        memcpy(client->key, welcome->resume_key.bytes, sizeof client->key);
    }
}

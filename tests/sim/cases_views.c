/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "server/actor/service/reply.h"
#include "server/room/room_views.h"

/* ---- what peers send ---- */

static const uint32_t ids[] = {1, 2, 3, 4};

static uint32_t send_observers(sim_peer *peer, qd_client_kind kind, qd_msg_observers observers)
{
    return sim_peer_send(peer, (qd_client_message){.kind = kind, .as.observers = observers});
}

/* A circle around an entity. */
static uint32_t watch_around(sim_peer *peer, uint64_t room, uint32_t observer, uint32_t entity, float range)
{
    return send_observers(
        peer, QD_CLIENT_OBSERVE,
        (qd_msg_observers){.room = room, .count = 1, .id = &observer, .entity = &entity, .range = &range});
}

static void unobserve(sim_peer *peer, uint64_t room, uint32_t observer)
{
    send_observers(peer, QD_CLIENT_UNOBSERVE, (qd_msg_observers){.room = room, .count = 1, .id = &observer});
}

static void describe(sim_peer *peer, qd_msg_describe describe)
{
    sim_peer_send(peer, (qd_client_message){.kind = QD_CLIENT_DESCRIBE, .as.describe = describe});
}

static void except(sim_peer *peer, uint64_t room, uint32_t observer, uint32_t show_count, uint32_t hide_count,
                   const uint32_t *ids_of_both)
{
    sim_peer_send(peer, (qd_client_message){.kind = QD_CLIENT_EXCEPT,
                                            .as.except = {.room = room,
                                                          .observer = observer,
                                                          .show_count = show_count,
                                                          .show = ids_of_both,
                                                          .hide_count = hide_count,
                                                          .hide = ids_of_both + show_count}});
}

static void move_to(sim_peer *peer, uint64_t room, uint32_t entity, float x, float y)
{
    sim_peer_send(peer, (qd_client_message){
                            .kind = QD_CLIENT_MOVE,
                            .as.batch = {.room = room, .entities = {.count = 1, .id = &entity, .x = &x, .y = &y}}});
}

static void despawn(sim_peer *peer, uint64_t room, uint32_t entity)
{
    sim_peer_send(peer, (qd_client_message){.kind = QD_CLIENT_DESPAWN,
                                            .as.batch = {.room = room, .entities = {.count = 1, .id = &entity}}});
}

static void watch(sim_peer *peer, uint64_t room, qd_watch how)
{
    sim_peer_send(peer,
                  (qd_client_message){.kind = QD_CLIENT_VIEW_OPTIONS, .as.view_options = {.room = room, .watch = how}});
}

static uint32_t ask_why(sim_peer *peer, uint64_t room, uint32_t a, uint32_t b, bool observer)
{
    return sim_peer_send(peer, (qd_client_message){.kind = QD_CLIENT_WHY,
                                                   .as.why = {.room = room, .a = a, .b = b, .observer = observer}});
}

/* ---- what they report ---- */

/* The View of the tick that the peer steps now, which is one frame; the Applied behind it comes next. */
static const qd_msg_view *step_view(sim_peer *peer, uint64_t room)
{
    sim_peer_step(peer, room);
    const qd_server_message *message = sim_peer_expect(peer, QD_SERVER_VIEW);
    sim_check(message->seq == 0 && message->as.view.room == room && message->as.view.last, "a small View is one frame");
    return &message->as.view;
}

static void step_quietly(sim_peer *peer, uint64_t room)
{
    sim_peer_step(peer, room);
    (void)sim_peer_expect(peer, QD_SERVER_APPLIED);
}

static void expect_applied(sim_peer *peer)
{
    (void)sim_peer_expect(peer, QD_SERVER_APPLIED);
}

static void expect_counts(const qd_msg_view *view, uint32_t leaves, uint32_t enters, uint32_t relays)
{
    sim_check(view->leave_count == leaves && view->enter_count == enters && view->relay_count == relays,
              "%u leaves, %u enters, %u relays; there should be %u, %u and %u", view->leave_count, view->enter_count,
              view->relay_count, leaves, enters, relays);
}

static void expect_enter(const qd_msg_view *view, uint32_t observer, uint32_t id)
{
    expect_counts(view, 0, 1, 0);
    sim_check(view->enter_observer[0] == observer && view->enter.id[0] == id, "observer %u sees %u, not %u",
              view->enter_observer[0], view->enter.id[0], id);
}

static void expect_leave(const qd_msg_view *view, uint32_t observer, uint32_t id, qd_leave_reason reason)
{
    expect_counts(view, 1, 0, 0);
    sim_check(view->leave_observer[0] == observer && view->leave_id[0] == id && view->leave_reason[0] == reason,
              "%u leaves observer %u: %s", view->leave_id[0], view->leave_observer[0],
              qd_leave_reason_name(view->leave_reason[0]));
}

/* ---- cases ---- */

/* Nobody is subscribed here. */
void sim_observers_see(sim_house *house)
{
    static const uint64_t tags[] = {70, 80};
    static const uint8_t sizes[] = {0, 3}, payload[] = {'a', 'b', 'c'};
    sim_peer peer;

    sim_peer_open(&peer, house, NULL);
    uint64_t room = sim_peer_open_room(&peer, "room", NULL);
    sim_peer_spawn(&peer, room, 1, 4, 10); /* at (0, 0), (10, 10), (20, 20) and (30, 30) */
    describe(&peer,
             (qd_msg_describe){
                 .room = room, .count = 2, .id = ids + 1, .tag = tags, .payload_size = sizes, .payload = payload});
    uint32_t seq = watch_around(&peer, room, 9, 2, 15);
    const qd_msg_view *view = step_view(&peer, room);
    sim_check(view->tick == 1 && !view->reset && !view->suspended, "the first tick");
    expect_counts(view, 0, 2, 0);
    sim_check(view->enter_observer[0] == 9 && view->enter.id[0] == 1 && view->enter_observer[1] == 9 &&
                  view->enter.id[1] == 3,
              "the two beside it enter");
    sim_check(view->enter.x[1] == 20 && view->enter.y[1] == 20 && view->enter.z == NULL && view->enter.half_x[1] == 1 &&
                  view->enter.radius == NULL && view->enter.shape[0] == QD_SHAPE_BOX && view->enter.category[0] == 1,
              "as they are");
    sim_check(view->enter_tag[0] == 0 && view->enter_tag[1] == 80 && view->enter_payload_size[0] == 0 &&
                  view->enter_payload_size[1] == 3 && memcmp(view->enter_payload, "abc", 3) == 0,
              "with tag and payload");
    const qd_msg_applied *applied = &sim_peer_expect(&peer, QD_SERVER_APPLIED)->as.applied;
    sim_check(applied->seq == seq + 1 && applied->tick == 1, "Applied comes after the View");

    move_to(&peer, room, 3, 40, 40);
    expect_leave(step_view(&peer, room), 9, 3, QD_LEAVE_RANGE);
    expect_applied(&peer);
    move_to(&peer, room, 2, 30, 30); /* the observer goes with it: 1 leaves, 3 and 4 enter */
    view = step_view(&peer, room);
    expect_counts(view, 1, 2, 0);
    expect_applied(&peer);
    despawn(&peer, room, 3);
    expect_leave(step_view(&peer, room), 9, 3, QD_LEAVE_DESPAWNED);
    expect_applied(&peer);
    step_quietly(&peer, room);

    /* With the anchor goes the observer. */
    despawn(&peer, room, 2);
    expect_leave(step_view(&peer, room), 9, 4, QD_LEAVE_OBSERVER);
    expect_applied(&peer);
    sim_peer_close(&peer);
}

void sim_regions_and_tiers(sim_house *house)
{
    static const float at[] = {50}, half[] = {5}, ranges[] = {40}, angle[] = {0.1f}, east[] = {1}, none[] = {0};
    static const uint32_t one[] = {1}, two[] = {2};
    static const uint8_t box[] = {QD_REGION_BOX}, cone[] = {QD_REGION_CONE};
    static const float tiers[] = {20};
    static const uint32_t every[] = {1};
    sim_peer peer;

    sim_peer_open(&peer, house, NULL);
    uint64_t room = sim_peer_open_room(&peer, "room", NULL);
    sim_peer_spawn(&peer, room, 7, 1, 0);
    move_to(&peer, room, 7, 54, 54);
    /* A free box and a free cone, which looks along x. */
    send_observers(
        &peer, QD_CLIENT_OBSERVE,
        (qd_msg_observers){
            .room = room, .count = 1, .id = one, .region = box, .x = at, .y = at, .half_x = half, .half_y = half});
    send_observers(&peer, QD_CLIENT_OBSERVE,
                   (qd_msg_observers){.room = room,
                                      .count = 1,
                                      .id = two,
                                      .region = cone,
                                      .x = at,
                                      .y = at,
                                      .range = ranges,
                                      .angle = angle,
                                      .direction_x = east,
                                      .direction_y = none,
                                      .tier_count = 1,
                                      .relay_range = tiers,
                                      .relay_every = every});
    expect_enter(step_view(&peer, room), 1, 7);
    expect_applied(&peer);
    move_to(&peer, room, 7, 60, 50);
    const qd_msg_view *view = step_view(&peer, room);
    expect_counts(view, 1, 1, 0);
    sim_check(view->leave_observer[0] == 1 && view->enter_observer[0] == 2, "from the box into the cone");
    expect_applied(&peer);
    /* In the first tier each place is relayed, beyond the last none. */
    move_to(&peer, room, 7, 65, 50);
    view = step_view(&peer, room);
    expect_counts(view, 0, 0, 1);
    sim_check(view->relay_observer[0] == 2 && view->relay_id[0] == 7 && view->relay_x[0] == 65 &&
                  view->relay_y[0] == 50 && view->relay_z == NULL,
              "the place is relayed");
    expect_applied(&peer);
    step_quietly(&peer, room);
    move_to(&peer, room, 7, 80, 50);
    step_quietly(&peer, room);
    /* The cone turns away, and back; then it is moved off. */
    send_observers(&peer, QD_CLIENT_MOVE_OBSERVERS,
                   (qd_msg_observers){.room = room, .count = 1, .id = two, .direction_x = none, .direction_y = east});
    expect_leave(step_view(&peer, room), 2, 7, QD_LEAVE_RANGE);
    expect_applied(&peer);
    send_observers(&peer, QD_CLIENT_MOVE_OBSERVERS,
                   (qd_msg_observers){.room = room, .count = 1, .id = two, .direction_x = east, .direction_y = none});
    expect_enter(step_view(&peer, room), 2, 7);
    expect_applied(&peer);
    send_observers(&peer, QD_CLIENT_MOVE_OBSERVERS,
                   (qd_msg_observers){.room = room, .count = 1, .id = two, .x = none, .y = none});
    expect_leave(step_view(&peer, room), 2, 7, QD_LEAVE_RANGE);
    expect_applied(&peer);
    sim_peer_close(&peer);
}

void sim_who_is_allowed(sim_house *house)
{
    static const uint8_t hidden[] = {1}, shown[] = {0};
    static const uint32_t team[] = {5}, other_team[] = {6}, two[] = {2};
    static const float far[] = {100};
    static const uint32_t observer[] = {9}, anchor[] = {1};
    sim_peer peer;

    sim_peer_open(&peer, house, NULL);
    uint64_t room = sim_peer_open_room(&peer, "room", NULL);
    sim_peer_spawn(&peer, room, 1, 2, 10);
    send_observers(
        &peer, QD_CLIENT_OBSERVE,
        (qd_msg_observers){.room = room, .count = 1, .id = observer, .entity = anchor, .range = far, .team = team});
    expect_enter(step_view(&peer, room), 9, 2);
    expect_applied(&peer);

    describe(&peer, (qd_msg_describe){.room = room, .count = 1, .id = two, .hidden = hidden});
    expect_leave(step_view(&peer, room), 9, 2, QD_LEAVE_HIDDEN);
    expect_applied(&peer);
    except(&peer, room, 9, 1, 0, two);
    expect_enter(step_view(&peer, room), 9, 2);
    expect_applied(&peer);
    except(&peer, room, 9, 0, 1, two);
    expect_leave(step_view(&peer, room), 9, 2, QD_LEAVE_EXCEPTED);
    expect_applied(&peer);
    except(&peer, room, 9, 0, 0, two);
    describe(&peer, (qd_msg_describe){.room = room, .count = 1, .id = two, .hidden = shown, .team = team});
    expect_enter(step_view(&peer, room), 9, 2);
    expect_applied(&peer);
    describe(&peer, (qd_msg_describe){.room = room, .count = 1, .id = two, .team = other_team});
    expect_leave(step_view(&peer, room), 9, 2, QD_LEAVE_TEAM);
    expect_applied(&peer);
    sim_peer_close(&peer);
}

static void expect_entry(sim_peer *peer, qd_error_code code)
{
    const qd_msg_error *error = &sim_peer_expect(peer, QD_SERVER_ERROR)->as.error;

    sim_check(error->code == QD_ERROR_ENTRIES && error->entries_refused == 1 && error->entry_code[0] == code, "%s: %s",
              qd_error_code_name(error->code), error->text);
    sim_check(strstr(error->text, qd_error_code_name(code)) != NULL, "the reason stands in the text: %s", error->text);
}

void sim_requests_of_views_are_refused(sim_house *house)
{
    static const float nan_range[] = {-1}, some[] = {1};
    static const uint32_t observer[] = {9}, two[] = {2};
    static const uint8_t odd_region[] = {7}, longer[] = {33};
    static const char payload[33] = "";
    sim_peer peer, other;

    sim_peer_open(&peer, house, NULL);
    sim_peer_open(&other, house, NULL);
    uint64_t room = sim_peer_open_room(&peer, "room", NULL);
    sim_peer_open_room(&other, "room", NULL);
    sim_peer_spawn(&peer, room, 1, 1, 0);
    sim_peer_spawn(&other, room, 2, 1, 0);
    step_quietly(&peer, room);
    sim_house_settle(house);
    (void)sim_peer_next(&other);

    watch_around(&peer, 77, 1, 1, 5);
    sim_peer_expect_error(&peer, QD_ERROR_UNKNOWN_ROOM, "no room with handle 77");
    send_observers(&peer, QD_CLIENT_OBSERVE, (qd_msg_observers){.room = room, .count = 1, .id = ids});
    sim_peer_expect_error(&peer, QD_ERROR_COLUMNS, "column x is missing, but entry 0 is free: send it");
    send_observers(&peer, QD_CLIENT_MOVE_OBSERVERS, (qd_msg_observers){.room = room, .count = 1, .id = ids, .x = some});
    sim_peer_expect_error(&peer, QD_ERROR_COLUMNS, "column y is missing");
    describe(&peer,
             (qd_msg_describe){
                 .room = room, .count = 1, .id = ids, .payload_size = longer, .payload = (const uint8_t *)payload});
    sim_peer_expect_error(&peer, QD_ERROR_INVALID, "payload_size of entry 0 is 33");
    watch(&peer, room, (qd_watch)9);
    sim_peer_expect_error(&peer, QD_ERROR_INVALID, "watch is 9");
    except(&peer, room, 9, 1, 0, ids);
    sim_peer_expect_error(&peer, QD_ERROR_UNKNOWN_OBSERVER, "observer is 9");

    describe(&peer, (qd_msg_describe){.room = room, .count = 1, .id = two});
    expect_entry(&peer, QD_ERROR_NOT_OWNER);
    describe(&peer, (qd_msg_describe){.room = room, .count = 1, .id = ids, .visible_range = nan_range});
    expect_entry(&peer, QD_ERROR_NEGATIVE_SIZE);
    watch_around(&peer, room, 9, 2, 5);
    expect_entry(&peer, QD_ERROR_NOT_OWNER);
    watch_around(&peer, room, 9, 3, 5);
    expect_entry(&peer, QD_ERROR_UNKNOWN_ID);
    watch_around(&peer, room, 9, 1, -1);
    expect_entry(&peer, QD_ERROR_NEGATIVE_SIZE);
    send_observers(&peer, QD_CLIENT_OBSERVE,
                   (qd_msg_observers){.room = room, .count = 1, .id = observer, .entity = ids, .region = odd_region});
    expect_entry(&peer, QD_ERROR_BAD_REGION);
    unobserve(&peer, room, 9);
    expect_entry(&peer, QD_ERROR_UNKNOWN_OBSERVER);
    send_observers(&peer, QD_CLIENT_MOVE_OBSERVERS,
                   (qd_msg_observers){.room = room, .count = 1, .id = observer, .x = some, .y = some});
    expect_entry(&peer, QD_ERROR_UNKNOWN_OBSERVER);
    /* The room takes three, of whomever. */
    watch_around(&peer, room, 1, 1, 5);
    watch_around(&other, room, 1, 2, 5);
    watch_around(&peer, room, 3, 1, 5);
    sim_peer_expect_nothing(&peer);
    sim_peer_expect_nothing(&other);
    watch_around(&other, room, 4, 2, 5);
    expect_entry(&other, QD_ERROR_OBSERVERS_FULL);
    ask_why(&peer, room, 8, 1, false);
    sim_peer_expect_error(&peer, QD_ERROR_UNKNOWN_ID, "a is 8, an entity, and b is 1, an entity: one of them is not");
    sim_peer_close(&peer);
    sim_peer_close(&other);
}

static void expect_watchers(const qd_msg_view *view, uint32_t leaves, uint32_t enters)
{
    sim_check(view->watcher_leave_count == leaves && view->watcher_enter_count == enters,
              "%u watcher_leaves, %u watcher_enters; there should be %u and %u", view->watcher_leave_count,
              view->watcher_enter_count, leaves, enters);
}

void sim_watchers(sim_house *house)
{
    sim_peer seer, seen;

    sim_peer_connect(&seer, house);
    sim_peer_send(&seer, (qd_client_message){.kind = QD_CLIENT_HELLO, .as.hello = {.version = QD_PROTOCOL_VERSION}});
    uint64_t session = sim_peer_expect(&seer, QD_SERVER_WELCOME)->as.welcome.session;
    sim_peer_open(&seen, house, NULL);
    uint64_t room = sim_peer_open_room(&seen, "room", NULL);
    sim_peer_open_room(&seer, "room", NULL);
    sim_peer_spawn(&seen, room, 1, 2, 10);
    sim_peer_spawn(&seer, room, 11, 2, 10);
    watch(&seen, room, QD_WATCH_OWN);
    watch_around(&seer, room, 4, 11, 5);
    const qd_msg_view *view = &sim_peer_expect(&seen, QD_SERVER_VIEW)->as.view;
    sim_check(view->reset_watchers && view->tick == 0 && view->last, "the reverse view starts at once");
    expect_watchers(view, 0, 0);
    view = step_view(&seen, room);
    sim_check(!view->reset_watchers, "and goes on");
    expect_watchers(view, 0, 1);
    sim_check(view->watcher_enter_entity[0] == 1 && view->watcher_enter_session[0] == session &&
                  view->watcher_enter_observer[0] == 4,
              "the other session's observer sees it");
    expect_applied(&seen);
    move_to(&seen, room, 1, 50, 50);
    move_to(&seen, room, 2, 1, 1);
    view = step_view(&seen, room);
    sim_check(!view->reset_watchers, "it goes on");
    expect_watchers(view, 1, 1);
    sim_check(view->watcher_leave_entity[0] == 1 && view->watcher_leave_session[0] == session &&
                  view->watcher_enter_entity[0] == 2,
              "one goes, one comes");
    expect_applied(&seen);
    /* A session that is gone is named anyway, and not by the number of the session in its place. */
    sim_peer_send(&seer, (qd_client_message){.kind = QD_CLIENT_LEAVE_ROOM, .as.room = {room}});
    sim_house_settle(house);
    sim_peer_open_room(&seen, "room", NULL);
    sim_peer third;
    sim_peer_open(&third, house, NULL);
    sim_peer_open_room(&third, "room", NULL);
    view = step_view(&seen, room);
    expect_watchers(view, 1, 0);
    sim_check(view->watcher_leave_entity[0] == 2 && view->watcher_leave_session[0] == session &&
                  view->watcher_leave_observer[0] == 4,
              "who left the room does not see it");
    expect_applied(&seen);
    sim_peer_close(&third);
    sim_peer_close(&seer);
    sim_peer_close(&seen);
}

void sim_why(sim_house *house)
{
    sim_peer peer;

    sim_peer_open(&peer, house, NULL);
    uint64_t room = sim_peer_open_room(&peer, "room", NULL);
    sim_peer_spawn(&peer, room, 1, 3, 30);
    watch_around(&peer, room, 8, 1, 50);
    watch_around(&peer, room, 9, 1, 10);
    (void)step_view(&peer, room);
    expect_applied(&peer);
    uint32_t seq = ask_why(&peer, room, 1, 2, false);
    const qd_server_message *message = sim_peer_expect(&peer, QD_SERVER_WHY_RESULT);
    const qd_msg_why_result *result = &message->as.why_result;
    sim_check(message->seq == seq && result->room == room && result->tick == 1 && !result->more, "the answer");
    sim_check(result->count == 2 && result->observer[0] == 8 && result->observer[1] == 9, "both observers of it");
    sim_check(result->sight[0] == QD_SIGHT_SEEN && result->sight[1] == QD_SIGHT_NOT_RANGE, "%s; %s",
              qd_sight_name(result->sight[0]), qd_sight_name(result->sight[1]));
    sim_check(result->range[0] == 50 && result->seen[0] == 1 && result->seen[1] == 0 && result->distance[0] > 42 &&
                  result->distance[0] < 43,
              "the numbers behind it");
    ask_why(&peer, room, 9, 2, true);
    result = &sim_peer_expect(&peer, QD_SERVER_WHY_RESULT)->as.why_result;
    sim_check(result->count == 1 && result->observer[0] == 9, "one observer alone");
    ask_why(&peer, room, 7, 2, true);
    sim_peer_expect_error(&peer, QD_ERROR_UNKNOWN_OBSERVER, "a is 7, an observer of this session");
    /* Without observers there is nothing to report. */
    ask_why(&peer, room, 2, 1, false);
    sim_check(sim_peer_expect(&peer, QD_SERVER_WHY_RESULT)->as.why_result.count == 0, "no observer is at it");
    sim_peer_close(&peer);
}

/* More enters, with payloads of changing length, and more leaves than a frame takes. */
void sim_a_large_view_comes_in_parts(sim_house *house)
{
    enum { COUNT = 40000, FIRST = 1000 };
    sim_peer peer;
    sim_peer_open(&peer, house, NULL);
    uint64_t room = sim_peer_open_room(&peer, "room", NULL);
    sim_peer_spawn(&peer, room, FIRST, COUNT, 0.002f);
    uint32_t *id = malloc(COUNT * sizeof *id);
    uint8_t *sizes = malloc(COUNT), *payload = malloc(32u * COUNT);
    sim_check(id != NULL && sizes != NULL && payload != NULL, "out of memory");
    size_t bytes = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        id[i] = FIRST + i;
        sizes[i] = (uint8_t)(i % 33);
        memset(payload + bytes, (int)(i % 251), sizes[i]);
        bytes += sizes[i];
    }
    describe(&peer,
             (qd_msg_describe){.room = room, .count = COUNT, .id = id, .payload_size = sizes, .payload = payload});
    watch_around(&peer, room, 1, FIRST, 200);
    watch(&peer, room, QD_WATCH_ALL);
    sim_check(sim_peer_expect(&peer, QD_SERVER_VIEW)->as.view.reset_watchers, "the reverse view starts at once");
    sim_peer_step(&peer, room);
    uint32_t next = FIRST + 1, watchers = 0, frames = 0; /* it does not see its anchor */
    bool last = false;
    while (!last) {
        const qd_msg_view *view = &sim_peer_expect(&peer, QD_SERVER_VIEW)->as.view;

        sim_check(qd_server_message_size(&peer.decoded.message) <= QD_VIEW_FRAME_BYTES_MAX + 200,
                  "a frame is too long");
        const uint8_t *at = view->enter_payload;
        for (uint32_t i = 0; i < view->enter_count; i++, next++) {
            uint32_t number = next - FIRST;

            sim_check(view->enter.id[i] == next && view->enter_payload_size[i] == number % 33,
                      "the order of all parts");
            for (uint32_t k = 0; k < view->enter_payload_size[i]; k++) {
                sim_check(*at++ == number % 251, "the payload of %u", next);
            }
        }
        sim_check(view->watcher_enter_count == 0 || next == FIRST + COUNT, "watchers come when all enters have");
        watchers += view->watcher_enter_count;
        frames++;
        last = view->last;
    }
    sim_check(next == FIRST + COUNT && watchers == COUNT - 1 && frames > 2, "%u of them in %u frames", next - FIRST,
              frames);
    expect_applied(&peer);

    /* The first frames of this are full of leaves, then come the enters of a second observer. */
    unobserve(&peer, room, 1);
    for (uint32_t i = 2; i < 6; i++) {
        watch_around(&peer, room, i, FIRST, 200);
    }
    sim_peer_step(&peer, room);
    uint32_t leaves = 0, enters = 0;
    for (last = false; !last;) {
        const qd_msg_view *view = &sim_peer_expect(&peer, QD_SERVER_VIEW)->as.view;

        sim_check(view->leave_count == 0 || enters == 0, "leaves come first");
        leaves += view->leave_count;
        enters += view->enter_count;
        sim_check(view->enter_count == 0 || leaves == COUNT - 1, "enters come when all leaves have");
        last = view->last;
    }
    sim_check(leaves == COUNT - 1 && enters == 4 * (COUNT - 1), "%u leaves, %u enters", leaves, enters);
    free(id);
    free(sizes);
    free(payload);
    sim_peer_close(&peer);
}

void sim_a_view_that_is_not_read_is_reset(sim_house *house)
{
    sim_peer writer, reader;

    sim_peer_open(&writer, house, NULL);
    sim_peer_open(&reader, house, NULL);
    uint64_t room = sim_peer_open_room(&writer, "room", NULL);
    sim_peer_open_room(&reader, "room", NULL);
    sim_peer_spawn(&reader, room, 1, 1, 0);
    watch_around(&reader, room, 5, 1, 50);
    watch(&reader, room, QD_WATCH_ALL);
    step_quietly(&writer, room);
    for (uint32_t i = 1; i <= 20; i++) {
        sim_peer_spawn(&writer, room, 100 * i, 30, 0);
        step_quietly(&writer, room);
    }
    size_t queued = qd_link_queued(&reader.link->link);
    sim_check(queued > 0 && queued <= 16384, "%zu bytes are queued", queued);
    uint32_t seen = 0, watchers = 0;
    bool reset = false;
    /* It reads; when it has, the next tick brings a reset. */
    for (int i = 0; i < 3; i++) {
        for (const qd_server_message *message; (message = sim_peer_next(&reader)) != NULL;) {
            const qd_msg_view *view = &message->as.view;

            if (message->kind != QD_SERVER_VIEW) {
                continue;
            }
            sim_check(!view->reset || view->reset_watchers, "both start again");
            sim_check(!view->reset || view->merged_ticks > 1, "a reset that stands for nothing");
            reset |= view->reset;
            seen = (view->reset ? 0 : seen) + view->enter_count;
            watchers = (view->reset_watchers ? 0 : watchers) + view->watcher_enter_count;
        }
        sim_house_settle(house);
        step_quietly(&writer, room);
    }
    sim_check(reset && seen == 600 && watchers == 600, "a reset with %u seen and %u watchers", seen, watchers);
    /* Then all goes on as if nothing had been. */
    despawn(&writer, room, 100);
    step_quietly(&writer, room);
    expect_leave(&sim_peer_expect(&reader, QD_SERVER_VIEW)->as.view, 5, 100, QD_LEAVE_DESPAWNED);
    sim_peer_expect_nothing(&reader);

    /* It never reads again. */
    for (uint32_t i = 1; i <= 40; i++) {
        sim_peer_spawn(&writer, room, 10000 + 100 * i, 30, 0);
        sim_peer_step(&writer, room);
    }
    sim_house_pass(house, house->server.service.config.limits.slow_ms_max - 100);
    sim_check(!reader.link->closed, "a reader has slow_ms_max");
    sim_house_pass(house, 200 + QD_FLUSH_MS_MAX);
    sim_check(reader.link->closed && !writer.link->closed, "it alone is disconnected");
    sim_peer_close(&writer);
    sim_peer_close(&reader);
}

void sim_too_many_sightings(sim_house *house)
{
    sim_peer peer;

    sim_peer_open(&peer, house, NULL);
    uint64_t room = sim_peer_open_room(&peer, "room", NULL);
    sim_peer_spawn(&peer, room, 1, 10, 0);
    watch_around(&peer, room, 5, 1, 50);
    expect_counts(step_view(&peer, room), 0, 9, 0);
    expect_applied(&peer);
    sim_peer_spawn(&peer, room, 100, 30, 0);
    const qd_msg_view *view = step_view(&peer, room);
    sim_check(view->suspended, "more than sightings_max");
    expect_counts(view, 0, 0, 0);
    expect_applied(&peer);
    step_quietly(&peer, room);
    for (uint32_t i = 0; i < 30; i++) {
        despawn(&peer, room, 100 + i);
    }
    view = step_view(&peer, room);
    sim_check(view->reset && !view->suspended, "a reset as soon as they fit");
    expect_counts(view, 0, 9, 0);
    sim_peer_close(&peer);
}

/* In a room that ticks by its clock, without a subscription. */
void sim_the_end_of_views(sim_house *house)
{
    const qd_msg_room_config config = {.tick_hz = 100, .grace_ms = 200};
    sim_peer peer, other;

    sim_peer_open(&peer, house, NULL);
    sim_peer_open(&other, house, NULL);
    uint64_t room = sim_peer_open_room(&peer, "room", &config);
    sim_peer_open_room(&other, "room", &config);
    sim_peer_spawn(&peer, room, 1, 2, 1);
    sim_peer_spawn(&other, room, 11, 1, 1);
    watch_around(&peer, room, 5, 1, 50);
    sim_house_pass(house, 20);
    expect_counts(&sim_peer_expect(&peer, QD_SERVER_VIEW)->as.view, 0, 2, 0);
    expect_applied(&peer);
    sim_peer_send(&other, (qd_client_message){.kind = QD_CLIENT_LEAVE_ROOM, .as.room = {room}});
    sim_house_pass(house, 150);
    sim_peer_expect_nothing(&peer);
    sim_house_pass(house, 100);
    expect_leave(&sim_peer_expect(&peer, QD_SERVER_VIEW)->as.view, 5, 11, QD_LEAVE_EXPIRED);
    sim_peer_send(&peer, (qd_client_message){.kind = QD_CLIENT_CLOSE_ROOM, .as.room = {room}});
    expect_leave(&sim_peer_expect(&peer, QD_SERVER_VIEW)->as.view, 5, 2, QD_LEAVE_ROOM_CLOSED);
    (void)sim_peer_expect(&peer, QD_SERVER_ROOM_CLOSED);
    sim_peer_close(&peer);
    sim_peer_close(&other);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases of answers that are longer than a frame.
 */
#include <stdlib.h>
#include <string.h>

#include "scenario.h"

SCENARIO(a_large_tick_comes_in_parts) = {
    JOIN(A, NULL),
    JOIN(B, NULL),
    SUBSCRIBE(A, "accepted; tick 0 reset", ALL),
    SUBSCRIBE(B, "accepted; tick 0 reset", ALL),
    SPAWN(A, NULL, 1, 600, 0),
    STEP(A, "tick 1 in 2 parts 179700 begin; applied 1"),
    LOOK(B, "tick 1 in 2 parts 179700 begin"),
    SPAWN(A, NULL, 1000, 70000, 0.001f),
    SEND(A, "snapshot in 2 parts 70000 entities more", GET_SNAPSHOT, .get_snapshot.limit = 70000),
};

/* Entities side by side at (x, 50), which pair with those of the other category. */
#define SIDE(id, many, x_, own)                                                                                        \
    CROWD(A, NULL, .first = (id), .count = (many), .x = (x_), .y = 50, .category = (own), .mask = 3 - (own))
#define MOVE_SIDE(id, many, x_) CROWD(A, NULL, .moves = true, .first = (id), .count = (many), .x = (x_), .y = 50)

/* In a swept room: ends, begins, passed and stays, of which the passed alone are more than a frame takes. */
SCENARIO(all_kinds_of_events_come_in_parts, CONFIG(.tick_mode = QD_TICK_MODE_STEP, .swept = true)) = {
    JOIN(A, NULL),
    SEND(A, "accepted; tick 0 reset", SUBSCRIBE, .subscribe.stays = true),
    SIDE(1000, 400, 10, 1),
    SIDE(2000, 400, 50, 2),
    SIDE(3000, 30, 70, 1),
    SIDE(4000, 30, 70, 2),
    SIDE(1, 30, 20, 1),
    SIDE(100, 30, 20, 2),
    SIDE(200, 30, 30, 2),
    STEP(A, "tick 1 1800 begin; applied 1"),
    /* The first side passes the second, though it stops before the third, and those at 20 and 30; the few leave one for
     * another. */
    MOVE_SIDE(1000, 400, 60),
    MOVE_SIDE(1, 30, 30),
    STEP(A, "tick 2 in 2 parts 900 end 900 begin 184000 passed 900 stay; applied 2"),
};

enum { MANY = 40000, FIRST = 1000 };

/* Each entity has a payload of another length, of bytes that its id gives. */
static void describe_all(sim_scenario *play)
{
    uint32_t *id = malloc(MANY * sizeof *id);
    uint8_t *sizes = malloc(MANY), *payload = malloc(32u * MANY), *end = payload;

    sim_check(id != NULL && sizes != NULL && payload != NULL, "out of memory");
    for (uint32_t i = 0; i < MANY; i++, end += sizes[i - 1]) {
        id[i] = FIRST + i;
        sizes[i] = (uint8_t)(id[i] % 33);
        memset(end, (int)(id[i] % 251), sizes[i]);
    }
    const qd_msg_set_description describe = {
        .room = play->rooms[0], .count = MANY, .id = id, .payload_size = sizes, .payload = payload};
    sim_peer_send(&play->peers[A], MESSAGE(SET_DESCRIPTION, .set_description = describe));
    free(id);
    free(sizes);
    free(payload);
}

static void check_payloads(const qd_server_message *message)
{
    const qd_msg_view *view = &message->as.view;
    const uint8_t *at = message->kind == QD_SERVER_VIEW ? view->enter_payload : NULL;

    for (uint32_t i = 0; at != NULL && i < view->enter_count; i++) {
        uint32_t id = view->enter.id[i];

        sim_check(view->enter_payload_size[i] == id % 33, "the payload of %u has %u bytes", id,
                  view->enter_payload_size[i]);
        for (uint32_t k = 0; k < view->enter_payload_size[i]; k++) {
            sim_check(*at++ == id % 251, "the payload of %u", id);
        }
    }
}

static void start_check(sim_scenario *play)
{
    play->check = check_payloads;
}

#define WATCH_ALL(number) OBSERVE(A, NULL, number, .entity = IDS(FIRST), .range = FLOATS(200))

/* More enters, with payloads, and more leaves than a frame takes. An observer does not see its anchor. */
SCENARIO(a_large_view_comes_in_parts, .limits = {.queue_bytes_max = 64u << 20}) = {
    JOIN(A, NULL),
    SPAWN(A, NULL, FIRST, MANY, 0.002f),
    CALL(describe_all),
    WATCH_ALL(1),
    WATCH(A, "view 0 reset watchers", QD_WATCH_ALL),
    CALL(start_check),
    STEP(A, "view 1 in 5 parts 39999 enter 39999 watch; applied 1"),
    /* The first frames of this are full of leaves, then come the enters of other observers. */
    UNOBSERVE(A, NULL, 1),
    WATCH_ALL(2),
    WATCH_ALL(3),
    WATCH_ALL(4),
    WATCH_ALL(5),
    STEP(A, "view 2 in 18 parts 39999 leave 159996 enter 39999 unwatch 159996 watch; applied 2"),
};

SCENARIO(many_entities_are_adopted_in_parts) = {
    JOIN(A, "token"),
    SPAWN(A, NULL, 132000, 131144, 0),
    SPAWN(A, "", 856, 131144, 0),
    CLOSE(A),
    JOIN(B, "token"),
    SEND(B, "handed over in 2 parts 262288 entities from 0 to 2", ADOPT, .adopt = {0}),
};

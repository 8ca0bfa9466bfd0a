/* SPDX-License-Identifier: Apache-2.0
 *
 * A gateway between players and the world. It sends each player the entities that the player may know. Each player has
 * an observer, and qd_view folds its view. Changes of the view become spawn, move and remove on the player's
 * connection, which here is the standard output. At the end the program prints which players each entity replicates to.
 *
 *     cc gateway.c $(pkg-config --cflags --libs quadrille) -o gateway && ./gateway 127.0.0.1:7400
 */
#include <quadrille/quadrille.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANSWER_MS 5000
#define STEPS     8

/* Entities 1 to 3 are players. Entity 4 is a tower, visible from far away. */
enum { ANN = 1, BOB, CID, TOWER, ENTITIES = TOWER };
#define PLAYERS CID

static const uint32_t ids[ENTITIES] = {ANN, BOB, CID, TOWER};
static const char *const names[] = {"", "ann", "bob", "cid", "tower"};

static void fail(const qd_client *client, const qd_server_message *message)
{
    if (message == NULL && qd_client_state(client) == QD_CLIENT_OK) {
        fprintf(stderr, "gateway: the server has not answered within %d ms\n", ANSWER_MS);
    } else if (message == NULL) {
        fprintf(stderr, "gateway: %s\n", qd_client_error(client));
    } else if (qd_client_refusal(message) != NULL) {
        fprintf(stderr, "gateway: the server refused a request: %s\n", qd_client_refusal(message));
    } else {
        fprintf(stderr, "gateway: the server sent an answer of the unexpected kind %d\n", (int)message->kind);
    }
    exit(1);
}

/* ---- messages to a player ---- */

static void to_player(const qd_view_entity *entity, const char *what)
{
    printf("  to %s: %s %.*s", names[entity->observer], what, entity->payload_size, (const char *)entity->payload);
}

static void on_enter(const qd_view_entity *entity, void *context)
{
    (void)context;
    to_player(entity, "spawn");
    printf(" at %g,%g\n", entity->x, entity->y);
}

static void on_relay(const qd_view_entity *entity, void *context)
{
    (void)context;
    to_player(entity, "move");
    printf(" to %g,%g\n", entity->x, entity->y);
}

/* Reason 0: a reset. Entities that are still seen enter again. */
static void on_leave(const qd_view_entity *entity, qd_leave_reason reason, void *context)
{
    (void)context;
    to_player(entity, "remove");
    printf(", %s\n", reason != 0 ? qd_leave_reason_name(reason) : "reset");
}

/* ---- the world ---- */

/* Opens the room. When this session ends, its entities and the empty room go at once. */
static uint64_t open_room(qd_client *client)
{
    qd_msg_room_config config;

    memset(&config, 0, sizeof config);
    config.has_bounds = true;
    config.bounds.max_x = config.bounds.max_y = 100;
    config.tick_mode = QD_TICK_MODE_STEP;
    config.has_grace_ms = config.has_empty_close_ms = true;
    const qd_server_message *opened =
        qd_client_answer(client, qd_client_open_room(client, "gateway", &config), ANSWER_MS);
    if (opened == NULL || opened->kind != QD_SERVER_ROOM_OPENED) {
        fail(client, opened);
    }
    return opened->as.room_opened.room;
}

static void spawn(qd_client *client, uint64_t room)
{
    const float x[] = {10, 30, 50, 90}, y[] = {10, 10, 10, 10}, half[] = {1, 1, 1, 2};
    qd_msg_entities entities;

    memset(&entities, 0, sizeof entities);
    entities.count = ENTITIES;
    entities.id = ids;
    entities.x = x;
    entities.y = y;
    entities.half_x = entities.half_y = half;
    qd_client_spawn(client, room, &entities, false);
}

/* Sets what players learn of the entities. The name is the payload, so that a gateway needs no lookup. */
static void describe(qd_client *client, uint64_t room)
{
    const float visible_range[] = {0, 0, 0, 100};
    uint8_t sizes[ENTITIES], payload[ENTITIES * QD_VIEW_PAYLOAD_BYTES_MAX];
    size_t used = 0;

    for (uint32_t i = 0; i < ENTITIES; i++) {
        sizes[i] = (uint8_t)strlen(names[ids[i]]);
        memcpy(payload + used, names[ids[i]], sizes[i]);
        used += sizes[i];
    }
    qd_msg_set_description description;
    memset(&description, 0, sizeof description);
    description.room = room;
    description.count = ENTITIES;
    description.id = ids;
    description.payload_size = sizes;
    description.payload = payload;
    description.visible_range = visible_range;
    qd_client_set_description(client, &description);
}

/* Creates an observer per player, with the player's id. It sees the nearest 16 entities within 25, and keeps them a
 * little farther. Positions come every tick within 15, every second tick beyond. */
static void observe(qd_client *client, uint64_t room)
{
    const float range[] = {25, 25, 25}, margin[] = {3, 3, 3}, relay_range[] = {15, 100};
    const uint32_t limit[] = {16, 16, 16}, relay_every[] = {1, 2};
    qd_msg_observers observers;
    qd_msg_set_view_options options;

    memset(&observers, 0, sizeof observers);
    observers.room = room;
    observers.count = PLAYERS;
    observers.id = observers.entity = ids;
    observers.range = range;
    observers.leave_margin = margin;
    observers.limit = limit;
    observers.tier_count = 2;
    observers.relay_range = relay_range;
    observers.relay_every = relay_every;
    qd_client_observe(client, &observers);
    memset(&options, 0, sizeof options);
    options.room = room;
    options.bytes_max = 4096;
    options.watch = QD_WATCH_OWN;
    options.relay_once = options.has_relay_k = true; /* each position once for all players, */
    options.relay_k = 9;                             /* to half of 2^-9 units */
    qd_client_set_all_view_options(client, &options);
}

/* Bob walks east. At the fifth step Cid hides. */
static void act(qd_client *client, uint64_t room, int step)
{
    const uint32_t bob = BOB, cid = CID;
    const float x = 30 + 4 * (float)step, y = 10;
    const uint8_t hidden = 1;
    qd_msg_entities walk;

    memset(&walk, 0, sizeof walk);
    walk.count = 1;
    walk.id = &bob;
    walk.x = &x;
    walk.y = &y;
    qd_client_move(client, room, &walk);
    if (step == 5) {
        qd_msg_set_description hide;

        memset(&hide, 0, sizeof hide);
        hide.room = room;
        hide.count = 1;
        hide.id = &cid;
        hide.hidden = &hidden;
        qd_client_set_description(client, &hide);
    }
}

/* ---- the gateway ---- */

/* Steps the room, and handles all messages of the tick. */
static void run_step(qd_client *client, uint64_t room, qd_view *view)
{
    uint64_t seq = qd_client_step(client, room, 0);

    for (;;) {
        const qd_server_message *message = qd_client_wait(client, ANSWER_MS);

        if (message == NULL || qd_client_refusal(message) != NULL) {
            fail(client, message);
        }
        if (message->kind == QD_SERVER_VIEW) {
            printf("tick %d\n", (int)message->as.view.tick);
            if (qd_view_apply(view, &message->as.view) < 0) {
                fprintf(stderr, "gateway: the frame contradicts the views\n");
                exit(1);
            }
        }
        /* Applied follows all events of the tick. */
        if (message->kind == QD_SERVER_APPLIED && message->as.applied.seq == seq) {
            return;
        }
    }
}

/* Prints the reverse view: the players to notify of a change of an entity, such as a wound. The session is this
 * gateway, or another one that watches the room. */
static void print_replication(const qd_view *view)
{
    for (uint32_t i = 0; i < ENTITIES; i++) {
        printf("%s replicates to", names[ids[i]]);
        for (uint32_t player = 1; player <= PLAYERS; player++) {
            for (const qd_view_watcher *at = qd_view_watcher_first(view, ids[i]); at != NULL;
                 at = qd_view_watcher_after(view, at)) {
                if (at->observer == player) {
                    printf(" %s", names[player]);
                }
            }
        }
        printf("%s\n", qd_view_watchers(view, ids[i]) == 0 ? " nobody" : "");
    }
}

int main(int argc, char **argv)
{
    qd_client *client = qd_client_create();
    qd_view_handlers handlers;

    memset(&handlers, 0, sizeof handlers);
    handlers.enter = on_enter;
    handlers.leave = on_leave;
    handlers.relay = on_relay;
    qd_view *view = qd_view_create(&handlers);

    if (qd_client_connect(client, argc > 1 ? argv[1] : "127.0.0.1:7400", NULL, "gateway", ANSWER_MS) < 0) {
        fail(client, NULL);
    }
    uint64_t room = open_room(client);
    spawn(client, room);
    describe(client, room);
    observe(client, room);
    for (int step = 0; step < STEPS; step++) {
        act(client, room, step);
        run_step(client, room, view);
    }
    print_replication(view);
    qd_client_answer(client, qd_client_close_room(client, room), ANSWER_MS);
    qd_view_destroy(view);
    qd_client_destroy(client);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeps clients coming and going, and samples what the server keeps; bench/churn runs it and plots.
 *
 *     bench_client_churn SERVER SECONDS SEED [SERVER-OPTION...]
 *
 * SERVER is the path of quadrille-server. 48 clients each do something at random: connect, resume, open rooms under new
 * names, spawn, move, observe, subscribe, query, leave, close rooms, disconnect with or without a reset. Their number and
 * that of rooms and entities vary about a constant. Once per second the program prints a line of CSV:
 *
 *     second, resident bytes, descriptors, connected clients, rooms, and since the start: connections, resumed sessions,
 *     opened rooms, closed rooms, batches, refused requests, sessions that the server ended
 *
 * In the end all clients disconnect. The exit status is 1 if the server ended, or then keeps rooms, sessions, or more
 * descriptors than before.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "client/hostile/server.h"
#include "client/program.h"
#include "client/quadrille.h"
#include "support/rng.h"
#include "support/usage.h"

#define CLIENTS        48u
#define ROOMS          12u
#define SIDE           500.0f
#define IDS            1000u /* per client and room; most requests name some of them */
#define BATCH_MAX      300u
#define OBSERVERS      8u /* per client and room */
#define ACTS_PER_TURN  2u
#define TURN_MS        1
#define CONNECT_MS     5000
#define QUIET_MS       20000 /* for the last descriptors to close */
#define ARGUMENTS_MAX  64u
#define OUTPUT_MAX     (1u << 20) /* a client with more than that to send does nothing else */
#define SECOND_NS      UINT64_C(1000000000)
#define PAUSE_NS_MAX   (UINT64_C(2) * SECOND_NS)
#define ABSENCE_NS_MAX (UINT64_C(15) * SECOND_NS) /* above --resume-ms-max */

typedef struct guest {
    qd_client *client; /* NULL: not connected */
    uint64_t room;     /* 0: in none */
    bool opens;        /* a room, and has no answer yet */
    uint64_t connect_ns;
    bool has_key;
    uint8_t key[QD_RESUME_KEY_BYTES];
} guest;

typedef struct totals {
    uint64_t connections, resumed, opened, closed, batches, refused, ended;
} totals;

typedef struct churn {
    const char *address;
    rng_stream rng;
    guest guests[CLIENTS];
    uint32_t serial[ROOMS], next_serial; /* in the names of the rooms */
    totals totals;
    uint64_t rooms; /* by the server's own count */
    uint32_t id[BATCH_MAX];
    float x[BATCH_MAX], y[BATCH_MAX], half[BATCH_MAX];
} churn;

/* ---- sessions ---- */

static void disconnect(churn *c, guest *g)
{
    const uint64_t absence_ns = rng_one_in(&c->rng, 8) ? ABSENCE_NS_MAX : PAUSE_NS_MAX;

    if (rng_one_in(&c->rng, 2)) {
        setsockopt(qd_client_socket(g->client), SOL_SOCKET, SO_LINGER, &(struct linger){.l_onoff = 1},
                   sizeof(struct linger));
    }
    qd_client_destroy(g->client);
    g->client = NULL;
    g->connect_ns = program_now_ns() + (uint64_t)(rng_fraction(&c->rng) * (float)absence_ns);
}

static void begin_session(churn *c, guest *g)
{
    g->client = qd_client_create();
    if (g->client == NULL) {
        program_die("no memory for a client");
    }
    if (g->has_key || rng_one_in(&c->rng, 2)) {
        qd_client_resumable(g->client, g->has_key ? g->key : NULL);
    }
    if (qd_client_connect(g->client, c->address, NULL, "churn", CONNECT_MS) != QD_CLIENT_OK) {
        c->totals.ended++;
        g->has_key = false;
        disconnect(c, g);
        return;
    }
    const qd_msg_welcome *welcome = qd_client_welcome(g->client);
    c->totals.connections++;
    c->totals.resumed += welcome->resumed;
    g->room = welcome->resumed ? g->room : 0;
    g->opens = false;
    /* A session that could be resumed may end for good instead. */
    g->has_key = welcome->resume_key.size == QD_RESUME_KEY_BYTES && !rng_one_in(&c->rng, 4);
    if (g->has_key) {
        memcpy(g->key, welcome->resume_key.bytes, sizeof g->key);
    }
}

/* ---- requests ---- */

/* Consecutive ids of the guest. */
static uint32_t draw(churn *c, const guest *g)
{
    const uint32_t count = 1 + rng_below(&c->rng, BATCH_MAX);
    const uint32_t first = (uint32_t)(g - c->guests) * IDS + rng_below(&c->rng, IDS - count);

    for (uint32_t i = 0; i < count; i++) {
        c->id[i] = first + i;
        c->x[i] = rng_fraction(&c->rng) * SIDE;
        c->y[i] = rng_fraction(&c->rng) * SIDE;
        c->half[i] = rng_fraction(&c->rng) * 2;
    }
    return count;
}

static void open_room(churn *c, guest *g)
{
    static const qd_index_kind indexes[] = {QD_INDEX_AUTO, QD_INDEX_QUADTREE, QD_INDEX_SPARSE,
                                            QD_INDEX_HASH, QD_INDEX_GRID,     QD_INDEX_BRUTE};
    const uint32_t room = rng_below(&c->rng, ROOMS);
    char name[32];

    snprintf(name, sizeof name, "churn %u", c->serial[room]);
    const qd_msg_room_config config = {.has_bounds = true,
                                       .bounds = {.max_x = SIDE, .max_y = SIDE},
                                       .tick_mode = room % 2 == 0 ? QD_TICK_MODE_CLOCK : QD_TICK_MODE_STEP,
                                       .tick_hz = room % 2 == 0 ? 20 : 0,
                                       .index = indexes[room / 2],
                                       .has_grace_ms = true,
                                       .grace_ms = 500,
                                       .has_empty_close_ms = true,
                                       .empty_close_ms = 1000};
    g->opens = qd_client_open_room(g->client, name, &config) != 0;
}

static void observe(churn *c, guest *g)
{
    float range[OBSERVERS];

    draw(c, g);
    for (uint32_t i = 0; i < OBSERVERS; i++) {
        c->id[i] = i;
        range[i] = rng_fraction(&c->rng) * SIDE / 5;
    }
    qd_client_observe(
        g->client,
        &(qd_msg_observers){.room = g->room, .count = OBSERVERS, .id = c->id, .x = c->x, .y = c->y, .range = range});
}

static void query(churn *c, guest *g)
{
    qd_client_query(g->client, &(qd_msg_query){.room = g->room,
                                               .kind = QD_QUERY_CIRCLE,
                                               .where.circle = {.x = c->x[0], .y = c->y[0], .radius = SIDE / 10},
                                               .limit = 100});
}

/* The next to open this room, opens another one. */
static void rename_one(churn *c)
{
    c->serial[rng_below(&c->rng, ROOMS)] = c->next_serial++;
}

static void act_in_room(churn *c, guest *g)
{
    const uint32_t action = rng_below(&c->rng, 1000);
    uint32_t count = draw(c, g);

    c->totals.batches += action < 800;
    if (action < 200) {
        qd_client_spawn(
            g->client, g->room,
            &(qd_msg_entities){.count = count, .id = c->id, .x = c->x, .y = c->y, .half_x = c->half, .half_y = c->half},
            false);
    } else if (action < 600) {
        qd_client_move(g->client, g->room, &(qd_msg_entities){.count = count, .id = c->id, .x = c->x, .y = c->y});
    } else if (action < 720) {
        qd_client_despawn(g->client, g->room, c->id, count);
    } else if (action < 800) {
        observe(c, g);
    } else if (action < 860) {
        qd_client_step(g->client, g->room, 0);
    } else if (action < 900) {
        qd_client_subscribe(g->client, g->room, QD_SCOPE_ALL, rng_one_in(&c->rng, 2));
    } else if (action < 920) {
        qd_client_unsubscribe(g->client, g->room);
    } else if (action < 945) {
        query(c, g);
    } else if (action < 965) {
        qd_client_get_snapshot(g->client, g->room, NULL, 1u << 16);
    } else if (action < 995) {
        qd_client_leave_room(g->client, g->room);
        g->room = 0;
    } else {
        qd_client_close_room(g->client, g->room);
        rename_one(c);
    }
}

static void act(churn *c)
{
    guest *g = &c->guests[rng_below(&c->rng, CLIENTS)];
    size_t waiting = 0;

    if (g->client == NULL) {
        if (program_now_ns() >= g->connect_ns) {
            begin_session(c, g);
        }
    } else if (rng_one_in(&c->rng, 100)) {
        disconnect(c, g);
    } else if (qd_client_output(g->client, &waiting) != NULL && waiting > OUTPUT_MAX) {
        return;
    } else if (g->room == 0) {
        if (!g->opens) {
            open_room(c, g);
        }
    } else {
        act_in_room(c, g);
    }
}

static void receive(churn *c, guest *g)
{
    const qd_server_message *message;

    if (g->client == NULL) {
        return;
    }
    const bool lives = qd_client_poll(g->client, 0) >= 0;
    while ((message = qd_client_next(g->client)) != NULL) {
        c->totals.refused += qd_client_refusal(message) != NULL;
        if (message->kind == QD_SERVER_ROOM_OPENED) {
            g->room = message->as.room_opened.room;
            g->opens = false;
            c->totals.opened++;
        } else if (message->kind == QD_SERVER_ROOM_CLOSED) {
            g->room = g->room == message->as.room_closed.room ? 0 : g->room;
            c->totals.closed++;
        } else if (message->kind == QD_SERVER_ERROR) {
            g->opens = false;
        } else if (message->kind == QD_SERVER_STATS) {
            c->rooms = message->as.stats.server.rooms;
        }
    }
    if (!lives) {
        c->totals.ended++;
        g->has_key = false;
        disconnect(c, g);
    }
}

/* ---- samples ---- */

static void sample(churn *c, pid_t server, uint32_t second)
{
    const totals *t = &c->totals;
    uint64_t resident;
    uint32_t descriptors, connected = 0;
    guest *asked = NULL;

    if (!usage_of_process(server, "VmRSS", &resident) || !usage_of_descriptors(server, &descriptors)) {
        program_die("the server ended in second %u", second);
    }
    for (uint32_t i = 0; i < CLIENTS; i++) {
        if (c->guests[i].client != NULL) {
            asked = &c->guests[i];
            connected++;
        }
    }
    printf("%u,%" PRIu64 ",%u,%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
           ",%" PRIu64 "\n",
           second, resident, descriptors, connected, c->rooms, t->connections, t->resumed, t->opened, t->closed,
           t->batches, t->refused, t->ended);
    fflush(stdout);
    if (asked != NULL) {
        qd_client_get_stats(asked->client, 0);
    }
}

static void play(churn *c, pid_t server, uint32_t seconds)
{
    uint64_t next_ns = program_now_ns() + SECOND_NS;

    printf("second,resident,descriptors,connected,rooms,connections,resumed,opened,closed,batches,refused,ended\n");
    for (uint32_t second = 1; second <= seconds;) {
        for (uint32_t i = 0; i < ACTS_PER_TURN; i++) {
            act(c);
        }
        for (uint32_t i = 0; i < CLIENTS; i++) {
            receive(c, &c->guests[i]);
        }
        if (rng_one_in(&c->rng, 1000)) {
            rename_one(c);
        }
        poll(NULL, 0, TURN_MS);
        if (program_now_ns() >= next_ns) {
            sample(c, server, second++);
            next_ns += SECOND_NS;
        }
    }
}

static uint32_t descriptors_of(pid_t server)
{
    uint32_t count;

    if (!server_lives(server) || !usage_of_descriptors(server, &count)) {
        program_die("the server ended");
    }
    return count;
}

/* Waits until the server has at most so many descriptors, or for QUIET_MS. Returns how many it has. */
static uint32_t wait_for_descriptors(pid_t server, uint32_t most)
{
    const uint64_t end_ns = program_now_ns() + QUIET_MS * (SECOND_NS / 1000);

    while (descriptors_of(server) > most && program_now_ns() < end_ns) {
        poll(NULL, 0, 50);
    }
    return descriptors_of(server);
}

/* Waits until the server has had as many descriptors for a second. Returns how many. */
static uint32_t settled_descriptors(pid_t server)
{
    uint32_t count = descriptors_of(server), same = 0;

    while (same < 20) {
        poll(NULL, 0, 50);
        const uint32_t now = descriptors_of(server);

        same = now == count ? same + 1 : 0;
        count = now;
    }
    return count;
}

/* Waits until the server has no rooms and no sessions but that of the asking client, or for QUIET_MS. */
static qd_msg_server_stats wait_for_rooms(const char *address)
{
    const uint64_t end_ns = program_now_ns() + QUIET_MS * (SECOND_NS / 1000);
    qd_client *client = qd_client_create();
    qd_msg_server_stats stats;

    if (client == NULL || qd_client_connect(client, address, NULL, "churn", CONNECT_MS) != QD_CLIENT_OK) {
        program_die("cannot connect to the server");
    }
    do {
        poll(NULL, 0, 50);
        const qd_server_message *message = qd_client_answer(client, qd_client_get_stats(client, 0), CONNECT_MS);
        if (message == NULL || message->kind != QD_SERVER_STATS) {
            program_die("the server does not answer GetStats");
        }
        stats = message->as.stats.server;
    } while (stats.rooms + stats.detached > 0 && program_now_ns() < end_ns);
    qd_client_destroy(client);
    return stats;
}

int main(int argc, char **argv)
{
    static churn c;
    const char *arguments[ARGUMENTS_MAX] = {argv[1], "--listen", "127.0.0.1:0"};
    size_t count = 3;
    char address[64];

    if (argc < 4) {
        program_die("needs SERVER SECONDS SEED [SERVER-OPTION...]");
    }
    for (int i = 4; i < argc && count + 1 < ARGUMENTS_MAX; i++) {
        arguments[count++] = argv[i];
    }
    c.rng.state = strtoull(argv[3], NULL, 10);
    c.address = address;
    for (uint32_t i = 0; i < ROOMS; i++) {
        c.serial[i] = c.next_serial++;
    }
    const pid_t server = server_start(arguments, address);
    /* At its first connection, the server reserves descriptors that it keeps. */
    wait_for_rooms(address);
    const uint32_t before = settled_descriptors(server);
    play(&c, server, (uint32_t)strtoul(argv[2], NULL, 10));
    for (uint32_t i = 0; i < CLIENTS; i++) {
        if (c.guests[i].client != NULL) {
            disconnect(&c, &c.guests[i]);
        }
    }
    const qd_msg_server_stats stats = wait_for_rooms(address);
    const uint32_t after = wait_for_descriptors(server, before);
    fprintf(stderr,
            "%u descriptors before the first client, %u after the last; %" PRIu64 " rooms and %" PRIu64
            " detached sessions are left\n",
            before, after, (uint64_t)stats.rooms, (uint64_t)stats.detached);
    server_end(server);
    return after > before || stats.rooms + stats.detached > 0;
}

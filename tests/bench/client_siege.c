/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeps a server at its memory limit with mixed requests, and samples what it uses; bench/siege runs it and plots.
 *
 *     bench_client_siege SERVER MEMORY_MAX SECONDS SEED GROUP_FILE [SERVER-OPTION...]
 *
 * SERVER is the path of quadrille-server, which gets `--memory-max MEMORY_MAX`. GROUP_FILE is a file with the memory of
 * the server's control group, such as /sys/fs/cgroup/memory.current, or `none`. 32 clients each do something at random:
 * connect, join one of 8 rooms, spawn, move, observe, subscribe, ask for snapshots, stop reading, leave, disconnect.
 * What the server refuses they try again later. Once per second the program prints a line of CSV:
 *
 *     second, limit, resident, resident peak, kernel memory of the sockets, group (0 without), the server's own count,
 *     sessions, refused requests, ended sessions, longest wait of the witness in ms
 *
 * Sizes are in bytes, and counts are those of the last second. The witness is a client that does no harm: it moves and
 * steps a room of its own ten times per second. The exit status is 1 if the server ended, or the witness lost its session.
 */
#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/hostile/server.h"
#include "client/program.h"
#include "client/quadrille.h"
#include "support/rng.h"
#include "support/usage.h"

#define CLIENTS     32u
#define ROOMS       8u
#define SIDE        1000.0f
#define BATCH_MAX   20000u
#define OBSERVE_MAX 200u
#define TIMEOUT_MS  5000
#define STALL_NS    UINT64_C(3000000000)
#define STEP_NS     UINT64_C(100000000)
#define SECOND_NS   UINT64_C(1000000000)
#define OUTPUT_MAX  (8u << 20) /* a client with more than that to send does nothing else */

typedef struct besieger {
    qd_client *client; /* NULL: not connected */
    uint64_t room;     /* 0: in none */
    uint32_t room_number;
    uint64_t stalled_until_ns;
    uint64_t connect_ns; /* not connected: when to try again */
} besieger;

typedef struct siege {
    const char *address;
    pid_t server;
    rng_stream rng;
    besieger clients[CLIENTS];
    qd_client *witness;
    uint64_t witness_room, witness_seq, witness_sent_ns, witness_due_ns;
    uint64_t wait_ns_max; /* of the witness in this second */
    uint64_t refused, ended, used, used_max, sessions;
    uint32_t lost; /* sessions of the witness */
    uint32_t id[BATCH_MAX];
    float x[BATCH_MAX], y[BATCH_MAX], half[BATCH_MAX];
} siege;

/* ---- columns ---- */

static void draw_positions(siege *s, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        s->x[i] = rng_fraction(&s->rng) * SIDE;
        s->y[i] = rng_fraction(&s->rng) * SIDE;
        s->half[i] = rng_fraction(&s->rng) * 2;
    }
}

/* Consecutive ids. Clients have ranges of their own, so that most of them are theirs. */
static uint32_t draw_ids(siege *s, const besieger *b, uint32_t most)
{
    const uint32_t count = 1 + rng_below(&s->rng, most), own = (uint32_t)(b - s->clients) << 20;
    const uint32_t first = own + rng_below(&s->rng, 200000);

    for (uint32_t i = 0; i < count; i++) {
        s->id[i] = first + i;
    }
    draw_positions(s, count);
    return count;
}

/* ---- besiegers ---- */

static void end_session(siege *s, besieger *b)
{
    qd_client_destroy(b->client);
    *b = (besieger){.connect_ns = program_now_ns() + rng_below(&s->rng, SECOND_NS)};
}

static void begin_session(siege *s, besieger *b)
{
    b->client = qd_client_create();
    if (b->client == NULL) {
        program_die("no memory");
    }
    if (rng_one_in(&s->rng, 4)) {
        qd_client_resumable(b->client, NULL);
    }
    if (qd_client_connect(b->client, s->address, NULL, "siege", 1000) != QD_CLIENT_OK) {
        s->ended++;
        end_session(s, b);
    }
}

static void join(siege *s, besieger *b)
{
    static const qd_index_kind indexes[] = {QD_INDEX_AUTO, QD_INDEX_QUADTREE, QD_INDEX_HASH, QD_INDEX_SPARSE};
    char name[16];

    b->room_number = rng_below(&s->rng, ROOMS);
    snprintf(name, sizeof name, "siege %u", b->room_number);
    const qd_msg_room_config config = {.has_bounds = true,
                                       .bounds = {.max_x = SIDE, .max_y = SIDE},
                                       .tick_mode = b->room_number % 2 == 0 ? QD_TICK_MODE_CLOCK : QD_TICK_MODE_STEP,
                                       .index = indexes[b->room_number / 2],
                                       .grace_ms = 1000,
                                       .empty_close_ms = 5000};
    qd_client_open_room(b->client, name, &config);
}

static void observe(siege *s, besieger *b)
{
    static float range[OBSERVE_MAX];
    const uint32_t count = draw_ids(s, b, OBSERVE_MAX);

    for (uint32_t i = 0; i < count; i++) {
        s->id[i] %= 1000;
        range[i] = rng_one_in(&s->rng, 4) ? SIDE : rng_fraction(&s->rng) * 100;
    }
    qd_client_observe(
        b->client,
        &(qd_msg_observers){.room = b->room, .count = count, .id = s->id, .x = s->x, .y = s->y, .range = range});
}

static void unobserve(siege *s, besieger *b)
{
    for (uint32_t i = 0; i < 1000; i++) {
        s->id[i] = i;
    }
    qd_client_unobserve(b->client, b->room, s->id, 1000);
}

static void act_in_room(siege *s, besieger *b)
{
    const uint32_t action = rng_below(&s->rng, 100);
    uint32_t count;

    if (action < 35) {
        count = draw_ids(s, b, BATCH_MAX);
        qd_client_spawn(
            b->client, b->room,
            &(qd_msg_entities){.count = count, .id = s->id, .x = s->x, .y = s->y, .half_x = s->half, .half_y = s->half},
            false);
    } else if (action < 60) {
        count = draw_ids(s, b, BATCH_MAX);
        qd_client_move(b->client, b->room, &(qd_msg_entities){.count = count, .id = s->id, .x = s->x, .y = s->y});
    } else if (action < 65) {
        count = draw_ids(s, b, BATCH_MAX);
        qd_client_despawn(b->client, b->room, s->id, count);
    } else if (action < 75) {
        observe(s, b);
    } else if (action < 78) {
        unobserve(s, b);
    } else if (action < 83) {
        qd_client_subscribe(b->client, b->room, QD_SCOPE_ALL, rng_one_in(&s->rng, 2));
    } else if (action < 85) {
        qd_client_unsubscribe(b->client, b->room);
    } else if (action < 88) {
        qd_client_get_snapshot(b->client, b->room, NULL, 1u << 20);
    } else if (action < 95) {
        qd_client_step(b->client, b->room, 0);
    } else if (action < 98) {
        b->stalled_until_ns = program_now_ns() + STALL_NS;
    } else {
        qd_client_leave_room(b->client, b->room);
        b->room = 0;
    }
}

static void act(siege *s)
{
    besieger *b = &s->clients[rng_below(&s->rng, CLIENTS)];
    size_t waiting = 0;

    if (b->client == NULL) {
        if (program_now_ns() >= b->connect_ns) {
            begin_session(s, b);
        }
    } else if (rng_one_in(&s->rng, 200)) {
        end_session(s, b);
    } else if (qd_client_output(b->client, &waiting) != NULL && waiting > OUTPUT_MAX) {
        return;
    } else if (b->room == 0) {
        join(s, b);
    } else {
        act_in_room(s, b);
    }
}

static void receive(siege *s, besieger *b)
{
    const qd_server_message *message;

    if (b->client == NULL || program_now_ns() < b->stalled_until_ns) {
        return;
    }
    const bool lives = qd_client_poll(b->client, 0) >= 0;
    while ((message = qd_client_next(b->client)) != NULL) {
        s->refused += qd_client_refusal(message) != NULL;
        if (message->kind == QD_SERVER_ROOM_OPENED) {
            b->room = message->as.room_opened.room;
        } else if (message->kind == QD_SERVER_ROOM_CLOSED) {
            b->room = 0;
        }
    }
    if (!lives) {
        s->ended++;
        end_session(s, b);
    }
}

/* ---- the witness ---- */

static void draw_witness(siege *s)
{
    for (uint32_t i = 0; i < 100; i++) {
        s->id[i] = i;
    }
    draw_positions(s, 100);
}

static void witness_lose(siege *s, const char *reason)
{
    fprintf(stderr, "the witness lost its session: %s\n", reason);
    s->lost++;
    qd_client_destroy(s->witness);
    s->witness = NULL;
    s->witness_seq = 0;
    s->witness_due_ns = program_now_ns() + SECOND_NS;
}

static void witness_open(siege *s)
{
    const qd_msg_room_config config = {.has_bounds = true,
                                       .bounds = {.max_x = SIDE, .max_y = SIDE},
                                       .tick_mode = QD_TICK_MODE_STEP,
                                       .has_grace_ms = true,
                                       .has_empty_close_ms = true};

    s->witness = qd_client_create();
    if (s->witness == NULL || qd_client_connect(s->witness, s->address, NULL, "witness", TIMEOUT_MS) != QD_CLIENT_OK) {
        witness_lose(s, s->witness != NULL ? qd_client_error(s->witness) : "no memory");
        return;
    }
    const qd_server_message *opened =
        qd_client_answer(s->witness, qd_client_open_room(s->witness, "witness", &config), TIMEOUT_MS);
    if (opened == NULL || opened->kind != QD_SERVER_ROOM_OPENED) {
        witness_lose(s, "it cannot open a room");
        return;
    }
    s->witness_room = opened->as.room_opened.room;
    draw_witness(s);
    qd_client_spawn(
        s->witness, s->witness_room,
        &(qd_msg_entities){.count = 100, .id = s->id, .x = s->x, .y = s->y, .half_x = s->half, .half_y = s->half},
        false);
    qd_client_subscribe(s->witness, s->witness_room, QD_SCOPE_ALL, false);
    s->witness_due_ns = program_now_ns();
}

static void witness_step(siege *s, uint64_t now_ns)
{
    draw_witness(s);
    qd_client_move(s->witness, s->witness_room, &(qd_msg_entities){.count = 100, .id = s->id, .x = s->x, .y = s->y});
    s->witness_seq = qd_client_step(s->witness, s->witness_room, 0);
    s->witness_sent_ns = now_ns;
    s->witness_due_ns = now_ns + STEP_NS;
    qd_client_get_stats(s->witness, 0);
}

static void witness_note_wait(siege *s)
{
    const uint64_t waited_ns = program_now_ns() - s->witness_sent_ns;

    if (s->witness_seq != 0 && waited_ns > s->wait_ns_max) {
        s->wait_ns_max = waited_ns;
    }
}

/* One step is under way at most. */
static void witness_act(siege *s)
{
    const uint64_t now_ns = program_now_ns();
    const qd_server_message *message;

    if (s->witness == NULL && now_ns >= s->witness_due_ns) {
        witness_open(s);
    }
    if (s->witness == NULL) {
        return;
    }
    if (s->witness_seq == 0 && now_ns >= s->witness_due_ns) {
        witness_step(s, now_ns);
    }
    const bool alive = qd_client_poll(s->witness, 0) >= 0;
    while ((message = qd_client_next(s->witness)) != NULL) {
        if (qd_client_refusal(message) != NULL) {
            fprintf(stderr, "the witness was refused: %s\n", qd_client_refusal(message));
        }
        if (message->kind == QD_SERVER_STATS) {
            s->used = message->as.stats.server.memory_bytes;
            s->used_max = message->as.stats.server.memory_bytes_max;
            s->sessions = message->as.stats.server.sessions;
        } else if (message->seq != 0 && message->seq == s->witness_seq) {
            witness_note_wait(s);
            s->witness_seq = 0;
        }
    }
    if (!alive) {
        witness_lose(s, qd_client_error(s->witness));
    }
}

/* ---- samples ---- */

static uint64_t group_bytes(const char *path)
{
    unsigned long long bytes = 0;
    FILE *file = strcmp(path, "none") != 0 ? fopen(path, "re") : NULL;

    if (file != NULL) {
        if (fscanf(file, "%llu", &bytes) != 1) {
            bytes = 0;
        }
        fclose(file);
    }
    return bytes;
}

static void sample(siege *s, uint32_t second, uint16_t port, const char *group)
{
    uint64_t resident, peak, kernel;

    witness_note_wait(s);
    if (!usage_of_process(s->server, "VmRSS", &resident) || !usage_of_process(s->server, "VmHWM", &peak)) {
        program_die("the server died in second %u", second);
    }
    if (!usage_of_sockets(port, &kernel)) {
        kernel = 0;
    }
    printf("%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
           ",%.1f\n",
           second, s->used_max, resident, peak, kernel, group_bytes(group), s->used, s->sessions, s->refused, s->ended,
           (double)s->wait_ns_max / 1e6);
    fflush(stdout);
    s->wait_ns_max = 0;
    s->refused = s->ended = 0;
}

int main(int argc, char **argv)
{
    static siege s;
    static const char *arguments[64];
    char address[64];
    size_t count = 0;

    if (argc < 6) {
        program_die("needs SERVER MEMORY_MAX SECONDS SEED GROUP_FILE [SERVER-OPTION...]");
    }
    const char *const first[] = {argv[1], "--listen", "127.0.0.1:0", "--memory-max", argv[2]};
    memcpy(arguments, first, sizeof first);
    count = sizeof first / sizeof *first;
    for (int i = 6; i < argc && count + 1 < sizeof arguments / sizeof *arguments; i++) {
        arguments[count++] = argv[i];
    }
    const uint32_t seconds = (uint32_t)strtoul(argv[3], NULL, 10);
    s.rng.state = strtoull(argv[4], NULL, 10);
    s.address = address;
    s.server = server_start(arguments, address);
    const uint16_t port = (uint16_t)atoi(strrchr(address, ':') + 1);
    witness_open(&s);
    printf("second,limit,resident,peak,sockets,group,used,sessions,refused,ended,witness_ms\n");
    uint64_t next_ns = program_now_ns() + SECOND_NS;
    for (uint32_t second = 1; second <= seconds;) {
        act(&s);
        for (uint32_t i = 0; i < CLIENTS; i++) {
            receive(&s, &s.clients[i]);
        }
        witness_act(&s);
        poll(NULL, 0, 1);
        if (program_now_ns() >= next_ns) {
            sample(&s, second++, port, argv[5]);
            next_ns += SECOND_NS;
        }
    }
    server_end(s.server);
    return s.lost > 0;
}

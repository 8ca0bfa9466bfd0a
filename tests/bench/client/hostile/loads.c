/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE

#include "loads.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench/client/program.h"
#include "flood.h"
#include "support/rng.h"

#define TIMEOUT_MS   60000
#define PIECE        20000u /* entries in a batch */
#define SILENT_SLOTS 128u
#define HZ_NS(hz)    (UINT64_C(1000000000) / (hz))

/* A hostile client, and its room. */
typedef struct intruder {
    qd_client *client;
    uint64_t room;
} intruder;

typedef struct columns {
    uint32_t count, *id;
    float *x, *y, *size;
} columns;

/* ---- help ---- */

void load_started(const load_run *run)
{
    if (write(run->ready, "r", 1) != 1) {
        exit(1);
    }
}

static intruder enter(const char *address, const char *name)
{
    intruder new = {.client = qd_client_create()};

    if (new.client == NULL || qd_client_connect(new.client, address, NULL, name, TIMEOUT_MS) != QD_CLIENT_OK) {
        program_die("%s: %s", name, new.client != NULL ? qd_client_error(new.client) : "no memory");
    }
    return new;
}

/* Waits until all that was sent is done. The server may refuse parts: the load is what it accepted. */
static const qd_server_message *settle(intruder *of, uint64_t seq)
{
    const qd_server_message *message;

    do {
        message = qd_client_wait(of->client, TIMEOUT_MS);
        if (message == NULL) {
            program_die("the load: %s", qd_client_error(of->client));
        }
        if (qd_client_refusal(message) != NULL) {
            fprintf(stderr, "the load goes on without what the server refused: %s\n", qd_client_refusal(message));
        }
    } while (message->seq != seq);
    return message;
}

static void open_room(intruder *of, const char *name, const qd_msg_room_config *config)
{
    const qd_server_message *message = settle(of, qd_client_open_room(of->client, name, config));

    if (message->kind != QD_SERVER_ROOM_OPENED) {
        program_die("the load: cannot open '%s'", name);
    }
    of->room = message->as.room_opened.room;
}

static columns columns_random(uint32_t count, float side, float size)
{
    columns c = {.count = count};
    rng_stream rng = {count};

    c.id = program_memory(NULL, count * sizeof *c.id);
    c.x = program_memory(NULL, count * sizeof *c.x);
    c.y = program_memory(NULL, count * sizeof *c.y);
    c.size = program_memory(NULL, count * sizeof *c.size);
    for (uint32_t i = 0; i < count; i++) {
        c.id[i] = i;
        c.x[i] = rng_fraction(&rng) * side;
        c.y[i] = rng_fraction(&rng) * side;
        c.size[i] = size;
    }
    return c;
}

static void spawn(intruder *of, const columns *c)
{
    for (uint32_t at = 0; at < c->count; at += PIECE) {
        const qd_msg_entities piece = {.count = c->count - at < PIECE ? c->count - at : PIECE,
                                       .id = c->id + at,
                                       .x = c->x + at,
                                       .y = c->y + at,
                                       .half_x = c->size + at,
                                       .half_y = c->size + at};

        qd_client_spawn(of->client, of->room, &piece, false);
    }
    settle(of, qd_client_get_stats(of->client, of->room));
}

static qd_msg_room_config config_of(float side, qd_tick_mode mode, uint32_t hz)
{
    return (qd_msg_room_config){
        .has_bounds = true, .bounds = {.max_x = side, .max_y = side}, .tick_mode = mode, .tick_hz = hz};
}

static flood flood_of(const intruder *of)
{
    return (flood){.socket = qd_client_socket(of->client)};
}

/* All positions in one frame. */
static void flood_positions(flood *f, uint64_t room, const columns *c)
{
    const qd_client_message move = {
        .kind = QD_CLIENT_MOVE,
        .as.batch = {.room = room, .entities = {.count = c->count, .id = c->id, .x = c->x, .y = c->y}}};
    const size_t before = f->size;

    flood_frame(f, &move);
    f->piece = f->size - before;
}

/* ---- loads ---- */

/* Two clients, each with a room of 200,000, ask for the neighbors of random points as fast as the server reads. */
static uint64_t run_knn(const load_run *run)
{
    enum { CLIENTS = 2, SIDE = 3000, ENTITIES = 200000, QUERIES = 64, NEIGHBORS = 65536 };
    const qd_msg_room_config config = config_of(SIDE, QD_TICK_MODE_STEP, 0);
    const columns all = columns_random(ENTITIES, SIDE, 1);
    rng_stream rng = {7};
    flood floods[CLIENTS];

    for (uint32_t i = 0; i < CLIENTS; i++) {
        intruder client = enter(run->address, "knn");
        char name[16];

        snprintf(name, sizeof name, "knn %u", i);
        open_room(&client, name, &config);
        spawn(&client, &all);
        settle(&client, qd_client_step(client.client, client.room, 0));
        floods[i] = flood_of(&client);
        for (uint32_t k = 0; k < QUERIES; k++) {
            const qd_msg_query query = {
                .room = client.room,
                .kind = QD_QUERY_NEAREST,
                .where.nearest = {.x = rng_fraction(&rng) * SIDE, .y = rng_fraction(&rng) * SIDE},
                .limit = NEIGHBORS};

            flood_frame(&floods[i], &(qd_client_message){.seq = 1, .kind = QD_CLIENT_QUERY, .as.query = query});
        }
    }
    load_started(run);
    return flood_run(floods, CLIENTS, run->control);
}

/* Two clients, each with 1,000 observers over 4,000 entities, which jump at each tick, so that all they see changes. */
static uint64_t run_observers(const load_run *run)
{
    enum { CLIENTS = 2, SIDE = 1000, ENTITIES = 4000, OBSERVERS = 1000, PLACES = 16, RANGE = 300, HZ = 20 };
    const qd_msg_room_config config = config_of(SIDE, QD_TICK_MODE_CLOCK, HZ);
    const columns all = columns_random(ENTITIES, SIDE, 1), watching = columns_random(OBSERVERS, SIDE, RANGE);
    rng_stream rng = {8};
    flood floods[CLIENTS];

    for (uint32_t n = 0; n < CLIENTS; n++) {
        intruder client = enter(run->address, "observers");
        char name[16];

        snprintf(name, sizeof name, "observers %u", n);
        open_room(&client, name, &config);
        spawn(&client, &all);
        qd_msg_observers observers = {.room = client.room,
                                      .count = OBSERVERS,
                                      .id = watching.id,
                                      .x = watching.x,
                                      .y = watching.y,
                                      .range = watching.size};
        qd_client_send(client.client, &(qd_client_message){.kind = QD_CLIENT_OBSERVE, .as.observers = observers});
        qd_client_flush(client.client, TIMEOUT_MS);
        floods[n] = flood_of(&client);
        observers.range = NULL;
        for (uint32_t place = 0; place < PLACES; place++) {
            for (uint32_t i = 0; i < OBSERVERS; i++) {
                watching.x[i] = rng_fraction(&rng) * SIDE;
                watching.y[i] = rng_fraction(&rng) * SIDE;
            }
            flood_frame(&floods[n], &(qd_client_message){.kind = QD_CLIENT_MOVE_OBSERVERS, .as.observers = observers});
        }
        floods[n].piece = floods[n].size / PLACES;
        floods[n].period_ns = HZ_NS(HZ);
    }
    load_started(run);
    return flood_run(floods, CLIENTS, run->control);
}

/* Four rooms, in each of which all entities are at one point and move at each tick. */
static uint64_t run_points(const load_run *run)
{
    enum { ROOMS = 4, SIDE = 1000, ENTITIES = 1400, HZ = 60 };
    const qd_msg_room_config config = config_of(SIDE, QD_TICK_MODE_CLOCK, HZ);
    columns all = columns_random(ENTITIES, SIDE, 1);
    flood floods[ROOMS];

    for (uint32_t i = 0; i < ROOMS; i++) {
        intruder client = enter(run->address, "points");
        char name[16];

        snprintf(name, sizeof name, "points %u", i);
        open_room(&client, name, &config);
        for (uint32_t k = 0; k < ENTITIES; k++) {
            all.x[k] = all.y[k] = SIDE / 2;
        }
        spawn(&client, &all);
        qd_client_subscribe(client.client, client.room, QD_SCOPE_ALL, true);
        qd_client_flush(client.client, TIMEOUT_MS);
        floods[i] = flood_of(&client);
        for (uint32_t place = 0; place < 2; place++) {
            for (uint32_t k = 0; k < ENTITIES; k++) {
                all.x[k] = all.y[k] = SIDE / 2 + (float)place;
            }
            flood_positions(&floods[i], client.room, &all);
        }
        floods[i].period_ns = HZ_NS(HZ);
    }
    load_started(run);
    return flood_run(floods, ROOMS, run->control);
}

/* A client with 10,000 entities, around each of which an observer relays the positions of 48 others: 8 MB per tick. */
static uint64_t run_views(const load_run *run)
{
    enum { SIDE = 400, ENTITIES = 10000, HZ = 20 };
    static const float relay_range[] = {1e9f};
    static const uint32_t relay_every[] = {1};
    const qd_msg_room_config config = config_of(SIDE, QD_TICK_MODE_CLOCK, HZ);
    columns all = columns_random(ENTITIES, SIDE, 0);
    intruder client = enter(run->address, "views");

    open_room(&client, "views", &config);
    spawn(&client, &all);
    for (uint32_t i = 0; i < ENTITIES; i++) {
        all.size[i] = 16;
    }
    qd_client_observe(client.client, &(qd_msg_observers){.room = client.room,
                                                         .count = ENTITIES,
                                                         .id = all.id,
                                                         .entity = all.id,
                                                         .range = all.size,
                                                         .tier_count = 1,
                                                         .relay_range = relay_range,
                                                         .relay_every = relay_every});
    qd_client_flush(client.client, TIMEOUT_MS);
    flood f = flood_of(&client);
    for (uint32_t place = 0; place < 2; place++) {
        for (uint32_t i = 0; i < ENTITIES; i++) {
            all.x[i] += place == 0 ? 0.25f : -0.25f;
        }
        flood_positions(&f, client.room, &all);
    }
    f.period_ns = HZ_NS(HZ);
    load_started(run);
    return flood_run(&f, 1, run->control);
}

/* Two clients ask for all of a room of 50,000. */
static uint64_t run_snapshots(const load_run *run)
{
    enum { SIDE = 3000, ENTITIES = 50000, REQUESTS = 64 };
    const qd_msg_room_config config = config_of(SIDE, QD_TICK_MODE_STEP, 0);
    const columns all = columns_random(ENTITIES, SIDE, 1);
    flood floods[2];

    for (uint32_t i = 0; i < 2; i++) {
        intruder client = enter(run->address, "snapshots");

        open_room(&client, "snapshots", &config);
        if (i == 0) {
            spawn(&client, &all);
        }
        floods[i] = flood_of(&client);
        for (uint32_t k = 0; k < REQUESTS; k++) {
            flood_frame(&floods[i], &(qd_client_message){.seq = 1,
                                                         .kind = QD_CLIENT_GET_SNAPSHOT,
                                                         .as.get_snapshot = {.room = client.room, .limit = ENTITIES}});
        }
    }
    load_started(run);
    return flood_run(floods, 2, run->control);
}

/* Two clients list up to 20,000 rooms, 1,000 at a time. */
static uint64_t run_room_lists(const load_run *run)
{
    enum { ROOMS = 20000, AT_ONCE = 1000, REQUESTS = 256 };
    const qd_msg_room_config config = config_of(100, QD_TICK_MODE_STEP, 0);
    intruder owner = enter(run->address, "lists");
    const qd_server_message *message = NULL;
    char name[24];

    for (uint32_t i = 0; i < ROOMS && (message == NULL || message->kind == QD_SERVER_ROOM_OPENED);) {
        uint64_t seq = 0;

        for (uint32_t end = i + AT_ONCE; i < end; i++) {
            snprintf(name, sizeof name, "list %05u", i);
            seq = qd_client_open_room(owner.client, name, &config);
        }
        while ((message = qd_client_wait(owner.client, TIMEOUT_MS)) != NULL && message->seq != seq) {
            continue;
        }
        if (message == NULL) {
            program_die("the load: %s", qd_client_error(owner.client));
        }
    }
    flood floods[2] = {flood_of(&owner)};
    intruder second = enter(run->address, "lists");
    floods[1] = flood_of(&second);
    for (uint32_t i = 0; i < 2 * REQUESTS; i++) {
        snprintf(name, sizeof name, "list %05u", i * (ROOMS / 2 / REQUESTS));
        flood_frame(&floods[i % 2], &(qd_client_message){.seq = 1,
                                                         .kind = QD_CLIENT_LIST_ROOMS,
                                                         .as.list_rooms = {.after = name, .limit = 1000}});
    }
    load_started(run);
    return flood_run(floods, 2, run->control);
}

/* Cells of HASH, by the numbers of their corners, whose hashes without a key end in the same bits: all are in one chain,
 * whatever the size of the table. The hash is that of qd_hash_slot, without its key. */
static void craft(columns *at, float cell)
{
    enum { BITS = 20, NEAR = 1024, COLUMN = 1 << 19 };
    uint32_t count = 0;

    for (uint32_t x = 1; count < at->count; x++) {
        uint64_t column = x * UINT64_C(0x9e3779b97f4a7c15);

        column ^= column >> 32;
        for (uint32_t y = 0; y < COLUMN && count < at->count; y++) {
            uint64_t key = (column + y) * UINT64_C(0x9e3779b97f4a7c15);

            key ^= key >> 32;
            if ((key & ((1u << BITS) - 1)) < NEAR) {
                at->x[count] = ((float)x + 0.5f) * cell;
                at->y[count++] = ((float)y + 0.5f) * cell;
            }
        }
    }
}

/* 10,000 points in two rooms with HASH, which change places at each tick. */
static uint64_t run_crafted_cells(const load_run *run)
{
    enum { ROOMS = 2, SIDE = 1 << 20, ENTITIES = 10000, HZ = 20 };
    qd_msg_room_config config = config_of(SIDE, QD_TICK_MODE_CLOCK, HZ);
    columns all = columns_random(ENTITIES, SIDE, 0);
    flood floods[ROOMS];

    config.index = QD_INDEX_HASH;
    config.cell_size = 2;
    craft(&all, config.cell_size);
    for (uint32_t i = 0; i < ROOMS; i++) {
        intruder client = enter(run->address, "crafted cells");
        char name[16];

        snprintf(name, sizeof name, "crafted %u", i);
        open_room(&client, name, &config);
        spawn(&client, &all);
        qd_client_subscribe(client.client, client.room, QD_SCOPE_ALL, false);
        qd_client_flush(client.client, TIMEOUT_MS);
        floods[i] = flood_of(&client);
        flood_positions(&floods[i], client.room, &all);
        const columns turned = {
            .count = ENTITIES, .id = program_memory(NULL, ENTITIES * sizeof(uint32_t)), .x = all.x, .y = all.y};
        for (uint32_t k = 0; k < ENTITIES; k++) {
            turned.id[k] = ENTITIES - 1 - k;
        }
        flood_positions(&floods[i], client.room, &turned);
        free(turned.id);
        floods[i].period_ns = HZ_NS(HZ);
    }
    load_started(run);
    return flood_run(floods, ROOMS, run->control);
}

/* Random bytes, a frame of 2 bytes, and another protocol, alternating. A few slots stay silent. */
static void fill_bad_connection(churn *slot, uint64_t number)
{
    static const char request[] =
        "GET /a/path/that/is/long/enough/to/be/a/whole/frame HTTP/1.1\r\nHost: localhost\r\n\r\n";
    rng_stream rng = {number};
    uint8_t nonsense[256];

    for (size_t i = 0; i < sizeof nonsense; i++) {
        nonsense[i] = (uint8_t)rng_draw(&rng);
    }
    nonsense[0] &= 0x7f; /* the length of a frame that is there as a whole */
    if (number < SILENT_SLOTS || slot->end == CHURN_WAIT) {
        slot->end = CHURN_WAIT;
    } else if (number % 3 == 0) {
        slot->end = CHURN_ANSWER;
        churn_bytes(slot, nonsense, sizeof nonsense);
    } else if (number % 3 == 1) {
        slot->end = CHURN_ANSWER;
        churn_bytes(slot, "\2ab", 3); /* a frame of 2 bytes, which is no message */
    } else {
        slot->end = CHURN_ANSWER;
        churn_bytes(slot, request, sizeof request - 1);
    }
}

static uint64_t run_connections(const load_run *run)
{
    static churn slots[SILENT_SLOTS + 64];

    load_started(run);
    return churn_run(slots, sizeof slots / sizeof *slots, run->address, fill_bad_connection, run->control);
}

/* A session that opens 500 rooms and goes. */
static void fill_room_opens(churn *slot, uint64_t number)
{
    qd_msg_room_config config = config_of(100, QD_TICK_MODE_STEP, 0);
    char name[32];

    config.has_empty_close_ms = true;
    slot->end = CHURN_HALF_CLOSE;
    churn_frame(slot,
                &(qd_client_message){.seq = 1, .kind = QD_CLIENT_HELLO, .as.hello = {.version = QD_PROTOCOL_VERSION}});
    for (uint32_t i = 0; i < 500; i++) {
        snprintf(name, sizeof name, "room %u of %llu", i, (unsigned long long)number);
        churn_frame(slot, &(qd_client_message){.seq = 2 + i,
                                               .kind = QD_CLIENT_OPEN_ROOM,
                                               .as.open_room = {.name = name, .has_config = true, .config = config}});
    }
}

static uint64_t run_room_opens(const load_run *run)
{
    static churn slots[4];

    load_started(run);
    return churn_run(slots, sizeof slots / sizeof *slots, run->address, fill_room_opens, run->control);
}

/* Nothing but time passes: what the victim's times are alone. */
static uint64_t run_nothing(const load_run *run)
{
    load_started(run);
    return flood_run(&(flood){.socket = -1}, 1, run->control);
}

const load loads[] = {{"knn", run_knn},
                      {"observers", run_observers},
                      {"connections", run_connections},
                      {"points", run_points},
                      {"views", run_views},
                      {"snapshots", run_snapshots},
                      {"room-lists", run_room_lists},
                      {"room-opens", run_room_opens},
                      {"crafted-cells", run_crafted_cells},
                      {"nothing", run_nothing}};
const size_t loads_count = sizeof loads / sizeof *loads;

/* ---- CPU time ---- */

/* In pieces of a few microseconds, as a client that wakes often. */
void load_spin(const load_run *run, double share)
{
    struct pollfd control = {.fd = run->control, .events = POLLIN};
    struct timespec used;

    load_started(run);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    const uint64_t start = program_now_ns(), used_before = (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
    for (;;) {
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
        const uint64_t did = (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec - used_before;
        const bool may = (double)did < share * (double)(program_now_ns() - start);
        const struct timespec pause = {0, may ? 0 : 100000};

        if (ppoll(&control, 1, &pause, NULL) != 0 && control.revents != 0) {
            return;
        }
        for (const uint64_t until = program_now_ns() + 20000; may && program_now_ns() < until;) {
            continue;
        }
    }
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Bad entries in good batches: each is refused alone, by its index and for its reason; the rest is applied.
 */

#include <math.h>

#include "support/session.h"
#include "tests/support/test.h"

#define ADDRESS qd_server_address(session_server)

static session_witness witness;
static qd_client *client;

static int open_all(void **state)
{
    session_server_setup(state);
    session_witness_open(&witness, ADDRESS);
    client = session_open(ADDRESS);
    return 0;
}

static int close_all(void **state)
{
    qd_client_destroy(client);
    session_witness_close(&witness);
    return session_server_teardown(state);
}

/* ---- batches by rows ---- */

enum { PLACE = 1, HALF_X = 2, HALF_Y = 4, RADIUS = 8, SHAPE = 16 };

/* An entry of a batch, and why it is refused; QD_ERROR_NONE: it is applied. */
typedef struct row {
    uint32_t id;
    qd_error_code refused;
    float x, y, half_x, half_y, radius;
    uint8_t shape;
} row;

#define ROWS_MAX 256u

typedef uint32_t send_fn(qd_client *client, uint64_t room, const qd_msg_entities *entities);

static uint32_t spawn(qd_client *sender, uint64_t room, const qd_msg_entities *entities)
{
    return qd_client_spawn(sender, room, entities, false);
}

static uint32_t despawn(qd_client *sender, uint64_t room, const qd_msg_entities *entities)
{
    return qd_client_despawn(sender, room, entities->id, entities->count);
}

/* Sends the rows as one batch with those columns, and expects its refusals. */
static void expect_batch(send_fn *send, uint64_t room, unsigned columns, const row *rows, uint32_t count)
{
    uint32_t id[ROWS_MAX], refused[ROWS_MAX], refused_count = 0;
    float x[ROWS_MAX], y[ROWS_MAX], half_x[ROWS_MAX], half_y[ROWS_MAX], radius[ROWS_MAX];
    uint8_t shape[ROWS_MAX];
    qd_error_code codes[ROWS_MAX];

    for (uint32_t i = 0; i < count; i++) {
        id[i] = rows[i].id;
        x[i] = rows[i].x;
        y[i] = rows[i].y;
        half_x[i] = rows[i].half_x;
        half_y[i] = rows[i].half_y;
        radius[i] = rows[i].radius;
        shape[i] = rows[i].shape;
        if (rows[i].refused != QD_ERROR_NONE) {
            refused[refused_count] = i;
            codes[refused_count++] = rows[i].refused;
        }
    }
    const qd_msg_entities batch = {.count = count,
                                   .id = id,
                                   .x = columns & PLACE ? x : NULL,
                                   .y = columns & PLACE ? y : NULL,
                                   .half_x = columns & HALF_X ? half_x : NULL,
                                   .half_y = columns & HALF_Y ? half_y : NULL,
                                   .radius = columns & RADIUS ? radius : NULL,
                                   .shape = columns & SHAPE ? shape : NULL};
    session_expect_entries(client, send(client, room, &batch), refused_count, refused, codes);
}

#define EXPECT_BATCH(send, room, columns, rows) expect_batch(send, room, columns, rows, sizeof(rows) / sizeof(rows)[0])

/* The entities of the room are these. */
static void expect_entities(uint64_t room, uint32_t count, const uint32_t *ids)
{
    uint32_t seq = qd_client_snapshot(client, room, NULL, 0);
    const qd_msg_snapshot_result *result = &session_expect(client, seq, QD_SERVER_SNAPSHOT_RESULT)->as.snapshot_result;

    assert_true(result->last);
    assert_false(result->more);
    assert_int_equal(result->entities.count, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(result->entities.id[i], ids[i]);
    }
}

static void expect_nothing_else(void)
{
    session_expect_quiet(client);
    session_witness_check(&witness);
}

/* Entities 1 to 5, 100 apart, and a subscription to all their pairs. */
static uint64_t open_room_of_five(const char *name)
{
    uint64_t room = session_open_room(client, name, NULL);

    session_subscribe(client, room, QD_SCOPE_ALL, NULL);
    for (uint32_t id = 1; id <= 5; id++) {
        session_spawn(client, room, id, 100.0f * (float)id, 100);
    }
    session_step(client, room);
    return room;
}

/* ---- tests ---- */

TEST(spawn_with_bad_entries_applies_the_good_ones)
{
    static const row rows[] = {
        {1, 0, 1, 1, 1, 1, 0, QD_SHAPE_BOX},
        {2, QD_ERROR_NOT_FINITE, NAN, 1, 1, 1, 0, QD_SHAPE_BOX},
        {3, QD_ERROR_NOT_FINITE, 1, -INFINITY, 1, 1, 0, QD_SHAPE_BOX},
        {4, QD_ERROR_NEGATIVE_SIZE, 1, 1, -1, 1, 0, QD_SHAPE_BOX},
        {5, QD_ERROR_NEGATIVE_SIZE, 1, 1, 1, -1e-30f, 0, QD_SHAPE_BOX},
        {6, QD_ERROR_NOT_FINITE, 1, 1, NAN, 1, 0, QD_SHAPE_BOX},
        {7, QD_ERROR_NOT_FINITE, 1, 1, 1, INFINITY, 0, QD_SHAPE_BOX},
        {8, QD_ERROR_NOT_FINITE, 1, 1, INFINITY, 1, 0, QD_SHAPE_CIRCLE},
        /* a circle ignores half_y, but keeps it */
        {9, QD_ERROR_NOT_FINITE, 1, 1, 1, NAN, 0, QD_SHAPE_CIRCLE},
        {10, 0, 1, 1, -0.0f, 0, 0, QD_SHAPE_BOX},
        {11, QD_ERROR_NEGATIVE_SIZE, 1, 1, 1, -1, 0, QD_SHAPE_CIRCLE},
        {12, QD_ERROR_NEGATIVE_SIZE, 1, 1, -1, 1, 0, QD_SHAPE_CIRCLE},
        {13, QD_ERROR_NOT_FINITE, INFINITY, 1, 1, 1, 0, QD_SHAPE_BOX},
        {14, QD_ERROR_UNKNOWN_SHAPE, 1, 1, 1, 1, 0, 4},
        {1, QD_ERROR_ID_TAKEN, 1, 1, 1, 1, 0, QD_SHAPE_BOX},
        {100, QD_ERROR_ID_TAKEN, 1, 1, 1, 1, 0, QD_SHAPE_BOX},
    };
    uint64_t room = session_open_room(client, "spawn", NULL);

    session_spawn(client, room, 100, 5, 5);
    EXPECT_BATCH(spawn, room, PLACE | HALF_X | HALF_Y | SHAPE, rows);
    expect_entities(room, 3, (const uint32_t[]){1, 10, 100});
    expect_nothing_else();
}

TEST(spawn_of_unknown_shapes_is_refused)
{
    static const row reshaped[] = {{.id = 1, .refused = QD_ERROR_UNKNOWN_SHAPE}, {.id = 2, .shape = QD_SHAPE_BOX}};
    row rows[256];

    for (uint32_t i = 0; i < 256; i++) {
        bool known = i == QD_SHAPE_BOX || i == QD_SHAPE_CIRCLE || i == QD_SHAPE_CAPSULE;

        rows[i] = (row){.id = i, .shape = (uint8_t)i, .refused = known ? QD_ERROR_NONE : QD_ERROR_UNKNOWN_SHAPE};
    }
    uint64_t room = session_open_room(client, "shapes", NULL);
    /* The first 64 of 253 refused entries are listed. */
    EXPECT_BATCH(spawn, room, PLACE | SHAPE, rows);
    expect_entities(room, 3, (const uint32_t[]){1, 2, 3});
    EXPECT_BATCH(qd_client_reshape, room, SHAPE, reshaped);
    expect_nothing_else();
}

/* A capsule's radius is a size, its half extents are a direction. */
TEST(capsule_with_bad_radius_is_refused)
{
    static const row rows[] = {
        {1, 0, 1, 1, -5, 0, 1, QD_SHAPE_CAPSULE},
        {2, QD_ERROR_NEGATIVE_SIZE, 1, 1, -5, 0, -1, QD_SHAPE_CAPSULE},
        {3, QD_ERROR_NOT_FINITE, 1, 1, -5, 0, NAN, QD_SHAPE_CAPSULE},
        {4, QD_ERROR_NOT_FINITE, 1, 1, INFINITY, 0, 1, QD_SHAPE_CAPSULE},
        {5, QD_ERROR_NEGATIVE_SIZE, 1, 1, 1, 0, -0.5f, QD_SHAPE_BOX},
    };
    /* A box cannot have the capsule's negative half extent. */
    static const row box[] = {{.id = 1, .shape = QD_SHAPE_BOX, .refused = QD_ERROR_NEGATIVE_SIZE}};
    static const row negative[] = {{.id = 1, .radius = -1, .refused = QD_ERROR_NEGATIVE_SIZE}};
    uint64_t room = session_open_room(client, "capsules", NULL);

    EXPECT_BATCH(spawn, room, PLACE | HALF_X | RADIUS | SHAPE, rows);
    expect_entities(room, 1, (const uint32_t[]){1});
    EXPECT_BATCH(qd_client_reshape, room, SHAPE, box);
    EXPECT_BATCH(qd_client_reshape, room, RADIUS, negative);
    expect_nothing_else();
}

TEST(move_with_bad_entries_applies_the_good_ones)
{
    static const row rows[] = {
        {.id = 1, .x = 500, .y = 100},
        {.id = 77, .x = 500, .y = 100, .refused = QD_ERROR_UNKNOWN_ID},
        {.id = 2, .x = NAN, .y = 100, .refused = QD_ERROR_NOT_FINITE},
        {.id = 3, .x = 500, .y = NAN, .refused = QD_ERROR_NOT_FINITE},
        {.id = 4, .x = INFINITY, .y = 100, .refused = QD_ERROR_NOT_FINITE},
        {.id = 5, .x = 500, .y = 100},
    };
    uint64_t room = open_room_of_five("moves");

    EXPECT_BATCH(qd_client_move, room, PLACE, rows);
    session_step(client, room);
    session_expect_tick(client, "begin 1-5");
    EXPECT_BATCH(qd_client_teleport, room, PLACE, rows);
    session_step(client, room);
    expect_nothing_else();
}

TEST(reshape_with_bad_entries_applies_the_good_ones)
{
    static const row rows[] = {
        {.id = 1, .half_x = 99}, /* to 199, where 2 begins: they touch */
        {.id = 77, .half_x = 99, .refused = QD_ERROR_UNKNOWN_ID},
        {.id = 2, .half_x = NAN, .refused = QD_ERROR_NOT_FINITE},
        {.id = 3, .half_x = -1, .refused = QD_ERROR_NEGATIVE_SIZE},
        {.id = 4, .half_x = INFINITY, .refused = QD_ERROR_NOT_FINITE},
        {.id = 5},
    };
    uint64_t room = open_room_of_five("reshapes");

    EXPECT_BATCH(qd_client_reshape, room, HALF_X, rows);
    session_step(client, room);
    session_expect_tick(client, "begin 1-2");
    expect_nothing_else();
}

TEST(despawn_of_unknown_ids_is_refused)
{
    static const row rows[] = {
        {.id = 7, .refused = QD_ERROR_UNKNOWN_ID},
        {.id = 1},
        {.id = 1, .refused = QD_ERROR_UNKNOWN_ID},
        {.id = 8, .refused = QD_ERROR_UNKNOWN_ID},
    };
    uint64_t room = session_open_room(client, "despawns", NULL);

    session_spawn(client, room, 1, 1, 1);
    session_spawn(client, room, 2, 1, 1);
    EXPECT_BATCH(despawn, room, 0, rows);
    expect_entities(room, 1, (const uint32_t[]){2});
    expect_nothing_else();
}

/* Every 32-bit number is an id, and the largest finite numbers are places and sizes. */
TEST(spawn_with_extreme_values_is_applied)
{
    uint64_t room = session_open_room(client, "extremes", NULL);

    session_subscribe(client, room, QD_SCOPE_ALL, NULL);
    const uint32_t ids[] = {0, UINT32_MAX, 1u << 31};
    const float x[] = {3.4e38f, -3.4e38f, 0};
    const float half[] = {3.4e38f, 3.4e38f, 0};
    const qd_msg_entities batch = {3, ids, .x = x, .y = x, .half_x = half, .half_y = half};
    qd_client_spawn(client, room, &batch, false);
    session_step(client, room);
    session_expect_tick(client, "begin 0-2147483648 begin 0-4294967295 begin 2147483648-4294967295");
    expect_entities(room, 3, (const uint32_t[]){0, 1u << 31, UINT32_MAX});
    expect_nothing_else();
}

TEST_MAIN_WITH(open_all, close_all)
